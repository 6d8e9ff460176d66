//! The durable repository and author of every kind behind the same two traits.

use pad_core::{Key, LookupError, Operation, Untrusted, Version, codec};
use pad_tree::{Change, KeyHistory};

use super::{AnyAuthor, AnyRepository, Description};
use crate::{
    answering::{AnswerError, AnsweringRepository},
    author::{AuthorError, DurableAuthor, ResumableRepository},
    check::{CheckError, Checked},
    question::{HeadText, Question},
    repository::{DurableRepository, RepositoryError},
    store::{RecordChange, StoreError, redb_store::RedbStore},
};

impl<R: AnsweringRepository> AnyRepository for DurableRepository<R, RedbStore> {
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
        self.memory().entries()
    }

    fn memory_bytes(&self) -> usize {
        self.memory().memory_bytes()
    }

    fn head(&self, version: Version) -> Result<HeadText, LookupError> {
        Ok(HeadText::of(&self.head(version)?.head))
    }

    fn head_message(&self, version: Version) -> Result<Vec<u8>, LookupError> {
        Ok(codec::encode(&self.head(version)?))
    }

    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, LookupError> {
        Ok(codec::encode(
            &self.memory().prove_consistency(older, newer)?,
        ))
    }

    fn past_messages(&self, older: Version, newer: Version) -> Result<Vec<Vec<u8>>, LookupError> {
        self.check_acknowledged(newer)?;
        let past = self.memory().prove_past(older, newer)?;
        Ok(past.iter().map(codec::encode_body).collect())
    }

    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError> {
        self.check_provable(version)?;
        self.memory().answer(version, question)
    }

    fn proof_body(&self, version: Version, key: &Key) -> Result<Vec<u8>, LookupError> {
        Ok(codec::encode_body(&self.prove(version, key)?))
    }

    fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>, AnswerError> {
        self.memory().history(key)
    }

    fn diff(&self, before: Version, after: Version) -> Result<Untrusted<Vec<Change>>, AnswerError> {
        self.memory().diff(before, after)
    }

    fn apply_message(&mut self, update: &[u8]) -> Result<Version, RepositoryError> {
        self.apply_message(update)
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

impl<R, K> AnyAuthor for DurableAuthor<R, RedbStore, K>
where
    R: AnsweringRepository + ResumableRepository<K>,
{
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
