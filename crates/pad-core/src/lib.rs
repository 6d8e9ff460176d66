//! Vocabulary and traits of persistent authenticated dictionaries (PADs).
//!
//! # Roles
//!
//! * The **author** holds a signing key and the latest contents ([`Dictionary`]). Each
//!   [`Dictionary::snapshot`] makes one [`Update`] with one [`SignedHead`].
//! * The **server** holds every version ([`Repository`]) and no key. Nobody trusts it.
//! * The **client** holds the author's public key and a [`TrustedView`]. It verifies
//!   ([`Untrusted::verify`]) and obtains [`Verified`] statements.
//!
//! # Map
//!
//! [`suite`]: hash, digest width and signature. [`digest`]: digests and the list of domain tags.
//! [`head`]: what the author signs. [`history`]: the log of all earlier heads. [`view`]: the
//! client's memory. [`equivocation`], [`contradiction`]: evidence against an author who forks.
//! [`codec`]: the wire format. [`ordered`]: keys from numbers, texts and tuples.
//!
//! Without the default feature `std` this crate is `no_std` (with `alloc`), which is all that a
//! verifier needs.
//!
//! Source of the model: Crosby & Wallach 2010, section 2.

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub mod codec;
pub mod contradiction;
pub mod dictionary;
pub mod digest;
pub mod equivocation;
pub mod error;
pub mod head;
pub mod head_log;
pub mod history;
pub mod key;
pub mod ordered;
pub mod proof;
pub mod repository;
pub mod signature;
pub mod snapshot_root;
pub mod suite;
pub mod update;
pub mod version;
pub mod view;
#[cfg(feature = "std")]
pub mod workers;

pub use contradiction::{Contradiction, ForkEvidence, Past, Testimony};
pub use dictionary::Dictionary;
pub use digest::{Digest, DigestBytes, Domain};
pub use equivocation::Equivocation;
pub use error::{ApplyError, DecodeError, InputError, LookupError, VerifyError};
pub use head::{DictionaryId, SchemeId, SignedHead, SnapshotHead};
pub use head_log::HeadLog;
pub use key::{Key, MAX_KEY_LENGTH, MAX_VALUE_LENGTH, Value};
pub use ordered::OrderedKey;
pub use proof::{Evidence, Proof, Untrusted, Verified};
pub use repository::Repository;
pub use signature::{AuthorKey, HeadSignature};
pub use snapshot_root::SnapshotRoot;
pub use suite::{Blake3Ed25519, Paper2010, Sha256Ed25519, Suite, SuiteId};
pub use update::{Attachment, Operation, Update, UpdateHead};
pub use version::Version;
pub use view::TrustedView;
#[cfg(feature = "std")]
pub use workers::Workers;
