//! A server's log of the signed heads of all versions, for repositories of any family.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{
    digest::Digest,
    error::{ApplyError, InputError, LookupError, StoreFault, VerifyError},
    head::{Authority, SignedHead, SnapshotHead},
    history::{
        ConsistencyProof, Frontier, HistoryLog, InclusionProof, PrefixProof, Subtrees,
        subtrees::{MissingDigest, prove_consistency, prove_inclusion, prove_prefix},
    },
    proof::Untrusted,
    signature::{HeadSignature, SIGNATURE_LENGTH},
    suite::Suite,
    version::Version,
};

/// Every head of one dictionary from version 1 on, without gaps.
///
/// Space: a signature and a root for each version, and at most a quarter of a digest for the
/// history.
///
/// Decoding verifies the latest head, which commits to the roots of all versions. Cost: one
/// signature check, and `O(versions)` hashes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "", try_from = "UncheckedHeadLog<S>")]
pub struct HeadLog<S: Suite> {
    authority: Authority,
    /// The roots of all versions, as a history log.
    log: HistoryLog<S>,
    signatures: Vec<Digest<SIGNATURE_LENGTH>>,
    /// The history root in the latest head, which is part of most answers. It follows from `log`;
    /// zero if the log is empty.
    #[serde(skip)]
    latest_history: S::Digest,
}

impl<S: Suite> HeadLog<S> {
    /// Creates an empty log for the heads of one author, dictionary and scheme.
    pub fn new(authority: Authority) -> Self {
        Self {
            authority,
            log: HistoryLog::default(),
            signatures: Vec::new(),
            latest_history: S::Digest::default(),
        }
    }

    /// The author, dictionary and scheme of the heads.
    pub const fn authority(&self) -> &Authority {
        &self.authority
    }

    /// The latest version in the log; version 0 if the log is empty.
    pub fn latest(&self) -> Version {
        Version::new(self.log.entries())
    }

    /// Checks that an update from version `base` with head `head` is the successor of the log's
    /// latest version. Time: one signature check, and `O(log versions)` hashes.
    ///
    /// # Errors
    /// * [`ApplyError::VersionGap`] if `base` is not the latest version.
    /// * [`ApplyError::Head`] if the head does not verify.
    /// * [`ApplyError::HistoryMismatch`] if the head does not contain the history root of this log.
    pub fn check(&self, base: Version, head: &SignedHead<S>) -> Result<(), ApplyError> {
        let latest = self.latest();
        let history = self.log.root(latest.number());
        check_next(&self.authority, latest, history, base, head)
    }

    /// Appends the head of the next version. [`HeadLog::check`] must have accepted `head` before.
    pub fn append(&mut self, head: &SignedHead<S>) {
        let SignedHead { head, signature } = head;
        self.push(&head.root, signature);
        self.latest_history = head.history;
    }

    /// Creates the log of versions 1 and up from their roots and signatures, as read back from
    /// storage.
    ///
    /// Nothing is verified. Verify the latest head afterwards: it commits to all roots.
    ///
    /// Time: `O(versions)` hashes.
    pub fn from_rows(
        authority: Authority,
        rows: impl IntoIterator<Item = (S::Digest, HeadSignature)>,
    ) -> Self {
        let mut log = Self::new(authority);
        for (root, signature) in rows {
            log.push(&root, &signature);
        }
        log.with_latest_history()
    }

    fn push(&mut self, root: &S::Digest, signature: &HeadSignature) {
        self.log.append(root);
        self.signatures.push(Digest(signature.to_bytes()));
    }

    /// Derives the history root of the latest head.
    fn with_latest_history(mut self) -> Self {
        let before = self.log.entries().checked_sub(1);
        let history = before.and_then(|before| self.log.root(before));
        self.latest_history = history.unwrap_or_default();
        self
    }

    /// Returns the signed head of a version. Version 0 has no head.
    ///
    /// Time: constant for the latest version, `O(log versions)` hashes for an earlier one.
    ///
    /// # Errors
    /// [`LookupError::UnknownVersion`] if `version` is 0 or after the latest version.
    pub fn head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        let missing = self.unknown(version);
        let earlier = version.previous().ok_or(missing)?;
        let position = usize::try_from(earlier.number()).map_err(|_| missing)?;
        let signature = self.signatures.get(position).ok_or(missing)?;
        let Authority {
            dictionary, scheme, ..
        } = self.authority;
        let history = if version == self.latest() {
            self.latest_history
        } else {
            self.log.root(earlier.number()).ok_or(missing)?
        };
        let head = SnapshotHead {
            scheme,
            dictionary,
            version,
            root: *self.log.version_root(version).ok_or(missing)?,
            history,
        };
        let signature = HeadSignature::from_bytes(&signature.0);
        Ok(SignedHead { head, signature })
    }

    /// The signed head of the latest version; `None` if the log is empty.
    pub fn latest_head(&self) -> Option<SignedHead<S>> {
        self.head(self.latest()).ok()
    }

    /// The digests on the rightmost path of the history log, from which an author can continue the
    /// history.
    pub fn frontier(&self) -> Frontier<S> {
        // A log in memory does not fail and contains all of its entries.
        let frontier = Frontier::of(&self.log, self.log.entries());
        frontier.ok().flatten().unwrap_or_default()
    }

    /// The memory, in bytes, of the heads and the history log, without spare capacity.
    pub fn memory_bytes(&self) -> usize {
        let signatures = self.signatures.len().saturating_mul(SIGNATURE_LENGTH);
        signatures.saturating_add(self.log.memory_bytes())
    }

    fn unknown(&self, version: Version) -> LookupError {
        let latest = self.latest();
        LookupError::UnknownVersion { version, latest }
    }
}

impl<S: Suite> Subtrees<S> for HeadLog<S> {
    fn entries(&self) -> u64 {
        self.log.entries()
    }

    fn version_root(&self, version: Version) -> Result<Option<S::Digest>, StoreFault> {
        Ok(self.log.version_root(version).copied())
    }

    fn kept(&self, level: u32, index: u64) -> Result<Option<S::Digest>, StoreFault> {
        Subtrees::kept(&self.log, level, index)
    }
}

impl<S: Suite> Heads<S> for HeadLog<S> {
    fn head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        self.head(version)
    }
}

/// The heads of all versions of a dictionary in any storage, with proofs that they continue each
/// other.
///
/// Time of each proof: in memory, `O(log versions)` digests and hashes. A log that stores only left
/// subtrees recomputes each right subtree from one stored digest for each level below it. A proof
/// then takes `O(log^2 versions)`.
pub trait Heads<S: Suite>: Subtrees<S> {
    /// Returns the signed head of a version. Version 0 has no head.
    ///
    /// # Errors
    /// [`LookupError::UnknownVersion`] if the version has no head. The store's error if it cannot
    /// be read.
    fn head(&self, version: Version) -> Result<SignedHead<S>, LookupError>;

    /// Checks that a version exists.
    ///
    /// # Errors
    /// [`LookupError::UnknownVersion`] if `version` is after the latest version.
    #[doc(hidden)]
    fn require(&self, version: Version) -> Result<(), LookupError> {
        let latest = Version::new(self.entries());
        if version > latest {
            Err(LookupError::UnknownVersion { version, latest })
        } else {
            Ok(())
        }
    }

    /// Proves that the history log under the head of `newer` contains the root of `version`.
    ///
    /// # Errors
    /// * [`LookupError::UnknownVersion`] unless `newer` exists, and `version` is at least 1 and
    ///   below `newer`.
    /// * The store's error if a digest cannot be read.
    fn prove_inclusion(
        &self,
        version: Version,
        newer: Version,
    ) -> Result<InclusionProof<S>, LookupError>
    where
        Self: Sized,
    {
        self.require(newer)?;
        known(version, newer, prove_inclusion(self, version, newer))
    }

    /// Proves that the head of `newer` continues the head of `older`.
    ///
    /// # Errors
    /// * [`LookupError::UnknownVersion`] unless `newer` exists, and `older` is below `newer`.
    /// * The store's error if a digest cannot be read.
    fn prove_consistency(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<ConsistencyProof<S>, LookupError>
    where
        Self: Sized,
    {
        self.require(newer)?;
        known(older, newer, prove_consistency(self, older, newer))
    }

    /// Proves the history root of `version` (over all versions before it) under the head of
    /// `newer`.
    ///
    /// # Errors
    /// * [`LookupError::UnknownVersion`] unless `newer` exists, and `version` is at least 1 and
    ///   below `newer`.
    /// * The store's error if a digest cannot be read.
    #[doc(hidden)]
    fn prove_prefix(&self, version: Version, newer: Version) -> Result<PrefixProof<S>, LookupError>
    where
        Self: Sized,
    {
        self.require(newer)?;
        known(version, newer, prove_prefix(self, version, newer))
    }
}

impl<S: Suite, H: Heads<S>> Heads<S> for &H {
    fn head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        (**self).head(version)
    }
}

/// Converts the error of a proof about `version`. A missing digest becomes
/// [`LookupError::UnknownVersion`], which reports `newer` as the latest version.
fn known<T>(
    version: Version,
    newer: Version,
    proof: Result<T, MissingDigest>,
) -> Result<T, LookupError> {
    let latest = newer;
    let unknown = LookupError::UnknownVersion { version, latest };
    proof.map_err(|lack| lack.map_or(unknown, Into::into))
}

/// Checks that an update from version `base` with head `head` is the successor of version `latest`.
///
/// `history` is the root of the history log over the versions up to `latest`.
///
/// # Errors
/// The errors of [`HeadLog::check`], and [`ApplyError::Input`] if there is no version after
/// `latest`.
pub fn check_next<S: Suite>(
    authority: &Authority,
    latest: Version,
    history: Option<S::Digest>,
    base: Version,
    head: &SignedHead<S>,
) -> Result<(), ApplyError> {
    if base != latest {
        let (expected, actual) = (latest, base);
        return Err(ApplyError::VersionGap { expected, actual });
    }
    let next = latest.next();
    let next = next.ok_or(ApplyError::Input(InputError::CapacityExceeded))?;
    let verified = Untrusted::new(*head).verify(authority, &next);
    verified.map_err(ApplyError::Head)?;
    if history == Some(head.head.history) {
        Ok(())
    } else {
        Err(ApplyError::HistoryMismatch)
    }
}

#[derive(Deserialize)]
#[serde(bound = "")]
struct UncheckedHeadLog<S: Suite> {
    authority: Authority,
    log: HistoryLog<S>,
    signatures: Vec<Digest<SIGNATURE_LENGTH>>,
}

/// Error returned when a stored log of heads is inconsistent.
#[derive(Debug, thiserror::Error)]
enum HeadLogMismatch {
    #[error("the number of signatures differs from the number of versions")]
    Uneven,
    #[error("the latest head does not verify: {0}")]
    Head(#[from] VerifyError),
}

impl<S: Suite> TryFrom<UncheckedHeadLog<S>> for HeadLog<S> {
    type Error = HeadLogMismatch;

    fn try_from(unchecked: UncheckedHeadLog<S>) -> Result<Self, HeadLogMismatch> {
        let UncheckedHeadLog {
            authority,
            log,
            signatures,
        } = unchecked;
        if u64::try_from(signatures.len()) != Ok(log.entries()) {
            return Err(HeadLogMismatch::Uneven);
        }
        let read = Self {
            authority,
            log,
            signatures,
            latest_history: S::Digest::default(),
        };
        let read = read.with_latest_history();
        if let Some(head) = read.latest_head() {
            Untrusted::new(head).verify(&read.authority, &read.latest())?;
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::SigningKey;

    use super::*;
    use crate::{
        Sha256Ed25519, codec, head::DictionaryId, head::SchemeId, history::Frontier,
        signature::AuthorKey,
    };

    type S = Sha256Ed25519;

    fn signer() -> SigningKey {
        SigningKey::from_bytes(&[7; 32])
    }

    fn authority() -> Authority {
        Authority {
            author: AuthorKey::from_bytes(signer().verifying_key().as_bytes()).unwrap(),
            dictionary: DictionaryId::from_name("heads"),
            scheme: SchemeId(1),
        }
    }

    fn next(log: &HeadLog<S>, history: &Frontier<S>) -> SignedHead<S> {
        let Authority {
            dictionary, scheme, ..
        } = authority();
        let version = log.latest().next().unwrap();
        let head = SnapshotHead {
            scheme,
            dictionary,
            version,
            root: S::value(&version.number().to_be_bytes()),
            history: history.root(),
        };
        head.sign(&signer()).unwrap()
    }

    #[test]
    fn heads_come_back_and_gaps_are_refused() {
        let mut log = HeadLog::<S>::new(authority());
        let (mut heads, mut history) = (Vec::new(), Frontier::default());
        for number in 0..20 {
            let head = next(&log, &history);
            let (base, gap) = (Version::new(number), Version::new(number + 1));
            assert_eq!(log.check(base, &head), Ok(()));
            let (expected, actual) = (base, gap);
            let refused = ApplyError::VersionGap { expected, actual };
            assert_eq!(log.check(gap, &head), Err(refused));
            let mut forked = head;
            forked.head.history = head.head.root;
            let invalid = ApplyError::Head(VerifyError::SignatureInvalid);
            assert_eq!(log.check(base, &forked), Err(invalid));
            let forked = forked.head.sign(&signer()).unwrap();
            assert_eq!(log.check(base, &forked), Err(ApplyError::HistoryMismatch));
            log.append(&head);
            history.append(&head.head.root);
            heads.push(head);
        }
        for head in &heads {
            assert_eq!(log.head(head.head.version), Ok(*head));
        }
        assert_eq!(log.latest_head(), heads.last().copied());
        assert_eq!(log.frontier().root(), history.root());
        assert!(log.head(Version::EMPTY).is_err() && log.head(Version::new(21)).is_err());
    }

    /// Flips each byte of a stored log. Decoding then fails, or the next head stays unchanged.
    #[test]
    fn a_stored_log_whose_bytes_were_changed_leads_to_no_other_history() {
        let (mut log, mut history) = (HeadLog::<S>::new(authority()), Frontier::default());
        for _ in 0..24 {
            let head = next(&log, &history);
            log.append(&head);
            history.append(&head.head.root);
            if ![1, 7, 8, 9, 16, 24].contains(&log.latest().number()) {
                continue;
            }
            let bytes = codec::encode_body(&log);
            for place in 0..bytes.len() {
                let mut changed = bytes.clone();
                changed[place] ^= 1;
                if let Ok(changed) = codec::decode_body::<HeadLog<S>>(&changed) {
                    assert_eq!(changed.latest_head(), Some(head), "byte {place}");
                    assert_eq!(changed.frontier(), history, "byte {place}");
                }
            }
        }
    }

    #[test]
    fn a_stored_log_has_one_signature_for_each_version() {
        let mut log = HeadLog::<S>::new(authority());
        let bytes = codec::encode_body(&log);
        assert_eq!(codec::decode_body(&bytes), Ok(log.clone()));
        log.append(&next(&log, &Frontier::default()));
        let bytes = codec::encode_body(&log);
        assert_eq!(codec::decode_body(&bytes), Ok(log.clone()));
        log.signatures.pop();
        let bytes = codec::encode_body(&log);
        let refused = codec::decode_body::<HeadLog<S>>(&bytes);
        assert_eq!(refused, Err(crate::DecodeError::Malformed));
    }
}
