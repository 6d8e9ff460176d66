//! Adapter from the repository of a log to the interface of any family.

use core::any::Any;
use std::collections::BTreeMap;

use pad_accumulators::{AccumulateError, wire};
use pad_core::{
    ApplyError, AuthorKey, HeadSigner, Heads as _, Key, LookupError, Sha256Ed25519, SnapshotHead,
    Untrusted, Update, UpdateHead, Value, Verified, VerifyError, Version, Workers, codec,
    head::Authority,
};
use pad_log::{
    Appended, Building, BuiltUpdate, Entry, Log, LogAuthor, LogCheckpoint, LogRepository,
};
use pad_tree::{Difference, KeyHistory};

use super::{
    Appending, LogReader,
    answers::{AskedScheme, OptionalHead, ProofBody},
    not_offered,
};
use crate::{
    answering::{AnswerError, Noted},
    author::{AuthorError, ResumedAuthor},
    hosted::{
        AskedRepository, Checkpointed, Contents, HostedRepository, Keeping, SignedUpdate,
        UpdatedRepository, past_messages,
    },
    keys::SecretKey,
    offered::OfferedRepository,
    question::{HeadText, Question, Statement},
    repository::{CheckError, RepositoryError},
    signing_record::{SigningRecord, SigningRecordError},
    store::{StoreError, StoredCheckpoint},
};

/// A log with all its versions.
#[derive(Debug)]
pub(super) struct HostedLog<S: AskedScheme> {
    repository: LogRepository<S>,
}

type LogUpdate = Update<Sha256Ed25519, Appended>;

impl<S: AskedScheme> HostedLog<S> {
    /// An empty log.
    ///
    /// # Errors
    /// [`AccumulateError::CapacityExceeded`] if its parameters have too few powers.
    pub(super) fn new(log: Log<S>, author: AuthorKey) -> Result<Self, AccumulateError> {
        let repository = LogRepository::new(log, author, Workers::all_cores())?;
        // Nodes made in advance are not stored before they are used, so they are wasted when a
        // store is opened for a single change.
        let repository = repository.with_building(Building::AtOnce);
        Ok(Self { repository })
    }

    fn apply(&mut self, update: &LogUpdate) -> Result<Version, RepositoryError> {
        let applied = self.repository.apply(update);
        applied.map_err(RepositoryError::Refused)
    }

    fn verified_head(
        &self,
        version: Version,
    ) -> Result<Verified<SnapshotHead<Sha256Ed25519>>, CheckError> {
        let head = self.repository.head(version)?;
        let verified = Untrusted::new(head).verify(self.authority(), &version);
        verified.map_err(|error| CheckError::Version(version, error))
    }

    /// The repository in a checkpoint; `None` if it is damaged or of another setup.
    fn restored(&self, stored: &StoredCheckpoint) -> Option<LogRepository<S>> {
        if !stored.is_intact::<Sha256Ed25519>() || stored.oldest != Version::EMPTY {
            return None;
        }
        let checkpoint: LogCheckpoint = codec::decode(&stored.bytes, stored.bytes.len()).ok()?;
        let log = self.repository.entries().log().clone();
        let author = self.authority().author;
        let restored = LogRepository::restore(checkpoint, log, author, Workers::all_cores())?;
        (restored.latest() == stored.version).then_some(restored)
    }

    /// Proves that a version contains the one before, and verifies the proof as a client does.
    fn check_growth(&self, version: Version) -> Result<(), CheckError> {
        let Some(before) = version.previous().filter(|before| *before > Version::EMPTY) else {
            return Ok(());
        };
        let heads = [self.verified_head(before)?, self.verified_head(version)?];
        let proof = self.repository.prove_append_only(before, version)?;
        let checked = self
            .reader()
            .check_growth([&heads[0], &heads[1]], &wire::encode(&proof));
        checked.map_err(|error| CheckError::Version(version, error))
    }

    /// Checks that lookups of these keys, verified as a client does, agree with the stored values.
    fn check_values<'a>(
        &self,
        version: Version,
        keys: impl Iterator<Item = &'a Key>,
    ) -> Result<(), CheckError> {
        let entries = self.repository.entries();
        let size = self.repository.size(version)?;
        for key in keys {
            let proof = S::prove(&self.repository, version, key)?;
            let answer = proof.answer::<S>(&[self.head_of(version)?]);
            let statement = S::check(&self.reader(), version, key, &answer);
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

    /// The head of a version; `None` for version 0.
    fn head_of(&self, version: Version) -> Result<OptionalHead, LookupError> {
        match version {
            Version::EMPTY => Ok(None),
            version => self.repository.head(version).map(Some),
        }
    }

    fn reader(&self) -> LogReader<S> {
        LogReader::of(
            *self.authority(),
            self.repository.entries().log().setup().clone(),
        )
    }

    fn not_offered<T>(what: &'static str) -> Result<T, AnswerError> {
        Err(not_offered::<S>(what).into())
    }
}

const fn mismatch(version: Version) -> CheckError {
    CheckError::Version(version, VerifyError::RootMismatch)
}

impl<S: AskedScheme> UpdatedRepository for HostedLog<S> {
    fn authority(&self) -> &Authority {
        self.repository.heads().authority()
    }

    fn latest(&self) -> Version {
        self.repository.latest()
    }

    fn oldest(&self) -> Version {
        Version::EMPTY
    }

    fn verify_update(&self, message: &[u8]) -> Result<(), RepositoryError> {
        let head = UpdateHead::<Sha256Ed25519>::peek::<Appended>(message, message.len())
            .map_err(RepositoryError::Unreadable)?;
        head.verify(self.authority())
            .map_err(|error| RepositoryError::Refused(ApplyError::Head(error)))?;
        let (expected, actual) = (self.latest(), head.base);
        if expected != actual {
            let gap = ApplyError::VersionGap { expected, actual };
            return Err(RepositoryError::Refused(gap));
        }
        // Counted before they take memory.
        if head.operations() != 0 {
            return Err(RepositoryError::Refused(ApplyError::OperationsNotAllowed));
        }
        Ok(())
    }

    fn has_update(&self, message: &[u8]) -> Result<bool, RepositoryError> {
        let update = UpdateHead::<Sha256Ed25519>::peek::<Appended>(message, message.len())
            .map_err(RepositoryError::Unreadable)?;
        let there = self.repository.head(update.head.head.version)?;
        Ok(there.head == update.head.head)
    }

    fn apply_message(&mut self, message: &[u8]) -> Result<Version, RepositoryError> {
        let update = codec::decode::<LogUpdate>(message, message.len());
        self.apply(&update.map_err(RepositoryError::Unreadable)?)
    }

    fn apply_update(&mut self, update: &dyn SignedUpdate) -> Result<Version, RepositoryError> {
        let any: &dyn Any = update;
        if let Some(built) = any.downcast_ref::<BuiltUpdate<S>>() {
            let applied = self.repository.apply_built(built);
            return applied.map_err(RepositoryError::Refused);
        }
        match any.downcast_ref::<LogUpdate>() {
            Some(update) => self.apply(update),
            // An update of another family: the decoding error shows the difference.
            None => self.apply_message(&update.encode()),
        }
    }
}

impl<S: AskedScheme> Checkpointed for HostedLog<S> {
    /// Fails for all but version 0: a log's trees are over all entries.
    fn prune(&mut self, oldest: Version) -> Result<(), LookupError> {
        if oldest == Version::EMPTY {
            return Ok(());
        }
        Err(LookupError::InvalidQuery)
    }

    fn checkpoint(&self) -> StoredCheckpoint {
        let bytes = codec::encode(&self.repository.checkpoint());
        StoredCheckpoint::new::<Sha256Ed25519>(self.latest(), self.oldest(), bytes)
    }

    fn restore(&mut self, stored: &StoredCheckpoint) -> bool {
        let restored = self.restored(stored);
        let is_restored = restored.is_some();
        if let Some(restored) = restored {
            self.repository = restored;
        }
        is_restored
    }

    /// # Panics
    /// Never: this repository was made with the same parameters.
    fn emptied(&self) -> Box<dyn HostedRepository> {
        let log = self.repository.entries().log().clone();
        let emptied = Self::new(log, self.authority().author);
        Box::new(emptied.expect("the parameters serve this log already"))
    }
}

impl<S: AskedScheme> AskedRepository for HostedLog<S> {
    fn head_text(&self, version: Version) -> Result<HeadText, LookupError> {
        Ok(HeadText::of(&self.repository.head(version)?.head))
    }

    fn head_message(&self, version: Version) -> Result<Vec<u8>, LookupError> {
        Ok(codec::encode(&self.repository.head(version)?))
    }

    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, LookupError> {
        let proof = self.repository.heads().prove_consistency(older, newer)?;
        Ok(codec::encode(&proof))
    }

    fn append_only_message(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<Option<Vec<u8>>, LookupError> {
        let proof = self.repository.prove_append_only(older, newer)?;
        Ok(Some(wire::encode(&proof)))
    }

    fn past_messages(&self, older: Version, newer: Version) -> Result<Vec<Vec<u8>>, LookupError> {
        past_messages(self.repository.heads(), older, newer)
    }

    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError> {
        let repository = &self.repository;
        let mut heads = vec![self.head_of(version)?];
        let proof = match question {
            Question::Key(key) => S::prove(repository, version, key)?,
            Question::Value(key, value) => {
                let (key, value) = (key.clone(), value.clone());
                let entry = Entry { key, value };
                ProofBody::of(&repository.prove_inclusion(version, &entry)?)
            }
            Question::Growth(older) => {
                heads.insert(0, self.head_of(*older)?);
                ProofBody::of(&repository.prove_append_only(*older, version)?)
            }
            question => return Self::not_offered(question.kind()),
        };
        Ok(proof.answer::<S>(&heads))
    }

    fn proof_body(&self, version: Version, key: &Key) -> Result<Vec<u8>, LookupError> {
        Ok(S::prove(&self.repository, version, key)?.bytes)
    }

    fn history_page(
        &self,
        _: &Key,
        _: Version,
        _: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError> {
        Self::not_offered("histories (each answer has all values)")
    }

    fn differences(
        &self,
        _: Version,
        _: Version,
        _: &mut Noted<'_, Difference>,
    ) -> Result<(), AnswerError> {
        Self::not_offered("differences")
    }
}

impl<S: AskedScheme> HostedRepository for HostedLog<S> {
    fn keeping(&mut self) -> Keeping<'_> {
        Keeping::Whole(self)
    }

    fn evidence_outlives_version(&self) -> bool {
        false
    }

    fn entries(&self) -> usize {
        self.repository.entries().as_slice().len()
    }

    /// Entries, elements and nodes, without the tables of keys and, in frontier schemes, the
    /// frontiers.
    fn memory_bytes(&self) -> usize {
        let entries = self.repository.entries().as_slice();
        let contents = entries
            .iter()
            .map(|entry| entry.key.as_bytes().len() + entry.value.as_bytes().len());
        let heads = self.repository.heads().memory_bytes();
        contents.sum::<usize>() + entries.len() * BYTES_BESIDE_ENTRY + heads
    }

    fn check_head(&self, version: Version) -> Result<(), CheckError> {
        self.verified_head(version).map(drop)
    }

    /// Looks up only some keys of an update: its replay has made all digests anew.
    fn check_version(
        &self,
        version: Version,
        update: Option<&[u8]>,
        contents: Contents,
    ) -> Result<(), CheckError> {
        self.check_growth(version)?;
        let Some(message) = update else {
            return Err(StoreError::Damaged("an update is missing").into());
        };
        let update: LogUpdate = codec::decode(message, message.len())
            .map_err(|_| StoreError::Damaged("a stored update is not readable"))?;
        if update.head != self.repository.head(version)? {
            return Err(mismatch(version));
        }
        let shown = match contents {
            Contents::Changed => 1,
            Contents::All => SHOWN_ENTRIES,
        };
        let entries = update.attachment.entries.iter().take(shown);
        self.check_values(version, entries.map(|entry| &entry.key))
    }

    /// Compares all nodes with their certificates, and frontiers, which a checkpoint is trusted
    /// for.
    fn is_as_replayed(&self, replayed: &dyn Checkpointed) -> bool {
        self.checkpoint().bytes == replayed.checkpoint().bytes
    }

    fn unproved_contents(&self, _: Version) -> Result<Option<BTreeMap<Key, Value>>, LookupError> {
        Ok(None)
    }

    fn check_record(
        &self,
        record: &SigningRecord,
        stored: Version,
    ) -> Result<(), SigningRecordError> {
        let head = |version| self.repository.head(version).ok();
        record.check::<Sha256Ed25519>(self.authority(), stored, head)
    }
}

impl<S: AskedScheme> OfferedRepository for HostedLog<S> {
    fn resume(&self, key: &SecretKey) -> Result<ResumedAuthor, AuthorError> {
        // An author that accumulates with the powers of an attacker's secret signs values that the
        // attacker can open to anything.
        let parameters = self.repository.entries().log().setup().parameters();
        let workers = Workers::all_cores();
        // Pairings do not detect components of small order. Clients refuse points that have them.
        if !parameters.are_consistent(&workers) || !parameters.are_in_subgroups(&workers) {
            let damaged = StoreError::Damaged("its parameters are not the powers of one secret");
            return Err(RepositoryError::from(damaged).into());
        }
        let author = LogAuthor::resume(&self.repository, HeadSigner::new(key.signer()));
        Ok(ResumedAuthor::WithContents(Box::new(Appending(author))))
    }
}

/// The bytes of an element, a quarter of a node, and the bookkeeping of key and value.
const BYTES_BESIDE_ENTRY: usize = 64 + 40 + 48;

/// The number of keys of an update that are looked up for [`Contents::All`].
const SHOWN_ENTRIES: usize = 32;
