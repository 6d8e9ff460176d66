//! Changing blocks: put, remove, split, merge, and the digests of all that changed.
//!
//! The shape is part of the format: two that apply the same operations in the same order have the same blocks, and roots.

mod shrink;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use pad_core::{ApplyError, InputError, Operation, Suite};

use super::{
    LONGEST_KEY, LONGEST_VALUE,
    block::{Block, Child, Entry, Inner, Slots},
    error::{BlockDamage, KeyedError},
    storage::{Edited, Root, Storage},
};
use crate::{entry::MOST_ENTRIES, operations::MOST_OPERATIONS};

/// What operations lead to, applied one after the other to the latest blocks, which stay as they are.
///
/// # Errors
/// As [`Edit::apply`].
pub(super) fn plan<S: Suite, B: Storage<S>>(
    blocks: &B,
    operations: &[Operation],
) -> Result<Edited<S>, KeyedError> {
    let mut edit = Edit::new(blocks);
    edit.apply(operations)?;
    Ok(edit.finish())
}

/// Blocks that are being changed, over those of a version that stays as it is.
struct Edit<'a, S: Suite, B> {
    blocks: &'a B,
    capacity: usize,
    root: Root<S>,
    changed: BTreeMap<u64, Slots<S>>,
    gone: BTreeSet<u64>,
}

/// A block on the way down, and the place in it that the way goes on from.
struct Step {
    number: u64,
    place: usize,
}

/// The right part of a block that was split, and the separator on its left.
struct Split<S: Suite> {
    right: Child<S>,
    separator: Arc<[u8]>,
}

impl<'a, S: Suite, B: Storage<S>> Edit<'a, S, B> {
    fn new(blocks: &'a B) -> Self {
        Self {
            blocks,
            capacity: blocks.capacity().slots(),
            root: *blocks.root(),
            changed: BTreeMap::new(),
            gone: BTreeSet::new(),
        }
    }

    /// Applies the operations of an update, one after the other.
    ///
    /// # Errors
    /// [`ApplyError::UnorderedOperations`], [`ApplyError::RemovesAbsentKey`], [`InputError`]; those of reading blocks.
    fn apply(&mut self, operations: &[Operation]) -> Result<(), KeyedError> {
        if operations.len() > MOST_OPERATIONS {
            return Err(InputError::CapacityExceeded.into());
        }
        if !operations.is_sorted_by(|a, b| a.key() < b.key()) {
            return Err(ApplyError::UnorderedOperations.into());
        }
        for operation in operations {
            match operation {
                Operation::Put(key, value) => self.put(key.as_bytes(), value.as_bytes())?,
                Operation::Remove(key) => {
                    if !self.remove(key.as_bytes())? {
                        return Err(ApplyError::RemovesAbsentKey.into());
                    }
                }
            }
        }
        Ok(())
    }

    /// Sets the value of a key.
    ///
    /// # Errors
    /// [`InputError`]; those of reading blocks.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), KeyedError> {
        check_entry(key, value)?;
        if self.root.entries == MOST_ENTRIES {
            return Err(InputError::CapacityExceeded.into());
        }
        let entry = Entry::new(key, value);
        let Some(Descent {
            leaf,
            path,
            is_last,
        }) = self.descend(key)?
        else {
            self.root.entries = 1;
            self.grow(Slots::Leaf(vec![entry]));
            return Ok(());
        };
        let entries = self.leaf_mut(leaf)?;
        match entries.binary_search_by(|other| other.key().cmp(key)) {
            Ok(place) => {
                if let Some(old) = entries.get_mut(place) {
                    *old = entry;
                }
                Ok(())
            }
            Err(place) => {
                let is_tail = is_last && place == entries.len();
                entries.insert(place, entry);
                self.root.entries = self.root.entries.saturating_add(1);
                self.split_upwards(leaf, path, is_tail)
            }
        }
    }

    /// Removes a key; says whether it was there. If it was not, blocks on the way to it count as changed.
    ///
    /// # Errors
    /// Those of reading blocks.
    fn remove(&mut self, key: &[u8]) -> Result<bool, KeyedError> {
        let Some(Descent { leaf, path, .. }) = self.descend(key)? else {
            return Ok(false);
        };
        let entries = self.leaf_mut(leaf)?;
        let Ok(place) = entries.binary_search_by(|other| other.key().cmp(key)) else {
            return Ok(false);
        };
        entries.remove(place);
        self.root.entries = self.root.entries.saturating_sub(1);
        for step in path.into_iter().rev() {
            self.shrink(&step)?;
        }
        self.lower_top()?;
        Ok(true)
    }

    /// The digests of all changed blocks, level by level, each once.
    fn finish(mut self) -> Edited<S> {
        let highest = self.root.top.map_or(0, |(_, level)| level);
        let mut levels: Vec<Vec<(u64, Slots<S>)>> = Vec::new();
        levels.resize_with(usize::from(highest).saturating_add(1), Vec::new);
        for (number, slots) in self.changed {
            if let Some(level) = levels.get_mut(usize::from(slots.level())) {
                level.push((number, slots));
            }
        }
        let mut changed: BTreeMap<u64, Arc<Block<S>>> = BTreeMap::new();
        for (number, mut slots) in levels.into_iter().flatten() {
            if let Slots::Inner(inner) = &mut slots {
                for child in &mut inner.children {
                    if let Some(block) = changed.get(&child.number) {
                        child.digest = block.digest();
                    }
                }
            }
            changed.insert(number, Arc::new(Block::new(slots)));
        }
        if let Some((top, _)) = &mut self.root.top
            && let Some(block) = changed.get(&top.number)
        {
            top.digest = block.digest();
        }
        Edited {
            root: self.root,
            changed,
            gone: self.gone,
        }
    }

    /// The way down to the leaf block that a key belongs to. All blocks on it are going to change.
    fn descend(&mut self, key: &[u8]) -> Result<Option<Descent>, KeyedError> {
        let Some((mut child, mut level)) = self.root.top else {
            return Ok(None);
        };
        let (mut path, mut is_last) = (Vec::new(), true);
        loop {
            let number = child.number;
            let Slots::Inner(inner) = self.open(&child, level)? else {
                return Ok(Some(Descent {
                    leaf: number,
                    path,
                    is_last,
                }));
            };
            let place = inner.place_of(key);
            is_last &= place.checked_add(1) == Some(inner.children.len());
            child = *inner
                .children
                .get(place)
                .ok_or(BlockDamage::SlotCount { number })?;
            path.push(Step { number, place });
            level = level.checked_sub(1).ok_or(BlockDamage::Level { number })?;
        }
    }

    /// A block, to be changed. One that has changed already was compared with its digest then, and its level is again: numbers are not
    /// hashed, and no way down may come upon a block twice.
    fn open(&mut self, child: &Child<S>, level: u8) -> Result<&mut Slots<S>, KeyedError> {
        let number = child.number;
        if !self.changed.contains_key(&number) {
            let block = self.blocks.read(child, level)?;
            self.changed.insert(number, block.slots().clone());
        }
        let slots = self.opened(number)?;
        if slots.level() == level {
            Ok(slots)
        } else {
            Err(BlockDamage::Level { number }.into())
        }
    }

    /// A block that was opened.
    fn opened(&mut self, number: u64) -> Result<&mut Slots<S>, KeyedError> {
        let slots = self.changed.get_mut(&number);
        Ok(slots.ok_or(BlockDamage::Missing { number })?)
    }

    fn leaf_mut(&mut self, number: u64) -> Result<&mut Vec<Entry<S>>, KeyedError> {
        match self.opened(number)? {
            Slots::Leaf(entries) => Ok(entries),
            Slots::Inner(_) => Err(BlockDamage::Level { number }.into()),
        }
    }

    fn inner_mut(&mut self, number: u64) -> Result<&mut Inner<S>, KeyedError> {
        match self.opened(number)? {
            Slots::Inner(inner) => Ok(inner),
            Slots::Leaf(_) => Err(BlockDamage::Level { number }.into()),
        }
    }

    /// A new block; its digest is not known yet.
    fn create(&mut self, slots: Slots<S>) -> Child<S> {
        let number = self.root.next;
        self.root.next = number.saturating_add(1);
        self.changed.insert(number, slots);
        Child {
            number,
            digest: S::Digest::default(),
        }
    }

    /// Puts a new top block above all others.
    fn grow(&mut self, slots: Slots<S>) {
        let level = slots.level();
        self.root.top = Some((self.create(slots), level));
    }

    /// Splits the block in which a slot is new, and those above it, as long as there are too many slots.
    fn split_upwards(
        &mut self,
        leaf: u64,
        mut path: Vec<Step>,
        mut is_tail: bool,
    ) -> Result<(), KeyedError> {
        let mut number = leaf;
        while let Some(Split { right, separator }) = self.split(number, is_tail)? {
            let Some(Step {
                number: parent,
                place,
            }) = path.pop()
            else {
                return self.split_top(right, separator);
            };
            let inner = self.inner_mut(parent)?;
            let behind = place.saturating_add(1);
            is_tail = is_tail && behind == inner.children.len();
            inner.separators.insert(place, separator);
            inner.children.insert(behind, right);
            number = parent;
        }
        Ok(())
    }

    /// Splits a block if it has too many slots. After a tail insert the new slot stands alone on the right.
    fn split(&mut self, number: u64, is_tail: bool) -> Result<Option<Split<S>>, KeyedError> {
        let capacity = self.capacity;
        let slots = self.opened(number)?;
        if slots.len() <= capacity {
            return Ok(None);
        }
        let left = if is_tail {
            capacity
        } else {
            capacity.saturating_add(1).div_ceil(2)
        };
        let (right, separator) = match slots {
            Slots::Leaf(entries) => {
                let right = entries.split_off(left);
                let first = right.first().map(|entry| entry.key().into());
                (Slots::Leaf(right), first)
            }
            Slots::Inner(inner) => {
                let children = inner.children.split_off(left);
                let separators = inner.separators.split_off(left);
                let level = inner.level;
                let between = inner.separators.pop();
                let right = Inner {
                    level,
                    children,
                    separators,
                };
                (Slots::Inner(right), between)
            }
        };
        let separator = separator.ok_or(BlockDamage::SlotCount { number })?;
        let right = self.create(right);
        Ok(Some(Split { right, separator }))
    }

    /// Puts a new top block above the two that the old one is now.
    fn split_top(&mut self, right: Child<S>, separator: Arc<[u8]>) -> Result<(), KeyedError> {
        let Some((left, level)) = self.root.top else {
            return Ok(());
        };
        let level = level.checked_add(1).ok_or(InputError::CapacityExceeded)?;
        self.grow(Slots::Inner(Inner {
            level,
            children: vec![left, right],
            separators: vec![separator],
        }));
        Ok(())
    }

    fn discard(&mut self, number: u64) {
        self.changed.remove(&number);
        self.gone.insert(number);
    }
}

/// Where the way down ended.
struct Descent {
    leaf: u64,
    path: Vec<Step>,
    /// Whether the leaf block is the last of its level.
    is_last: bool,
}

/// Checks that an entry is within the bounds of keyed directories.
///
/// # Errors
/// [`InputError::KeyTooLong`], [`InputError::ValueTooLong`].
pub(super) const fn check_entry(key: &[u8], value: &[u8]) -> Result<(), InputError> {
    if key.len() > LONGEST_KEY {
        return Err(InputError::KeyTooLong {
            length: key.len(),
            limit: LONGEST_KEY,
        });
    }
    if value.len() > LONGEST_VALUE {
        return Err(InputError::ValueTooLong {
            length: value.len(),
            limit: LONGEST_VALUE,
        });
    }
    Ok(())
}
