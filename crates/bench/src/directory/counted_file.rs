//! A database's file that counts what is written to it.

use std::{
    fs::OpenOptions,
    io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use redb::{DatabaseError, StorageBackend, backends::FileBackend};

/// A file, and the bytes written to it. It takes no locks: nobody else knows its name.
#[derive(Debug)]
pub(super) struct CountedFile {
    file: FileBackend,
    written: Written,
}

/// The bytes written so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Written(Arc<AtomicU64>);

impl Written {
    pub(super) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
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
        self.written
            .0
            .fetch_add(data.len() as u64, Ordering::Relaxed);
        self.file.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }
}
