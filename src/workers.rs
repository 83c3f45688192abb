//! Who does the work: a thread pool of the wanted size and the flag that calls everybody off.
//!
//! Every parallel loop of the crate runs through a [`Workers`]; small jobs stay on the calling
//! thread because waking a pool costs more than they do. Nothing that is computed here depends on
//! the number of threads: sums are integers, or are taken over fixed blocks in a fixed order.

use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;

use hashbrown::HashMap;
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::reduce::{Alone, Reduce};

/// Elements (cells, rows) below which a loop is not worth waking the pool for. Unit tests take far
/// less, so that small problems have several blocks on several threads; the Python tests have the
/// real sizes.
const PARALLEL_FROM: usize = if cfg!(test) { 1 << 12 } else { 1 << 16 };

/// How often the flag is looked at while a job has a thread of its own.
const LOOK_AT_FLAG: Duration = Duration::from_millis(20);

/// Rows per block of a row-parallel loop; fixed, so that blocked sums are reproducible.
pub const BLOCK_ROWS: usize = if cfg!(test) { 1 << 10 } else { 1 << 14 };

/// A pool of threads, a cancel flag and the way to the processes that hold other rows of the same fit.
#[derive(Clone)]
pub struct Workers {
    threads: usize,
    cancelled: Arc<AtomicBool>,
    reduce: Arc<dyn Reduce>,
}

/// The pools of one process by their numbers of threads.
struct Pools {
    process: u32,
    by_size: Mutex<HashMap<usize, Arc<ThreadPool>>>,
}

/// A forked child has pools of its own: it must wait neither for threads of its parent nor for a
/// lock that one of them held when it was forked.
fn pools() -> &'static Pools {
    static CURRENT: AtomicPtr<Pools> = AtomicPtr::new(ptr::null_mut());
    loop {
        let current = CURRENT.load(Ordering::Acquire);
        // SAFETY: what is not null came from `Box::into_raw` below, and is never freed.
        if let Some(pools) = unsafe { current.as_ref() }
            && pools.process == std::process::id()
        {
            return pools;
        }
        let (process, by_size) = (std::process::id(), Mutex::default());
        let own = Box::into_raw(Box::new(Pools { process, by_size }));
        if CURRENT.compare_exchange(current, own, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // SAFETY: another thread was faster, so nobody else has this pointer.
            drop(unsafe { Box::from_raw(own) });
        }
    }
}

fn pool(threads: usize) -> Result<Arc<ThreadPool>> {
    let mut pools = lock(&pools().by_size);
    if let Some(pool) = pools.get(&threads) {
        return Ok(pool.clone());
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("weakforce-{i}"))
        .build()
        .map_err(|e| Error::internal(format!("no thread pool: {e}")))?;
    let pool = Arc::new(pool);
    pools.insert(threads, pool.clone());
    Ok(pool)
}

/// The processors that this process may use. The system is asked once: it looks the answer up in files.
fn n_cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| available_parallelism().map_or(1, usize::from))
}

impl Workers {
    /// `n_jobs` as scikit-learn's users write it: `None` and negative counts mean "all cores"
    /// (−2: all but one), a positive count that many threads.
    pub fn new(n_jobs: Option<i64>) -> Result<Self> {
        let cores = n_cores();
        let threads = match n_jobs {
            None => cores,
            Some(0) => {
                return Err(Error::parameter("n_jobs", 0, "None, -1 or a positive integer"));
            }
            Some(n) if n > 0 => (n as usize).min(1024),
            Some(n) => cores.saturating_sub((n.unsigned_abs() - 1) as usize).max(1),
        };
        Ok(Self { threads, cancelled: Arc::new(AtomicBool::new(false)), reduce: Arc::new(Alone) })
    }

    /// The same for one shard of several; the cancel flag is shared.
    #[must_use]
    pub fn with_reduce(&self, reduce: Arc<dyn Reduce>) -> Self {
        Self { reduce, ..self.clone() }
    }

    /// The way to the other shards. What goes there must be the same in every shard, one after the
    /// other: not from jobs that run side by side.
    #[must_use]
    pub fn reduce(&self) -> &dyn Reduce {
        &*self.reduce
    }

    /// The number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// A flag that ends all work when it is set, from any thread.
    #[must_use]
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        self.cancelled.clone()
    }

    /// An error once the flag is up.
    pub fn check(&self) -> Result<()> {
        if self.cancelled.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// Whether a job of this many elementary steps is worth the pool.
    #[must_use]
    pub fn worth(&self, steps: usize) -> bool {
        self.threads > 1 && steps >= PARALLEL_FROM
    }

    /// The steps of a loop whose items ask other shards for sums: none if there are others, so that they
    /// ask one after the other.
    #[must_use]
    pub fn steps_if_alone(&self, steps: usize) -> usize {
        if self.reduce.is_split() { 0 } else { steps }
    }

    /// Runs a whole job on a thread of the pool if it is worth it. The loops inside then start
    /// without handing over from one thread to another, which costs more than some of them do. A shard
    /// stays where it is: while it waits for others, which may be of the same process, it must not hold
    /// a thread that they need.
    pub fn enter<T: Send>(
        &self,
        steps: usize,
        job: impl FnOnce() -> Result<T> + Send,
    ) -> Result<T> {
        if !self.worth(steps) || self.reduce.is_split() {
            return job();
        }
        let (mut job, mut result) = (Some(job), None);
        self.inside(&mut || result = job.take().map(|job| job()))?;
        result.unwrap_or_else(|| Err(Error::internal("the pool did not run its job")))
    }

    /// Runs `job` on every item, in parallel if `steps` is large; results in item order.
    pub fn map<I, T, F>(&self, steps: usize, items: Vec<I>, job: F) -> Result<Vec<T>>
    where
        I: Send,
        T: Send,
        F: Fn(I) -> Result<T> + Sync,
    {
        // Not generic, so that the job is compiled once for both ways.
        let job: &(dyn Fn(I) -> Result<T> + Sync) = &job;
        if !self.worth(steps) || items.len() < 2 {
            let mut results = Vec::with_capacity(items.len());
            for item in items {
                self.check()?;
                results.push(job(item)?);
            }
            return Ok(results);
        }
        let slots: Vec<Mutex<Slot<I, T>>> =
            items.into_iter().map(|item| Mutex::new(Slot::Item(item))).collect();
        self.each(slots.len(), &|i| {
            if let Slot::Item(item) = take(&slots[i]) {
                *lock(&slots[i]) = Slot::Result(job(item)?);
            }
            Ok(())
        })?;
        results_of(slots)
    }

    /// Runs a long job that never looks at the flag on a thread of its own. If the flag is set, the job
    /// is left to itself, and what it comes to is dropped.
    pub fn detached<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let (sender, receiver) = mpsc::channel();
        let thread = std::thread::Builder::new().name("weakforce-solver".to_owned());
        let run = move || {
            // Nobody may be waiting any more.
            let _ = sender.send(job());
        };
        thread.spawn(run).map_err(|e| Error::internal(format!("no thread: {e}")))?;
        loop {
            match receiver.recv_timeout(LOOK_AT_FLAG) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Timeout) => self.check()?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::internal("a job of its own thread did not end"));
                }
            }
        }
    }

    /// Runs `job` as many times as there are threads, with a shared counter of tasks: each call of
    /// the counter hands out the next task number below `tasks`. For jobs that keep one accumulator
    /// per thread.
    pub fn share<T, F>(&self, tasks: usize, job: F) -> Result<Vec<T>>
    where
        T: Send,
        F: Fn(&dyn Fn() -> Option<usize>) -> Result<T> + Sync,
    {
        let next = AtomicUsize::new(0);
        let next_task = || {
            let task = next.fetch_add(1, Ordering::Relaxed);
            (task < tasks && self.check().is_ok()).then_some(task)
        };
        let slots: Vec<Mutex<Slot<(), T>>> =
            (0..self.threads).map(|_| Mutex::new(Slot::Empty)).collect();
        // Not a broadcast, which would wait for every thread of the pool: one may be held up by a
        // callback that has started this very job.
        self.each(self.threads, &|i| {
            *lock(&slots[i]) = Slot::Result(job(&next_task)?);
            Ok(())
        })?;
        self.check()?;
        results_of(slots)
    }

    /// The loop under all parallel ones. Not generic: the compiler would make all of rayon's machinery
    /// anew for every kind of job, which was a third of the whole crate.
    fn each(&self, count: usize, job: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
        let mut outcome = Ok(());
        let checked = |i| {
            self.check()?;
            job(i)
        };
        self.inside(&mut || outcome = (0..count).into_par_iter().try_for_each(checked))?;
        outcome
    }

    /// Runs a job on a thread of the pool.
    fn inside(&self, job: &mut (dyn FnMut() + Send)) -> Result<()> {
        pool(self.threads)?.install(job);
        Ok(())
    }
}

/// What is done with one item of a loop.
enum Slot<I, T> {
    Item(I),
    Result(T),
    Empty,
}

fn lock<T>(slot: &Mutex<T>) -> MutexGuard<'_, T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

fn take<I, T>(slot: &Mutex<Slot<I, T>>) -> Slot<I, T> {
    std::mem::replace(&mut lock(slot), Slot::Empty)
}

fn results_of<I, T>(slots: Vec<Mutex<Slot<I, T>>>) -> Result<Vec<T>> {
    let mut results = Vec::with_capacity(slots.len());
    for slot in &slots {
        match take(slot) {
            Slot::Result(result) => results.push(result),
            _ => return Err(Error::internal("an item of a parallel loop has no result")),
        }
    }
    Ok(results)
}

/// Splits `length` rows into blocks of at most [`BLOCK_ROWS`].
#[must_use]
pub fn row_blocks(length: usize) -> Vec<Range<usize>> {
    run_blocks(&[length]).into_iter().map(|block| block.rows).collect()
}

/// A block of rows of one run (class, channel).
#[derive(Debug, Clone)]
pub struct RunBlock {
    /// Which run.
    pub run: usize,
    /// Which rows.
    pub rows: Range<usize>,
}

/// Splits rows into blocks of at most [`BLOCK_ROWS`] that do not cross the end of a run.
#[must_use]
pub fn run_blocks(ends: &[usize]) -> Vec<RunBlock> {
    let mut blocks = Vec::new();
    let mut start = 0;
    for (run, &end) in ends.iter().enumerate() {
        while start < end {
            let rows = start..(start + BLOCK_ROWS).min(end);
            start = rows.end;
            blocks.push(RunBlock { run, rows });
        }
    }
    blocks
}

/// Cuts a slice into pieces of these lengths, which cover it.
pub fn split_along<T>(
    mut slice: &mut [T],
    lengths: impl IntoIterator<Item = usize>,
) -> Vec<&mut [T]> {
    let mut pieces = Vec::new();
    for length in lengths {
        let (piece, rest) = slice.split_at_mut(length);
        pieces.push(piece);
        slice = rest;
    }
    pieces
}

/// Turns the blocks of every column into the columns of every block.
pub fn by_block<T>(columns: impl IntoIterator<Item = Vec<T>>) -> Vec<Vec<T>> {
    let mut blocks: Vec<Vec<T>> = Vec::new();
    for column in columns {
        blocks.resize_with(column.len(), Vec::new);
        for (block, piece) in blocks.iter_mut().zip(column) {
            block.push(piece);
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_detached_job_is_left_to_itself_when_the_work_is_called_off() {
        let workers = Workers::new(Some(1)).unwrap();
        assert_eq!(workers.detached(|| 7).unwrap(), 7);
        let flag = workers.cancel_flag();
        let begun = std::time::Instant::now();
        let outcome = workers.detached(move || {
            flag.store(true, Ordering::Relaxed);
            std::thread::sleep(Duration::from_secs(5));
        });
        assert!(matches!(outcome, Err(Error::Interrupted)));
        assert!(begun.elapsed() < Duration::from_secs(3));
    }
}
