//! Author and server in turns, until the work is done, or time or memory run out.

use std::{
    ops::{Deref, DerefMut},
    time::{Duration, Instant},
};

use pad_core::Operation;

use crate::{
    Outcome, cryptography::Cryptography, measure::roles::Roles, memory, timing::stopwatch,
};

/// Cost of one snapshot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    /// Author's microseconds for puts, removals and the snapshot.
    pub author_us: f64,
    /// Server's microseconds for applying the update.
    pub apply_us: f64,
    /// Part of `apply_us` for accumulators.
    pub accumulator_us: f64,
    /// Bytes of the encoded update.
    pub update_bytes: f64,
    /// Part of `author_us` for signatures with the key of heads, if they are timed.
    pub signature_us: f64,
}

impl Sample {
    /// Returns the sums over samples.
    pub fn sum(samples: &[Self]) -> Self {
        Self::sum_divided(samples, 1.0)
    }

    /// Returns the means over samples.
    pub fn mean(samples: &[Self]) -> Self {
        Self::sum_divided(samples, samples.len().max(1) as f64)
    }

    fn sum_divided(samples: &[Self], by: f64) -> Self {
        let part = |figure: fn(&Self) -> f64| samples.iter().map(figure).sum::<f64>() / by;
        Self {
            author_us: part(|sample| sample.author_us),
            apply_us: part(|sample| sample.apply_us),
            accumulator_us: part(|sample| sample.accumulator_us),
            update_bytes: part(|sample| sample.update_bytes),
            signature_us: part(|sample| sample.signature_us),
        }
    }
}

/// Run in which author and server of one scheme take turns, with the times of their work.
pub struct Run<T: Roles> {
    /// The author and the server.
    pub roles: T,
    /// Cost of each snapshot.
    pub samples: Vec<Sample>,
    /// Author's cryptography, if the suite and the signer record it.
    pub cryptography: Cryptography,
    /// Reason why the run ended: `finished`, `time` or `memory`.
    pub stopped: &'static str,
    start: Instant,
    limit: Duration,
}

impl<T: Roles> Run<T> {
    /// Starts a run that ends after `limit`.
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

    /// Publishes and applies one snapshot.
    ///
    /// # Errors
    /// Errors of the scheme.
    pub fn publish(&mut self, operations: Vec<Operation>) -> Outcome<T::Update> {
        let changes = self.roles.prepare(operations)?;
        let (author_us, (own, update)) =
            stopwatch(|| Cryptography::of(|| self.roles.publish(changes)));
        let update = update?;
        let update_bytes = self.roles.update_bytes(&update) as f64;
        let (apply_us, (cryptography, applied)) =
            stopwatch(|| Cryptography::of(|| self.roles.apply(&update)));
        applied?;
        self.cryptography += own;
        self.samples.push(Sample {
            author_us,
            apply_us,
            accumulator_us: cryptography.accumulator_us,
            update_bytes,
            signature_us: own.signature_us,
        });
        Ok(update)
    }

    /// Publishes every snapshot of the work, unless time or memory run out before.
    ///
    /// # Errors
    /// Errors of the scheme.
    pub fn follow(&mut self, work: impl IntoIterator<Item = Vec<Operation>>) -> Outcome<()> {
        for operations in work {
            if !self.samples.is_empty() && self.is_over() {
                break;
            }
            self.publish(operations)?;
        }
        Ok(())
    }

    /// Reports whether time or memory have run out.
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

impl<T: Roles> Deref for Run<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.roles
    }
}

impl<T: Roles> DerefMut for Run<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.roles
    }
}

/// Memory of the process, in bytes, above which a run is stopped.
const MOST_MEMORY: u64 = 6 << 30;
