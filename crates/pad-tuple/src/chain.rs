//! Hash chains, which lightweight signatures reveal link by link.
//!
//! A chain of length `L` starts at a secret seed and ends, `L` steps later, at the anchor that the
//! author signs. To extend the signature's validity for the `i`-th time, the author reveals the
//! link `i` steps before the anchor. With a link, anyone can compute the links between it and the
//! anchor, but none nearer to the seed. Each step also hashes the tuple's digest, so a link of one
//! tuple is useless for another.
//!
//! Source: Crosby & Wallach 2010, section 4.2, after Micali 1996.

use pad_core::{Suite, VerifyError, internals::Domain};

#[cfg(feature = "std")]
mod reveal;

#[cfg(feature = "std")]
pub use reveal::{ChainSecret, Pebbles};

/// The maximum number of steps that a client hashes in one chain.
pub const MAX_CHAIN_LENGTH: u32 = 4096;

/// The maximum total number of chain steps that a client accepts for the tuples of one signature or
/// batch: 64 chains of full length. For more than 512 tuples, the limit is [`STEPS_PER_TUPLE`] for
/// each tuple instead.
pub const MAX_STEPS: u32 = 64 * MAX_CHAIN_LENGTH;

/// The maximum mean number of chain steps per tuple that a client accepts if the total exceeds
/// [`MAX_STEPS`]: four chains of the default length. These steps take about as long as hashing a
/// statement to a curve point.
pub const STEPS_PER_TUPLE: u32 = 4 * DEFAULT_CHAIN_LENGTH;

/// The default length of hash chains, in steps.
///
/// A new chain costs its length in hashes; an exhausted chain costs a signature. The best length is
/// about `sqrt(40 n / m)` if each instant refreshes `n` tuples and creates `m` tuples.
pub const DEFAULT_CHAIN_LENGTH: u32 = 128;

/// Hashes `steps` steps from `link` towards the anchor of the chain for `tuple`. Returns the link
/// reached.
pub fn walk<S: Suite>(mut link: S::Digest, tuple: &S::Digest, steps: u32) -> S::Digest {
    for _ in 0..steps {
        link = S::node(Domain::HashChain, &link, tuple);
    }
    link
}

/// Checks that a client accepts this number of steps in one chain, and converts the number.
///
/// # Errors
/// [`VerifyError::ChainTooLong`] if `steps` exceeds [`MAX_CHAIN_LENGTH`].
pub fn require_walkable(steps: u64) -> Result<u32, VerifyError> {
    u32::try_from(steps)
        .ok()
        .filter(|steps| *steps <= MAX_CHAIN_LENGTH)
        .ok_or(VerifyError::ChainTooLong {
            limit: MAX_CHAIN_LENGTH,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_beyond_the_limit_is_refused() {
        let limit = MAX_CHAIN_LENGTH;
        let refused = Err(VerifyError::ChainTooLong { limit });
        for steps in [u64::from(limit) + 1, u64::MAX] {
            assert_eq!(require_walkable(steps), refused);
        }
        assert_eq!(require_walkable(u64::from(limit)), Ok(limit));
    }
}
