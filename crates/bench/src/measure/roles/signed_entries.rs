//! Baselines: the author signs entries one by one, without any authenticated data structure.
//!
//! A signature of `sign-each-entry` names the version, so each snapshot signs all entries again. A
//! signature of `sign-changed-entries` does not name the version. So a server can answer with an
//! old value and its old signature. Neither baseline proves that a key is absent.

use std::collections::BTreeMap;

use pad_core::{Answer, HeadSignature, HeadSigner, Key, Operation, Value, Version};
use signature::Signer;

use super::Roles;
use crate::{Outcome, prelude::ensure, primitives::author_key};

/// Entries that the author signs in a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedScope {
    /// All entries; each signature names the version.
    Each,
    /// Only changed entries; signatures do not name the version.
    Changed,
}

/// Author and server of a baseline dictionary whose entries are signed one by one.
pub struct SignedEntries {
    signed: SignedScope,
    signer: HeadSigner,
    /// Entries of the latest version, as the author stores them.
    entries: BTreeMap<Key, Value>,
    /// Number of the latest version that the author published.
    published: u64,
    /// Number of the latest version that the server applied.
    applied: u64,
    histories: Histories,
}

/// History of each key, as the server stores it.
type Histories = BTreeMap<Key, History>;

/// Server's state for one key: its values and its signatures, in all versions or in the latest one.
#[derive(Debug, Default)]
struct History {
    is_present: bool,
    /// Values, each with the number of the version that set it.
    values: Vec<(u64, Value)>,
    /// Runs of signatures. A run has the number of its first version, and one signature for each of
    /// several consecutive versions.
    signatures: Vec<(u64, Vec<HeadSignature>)>,
}

/// Update that the author sends: the changes, and the signatures of entries in the order of keys.
#[derive(Clone, Debug)]
pub struct SignedUpdate {
    operations: Vec<Operation>,
    signatures: Vec<HeadSignature>,
}

/// Proof for one key: its value, and the author's signature of the entry.
#[derive(Clone, Debug)]
pub struct SignedEntry {
    value: Value,
    signature: HeadSignature,
}

/// Version that a client asks about, and whether signatures name it.
#[derive(Clone, Debug)]
pub struct EntryStatement {
    signed: SignedScope,
    version: u64,
}

impl EntryStatement {
    /// Encodes the message that the author signs: the version, the length of the key, the key and
    /// the value. The version is 0 if signatures do not name it.
    fn bytes(&self, key: &Key, value: &Value) -> Vec<u8> {
        let version = match self.signed {
            SignedScope::Each => self.version,
            SignedScope::Changed => 0,
        };
        let length = (key.as_bytes().len() as u64).to_be_bytes();
        let (key, value) = (key.as_bytes(), value.as_bytes());
        [&version.to_be_bytes()[..], &length, key, value].concat()
    }

    /// Verifies the signature of `key`'s entry, and returns the value as the answer.
    fn verify(&self, entry: SignedEntry, key: &Key) -> Outcome<Answer> {
        author_key().verify(&self.bytes(key, &entry.value), &entry.signature)?;
        Ok(Answer::Present(entry.value))
    }
}

impl SignedEntries {
    /// Creates author and server of an empty dictionary.
    pub fn new(signed: SignedScope, signer: HeadSigner) -> Self {
        Self {
            signed,
            signer,
            entries: BTreeMap::new(),
            published: 0,
            applied: 0,
            histories: Histories::new(),
        }
    }

    const fn statement(&self, version: u64) -> EntryStatement {
        EntryStatement {
            signed: self.signed,
            version,
        }
    }

    /// Returns the entries that the author signs in the next version, in the order of keys.
    /// `latest` are the entries of the latest version, and `operations` the changes since.
    fn signed_next<'a>(
        &self,
        latest: impl Iterator<Item = (&'a Key, &'a Value)>,
        operations: &'a [Operation],
    ) -> BTreeMap<&'a Key, &'a Value> {
        let mut next: BTreeMap<&Key, &Value> = match self.signed {
            SignedScope::Each => latest.collect(),
            SignedScope::Changed => BTreeMap::new(),
        };
        for operation in operations {
            match operation {
                Operation::Put(key, value) => _ = next.insert(key, value),
                Operation::Remove(key) => _ = next.remove(key),
            }
        }
        next
    }
}

impl History {
    fn value(&self, version: u64) -> Option<&Value> {
        latest_until(&self.values, version).map(|(_, value)| value)
    }

    fn signature(&self, version: u64) -> Option<&HeadSignature> {
        let (since, signatures) = latest_until(&self.signatures, version)?;
        signatures.get((version - since) as usize)
    }

    fn sign(&mut self, version: u64, signature: HeadSignature) {
        match self.signatures.last_mut() {
            Some((since, last)) if *since + last.len() as u64 == version => last.push(signature),
            _ => self.signatures.push((version, vec![signature])),
        }
    }

    fn memory_bytes(&self) -> usize {
        let values = self.values.iter().map(|(_, value)| value.as_bytes().len());
        let signatures = self.signatures.iter().map(|(_, signed)| signed.capacity());
        values.sum::<usize>()
            + self.values.capacity() * size_of::<(u64, Value)>()
            + self.signatures.capacity() * size_of::<(u64, Vec<HeadSignature>)>()
            + signatures.sum::<usize>() * size_of::<HeadSignature>()
    }
}

/// Finds the last element whose version is at most `version`.
fn latest_until<T>(versions: &[(u64, T)], version: u64) -> Option<&(u64, T)> {
    let later = versions.partition_point(|(since, _)| *since <= version);
    versions.get(later.checked_sub(1)?)
}

impl Roles for SignedEntries {
    type Changes = Vec<Operation>;
    type Update = SignedUpdate;
    type Question = Key;
    type Head = EntryStatement;
    type Proof = SignedEntry;
    const NEEDS_HEAD: bool = false;

    fn prepare(&mut self, operations: Vec<Operation>) -> Outcome<Vec<Operation>> {
        Ok(operations)
    }

    fn publish(&mut self, changes: Vec<Operation>) -> Outcome<SignedUpdate> {
        self.published += 1;
        let statement = self.statement(self.published);
        let next = self.signed_next(self.entries.iter(), &changes);
        let sign = |(key, value)| self.signer.try_sign(&statement.bytes(key, value));
        let signatures: Result<Vec<_>, _> = next.into_iter().map(sign).collect();
        let signatures = signatures?;
        for operation in &changes {
            match operation {
                Operation::Put(key, value) => {
                    self.entries.insert(key.clone(), value.clone());
                }
                Operation::Remove(key) => _ = self.entries.remove(key),
            }
        }
        Ok(SignedUpdate {
            signatures,
            operations: changes,
        })
    }

    fn update_bytes(&self, update: &SignedUpdate) -> usize {
        let operation = |operation: &Operation| match operation {
            Operation::Put(key, value) => 3 + key.as_bytes().len() + value.as_bytes().len(),
            Operation::Remove(key) => 2 + key.as_bytes().len(),
        };
        let operations: usize = update.operations.iter().map(operation).sum();
        operations + update.signatures.len() * size_of::<HeadSignature>()
    }

    fn apply(&mut self, update: &SignedUpdate) -> Outcome<()> {
        let statement = self.statement(self.applied + 1);
        let latest = self.histories.iter().filter(|(_, it)| it.is_present);
        let latest = latest.filter_map(|(key, history)| Some((key, history.value(u64::MAX)?)));
        let next = self.signed_next(latest, &update.operations);
        let signed = next.iter().map(|(key, value)| statement.bytes(key, value));
        let signed: Vec<Vec<u8>> = signed.collect();
        let is_whole = signed.len() == update.signatures.len();
        ensure(is_whole, "not as many signatures as entries")?;
        let pairs = signed.iter().map(Vec::as_slice).zip(&update.signatures);
        author_key().verify_batch(&pairs.collect::<Vec<_>>())?;
        let signed: Vec<Key> = next.into_keys().cloned().collect();
        self.applied += 1;
        for operation in &update.operations {
            let history = self.histories.entry(operation.key().clone()).or_default();
            if self.signed == SignedScope::Changed {
                *history = History::default();
            }
            history.is_present = matches!(operation, Operation::Put(..));
            if let Operation::Put(_, value) = operation {
                history.values.push((self.applied, value.clone()));
            }
        }
        for (key, signature) in signed.into_iter().zip(&update.signatures) {
            let history = self.histories.entry(key).or_default();
            history.sign(self.applied, *signature);
        }
        Ok(())
    }

    fn latest(&self) -> Version {
        Version::new(self.applied)
    }

    fn question(&self, key: &Key) -> Key {
        key.clone()
    }

    fn head(&self, version: Version) -> Outcome<EntryStatement> {
        Ok(self.statement(version.number()))
    }

    fn prove(&self, version: Version, question: &Key) -> Outcome<SignedEntry> {
        let history = self.histories.get(question).ok_or("no such key")?;
        let version = version.number();
        let signature = match self.signed {
            SignedScope::Each => history.signature(version),
            SignedScope::Changed => history.signatures.last().and_then(|(_, one)| one.last()),
        };
        Ok(SignedEntry {
            value: history.value(version).ok_or("no such key yet")?.clone(),
            signature: *signature.ok_or("not signed in that version")?,
        })
    }

    /// Returns the bytes of the value, of its length (one byte or two), and of the signature.
    fn proof_bytes(&self, proof: &SignedEntry) -> usize {
        let value = proof.value.as_bytes().len();
        1 + usize::from(value > 127) + value + size_of::<HeadSignature>()
    }

    fn verify(&self, head: &EntryStatement, proof: SignedEntry, question: &Key) -> Outcome<Answer> {
        head.verify(proof, question)
    }

    fn check(&self, version: Version, key: &Key) -> Outcome<Answer> {
        self.head(version)?.verify(self.prove(version, key)?, key)
    }

    fn memory_bytes(&self) -> Option<usize> {
        let histories = self.histories.iter();
        let each = histories.map(|(key, history)| {
            key.as_bytes().len() + size_of::<(Key, History)>() + history.memory_bytes()
        });
        Some(each.sum())
    }
}
