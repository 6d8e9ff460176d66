//! Blocks of a file that are kept in memory.

use std::{collections::HashMap, sync::Arc};

use pad_core::Suite;

use super::block::Block;

/// Blocks of at most so many bytes together, and one more; but those of a path are always there. Those that were used least go first, about: a block that is not used from one
/// change of generations to the next one goes with the second.
#[derive(Debug)]
pub(super) struct Cache<S: Suite> {
    young: Generation<S>,
    old: Generation<S>,
    /// The bytes of the young generation.
    bytes: usize,
    most: usize,
}

type Generation<S> = HashMap<u64, Arc<Block<S>>>;

impl<S: Suite> Cache<S> {
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            young: HashMap::new(),
            old: HashMap::new(),
            bytes: 0,
            most: (bytes / 2).max(LEAST),
        }
    }

    /// A block, if it is there.
    pub(super) fn get(&mut self, number: u64) -> Option<Arc<Block<S>>> {
        if let Some(block) = self.young.get(&number) {
            return Some(Arc::clone(block));
        }
        let block = self.old.remove(&number)?;
        self.insert(number, Arc::clone(&block));
        Some(block)
    }

    /// Keeps a block, in the place of the one that had its number.
    pub(super) fn insert(&mut self, number: u64, block: Arc<Block<S>>) {
        self.remove(number);
        self.bytes = self.bytes.saturating_add(block.memory_bytes());
        self.young.insert(number, block);
        if self.bytes > self.most {
            self.old = core::mem::take(&mut self.young);
            self.bytes = 0;
        }
    }

    /// Lets a block go.
    pub(super) fn remove(&mut self, number: u64) {
        self.old.remove(&number);
        if let Some(block) = self.young.remove(&number) {
            self.bytes = self.bytes.saturating_sub(block.memory_bytes());
        }
    }
}

/// The bytes of a path of usual blocks, and a little more.
const LEAST: usize = 1 << 16;
