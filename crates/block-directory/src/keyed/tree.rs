//! All blocks of one version, in memory.

use std::{collections::BTreeMap, sync::Arc};

use pad_core::{ApplyError, LookupError, Operation, Suite, Update};
use pad_tree::{ProvableQuery, TreeProof};

use super::{
    block::{Block, Capacity, Child, Slots, to_number},
    check, edit,
    error::{BlockDamage, KeyedError},
    record::BlockRecord,
    storage::{Edited, Root, Storage, check_child},
    view::View,
};

/// A B+-tree of blocks in memory: the contents of one version of a keyed directory.
///
/// Space: the entries, a digest and about 60 bytes for each, and a digest for each slot of the blocks above.
#[derive(Clone, Debug)]
pub struct KeyedTree<S: Suite> {
    blocks: BTreeMap<u64, Arc<Block<S>>>,
    root: Root<S>,
    capacity: Capacity,
}

impl<S: Suite> KeyedTree<S> {
    /// The tree without entries.
    pub fn new(capacity: Capacity) -> Self {
        Self {
            blocks: BTreeMap::new(),
            root: Root::default(),
            capacity,
        }
    }

    /// The root that an author signs.
    pub fn root(&self) -> S::Digest {
        self.root.digest()
    }

    /// The number of entries.
    pub const fn len(&self) -> u64 {
        self.root.entries
    }

    /// Whether there are no entries.
    pub const fn is_empty(&self) -> bool {
        self.root.entries == 0
    }

    /// How often two blocks were merged.
    pub const fn merges(&self) -> u64 {
        self.root.merges
    }

    /// The value of a key.
    ///
    /// Time: one search in each block on the way down.
    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        let (mut child, _) = self.root.top?;
        loop {
            match self.blocks.get(&child.number)?.slots() {
                Slots::Inner(inner) => child = *inner.children.get(inner.place_of(key))?,
                Slots::Leaf(entries) => {
                    let place = entries.binary_search_by(|entry| entry.key().cmp(key));
                    return Some(entries.get(place.ok()?)?.value());
                }
            }
        }
    }

    /// Applies operations, in strictly ascending order of keys, one after the other: all of them or none.
    ///
    /// Time: for each operation the slots of one block of each level are copied once; each changed block is hashed once.
    ///
    /// # Errors
    /// [`ApplyError::UnorderedOperations`], [`ApplyError::RemovesAbsentKey`], [`InputError`](pad_core::InputError).
    pub fn apply(&mut self, operations: &[Operation]) -> Result<(), ApplyError> {
        let edited = edit::plan(self, operations)?;
        self.replace(edited);
        Ok(())
    }

    /// The proof of the answer to a question.
    ///
    /// Time: one search for each key or end of a range, and one digest copied for each level of the binary tree below.
    ///
    /// # Errors
    /// [`LookupError::InvalidQuery`].
    pub fn prove<Q: ProvableQuery>(&self, query: &Q) -> Result<TreeProof<S, Q>, LookupError> {
        Ok(pad_tree::prove(View::new(self), query)?)
    }

    pub(super) fn replace(&mut self, edited: Edited<S>) {
        for number in &edited.gone {
            self.blocks.remove(number);
        }
        self.blocks.extend(edited.changed);
        self.root = edited.root;
    }

    /// The top block's number; none if there are no entries.
    pub fn top(&self) -> Option<u64> {
        self.root.top.map(|(top, _)| top.number)
    }

    /// The tree of blocks that somebody else made, once all of them are checked ([`BlockDamage`]). Its root is not compared with
    /// anything.
    ///
    /// Time: everything is hashed once.
    ///
    /// # Errors
    /// [`KeyedError::Damaged`].
    pub fn from_records(
        capacity: Capacity,
        top: Option<u64>,
        records: impl IntoIterator<Item = (u64, BlockRecord<S>)>,
    ) -> Result<Self, KeyedError> {
        let mut tree = Self::new(capacity);
        for (number, record) in records {
            let block = Arc::new(record.read(number, capacity)?);
            if tree.blocks.insert(number, block).is_some() {
                return Err(BlockDamage::Count.into());
            }
        }
        if let Some(number) = top {
            let block = tree.blocks.get(&number);
            let block = block.ok_or(BlockDamage::Missing { number })?;
            let digest = block.digest();
            tree.root.top = Some((Child { number, digest }, block.slots().level()));
        }
        let found = check::check(&tree)?;
        if found.blocks != to_number(tree.blocks.len()) {
            return Err(BlockDamage::Count.into());
        }
        let last = tree.blocks.last_key_value();
        tree.root.next = last
            .map_or(Some(0), |(last, _)| last.checked_add(1))
            .ok_or(BlockDamage::Count)?;
        tree.root.entries = found.entries;
        Ok(tree)
    }

    /// All blocks with their numbers, as they are handed on.
    pub fn records(&self) -> impl Iterator<Item = (u64, BlockRecord<S>)> {
        self.blocks
            .iter()
            .map(|(number, block)| (*number, BlockRecord::of(block)))
    }
}

impl<S: Suite> Storage<S> for KeyedTree<S> {
    fn read(&self, child: &Child<S>, level: u8) -> Result<Arc<Block<S>>, KeyedError> {
        let number = child.number;
        let block = self.blocks.get(&number);
        let block = block.ok_or(BlockDamage::Missing { number })?;
        check_child(block, child, level)?;
        Ok(Arc::clone(block))
    }

    fn root(&self) -> &Root<S> {
        &self.root
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn commit(&mut self, edited: Edited<S>, _: &Update<S>) -> Result<(), KeyedError> {
        self.replace(edited);
        Ok(())
    }
}
