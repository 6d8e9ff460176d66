//! Where blocks are: in memory, or in a file.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use pad_core::{Suite, Update};

use super::{
    block::{Block, Capacity, Child},
    error::{BlockDamage, KeyedError},
};

/// Where the blocks of the latest version are. Sealed: it is for what this module has.
pub trait Storage<S: Suite> {
    /// The block that a child stands for: of this level, and with the digest that the child has.
    ///
    /// # Errors
    /// [`KeyedError::Damaged`], or the medium's.
    fn read(&self, child: &Child<S>, level: u8) -> Result<Arc<Block<S>>, KeyedError>;

    /// Where the blocks of the latest version hang.
    fn root(&self) -> &Root<S>;

    /// How many slots they can have.
    fn capacity(&self) -> Capacity;

    /// Makes the blocks that an update leads to the latest ones, durably if blocks outlive the process.
    ///
    /// # Errors
    /// The medium's. Whether the update will be there after the next opening is not known then, and the storage does nothing any more.
    fn commit(&mut self, edited: Edited<S>, update: &Update<S>) -> Result<(), KeyedError>;
}

/// Checks that a block is the one that a child stands for.
pub(super) fn check_child<S: Suite>(
    block: &Block<S>,
    child: &Child<S>,
    level: u8,
) -> Result<(), BlockDamage> {
    let number = child.number;
    if block.slots().level() != level {
        return Err(BlockDamage::Level { number });
    }
    if block.digest() != child.digest {
        return Err(BlockDamage::Digest { number });
    }
    Ok(())
}

/// Where all blocks of a version hang.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root<S: Suite> {
    /// The top block and its level; none if there are no entries.
    pub(super) top: Option<(Child<S>, u8)>,
    /// The number of the next new block.
    pub(super) next: u64,
    /// The number of entries.
    pub(super) entries: u64,
    /// How often blocks were merged, ever.
    pub(super) merges: u64,
}

impl<S: Suite> Default for Root<S> {
    fn default() -> Self {
        Self {
            top: None,
            next: 0,
            entries: 0,
            merges: 0,
        }
    }
}

impl<S: Suite> Root<S> {
    /// The root that is signed.
    pub(super) fn digest(&self) -> S::Digest {
        self.top.map_or_else(S::empty_tree, |(top, _)| top.digest)
    }
}

/// What an edit leaves behind.
#[derive(Debug)]
pub struct Edited<S: Suite> {
    pub(super) root: Root<S>,
    /// The blocks that are new or changed.
    pub(super) changed: BTreeMap<u64, Arc<Block<S>>>,
    /// The blocks that are gone.
    pub(super) gone: BTreeSet<u64>,
}
