//! Persistent authenticated dictionaries: a facade over the libraries, plus durable storage.
//!
//! A persistent authenticated dictionary (PAD) is a map that an author publishes in signed
//! versions. An untrusted server keeps all versions. A client verifies any answer about any version
//! with the author's public key alone.
//!
//! # Choosing an entry point
//!
//! | you need | take | it costs |
//! | --- | --- | --- |
//! | a dictionary in memory, whose family is a type | [`Author`], [`Server`] and [`Client`] of [`Tree`]`<`[`RedBlack`]`>` or [`Tuple`]`<`[`SpecLightweight`]`>` | see the family in `pad_tree` and `pad_tuple` |
//! | a durable dictionary on a disk, with the scheme in its key file | [`dynamic`], with [`SecretKey`] and [`PublicKey`] | a few fsyncs for each commit |
//! | to verify the output of `pad prove` or of a server only | [`PublicKey::load`], [`dynamic::verify`] | a signature and some hashes |
//! | to keep the newest head seen in a file | [`client_view`] | |
//! | entries by number, for 10^9 objects | [`block_directory`] | a read for each lookup |
//! | untrusted logs | `aad`, with the feature `aad` | milliseconds for each proof |
//! | over a network | the crates `pad-client` and `pad-service` | |
//!
//! ```
//! use authdict::{Author, Client, Key, Server, SigningKey};
//!
//! type Prices = authdict::Tree<authdict::RedBlack>;
//!
//! let mut author = Author::<Prices>::new("fruit prices", SigningKey::from_bytes(&[7; 32]))?;
//! author.put(b"apple", b"1.20")?;
//! let mut server = Server::<Prices>::new(author.public());
//! let version = server.apply(&author.snapshot()?)?;
//! let mut client = Client::<Prices>::new(author.public().clone());
//! client.advance(&server.head(version)?, None)?;
//! let lookup = client.check(&server.answer(version, &Key::from(b"apple"))?, &Key::from(b"apple"))?;
//! assert_eq!(lookup.get().answer.value(), Some(&b"1.20".into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//!
//! * [`pad_core`], [`pad_tree`] and [`pad_tuple`], re-exported: the common types, the twelve tree
//!   PADs, and the tuple PADs.
//! * [`block_directory`], re-exported: directories of numbered entries, each in a folder of its
//!   own.
//! * `keys::FileOwnerKey`, with the feature `file`: key files for owners of files on an untrusted
//!   server (`flexlist_service`).
//! * [`Durable`] and [`RecordedAuthor`]: server and author across crashes, over a
//!   [`Store`]; [`RedbStore`] is one in a file.
//! * [`Changes`]: the changes that an author gathers for a snapshot. A first snapshot may exceed
//!   memory.
//! * [`hosted`]: a repository of any family behind messages; [`durable`] makes it persistent.
//! * [`keys`]: key files. `trace`, with the feature of that name: recorded updates as CSV.
//! * [`SigningRecord`]: the newest head that an author has handed out. It prevents signing for an
//!   old store.
//! * [`CompleteHistory`]: every change of a key from one version to another.
//! * [`inspect`]: decodes a message, and shows step by step how a proof is checked.
//! * [`pending`]: changes that wait in a store until its author signs them.
//! * [`version_notes`]: names and creation times of versions. They are unsigned; the operator of
//!   the store vouches for them.
//! * [`evidence`]: evidence against an author's key that has signed two histories.
//! * [`exchange`]: auxiliary server messages next to heads, answers and updates.
//! * [`witnessed`]: the newest head in a public log with witnesses.
//! * [`dynamic`], [`question`], [`client_view`] and [`selection`]: everything chosen by name at run
//!   time, as the command line does.

pub mod answering;
pub mod author;
mod changes;
pub mod client_view;
pub mod complete;
mod description;
pub mod durable;
pub mod dynamic;
pub mod evidence;
pub mod exchange;
mod family;
pub mod hosted;
pub mod inspect;
mod kept_log;
pub mod keys;
#[cfg(feature = "object-store")]
pub mod objects;

mod offered;
mod own_keys;
#[cfg(feature = "log")]
pub mod parameters;
pub mod part;
pub mod pending;
pub mod question;
pub mod repository;
pub mod selection;
mod signing_keys;
pub mod signing_record;
pub mod store;
#[cfg(feature = "trace")]
pub mod trace;
mod tuple_file;
pub mod version_notes;
pub mod witnessed;

pub use answering::{AnswerError, Noted};
pub use author::{AuthorError, RecordedAuthor};
pub use block_directory;
pub use changes::Changes;
pub use complete::CompleteHistory;
pub use durable::{Checked, Durable};
pub use ed25519_dalek::SigningKey;
#[cfg(feature = "file")]
pub use keys::{FileOwnerKey, FileOwnerKeyError, FilePublic};
pub use keys::{KeyFileError, PublicKey, SchemeKey, SecretKey};
pub use pad_core::{
    self, Answers, ApplyError, Author, AuthorKey, Authored, Blake3Ed25519, Client, DecodeError,
    Dictionary, DictionaryId, Domain, Equivocation, Family, HeadSignature, Heads, Hosts,
    InputError, Key, LookupError, Operation, OrderedKey, Paper2010, Proof, Refusal, Repository,
    Response, SchemeId, Server, ServerError, Serves, Sha256Ed25519, SignedHead, SnapshotHead,
    SnapshotRoot, Suite, SuiteId, TrustedView, Untrusted, Update, Value, Verified, VerifyError,
    Version, Workers, codec, head::Authority,
};
#[cfg(feature = "log")]
pub use pad_log;
pub use pad_tree::{
    self, Answer, Authenticated, BalancingScheme, CacheEverywhere, CacheMedian, CacheNowhere,
    CacheSize, Difference, First, KeyHistory, KeyRange, Keys, Last, Lookup, Lookups, Neighbour,
    NodeCache, PathCopying, Predecessor, RangeContents, RedBlack, RedBlackAuthor,
    RedBlackCacheEverywhere, RedBlackCacheMedian, RedBlackCacheNowhere, RedBlackPathCopying,
    SkipList, SkipListAuthor, SkipListCacheEverywhere, SkipListCacheMedian, SkipListCacheNowhere,
    SkipListPathCopying, Successor, Treap, TreapAuthor, TreapCacheEverywhere, TreapCacheMedian,
    TreapCacheNowhere, TreapPathCopying, Tree, TreeAuthor, TreeProof, TreeQuery, TreeRepository,
    VersionedNodes,
};
pub use pad_tuple::{
    self, Tuple, TupleAuthor, TupleProof, TupleRepository,
    designs::{self, *},
};
#[cfg(feature = "log")]
pub use parameters::LogParameters;
pub use question::NotOffered;
pub use repository::{CheckError, RepositoryError};
pub use signing_keys::SigningKeys;
pub use signing_record::{SigningRecord, SigningRecordError};
pub use store::{
    RecordChange, Store, StoreError, StoredCheckpoint, any::AnyStore, redb_store::RedbStore,
};
