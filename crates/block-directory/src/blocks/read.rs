//! Reads of nodes and entries from blocks, and collection of the contents of proofs.

use core::ops::{Deref, Range};
use std::sync::Arc;

use pad_core::{StoreFault, Suite};

use super::{
    Blocks,
    frame::{Frame, shown},
    grid::{Grid, in_block},
};
use crate::{
    entry::{EntryId, EntryState, entry_digest},
    shape::{self, RequestedIds, Visitor},
    strategy::Place,
};

/// A reference to a block that is being read.
#[derive(Debug)]
pub(crate) enum FrameRef<'a, S: Suite> {
    /// A block that stays in memory.
    Pinned(&'a Frame<S>),
    /// A cached block, which the cache may evict while it is read.
    Cached(Arc<Frame<S>>),
}

impl<S: Suite> Deref for FrameRef<'_, S> {
    type Target = Frame<S>;

    fn deref(&self) -> &Frame<S> {
        match self {
            Self::Pinned(frame) => frame,
            Self::Cached(frame) => frame,
        }
    }
}

/// Reads nodes one after the other. Keeps a reference to the last block read, because consecutive
/// nodes of a path often lie in one block.
#[derive(Debug)]
pub(crate) struct Reader<'a, S: Suite> {
    blocks: &'a Blocks<S>,
    held: Option<(Place, FrameRef<'a, S>)>,
}

impl<S: Suite> Blocks<S> {
    pub(crate) fn reader(&self) -> Reader<'_, S> {
        Reader {
            blocks: self,
            held: None,
        }
    }

    /// Collects the contents of a proof: the states of the requested entries, and the digests of
    /// sibling subtrees.
    pub(crate) fn open(
        &self,
        asked: RequestedIds<'_>,
    ) -> Result<ProofCollector<'_, S>, StoreFault> {
        let mut opened = ProofCollector {
            reader: self.reader(),
            shown: Vec::new(),
            siblings: Vec::new(),
        };
        if let RequestedIds::Ids(&[id]) = asked {
            // The general walk would return the same at a higher cost.
            opened.siblings = opened.reader.siblings_above(id, 0)?;
            opened.shown.push(opened.reader.shown(id)?);
        } else if self.registered() > 0 {
            shape::walk(self.registered(), asked, &mut opened)?;
        }
        Ok(opened)
    }
}

impl<S: Suite> Reader<'_, S> {
    /// Returns the digest of the node with this height and number, which must have entries.
    pub(crate) fn node(&mut self, height: u32, number: u64) -> Result<S::Digest, StoreFault> {
        let (place, index) = self.blocks.grid.locate(height, number);
        let frame = self.hold(place)?;
        let content = frame.get(index);
        if height > 0 {
            return Ok(content);
        }
        let object = shown::<S>(content);
        Ok(entry_digest::<S>(EntryId::new(number), object.as_ref()))
    }

    /// Returns the state of the registered entry `id`.
    pub(crate) fn shown(&mut self, id: u64) -> Result<EntryState<S>, StoreFault> {
        let (place, index) = self.blocks.grid.locate(0, id);
        Ok(shown::<S>(self.hold(place)?.get(index)))
    }

    /// Returns the digests of the siblings on a path, from the top down. The path ends at the node
    /// of this height that covers the entry `id`.
    pub(crate) fn siblings_above(
        &mut self,
        id: u64,
        height: u32,
    ) -> Result<Vec<S::Digest>, StoreFault> {
        let levels = usize::try_from(self.blocks.grid.height()).unwrap_or(0);
        let mut siblings = Vec::with_capacity(levels);
        self.visit_siblings(id, height, |_, digest| siblings.push(digest))?;
        Ok(siblings)
    }

    /// Calls `each` with heights and digests of the siblings on the path to the entry `id`, from
    /// the top down to height `lowest`, inclusive. Looks up each block once.
    pub(crate) fn visit_siblings(
        &mut self,
        id: u64,
        lowest: u32,
        mut each: impl FnMut(u32, S::Digest),
    ) -> Result<(), StoreFault> {
        let grid = self.blocks.grid;
        let levels = (0..grid.levels()).rev();
        for (level, bottom) in levels.map(|level| (level, grid.step * u32::from(level))) {
            if bottom + grid.step <= lowest {
                break;
            }
            let slot = id.unbounded_shr(bottom);
            let block = slot >> grid.step;
            let frame = self.hold(Place { level, block })?;
            let index = frame.capacity() | in_block(slot, grid.step);
            for above in (lowest.saturating_sub(bottom)..grid.step).rev() {
                let (height, number) = (bottom + above, (slot >> above) ^ 1);
                if !grid.has(height, number) {
                    continue;
                }
                let content = frame.get((index >> above) ^ 1);
                let digest = match height {
                    0 => entry_digest::<S>(EntryId::new(number), shown::<S>(content).as_ref()),
                    _ => content,
                };
                each(height, digest);
            }
        }
        Ok(())
    }

    fn hold(&mut self, place: Place) -> Result<&Frame<S>, StoreFault> {
        let held = match self.held.take() {
            Some((held, frame)) if held == place => frame,
            _ => self.blocks.frame(place)?,
        };
        Ok(&self.held.insert((place, held)).1)
    }
}

/// The contents of a proof, collected during the walk over the tree.
#[derive(Debug)]
pub(crate) struct ProofCollector<'a, S: Suite> {
    reader: Reader<'a, S>,
    pub(crate) shown: Vec<EntryState<S>>,
    pub(crate) siblings: Vec<S::Digest>,
}

impl<S: Suite> Visitor for ProofCollector<'_, S> {
    type Digest = ();
    type Error = StoreFault;

    fn elided(&mut self, span: &Range<u64>) -> Result<(), StoreFault> {
        let (height, number) = Grid::node_of(span);
        self.siblings.push(self.reader.node(height, number)?);
        Ok(())
    }

    fn entry(&mut self, id: u64) -> Result<(), StoreFault> {
        self.shown.push(self.reader.shown(id)?);
        Ok(())
    }

    fn joined(&mut self, _: &Range<u64>, (): (), (): ()) {}
}
