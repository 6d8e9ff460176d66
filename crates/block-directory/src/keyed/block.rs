//! One block: its slots, and the binary tree over them.
//!
//! # Invariants
//! 1. A block has 1 to [`Capacity`] slots. One of level 0 has entries, in ascending order of their keys; one of a level above has
//!    children of the level below, and between each two of them a separator, in ascending order.
//! 2. The tree over `m` slots is that of RFC 9162 ([`crate::shape`]). Each of its `m - 1` nodes is known by the first slot of its
//!    right half, which no other node has: [`Block::nodes`] has its digest at that place.

use std::sync::Arc;

use pad_core::{Domain, Suite};
use serde::{Deserialize, Serialize};

use crate::shape::Span;

/// How many slots a block can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity(usize);

impl Capacity {
    /// That of scheme `block-tree`.
    pub const BLOCK_TREE: Self = Self(64);

    /// Another one, 2 to 64, to test the algorithm with. No scheme has it, and no head says it.
    pub const fn of(slots: usize) -> Option<Self> {
        match slots {
            2..=64 => Some(Self(slots)),
            _ => None,
        }
    }

    pub(super) const fn slots(self) -> usize {
        self.0
    }
}

/// A key with its value, and the digest of the leaf that they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry<S: Suite> {
    /// Both, one after the other: blocks are copied for each version that changes them.
    bytes: Arc<[u8]>,
    key_length: usize,
    pub(super) digest: S::Digest,
}

impl<S: Suite> Entry<S> {
    pub(super) fn new(key: &[u8], value: &[u8]) -> Self {
        Self {
            bytes: [key, value].concat().into(),
            key_length: key.len(),
            digest: S::leaf(key, &S::value(value)),
        }
    }

    pub(super) fn key(&self) -> &[u8] {
        self.bytes.get(..self.key_length).unwrap_or_default()
    }

    pub(super) fn value(&self) -> &[u8] {
        self.bytes.get(self.key_length..).unwrap_or_default()
    }
}

/// What a block knows of a block below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Child<S: Suite> {
    /// The number under which the block is stored.
    pub number: u64,
    /// Its digest.
    pub digest: S::Digest,
}

/// What a block consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Slots<S: Suite> {
    Leaf(Vec<Entry<S>>),
    Inner(Inner<S>),
}

/// The slots of a block above others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Inner<S: Suite> {
    /// At least 1.
    pub(super) level: u8,
    pub(super) children: Vec<Child<S>>,
    /// Keys left of separator `j`, which is between the children `j` and `j + 1`, are below it; the others are not.
    pub(super) separators: Vec<Arc<[u8]>>,
}

impl<S: Suite> Inner<S> {
    /// The place of the child that a key belongs to.
    pub(super) fn place_of(&self, key: &[u8]) -> usize {
        self.separators
            .partition_point(|separator| **separator <= *key)
    }
}

impl<S: Suite> Slots<S> {
    pub(super) const fn len(&self) -> usize {
        match self {
            Self::Leaf(entries) => entries.len(),
            Self::Inner(inner) => inner.children.len(),
        }
    }

    pub(super) const fn level(&self) -> u8 {
        match self {
            Self::Leaf(_) => 0,
            Self::Inner(inner) => inner.level,
        }
    }

    fn digest(&self, slot: usize) -> Option<S::Digest> {
        match self {
            Self::Leaf(entries) => entries.get(slot).map(|entry| entry.digest),
            Self::Inner(inner) => inner.children.get(slot).map(|child| child.digest),
        }
    }

    /// The key that is between a slot and the one on its left: the entry's own, or the separator.
    fn separator(&self, slot: usize) -> Option<&[u8]> {
        match self {
            Self::Leaf(entries) => entries.get(slot).map(Entry::key),
            Self::Inner(inner) => inner.separators.get(slot.checked_sub(1)?).map(|key| &**key),
        }
    }
}

/// A block that does not change any more, with the digests of the tree over its slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block<S: Suite> {
    slots: Slots<S>,
    nodes: Vec<S::Digest>,
}

impl<S: Suite> Block<S> {
    /// The block with these slots, at least one. Time: one hash less than slots.
    pub(super) fn new(slots: Slots<S>) -> Self {
        let mut nodes = vec![S::Digest::default(); slots.len().saturating_sub(1)];
        let mut join = |left: &Peak<S>, right: &Peak<S>| {
            let digest = S::node(Domain::TreeNode, &left.digest, &right.digest);
            if let Some(place) = right.start.checked_sub(1).and_then(|at| nodes.get_mut(at)) {
                *place = digest;
            }
            Peak {
                digest,
                start: left.start,
                size: left.size.saturating_add(right.size),
            }
        };
        // Complete subtrees, the largest first.
        let mut peaks: Vec<Peak<S>> = Vec::with_capacity(7);
        for (start, digest) in (0..slots.len()).filter_map(|slot| Some((slot, slots.digest(slot)?)))
        {
            let mut last = Peak {
                digest,
                start,
                size: 1,
            };
            while let Some(left) = peaks.pop_if(|left| left.size == last.size) {
                last = join(&left, &last);
            }
            peaks.push(last);
        }
        while let (Some(right), Some(left)) = (peaks.pop(), peaks.pop()) {
            peaks.push(join(&left, &right));
        }
        Self { slots, nodes }
    }

    pub(super) const fn slots(&self) -> &Slots<S> {
        &self.slots
    }

    /// The span of all slots.
    pub(super) fn whole(&self) -> Span {
        Span {
            start: 0,
            size: to_number(self.slots.len()),
        }
    }

    /// The digest of the subtree over some slots; `None` if it is no subtree of this block.
    pub(super) fn digest_of(&self, span: Span) -> Option<S::Digest> {
        match span.halves() {
            None => self.slots.digest(to_place(span.start)?),
            Some((_, right)) => self
                .nodes
                .get(to_place(right.start)?.checked_sub(1)?)
                .copied(),
        }
    }

    /// About how many bytes of memory the block takes.
    pub(super) fn memory_bytes(&self) -> usize {
        let own = match &self.slots {
            Slots::Leaf(entries) => {
                let bytes = entries.iter().map(|entry| entry.bytes.len());
                bytes.sum::<usize>() + entries.len() * (size_of::<Entry<S>>() + ALLOCATION)
            }
            Slots::Inner(inner) => {
                let separators = inner.separators.iter().map(|key| key.len() + ALLOCATION);
                separators.sum::<usize>() + inner.children.len() * size_of::<Child<S>>()
            }
        };
        own + self.nodes.len() * size_of::<S::Digest>() + size_of::<Self>()
    }

    /// The digest of the block.
    pub(super) fn digest(&self) -> S::Digest {
        self.digest_of(self.whole()).unwrap_or_default()
    }

    /// The key between a slot and the one on its left, which is of the same block.
    pub(super) fn separator(&self, place: u64) -> Option<&[u8]> {
        self.slots.separator(to_place(place)?)
    }

    /// The entry at a place of a leaf block.
    pub(super) fn entry(&self, place: u64) -> Option<&Entry<S>> {
        match &self.slots {
            Slots::Leaf(entries) => entries.get(to_place(place)?),
            Slots::Inner(_) => None,
        }
    }
}

/// A subtree of the first slots of a block, while the tree is made.
struct Peak<S: Suite> {
    digest: S::Digest,
    start: usize,
    size: usize,
}

/// About how many bytes an allocation takes beside its contents, with the counts and the pointer to it.
const ALLOCATION: usize = 48;

/// Widens a place in a block.
pub(super) fn to_number(place: usize) -> u64 {
    u64::try_from(place).unwrap_or(u64::MAX)
}

/// Narrows a place in a block, of which there are at most 64.
pub(super) fn to_place(number: u64) -> Option<usize> {
    usize::try_from(number).ok()
}
