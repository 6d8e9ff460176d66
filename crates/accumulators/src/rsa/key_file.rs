//! Secret keys in files that only their owner can read.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use disk::Access;
use zeroize::Zeroizing;

use super::secret_key::{KEY_LIMIT, KeyError, RsaSecretKey};

#[cfg(test)]
mod tests;

impl RsaSecretKey {
    /// Writes the key to a new file that, on Unix, only its owner can read, and returns when file
    /// and directory entry are on the disk.
    ///
    /// # Errors
    /// [`KeyError::FileExists`]: a key is never overwritten. [`KeyError::File`]: then there is no file.
    pub fn write_key_file(&self, path: &Path) -> Result<(), KeyError> {
        disk::create(path, &self.to_bytes(), Access::Private).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => KeyError::FileExists,
            _ => KeyError::File(error),
        })
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
