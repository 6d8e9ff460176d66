//! Blocks that have too few slots after a removal.

use pad_core::Suite;

use super::{Edit, Step};
use crate::keyed::{
    block::{Child, Slots},
    error::{BlockDamage, KeyedError},
    storage::Storage,
};

impl<S: Suite, B: Storage<S>> Edit<'_, S, B> {
    /// Takes out, or merges with a neighbour, a child that has changed, if it has too few slots.
    pub(super) fn shrink(&mut self, step: &Step) -> Result<(), KeyedError> {
        let place = step.place;
        let inner = self.inner_mut(step.number)?;
        let (level, is_first) = (inner.level.saturating_sub(1), place == 0);
        let beside = [place.checked_sub(1), place.checked_add(1)];
        let beside = beside.map(|place| Some((place?, *inner.children.get(place?)?)));
        let child = inner.children.get(place);
        let child = *child.ok_or(BlockDamage::SlotCount {
            number: step.number,
        })?;
        let slots = self.opened(child.number)?.len();
        if slots == 0 {
            let inner = self.inner_mut(step.number)?;
            inner.children.remove(place);
            if !inner.separators.is_empty() {
                inner
                    .separators
                    .remove(if is_first { 0 } else { place.saturating_sub(1) });
            }
            self.discard(child.number);
            return Ok(());
        }
        if slots.saturating_mul(4) >= self.capacity {
            return Ok(());
        }
        for (other_place, other) in beside.into_iter().flatten() {
            let together = self.slots_of(&other, level)?.saturating_add(slots);
            if together.saturating_mul(4) <= self.capacity.saturating_mul(3) {
                self.open(&other, level)?;
                return self.merge(step.number, place.min(other_place));
            }
        }
        Ok(())
    }

    /// The number of slots of a block that may not be going to change.
    fn slots_of(&self, child: &Child<S>, level: u8) -> Result<usize, KeyedError> {
        match self.changed.get(&child.number) {
            Some(slots) => Ok(slots.len()),
            None => Ok(self.blocks.read(child, level)?.slots().len()),
        }
    }

    /// Moves the slots of the child behind `left` into that one.
    fn merge(&mut self, parent: u64, left: usize) -> Result<(), KeyedError> {
        let right = left.saturating_add(1);
        let inner = self.inner_mut(parent)?;
        let (Some(taker), true) = (
            inner.children.get(left).copied(),
            right < inner.children.len(),
        ) else {
            return Err(BlockDamage::SlotCount { number: parent }.into());
        };
        let giver = inner.children.remove(right);
        let separator = inner.separators.remove(left);
        let given = self.changed.remove(&giver.number);
        match (self.opened(taker.number)?, given) {
            (Slots::Leaf(entries), Some(Slots::Leaf(given))) => entries.extend(given),
            (Slots::Inner(inner), Some(Slots::Inner(given))) => {
                inner.separators.push(separator);
                inner.separators.extend(given.separators);
                inner.children.extend(given.children);
            }
            _ => {
                return Err(BlockDamage::Level {
                    number: giver.number,
                }
                .into());
            }
        }
        self.discard(giver.number);
        self.root.merges = self.root.merges.saturating_add(1);
        Ok(())
    }

    /// Takes top blocks away that stand above one block alone, or above nothing.
    pub(super) fn lower_top(&mut self) -> Result<(), KeyedError> {
        while let Some((top, level)) = self.root.top {
            let below = match self.changed.get(&top.number) {
                Some(slots) => all_below(slots),
                None => all_below(self.blocks.read(&top, level)?.slots()),
            };
            let Below::AtMostOne(below) = below else {
                break;
            };
            self.discard(top.number);
            self.root.top = below.map(|below| (below, level.saturating_sub(1)));
        }
        Ok(())
    }
}

/// What is below a top block.
enum Below<S: Suite> {
    AtMostOne(Option<Child<S>>),
    More,
}

fn all_below<S: Suite>(slots: &Slots<S>) -> Below<S> {
    match slots {
        Slots::Leaf(entries) if entries.is_empty() => Below::AtMostOne(None),
        Slots::Inner(inner) if inner.children.len() <= 1 => {
            Below::AtMostOne(inner.children.first().copied())
        }
        _ => Below::More,
    }
}
