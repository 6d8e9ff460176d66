//! A part of a dictionary's keys, served from memory.

use core::time::Duration;
use std::{
    sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
    time::Instant,
};

use authdict::{
    KeyRange, PublicKey, Version,
    internals::part::{AnyPart, NotTaken, part},
};
use pad_client::Versions;

use crate::keep::Keep;

/// A key range of a tree PAD, in memory. Its contents are loaded from proofs of other servers
/// ([`crate::Mirror::of_part`]).
///
/// Answers about keys in the range are byte-identical to the answers of a full server. Requests for
/// other keys are refused as misdirected. A part neither accepts nor provides updates, and has no
/// histories of keys. Contents are lost when the process ends.
#[derive(Debug)]
pub struct Part {
    public: PublicKey,
    keep: Keep,
    /// Memory limit in bytes.
    most_bytes: usize,
    kept: RwLock<Box<dyn AnyPart>>,
    /// Progress with the version being loaded.
    progress: Mutex<Progress>,
}

/// Progress with the version being loaded, from which it follows whether a server that lacks this
/// version may begin another one.
#[derive(Clone, Copy, Debug)]
struct Progress {
    /// Time at which the load began.
    begun: Instant,
    /// Time of the last progress, if there was any.
    last: Option<Instant>,
    /// Whether the server for which the load was begun has provided nothing.
    is_given_up: bool,
    /// Number of loads that were abandoned since the last complete version, without those that were
    /// given up.
    abandoned: u32,
}

impl Progress {
    /// Returns whether the load may be abandoned at time `now`.
    ///
    /// One slow server can make progress forever, so the time of a load is limited. Each abandoned
    /// load doubles the limits, so that a version of a slow server is completed in the end.
    fn is_stalled(self, now: Instant) -> bool {
        let doubled = 1 << self.abandoned.min(MOST_DOUBLINGS);
        self.is_given_up
            || now.duration_since(self.last.unwrap_or(self.begun))
                > PATIENCE.saturating_mul(doubled)
            || now.duration_since(self.begun) > LONGEST_LOAD.saturating_mul(doubled)
    }
}

impl Part {
    /// Creates an empty part for the keys of `range` and the versions of `keep`, in at most
    /// `most_bytes` bytes of memory.
    ///
    /// # Errors
    /// [`NotTaken::NotOffered`] unless the dictionary is a tree PAD.
    ///
    /// [`NotTaken::Part`] with `PartError::EmptyRange` if the range is empty.
    pub fn new(
        public: PublicKey,
        range: KeyRange,
        keep: Keep,
        most_bytes: usize,
    ) -> Result<Self, NotTaken> {
        let kept = RwLock::new(part(&public, range)?);
        Ok(Self {
            public,
            keep,
            most_bytes,
            kept,
            progress: Mutex::new(Progress {
                begun: Instant::now(),
                last: None,
                is_given_up: true,
                abandoned: 0,
            }),
        })
    }

    /// Public key of the dictionary's author.
    pub const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Retention policy for versions.
    #[doc(hidden)]
    pub const fn keep(&self) -> Keep {
        self.keep
    }

    /// Memory limit in bytes.
    pub(crate) const fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    /// Latest version whose contents are loaded.
    pub fn latest(&self) -> Version {
        self.read().latest()
    }

    /// Approximate memory use in bytes.
    #[doc(hidden)]
    pub fn memory_bytes(&self) -> usize {
        self.read().memory_bytes()
    }

    /// Returns the range of versions and keys that clients can query.
    pub(crate) fn versions(&self, part: &dyn AnyPart) -> Versions {
        Versions {
            oldest: part.oldest(),
            latest: part.latest(),
            until: self.keep.until(),
            keys: Some(part.range().clone()),
            notes: None,
        }
    }

    /// Records that another version is being loaded from now on.
    pub(crate) fn begin(&self) {
        let mut progress = self.progress();
        let was_active = !progress.is_given_up;
        *progress = Progress {
            begun: Instant::now(),
            last: None,
            is_given_up: false,
            abandoned: progress.abandoned.saturating_add(was_active.into()),
        };
    }

    /// Records that contents of the version being loaded were added.
    pub(crate) fn progressed(&self) {
        let mut progress = self.progress();
        progress.last = Some(Instant::now());
        progress.is_given_up = false;
    }

    /// Records that the version being loaded is complete.
    pub(crate) fn completed(&self) {
        let mut progress = self.progress();
        progress.is_given_up = true;
        progress.abandoned = 0;
    }

    /// Records that another server is asked for the version being loaded.
    pub(crate) fn join(&self) {
        self.progress().is_given_up = false;
    }

    /// Records that the server for which the load was begun fails. Does nothing if there was
    /// progress.
    pub(crate) fn give_up(&self) {
        let mut progress = self.progress();
        progress.is_given_up |= progress.last.is_none();
    }

    /// Returns whether the version being loaded may be abandoned for another one.
    pub(crate) fn is_stalled(&self) -> bool {
        self.progress().is_stalled(Instant::now())
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // No change panics halfway, so a poisoned lock can be used.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Box<dyn AnyPart>> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, Box<dyn AnyPart>> {
        self.kept.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Time without progress after which a version may be abandoned for another one.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time after which a version may be abandoned for another one, if no load was abandoned before.
const LONGEST_LOAD: Duration = Duration::from_mins(1);
/// Maximum number of times that the limit for a load is doubled: to 17 hours.
const MOST_DOUBLINGS: u32 = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_stalls_without_progress_and_with_slow_progress() {
        let begun = Instant::now();
        let second = Duration::from_secs(1);
        let progress = |last, abandoned| Progress {
            begun,
            last: Some(begun + last),
            is_given_up: false,
            abandoned,
        };
        let at = |last, abandoned, now| progress(last, abandoned).is_stalled(begun + now);
        assert!(!at(Duration::ZERO, 0, PATIENCE));
        assert!(at(Duration::ZERO, 0, PATIENCE + second));
        assert!(!at(Duration::ZERO, 1, PATIENCE * 2));
        assert!(!at(LONGEST_LOAD, 0, LONGEST_LOAD));
        assert!(at(LONGEST_LOAD, 0, LONGEST_LOAD + second));
        let doubled = LONGEST_LOAD * 2;
        assert!(!at(doubled, 1, doubled));
        assert!(at(doubled, 1, doubled + second));
        let mut progress = progress(Duration::ZERO, u32::MAX);
        progress.is_given_up = true;
        assert!(progress.is_stalled(begun));
    }
}
