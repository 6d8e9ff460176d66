//! The key file of an owner of outsourced files, which servers store and clients audit.
//!
//! ```text
//! pad-file-key v1
//! seed 0707070707070707070707070707070707070707070707070707070707070707
//! tags 0100...
//! ```
//! `seed` is the Ed25519 private key of RFC 8032 that signs changes. `tags` is the tag scheme's key
//! in the encoding of `flexlist::tag::OwnerKey`.

use core::fmt;
use std::path::Path;

use ed25519_dalek::SigningKey;
use flexlist::tag::{OwnerKey, TagError, TagKind};
use flexlist_service::client::{Owner, StateKey};
use pad_core::{AuthorKey, Workers};
use zeroize::Zeroizing;

use super::{
    KeyFileError, SecretFile,
    file::{Fields, decode, decode_to},
};
use crate::own_keys::NoRandomness;

const TITLE: &str = "pad-file-key v1";

/// The secret key of an owner of outsourced files.
pub struct FileOwnerKey {
    seed: Zeroizing<[u8; 32]>,
    tags: OwnerKey,
}

impl fmt::Debug for FileOwnerKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("FileOwnerKey")
            .finish_non_exhaustive()
    }
}

impl FileOwnerKey {
    /// Generates a random key for tags of kind `kind`.
    ///
    /// # Errors
    /// [`FileOwnerKeyError`] if the operating system returns no random numbers, or this build does
    /// not support `kind`.
    pub fn generate(kind: TagKind, workers: &Workers) -> Result<Self, FileOwnerKeyError> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(seed.as_mut()).map_err(|_| KeyFileError::from(NoRandomness))?;
        let tags = OwnerKey::generate(kind, workers)?;
        Ok(Self { seed, tags })
    }

    /// Reads a key file.
    ///
    /// # Errors
    /// [`FileOwnerKeyError`] if the file is unreadable, of another kind, encrypted, malformed, or
    /// accessible to other users.
    pub fn load(path: &Path) -> Result<Self, FileOwnerKeyError> {
        Self::from_file(&SecretFile::read(path)?)
    }

    /// Parses the key in a key file whose contents are in clear, or were decrypted.
    ///
    /// # Errors
    /// [`FileOwnerKeyError`] if the file is of another kind, encrypted, malformed, or accessible to
    /// other users.
    pub fn from_file(file: &SecretFile) -> Result<Self, FileOwnerKeyError> {
        let mut fields = Fields::of(file.text_of(TITLE)?, TITLE)?;
        let mut seed = Zeroizing::new([0; 32]);
        fields.read("seed <64 digits>", |digits| decode_to(digits, &mut *seed))?;
        let tags = fields.read("tags <digits>", decode)?;
        fields.end()?;
        let tags = OwnerKey::from_bytes(&tags)?;
        Ok(Self { seed, tags })
    }

    /// Writes a new key file that only its owner can read.
    ///
    /// # Errors
    /// [`FileOwnerKeyError`]; an existing file is never overwritten.
    pub fn save(&self, path: &Path) -> Result<(), FileOwnerKeyError> {
        Ok(self.to_file().save(path)?)
    }

    /// Returns the contents of a key file with this key, in clear, without writing a file.
    pub fn to_file(&self) -> SecretFile {
        let tags = self.tags.to_bytes();
        let digits = (self.seed.len() + tags.len()) * 2;
        let mut text = Zeroizing::new(String::with_capacity(digits + 64));
        text.push_str(TITLE);
        for (name, bytes) in [("seed", self.seed.as_slice()), ("tags", tags.as_slice())] {
            let digits = Zeroizing::new(hex::encode(bytes));
            text.push('\n');
            text.push_str(name);
            text.push(' ');
            text.push_str(&digits);
        }
        text.push('\n');
        SecretFile::of_text(text)
    }

    /// Returns the kind of the tags that this key computes.
    pub fn kind(&self) -> TagKind {
        self.tags.kind()
    }

    /// Returns an [`Owner`] that signs changes, computes tags and authenticates state files with
    /// this key.
    ///
    /// # Panics
    /// Never: every Ed25519 seed has a public key.
    pub fn owner(&self) -> Owner<SigningKey> {
        let signer = SigningKey::from_bytes(&self.seed);
        let key = AuthorKey::from_bytes(signer.verifying_key().as_bytes())
            .expect("ed25519: the public key of a seed is a point of the curve");
        Owner {
            key,
            signer,
            tags: self.tags.clone(),
            state_key: StateKey::derive(self.seed.as_slice()),
        }
    }
}

/// Error returned when the key of a file owner is made or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileOwnerKeyError {
    /// The key file cannot be read, written or parsed.
    #[error(transparent)]
    File(#[from] KeyFileError),
    /// The tag scheme's key is invalid, or cannot be generated.
    #[error(transparent)]
    Tags(#[from] TagError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_is_loaded_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("owner.key");
        let kind = TagKind::default();
        let key = FileOwnerKey::generate(kind, &Workers::sequential()).unwrap();
        key.save(&path).unwrap();
        let loaded = FileOwnerKey::load(&path).unwrap();
        assert_eq!(loaded.kind(), kind);
        assert_eq!(loaded.seed, key.seed);
        assert_eq!(loaded.tags.to_bytes(), key.tags.to_bytes());
        let exists = key.save(&path).unwrap_err();
        assert!(matches!(
            exists,
            FileOwnerKeyError::File(KeyFileError::Exists)
        ));

        let good = std::fs::read_to_string(&path).unwrap();
        let changed = |from: &str, to: &str| good.replacen(from, to, 1);
        for (text, line) in [
            (changed("pad-file-key v1", "pad-file-key v2"), 1),
            (changed("seed ", "seed a"), 2),
            (changed("tags ", "tags"), 3),
            // This line contains an odd number of digits.
            (changed("tags ", "tags f"), 3),
            (format!("{good}more\n"), 4),
        ] {
            std::fs::write(&path, text).unwrap();
            match FileOwnerKey::load(&path).unwrap_err() {
                FileOwnerKeyError::File(KeyFileError::Malformed { line: wrong, .. }) => {
                    assert_eq!(wrong, line);
                }
                other => panic!("{other}"),
            }
        }
        std::fs::write(&path, changed("tags ", "tags ff")).unwrap();
        let tags = FileOwnerKey::load(&path).unwrap_err();
        assert!(matches!(tags, FileOwnerKeyError::Tags(_)));
    }
}
