//! What changes lead to, before anything has changed.

use pad_core::{StoreFault, Suite};

use super::{
    Blocks,
    frame::{Frame, joined},
    grid::{Grid, in_block},
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
    /// The new blocks of level 0, from the first one on.
    new_blocks: Vec<Frame<S>>,
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

    /// Hashes the nodes above those of one height, each once; `sibling` is asked for those that do not change. All of them are
    /// fetched before the first is used: the memory answers many requests at once.
    fn hash_above(
        &mut self,
        height: u32,
        mut sibling: impl FnMut(u64) -> Result<S::Digest, StoreFault>,
    ) -> Result<(), StoreFault> {
        let end = self.nodes.len();
        let begin = self.ends.len().checked_sub(2);
        let begin = begin.map_or(0, |place| self.ends.get(place).copied().unwrap_or(end));
        let parents = || {
            let below = self.nodes.get(begin..end).unwrap_or_default();
            below.chunk_by(|(left, _), (right, _)| *left ^ 1 == *right)
        };
        let mut beside = Vec::with_capacity(end - begin);
        for children in parents() {
            if let &[(number, _)] = children
                && (number & 1 == 1 || self.grid.has(height, number + 1))
            {
                beside.push(sibling(number ^ 1)?);
            }
        }
        let mut beside = beside.into_iter();
        let mut above = Vec::with_capacity(end - begin);
        for children in parents() {
            above.push(match *children {
                [(number, left), (_, right)] => (number >> 1, joined::<S>(left, Some(right))),
                [(number, right), ..] if number & 1 == 1 => {
                    let left = beside.next().unwrap_or_default();
                    (number >> 1, joined::<S>(left, Some(right)))
                }
                [(number, left), ..] if self.grid.has(height, number + 1) => {
                    (number >> 1, joined::<S>(left, beside.next()))
                }
                [(number, only), ..] => (number >> 1, only),
                [] => continue,
            });
        }
        self.nodes.append(&mut above);
        self.ends.push(self.nodes.len());
        Ok(())
    }

    /// Fills the blocks that are new, of the entries that are appended to no other.
    fn fill_new_blocks(&mut self, changes: &[Change<S>]) {
        let step = self.grid.step;
        for inside in changes.chunk_by(|change, next| change.id >> step == next.id >> step) {
            let Some(first) = inside.first() else {
                continue;
            };
            let place = Place {
                level: 0,
                block: first.id >> step,
            };
            let mut frame = Frame::empty(self.grid.capacity());
            for (slot, change) in inside.iter().enumerate() {
                frame.set_slot(slot, change.shown.unwrap_or_default());
            }
            frame.fill(place, inside.len());
            self.nodes.push((place.block, frame.top()));
            self.new_blocks.push(frame);
        }
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
        let (step, height) = (grid.step, grid.height());
        let first_new_block = self.grid.blocks(0);
        let in_new = changes.partition_point(|change| change.id >> step < first_new_block);
        let (old, new) = changes.split_at_checked(in_new).unwrap_or_default();
        let levels = usize::try_from(height).unwrap_or(0);
        let mut plan = Plan {
            changes: Vec::new(),
            nodes: Vec::with_capacity(old.len().saturating_mul(2).saturating_add(levels)),
            ends: Vec::with_capacity(levels + 1),
            new_blocks: Vec::new(),
            root: self.root,
            old_top: self.old_top(grid)?,
            grid,
        };
        if let (&[change], []) = (old, new) {
            self.hash_path(&mut plan, change)?;
        } else if !changes.is_empty() {
            plan.nodes.extend(old.iter().map(|change| {
                let digest = entry_digest::<S>(EntryId::new(change.id), change.shown.as_ref());
                (change.id, digest)
            }));
            plan.ends.push(plan.nodes.len());
            let mut reader = self.reader();
            for height in 0..height {
                plan.hash_above(height, |number| reader.node(height, number))?;
                if height + 1 == step {
                    plan.fill_new_blocks(new);
                    plan.ends.pop();
                    plan.ends.push(plan.nodes.len());
                }
            }
        }
        if let Some((_, top)) = plan.nodes.last() {
            plan.root = root_digest::<S>(registered, top);
        }
        plan.changes = changes;
        Ok(plan)
    }

    /// The nodes above a single change. Where the digests beside them are follows from the id, so all are fetched before the first
    /// is hashed.
    fn hash_path(&self, plan: &mut Plan<S>, change: Change<S>) -> Result<(), StoreFault> {
        let grid = plan.grid;
        let mut reader = self.reader();
        let mut beside = [None; 64];
        reader.visit_siblings(change.id, 0, |height, digest| {
            let place = usize::try_from(height).ok();
            if let Some(beside) = place.and_then(|place| beside.get_mut(place)) {
                *beside = Some(digest);
            }
        })?;
        let mut digest = entry_digest::<S>(EntryId::new(change.id), change.shown.as_ref());
        let mut number = change.id;
        for (_, beside) in (0..=grid.height()).zip(beside) {
            plan.nodes.push((number, digest));
            plan.ends.push(plan.nodes.len());
            digest = match beside {
                Some(left) if number & 1 == 1 => joined::<S>(left, Some(digest)),
                right => joined::<S>(digest, right),
            };
            number >>= 1;
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
    pub(crate) fn commit(&mut self, plan: &mut Plan<S>) -> Result<(), StoreFault> {
        let old = self.grid;
        let is_path = plan.ends.len() == plan.nodes.len();
        for level in 0..plan.grid.levels() {
            match *plan.changes.as_slice() {
                [change] if is_path => self.commit_path(plan, level, change)?,
                _ => self.commit_level(plan, level, old.levels())?,
            }
            if level == 0 {
                for (block, frame) in (old.blocks(0)..).zip(plan.new_blocks.drain(..)) {
                    self.push(plan.grid, Place { level, block }, frame)?;
                }
            }
        }
        self.grid = plan.grid;
        self.root = plan.root;
        Ok(())
    }

    /// Writes the nodes of a level above a single change.
    fn commit_path(
        &mut self,
        plan: &Plan<S>,
        level: u8,
        change: Change<S>,
    ) -> Result<(), StoreFault> {
        let step = plan.grid.step;
        let lowest = step * u32::from(level);
        let slot = change.id >> lowest;
        let place = Place {
            level,
            block: slot >> step,
        };
        let nodes = plan
            .nodes
            .get(usize::try_from(lowest).unwrap_or(usize::MAX)..);
        self.change(plan.grid, place, |frame| {
            let index = frame.capacity() | in_block(slot, step);
            for (above, (_, digest)) in (0..=step).zip(nodes.unwrap_or_default()) {
                let content = match (level, above) {
                    (0, 0) => change.shown.unwrap_or_default(),
                    _ => *digest,
                };
                frame.set(index >> above, content);
            }
        })
    }

    /// Writes the nodes of a level into the blocks that were there, on level 0, or into all of them.
    fn commit_level(
        &mut self,
        plan: &Plan<S>,
        level: u8,
        old_levels: u8,
    ) -> Result<(), StoreFault> {
        let (grid, step) = (plan.grid, plan.grid.step);
        let lowest = step * u32::from(level);
        let of_height = |above| plan.of_height(lowest + above);
        let first_new_block = match level {
            0 => self.grid.blocks(0),
            _ => u64::MAX,
        };
        let mut changes = plan.changes.as_slice();
        let mut heights = [[].as_slice(); HEIGHTS_OF_A_BLOCK];
        for (above, nodes) in (0..=step).zip(&mut heights) {
            *nodes = of_height(above);
        }
        let blocks = of_height(step).iter().map(|(block, _)| *block);
        for block in blocks.take_while(|block| *block < first_new_block) {
            let place = Place { level, block };
            let old_top = plan.old_top.filter(|_| level == old_levels && block == 0);
            self.change(grid, place, |frame| {
                if let Some(top) = old_top {
                    frame.set_slot(0, top);
                }
                if level == 0 {
                    for change in taken(&mut changes, |change| change.id >> step == block) {
                        let slot = in_block(change.id, step);
                        frame.set_slot(slot, change.shown.unwrap_or_default());
                    }
                }
                let lowest_written = usize::from(level == 0);
                for (above, nodes) in (0..=step).zip(&mut heights).skip(lowest_written) {
                    let depth = step - above;
                    for (number, digest) in taken(nodes, |(number, _)| number >> depth == block) {
                        frame.set((1 << depth) | in_block(*number, depth), *digest);
                    }
                }
            })?;
        }
        Ok(())
    }
}

/// As many as a block of the largest step has, its slots among them.
const HEIGHTS_OF_A_BLOCK: usize = 13;

/// The elements at the beginning of a list for which this holds; the list goes on after them.
fn taken<'a, T>(list: &mut &'a [T], holds: impl Fn(&T) -> bool) -> &'a [T] {
    let end = list.iter().position(|element| !holds(element));
    let (taken, rest) = list
        .split_at_checked(end.unwrap_or(list.len()))
        .unwrap_or_default();
    *list = rest;
    taken
}
