//! An audit, from the answer's bytes to what it establishes.
//!
//! The owner (or whoever has the verifier key) draws a [`Challenge`]; the server answers with an
//! [`AuditAnswer`]: which blocks the challenge met, according to the list, and the tag scheme's proof
//! that it holds their bytes. [`Auditor`] checks both.
//!
//! Source: Esiner, Küpçü and Özkasap, section 2 (proof of possession).

use alloc::vec::Vec;
use core::{fmt, ops::Range};

use pad_core::{Digest, Proof};

use crate::{
    FileState,
    bytes::Bytes,
    challenge::{AssignError, Challenge, ChallengeError, Context, Leaf, Questions, assign},
    error::{AuditError, ProofError},
    list::{ProvenBlock, Sha256, verify_indices, verify_range},
    tag::{Challenged, VerifierKey, committed_digest},
};

/// What a server answers to a challenge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditAnswer {
    /// The list's proof for the challenged bytes.
    pub list_proof: Bytes,
    /// What each challenged leaf commits, in the order of the file.
    pub committed: Vec<Bytes>,
    /// The tag scheme's proof.
    pub tag_proof: Bytes,
}

/// What an auditor knows: the state of the file, and the key to check tags with.
#[derive(Clone, Debug)]
pub struct Auditor {
    /// The file, its version, root and length.
    pub state: FileState,
    /// The tag scheme's key.
    pub key: VerifierKey,
}

/// What an audit established: at the time of the challenge, the server had these blocks (of tags that are
/// hashes: the challenged chunks of them).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditReport {
    /// The file and its version.
    pub state: FileState,
    /// The bytes of each challenged block, in the order of the file, none twice.
    pub blocks: Vec<Range<u64>>,
    /// What the challenge covered.
    pub coverage: Coverage,
}

/// What a challenge covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// The blocks around this many bytes, drawn at random.
    Sample {
        /// How many bytes.
        count: u32,
    },
    /// Every block that overlaps a range. With tags of
    /// [`TagKind::HashOnly`](crate::tag::TagKind::HashOnly): one chunk of each, drawn at random, which says
    /// nothing about the others; to know about every byte, read the range.
    Every {
        /// The first byte.
        start: u64,
        /// One past the last byte.
        end: u64,
    },
}

impl fmt::Display for Coverage {
    /// In words, what the owner of the file may conclude.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sample { count } => {
                let percent = 100.0 - 100.0 * power(0.99, *count);
                write!(
                    formatter,
                    "{count} bytes drawn at random: {percent:.1} % chance to notice a loss of 1 % of \
                     the bytes"
                )
            }
            Self::Every { start, end } => {
                write!(formatter, "every block from byte {start} to byte {end}")
            }
        }
    }
}

/// `base` to the power of `exponent`, by squares: without the logarithms of
/// `detection`, which need a standard library.
fn power(mut base: f64, mut exponent: u32) -> f64 {
    let mut product = 1.0;
    while exponent > 0 {
        if exponent % 2 == 1 {
            product *= base;
        }
        base *= base;
        exponent /= 2;
    }
    product
}

/// Why an audit failed, and whether the question or the server is to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuditFailure {
    /// The file does not allow the challenge: ask otherwise.
    #[error(transparent)]
    Challenge(#[from] ChallengeError),
    /// The list's proof does not prove which blocks are challenged: distrust the server.
    #[error(transparent)]
    List(#[from] ProofError),
    /// The proven blocks do not answer the challenge: distrust the server.
    #[error(transparent)]
    Leaves(#[from] AssignError),
    /// The tags do not prove that the server has the blocks: it lost or changed some.
    #[error(transparent)]
    Tags(#[from] AuditError),
}

impl Proof for AuditAnswer {
    type Commitment = Auditor;
    type Query = Challenge;
    type Statement = AuditReport;
    type Error = AuditFailure;

    fn check(self, auditor: &Auditor, challenge: &Challenge) -> Result<AuditReport, AuditFailure> {
        let state = auditor.state;
        let (leaves, challenged) = self.challenged(&state, challenge)?;
        if self.committed.len() != leaves.len() {
            return Err(AuditFailure::Tags(AuditError::TagCountMismatch {
                expected: leaves.len(),
                actual: self.committed.len(),
            }));
        }
        for (leaf, committed) in leaves.iter().zip(&self.committed) {
            if Digest(committed_digest(committed.as_ref())) != leaf.tag_digest {
                let start = leaf.start;
                return Err(AuditFailure::Tags(AuditError::TagDigestMismatch { start }));
            }
        }
        let opened: Vec<(Challenged, Bytes)> = challenged.into_iter().zip(self.committed).collect();
        auditor.key.verify(&opened, self.tag_proof.as_ref())?;
        Ok(AuditReport {
            state,
            blocks: leaves.iter().map(ProvenBlock::range).collect(),
            coverage: match *challenge {
                Challenge::Sample { count, .. } => Coverage::Sample { count },
                Challenge::Every { start, end, .. } => Coverage::Every { start, end },
            },
        })
    }
}

impl AuditAnswer {
    /// The blocks that the challenge met, proven, and what it asks of each.
    fn challenged(
        &self,
        state: &FileState,
        challenge: &Challenge,
    ) -> Result<(Vec<ProvenBlock>, Vec<Challenged>), AuditFailure> {
        let proof = self.list_proof.as_ref();
        let leaves_of = |blocks: &[ProvenBlock]| -> Vec<Leaf> {
            let leaf = |block: &ProvenBlock| Leaf {
                start: block.start,
                length: block.length,
            };
            blocks.iter().map(leaf).collect()
        };
        match challenge.questions(&Context::from(state))? {
            Questions::Samples(samples) => {
                let indices: Vec<u64> = samples.iter().map(|sample| sample.index).collect();
                let proven = verify_indices::<Sha256>(proof, &state.list, &indices)?.into_inner();
                let challenged = assign(&samples, &leaves_of(&proven))?;
                Ok((proven, challenged))
            }
            Questions::Blocks(questions) => {
                let range = questions.range();
                let proven = verify_range::<Sha256>(proof, &state.list, range)?.into_inner();
                let challenged = questions.assign(&leaves_of(&proven))?;
                Ok((proven, challenged))
            }
        }
    }
}

#[cfg(test)]
mod tests;
