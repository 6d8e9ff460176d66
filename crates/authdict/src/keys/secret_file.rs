//! Secret key files: contents in clear or encrypted with a passphrase, and their permissions.

use core::fmt;
use std::{
    fs::File,
    path::{Path, PathBuf},
};

use pad_disk::Access;
use zeroize::Zeroizing;

use super::{
    KeyFileError,
    file::{ENCRYPTED, SECRETS, exposed, kind_of, malformed, read_bytes},
};
#[cfg(feature = "passphrase")]
use super::{
    encryption::{Passphrase, Work, decrypt, encrypt, work_of},
    file::{MAX_ENCRYPTED_BYTES, MAX_FILE_BYTES},
};

/// Contents of a secret key file, in clear or encrypted. The contents are erased from memory when
/// this value is dropped.
pub struct SecretFile {
    bytes: Zeroizing<Vec<u8>>,
    /// The permissions of the file, if users other than the owner can access it.
    exposed: Option<u32>,
    /// The path of the file that the contents were read from; `None` if they come from memory.
    path: Option<PathBuf>,
}

impl fmt::Debug for SecretFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SecretFile({})", self.kind())
    }
}

impl SecretFile {
    /// Reads a file. For an encrypted file, also checks that decryption stays within the cost
    /// limits.
    ///
    /// # Errors
    /// [`KeyFileError::Io`]. For an encrypted file, with the feature `passphrase`:
    /// [`KeyFileError::TooLong`], [`KeyFileError::Damaged`] if the header is invalid,
    /// [`KeyFileError::TooMuchWork`].
    pub fn read(path: &Path) -> Result<Self, KeyFileError> {
        let mut file = File::open(path)?;
        let read = Self {
            exposed: exposed(&file)?,
            bytes: read_bytes(&mut file)?,
            path: Some(path.to_path_buf()),
        };
        #[cfg(feature = "passphrase")]
        if read.is_encrypted() {
            if read.bytes.len() > MAX_ENCRYPTED_BYTES {
                return Err(KeyFileError::TooLong);
            }
            work_of(&read.bytes)?;
        }
        Ok(read)
    }

    /// Creates the contents of a key file from its text in clear, without writing a file.
    pub fn of_text(mut text: Zeroizing<String>) -> Self {
        Self::new(Zeroizing::new(core::mem::take(&mut *text).into_bytes()))
    }

    pub(super) fn new(bytes: Zeroizing<Vec<u8>>) -> Self {
        Self {
            bytes,
            exposed: None,
            path: None,
        }
    }

    /// Returns a description of the kind of the file, such as "a public key".
    pub fn kind(&self) -> &'static str {
        kind_of(&self.bytes)
    }

    /// Returns whether the file contains a secret key in clear. The key may belong to an author, to
    /// an owner of outsourced files, to a witness or to a log.
    pub fn is_secret_key(&self) -> bool {
        let mut beginnings = SECRETS.iter();
        beginnings.any(|beginning| self.bytes.starts_with(beginning))
    }

    /// Returns whether the file is encrypted with a passphrase.
    pub fn is_encrypted(&self) -> bool {
        self.bytes.starts_with(ENCRYPTED)
    }

    /// Returns an error for a file that users other than its owner may read or change.
    ///
    /// # Errors
    /// [`KeyFileError::Exposed`].
    pub const fn check_private(&self) -> Result<(), KeyFileError> {
        match self.exposed {
            Some(mode) => Err(KeyFileError::Exposed(mode)),
            None => Ok(()),
        }
    }

    /// Returns the text of a file that is in clear: never encrypted, or decrypted.
    ///
    /// # Errors
    /// [`KeyFileError::Encrypted`]; [`KeyFileError::Malformed`] if the contents are not UTF-8.
    pub fn text(&self) -> Result<&str, KeyFileError> {
        if self.is_encrypted() {
            return Err(KeyFileError::Encrypted);
        }
        core::str::from_utf8(&self.bytes).map_err(|_| malformed(2, "text"))
    }

    /// Returns the text of a file in clear. Fails if the file is not of the kind that begins with
    /// `title`, or if users other than the owner have access to it.
    pub(super) fn text_of(&self, title: &'static str) -> Result<&str, KeyFileError> {
        let (found, wanted) = (self.kind(), kind_of(title.as_bytes()));
        if found != wanted && !self.is_encrypted() {
            return Err(KeyFileError::OtherKind { found, wanted });
        }
        let text = self.text()?;
        self.check_private()?;
        Ok(text)
    }

    /// Returns the scrypt parameters of an encrypted file, which determine the cost of decryption.
    /// Returns `None` for a file in clear, or with a damaged header.
    #[cfg(feature = "passphrase")]
    pub fn work(&self) -> Option<Work> {
        let encrypted = self.is_encrypted().then_some(&self.bytes)?;
        work_of(encrypted).ok()
    }

    /// Decrypts the file. A file in clear is returned unchanged.
    ///
    /// The scrypt parameters ([`SecretFile::work`]) determine the memory and time.
    ///
    /// # Errors
    /// [`KeyFileError::WrongPassphrase`]; [`KeyFileError::Damaged`] if the file was changed or
    /// truncated; [`KeyFileError::TooMuchWork`] if decryption exceeds the cost limits.
    #[cfg(feature = "passphrase")]
    pub fn decrypt(self, passphrase: &Passphrase) -> Result<Self, KeyFileError> {
        if !self.is_encrypted() {
            return Ok(self);
        }
        Ok(Self {
            bytes: decrypt(&self.bytes, passphrase)?,
            ..self
        })
    }

    /// Returns the contents encrypted with a passphrase, at the scrypt parameters `work`. No file
    /// is changed.
    ///
    /// # Errors
    /// [`KeyFileError::Encrypted`] if the file is encrypted already; [`KeyFileError::TooLong`];
    /// [`KeyFileError::NoRandomness`].
    #[cfg(feature = "passphrase")]
    pub fn encrypt(&self, passphrase: &Passphrase, work: Work) -> Result<Self, KeyFileError> {
        if self.is_encrypted() {
            return Err(KeyFileError::Encrypted);
        }
        if self.bytes.len() > MAX_FILE_BYTES {
            return Err(KeyFileError::TooLong);
        }
        Ok(Self {
            bytes: encrypt(&self.bytes, passphrase, work)?,
            exposed: self.exposed,
            path: self.path.clone(),
        })
    }

    /// Writes these contents to a new file that only its owner can read.
    ///
    /// # Errors
    /// [`KeyFileError::Exists`] if there is a file at `path`; [`KeyFileError::Io`].
    pub fn save(&self, path: &Path) -> Result<(), KeyFileError> {
        Ok(pad_disk::create(path, &self.bytes, Access::Private)?)
    }

    /// Replaces the file at `path` durably and atomically by these contents. Only the owner can
    /// read the new file.
    ///
    /// # Errors
    /// [`KeyFileError::Io`].
    pub fn replace(&self, path: &Path) -> Result<(), KeyFileError> {
        pad_disk::replace(path, &self.bytes, Access::Private).map_err(KeyFileError::Io)
    }

    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}
