//! The repository of a log: queries as messages, checks, checkpoints and signing.

use pad_accumulators::{AccumulateError, wire};
use pad_core::{
    ApplyError, AuthorKey, Heads, Key, LookupError, Operation, Sha256Ed25519, Untrusted, Update,
    VerifyError, Version, Workers, codec, internals::UpdateHead,
};
use pad_log::{
    Appended, Building, Entry, Log, LogCheckpoint, LogRepository, internals::RepositoryAuthor,
};
use pad_tree::{Difference, KeyHistory};

use super::{
    Head, LogReader,
    answers::{OptionalHead, ProofBody, QueryableScheme, prove_lookup},
    not_offered,
};
use crate::{
    dictionary::{AnswerError, UnprovedCallback},
    keeper::{CheckpointedRepository, Contents, Entries, FamilyRepository, ProvingRepository},
    question::{Question, Statement},
    repository::{AuthorError, CheckError, RepositoryError},
    signing_keys::SigningKeys,
    store::{StoreError, StoredCheckpoint},
};

type LogUpdate = Update<Sha256Ed25519, Appended>;

/// Creates an empty log.
///
/// # Errors
/// [`AccumulateError::CapacityExceeded`] if the log's public parameters contain too few powers of
/// their secret for its accumulators.
pub(super) fn empty<S: QueryableScheme>(
    log: Log<S>,
    author: AuthorKey,
) -> Result<LogRepository<S>, AccumulateError> {
    let repository = LogRepository::new(log, author, Workers::all_cores())?;
    // Building nodes in advance is useless here. Such nodes are not stored before they are used, so
    // a store opened for a single change would waste them.
    Ok(repository.with_building(Building::AtOnce))
}

/// Proves that the version of `head` contains all entries of the previous version, and verifies the
/// proof as a client does. Does nothing for versions 0 and 1.
fn check_growth<S: QueryableScheme>(log: &LogRepository<S>, head: &Head) -> Result<(), CheckError> {
    let version = head.get().version;
    let Some(before) = version.previous().filter(|before| *before > Version::EMPTY) else {
        return Ok(());
    };
    let reader = reader(log);
    let older = reader.head(head_of(log, before)?, before);
    let older = older.map_err(|error| CheckError::Version(before, error))?;
    let proof = log.prove_append_only(before, version)?;
    let checked = reader.check_growth([&older, head], &wire::encode(&proof));
    checked.map_err(|error| CheckError::Version(version, error))
}

/// Looks up each of `keys` in a version, verifies the answer as a client does, and compares it with
/// the stored values.
fn check_values<'a, S: QueryableScheme>(
    log: &LogRepository<S>,
    version: Version,
    keys: impl Iterator<Item = &'a Key>,
) -> Result<(), CheckError> {
    let entries = log.entries();
    let size = log.size(version)?;
    for key in keys {
        let proof = prove_lookup(log, version, key)?;
        let answer = proof.answer::<S>(&[head_of(log, version)?]);
        let statement = reader(log).check_lookup(version, key, &answer);
        let positions = entries.positions(key.as_bytes(), size).iter();
        let stored = positions.filter_map(|position| entries.entry(*position));
        let stored = stored.map(|entry| &entry.value);
        let agrees = match statement.map_err(|_| mismatch(version))? {
            Statement::Values(proved) => proved.values.iter().eq(stored),
            Statement::Included(_) => stored.count() == 1,
            Statement::Absent(_) => stored.count() == 0,
            _ => false,
        };
        if !agrees {
            return Err(mismatch(version));
        }
    }
    Ok(())
}

/// Returns the signed head of a version; `None` for version 0.
fn head_of<S: QueryableScheme>(
    log: &LogRepository<S>,
    version: Version,
) -> Result<OptionalHead, LookupError> {
    match version {
        Version::EMPTY => Ok(None),
        version => log.head(version).map(Some),
    }
}

fn reader<S: QueryableScheme>(log: &LogRepository<S>) -> LogReader<S> {
    LogReader::of(*log.heads().authority(), log.entries().log().clone())
}

const fn mismatch(version: Version) -> CheckError {
    CheckError::Version(version, VerifyError::RootMismatch)
}

impl<S: QueryableScheme> CheckpointedRepository for LogRepository<S> {
    /// Fails for all versions but 0: a log cannot be pruned, because its trees cover all entries.
    fn drop_before(&mut self, oldest: Version) -> Result<(), LookupError> {
        if oldest == Version::EMPTY {
            return Ok(());
        }
        Err(LookupError::InvalidQuery)
    }

    fn to_checkpoint(&self) -> StoredCheckpoint {
        let bytes = codec::encode(&self.checkpoint());
        StoredCheckpoint::new::<Sha256Ed25519>(self.latest(), Version::EMPTY, bytes)
    }

    fn restored(&self, stored: &StoredCheckpoint) -> Option<Self> {
        if !stored.is_intact::<Sha256Ed25519>() || stored.oldest != Version::EMPTY {
            return None;
        }
        let checkpoint: LogCheckpoint = codec::decode(&stored.bytes, stored.bytes.len()).ok()?;
        let log = self.entries().log().clone();
        let author = self.heads().authority().author;
        let restored = Self::restore(checkpoint, log, author, Workers::all_cores())?;
        (restored.latest() == stored.version).then_some(restored)
    }

    /// # Panics
    /// Never: the empty repository gets this repository's parameters, which were accepted before.
    fn emptied(&self) -> Self {
        let log = self.entries().log().clone();
        let emptied = empty(log, self.heads().authority().author);
        emptied.expect("the parameters serve this log already")
    }

    fn resumed(&self, keys: &SigningKeys) -> Result<RepositoryAuthor, AuthorError> {
        // The author signs values that are computed from these powers, so the powers are checked
        // before the first signature.
        let parameters = self.entries().log().setup().parameters();
        let workers = Workers::all_cores();
        // Pairings do not detect components of small order. Clients refuse points with such
        // components.
        if !parameters.are_consistent(&workers) || !parameters.are_in_subgroups(&workers) {
            let damaged = StoreError::Damaged("the parameters are not the powers of one secret");
            return Err(damaged.into());
        }
        Ok(RepositoryAuthor::new(self, keys.signer().clone()))
    }

    fn last_sealed(author: &RepositoryAuthor) -> (Version, bool) {
        (author.version(), author.has_unsigned())
    }

    /// Each put adds a value to its key, or a member to a set. Members that a set has are skipped.
    fn sign_with(
        &mut self,
        author: &mut RepositoryAuthor,
        batch: Vec<Operation>,
    ) -> Result<Vec<u8>, AuthorError> {
        let entries = batch.into_iter().map(|operation| match operation {
            Operation::Put(key, value) => Some(Entry { key, value }),
            Operation::Remove(_) => None,
        });
        let entries: Option<Vec<_>> = entries.collect();
        let entries = entries.ok_or(not_offered::<S>("removals"))?;
        Ok(codec::encode(&self.sign(author, entries)?))
    }

    /// Returns `None`. The caller needs contents only if proofs cannot establish that no entry is
    /// missing, and a log's proofs establish this.
    fn unproved_contents(&self, _: Version) -> Result<Option<Entries>, LookupError> {
        Ok(None)
    }

    /// Returns whether this log equals the log `replayed` from all updates: all nodes, with their
    /// certificates, and the frontiers. Without this comparison, a check would trust these data as
    /// read from the checkpoint.
    fn is_as_replayed(&self, replayed: &Self) -> bool {
        self.to_checkpoint().bytes == replayed.to_checkpoint().bytes
    }
}

impl<S: QueryableScheme> FamilyRepository for LogRepository<S> {
    type Author = RepositoryAuthor;

    const EVIDENCE_OUTLIVES_VERSION: bool = false;

    fn heads(&self) -> impl Heads<Sha256Ed25519> {
        self.heads()
    }

    fn refused(&self, error: ApplyError) -> RepositoryError {
        RepositoryError::Refused(error)
    }

    fn entry_count(&self) -> usize {
        self.entries().as_slice().len()
    }

    /// Returns the bytes of memory of the heads, entries, elements and nodes. The tables of keys,
    /// polynomials and, in frontier schemes, the frontiers are not counted.
    fn bytes_in_memory(&self) -> usize {
        let entries = self.entries().as_slice();
        let contents = entries
            .iter()
            .map(|entry| entry.key.as_bytes().len() + entry.value.as_bytes().len());
        let heads = self.heads().memory_bytes();
        contents.sum::<usize>() + entries.len() * BYTES_BESIDE_ENTRY + heads
    }

    /// Refuses an update that contains operations: a log's entries are in the update's attachment.
    fn require_operations(&self, head: &UpdateHead<Sha256Ed25519>) -> Result<(), ApplyError> {
        if head.operations() != 0 {
            return Err(ApplyError::OperationsNotAllowed);
        }
        Ok(())
    }

    fn append_only(&self, older: Version, newer: Version) -> Result<Option<Vec<u8>>, LookupError> {
        let proof = self.prove_append_only(older, newer)?;
        Ok(Some(wire::encode(&proof)))
    }

    fn answer_to(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError> {
        let mut heads = vec![head_of(self, version)?];
        let proof = match question {
            Question::Key(key) => prove_lookup(self, version, key)?,
            Question::Value(key, value) => {
                let (key, value) = (key.clone(), value.clone());
                let entry = Entry { key, value };
                ProofBody::of(&self.prove_inclusion(version, &entry)?)
            }
            Question::Growth(older) => {
                heads.insert(0, head_of(self, *older)?);
                ProofBody::of(&self.prove_append_only(*older, version)?)
            }
            question => return Err(not_offered::<S>(question.kind()).into()),
        };
        Ok(proof.answer::<S>(&heads))
    }

    fn history_of(
        &self,
        _: &Key,
        _: Version,
        _: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError> {
        Err(not_offered::<S>("histories (each answer has all values)").into())
    }

    fn compare(
        &self,
        _: Version,
        _: Version,
        _: &mut UnprovedCallback<'_, Difference>,
    ) -> Result<(), AnswerError> {
        Err(not_offered::<S>("differences").into())
    }
}

impl<S: QueryableScheme> ProvingRepository for LogRepository<S> {
    /// Checks that a version contains all entries of the previous version, and looks up only some
    /// keys of its update. This is enough, because a check of a log also replays all updates and so
    /// recomputes all digests.
    fn check_version(
        &self,
        head: &Head,
        update: Option<&[u8]>,
        contents: Contents,
    ) -> Result<(), CheckError> {
        check_growth(self, head)?;
        let version = head.get().version;
        let Some(message) = update else {
            return Err(StoreError::Damaged("an update is missing").into());
        };
        let update: LogUpdate = codec::decode(message, message.len())
            .map_err(|_| StoreError::Damaged("unreadable update"))?;
        if update.head != self.head(version)? {
            return Err(mismatch(version));
        }
        let shown = match contents {
            Contents::Changed => 1,
            Contents::All => SHOWN_ENTRIES,
        };
        let entries = update.attachment.entries.iter().take(shown);
        check_values(self, version, entries.map(|entry| &entry.key))
    }
}

/// The bytes of memory per entry, in addition to its key and value: an element, a quarter of a
/// node, and bookkeeping.
const BYTES_BESIDE_ENTRY: usize = 64 + 40 + 48;

/// The maximum number of keys of an update that a check of all contents ([`Contents::All`]) looks
/// up.
const SHOWN_ENTRIES: usize = 32;
