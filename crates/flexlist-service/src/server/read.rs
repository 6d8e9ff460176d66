//! Reads: the server returns the blocks of a range, with a proof.

use core::ops::Range;

use flexlist::internals::Bytes;

use super::{FileServer, audit::find_range, refuse, slot::Slot};
use crate::{
    count,
    message::{ReadBlock, Refusal, Response},
    store::StoreError,
};

impl FileServer {
    /// Answers with every block of `version` that overlaps `range`, and the list's proof of these
    /// blocks.
    pub(super) fn read(
        &self,
        slot: &Slot,
        version: u64,
        range: Range<u64>,
    ) -> Result<Response, Refusal> {
        let (snapshot, found, list_proof) = slot.read(self, |state| {
            let view = state.view(version)?;
            let total = view.total();
            if range.is_empty() || range.end > total {
                let Range { start, end } = range;
                return Err(Refusal::Invalid(format!(
                    "bytes {start} to {end} of a file of {total} bytes"
                )));
            }
            let found = find_range(view, range.clone(), self.limits.read_blocks)?;
            let list_proof = view.prove_range(range)?;
            let data = found.iter().map(|block| block.length);
            let proof = count(list_proof.len());
            let limit = count(self.limits.answer_bytes);
            let bytes = data.fold(proof, u64::saturating_add);
            refuse::above("bytes of the answer", bytes, limit)?;
            // Taken while the lock is held, so that the snapshot has this version's blocks.
            Ok((self.store.snapshot()?, found, list_proof))
        })?;
        let mut bytes = list_proof.len();
        let mut blocks = Vec::with_capacity(found.len());
        for found in &found {
            let block = snapshot.block(slot.key, found.label)?;
            if u64::try_from(block.data.as_ref().len()) != Ok(found.length) {
                let what = format!("block number {} has another length", found.label);
                return Err(StoreError::damaged(slot.key, what).into());
            }
            let (committed, data) = (block.tag.committed, block.data);
            bytes = bytes
                .saturating_add(data.as_ref().len())
                .saturating_add(committed.as_ref().len());
            refuse::above("bytes of the answer", bytes, self.limits.answer_bytes)?;
            blocks.push(ReadBlock { committed, data });
        }
        let list_proof = Bytes(list_proof);
        Ok(Response::Read { list_proof, blocks })
    }
}
