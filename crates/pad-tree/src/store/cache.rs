//! Cache policies of the store [`VersionedNodes`](super::versioned_nodes::VersionedNodes). A policy
//! decides which digests the store keeps for old versions when a newer snapshot replaces them.
//!
//! The store always keeps the digests of the latest snapshot. Source: Crosby & Wallach 2010,
//! section 3.3 and table 1.

use core::fmt::Debug;

use crate::balancing::BalancingScheme;

/// A policy for digests of old versions, which a later snapshot has replaced. Implemented by
/// zero-sized types.
///
/// Not public: only the three policies of the paper are compared. Digests that a policy does not
/// keep are recomputed, so proofs take longer but are equal.
pub trait CachePolicy: Copy + Debug + Default + Send + Sync + 'static {
    /// A human-readable name of the versioned-node store with this policy.
    const NAME: &'static str;
    /// Whether the policy keeps every digest, so that none is recomputed.
    const EVERYWHERE: bool;

    /// Whether to keep the replaced digest of a node of this rank and depth. The snapshot has
    /// `population` entries.
    fn keeps<B: BalancingScheme>(rank: u32, depth: u32, population: usize) -> bool;
}

/// Keeps no digests of old versions: `O(1)` digests per update, `O(n)` time for a proof of an old
/// version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheNowhere;

/// Keeps all digests of old versions: `O(log n)` digests per update, `O(log n)` time for a proof of
/// an old version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheEverywhere;

/// Keeps the digests of old versions only in the layer halfway between root and leaves. Takes
/// `O(1)` digests per update, and `O(sqrt n)` time for a proof of an old version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheMedian;

impl CachePolicy for CacheNowhere {
    const NAME: &'static str = "cache-nowhere";
    const EVERYWHERE: bool = false;

    fn keeps<B: BalancingScheme>(_: u32, _: u32, _: usize) -> bool {
        false
    }
}

impl CachePolicy for CacheEverywhere {
    const NAME: &'static str = "cache-everywhere";
    const EVERYWHERE: bool = true;

    fn keeps<B: BalancingScheme>(_: u32, _: u32, _: usize) -> bool {
        true
    }
}

impl CachePolicy for CacheMedian {
    const NAME: &'static str = "cache-median";
    const EVERYWHERE: bool = false;

    fn keeps<B: BalancingScheme>(rank: u32, depth: u32, population: usize) -> bool {
        B::in_median_layer(rank, depth, population)
    }
}
