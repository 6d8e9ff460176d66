//! Maps a slot to a number below a modulus: hashes the slot with increasing counters until the
//! digests form such a number.

use alloc::vec::Vec;

use sha2::{Digest as _, Sha384};

/// The length of one SHA-384 digest in bits.
const HASH_BITS: u32 = 384;
/// The number of values of the counter byte, and so of hashes for one input.
const COUNTERS: u32 = 256;

/// The parameters of [`expand`]: the range of the numbers, and the constant prefix of the hashes.
#[derive(Clone, Copy, Debug)]
pub struct Expansion<'a> {
    /// The constant prefix of every hash: a tag, padded with zeros.
    pub constant: [u8; 24],
    /// The length of the numbers in bits.
    pub bits: u32,
    /// The least number of the range: 0 or 1.
    pub least: Least,
    /// The exclusive upper bound of the range, in `ceil(bits / 8)` bytes, big-endian; `None` for
    /// `2^bits`.
    pub modulus: Option<&'a [u8]>,
}

/// The least number in the range of an [`Expansion`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Least {
    /// The range begins at 0, for strategies that add elements.
    Zero,
    /// The range begins at 1, for strategies that multiply elements.
    One,
}

/// The result of [`expand`]: a number, and the number of failed attempts before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The number in `ceil(bits / 8)` bytes, big-endian.
    pub number: Vec<u8>,
    /// The number of attempts before this one, whose numbers were outside the range.
    pub missed: u32,
}

/// Maps `input` to a number: the result of the first attempt that gives a number in the range.
/// Returns `None` if all attempts fail. For the moduli of the strategies, this has a probability
/// below `2^-2000`.
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

/// Returns the number from one attempt: `hashes` hashes with the counters from `first` on.
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

/// Drops the lowest `bits` bits, fewer than 8, of a big-endian number.
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
