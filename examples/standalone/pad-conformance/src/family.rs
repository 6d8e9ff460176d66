//! The family as clients see it. The root is the digest of all entries, and a proof lists them all.

use std::{collections::BTreeMap, fmt::Debug, marker::PhantomData};

use pad_core::{
    Answer, Answers, Family, Key, Lookup, Proof, PublicKey, SchemeId, Sha256Ed25519, SnapshotHead,
    Suite, Untrusted, Value, Verified, VerifiedRoot, VerifyError, codec::Message,
};
use serde::{Deserialize, Serialize};

pub type Digest = <Sha256Ed25519 as Suite>::Digest;
pub type Contents = BTreeMap<Key, Value>;

/// The family with the rule `R`.
#[derive(Clone, Debug)]
pub struct List<R>(PhantomData<R>);

/// How a root is computed from entries, and compared with a signed root.
pub trait Rule: Clone + Debug + Send + Sync + 'static {
    /// The digest of entries in ascending order of keys.
    fn root(entries: &[(Key, Value)]) -> Digest {
        let bytes = |entry: &(Key, Value)| [entry.0.as_bytes(), entry.1.as_bytes()].map(counted);
        let bytes: Vec<u8> = entries.iter().flat_map(bytes).flatten().collect();
        digest(&bytes)
    }

    /// Whether `entries` are the contents of the version with the root `signed`.
    fn matches(entries: &[(Key, Value)], signed: Digest) -> bool {
        Self::root(entries) == signed
    }

    /// The entry that answers a question about `key`.
    fn select(entries: Vec<(Key, Value)>, key: &Key) -> Option<(Key, Value)> {
        entries.into_iter().find(|entry| entry.0 == *key)
    }
}

/// Bytes behind their number, so that different lists give different bytes.
fn counted(bytes: &[u8]) -> Vec<u8> {
    [&bytes.len().to_be_bytes()[..], bytes].concat()
}

fn digest(bytes: &[u8]) -> Digest {
    if bytes.is_empty() {
        let head = SnapshotHead::<Sha256Ed25519>::empty(SCHEME, "any".into());
        return head.root;
    }
    Sha256Ed25519::value(bytes)
}

#[derive(Clone, Debug)]
pub struct Sound;
impl Rule for Sound {}

/// A wrong rule: the root does not depend on the values.
#[derive(Clone, Debug)]
pub struct ForgetsValues;
impl Rule for ForgetsValues {
    fn root(entries: &[(Key, Value)]) -> Digest {
        let bytes = |entry: &(Key, Value)| counted(entry.0.as_bytes());
        let bytes: Vec<u8> = entries.iter().flat_map(bytes).collect();
        digest(&bytes)
    }
}

/// A wrong rule: a proof without entries shows that any version is empty.
#[derive(Clone, Debug)]
pub struct TrustsEmptyLists;
impl Rule for TrustsEmptyLists {
    fn matches(entries: &[(Key, Value)], signed: Digest) -> bool {
        entries.is_empty() || Self::root(entries) == signed
    }
}

/// A wrong rule: the next entry answers for a key that is absent.
#[derive(Clone, Debug)]
pub struct AnswersWithTheNext;
impl Rule for AnswersWithTheNext {
    fn select(entries: Vec<(Key, Value)>, key: &Key) -> Option<(Key, Value)> {
        entries.into_iter().find(|entry| entry.0 >= *key)
    }
}

/// A wrong rule: the root is a Bloom filter of the entries, which shows no entry to be missing.
#[derive(Clone, Debug)]
pub struct TrustsSubsets;
impl Rule for TrustsSubsets {
    fn root(entries: &[(Key, Value)]) -> Digest {
        let mut filter = [0; 32];
        for entry in entries {
            let bits = Sound::root(std::slice::from_ref(entry)).0;
            for bit in &bits[..8] {
                filter[usize::from(bit / 8)] |= 1 << (bit % 8);
            }
        }
        if entries.is_empty() {
            return digest(&[]);
        }
        pad_core::Digest(filter)
    }

    fn matches(entries: &[(Key, Value)], signed: Digest) -> bool {
        let root = Self::root(entries);
        if entries.is_empty() || signed == digest(&[]) {
            return root == signed;
        }
        let mut bytes = root.0.iter().zip(&signed.0);
        bytes.all(|(one, other)| one & !other == 0)
    }
}

/// All entries of a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct ListProof<R> {
    pub entries: Vec<(Key, Value)>,
    rule: PhantomData<R>,
}

impl<R> ListProof<R> {
    pub fn of(contents: &Contents) -> Self {
        let entries = contents
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()));
        Self {
            entries: entries.collect(),
            rule: PhantomData,
        }
    }
}

impl<R> Message for ListProof<R> {
    // Numbers from 192 to 207 are for the proofs of families outside of the project.
    const KIND: u8 = 192;
    const SUITE: u16 = Sha256Ed25519::ID.0;
}

impl<R: Rule> Proof for ListProof<R> {
    type Commitment = VerifiedRoot<Sha256Ed25519>;
    type Query = Key;
    type Statement = Lookup;
    type Error = VerifyError;

    fn check(self, at: &VerifiedRoot<Sha256Ed25519>, key: &Key) -> Result<Lookup, VerifyError> {
        if !self.entries.is_sorted_by(|one, next| one.0 < next.0) {
            return Err(VerifyError::UnorderedLeaves);
        }
        if !R::matches(&self.entries, at.root()) {
            return Err(VerifyError::RootMismatch);
        }
        let found = R::select(self.entries, key);
        Ok(Lookup {
            version: at.version(),
            key: key.clone(),
            answer: found.map_or(Answer::Absent, |(_, value)| Answer::Present(value)),
        })
    }
}

const SCHEME: SchemeId = SchemeId(0xff01);

impl<R: Rule> Family for List<R> {
    type Suite = Sha256Ed25519;
    type Key = ();
    type Error = VerifyError;
    const SCHEME: SchemeId = SCHEME;
    const NAME: &'static str = "list";
}

impl<R: Rule> Answers<Key> for List<R> {
    type Proof = ListProof<R>;

    fn verify(
        proof: Untrusted<ListProof<R>>,
        _: &PublicKey<Self>,
        at: &VerifiedRoot<Sha256Ed25519>,
        key: &Key,
    ) -> Result<Verified<Lookup>, VerifyError> {
        proof.verify(at, key)
    }
}
