//! Expansion of a slot to a number below a modulus: longer hashes, until one fits.

use alloc::vec::Vec;

use sha2::{Digest as _, Sha384};

/// The bits of one SHA-384 digest.
const HASH_BITS: u32 = 384;
/// The values of the counter byte.
const COUNTERS: u32 = 256;

/// A range of numbers, and the constant of their hashes.
#[derive(Clone, Copy, Debug)]
pub struct Expansion<'a> {
    /// The constant prefix of every hash: the tag, zero-padded.
    pub constant: [u8; 24],
    /// The length of the numbers in bits.
    pub bits: u32,
    /// The least number of the range: 0 or 1.
    pub least: Least,
    /// The exclusive upper bound, in `ceil(bits / 8)` bytes, big-endian; `None` for `2^bits`.
    pub modulus: Option<&'a [u8]>,
}

/// The least number of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Least {
    /// Lower bound 0, for sums.
    Zero,
    /// Lower bound 1, for products.
    One,
}

/// A number, and the number of failed attempts before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The number in `ceil(bits / 8)` bytes, big-endian.
    pub number: Vec<u8>,
    /// The number of failed attempts.
    pub missed: u32,
}

/// Maps `input` to a number: the first attempt that is in the range. Returns `None` if all fail,
/// with a probability below `2^-2000` for the moduli of the strategies.
///
/// An attempt uses one counter for each hash; the next attempt uses the next counters.
///
/// Source: Stanton et al. 2010, section 2.3, with a rule for failed attempts, which the paper
/// leaves open.
pub fn expand(expansion: &Expansion<'_>, input: &[&[u8]]) -> Option<Found> {
    let hashes = expansion.bits.div_ceil(HASH_BITS);
    let attempts = COUNTERS.checked_div(hashes)?;
    (0..attempts).find_map(|missed| {
        let first = missed.checked_mul(hashes)?;
        let number = attempt(expansion, first, hashes, input)?;
        expansion.has(&number).then_some(Found { number, missed })
    })
}

/// The number made from the hashes with the counters from `first` on.
fn attempt(expansion: &Expansion<'_>, first: u32, hashes: u32, input: &[&[u8]]) -> Option<Vec<u8>> {
    let length = expansion.bits.div_ceil(8);
    let mut number = Vec::new();
    for counter in first..first.checked_add(hashes)? {
        let mut hasher = Sha384::new();
        hasher.update(expansion.constant);
        hasher.update([u8::try_from(counter).ok()?]);
        for part in input {
            hasher.update(part);
        }
        number.extend_from_slice(&hasher.finalize());
    }
    number.truncate(usize::try_from(length).ok()?);
    shift_right(
        &mut number,
        length.checked_mul(8)?.checked_sub(expansion.bits)?,
    );
    Some(number)
}

/// Drops the lowest bits, fewer than 8, of a big-endian number.
fn shift_right(number: &mut [u8], bits: u32) {
    let mut carried = 0_u8;
    for byte in number {
        let low = byte.unbounded_shl(8_u32.saturating_sub(bits));
        *byte = byte.unbounded_shr(bits) | carried;
        carried = low;
    }
}

impl Expansion<'_> {
    fn has(&self, number: &[u8]) -> bool {
        let is_zero = number.iter().all(|byte| *byte == 0);
        let above_least = self.least == Least::Zero || !is_zero;
        above_least && self.modulus.is_none_or(|modulus| number < modulus)
    }
}
