//! Adapter from a repository of one family to the traits of any family.

use core::{any::Any, fmt};
use std::collections::BTreeMap;

use pad_core::{
    ApplyError, Heads, Key, LookupError, Operation, Repository, SnapshotHead, Suite, Untrusted,
    Update, UpdateHead, Value, Verified, VerifyError, Version, codec, contradiction::Past,
    head::Authority,
};
use pad_tree::{Difference, KeyHistory, KeyRange, Keys, NodeCache};
use serde::Serialize;

use super::{
    AskedRepository, Contents, HostedRepository, Keeping, SignedUpdate, UpdatedRepository,
};
use crate::{
    answering::{AnswerError, AnsweringRepository, Noted},
    question::{HeadText, Question},
    repository::{CheckError, RepositoryError},
    signing_record::{SigningRecord, SigningRecordError},
    store::StoreError,
};

/// A repository of one family behind the traits of any family.
#[derive(Debug)]
pub(crate) struct Typed<R>(pub(crate) R);

type UpdateOf<R> = Update<<R as Repository>::Suite, <R as Repository>::Attachment>;

impl<R: AnsweringRepository> Typed<R> {
    fn verified_head(
        &self,
        version: Version,
    ) -> Result<Verified<SnapshotHead<R::Suite>>, CheckError> {
        let head = self.0.head(version)?;
        let verified = Untrusted::new(head).verify(self.0.authority(), &version);
        verified.map_err(|error| CheckError::Version(version, error))
    }

    /// Checks that the contents of a version agree with the operations of the update that led to
    /// it.
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
        let answers = self.0.checked_answers(head, &keys)?;
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

    fn apply(&mut self, update: &UpdateOf<R>) -> Result<Version, RepositoryError> {
        let applied = self.0.apply(update);
        applied.map_err(|error| self.0.refused(error))
    }
}

impl<R: AnsweringRepository> UpdatedRepository for Typed<R> {
    fn authority(&self) -> &Authority {
        self.0.authority()
    }

    fn latest(&self) -> Version {
        self.0.latest()
    }

    fn oldest(&self) -> Version {
        self.0.oldest()
    }

    fn verify_update(&self, message: &[u8]) -> Result<(), RepositoryError> {
        let head = UpdateHead::<R::Suite>::peek::<R::Attachment>(message, message.len())
            .map_err(RepositoryError::Unreadable)?;
        // Checked first: an unsigned update must cost no more than this.
        head.verify(self.authority())
            .map_err(|error| RepositoryError::Refused(ApplyError::Head(error)))?;
        let (expected, actual) = (self.latest(), head.base);
        if expected != actual {
            let gap = ApplyError::VersionGap { expected, actual };
            return Err(RepositoryError::Refused(gap));
        }
        // An attacker can combine the author's head with other operations.
        let entries = u64::try_from(self.0.entries()).unwrap_or(u64::MAX);
        let followed = head.require_operations(entries);
        followed.map_err(RepositoryError::Refused)
    }

    fn has_update(&self, message: &[u8]) -> Result<bool, RepositoryError> {
        let update = UpdateHead::<R::Suite>::peek::<R::Attachment>(message, message.len())
            .map_err(RepositoryError::Unreadable)?;
        let there = self.0.head(update.head.head.version)?;
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
            // An update of another family: the decoding error shows the difference.
            None => self.apply_message(&update.encode()),
        }
    }
}

impl<R: AnsweringRepository> AskedRepository for Typed<R> {
    fn head_text(&self, version: Version) -> Result<HeadText, LookupError> {
        Ok(HeadText::of(&self.0.head(version)?.head))
    }

    fn head_message(&self, version: Version) -> Result<Vec<u8>, LookupError> {
        Ok(codec::encode(&self.0.head(version)?))
    }

    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, LookupError> {
        let proof = self.0.heads().prove_consistency(older, newer)?;
        Ok(codec::encode(&proof))
    }

    fn past_messages(&self, older: Version, newer: Version) -> Result<Vec<Vec<u8>>, LookupError> {
        past_messages(&self.0.heads(), older, newer)
    }

    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError> {
        self.0.answer(version, question)
    }

    fn page(
        &self,
        version: Version,
        range: &KeyRange,
        bytes: usize,
    ) -> Result<KeyRange, AnswerError> {
        self.0.page(version, range, bytes)
    }

    fn proof_body(&self, version: Version, key: &Key) -> Result<Vec<u8>, LookupError> {
        Ok(codec::encode_body(&self.0.prove(version, key)?))
    }

    fn history_page(
        &self,
        key: &Key,
        last: Version,
        lookups: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError> {
        self.0.history_page(key, last, lookups)
    }

    fn differences(
        &self,
        before: Version,
        after: Version,
        note: &mut Noted<'_, Difference>,
    ) -> Result<(), AnswerError> {
        self.0.differences(before, after, note)
    }
}

/// The statements of a newer version's head about an older version: its root, and its history.
pub(crate) fn past_messages<S: Suite>(
    heads: &impl Heads<S>,
    older: Version,
    newer: Version,
) -> Result<Vec<Vec<u8>>, LookupError> {
    let past = [
        Past::Root(heads.prove_inclusion(older, newer)?),
        Past::History(heads.prove_prefix(older, newer)?),
    ];
    Ok(past.iter().map(codec::encode_body).collect())
}

/// A repository of one family that can be made persistent.
pub(crate) trait KeptRepository:
    Repository<Query = Key, Proof: Serialize> + fmt::Debug + Send + Sync + Sized + 'static
{
    /// See [`HostedRepository::evidence_outlives_version`].
    const EVIDENCE_OUTLIVES_VERSION: bool;

    /// See [`HostedRepository::keeping`].
    fn keeping(typed: &mut Typed<Self>) -> Keeping<'_>;

    /// The author and dictionary whose updates are accepted.
    fn authority(&self) -> &Authority;

    /// The heads of all versions.
    fn heads(&self) -> impl Heads<Self::Suite>;

    /// The number of entries of the latest version.
    fn entries(&self) -> usize;

    /// See [`HostedRepository::memory_bytes`].
    fn memory_bytes(&self) -> usize;

    /// See [`HostedRepository::use_cache`].
    fn use_cache(&mut self, _: &NodeCache) {}

    /// See [`HostedRepository::file_bytes`].
    fn file_bytes(&self) -> Result<u64, StoreError> {
        Ok(0)
    }

    /// Converts the error of an update that was not applied.
    fn refused(&self, error: ApplyError) -> RepositoryError {
        RepositoryError::Refused(error)
    }

    /// See [`HostedRepository::update_message`].
    fn update_message(&self, _: Version, _: usize) -> Result<Option<Vec<u8>>, LookupError> {
        Ok(None)
    }
}

impl<R: AnsweringRepository> HostedRepository for Typed<R> {
    fn keeping(&mut self) -> Keeping<'_> {
        R::keeping(self)
    }

    fn use_cache(&mut self, cache: &NodeCache) {
        self.0.use_cache(cache);
    }

    fn file_bytes(&self) -> Result<u64, StoreError> {
        self.0.file_bytes()
    }

    fn update_message(
        &self,
        version: Version,
        most: usize,
    ) -> Result<Option<Vec<u8>>, LookupError> {
        self.0.update_message(version, most)
    }

    fn evidence_outlives_version(&self) -> bool {
        R::EVIDENCE_OUTLIVES_VERSION
    }

    fn entries(&self) -> usize {
        self.0.entries()
    }

    fn memory_bytes(&self) -> usize {
        self.0.memory_bytes()
    }

    fn check_version(
        &self,
        version: Version,
        update: Option<&[u8]>,
        contents: Contents,
    ) -> Result<(), CheckError> {
        let head = self.verified_head(version)?;
        if contents == Contents::All {
            self.0.check_contents(&head)?;
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
        self.0.unproved_contents(version)
    }

    fn check_record(
        &self,
        record: &SigningRecord,
        stored: Version,
    ) -> Result<(), SigningRecordError> {
        let head = |version| self.0.head(version).ok();
        record.check::<R::Suite>(self.authority(), stored, head)
    }
}
