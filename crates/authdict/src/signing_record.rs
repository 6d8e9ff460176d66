//! The signing record: the newest head that an author has signed and handed out. The record is
//! stored next to the author's key, not in the store.

use std::{io, path::Path};

use pad_core::{Authority, SignedHead, Suite, Untrusted, Version, codec};
use pad_disk::{Lock, LockError, PATIENCE, Register, RegisterError};

/// The file with the newest head that an author has handed out.
///
/// A store can be restored from an old backup, or rolled back by a damaged page. An author that
/// continues from such a store signs a second head for a version that was already handed out. The
/// two heads together are evidence against an honest author. To prevent this, the record only moves
/// forward, and the author refuses to sign for a store that is behind it.
///
/// The file is locked while this value exists. Two authors with one record, each with its own copy
/// of the store, cannot sign concurrently. The caller must not create a second record for a key.
#[derive(Debug)]
pub struct SigningRecord {
    register: Register,
    _lock: Lock,
}

/// Error returned for a signing record that forbids signing, or is unusable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SigningRecordError {
    /// The record's file cannot be read or written.
    #[error("the signing record cannot be used: {0}")]
    Register(#[from] RegisterError),
    /// Another process is signing with this key.
    #[error("another process is signing with this key: {0}")]
    InUse(#[from] LockError),
    /// The file does not contain a head of this author and dictionary.
    #[error("{file} is not a signing record of this dictionary's author")]
    Foreign {
        /// The path of the record.
        file: String,
    },
    /// The store is an old copy: it does not contain the newest version that was handed out.
    #[error(
        "the store is an old copy: it is at version {stored}, but version {signed} was signed and \
         handed out (recorded in {file}); apply the updates of the versions in between first (pad \
         apply, from any server that has them)"
    )]
    OlderStore {
        /// The newest version that was handed out.
        signed: Version,
        /// The latest version in the store.
        stored: Version,
        /// The path of the record.
        file: String,
    },
    /// The record's file is missing or empty. A key that was restored from a copy has no record,
    /// but may have signed versions.
    #[error(
        "the signing record {file} is missing or empty, and the store is at version {stored}: give \
         the record that belongs to the key, or --new-record if no later version was ever signed \
         with it"
    )]
    Forgotten {
        /// The latest version in the store.
        stored: Version,
        /// The path of the record.
        file: String,
    },
    /// The store's head of the newest version handed out differs from the head in the record.
    #[error(
        "the store has another head of version {version} than the one signed and handed out \
         (recorded in {file}): nothing is signed; continue with the store that has the recorded \
         head"
    )]
    OtherHead {
        /// The version of the recorded head, for which the store has a different head.
        version: Version,
        /// The path of the record.
        file: String,
    },
}

/// The contents of a record between its creation ([`SigningRecord::create`],
/// [`SigningRecord::begin`]) and the first head handed out.
const BEGUN: &[u8] = b"begun with no version";

impl SigningRecord {
    /// Creates the record of a new key, which has signed no version.
    ///
    /// # Errors
    /// [`SigningRecordError::Register`] with [`io::ErrorKind::AlreadyExists`] if a record exists.
    pub fn create(path: &Path) -> Result<(), SigningRecordError> {
        Register::create(path, BEGUN)?;
        Ok(())
    }

    /// Refuses to sign with a key whose record file does not exist.
    ///
    /// # Errors
    /// [`SigningRecordError::Forgotten`].
    pub(crate) fn require_file(path: &Path) -> Result<(), SigningRecordError> {
        if path.exists() {
            return Ok(());
        }
        let (stored, file) = (Version::EMPTY, path.display().to_string());
        Err(SigningRecordError::Forgotten { stored, file })
    }

    /// Opens and locks the record in the file `path`. If the file does not exist, creates it empty.
    /// A record in an empty file does not permit signing ([`SigningRecord::open_or_begin`]).
    ///
    /// # Errors
    /// [`SigningRecordError::InUse`] if another process does not release the lock in time;
    /// [`SigningRecordError::Register`].
    pub fn open(path: &Path) -> Result<Self, SigningRecordError> {
        let register = match Register::open(path) {
            Err(RegisterError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                Register::create(path, &[])?
            }
            register => register?,
        };
        let lock = Lock::on(register.file(), register.path(), PATIENCE)?;
        // The previous holder of the lock may have written the file after it was first read. So it
        // is read again.
        let mut register = register.reopened()?;
        // That process may have been killed while it wrote. Its head may be handed out from now on,
        // so a power cut or one damaged page must not bring the head before it back.
        register.restore()?;
        Ok(Self {
            register,
            _lock: lock,
        })
    }

    /// Opens and locks the record in the file `path`. If the file is missing or empty, makes the
    /// record ready for signing. The caller thereby asserts that the key has signed no version that
    /// the store lacks.
    ///
    /// # Errors
    /// The errors of [`SigningRecord::open`].
    pub fn open_or_begin(path: &Path) -> Result<Self, SigningRecordError> {
        let mut record = Self::open(path)?;
        record.begin()?;
        Ok(record)
    }

    /// Returns the newest head handed out, verified with `authority`; `None` before the first head.
    ///
    /// # Errors
    /// [`SigningRecordError::Foreign`].
    #[doc(hidden)]
    pub fn newest<S: Suite>(
        &self,
        authority: &Authority,
    ) -> Result<Option<SignedHead<S>>, SigningRecordError> {
        let value = self.register.value();
        if self.is_empty() {
            return Ok(None);
        }
        let foreign = || SigningRecordError::Foreign { file: self.file() };
        let signed: SignedHead<S> = codec::decode(value, value.len()).map_err(|_| foreign())?;
        let verified = Untrusted::new(signed).verify(authority, &signed.head.version);
        verified.map(|_| Some(signed)).map_err(|_| foreign())
    }

    /// Refuses to sign for a store that is behind the newest head handed out. Also refuses a store
    /// that lacks this head, or has another head of its version. Accepts every store before the
    /// first head.
    ///
    /// `stored` is the latest version in the store. `head` returns the store's head of a given
    /// version.
    ///
    /// # Errors
    /// [`SigningRecordError::OlderStore`], [`SigningRecordError::OtherHead`],
    /// [`SigningRecordError::Foreign`].
    #[doc(hidden)]
    pub fn check<S: Suite>(
        &self,
        authority: &Authority,
        stored: Version,
        head: impl Fn(Version) -> Option<SignedHead<S>>,
    ) -> Result<(), SigningRecordError> {
        let Some(newest) = self.newest::<S>(authority)? else {
            return Ok(());
        };
        let (version, file) = (newest.head.version, self.file());
        if version > stored {
            let signed = version;
            return Err(SigningRecordError::OlderStore {
                signed,
                stored,
                file,
            });
        }
        match head(version) {
            Some(found) if found.head == newest.head => Ok(()),
            _ => Err(SigningRecordError::OtherHead { version, file }),
        }
    }

    /// Records a head durably, before the head is handed out. `head` is a message.
    ///
    /// # Errors
    /// [`SigningRecordError::Register`]. The head must then not be handed out.
    #[doc(hidden)]
    pub fn advance(&mut self, head: &[u8]) -> Result<(), SigningRecordError> {
        if self.register.value() != head {
            self.register.write(head)?;
        }
        Ok(())
    }

    /// Returns whether the record contains no head. Also `true` for a record that is ready for
    /// signing, but not used yet.
    pub fn is_empty(&self) -> bool {
        [&[], BEGUN].contains(&self.register.value())
    }

    /// Refuses to sign if the record's file is empty: neither [`SigningRecord::create`] nor
    /// [`SigningRecord::begin`] was called for it. Without a record, the key may have signed
    /// versions that the store lacks, even if the store is empty.
    ///
    /// An author can be killed after its first version is durable and before this version is
    /// recorded. The record of such an author contains no head, but its file is not empty, so the
    /// author may continue.
    ///
    /// # Errors
    /// [`SigningRecordError::Forgotten`].
    #[doc(hidden)]
    pub fn require(&self, stored: Version) -> Result<(), SigningRecordError> {
        if self.register.value().is_empty() {
            let file = self.file();
            return Err(SigningRecordError::Forgotten { stored, file });
        }
        Ok(())
    }

    /// Makes a record in an empty file ready for signing; does nothing to other records. By calling
    /// this function, the caller asserts that the key has signed no version that the store lacks.
    ///
    /// # Errors
    /// [`SigningRecordError::Register`].
    #[doc(hidden)]
    pub fn begin(&mut self) -> Result<(), SigningRecordError> {
        if self.register.value().is_empty() {
            self.register.write(BEGUN)?;
        }
        Ok(())
    }

    fn file(&self) -> String {
        self.register.path().display().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An author that was killed between its first version and its record can continue. An author
    /// without a record cannot continue, whatever the store contains.
    #[test]
    fn a_record_that_was_begun_remembers_that() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.signed");
        SigningRecord::create(&path).unwrap();
        assert!(SigningRecord::create(&path).is_err());
        let mut killed = SigningRecord::open(&path).unwrap();
        assert!(killed.is_empty());
        killed.require(Version::new(1)).unwrap();
        killed.advance(b"a head").unwrap();
        assert!(!killed.is_empty());
        drop(killed);
        // The second page is damaged, and later the first one.
        let mut whole = std::fs::read(&path).unwrap();
        whole[4096..].fill(0);
        std::fs::write(&path, whole).unwrap();
        drop(SigningRecord::open(&path).unwrap());
        let mut damaged = std::fs::read(&path).unwrap();
        damaged[9] ^= 1;
        std::fs::write(&path, damaged).unwrap();
        assert!(!SigningRecord::open(&path).unwrap().is_empty());
        let mut other = SigningRecord::open(&folder.path().join("other.signed")).unwrap();
        for stored in [0, 1].map(Version::new) {
            let refused = other.require(stored).unwrap_err();
            assert!(matches!(refused, SigningRecordError::Forgotten { .. }));
        }
        other.begin().unwrap();
        other.require(Version::EMPTY).unwrap();
    }
}
