//! The files of a directory's blocks: one for each level, without headers. Slot `s` is at byte
//! `w s`, where `w` is the width of a slot.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::{
    io,
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
};

use pad_core::{Suite, internals::DigestBytes};
use pad_disk::{
    found,
    layer::{FileLayer, LayerFile},
};

use super::{error::StoreError, failed};
use crate::{
    blocks::{
        frame::Frame,
        grid::{Grid, to_u64},
    },
    strategy::Place,
};

/// The maximum number of levels: those of `2^48` entries in blocks of two slots.
const MOST_LEVELS: usize = 48;

/// The files of all levels of a directory's blocks.
///
/// Each file has one handle for all reads, writes and synchronisations. The operating system
/// reports a failed write-back only to handles that were open at that time.
#[derive(Debug)]
pub(crate) struct LevelFiles {
    layer: Arc<dyn FileLayer>,
    levels: RwLock<Vec<Arc<dyn LayerFile>>>,
    has_new_name: AtomicBool,
    is_new_folder: bool,
    blocks_read: AtomicU64,
}

impl LevelFiles {
    /// Opens the existing files of all levels in a folder.
    pub(crate) fn open(layer: Arc<dyn FileLayer>) -> Result<Self, StoreError> {
        let mut levels = Vec::new();
        while levels.len() < MOST_LEVELS {
            let name = name(levels.len());
            let opened = found(layer.open(&name));
            match opened.map_err(|source| failed(&layer.path().join(name), source))? {
                Some(file) => levels.push(file),
                None => break,
            }
        }
        Ok(Self {
            levels: RwLock::new(levels),
            is_new_folder: false,
            ..Self::of_new_folder(layer)
        })
    }

    /// Creates the value for a new folder, which contains no level files.
    pub(crate) const fn of_new_folder(layer: Arc<dyn FileLayer>) -> Self {
        Self {
            layer,
            levels: RwLock::new(Vec::new()),
            has_new_name: AtomicBool::new(false),
            is_new_folder: true,
            blocks_read: AtomicU64::new(0),
        }
    }

    /// Returns the file layer, through which the folder is accessed.
    pub(crate) fn layer(&self) -> Arc<dyn FileLayer> {
        Arc::clone(&self.layer)
    }

    /// Returns the path of a level's file.
    pub(crate) fn path(&self, level: u8) -> PathBuf {
        self.layer.path().join(name(usize::from(level)))
    }

    /// Returns an error if a file is shorter than the number of entries in `grid` requires.
    pub(crate) fn require<S: Suite>(&self, grid: Grid) -> Result<(), StoreError> {
        let levels = if grid.registered == 0 {
            0
        } else {
            grid.levels()
        };
        for level in 0..levels {
            if self.length(level)? < grid.slots(level).saturating_mul(width::<S>()) {
                let source = io::Error::from(io::ErrorKind::UnexpectedEof);
                return Err(self.failed(level, source));
            }
        }
        Ok(())
    }

    /// Reads the first `slots` slots of a block from its file into `frame`. Does not compute the
    /// nodes above the slots.
    pub(crate) fn read<S: Suite>(
        &self,
        place: Place,
        slots: usize,
        frame: &mut Frame<S>,
    ) -> Result<(), StoreError> {
        let mut bytes = vec![0; slots.saturating_mul(S::Digest::LENGTH)];
        let offset = offset::<S>(place, frame.capacity());
        let missing = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let read = self.file(place.level).ok_or_else(missing);
        let read = read.and_then(|file| file.read_at(offset, &mut bytes));
        self.blocks_read.fetch_add(1, Ordering::Relaxed);
        match read {
            Ok(()) => {
                frame.set_slots(&bytes);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(self.damaged(place)),
            Err(error) => Err(self.failed(place.level, error)),
        }
    }

    /// Reads at most `slots` slots of a block, as far as the file contains them. The file may end
    /// before or within the block.
    pub(crate) fn read_some<S: Suite>(
        &self,
        place: Place,
        slots: usize,
        capacity: usize,
    ) -> Result<Frame<S>, StoreError> {
        let length = self.length(place.level)?;
        let before = offset::<S>(place, capacity);
        let there = length.saturating_sub(before).checked_div(width::<S>());
        let there = usize::try_from(there.unwrap_or(0)).unwrap_or(usize::MAX);
        let mut frame = Frame::empty(capacity);
        match slots.min(there) {
            0 => {}
            slots => self.read(place, slots, &mut frame)?,
        }
        Ok(frame)
    }

    /// Writes the first `slots` slots of a block to the file of its level. Creates the file if
    /// there is none.
    pub(crate) fn write<S: Suite>(
        &self,
        place: Place,
        frame: &Frame<S>,
        slots: usize,
    ) -> Result<(), StoreError> {
        let file = match self.file(place.level) {
            Some(file) => file,
            None => self.create(place.level)?,
        };
        let bytes = frame.slot_bytes(slots);
        let offset = offset::<S>(place, frame.capacity());
        let written = file.write_at(offset, &bytes);
        written.map_err(|error| self.failed(place.level, error))
    }

    /// Makes everything written so far durable. Synchronises all files, including files without
    /// writes since the last call.
    pub(crate) fn synchronise(&self) -> Result<(), StoreError> {
        let levels = self.levels.read().unwrap_or_else(PoisonError::into_inner);
        for (level, file) in (0..).zip(levels.iter()) {
            file.synchronise()
                .map_err(|error| self.failed(level, error))?;
        }
        if self.has_new_name.swap(false, Ordering::AcqRel) {
            self.synchronise_names()?;
        }
        Ok(())
    }

    /// Makes the names of all files durable. An earlier process may have been killed after it
    /// created a file and before it made the name durable.
    pub(crate) fn synchronise_names(&self) -> Result<(), StoreError> {
        let synchronised = self.layer.synchronise();
        synchronised.map_err(|source| failed(self.layer.path(), source))
    }

    /// Returns the total length of all files in bytes.
    pub(crate) fn bytes(&self) -> Result<u64, StoreError> {
        let levels = self.levels.read().unwrap_or_else(PoisonError::into_inner);
        let mut bytes: u64 = 0;
        for (level, file) in (0..).zip(levels.iter()) {
            let length = file.length().map_err(|error| self.failed(level, error))?;
            bytes = bytes.saturating_add(length);
        }
        Ok(bytes)
    }

    /// Returns the number of blocks read from files so far.
    pub(crate) fn blocks_read(&self) -> u64 {
        self.blocks_read.load(Ordering::Relaxed)
    }

    pub(crate) fn damaged(&self, place: Place) -> StoreError {
        let file = self.path(place.level);
        StoreError::DamagedBlock { place, file }
    }

    fn failed(&self, level: u8, source: io::Error) -> StoreError {
        failed(&self.path(level), source)
    }

    /// Returns the length of a level's file in bytes; 0 if there is no file.
    fn length(&self, level: u8) -> Result<u64, StoreError> {
        let length = self.file(level).map_or(Ok(0), |file| file.length());
        length.map_err(|error| self.failed(level, error))
    }

    fn file(&self, level: u8) -> Option<Arc<dyn LayerFile>> {
        let levels = self.levels.read().unwrap_or_else(PoisonError::into_inner);
        levels.get(usize::from(level)).cloned()
    }

    fn create(&self, level: u8) -> Result<Arc<dyn LayerFile>, StoreError> {
        let mut levels = self.levels.write().unwrap_or_else(PoisonError::into_inner);
        while levels.len() <= usize::from(level) {
            let name = name(levels.len());
            let created = match self.layer.create(&name) {
                // A crash left this name without the name of a level below. The file's contents are
                // ignored.
                Err(error)
                    if error.kind() == io::ErrorKind::AlreadyExists && !self.is_new_folder =>
                {
                    self.layer.open(&name)
                }
                created => created,
            };
            let file = created.map_err(|error| self.failed(level, error))?;
            self.has_new_name.store(true, Ordering::Release);
            levels.push(file);
        }
        let file = levels.get(usize::from(level)).cloned();
        file.ok_or_else(|| self.failed(level, io::ErrorKind::NotFound.into()))
    }
}

fn name(level: usize) -> String {
    format!("level-{level}")
}

/// Returns the width of a slot in a file, in bytes.
fn width<S: Suite>() -> u64 {
    to_u64(S::Digest::LENGTH)
}

/// Returns the byte offset of a block in the file of its level.
fn offset<S: Suite>(place: Place, capacity: usize) -> u64 {
    let slots = place.block.saturating_mul(to_u64(capacity));
    slots.saturating_mul(width::<S>())
}
