//! Files of secrets: what stands in them, in clear or encrypted with a passphrase, and who may read them.

use core::fmt;
use std::{fs::File, path::Path};

use disk::Access;
use zeroize::Zeroizing;

use super::{
    KeyFileError,
    file::{ENCRYPTED, SECRETS, check_permissions, kind_of, read_bytes},
};
#[cfg(feature = "passphrase")]
use super::{
    encryption::{Passphrase, Work, decrypt, encrypt, work_of},
    file::MAX_FILE_BYTES,
};

/// What is in a file of a secret: the text of a key, or the same encrypted. It is erased from memory when it is dropped.
pub struct SecretFile {
    bytes: Zeroizing<Vec<u8>>,
    /// The permissions, if others than the owner have some.
    exposed: Option<u32>,
}

impl fmt::Debug for SecretFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SecretFile({})", self.kind())
    }
}

impl SecretFile {
    /// Reads a file. Whether it can be decrypted at a bearable price is known thereafter.
    ///
    /// # Errors
    /// [`KeyFileError::Io`]; of an encrypted file [`KeyFileError::TooLong`], and with the feature `passphrase`
    /// [`KeyFileError::Damaged`] and [`KeyFileError::TooMuchWork`].
    pub fn read(path: &Path) -> Result<Self, KeyFileError> {
        let mut file = File::open(path)?;
        let exposed = match check_permissions(&file) {
            Err(KeyFileError::Exposed(mode)) => Some(mode),
            checked => checked.map(|()| None)?,
        };
        let read = Self {
            bytes: read_bytes(&mut file)?,
            exposed,
        };
        if read.is_encrypted() {
            read.check_encryption()?;
        }
        Ok(read)
    }

    #[cfg(feature = "passphrase")]
    fn check_encryption(&self) -> Result<(), KeyFileError> {
        if self.bytes.len() > super::file::MAX_ENCRYPTED_BYTES {
            return Err(KeyFileError::TooLong);
        }
        work_of(&self.bytes).map(drop)
    }

    #[cfg(not(feature = "passphrase"))]
    #[allow(
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "as with the feature"
    )]
    fn check_encryption(&self) -> Result<(), KeyFileError> {
        Ok(())
    }

    /// A file with this text, which is not written yet.
    pub fn of_text(mut text: Zeroizing<String>) -> Self {
        Self::new(Zeroizing::new(core::mem::take(&mut *text).into_bytes()))
    }

    pub(super) fn new(bytes: Zeroizing<Vec<u8>>) -> Self {
        Self {
            bytes,
            exposed: None,
        }
    }

    /// What the file is, in words.
    pub fn kind(&self) -> &'static str {
        kind_of(&self.bytes)
    }

    /// Whether this is a secret key in clear: of an author, of an owner of outsourced files, of a witness or of a log.
    pub fn is_secret_key(&self) -> bool {
        let mut beginnings = SECRETS.iter();
        beginnings.any(|beginning| self.bytes.starts_with(beginning))
    }

    /// Whether a passphrase is needed.
    pub fn is_encrypted(&self) -> bool {
        self.bytes.starts_with(ENCRYPTED)
    }

    /// Refuses a file that others than its owner may read or change.
    ///
    /// # Errors
    /// [`KeyFileError::Exposed`].
    pub const fn check_private(&self) -> Result<(), KeyFileError> {
        match self.exposed {
            Some(mode) => Err(KeyFileError::Exposed(mode)),
            None => Ok(()),
        }
    }

    /// The text in clear.
    ///
    /// # Errors
    /// [`KeyFileError::Encrypted`]; [`KeyFileError::Malformed`] if it is no text.
    pub fn text(&self) -> Result<&str, KeyFileError> {
        if self.is_encrypted() {
            return Err(KeyFileError::Encrypted);
        }
        core::str::from_utf8(&self.bytes).map_err(|_| KeyFileError::Malformed {
            line: 2,
            expected: "text",
        })
    }

    /// The text in clear of a file with this title, that nobody but its owner can read.
    pub(super) fn text_of(&self, title: &'static str) -> Result<&str, KeyFileError> {
        let (found, wanted) = (self.kind(), kind_of(title.as_bytes()));
        if found != wanted && !self.is_encrypted() {
            return Err(KeyFileError::OtherKind { found, wanted });
        }
        let text = self.text()?;
        self.check_private()?;
        Ok(text)
    }

    /// What deriving the key from a passphrase costs; nothing for a file in clear.
    #[cfg(feature = "passphrase")]
    pub fn work(&self) -> Option<Work> {
        let encrypted = self.is_encrypted().then_some(&self.bytes)?;
        work_of(encrypted).ok()
    }

    /// The same in clear, which a file in clear is already.
    ///
    /// Takes the memory and the time of [`SecretFile::work`].
    ///
    /// # Errors
    /// [`KeyFileError::WrongPassphrase`]; [`KeyFileError::Damaged`]; [`KeyFileError::TooMuchWork`].
    #[cfg(feature = "passphrase")]
    pub fn decrypt(self, passphrase: &Passphrase) -> Result<Self, KeyFileError> {
        if !self.is_encrypted() {
            return Ok(self);
        }
        Ok(Self {
            bytes: decrypt(&self.bytes, passphrase)?,
            exposed: self.exposed,
        })
    }

    /// The same, encrypted with this passphrase.
    ///
    /// # Errors
    /// [`KeyFileError::Encrypted`] if it is already; [`KeyFileError::TooLong`]; [`KeyFileError::NoRandomness`].
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
        })
    }

    /// Writes a new file that nobody but its owner can read.
    ///
    /// # Errors
    /// [`KeyFileError::Exists`], [`KeyFileError::Io`].
    pub fn save(&self, path: &Path) -> Result<(), KeyFileError> {
        Ok(disk::create(path, &self.bytes, Access::Private)?)
    }

    /// Puts the contents in the place of a file, durably, so that nobody but its owner can read them. Whatever happens, the file has
    /// its old contents or these.
    ///
    /// # Errors
    /// [`KeyFileError::Io`].
    pub fn replace(&self, path: &Path) -> Result<(), KeyFileError> {
        disk::replace(path, &self.bytes, Access::Private).map_err(KeyFileError::Io)
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}
