//! The peaks: digests of the complete subtrees that a directory consists of. They suffice to append
//! entries, and to compute the root.

use pad_core::{Suite, internals::merkle};
use serde::{Deserialize, Serialize};

use crate::entry::{self, EntryId, MOST_ENTRIES, entry_digest, root_digest};

/// The digests of the complete subtrees that a directory consists of, from the largest to the
/// smallest. There is one for each set bit of the number of entries.
///
/// Space: at most 48 digests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "", try_from = "UncheckedPeaks<S>")]
pub(super) struct Peaks<S: Suite> {
    registered: u64,
    digests: Vec<S::Digest>,
}

#[derive(Deserialize)]
#[serde(bound = "")]
struct UncheckedPeaks<S: Suite> {
    registered: u64,
    digests: Vec<S::Digest>,
}

/// Error returned when decoding peaks, if the number of digests is not the number of set bits in
/// the number of entries, or there are too many entries.
#[derive(Debug, thiserror::Error)]
#[error("the number of digests is not the number of set bits in the number of entries")]
struct Uneven;

impl<S: Suite> TryFrom<UncheckedPeaks<S>> for Peaks<S> {
    type Error = Uneven;

    fn try_from(unchecked: UncheckedPeaks<S>) -> Result<Self, Uneven> {
        let UncheckedPeaks {
            registered,
            digests,
        } = unchecked;
        let expected = usize::try_from(registered.count_ones());
        if registered <= MOST_ENTRIES && expected == Ok(digests.len()) {
            Ok(Self {
                registered,
                digests,
            })
        } else {
            Err(Uneven)
        }
    }
}

impl<S: Suite> Default for Peaks<S> {
    fn default() -> Self {
        Self {
            registered: 0,
            digests: Vec::new(),
        }
    }
}

impl<S: Suite> Peaks<S> {
    /// Returns the number of entries, deleted ones included.
    pub(super) const fn registered(&self) -> u64 {
        self.registered
    }

    /// Returns the digests, from the largest subtree to the smallest.
    pub(super) fn digests(&self) -> &[S::Digest] {
        &self.digests
    }

    /// Returns the digests, mutably, from the largest subtree to the smallest.
    pub(super) fn digests_mut(&mut self) -> &mut [S::Digest] {
        &mut self.digests
    }

    /// Appends an entry for `object`. Time: one hash, and one more for each trailing one bit of the
    /// number of entries.
    pub(super) fn append(&mut self, object: &S::Digest) {
        let leaf = entry_digest::<S>(EntryId::new(self.registered), Some(object));
        merkle::append(entry::node::<S>, &mut self.digests, self.registered, leaf);
        self.registered += 1;
    }

    /// Returns the digest of the tree over all entries; the zero digest if there are no entries.
    pub(super) fn top(&self) -> S::Digest {
        merkle::join(entry::node::<S>, &self.digests).unwrap_or_default()
    }

    /// Returns the root of the directory, which commits to the tree over all entries and to their
    /// number.
    pub(super) fn root(&self) -> S::Digest {
        root_digest::<S>(self.registered, &self.top())
    }
}
