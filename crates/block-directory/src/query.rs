//! Queries about a directory: some entries by their ids, or all entries of a range of ids.

#![deny(clippy::arithmetic_side_effects)]

use alloc::{vec, vec::Vec};
use core::{fmt::Debug, ops::Range};

use pad_core::VerifyError;
use serde::{Deserialize, Serialize};

use crate::{entry::EntryId, shape::RequestedIds};

/// The maximum number of ids in one query.
pub const MOST_IDS: usize = 1000;

/// Maximum number of registered entries in the proof of a range.
pub const MOST_RANGE: u64 = 1 << 20;

/// A query for entries. Sealed: only [`EntryQuery`] and [`EntryRange`] implement it.
pub trait Selection: Clone + Debug + Eq + sealed::QueryIds {
    /// The message kind number of the proofs for this type of query.
    const KIND: u8;
    /// Maximum number of entries in a proof for this type of query.
    const MOST_ENTRIES: usize;

    /// Returns the maximum length in bytes of a proof for this query.
    fn longest_proof(&self) -> usize;
}

/// A query for the entries with certain ids: at least one and at most [`MOST_IDS`], strictly
/// ascending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u64>", into = "Vec<u64>")]
pub struct EntryQuery(Vec<u64>);

impl EntryQuery {
    /// Creates the query for the entries with these ids.
    ///
    /// # Errors
    /// [`VerifyError::InvalidQuery`] unless there are 1 to [`MOST_IDS`], strictly ascending.
    pub fn new(ids: Vec<u64>) -> Result<Self, VerifyError> {
        let ascending = ids.is_sorted_by(|id, next| id < next);
        if ascending && !ids.is_empty() && ids.len() <= MOST_IDS {
            Ok(Self(ids))
        } else {
            Err(VerifyError::InvalidQuery)
        }
    }

    /// Creates the query for the entry with one id.
    pub fn one(id: EntryId) -> Self {
        Self(vec![id.number()])
    }

    /// Returns the ids in ascending order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = EntryId> {
        self.0.iter().copied().map(EntryId::new)
    }

    /// Returns the id if the query asks for a single one, else `None`.
    pub fn single(&self) -> Option<EntryId> {
        match *self.0 {
            [id] => Some(EntryId::new(id)),
            _ => None,
        }
    }
}

impl TryFrom<Vec<u64>> for EntryQuery {
    type Error = VerifyError;

    fn try_from(ids: Vec<u64>) -> Result<Self, VerifyError> {
        Self::new(ids)
    }
}

impl From<EntryQuery> for Vec<u64> {
    fn from(query: EntryQuery) -> Self {
        query.0
    }
}

impl Selection for EntryQuery {
    const KIND: u8 = 160;
    const MOST_ENTRIES: usize = MOST_IDS;

    fn longest_proof(&self) -> usize {
        self.0.len().saturating_mul(1569).saturating_add(64)
    }
}

/// A query for all entries of a half-open range of ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "(u64, u64)", into = "(u64, u64)")]
pub struct EntryRange(Range<u64>);

impl EntryRange {
    /// Creates the query for the ids from `start` up to, but not including, `end`.
    ///
    /// # Errors
    /// [`VerifyError::InvalidQuery`] unless `start < end`.
    pub fn new(start: EntryId, end: EntryId) -> Result<Self, VerifyError> {
        if start < end {
            Ok(Self(start.number()..end.number()))
        } else {
            Err(VerifyError::InvalidQuery)
        }
    }

    /// Returns the first id of the range, and the id after the last one.
    pub const fn bounds(&self) -> (EntryId, EntryId) {
        (EntryId::new(self.0.start), EntryId::new(self.0.end))
    }
}

impl TryFrom<(u64, u64)> for EntryRange {
    type Error = VerifyError;

    fn try_from((start, end): (u64, u64)) -> Result<Self, VerifyError> {
        Self::new(EntryId::new(start), EntryId::new(end))
    }
}

impl From<EntryRange> for (u64, u64) {
    fn from(range: EntryRange) -> Self {
        (range.0.start, range.0.end)
    }
}

impl Selection for EntryRange {
    const KIND: u8 = 161;
    const MOST_ENTRIES: usize = 1 << 20;

    fn longest_proof(&self) -> usize {
        let asked = self.0.end.saturating_sub(self.0.start).min(MOST_RANGE);
        let shown = usize::try_from(asked).unwrap_or(usize::MAX);
        shown.saturating_mul(33).saturating_add(64 + 3072)
    }
}

pub(crate) mod sealed {
    use super::{EntryQuery, EntryRange, RequestedIds};

    /// Access to the ids of a query, for the walk over the tree.
    pub trait QueryIds {
        /// Returns the ids of the query that are below `entries`, the number of registered entries.
        #[allow(private_interfaces, reason = "for this crate alone")]
        fn below(&self, entries: u64) -> RequestedIds<'_>;

        /// Returns the index of an id in the query, or `None` if the query does not contain it.
        fn position(&self, id: u64) -> Option<usize>;

        /// Returns the id at an index of the query, or `None` beyond its end.
        fn at(&self, position: usize) -> Option<u64>;
    }

    impl QueryIds for EntryQuery {
        #[allow(private_interfaces, reason = "for this crate alone")]
        fn below(&self, entries: u64) -> RequestedIds<'_> {
            let registered = self.0.partition_point(|id| *id < entries);
            RequestedIds::Ids(self.0.get(..registered).unwrap_or_default())
        }

        fn position(&self, id: u64) -> Option<usize> {
            self.0.binary_search(&id).ok()
        }

        fn at(&self, position: usize) -> Option<u64> {
            self.0.get(position).copied()
        }
    }

    impl QueryIds for EntryRange {
        #[allow(private_interfaces, reason = "for this crate alone")]
        fn below(&self, entries: u64) -> RequestedIds<'_> {
            let end = self.0.end.min(entries);
            RequestedIds::Range(self.0.start.min(end)..end)
        }

        fn position(&self, id: u64) -> Option<usize> {
            let inside = self.0.contains(&id);
            let position = id.checked_sub(self.0.start).filter(|_| inside)?;
            usize::try_from(position).ok()
        }

        fn at(&self, position: usize) -> Option<u64> {
            let id = self.0.start.checked_add(u64::try_from(position).ok()?);
            id.filter(|id| self.0.contains(id))
        }
    }
}
