//! Parser of proofs and witnesses: turns untrusted bytes into a partial list, or rejects them.
//!
//! The result is well-formed for any input. Levels fall downwards and do not rise to the right.
//! Blocks are not empty, sentinels are in their positions, and ranks add up.

use alloc::{vec, vec::Vec};

use pad_core::{Digest, codec::Fields};

use super::{
    ListState, MAX_TOTAL, SENTINEL_LEVEL,
    arena::{Arena, Full, Inner, Leaf, Link, NodeId},
    hash::{EMPTY, NodeHash},
    prune,
};
use crate::error::ProofError;

/// The maximum length of a proof or witness: 64 MiB, a proof for about a million blocks.
pub const MAX_PROOF_BYTES: usize = 1 << 26;

/// Converts the error of a full arena. Unreachable in practice: a proof of at most
/// [`MAX_PROOF_BYTES`] has fewer nodes.
impl From<Full> for ProofError {
    fn from(Full: Full) -> Self {
        let limit = MAX_PROOF_BYTES;
        Self::TooLarge { limit }
    }
}

/// The part of a list that a proof contains.
pub(super) struct PartialList<H> {
    pub(super) arena: Arena<H>,
    pub(super) root: Link,
    /// The number of nodes that the proof contains completely. Of a pruned node it contains only
    /// rank and hash.
    pub(super) opened: usize,
}

/// Parses a proof and checks it against the root and length in `state`.
///
/// Time and memory are linear in the bytes: two passes over the nodes, without recursion.
pub(super) fn parse<H: NodeHash>(
    bytes: &[u8],
    state: &ListState,
) -> Result<PartialList<H>, ProofError> {
    let limit = MAX_PROOF_BYTES;
    if bytes.len() > limit {
        return Err(ProofError::TooLarge { limit });
    }
    let entries = read_entries(bytes)?;
    let shown = link_up(&entries)?;
    if shown.root.rank != state.total {
        return Err(ProofError::TotalMismatch);
    }
    if shown.arena.digest(shown.root.node) != Ok(state.root) {
        return Err(ProofError::RootMismatch);
    }
    Ok(shown)
}

/// A decoded node without links. In the sequence of entries, children follow their parents.
enum Entry {
    Inner(u8),
    Leaf {
        length: u64,
        tag_digest: Digest<32>,
        has_after: bool,
    },
    Right,
    Pruned {
        rank: u64,
        digest: Digest<32>,
    },
}

/// A position in the tree, with limits on the node allowed at this position.
#[derive(Clone, Copy)]
struct Place {
    /// The highest level allowed for an inner node at this position.
    highest: u8,
    side: Side,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// The root: an inner node of the sentinels' level.
    Root,
    /// A position on the path down from the root, which ends at the left sentinel.
    Leftmost,
    /// The after child of the root: the right sentinel.
    Rightmost,
    /// A position in a subtree that consists of blocks only.
    Inside,
}

fn read_entries(bytes: &[u8]) -> Result<Vec<Entry>, ProofError> {
    let mut bytes = Fields::new(bytes);
    let mut entries = Vec::new();
    let mut places = vec![Place {
        highest: SENTINEL_LEVEL,
        side: Side::Root,
    }];
    while let Some(place) = places.pop() {
        let kind = byte(&mut bytes)?;
        let entry = match kind {
            prune::INNER => {
                let level = byte(&mut bytes)?;
                let (below, after) = place.children(level)?;
                places.push(after);
                places.push(below);
                Entry::Inner(level)
            }
            prune::DATA_LEAF => {
                let length = varint(&mut bytes)?;
                let tag_digest = Digest(array(&mut bytes)?);
                let has_after = flag(&mut bytes)?;
                if place.side != Side::Inside {
                    return Err(ProofError::MisplacedNode);
                }
                if length == 0 {
                    return Err(ProofError::EmptyBlock);
                }
                Entry::Leaf {
                    length,
                    tag_digest,
                    has_after,
                }
            }
            prune::LEFT_SENTINEL => {
                let has_after = flag(&mut bytes)?;
                if place.side != Side::Leftmost {
                    return Err(ProofError::MisplacedNode);
                }
                Entry::Leaf {
                    length: 0,
                    tag_digest: EMPTY,
                    has_after,
                }
            }
            prune::RIGHT_SENTINEL => {
                if place.side != Side::Rightmost {
                    return Err(ProofError::MisplacedNode);
                }
                Entry::Right
            }
            prune::PRUNED => {
                let rank = varint(&mut bytes)?;
                let digest = Digest(array(&mut bytes)?);
                place.check_pruned(rank)?;
                Entry::Pruned { rank, digest }
            }
            other => return Err(ProofError::UnknownKind(other)),
        };
        if let Entry::Leaf {
            has_after: true, ..
        } = entry
        {
            places.push(Place {
                highest: 0,
                side: Side::Inside,
            });
        }
        entries.push(entry);
    }
    bytes.finish().map_err(|_| ProofError::TrailingBytes)?;
    Ok(entries)
}

impl Place {
    /// Returns the positions of the children below and after an inner node of this `level`. Fails
    /// if the level is not allowed at this position.
    fn children(self, level: u8) -> Result<(Self, Self), ProofError> {
        let fits = match self.side {
            Side::Root => level == SENTINEL_LEVEL,
            Side::Leftmost | Side::Inside => (1..=self.highest).contains(&level),
            Side::Rightmost => return Err(ProofError::MisplacedNode),
        };
        if !fits {
            return Err(ProofError::WrongLevel { level });
        }
        let (left, right) = match self.side {
            Side::Root => (Side::Leftmost, Side::Rightmost),
            side => (side, Side::Inside),
        };
        let below = Self {
            highest: level.saturating_sub(1),
            side: left,
        };
        let after = Self {
            highest: level,
            side: right,
        };
        Ok((below, after))
    }

    /// Checks the rank of a pruned node at this position. It is at least 1 for a subtree of blocks,
    /// and 0 for the right sentinel.
    const fn check_pruned(self, rank: u64) -> Result<(), ProofError> {
        let fits = match self.side {
            Side::Root | Side::Leftmost => true,
            Side::Rightmost => rank == 0,
            Side::Inside => rank > 0,
        };
        if fits {
            Ok(())
        } else {
            Err(ProofError::WrongRank)
        }
    }
}

/// Builds the partial list from decoded nodes, children first, and computes ranks and hashes.
fn link_up<H: NodeHash>(entries: &[Entry]) -> Result<PartialList<H>, ProofError> {
    let mut arena = Arena::<H>::new();
    let mut opened = 0_usize;
    // Nodes without a parent yet; the leftmost is on top.
    let mut made: Vec<Link> = Vec::new();
    for entry in entries.iter().rev() {
        let (node, rank) = match entry {
            Entry::Inner(level) => {
                let below = made.pop().ok_or(ProofError::Truncated)?;
                let after = made.pop().ok_or(ProofError::Truncated)?;
                let node = arena.add_inner(Inner::new(*level, below, after))?;
                (node, sum(below.rank, after.rank)?)
            }
            Entry::Leaf {
                length,
                tag_digest,
                has_after,
            } => {
                let after = if *has_after {
                    made.pop().ok_or(ProofError::Truncated)?
                } else {
                    Link::NONE
                };
                let node = arena.add_leaf(Leaf::new(*length, *tag_digest, 0, after))?;
                (node, sum(*length, after.rank)?)
            }
            Entry::Right => (NodeId::RIGHT, 0),
            Entry::Pruned { rank, digest } => {
                let node = arena.add_pruned(*digest)?;
                (node, sum(*rank, 0)?)
            }
        };
        if !matches!(entry, Entry::Pruned { .. }) {
            opened = opened.saturating_add(1);
            arena.seal(node)?;
        }
        made.push(Link { node, rank });
    }
    let root = made.pop().ok_or(ProofError::Truncated)?;
    Ok(PartialList {
        arena,
        root,
        opened,
    })
}

fn sum(first: u64, second: u64) -> Result<u64, ProofError> {
    first
        .checked_add(second)
        .filter(|rank| *rank <= MAX_TOTAL)
        .ok_or(ProofError::RankOverflow)
}

fn array<const N: usize>(bytes: &mut Fields<'_>) -> Result<[u8; N], ProofError> {
    bytes.array().copied().map_err(|_| ProofError::Truncated)
}

fn byte(bytes: &mut Fields<'_>) -> Result<u8, ProofError> {
    let [byte] = array(bytes)?;
    Ok(byte)
}

fn flag(bytes: &mut Fields<'_>) -> Result<bool, ProofError> {
    match byte(bytes)? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(ProofError::BadFlag(other)),
    }
}

/// Reads a minimal LEB128 integer of at most 63 bits.
fn varint(bytes: &mut Fields<'_>) -> Result<u64, ProofError> {
    let mut value = 0_u64;
    for shift in (0..63).step_by(7) {
        let next = byte(bytes)?;
        value |= u64::from(next & 0x7f) << shift;
        if next & 0x80 == 0 {
            return if next == 0 && shift > 0 {
                Err(ProofError::NonMinimalInteger)
            } else {
                Ok(value)
            };
        }
    }
    Err(ProofError::RankOverflow)
}
