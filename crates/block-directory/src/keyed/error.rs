//! Why blocks cannot be worked with.

use pad_core::{ApplyError, InputError, LookupError, StoreFault};
use thiserror::Error;

use crate::store::StoreError;

/// A block is not what it should be: whoever made, stored or sent it is wrong. `number` names it among the blocks of its
/// directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BlockDamage {
    /// There is no such block.
    #[error("block {number} is missing")]
    Missing {
        /// The block.
        number: u64,
    },
    /// The bytes are not a block.
    #[error("block {number} cannot be decoded")]
    Malformed {
        /// The block.
        number: u64,
    },
    /// It has no slots, more than a block holds, or not one separator between each two of them.
    #[error("block {number} has too few or too many slots or separators")]
    SlotCount {
        /// The block.
        number: u64,
    },
    /// A key or a value is longer than those of keyed directories are.
    #[error("block {number} has a key or a value that is too long")]
    EntryTooLong {
        /// The block.
        number: u64,
    },
    /// The block above has it one level lower or higher.
    #[error("block {number} is of another level than the block above says")]
    Level {
        /// The block.
        number: u64,
    },
    /// Its digest is not the one that the block above, or the root, has for it.
    #[error("block {number} does not have the digest that the block above says")]
    Digest {
        /// The block.
        number: u64,
    },
    /// Keys, or separators, do not ascend.
    #[error("the keys of block {number} do not ascend")]
    Order {
        /// The block.
        number: u64,
    },
    /// A key of the leaf block is not below the separator on its right.
    #[error("block {number} has a key that is not below the separator on its right")]
    AboveSeparator {
        /// The leaf block.
        number: u64,
    },
    /// A key of the leaf block is below the separator on its left.
    #[error("block {number} has a key below the separator on its left")]
    BelowSeparator {
        /// The leaf block.
        number: u64,
    },
    /// There are other blocks, or entries, than those that the top block leads to.
    #[error("there are other blocks or entries than those that the top block leads to")]
    Count,
}

/// A keyed directory cannot do what it is asked. As the error of one role, all that is not of that role is a [`StoreFault`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum KeyedError {
    /// The update is not the author's next one. Nothing has changed.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// The version is not there, or the question makes no sense.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// A block is not what it should be.
    #[error(transparent)]
    Damaged(#[from] BlockDamage),
    /// The file of a stored directory cannot be made, opened, read or written, or its log is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl KeyedError {
    /// What of it concerns the store.
    const fn fault(&self) -> StoreFault {
        match self {
            Self::Apply(ApplyError::Store(fault)) | Self::Lookup(LookupError::Store(fault)) => {
                *fault
            }
            Self::Store(error) => error.fault(),
            Self::Apply(_) | Self::Lookup(_) | Self::Damaged(_) => StoreFault::Damaged,
        }
    }
}

impl From<InputError> for KeyedError {
    fn from(error: InputError) -> Self {
        Self::Apply(error.into())
    }
}

impl From<KeyedError> for ApplyError {
    fn from(error: KeyedError) -> Self {
        match error {
            KeyedError::Apply(error) => error,
            error => Self::Store(error.fault()),
        }
    }
}

impl From<KeyedError> for LookupError {
    fn from(error: KeyedError) -> Self {
        match error {
            KeyedError::Lookup(error) => error,
            error => Self::Store(error.fault()),
        }
    }
}
