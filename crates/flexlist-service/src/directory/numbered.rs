//! Files under numbers in place of paths, for more of them than memory holds.
//!
//! The sealed root of a file is the digest of an entry of a block directory: what an object's digest is to others. An auditor who
//! trusts one signed head of it, and knows a file's number, checks its state with a proof of about a kilobyte at `10^9` files.
//!
//! ```
//! use block_directory::{BlockDirectory, DirectoryClient, EntryQuery, FullAuthor};
//! use ed25519_dalek::SigningKey;
//! use flexlist::{FileId, FileState, list::ListState};
//! use flexlist_service::directory::numbered::NumberedState;
//! use pad_core::{Digest, Sha256Ed25519, Untrusted};
//!
//! # let list = ListState { root: Digest([1; 32]), total: 10 };
//! # let state = FileState { file: FileId([2; 32]), version: 3, list };
//! // The owner enters the state of a file, and a server takes the update.
//! let mut owner = FullAuthor::<Sha256Ed25519>::new("files", SigningKey::from_bytes(&[7; 32]))?;
//! let mut server = BlockDirectory::new(*owner.authority(), 7)?;
//! let number = owner.append(state.sealed_root())?;
//! server.apply(&owner.snapshot()?)?;
//!
//! // An auditor knows the owner's key. What the server claims to be the state of the file is checked.
//! let mut auditor = DirectoryClient::<Sha256Ed25519>::new(*owner.authority(), 7);
//! let (pending, request) = auditor.ask(EntryQuery::one(number));
//! let found = auditor.accept(&pending, &server.answer(&request)?)?;
//! let checked = Untrusted::new(NumberedState::new(state)).verify(&found.entries, &number)?;
//! assert_eq!(checked.get().list.total, 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use core::marker::PhantomData;

use block_directory::{Entries, Entry, EntryId, EntryQuery};
use flexlist::FileState;
use pad_core::{Digest, Proof, Suite, Verified};

use super::DirectoryError;

/// The state of a file, as somebody claims it, for a directory of the suite `S`.
#[derive(Clone, Copy, Debug)]
pub struct NumberedState<S> {
    claimed: FileState,
    suite: PhantomData<fn() -> S>,
}

impl<S> NumberedState<S> {
    /// This state.
    pub const fn new(claimed: FileState) -> Self {
        Self {
            claimed,
            suite: PhantomData,
        }
    }
}

impl<S: Suite<Digest = Digest<32>>> Proof for NumberedState<S> {
    /// The verified entries.
    type Commitment = Verified<Entries<S, EntryQuery>>;
    /// The number of the file.
    type Query = EntryId;
    type Statement = FileState;
    type Error = DirectoryError;

    /// # Errors
    /// [`DirectoryError`].
    fn check(
        self,
        entries: &Verified<Entries<S, EntryQuery>>,
        number: &EntryId,
    ) -> Result<FileState, DirectoryError> {
        match entries.get().of(*number) {
            None => Err(DirectoryError::AnotherPath),
            Some(Entry::Live(sealed)) if sealed == self.claimed.sealed_root() => Ok(self.claimed),
            Some(Entry::Live(_)) => Err(DirectoryError::StateMismatch),
            Some(Entry::Deleted | Entry::Unassigned) => Err(DirectoryError::NoSuchFile),
        }
    }
}

#[cfg(test)]
mod tests {
    use block_directory::{BlockDirectory, DirectoryClient, FullAuthor};
    use ed25519_dalek::SigningKey;
    use flexlist::{FileId, list::ListState};
    use pad_core::{Sha256Ed25519, Untrusted};

    use super::*;

    type S = Sha256Ed25519;

    fn state(version: u64) -> FileState {
        let root = Digest([version.to_le_bytes()[0]; 32]);
        FileState {
            file: FileId([2; 32]),
            version,
            list: ListState { root, total: 10 },
        }
    }

    #[test]
    fn a_state_is_the_one_of_its_number_or_refused() {
        let mut owner = FullAuthor::<S>::new("files", SigningKey::from_bytes(&[7; 32])).unwrap();
        let mut server = BlockDirectory::new(*owner.authority(), 2).unwrap();
        let mut numbers = Vec::new();
        for version in 1..=9 {
            numbers.push(owner.append(state(version).sealed_root()).unwrap());
        }
        server.apply(&owner.snapshot().unwrap()).unwrap();
        owner.update(numbers[3], state(40).sealed_root()).unwrap();
        owner.delete(numbers[4]).unwrap();
        server.apply(&owner.snapshot().unwrap()).unwrap();
        let mut auditor = DirectoryClient::<S>::new(*owner.authority(), 2);
        let mut check = |asked: EntryId, number: EntryId, claimed: FileState| {
            let (pending, request) = auditor.ask(EntryQuery::one(asked));
            let answer = server.answer(&request).unwrap();
            let found = auditor.accept(&pending, &answer).unwrap();
            let claim = Untrusted::new(NumberedState::new(claimed));
            claim
                .verify(&found.entries, &number)
                .map(Verified::into_inner)
        };
        assert_eq!(check(numbers[0], numbers[0], state(1)), Ok(state(1)));
        assert_eq!(check(numbers[3], numbers[3], state(40)), Ok(state(40)));
        let old = check(numbers[3], numbers[3], state(4));
        assert_eq!(old, Err(DirectoryError::StateMismatch));
        let deleted = check(numbers[4], numbers[4], state(5));
        assert_eq!(deleted, Err(DirectoryError::NoSuchFile));
        let unassigned = EntryId::new(9);
        let beyond = check(unassigned, unassigned, state(1));
        assert_eq!(beyond, Err(DirectoryError::NoSuchFile));
        let other = check(numbers[0], numbers[1], state(2));
        assert_eq!(other, Err(DirectoryError::AnotherPath));
    }
}
