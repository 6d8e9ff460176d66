//! Authenticated dictionaries: an author signs versions, an untrusted server answers look-ups with
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
//! | to serve it, or a copy of it | [`Server`], in files or objects | a read for each look-up |
//! | to verify | [`Client`], whose view is a file or in memory | a signature and some hashes |
//! | the scheme that a key file names | [`AnyFamily`] as the family | |
//! | a server on the network | `Remote` of `pad-client` as a [`Source`] | a request per question |
//! | entries by number, for 10^9 objects | [`block_directory`] | a read for each look-up |
//! | dictionaries in memory, without files or std | [`pad_core`], [`pad_tree`], [`pad_tuple`] | |
//!
//! # Map
//!
//! * [`Author`], [`Server`] and [`Client`]: the three roles. A [`Server`] owns a store, in files or
//!   in objects (feature `object-store`), and dereferences to a [`Keeper`]. [`Dictionary`] is the
//!   interface for queries, and [`Verifier`] checks answers.
//! * [`scheme`]: families as types, and the question types that each family [`Asks`].
//! * [`keys`]: key files. [`SigningRecord`]: the newest head that an author has handed out, in a
//!   file. It prevents signing for an outdated store.
//! * [`client_view`]: the newest head that a client has seen, in a file. [`evidence`]: proofs that
//!   an author's key has signed two histories.
//! * [`Changes`]: the changes that an author gathers for a version. For trees, they may exceed
//!   memory. [`pending`]: changes that wait in a store until the author signs them.
//! * [`CompleteHistory`]: every change of a key from one version to another.
//! * [`inspect`]: decodes a message, and reports each step of a proof's check.
//! * [`version_notes`]: names and creation times of versions. They are unsigned; the operator of
//!   the store vouches for them.
//! * [`exchange`], [`witnessed`], [`part`]: for services. [`dynamic`], [`question`] and
//!   [`selection`]: suites and schemes that are chosen by name at run time. `trace`, with the
//!   feature of this name: recorded updates as CSV or JSON lines.

pub mod author;
mod changes;
pub mod client;
pub mod client_view;
pub mod complete;
mod description;
pub mod dictionary;
pub mod dynamic;
pub mod evidence;
pub mod exchange;
mod family;
pub mod inspect;
pub mod keeper;
pub mod keys;
#[cfg(feature = "object-store")]
pub mod objects;
mod own_keys;
#[cfg(feature = "log")]
pub mod parameters;
pub mod part;
pub mod pending;
pub mod question;
pub mod repository;
pub mod scheme;
pub mod selection;
pub mod server;
mod signing_keys;
pub mod signing_record;
pub mod store;
mod store_log;
#[cfg(feature = "trace")]
pub mod trace;
mod tuple_file;
mod verifier;
pub mod version_notes;
pub mod witnessed;

pub use author::Author;
pub use block_directory;
pub use changes::Changes;
pub use client::{AskError, Client, OpenClientError, Source};
pub use complete::CompleteHistory;
pub use dictionary::{AnswerError, Dictionary, UnprovedCallback};
pub use ed25519_dalek::SigningKey;
pub use keeper::{CheckSummary, Keeper, Replica};
#[cfg(feature = "file")]
pub use keys::{FileOwnerKey, FileOwnerKeyError, FilePublic};
pub use keys::{KeyFileError, PublicKey, SchemeKey, SecretKey};
pub use pad_core::{
    self, Answers, ApplyError, AuthorKey, Authored, Authority, Blake3Ed25519, DecodeError,
    DictionaryId, Equivocation, Family, HeadSignature, Heads, Hosts, InputError, Key, LookupError,
    Operation, OrderedKey, Paper2010, Refusal, Repository, Response, SchemeId, ServerError, Serves,
    Sha256Ed25519, SignedHead, SnapshotHead, Suite, TrustedView, Untrusted, Update, Value,
    Verified, VerifyError, Version, Workers, codec,
    internals::{Domain, Proof, SnapshotRoot, SuiteId},
};
pub use pad_core::{
    Answer, First, KeyRange, Keys, Last, Lookup, Lookups, Neighbour, Predecessor, RangeContents,
    Successor,
};
#[cfg(feature = "log")]
pub use pad_log;
pub use pad_tree::{
    self, CacheEverywhere, CacheMedian, CacheNowhere, CacheSize, Difference, KeyHistory, NodeCache,
    PathCopying, RedBlack, RedBlackAuthor, RedBlackCacheEverywhere, RedBlackCacheMedian,
    RedBlackCacheNowhere, RedBlackPathCopying, SkipList, SkipListAuthor, SkipListCacheEverywhere,
    SkipListCacheMedian, SkipListCacheNowhere, SkipListPathCopying, Treap, TreapAuthor,
    TreapCacheEverywhere, TreapCacheMedian, TreapCacheNowhere, TreapPathCopying, Tree, TreeAuthor,
    TreeProof, TreeRepository, VersionedNodes,
    internals::{Authenticated, BalancingScheme, TreeQuery},
};
pub use pad_tuple::{
    self, Tuple, TupleAuthor, TupleProof, TupleRepository,
    designs::{self, *},
};
#[cfg(feature = "log")]
pub use parameters::LogParameters;
pub use question::NotOffered;
pub use repository::{AuthorError, CheckError, RepositoryError};
pub use scheme::{AnyFamily, Asks, Scheme};
#[cfg(feature = "log")]
pub use scheme::{Log, Membership};
pub use selection::NamedScheme;
pub use server::Server;
pub use signing_record::{SigningRecord, SigningRecordError};
pub use store::{
    AnyStore, RecordChange, Store, StoreError, StoredCheckpoint, redb_store::RedbStore,
};
pub use verifier::Verifier;
