//! Vocabulary and traits of persistent authenticated dictionaries (PADs).
//!
//! # Roles
//!
//! * The **author** ([`Author`]) holds a signing key and the latest contents ([`Dictionary`]). Each
//!   snapshot makes one [`Update`] with one [`SignedHead`].
//! * The **server** ([`Server`]) holds every version ([`Repository`]) and no key. Nobody trusts it.
//! * The **client** ([`Client`]) holds the author's public key and a [`TrustedView`]. It asks a
//!   [question], verifies the answer, and obtains a [`Verified`] [statement].
//!
//! All three are generic in the **family** of the dictionary ([`Family`]: how contents become a root, and how
//! answers are proved), which a program names once: `type Prices = Tree<RedBlack>;` (crate `pad-tree`).
//!
//! # Which one
//!
//! | you need | take | it costs |
//! | --- | --- | --- |
//! | to publish | [`Author`], or with a family's own author what [`Dictionary`] says | what the family signs and hashes for a change |
//! | to answer, without anybody's trust | [`Server`] over a [`Repository`] | what the family stores for a version |
//! | to follow a dictionary and check answers | [`Client`] | a signature for each head, hashes for each answer |
//! | to check one answer about a known version | [`Untrusted::verify`] of a [`Response`] | the same, without a memory of what was seen |
//! | keys of numbers, texts and tuples in their own order | [`OrderedKey`] | some bytes for each text |
//! | keys and values of plain bytes | [`Key::try_from`], [`Value::try_from`] | one copy |
//! | a proof that the author has signed two histories | [`Equivocation`], [`Contradiction`] | two signatures |
//! | threads | [`Workers`] | |
//! | a family | `Tree` (crate `pad-tree`): proofs of `log n` digests, updates of their changes | |
//! | | `Tuple` (crate `pad-tuple`): proofs of constant size, updates that grow with `n` | |
//!
//! # Map
//!
//! [`family`], [`hosting`]: what a family is, for clients, and for authors and servers. [`question`],
//! [`statement`], [`response`]: what is asked, established and sent. [`suite`]: hash, digest width and signature. [`digest`]: digests and the list of domain tags.
//! [`head`]: what the author signs. [`history`]: the log of all earlier heads, a tree as in [`merkle`]. [`view`]: the
//! client's memory. [`equivocation`], [`contradiction`]: evidence against an author who forks.
//! [`codec`]: the wire format. [`ordered`]: keys from numbers, texts and tuples.
//!
//! Without the default feature `std` this crate is `no_std` (with `alloc`), which is all that a
//! verifier needs.
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
