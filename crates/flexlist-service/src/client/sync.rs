//! A file that was changed elsewhere: the server gets what of it changed.
//!
//! Which blocks the server has is known without fetching them: an audit of every block shows, for each, the
//! root of the hash tree over it, which its leaf commits. What the changed file has besides is found by
//! content and sent as updates.

use std::io::{Read, Seek};

use flexlist::{
    FileState,
    diff::{self, NewBlock, changes},
    edit::{BlockEdit, OldBlock},
    tag::{committed_content, content},
};
use pad_core::HeadSignature;
use signature::Signer;

use super::{audit::Auditing, error::ClientError, file::FileClient, transport::Transport};
use crate::message::MAX_EDITS;

/// What a block of this many bytes takes in an update beside its bytes, at most.
const EDIT_OVERHEAD: u64 = 512;

/// What a file was brought up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Synced {
    /// The version that has the contents of the source.
    pub state: FileState,
    /// How many updates were sent; each makes a version.
    pub updates: u64,
    /// The bytes of the blocks that were sent.
    pub sent: u64,
}

/// The length of a block, and the root of the hash tree over it.
type Content = (u64, [u8; 32]);

impl<T: Transport, S: Signer<HeadSignature>> FileClient<T, S> {
    /// Makes the contents of `source` those of the file, and sends no more of them than the blocks that the
    /// server does not have. `progress` gets the bytes of blocks that are sent, and how many there are.
    ///
    /// The server proves that it has each block of the current version first, as in a full audit. What
    /// changed is sent in updates of about [`part_bytes`](super::ClientOptions::part_bytes), each of which makes a version of its own: if
    /// this breaks off, some of the changes are made, and doing it again makes the others. Keeps one update
    /// and a few hundred bytes for each block in memory.
    ///
    /// # Errors
    /// [`ClientError::Audit`], [`ClientError::Unanswered`] if the server does not prove that it has the
    /// file; [`ClientError::SourceMoves`], [`ClientError::Io`] of the source; what [`apply`](Self::apply)
    /// fails with.
    pub fn sync(
        &mut self,
        source: &mut (impl Read + Seek),
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Synced, ClientError> {
        let mut state = self.current()?;
        let old = self.contents(&state)?;
        let operations = changes(&old, source, self.chunker(), |block| {
            (length(block), content(block))
        });
        let operations = operations.map_err(ClientError::Io)?;
        let total = operations.iter().map(bytes).fold(0, u64::saturating_add);
        let most = u64::try_from(self.asking.options.part_bytes).unwrap_or(u64::MAX);
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
        Ok(Synced {
            state,
            updates,
            sent,
        })
    }

    /// The blocks of a version, proved.
    fn contents(&self, state: &FileState) -> Result<Vec<OldBlock<Content>>, ClientError> {
        let auditing = Auditing {
            asking: &self.asking,
            known: self.known(),
            state: *state,
        };
        let mut blocks = Vec::new();
        auditing.visit_proved(&mut |block| {
            let length = block.range.end.saturating_sub(block.range.start);
            // Proved against the list, which this owner has made: a tag without it is not his.
            let root =
                committed_content(block.committed.as_ref()).ok_or(ClientError::Unexpected)?;
            blocks.push(OldBlock {
                length,
                content: (length, root),
            });
            Ok(())
        })?;
        Ok(blocks)
    }
}

/// The edit with the bytes of its block, if they are still what they were.
fn load(
    edit: BlockEdit<NewBlock<Content>>,
    source: &mut (impl Read + Seek),
) -> Result<BlockEdit, ClientError> {
    let mut load = |block: NewBlock<Content>| {
        let bytes = diff::read(source, &block.range).map_err(ClientError::Io)?;
        if (length(&bytes), content(&bytes)) == block.content {
            Ok(bytes)
        } else {
            Err(ClientError::SourceMoves)
        }
    };
    Ok(match edit {
        BlockEdit::Insert { index, block } => BlockEdit::Insert {
            index,
            block: load(block)?,
        },
        BlockEdit::Modify { index, block } => BlockEdit::Modify {
            index,
            block: load(block)?,
        },
        BlockEdit::Remove { index } => BlockEdit::Remove { index },
    })
}

/// The bytes of the block that an edit sends.
fn bytes(edit: &BlockEdit<NewBlock<Content>>) -> u64 {
    edit.block().map_or(0, |block| block.content.0)
}

fn length(block: &[u8]) -> u64 {
    u64::try_from(block.len()).unwrap_or(u64::MAX)
}
