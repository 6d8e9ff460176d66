//! Changes: edits of bytes become one signed update, which is applied atomically.

use core::cell::RefCell;
use std::collections::BTreeMap;

use flexlist::{
    ByteEdit, FileState, Level,
    internals::{BlockEdit, KnownBlock, needed, plan},
    list::Operation,
    tag::WriteId,
};
use pad_core::{HeadSignature, codec};
use pad_web::client::HttpError;
use signature::Signer;

use super::{
    blame::Purpose,
    error::ClientError,
    file::{FileClient, SettleOutcome},
    queries::random,
    state::Stage,
    transport::{Transport, TransportError},
};
use crate::{
    message::{
        FileUpdate, InsertedBlock, MAX_EDITS, Refusal, Request, SentBlock, SentEdit, operation,
    },
    signed::RequestKind,
};

/// The outcome of [`FileClient::apply`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApplyOutcome {
    /// The edits leave every byte as it was. No update was sent.
    Unchanged(FileState),
    /// The edits produced this version of the file.
    Version(FileState),
}

impl<T: Transport, S: Signer<HeadSignature>> FileClient<T, S> {
    /// Edits the file. Each edit applies to the result of the edits before it.
    ///
    /// Reads the blocks around the edits, sends one update, and derives the new root from the
    /// server's proof. If this is interrupted, the update remains in progress: see
    /// [`settle`](Self::settle).
    ///
    /// All edits go into one update in one request. The update is limited to [`MAX_EDITS`] changes,
    /// and the request to [`Transport::request_limit`]. Larger updates are not sent.
    ///
    /// # Errors
    /// * [`ClientError::Edit`] if the edits do not fit the file.
    /// * [`ClientError::Superseded`] or [`ClientError::Outdated`] if another writer came first.
    /// * [`ClientError::Transport`] if the signed statement about the version before does not reach
    ///   the server; [`ClientError::Refused`] or [`ClientError::Breach`] if the server refuses it.
    ///   No update was sent.
    /// * [`ClientError::Refused`] if the server refuses the update. The file is then unchanged,
    ///   unless [`is_pending`](Self::is_pending) returns `true`: the outcome is then unknown.
    /// * [`ClientError::Transport`] with [`HttpError::RequestTooLarge`] if the update is too large.
    ///   No update was sent.
    /// * [`ClientError::Dropped`] if the server has refused an earlier update. Try again.
    /// * [`ClientError::Tag`], [`ClientError::Signer`] or [`ClientError::RandomnessUnavailable`] if
    ///   the update cannot be tagged or signed.
    /// * The errors of [`read`](Self::read) and [`settle`](Self::settle).
    pub fn apply(&mut self, edits: &[ByteEdit]) -> Result<ApplyOutcome, ClientError> {
        let base = self.current()?;
        let total = base.list.total;
        let mut known = BTreeMap::new();
        for range in needed(edits, total)? {
            self.at(&base).visit_blocks(range, &mut |block| {
                known.insert(block.start, block);
                Ok(())
            })?;
        }
        let known: Vec<KnownBlock> = known.into_values().collect();
        let edits = plan(edits, &known, total, self.chunker())?;
        if edits.is_empty() {
            return Ok(ApplyOutcome::Unchanged(base));
        }
        self.send(base, edits).map(ApplyOutcome::Version)
    }

    /// Sends one update of the version `base`, and returns the resulting version, verified.
    pub(super) fn send(
        &mut self,
        base: FileState,
        edits: Vec<BlockEdit>,
    ) -> Result<FileState, ClientError> {
        let edits = self.sent_edits(edits)?;
        if edits.len() > MAX_EDITS {
            let words = format!(
                "changes in an update: {}, and the limit is {MAX_EDITS}",
                edits.len()
            );
            return Err(ClientError::Refused(Refusal::TooLarge(words)));
        }
        let update = FileUpdate {
            file: base.file,
            base_version: base.version,
            edits,
        };
        let update = self.sign(RequestKind::Update, &update)?;
        let length = codec::encode(&Request::Update(update.clone())).len();
        if length > self.queries.transport.request_limit() {
            return Err(TransportError::Http(HttpError::RequestTooLarge { length }).into());
        }
        // Without the statement of the base, the server could not prove the next version to
        // readers. It has the statement of version 1 from the upload.
        let confirmed = self.confirm(&base);
        if base.version > 1 {
            confirmed?;
        }
        // Stored before the request is sent: from here on, a crash does not lose the update.
        self.state.advance(Stage::Pending { base, update })?;
        match self.settle()? {
            SettleOutcome::Applied(state) => Ok(state),
            SettleOutcome::Dropped(refusal) => Err(self.refused(Purpose::Change, refusal)),
            // Unreachable: an update is in progress.
            SettleOutcome::Nothing => Err(ClientError::Unexpected),
        }
    }

    /// Converts edits to the form that is sent: adds tags to their blocks, and random levels to new
    /// blocks.
    fn sent_edits(&self, edits: Vec<BlockEdit>) -> Result<Vec<SentEdit>, ClientError> {
        let mut written = Vec::new();
        for bytes in edits.iter().filter_map(BlockEdit::bytes) {
            written.push((WriteId(random()?), bytes));
        }
        let workers = &self.queries.options.workers;
        let tags = self.owner.tags.tag_all(&written, workers)?.into_iter();
        let tags = RefCell::new(tags);
        let sent = |bytes: Vec<u8>| {
            let tag = tags.borrow_mut().next().ok_or(ClientError::Unexpected)?;
            let data = bytes.into();
            Ok(SentBlock { tag, data })
        };
        let inserted = |bytes| {
            let level = Level::draw(getrandom::u64()?).get();
            let block = sent(bytes)?;
            Ok(InsertedBlock { level, block })
        };
        let edits = edits.into_iter();
        edits.map(|edit| edit.try_map(inserted, sent)).collect()
    }
}

/// Returns the changes of the block list that an update makes.
///
/// # Errors
/// [`ClientError::Unexpected`] for a level above the maximum, which updates of this client never
/// have.
pub(super) fn operations(update: &FileUpdate) -> Result<Vec<Operation>, ClientError> {
    let operation = |edit| operation(edit, 0).map_err(|_| ClientError::Unexpected);
    update.edits.iter().map(operation).collect()
}
