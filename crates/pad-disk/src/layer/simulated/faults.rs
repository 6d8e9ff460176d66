//! Faults of a simulated folder.

use std::{collections::BTreeMap, io};

use super::{operation::Reads, random::Random};

/// Scheduled faults, by operation number.
#[derive(Debug, Default)]
pub(super) struct Faults {
    pub(super) stop: Option<(usize, Reads)>,
    /// Failing operations by number, each with a seed for the random effects of its failure.
    pub(super) failing: BTreeMap<usize, u64>,
    /// Seeds of failed background write-backs, by the number of the operation that follows.
    pub(super) write_back: BTreeMap<usize, u64>,
}

/// Outcome of an operation.
pub(super) enum Outcome {
    Happens,
    /// Takes effect, except a synchronisation, but returns an error: the folder stops here.
    HappensAtTheEnd,
    Fails(Random),
}

impl Faults {
    /// Returns the outcome of operation `number`. Fails if the folder has stopped before this
    /// operation.
    pub(super) fn of(&self, number: usize) -> io::Result<Outcome> {
        match self.stop {
            Some((stop, _)) if number > stop => return Err(stopped()),
            Some((stop, _)) if number == stop => return Ok(Outcome::HappensAtTheEnd),
            _ => {}
        }
        Ok(match self.failing.get(&number) {
            Some(seed) => Outcome::Fails(Random::new(*seed)),
            None => Outcome::Happens,
        })
    }

    /// Returns an error if the folder has stopped within the first `operations` operations and
    /// reads then fail.
    pub(super) fn of_reading(&self, operations: usize) -> io::Result<()> {
        match self.stop {
            Some((stop, Reads::Fail)) if operations >= stop => Err(stopped()),
            _ => Ok(()),
        }
    }
}

impl Outcome {
    /// Applies the outcome to an atomic operation.
    pub(super) fn of_step<T>(self, step: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        match self {
            Self::Happens => step(),
            Self::HappensAtTheEnd => {
                step()?;
                Err(stopped())
            }
            Self::Fails(_) => Err(fault()),
        }
    }
}

pub(super) fn stopped() -> io::Error {
    io::Error::other("the simulated folder has stopped")
}

pub(super) fn fault() -> io::Error {
    io::Error::other("a simulated fault")
}
