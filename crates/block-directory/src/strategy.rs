//! Strategies 2 to 6 for the digests of a directory's blocks: blocks of any capacity from 2 to 1
//! 024, with a digest over *all* of their slots.
//!
//! `FastAD` chose such digests to change one slot without reading the others. They are included for
//! comparison with strategy 1, whose blocks are hash trees. Their proofs here are sound, and
//! contain every slot of every block on the path ([`opened`](crate::opened)). A proof with one
//! combined digest for the rest of a block is forgeable by any party, because the combination can
//! be inverted.
//!
//! | strategy | summary of a block | assumption |
//! | --- | --- | --- |
//! | 2, [`Flat`] | the hash of all slots | collision resistance |
//! | 3, [`AdHash1600`] | sum of elements modulo `2^1600` | weighted knapsacks |
//! | 4, [`MuHash1024`] | product modulo a 1 024-bit prime | discrete logarithms, about 80 bits |
//! | 5, [`MuHash3072`] | product modulo a 3 072-bit prime | discrete logarithms, 128 bits |
//! | 6, [`LtHash`] | hash of sums of 1 024 lanes of 16 bits | short integer solutions |
//!
//! The assumption of strategy 3 is for blocks of at most 1 024 slots. Strategy 4 is *weak* and
//! serves for comparisons only.
//!
//! Source: Stanton et al. 2010, section 2.3; Bellare & Micciancio 1997 (sums and products); Lewi,
//! Kim, Maykov & Weis 2019 (lanes).

#![deny(clippy::arithmetic_side_effects)]

mod expand;
mod flat;
mod group;
mod lt_hash;
mod sums;

use alloc::vec::Vec;
use core::fmt::Debug;

use pad_core::{
    SchemeId, Suite, VerifyError,
    internals::{DigestBytes, Domain},
};

pub use expand::{Expansion, Found, Least, expand};
pub use flat::Flat;
pub use group::{Combination, Combined};
pub use lt_hash::LtLanes;
pub use sums::{AdSum1600, MuProduct1024, MuProduct3072};

#[cfg(feature = "std")]
use crate::entry::{DELETED, EntryState, LIVE};

/// Strategy 3: `AdHASH`, sums of elements modulo `2^1600`.
pub type AdHash1600 = Combined<AdSum1600>;
/// Strategy 4: `MuHASH`, products of elements modulo a prime of 1 024 bits. Weak: for comparisons
/// only.
pub type MuHash1024 = Combined<MuProduct1024>;
/// Strategy 5: `MuHASH`, products of elements modulo a prime of 3 072 bits.
pub type MuHash3072 = Combined<MuProduct3072>;
/// Strategy 6: `LtHash`, sums of vectors with 1 024 lanes of 16 bits.
pub type LtHash = Combined<LtLanes>;

/// The maximum number of slots of a block. With more slots, collisions of sums of elements take
/// less than `2^128` work.
pub const MOST_CAPACITY: u32 = 1024;

/// The address of a block: its level, and its number in the level. Slots of level 0 are entries.
/// Slots of other levels are blocks of the level below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The level, from 0 (the entries) upwards.
    pub level: u8,
    /// The number of the block in its level.
    pub block: u64,
}

/// The slots of a block: the block's address, the position of its first slot in the level, and all
/// contents of equal width.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'a> {
    /// The address of the block.
    pub place: Place,
    /// The position of the block's first slot in the level.
    pub first: u64,
    /// The concatenated contents of the slots.
    pub bytes: &'a [u8],
    /// The width of the content of one slot in bytes.
    pub width: usize,
}

impl<'a> Contents<'a> {
    /// Iterates over the slots of the block: their positions in the level, and their contents.
    pub fn slots(&self) -> impl Iterator<Item = (u64, &'a [u8])> + use<'a> {
        let slots = self.bytes.chunks_exact(self.width.max(1));
        (self.first..).zip(slots)
    }
}

/// A change of one slot of a block.
#[derive(Clone, Copy, Debug)]
pub struct SlotChange<'a> {
    /// The position of the slot, counted from the start of its level.
    pub position: u64,
    /// The content before the change; `None` for a new slot.
    pub old: Option<&'a [u8]>,
    /// The content after the change.
    pub new: &'a [u8],
}

/// A strategy for the digest of a block's slots, the *summary* of the block. The block's slot in
/// the level above contains the summary.
///
/// Laws: the summary depends on place and contents only, so `write` agrees with `of`. Two blocks at
/// one place with different contents have different summaries, under the strategy's assumption.
pub trait BlockDigest<S: Suite>: Copy + Default + Debug + Send + Sync + 'static {
    /// The number of the strategy, as hashed into roots.
    const STRATEGY: u8;
    /// The display name of the strategy's scheme.
    const NAME: &'static str;
    /// The number of the strategy's scheme in signed heads.
    const SCHEME: SchemeId = SchemeId(0x0400 | strategy_bits(Self::STRATEGY));
    /// The state that is stored for each block; `()` for strategy 2, which hashes all slots after
    /// every change.
    type State: Clone + Debug + Eq + Send + Sync;

    /// Returns the length of a block's summary in bytes.
    fn summary_bytes() -> usize;

    /// Computes the state of a block with these slots.
    ///
    /// # Errors
    /// [`VerifyError::ElementNotFound`] if a slot has no group element, with negligible
    /// probability.
    fn of(contents: Contents<'_>) -> Result<Self::State, VerifyError>;

    /// Updates the state of the block at `place` for the change of one slot.
    ///
    /// # Errors
    /// The errors of [`BlockDigest::of`]; the state is then unchanged.
    fn write(
        state: &mut Self::State,
        place: Place,
        change: SlotChange<'_>,
    ) -> Result<(), VerifyError>;

    /// Returns the summary of the block, which the level above stores.
    fn summary(state: &Self::State, contents: Contents<'_>) -> Vec<u8>;

    /// Returns whether bytes of the right length can be a block's summary.
    fn is_summary(bytes: &[u8]) -> bool;
}

/// Converts a byte like `u16::from`, which cannot be used in constants.
const fn strategy_bits(strategy: u8) -> u16 {
    u16::from_be_bytes([0, strategy])
}

/// Returns the content of an entry's slot: a byte for its kind (live or deleted), then the object's
/// digest, or zeros for a deleted entry.
#[cfg(feature = "std")]
pub(crate) fn entry_content<S: Suite>(shown: EntryState<S>) -> Vec<u8> {
    let kind = if shown.is_some() { LIVE } else { DELETED };
    let mut content = Vec::from([kind]);
    content.extend_from_slice(shown.unwrap_or_default().as_ref());
    content
}

/// Returns the width in bytes of the content of an entry's slot.
pub(crate) const fn entry_width<S: Suite>() -> usize {
    <S::Digest as DigestBytes>::LENGTH.saturating_add(1)
}

/// Returns the width in bytes of the contents of slots on a level.
pub(crate) fn slot_width<S: Suite, B: BlockDigest<S>>(level: u8) -> usize {
    match level {
        0 => entry_width::<S>(),
        _ => B::summary_bytes(),
    }
}

/// Returns the root of a directory with `entries` entries in blocks of this `capacity`. `summary`
/// is the summary of the topmost block.
pub fn block_root<S: Suite, B: BlockDigest<S>>(
    entries: u64,
    capacity: u32,
    summary: &[u8],
) -> S::Digest {
    if entries == 0 {
        return S::empty_tree();
    }
    let (entries, capacity) = (entries.to_be_bytes(), capacity.to_be_bytes());
    let parts: [&[u8]; 4] = [&[B::STRATEGY], &entries, &capacity, summary];
    S::hash(Domain::DirectoryRoot, &parts)
}

/// Returns the number of slots of each level, from the entries up. There is at least one level.
///
/// At most 48 levels, for at most `2^48` entries and a capacity of at least 2.
pub(crate) fn level_sizes(entries: u64, capacity: u32) -> Vec<u64> {
    let capacity = u64::from(capacity.max(2));
    let next = |slots: &u64| (*slots > capacity).then(|| slots.div_ceil(capacity));
    core::iter::successors(Some(entries), next).collect()
}
