//! Rows that are spread over several shards make the model of all rows together, to the byte.
//!
//! Shards are threads of one process here, which meet to add up their sums. `rows` makes problems and
//! divides them.

mod checkpoints;
mod more;
mod refusals;
mod rows;
mod splits;
mod traffic;

use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use crate::error::{Error, Result};
use crate::reduce::Reduce;

/// Where threads meet.
struct Meeting {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// How often all have met.
    n_meetings: usize,
    /// What those have brought that are here, by rank.
    brought: Vec<Option<Vec<u8>>>,
    /// What all brought to the last meeting.
    last: Vec<Vec<u8>>,
    /// Whether one does not come any more.
    is_broken: bool,
}

impl Meeting {
    fn new(size: usize) -> Arc<Self> {
        let state = State { brought: vec![None; size], ..State::default() };
        Arc::new(Self { state: Mutex::new(state), changed: Condvar::new() })
    }

    /// Waits for all others.
    fn meet(&self, rank: usize, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>> {
        let mut state = self.state.lock().unwrap();
        let number = state.n_meetings;
        state.brought[rank] = Some(bytes);
        if state.brought.iter().all(Option::is_some) {
            state.last = state.brought.iter_mut().map(|bytes| bytes.take().unwrap()).collect();
            state.n_meetings += 1;
            self.changed.notify_all();
        }
        while state.n_meetings == number {
            if state.is_broken {
                return Err(Error::internal("another shard has ended"));
            }
            state = self.changed.wait(state).unwrap();
        }
        Ok(state.last.clone())
    }

    fn leave(&self) {
        self.state.lock().unwrap().is_broken = true;
        self.changed.notify_all();
    }
}

/// The way of one thread to the others. What all ask for must be the same.
struct Shard {
    rank: usize,
    size: usize,
    meeting: Arc<Meeting>,
}

impl Drop for Shard {
    fn drop(&mut self) {
        self.meeting.leave();
    }
}

impl Reduce for Shard {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn sum(&self, numbers: &mut [u64]) -> Result<()> {
        let own = std::iter::once(1).chain(numbers.iter().flat_map(|n| n.to_le_bytes()));
        let all = self.meeting.meet(self.rank, own.collect())?;
        assert!(all.iter().all(|bytes| bytes[0] == 1), "sums meet gathered bytes");
        assert!(all.iter().all(|bytes| bytes.len() == all[0].len()), "sums of different lengths");
        numbers.fill(0);
        for bytes in &all {
            for (sum, number) in numbers.iter_mut().zip(bytes[1..].as_chunks().0) {
                *sum = sum.wrapping_add(u64::from_le_bytes(*number));
            }
        }
        Ok(())
    }

    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        let own = std::iter::once(2).chain(bytes.iter().copied());
        let all = self.meeting.meet(self.rank, own.collect())?;
        assert!(all.iter().all(|bytes| bytes[0] == 2), "gathered bytes meet sums");
        Ok(all.into_iter().map(|bytes| bytes[1..].to_vec()).collect())
    }
}

/// Runs a job in as many threads as there are shards.
fn in_shards<T: Send>(size: usize, job: impl Fn(Arc<dyn Reduce>) -> T + Sync) -> Vec<T> {
    let meeting = Meeting::new(size);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..size)
            .map(|rank| {
                let (meeting, job) = (meeting.clone(), &job);
                scope.spawn(move || job(Arc::new(Shard { rank, size, meeting })))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}
