//! An author, and the heads and proofs of its dictionary.

use ed25519_dalek::SigningKey;
use pad_core::{
    AuthorKey, Authority, ConsistencyProof, DictionaryId, Digest, HistoryLog, InclusionProof,
    SchemeId, Sha256Ed25519, SignedHead, SnapshotHead, Suite, Untrusted, Verified, Version,
    internals::{Domain, EmptyDictionary, PrefixProof},
};

pub(crate) type S = Sha256Ed25519;
pub(crate) type D = Digest<32>;

/// The author of the golden vectors: its seed is the bytes 0, 1, .., 31.
pub(crate) fn signer() -> SigningKey {
    SigningKey::from_bytes(&core::array::from_fn(|i| u8::try_from(i).unwrap()))
}

pub(crate) fn other_signer() -> SigningKey {
    SigningKey::from_bytes(&[0xaa; 32])
}

pub(crate) fn author(signer: &SigningKey) -> AuthorKey {
    AuthorKey::from_bytes(signer.verifying_key().as_bytes()).unwrap()
}

pub(crate) fn authority() -> Authority {
    Authority {
        author: author(&signer()),
        dictionary: DictionaryId::from_bytes(*b"sixteen bytes id"),
        scheme: SchemeId(0x0102),
    }
}

pub(crate) const fn version(number: u64) -> Version {
    Version::new(number)
}

/// The digest of a number.
pub(crate) fn digest<S: Suite>(number: u64) -> S::Digest {
    S::hash(Domain::Value, &[&number.to_be_bytes()])
}

pub(crate) fn head<S: Suite>(number: u64, root: S::Digest, history: S::Digest) -> SnapshotHead<S> {
    let Authority {
        dictionary, scheme, ..
    } = authority();
    SnapshotHead {
        scheme,
        dictionary,
        version: version(number),
        root,
        history,
    }
}

/// A signed head with the digests of two numbers.
pub(crate) fn signed<S: Suite>(number: u64, root: u64, history: u64) -> SignedHead<S> {
    let head = head::<S>(number, digest::<S>(root), digest::<S>(history));
    head.sign(&signer()).unwrap()
}

pub(crate) fn verified(signed: SignedHead<S>) -> Verified<SnapshotHead<S>> {
    let verified = Untrusted::new(signed).verify(&authority(), &signed.head.version);
    verified.unwrap()
}

/// A dictionary's versions 1 and up.
#[derive(Clone, Default)]
pub(crate) struct Chain {
    log: HistoryLog<S>,
    heads: Vec<SignedHead<S>>,
}

impl Chain {
    /// Creates a dictionary in which version `v` has the root `digest(v)`.
    pub(crate) fn new(versions: u64) -> Self {
        let mut chain = Self::default();
        (1..=versions).for_each(|number| chain.push(digest::<S>(number)));
        chain
    }

    /// Returns this dictionary, forked after its latest version. Later roots are
    /// `digest(v + seed)`.
    pub(crate) fn continued(&self, seed: u64, versions: u64) -> Self {
        let mut chain = self.clone();
        (self.log.entries() + 1..=versions)
            .for_each(|number| chain.push(digest::<S>(number + seed)));
        chain
    }

    pub(crate) fn push(&mut self, root: D) {
        let entries = self.log.entries();
        let head = head::<S>(entries + 1, root, self.log.root(entries).unwrap());
        self.heads.push(head.sign(&signer()).unwrap());
        self.log.append(&root);
    }

    pub(crate) fn signed(&self, number: u64) -> SignedHead<S> {
        self.heads[usize::try_from(number - 1).unwrap()]
    }

    pub(crate) fn head(&self, number: u64) -> Untrusted<SignedHead<S>> {
        Untrusted::new(self.signed(number))
    }

    pub(crate) fn verified(&self, number: u64) -> Verified<SnapshotHead<S>> {
        if number == 0 {
            let empty = Untrusted::new(EmptyDictionary::new());
            return empty.verify(&authority(), &()).unwrap();
        }
        verified(self.signed(number))
    }

    pub(crate) fn inclusion(&self, older: u64, newer: u64) -> InclusionProof<S> {
        let proof = self.log.prove_inclusion(version(older), version(newer));
        proof.unwrap()
    }

    pub(crate) fn prefix(&self, older: u64, newer: u64) -> PrefixProof<S> {
        let proof = self.log.prove_prefix(version(older), version(newer));
        proof.unwrap()
    }

    pub(crate) fn consistency(&self, older: u64, newer: u64) -> ConsistencyProof<S> {
        let proof = self.log.prove_consistency(version(older), version(newer));
        proof.unwrap()
    }

    /// Like [`Self::consistency`], but unverified, as a view receives it. `None` if the log has no
    /// proof between these versions.
    pub(crate) fn continues(
        &self,
        older: u64,
        newer: u64,
    ) -> Option<Untrusted<ConsistencyProof<S>>> {
        let proof = self.log.prove_consistency(version(older), version(newer));
        proof.map(Untrusted::new)
    }
}
