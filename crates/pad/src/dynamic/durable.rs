//! The durable repository and author of every kind behind the same two traits.

use ed25519_dalek::SigningKey;
use pad_core::{Key, LookupError, Operation, Suite, Update, Version, codec};
use pad_tree::{Change, TreeQuery};

use super::{AnyAuthor, AnyRepository, Description};
use crate::{
    author::{AuthorError, DurableAuthor},
    bundle::Bundle,
    check::{CheckError, Checked},
    question::{HeadText, Question},
    repository::{DurableRepository, RepositoryError, TreeStore},
    store::{RecordChange, StoreError, redb_store::RedbStore},
};

impl<S: Suite, St: TreeStore<S>> AnyRepository for DurableRepository<S, St, RedbStore> {
    fn description(&self) -> Result<Description, StoreError> {
        Description::read(self.store())
    }

    fn latest(&self) -> Version {
        self.latest()
    }

    fn oldest(&self) -> Version {
        self.oldest()
    }

    fn entries(&self) -> usize {
        self.tree().len()
    }

    fn memory_bytes(&self) -> usize {
        self.tree().memory_bytes()
    }

    fn head(&self, version: Version) -> Result<HeadText, LookupError> {
        Ok(HeadText::of(&self.head(version)?.head))
    }

    fn head_message(&self, version: Version) -> Result<Vec<u8>, LookupError> {
        Ok(codec::encode(&self.head(version)?))
    }

    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, LookupError> {
        Ok(codec::encode(&self.tree().prove_consistency(older, newer)?))
    }

    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, LookupError> {
        match question {
            Question::Key(key) => bundle(self, version, key),
            Question::Keys(keys) => bundle(self, version, keys),
            Question::Range(range) => bundle(self, version, range),
        }
    }

    fn proof_body(&self, version: Version, key: &Key) -> Result<Vec<u8>, LookupError> {
        Ok(codec::encode_body(&self.prove(version, key)?))
    }

    fn history(&self, key: &Key) -> Vec<Version> {
        self.tree().history(key)
    }

    fn diff(&self, before: Version, after: Version) -> Result<Vec<Change>, LookupError> {
        self.tree().diff(before, after)
    }

    fn apply_message(&mut self, update: &[u8]) -> Result<Version, RepositoryError> {
        let update = codec::decode::<Update<S>>(update, update.len());
        self.apply(&update.map_err(RepositoryError::Unreadable)?)
    }

    fn prune(&mut self, oldest: Version) -> Result<(), RepositoryError> {
        self.prune(oldest)
    }

    fn checkpoint(&mut self) -> Result<(), RepositoryError> {
        self.checkpoint()
    }

    fn check(&mut self) -> Result<Checked, CheckError> {
        self.check()
    }

    fn store(&self) -> &RedbStore {
        self.store()
    }

    fn store_mut(&mut self) -> &mut RedbStore {
        self.store_mut()
    }
}

impl<S: Suite, St: TreeStore<S>> AnyAuthor for DurableAuthor<S, St, RedbStore, SigningKey> {
    fn repository(&self) -> &dyn AnyRepository {
        self.repository()
    }

    fn repository_mut(&mut self) -> &mut dyn AnyRepository {
        self.repository_mut()
    }

    fn stage(&mut self, batch: Vec<Operation>) -> Result<Version, AuthorError> {
        self.stage(batch)
    }

    fn flush(&mut self, records: &[RecordChange]) -> Result<Version, AuthorError> {
        self.flush(records)
    }
}

/// The answer to a query with the head of its version, for a client that has neither.
fn bundle<S: Suite, St: TreeStore<S>, Q: TreeQuery>(
    repository: &DurableRepository<S, St, RedbStore>,
    version: Version,
    query: &Q,
) -> Result<Vec<u8>, LookupError> {
    let head = match version {
        Version::EMPTY => None,
        version => Some(repository.head(version)?),
    };
    let proof = repository.prove(version, query)?;
    Ok(codec::encode(&Bundle { head, proof }))
}
