//! Builds a list from its blocks, from right to left. Several threads build parts of the list.

use core::ops::Range;

use pad_core::{Digest, Workers};
use rayon::prelude::*;

use super::{
    Block, FlexList, MAX_TOTAL, SENTINEL_LEVEL,
    arena::{self, Arena, Inner, Leaf, Link},
    concat,
    hash::{self, Child, EMPTY, NodeHash},
    pool::{Pool, SEGMENT},
};
use crate::error::UpdateError;

/// The minimum number of blocks in a part that a thread builds. Joining a smaller part costs more
/// than the thread gains.
const SMALLEST_PART: usize = 4096;

impl<H: NodeHash> FlexList<H> {
    /// Builds a list in `O(n)`, on the threads of `workers`.
    ///
    /// The result is independent of the number of threads, hash by hash.
    ///
    /// # Errors
    /// [`UpdateError`]: an empty block, or more blocks or bytes than a list can have.
    ///
    /// Source: Esiner et al. 2013, section 2 (build skip list), section 3.1 (in parallel).
    pub fn build(blocks: &[Block], workers: &Workers) -> Result<Self, UpdateError> {
        // At most one part per thread, and no part below the minimum.
        let parts = workers.threads().min(blocks.len() / SMALLEST_PART).max(1);
        let length = blocks.len().div_ceil(parts).max(1);
        let mut cuts: Vec<usize> = (1..parts).map(|part| part * length).collect();
        cuts.dedup();
        build_parts(blocks, &cuts, workers)
    }
}

/// Builds the list in parts. The first part begins with block 0. Each further part begins at a
/// block position in `cuts` (ascending).
pub(super) fn build_parts<H: NodeHash>(
    blocks: &[Block],
    cuts: &[usize],
    workers: &Workers,
) -> Result<FlexList<H>, UpdateError> {
    let total = check(blocks)?;
    let parts = plan(blocks, cuts);
    let built: Vec<Part> = if parts.len() == 1 {
        parts
            .into_iter()
            .map(|plan| plan.build::<H>(blocks))
            .collect::<Result<_, _>>()?
    } else {
        workers.run(|| {
            parts
                .into_par_iter()
                .map(|plan| plan.build::<H>(blocks))
                .collect::<Result<_, _>>()
        })?
    };
    let mut inners = Vec::new();
    let mut leaves = Vec::new();
    let mut roots = Vec::new();
    for part in built {
        inners.extend(part.inners.segments);
        leaves.extend(part.leaves.segments);
        roots.push(part.root);
    }
    let mut arena = Arena::<H>::new();
    arena.inners = Pool::from_segments(inners);
    arena.leaves = Pool::from_segments(leaves);
    let root = concat::join_all(&mut arena, &roots)?;
    debug_assert_eq!(
        root.rank, total,
        "build: ranks add up to the length of the file"
    );
    Ok(FlexList {
        arena,
        root,
        blocks: u64::try_from(blocks.len()).map_err(|_| UpdateError::ListFull)?,
    })
}

/// Checks that no block is empty and that the file is not too long. Returns the length of the file
/// in bytes.
fn check(blocks: &[Block]) -> Result<u64, UpdateError> {
    let mut total = 0_u64;
    for block in blocks {
        if block.length == 0 {
            return Err(UpdateError::EmptyBlock);
        }
        total = total
            .checked_add(block.length)
            .filter(|total| *total <= MAX_TOTAL)
            .ok_or(UpdateError::FileTooLong)?;
    }
    Ok(total)
}

/// The plan of a part: the range of its blocks, and the number of its inner nodes. `first_inner`
/// and `first_leaf` are the first pool indices of its inner nodes and leaves.
struct Plan {
    blocks: Range<usize>,
    inners: usize,
    first_inner: usize,
    first_leaf: usize,
}

/// Plans the parts that begin at block 0 and at `cuts`. Every part gets whole pool segments, so
/// that node ids are final from the start.
fn plan(blocks: &[Block], cuts: &[usize]) -> Vec<Plan> {
    let mut first_inner = 0;
    let mut first_leaf = 0;
    let mut start = 0;
    let ends = cuts.iter().copied().chain([blocks.len()]);
    ends.map(|end| {
        let part = start..end.clamp(start, blocks.len());
        start = part.end;
        let raised = blocks[part.clone()]
            .iter()
            .filter(|block| block.level.get() > 0)
            .count();
        let plan = Plan {
            inners: raised + 1,
            first_inner,
            first_leaf,
            blocks: part,
        };
        first_inner += plan.inners.next_multiple_of(SEGMENT);
        first_leaf += (plan.blocks.len() + 1).next_multiple_of(SEGMENT);
        plan
    })
    .collect()
}

/// A part built as a separate list: its inner nodes and leaves, which are not in a pool yet, and
/// its root.
struct Part {
    inners: Segments<Inner>,
    leaves: Segments<Leaf>,
    root: Link,
}

/// Records (inner nodes or leaves) of a part, to be moved into a pool. `next` is the pool index of
/// the next record.
struct Segments<T> {
    segments: Vec<Vec<T>>,
    next: usize,
}

impl<T> Segments<T> {
    fn new(next: usize) -> Self {
        let segments = Vec::new();
        Self { segments, next }
    }

    /// Stores a record and returns its future index in the pool. `left` is the number of records
    /// still to store, including this one.
    fn push(&mut self, record: T, left: usize) -> Result<u32, UpdateError> {
        if self
            .segments
            .last()
            .is_none_or(|last| last.len() == SEGMENT)
        {
            self.segments.push(Vec::with_capacity(left.min(SEGMENT)));
        }
        if let Some(last) = self.segments.last_mut() {
            last.push(record);
        }
        let index = u32::try_from(self.next).map_err(|_| UpdateError::ListFull)?;
        self.next += 1;
        Ok(index)
    }
}

/// The top node of a tower (a block's leaf and the inner nodes above it): a link to the node, and
/// its digest.
#[derive(Clone, Copy)]
struct TowerTop {
    link: Link,
    digest: Digest<32>,
}

impl TowerTop {
    const NONE: Self = Self {
        link: Link::NONE,
        digest: EMPTY,
    };

    fn child(&self) -> Child {
        Child {
            rank: self.link.rank,
            digest: self.digest,
        }
    }
}

impl Plan {
    /// Builds the part as a complete list with its own sentinels.
    ///
    /// Blocks are added from right to left. `pending[k]` is then the tower visible from the left at
    /// level `k`. This is the nearest tower exactly `k` high that no higher one hides.
    ///
    /// Source: Esiner et al. 2013, section 2 (build skip list).
    fn build<H: NodeHash>(self, blocks: &[Block]) -> Result<Part, UpdateError> {
        let mut part = Builder::<H> {
            inners: Segments::new(self.first_inner),
            leaves: Segments::new(self.first_leaf),
            pending: [TowerTop::NONE; 64],
            visible: 0,
            leaves_left: self.blocks.len() + 1,
            inners_left: self.inners,
            hash: core::marker::PhantomData,
        };
        let (link, digest) = (Link::RIGHT, hash::right_sentinel::<H>());
        part.set(SENTINEL_LEVEL, TowerTop { link, digest });
        for block in blocks[self.blocks].iter().rev() {
            let level = block.level.get();
            part.tower(block.length, &block.tag_digest, block.label, level)?;
        }
        let root = part.tower(0, &EMPTY, 0, SENTINEL_LEVEL)?;
        Ok(Part {
            inners: part.inners,
            leaves: part.leaves,
            root: root.link,
        })
    }
}

struct Builder<H> {
    inners: Segments<Inner>,
    leaves: Segments<Leaf>,
    pending: [TowerTop; 64],
    /// Bit `k` is 1 if `pending[k]` contains a tower.
    visible: u64,
    leaves_left: usize,
    inners_left: usize,
    hash: core::marker::PhantomData<H>,
}

impl<H: NodeHash> Builder<H> {
    fn set(&mut self, level: u8, top: TowerTop) {
        self.pending[usize::from(level)] = top;
        self.visible |= 1 << level;
    }

    /// Adds a tower of height `level` to the left of all towers added before. Returns its top node.
    fn tower(
        &mut self,
        length: u64,
        tag_digest: &Digest<32>,
        label: u64,
        level: u8,
    ) -> Result<TowerTop, UpdateError> {
        let after = if self.visible & 1 == 1 {
            self.pending[0]
        } else {
            TowerTop::NONE
        };
        let digest = hash::leaf::<H>(length, tag_digest, after.child());
        let leaf = Leaf::new(length, *tag_digest, label, after.link).with_digest(digest);
        let index = self.leaves.push(leaf, self.leaves_left)?;
        self.leaves_left -= 1;
        let node = arena::id(arena::LEAF, index)?;
        let rank = length + after.link.rank;
        let link = Link { node, rank };
        let mut top = TowerTop { link, digest };
        // The levels of visible towers up to this tower's level, without level 0.
        let up_to = u64::MAX >> (63 - level);
        let mut levels = self.visible & up_to & !1;
        while levels != 0 {
            let bit = levels.trailing_zeros();
            levels &= levels - 1;
            let [bit, ..] = bit.to_le_bytes();
            top = self.inner(bit, top)?;
        }
        self.visible &= !(up_to >> 1);
        self.set(level, top);
        Ok(top)
    }

    /// Adds an inner node of this `level` on top of the node `below`, with an after link to the
    /// tower visible at this level. Returns the new node.
    fn inner(&mut self, level: u8, below: TowerTop) -> Result<TowerTop, UpdateError> {
        let after = self.pending[usize::from(level)];
        let digest = hash::inner::<H>(level, below.child(), after.child());
        let inner = Inner::new(level, below.link, after.link).with_digest(digest);
        let index = self.inners.push(inner, self.inners_left)?;
        self.inners_left -= 1;
        let node = arena::id(arena::INNER, index)?;
        let rank = below.link.rank + after.link.rank;
        let link = Link { node, rank };
        Ok(TowerTop { link, digest })
    }
}
