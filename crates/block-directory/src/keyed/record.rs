//! A block as it is stored, and handed on.

use pad_core::{Key, Suite, Value};
use serde::{Deserialize, Serialize};

use super::{
    LONGEST_KEY, LONGEST_VALUE,
    block::{Block, Capacity, Child, Entry, Inner, Slots},
    error::BlockDamage,
};

/// A block as it is stored, and handed on: nothing of it is checked.
///
/// Level 0 has entries, and neither children nor separators; levels above have no entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct BlockRecord<S: Suite> {
    /// 0 for blocks of entries, else one more than the level of the children.
    pub level: u8,
    /// In ascending order of keys.
    pub entries: Vec<(Key, Value)>,
    /// From left to right.
    pub children: Vec<Child<S>>,
    /// The keys between each two children.
    pub separators: Vec<Key>,
}

impl<S: Suite> BlockRecord<S> {
    pub(super) fn of(block: &Block<S>) -> Self {
        let key = |bytes: &[u8]| Key::new(bytes).unwrap_or_default();
        let mut record = Self {
            level: block.slots().level(),
            entries: Vec::new(),
            children: Vec::new(),
            separators: Vec::new(),
        };
        match block.slots() {
            Slots::Leaf(entries) => {
                let pair = |entry: &Entry<S>| {
                    let value = Value::new(entry.value()).unwrap_or_default();
                    (key(entry.key()), value)
                };
                record.entries = entries.iter().map(pair).collect();
            }
            Slots::Inner(inner) => {
                record.children.clone_from(&inner.children);
                record.separators = inner.separators.iter().map(|bytes| key(bytes)).collect();
            }
        }
        record
    }

    /// The block, if it is one by itself: what it says of others is not checked.
    pub(super) fn read(&self, number: u64, capacity: Capacity) -> Result<Block<S>, BlockDamage> {
        let (entries, children) = (self.entries.len(), self.children.len());
        let fits = match self.level {
            0 => children == 0 && self.separators.is_empty(),
            _ => entries == 0 && self.separators.len().checked_add(1) == Some(children),
        };
        if !fits || !(1..=capacity.slots()).contains(&entries.max(children)) {
            return Err(BlockDamage::SlotCount { number });
        }
        let keys = self.entries.iter().map(|(key, _)| key);
        let mut keys = keys.chain(&self.separators);
        let mut values = self.entries.iter().map(|(_, value)| value.as_bytes().len());
        if keys.any(|key| key.as_bytes().len() > LONGEST_KEY)
            || values.any(|length| length > LONGEST_VALUE)
        {
            return Err(BlockDamage::EntryTooLong { number });
        }
        let ascending = self.entries.is_sorted_by(|(a, _), (b, _)| a < b);
        if !ascending || !self.separators.is_sorted_by(|a, b| a < b) {
            return Err(BlockDamage::Order { number });
        }
        let entry = |(key, value): &(Key, Value)| Entry::new(key.as_bytes(), value.as_bytes());
        Ok(Block::new(if self.level == 0 {
            Slots::Leaf(self.entries.iter().map(entry).collect())
        } else {
            Slots::Inner(Inner {
                level: self.level,
                children: self.children.clone(),
                separators: self
                    .separators
                    .iter()
                    .map(|key| key.as_bytes().into())
                    .collect(),
            })
        }))
    }
}
