//! Synchronisation: sends the changes of a file that was edited locally.
//!
//! The client learns the server's blocks without fetching them. An audit of every block discloses,
//! for each block, the root of the hash tree over its contents. The block's leaf in the list
//! commits to this root. The client compares contents with the changed file, and sends the
//! differences as updates.

use core::cell::RefCell;
use std::io::{Read, Seek};

use flexlist::{
    FileState,
    internals::{
        BlockEdit, OldBlock,
        diff::{self, NewBlock, changes},
    },
    tag::{committed_content, content},
};
use pad_core::HeadSignature;
use signature::Signer;

use super::{error::ClientError, file::FileClient, transport::Transport};
use crate::{count, message::MAX_EDITS};

/// Upper bound of the bytes that an edit adds to an update, without the contents of its block.
const EDIT_OVERHEAD: u64 = 512;

/// The result of a synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncReport {
    /// State of the file after the synchronisation: the version whose contents equal `source` of
    /// [`FileClient::sync`].
    pub state: FileState,
    /// Number of updates sent. Each update produces one version.
    pub updates: u64,
    /// Total length in bytes of the blocks sent.
    pub sent: u64,
}

/// The length of a block in bytes, and the root of the hash tree over its contents.
type Content = (u64, [u8; 32]);

impl<T: Transport, S: Signer<HeadSignature>> FileClient<T, S> {
    /// Updates the file to the contents of `source`. Sends only the blocks that differ. A moved
    /// block may count as different.
    ///
    /// First, the server proves possession of each block of the current version. With hash-only
    /// tags, it proves only one chunk of each block. Changes are sent in updates of about
    /// [`part_bytes`](super::ClientOptions::part_bytes), each of which produces a version. An
    /// interrupted call may have made some of the changes. Another call makes the rest.
    ///
    /// After each update, `progress` gets the number of block bytes sent so far, and the number to
    /// send in total. Keeps one update and a few hundred bytes per block in memory.
    ///
    /// # Errors
    /// * [`ClientError::Audit`] or [`ClientError::Unanswered`] if the server does not prove
    ///   possession of the file.
    /// * [`ClientError::SourceMoves`] if the source changes while it is read; [`ClientError::Io`]
    ///   if it cannot be read.
    /// * The errors of [`apply`](Self::apply).
    pub fn sync(
        &mut self,
        source: &mut (impl Read + Seek),
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<SyncReport, ClientError> {
        let mut state = self.current()?;
        let old = self.contents(&state)?;
        let operations = changes(&old, source, self.chunker(), |block| {
            (count(block.len()), content(block))
        });
        let operations = operations.map_err(ClientError::Io)?;
        let total = operations.iter().map(bytes).fold(0, u64::saturating_add);
        let most = count(self.queries.options.part_bytes);
        let (mut updates, mut sent) = (0_u64, 0_u64);
        let mut operations = operations.into_iter().peekable();
        while operations.peek().is_some() {
            let mut edits = Vec::new();
            let mut taken = 0_u64;
            while edits.len() < MAX_EDITS
                && let Some(next) = operations
                    .next_if(|next| taken == 0 || taken.saturating_add(bytes(next)) <= most)
            {
                taken = taken
                    .saturating_add(bytes(&next))
                    .saturating_add(EDIT_OVERHEAD);
                sent = sent.saturating_add(bytes(&next));
                edits.push(load(next, source)?);
            }
            state = self.send(state, edits)?;
            updates = updates.saturating_add(1);
            progress(sent, total);
        }
        Ok(SyncReport {
            state,
            updates,
            sent,
        })
    }

    /// Returns the length and content root of each block of the version `state`, as audits of every
    /// block disclose them.
    fn contents(&self, state: &FileState) -> Result<Vec<OldBlock<Content>>, ClientError> {
        let mut blocks = Vec::new();
        self.at(state).visit_proved(&mut |block| {
            let length = block.range.end.saturating_sub(block.range.start);
            // The list, which the owner made, commits to this part of the tag. The owner's tags
            // always contain a root.
            let root =
                committed_content(block.committed.as_ref()).ok_or(ClientError::Unexpected)?;
            let content = (length, root);
            blocks.push(OldBlock { length, content });
            Ok(())
        })?;
        Ok(blocks)
    }
}

/// Loads the bytes of the edit's block, if any, from the source. Fails if these bytes have changed
/// since the comparison.
fn load(
    edit: BlockEdit<NewBlock<Content>>,
    source: &mut (impl Read + Seek),
) -> Result<BlockEdit, ClientError> {
    let source = RefCell::new(source);
    let load = |block: NewBlock<Content>| {
        let bytes = diff::read(&mut *source.borrow_mut(), &block.range);
        let bytes = bytes.map_err(ClientError::Io)?;
        if (count(bytes.len()), content(&bytes)) == block.content {
            Ok(bytes)
        } else {
            Err(ClientError::SourceMoves)
        }
    };
    edit.try_map(load, load)
}

/// Returns the length in bytes of the block that an edit sends; 0 if it sends none.
fn bytes(edit: &BlockEdit<NewBlock<Content>>) -> u64 {
    edit.block().map_or(0, |block| block.content.0)
}
