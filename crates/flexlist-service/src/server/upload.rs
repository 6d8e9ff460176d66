//! Execution of uploads: stores parts, and turns them into version 1 of a file.

use flexlist::{FlexList, Level};
use pad_core::Digest;

use super::{
    FileServer, accounts::Charge, load::checkpoint, refuse, slot::Slot, state::ListVersions,
};
use crate::{
    message::{Finish, OwnerStatement, Part, Refusal, Response, SentBlock, SignedRequest},
    store::{
        StoreError,
        records::{Head, Piece, Record, StatementRecord},
        tables::Change,
    },
};

impl FileServer {
    /// Stores the next part of an upload, and answers with the current status. If the last part is
    /// sent again, changes nothing.
    pub(super) fn part(
        &self,
        slot: &Slot,
        part: Part,
        request: Digest<32>,
    ) -> Result<Response, Refusal> {
        let _turn = slot.turn(self.limits.turn_wait)?;
        let mut head = self.uploading(slot)?;
        let expected = head.next_part;
        if part.number.checked_add(1) == Some(expected) && head.last_upload == request {
            return Ok(Response::State(head.status()));
        }
        if part.number != expected {
            return Err(Refusal::PartOutOfOrder { expected });
        }
        if part.blocks.is_empty() {
            return Err(Refusal::Invalid(
                "the part is empty: at least one block is required".into(),
            ));
        }
        refuse::above(
            "blocks in a part",
            part.blocks.len(),
            self.limits.part_blocks,
        )?;
        self.check_blocks(slot, &part.blocks)?;
        let changes = self.append(slot, &mut head, part.blocks)?;
        head.next_part = expected.saturating_add(1);
        head.touched = self.clock.now();
        head.last_upload = request;
        self.advance(slot, head, None, changes)
    }

    /// Returns the changes of the store that append new blocks to an unfinished upload. Updates
    /// `head` accordingly.
    fn append(
        &self,
        slot: &Slot,
        head: &mut Head,
        blocks: Vec<SentBlock>,
    ) -> Result<Vec<Change>, Refusal> {
        let mut changes = Vec::with_capacity(blocks.len().saturating_add(2));
        let mut piece = Piece::default();
        for block in blocks {
            head.blocks = head.blocks.saturating_add(1);
            let stored = block.listed(Level::initial(head.blocks), head.next_block);
            head.total = head.total.saturating_add(stored.length);
            refuse::above("bytes of the file", head.total, self.limits.file_bytes)?;
            refuse::above("blocks of the file", head.blocks, self.limits.list_blocks)?;
            changes.push(block.put(slot.key, head.next_block));
            head.next_block = head.next_block.saturating_add(1);
            piece.blocks.push(stored);
        }
        // The pieces of the upload are the checkpoint of version 1.
        changes.push(piece.put(slot.key, head.end_piece));
        head.end_piece = head.end_piece.saturating_add(1);
        Ok(changes)
    }

    /// Finishes an upload: the parts become version 1. Answers with the current status. If the
    /// request is sent again, changes nothing.
    pub(super) fn finish(
        &self,
        slot: &Slot,
        finish: &Finish,
        signed: SignedRequest,
    ) -> Result<Response, Refusal> {
        let request = signed.digest();
        let _turn = slot.turn(self.limits.turn_wait)?;
        let mut head = match self.uploading(slot) {
            Err(Refusal::UploadFinished) => return self.finished(slot, request),
            head => head?,
        };
        if finish.parts != head.next_part {
            let next_part = head.next_part;
            return Err(Refusal::UploadUnfinished { next_part });
        }
        let blocks = checkpoint(&self.store.snapshot()?, slot.key, &head)?;
        let list = FlexList::build(&blocks, &self.workers)?;
        if list.root() != finish.root || list.total() != finish.total {
            return Err(Refusal::RootMismatch);
        }
        head.version = 1;
        head.checkpoint = 1;
        head.root = list.root();
        head.last_upload = request;
        let versions = ListVersions {
            list,
            previous: None,
            pending: None,
        };
        let version = head.version;
        let statement = OwnerStatement::Finish(signed);
        let vouched = StatementRecord { version, statement };
        self.advance(slot, head, Some(versions), vec![vouched.put(slot.key, 0)])
    }

    /// Answers a request to finish an upload that is finished already. `request` is the digest of
    /// the request.
    fn finished(&self, slot: &Slot, request: Digest<32>) -> Result<Response, Refusal> {
        slot.read(self, |state| {
            if state.head.version == 1 && state.head.last_upload == request {
                Ok(Response::State(state.head.status()))
            } else {
                Err(Refusal::UploadFinished)
            }
        })
    }

    /// Returns the head (properties such as block count and next part) of a file whose upload is
    /// not finished. Refuses otherwise.
    fn uploading(&self, slot: &Slot) -> Result<Head, Refusal> {
        slot.read(self, |state| match state.versions {
            None => Ok(state.head.clone()),
            Some(_) => Err(Refusal::UploadFinished),
        })
    }

    /// Makes `changes` and the new `head` durable. Then replaces the state in memory by `head` and
    /// `versions`, which is `None` until the upload is finished.
    fn advance(
        &self,
        slot: &Slot,
        head: Head,
        versions: Option<ListVersions>,
        mut changes: Vec<Change>,
    ) -> Result<Response, Refusal> {
        let status = head.status();
        changes.push(head.put(slot.key, 0));
        self.reserve(slot, &head)?;
        self.committed(slot, &head, self.store.commit(changes))?;
        slot.change(self, |state| {
            state.head = head;
            state.versions = versions;
            Ok(Response::State(status))
        })
    }

    /// Charges the owner for the file as described by `head`, if the owner stays within its limit.
    pub(super) fn reserve(&self, slot: &Slot, head: &Head) -> Result<(), Refusal> {
        let charge = Charge::new(slot.parameter_bytes, head);
        let owner = &slot.owner.to_bytes();
        (self.accounts).reserve(slot.key.id, owner, charge, &self.limits)
    }

    /// Records the outcome of a commit that stores the head `head`. After an error, the next reader
    /// reloads the state from the store.
    pub(super) fn committed(
        &self,
        slot: &Slot,
        head: &Head,
        outcome: Result<(), StoreError>,
    ) -> Result<(), Refusal> {
        let enter = |head: &Head| {
            let charge = Charge::new(slot.parameter_bytes, head);
            let owner = &slot.owner.to_bytes();
            self.accounts.enter(slot.key.id, owner, Some(charge));
        };
        if outcome.is_ok() {
            self.enter_memory(slot, if head.version == 0 { 0 } else { head.blocks });
        }
        outcome.map(|()| enter(head)).map_err(|error| {
            slot.forget();
            let snapshot = self.store.snapshot();
            if let Ok(stored) = snapshot.and_then(|snapshot| snapshot.head(slot.key)) {
                enter(&stored);
            }
            error.into()
        })
    }

    /// Validates new blocks against the server's limits, and their tags as far as a server can
    /// check them.
    pub(super) fn check_blocks(&self, slot: &Slot, blocks: &[SentBlock]) -> Result<(), Refusal> {
        let limits = &self.limits;
        let parameters = slot.parameters(self)?;
        if let Some(most) = limits.blocks_of(parameters.kind()) {
            refuse::above("new blocks with public tags", blocks.len(), most)?;
        }
        let longest = limits.block_bytes_of(parameters.kind());
        for block in blocks {
            let data = block.data.as_ref();
            if data.is_empty() {
                return Err(Refusal::Invalid(
                    "a block is empty: at least one byte is required".into(),
                ));
            }
            refuse::above("bytes of a block", data.len(), longest)?;
            let committed = block.tag.committed.as_ref().len();
            let tag = committed.saturating_add(block.tag.held.as_ref().len());
            refuse::above("bytes of a tag", tag, limits.tag_bytes)?;
        }
        let tagged: Vec<_> = blocks.iter().map(SentBlock::tagged).collect();
        Ok(parameters.check_tags(&tagged)?)
    }
}
