//! Disk space set aside for recovery.

use std::{io, sync::Arc};

use super::{FileLayer, create_anew};
use crate::place::found;

/// A file of incompressible bytes that reserves disk space.
///
/// When the disk is full, the caller releases the reserve for operations that free space.
#[derive(Debug)]
pub struct Reserve {
    layer: Arc<dyn FileLayer>,
    name: String,
    bytes: u64,
}

impl Reserve {
    /// Creates the reserve in the file `name`, of a size of `bytes` bytes. Creates no file.
    pub const fn new(layer: Arc<dyn FileLayer>, name: String, bytes: u64) -> Self {
        Self { layer, name, bytes }
    }

    /// Writes the reserve file, unless it has its size already. Removes the file if its size is to
    /// be 0.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`] and other I/O errors, after which the file is removed on a
    /// best-effort basis.
    pub fn fill(&self) -> io::Result<()> {
        if self.bytes == 0 {
            return self.release();
        }
        let found = self.layer.open_to_read(&self.name);
        let length = found.and_then(|file| file.length());
        if length.is_ok_and(|length| length == self.bytes) {
            return Ok(());
        }
        let written = self.write();
        if written.is_err() {
            // A partial reserve would only take space, so it is removed.
            self.release()?;
        }
        written
    }

    /// Removes the reserve file.
    ///
    /// # Errors
    /// I/O errors of the operating system.
    pub fn release(&self) -> io::Result<()> {
        found(self.layer.remove(&self.name)).map(drop)
    }

    fn write(&self) -> io::Result<()> {
        let file = create_anew(&*self.layer, &self.name)?;
        // Pseudorandom bytes: file systems with compression or sparse files would reserve nothing
        // for zeros.
        let mut chunk = [0_u8; 1 << 12];
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut offset = 0;
        while offset < self.bytes {
            for word in chunk.as_chunks_mut::<8>().0 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                *word = state.to_le_bytes();
            }
            let rest = usize::try_from(self.bytes.saturating_sub(offset)).unwrap_or(usize::MAX);
            let length = rest.min(chunk.len());
            file.write_at(offset, chunk.get(..length).unwrap_or_default())?;
            offset = offset.saturating_add(1 << 12);
        }
        file.synchronise()
    }
}
