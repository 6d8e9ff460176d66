//! Room for what does not fit into memory, for as long as a value lives.

use std::{io, path::Path};

use crate::{
    Access, Draft,
    layer::{LayerFile, SystemFile},
};

/// A private file without a name that grows, and is read at positions. It goes when this value is dropped, also if the process is killed
/// (see [`Draft`] for systems that know no such files). Nothing of it is made durable.
#[derive(Debug)]
pub struct Scratch {
    file: SystemFile,
    /// Where it has a name, the name goes with this.
    _draft: Draft,
    end: u64,
}

impl Scratch {
    /// An empty file in the folder of the file at this path.
    ///
    /// # Errors
    /// The operating system's, for example if the folder is missing or cannot be written to.
    pub fn beside(path: &Path) -> io::Result<Self> {
        let draft = Draft::new(path, Access::Private)?;
        Ok(Self {
            file: SystemFile::new(draft.file().try_clone()?),
            _draft: draft,
            end: 0,
        })
    }

    /// Where the next byte will stand.
    pub const fn end(&self) -> u64 {
        self.end
    }

    /// Writes bytes at the end.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`]; the operating system's. The end is then where it was.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let end = self.end.checked_add(length);
        let end = end.ok_or(io::ErrorKind::FileTooLarge)?;
        self.file.write_at(self.end, bytes)?;
        self.end = end;
        Ok(())
    }

    /// Reads all of the bytes from an offset on.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if they were not written; the operating system's.
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
        let mut scratch = Scratch::beside(&folder.path().join("store")).unwrap();
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
        assert!(Scratch::beside(&folder.path().join("none/store")).is_err());
    }
}
