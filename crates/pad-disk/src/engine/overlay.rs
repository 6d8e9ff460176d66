//! A backend for the storage engine that reads a file and keeps all writes in memory.
//!
//! The engine marks a file as open before it checks its pages, and repairs it in place. Opening an
//! overlay first leaves the file unchanged if opening fails. Locking the overlay locks the file, so
//! no other process writes in the meantime.

use core::ops::{Bound, Range};
use std::{
    collections::BTreeMap,
    io,
    sync::{Mutex, MutexGuard, PoisonError},
};

use redb::{BackendError, StorageBackend};

use super::backend::Backend;

/// A file with an in-memory layer of writes.
#[derive(Debug)]
pub(super) struct Overlay {
    file: Backend,
    written: Mutex<OverlayWrites>,
}

#[derive(Debug)]
struct OverlayWrites {
    length: u64,
    /// Length of the file's prefix that is still visible, because it was not truncated.
    of_file: u64,
    /// Overwritten pieces of [`PIECE`] bytes, by index.
    pieces: BTreeMap<u64, Box<[u8; PIECE]>>,
}

/// Bytes copied at a time: one page of the engine.
const PIECE: usize = 4096;

impl Overlay {
    pub(super) fn new(file: Backend) -> io::Result<Self> {
        let length = file.len()?;
        Ok(Self {
            file,
            written: Mutex::new(OverlayWrites {
                length,
                of_file: length,
                pieces: BTreeMap::new(),
            }),
        })
    }

    // No code panics while it holds the lock, so a poisoned value is intact.
    fn written(&self) -> MutexGuard<'_, OverlayWrites> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a piece from the file. Bytes after the first `of_file` bytes of the file are zeros.
    fn of_file(&self, piece: u64, of_file: u64) -> io::Result<Box<[u8; PIECE]>> {
        let mut bytes = Box::new([0; PIECE]);
        let start = piece.saturating_mul(PIECE_BYTES);
        let there = of_file.saturating_sub(start).min(PIECE_BYTES);
        let there = usize::try_from(there).unwrap_or(PIECE);
        self.file
            .read(start, bytes.get_mut(..there).unwrap_or_default())?;
        Ok(bytes)
    }

    /// Splits the `length` bytes from `offset` on at the boundaries of pieces, and calls `work` for
    /// each part: with the index of its piece, its range in the piece, and its range in the
    /// `length` bytes.
    fn for_each_piece(
        offset: u64,
        length: usize,
        mut work: impl FnMut(u64, Range<usize>, Range<usize>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut done = 0_usize;
        while done < length {
            let place = offset.saturating_add(u64::try_from(done).unwrap_or(u64::MAX));
            let begin = usize::try_from(place % PIECE_BYTES).unwrap_or_default();
            let count = PIECE.saturating_sub(begin).min(length.saturating_sub(done));
            let (end, next) = (begin.saturating_add(count), done.saturating_add(count));
            work(place / PIECE_BYTES, begin..end, done..next)?;
            done = next;
        }
        Ok(())
    }
}

const PIECE_BYTES: u64 = 4096;

impl StorageBackend for Overlay {
    fn len(&self) -> io::Result<u64> {
        Ok(self.written().length)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let written = self.written();
        let length = u64::try_from(out.len()).unwrap_or(u64::MAX);
        if offset.saturating_add(length) > written.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Self::for_each_piece(offset, out.len(), |piece, range, place| {
            let copy;
            let bytes = if let Some(bytes) = written.pieces.get(&piece) {
                bytes
            } else {
                copy = self.of_file(piece, written.of_file)?;
                &copy
            };
            let out = out.get_mut(place).unwrap_or_default();
            out.copy_from_slice(bytes.get(range).unwrap_or_default());
            Ok(())
        })
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let mut written = self.written();
        written.of_file = written.of_file.min(length);
        let last = length / PIECE_BYTES;
        written.pieces.retain(|piece, _| *piece <= last);
        if let Some(bytes) = written.pieces.get_mut(&last) {
            let end = usize::try_from(length % PIECE_BYTES).unwrap_or_default();
            bytes.get_mut(end..).unwrap_or_default().fill(0);
        }
        written.length = length;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut written = self.written();
        Self::for_each_piece(offset, data.len(), |piece, range, place| {
            if !written.pieces.contains_key(&piece) {
                let bytes = self.of_file(piece, written.of_file)?;
                written.pieces.insert(piece, bytes);
            }
            if let Some(bytes) = written.pieces.get_mut(&piece) {
                let data = data.get(place).unwrap_or_default();
                bytes
                    .get_mut(range)
                    .unwrap_or_default()
                    .copy_from_slice(data);
            }
            Ok(())
        })?;
        let end = offset.saturating_add(u64::try_from(data.len()).unwrap_or(u64::MAX));
        written.length = written.length.max(end);
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.query_lock_range(start, end)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{engine::backend::Health, layer::SystemFile};

    #[test]
    fn what_is_written_is_read_and_the_file_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..10_000_u32)
            .map(|number| number.to_le_bytes()[0])
            .collect();
        std::fs::write(&path, &bytes).unwrap();
        let file = Arc::new(SystemFile::open(&path).unwrap());
        let overlay = Overlay::new(Backend::new(file, Arc::<Health>::default()).unwrap()).unwrap();
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
                    overlay.set_len(u64::try_from(length).unwrap()).unwrap();
                    expected.resize(length, 0);
                }
                1 | 2 if !expected.is_empty() => {
                    let offset = random(expected.len());
                    let data = vec![u8::try_from(round % 251).unwrap(); random(9_000)];
                    overlay
                        .write(u64::try_from(offset).unwrap(), &data)
                        .unwrap();
                    expected.resize(expected.len().max(offset + data.len()), 0);
                    expected[offset..offset + data.len()].copy_from_slice(&data);
                }
                _ => {}
            }
            let mut found = vec![1; expected.len()];
            overlay.read(0, &mut found).unwrap();
            assert!(found == expected, "round {round}");
            assert!(overlay.read(1, &mut found).is_err() || found.is_empty());
        }
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
}
