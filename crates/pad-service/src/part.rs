//! Some of the keys of a dictionary, in memory.

use core::time::Duration;
use std::{
    sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
    time::Instant,
};

use pad::{
    KeyRange, PublicKey, Version,
    part::{AnyPart, NotTaken, part},
};
use pad_client::Versions;

use crate::keep::Keep;

/// The keys of a range of a tree PAD, in memory, taken from the proofs of other servers ([`crate::Mirror::of_part`]).
///
/// It answers questions about these keys as whoever has all of them does, to the byte, and says of others that the request came to
/// the wrong server. It takes no updates, has none to give, and does not know in which versions a key changed. It begins with no version
/// whenever its process does.
#[derive(Debug)]
pub struct Part {
    public: PublicKey,
    keep: Keep,
    /// The bytes of memory that it may take.
    most_bytes: usize,
    kept: RwLock<Box<dyn AnyPart>>,
    /// When something of the version that is being loaded was taken last, if anything was.
    progress: Mutex<Option<Instant>>,
}

impl Part {
    /// The part of this author's dictionary that has the keys of a range, of these versions, in at most so many bytes of memory.
    ///
    /// # Errors
    /// [`NotTaken::NotOffered`] unless the dictionary is a tree PAD; [`pad::part::PartError::EmptyRange`].
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

    /// Whose dictionary it is of.
    pub const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Which versions are kept.
    pub const fn keep(&self) -> Keep {
        self.keep
    }

    /// The bytes of memory that it may take.
    pub(crate) const fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    /// The latest version of which it has the contents.
    pub fn latest(&self) -> Version {
        self.read().latest()
    }

    /// The bytes of memory that it takes, about.
    pub fn memory_bytes(&self) -> usize {
        self.read().memory_bytes()
    }

    /// Which versions are here to be asked about.
    pub(crate) fn versions(&self, part: &dyn AnyPart) -> Versions {
        Versions {
            oldest: part.oldest(),
            latest: part.latest(),
            until: self.keep.until(),
            keys: Some(part.range().clone()),
        }
    }

    /// Nothing of the version that is being loaded is here yet.
    pub(crate) fn begin(&self) {
        *self.progress() = None;
    }

    /// Something of it was taken.
    pub(crate) fn progressed(&self) {
        *self.progress() = Some(Instant::now());
    }

    /// Whether nothing of it was taken for a while.
    pub(crate) fn is_stalled(&self) -> bool {
        self.progress()
            .is_none_or(|taken| taken.elapsed() > PATIENCE)
    }

    fn progress(&self) -> MutexGuard<'_, Option<Instant>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // Nothing panics while it changes, so a poisoned one is whole.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Box<dyn AnyPart>> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, Box<dyn AnyPart>> {
        self.kept.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A version of which nothing came for so long is given up for a later one.
const PATIENCE: Duration = Duration::from_secs(10);
