//! Cache policies: which superseded digests versioned nodes keep for old versions.
//!
//! The digests of the latest snapshot are always kept. Source: Crosby & Wallach 2010, section 3.3
//! and table 1.

use core::fmt::Debug;

use crate::balancing::BalancingScheme;

/// A policy for digests that a later snapshot supersedes. Implemented by zero-sized types.
///
/// Sealed: only the three policies of the paper are compared. A policy that keeps few digests costs
/// time, never correctness.
pub trait CachePolicy: Copy + Debug + Default + Send + Sync + sealed::Sealed + 'static {
    /// A human-readable name of the versioned-node store with this policy.
    const NAME: &'static str;
    /// Whether every digest is kept, so that none is recomputed.
    const EVERYWHERE: bool;

    /// Whether to keep the digest of a node of this rank and depth, in a snapshot with `population`
    /// entries.
    fn keeps<B: BalancingScheme>(rank: u32, depth: u32, population: usize) -> bool;
}

/// Keeps no superseded digests: `O(1)` digests per update, `O(n)` time per old proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheNowhere;

/// Keeps all superseded digests: `O(log n)` digests per update, `O(log n)` time per old proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheEverywhere;

/// Keeps the superseded digests of the layer halfway down: `O(1)` digests per update, `O(sqrt n)`
/// time per old proof.
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

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::CacheNowhere {}
    impl Sealed for super::CacheEverywhere {}
    impl Sealed for super::CacheMedian {}
}
