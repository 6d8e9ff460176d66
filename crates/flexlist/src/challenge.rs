//! Challenges of audits, and the samples and coefficients that verifier and server derive from
//! them.
//!
//! Only a seed and a count (or a range) are sent. Positions and coefficients are derived from them
//! and the [`Context`], so an answer fits one audit of one version of one file.
//!
//! ```text
//! of a sample of `count` bytes:
//! context    = H("flexdpdp/chal/v1"  || seed || file || version || root || total || count)
//! of every block of a range:
//! context    = H("flexdpdp/every/v1" || seed || file || version || root || total || start || end)
//!
//! place(q,n) = (first 16 bytes of H(context || 0x01 || q)) * n >> 128                      below n
//! a(q)       =  first 16 bytes of H(context || 0x02 || q)
//! ```
//!
//! H is SHA-256. `q` is the number of the sample or leaf, from 0. `n` is the length of the file or
//! leaf in bytes. `seed`, `file` and `root` are byte strings. Integers are big endian: `count` has
//! 4 bytes, and `version`, `total`, `start`, `end` and `q` have 8. The value of `place` is uniform
//! up to a bias below 2^-64.
//!
//! Seeds are 32 fresh random bytes of the verifier. A server that knows the seed before it commits
//! to the file can prepare for the challenge.
//!
//! Source: Esiner et al. 2013, section 2 (challenge); Erway et al. 2009, section 4 (coefficients).

mod assign;
mod error;

use alloc::vec::Vec;
use core::ops::Range;

use pad_core::Digest;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{FileId, FileState};

pub use assign::{Leaf, assign};
pub use error::{AssignError, ChallengeError};

/// The maximum number of samples of one challenge: 2^20. A challenge of every block covers at most
/// this number of blocks.
pub const MAX_COUNT: u32 = 1 << 20;

/// A challenge as sent to the server. Both sides derive everything else from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Challenge {
    /// Challenges the blocks that contain `count` bytes drawn at random from the whole file, with
    /// replacement.
    Sample {
        /// 32 fresh random bytes of the verifier, from which the sampled bytes are derived.
        seed: [u8; 32],
        /// The number of bytes to draw, from 1 to [`MAX_COUNT`].
        count: u32,
    },
    /// Challenges every block that overlaps the bytes `start..end` of the file.
    Every {
        /// 32 fresh random bytes of the verifier, from which the coefficients are derived.
        seed: [u8; 32],
        /// The index of the first byte of the challenged range.
        start: u64,
        /// The index one past the last byte of the challenged range.
        end: u64,
    },
}

/// The file and version that a challenge is about. Samples and coefficients are derived from all
/// fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// The id of the challenged file.
    pub file: FileId,
    /// The number of the challenged version.
    pub version: u64,
    /// The root hash of the file's list at that version.
    pub root: Digest<32>,
    /// The length of the file in bytes at that version.
    pub total: u64,
}

impl From<&FileState> for Context {
    fn from(state: &FileState) -> Self {
        Self {
            file: state.file,
            version: state.version,
            root: state.list.root,
            total: state.list.total,
        }
    }
}

/// A challenged byte and its coefficient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The index of the byte in the file.
    pub index: u64,
    /// The random coefficient of the sample. A block's coefficient is the sum over the samples in
    /// it.
    pub coefficient: u128,
}

/// The samples or blocks that a [`Challenge`] asks for in one version of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Questions {
    /// Sampled bytes, in the order in which they were derived. [`assign`] finds their blocks.
    Samples(Vec<Sample>),
    /// Every block that overlaps a range. The number of these blocks is known only from the list.
    Blocks(BlockQuestions),
}

/// A challenge of every block that overlaps a range. [`BlockQuestions::assign`] derives one
/// coefficient for each block from the challenge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockQuestions {
    range: Range<u64>,
    derivation: Derivation,
}

/// The digest from which all positions and coefficients of one challenge are derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Derivation([u8; 32]);

impl Challenge {
    /// Expands this challenge for the version that `context` identifies. Verifier and server get
    /// equal results.
    ///
    /// Costs two hashes per sample. A challenge of every block costs one hash here, and more in
    /// [`BlockQuestions::assign`].
    ///
    /// # Errors
    /// * [`ChallengeError::EmptyFile`] for an empty file. Its root already proves that it is empty.
    /// * [`ChallengeError::NoSamples`] for a sample of no bytes; [`ChallengeError::TooManySamples`]
    ///   for more than [`MAX_COUNT`].
    /// * [`ChallengeError::EmptyRange`] for a range without a byte;
    ///   [`ChallengeError::RangeOutsideFile`] if it ends after the end of the file.
    pub fn questions(&self, context: &Context) -> Result<Questions, ChallengeError> {
        if context.total == 0 {
            return Err(ChallengeError::EmptyFile);
        }
        match *self {
            Self::Sample { seed, count } => {
                check_count(count)?;
                let derivation =
                    Derivation::new(b"flexdpdp/chal/v1", &seed, context, &[&count.to_be_bytes()]);
                let sample = |number| Sample {
                    index: derivation.place(number, context.total),
                    coefficient: derivation.coefficient(number),
                };
                Ok(Questions::Samples(
                    (0..u64::from(count)).map(sample).collect(),
                ))
            }
            Self::Every { seed, start, end } => {
                check_range(start, end, context.total)?;
                let bounds: [&[u8]; 2] = [&start.to_be_bytes(), &end.to_be_bytes()];
                Ok(Questions::Blocks(BlockQuestions {
                    range: start..end,
                    derivation: Derivation::new(b"flexdpdp/every/v1", &seed, context, &bounds),
                }))
            }
        }
    }
}

fn check_count(count: u32) -> Result<(), ChallengeError> {
    let limit = MAX_COUNT;
    match count {
        0 => Err(ChallengeError::NoSamples),
        1..=MAX_COUNT => Ok(()),
        _ => Err(ChallengeError::TooManySamples { count, limit }),
    }
}

fn check_range(start: u64, end: u64, total: u64) -> Result<(), ChallengeError> {
    if start >= end {
        return Err(ChallengeError::EmptyRange { start, end });
    }
    if end > total {
        return Err(ChallengeError::RangeOutsideFile { end, total });
    }
    Ok(())
}

impl Derivation {
    fn new(domain: &[u8], seed: &[u8; 32], context: &Context, bounds: &[&[u8]]) -> Self {
        let mut hash = Sha256::new_with_prefix(domain);
        hash.update(seed);
        hash.update(context.file.0);
        hash.update(context.version.to_be_bytes());
        hash.update(context.root.0);
        hash.update(context.total.to_be_bytes());
        for bound in bounds {
            hash.update(bound);
        }
        Self(hash.finalize().into())
    }

    /// Returns the pseudorandom position of the sample or leaf `number`, below `limit`. Returns 0
    /// if `limit` is 0.
    fn place(&self, number: u64, limit: u64) -> u64 {
        scale(self.word(1, number), limit)
    }

    fn coefficient(&self, number: u64) -> u128 {
        self.word(2, number)
    }

    /// Returns the first 16 bytes, big endian, of a hash. The hash covers this derivation,
    /// `purpose` (1 for positions, 2 for coefficients) and the `number` of the sample or leaf.
    fn word(&self, purpose: u8, number: u64) -> u128 {
        let mut hash = Sha256::new_with_prefix(self.0);
        hash.update([purpose]);
        hash.update(number.to_be_bytes());
        let digest: [u8; 32] = hash.finalize().into();
        digest.first_chunk().copied().map_or(0, u128::from_be_bytes)
    }
}

/// Computes `word * limit >> 128` by the halves of `word`; the full product has up to 192 bits.
fn scale(word: u128, limit: u64) -> u64 {
    let limit = u128::from(limit);
    let [high, low] = halves(word).map(u128::from);
    // At most (2^64 - 1)^2 + (2^64 - 1) < 2^128, so nothing wraps.
    let sum = high
        .wrapping_mul(limit)
        .wrapping_add(low.wrapping_mul(limit) >> 64);
    let [result, _] = halves(sum);
    result
}

/// Splits a number into its upper and its lower 64 bits, in this order.
fn halves(word: u128) -> [u64; 2] {
    let bytes = word.to_be_bytes();
    let half = |half: Option<&[u8; 8]>| half.copied().map_or(0, u64::from_be_bytes);
    [half(bytes.first_chunk()), half(bytes.last_chunk())]
}

#[cfg(test)]
mod tests;
