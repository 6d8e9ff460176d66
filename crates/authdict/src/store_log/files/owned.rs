//! Append-only files with a header that identifies their owner.

use std::{io, sync::Arc};

use pad_disk::{
    PATIENCE, found,
    layer::{FileLayer, LayerFile, open_or_create, wait_for_lock},
};
use pad_tree::LogId;

use super::{CUT_OFF, FOREIGN, MISSING};
use crate::store::StoreError;

/// The owner of a node file: the store that it belongs to, and the number that distinguishes copies
/// of this store's nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Owner {
    /// The id of the store.
    pub(super) store: [u8; 16],
    /// 0 for the first node files of a store. A random number for files that a pruning has written.
    pub(super) copy: u64,
}

impl Owner {
    /// Returns the id of the owner's node log: the 16 bytes of the store's id, then `copy` (8
    /// bytes, little-endian).
    pub(super) fn bytes(&self) -> LogId {
        let mut bytes = LogId::default();
        let (store, copy) = bytes.split_at_mut(self.store.len());
        store.copy_from_slice(&self.store);
        copy.copy_from_slice(&self.copy.to_le_bytes());
        bytes
    }
}

/// The first bytes of a file, which state its contents: nodes or rows.
pub(super) type Title = [u8; 8];

/// The length of a file's header in bytes. The header is padded with zeros to one block, so that
/// blocks of nodes are aligned to blocks of the file.
const HEADER_BYTES: u64 = 4096;
const OWNER_BYTES: usize = 32;

/// Converts a position, counted from the end of the header, to an offset in the file.
fn place(position: u64) -> io::Result<u64> {
    let place = position.checked_add(HEADER_BYTES);
    place.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

/// A file with a header that identifies its owner.
#[derive(Debug)]
pub(super) struct OwnedFile {
    folder: Arc<dyn FileLayer>,
    name: String,
    header: [u8; OWNER_BYTES],
    /// The open file; `None` if it is not open.
    file: Option<Arc<dyn LayerFile>>,
    /// Whether some writes may not be durable yet.
    is_dirty: bool,
}

impl OwnedFile {
    /// Creates the handle of the file `name` in a folder, without opening it.
    pub(super) fn new(
        folder: &Arc<dyn FileLayer>,
        name: String,
        title: Title,
        owner: &Owner,
    ) -> Self {
        let mut header = [0; OWNER_BYTES];
        let (to_title, to_owner) = header.split_at_mut(title.len());
        to_title.copy_from_slice(&title);
        to_owner.copy_from_slice(&owner.bytes());
        Self {
            folder: Arc::clone(folder),
            name,
            header,
            file: None,
            is_dirty: false,
        }
    }

    /// Refuses a file whose header does not contain the title and owner of this handle.
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

    /// Opens a file that has at least `end` bytes after its header.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the file is too short, missing, or of another owner;
    /// [`StoreError::Io`].
    pub(super) fn open_to_read(&mut self, end: u64) -> Result<(), StoreError> {
        let opened = found(self.folder.open_to_read(&self.name))?;
        let opened = opened.ok_or(StoreError::Damaged(MISSING))?;
        self.check(&*opened)?;
        if opened.length()? < place(end)? {
            return Err(CUT_OFF);
        }
        self.file = Some(opened);
        Ok(())
    }

    /// Opens the file for writing. If `end` is 0, no version is published yet, and a missing file
    /// is created.
    ///
    /// # Errors
    /// [`StoreError::Superseded`] if the file no longer exists; [`StoreError::Io`].
    pub(super) fn opened_to_write(&self, end: u64) -> Result<Arc<dyn LayerFile>, StoreError> {
        if end > 0 {
            // A missing file means that a pruning has copied the files in the meantime.
            let opened = found(self.folder.open(&self.name))?;
            return opened.ok_or(StoreError::Superseded);
        }
        let file = open_or_create(&*self.folder, &self.name)?;
        // The process that created the file may have been killed before it made the file's name
        // durable.
        self.folder.synchronise_names()?;
        Ok(file)
    }

    /// Takes the write lock of `file`. Retries for a limited time while another process holds the
    /// lock.
    ///
    /// # Errors
    /// [`StoreError::InUse`]; [`StoreError::Io`].
    pub(super) fn lock(&self, file: &dyn LayerFile) -> Result<(), StoreError> {
        if wait_for_lock(file, PATIENCE)? {
            return Ok(());
        }
        Err(StoreError::InUse(self.folder.path().join(&self.name)))
    }

    /// Prepares a file for appending at `end` bytes after its header. Truncates bytes after this
    /// position. Writes the header if the file is new.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the file is too short, or of another owner; [`StoreError::Io`].
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

    /// Uses the open file `file` for all further reads and writes of this handle.
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

    pub(super) fn synchronise(&mut self) -> io::Result<()> {
        if let Some(file) = self.file.as_ref().filter(|_| self.is_dirty) {
            file.synchronise()?;
            self.is_dirty = false;
        }
        Ok(())
    }

    pub(super) fn bytes(&self) -> io::Result<u64> {
        let file = found(self.folder.open_to_read(&self.name))?;
        file.map_or(Ok(0), |file| file.length())
    }

    /// Removes the file, if it belongs to this owner or has no owner yet. Readers that have opened
    /// the file can still use it.
    pub(super) fn remove(&self) -> Result<(), StoreError> {
        let Some(file) = found(self.folder.open_to_read(&self.name))? else {
            return Ok(());
        };
        // A file without a header remains if a crash occurred before the header was durable.
        if !is_unwritten(&*file)? {
            self.check(&*file)?;
        }
        Ok(self.folder.remove(&self.name)?)
    }
}

/// Returns whether a file has no owner yet. Such a file is new, or a crash occurred before its
/// header was durable.
fn is_unwritten(file: &dyn LayerFile) -> io::Result<bool> {
    let length = usize::try_from(file.length()?).unwrap_or(usize::MAX);
    let mut begin = vec![0; length.min(OWNER_BYTES)];
    file.read_at(0, &mut begin)?;
    Ok(begin.iter().all(|byte| *byte == 0))
}
