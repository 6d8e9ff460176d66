//! Secret keys in files that only their owner can read.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Write},
    path::Path,
};

use zeroize::Zeroizing;

use super::secret_key::{KEY_LIMIT, KeyError, RsaSecretKey};

#[cfg(test)]
mod tests;

impl RsaSecretKey {
    /// Writes the key to a new file that, on Unix, only its owner can read, and returns when file
    /// and directory entry are on the disk.
    ///
    /// # Errors
    /// [`KeyError::FileExists`]: a key is never overwritten. [`KeyError::File`]; a file that could
    /// not be completed is removed again.
    pub fn write_key_file(&self, path: &Path) -> Result<(), KeyError> {
        let mut file = create(path)?;
        let written = file
            .write_all(&self.to_bytes())
            .and_then(|()| file.sync_all());
        if let Err(error) = written {
            // The first error tells more than what removing may add to it.
            let _ = std::fs::remove_file(path);
            return Err(KeyError::File(error));
        }
        sync_directory(path).map_err(KeyError::File)
    }

    /// The key of the accumulator called `label` from a file.
    ///
    /// # Errors
    /// [`KeyError::ReadableByOthers`] on Unix if the file's mode gives group or others any right;
    /// [`KeyError::File`], and those of [`RsaSecretKey::from_bytes`].
    pub fn read_key_file(path: &Path, label: &[u8]) -> Result<Self, KeyError> {
        let file = File::open(path).map_err(KeyError::File)?;
        require_private(&file)?;
        // Reserved, so that no copy stays behind where the buffer grew.
        let mut bytes = Zeroizing::new(Vec::with_capacity(2 * KEY_LIMIT));
        let limit = u64::try_from(KEY_LIMIT).unwrap_or(u64::MAX);
        file.take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(KeyError::File)?;
        Self::from_bytes(&bytes, label)
    }
}

fn create(path: &Path) -> Result<File, KeyError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => KeyError::FileExists,
        _ => KeyError::File(error),
    })
}

/// Makes the entry of a new file durable.
#[cfg(unix)]
fn sync_directory(path: &Path) -> io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    File::open(directory)?.sync_all()
}

/// Directories cannot be opened here; the file itself is synchronised.
#[cfg(not(unix))]
fn sync_directory(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn require_private(file: &File) -> Result<(), KeyError> {
    use std::os::unix::fs::PermissionsExt;

    let mode = file
        .metadata()
        .map_err(KeyError::File)?
        .permissions()
        .mode();
    let others = mode & 0o077;
    if others == 0 {
        Ok(())
    } else {
        Err(KeyError::ReadableByOthers)
    }
}

#[cfg(not(unix))]
fn require_private(_file: &File) -> Result<(), KeyError> {
    Ok(())
}
