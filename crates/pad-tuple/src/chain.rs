//! Hash chains: what a lightweight signature reveals link by link.
//!
//! A chain of length `L` starts at a secret seed and ends, `L` steps later, at the anchor that the
//! author signs. The `i`-th refresh reveals the link `i` steps before the anchor. Whoever holds a link
//! can walk towards the anchor but not away from it. Each step hashes the tuple's digest along, so
//! that a link of one tuple is of no use for another.
//!
//! Source: Crosby & Wallach 2010, section 4.2, after Micali 1996.

use pad_core::{Domain, Suite, VerifyError};

#[cfg(feature = "std")]
mod reveal;

#[cfg(feature = "std")]
pub use reveal::{ChainSecret, Pebbles};

/// The longest chain that a client walks.
pub const MAX_CHAIN_LENGTH: u32 = 4096;

/// The most steps that a client walks for the tuples of one signature, whatever their number: 64 chains
/// of any length.
pub const MAX_STEPS: u32 = 64 * MAX_CHAIN_LENGTH;

/// The steps that a client walks for each tuple of one signature where that is more than
/// [`MAX_STEPS`]: four chains of the default length, about the work of hashing a statement to a point.
pub const STEPS_PER_TUPLE: u32 = 4 * DEFAULT_CHAIN_LENGTH;

/// The length of chains unless an author chooses another.
///
/// A new chain costs its length in hashes, and an exhausted one a signature. About `sqrt(40 n / m)`
/// is best, where `n` tuples are refreshed and `m` made anew at each instant.
pub const DEFAULT_CHAIN_LENGTH: u32 = 128;

/// `steps` steps towards the anchor.
pub fn walk<S: Suite>(mut link: S::Digest, tuple: &S::Digest, steps: u32) -> S::Digest {
    for _ in 0..steps {
        link = S::node(Domain::HashChain, &link, tuple);
    }
    link
}

/// A number of steps that a client walks in one chain.
///
/// # Errors
/// [`VerifyError::ChainTooLong`].
pub fn require_walkable(steps: u64) -> Result<u32, VerifyError> {
    u32::try_from(steps)
        .ok()
        .filter(|steps| *steps <= MAX_CHAIN_LENGTH)
        .ok_or(VerifyError::ChainTooLong {
            limit: MAX_CHAIN_LENGTH,
        })
}

/// The anchor that a revealed link leads to.
///
/// # Errors
/// [`VerifyError::ChainTooLong`], before anything is hashed.
pub fn anchor<S: Suite>(
    link: S::Digest,
    tuple: &S::Digest,
    steps: u64,
) -> Result<S::Digest, VerifyError> {
    require_walkable(steps).map(|steps| walk::<S>(link, tuple, steps))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pad_core::Sha256Ed25519 as Suite256;

    #[test]
    fn a_chain_beyond_the_limit_is_refused() {
        let (link, tuple) = (pad_core::Digest([1; 32]), pad_core::Digest([2; 32]));
        let limit = MAX_CHAIN_LENGTH;
        let refused = Err(VerifyError::ChainTooLong { limit });
        assert_eq!(
            anchor::<Suite256>(link, &tuple, u64::from(limit) + 1),
            refused
        );
        assert_eq!(anchor::<Suite256>(link, &tuple, u64::MAX), refused);
        assert!(anchor::<Suite256>(link, &tuple, u64::from(limit)).is_ok());
    }
}
