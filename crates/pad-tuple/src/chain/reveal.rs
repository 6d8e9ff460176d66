//! Author's side of hash chains: the secret from which seeds are derived, and the traversal that
//! reveals links.

use core::fmt;

use pad_core::{Suite, internals::Domain};
use zeroize::Zeroizing;

use super::{DEFAULT_CHAIN_LENGTH, MAX_CHAIN_LENGTH, walk};
use crate::statement::{Context, TupleStatement};

/// The secret from which an author derives the seeds of all hash chains, and the length of these
/// chains.
#[derive(Clone)]
pub struct ChainSecret {
    secret: Zeroizing<[u8; 32]>,
    length: u32,
}

impl fmt::Debug for ChainSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ChainSecret(.., {} links)", self.length)
    }
}

impl ChainSecret {
    /// Creates a secret from bytes, which must be uniformly random and never leave the author.
    ///
    /// The secret belongs to one signing key. An author that replaces that key, for example after a
    /// leak, must replace this secret as well. Otherwise, equal tuples would have equal hash chains
    /// under both keys.
    pub fn from_bytes(secret: [u8; 32]) -> Self {
        Self {
            secret: Zeroizing::new(secret),
            length: DEFAULT_CHAIN_LENGTH,
        }
    }

    /// Sets the length of chains, clamped to at least 1 and at most [`MAX_CHAIN_LENGTH`].
    ///
    /// If an author resumes with another length, it signs every tuple anew. With BLS signatures,
    /// clients may reject proofs of more than 64 tuples if chains are longer than
    /// [`STEPS_PER_TUPLE`](super::STEPS_PER_TUPLE).
    #[must_use]
    pub fn with_length(mut self, length: u32) -> Self {
        self.length = length.clamp(1, MAX_CHAIN_LENGTH);
        self
    }

    /// Returns the number of links that a chain can reveal.
    pub const fn length(&self) -> u32 {
        self.length
    }

    /// Returns the seed of the chain for `statement`. The seed is a pseudorandom function of all
    /// inputs that distinguish one signature from another. If an author signs a statement again
    /// after a crash, it therefore signs the same anchor (end of the chain).
    ///
    /// The seed is `H(hash-chain-seed, secret (32) ‖ length (4) ‖ context (20) ‖ generation (1) ‖
    /// since (8) ‖ until (8) ‖ tuple digest)`.
    pub fn seed<S: Suite>(&self, context: Context, statement: &TupleStatement<S>) -> S::Digest {
        S::hash(
            Domain::HashChainSeed,
            &[
                &*self.secret,
                &self.length.to_be_bytes(),
                &context.to_bytes::<S>(),
                &[statement.generation],
                &statement.since.to_be_bytes(),
                &statement.until.to_be_bytes(),
                statement.tuple.as_ref(),
            ],
        )
    }
}

/// Computes the links of a hash chain of length `L` from its end to its start. Stores `O(log L)`
/// links, and takes an amortised `O(log L)` hashes for each link.
///
/// The distances between stored links are halved repeatedly, as between the probes of a binary
/// search.
#[derive(Clone, Debug, Default)]
pub struct Pebbles<S: Suite> {
    /// The stored links with their positions (steps after the seed), in ascending order of
    /// positions.
    pebbles: Vec<(u32, S::Digest)>,
}

/// Clears the stored links: for their tuple, unrevealed links are as sensitive as the secret.
/// Copies that the growing vector has left in memory are not cleared.
impl<S: Suite> Drop for Pebbles<S> {
    fn drop(&mut self) {
        for (_, link) in &mut self.pebbles {
            *link = S::Digest::default();
        }
        core::hint::black_box(&mut self.pebbles);
    }
}

impl<S: Suite> Pebbles<S> {
    /// Returns the link `position` steps after the seed, in the chain of `tuple`. The calls must
    /// have descending positions.
    ///
    /// `seed` computes the link at position 0. It is called only if no link is stored yet.
    pub fn link(
        &mut self,
        seed: impl FnOnce() -> S::Digest,
        tuple: &S::Digest,
        position: u32,
    ) -> S::Digest {
        while self
            .pebbles
            .last()
            .is_some_and(|(last, _)| *last > position)
        {
            self.pebbles.pop();
        }
        let (mut at, mut link) = self.pebbles.last().copied().unwrap_or_else(|| (0, seed()));
        if self.pebbles.is_empty() {
            self.pebbles.push((at, link));
        }
        while at < position {
            // Store the midpoint, so that the next lower positions are near a stored link.
            let next = at + (position - at).div_ceil(2);
            link = walk::<S>(link, tuple, next - at);
            at = next;
            if at < position {
                self.pebbles.push((at, link));
            }
        }
        link
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pad_core::Sha256Ed25519 as Suite256;

    #[test]
    fn every_link_is_the_one_that_walking_from_the_seed_finds() {
        for length in [1, 2, 3, 7, 64, 100, 129] {
            let (seed, tuple) = (pad_core::Digest([1; 32]), pad_core::Digest([2; 32]));
            let mut pebbles = Pebbles::<Suite256>::default();
            for position in (0..=length).rev() {
                let link = pebbles.link(|| seed, &tuple, position);
                assert_eq!(link, walk::<Suite256>(seed, &tuple, position));
                assert!(pebbles.pebbles.len() <= 9, "few links are remembered");
            }
        }
    }
}
