//! The history log: an append-only Merkle tree over the roots of all earlier versions.
//!
//! The tree has the shape of RFC 9162 (Certificate Transparency 2.0), section 2.1. A list of `n`
//! leaves is split at the largest power of two below `n`. Leaf `i` is version `i + 1`:
//! `hash(HistoryLeaf, version ‖ root)`, the version as 8 big-endian bytes.
//!
//! The head of version `v` contains the root over the `v - 1` versions before it. A client that
//! trusts one head can check any older version ([`InclusionProof`]). It can also check that a newer
//! head changed no older version ([`ConsistencyProof`]). Each check takes `O(log versions)` hashes.
//!
//! ```
//! # use ed25519_dalek::SigningKey;
//! # use pad_core::{AuthorKey, DictionaryId, SchemeId, Sha256Ed25519, SnapshotHead};
//! # use pad_core::Authority;
//! # let signer = SigningKey::from_bytes(&[7; 32]);
//! # let author = AuthorKey::from_bytes(signer.verifying_key().as_bytes())?;
//! # let dictionary = DictionaryId::from_name("example");
//! # let authority = Authority { author, dictionary, scheme: SchemeId(1) };
//! # let empty = SnapshotHead::<Sha256Ed25519>::empty(authority.scheme, dictionary);
//! use pad_core::{HistoryLog, Untrusted, Version};
//!
//! let mut log = HistoryLog::<Sha256Ed25519>::default();
//! (1..=6).for_each(|_| log.append(&empty.root));
//! let history = log.root(6).ok_or("six entries")?;
//! let newest = SnapshotHead { version: Version::new(7), history, ..empty }.sign(&signer)?;
//! let newest = Untrusted::new(newest).verify(&authority, &Version::new(7))?;
//!
//! let proof = log.prove_inclusion(Version::new(3), Version::new(7)).ok_or("3 is before 7")?;
//! let past = Untrusted::new(proof).verify(&newest, &Version::new(3))?;
//! assert_eq!(past.get().root, empty.root);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`ConsistencyProof`] has two parts, and neither follows from the other:
//!
//! * RFC 9162's consistency proof between the two history roots: all versions *before* the older
//!   one are unchanged.
//! * An inclusion proof for the older version itself, which its own history root does not cover.
//!
//! If a consistency proof fails, [`InclusionProof`] and [`PrefixProof`] prove the older root and
//! history to which the newer head commits: see [`contradiction`](crate::contradiction).

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{
    codec::Message,
    digest::Domain,
    error::VerifyError,
    head::SnapshotHead,
    merkle::{self, PathError},
    proof::{Proof, Verified},
    suite::Suite,
    version::Version,
};

#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "not reached by check"
)]
mod log;
mod prefix;
#[allow(clippy::arithmetic_side_effects, reason = "not reached by check")]
pub(crate) mod subtrees;
#[cfg(test)]
mod tests;

pub use log::{Frontier, HistoryLog};
pub use prefix::{PastHistory, PrefixProof};
pub use subtrees::Subtrees;

/// The root of a history log without entries.
pub fn empty_root<S: Suite>() -> S::Digest {
    S::empty_history()
}

fn leaf<S: Suite>(version: u64, root: &S::Digest) -> S::Digest {
    let version = version.to_be_bytes();
    S::hash(Domain::HistoryLeaf, &[&version, root.as_ref()])
}

fn node<S: Suite>(left: &S::Digest, right: &S::Digest) -> S::Digest {
    S::node(Domain::HistoryNode, left, right)
}

/// Evidence that the history log under a newer head contains an older version with a certain root.
///
/// Verified against a newer verified head. The query is the older version. The statement is the
/// root of the older version, as [`PastRoot`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct InclusionProof<S: Suite> {
    root: S::Digest,
    #[serde(deserialize_with = "crate::codec::digests")]
    path: Vec<S::Digest>,
}

/// The root of an older version, according to a newer head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastRoot<S: Suite> {
    /// The older version.
    pub version: Version,
    /// The root of the older version's contents.
    pub root: S::Digest,
}

impl<S: Suite> Message for InclusionProof<S> {
    const KIND: u8 = 2;
    const SUITE: u16 = S::ID.0;
    const INJECTIVE: bool = true;
}

impl<S: Suite> Proof for InclusionProof<S> {
    type Commitment = Verified<SnapshotHead<S>>;
    type Query = Version;
    type Statement = PastRoot<S>;
    type Error = VerifyError;

    fn check(
        self,
        newer: &Verified<SnapshotHead<S>>,
        version: &Version,
    ) -> Result<PastRoot<S>, VerifyError> {
        let (version, root) = (*version, self.root);
        check_inclusion::<S>(newer.get(), version, &root, &self.path)?;
        Ok(PastRoot { version, root })
    }
}

/// Evidence that a newer head continues an older head without changing its history.
///
/// Verified against the older verified head. The query is the newer head, verified by its
/// signature. The statement is a [`Continuation`], which contains the newer head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct ConsistencyProof<S: Suite> {
    /// The path from the older version's leaf to the newer history root.
    #[serde(deserialize_with = "crate::codec::digests")]
    inclusion: Vec<S::Digest>,
    /// RFC 9162's consistency proof between the two history roots.
    #[serde(deserialize_with = "crate::codec::digests")]
    prefix: Vec<S::Digest>,
}

/// A newer head whose history contains an older head and all versions before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Continuation<S: Suite> {
    /// The version of the older head.
    pub older: Version,
    /// The newer head.
    pub newer: SnapshotHead<S>,
}

impl<S: Suite> Message for ConsistencyProof<S> {
    const KIND: u8 = 3;
    const SUITE: u16 = S::ID.0;
    const INJECTIVE: bool = true;
}

impl<S: Suite> Proof for ConsistencyProof<S> {
    type Commitment = Verified<SnapshotHead<S>>;
    type Query = Verified<SnapshotHead<S>>;
    type Statement = Continuation<S>;
    type Error = VerifyError;

    fn check(
        self,
        older: &Verified<SnapshotHead<S>>,
        newer: &Verified<SnapshotHead<S>>,
    ) -> Result<Continuation<S>, VerifyError> {
        let (older, newer) = (older.get(), newer.get());
        if older.dictionary != newer.dictionary {
            return Err(VerifyError::WrongDictionary);
        }
        if older.scheme != newer.scheme {
            let (expected, actual) = (older.scheme.0, newer.scheme.0);
            return Err(VerifyError::WrongScheme { expected, actual });
        }
        if older.version >= newer.version {
            let (expected, actual) = (older.version, newer.version);
            return Err(VerifyError::WrongVersion { expected, actual });
        }
        if older.version != Version::EMPTY {
            check_inclusion::<S>(newer, older.version, &older.root, &self.inclusion)?;
            check_prefix::<S>(older, newer, &self.prefix)?;
        } else if !self.inclusion.is_empty() || !self.prefix.is_empty() {
            return Err(VerifyError::MalformedHistoryProof);
        }
        Ok(Continuation {
            older: older.version,
            newer: *newer,
        })
    }
}

/// Verifies that `path` leads from the leaf of an older version to the history root in the head
/// `newer` (RFC 9162, section 2.1.3.2).
fn check_inclusion<S: Suite>(
    newer: &SnapshotHead<S>,
    version: Version,
    root: &S::Digest,
    path: &[S::Digest],
) -> Result<(), VerifyError> {
    if version == Version::EMPTY || version >= newer.version {
        let (expected, actual) = (version, newer.version);
        return Err(VerifyError::WrongVersion { expected, actual });
    }
    let place = [version, newer.version].map(|version| version.number().saturating_sub(1));
    let leaf = leaf::<S>(version.number(), root);
    let whole = merkle::included(node::<S>, place.into(), leaf, path);
    if whole.map_err(malformed)? == newer.history {
        Ok(())
    } else {
        Err(VerifyError::HistoryMismatch)
    }
}

/// Verifies that the log under the head `older` is a prefix of the log under `newer` (RFC 9162,
/// section 2.1.4.2). `older` is at least version 1 and older than `newer`.
fn check_prefix<S: Suite>(
    older: &SnapshotHead<S>,
    newer: &SnapshotHead<S>,
    path: &[S::Digest],
) -> Result<(), VerifyError> {
    let first = older.version.number().saturating_sub(1);
    let [history, whole] = if first > 0 {
        let entries = newer.version.number().saturating_sub(1);
        let roots = merkle::consistent(node::<S>, (first, entries), older.history, path);
        roots.map_err(malformed)?
    } else if path.is_empty() {
        [empty_root::<S>(), newer.history]
    } else {
        return Err(VerifyError::MalformedHistoryProof);
    };
    if history == older.history && whole == newer.history {
        Ok(())
    } else {
        Err(VerifyError::HistoryMismatch)
    }
}

/// Maps both errors about the length of a path to [`VerifyError::MalformedHistoryProof`].
fn malformed(_: PathError) -> VerifyError {
    VerifyError::MalformedHistoryProof
}
