//! Audits: the server proves that it stores the challenged blocks.

use core::ops::Range;

use flexlist::{
    challenge::{Challenge, Context, Leaf, Questions, Sample, assign},
    internals::{Bytes, View},
    list::{Found, Sha256},
    tag::Challenged,
};

use super::{FileServer, refuse, slot::Slot};
use crate::{
    message::{Refusal, Response},
    store::snapshot::Snapshot,
};

/// The blocks selected by a challenge, with the list's proof and the hits of the challenge.
#[derive(Debug)]
pub(super) struct ChallengedBlocks {
    list_proof: Vec<u8>,
    pub(super) found: Vec<Found>,
    challenged: Vec<Challenged>,
}

impl FileServer {
    /// Answers a challenge with a proof that the server stores the challenged blocks of `version`.
    ///
    /// Reads blocks one at a time and adds each to the proof.
    pub(super) fn audit(
        &self,
        slot: &Slot,
        version: u64,
        challenge: &Challenge,
    ) -> Result<Response, Refusal> {
        if let Challenge::Sample { count, .. } = challenge {
            refuse::above("sampled bytes", *count, self.limits.audit_samples)?;
        }
        let (snapshot, met) = slot.read(self, |state| {
            let view = state.view(version)?;
            let context = Context {
                file: slot.key.id,
                version,
                root: view.root(),
                total: view.total(),
            };
            let met = match challenge.questions(&context).map_err(invalid)? {
                Questions::Samples(samples) => self.meet_samples(view, &samples)?,
                Questions::Blocks(blocks) => {
                    let found = find_range(view, blocks.range(), self.limits.audit_blocks)?;
                    self.check_lengths(&found)?;
                    ChallengedBlocks {
                        list_proof: view.prove_range(blocks.range())?,
                        challenged: blocks.assign(&leaves(&found)).map_err(invalid)?,
                        found,
                    }
                }
            };
            // Taken while the lock is held, so that the snapshot has this version's blocks.
            Ok((self.store.snapshot()?, met))
        })?;
        self.fold(slot, &snapshot, met)
    }

    /// Returns the blocks selected by the sampled bytes, with the list's proof.
    pub(super) fn meet_samples(
        &self,
        view: View<'_, Sha256>,
        samples: &[Sample],
    ) -> Result<ChallengedBlocks, Refusal> {
        let mut indices: Vec<u64> = samples.iter().map(|sample| sample.index).collect();
        indices.sort_unstable();
        let limit = self.limits.audit_blocks;
        let found = view.find_all_up_to(&indices, limit.saturating_add(1));
        let found = refuse::at_most("the sample", found?, limit)?;
        self.check_lengths(&found)?;
        let challenged = assign(samples, &leaves(&found)).map_err(invalid)?;
        let list_proof = view.prove(&indices)?;
        Ok(ChallengedBlocks {
            list_proof,
            found,
            challenged,
        })
    }

    /// Refuses a challenge of blocks whose total length exceeds
    /// [`Limits::audit_bytes`](super::Limits).
    fn check_lengths(&self, found: &[Found]) -> Result<(), Refusal> {
        let lengths = found.iter().map(|block| block.length);
        let bytes = lengths.fold(0, u64::saturating_add);
        refuse::above("bytes of audited blocks", bytes, self.limits.audit_bytes)
    }

    /// Reads the challenged blocks, adds each to the tag scheme's proof, and returns the answer.
    fn fold(
        &self,
        slot: &Slot,
        snapshot: &Snapshot,
        met: ChallengedBlocks,
    ) -> Result<Response, Refusal> {
        let parameters = slot.parameters(self)?;
        let mut prover = parameters.prover();
        let mut committed = Vec::with_capacity(met.found.len());
        let mut bytes = met.list_proof.len();
        for (found, challenged) in met.found.iter().zip(&met.challenged) {
            let block = snapshot.block(slot.key, found.label)?;
            prover
                .absorb(challenged, &block.tag, block.data.as_ref())
                .map_err(|error| refuse::stored_tag(slot.key, found, error))?;
            bytes = bytes.saturating_add(block.tag.committed.as_ref().len());
            refuse::above("bytes of the answer", bytes, self.limits.answer_bytes)?;
            committed.push(block.tag.committed);
        }
        let tag_proof = prover.finish();
        let bytes = bytes.saturating_add(tag_proof.len());
        refuse::above("bytes of the answer", bytes, self.limits.answer_bytes)?;
        Ok(Response::Audited {
            list_proof: Bytes(met.list_proof),
            committed,
            tag_proof: Bytes(tag_proof),
        })
    }
}

/// Returns the blocks of `view` that overlap `range`. Refuses more than `limit` blocks.
pub(super) fn find_range(
    view: View<'_, Sha256>,
    range: Range<u64>,
    limit: usize,
) -> Result<Vec<Found>, Refusal> {
    let found = view.find_range_up_to(range, limit.saturating_add(1));
    refuse::at_most("the range", found?, limit)
}

fn leaves(found: &[Found]) -> Vec<Leaf> {
    let leaf = |found: &Found| Leaf {
        start: found.start,
        length: found.length,
    };
    found.iter().map(leaf).collect()
}

/// Converts the error of a challenge that does not fit the file to [`Refusal::Invalid`].
fn invalid(error: impl core::fmt::Display) -> Refusal {
    Refusal::Invalid(error.to_string())
}
