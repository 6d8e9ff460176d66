//! An author, and the heads and proofs of its versions.

use ed25519_dalek::SigningKey;

use super::*;
use crate::{head::EmptyDictionary, signature::AuthorKey};

pub(super) fn version(number: u64) -> Version {
    Version::new(number)
}

pub(super) fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap()
}

pub(super) fn wrong_version(expected: u64, actual: u64) -> VerifyError {
    let [expected, actual] = [expected, actual].map(version);
    VerifyError::WrongVersion { expected, actual }
}

pub(super) fn junk(number: u64) -> D {
    S::hash(Domain::Value, &[&number.to_be_bytes()])
}

pub(super) fn signer() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

pub(super) fn authority() -> Authority {
    let author = AuthorKey::from_bytes(signer().verifying_key().as_bytes()).unwrap();
    Authority {
        author,
        dictionary: DictionaryId::from_bytes([1; 16]),
        scheme: SchemeId(1),
    }
}

/// Signs and verifies a head of this author, with any root and history.
pub(super) fn verified(number: u64, root: D, history: D) -> Verified<SnapshotHead<S>> {
    let Authority {
        dictionary, scheme, ..
    } = authority();
    let head = SnapshotHead {
        scheme,
        dictionary,
        version: version(number),
        root,
        history,
    };
    if number == 0 {
        let empty = Untrusted::new(EmptyDictionary::new());
        return empty.verify(&authority(), &()).unwrap();
    }
    let signed = Untrusted::new(head.sign(&signer()).unwrap());
    signed.verify(&authority(), &version(number)).unwrap()
}

/// A log, and the heads of versions 0 and up.
pub(super) struct Chain {
    pub(super) log: HistoryLog<S>,
    pub(super) heads: Vec<Verified<SnapshotHead<S>>>,
}

impl Chain {
    /// Versions 1 and up have the roots `junk(seed + version)`.
    pub(super) fn new(seed: u64, versions: u64) -> Self {
        let mut chain = Self {
            log: HistoryLog::default(),
            heads: Vec::new(),
        };
        chain.heads.push(verified(0, junk(0), junk(0)));
        for number in 1..=versions {
            chain.push(junk(seed + number));
        }
        chain
    }

    pub(super) fn push(&mut self, root: D) {
        let before = self.log.entries();
        let history = self.log.root(before).unwrap();
        self.heads.push(verified(before + 1, root, history));
        self.log.append(&root);
    }

    pub(super) fn head(&self, number: u64) -> &Verified<SnapshotHead<S>> {
        &self.heads[to_usize(number)]
    }

    pub(super) fn inclusion(&self, older: u64, newer: u64) -> InclusionProof<S> {
        let proof = self.log.prove_inclusion(version(older), version(newer));
        proof.unwrap()
    }

    pub(super) fn consistency(&self, older: u64, newer: u64) -> ConsistencyProof<S> {
        let proof = self.log.prove_consistency(version(older), version(newer));
        proof.unwrap()
    }

    pub(super) fn check_inclusion(
        &self,
        proof: InclusionProof<S>,
        older: u64,
        newer: u64,
    ) -> Result<PastRoot<S>, VerifyError> {
        proof.check(self.head(newer), &version(older))
    }

    pub(super) fn check_consistency(
        &self,
        proof: ConsistencyProof<S>,
        older: u64,
        newer: u64,
    ) -> Result<Continuation<S>, VerifyError> {
        proof.check(self.head(older), self.head(newer))
    }
}
