//! Between Python and Rust: the GIL is released, Ctrl-C heard, panics caught, errors mapped.
//!
//! In: a job. Out: its result, or the exception that Python users expect. Long jobs run on a thread
//! of their own while the calling thread listens for signals and serves callbacks, so that both
//! happen where Python wants them: on the caller's thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::error::{Error, ErrorKind, Result};
use crate::fit::{Observe, Round};
use crate::workers::Workers;

/// How often signals are looked for.
const LISTEN: Duration = Duration::from_millis(50);

/// The exception for an error.
pub(super) fn raise(error: Error) -> PyErr {
    let message = error.to_string();
    match error.kind() {
        _ if error == Error::Interrupted => PyKeyboardInterrupt::new_err(message),
        ErrorKind::Value => PyValueError::new_err(message),
        ErrorKind::Type => PyTypeError::new_err(message),
        ErrorKind::Runtime => PyRuntimeError::new_err(message),
    }
}

fn broken(panic: &(dyn std::any::Any + Send)) -> Error {
    let reason = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("panic");
    Error::internal(reason)
}

/// Runs something short; a panic becomes a `RuntimeError`.
pub(super) fn catch<T>(job: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(job)).unwrap_or_else(|panic| Err(raise(broken(&*panic))))
}

enum Message<T> {
    Round(Round),
    Done(Result<T>),
}

/// Runs a long job without the GIL.
pub(super) fn run<T: Send>(
    py: Python<'_>,
    workers: &Workers,
    job: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    run_observed(py, workers, None::<fn(&Round) -> PyResult<bool>>, |_| job())
}

/// Runs a long job without the GIL. The job gets a function that shows a round to the observer, on
/// the calling thread, and hands back its answer.
pub(super) fn run_observed<T, J, O>(
    py: Python<'_>,
    workers: &Workers,
    observer: Option<O>,
    job: J,
) -> PyResult<T>
where
    T: Send,
    J: FnOnce(&mut Observe) -> Result<T> + Send,
    O: FnMut(&Round) -> PyResult<bool>,
{
    let (send, receive) = sync_channel::<Message<T>>(1);
    let (reply, replies) = sync_channel::<bool>(1);
    let observed = observer.is_some();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let done = send.clone();
            let mut show = move |round: &Round| {
                if !observed {
                    return Ok(true);
                }
                let gone = |_| Error::Interrupted;
                send.send(Message::Round(*round)).map_err(|_| Error::Interrupted)?;
                replies.recv().map_err(gone)
            };
            let result = catch_unwind(AssertUnwindSafe(|| job(&mut show)))
                .unwrap_or_else(|panic| Err(broken(&*panic)));
            // The listener leaves only after this message.
            let _ = done.send(Message::Done(result));
        });
        listen(py, workers, receive, &reply, observer)
    })
}

/// Serves the job until it is done; what Python raised in the meantime wins over its result.
fn listen<T: Send, O: FnMut(&Round) -> PyResult<bool>>(
    py: Python<'_>,
    workers: &Workers,
    mut receive: Receiver<Message<T>>,
    reply: &SyncSender<bool>,
    mut observer: Option<O>,
) -> PyResult<T> {
    let mut raised = None;
    loop {
        let message;
        (message, receive) = py.detach(move || (receive.recv_timeout(LISTEN), receive));
        let problem = match message {
            Ok(Message::Done(result)) => {
                return match raised {
                    Some(error) => Err(error),
                    None => result.map_err(raise),
                };
            }
            Ok(Message::Round(round)) => {
                let answer = observer.as_mut().map_or(Ok(true), |observe| observe(&round));
                let (go_on, problem) = match answer {
                    Ok(go_on) => (go_on, None),
                    Err(error) => (false, Some(error)),
                };
                let _ = reply.send(go_on);
                problem
            }
            Err(RecvTimeoutError::Timeout) => py.check_signals().err(),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(raise(Error::internal("the worker thread vanished")));
            }
        };
        if let Some(error) = problem {
            workers.cancel_flag().store(true, Ordering::Relaxed);
            raised = Some(error);
        }
    }
}
