//! The entries of a log in memory, with an index of their positions and the trees over them.

use bls12::point::G1_BYTES;
use pad_accumulators::AccumulateError;
use pad_core::{Digest, InputError, Sha256Ed25519, Suite, Workers};
use thiserror::Error;

use super::{
    building::{BuildProgress, Building},
    forest::{Forest, degree, to_u64, to_usize},
    index::Index,
};
use crate::{
    element::value_half,
    log::Log,
    scheme::{Contents, Scheme},
    shape::{Address, Shape},
    statement::Entry,
};

/// Error returned when an entry cannot be appended. The log is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AppendError {
    /// The log is a set, and already contains this member.
    #[error("the member is already in the set")]
    MemberPresent,
    /// The log is a set, but the entry has a value. Members of sets have none.
    #[error("a member of a set has no value")]
    MemberWithValue,
    /// The next version already contains the maximum number of entries
    /// ([`MOST_ENTRIES`](super::update::MOST_ENTRIES)). Sign that version first.
    #[error("the next version is full: it must be signed first")]
    VersionFull,
    /// The log has reached its maximum number of entries.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// The entries of a log, and proofs about every earlier size of the log.
///
/// An entry that [`Entries::push`] appended is in no tree before [`Entries::build`]. Proofs exist
/// for all sizes up to [`Entries::size`].
///
/// In frontier schemes, proofs use *frontiers*: commitments to the shortest bit strings that are no
/// prefix of an element in a tree. Frontiers are stored for the sizes at which [`Entries::build`]
/// was called. For other sizes, they are computed for each proof.
#[derive(Clone, Debug)]
pub struct Entries<S: Scheme> {
    appended: Vec<Entry>,
    index: Index,
    /// Maximum number of entries that the list accepts.
    limit: u64,
    pub(super) forest: Forest<S>,
}

impl<S: Scheme> Entries<S> {
    /// Creates an empty list of entries.
    ///
    /// # Errors
    /// [`AccumulateError::CapacityExceeded`] if the parameters have fewer powers than the
    /// polynomials of the largest trees have coefficients.
    pub fn new(log: Log<S>, workers: Workers) -> Result<Self, AccumulateError> {
        Self::bounded(log, workers, Shape::SIZE_LIMIT - 1)
    }

    /// Creates an empty list of at most `limit` entries. The parameters need only enough powers for
    /// the largest tree of a log of that size.
    ///
    /// # Errors
    /// The errors of [`Entries::new`].
    #[doc(hidden)]
    pub fn bounded(log: Log<S>, workers: Workers, limit: u64) -> Result<Self, AccumulateError> {
        let largest = u8::try_from(limit.max(1).ilog2()).unwrap_or(u8::MAX);
        let largest = largest.min(log.shape().top_level());
        let capacity = log.setup().parameters().capacity();
        if capacity < degree::<S>(largest) {
            return Err(AccumulateError::CapacityExceeded { capacity });
        }
        Ok(Self {
            appended: Vec::new(),
            index: Index::default(),
            limit: limit.min(Shape::SIZE_LIMIT - 1),
            forest: Forest::new(log, workers),
        })
    }

    /// The identity and setup of the log that these entries belong to.
    pub const fn log(&self) -> &Log<S> {
        self.forest.log()
    }

    /// The number of entries in trees, as of the latest [`Entries::build`].
    pub const fn size(&self) -> u64 {
        self.forest.size()
    }

    /// All entries, including pushed entries that are in no tree yet.
    pub fn as_slice(&self) -> &[Entry] {
        &self.appended
    }

    /// Appends an entry, which is in no tree before [`Entries::build`].
    ///
    /// # Errors
    /// [`AppendError`] if the log does not accept the entry.
    pub fn push(&mut self, entry: Entry) -> Result<(), AppendError> {
        let position = to_u64(self.appended.len());
        if position >= self.limit {
            return Err(InputError::CapacityExceeded.into());
        }
        let beginning = S::beginning(entry.key.as_bytes());
        match S::CONTENTS {
            Contents::Dictionary => {
                let value = Sha256Ed25519::value(entry.value.as_bytes());
                self.appended.push(entry);
                let half = value_half(&value, self.index.push_pair(&self.appended));
                self.forest.push(&[beginning.0, half.0].concat());
            }
            Contents::Set => {
                if !entry.value.as_bytes().is_empty() {
                    return Err(AppendError::MemberWithValue);
                }
                if !self.positions(entry.key.as_bytes(), u64::MAX).is_empty() {
                    return Err(AppendError::MemberPresent);
                }
                self.forest.push(&beginning.0[..S::element_bytes()]);
                self.appended.push(entry);
            }
        }
        self.index.push_key(&self.appended);
        Ok(())
    }

    /// Appends entries like [`Entries::push`]. The entries before one that is not accepted stay.
    ///
    /// Reserves the memory at once: growing tables hash all keys again.
    pub(super) fn extend(
        &mut self,
        entries: impl ExactSizeIterator<Item = Entry>,
    ) -> Result<(), AppendError> {
        self.appended.reserve(entries.len());
        self.forest
            .elements
            .reserve(entries.len() * S::element_bytes());
        self.index
            .reserve(entries.len(), S::CONTENTS, &self.appended);
        for entry in entries {
            self.push(entry)?;
        }
        Ok(())
    }

    /// Computes the trees over all entries that were pushed.
    ///
    /// # Errors
    /// [`AccumulateError`] if the parameters have too few powers or hashes have collided. The
    /// entries then stay pushed.
    pub fn build(&mut self) -> Result<(), AccumulateError> {
        self.forest.build()
    }

    /// Sets the schedule of node construction. New deferred logs begin with [`Building::Credit`],
    /// clones and restored logs with [`Building::AtOnce`]. Eager logs ignore the schedule.
    ///
    /// The construction of unfinished nodes starts again. The steps that past appends should have
    /// run are run during this call.
    #[must_use]
    pub fn with_building(mut self, building: Building) -> Self {
        self.forest.set_building(building);
        self
    }

    /// The progress of the nodes under construction; empty in eager logs and with
    /// [`Building::AtOnce`].
    #[doc(hidden)]
    pub fn progress(&self) -> Vec<BuildProgress> {
        self.forest.progress()
    }

    /// Removes all entries from position `size` on.
    #[doc(hidden)]
    pub fn truncate(&mut self, size: u64) {
        while to_u64(self.appended.len()) > size {
            self.index.pop(&self.appended);
            self.appended.pop();
        }
        self.forest.truncate(size);
    }

    /// The digest of the log of the first `size` entries. A larger `size` is reduced to
    /// [`Entries::size`].
    pub fn digest(&self, size: u64) -> Digest<32> {
        self.forest.digest(size.min(self.size()))
    }

    /// The roots of the trees over the first `size` entries, from left to right. A larger `size` is
    /// reduced to [`Entries::size`]. Each root comes with its hash and, from the blocks' level
    /// upwards, its accumulator.
    #[doc(hidden)]
    pub fn roots(&self, size: u64) -> Vec<(Address, Digest<32>, Option<[u8; G1_BYTES]>)> {
        let roots = self.log().shape().forest(size.min(self.size()));
        let forest = &self.forest;
        roots
            .map(|root| {
                let sealed = self.log().shape().is_sealed(root);
                let accumulator = sealed.then(|| forest.node(root).accumulator);
                (root, forest.hash(root), accumulator)
            })
            .collect()
    }

    /// The positions, below `size`, of all entries with this key. In a set, `key` is the member.
    #[doc(hidden)]
    pub fn positions(&self, key: &[u8], size: u64) -> &[u64] {
        let positions = self.index.positions(key, &self.appended);
        &positions[..positions.partition_point(|position| *position < size)]
    }

    /// The entry at a position, counted from 0, or `None` beyond the end.
    pub fn entry(&self, position: u64) -> Option<&Entry> {
        self.appended.get(to_usize(position))
    }

    /// Counts how often the key and value of the entry at `position` were appended together, up to
    /// and including that position. Returns 0 in sets.
    pub(super) fn occurrence(&self, position: u64) -> u64 {
        self.index.occurrence(position, &self.appended)
    }
}
