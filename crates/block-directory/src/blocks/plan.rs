//! Plans: the result of changes of entries, computed before any block is changed.

use core::hint::black_box;

use pad_core::{Operation, StoreFault, Suite};

use super::{
    Blocks,
    frame::{Frame, shown},
    grid::{Grid, in_block, to_u64},
    read::FrameRef,
};
use crate::{
    entry::{self, EntryState, root_digest, slot_digest},
    operations::{Change, EntryChanges},
    strategy::Place,
};

/// The number of slots of the blocks that are hashed together. A directory in files holds a group
/// of blocks in memory.
const GROUP: usize = 1 << 14;

/// Checked changes of entries, the writes into blocks that they need, and the new layout and root.
#[derive(Clone, Debug)]
pub(crate) struct Plan<S: Suite> {
    /// The number of entries before the changes.
    before: u64,
    pub(crate) grid: Grid,
    pub(crate) root: S::Digest,
    /// The changing slots of existing blocks of level 0, with their new contents, in ascending
    /// order: changed entries, then the new entries in the last block.
    slots: Vec<(u64, S::Digest)>,
    /// The objects of all new entries.
    appended: Vec<S::Digest>,
    /// The new digests on the path above a single change, if all its blocks exist: for each level,
    /// those of the slot and of the nodes above it in its block. Other changes are in `written`.
    path: Vec<S::Digest>,
    /// Writes into existing blocks, in ascending order of the blocks' places.
    written: Writes<S>,
    /// New blocks with their places, in ascending order of the places.
    new_blocks: Vec<(Place, Frame<S>)>,
}

/// Writes into existing blocks, in groups of neighbouring blocks of one level. A group has one run
/// of nodes for each height of its blocks, from the slots up to the blocks' tops.
#[derive(Clone, Debug, Default)]
struct Writes<S: Suite> {
    /// The runs of all groups: numbers of nodes in ascending order, with their new digests. Nodes
    /// of one height are counted from the start of the level. On level 0, a group's first run
    /// contains the digests of entries, which blocks do not store: [`Plan::slots`] has their
    /// contents.
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

    /// Hashes the parents of the last run, which starts at `from`, and adds them as the next run.
    /// `sibling` returns the digest of the sibling with this number, which does not change. `None`
    /// if there is no such node.
    ///
    /// The nodes of one height do not depend on each other, so the processor overlaps their hashes.
    fn join(&mut self, mut from: usize, mut sibling: impl FnMut(u64) -> Option<S::Digest>) {
        let end = self.nodes.len();
        while from < end
            && let Some((number, node)) = self.nodes.get(from).copied()
        {
            let next = (from + 1 < end).then(|| self.nodes.get(from + 1)).flatten();
            let other = match next {
                Some((right, digest)) if number ^ 1 == *right => {
                    from += 1;
                    Some(*digest)
                }
                _ => sibling(number ^ 1),
            };
            from += 1;
            self.nodes
                .push((number >> 1, parent::<S>(number, node, other)));
        }
        self.end_run();
    }
}

/// Buffers that are reused for all groups of a level.
#[derive(Default)]
struct Scratch<'a, S: Suite> {
    /// The blocks of the group, in ascending order of their numbers.
    frames: Vec<(u64, FrameRef<'a, S>)>,
    /// The digests of the unchanged entries next to changing ones; `None` for an entry that does
    /// not exist.
    siblings: Vec<Option<S::Digest>>,
}

impl<S: Suite> Plan<S> {
    /// Returns the new state of the entry `id`, or `None` if the plan does not change this entry.
    pub(crate) fn shown(&self, id: u64) -> Option<EntryState<S>> {
        if let Some(place) = id.checked_sub(self.before) {
            let place = usize::try_from(place).ok();
            let object = place.and_then(|place| self.appended.get(place));
            return object.map(|object| Some(*object));
        }
        let place = self.slots.binary_search_by_key(&id, |slot| slot.0);
        let (_, content) = self.slots.get(place.ok()?)?;
        Some(shown::<S>(*content))
    }

    /// Returns the number of slots in `slots` of entries that existed before.
    fn changed(&self) -> usize {
        self.slots.partition_point(|slot| slot.0 < self.before)
    }

    /// Returns the changes as the operations of an update.
    pub(crate) fn operations(&self) -> Vec<Operation> {
        let changed = self.slots.iter().take(self.changed());
        let changed = changed.map(|(id, content)| (*id, shown::<S>(*content)));
        let appended = self.appended.iter().map(|object| Some(*object));
        let changes = changed.chain((self.before..).zip(appended));
        let count = self.changed().saturating_add(self.appended.len());
        let mut operations = Vec::with_capacity(count);
        operations.extend(changes.map(|(id, shown)| Change::<S> { id, shown }.to_operation()));
        operations
    }

    /// Returns the changes, for another plan.
    pub(crate) fn into_changes(mut self) -> EntryChanges<S> {
        self.slots.truncate(self.changed());
        EntryChanges {
            changed: self.slots,
            appended: self.appended,
        }
    }

    /// Adds a new block, whose slots are filled but not hashed. Returns the block's digest.
    fn add(&mut self, place: Place, mut frame: Frame<S>) -> S::Digest {
        frame.fill(place, self.grid.slots_of(place));
        let top = frame.top();
        self.new_blocks.push((place, frame));
        top
    }

    /// Hashes the nodes above the changing slots of a group of existing blocks, each once, and
    /// plans the writes. The last run contains the numbers and new digests of the blocks.
    fn hash(&mut self, level: u8, slots: &[(u64, S::Digest)], scratch: &mut Scratch<'_, S>) {
        let Grid { step, .. } = self.grid;
        let Scratch { frames, siblings } = scratch;
        touch(step, slots, frames);
        let leaf = |(slot, content): &(u64, S::Digest)| match level {
            0 => (*slot, slot_digest::<S>(*slot, content)),
            _ => (*slot, *content),
        };
        let written = &mut self.written;
        let mut start = written.nodes.len();
        written.levels.push(level);
        written.nodes.extend(slots.iter().map(leaf));
        written.end_run();
        for height in 0..step {
            let end = written.nodes.len();
            let count = self.grid.numbers(step * u32::from(level) + height);
            let mut frames = frames.iter().peekable();
            let mut content = |number| {
                let block = number >> (step - height);
                while frames.next_if(|(before, _)| *before < block).is_some() {}
                let (_, frame) = frames.peek()?;
                (number < count).then(|| frame.get(index_of(step, height, number)))
            };
            if level == 0 && height == 0 {
                // Hash all entries before the first node over them, like the nodes of one height.
                let run = written.nodes.get(start..).unwrap_or_default();
                siblings.clear();
                siblings.extend(alone(run).map(|number| {
                    let content = content(number)?;
                    Some(slot_digest::<S>(number, &content))
                }));
                let mut siblings = siblings.iter().copied();
                written.join(start, |_| siblings.next().flatten());
            } else {
                written.join(start, content);
            }
            start = end;
        }
    }
}

/// Loads the nodes on the paths above `slots` into the processor's caches, all at once.
fn touch<S: Suite>(step: u32, slots: &[(u64, S::Digest)], frames: &[(u64, FrameRef<'_, S>)]) {
    let mut read = 0;
    let mut slots = slots.iter().peekable();
    for (block, frame) in frames {
        let mut before = None;
        while let Some((slot, _)) = slots.next_if(|(slot, _)| slot >> step == *block) {
            let slot = in_block(*slot, step);
            read ^= frame.touch(slot, before);
            before = Some(slot);
        }
    }
    black_box(read);
}

/// Returns the numbers of the siblings of a run of nodes that are not in the run.
fn alone<D>(nodes: &[(u64, D)]) -> impl Iterator<Item = u64> {
    let mut rest = nodes;
    core::iter::from_fn(move || {
        while let [(number, _), others @ ..] = rest {
            if let [(right, _), others @ ..] = others
                && number ^ 1 == *right
            {
                rest = others;
            } else {
                rest = others;
                return Some(number ^ 1);
            }
        }
        None
    })
}

/// Returns the digest of the node over two siblings, one of which has the given number. Without the
/// other, this is the digest of the one.
#[inline]
fn parent<S: Suite>(number: u64, node: S::Digest, other: Option<S::Digest>) -> S::Digest {
    match other {
        Some(left) if number & 1 == 1 => entry::node::<S>(&left, &node),
        Some(right) => entry::node::<S>(&node, &right),
        None => node,
    }
}

/// Returns the heap index, in a block of `2^step` slots, of the node with this height above the
/// slots and this number in the level.
fn index_of(step: u32, height: u32, number: u64) -> usize {
    let depth = step.saturating_sub(height);
    1_usize.unbounded_shl(depth) | in_block(number, depth)
}

impl<S: Suite> Blocks<S> {
    /// Prepares the plan of checked changes. [`Blocks::compute`] computes it.
    pub(crate) fn plan(&self, changes: EntryChanges<S>) -> Plan<S> {
        let EntryChanges { changed, appended } = changes;
        let before = self.registered();
        let registered = before.saturating_add(to_u64(appended.len()));
        let grid = Grid {
            registered,
            ..self.grid
        };
        Plan {
            before,
            grid,
            root: self.root,
            slots: changed,
            appended,
            path: Vec::new(),
            written: Writes::default(),
            new_blocks: Vec::new(),
        }
    }

    /// Computes the writes, the new blocks and the root of a plan.
    ///
    /// Time: one hash for each changing inner node, and one for each changing entry.
    pub(crate) fn compute(&self, plan: &mut Plan<S>) -> Result<(), StoreFault> {
        let (old, grid) = (self.grid, plan.grid);
        match *plan.slots.as_slice() {
            [] if plan.appended.is_empty() => return Ok(()),
            [(id, object)] if plan.appended.is_empty() => {
                return self.hash_path(plan, id, object);
            }
            _ => {}
        }
        if let ([], [object]) = (plan.slots.as_slice(), plan.appended.as_slice())
            && old.registered >> grid.step < old.blocks(0)
        {
            let slot = (old.registered, *object);
            plan.slots.push(slot);
            return self.hash_path(plan, slot.0, slot.1);
        }
        let mut slots = self.compute_entries(plan)?;
        for level in 1..grid.levels() {
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
            let mut tops = self.hash_changed(plan, level, changed)?;
            for inside in new.chunk_by(|slot, next| block_of(slot) == block_of(next)) {
                let block = inside.first().map_or(0, block_of);
                let mut frame = Frame::empty(grid.capacity());
                for (slot, content) in inside {
                    frame.set_slot(in_block(*slot, grid.step), *content);
                }
                tops.push((block, plan.add(Place { level, block }, frame)));
            }
            slots = tops;
        }
        let top = slots.first().map(|(_, top)| *top);
        plan.root = root_digest::<S>(grid.registered, &top.unwrap_or_default());
        Ok(())
    }

    /// Computes the changes of level 0. Returns the numbers of its changed and new blocks, and
    /// their new digests.
    fn compute_entries(&self, plan: &mut Plan<S>) -> Result<Vec<(u64, S::Digest)>, StoreFault> {
        let (old, grid) = (self.grid, plan.grid);
        let free = old
            .blocks(0)
            .unbounded_shl(grid.step)
            .saturating_sub(old.registered);
        let appended = core::mem::take(&mut plan.appended);
        let free = usize::try_from(free)
            .unwrap_or(usize::MAX)
            .min(appended.len());
        let (last, new) = appended.split_at(free);
        let last = (old.registered..).zip(last.iter().copied());
        plan.slots.extend(last);
        let slots = core::mem::take(&mut plan.slots);
        plan.written.nodes.reserve(slots.len());
        let tops = self.hash_changed(plan, 0, &slots);
        plan.slots = slots;
        let mut tops = match tops {
            Ok(tops) => tops,
            Err(fault) => {
                plan.appended = appended;
                return Err(fault);
            }
        };
        for (block, contents) in (old.blocks(0)..).zip(new.chunks(grid.capacity())) {
            let mut frame = Frame::empty(grid.capacity());
            frame.set_first(contents);
            tops.push((block, plan.add(Place { level: 0, block }, frame)));
        }
        plan.appended = appended;
        Ok(tops)
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
            let written = &plan.written;
            let start = written.nodes.len().saturating_sub(scratch.frames.len());
            tops.extend_from_slice(written.nodes.get(start..).unwrap_or_default());
            slots = rest;
        }
        Ok(tops)
    }

    /// Computes a single change of the entry `id` in an existing block. The positions of the
    /// siblings on its path follow from the id. All siblings are therefore loaded before the first
    /// is hashed.
    fn hash_path(&self, plan: &mut Plan<S>, id: u64, object: S::Digest) -> Result<(), StoreFault> {
        let Grid { step, .. } = plan.grid;
        let levels = plan.grid.levels();
        let slot_of = |level: u8| id >> (step * u32::from(level));
        let frame = |level| {
            let block = slot_of(level) >> step;
            self.frame(Place { level, block })
        };
        let mut read = 0;
        for level in 0..levels {
            read ^= frame(level)?.touch(in_block(slot_of(level), step), None);
        }
        black_box(read);
        let heights = plan.grid.height() + u32::from(levels);
        let mut path = Vec::with_capacity(usize::try_from(heights).unwrap_or(0));
        let mut digest = slot_digest::<S>(id, &object);
        for level in 0..levels {
            let (slot, frame) = (slot_of(level), frame(level)?);
            path.push(digest);
            for height in 0..step {
                let number = slot >> height;
                let count = self.grid.numbers(step * u32::from(level) + height);
                let sibling = (number ^ 1 < count).then(|| {
                    let content = frame.get(index_of(step, height, number ^ 1));
                    if level == 0 && height == 0 {
                        return slot_digest::<S>(number ^ 1, &content);
                    }
                    content
                });
                digest = parent::<S>(number, digest, sibling);
                path.push(digest);
            }
        }
        plan.path = path;
        plan.root = root_digest::<S>(plan.grid.registered, &digest);
        Ok(())
    }

    /// Writes the path above a single change.
    fn commit_path(&mut self, plan: &Plan<S>) -> Result<(), StoreFault> {
        let Grid { step, .. } = plan.grid;
        let heights = usize::try_from(step).unwrap_or(0) + 1;
        let Some((id, content)) = plan.slots.first() else {
            return Ok(());
        };
        for (level, path) in (0..).zip(plan.path.chunks_exact(heights)) {
            let slot = id >> (step * u32::from(level));
            let block = slot >> step;
            self.change(plan.grid, Place { level, block }, |frame| {
                for (height, digest) in (0..).zip(path) {
                    if level == 0 && height == 0 {
                        frame.set_entry(in_block(slot, step), *content);
                    } else {
                        frame.set(index_of(step, height, slot >> height), *digest);
                    }
                }
            })?;
        }
        Ok(())
    }

    /// Writes the changes of a plan, block by block in ascending order of places.
    pub(crate) fn commit(&mut self, plan: &mut Plan<S>) -> Result<(), StoreFault> {
        if plan.path.is_empty() {
            self.commit_groups(plan)?;
        } else {
            self.commit_path(plan)?;
        }
        self.grid = plan.grid;
        self.root = plan.root;
        Ok(())
    }

    /// Writes the changes of groups of blocks, and adds the new blocks.
    fn commit_groups(&mut self, plan: &mut Plan<S>) -> Result<(), StoreFault> {
        let Writes {
            nodes,
            ends,
            levels,
        } = &plan.written;
        let Grid { step, .. } = plan.grid;
        let heights = usize::try_from(step).unwrap_or(0) + 1;
        let mut new_blocks = plan.new_blocks.drain(..).peekable();
        let mut entries = plan.slots.as_slice();
        let mut start = 0;
        for (level, ends) in levels.iter().zip(ends.chunks_exact(heights)) {
            let run = |end: &usize| {
                let run = nodes.get(start..*end).unwrap_or_default();
                start = *end;
                run
            };
            let mut runs: Vec<_> = ends.iter().map(run).collect();
            if let (0, [leaves, ..]) = (*level, runs.as_mut_slice()) {
                let (contents, rest) = entries.split_at_checked(leaves.len()).unwrap_or_default();
                (*leaves, entries) = (contents, rest);
            }
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
                            if height == 0 && level == 0 {
                                frame.set_entry(in_block(*number, step), *content);
                            } else {
                                frame.set(index_of(step, height, *number), *content);
                            }
                            *run = rest;
                        }
                    }
                })?;
            }
        }
        for (place, frame) in new_blocks {
            self.push(plan.grid, place, frame)?;
        }
        Ok(())
    }
}
