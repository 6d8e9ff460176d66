//! Identifiers of outsourced files.

use core::fmt;

use pad_core::Digest;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A permanent 32-byte identifier of one file of one owner.
///
/// It is derived from the owner's public key and a random salt. A server checks the derivation when
/// a file is created, so no other owner can use the same identifier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FileId(pub [u8; 32]);

impl FileId {
    /// Derives the identifier from an Ed25519 public key and a salt.
    pub fn derive(owner: &[u8; 32], salt: &[u8; 16]) -> Self {
        let mut hash = Sha256::new_with_prefix(b"flexlist/file-id/v1");
        hash.update(owner);
        hash.update(salt);
        Self(hash.finalize().into())
    }
}

impl fmt::Display for FileId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        Digest(self.0).fmt(formatter)
    }
}

impl fmt::Debug for FileId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "FileId({self})")
    }
}
