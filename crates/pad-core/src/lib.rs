//! Vocabulary and traits of persistent authenticated dictionaries (PADs).
//!
//! # Roles
//!
//! * The **author** ([`Author`]) holds a signing key and the latest contents ([`Dictionary`]). Each
//!   snapshot produces one [`Update`] with one [`SignedHead`].
//! * The **server** ([`Server`]) holds the versions ([`Repository`]) and no signing key. It is
//!   untrusted.
//! * The **client** ([`Client`]) holds the author's public key and a [`TrustedView`]. It asks a
//!   question, verifies the answer, and obtains a [`Verified`] statement.
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
//! # Map
//!
//! * [`Family`], [`Answers`]: traits of a family for clients. [`Authored`], [`Hosts`], [`Serves`]:
//!   traits for authors and servers.
//! * [`Suite`]: hash, digest width and signature. [`SnapshotHead`]: the statement that the author
//!   signs.
//! * [`TrustedView`]: the client's state.
//! * [`Equivocation`], [`Contradiction`]: evidence that an author forked, that is, signed two
//!   different histories.
//! * [`codec`]: the wire format. [`OrderedKey`]: keys from numbers, texts and tuples.
//!
//! Without the default feature `std` this crate is `no_std` (with `alloc`). This suffices for
//! verifiers.
//!
//! Source of the model: Crosby & Wallach 2010, section 2.

#![cfg_attr(not(feature = "std"), no_std)]
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

extern crate alloc;

mod author;
mod bounded;
mod client;
pub mod codec;
mod contradiction;
mod dictionary;
mod digest;
mod equivocation;
mod error;
mod family;
mod head;
mod head_log;
mod history;
mod hosting;
mod key;
mod key_range;
mod merkle;
mod ordered;
mod pending;
mod proof;
mod question;
mod repository;
mod response;
mod server;
mod signature;
mod snapshot_root;
mod statement;
mod suite;
mod update;
mod version;
mod view;
mod workers;

pub use author::{Author, NewAuthorError};
pub use client::{Client, Refusal, RefusalOf};
pub use contradiction::{Contradiction, ForkEvidence, Past};
pub use dictionary::Dictionary;
pub use digest::Digest;
pub use equivocation::Equivocation;
pub use error::{ApplyError, DecodeError, InputError, LookupError, StoreFault, VerifyError};
pub use family::{Answers, Family, PublicKey, VerifiedRoot};
pub use head::{
    Authority, DictionaryId, ParseDictionaryIdError, SchemeId, SignedHead, SnapshotHead,
};
pub use head_log::{HeadLog, Heads};
pub use history::{ConsistencyProof, Frontier, HistoryLog, InclusionProof};
pub use hosting::{Authored, Hosts, Serves};
pub use key::{Key, MAX_KEY_LENGTH, MAX_VALUE_LENGTH, Value};
pub use key_range::KeyRange;
pub use ordered::OrderedKey;
pub use proof::{Proof, Untrusted, Verified};
pub use question::{First, Keys, Last, Predecessor, Question, Successor};
pub use repository::Repository;
pub use response::Response;
pub use server::{Server, ServerError};
pub use signature::{AuthorKey, HeadSignature, HeadSigner};
pub use statement::{Answer, Lookup, Lookups, Neighbour, RangeContents};
pub use suite::{Blake3Ed25519, Paper2010, Sha256Ed25519, Suite, SuiteId};
pub use update::{Operation, Update};
pub use version::Version;
pub use view::TrustedView;
pub use workers::Workers;

/// For the other crates of this workspace; no stability between versions.
#[doc(hidden)]
pub mod internals {
    #[cfg(feature = "std")]
    pub use crate::workers::{for_each_piece, for_each_range};
    pub use crate::{
        bounded::{at_most, sequence},
        contradiction::Testimony,
        digest::{DigestBytes, Domain},
        equivocation::Forked,
        head::EmptyDictionary,
        head_log::check_next,
        history::{Continuation, PastHistory, PastRoot, PrefixProof, Subtrees, empty_root},
        hosting::ProofOf,
        pending::PendingChanges,
        signature::{SIGNATURE_LENGTH, refusal_reason},
        snapshot_root::SnapshotRoot,
        update::{Attachment, UpdateHead},
        view::Refused,
    };

    /// The shapes of history logs and directories.
    pub mod merkle {
        pub use crate::merkle::*;
    }
}
