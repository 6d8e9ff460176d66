//! The paper's proof vector `P`, for comparison: one entry of seven fields for each shown node.
//!
//! The form that [`FlexList::prove`](crate::FlexList::prove) makes is the one that is sent. It holds the
//! same nodes in the same order, but only what cannot be computed from the rest: no rank of a shown node,
//! no field without a meaning, so that sums hold by construction and a proof is shorter. In `P` one field
//! means three different hashes, and every rank has to be checked against the others. A `P` is verified
//! by way of the other form: [`FlatProof::decode`], then [`verify_indices`]. No crate sends it, so it is
//! here: the known answers of the paper's form hold the nodes of a proof to the paper.
//!
//! | node | hash | direction | intersection | end | length |
//! |---|---|---|---|---|---|
//! | inner, challenges on both sides | unused | down | 1 | 0 | 0 |
//! | inner, only below | of after | down | 0 | 0 | 0 |
//! | inner, only after | of below | right | 0 | 0 | 0 |
//! | leaf, challenged, the path goes on | unused | right | 1 | 1 | of the block |
//! | leaf, challenged, the path ends | of after, if there is one | right | 0 | 1 | of the block |
//! | leaf, passed | the tag digest | right | 0 | 0 | of the block |
//!
//! Source: section 2, genMultiProof, and algorithm A.1; Deviation: ranks of siblings, which the paper
//! derives by subtraction, are checked; unused fields are zero; what is absent is told from what is
//! hidden by its rank.

use pad_core::Digest;

use crate::{
    error::ProofError,
    list::{
        ListState,
        arena::{Link, Node, NodeId},
        hash::{EMPTY, NodeHash},
        parse::{self, Shown},
        verify_indices,
    },
};

mod decode;

/// Where the search goes on (the paper's `rgtOrDwn`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// Along the below link.
    Down,
    /// Along the after link.
    Right,
}

/// A node of `P`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FlatEntry {
    /// The node's level, 0 for a leaf.
    pub(super) level: u8,
    /// How many bytes it leads to.
    pub(super) rank: u64,
    /// What this is depends on the other fields; 32 zero bytes where nothing is needed.
    pub(super) hash: Digest<32>,
    /// Where the search goes on; at an intersection, first.
    pub(super) direction: Direction,
    /// Challenges lie both here or below, and after.
    pub(super) is_intersection: bool,
    /// The leaf of a challenged block.
    pub(super) is_end: bool,
    /// A leaf's block's length in bytes.
    pub(super) length: u64,
}

/// A proof as the paper sends it: `P`, and of `T` the digests that the leaves commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FlatProof {
    /// The shown nodes, below before after.
    pub(super) entries: Vec<FlatEntry>,
    /// The tag digests of the challenged blocks, in file order.
    pub(super) tag_digests: Vec<Digest<32>>,
}

/// How wide numbers and hashes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Widths {
    /// Bytes of a rank or a length.
    pub(super) number: usize,
    /// Bytes of a hash.
    pub(super) hash: usize,
}

impl Widths {
    /// The paper's: 80-bit numbers and SHA-1.
    pub(super) const PAPER: Self = Self {
        number: 10,
        hash: 20,
    };
    /// This list's.
    pub(super) const LIST: Self = Self {
        number: 8,
        hash: 32,
    };
}

/// A `P` that no list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub(super) enum FlatError {
    /// The entries end before the last link is followed.
    Truncated,
    /// Entries follow the last node.
    TrailingEntries,
    /// An entry's rank is not what the other ranks and lengths leave for it.
    RankMismatch,
    /// No kind of node has these directions and flags.
    UnknownKind,
    /// A field that has no meaning for its node is not zero.
    UnusedField,
    /// A challenged leaf without a tag digest.
    MissingTag,
    /// A tag digest without a challenged leaf.
    SurplusTag,
    /// More than is ever read.
    TooLarge {
        /// How many bytes are.
        limit: usize,
    },
}

impl FlatProof {
    /// The paper's form of a proof for these indices, which is verified on the way.
    ///
    /// # Errors
    /// [`ProofError`]: it does not prove them.
    pub(super) fn encode<H: NodeHash>(
        proof: &[u8],
        state: &ListState,
        indices: &[u64],
    ) -> Result<Self, ProofError> {
        let proven = verify_indices::<H>(proof, state, indices)?.into_inner();
        let shown = parse::parse::<H>(proof, state)?;
        let mut starts = proven.iter().map(|block| block.start).peekable();
        let mut flat = Self {
            entries: Vec::new(),
            tag_digests: Vec::new(),
        };
        // Subtrees and where they start.
        let mut stack = vec![(shown.root, 0_u64)];
        while let Some((link, start)) = stack.pop() {
            let entry = match shown.arena.node(link.node)? {
                Node::Inner(inner) => {
                    let (below, after) = (inner.below(), inner.after());
                    let middle = start.saturating_add(below.rank);
                    let is_intersection = shown.shows(below.node) && shown.shows(after.node);
                    let (direction, hidden) = if shown.shows(below.node) {
                        (Direction::Down, after)
                    } else {
                        (Direction::Right, below)
                    };
                    push_shown(&mut stack, &shown, (after, middle));
                    push_shown(&mut stack, &shown, (below, start));
                    FlatEntry {
                        level: inner.level,
                        rank: link.rank,
                        hash: shown.hidden(hidden)?,
                        direction,
                        is_intersection,
                        is_end: false,
                        length: 0,
                    }
                }
                Node::Leaf(leaf) => {
                    let goes_on = shown.shows(leaf.after().node);
                    let is_end = leaf.length > 0 && starts.next_if_eq(&start).is_some();
                    let hash = if is_end {
                        flat.tag_digests.push(leaf.tag_digest);
                        shown.hidden(leaf.after())?
                    } else {
                        leaf.tag_digest
                    };
                    let end = start.saturating_add(leaf.length);
                    push_shown(&mut stack, &shown, (leaf.after(), end));
                    FlatEntry {
                        level: 0,
                        rank: link.rank,
                        hash,
                        direction: Direction::Right,
                        is_intersection: is_end && goes_on,
                        is_end,
                        length: leaf.length,
                    }
                }
                // A verified proof does not show it.
                Node::Right => return Err(ProofError::SurplusNode),
            };
            flat.entries.push(entry);
        }
        Ok(flat)
    }

    /// The size in bytes of `P` and of the tags' digests as the paper lays them out: all seven fields in
    /// every entry, one byte for the level and one for the three flags.
    pub(super) const fn size(&self, widths: Widths) -> usize {
        let numbers = widths.number.saturating_mul(2);
        let entry = numbers.saturating_add(widths.hash).saturating_add(2);
        let entries = self.entries.len().saturating_mul(entry);
        entries.saturating_add(self.tag_digests.len().saturating_mul(widths.hash))
    }
}

impl<H: NodeHash> Shown<H> {
    fn shows(&self, node: NodeId) -> bool {
        self.arena.node(node).is_ok()
    }

    /// The hash of a node that is not shown; zeros for one that is, or that there is not.
    fn hidden(&self, link: Link) -> Result<Digest<32>, ProofError> {
        if self.shows(link.node) {
            return Ok(EMPTY);
        }
        Ok(self.arena.digest(link.node)?)
    }
}

fn push_shown<H: NodeHash>(stack: &mut Vec<(Link, u64)>, shown: &Shown<H>, subtree: (Link, u64)) {
    if shown.shows(subtree.0.node) {
        stack.push(subtree);
    }
}
