//! Prefix proofs: the history root of an older version under a newer head.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::{ConsistencyProof, empty_root, malformed, node};
use crate::{
    codec::Message,
    error::VerifyError,
    head::SnapshotHead,
    merkle,
    proof::{Proof, Verified},
    suite::Suite,
    version::Version,
};

/// Evidence for the history of an older version under a newer head.
///
/// Like RFC 9162's consistency proof between the two history roots, with one difference. The first
/// digest is always present, because the verifier computes the older root instead of knowing it.
/// For version 1, whose history is empty, the proof is empty.
///
/// Verified against a newer verified head. The query is the older version. The statement is the
/// history root of the older version, as [`PastHistory`]. An
/// [`InclusionProof`](super::InclusionProof) establishes the root of the older version's contents.
/// The two roots determine the older head, given its dictionary and scheme.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct PrefixProof<S: Suite> {
    #[serde(deserialize_with = "crate::codec::digests")]
    pub(super) path: Vec<S::Digest>,
}

/// The history root of an older version, according to a newer head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastHistory<S: Suite> {
    /// The older version.
    pub version: Version,
    /// The history root in the older head: over all versions before `version`.
    pub history: S::Digest,
}

impl<S: Suite> Message for PrefixProof<S> {
    const KIND: u8 = 8;
    const SUITE: u16 = S::ID.0;
    const INJECTIVE: bool = true;
}

impl<S: Suite> Proof for PrefixProof<S> {
    type Commitment = Verified<SnapshotHead<S>>;
    type Query = Version;
    type Statement = PastHistory<S>;
    type Error = VerifyError;

    fn check(
        self,
        newer: &Verified<SnapshotHead<S>>,
        version: &Version,
    ) -> Result<PastHistory<S>, VerifyError> {
        let (newer, version) = (newer.get(), *version);
        if version == Version::EMPTY || version >= newer.version {
            let (expected, actual) = (version, newer.version);
            return Err(VerifyError::WrongVersion { expected, actual });
        }
        let history = if version == Version::new(1) {
            if !self.path.is_empty() {
                return Err(VerifyError::MalformedHistoryProof);
            }
            empty_root::<S>()
        } else {
            let parts = self.path.split_first();
            let (start, path) = parts.ok_or(VerifyError::MalformedHistoryProof)?;
            let sizes = [version, newer.version].map(|version| version.number().saturating_sub(1));
            let roots = merkle::continued(node::<S>, sizes.into(), *start, path);
            let [prefix, whole] = roots.map_err(malformed)?;
            if whole != newer.history {
                return Err(VerifyError::HistoryMismatch);
            }
            prefix
        };
        Ok(PastHistory { version, history })
    }
}

impl<S: Suite> ConsistencyProof<S> {
    /// Converts this proof to a prefix proof for the version of `older`. This consistency proof may
    /// come from a log that differs from the log under `older`.
    ///
    /// A consistency proof omits its first digest if the number of versions before `older` is a
    /// power of two. The conversion then inserts the history root of `older`. The result does not
    /// verify if the two logs differ in this digest.
    pub(crate) fn prefix(&self, older: &SnapshotHead<S>) -> PrefixProof<S> {
        let left_out = older.version.number().saturating_sub(1).is_power_of_two();
        let start = left_out.then_some(older.history);
        PrefixProof {
            path: start.into_iter().chain(self.prefix.clone()).collect(),
        }
    }
}
