//! Authenticated dictionaries: an author signs versions, an untrusted server answers lookups with
//! proofs, and a client verifies them with only the author's public key.
//!
//! ```standalone_crate
//! use authdict::{Author, Client, Key, RedBlack, SecretKey, Server, Tree};
//!
//! type Prices = Tree<RedBlack>; // or Tuple<SpecLightweight>, ..: the only line that changes
//!
//! # let folder = tempfile::tempdir()?;
//! # std::env::set_current_dir(folder.path())?;
//! let secret = SecretKey::create::<Prices>("prices.key", "fruit prices")?;
//! let mut author = Author::<Prices>::create("prices.pad", &secret)?;
//! author.put("apple", "1.20")?;
//! author.commit()?;
//!
//! let server = Server::<Prices>::open("prices.pad", secret.public())?;
//! let mut client = Client::<Prices>::open("prices.view", secret.public())?;
//! let answer = client.ask(&server, Key::from(b"apple"))?;
//! assert_eq!(answer.value(), Some(&"1.20".try_into()?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Choosing
//!
//! | you need | take | it costs |
//! | --- | --- | --- |
//! | to change and sign a dictionary | [`Author`] | a few fsyncs for each commit |
//! | to serve it, or a copy of it | [`Server`], in files or objects | block reads for each lookup |
//! | to verify | [`Client`], view in a file or in memory | a check of each head and each proof |
//! | the scheme that a key file names | [`AnyFamily`] as the family | |
//! | a server on the network | `Remote` of `pad-client` as a [`Source`] | a request per question |
//! | entries by number, for 10^9 objects | [`block_directory`] | a block read for each lookup |
//! | dictionaries in memory, without files or std | [`pad_core`], [`pad_tree`], [`pad_tuple`] | |
//!
//! # Map
//!
//! * [`Author`], [`Server`] and [`Client`]: the three roles. A [`Server`] owns a store, in files or
//!   in objects (feature `object-store`), and dereferences to a [`Keeper`]. [`Dictionary`] is the
//!   interface for queries, and [`Verifier`] checks answers.
//! * [`Scheme`]: families as types, and the question types that each family [`Asks`].
//! * [`SecretKey`] and [`PublicKey`]: key files. [`SigningRecord`]: a file with the newest head
//!   that an author has handed out, which prevents signing for an outdated store.
//! * [`evidence`]: proofs that an author's key has signed two histories.
//! * [`Changes`]: the changes that an author gathers for a version. For trees, they may exceed
//!   memory.
//! * [`CompleteHistory`]: every change of a key from one version to another.
//! * Feature `tracing`: spans of commits, updates, questions and answers at the level DEBUG.
//! * [`SuiteName`], [`SchemeName`], [`Question`], [`verify()`]: suites, schemes and questions that
//!   are chosen at run time.

#[macro_use]
mod span;

mod author;
mod changes;
mod client;
mod client_view;
mod complete;
mod description;
mod dictionary;
mod directory;
mod dynamic;
pub mod evidence;
mod exchange;
mod family;
mod heads;
mod inspect;
mod keeper;
mod keys;
#[cfg(feature = "object-store")]
mod objects;
mod own_keys;
#[cfg(feature = "log")]
mod parameters;
mod part;
mod pending;
mod question;
mod repository;
mod scheme;
mod selection;
mod server;
mod signing_keys;
mod signing_record;
mod store;
mod store_log;
#[cfg(feature = "trace")]
pub mod trace;
mod tuple_file;
mod verifier;
mod version_notes;
mod witnessed;

pub use author::Author;
pub use block_directory;
pub use changes::Changes;
pub use client::{AskError, Client, OpenClientError, Source};
pub use client_view::{
    NotFollowed, RefusedHead, StoredView, ViewAccessError, ViewAccessFault, ViewFileError,
};
pub use complete::CompleteHistory;
pub use dictionary::{AnswerError, Dictionary};
pub use dynamic::verify;
pub use heads::Heads;
pub use keeper::{CheckSummary, Keeper, Replica};
pub use keys::{KeyFileError, PublicKey, SecretFile, SecretKey, Zeroizing};
#[cfg(feature = "passphrase")]
pub use keys::{Passphrase, Work};
pub use pad_core::{
    self, Answer, ApplyError, Blake3Ed25519, DecodeError, DictionaryId, First, InputError, Key,
    KeyRange, Keys, Last, Lookup, LookupError, Lookups, Neighbour, Operation, Paper2010,
    Predecessor, RangeContents, Sha256Ed25519, Successor, Untrusted, Value, Verified, VerifyError,
    Version,
};
#[cfg(feature = "log")]
pub use pad_log;
pub use pad_tree::{
    self, CacheSize, Difference, KeyHistory, NodeCache, RedBlack, SkipList, Treap, Tree,
};
pub use pad_tuple::{self, Tuple, designs::*};
#[cfg(feature = "log")]
pub use parameters::LogParameters;
pub use question::{HeadText, NotOffered, Question, Refusal, Statement};
pub use repository::{AuthorError, CheckError, RepositoryError};
pub use scheme::{AnyFamily, Asks, Scheme};
#[cfg(feature = "log")]
pub use scheme::{Log, Membership};
pub use selection::{NamedScheme, SchemeName, SuiteName, UnknownName};
pub use server::Server;
pub use signing_keys::SigningKeys;
pub use signing_record::{SigningRecord, SigningRecordError};
pub use store::StoreError;
pub use verifier::Verifier;
pub use version_notes::{VersionNote, VersionNotes};
pub use witnessed::WitnessedError;

/// For the other crates of this workspace; no stability between versions.
#[doc(hidden)]
pub mod internals {
    #[cfg(feature = "file")]
    pub use crate::keys::{FileOwnerKey, FileOwnerKeyError, FilePublic};
    #[cfg(feature = "log")]
    pub use crate::parameters::origin_of;
    pub use crate::{
        client_view::ViewFile,
        keys::{DEFAULT_ENTRIES, SchemeKeyFormat},
        question::{LONGEST_QUESTION, verify_head},
        selection::SchemeFamily,
        store::{AnyStore, Record, RecordChange, Store, StoredCheckpoint, redb_store::RedbStore},
    };

    /// Block directories through messages.
    pub mod directory {
        pub use crate::directory::*;
    }
    /// Suites and schemes that are chosen at run time.
    pub mod dynamic {
        pub use crate::dynamic::*;
    }
    /// Lists of messages.
    pub mod exchange {
        pub use crate::exchange::*;
    }
    /// Decodes a message, and reports each step of a proof's check.
    pub mod inspect {
        pub use crate::inspect::*;
    }
    /// Stores in object stores.
    #[cfg(feature = "object-store")]
    pub mod objects {
        pub use crate::objects::*;
    }
    /// The keys of one range.
    pub mod part {
        pub use crate::part::*;
    }
    /// Changes that wait in a store until the author signs them.
    pub mod pending {
        pub use crate::pending::*;
    }
    /// Names and creation times of versions, which are not signed.
    pub mod version_notes {
        pub use crate::version_notes::*;
    }
    /// Heads in logs with witnesses.
    pub mod witnessed {
        pub use crate::witnessed::*;
    }
}
