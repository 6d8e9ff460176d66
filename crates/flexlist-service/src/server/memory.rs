//! Cache accounting: the files whose lists are in memory. A list takes some hundred bytes per
//! block, so memory cannot hold all lists.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use flexlist::FileId;

use super::{FileServer, slot::Slot};

/// Number of bytes of encoded parameters that count as one block. Decoded parameters are a few
/// times as long as encoded ones.
const PARAMETER_BYTES: u64 = 32;

/// The files whose lists are in memory, with their sizes in blocks.
#[derive(Debug, Default)]
pub(super) struct Memory(Mutex<Files>);

#[derive(Debug, Default)]
struct Files {
    blocks: u64,
    /// Counter of uses of files. The file with the lowest value at its last use is evicted first.
    clock: u64,
    entries: HashMap<FileId, Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    blocks: u64,
    used: u64,
}

impl Memory {
    /// Records a use of a file in memory, and its number of blocks if given.
    pub(super) fn enter(&self, file: FileId, blocks: Option<u64>) {
        let mut files = self.files();
        files.clock = files.clock.saturating_add(1);
        let used = files.clock;
        let before = files.entries.get(&file).map_or(0, |entry| entry.blocks);
        let blocks = blocks.unwrap_or(before);
        files.blocks = files.blocks.saturating_sub(before).saturating_add(blocks);
        files.entries.insert(file, Entry { blocks, used });
    }

    /// Records that a file's list is no longer in memory.
    pub(super) fn leave(&self, file: FileId) {
        let mut files = self.files();
        if let Some(entry) = files.entries.remove(&file) {
            files.blocks = files.blocks.saturating_sub(entry.blocks);
        }
    }

    /// Returns the least recently used files to evict, so that at most `most` blocks are left in
    /// memory. Never returns `but`.
    fn oldest_above(&self, most: u64, but: Option<FileId>) -> Vec<FileId> {
        let files = self.files();
        if files.blocks <= most {
            return Vec::new();
        }
        let mut oldest: Vec<(u64, u64, FileId)> = (files.entries.iter())
            .filter(|(file, _)| Some(**file) != but)
            .map(|(file, entry)| (entry.used, entry.blocks, *file))
            .collect();
        oldest.sort_unstable_by_key(|(used, ..)| *used);
        let mut left = files.blocks;
        let goes = |(_, blocks, file): &(u64, u64, FileId)| {
            let goes = left > most;
            left = left.saturating_sub(*blocks);
            goes.then_some(*file)
        };
        oldest.iter().map_while(goes).collect()
    }

    /// Returns the number of blocks of all files in memory.
    pub(super) fn blocks(&self) -> u64 {
        self.files().blocks
    }

    // No code panics while it changes the files, so poisoned files are consistent.
    fn files(&self) -> MutexGuard<'_, Files> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileServer {
    /// Evicts other files to make room for a file that is about to be loaded.
    pub(super) fn make_room_for(&self, slot: &Slot) {
        let blocks = self.accounts.blocks(slot.key.id);
        self.enter_memory(slot, blocks);
        self.shed(Some(slot.key.id));
    }

    /// Returns the number of blocks of the files in memory. The tag schemes' parameters count as
    /// blocks of an equivalent size.
    ///
    /// At most [`Limits::list_blocks`](super::Limits) after a request, except while files are being
    /// changed.
    #[doc(hidden)]
    pub fn blocks_in_memory(&self) -> u64 {
        self.memory.blocks()
    }

    /// Records that a file in memory has `blocks` blocks, and counts a use of the file.
    pub(super) fn enter_memory(&self, slot: &Slot, blocks: u64) {
        let parameters = slot.parameter_bytes / PARAMETER_BYTES;
        let blocks = blocks.saturating_add(parameters);
        self.memory.enter(slot.key.id, Some(blocks));
    }

    /// Evicts the least recently used files, to bring memory within its limit. Keeps `but` and
    /// files that are being changed. The caller must not hold a lock of a file.
    pub(super) fn shed(&self, but: Option<FileId>) {
        for file in self.memory.oldest_above(self.limits.list_blocks, but) {
            let slot = self.entries().get(&file).cloned();
            match slot {
                Some(Ok(slot)) => slot.shed(self),
                _ => self.memory.leave(file),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let memory = Memory::default();
        let file = |number| FileId([number; 32]);
        for number in 1..=4 {
            memory.enter(file(number), Some(10));
        }
        memory.enter(file(1), None);
        assert_eq!(memory.oldest_above(40, None), vec![]);
        assert_eq!(memory.oldest_above(39, None), vec![file(2)]);
        let oldest = memory.oldest_above(20, Some(file(2)));
        assert_eq!(oldest, vec![file(3), file(4)]);
        let all = vec![file(2), file(3), file(4), file(1)];
        assert_eq!(memory.oldest_above(0, None), all);
        memory.leave(file(2));
        memory.leave(file(2));
        memory.enter(file(3), Some(25));
        assert_eq!(memory.blocks(), 45);
    }
}
