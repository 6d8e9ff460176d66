//! Files that count what is written to them: a database's, and those of a folder.

use std::{
    fs::{File, OpenOptions},
    io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use disk::layer::{FileLayer, Folder, LayerFile};
use redb::{DatabaseError, StorageBackend, backends::FileBackend};

/// The bytes written so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Written(Arc<AtomicU64>);

impl Written {
    pub(super) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn add(&self, bytes: &[u8]) {
        self.0.fetch_add(bytes.len() as u64, Ordering::Relaxed);
    }
}

/// A database's file. It takes no locks: nobody else knows its name.
#[derive(Debug)]
pub(super) struct CountedFile {
    file: FileBackend,
    written: Written,
}

impl CountedFile {
    /// A new file, and what will have been written to it.
    pub(super) fn create(path: &Path) -> Result<(Self, Written), DatabaseError> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create_new(true).open(path);
        let file = FileBackend::new(file.map_err(redb::StorageError::from)?)?;
        let written = Written::default();
        let counted = Self {
            file,
            written: written.clone(),
        };
        Ok((counted, written))
    }
}

impl StorageBackend for CountedFile {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.written.add(data);
        self.file.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }
}

/// The files of a folder.
#[derive(Debug)]
pub(super) struct CountedFolder {
    folder: Folder,
    written: Written,
}

impl CountedFolder {
    /// A folder that is empty, or not there yet, and what will have been written to its files.
    pub(super) fn create(path: &Path) -> io::Result<(Self, Written)> {
        let (folder, written) = (Folder::create(path)?, Written::default());
        let counted = Self {
            folder,
            written: written.clone(),
        };
        Ok((counted, written))
    }

    fn counted(&self, file: Arc<dyn LayerFile>) -> Arc<dyn LayerFile> {
        let written = self.written.clone();
        Arc::new(CountedLayerFile { file, written })
    }
}

impl FileLayer for CountedFolder {
    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn names(&self) -> io::Result<Vec<String>> {
        self.folder.names()
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn LayerFile>> {
        Ok(self.counted(self.folder.open(name)?))
    }

    fn create(&self, name: &str) -> io::Result<Arc<dyn LayerFile>> {
        Ok(self.counted(self.folder.create(name)?))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.folder.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.folder.remove(name)
    }

    fn synchronise(&self) -> io::Result<()> {
        self.folder.synchronise()
    }
}

#[derive(Debug)]
struct CountedLayerFile {
    file: Arc<dyn LayerFile>,
    written: Written,
}

impl LayerFile for CountedLayerFile {
    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.file.read_at(offset, bytes)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.written.add(bytes);
        self.file.write_at(offset, bytes)
    }

    fn set_length(&self, length: u64) -> io::Result<()> {
        self.file.set_length(length)
    }

    fn synchronise(&self) -> io::Result<()> {
        self.file.synchronise()
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.file.try_lock()
    }

    fn of_system(&self) -> Option<&File> {
        self.file.of_system()
    }
}
