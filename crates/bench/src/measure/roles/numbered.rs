//! Block directories of numbered entries as dictionaries.
//!
//! Entries have no keys. Outside of the timed work, each key of a workload is mapped to the id of
//! its entry. An entry contains the digest of the value.

use std::collections::HashMap;

use block_directory::{
    BlockDirectory, DIRECTORY, DirectoryClient, Entry, EntryId, EntryProof, EntryQuery, FullAuthor,
};
use pad_core::{
    Answer, Authority, HeadSigner, Key, Operation, SnapshotHead, Suite, Untrusted, Update, Value,
    Verified, Version, codec,
};

use super::Roles;
use crate::{Outcome, dictionary::head_bytes, primitives::author_key};

/// Author and server of a directory in memory.
pub struct NumberedRoles<S: Suite> {
    author: FullAuthor<S>,
    server: BlockDirectory<S>,
    ids: HashMap<Key, EntryId>,
    /// Every value by its digest, to convert answers, which are digests, to values.
    values: HashMap<Vec<u8>, Value>,
    next: u64,
}

impl<S: Suite> NumberedRoles<S> {
    /// Creates author and server of an empty directory.
    pub fn new(signer: HeadSigner) -> Outcome<Self> {
        let authority = Authority {
            author: author_key(),
            dictionary: "comparison".into(),
            scheme: DIRECTORY,
        };
        let empty = || BlockDirectory::new(authority, STEP);
        Ok(Self {
            author: FullAuthor::resume(empty()?, signer),
            server: empty()?,
            ids: HashMap::new(),
            values: HashMap::new(),
            next: 0,
        })
    }

    fn change(&mut self, operation: Operation) -> Outcome<NumberedChange<S>> {
        Ok(match operation {
            Operation::Put(key, value) => {
                let object = S::value(value.as_bytes());
                self.values.insert(object.as_ref().to_vec(), value);
                if let Some(id) = self.ids.get(&key) {
                    NumberedChange::Update(*id, object)
                } else {
                    self.ids.insert(key, EntryId::new(self.next));
                    self.next += 1;
                    NumberedChange::Append(object)
                }
            }
            Operation::Remove(key) => {
                NumberedChange::Delete(self.ids.remove(&key).ok_or("no such key")?)
            }
        })
    }

    fn answer(&self, entry: Option<Entry<S::Digest>>) -> Outcome<Answer> {
        Ok(match entry.ok_or("another id")? {
            Entry::Live(object) => {
                let value = self.values.get(object.as_ref()).ok_or("another object")?;
                Answer::Present(value.clone())
            }
            Entry::Deleted | Entry::Unassigned => Answer::Absent,
        })
    }
}

/// Height of the tree in a block, which has `2^STEP` = 128 slots.
const STEP: u32 = 7;

/// Change of an entry.
#[derive(Clone, Copy)]
pub enum NumberedChange<S: Suite> {
    /// Appends an entry with the digest of its value.
    Append(S::Digest),
    /// Replaces an entry's digest by the digest of its new value.
    Update(EntryId, S::Digest),
    /// Deletes an entry.
    Delete(EntryId),
}

impl<S: Suite> Roles for NumberedRoles<S> {
    type Changes = Vec<NumberedChange<S>>;
    type Update = Update<S>;
    type Question = EntryId;
    type Head = Verified<SnapshotHead<S>>;
    type Proof = EntryProof<S>;
    const NEEDS_HEAD: bool = true;

    fn prepare(&mut self, operations: Vec<Operation>) -> Outcome<Vec<NumberedChange<S>>> {
        let operations = operations.into_iter();
        operations.map(|operation| self.change(operation)).collect()
    }

    fn publish(&mut self, changes: Vec<NumberedChange<S>>) -> Outcome<Update<S>> {
        for change in changes {
            match change {
                NumberedChange::Append(object) => _ = self.author.append(object)?,
                NumberedChange::Update(id, object) => self.author.update(id, object)?,
                NumberedChange::Delete(id) => self.author.delete(id)?,
            }
        }
        Ok(self.author.snapshot()?)
    }

    fn update_bytes(&self, update: &Update<S>) -> usize {
        codec::encode(update).len()
    }

    fn apply(&mut self, update: &Update<S>) -> Outcome<()> {
        self.server.apply(update)?;
        Ok(())
    }

    fn latest(&self) -> Version {
        self.server.latest()
    }

    /// Returns the id of the key's entry. For absent keys, returns an id that is not assigned yet.
    fn question(&self, key: &Key) -> EntryId {
        let id = self.ids.get(key).copied();
        id.unwrap_or(EntryId::new(self.next))
    }

    fn head(&self, version: Version) -> Outcome<Self::Head> {
        let head = Untrusted::new(self.server.heads().head(version)?);
        Ok(head.verify(self.author.authority(), &version)?)
    }

    fn prove(&self, _: Version, question: &EntryId) -> Outcome<EntryProof<S>> {
        Ok(self.server.prove_latest(&EntryQuery::one(*question))?)
    }

    fn proof_bytes(&self, proof: &EntryProof<S>) -> usize {
        codec::encode_body(proof).len() + head_bytes::<S>()
    }

    fn verify(
        &self,
        head: &Self::Head,
        proof: EntryProof<S>,
        question: &EntryId,
    ) -> Outcome<Answer> {
        let entries = Untrusted::new(proof).verify(head, &EntryQuery::one(*question))?;
        self.answer(entries.get().of(*question))
    }

    fn check(&self, _: Version, key: &Key) -> Outcome<Answer> {
        let id = self.question(key);
        let mut client = DirectoryClient::<S>::new(*self.author.authority(), STEP);
        let (pending, request) = client.ask(EntryQuery::one(id));
        let found = client.accept(&pending, &self.server.answer(&request)?)?;
        self.answer(found.entries.get().of(id))
    }
}
