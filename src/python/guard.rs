//! Between Python and Rust: the GIL is released, Ctrl-C heard, panics caught, errors mapped.
//!
//! In: a job. Out: its result, or the exception that Python users expect. Long jobs run on a thread
//! of their own while the calling thread listens for signals and serves callbacks, so that both
//! happen where Python wants them: on the caller's thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::{
    PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;

use crate::error::{Error, ErrorKind, Result, panic_reason};
use crate::workers::Workers;

/// How often signals are looked for.
const LISTEN: Duration = Duration::from_millis(50);

/// The exception for an error.
pub(super) fn to_py_err(error: Error) -> PyErr {
    let message = error.to_string();
    match error.kind() {
        _ if error == Error::Interrupted => PyKeyboardInterrupt::new_err(message),
        ErrorKind::Value => PyValueError::new_err(message),
        ErrorKind::Type => PyTypeError::new_err(message),
        ErrorKind::Memory => PyMemoryError::new_err(message),
        ErrorKind::File => PyOSError::new_err(message),
        ErrorKind::Runtime => PyRuntimeError::new_err(message),
    }
}

fn broken(panic: &(dyn std::any::Any + Send)) -> Error {
    Error::internal(panic_reason(panic))
}

/// Keeps panics from printing: all of them become Python exceptions. The extension module has a copy
/// of the standard library of its own, so the hook sees panics of this module and no others; the Rust
/// library installs none.
pub(super) fn silence_panics() {
    std::panic::set_hook(Box::new(|_| {}));
}

/// Runs something short; a panic becomes a `RuntimeError`.
pub(super) fn catch<T>(job: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(job)).unwrap_or_else(|panic| Err(to_py_err(broken(&*panic))))
}

/// Something to be done on the calling thread, where Python wants it.
pub(super) type Request = Box<dyn FnOnce(Python<'_>) -> PyResult<()> + Send>;

/// What a job says to the thread that called for it.
pub(super) enum Message {
    Ask(Request),
    Done,
}

/// The way from a job back to the thread that called for it.
#[derive(Clone)]
pub(super) enum Caller {
    /// The caller listens at the other end.
    Waiting(SyncSender<Message>),
    /// The job runs on the caller's own thread; what Python raises is left here.
    Present(Arc<Mutex<Option<PyErr>>>),
}

impl Caller {
    /// Runs `job` on the calling thread with the GIL. If Python raises, the whole run is called off
    /// and the caller sees that very exception.
    pub(super) fn ask<R: Send + 'static>(
        &self,
        job: impl FnOnce(Python<'_>) -> PyResult<R> + Send + 'static,
    ) -> Result<R> {
        match self {
            Self::Present(raised) => Python::attach(job).map_err(|error| {
                *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Error::Interrupted
            }),
            Self::Waiting(send) => {
                let (reply, replies) = sync_channel(1);
                let request: Request = Box::new(move |py| {
                    // Nobody waits for the answer any more only if the run is over.
                    let _ = reply.send(job(py)?);
                    Ok(())
                });
                send.send(Message::Ask(request)).map_err(|_| Error::Interrupted)?;
                replies.recv().map_err(|_| Error::Interrupted)
            }
        }
    }
}

/// Elementary steps that take no time that a user would notice, and that no loop shares out to other
/// threads: what Python has to do is done where it is called for.
const FEW_STEPS: usize = 1 << 15;

/// Runs a job of about so many elementary steps without the GIL: a short one where it is called
/// for, because a thread of its own would cost more than the job.
pub(super) fn run_sized<T: Send>(
    py: Python<'_>,
    workers: &Workers,
    steps: usize,
    job: impl FnOnce(&Caller) -> Result<T> + Send,
) -> PyResult<T> {
    if steps > FEW_STEPS {
        return run(py, workers, job);
    }
    let raised = Arc::default();
    let caller = Caller::Present(Arc::clone(&raised));
    let result = py.detach(|| catch_unwind(AssertUnwindSafe(|| job(&caller))));
    if let Some(error) = raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(error);
    }
    result.unwrap_or_else(|panic| Err(broken(&*panic))).map_err(to_py_err)
}

/// Runs a long job without the GIL, on a thread of its own. The job gets a way back to the calling
/// thread, which listens for signals meanwhile.
pub(super) fn run<T: Send>(
    py: Python<'_>,
    workers: &Workers,
    job: impl FnOnce(&Caller) -> Result<T> + Send,
) -> PyResult<T> {
    let (send, receive) = sync_channel(1);
    std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let caller = Caller::Waiting(send.clone());
            let result = catch_unwind(AssertUnwindSafe(|| job(&caller)))
                .unwrap_or_else(|panic| Err(broken(&*panic)));
            // The listener leaves only after this message.
            let _ = send.send(Message::Done);
            result
        });
        let raised = listen(py, workers, receive);
        let result = worker.join().unwrap_or_else(|panic| Err(broken(&*panic)));
        match raised {
            Some(error) => Err(error),
            None => result.map_err(to_py_err),
        }
    })
}

/// Serves the job until it is done; returns what Python raised in the meantime.
fn listen(py: Python<'_>, workers: &Workers, mut receive: Receiver<Message>) -> Option<PyErr> {
    let mut raised = None;
    loop {
        let message;
        (message, receive) = py.detach(move || (receive.recv_timeout(LISTEN), receive));
        let problem = match message {
            Ok(Message::Done) | Err(RecvTimeoutError::Disconnected) => return raised,
            Ok(Message::Ask(request)) => request(py).err(),
            Err(RecvTimeoutError::Timeout) => py.check_signals().err(),
        };
        if let Some(error) = problem {
            workers.cancel_flag().store(true, Ordering::Relaxed);
            raised.get_or_insert(error);
        }
    }
}
