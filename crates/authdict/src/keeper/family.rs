//! Code that is common to the three ways to keep a dictionary ([`crate::Keeper`]).

use core::fmt;

use pad_core::{
    Answer, ApplyError, Authority, Heads as HeadProofs, Key, KeyRange, Keys, LookupError,
    Operation, Past, Repository, Response, SnapshotHead, Suite, Untrusted, Update, Verified,
    VerifyError, Version, codec, internals::UpdateHead,
};
use pad_tree::{Difference, KeyHistory};

use super::{CheckSummary, Contents, Replica};
use crate::{
    dictionary::{AnswerError, Dictionary, UnprovedCallback},
    heads::Heads,
    question::{HeadText, Question},
    repository::{CheckError, RepositoryError},
    signing_record::{SigningRecord, SigningRecordError},
    store::{AnyStore, RecordChange, Store, StoreError, redb_store::RedbStore},
};

/// A repository of one family, whose answers and checks take and return messages.
pub(crate) trait FamilyRepository:
    Repository + fmt::Debug + Send + Sync + Sized + 'static
{
    /// The signing state: signs further versions of this repository.
    type Author: Send + Sync;

    /// Whether a proof about one version may also prove statements about later versions, as
    /// superseding statements of tuples do. If so, no proof may be handed out while a crash could
    /// still undo a version.
    const EVIDENCE_OUTLIVES_VERSION: bool;

    fn heads(&self) -> impl HeadProofs<Self::Suite>;

    /// Converts the error of an update. A fault of the store becomes a store error; any other error
    /// is a refusal of the update.
    fn refused(&self, error: ApplyError) -> RepositoryError;

    fn entry_count(&self) -> usize;

    fn bytes_in_memory(&self) -> usize;

    /// Returns the bytes of the files next to the store.
    fn bytes_in_files(&self) -> Result<u64, StoreError> {
        Ok(0)
    }

    /// Refuses an update whose number of operations is impossible for its version. This check runs
    /// before memory is allocated for the operations.
    fn require_operations(&self, head: &UpdateHead<Self::Suite>) -> Result<(), ApplyError> {
        head.require_operations(u64::try_from(self.entry_count()).unwrap_or(u64::MAX))
    }

    /// Rebuilds the update that produced a version from the contents. Returns `None` if the store
    /// contains all updates; see [`Replica::update_within`].
    fn remade_update(&self, _: Version, _: usize) -> Result<Option<Vec<u8>>, LookupError> {
        Ok(None)
    }

    /// See [`Heads::append_only_message`].
    fn append_only(&self, _: Version, _: Version) -> Result<Option<Vec<u8>>, LookupError> {
        Ok(None)
    }

    /// See [`Dictionary::answer`].
    fn answer_to(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError>;

    /// See [`Dictionary::page`].
    fn page_of(&self, _: Version, range: &KeyRange, _: usize) -> Result<KeyRange, AnswerError> {
        Ok(range.clone())
    }

    /// See [`Dictionary::history_page`].
    fn history_of(
        &self,
        key: &Key,
        last: Version,
        lookups: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError>;

    /// See [`Replica::differences`].
    fn compare(
        &self,
        before: Version,
        after: Version,
        note: &mut UnprovedCallback<'_, Difference>,
    ) -> Result<(), AnswerError>;
}

/// A repository whose versions are checked by proofs.
pub(crate) trait ProvingRepository: FamilyRepository {
    /// Proves contents of the version of `head`, and verifies the proofs as a client does. The
    /// proofs are about the keys of `update`, the message of the update that produced the version.
    /// For [`Contents::All`], all contents are proved too.
    ///
    /// # Errors
    /// [`CheckError`] with the first problem found.
    fn check_version(
        &self,
        head: &Verified<SnapshotHead<Self::Suite>>,
        update: Option<&[u8]>,
        contents: Contents,
    ) -> Result<(), CheckError>;
}

pub(crate) struct FamilyKeeper<R: FamilyRepository> {
    authority: Authority,
    pub(crate) repository: R,
    pub(crate) store: AnyStore,
    /// The data that the next commit writes to the store: encoded updates or, for dictionaries kept
    /// as rows, the row of the latest version.
    pub(crate) staged: Vec<Vec<u8>>,
    pub(crate) acknowledged: Version,
    pub(crate) author: Option<R::Author>,
    /// The size of the updates since the last checkpoint; used only for dictionaries kept whole
    /// ([`crate::Keeper`]).
    #[cfg(any(feature = "accumulators", feature = "log"))]
    pub(crate) distance: super::checkpointed::Distance,
}

impl<R: FamilyRepository> fmt::Debug for FamilyKeeper<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("FamilyKeeper")
            .field("store", &self.store)
            .field("acknowledged", &self.acknowledged)
            .finish_non_exhaustive()
    }
}

impl<R: FamilyRepository> FamilyKeeper<R> {
    /// Creates the keeper of the store of a dictionary, with the empty repository `repository`. The
    /// method `open` then reads the store.
    pub(crate) fn new(authority: Authority, repository: R, store: AnyStore) -> Self {
        Self {
            authority,
            repository,
            store,
            staged: Vec::new(),
            acknowledged: Version::EMPTY,
            author: None,
            #[cfg(any(feature = "accumulators", feature = "log"))]
            distance: super::checkpointed::Distance::default(),
        }
    }

    /// Reads the store, and runs `work` on one consistent state of the store and the files next to
    /// it.
    ///
    /// Store and files cannot be pinned atomically. If `read` fails and another process published
    /// or pruned meanwhile, they are pinned and read again, with at most [`ATTEMPTS`] attempts in
    /// total.
    pub(crate) fn in_one_state<T, E: From<RepositoryError>>(
        &mut self,
        read: fn(&mut Self) -> Result<(), RepositoryError>,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        for attempt in 1.. {
            self.store.pin().map_err(RepositoryError::from)?;
            let latest = self.store.latest().map_err(RepositoryError::from);
            let pinned = latest.and_then(|latest| {
                self.acknowledged = latest;
                read(self)
            });
            let Err(error) = pinned else {
                break;
            };
            let pinned = self.stand();
            self.store.unpin();
            if attempt == ATTEMPTS || self.stand() == pinned {
                return Err(error.into());
            }
        }
        let done = work(self);
        self.store.unpin();
        done
    }

    /// Returns the latest version of the store and the oldest version in its checkpoint; `None` if
    /// the store is unreadable.
    fn stand(&self) -> Option<(Version, Option<Version>)> {
        let checkpoint = self.store.checkpoint().ok()?;
        Some((
            self.store.latest().ok()?,
            checkpoint.map(|kept| kept.oldest),
        ))
    }

    /// Writes the staged updates and the changes `records` to the store: all of them or nothing.
    pub(crate) fn publish_updates(&mut self, records: &[RecordChange]) -> Result<(), StoreError> {
        if !self.staged.is_empty() || !records.is_empty() {
            let first = Version::new(self.acknowledged.number().saturating_add(1));
            self.store.publish(first, &self.staged, records)?;
            self.acknowledged = self.repository.latest();
            self.staged.clear();
        }
        Ok(())
    }

    pub(crate) fn verified_head(
        &self,
        version: Version,
    ) -> Result<Verified<SnapshotHead<R::Suite>>, CheckError> {
        let head = Untrusted::new(self.repository.head(version)?);
        let verified = head.verify(&self.authority, &version);
        verified.map_err(|error| CheckError::Version(version, error))
    }

    /// Returns the summary of a successful check that replayed no updates. `proved` is the number
    /// of versions whose contents were checked.
    pub(crate) fn checked(&self, proved: u64) -> CheckSummary {
        CheckSummary {
            heads: self.latest().number(),
            replayed: None,
            proved,
            checkpoint: false,
            from_empty: self.oldest() == Version::EMPTY,
            complete: true,
        }
    }

    /// Refuses a version that is not acknowledged. Refuses every version while a proof could prove
    /// statements about an unacknowledged version.
    ///
    /// An author that loses a staged version in a crash signs a different version instead. A
    /// superseding signature made for the lost version would then prove wrong contents.
    fn check_provable(&self, version: Version) -> Result<(), LookupError> {
        self.check_acknowledged(version)?;
        let staged = self.repository.latest();
        if R::EVIDENCE_OUTLIVES_VERSION && staged > self.acknowledged {
            return Err(LookupError::NotDurable { version: staged });
        }
        Ok(())
    }

    pub(crate) fn check_acknowledged(&self, version: Version) -> Result<(), LookupError> {
        let latest = self.acknowledged;
        if version > latest {
            return Err(LookupError::UnknownVersion { version, latest });
        }
        Ok(())
    }
}

impl<R: ProvingRepository> FamilyKeeper<R> {
    /// Checks each kept version: all contents of the oldest and of the latest version, and the
    /// changes in all other versions. Returns the number of versions.
    pub(crate) fn check_contents(&self) -> Result<u64, CheckError> {
        let (oldest, latest) = (self.oldest().number().max(1), self.latest().number());
        for number in oldest..=latest {
            let version = Version::new(number);
            let contents = if number == oldest || number == latest {
                Contents::All
            } else {
                Contents::Changed
            };
            let update = self.update_within(version, usize::MAX)?;
            let head = self.verified_head(version)?;
            let repository = &self.repository;
            repository.check_version(&head, update.as_deref(), contents)?;
        }
        Ok((latest + 1).saturating_sub(oldest))
    }
}

impl<R: FamilyRepository> Heads for FamilyKeeper<R> {
    type Error = LookupError;

    fn offered(&self) -> Result<Version, LookupError> {
        Ok(self.acknowledged)
    }

    fn head_message(&self, version: Version) -> Result<Vec<u8>, LookupError> {
        self.check_acknowledged(version)?;
        Ok(codec::encode(&self.repository.head(version)?))
    }

    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, LookupError> {
        self.check_acknowledged(newer)?;
        let proof = self.repository.heads().prove_consistency(older, newer)?;
        Ok(codec::encode(&proof))
    }

    fn append_only_message(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<Option<Vec<u8>>, LookupError> {
        self.check_acknowledged(newer)?;
        self.repository.append_only(older, newer)
    }

    fn past_messages(&self, older: Version, newer: Version) -> Result<Vec<Vec<u8>>, LookupError> {
        self.check_acknowledged(newer)?;
        past_messages(&self.repository.heads(), older, newer)
    }
}

impl<R: FamilyRepository> Dictionary for FamilyKeeper<R> {
    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError> {
        span!("answer", version = version.number());
        self.check_provable(version)?;
        self.repository.answer_to(version, question)
    }

    fn page(
        &self,
        version: Version,
        range: &KeyRange,
        bytes: usize,
    ) -> Result<KeyRange, AnswerError> {
        self.check_acknowledged(version)?;
        self.repository.page_of(version, range, bytes)
    }

    fn history_page(
        &self,
        key: &Key,
        last: Version,
        lookups: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError> {
        let last = last.min(self.acknowledged);
        self.repository.history_of(key, last, lookups)
    }
}

impl<R: FamilyRepository> Replica for FamilyKeeper<R> {
    fn head_text(&self, version: Version) -> Result<HeadText, LookupError> {
        self.check_acknowledged(version)?;
        Ok(HeadText::of(&self.repository.head(version)?.head))
    }

    fn differences(
        &self,
        before: Version,
        after: Version,
        note: &mut UnprovedCallback<'_, Difference>,
    ) -> Result<(), AnswerError> {
        self.check_acknowledged(before.max(after))?;
        self.repository.compare(before, after, note)
    }

    fn latest(&self) -> Version {
        self.acknowledged
    }

    fn staged(&self) -> Version {
        self.repository.latest()
    }

    fn oldest(&self) -> Version {
        self.repository.oldest()
    }

    fn verify_update(&self, message: &[u8]) -> Result<(), RepositoryError> {
        let head = UpdateHead::<R::Suite>::peek::<R::Attachment>(message, message.len())
            .map_err(RepositoryError::Unreadable)?;
        // The signature is checked first, so that an unsigned update costs only this check.
        head.verify(&self.authority)
            .map_err(|error| RepositoryError::Refused(ApplyError::Head(error)))?;
        let (expected, actual) = (self.repository.latest(), head.base);
        if expected != actual {
            let gap = ApplyError::VersionGap { expected, actual };
            return Err(RepositoryError::Refused(gap));
        }
        // An attacker can combine a head that the author signed with other operations. So the
        // operations must give the root in the head.
        let followed = self.repository.require_operations(&head);
        followed.map_err(RepositoryError::Refused)
    }

    fn has_update(&self, message: &[u8]) -> Result<bool, RepositoryError> {
        let update = UpdateHead::<R::Suite>::peek::<R::Attachment>(message, message.len())
            .map_err(RepositoryError::Unreadable)?;
        let there = self.repository.head(update.head.head.version)?;
        Ok(there.head == update.head.head)
    }

    fn update_within(
        &self,
        version: Version,
        most: usize,
    ) -> Result<Option<Vec<u8>>, RepositoryError> {
        if version <= self.oldest() || version > self.acknowledged {
            return Ok(None);
        }
        match self.repository.remade_update(version, most)? {
            Some(remade) => Ok(Some(remade)),
            None => Ok(self.store.update(version)?),
        }
    }

    fn entries(&self) -> usize {
        self.repository.entry_count()
    }

    fn memory_bytes(&self) -> usize {
        self.repository.bytes_in_memory()
    }

    fn file_bytes(&self) -> Result<u64, StoreError> {
        let derived = self.repository.bytes_in_files()?;
        let own = self.store.file().map_or(Ok(0), RedbStore::file_bytes)?;
        Ok(own.saturating_add(derived))
    }

    fn check_head(&self, version: Version) -> Result<(), CheckError> {
        self.verified_head(version).map(drop)
    }

    fn check_record(&self, record: &SigningRecord) -> Result<(), SigningRecordError> {
        let head = |version| self.repository.head(version).ok();
        record.check::<R::Suite>(&self.authority, self.acknowledged, head)
    }

    fn store(&self) -> &dyn Store {
        &*self.store
    }

    fn store_mut(&mut self) -> &mut dyn Store {
        &mut *self.store
    }
}

/// Decodes an update from its message, verifies it and applies it to the repository.
pub(crate) fn apply<R: FamilyRepository>(
    repository: &mut R,
    message: &[u8],
) -> Result<Version, RepositoryError> {
    let update = codec::decode::<Update<R::Suite, R::Attachment>>(message, message.len());
    let applied = repository.apply(&update.map_err(RepositoryError::Unreadable)?);
    applied.map_err(|error| repository.refused(error))
}

/// Applies the stored updates that the repository lacks, and calls `after_each` after each update.
/// Returns the total bytes of these updates.
pub(crate) fn replay<R: FamilyRepository>(
    repository: &mut R,
    store: &dyn Store,
    mut after_each: impl FnMut(&mut R),
) -> Result<usize, RepositoryError> {
    let (first, latest) = (
        repository.latest().number().saturating_add(1),
        store.latest()?.number(),
    );
    if repository.latest().number() > latest {
        return Err(StoreError::Damaged("the checkpoint is ahead of the updates").into());
    }
    let mut replayed = 0;
    for version in (first..=latest).map(Version::new) {
        let bytes = store.update(version)?;
        let bytes = bytes.ok_or(StoreError::Damaged(
            "an update or the checkpoint before it is missing",
        ))?;
        apply(repository, &bytes).map_err(|error| match error {
            RepositoryError::Refused(error) => RepositoryError::DamagedUpdate(version, error),
            RepositoryError::Unreadable(_) => StoreError::Damaged("unreadable update").into(),
            error => error,
        })?;
        replayed += bytes.len();
        after_each(repository);
    }
    Ok(replayed)
}

/// Encodes an answer: a proof about a version, with the signed head of this version.
pub(crate) fn respond(
    repository: &impl Repository,
    version: Version,
    proof: impl codec::Message,
) -> Result<Vec<u8>, AnswerError> {
    Ok(codec::encode(&Response::new(repository, version, proof)?))
}

/// Checks a version by verified answers. The callback `answers` returns verified answers about the
/// keys of `update`, which are compared with the update's operations. For [`Contents::All`], the
/// callback `contents` first checks all contents.
pub(crate) fn by_answers<R: FamilyRepository>(
    repository: &R,
    head: &Verified<SnapshotHead<R::Suite>>,
    (update, extent): (Option<&[u8]>, Contents),
    contents: impl FnOnce(&R, &Verified<SnapshotHead<R::Suite>>) -> Result<(), CheckError>,
    answers: impl FnOnce(
        &R,
        &Verified<SnapshotHead<R::Suite>>,
        &Keys,
    ) -> Result<Vec<(Key, Answer)>, CheckError>,
) -> Result<(), CheckError> {
    if extent == Contents::All {
        contents(repository, head)?;
    }
    let Some(message) = update else {
        return Ok(());
    };
    let update: Update<R::Suite, R::Attachment> = codec::decode(message, message.len())
        .map_err(|_| StoreError::Damaged("unreadable update"))?;
    let keys = update.operations.iter().map(Operation::key).cloned();
    let Some(keys) = Keys::new(keys.collect()) else {
        return Ok(());
    };
    let answers = answers(repository, head, &keys)?;
    let signed = update.operations.iter().map(|operation| match operation {
        Operation::Put(key, value) => (key, Some(value)),
        Operation::Remove(key) => (key, None),
    });
    let agrees = signed.eq(answers.iter().map(|(key, answer)| (key, answer.value())));
    if agrees && update.head.head == *head.get() {
        Ok(())
    } else {
        let version = head.get().version;
        Err(CheckError::Version(version, VerifyError::RootMismatch))
    }
}

/// Returns two statements to which the head of version `newer` commits: the root of version
/// `older`, and its history. Each is the body of a [`Past`].
pub(crate) fn past_messages<S: Suite>(
    heads: &impl HeadProofs<S>,
    older: Version,
    newer: Version,
) -> Result<Vec<Vec<u8>>, LookupError> {
    let past = [
        Past::Root(heads.prove_inclusion(older, newer)?),
        Past::History(heads.prove_prefix(older, newer)?),
    ];
    Ok(past.iter().map(codec::encode_body).collect())
}

/// The maximum number of attempts to read a store while other processes change it.
const ATTEMPTS: usize = 16;
