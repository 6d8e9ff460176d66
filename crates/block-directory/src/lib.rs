//! Authenticated directories: numbered entries for the digests of objects, for more objects than
//! memory holds.
//!
//! An author registers objects by their digests; each object gets the next id. The author changes
//! and deletes entries by id, and signs versions like authors of other dictionaries. An untrusted
//! server stores the entries. It proves:
//!
//! * *this id is registered for this object*, *was deleted*, or *is not assigned yet*, for several
//!   ids or for a whole range ([`EntryProof`], [`RangeProof`]),
//! * the state of one id by a shorter answer, which a [`Hint`] stored with the object completes.
//!   This saves the server the reads of the lowest blocks.
//!
//! # Choosing parts
//!
//! | Task | API | Cost |
//! | --- | --- | --- |
//! | ids for up to 2^48 objects | `FullAuthor`, `BlockDirectory` | disk: about 32 bytes an entry |
//! | an author without the entries | `LightAuthor` | 48 digests; a server's proof for each change |
//! | lookups | [`DirectoryClient`] | a proof of 688 bytes at 10^6 entries, 1 008 at 10^9 |
//! | look-ups without block reads | [`Hint`], stored with the object | as long as a proof |
//!
//! A look-up without a hint in a directory on disk reads one block, if all levels above the lowest
//! are in memory.
//!
//! # Structure
//!
//! The entries are the leaves of the tree of RFC 9162. Its shape follows from their number only,
//! and the signed root binds that number. A block of `2^d` slots on a server's disk is a complete
//! subtree of height `d`. Roots and proofs therefore do not depend on the size of blocks, and each
//! server chooses its own. A proof of one of `n` entries contains at most `ceil(log2 n)` digests:
//! 688 bytes at `10^6`, 1 008 bytes at `10^9`. Deleting leaves a tombstone; ids are never reused.
//!
//! The full author stores all entries. The light author ([`LightAuthor`]) stores at most 48
//! digests. It appends without a request to the server. For changes it verifies a proof from an
//! untrusted server.
//!
//! # Example
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use block_directory::{BlockDirectory, DirectoryClient, Entry, EntryQuery, FullAuthor};
//! use ed25519_dalek::SigningKey;
//! use pad_core::{Sha256Ed25519, Suite};
//!
//! type S = Sha256Ed25519;
//!
//! // The author registers two objects.
//! let mut author = FullAuthor::<S>::new("photographs", SigningKey::from_bytes(&[7; 32]))?;
//! let mut server = BlockDirectory::<S>::new(*author.authority(), 7)?;
//! let (cat, dog) = (S::value(b"cat.jpg"), S::value(b"dog.jpg"));
//! let id = author.append(cat)?;
//! author.append(dog)?;
//! server.apply(&author.snapshot()?)?;
//!
//! // A client looks one up, and stores the hint with the object.
//! let mut client = DirectoryClient::<S>::new(*author.authority(), 7);
//! let (pending, request) = client.ask(EntryQuery::one(id));
//! let found = client.accept(&pending, &server.answer(&request)?)?;
//! assert_eq!(found.entries.get().of(id), Some(Entry::Live(cat)));
//! let hint = pad_core::codec::encode(&found.refreshed.ok_or("one entry")?);
//!
//! // With the hint, the next answer is shorter and proves the same statement.
//! let (pending, request) = client.ask_with_hint(id, &cat, &hint);
//! let found = client.accept(&pending, &server.answer(&request)?)?;
//! assert_eq!(found.entries.get().of(id), Some(Entry::Live(cat)));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Without its default features this crate is `no_std` (with `alloc`), and only verifies.
//!
//! The security argument and its assumptions: `docs/threat-model`. The format: `docs/format`.
//!
//! Source: Stanton, `McKeown`, Burns, Ateniese 2010, "`FastAD`: An authenticated directory for
//! billions of objects".
//!
//! `Deviation:` roots do not depend on the size of blocks. Hints are complete proofs and verified
//! as such. The server is not trusted; see the decision "roots of directories do not depend on
//! blocks".

#![cfg_attr(not(feature = "std"), no_std)]
// All of this code reads untrusted bytes.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

extern crate alloc;

#[cfg(feature = "std")]
mod author;
#[cfg(feature = "std")]
mod block_tree;
#[cfg(feature = "std")]
mod blocks;
mod client;
#[cfg(feature = "std")]
mod directory;
mod entry;
mod hint;
mod message;
mod opened;
#[cfg(feature = "std")]
mod operations;
mod proof;
mod query;
mod shape;
mod statement;
#[cfg(feature = "std")]
mod store;
mod strategy;

#[cfg(feature = "std")]
pub use author::{
    AuthorError, Changes, FullAuthor, LightAuthor, LightError, LightState, WitnessAnswerError,
};
pub use client::{AnswerError, DirectoryClient, Found, PendingEntries, PendingRange};
#[cfg(feature = "std")]
pub use directory::{BlockDirectory, RequestError};
pub use entry::{DIRECTORY, Entry, EntryId};
pub use hint::Hint;
pub use proof::{DirectoryProof, EntryProof, RangeProof};
pub use query::{EntryQuery, EntryRange, MOST_RANGE};
pub use statement::Entries;
#[cfg(feature = "std")]
pub use store::{CacheBudget, StoreError};

/// For the other crates of this workspace; no stability between versions.
#[doc(hidden)]
pub mod internals {
    #[cfg(feature = "std")]
    pub use crate::{
        block_tree::{BlockError, BlockTree},
        directory::CheckedUpdate,
        store::{log_path, suite_of},
    };
    pub use crate::{
        entry::{MOST_ENTRIES, entry_digest, root_digest},
        hint::{LONGEST_HINT, Offer, ShortCircuit},
        message::{DirectoryAnswer, EntryRequest, RangeRequest},
        opened::{BlockRoot, OpenedProof},
        query::{MOST_IDS, Selection},
    };

    /// Digests of blocks, for comparison.
    pub mod strategy {
        pub use crate::strategy::*;
    }
}
