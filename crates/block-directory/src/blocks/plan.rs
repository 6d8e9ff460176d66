//! What changes lead to, before anything has changed.

use pad_core::{StoreFault, Suite};

use super::{
    Blocks,
    frame::joined,
    grid::{Grid, to_u64},
};
use crate::{
    entry::{EntryId, Shown, entry_digest, root_digest},
    operations::Change,
    strategy::Place,
};

/// Checked changes, and the new digests of all nodes above them.
#[derive(Clone, Debug)]
pub(crate) struct Plan<S: Suite> {
    pub(crate) changes: Vec<Change<S>>,
    pub(crate) grid: Grid,
    pub(crate) root: S::Digest,
    /// By height, in ascending order of their numbers.
    nodes: Vec<(u64, S::Digest)>,
    /// Where those of each height end.
    ends: Vec<usize>,
    /// The top as it was, where the tree gets another level above it and nothing below it has changed.
    old_top: Option<S::Digest>,
}

impl<S: Suite> Plan<S> {
    /// What an entry is, if it changes.
    pub(crate) fn shown(&self, id: u64) -> Option<Shown<S>> {
        let place = self.changes.binary_search_by_key(&id, |change| change.id);
        let change = self.changes.get(place.ok()?)?;
        Some(change.shown)
    }

    /// The new nodes of a height.
    fn of_height(&self, height: u32) -> &[(u64, S::Digest)] {
        let height = usize::try_from(height).unwrap_or(usize::MAX);
        let begin = height.checked_sub(1).and_then(|below| self.ends.get(below));
        let begin = begin.copied().unwrap_or(0);
        let end = self.ends.get(height).copied().unwrap_or(begin);
        self.nodes.get(begin..end).unwrap_or_default()
    }

    /// Hashes the nodes above those of one height, each once; `sibling` is asked for those that do not change.
    fn hash_above(
        &mut self,
        height: u32,
        mut sibling: impl FnMut(u64) -> Result<S::Digest, StoreFault>,
    ) -> Result<(), StoreFault> {
        let end = self.nodes.len();
        let begin = self.ends.len().checked_sub(2);
        let mut at = begin.map_or(0, |place| self.ends.get(place).copied().unwrap_or(end));
        while at < end {
            let Some((number, digest)) = self.nodes.get(at).copied() else {
                break;
            };
            at += 1;
            let parent = number >> 1;
            let above = if number & 1 == 1 {
                joined::<S>(sibling(number - 1)?, Some(digest))
            } else {
                let next = self.nodes.get(at).filter(|_| at < end);
                let right = match next {
                    Some((next, right)) if *next == number + 1 => {
                        at += 1;
                        Some(*right)
                    }
                    _ if self.grid.has(height, number + 1) => Some(sibling(number + 1)?),
                    _ => None,
                };
                joined::<S>(digest, right)
            };
            self.nodes.push((parent, above));
        }
        self.ends.push(self.nodes.len());
        Ok(())
    }
}

impl<S: Suite> Blocks<S> {
    /// What checked changes lead to. Each inner node is hashed once.
    pub(crate) fn plan(
        &self,
        changes: Vec<Change<S>>,
        registered: u64,
    ) -> Result<Plan<S>, StoreFault> {
        let grid = Grid {
            registered,
            ..self.grid
        };
        let height = grid.height();
        let levels = usize::try_from(height).unwrap_or(0);
        let mut plan = Plan {
            nodes: Vec::with_capacity(changes.len().saturating_mul(2).saturating_add(levels)),
            ends: Vec::with_capacity(levels + 1),
            root: self.root,
            old_top: self.old_top(grid)?,
            grid,
            changes,
        };
        plan.nodes.extend(plan.changes.iter().map(|change| {
            let digest = entry_digest::<S>(EntryId::new(change.id), change.shown.as_ref());
            (change.id, digest)
        }));
        plan.ends.push(plan.nodes.len());
        match *plan.changes.as_slice() {
            [] => return Ok(plan),
            [Change { id, .. }] => self.hash_path(&mut plan, id)?,
            _ => {
                let mut reader = self.reader();
                for height in 0..height {
                    plan.hash_above(height, |number| reader.node(height, number))?;
                }
            }
        }
        let top = plan.nodes.last().map(|(_, top)| *top);
        plan.root = root_digest::<S>(registered, &top.unwrap_or_default());
        Ok(plan)
    }

    /// The nodes above a single change. Where the digests beside them are follows from the id, so all are fetched before the first
    /// is hashed: the memory answers all requests at once.
    fn hash_path(&self, plan: &mut Plan<S>, id: u64) -> Result<(), StoreFault> {
        let mut reader = self.reader();
        let mut beside = [S::Digest::default(); 64];
        for (height, beside) in (0..plan.grid.height()).zip(&mut beside) {
            let number = (id >> height) ^ 1;
            if self.grid.has(height, number) {
                *beside = reader.node(height, number)?;
            }
        }
        for (height, beside) in (0..plan.grid.height()).zip(beside) {
            plan.hash_above(height, |_| Ok(beside))?;
        }
        Ok(())
    }

    /// The top, if it becomes a slot of a new level.
    fn old_top(&self, new: Grid) -> Result<Option<S::Digest>, StoreFault> {
        if self.registered() == 0 || new.levels() == self.grid.levels() {
            return Ok(None);
        }
        self.reader().node(self.grid.height(), 0).map(Some)
    }

    /// Makes planned changes, block by block in ascending order.
    pub(crate) fn commit(&mut self, plan: &Plan<S>) -> Result<(), StoreFault> {
        let old_levels = self.grid.levels();
        for level in 0..plan.grid.levels() {
            self.commit_level(plan, level, old_levels)?;
        }
        self.grid = plan.grid;
        self.root = plan.root;
        Ok(())
    }

    fn commit_level(
        &mut self,
        plan: &Plan<S>,
        level: u8,
        old_levels: u8,
    ) -> Result<(), StoreFault> {
        let (step, capacity) = (plan.grid.step, plan.grid.capacity());
        let lowest = step * u32::from(level);
        let mut heights: Vec<_> = (0..=step)
            .map(|above| plan.of_height(lowest + above).iter().copied())
            .map(Iterator::peekable)
            .collect();
        let mut changes = plan.changes.iter().peekable();
        let in_block = to_u64(capacity).saturating_sub(1);
        for (block, _) in plan.of_height(lowest + step) {
            let (place, block) = (
                Place {
                    level,
                    block: *block,
                },
                *block,
            );
            let old_top = plan.old_top.filter(|_| level == old_levels && block == 0);
            self.change(plan.grid, place, |frame| {
                if let Some(top) = old_top {
                    frame.set_slot(0, top);
                }
                if level == 0 {
                    while let Some(change) = changes.next_if(|next| next.id >> step == block) {
                        let slot = usize::try_from(change.id & in_block).unwrap_or(usize::MAX);
                        frame.set_slot(slot, change.shown.unwrap_or_default());
                    }
                }
                let lowest_written = usize::from(level == 0);
                for (above, nodes) in (0_u32..).zip(&mut heights).skip(lowest_written) {
                    let depth = step - above;
                    let first = 1_usize << depth;
                    while let Some((number, digest)) =
                        nodes.next_if(|(number, _)| number >> depth == block)
                    {
                        let place = number & (to_u64(first) - 1);
                        let index = first | usize::try_from(place).unwrap_or(usize::MAX);
                        frame.set(index, digest);
                    }
                }
            })?;
        }
        Ok(())
    }
}
