//! Prime representatives of elements in the RSA accumulator.
//!
//! Only distinct primes keep the accumulator collision-free. An element's digest is expanded to a
//! number, the **base**. The representative is the smallest odd prime from the base on. The result
//! is deterministic, so equal sets have equal accumulator values.
//!
//! # Search and hint
//!
//! Finding a representative takes a search ([`search`]). Checking a given representative takes a
//! single primality test. A prover of membership therefore sends the **offset** of the
//! representative from the base, and the verifier calls [`at_offset`].
//!
//! *Membership may trust the hint.* A dishonest server can point to a later prime p of the window.
//! Under the strong RSA assumption, a witness for p can be computed only if p divides the product
//! of the accumulated representatives. These are all primes, so p is one of them.
//!
//! * If p represents another element, p lies in the windows of two digests. Under rules with zeros,
//!   the windows of different hashes are disjoint, so the hashes are equal. Under
//!   [`RepresentativeRule::Compact`] the hashes differ by less than [`WINDOW`], a near-collision
//!   (last column below).
//! * Otherwise p belongs to the element itself, which is accumulated.
//!
//! The argument needs p to be prime (it fails for products), but not to be the smallest.
//!
//! *Non-membership must search.* A non-membership proof proves only that a number is coprime to the
//! product. A later prime of the window of an accumulated element **is** coprime to it. A dishonest
//! server could "prove" the absence of every present element. The verifier must therefore find the
//! smallest prime by its own search.
//!
//! # Rules
//!
//! | rule | base | bits | same prime, by search | near-collision, by offset |
//! | --- | --- | --- | --- | --- |
//! | `Wide` | `1 ‖ 256 hash bits ‖ 16 zeros` | 273 | 2^128 | 2^128 |
//! | `Compact` | `1 ‖ 255 hash bits` | 256 | 2^124 | 2^119.5 |
//!
//! The last two columns estimate the hashes that an attacker computes to find two digests with one
//! prime: with the same representative, or with windows that share a prime. The paper's sizes (184
//! bits measured, 248 called for) are below 128-bit security (2^80, 2^112).
//!
//! Source: Tremel 2013, section 2.1 ("Prime Representatives"), the random oracle method of Barić &
//! Pfitzmann 1997; Crosby & Wallach 2010, sections 4.3 and 5.2.
//!
//! Deviation: [`RepresentativeRule::Compact`] appends no zeros, so that all 256 bits but one come
//! from the hash. The search changes these bits, which costs the bits of security shown above.

#![deny(clippy::arithmetic_side_effects)]

use core::{fmt, slice};

use pad_core::{Sha256Ed25519, Suite, internals::Domain};
use rsa_group::montgomery::{total_bits, unused_bits};
use rug::{Integer, integer::Order};
use thiserror::Error;

use super::{primality::is_prime, sieve};

mod batch;
#[cfg(test)]
mod tests;

pub(crate) use batch::{all_at_offsets, search_all};

/// Number of integers in the search window for a representative. The window starts at the base, the
/// number that a digest expands to.
///
/// For numbers of 273 bits, the window contains no prime with probability e^-347.
pub const WINDOW: u32 = 1 << 16;

const LAST_OFFSET: u16 = u16::MAX;
const _: () = assert!(
    WINDOW == 1 << u16::BITS,
    "offsets of 16 bits fill the window"
);
// A rule may reserve 16 zero bits at the end of the base. No offset in the window may exceed them.
const _: () = assert!(WINDOW <= 1 << 16, "16 zeros hold the window");

/// Number of 64-bit limbs that hold a representative under any rule.
const LIMBS: usize = 5;

/// Rule that maps an element's digest to a prime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RepresentativeRule {
    /// `1 ‖ 256 hash bits ‖ 16 zeros`: 273 bits. Windows of different hashes are disjoint, so two
    /// digests share a prime only if their hashes collide. A collision takes about 2^128 hashes.
    #[default]
    Wide,
    /// `2^255 + 255 hash bits`: 256 bits, the size in most libraries. Meant for comparisons. The
    /// 255 bits and the gaps between primes leave a collision resistance of about 2^124. Against
    /// servers that choose the offset, about 2^119.5 remains.
    Compact,
}

impl RepresentativeRule {
    /// All rules, in ascending order of [`Self::id`].
    pub const ALL: [Self; 2] = [Self::Wide, Self::Compact];

    /// The number that identifies the rule in encoded keys and parameters.
    pub const fn id(self) -> u8 {
        match self {
            Self::Wide => 1,
            Self::Compact => 2,
        }
    }

    /// Returns the rule with this [`Self::id`], or `None` if there is no such rule.
    pub fn from_id(id: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.id() == id)
    }

    /// Human-readable name of the rule.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wide => "wide-273",
            Self::Compact => "compact-256",
        }
    }

    /// Length of a representative in bits.
    pub const fn bit_length(self) -> u32 {
        match self {
            Self::Wide => 273,
            Self::Compact => 256,
        }
    }

    /// Length of a representative in bytes: [`RepresentativeRule::bit_length`] rounded up.
    pub const fn byte_length(self) -> usize {
        match self {
            Self::Wide => 35,
            Self::Compact => 32,
        }
    }
}

impl fmt::Display for RepresentativeRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Error of [`at_offset`]: the number at a claimed offset is not a prime representative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RepresentativeError {
    /// The number at the offset has more bits than the rule allows.
    #[error("the offset is outside the element's search window")]
    OffsetOutsideWindow,
    /// The number at the offset is even or composite.
    #[error("the number at the offset is not an odd prime")]
    NotAPrimeRepresentative,
}

/// Finds the representative of `digest`: the smallest odd prime in its window. Returns the prime
/// and its offset from the base of the window. Returns `None` if the window has no prime, which
/// does not happen in practice ([`WINDOW`]).
///
/// The result depends on the arguments only. Searching again checks that a representative is
/// minimal, which non-membership needs (see the module).
///
/// * Cost: about 100 µs for [`RepresentativeRule::Wide`], varying with the digest.
///
/// Source: Crosby & Wallach 2010, section 4.3: "testing successive integers until we find a
/// prime number".
pub fn search(rule: RepresentativeRule, digest: &[u8; 32]) -> Option<(Integer, u16)> {
    search_all(rule, slice::from_ref(digest)).pop().flatten()
}

/// Checks that the number at `offset` from the base of `digest` is a prime, and returns it. It need
/// not be the smallest prime of the window, which suffices for membership (see the module).
///
/// * Cost: about 45 µs for a prime under [`RepresentativeRule::Wide`], at most 6 µs for any other
///   number.
///
/// # Errors
/// * [`RepresentativeError::OffsetOutsideWindow`] if the number has more bits than the rule allows.
///   Only bases of [`RepresentativeRule::Compact`] close to `2^256` have such offsets.
/// * [`RepresentativeError::NotAPrimeRepresentative`] if the number is even or composite.
///
/// Source: Crosby & Wallach 2010, section 4.3 ("only the offset from the hash of the tuple to
/// the prime representative is sent").
pub fn at_offset(
    rule: RepresentativeRule,
    digest: &[u8; 32],
    offset: u16,
) -> Result<Integer, RepresentativeError> {
    let limbs = Base::new(rule, digest).prime_at(offset)?;
    Ok(Integer::from_digits(&limbs, Order::Lsf))
}

/// The first number of a digest's window.
#[derive(Clone, Copy)]
struct Base {
    rule: RepresentativeRule,
    /// Least significant limb first.
    limbs: [u64; LIMBS],
}

impl Base {
    /// Creates the base of `digest`. It consists of the highest bit 1, the leading bits of
    /// `H(digest ‖ 0)`, and the zeros that `rule` appends.
    fn new(rule: RepresentativeRule, digest: &[u8; 32]) -> Self {
        let [first, second, third, fourth] = hashed_words(digest);
        let (words, dropped_bits) = match rule {
            RepresentativeRule::Wide => ([first, second, third, fourth, 0], 64 - 16),
            RepresentativeRule::Compact => ([0, first, second, third, fourth], 1),
        };
        let mut limbs = shift_right(words, dropped_bits);
        let [.., fourth, fifth] = &mut limbs;
        match rule {
            RepresentativeRule::Wide => *fifth |= 1 << (272 - 256),
            RepresentativeRule::Compact => *fourth |= 1 << (255 - 192),
        }
        Self { rule, limbs }
    }

    /// Finds the first odd prime from the base up to offset `last`. Returns the prime and its
    /// offset.
    fn search(self, last: u16) -> Option<([u64; LIMBS], u16)> {
        let mut candidates = self.candidates(None, last);
        candidates.find(|(number, _)| self.is_prime(number))
    }

    /// Iterates over the odd numbers without small factors, each with its offset. Offsets are above
    /// `after`, or start at 0, and end with `last`, inclusive.
    fn candidates(
        self,
        after: Option<u16>,
        last: u16,
    ) -> impl Iterator<Item = ([u64; LIMBS], u16)> {
        let [lowest, ..] = self.limbs;
        let first_odd = u16::from(lowest & 1 == 0);
        let stretches = (first_odd..=last).step_by(2 * sieve::STRETCH);
        let sieved = stretches.map_while(move |start| {
            let survivors = sieve::survivors(&self.number_at(start).ok()?);
            Some((start..=last).step_by(2).zip(survivors))
        });
        sieved
            .flatten()
            .filter(move |(offset, survives)| {
                *survives && after.is_none_or(|after| *offset > after)
            })
            .map_while(move |(offset, _)| Some((self.number_at(offset).ok()?, offset)))
    }

    /// Returns the number at `offset` from the base if it is an odd prime of the rule's length, and
    /// an error otherwise.
    fn prime_at(&self, offset: u16) -> Result<[u64; LIMBS], RepresentativeError> {
        let number = self.candidate_at(offset)?;
        if self.is_prime(&number) {
            Ok(number)
        } else {
            Err(RepresentativeError::NotAPrimeRepresentative)
        }
    }

    /// Returns the number at `offset` from the base if it is odd and has no very small factor. This
    /// test is cheap: composites from a malicious server must not cost clients much.
    fn candidate_at(&self, offset: u16) -> Result<[u64; LIMBS], RepresentativeError> {
        let number = self.number_at(offset)?;
        let [lowest, ..] = number;
        if lowest & 1 == 1 && !sieve::has_small_factor(&number) {
            Ok(number)
        } else {
            Err(RepresentativeError::NotAPrimeRepresentative)
        }
    }

    fn number_at(&self, offset: u16) -> Result<[u64; LIMBS], RepresentativeError> {
        let mut above = u64::from(offset);
        let number = self.limbs.map(|limb| {
            let (sum, carry) = limb.overflowing_add(above);
            above = u64::from(carry);
            sum
        });
        let bits = total_bits::<LIMBS>().saturating_sub(unused_bits(&number));
        if bits > self.rule.bit_length() {
            return Err(RepresentativeError::OffsetOutsideWindow);
        }
        Ok(number)
    }

    /// Returns whether a number of this rule is prime, using as few limbs as the rule needs.
    fn is_prime(&self, number: &[u64; LIMBS]) -> bool {
        let [first, second, third, fourth, _] = *number;
        match self.rule {
            RepresentativeRule::Wide => is_prime(number),
            RepresentativeRule::Compact => is_prime(&[first, second, third, fourth]),
        }
    }
}

/// Computes the first block of a digest's expansion as four big-endian words.
fn hashed_words(digest: &[u8; 32]) -> [u64; 4] {
    let block = Sha256Ed25519::hash(Domain::AccumulatorExpand, &[digest, &[0]]);
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(block.0.as_chunks().0) {
        *word = u64::from_be_bytes(*bytes);
    }
    words
}

/// Shifts a number of big-endian words right by `bits`, from 1 to 63, and returns it as
/// little-endian limbs.
fn shift_right(words: [u64; LIMBS], bits: u32) -> [u64; LIMBS] {
    let mut above = 0;
    let mut limbs = words.map(|word| {
        let shifted = (word >> bits) | above;
        above = word.wrapping_shl(u64::BITS.wrapping_sub(bits));
        shifted
    });
    limbs.reverse();
    limbs
}
