//! Persistent authenticated dictionaries: the facade over the libraries, and what makes them last.
//!
//! A persistent authenticated dictionary (PAD) is a map of which an author publishes signed
//! versions, an untrusted server keeps all of them, and a client checks any answer about any
//! version with the author's public key alone.
//!
//! # Map
//!
//! * [`pad_core`], [`pad_tree`] and [`pad_tuple`], re-exported: the vocabulary, the twelve tree
//!   PADs, and the tuple PADs.
//! * [`block_directory`], re-exported: directories of numbered entries, each in a folder of its own.
//! * `keys::FileOwnerKey`, with the feature `file`: key files for owners of files on a server that nobody
//!   trusts (`flexlist_service`).
//! * [`DurableRepository`] and [`DurableAuthor`]: server and author across crashes, over a
//!   [`Store`]; [`RedbStore`] is one in a file.
//! * [`Changes`]: what an author gathers for a snapshot, more than memory holds if it is the first.
//! * [`hosted`]: a repository of any family behind messages, which [`durable`] makes last.
//! * [`StorableRepository`], [`CheckpointedRepository`], [`ResumableRepository`] and
//!   [`AnsweringRepository`]: what other families of schemes must offer to be stored, continued and
//!   asked in the same way.
//! * [`keys`]: key files. `trace`, with the feature of that name: recorded updates as CSV.
//! * [`SigningRecord`]: what an author has handed out, so that an old store is not signed for.
//! * [`CompleteHistory`]: every change of a key, and from which version on.
//! * [`evidence`]: against an author's key that has signed two histories.
//! * [`exchange`]: what servers send beside heads, answers and updates.
//! * [`witnessed`]: the newest head, as a public log has it that witnesses watch.
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
mod kept_log;
pub mod keys;
#[cfg(feature = "object-store")]
pub mod objects;

mod offered;
mod own_keys;
#[cfg(feature = "aad")]
pub mod parameters;
pub mod question;
pub mod repository;
pub mod selection;
pub mod signing_record;
pub mod store;
#[cfg(feature = "trace")]
pub mod trace;
mod tuple_file;
pub mod witnessed;

#[cfg(feature = "aad")]
pub use aad;
pub use answering::{AnswerError, AnsweringRepository};
pub use author::{
    AuthorError, BatchAuthor, DurableAuthor, RecordedAuthor, ResumableRepository, SigningKeys,
};
pub use block_directory;
pub use changes::Changes;
pub use complete::CompleteHistory;
pub use durable::{Checked, Durable, DurableRepository};
pub use family::{tree::TreeStore, tuple::TupleSetup};
#[cfg(feature = "file")]
pub use keys::{FileOwnerKey, FileOwnerKeyError};
pub use keys::{KeyFileError, PublicKey, SchemeKey, SecretKey};
pub use pad_core::{
    self, ApplyError, AuthorKey, Blake3Ed25519, DecodeError, Dictionary, DictionaryId, Domain,
    Equivocation, HeadSignature, Heads, InputError, Key, LookupError, Operation, OrderedKey,
    Paper2010, Proof, Repository, Response, SchemeId, Sha256Ed25519, SignedHead, SnapshotHead,
    SnapshotRoot, Suite, SuiteId, TrustedView, Untrusted, Update, Value, Verified, VerifyError,
    Version, Workers, head::Authority,
};
pub use pad_tree::{
    self, Answer, Authenticated, BalancingScheme, CacheEverywhere, CacheMedian, CacheNowhere,
    CacheSize, Difference, First, KeyHistory, KeyRange, Keys, Last, Lookup, Lookups, Neighbour,
    NodeCache, PathCopying, Predecessor, RangeContents, RedBlack, RedBlackAuthor, SkipList,
    SkipListAuthor, Successor, Treap, TreapAuthor, TreeAuthor, TreeProof, TreeQuery,
    TreeRepository, VersionedNodes,
};
pub use pad_tuple::{self, TupleAuthor, TupleProof, TupleRepository};
#[cfg(feature = "aad")]
pub use parameters::LogParameters;
pub use question::NotOffered;
pub use repository::{CheckError, CheckpointedRepository, RepositoryError, StorableRepository};
pub use signing_record::{SigningRecord, SigningRecordError};
pub use store::{
    RecordChange, Store, StoreError, StoredCheckpoint, any::AnyStore, redb_store::RedbStore,
};
