//! A repository of one family, as what is known of every family.

use core::any::Any;
use std::collections::BTreeMap;

use pad_core::{
    ApplyError, Key, LookupError, Operation, Repository, SnapshotHead, Untrusted, Update,
    UpdateHead, Value, Verified, VerifyError, Version, Workers, codec, head::Authority,
};
use pad_tree::{Difference, KeyHistory, KeyRange, Keys, NodeCache};

use super::{
    AskedRepository, Checkpointed, Contents, HostedRepository, Keeping, SignedUpdate,
    UpdatedRepository,
};
use crate::{
    answering::{AnswerError, AnsweringRepository, Noted},
    question::{HeadText, Question},
    repository::{CheckError, CheckpointedRepository, RepositoryError, integrity},
    signing_record::{SigningRecord, SigningRecordError},
    store::{StoreError, StoredCheckpoint},
};

/// A repository with the setup that it was made from.
#[derive(Debug)]
pub struct Typed<R: AnsweringRepository> {
    repository: R,
    setup: R::Setup,
}

type UpdateOf<R> = Update<<R as Repository>::Suite, <R as Repository>::Attachment>;

impl<R: AnsweringRepository> Typed<R> {
    /// A repository, and what it was made from.
    pub const fn of(repository: R, setup: R::Setup) -> Self {
        Self { repository, setup }
    }

    /// The repository.
    pub const fn repository(&self) -> &R {
        &self.repository
    }

    pub(crate) const fn repository_mut(&mut self) -> &mut R {
        &mut self.repository
    }

    /// What it was made from.
    pub const fn setup(&self) -> &R::Setup {
        &self.setup
    }

    fn verified_head(
        &self,
        version: Version,
    ) -> Result<Verified<SnapshotHead<R::Suite>>, CheckError> {
        let head = self.repository.head(version)?;
        let verified = Untrusted::new(head).verify(self.repository.authority(), &version);
        verified.map_err(|error| CheckError::Version(version, error))
    }

    /// The operations of the update that led to a version are what its contents say about their keys.
    fn check_update(
        &self,
        head: &Verified<SnapshotHead<R::Suite>>,
        message: &[u8],
    ) -> Result<(), CheckError> {
        let version = head.get().version;
        let update: UpdateOf<R> = codec::decode(message, message.len())
            .map_err(|_| StoreError::Damaged("a stored update is not readable"))?;
        let keys = update.operations.iter().map(Operation::key).cloned();
        let Some(keys) = Keys::new(keys.collect()) else {
            return Ok(());
        };
        let answers = self.repository.checked_answers(head, &keys)?;
        let agrees =
            update.operations.iter().zip(&answers).all(
                |(operation, (_, answer))| match operation {
                    Operation::Put(_, value) => answer.value() == Some(value),
                    Operation::Remove(_) => answer.value().is_none(),
                },
            );
        if agrees && update.head.head == *head.get() {
            Ok(())
        } else {
            Err(CheckError::Version(version, VerifyError::RootMismatch))
        }
    }
}

impl<R: AnsweringRepository + CheckpointedRepository> Typed<R> {
    /// An empty repository.
    pub fn new(setup: R::Setup) -> Self {
        let repository = R::new(&setup).with_workers(Workers::all_cores());
        Self::of(repository, setup)
    }

    /// The repository in a checkpoint, unless it is damaged or of something else.
    fn restored(&self, stored: &StoredCheckpoint) -> Option<R> {
        let digest = integrity::<R::Suite>(stored.version, stored.oldest, &stored.bytes);
        if digest.as_ref() != stored.digest {
            return None;
        }
        let checkpoint = codec::decode(&stored.bytes, stored.bytes.len()).ok()?;
        let restored = R::restore(checkpoint, &self.setup)?;
        let fits = restored.latest() == stored.version && restored.oldest() == stored.oldest;
        fits.then_some(restored)
    }
}

impl<R: KeptRepository> Typed<R> {
    fn apply(&mut self, update: &UpdateOf<R>) -> Result<Version, RepositoryError> {
        let applied = self.repository.apply(update);
        applied.map_err(|error| self.repository.refused(error))
    }
}

impl<R: KeptRepository> UpdatedRepository for Typed<R> {
    fn authority(&self) -> &Authority {
        self.repository.authority()
    }

    fn latest(&self) -> Version {
        self.repository.latest()
    }

    fn oldest(&self) -> Version {
        self.repository.oldest()
    }

    fn verify_update(&self, message: &[u8]) -> Result<(), RepositoryError> {
        let head = UpdateHead::<R::Suite>::peek::<R::Attachment>(message, message.len())
            .map_err(RepositoryError::Unreadable)?;
        // First of all: what nobody has signed is to cost no more than this.
        head.verify(self.authority())
            .map_err(|error| RepositoryError::Refused(ApplyError::Head(error)))?;
        let (expected, actual) = (self.latest(), head.base);
        if expected != actual {
            let gap = ApplyError::VersionGap { expected, actual };
            return Err(RepositoryError::Refused(gap));
        }
        Ok(())
    }

    fn has_update(&self, message: &[u8]) -> Result<bool, RepositoryError> {
        let update = UpdateHead::<R::Suite>::peek::<R::Attachment>(message, message.len())
            .map_err(RepositoryError::Unreadable)?;
        let there = self.repository.head(update.head.head.version)?;
        Ok(there.head == update.head.head)
    }

    fn apply_message(&mut self, message: &[u8]) -> Result<Version, RepositoryError> {
        let update = codec::decode::<UpdateOf<R>>(message, message.len());
        self.apply(&update.map_err(RepositoryError::Unreadable)?)
    }

    fn apply_update(&mut self, update: &dyn SignedUpdate) -> Result<Version, RepositoryError> {
        let any: &dyn Any = update;
        match any.downcast_ref::<UpdateOf<R>>() {
            Some(update) => self.apply(update),
            // Of another family: decoding says how it differs.
            None => self.apply_message(&update.encode()),
        }
    }
}

impl<R: AnsweringRepository + CheckpointedRepository> Checkpointed for Typed<R> {
    fn prune(&mut self, oldest: Version) -> Result<(), LookupError> {
        self.repository.prune(oldest)
    }

    fn checkpoint(&self) -> StoredCheckpoint {
        let bytes = codec::encode(&self.repository.checkpoint());
        let (version, oldest) = (self.latest(), self.oldest());
        let digest = integrity::<R::Suite>(version, oldest, &bytes);
        StoredCheckpoint {
            version,
            oldest,
            digest: digest.as_ref().to_vec(),
            bytes,
        }
    }

    fn restore(&mut self, stored: &StoredCheckpoint) -> bool {
        let restored = self.restored(stored);
        let is_restored = restored.is_some();
        if let Some(restored) = restored {
            self.repository = restored.with_workers(Workers::all_cores());
        }
        is_restored
    }

    fn emptied(&self) -> Box<dyn HostedRepository> {
        Box::new(Self::new(self.setup.clone()))
    }
}

impl<R: AnsweringRepository> AskedRepository for Typed<R> {
    fn head_text(&self, version: Version) -> Result<HeadText, LookupError> {
        Ok(HeadText::of(&self.repository.head(version)?.head))
    }

    fn head_message(&self, version: Version) -> Result<Vec<u8>, LookupError> {
        Ok(codec::encode(&self.repository.head(version)?))
    }

    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, LookupError> {
        let proof = self.repository.prove_consistency(older, newer)?;
        Ok(codec::encode(&proof))
    }

    fn past_messages(&self, older: Version, newer: Version) -> Result<Vec<Vec<u8>>, LookupError> {
        let past = self.repository.prove_past(older, newer)?;
        Ok(past.iter().map(codec::encode_body).collect())
    }

    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError> {
        self.repository.answer(version, question)
    }

    fn page(
        &self,
        version: Version,
        range: &KeyRange,
        bytes: usize,
    ) -> Result<KeyRange, AnswerError> {
        self.repository.page(version, range, bytes)
    }

    fn proof_body(&self, version: Version, key: &Key) -> Result<Vec<u8>, LookupError> {
        Ok(codec::encode_body(&self.repository.prove(version, key)?))
    }

    fn history_page(
        &self,
        key: &Key,
        last: Version,
        lookups: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError> {
        self.repository.history_page(key, last, lookups)
    }

    fn differences(
        &self,
        before: Version,
        after: Version,
        note: &mut Noted<'_, Difference>,
    ) -> Result<(), AnswerError> {
        self.repository.differences(before, after, note)
    }
}

/// How repositories of a kind outlive their process.
pub trait KeptRepository: AnsweringRepository {
    /// As [`HostedRepository::keeping`].
    fn keeping(typed: &mut Typed<Self>) -> Keeping<'_>;

    /// As [`HostedRepository::use_cache`].
    fn use_cache(&mut self, _: &NodeCache) {}

    /// As [`HostedRepository::file_bytes`].
    ///
    /// # Errors
    /// [`StoreError`].
    fn file_bytes(&self) -> Result<u64, StoreError> {
        Ok(0)
    }

    /// An update was not taken, for this reason.
    fn refused(&self, error: ApplyError) -> RepositoryError {
        RepositoryError::Refused(error)
    }

    /// As [`HostedRepository::update_message`].
    ///
    /// # Errors
    /// [`LookupError`].
    fn update_message(&self, _: Version, _: usize) -> Result<Option<Vec<u8>>, LookupError> {
        Ok(None)
    }
}

impl<R: AnsweringRepository + CheckpointedRepository> KeptRepository for R {
    fn keeping(typed: &mut Typed<R>) -> Keeping<'_> {
        Keeping::Whole(typed)
    }
}

impl<R: KeptRepository> HostedRepository for Typed<R> {
    fn keeping(&mut self) -> Keeping<'_> {
        R::keeping(self)
    }

    fn use_cache(&mut self, cache: &NodeCache) {
        self.repository.use_cache(cache);
    }

    fn file_bytes(&self) -> Result<u64, StoreError> {
        self.repository.file_bytes()
    }

    fn update_message(
        &self,
        version: Version,
        most: usize,
    ) -> Result<Option<Vec<u8>>, LookupError> {
        self.repository.update_message(version, most)
    }

    fn evidence_outlives_version(&self) -> bool {
        R::EVIDENCE_OUTLIVES_VERSION
    }

    fn entries(&self) -> usize {
        self.repository.entries()
    }

    fn memory_bytes(&self) -> usize {
        self.repository.memory_bytes()
    }

    fn check_version(
        &self,
        version: Version,
        update: Option<&[u8]>,
        contents: Contents,
    ) -> Result<(), CheckError> {
        let head = self.verified_head(version)?;
        if contents == Contents::All {
            self.repository.check_contents(&head)?;
        }
        update.map_or(Ok(()), |message| self.check_update(&head, message))
    }

    fn check_head(&self, version: Version) -> Result<(), CheckError> {
        self.verified_head(version).map(drop)
    }

    fn unproved_contents(
        &self,
        version: Version,
    ) -> Result<Option<BTreeMap<Key, Value>>, LookupError> {
        self.repository.unproved_contents(version)
    }

    fn check_record(
        &self,
        record: &SigningRecord,
        stored: Version,
    ) -> Result<(), SigningRecordError> {
        let head = |version| self.repository.head(version).ok();
        record.check::<R::Suite>(self.authority(), stored, head)
    }
}
