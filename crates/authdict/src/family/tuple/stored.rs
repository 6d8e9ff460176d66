//! Tuple PADs with tuples in a file. A lookup reads the tuples of its answer, and a new version
//! reads the generations whose tuples it authenticates again.

use std::collections::BTreeMap;

use pad_core::{
    Answer, ApplyError, Heads, Key, KeyRange, Keys, LookupError, Operation, Repository as _,
    SnapshotHead, StoreFault, Suite, Untrusted, Value, Verified, VerifyError, Version, Workers,
    codec,
};
use pad_tree::{Difference, KeyHistory};
use pad_tuple::{
    TupleScheme,
    internals::{KeyBytes, PublishError, StorableDesign, StoredTupleRepository},
};

use super::{
    QueryableDesign, TupleSetup, answers::compare, answers::history_of, answers::tells_of_tuples,
    foreign_key, trusted, verified,
};
use crate::{
    dictionary::{AnswerError, UnprovedCallback},
    family::not_offered,
    keeper::{
        CheckSummary, Contents, FamilyKeeper, FamilyRepository, Keeper, ProvingRepository,
        Replica as _, SigningKeeper, apply, by_answers, replay, respond,
    },
    question::Question,
    repository::{AuthorError, CheckError, RepositoryError},
    signing_keys::SigningKeys,
    store::{RecordChange, StoreError, StoredCheckpoint},
    store_log::SystemError,
    tuple_file::{TupleFile, UNREADABLE},
};

type Repository<S, D> = StoredTupleRepository<S, D, TupleFile>;

/// Creates the repository of a dictionary with the trust anchor `setup`, on the tuple file `rows`.
pub(super) fn repository<S: Suite, D: QueryableDesign<S> + StorableDesign<S>>(
    setup: &TupleSetup<S, D>,
    rows: TupleFile,
) -> Result<Repository<S, D>, StoreError> {
    let said = rows.system_error();
    let opened = StoredTupleRepository::open(*setup.authority(), setup.key().clone(), rows);
    let repository = opened.map_err(|fault| faulty(fault, &said))?;
    Ok(repository.with_workers(Workers::all_cores()))
}

/// Converts the fault of a repository to an error of its store. For an I/O error, `said` contains
/// the last error that the operating system reported, if there was one.
fn faulty(fault: StoreFault, said: &SystemError) -> StoreError {
    match fault {
        StoreFault::Medium => match said.take() {
            Some(error) => StoreError::Io(error),
            None => StoreError::Damaged("the tuple file (.tuples) cannot be read or written"),
        },
        StoreFault::Closed => StoreError::Closed,
        _ => UNREADABLE,
    }
}

type Tuples<S, D> = FamilyKeeper<Repository<S, D>>;

impl<S: Suite, D: QueryableDesign<S> + StorableDesign<S>> Tuples<S, D> {
    /// Opens the tuple file, which may lack the store's latest versions. Reads are pinned to this
    /// state until the next write, or until `unpin` is called.
    fn take_up(&mut self) -> Result<(), RepositoryError> {
        let rows = self.repository.rows_mut().opened(self.store.id()?)?;
        // Other processes may write at the same time. Each update and each question must read one
        // state.
        rows.pin()?;
        let setup = trusted::<S, D>(self.repository.authority(), self.repository.key().clone());
        self.repository = repository(&setup, rows)?;
        if self.repository.latest() > self.store.latest()? {
            return Err(AHEAD.into());
        }
        Ok(())
    }

    /// Opens the tuple file, and applies the updates in the store that the file lacks.
    ///
    /// Memory: one update and [`MOST_WAITING`] bytes, if this process can write the tuples to the
    /// file. Otherwise, the tuples of all missing updates stay in memory.
    fn bring_up(&mut self) -> Result<(), RepositoryError> {
        let mut attempts = 0;
        loop {
            self.take_up()?;
            let mut can_write = true;
            let replayed = replay(&mut self.repository, &*self.store, |repository| {
                if can_write && repository.memory_bytes() > MOST_WAITING {
                    // Each attempt to write waits for other writers.
                    can_write = write(repository).is_ok();
                }
            });
            match replayed {
                // Another process applied the same updates first.
                Err(RepositoryError::Store(StoreError::Closed)) if attempts < ATTEMPTS => {
                    attempts += 1;
                    continue;
                }
                // No update was missing. Reads stay pinned to the opened state.
                Ok(0) => return Ok(()),
                replayed => drop(replayed?),
            }
            // If another process is writing, or this process lacks the permission, the tuples stay
            // in memory.
            let settled = write(&mut self.repository);
            // Releases the file, so that a reader does not block the author.
            self.repository.rows().release();
            match settled {
                Ok(()) | Err(StoreError::Closed) if attempts < ATTEMPTS => attempts += 1,
                _ => return Ok(()),
            }
        }
    }

    /// Prepares for the next update. Tuples of earlier updates that are still in memory are written
    /// to the file, if they exceed [`MOST_WAITING`] bytes and no update is staged.
    fn begin(&mut self) -> Result<(), StoreError> {
        self.repository.rows().unpin();
        if self.staged.is_empty() && self.repository.memory_bytes() > MOST_WAITING {
            write(&mut self.repository)?;
        }
        Ok(())
    }

    fn check_derived(&mut self) -> Result<CheckSummary, CheckError> {
        self.repository.heads().check()?;
        for number in self.oldest().number() + 1..=self.latest().number() {
            if self.store.update(Version::new(number))?.is_none() {
                return Err(StoreError::Damaged("an update is missing").into());
            }
        }
        let proved = self.check_contents()?;
        Ok(self.checked(proved))
    }
}

/// Writes the tuples of the applied updates to the file. If writing fails, reads still use the
/// tuples in memory, and the next call retries.
fn write<S: Suite, D: QueryableDesign<S> + StorableDesign<S>>(
    repository: &mut Repository<S, D>,
) -> Result<(), StoreError> {
    let written = repository.flush();
    written.map_err(|fault| faulty(fault, &repository.rows().system_error()))
}

impl<S: Suite, D: QueryableDesign<S> + StorableDesign<S>> SigningKeeper for Tuples<S, D> {
    fn open(&mut self) -> Result<(), RepositoryError> {
        self.in_one_state(Self::bring_up, |_| Ok(()))
    }

    fn resume(&mut self, keys: SigningKeys) -> Result<(), AuthorError> {
        let own = D::Secret::from_slice(keys.own()).ok_or_else(foreign_key)?;
        self.repository.require_keys(keys.signer(), &own)?;
        self.author = Some(keys);
        Ok(())
    }

    fn sign(&mut self, batch: &mut Vec<Operation>) -> Result<Version, AuthorError> {
        self.begin()?;
        let keys = self.author.as_ref().ok_or(StoreError::NoAuthor)?;
        let own = D::Secret::from_slice(keys.own()).ok_or_else(foreign_key)?;
        let update = match self.repository.publish(batch, keys.signer(), &own) {
            Ok(update) => codec::encode(&update),
            Err(PublishError::Author(pad_tuple::AuthorError::Unvouched(_))) => {
                return Err(UNVOUCHED.into());
            }
            Err(PublishError::Author(error)) => return Err(error.into()),
            Err(PublishError::Apply(error)) => return Err(self.repository.refused(error).into()),
        };
        self.staged.push(update);
        Ok(self.repository.latest())
    }
}

impl<S: Suite, D: QueryableDesign<S> + StorableDesign<S>> Keeper for Tuples<S, D> {
    fn stage_message(&mut self, update: &[u8]) -> Result<Version, RepositoryError> {
        self.verify_update(update)?;
        self.begin()?;
        let version = apply(&mut self.repository, update)?;
        self.staged.push(update.to_vec());
        Ok(version)
    }

    /// Makes the staged updates durable, before anything is written that is derived from them.
    fn commit(&mut self, records: &[RecordChange]) -> Result<Version, RepositoryError> {
        self.publish_updates(records)?;
        if self.repository.memory_bytes() > MOST_WAITING / 2 {
            // Writing the tuples now leaves less to replay at the next opening.
            self.settle();
        }
        Ok(self.acknowledged)
    }

    fn settle(&mut self) {
        drop(write(&mut self.repository));
    }

    fn checkpoint(&mut self) -> Result<(), RepositoryError> {
        self.commit(&[])?;
        self.settle();
        Ok(())
    }

    fn prune(&mut self, oldest: Version) -> Result<(), RepositoryError> {
        self.check_acknowledged(oldest)?;
        self.checkpoint()?;
        self.repository.rows().unpin();
        let said = self.repository.rows().system_error();
        let pruned = self.repository.prune(oldest);
        pruned.map_err(|error| match error {
            LookupError::Store(fault) => faulty(fault, &said).into(),
            error => RepositoryError::Lookup(error),
        })?;
        // After pruning, the tuple file is the only copy of its contents.
        self.repository.rows().synchronise_name()?;
        self.store.put_checkpoint(&StoredCheckpoint {
            version: self.repository.latest(),
            oldest: self.repository.oldest(),
            digest: Vec::new(),
            bytes: Vec::new(),
        })?;
        Ok(self.store.compact()?)
    }

    fn check(&mut self) -> Result<CheckSummary, CheckError> {
        self.store.check()?;
        if self.staged.is_empty() {
            self.in_one_state(Self::bring_up, Self::check_derived)
        } else {
            // Staged updates exist only in this process's memory, so the file is not opened again.
            self.check_derived()
        }
    }
}

impl<S: Suite, D: QueryableDesign<S> + StorableDesign<S>> FamilyRepository for Repository<S, D> {
    tells_of_tuples!();

    type Author = SigningKeys;

    const EVIDENCE_OUTLIVES_VERSION: bool = true;

    fn heads(&self) -> impl Heads<S> {
        self.heads()
    }

    fn refused(&self, error: ApplyError) -> RepositoryError {
        match error {
            ApplyError::Store(fault) => faulty(fault, &self.rows().system_error()).into(),
            error => RepositoryError::Refused(error),
        }
    }

    fn entry_count(&self) -> usize {
        usize::try_from(self.len()).unwrap_or(usize::MAX)
    }

    fn bytes_in_memory(&self) -> usize {
        self.memory_bytes()
    }

    fn bytes_in_files(&self) -> Result<u64, StoreError> {
        self.rows().file_bytes()
    }

    fn answer_to(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError> {
        match question {
            Question::Key(key) => respond(self, version, self.prove(version, key)?),
            Question::Keys(keys) => respond(self, version, self.prove_keys(version, keys)?),
            Question::Range(range) => respond(self, version, self.prove_range(version, range)?),
            question => Err(not_offered(question, <D as TupleScheme<S>>::SCHEME).into()),
        }
    }
}

impl<S: Suite, D: QueryableDesign<S> + StorableDesign<S>> ProvingRepository for Repository<S, D> {
    fn check_version(
        &self,
        head: &Verified<SnapshotHead<S>>,
        update: Option<&[u8]>,
        contents: Contents,
    ) -> Result<(), CheckError> {
        by_answers(self, head, (update, contents), check_contents, answers)
    }
}

fn answers<S: Suite, D: QueryableDesign<S> + StorableDesign<S>>(
    repository: &Repository<S, D>,
    head: &Verified<SnapshotHead<S>>,
    keys: &Keys,
) -> Result<Vec<(Key, Answer)>, CheckError> {
    let public = trusted::<S, D>(repository.authority(), repository.key().clone());
    let proof = repository.prove_keys(head.get().version, keys)?;
    Ok(verified(&public, proof, head, keys)?.answers)
}

fn check_contents<S: Suite, D: QueryableDesign<S> + StorableDesign<S>>(
    repository: &Repository<S, D>,
    head: &Verified<SnapshotHead<S>>,
) -> Result<(), CheckError> {
    let public = trusted::<S, D>(repository.authority(), repository.key().clone());
    let version = head.get().version;
    let proof = repository.prove_range(version, &KeyRange::ALL)?;
    let proved = verified(&public, proof, head, &KeyRange::ALL)?;
    let stored: BTreeMap<Key, Value> = repository.entries(version)?;
    if proved.entries.into_iter().eq(stored) {
        Ok(())
    } else {
        Err(CheckError::Version(version, VerifyError::RootMismatch))
    }
}

#[cfg(test)]
mod tests;

const UNVOUCHED: StoreError = StoreError::Damaged(
    "tuple file (.tuples) contains tuples that the author did not sign: move the file away; it is \
     rebuilt unless the store was pruned",
);

/// The error for a tuple file ahead of its store. The file is written after the store, so such a
/// store is an older copy.
const AHEAD: StoreError = StoreError::Damaged(
    "tuple file (.tuples) is newer than the store: restore the newer store, or move the tuple file \
     away; it is rebuilt unless the store was pruned",
);

/// The size of the tuples kept in memory, in bytes, above which they are written to the file. A
/// commit writes them from half this size on.
const MOST_WAITING: usize = 32 << 20;

/// The maximum number of retries to open the tuple file and bring it up to date, for example
/// because another process wrote to it first.
const ATTEMPTS: usize = 3;
