//! Crash recovery: brings the files of blocks to the latest version in the log.
//!
//! After a crash, any block in the files may contain changes made after the last checkpoint. A
//! block may also be partly written. A block is an array of digests, and an interrupted write
//! leaves each digest either old or new. Every entry that may differ was assigned by an update in
//! the log. Every slot that may differ is above such an entry, or is the first one of a level that
//! is new since the checkpoint.
//!
//! Recovery therefore assigns these entries again, and hashes and writes all blocks above them. It
//! also writes blocks that do not change, because bytes that were read may never have reached the
//! medium.

use std::collections::BTreeMap;

use pad_core::{StoreFault, Suite, Update, Version};

use super::{error::StoreError, files::LevelFiles, log::Log};
use crate::{
    blocks::grid::{Grid, in_block},
    entry::root_digest,
    operations,
    strategy::Place,
};

/// Brings the files of blocks from a checkpoint to the latest version, durably, if the result
/// matches the root `signed`. Returns the layout of the latest version.
///
/// Memory: the entries that the updates assign, and one block.
pub(super) fn recover<S: Suite>(
    files: &LevelFiles,
    log: &Log,
    checkpoint: (Version, Grid),
    (latest, signed): (Version, S::Digest),
) -> Result<Grid, StoreError> {
    let (version, old) = checkpoint;
    let (mut assigned, mut registered) = (BTreeMap::new(), old.registered);
    log.replay(version, latest, |update: Update<S>| {
        // The update was checked when it was logged. Only a damaged log contains operations that
        // are refused here.
        let changes = operations::decode::<S>(&update.operations)?;
        let is_live = |_| Ok::<_, StoreFault>(true);
        registered = operations::check(&changes, registered, is_live)?;
        for change in changes {
            assigned.insert(change.id, change.shown.unwrap_or_default());
        }
        Ok(())
    })?;
    let new = Grid { registered, ..old };
    let assigned: Vec<(u64, S::Digest)> = assigned.into_iter().collect();
    // The first pass only checks: applied to files of another log, the updates would destroy them.
    for pass in [Pass::Look, Pass::Write] {
        let mut slots = assigned.clone();
        let mut top = S::Digest::default();
        for level in 0..new.levels() {
            let grows_above = new.levels() > old.levels() && level + 1 >= old.levels();
            // Without changed entries, the first block of each level is hashed, to compute the
            // root.
            let has_no_changes = registered > 0 && slots.is_empty();
            let level = LevelRehash {
                files,
                grid: new,
                level,
                pass,
            };
            slots = level.hash::<S>(&slots, grows_above || has_no_changes)?;
            top = slots.first().map_or(top, |(_, digest)| *digest);
        }
        if root_digest::<S>(registered, &top) != signed {
            return Err(StoreError::RootMismatch(latest));
        }
    }
    files.synchronise()?;
    Ok(new)
}

/// The purpose of hashing the blocks again: only to check the root, or to write the blocks too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    Look,
    Write,
}

/// A level whose changed blocks are hashed again, and written if `pass` is [`Pass::Write`].
#[derive(Clone, Copy, Debug)]
struct LevelRehash<'a> {
    files: &'a LevelFiles,
    grid: Grid,
    level: u8,
    pass: Pass,
}

impl LevelRehash<'_> {
    /// Sets the given slots (pairs of slot and content), hashes their blocks, and returns these
    /// blocks with their digests. With `with_first`, also hashes the first block: a new level above
    /// needs its digest.
    fn hash<S: Suite>(
        self,
        slots: &[(u64, S::Digest)],
        with_first: bool,
    ) -> Result<Vec<(u64, S::Digest)>, StoreError> {
        let step = self.grid.step;
        let mut tops = Vec::new();
        let first_is_touched = slots.first().is_some_and(|(slot, _)| slot >> step == 0);
        if with_first && !first_is_touched {
            tops.push((0, self.block::<S>(0, &[])?));
        }
        for touched in slots.chunk_by(|(slot, _), (next, _)| slot >> step == next >> step) {
            if let Some((slot, _)) = touched.first() {
                let block = slot >> step;
                tops.push((block, self.block::<S>(block, touched)?));
            }
        }
        Ok(tops)
    }

    /// Reads the existing slots of a block from its file, sets `slots`, and hashes the block.
    /// Returns the block's digest.
    fn block<S: Suite>(
        self,
        block: u64,
        slots: &[(u64, S::Digest)],
    ) -> Result<S::Digest, StoreError> {
        let (level, grid) = (self.level, self.grid);
        let place = Place { level, block };
        let count = grid.slots_of(place);
        let mut frame = self.files.read_some::<S>(place, count, grid.capacity())?;
        for (slot, content) in slots {
            frame.set_slot(in_block(*slot, grid.step), *content);
        }
        frame.fill(place, count);
        if self.pass == Pass::Write {
            self.files.write(place, &frame, count)?;
        }
        Ok(frame.top())
    }
}
