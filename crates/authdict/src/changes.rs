//! Collection of the changes of one version, possibly more than fit into memory.
//!
//! A dictionary kept as rows ([`crate::Keeper`]) reads changes from a stream in ascending order of
//! keys ([`crate::Author::stage_gathered`]), so its changes are sorted. Changes beyond a memory
//! limit are written as sorted runs to an unnamed temporary file, and merged at the end. For all
//! other dictionaries, changes are gathered in memory without sorting.
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

/// The changes of the next version, in a collection created by [`crate::Author::gather`].
///
/// The last operation on a key wins; removing an absent key does nothing. A log appends all values
/// of a key instead.
#[derive(Debug)]
pub struct Changes(pub(crate) ChangeStorage);

/// The operations gathered in a [`Changes`]: in memory, or in an external sorter.
#[derive(Debug)]
pub(crate) enum ChangeStorage {
    /// All operations in memory, in the order in which they were added.
    InMemory(Vec<Operation>),
    /// Operations in an external sorter, which returns them in ascending order of keys.
    Sorter(Sorter),
}

impl Changes {
    pub(crate) const fn in_memory() -> Self {
        Self(ChangeStorage::InMemory(Vec::new()))
    }

    /// Creates an empty collection that sorts its operations, with about `memory` bytes of them in
    /// memory. Further operations are stored in an unnamed file in the folder of the file `base`.
    pub(crate) fn sorted(base: &Path, memory: usize, workers: Workers) -> Self {
        Self(ChangeStorage::Sorter(Sorter::new(base, memory, workers)))
    }

    /// Adds an operation.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the operations exceed the memory limit and cannot be written, for
    /// example on a full disk. Dropping the collection removes its file.
    pub fn push(&mut self, operation: Operation) -> Result<(), StoreError> {
        match &mut self.0 {
            ChangeStorage::InMemory(operations) => operations.push(operation),
            ChangeStorage::Sorter(sorter) => sorter.push(&operation)?,
        }
        Ok(())
    }

    pub(crate) fn into_batch(self) -> Result<Vec<Operation>, StoreError> {
        match self.0 {
            ChangeStorage::InMemory(operations) => Ok(operations),
            ChangeStorage::Sorter(sorter) => sorter.sorted()?.batch(),
        }
    }
}
