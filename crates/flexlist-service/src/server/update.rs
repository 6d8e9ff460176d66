//! Execution of updates of files.

use flexlist::{
    internals::BlockEdit,
    list::{Applied as AppliedToList, Block, Operation, Previous},
};
use pad_core::Digest;

use super::{
    FileServer, refuse,
    slot::Slot,
    state::{ListVersions, State},
    superseded::superseded,
};
use crate::{
    count,
    message::{FileUpdate, Refusal, Response, SentBlock, SentEdit, operation},
    store::{
        records::{Answer, Head, JournalEntry, Piece, Record},
        tables::{Change, Table},
    },
};

/// An update that is applied to the list but not yet stored.
struct UpdatePlan {
    head: Head,
    answer: Answer,
    changes: Vec<Change>,
    /// A handle to the version before the base of the update. The update acknowledges its base, so
    /// the earlier version is no longer needed.
    retired: Option<Previous>,
}

impl FileServer {
    /// Executes an update, which produces the file's next version. If the last update is sent
    /// again, it gets the same answer.
    pub(super) fn update(
        &self,
        slot: &Slot,
        update: FileUpdate,
        request: Digest<32>,
    ) -> Result<Response, Refusal> {
        let _turn = slot.turn(self.limits.turn_wait)?;
        let head = slot.read(self, |state| state.versions().map(|_| state.head.clone()))?;
        if update.base_version != head.version {
            return self.answered(slot, &head, update.base_version, request);
        }
        if update.edits.is_empty() {
            return Err(Refusal::Invalid(
                "the update is empty: at least one change is required".into(),
            ));
        }
        refuse::above(
            "changes in an update",
            update.edits.len(),
            self.limits.update_edits,
        )?;
        let batch = Batch::new(update.edits, head.next_block)?;
        self.check_blocks(slot, &batch.blocks)?;
        let prepared = slot.change(self, |state| {
            let prepared = self.prepare(slot, state, &batch, request)?;
            if let Err(refusal) = self.reserve(slot, &prepared.head) {
                undo(state, prepared.retired);
                return Err(refusal);
            }
            Ok(prepared)
        })?;
        let outcome = self.store.commit(prepared.changes);
        self.committed(slot, &prepared.head, outcome)?;
        slot.change(self, |state| {
            state.head = prepared.head;
            if let Some(versions) = &mut state.versions {
                if let Some(pending) = versions.pending.take() {
                    versions.previous = Some(pending);
                }
                if let Some(retired) = prepared.retired {
                    versions.list.forget(retired);
                }
            }
            Ok(updated(&state.head, prepared.answer))
        })
    }

    /// Applies the operations to the list and collects the changes for the store. Readers still see
    /// the version before the update.
    fn prepare(
        &self,
        slot: &Slot,
        state: &mut State,
        batch: &Batch,
        request: Digest<32>,
    ) -> Result<UpdatePlan, Refusal> {
        let Batch { operations, blocks } = batch;
        let head = &state.head;
        let versions = (state.versions.as_mut()).ok_or(Refusal::Unavailable)?;
        let (change, (superseded, superseded_bytes)) = self.carry_out(versions, operations)?;
        let mut next = Head {
            version: head.version.saturating_add(1),
            root: versions.list.root(),
            total: versions.list.total(),
            blocks: versions.list.block_count(),
            next_block: head.next_block.saturating_add(count(blocks.len())),
            journalled: head.journalled.saturating_add(count(operations.len())),
            keeps_previous: true,
            superseded,
            superseded_bytes,
            answer_bytes: count(change.witness.len()),
            ..head.clone()
        };
        let numbered = blocks.iter().zip(head.next_block..);
        let mut changes: Vec<Change> = numbered
            .map(|(block, number)| block.put(slot.key, number))
            .collect();
        // An update acknowledges the version that it is based on. Blocks that only that version's
        // predecessor contains can be deleted.
        changes.extend(removals(slot, &head.superseded));
        if self.limits.checkpoints.due(next.journalled, next.blocks) {
            // Checkpoint of the version before this update: the journal must reproduce both
            // versions that are kept.
            let blocks = versions.list.at(&change.previous).blocks();
            changes.extend(checkpoint(slot, head.version, &mut next, &blocks));
            next.journalled = count(operations.len());
        }
        let entry = JournalEntry {
            operations: operations.clone(),
        };
        let answer = Answer {
            version: next.version,
            request,
            witness: change.witness.into(),
        };
        changes.push(entry.put(slot.key, next.version));
        changes.push(answer.put(slot.key, 0));
        changes.push(next.put(slot.key, 0));
        versions.pending = Some(change.previous);
        Ok(UpdatePlan {
            head: next,
            answer,
            changes,
            retired: versions.previous.take(),
        })
    }

    /// Applies the operations to the list. Returns the applied change, the labels of the blocks
    /// that are no longer in the list, and their total bytes. After a refusal, the list is
    /// unchanged.
    fn carry_out(
        &self,
        versions: &mut ListVersions,
        operations: &[Operation],
    ) -> Result<(AppliedToList, (Vec<u64>, u64)), Refusal> {
        let change = versions.list.update(operations)?;
        let (list, limits) = (&versions.list, &self.limits);
        let check = || {
            refuse::above("bytes of the file", list.total(), limits.file_bytes)?;
            refuse::above("blocks of the file", list.block_count(), limits.list_blocks)?;
            let witness = change.witness.len();
            refuse::above("bytes of the answer", witness, limits.answer_bytes)?;
            Ok(superseded(list.at(&change.previous), operations)?)
        };
        match check() {
            Ok(superseded) => Ok((change, superseded)),
            Err(refusal) => {
                versions.list.undo(change.previous);
                Err(refusal)
            }
        }
    }

    /// Answers an update whose base is not the current version. If it is the last executed update,
    /// repeats its answer; otherwise refuses it.
    fn answered(
        &self,
        slot: &Slot,
        head: &Head,
        base: u64,
        request: Digest<32>,
    ) -> Result<Response, Refusal> {
        let current = head.version;
        let stale = Refusal::StaleBase { base, current };
        if base.checked_add(1) != Some(current) {
            return Err(stale);
        }
        let answer = self.store.snapshot()?.answer(slot.key)?;
        answer
            .filter(|answer| answer.version == current && answer.request == request)
            .map(|answer| updated(head, answer))
            .ok_or(stale)
    }
}

/// Undoes a prepared update: restores the list, and `retired` as the handle to the version before
/// the current one.
fn undo(state: &mut State, retired: Option<Previous>) {
    if let Some(versions) = &mut state.versions {
        if let Some(pending) = versions.pending.take() {
            versions.list.undo(pending);
        }
        versions.previous = retired;
    }
}

fn updated(head: &Head, answer: Answer) -> Response {
    Response::Updated {
        status: head.status(),
        witness: answer.witness,
    }
}

/// The operations of an update, and its new blocks.
struct Batch {
    operations: Vec<Operation>,
    /// The new blocks, in the order of their labels.
    blocks: Vec<SentBlock>,
}

impl Batch {
    /// Splits edits into list operations and new blocks. The new blocks get labels that count from
    /// `next_block`.
    fn new(edits: Vec<SentEdit>, next_block: u64) -> Result<Self, Refusal> {
        let mut blocks = Vec::new();
        let mut operations = Vec::with_capacity(edits.len());
        for edit in edits {
            let label = next_block.saturating_add(count(blocks.len()));
            let operation =
                operation(&edit, label).map_err(|error| Refusal::Invalid(error.to_string()))?;
            operations.push(operation);
            blocks.extend(match edit {
                BlockEdit::Insert { block, .. } => Some(block.block),
                BlockEdit::Modify { block, .. } => Some(block),
                BlockEdit::Remove { .. } => None,
            });
        }
        Ok(Self { operations, blocks })
    }
}

/// Returns the changes of the store that remove the blocks with these numbers.
pub(super) fn removals<'a>(
    slot: &'a Slot,
    numbers: &'a [u64],
) -> impl Iterator<Item = Change> + 'a {
    numbers.iter().map(|number| Change::Remove {
        table: Table::Blocks,
        file: slot.key,
        number: *number,
    })
}

/// Returns the changes of the store that write a checkpoint of `blocks` at `version`. They replace
/// the last checkpoint and the journal up to `version`. Updates `next`, the head to store.
fn checkpoint(slot: &Slot, version: u64, next: &mut Head, blocks: &[Block]) -> Vec<Change> {
    let drop = |table, first, end| Change::RemoveRange {
        table,
        file: slot.key,
        first,
        end,
    };
    let mut changes = vec![
        drop(Table::Pieces, next.first_piece, next.end_piece),
        drop(Table::Journal, 0, version.saturating_add(1)),
    ];
    next.checkpoint = version;
    next.first_piece = next.end_piece;
    for blocks in blocks.chunks(PIECE_BLOCKS) {
        let blocks = blocks.to_vec();
        changes.push(Piece { blocks }.put(slot.key, next.end_piece));
        next.end_piece = next.end_piece.saturating_add(1);
    }
    changes
}

/// Maximum number of blocks in a piece (one record) of a checkpoint. Such a piece has about 0.7
/// megabytes.
const PIECE_BLOCKS: usize = 1 << 14;
