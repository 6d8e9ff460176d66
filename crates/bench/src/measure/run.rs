//! Run in which author and server take turns, until the workload is done, or time or memory run
//! out.

use std::time::{Duration, Instant};

use comparison::processor_time;
use pad_core::Operation;

use crate::{
    Outcome,
    cryptography::Cryptography,
    measure::roles::Roles,
    memory,
    timing::{microseconds, stopwatch},
};

/// Cost of publishing and applying one snapshot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    /// Author's microseconds for making the changes, the snapshot and its signature.
    pub author_us: f64,
    /// Author's microseconds of waiting for files, in addition; 0 for a dictionary in memory.
    pub author_wait_us: f64,
    /// Server's microseconds for applying the update.
    pub apply_us: f64,
    /// Server's microseconds of waiting for files, in addition; 0 for a dictionary in memory.
    pub apply_wait_us: f64,
    /// Part of `apply_us` that accumulators take.
    pub accumulator_us: f64,
    /// Bytes of the update as it is sent.
    pub update_bytes: f64,
    /// Part of `author_us` that signatures with the key of heads take, if they are timed.
    pub signature_us: f64,
}

impl Sample {
    /// Returns the sum of `samples` in each field.
    pub fn sum(samples: &[Self]) -> Self {
        Self::sum_divided(samples, 1.0)
    }

    /// Returns the mean of `samples` in each field.
    pub fn mean(samples: &[Self]) -> Self {
        Self::sum_divided(samples, samples.len().max(1) as f64)
    }

    fn sum_divided(samples: &[Self], by: f64) -> Self {
        let part = |figure: fn(&Self) -> f64| samples.iter().map(figure).sum::<f64>() / by;
        Self {
            author_us: part(|sample| sample.author_us),
            author_wait_us: part(|sample| sample.author_wait_us),
            apply_us: part(|sample| sample.apply_us),
            apply_wait_us: part(|sample| sample.apply_wait_us),
            accumulator_us: part(|sample| sample.accumulator_us),
            update_bytes: part(|sample| sample.update_bytes),
            signature_us: part(|sample| sample.signature_us),
        }
    }
}

/// Run in which author and server of one scheme take turns, with the times of their work.
pub struct Run<T: Roles> {
    /// Author and server of the scheme.
    pub roles: T,
    /// Cost of each snapshot so far.
    pub samples: Vec<Sample>,
    /// Author's cryptography in all snapshots, if the suite and the signer record it.
    pub cryptography: Cryptography,
    /// Reason why the run ended: `finished`, `time` or `memory`.
    pub stopped: &'static str,
    start: Instant,
    limit: Duration,
}

impl<T: Roles> Run<T> {
    /// Starts a run that stops after the time `limit`.
    pub fn of(roles: T, limit: Duration) -> Self {
        Self {
            roles,
            samples: Vec::new(),
            cryptography: Cryptography::default(),
            stopped: "finished",
            start: Instant::now(),
            limit,
        }
    }

    /// Publishes one snapshot with `operations` as the author, applies it as the server, and
    /// records the cost.
    pub fn publish(&mut self, operations: Vec<Operation>) -> Outcome<T::Update> {
        let changes = self.roles.prepare(operations)?;
        let ([author_us, author_wait_us], (own, update)) =
            with_waits::<T, _>(|| Cryptography::of(|| self.roles.publish(changes)));
        let update = update?;
        let update_bytes = self.roles.update_bytes(&update) as f64;
        let ([apply_us, apply_wait_us], (cryptography, applied)) =
            with_waits::<T, _>(|| Cryptography::of(|| self.roles.apply(&update)));
        applied?;
        self.cryptography += own;
        self.samples.push(Sample {
            author_us,
            author_wait_us,
            apply_us,
            apply_wait_us,
            accumulator_us: cryptography.accumulator_us,
            update_bytes,
            signature_us: own.signature_us,
        });
        Ok(update)
    }

    /// Publishes and applies a snapshot for each element of `work`, until time or memory run out.
    pub fn follow(&mut self, work: impl IntoIterator<Item = Vec<Operation>>) -> Outcome<()> {
        for operations in work {
            if !self.samples.is_empty() && self.is_over() {
                break;
            }
            self.publish(operations)?;
        }
        Ok(())
    }

    /// Reports whether time or memory have run out, and records which in [`Self::stopped`].
    pub fn is_over(&mut self) -> bool {
        if self.start.elapsed() >= self.limit {
            self.stopped = "time";
        } else if memory::resident_bytes() > MOST_MEMORY {
            self.stopped = "memory";
        }
        self.stopped != "finished"
    }

    /// Discards the samples so far, and restarts the time limit.
    pub fn restart(&mut self) {
        self.samples.clear();
        self.cryptography = Cryptography::default();
        self.start = Instant::now();
    }
}

/// Returns the microseconds of `work`, and those that it waited for files in addition. The former
/// are processor time of all threads. In memory, `work` has one thread and waits for nothing.
fn with_waits<T: Roles, R>(work: impl FnOnce() -> R) -> ([f64; 2], R) {
    let before = T::IS_STORED.then(processor_time).flatten();
    let (us, result) = stopwatch(work);
    let used = before.and_then(|before| processor_time()?.checked_sub(before));
    let busy_us = used.map_or(us, microseconds);
    ([busy_us, (us - busy_us).max(0.0)], result)
}

/// Bytes of the process's memory above which a run is stopped.
const MOST_MEMORY: u64 = 6 << 30;
