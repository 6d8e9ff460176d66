//! Integrity check of a whole store, for operators. Reports each damaged file.

use core::{fmt, ops::Range};
use std::path::Path;

use flexlist::{
    FileId, UpdateError,
    internals::{View, tag_digest},
    list::{Block, Found, Sha256},
};
use pad_core::Workers;
use pad_disk::engine::{Place, guarded};

use super::{FileServer, Settings, load::checkpoint, refuse::panicked, slot::Slot};
use crate::{
    count,
    message::{Refusal, SentBlock},
    store::{FileStore, StoreError, snapshot::Snapshot},
};

/// The result of an integrity check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Number of files checked in the store.
    pub files: u64,
    /// Number of blocks checked, without the additional blocks of files' earlier versions.
    pub blocks: u64,
    /// Total length in bytes of the checked blocks.
    pub bytes: u64,
    /// Number of stored blocks that belong to none of their file's stored versions. They were left
    /// behind by a bug in the server. They waste space and do no other harm.
    pub stray_blocks: u64,
    /// The damage found. Empty if the store is intact.
    pub damages: Vec<Damage>,
    /// Whether the storage engine found damaged pages. The store must then be replaced, even if
    /// parts of it can still be read.
    pub has_damaged_pages: bool,
}

/// A damaged file, or a damaged part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The identifier of the damaged file.
    pub file: FileId,
    /// The range of the file's bytes that cannot be trusted, or `None` for the whole file.
    pub range: Option<Range<u64>>,
    /// A description of the damage and the remedy.
    pub what: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.range {
            Some(Range { start, end }) => write!(
                formatter,
                "file {}, bytes {start} to {end}: {}",
                self.file, self.what
            ),
            None => write!(formatter, "file {}: {}", self.file, self.what),
        }
    }
}

/// Checks a store that no server has open. Runs [`FileServer::check`], then verifies every page by
/// the engine's checksums.
///
/// # Errors
/// [`StoreError`] of the store as a whole, including [`StoreError::Missing`].
pub fn check(path: &Path, workers: Workers) -> Result<CheckReport, StoreError> {
    check_at(path.into(), workers)
}

/// Like [`check`], for a store in any layer of files.
pub(super) fn check_at(place: Place, workers: Workers) -> Result<CheckReport, StoreError> {
    // First read all that can be read: the engine rejects a damaged store as a whole.
    let settings = Settings {
        workers,
        ..Settings::default()
    };
    let mut report = FileServer::serve(FileStore::open(place.clone(), None)?, settings)?.check();
    match FileStore::check_structure(place) {
        Ok(()) => {}
        Err(StoreError::Engine(_)) => report.has_damaged_pages = true,
        Err(error) => return Err(error),
    }
    Ok(report)
}

/// Maximum number of retries per file while the store temporarily cannot be read.
const ATTEMPTS: u32 = 10;

impl CheckReport {
    fn add(&mut self, other: Self) {
        self.files = self.files.saturating_add(other.files);
        self.blocks = self.blocks.saturating_add(other.blocks);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.stray_blocks = self.stray_blocks.saturating_add(other.stray_blocks);
        self.damages.extend(other.damages);
    }
}

impl FileServer {
    /// Checks all files while the server runs.
    ///
    /// Rebuilds every list that is not in memory from checkpoint and journal, and compares its root
    /// with the stored one. Checks every block of the current version: length and tag digest must
    /// match the list. The tag must match the block as far as a server can check.
    pub fn check(&self) -> CheckReport {
        let mut report = CheckReport::default();
        for file in self.files() {
            let mut attempts = 0..ATTEMPTS;
            let (of_file, checked) = loop {
                let mut of_file = CheckReport {
                    files: 1,
                    ..CheckReport::default()
                };
                let slot = self.slot(file);
                let check = || slot.and_then(|slot| self.check_file(&slot, &mut of_file));
                let checked = guarded(check).unwrap_or_else(|| Err(panicked(Some(file))));
                // The store is being reopened after an error of its medium, which is not damage.
                if checked != Err(Refusal::Unavailable) || attempts.next().is_none() {
                    break (of_file, checked);
                }
            };
            if matches!(checked, Err(Refusal::Removed | Refusal::UnknownFile)) {
                continue;
            }
            report.add(of_file);
            if let Err(refusal) = checked {
                let what = match refusal {
                    Refusal::StoreFailed(what) => what,
                    other => other.to_string(),
                };
                let range = None;
                report.damages.push(Damage { file, range, what });
            }
        }
        report
    }

    fn check_file(&self, slot: &Slot, report: &mut CheckReport) -> Result<(), Refusal> {
        let (snapshot, kept) = self.stored(slot)?;
        report.stray_blocks = report.stray_blocks.saturating_add(kept.stray);
        if let Some(blocks) = kept.uploaded {
            for blocks in blocks.chunks(STRETCH_BLOCKS) {
                self.check_stretch(slot, &snapshot, blocks, report)?;
            }
            return Ok(());
        }
        let mut index = 0;
        loop {
            // One batch at a time, so that other requests need not wait.
            let (snapshot, found) = slot.read(self, |state| {
                let view = state.view(state.head.version)?;
                let snapshot = self.store.snapshot()?;
                Ok((snapshot, stretch(view, index)?))
            })?;
            let Some(last) = found.last() else {
                return Ok(());
            };
            index = last.end();
            self.check_stretch(slot, &snapshot, &found, report)?;
        }
    }

    /// Returns a snapshot, the number of stored blocks that belong to no version of the file, and
    /// the blocks of an unfinished upload.
    fn stored(&self, slot: &Slot) -> Result<(Snapshot, StoredBlocks), Refusal> {
        // No change of this file is in progress, so head and store agree.
        let _turn = slot.next_turn();
        let snapshot = self.store.snapshot()?;
        let stored = slot.read(self, |state| {
            let blocks = match &state.versions {
                Some(kept) => kept.list.blocks(),
                None => checkpoint(&snapshot, slot.key, &state.head)?,
            };
            let mut expected: Vec<u64> = blocks.iter().map(|block| block.label).collect();
            expected.extend(&state.head.superseded);
            expected.sort_unstable();
            let numbers = snapshot.block_numbers(slot.key)?;
            let stray = |number: &&u64| expected.binary_search(number).is_err();
            let stray = numbers.iter().filter(stray).count();
            let uploaded = state.versions.is_none().then(|| places(&blocks));
            let stray = count(stray);
            Ok(StoredBlocks { stray, uploaded })
        })?;
        Ok((snapshot, stored))
    }

    /// Checks the blocks `found` one by one, then their tags together. Adds counts and damage to
    /// `report`.
    fn check_stretch(
        &self,
        slot: &Slot,
        snapshot: &Snapshot,
        found: &[Found],
        report: &mut CheckReport,
    ) -> Result<(), Refusal> {
        let mut damaged = |found: &Found, what: String| {
            report.damages.push(Damage {
                file: slot.key.id,
                range: Some(found.start..found.end()),
                what,
            });
        };
        let mut whole = Vec::with_capacity(found.len());
        for found in found {
            report.blocks = report.blocks.saturating_add(1);
            report.bytes = report.bytes.saturating_add(found.length);
            let block = match snapshot.block(slot.key, found.label) {
                Ok(block) => block,
                Err(StoreError::Interrupted) => return Err(Refusal::Unavailable),
                Err(error) => {
                    damaged(found, error.to_string());
                    continue;
                }
            };
            let length = u64::try_from(block.data.as_ref().len());
            let digest = tag_digest::<Sha256>(block.tag.committed.as_ref());
            if length == Ok(found.length) && digest == found.tag_digest {
                whole.push((found, block));
            } else {
                damaged(found, "length or tag does not match the list".into());
            }
        }
        // Bisects a batch with invalid tags until single blocks are left.
        let mut waiting = vec![whole.as_slice()];
        while let Some(part) = waiting.pop() {
            let Err(error) = check_tags(self, slot, part) else {
                continue;
            };
            match part {
                [] => {}
                [(found, _)] => damaged(found, error),
                part => {
                    let (first, second) = part.split_at(part.len().div_ceil(2));
                    waiting.extend([second, first]);
                }
            }
        }
        Ok(())
    }
}

/// The stored blocks of one file, as far as an integrity check needs them.
struct StoredBlocks {
    /// The number of stored blocks that belong to no version of the file.
    stray: u64,
    /// The blocks of an unfinished upload, which has no list yet.
    uploaded: Option<Vec<Found>>,
}

/// Computes the positions in the file of consecutive blocks, beginning at byte 0.
fn places(blocks: &[Block]) -> Vec<Found> {
    let mut start = 0_u64;
    let mut place = |block: &Block| {
        let found = Found {
            start,
            length: block.length,
            tag_digest: block.tag_digest,
            label: block.label,
        };
        start = found.end();
        found
    };
    blocks.iter().map(&mut place).collect()
}

/// Maximum number of blocks that are checked together.
const STRETCH_BLOCKS: usize = 1024;
/// Length in bytes of the range whose blocks are checked together. The last block may exceed it.
const STRETCH_BYTES: u64 = 16 << 20;

/// Returns a batch of consecutive blocks, from the block that starts at byte `index`. Empty at the
/// end of the file.
fn stretch(view: View<'_, Sha256>, index: u64) -> Result<Vec<Found>, UpdateError> {
    let end = index.saturating_add(STRETCH_BYTES).min(view.total());
    if index >= end {
        return Ok(Vec::new());
    }
    view.find_range_up_to(index..end, STRETCH_BLOCKS)
}

fn check_tags(
    server: &FileServer,
    slot: &Slot,
    blocks: &[(&Found, SentBlock)],
) -> Result<(), String> {
    let tagged: Vec<_> = blocks.iter().map(|(_, block)| block.tagged()).collect();
    let parameters = slot.parameters(server);
    let parameters = parameters.map_err(|refusal| refusal.to_string())?;
    let checked = parameters.check_tags(&tagged);
    checked.map_err(|error| error.to_string())
}
