//! Audits: the server's answer to a challenge, and its verification.
//!
//! The owner, or another party with the verifier key, draws a [`Challenge`]. The server answers
//! with an [`AuditAnswer`]. It proves that the challenged blocks are in the
//! [`FlexList`](crate::FlexList), the hashed list of the file's blocks. It also contains the tag
//! scheme's proof that the server possesses their bytes. [`Auditor`] checks both.
//!
//! Source: Esiner, Küpçü and Özkasap, section 2 (proof of possession).

use alloc::vec::Vec;
use core::ops::Range;

use pad_core::{Digest, Proof};

use crate::{
    FileState,
    bytes::Bytes,
    challenge::{AssignError, Challenge, ChallengeError, Context, Leaf, Questions, assign},
    error::{AuditError, ProofError},
    list::{ProvenBlock, Sha256, verify_indices, verify_range},
    tag::{Challenged, VerifierKey, committed_digest},
};

/// The server's answer to a [`Challenge`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditAnswer {
    /// The proof that the hashed list of the file contains the blocks with the challenged bytes.
    pub list_proof: Bytes,
    /// For each challenged block, the part of its tag that the list's leaf commits to, in file
    /// order.
    pub committed: Vec<Bytes>,
    /// The proof of the tag scheme that the server possesses the bytes of the challenged blocks.
    /// With hash-only tags, it covers only the challenged chunks of these blocks.
    pub tag_proof: Bytes,
}

/// The verifier's side of an audit: the state of the file and the key that checks tags.
#[derive(Clone, Debug)]
pub struct Auditor {
    /// The trusted state of the file: id, version, root of the list and length.
    pub state: FileState,
    /// The key that verifies the proofs of the tag scheme.
    pub key: VerifierKey,
}

/// The result of a verified audit: at the time of the challenge, the server possessed these blocks.
/// With hash-only tags, this is proved only for the challenged chunks of these blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditReport {
    /// The state of the audited file, with its id and version.
    pub state: FileState,
    /// The byte range of each challenged block, in file order, without duplicates.
    pub blocks: Vec<Range<u64>>,
}

/// Error returned by a failed audit; tells whether the challenge or the server is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuditFailure {
    /// The challenge is not possible for this file, for example because its range ends after the
    /// file. Choose another challenge.
    #[error(transparent)]
    Challenge(#[from] ChallengeError),
    /// The proof from the list does not verify for the challenged blocks: distrust the server.
    #[error(transparent)]
    List(#[from] ProofError),
    /// The blocks that the list's proof contains are not those that the challenge asks for.
    /// Distrust the server, unless the error is that the range contains too many blocks.
    #[error(transparent)]
    Leaves(#[from] AssignError),
    /// The tags do not prove possession: the server lost or changed some of the blocks, its
    /// evidence is malformed, or the key cannot be used.
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
        let (expected, actual) = (leaves.len(), self.committed.len());
        if expected != actual {
            return Err(AuditError::TagCountMismatch { expected, actual }.into());
        }
        for (leaf, committed) in leaves.iter().zip(&self.committed) {
            if Digest(committed_digest(committed.as_ref())) != leaf.tag_digest {
                let start = leaf.start;
                return Err(AuditFailure::Tags(AuditError::TagDigestMismatch { start }));
            }
        }
        let opened: Vec<(Challenged, Bytes)> = challenged.into_iter().zip(self.committed).collect();
        auditor.key.verify(&opened, self.tag_proof.as_ref())?;
        let blocks = leaves.iter().map(ProvenBlock::range).collect();
        Ok(AuditReport { state, blocks })
    }
}

impl AuditAnswer {
    /// Verifies the proof from the list. Returns the challenged blocks, and for each the challenged
    /// positions (hits) in it.
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
