//! Loading of a file's state: builds the list from checkpoint and journal, and checks its root.

use flexlist::{FlexList, list::Block};

use super::{
    FileServer,
    state::{ListVersions, State},
};
use crate::store::{
    FileKey, StoreError,
    records::{Head, JournalEntry, Piece},
    snapshot::Snapshot,
};

/// Loads a file's state from the store.
///
/// # Errors
/// * [`StoreError::Damaged`] if a record of the file is damaged.
/// * [`StoreError::RootDiffers`] if the loaded list does not match the head.
/// * Other [`StoreError`]s if the medium fails.
pub(super) fn load(server: &FileServer, file: FileKey) -> Result<State, StoreError> {
    let snapshot = server.store.snapshot()?;
    let head = snapshot.head(file)?;
    if head.version == 0 {
        return Ok(State {
            head,
            versions: None,
        });
    }
    let blocks = checkpoint(&snapshot, file, &head)?;
    let mut list = FlexList::build(&blocks, &server.workers)
        .map_err(|error| StoreError::damaged(file, format!("its checkpoint: {error}")))?;
    let mut previous = None;
    let mut version = head.checkpoint;
    while version < head.version {
        version = version.saturating_add(1);
        let entry: JournalEntry = snapshot.record(file, version)?;
        let change = list.update(&entry.operations).map_err(|error| {
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
    let versions = Some(ListVersions {
        list,
        previous,
        pending,
    });
    Ok(State { head, versions })
}

/// Returns the blocks in the pieces of a file's checkpoint. For an unfinished upload, these are the
/// blocks received so far.
pub(super) fn checkpoint(
    snapshot: &Snapshot,
    file: FileKey,
    head: &Head,
) -> Result<Vec<Block>, StoreError> {
    let mut blocks = Vec::new();
    for number in head.first_piece..head.end_piece {
        let piece: Piece = snapshot.record(file, number)?;
        blocks.extend(piece.blocks);
    }
    Ok(blocks)
}
