//! A directory of files: one signed head for all files of an owner.
//!
//! The sealed root of each file is the value of its path in a persistent authenticated dictionary. Whoever
//! trusts one signed head of it can check the state of any file, in any version of the directory, and
//! with that state audit and read the file. Files that have numbers in place of paths: [`numbered`].
//!
//! ```
//! use ed25519_dalek::SigningKey;
//! use flexlist::{FileId, FileState, list::ListState};
//! use flexlist_service::directory::{ClaimedState, FileDirectory};
//! use pad_core::{
//!     AuthorKey, Dictionary, DictionaryId, Digest, Key, Repository, Sha256Ed25519, TrustedView,
//!     Untrusted, Version,
//! };
//! use pad_tree::{RedBlackAuthor, RedBlackPathCopying};
//!
//! # let list = ListState { root: Digest([1; 32]), total: 10 };
//! # let state = FileState { file: FileId([2; 32]), version: 3, list };
//! // The owner enters the state of a file.
//! let signer = SigningKey::from_bytes(&[7; 32]);
//! let public = AuthorKey::from_bytes(&signer.verifying_key().to_bytes())?;
//! let id = DictionaryId::from_name("files");
//! let mut owner = RedBlackAuthor::<Sha256Ed25519, _>::new(id, public, signer);
//! let mut server = RedBlackPathCopying::<Sha256Ed25519>::new(owner.authority());
//! owner.put_file("notes/today", &state)?;
//! server.apply(&owner.snapshot()?)?;
//!
//! // An auditor knows the owner's key. What the server claims to be the state of the file is checked.
//! let view = TrustedView::<Sha256Ed25519>::new(owner.authority());
//! let version = Version::new(1);
//! let head = view.snapshot(version, Untrusted::new(server.head(version)?))?;
//! let path = Key::try_from("notes/today")?;
//! let lookup = Untrusted::new(server.prove(version, &path)?).verify(&head, &path)?;
//! let checked = Untrusted::new(ClaimedState(state)).verify(&lookup, "notes/today")?;
//! assert_eq!(checked.get().list.total, 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Source: Esiner, Küpçü and Özkasap, section 4.4, after the directory hierarchy of DPDP; Deviation: a
//! dictionary with persistent versions in place of a list of lists, so that old states stay checkable.

pub mod numbered;

use flexlist::FileState;
use pad_core::{Dictionary, InputError, Key, Proof, Value, Verified};
use pad_tree::{Answer, Lookup};

/// Entering files into a dictionary, of whatever family.
pub trait FileDirectory: Dictionary {
    /// Enters the state of the file at `path` into the next version.
    ///
    /// # Errors
    /// [`InputError`]: the path is longer than a key can be.
    fn put_file(&mut self, path: &str, state: &FileState) -> Result<(), InputError> {
        let value = Value::new(state.sealed_root().0)?;
        self.put(Key::try_from(path)?, value);
        Ok(())
    }

    /// Takes the file at `path` out of the next version; whether it was there.
    ///
    /// # Errors
    /// [`InputError`]: the path is longer than a key can be.
    fn remove_file(&mut self, path: &str) -> Result<bool, InputError> {
        Ok(self.remove(&Key::try_from(path)?))
    }
}

impl<D: Dictionary + ?Sized> FileDirectory for D {}

/// The state of a file, as somebody claims it.
#[derive(Clone, Copy, Debug)]
pub struct ClaimedState(pub FileState);

impl Proof for ClaimedState {
    /// The verified look-up of the path.
    type Commitment = Verified<Lookup>;
    /// The path.
    type Query = str;
    type Statement = FileState;
    type Error = DirectoryError;

    fn check(self, lookup: &Verified<Lookup>, path: &str) -> Result<FileState, DirectoryError> {
        let lookup = lookup.get();
        if lookup.key.as_bytes() != path.as_bytes() {
            return Err(DirectoryError::AnotherPath);
        }
        match &lookup.answer {
            Answer::Absent => Err(DirectoryError::NoSuchFile),
            Answer::Present(value) if value.as_bytes() == self.0.sealed_root().0 => Ok(self.0),
            Answer::Present(_) => Err(DirectoryError::StateMismatch),
        }
    }
}

/// A claimed state of a file is not the one in the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DirectoryError {
    /// The look-up is of another path, or of other numbers.
    #[error("the look-up is of another file's path or number")]
    AnotherPath,
    /// The directory has no file at this path, or with this number.
    #[error("the directory has no such file")]
    NoSuchFile,
    /// The directory has another state for this file: another version, contents, or file.
    #[error("the directory has another state for this file")]
    StateMismatch,
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::SigningKey;
    use flexlist::{FileId, list::ListState};
    use pad_core::{
        AuthorKey, DictionaryId, Digest, Repository, Sha256Ed25519, TrustedView, Untrusted, Version,
    };
    use pad_tree::{RedBlackAuthor, RedBlackPathCopying};

    use super::*;

    fn state(version: u64) -> FileState {
        FileState {
            file: FileId([2; 32]),
            version,
            list: ListState {
                root: Digest([version.to_le_bytes()[0]; 32]),
                total: 10 * version,
            },
        }
    }

    #[test]
    fn one_head_covers_all_files_in_all_versions() {
        let signer = SigningKey::from_bytes(&[7; 32]);
        let public = AuthorKey::from_bytes(&signer.verifying_key().to_bytes()).unwrap();
        let id = DictionaryId::from_name("files");
        let mut owner = RedBlackAuthor::<Sha256Ed25519, _>::new(id, public, signer);
        let mut server = RedBlackPathCopying::<Sha256Ed25519>::new(owner.authority());
        for version in 1..=3 {
            owner.put_file("a", &state(version)).unwrap();
            owner.put_file("b", &state(9)).unwrap();
            server.apply(&owner.snapshot().unwrap()).unwrap();
        }
        assert!(owner.remove_file("b").unwrap());
        server.apply(&owner.snapshot().unwrap()).unwrap();

        let view = TrustedView::<Sha256Ed25519>::new(owner.authority());
        let check = |version: u64, looked_up: &str, path: &str, claimed: FileState| {
            let version = Version::new(version);
            let head = view.snapshot(version, Untrusted::new(server.head(version).unwrap()));
            let key = Key::try_from(looked_up).unwrap();
            let proof = Untrusted::new(server.prove(version, &key).unwrap());
            let lookup = proof.verify(&head.unwrap(), &key).unwrap();
            let checked = Untrusted::new(ClaimedState(claimed)).verify(&lookup, path);
            checked.map(Verified::into_inner)
        };
        assert_eq!(check(2, "a", "a", state(2)), Ok(state(2)));
        assert_eq!(check(3, "b", "b", state(9)), Ok(state(9)));
        assert_eq!(
            check(2, "a", "a", state(3)),
            Err(DirectoryError::StateMismatch)
        );
        assert_eq!(
            check(2, "a", "b", state(2)),
            Err(DirectoryError::AnotherPath)
        );
        assert_eq!(
            check(4, "b", "b", state(9)),
            Err(DirectoryError::NoSuchFile)
        );
        let long = "x".repeat(5000);
        assert!(matches!(
            owner.put_file(&long, &state(1)),
            Err(InputError::KeyTooLong { .. })
        ));
    }
}
