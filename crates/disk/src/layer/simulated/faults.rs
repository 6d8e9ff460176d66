//! What goes wrong with a simulated folder.

use std::{collections::BTreeMap, io};

use super::{operation::Reads, random::Random};

/// What goes wrong, by the numbers of operations.
#[derive(Debug, Default)]
pub(super) struct Faults {
    pub(super) stop: Option<(usize, Reads)>,
    /// With seeds.
    pub(super) failing: BTreeMap<usize, u64>,
    /// Before which operations the system fails to write, with seeds.
    pub(super) write_back: BTreeMap<usize, u64>,
}

/// What becomes of an operation.
pub(super) enum Outcome {
    Happens,
    /// And nobody hears of it.
    HappensAtTheEnd,
    Fails(Random),
}

impl Faults {
    /// What becomes of the operation of this number.
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

    /// Whether what was written can be read after so many operations.
    pub(super) fn of_reading(&self, operations: usize) -> io::Result<()> {
        match self.stop {
            Some((stop, Reads::Fail)) if operations >= stop => Err(stopped()),
            _ => Ok(()),
        }
    }
}

impl Outcome {
    /// Of an operation that happens whole or not at all.
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
