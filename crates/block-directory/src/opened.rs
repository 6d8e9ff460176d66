//! Proofs for the paper's digests of blocks (strategies 2 to 6 of [`crate::strategy`]). A proof
//! contains every slot of every block on the path to an entry. Message kind 164.
//!
//! The verifier computes the summary of every block on the path itself, from all slots. The number
//! and positions of the slots follow from the query, the number of entries and the capacity. The
//! root commits to the last two.

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;
use core::marker::PhantomData;

use pad_core::{
    Proof, Suite, VerifiedRoot, VerifyError, Version, codec::Message, internals::DigestBytes,
};
use serde::{Deserialize, Serialize};

use crate::{
    entry::{DELETED, EntryId, EntryState, LIVE, MOST_ENTRIES, is_reserved},
    query::EntryQuery,
    statement::Entries,
    strategy::{
        BlockDigest, Contents, MOST_CAPACITY, Place, block_root, entry_width, level_sizes,
        slot_width,
    },
};

/// A verified root of a directory of blocks, with the capacity of its blocks. The client knows the
/// capacity from the directory's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockRoot<S: Suite> {
    version: Version,
    root: S::Digest,
    capacity: u32,
}

impl<S: Suite> BlockRoot<S> {
    /// Combines a verified root with the capacity of the directory's blocks.
    ///
    /// # Errors
    /// - [`VerifyError::SizeOutOfRange`] for a capacity outside `2..=1024`. With a higher capacity,
    ///   sums can be forged.
    /// - [`VerifyError::WrongVersion`] for version 0. Version 0 has no signature, so a server could
    ///   claim it for any directory.
    pub fn new(root: &VerifiedRoot<S>, capacity: u32) -> Result<Self, VerifyError> {
        if root.version() == Version::EMPTY {
            return Err(VerifyError::WrongVersion {
                expected: Version::new(1),
                actual: Version::EMPTY,
            });
        }
        if !(2..=MOST_CAPACITY).contains(&capacity) {
            return Err(VerifyError::SizeOutOfRange);
        }
        Ok(Self {
            version: root.version(),
            root: root.root(),
            capacity,
        })
    }
}

/// Proof of the state of one id. It contains all slots of the blocks from the top to the entry. For
/// an id that is not assigned, it contains only the summary of the topmost block.
///
/// Verified against a [`BlockRoot`], for an [`EntryId`]. The verified statement is [`Entries`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct OpenedProof<S, B> {
    pub(crate) registered: u64,
    pub(crate) capacity: u32,
    #[serde(with = "pad_core::codec::bytes")]
    pub(crate) contents: Vec<u8>,
    #[serde(skip)]
    pub(crate) strategy: PhantomData<fn() -> (S, B)>,
}

impl<S: Suite, B: BlockDigest<S>> Message for OpenedProof<S, B> {
    const KIND: u8 = 164;
    const SUITE: u16 = S::ID.0;
}

impl<S: Suite, B: BlockDigest<S>> OpenedProof<S, B> {
    /// Returns the maximum length in bytes of a proof for blocks of this capacity.
    pub fn longest(capacity: u32) -> usize {
        let upper = level_sizes(MOST_ENTRIES, capacity).len().saturating_sub(1);
        let slot = upper.saturating_mul(B::summary_bytes());
        let slot = slot.saturating_add(entry_width::<S>());
        let slots = usize::try_from(capacity).unwrap_or(usize::MAX);
        slots.saturating_mul(slot).saturating_add(64)
    }

    /// Checks that the slots on the path to the entry `id` hash to the root, and returns the
    /// entry's state.
    fn open(&self, root: &BlockRoot<S>, id: u64) -> Result<EntryState<S>, VerifyError> {
        let path = path::<S, B>(self.registered, self.capacity, id);
        let mut rest = self.contents.as_slice();
        if path.iter().map(|step| step.bytes).sum::<usize>() != rest.len() {
            return Err(VerifyError::BlockLength);
        }
        let mut expected: Option<&[u8]> = None;
        for step in &path {
            let (bytes, below) = rest.split_at_checked(step.bytes).unwrap_or((rest, &[]));
            rest = below;
            let contents = step.contents(bytes);
            check_slots::<S, B>(contents)?;
            let summary = B::summary(&B::of(contents)?, contents);
            match expected {
                Some(expected) if expected == summary => {}
                Some(_) => return Err(VerifyError::SummaryMismatch),
                None => self.check_top(root, &summary)?,
            }
            let mut slots = contents.slots();
            let chosen = slots.find(|(position, _)| *position == step.chosen);
            expected = chosen.map(|(_, content)| content);
        }
        let object = expected.and_then(|content| content.split_first());
        let (kind, object) = object.ok_or(VerifyError::BlockLength)?;
        Ok(if *kind == LIVE {
            S::Digest::from_slice(object)
        } else {
            None
        })
    }

    /// Checks that `summary`, the summary of the topmost block, belongs to the root.
    fn check_top(&self, root: &BlockRoot<S>, summary: &[u8]) -> Result<(), VerifyError> {
        if block_root::<S, B>(self.registered, self.capacity, summary) == root.root {
            Ok(())
        } else {
            Err(VerifyError::RootMismatch)
        }
    }

    /// Checks the proof of an id that is not assigned. It must contain only the summary of the
    /// topmost block.
    fn check_unassigned(&self, root: &BlockRoot<S>) -> Result<(), VerifyError> {
        let length = match self.registered {
            0 => 0,
            _ => B::summary_bytes(),
        };
        if self.contents.len() != length {
            return Err(VerifyError::BlockLength);
        }
        if self.registered > 0 && !B::is_summary(&self.contents) {
            return Err(VerifyError::SummaryOutOfRange);
        }
        self.check_top(root, &self.contents)
    }
}

impl<S: Suite, B: BlockDigest<S>> Proof for OpenedProof<S, B> {
    type Commitment = BlockRoot<S>;
    type Query = EntryId;
    type Statement = Entries<S, EntryQuery>;
    type Error = VerifyError;

    /// Verifies the proof. Time: one group element for each slot of each block on the path. With
    /// strategy 2, instead one hash over all slots of each of these blocks.
    ///
    /// # Errors
    /// - [`VerifyError::SizeOutOfRange`] for more than [`MOST_ENTRIES`] entries.
    /// - [`VerifyError::WrongCapacity`] for a capacity that is not the directory's.
    /// - [`VerifyError::BlockLength`] if the blocks do not have exactly the slots on the path.
    /// - [`VerifyError::MalformedEntry`] for a slot that is neither a live nor a deleted entry.
    /// - [`VerifyError::ReservedDigest`] for a live entry with the digest of deleted ones.
    /// - [`VerifyError::SummaryOutOfRange`] for a summary that is not an element of the group.
    /// - [`VerifyError::ElementNotFound`] for a slot without a group element.
    /// - [`VerifyError::SummaryMismatch`] if a block does not match its summary in the block above.
    /// - [`VerifyError::RootMismatch`] if the topmost block does not match the root.
    fn check(
        self,
        root: &BlockRoot<S>,
        id: &EntryId,
    ) -> Result<Entries<S, EntryQuery>, VerifyError> {
        if self.registered > MOST_ENTRIES {
            return Err(VerifyError::SizeOutOfRange);
        }
        if self.capacity != root.capacity {
            return Err(VerifyError::WrongCapacity {
                expected: root.capacity,
                actual: self.capacity,
            });
        }
        let mut shown = Vec::new();
        if id.number() < self.registered {
            shown.push(self.open(root, id.number())?);
        } else {
            self.check_unassigned(root)?;
        }
        Ok(Entries {
            version: root.version,
            registered: self.registered,
            query: EntryQuery::one(*id),
            shown,
        })
    }
}

/// A block on the path to an entry: its place, and the number, width and positions of its slots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) place: Place,
    first: u64,
    width: usize,
    /// The length in bytes of all slots of the block.
    bytes: usize,
    /// The position of the slot on the path, counted from the start of the level.
    chosen: u64,
}

impl Step {
    const fn contents<'a>(&self, bytes: &'a [u8]) -> Contents<'a> {
        Contents {
            place: self.place,
            first: self.first,
            bytes,
            width: self.width,
        }
    }
}

/// Returns the blocks on the path to a registered entry, the topmost first.
pub(crate) fn path<S: Suite, B: BlockDigest<S>>(
    registered: u64,
    capacity: u32,
    id: u64,
) -> Vec<Step> {
    let capacity = u64::from(capacity.max(2));
    let mut position = id;
    let mut steps: Vec<Step> = Vec::new();
    for (level, slots) in (0_u8..).zip(level_sizes(
        registered,
        u32::try_from(capacity).unwrap_or(2),
    )) {
        let block = position.checked_div(capacity).unwrap_or(0);
        let first = block.saturating_mul(capacity);
        let width = slot_width::<S, B>(level);
        let count = slots.saturating_sub(first).min(capacity);
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        steps.push(Step {
            place: Place { level, block },
            first,
            width,
            bytes: count.saturating_mul(width),
            chosen: position,
        });
        position = block;
    }
    steps.reverse();
    steps
}

/// Checks that every slot of a block is well-formed.
fn check_slots<S: Suite, B: BlockDigest<S>>(contents: Contents<'_>) -> Result<(), VerifyError> {
    let is_upper = contents.place.level > 0;
    for (_, content) in contents.slots() {
        if is_upper {
            if !B::is_summary(content) {
                return Err(VerifyError::SummaryOutOfRange);
            }
            continue;
        }
        let (kind, object) = content.split_first().ok_or(VerifyError::BlockLength)?;
        let object = S::Digest::from_slice(object).ok_or(VerifyError::BlockLength)?;
        match (*kind, is_reserved(&object)) {
            (LIVE, false) | (DELETED, true) => {}
            (LIVE, true) => return Err(VerifyError::ReservedDigest),
            _ => return Err(VerifyError::MalformedEntry),
        }
    }
    Ok(())
}
