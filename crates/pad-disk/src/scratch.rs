//! Temporary storage for data that does not fit into memory.

use std::{io, path::Path};

use crate::{
    Access, Draft,
    layer::{LayerFile, SystemFile},
};

/// A private, append-only temporary file with reads at any position.
///
/// The file has no name. It is removed when this value is dropped, and when the process is killed.
/// See [`Draft`] for systems without unnamed files. The contents are never made durable.
#[derive(Debug)]
pub struct Scratch {
    file: SystemFile,
    /// Keeps the temporary name, if there is one, until drop.
    _draft: Draft,
    end: u64,
}

impl Scratch {
    /// Creates an empty file in the folder of `path`.
    ///
    /// # Errors
    /// I/O errors, for example if the folder is missing or not writable.
    pub fn next_to(path: &Path) -> io::Result<Self> {
        let draft = Draft::new(path, Access::Private)?;
        Ok(Self {
            file: SystemFile::new(draft.file().try_clone()?),
            _draft: draft,
            end: 0,
        })
    }

    /// Length of the file in bytes, which is the offset of the next append.
    pub const fn end(&self) -> u64 {
        self.end
    }

    /// Appends `bytes` at the end.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`] if the disk is full; other I/O errors. The end is then
    /// unchanged.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let end = self.end.checked_add(length);
        let end = end.ok_or(io::ErrorKind::FileTooLarge)?;
        self.file.write_at(self.end, bytes)?;
        self.end = end;
        Ok(())
    }

    /// Fills `bytes` from `offset` on.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if the range was not written; other I/O errors.
    pub fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.file.read_at(offset, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_nothing_stays() {
        let folder = tempfile::tempdir().unwrap();
        let mut scratch = Scratch::next_to(&folder.path().join("store")).unwrap();
        scratch.append(b"one").unwrap();
        scratch.append(b"").unwrap();
        scratch.append(b"another").unwrap();
        assert_eq!(scratch.end(), 10);
        let mut bytes = [0; 7];
        scratch.read_at(3, &mut bytes).unwrap();
        assert_eq!(&bytes, b"another");
        let beyond = scratch.read_at(4, &mut bytes).unwrap_err();
        assert_eq!(beyond.kind(), io::ErrorKind::UnexpectedEof);
        #[cfg(target_os = "linux")]
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        drop(scratch);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(Scratch::next_to(&folder.path().join("none/store")).is_err());
    }
}
