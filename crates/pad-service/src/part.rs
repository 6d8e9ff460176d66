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
    /// Progress with the version being loaded; `None` if there was no progress yet.
    progress: Mutex<Option<Progress>>,
}

/// Times of progress with the version being loaded.
#[derive(Clone, Copy, Debug)]
struct Progress {
    first: Instant,
    last: Instant,
}

impl Progress {
    /// Returns whether a server that lacks the version may begin another one at time `now`.
    ///
    /// One slow server can make progress forever. The contents loaded until then are kept for the
    /// other version.
    fn is_stalled(self, now: Instant) -> bool {
        now.duration_since(self.last) > PATIENCE || now.duration_since(self.first) > LONGEST_LOAD
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
            progress: Mutex::default(),
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

    /// Clears the times of progress, because another version is being loaded.
    pub(crate) fn begin(&self) {
        *self.progress() = None;
    }

    /// Records that contents of the version being loaded were added.
    pub(crate) fn progressed(&self) {
        let last = Instant::now();
        let mut progress = self.progress();
        let first = progress.map_or(last, |progress| progress.first);
        *progress = Some(Progress { first, last });
    }

    /// Returns whether the version being loaded has made no progress yet, none for `PATIENCE`, or
    /// is being loaded for more than `LONGEST_LOAD`.
    pub(crate) fn is_stalled(&self) -> bool {
        let progress = *self.progress();
        progress.is_none_or(|progress| progress.is_stalled(Instant::now()))
    }

    fn progress(&self) -> MutexGuard<'_, Option<Progress>> {
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

/// Time without progress after which a version is abandoned for a later version.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time after which a version is abandoned for a later version, if some server has only the later
/// version.
const LONGEST_LOAD: Duration = Duration::from_mins(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_stalls_without_progress_and_with_slow_progress() {
        let first = Instant::now();
        let second = Duration::from_secs(1);
        let at = |last: Duration, now: Duration| {
            let progress = Progress {
                first,
                last: first + last,
            };
            progress.is_stalled(first + now)
        };
        assert!(!at(Duration::ZERO, PATIENCE));
        assert!(at(Duration::ZERO, PATIENCE + second));
        assert!(!at(LONGEST_LOAD, LONGEST_LOAD));
        assert!(at(LONGEST_LOAD, LONGEST_LOAD + second));
    }
}
