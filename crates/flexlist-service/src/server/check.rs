//! The operator's check of a whole store: what is damaged, by name.

use core::{fmt, ops::Range};
use std::path::Path;

use disk::engine::guarded;
use flexlist::{
    FileId,
    list::{Block, Found, Sha256, View, hash::tag_digest},
    tag::StoredBlock as TaggedBlock,
};
use pad_core::Workers;

use super::{FileServer, Settings, load::checkpoint, refuse::panicked, slot::Slot};
use crate::{
    message::{Refusal, SentBlock},
    store::{FileStore, StoreError, snapshot::Snapshot},
};

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Files looked at.
    pub files: u64,
    /// Blocks looked at, those of a file's earlier version not included.
    pub blocks: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Blocks in the store that belong to neither of the versions that a file keeps: room that an
    /// error in the server lost, and no harm else.
    pub stray_blocks: u64,
    /// What is damaged; empty if all is well.
    pub damages: Vec<Damage>,
    /// Whether the storage engine found its own pages damaged: the store needs replacing, whatever can
    /// still be read of it.
    pub has_damaged_pages: bool,
}

/// Something damaged, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub file: FileId,
    /// The bytes of the file that cannot be trusted, or `None` if that is all of them.
    pub range: Option<Range<u64>>,
    /// What is wrong and what can be done, in words.
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

/// Checks a store that no server has open: as [`FileServer::check`], then every page by the engine's
/// checksums.
///
/// # Errors
/// [`StoreError`] of the store as a whole, [`StoreError::Missing`] among them.
pub fn check(path: &Path, workers: Workers) -> Result<CheckReport, StoreError> {
    // What can be read comes first: the engine gives up a store as a whole.
    let settings = Settings {
        workers,
        ..Settings::default()
    };
    let mut report = FileServer::serve(FileStore::open(path)?, settings)?.check();
    match FileStore::check_structure(path) {
        Ok(()) => {}
        Err(StoreError::Engine(_)) => report.has_damaged_pages = true,
        Err(error) => return Err(error),
    }
    Ok(report)
}

/// How often a file is checked of which the store cannot be read for the moment.
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
    /// Checks, while the server runs, that every file's journal gives its root, and that every block
    /// is what was stored, has the length and the tag that the list commits, and fits its tag as far
    /// as the tag scheme lets a server see.
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
                // The store is opened again after an error of its medium: that is no damage.
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
                report.damages.push(Damage {
                    file,
                    range: None,
                    what,
                });
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
            // A stretch at a time, so that other requests need not wait.
            let (snapshot, found) = slot.read(self, |state| {
                let view = state.view(state.head.version)?;
                let snapshot = self.store.snapshot()?;
                Ok((snapshot, stretch(view, index)))
            })?;
            let Some(last) = found.last() else {
                return Ok(());
            };
            index = last.end();
            self.check_stretch(slot, &snapshot, &found, report)?;
        }
    }

    /// What the store has of a file, beside what it should have.
    fn stored(&self, slot: &Slot) -> Result<(Snapshot, Stored), Refusal> {
        // No change of this file is under way, so that head and store are at one.
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
            let stray = u64::try_from(stray).unwrap_or(u64::MAX);
            Ok(Stored { stray, uploaded })
        })?;
        Ok((snapshot, stored))
    }

    /// Checks blocks one by one, and then their tags together.
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
                damaged(found, "length or tag are not what the list commits".into());
            }
        }
        // Halves of what does not fit are checked again until single blocks are left.
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

/// The blocks of a file in the store.
struct Stored {
    /// How many belong to no version.
    stray: u64,
    /// Those of an unfinished upload, which has no list yet.
    uploaded: Option<Vec<Found>>,
}

/// Where blocks are that follow each other.
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

/// Blocks, and about how many bytes of them, that are checked together.
const STRETCH_BLOCKS: usize = 1024;
const STRETCH_BYTES: u64 = 16 << 20;

/// Some blocks from `index` on; none at the end of the file.
fn stretch(view: View<'_, Sha256>, index: u64) -> Vec<Found> {
    let end = index.saturating_add(STRETCH_BYTES).min(view.total());
    let found = view.find_range_up_to(index..end, STRETCH_BLOCKS);
    found.unwrap_or_default()
}

fn check_tags(
    server: &FileServer,
    slot: &Slot,
    blocks: &[(&Found, SentBlock)],
) -> Result<(), String> {
    let tagged: Vec<TaggedBlock<'_>> = blocks
        .iter()
        .map(|(_, block)| TaggedBlock {
            tag: &block.tag,
            data: block.data.as_ref(),
        })
        .collect();
    let parameters = slot.parameters(server);
    let parameters = parameters.map_err(|refusal| refusal.to_string())?;
    let checked = parameters.check_tags(&tagged);
    checked.map_err(|error| error.to_string())
}
