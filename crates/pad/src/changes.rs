//! The changes of one snapshot while they are gathered: more than memory holds, if need be.
//!
//! A repository that keeps its contents itself takes changes from a stream in ascending order of keys ([`crate::hosted::RowKeeper::load`],
//! [`crate::hosted::RowKeeper::publish_changes`]). So what is gathered for it is sorted, and what does not fit into a bound goes into a file
//! without a name beside the store, in sorted runs that are merged when all are there. For all other repositories changes are gathered in memory.
//!
//! Source: external merge sort, Knuth, "The Art of Computer Programming" 3, section 5.4.

use std::path::Path;

use pad_core::{Operation, Workers};

use self::sorter::Sorter;
use crate::store::StoreError;

mod buffer;
mod merge;
mod record;
mod sorter;
#[cfg(test)]
mod tests;

/// The changes of the next snapshot, of [`crate::RecordedAuthor::gather`].
///
/// The last operation on a key wins; removing an absent key does nothing.
#[derive(Debug)]
pub struct Changes(Gathered);

/// What was gathered.
#[derive(Debug)]
pub(crate) enum Gathered {
    /// The operations as they came.
    InMemory(Vec<Operation>),
    /// Those that will be sorted.
    Sorter(Sorter),
}

impl Changes {
    /// Room for the changes of a snapshot that must be in memory.
    pub(crate) const fn in_memory() -> Self {
        Self(Gathered::InMemory(Vec::new()))
    }

    /// Room for the changes of a snapshot that can be taken from a stream, of which at most about so many bytes are in memory. The others are in the
    /// folder of the file at this path.
    pub(crate) fn sorted(beside: &Path, memory: usize, workers: Workers) -> Self {
        Self(Gathered::Sorter(Sorter::new(beside, memory, workers)))
    }

    /// Adds an operation.
    ///
    /// # Errors
    /// [`StoreError::Io`] if it does not fit into memory and cannot be written, as on a full disk; nothing of what was gathered stays on
    /// the disk when this value is dropped.
    pub fn push(&mut self, operation: Operation) -> Result<(), StoreError> {
        match &mut self.0 {
            Gathered::InMemory(operations) => operations.push(operation),
            Gathered::Sorter(sorter) => sorter.push(&operation)?,
        }
        Ok(())
    }

    /// What was gathered.
    pub(crate) fn gathered(self) -> Gathered {
        self.0
    }
}
