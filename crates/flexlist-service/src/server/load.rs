//! A file's state from the store: checkpoint, journal, and the check that they give the root.

use flexlist::{
    FlexList,
    level::Level,
    list::{Block, Operation},
};

use super::{
    FileServer,
    slot::{Kept, State},
};
use crate::store::{
    FileKey, StoreError,
    records::{Head, JournalEntry, Piece, StoredBlock, StoredOperation},
    snapshot::Snapshot,
};

/// Reads a file's state.
///
/// # Errors
/// [`StoreError::Damaged`], [`StoreError::RootDiffers`]; [`StoreError`] of the medium.
pub(super) fn load(server: &FileServer, file: FileKey) -> Result<State, StoreError> {
    let snapshot = server.store.snapshot()?;
    let head = snapshot.head(file)?;
    if head.version == 0 {
        return Ok(State { head, kept: None });
    }
    let blocks = checkpoint(&snapshot, file, &head)?;
    let mut list = FlexList::build(&blocks, &server.workers)
        .map_err(|error| StoreError::damaged(file, format!("its checkpoint: {error}")))?;
    let mut previous = None;
    let mut version = head.checkpoint;
    while version < head.version {
        version = version.saturating_add(1);
        let entry: JournalEntry = snapshot.record(file, version)?;
        let operations = operations(&entry, file)?;
        let change = list.update(&operations).map_err(|error| {
            StoreError::damaged(file, format!("its journal of version {version}: {error}"))
        })?;
        if version == head.version && head.keeps_previous {
            previous = Some(change.previous);
        } else {
            list.forget(change.previous);
        }
    }
    if list.root() != head.root
        || list.total() != head.total
        || list.block_count() != head.blocks
        || previous.is_some() != head.keeps_previous
    {
        return Err(StoreError::RootDiffers {
            file: file.id,
            version: head.version,
        });
    }
    let pending = None;
    let kept = Some(Kept {
        list,
        previous,
        pending,
    });
    Ok(State { head, kept })
}

/// The blocks of a file's checkpoint, or those that came of an unfinished upload.
pub(super) fn checkpoint(
    snapshot: &Snapshot,
    file: FileKey,
    head: &Head,
) -> Result<Vec<Block>, StoreError> {
    let mut blocks = Vec::new();
    for number in head.first_piece..head.end_piece {
        let piece: Piece = snapshot.record(file, number)?;
        for block in &piece.blocks {
            blocks.push(block.restore(file)?);
        }
    }
    Ok(blocks)
}

/// The operations of a journal entry, as the list takes them.
fn operations(entry: &JournalEntry, file: FileKey) -> Result<Vec<Operation>, StoreError> {
    let operations = entry.operations.iter();
    operations
        .map(|operation| operation.restore(file))
        .collect()
}

impl StoredBlock {
    pub(super) fn new(block: &Block) -> Self {
        Self {
            length: block.length,
            tag_digest: block.tag_digest,
            level: block.level.get(),
            label: block.label,
        }
    }

    fn restore(&self, file: FileKey) -> Result<Block, StoreError> {
        Ok(Block {
            length: self.length,
            tag_digest: self.tag_digest,
            level: Level::try_from(self.level)
                .map_err(|error| StoreError::damaged(file, error.to_string()))?,
            label: self.label,
        })
    }
}

impl StoredOperation {
    pub(super) fn new(operation: &Operation) -> Self {
        match operation {
            Operation::Insert { index, block } => Self::Insert {
                index: *index,
                block: StoredBlock::new(block),
            },
            Operation::Modify {
                index,
                length,
                tag_digest,
                label,
            } => Self::Modify {
                index: *index,
                length: *length,
                tag_digest: *tag_digest,
                label: *label,
            },
            Operation::Remove { index } => Self::Remove { index: *index },
        }
    }

    fn restore(&self, file: FileKey) -> Result<Operation, StoreError> {
        Ok(match self {
            Self::Insert { index, block } => Operation::Insert {
                index: *index,
                block: block.restore(file)?,
            },
            Self::Modify {
                index,
                length,
                tag_digest,
                label,
            } => Operation::Modify {
                index: *index,
                length: *length,
                tag_digest: *tag_digest,
                label: *label,
            },
            Self::Remove { index } => Operation::Remove { index: *index },
        })
    }
}
