//! Evidence that an author's heads of different versions do not belong to one history.
//!
//! A signed head is a *testimony* about its own version and, by its history, about every earlier
//! version. Two testimonies about one version contradict each other if they name different roots or
//! different histories ([`Contradiction`]):
//!
//! ```text
//!   head m  --signs-->    root and history of m
//!   head n  --includes--> root of m             (InclusionProof, m < n)
//!   head n  --extends-->  history of m          (PrefixProof,    m < n)
//! ```
//!
//! **No honest author can be accused.** An honest author signs one head for each version. The head
//! contains the root of that version's contents, and the root of the history log over the earlier
//! versions. All verified statements about version `k` under these heads therefore name the same
//! root of `k`, and the same history root of `k`. The two versions of an inclusion or prefix proof
//! determine the position of each digest in it. A second result would require a collision of the
//! suite's hash.
//!
//! **Every observed contradiction can be proved.** A client with a verified root of `k` received a
//! head of `k`, or a newer head with an inclusion proof. Two clients that verified different roots
//! of `k` therefore have two contradicting testimonies, and need no server.
//!
//! Suppose a client rejects head `n` because `n` does not continue head `m`. The client then needs
//! two proofs from a server that stores the log behind head `n`: the inclusion proof and the prefix
//! proof of `m`. They yield the root and the history of `m` according to head `n`. If both matched
//! head `m`, a consistency proof from the same log would verify. So at least one of the two proofs
//! contradicts head `m`.
//!
//! [`TrustedView::advance`] extracts evidence from a failing consistency proof that contains it.
//! [`TrustedView::accuse`] builds evidence from an inclusion or prefix proof. Evidence can always
//! be built, unless the history root in a signed head is not the root of any log. Honest servers
//! reject such a head.
//!
//! ```
//! # use ed25519_dalek::SigningKey;
//! # use pad_core::{AuthorKey, DictionaryId, SchemeId, Sha256Ed25519, SnapshotHead, Suite};
//! # use pad_core::Authority;
//! # let signer = SigningKey::from_bytes(&[7; 32]);
//! # let author = AuthorKey::from_bytes(signer.verifying_key().as_bytes())?;
//! # let dictionary = DictionaryId::from_name("example");
//! # let authority = Authority { author, dictionary, scheme: SchemeId(1) };
//! # let empty = SnapshotHead::<Sha256Ed25519>::empty(authority.scheme, dictionary);
//! use pad_core::{HistoryLog, Past, TrustedView, Untrusted, Version};
//!
//! // Two heads of different versions, by an author that was restored from a backup in between.
//! let seen = SnapshotHead { version: Version::new(1), ..empty }.sign(&signer)?;
//! let mut log = HistoryLog::default();
//! log.append(&Sha256Ed25519::value(b"another root of version 1"));
//! let history = log.root(1).ok_or("one entry")?;
//! let offered = SnapshotHead { version: Version::new(2), history, ..empty }.sign(&signer)?;
//!
//! let mut view = TrustedView::new(authority);
//! view.advance(Untrusted::new(seen), None)?;
//! let proof = log.prove_consistency(Version::new(1), Version::new(2)).map(Untrusted::new);
//! assert!(view.advance(Untrusted::new(offered), proof).is_err());
//!
//! // The server proves the root of version 1 under the offered head. This convicts the author.
//! let past = log.prove_inclusion(Version::new(1), Version::new(2)).ok_or("1 is before 2")?;
//! let evidence = view.accuse(Untrusted::new(offered), Past::Root(past))?;
//! let forked = Untrusted::new(evidence).verify(&authority, &())?;
//! assert_eq!(forked.get().version, Version::new(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`TrustedView::advance`]: crate::TrustedView::advance
//! [`TrustedView::accuse`]: crate::TrustedView::accuse

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{
    codec::{self, Message},
    equivocation::{Equivocation, Forked},
    error::{DecodeError, VerifyError},
    head::{Authority, SignedHead},
    history::{InclusionProof, PrefixProof},
    proof::{Proof, Untrusted},
    suite::Suite,
    version::Version,
};

/// Two testimonies about one version that cannot both be true.
///
/// Any holder of the author's public key can verify a contradiction. Only a holder of the signing
/// key can produce one. Two heads may contradict each other about several versions, and either
/// testimony may be `first`. All these contradictions are valid evidence.
///
/// Size: two heads, and at most two paths of about one digest for each doubling of the number of
/// versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Contradiction<S: Suite> {
    /// The version that both testimonies are about.
    pub version: Version,
    /// One testimony about `version`.
    pub first: Testimony<S>,
    /// The other testimony about `version`, which contradicts the first.
    pub second: Testimony<S>,
}

/// A signed head, used as a statement about its own version or an older one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Testimony<S: Suite> {
    /// The signed head that makes the statement.
    pub head: SignedHead<S>,
    /// The statement that the head makes, with its proof if the statement is about an older
    /// version.
    pub past: Past<S>,
}

/// The statement that a head makes in a [`Testimony`]: about its own version, or about an older one
/// with a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum Past<S: Suite> {
    /// The head's own root and history, as a statement about its own version.
    Own,
    /// The root of an older version's contents, with its proof under the head's history.
    Root(InclusionProof<S>),
    /// The history root of an older version, with its proof under the head's history.
    History(PrefixProof<S>),
}

impl<S: Suite> Message for Contradiction<S> {
    const KIND: u8 = 9;
    const SUITE: u16 = S::ID.0;
}

/// Verified against the [`Authority`], without a query. The statement is the version about which
/// the two heads contradict each other.
impl<S: Suite> Proof for Contradiction<S> {
    type Commitment = Authority;
    type Query = ();
    type Statement = Forked;
    type Error = VerifyError;

    fn check(self, authority: &Authority, (): &()) -> Result<Forked, VerifyError> {
        let version = self.version;
        let first = self.first.check(authority, version)?;
        let second = self.second.check(authority, version)?;
        let roots = (first.root.as_ref(), second.root.as_ref());
        let histories = (first.history.as_ref(), second.history.as_ref());
        if differ(roots) || differ(histories) {
            Ok(Forked { version })
        } else {
            Err(VerifyError::NoContradiction)
        }
    }
}

/// The digests that a verified testimony gives for its version: root of the contents, and history
/// root. A digest is `None` if the testimony does not contain it.
struct TestimonyDigests<S: Suite> {
    root: Option<S::Digest>,
    history: Option<S::Digest>,
}

impl<S: Suite> Testimony<S> {
    fn check(
        self,
        authority: &Authority,
        version: Version,
    ) -> Result<TestimonyDigests<S>, VerifyError> {
        let own = match &self.past {
            Past::Own => version,
            Past::Root(_) | Past::History(_) => self.head.head.version,
        };
        let head = Untrusted::new(self.head).verify(authority, &own)?;
        let (root, history) = match self.past {
            Past::Own => (Some(head.get().root), Some(head.get().history)),
            Past::Root(proof) => (Some(proof.check(&head, &version)?.root), None),
            Past::History(proof) => (None, Some(proof.check(&head, &version)?.history)),
        };
        Ok(TestimonyDigests { root, history })
    }
}

/// Whether both digests are present and differ.
fn differ<D: PartialEq>(both: (Option<&D>, Option<&D>)) -> bool {
    matches!(both, (Some(first), Some(second)) if first != second)
}

/// Evidence that an author forked, that is, signed heads that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForkEvidence<S: Suite> {
    /// Two different heads of one version.
    SameVersion(Equivocation<S>),
    /// Two statements about one version that contradict each other, normally by heads of different
    /// versions.
    AcrossVersions(Contradiction<S>),
}

impl<S: Suite> ForkEvidence<S> {
    /// Encodes the evidence as a message of kind [`Equivocation`] or [`Contradiction`].
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::SameVersion(evidence) => codec::encode(evidence),
            Self::AcrossVersions(evidence) => codec::encode(evidence),
        }
    }

    /// Decodes an enveloped [`Equivocation`] or [`Contradiction`], of at most `limit` bytes.
    ///
    /// # Errors
    /// [`DecodeError`], as for [`Untrusted::decode`]. For a message of any other kind, the error
    /// names the kind of [`Contradiction`] as the expected one.
    pub fn decode(bytes: &[u8], limit: usize) -> Result<Untrusted<Self>, DecodeError> {
        let evidence = match codec::decode(bytes, limit) {
            Err(DecodeError::WrongKind { actual, .. }) if actual == Equivocation::<S>::KIND => {
                Self::SameVersion(codec::decode(bytes, limit)?)
            }
            decoded => Self::AcrossVersions(decoded?),
        };
        Ok(Untrusted::new(evidence))
    }
}

/// Verified against the [`Authority`], without a query. The statement is the version about which
/// the two heads contradict each other.
impl<S: Suite> Proof for ForkEvidence<S> {
    type Commitment = Authority;
    type Query = ();
    type Statement = Forked;
    type Error = VerifyError;

    fn check(self, authority: &Authority, (): &()) -> Result<Forked, VerifyError> {
        match self {
            Self::SameVersion(evidence) => evidence.check(authority, &()),
            Self::AcrossVersions(evidence) => evidence.check(authority, &()),
        }
    }
}
