//! A file for the storage engine that reads another file and keeps all writes in memory.
//!
//! The engine marks a file as open before it checks its pages, and repairs it in place. Opening an
//! overlay first leaves the file unchanged if opening fails. Locking the overlay locks the file, so
//! no other process writes in the meantime.

use std::{
    fs::File,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::layer::{LayerFile, PAGE, Page, Pages};

/// A file with an in-memory layer of writes.
#[derive(Debug)]
pub(super) struct Overlay {
    file: Arc<dyn LayerFile>,
    written: Mutex<OverlayWrites>,
}

#[derive(Debug)]
struct OverlayWrites {
    /// Length of the file's prefix that is still visible, because it was not truncated.
    of_file: u64,
    pages: Pages,
}

impl Overlay {
    pub(super) fn new(file: Arc<dyn LayerFile>) -> io::Result<Self> {
        let length = file.length()?;
        Ok(Self {
            file,
            written: Mutex::new(OverlayWrites {
                of_file: length,
                pages: Pages::new(length),
            }),
        })
    }

    // No code panics while it holds the lock, so a poisoned value is intact.
    fn written(&self) -> MutexGuard<'_, OverlayWrites> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a page from the file. Bytes after the first `of_file` bytes of the file are zeros.
    fn of_file(&self, page: u64, of_file: u64) -> io::Result<Page> {
        let mut bytes = [0; size_of::<Page>()];
        let start = page.saturating_mul(PAGE);
        let there = of_file.saturating_sub(start).min(PAGE);
        let there = usize::try_from(there).unwrap_or_default();
        self.file
            .read_at(start, bytes.get_mut(..there).unwrap_or_default())?;
        Ok(bytes)
    }
}

impl LayerFile for Overlay {
    fn length(&self) -> io::Result<u64> {
        Ok(self.written().pages.length())
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let written = self.written();
        let missing = |page| self.of_file(page, written.of_file);
        if written.pages.read(offset, out, missing)? {
            return Ok(());
        }
        Err(io::ErrorKind::UnexpectedEof.into())
    }

    fn write_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut written = self.written();
        let of_file = written.of_file;
        let missing = |page| self.of_file(page, of_file);
        written.pages.write(offset, data, missing)
    }

    fn set_length(&self, length: u64) -> io::Result<()> {
        let mut written = self.written();
        written.of_file = written.of_file.min(length);
        written.pages.set_length(length);
        Ok(())
    }

    fn synchronise(&self) -> io::Result<()> {
        Ok(())
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.file.try_lock()
    }

    fn of_system(&self) -> Option<&File> {
        self.file.of_system()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::SystemFile;

    #[test]
    fn what_is_written_is_read_and_the_file_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..10_000_u32)
            .map(|number| number.to_le_bytes()[0])
            .collect();
        std::fs::write(&path, &bytes).unwrap();
        let overlay = Overlay::new(Arc::new(SystemFile::open(&path).unwrap())).unwrap();
        // The contents that a plain file would have.
        let mut expected = bytes.clone();
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            usize::try_from(state >> 33).unwrap() % below
        };
        for round in 0..2_000 {
            match random(4) {
                0 => {
                    let length = random(20_000);
                    overlay.set_length(u64::try_from(length).unwrap()).unwrap();
                    expected.resize(length, 0);
                }
                1 | 2 if !expected.is_empty() => {
                    let offset = random(expected.len());
                    let data = vec![u8::try_from(round % 251).unwrap(); random(9_000)];
                    overlay
                        .write_at(u64::try_from(offset).unwrap(), &data)
                        .unwrap();
                    expected.resize(expected.len().max(offset + data.len()), 0);
                    expected[offset..offset + data.len()].copy_from_slice(&data);
                }
                _ => {}
            }
            let mut found = vec![1; expected.len()];
            overlay.read_at(0, &mut found).unwrap();
            assert!(found == expected, "round {round}");
            assert!(overlay.read_at(1, &mut found).is_err() || found.is_empty());
        }
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
}
