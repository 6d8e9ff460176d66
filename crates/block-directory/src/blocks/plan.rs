//! Plans: the result of changes of entries, computed before any block is changed.

use pad_core::{StoreFault, Suite};

use super::{
    Blocks,
    frame::{Frame, joined, shown},
    grid::{Grid, in_block},
    read::FrameRef,
};
use crate::{
    entry::{EntryId, EntryState, entry_digest, root_digest},
    operations::Change,
    strategy::Place,
};

/// The number of slots of the blocks that are hashed together. A directory in files holds a group
/// of blocks in memory.
const GROUP: usize = 1 << 14;

/// Checked changes of entries, the writes into blocks that they need, and the new layout and root.
#[derive(Clone, Debug)]
pub(crate) struct Plan<S: Suite> {
    pub(crate) changes: Vec<Change<S>>,
    pub(crate) grid: Grid,
    pub(crate) root: S::Digest,
    /// Writes into existing blocks, in ascending order of the blocks' places.
    written: Writes<S>,
    /// New blocks with their places, in ascending order of the places.
    new_blocks: Vec<(Place, Frame<S>)>,
}

/// Writes into existing blocks, in groups of neighbouring blocks of one level. A group has one run
/// of nodes for each height of its blocks, from the slots up to the blocks' tops.
#[derive(Clone, Debug)]
struct Writes<S: Suite> {
    /// The runs of all groups: numbers of nodes in ascending order, with their new contents. Nodes
    /// of one height are counted from the start of the level.
    nodes: Vec<(u64, S::Digest)>,
    /// The ends of the runs in `nodes`.
    ends: Vec<usize>,
    /// The level of each group.
    levels: Vec<u8>,
}

impl<S: Suite> Writes<S> {
    fn end_run(&mut self) {
        self.ends.push(self.nodes.len());
    }
}

/// Buffers that are reused for all groups of a level.
#[derive(Default)]
struct Scratch<'a, S: Suite> {
    /// The blocks of the group, in ascending order of their numbers.
    frames: Vec<(u64, FrameRef<'a, S>)>,
    /// The changing nodes of one height, as pairs of number in the level and new digest.
    nodes: Vec<(u64, S::Digest)>,
    /// The contents of the unchanged siblings of `nodes`, in the same order.
    siblings: Vec<Option<S::Digest>>,
}

impl<S: Suite> Plan<S> {
    /// Returns the new state of the entry `id`, or `None` if the plan does not change this entry.
    pub(crate) fn shown(&self, id: u64) -> Option<EntryState<S>> {
        let place = self.changes.binary_search_by_key(&id, |change| change.id);
        let change = self.changes.get(place.ok()?)?;
        Some(change.shown)
    }

    /// Fills a new block with `slots` (pairs of slot and content), and returns the block's digest.
    fn fill(&mut self, place: Place, slots: &[(u64, S::Digest)]) -> S::Digest {
        let mut frame = Frame::empty(self.grid.capacity());
        for (slot, content) in slots {
            frame.set_slot(in_block(*slot, self.grid.step), *content);
        }
        frame.fill(place, self.grid.slots_of(place));
        let top = frame.top();
        self.new_blocks.push((place, frame));
        top
    }

    /// Hashes the nodes above the changing slots of a group of existing blocks, each once, and
    /// plans the writes. Leaves the numbers and new digests of the blocks in `scratch.nodes`.
    ///
    /// Hashes height by height: the nodes of one height do not depend on each other, so the
    /// processor overlaps their hashes, and the memory reads of their siblings.
    fn hash(&mut self, level: u8, slots: &[(u64, S::Digest)], scratch: &mut Scratch<'_, S>) {
        let Grid { step, .. } = self.grid;
        let Scratch {
            frames,
            nodes,
            siblings,
        } = scratch;
        let leaf = |slot, content| Frame::<S>::leaf(level, slot, content);
        let leaves = slots.iter();
        let leaves = leaves.map(|(slot, content)| (*slot, leaf(*slot, *content)));
        nodes.clear();
        nodes.extend(leaves);
        self.written.levels.push(level);
        self.written.nodes.extend_from_slice(slots);
        self.written.end_run();
        for height in 0..step {
            let numbers = step * u32::from(level) + height;
            let depth = step - height;
            let mut frames = frames.iter().peekable();
            fetch(nodes, siblings, |number| {
                let block = number >> depth;
                while frames.next_if(|(before, _)| *before < block).is_some() {}
                let (_, frame) = frames.peek()?;
                let exists = self.grid.has(numbers, number);
                exists.then(|| frame.get(index_of(step, height, number)))
            });
            join::<S>(nodes, siblings, |number, content| match height {
                0 => leaf(number, content),
                _ => content,
            });
            self.written.nodes.extend_from_slice(nodes);
            self.written.end_run();
        }
    }
}

/// Returns the heap index, in a block of `2^step` slots, of the node with this height above the
/// slots and this number in the level.
fn index_of(step: u32, height: u32, number: u64) -> usize {
    let depth = step.saturating_sub(height);
    1_usize.unbounded_shl(depth) | in_block(number, depth)
}

/// Returns whether the first two of `nodes` are siblings.
fn are_halves<D>(nodes: &[(u64, D)]) -> bool {
    matches!(nodes, [(left, _), (right, _), ..] if left ^ 1 == *right)
}

/// Collects the contents of the siblings of `nodes` that do not change; `None` for a sibling that
/// does not exist. Reads all contents before the first is hashed, so that the processor overlaps
/// the memory reads.
fn fetch<D>(
    nodes: &[(u64, D)],
    siblings: &mut Vec<Option<D>>,
    mut content: impl FnMut(u64) -> Option<D>,
) {
    siblings.clear();
    let mut rest = nodes;
    while let [(number, _), others @ ..] = rest {
        if are_halves(rest) {
            rest = others.get(1..).unwrap_or_default();
        } else {
            siblings.push(content(number ^ 1));
            rest = others;
        }
    }
}

/// Replaces `nodes`, the changing nodes of one height, by their parents. `digest` returns the
/// digest of a sibling with this number and content.
fn join<S: Suite>(
    nodes: &mut Vec<(u64, S::Digest)>,
    siblings: &[Option<S::Digest>],
    digest: impl Fn(u64, S::Digest) -> S::Digest,
) {
    let mut siblings = siblings.iter().copied();
    let (mut from, mut to) = (0, 0);
    while let Some(rest @ [(number, node), ..]) = nodes.get(from..) {
        let (number, node) = (*number, *node);
        let above = match rest {
            [_, (_, right), ..] if are_halves(rest) => {
                from += 1;
                joined::<S>(node, Some(*right))
            }
            _ => {
                let sibling = siblings.next().flatten();
                match sibling.map(|content| digest(number ^ 1, content)) {
                    Some(left) if number & 1 == 1 => joined::<S>(left, Some(node)),
                    right => joined::<S>(node, right),
                }
            }
        };
        from += 1;
        if let Some(place) = nodes.get_mut(to) {
            *place = (number >> 1, above);
        }
        to += 1;
    }
    nodes.truncate(to);
}

impl<S: Suite> Blocks<S> {
    /// Plans changes that were checked. `registered` is the number of entries after them.
    ///
    /// Time: one hash for each changing inner node, and one for each changing entry.
    pub(crate) fn plan(
        &self,
        changes: Vec<Change<S>>,
        registered: u64,
    ) -> Result<Plan<S>, StoreFault> {
        let old = self.grid;
        let grid = Grid { registered, ..old };
        let height = usize::try_from(grid.height()).unwrap_or(0);
        let written = Writes {
            nodes: Vec::with_capacity(changes.len().saturating_add(height + 4)),
            ends: Vec::with_capacity(height + 4),
            levels: Vec::with_capacity(4),
        };
        let mut plan = Plan {
            written,
            new_blocks: Vec::new(),
            root: self.root,
            grid,
            changes,
        };
        let mut slots: Vec<_> = plan
            .changes
            .iter()
            .map(|change| (change.id, change.shown.unwrap_or_default()))
            .collect();
        match *slots.as_slice() {
            [] => return Ok(plan),
            [(id, object)] if id >> grid.step < old.blocks(0) => {
                self.hash_path(&mut plan, id, object)?;
                return Ok(plan);
            }
            _ => {}
        }
        for level in 0..grid.levels() {
            if level == old.levels()
                && old.registered > 0
                && slots.first().is_none_or(|slot| slot.0 > 0)
            {
                // The tree gets a new level, and the old topmost block has not changed.
                slots.insert(0, (0, self.reader().node(old.height(), 0)?));
            }
            let block_of = |slot: &(u64, S::Digest)| slot.0 >> grid.step;
            let changed = slots.partition_point(|slot| block_of(slot) < old.blocks(level));
            let (changed, new) = slots.split_at(changed);
            let mut tops = self.hash_changed(&mut plan, level, changed)?;
            for inside in new.chunk_by(|slot, next| block_of(slot) == block_of(next)) {
                let block = inside.first().map_or(0, block_of);
                tops.push((block, plan.fill(Place { level, block }, inside)));
            }
            slots = tops;
        }
        let top = slots.first().map(|(_, top)| *top);
        plan.root = root_digest::<S>(registered, &top.unwrap_or_default());
        Ok(plan)
    }

    /// Plans the changes of slots in existing blocks of a level, in groups of blocks. Returns the
    /// numbers of these blocks and their new digests.
    fn hash_changed(
        &self,
        plan: &mut Plan<S>,
        level: u8,
        mut slots: &[(u64, S::Digest)],
    ) -> Result<Vec<(u64, S::Digest)>, StoreFault> {
        let step = plan.grid.step;
        let block_of = |slot: &(u64, S::Digest)| slot.0 >> step;
        let most = GROUP.unbounded_shr(step).max(1);
        let mut scratch = Scratch::default();
        let mut tops = Vec::with_capacity(1);
        while let Some(last) = slots.get(most - 1).or(slots.last()).map(block_of) {
            let group = slots.partition_point(|slot| block_of(slot) <= last);
            let (group, rest) = slots.split_at(group);
            scratch.frames.clear();
            for inside in group.chunk_by(|slot, next| block_of(slot) == block_of(next)) {
                let block = inside.first().map_or(0, block_of);
                let frame = self.frame(Place { level, block })?;
                scratch.frames.push((block, frame));
            }
            plan.hash(level, group, &mut scratch);
            tops.extend_from_slice(&scratch.nodes);
            slots = rest;
        }
        Ok(tops)
    }

    /// Plans a single change of the entry `id` in an existing block. The positions of the siblings
    /// on its path follow from the id. All siblings are therefore fetched before the first is
    /// hashed.
    fn hash_path(&self, plan: &mut Plan<S>, id: u64, object: S::Digest) -> Result<(), StoreFault> {
        let Grid { step, registered } = plan.grid;
        let mut siblings = [None; 64];
        self.reader().visit_siblings(id, 0, |height, digest| {
            let place = usize::try_from(height).ok();
            if let Some(sibling) = place.and_then(|place| siblings.get_mut(place)) {
                *sibling = Some(digest);
            }
        })?;
        let mut siblings = siblings.into_iter();
        let mut digest = entry_digest::<S>(EntryId::new(id), shown::<S>(object).as_ref());
        for level in 0..plan.grid.levels() {
            let slot = id >> (step * u32::from(level));
            let content = if level == 0 { object } else { digest };
            plan.written.levels.push(level);
            plan.written.nodes.push((slot, content));
            plan.written.end_run();
            for (above, sibling) in (0..step).zip(&mut siblings) {
                let number = slot >> above;
                digest = match sibling {
                    Some(left) if number & 1 == 1 => joined::<S>(left, Some(digest)),
                    right => joined::<S>(digest, right),
                };
                plan.written.nodes.push((number >> 1, digest));
                plan.written.end_run();
            }
        }
        plan.root = root_digest::<S>(registered, &digest);
        Ok(())
    }

    /// Writes the changes of a plan, block by block in ascending order of places.
    pub(crate) fn commit(&mut self, plan: &mut Plan<S>) -> Result<(), StoreFault> {
        let Writes {
            nodes,
            ends,
            levels,
        } = &plan.written;
        let Grid { step, .. } = plan.grid;
        let heights = usize::try_from(step).unwrap_or(0) + 1;
        let mut new_blocks = plan.new_blocks.drain(..).peekable();
        let mut start = 0;
        for (level, ends) in levels.iter().zip(ends.chunks_exact(heights)) {
            let run = |end: &usize| {
                let run = nodes.get(start..*end).unwrap_or_default();
                start = *end;
                run
            };
            let mut runs: Vec<_> = ends.iter().map(run).collect();
            while let Some((slot, _)) = runs.first().and_then(|slots| slots.first()) {
                let (level, block) = (*level, slot >> step);
                let place = Place { level, block };
                // Write blocks of lower levels first: a block that is read is compared with the
                // level above, which must still be the old one.
                while let Some((place, frame)) = new_blocks.next_if(|(new, _)| *new < place) {
                    self.push(plan.grid, place, frame)?;
                }
                self.change(plan.grid, place, |frame| {
                    for (height, run) in (0..).zip(&mut runs) {
                        while let [(number, content), rest @ ..] = *run
                            && number >> (step - height) == block
                        {
                            frame.set(index_of(step, height, *number), *content);
                            *run = rest;
                        }
                    }
                })?;
            }
        }
        for (place, frame) in new_blocks {
            self.push(plan.grid, place, frame)?;
        }
        self.grid = plan.grid;
        self.root = plan.root;
        Ok(())
    }
}
