//! A file that begins with a block that says whose it is, and is only ever appended to.

use std::{io, path::PathBuf, sync::Arc, thread, time::Instant};

use disk::{
    PATIENCE,
    layer::{FileLayer, LayerFile},
};
use pad_tree::LogId;

use super::{CUT_OFF, FOREIGN, MISSING};
use crate::store::StoreError;

/// Whose nodes a file has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Owner {
    /// The store.
    pub(super) store: [u8; 16],
    /// 0 for the first files of a store, and a number that nobody chose for those to which it was copied.
    pub(super) copy: u64,
}

impl Owner {
    /// Store and copy.
    pub(super) fn bytes(&self) -> LogId {
        let mut bytes = LogId::default();
        let (store, copy) = bytes.split_at_mut(self.store.len());
        store.copy_from_slice(&self.store);
        copy.copy_from_slice(&self.copy.to_le_bytes());
        bytes
    }
}

/// What a file is of a store.
pub(super) type Title = [u8; 8];

/// What a file begins with; then there are zeros up to the end of the block, so that blocks of nodes are blocks of the file.
const HEADER_BYTES: u64 = 4096;
const OWNER_BYTES: usize = 32;

/// The place in the file of a position behind the header.
fn place(position: u64) -> io::Result<u64> {
    let place = position.checked_add(HEADER_BYTES);
    place.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

/// One file of an owner.
#[derive(Debug)]
pub(super) struct OwnedFile {
    folder: Arc<dyn FileLayer>,
    name: String,
    header: [u8; OWNER_BYTES],
    /// `None` if nothing was ever written.
    file: Option<Arc<dyn LayerFile>>,
    /// Whether something was written that may not be durable.
    is_dirty: bool,
}

impl OwnedFile {
    /// The file of this name, which is not opened.
    pub(super) fn new(
        folder: &Arc<dyn FileLayer>,
        name: String,
        title: Title,
        owner: &Owner,
    ) -> Self {
        let mut header = [0; OWNER_BYTES];
        let (to_title, rest) = header.split_at_mut(title.len());
        let (store, copy) = rest.split_at_mut(owner.store.len());
        to_title.copy_from_slice(&title);
        store.copy_from_slice(&owner.store);
        copy.copy_from_slice(&owner.copy.to_le_bytes());
        Self {
            folder: Arc::clone(folder),
            name,
            header,
            file: None,
            is_dirty: false,
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    /// Refuses a file that is another's.
    fn check(&self, file: &dyn LayerFile) -> Result<(), StoreError> {
        let mut found = [0; OWNER_BYTES];
        match file.read_at(0, &mut found) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(CUT_OFF),
            read => read?,
        }
        if found == self.header {
            Ok(())
        } else {
            Err(FOREIGN)
        }
    }

    /// Opens a file that has so many bytes behind its header, or more.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it has not, or is another's; [`StoreError::Io`].
    pub(super) fn open_to_read(&mut self, end: u64) -> Result<(), StoreError> {
        let opened = match self.folder.open_to_read(&self.name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(StoreError::Damaged(MISSING));
            }
            opened => opened?,
        };
        self.check(&*opened)?;
        if opened.length()? < place(end)? {
            return Err(CUT_OFF);
        }
        self.file = Some(opened);
        Ok(())
    }

    /// The file to be written; it is made if it is to have nothing.
    ///
    /// # Errors
    /// [`StoreError::Superseded`] if it is not there any more; [`StoreError::Io`].
    pub(super) fn opened_to_write(&self, end: u64) -> Result<Arc<dyn LayerFile>, StoreError> {
        if end > 0 {
            return match self.folder.open(&self.name) {
                // Somebody has copied what the store keeps meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    Err(StoreError::Superseded)
                }
                opened => Ok(opened?),
            };
        }
        let file = match self.folder.create(&self.name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.folder.open(&self.name)?
            }
            created => created?,
        };
        // Whoever has made it may not have come so far.
        self.folder.synchronise_names()?;
        Ok(file)
    }

    /// Locks a file, waiting for whoever has its lock only by accident.
    ///
    /// # Errors
    /// [`StoreError::InUse`]; [`StoreError::Io`].
    pub(super) fn lock(&self, file: &dyn LayerFile) -> Result<(), StoreError> {
        let start = Instant::now();
        while !file.try_lock()? {
            if start.elapsed() >= PATIENCE {
                return Err(StoreError::InUse(self.path()));
            }
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Sees to it that a file ends behind so many bytes: what is there besides was left behind, and is cut off.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it does not have so many bytes, or is another's; [`StoreError::Io`].
    pub(super) fn prepare(&mut self, file: &dyn LayerFile, end: u64) -> Result<(), StoreError> {
        let length = file.length()?;
        if end == 0 && is_unwritten(file)? {
            file.write_at(0, &self.header)?;
            self.is_dirty = true;
        }
        self.check(file)?;
        if end > 0 && length < place(end)? {
            return Err(CUT_OFF);
        }
        if length != place(end)? {
            file.set_length(place(end)?)?;
            self.is_dirty = true;
        }
        Ok(())
    }

    /// Writes to this file from here on.
    pub(super) fn write_to(&mut self, file: Arc<dyn LayerFile>) {
        self.file = Some(file);
    }

    pub(super) fn read(&self, position: u64, bytes: &mut [u8]) -> io::Result<()> {
        let file = self.file.as_ref().ok_or(io::ErrorKind::UnexpectedEof)?;
        file.read_at(place(position)?, bytes)
    }

    pub(super) fn write(&mut self, position: u64, bytes: &[u8]) -> io::Result<()> {
        let file = self.file.as_ref().ok_or(io::ErrorKind::UnexpectedEof)?;
        self.is_dirty = true;
        file.write_at(place(position)?, bytes)
    }

    /// Makes durable what was written.
    pub(super) fn synchronise(&mut self) -> io::Result<()> {
        if let Some(file) = self.file.as_ref().filter(|_| self.is_dirty) {
            file.synchronise()?;
            self.is_dirty = false;
        }
        Ok(())
    }

    /// The bytes of the file; 0 if there is none.
    pub(super) fn bytes(&self) -> io::Result<u64> {
        match self.folder.open_to_read(&self.name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
            file => file?.length(),
        }
    }

    /// Takes the file away, if it is its owner's. Readers that have it open can still use it.
    pub(super) fn remove(&self) -> Result<(), StoreError> {
        let file = match self.folder.open_to_read(&self.name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            opened => opened?,
        };
        // A crash may have come before its first bytes were durable.
        if !is_unwritten(&*file)? {
            self.check(&*file)?;
        }
        Ok(self.folder.remove(&self.name)?)
    }
}

/// Whether nobody has said whose a file is: it is new, or a crash came before its first bytes were durable.
fn is_unwritten(file: &dyn LayerFile) -> io::Result<bool> {
    let length = usize::try_from(file.length()?).unwrap_or(usize::MAX);
    let mut begin = vec![0; length.min(OWNER_BYTES)];
    file.read_at(0, &mut begin)?;
    Ok(begin.iter().all(|byte| *byte == 0))
}

const PAUSE: core::time::Duration = core::time::Duration::from_millis(5);
