//! Vocabulary and traits of persistent authenticated dictionaries (PADs).
//!
//! # Roles
//!
//! * The **author** ([`Author`]) holds a signing key and the latest contents ([`Dictionary`]). Each
//!   snapshot produces one [`Update`] with one [`SignedHead`].
//! * The **server** ([`Server`]) holds the versions ([`Repository`]) and no signing key. It is
//!   untrusted.
//! * The **client** ([`Client`]) holds the author's public key and a [`TrustedView`]. It asks a
//!   [question], verifies the answer, and obtains a [`Verified`] [statement].
//!
//! All three are generic over the **family** of the dictionary ([`Family`]). A family defines how
//! contents become a root and how answers are proved. A program names its family once:
//! `type Prices = Tree<RedBlack>;` (crate `pad-tree`).
//!
//! # Choosing a type
//!
//! | task | type | cost |
//! | --- | --- | --- |
//! | publish | [`Author`], or a family's own [`Dictionary`] | the family's signing and hashing |
//! | answer questions as a server | [`Server`] over a [`Repository`] | the family's storage |
//! | follow a dictionary, check answers | [`Client`] | one signature per head, hashes per answer |
//! | one stateless check | [`Untrusted::verify`], per [`Response`] part | as for [`Client`] |
//! | order-preserving typed keys | [`OrderedKey`] | at least 2 extra bytes per text |
//! | keys and values of plain bytes | [`Key::try_from`], [`Value::try_from`] | one copy |
//! | prove that the author forked | [`Equivocation`], [`Contradiction`] | two signature checks |
//! | run large work on several threads | [`Workers`] | none if sequential |
//! | proofs of `log n` digests | `Tree` (crate `pad-tree`) | update size: the changes and a head |
//! | proofs of constant size | `Tuple` (crate `pad-tuple`) | most designs: updates grow with `n` |
//!
//! # Modules
//!
//! * [`family`]: traits of a family for clients. [`hosting`]: traits for authors and servers.
//! * [`question`], [`statement`], [`response`]: queries, verified results, messages of servers.
//! * [`suite`]: hash, digest width and signature. [`digest`]: digests and domain tags.
//! * [`head`]: the statement that the author signs.
//! * [`history`]: the log of all earlier versions, a tree as in [`merkle`].
//! * [`view`]: the client's state.
//! * [`equivocation`], [`contradiction`]: evidence that an author forked, that is, signed two
//!   different histories.
//! * [`codec`]: the wire format. [`ordered`]: keys from numbers, texts and tuples.
//!
//! Without the default feature `std` this crate is `no_std` (with `alloc`). This suffices for
//! verifiers.
//!
//! Source of the model: Crosby & Wallach 2010, section 2.

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub mod author;
pub mod client;
pub mod codec;
pub mod contradiction;
pub mod dictionary;
pub mod digest;
pub mod equivocation;
pub mod error;
pub mod family;
pub mod head;
pub mod head_log;
pub mod history;
pub mod hosting;
pub mod key;
pub mod key_range;
pub mod merkle;
pub mod ordered;
pub mod pending;
pub mod proof;
pub mod question;
pub mod repository;
pub mod response;
pub mod server;
pub mod signature;
pub mod snapshot_root;
pub mod statement;
pub mod suite;
pub mod update;
pub mod version;
pub mod view;
pub mod workers;

pub use author::{Author, NewAuthorError};
pub use client::{Client, Refusal, RefusalOf};
pub use contradiction::{Contradiction, ForkEvidence, Past, Testimony};
pub use dictionary::Dictionary;
pub use digest::{Digest, DigestBytes, Domain};
pub use equivocation::Equivocation;
pub use error::{ApplyError, DecodeError, InputError, LookupError, StoreFault, VerifyError};
pub use family::{Answers, Family, PublicKey};
pub use head::{DictionaryId, SchemeId, SignedHead, SnapshotHead};
pub use head_log::{HeadLog, Heads};
pub use hosting::{Authored, Hosts, Serves};
pub use key::{Key, MAX_KEY_LENGTH, MAX_VALUE_LENGTH, Value};
pub use key_range::KeyRange;
pub use ordered::OrderedKey;
pub use pending::PendingChanges;
pub use proof::{Proof, Untrusted, Verified};
pub use question::{First, Keys, Last, Predecessor, Question, Successor};
pub use repository::Repository;
pub use response::Response;
pub use server::{Server, ServerError};
pub use signature::{AuthorKey, HeadSignature, HeadSigner};
pub use snapshot_root::SnapshotRoot;
pub use statement::{Answer, Lookup, Lookups, Neighbour, RangeContents};
pub use suite::{Blake3Ed25519, Paper2010, Sha256Ed25519, Suite, SuiteId};
pub use update::{Attachment, Operation, Update, UpdateHead};
pub use version::Version;
pub use view::TrustedView;
pub use workers::Workers;
