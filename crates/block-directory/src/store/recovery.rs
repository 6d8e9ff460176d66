//! What a crash left, brought to the latest version of the log.
//!
//! Files may be ahead of the checkpoint, in any of their blocks, and a block may be torn: it is an array of digests, and an
//! interrupted write leaves each of them as before or as after. Every entry that may differ was assigned by an update in the log, and
//! every slot that may differ stands above such an entry, or is the first one of a level that is new since the checkpoint. So the
//! entries are assigned again, and all blocks above them hashed anew and written, whether their bytes differ or not: what was
//! read may never have reached the medium.

use std::collections::BTreeMap;

use pad_core::{StoreFault, Suite, Update, Version};

use super::{error::StoreError, files::LevelFiles, log::Log};
use crate::{
    blocks::grid::{Grid, to_u64},
    entry::{Shown, root_digest},
    operations,
    strategy::Place,
};

/// What the updates since the checkpoint assign, and how many entries there are then.
struct Assigned<S: Suite> {
    entries: BTreeMap<u64, Shown<S>>,
    registered: u64,
}

/// Brings files from a checkpoint to the latest version, durably; returns the grid then, and the root that the files lead to.
///
/// Memory: what the updates assign, and a block.
pub(super) fn recover<S: Suite>(
    files: &LevelFiles,
    log: &Log,
    checkpoint: (Version, Grid),
    latest: Version,
) -> Result<(Grid, S::Digest), StoreError> {
    let (version, old) = checkpoint;
    let mut assigned = Assigned::<S> {
        entries: BTreeMap::new(),
        registered: old.registered,
    };
    log.replay(version, latest, |update| assigned.take(&update))?;
    let registered = assigned.registered;
    let new = Grid { registered, ..old };
    let mut slots: Vec<(u64, S::Digest)> = assigned
        .entries
        .into_iter()
        .map(|(id, shown)| (id, shown.unwrap_or_default()))
        .collect();
    let mut top = S::Digest::default();
    for level in 0..new.levels() {
        let grows_above = new.levels() > old.levels() && level + 1 >= old.levels();
        // Versions without changes: the top is hashed for the root.
        let has_no_changes = registered > 0 && slots.is_empty();
        slots = write_level::<S>(files, new, level, &slots, grows_above || has_no_changes)?;
        top = slots.first().map_or(top, |(_, digest)| *digest);
    }
    files.synchronise()?;
    Ok((new, root_digest::<S>(registered, &top)))
}

impl<S: Suite> Assigned<S> {
    /// Takes the operations of an update, which was checked when it was logged; of a damaged log, nothing that could not be.
    fn take(&mut self, update: &Update<S>) -> Result<(), StoreError> {
        let changes = operations::decode::<S>(&update.operations)?;
        let is_live = |_| Ok::<_, StoreFault>(Some(S::Digest::default()));
        self.registered = operations::check(&changes, self.registered, is_live)?;
        let entries = changes.iter().map(|change| (change.id, change.shown));
        self.entries.extend(entries);
        Ok(())
    }
}

/// Writes the slots of a level that are touched, each with all of its block, and returns the digests of those blocks. The first
/// block is touched too if it becomes the first slot of a new level.
fn write_level<S: Suite>(
    files: &LevelFiles,
    grid: Grid,
    level: u8,
    slots: &[(u64, S::Digest)],
    with_first: bool,
) -> Result<Vec<(u64, S::Digest)>, StoreError> {
    let capacity = grid.capacity();
    let mut tops = Vec::new();
    let first_is_touched = slots
        .first()
        .is_some_and(|(slot, _)| slot >> grid.step == 0);
    if with_first && !first_is_touched {
        tops.push((
            0,
            rewritten::<S>(files, grid, Place { level, block: 0 }, &[])?,
        ));
    }
    for touched in slots.chunk_by(|(slot, _), (next, _)| slot >> grid.step == next >> grid.step) {
        let Some((slot, _)) = touched.first() else {
            continue;
        };
        let block = slot >> grid.step;
        let inside: Vec<_> = touched
            .iter()
            .map(|(slot, digest)| (slot & (to_u64(capacity) - 1), *digest))
            .collect();
        tops.push((
            block,
            rewritten::<S>(files, grid, Place { level, block }, &inside)?,
        ));
    }
    Ok(tops)
}

/// Reads what there is of a block, sets slots, hashes and writes it, and returns its digest.
fn rewritten<S: Suite>(
    files: &LevelFiles,
    grid: Grid,
    place: Place,
    slots: &[(u64, S::Digest)],
) -> Result<S::Digest, StoreError> {
    let count = grid.slots_of(place);
    let mut frame = files.read_some::<S>(place, count, grid.capacity())?;
    for (slot, content) in slots {
        frame.set_slot(usize::try_from(*slot).unwrap_or(usize::MAX), *content);
    }
    frame.fill(place, count);
    files.write(place, &frame, count)?;
    Ok(frame.top())
}
