//! Plans: the result of changes of entries, computed before any block is changed.

use pad_core::{StoreFault, Suite};

use super::{
    Blocks,
    frame::{Frame, joined, shown},
    grid::{Grid, in_block},
};
use crate::{
    entry::{EntryId, EntryState, entry_digest, root_digest},
    operations::Change,
    strategy::Place,
};

/// Checked changes of entries, the writes into blocks that they need, and the new layout and root.
#[derive(Clone, Debug)]
pub(crate) struct Plan<S: Suite> {
    pub(crate) changes: Vec<Change<S>>,
    pub(crate) grid: Grid,
    pub(crate) root: S::Digest,
    /// Writes into existing blocks, in ascending order of the blocks' places.
    written: Vec<Written<S>>,
    /// New blocks with their places, in ascending order of the places.
    new_blocks: Vec<(Place, Frame<S>)>,
}

/// A write of one slot or inner node: the place of the block, the index in the block, and the new
/// content.
#[derive(Clone, Copy, Debug)]
struct Written<S: Suite> {
    place: Place,
    index: usize,
    content: S::Digest,
}

/// Buffers that are reused for all blocks of a plan.
struct Scratch<S: Suite> {
    /// The changing nodes of one height of a block, as pairs of heap index and new digest.
    nodes: Vec<(usize, S::Digest)>,
    /// The digests of the unchanged siblings of `nodes`, in the same order.
    siblings: Vec<S::Digest>,
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

    /// Hashes the nodes above the changing slots of an existing block, each once, and plans the
    /// writes. Returns the block's new digest.
    fn hash(
        &mut self,
        (place, frame): (Place, &Frame<S>),
        slots: &[(u64, S::Digest)],
        scratch: &mut Scratch<S>,
    ) -> S::Digest {
        let step = self.grid.step;
        let count = self.grid.slots_of(place);
        let Scratch { nodes, siblings } = scratch;
        nodes.clear();
        for (slot, content) in slots {
            let slot = in_block(*slot, step);
            let index = frame.capacity() | slot;
            self.written.push(Written {
                place,
                index,
                content: *content,
            });
            nodes.push((
                index,
                Frame::<S>::leaf(frame.capacity(), place, slot, *content),
            ));
        }
        for height in 0..step {
            let exists = |index: usize| (index & (first_of(step, height) - 1)) << height < count;
            fetch(nodes, siblings, |index| {
                exists(index).then(|| match height {
                    0 => {
                        let slot = index ^ frame.capacity();
                        Frame::<S>::leaf(frame.capacity(), place, slot, frame.get(index))
                    }
                    _ => frame.get(index),
                })
            });
            join::<S>(nodes, siblings, exists);
            let written = nodes.iter().map(|(index, content)| Written {
                place,
                index: *index,
                content: *content,
            });
            self.written.extend(written);
        }
        nodes.first().map_or_else(S::Digest::default, |top| top.1)
    }
}

/// Returns the heap index of the first node of this height in a block of `2^step` slots.
fn first_of(step: u32, height: u32) -> usize {
    1_usize.unbounded_shl(step.saturating_sub(height))
}

/// Returns whether the first two of `nodes` are siblings.
fn are_halves<D>(nodes: &[(usize, D)]) -> bool {
    matches!(nodes, [(left, _), (right, _), ..] if left ^ 1 == *right)
}

/// Collects the digests of those siblings of `nodes` that exist and do not change. Reads all
/// digests before the first is hashed, so that the processor overlaps the memory reads.
fn fetch<D>(nodes: &[(usize, D)], siblings: &mut Vec<D>, digest: impl Fn(usize) -> Option<D>) {
    siblings.clear();
    let mut rest = nodes;
    while let [(index, _), others @ ..] = rest {
        if are_halves(rest) {
            rest = others.get(1..).unwrap_or_default();
        } else {
            siblings.extend(digest(index ^ 1));
            rest = others;
        }
    }
}

/// Replaces `nodes`, the changing nodes of one height, by their parents.
fn join<S: Suite>(
    nodes: &mut Vec<(usize, S::Digest)>,
    siblings: &[S::Digest],
    exists: impl Fn(usize) -> bool,
) {
    let mut siblings = siblings.iter().copied();
    let (mut from, mut to) = (0, 0);
    while let Some(rest @ [(index, digest), ..]) = nodes.get(from..) {
        let (index, digest) = (*index, *digest);
        let above = match rest {
            [_, (_, right), ..] if are_halves(rest) => {
                from += 1;
                joined::<S>(digest, Some(*right))
            }
            _ if index & 1 == 1 => joined::<S>(siblings.next().unwrap_or_default(), Some(digest)),
            _ if exists(index ^ 1) => joined::<S>(digest, siblings.next()),
            _ => digest,
        };
        from += 1;
        if let Some(place) = nodes.get_mut(to) {
            *place = (index >> 1, above);
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
        let levels = usize::try_from(grid.height()).unwrap_or(0) + 1;
        let mut plan = Plan {
            written: Vec::with_capacity(changes.len().saturating_add(levels)),
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
        let mut scratch = Scratch {
            nodes: Vec::new(),
            siblings: Vec::new(),
        };
        for level in 0..grid.levels() {
            if level == old.levels()
                && old.registered > 0
                && slots.first().is_none_or(|slot| slot.0 > 0)
            {
                // The tree gets a new level, and the old topmost block has not changed.
                slots.insert(0, (0, self.reader().node(old.height(), 0)?));
            }
            let mut tops = Vec::with_capacity(1);
            for inside in
                slots.chunk_by(|(slot, _), (next, _)| slot >> grid.step == next >> grid.step)
            {
                let block = inside.first().map_or(0, |(slot, _)| slot >> grid.step);
                let place = Place { level, block };
                let top = if block < old.blocks(level) {
                    let frame = self.frame(place)?;
                    plan.hash((place, &frame), inside, &mut scratch)
                } else {
                    plan.fill(place, inside)
                };
                tops.push((block, top));
            }
            slots = tops;
        }
        let top = slots.first().map(|(_, top)| *top);
        plan.root = root_digest::<S>(registered, &top.unwrap_or_default());
        Ok(plan)
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
            let block = slot >> step;
            let place = Place { level, block };
            let slot = plan.grid.capacity() | in_block(slot, step);
            let content = if level == 0 { object } else { digest };
            plan.written.push(Written {
                place,
                index: slot,
                content,
            });
            for (above, sibling) in (0..step).zip(&mut siblings) {
                let index = slot >> above;
                digest = match sibling {
                    Some(left) if index & 1 == 1 => joined::<S>(left, Some(digest)),
                    right => joined::<S>(digest, right),
                };
                let (index, content) = (index >> 1, digest);
                plan.written.push(Written {
                    place,
                    index,
                    content,
                });
            }
        }
        plan.root = root_digest::<S>(registered, &digest);
        Ok(())
    }

    /// Writes the changes of a plan, block by block in ascending order of places.
    pub(crate) fn commit(&mut self, plan: &mut Plan<S>) -> Result<(), StoreFault> {
        let mut new_blocks = plan.new_blocks.drain(..).peekable();
        for written in plan.written.chunk_by(|one, next| one.place == next.place) {
            let Some(Written { place, .. }) = written.first() else {
                continue;
            };
            // Write blocks of lower levels first: a block that is read is compared with the level
            // above, which must still be the old one.
            while let Some((place, frame)) = new_blocks.next_if(|(new, _)| new < place) {
                self.push(plan.grid, place, frame)?;
            }
            self.change(plan.grid, *place, |frame| {
                for Written { index, content, .. } in written {
                    frame.set(*index, *content);
                }
            })?;
        }
        for (place, frame) in new_blocks {
            self.push(plan.grid, place, frame)?;
        }
        self.grid = plan.grid;
        self.root = plan.root;
        Ok(())
    }
}
