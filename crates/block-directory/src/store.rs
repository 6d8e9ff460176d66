//! Directories on disk: a file of blocks for each level, and a log.
//!
//! | file | content |
//! | --- | --- |
//! | `log.redb` | parameters, all heads, the updates since the last checkpoint |
//! | `level-0` | the object digest of entry `i` at byte `w i`; zeros if the entry is deleted |
//! | `level-1`, `level-2`, .. | the digest of block `s` of the level below at byte `w s` |
//!
//! `w` is the width of a slot in bytes.
//!
//! An update is acknowledged once it is in the log. Blocks are written at any later time, in any
//! order. A checkpoint makes the blocks durable and removes their updates from the log. The latest
//! update stays in the log, because it may have to be sent again. After a crash the log is replayed
//! (`recovery`).
//!
//! A block that is read is compared with its slot in the level above, up to the signed root. The
//! files of blocks need no other checksum.
//!
//! A failed write closes the directory, because the contents of the medium are then unknown. It
//! must be opened again.
//!
//! Source: Stanton et al. 2010, section 2.3. `Deviation:` the paper writes blocks "asynchronously"
//! and does not treat crashes.

pub(crate) mod backing;
mod cache;
pub(crate) mod error;
mod files;
pub(crate) mod journal;
mod log;
mod recovery;
pub(crate) mod rows;

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use pad_core::{Authority, SignedHead, StoreFault, Suite, SuiteId, Untrusted, Update, Version};
use pad_disk::layer::{FileLayer, Folder};

pub use error::StoreError;
use files::LevelFiles;
pub use journal::CacheBudget;
use log::{Log, Parameters};

use self::{backing::BackingStore, journal::Journal};
use crate::{
    blocks::{Blocks, Loader, frame::Frame, grid::Grid},
    directory::{BlockDirectory, check_parameters},
    strategy::Place,
};

/// Returns the path of the log of the directory in `folder`. The file is the same until the
/// directory is removed or replaced.
pub fn log_path(folder: &Path) -> PathBuf {
    folder.join(log::NAME)
}

/// Estimated bytes of a block in memory in addition to its slots.
const BLOCK_OVERHEAD: usize = 64;

impl<S: Suite> BlockDirectory<S> {
    /// Creates a directory in a folder that is empty or does not exist. The directory's blocks have
    /// `2^step` slots; `step = 7` fills a page of 4 096 bytes.
    ///
    /// # Errors
    /// [`StoreError::NotEmpty`] if the folder contains files; the errors of
    /// [`BlockDirectory::new`]; other [`StoreError`]s if the medium fails.
    pub fn create(
        folder: &Path,
        authority: Authority,
        step: u32,
        budget: CacheBudget,
    ) -> Result<Self, StoreError> {
        Self::create_in(new_folder(folder)?, authority, step, budget)
    }

    /// Like [`BlockDirectory::create`], but accesses files through `layer`, for example to simulate
    /// failures.
    ///
    /// # Errors
    /// The errors of [`BlockDirectory::create`].
    #[doc(hidden)]
    pub fn create_in(
        layer: Arc<dyn FileLayer>,
        authority: Authority,
        step: u32,
        budget: CacheBudget,
    ) -> Result<Self, StoreError> {
        check_parameters(&authority, step)?;
        refuse_others(&layer)?;
        Log::create::<S>(&layer, Parameters { authority, step }, None)?;
        Self::open_in(layer, budget)
    }

    /// Opens the directory in this folder. After a crash, the directory is at the last acknowledged
    /// version, or at a later one whose update was being stored.
    ///
    /// Time: the blocks above the lowest level are read and hashed. With `step = 7`, these are a
    /// quarter of a byte for each entry. All heads are read. After a crash the updates in the log
    /// are applied again.
    ///
    /// # Errors
    /// [`StoreError`] if the folder contains no intact directory of suite `S`, or the medium fails.
    pub fn open(folder: &Path, budget: CacheBudget) -> Result<Self, StoreError> {
        Self::open_in(old_folder(folder)?, budget)
    }

    /// Like [`BlockDirectory::open`], but accesses files through `layer`, for example to simulate
    /// failures.
    ///
    /// # Errors
    /// The errors of [`BlockDirectory::open`].
    #[doc(hidden)]
    pub fn open_in(layer: Arc<dyn FileLayer>, budget: CacheBudget) -> Result<Self, StoreError> {
        let (log, parameters, logged) = Log::open::<S>(&layer)?;
        let files = LevelFiles::open(layer)?;
        files.synchronise_names()?;
        let (version, registered) = logged.checkpoint;
        let step = parameters.step;
        let mut grid = Grid { step, registered };
        files.require::<S>(grid)?;
        let heads = logged.heads;
        let latest = heads.latest();
        let signed = heads.latest_head().map(|head| head.head.root);
        let signed = signed.unwrap_or_else(S::empty_tree);
        if version < latest {
            let new = recovery::recover::<S>(&files, &log, (version, grid), (latest, signed))?;
            log.checkpoint(latest, new.registered)?;
            grid = new;
        }
        let frame_bytes = Frame::<S>::bytes(grid.capacity());
        let above = |first: u8| {
            let blocks: u64 = (first..grid.levels()).map(|level| grid.blocks(level)).sum();
            usize::try_from(blocks).unwrap_or(usize::MAX)
        };
        let block_bytes = frame_bytes.saturating_add(BLOCK_OVERHEAD);
        let fits = |first: &u8| above(*first).saturating_mul(block_bytes) <= budget.bytes / 2;
        let pinned_from = (1..grid.levels())
            .find(fits)
            .unwrap_or(grid.levels().max(1));
        let above = above(pinned_from);
        let frames = budget.bytes.checked_div(frame_bytes).unwrap_or(0);
        let backing = BackingStore::new(files, frames.saturating_sub(above));
        let blocks = Blocks::of_files(grid, signed, backing, pinned_from)?;
        let journal = Journal {
            log,
            logged: 0,
            budget,
        };
        Ok(Self::of_parts(blocks, heads, Some(journal)))
    }

    /// Creates a directory in a new folder and loads its version 1. `objects` are the digests of
    /// all entries' objects, in the order of ids. `sign` gets the root, and returns the author's
    /// head of version 1.
    ///
    /// Memory: a block for each level. Time: two hashes and a write of 32.25 bytes for each entry.
    /// The folder contains no directory before all blocks are durable and the head is signed.
    ///
    /// # Errors
    /// The errors of [`BlockDirectory::create`], [`BlockDirectory::load`], `sign` and the iterator
    /// of objects.
    pub fn create_loaded<E: From<StoreError>>(
        folder: &Path,
        authority: Authority,
        (step, budget): (u32, CacheBudget),
        objects: impl IntoIterator<Item = Result<S::Digest, E>>,
        sign: impl FnOnce(S::Digest) -> Result<SignedHead<S>, E>,
    ) -> Result<Self, E> {
        let layer = new_folder(folder)?;
        check_parameters(&authority, step).map_err(StoreError::from)?;
        refuse_others(&layer)?;
        let files = LevelFiles::of_new_folder(Arc::clone(&layer));
        let (grid, head) = load_files(&files, (authority, step), objects, sign)?;
        let parameters = Parameters { authority, step };
        Log::create(&layer, parameters, Some((&head, grid.registered)))?;
        Ok(Self::open_in(layer, budget)?)
    }

    /// Loads version 1 into this directory in files, which must have no version yet. For a new
    /// folder, use [`BlockDirectory::create_loaded`]. A failure before the head is in the log
    /// leaves a directory without versions.
    ///
    /// # Errors
    /// The errors of [`BlockDirectory::create_loaded`]; [`StoreFault::Closed`] for a directory in
    /// memory; [`pad_core::ApplyError::VersionGap`] for a directory that has a version.
    #[doc(hidden)]
    pub fn load_stored<E: From<StoreError>>(
        self,
        objects: impl IntoIterator<Item = Result<S::Digest, E>>,
        sign: impl FnOnce(S::Digest) -> Result<SignedHead<S>, E>,
    ) -> Result<Self, E> {
        let parts = self.journal.as_ref().zip(self.blocks.backing());
        let (journal, backing) = parts.ok_or(StoreError::Fault(StoreFault::Closed))?;
        self.blocks.require_open().map_err(StoreError::Fault)?;
        if self.latest() != Version::EMPTY {
            let (expected, actual) = (self.latest(), Version::EMPTY);
            let gap = pad_core::ApplyError::VersionGap { expected, actual };
            return Err(StoreError::Refused(gap).into());
        }
        let parameters = (*self.heads().authority(), self.step());
        let (grid, head) = load_files(&backing.files, parameters, objects, sign)?;
        journal.log.load(&head, grid.registered)?;
        let (layer, budget) = (backing.files.layer(), journal.budget);
        // Releases the files before they are opened again.
        drop(self);
        Ok(Self::open_in(layer, budget)?)
    }

    /// Applies several updates and makes them durable together. The updates share the fixed cost of
    /// making a version durable.
    ///
    /// # Errors
    /// The errors of [`BlockDirectory::apply`]. Updates before a refused update are applied and
    /// durable. After [`pad_core::ApplyError::Store`], they may be neither.
    #[doc(hidden)]
    pub fn apply_all(&mut self, updates: &[Update<S>]) -> Result<Version, pad_core::ApplyError> {
        self.hold_changed(true);
        let mut applied = 0;
        let mut outcome = Ok(());
        for update in updates {
            outcome = self
                .plan_update(update)
                .and_then(|plan| Ok(self.commit(update, plan)?));
            if outcome.is_err() {
                break;
            }
            applied += 1;
        }
        let logged = self.log(
            updates.get(..applied).unwrap_or_default(),
            self.registered(),
        );
        self.hold_changed(false);
        match logged {
            // The failure in `outcome` has closed the directory.
            Err(StoreFault::Closed) if outcome.is_err() => {}
            logged => logged?,
        }
        outcome?;
        self.checkpoint_if_due()?;
        Ok(self.latest())
    }

    /// Writes all changes to the files, durably. Opening the directory then has nothing to replay.
    ///
    /// Time: linear in the blocks that changed since the last checkpoint.
    ///
    /// # Errors
    /// [`StoreFault`] if the medium fails; the directory is then closed.
    pub fn checkpoint(&mut self) -> Result<(), StoreFault> {
        self.blocks.require_open()?;
        if self
            .journal
            .as_ref()
            .is_none_or(|journal| journal.logged == 0)
        {
            return Ok(());
        }
        self.blocks.write_changed()?;
        let (version, registered) = (self.latest(), self.registered());
        if let (Some(journal), Some(backing)) = (&mut self.journal, self.blocks.backing()) {
            let written = journal.log.checkpoint(version, registered);
            written.map_err(|error| backing.close(error))?;
            journal.logged = 0;
        }
        Ok(())
    }

    /// Writes a [`BlockDirectory::checkpoint`], and closes the directory. Opening a directory that
    /// was not closed applies the updates in its log again.
    ///
    /// # Errors
    /// The errors of [`BlockDirectory::checkpoint`].
    pub fn close(mut self) -> Result<(), StoreFault> {
        self.checkpoint()
    }

    /// Returns the details of the last store error, once. Later calls return `None` until another
    /// error occurs.
    #[doc(hidden)]
    pub fn take_store_error(&self) -> Option<StoreError> {
        self.blocks.backing()?.take_error()
    }

    /// Returns the number of blocks read from files since the directory was opened, including the
    /// reads at opening.
    pub fn blocks_read(&self) -> u64 {
        let backing = self.blocks.backing();
        backing.map_or(0, |backing| backing.files.blocks_read())
    }

    /// Returns the encoded update that produced a version, if it is still in the log. The log keeps
    /// the updates since the last checkpoint, and the latest one unless its version was loaded.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    #[doc(hidden)]
    pub fn logged_update(&self, version: Version) -> Result<Option<Vec<u8>>, StoreError> {
        match &self.journal {
            Some(journal) => journal.log.update(version),
            None => Ok(None),
        }
    }

    /// Returns the total size of all files of the directory in bytes; 0 for a directory in memory.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    pub fn file_bytes(&self) -> Result<u64, StoreError> {
        let (Some(journal), Some(backing)) = (&self.journal, self.blocks.backing()) else {
            return Ok(0);
        };
        Ok(journal.log.file_bytes()? + backing.files.bytes()?)
    }

    /// Checks a directory that is not open. Checks every page of the log, and the signatures of all
    /// heads. Checks every block against its slot in the level above, up to the signed root.
    ///
    /// Opens the directory, which replays and writes updates in the log after a crash. Calls `each`
    /// after each block of level 0, with the number of blocks checked so far, and the total number.
    /// Returns the number of entries.
    ///
    /// Memory: as for a directory that is opened with `budget`.
    ///
    /// # Errors
    /// [`StoreError`] that describes the damage and its location.
    pub fn check(
        folder: &Path,
        budget: CacheBudget,
        mut each: impl FnMut(u64, u64),
    ) -> Result<u64, StoreError> {
        Log::check(folder)?;
        let directory = Self::open(folder, budget)?;
        let grid = directory.blocks.grid();
        let all = grid.blocks(0);
        let heads = directory.heads();
        for version in (1..=heads.latest().number()).map(Version::new) {
            let verified = heads.head(version).is_ok_and(|head| {
                let head = Untrusted::new(head);
                head.verify(heads.authority(), &version).is_ok()
            });
            if !verified {
                return Err(StoreError::DamagedLog(
                    "an earlier head is not the author's",
                ));
            }
        }
        let mut frame = Frame::empty(grid.capacity());
        for block in 0..all {
            let place = Place { level: 0, block };
            directory.blocks.read(place, &mut frame)?;
            each(block + 1, all);
        }
        Ok(directory.registered())
    }

    /// Makes updates durable in the log, all or none. `registered` is the number of entries after
    /// them.
    pub(crate) fn log(&mut self, updates: &[Update<S>], registered: u64) -> Result<(), StoreFault> {
        let (Some(journal), Some(backing)) = (&mut self.journal, self.blocks.backing()) else {
            return Ok(());
        };
        backing.require_open()?;
        let logged = journal.log.append(updates, registered);
        journal.logged += logged.map_err(|error| backing.close(error))?;
        Ok(())
    }

    /// Writes a checkpoint if the updates in the log or the changed blocks reach the limits of the
    /// budget.
    pub(crate) fn checkpoint_if_due(&mut self) -> Result<(), StoreFault> {
        let (Some(journal), Some(backing)) = (&self.journal, self.blocks.backing()) else {
            return Ok(());
        };
        let changed = backing.cache().changed() + backing.changed.len();
        let bytes = changed.saturating_mul(Frame::<S>::bytes(self.blocks.grid().capacity()));
        if journal.logged < journal.budget.log_bytes && bytes < journal.budget.bytes / 2 {
            return Ok(());
        }
        self.checkpoint()
    }

    fn hold_changed(&self, holds: bool) {
        if let Some(backing) = self.blocks.backing() {
            backing.cache().holds_changed = holds;
        }
    }
}

/// Returns the cryptographic suite of the directory in this folder, by which callers choose the
/// type `S` for [`BlockDirectory::open`].
///
/// # Errors
/// [`StoreError`] if the folder contains no directory, or its log cannot be read.
pub fn suite_of(folder: &Path) -> Result<SuiteId, StoreError> {
    Log::suite(&old_folder(folder)?)
}

/// Creates a folder, or opens one that is empty. A folder with only an unfinished log from a crash
/// counts as empty, because the log will be replaced.
fn new_folder(folder: &Path) -> Result<Arc<dyn FileLayer>, StoreError> {
    let created = Folder::create(folder).or_else(|error| {
        let mut names = folder.read_dir()?;
        let is_draft = names.all(|name| name.is_ok_and(|name| name.file_name() == log::DRAFT));
        if is_draft {
            Folder::open(folder)
        } else {
            Err(error)
        }
    });
    let created = created.map_err(|source| match source.kind() {
        io::ErrorKind::DirectoryNotEmpty => StoreError::NotEmpty(folder.to_path_buf()),
        _ => failed(folder, source),
    })?;
    Ok(Arc::new(created))
}

fn old_folder(folder: &Path) -> Result<Arc<dyn FileLayer>, StoreError> {
    let opened = Folder::open(folder).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => StoreError::Missing(folder.to_path_buf()),
        _ => failed(folder, source),
    })?;
    Ok(Arc::new(opened))
}

/// Writes the blocks of version 1 durably, and then lets `sign` sign the root. Returns the layout
/// of the blocks, and the signed head.
fn load_files<S: Suite, E: From<StoreError>>(
    files: &LevelFiles,
    (authority, step): (Authority, u32),
    objects: impl IntoIterator<Item = Result<S::Digest, E>>,
    sign: impl FnOnce(S::Digest) -> Result<SignedHead<S>, E>,
) -> Result<(Grid, SignedHead<S>), E> {
    let write = |place: Place, frame: Frame<S>, slots| files.write(place, &frame, slots);
    let mut loader = Loader::new(step, write);
    for object in objects {
        let object = object?;
        crate::operations::check_new::<S>(&object, loader.registered())
            .map_err(|error| StoreError::Refused(error.into()))?;
        loader.push(object)?;
    }
    let (grid, root) = loader.finish()?;
    files.synchronise()?;
    let head = sign(root)?;
    let heads = pad_core::HeadLog::<S>::new(authority);
    heads
        .check(Version::EMPTY, &head)
        .map_err(StoreError::from)?;
    if head.head.root != root {
        return Err(StoreError::Refused(pad_core::ApplyError::RootMismatch).into());
    }
    Ok((grid, head))
}

/// Refuses a folder with other files. Otherwise, level files of another directory would be read as
/// files of the new one. An unfinished log is accepted.
fn refuse_others(layer: &Arc<dyn FileLayer>) -> Result<(), StoreError> {
    let names = layer
        .names()
        .map_err(|source| failed(layer.path(), source))?;
    if names.iter().all(|name| name == log::DRAFT) {
        Ok(())
    } else {
        Err(StoreError::NotEmpty(layer.path().to_path_buf()))
    }
}

fn failed(path: &Path, source: io::Error) -> StoreError {
    let file = path.to_path_buf();
    StoreError::File { file, source }
}
