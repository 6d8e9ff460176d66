//! Tree PADs with nodes in files or in an object store. A lookup or a change reads only the nodes
//! on its search paths.

use core::ops::ControlFlow;
use std::{io, num::NonZeroUsize};

use pad_core::{
    ApplyError, Authority, First, HeadSigner, Heads, Key, KeyRange, Last, LookupError, Operation,
    Repository as _, SignedHead, SnapshotHead, StoreFault, Suite, Untrusted, Value, Verified,
    VerifyError, Version, Workers, codec,
};
use pad_tree::{
    CopyError, Difference, KeyHistory, NodeCache, PublishError, RedBlack, SkipList, SortedError,
    StoredRepository, Treap, TreeScheme, WarmError, internals::BalancingScheme,
};

#[cfg(feature = "object-store")]
use crate::store_log::ObjectLog;
use crate::{
    changes::{ChangeStorage, Changes},
    dictionary::{AnswerError, UnprovedCallback},
    family::not_offered,
    keeper::{
        CheckSummary, FamilyKeeper, FamilyRepository, Keeper, Replica as _, SigningKeeper, apply,
        respond,
    },
    keys::PublicKey,
    question::Question,
    repository::{AuthorError, CheckError, RepositoryError},
    signing_keys::SigningKeys,
    store::{AnyStore, RecordChange, StoreError},
    store_log::{AnyLog, NodeFile, RowLengths, StoreLog, SystemError},
};

type Repository<S, B> = StoredRepository<S, B, AnyLog>;

/// Creates the keeper of the tree PAD with this public key. The caller opens it afterwards. Returns
/// `None` if the scheme is not a tree scheme.
pub(crate) fn keeper<S: Suite>(
    public: &PublicKey,
    store: AnyStore,
    cache: NodeCache,
) -> Result<Option<Box<dyn SigningKeeper>>, RepositoryError> {
    let log = log_of::<S>(&store)?;
    macro_rules! try_scheme {
        ($($scheme:ty),+) => { $(
            if public.scheme.id() == <$scheme>::ID {
                let repository = opened::<S, $scheme>(public.authority, log, cache)?;
                let kept = FamilyKeeper::new(public.authority, repository, store);
                return Ok(Some(Box::new(kept)));
            }
        )+ };
    }
    try_scheme!(Treap, RedBlack, SkipList);
    Ok(None)
}

fn log_of<S: Suite>(store: &AnyStore) -> Result<AnyLog, StoreError> {
    Ok(match store {
        AnyStore::File(store) => Box::new(NodeFile::of_store(store.path(), RowLengths::of::<S>())?),
        #[cfg(feature = "object-store")]
        AnyStore::Objects(store) => Box::new(ObjectLog::of_store(store)),
        #[cfg(test)]
        AnyStore::Test(_) => return Err(StoreError::Closed),
    })
}

fn opened<S: Suite, B: BalancingScheme>(
    authority: Authority,
    log: AnyLog,
    cache: NodeCache,
) -> Result<Repository<S, B>, StoreError> {
    let said = log.system_error();
    let opened = StoredRepository::open(authority, log, cache);
    let repository = opened.map_err(|fault| faulty(fault, &said))?;
    Ok(repository.with_workers(Workers::all_cores()))
}

/// The error for damaged nodes. The store contains no second copy of the nodes, so they cannot be
/// rebuilt.
const NODES_DAMAGED: StoreError = StoreError::Damaged(
    "damaged nodes (.nodes): restore all files of the store from one backup, or mirror a server \
     that has its versions (pad mirror)",
);

/// Converts the fault of a repository to an error of its store. For an I/O error, `said` contains
/// the last error that the operating system reported, if there was one.
fn faulty(fault: StoreFault, said: &SystemError) -> StoreError {
    match fault {
        StoreFault::Medium => match said.take() {
            // Objects are created once, so a name that is taken means that another writer was
            // first.
            Some(error) if error.kind() == io::ErrorKind::AlreadyExists => StoreError::Overtaken,
            Some(error) => StoreError::Io(error),
            None => StoreError::Damaged("the nodes cannot be read or written"),
        },
        StoreFault::Closed => StoreError::Closed,
        _ => NODES_DAMAGED,
    }
}

/// Converts an error that occurred while nodes were copied or compacted. For an I/O error, `said`
/// contains the last error that the operating system reported, if there was one.
fn uncopied(error: CopyError, said: &SystemError) -> RepositoryError {
    match error {
        CopyError::Lookup(LookupError::Store(fault))
        | CopyError::Apply(ApplyError::Store(fault)) => faulty(fault, said).into(),
        CopyError::Lookup(error) => RepositoryError::Lookup(error),
        // The nodes that were read produce a different result, so they are damaged.
        CopyError::Apply(_) => NODES_DAMAGED.into(),
    }
}

type Tree<S, B> = FamilyKeeper<Repository<S, B>>;

impl<S: Suite, B: BalancingScheme> Tree<S, B> {
    fn log(&self) -> &dyn StoreLog {
        &**self.repository.log()
    }

    fn read(&mut self) -> Result<(), RepositoryError> {
        let log = self.log().taken_up(&*self.store)?;
        let said = log.system_error();
        let cache = self.repository.cache().clone();
        let mut taken_up = opened::<S, B>(*self.repository.authority(), log, cache)?;
        let warmed = taken_up.warm();
        warmed.map_err(|error| match error {
            WarmError::TooLarge { needed, most } => StoreError::TooLarge { needed, most },
            WarmError::Store(fault) => faulty(fault, &said),
            _ => StoreError::Damaged("the nodes cannot be read into memory"),
        })?;
        self.repository = taken_up;
        Ok(())
    }

    /// Keeps other writers out, or makes them fail ([`StoreLog::begin`]).
    fn begin(&mut self) -> Result<(), StoreError> {
        self.repository.log_mut().begin(&*self.store)
    }

    /// Stages the row of the latest version for the next commit, and returns this version. The row
    /// locates the version's nodes; writing it to the store publishes the version.
    fn stage_row(&mut self) -> Result<Version, RepositoryError> {
        let version = self.repository.latest();
        let row = self.log().row(version).map_err(LookupError::from);
        let row = row.inspect_err(|_| self.repository.log_mut().close())?;
        self.staged = vec![row];
        Ok(version)
    }

    /// Converts an error that occurred while a version was signed and applied.
    fn unsigned(&self, error: PublishError) -> AuthorError {
        match error {
            PublishError::Signer(error) => error.into(),
            PublishError::Apply(error) => self.repository.refused(error).into(),
        }
    }

    /// Stages the version whose signed head is in `published`, the result of building it from
    /// sorted entries or operations. Returns the version, or converts the error.
    fn stage_sorted(
        &mut self,
        published: Result<SignedHead<S>, SortedError<StoreError>>,
    ) -> Result<Version, AuthorError> {
        let error = match published {
            Ok(_) => return Ok(self.stage_row()?),
            Err(SortedError::Publish(error)) => return Err(self.unsigned(error)),
            Err(SortedError::Source(error)) => error,
            Err(SortedError::NotEmpty) => StoreError::Damaged(NOT_EMPTY),
            Err(SortedError::Empty) => StoreError::Damaged(EMPTY),
            Err(SortedError::Unordered | SortedError::Number { .. }) => {
                StoreError::Io(io::Error::new(io::ErrorKind::InvalidData, NOT_SORTED))
            }
        };
        Err(error.into())
    }

    /// Signs `number` entries, in ascending order of their keys, as the version after an empty
    /// version. The entries are streamed, not collected in memory. The update is rebuilt from the
    /// stored contents on request.
    fn load(
        &mut self,
        number: u64,
        entries: &mut (dyn Iterator<Item = Result<(Key, Value), StoreError>> + Send),
    ) -> Result<Version, AuthorError> {
        self.begin()?;
        let signer = self.author.as_ref().ok_or(StoreError::NoAuthor)?;
        let loaded = self.repository.publish_sorted(number, entries, signer);
        self.stage_sorted(loaded)
    }

    /// Signs operations on a dictionary that already contains entries. The operations are streamed
    /// like the entries of [`Self::load`].
    fn change(
        &mut self,
        operations: &mut (dyn Iterator<Item = Result<Operation, StoreError>> + Send),
    ) -> Result<Version, AuthorError> {
        self.begin()?;
        let signer = self.author.as_ref().ok_or(StoreError::NoAuthor)?;
        let published = self
            .repository
            .publish_changes(operations, TOGETHER, signer);
        self.stage_sorted(published)
    }

    fn synchronise(&mut self) -> Result<(), StoreError> {
        let synchronised = self.repository.synchronise();
        synchronised.map_err(|fault| faulty(fault, &self.log().system_error()))
    }

    /// Returns the row of the latest version, as stored in the repository's log.
    fn latest_row(repository: &Repository<S, B>) -> Result<Vec<u8>, StoreError> {
        let log = repository.log();
        let row = log.row(repository.latest());
        row.map_err(|fault| faulty(fault, &log.system_error()))
    }

    /// Copies all versions from `oldest` on to the log `log`, and makes the copy durable.
    fn copied_to(&self, log: AnyLog, oldest: Version) -> Result<Repository<S, B>, RepositoryError> {
        let said = log.system_error();
        let cache = self.repository.cache().clone();
        let copied = self.repository.copy_since(oldest, log, cache);
        let mut copied = copied.map_err(|error| uncopied(error, &said))?;
        let synchronised = copied.synchronise();
        synchronised.map_err(|fault| faulty(fault, &said))?;
        Ok(copied)
    }

    /// Copies the versions from `oldest` on to new files, and makes the store use them. Does not
    /// copy if there is no version before `oldest`. In both cases, removes the files that the store
    /// has switched from.
    fn move_since(&mut self, oldest: Version) -> Result<(), RepositoryError> {
        self.begin()?;
        let files = self.log().files();
        let removed = files.map_or(Ok(()), |files| files.remove_replaced(&*self.store));
        if oldest <= self.repository.oldest() {
            return Ok(removed?);
        }
        let from = files.ok_or(StoreError::CannotPrune)?.unopened();
        let mut to = from.new_copy()?;
        let (unfinished, change) = (to.unopened(), to.replacing(&from));
        // This record lets the next writer remove the copy after an interruption. Writing it fails
        // if another process may be writing.
        self.store.write_records(&[from.replacing(&to)])?;
        to.begin(|| Ok(()))?;
        // If copying fails, the copy is removed at once, because the disk may be full. The store
        // does not refer to it.
        let copied = self.copied_to(Box::new(to), oldest);
        let copied = copied.inspect_err(|_| drop(unfinished.remove()))?;
        let latest = copied.latest();
        let row = Self::latest_row(&copied)?;
        let put = self.store.publish_row(latest, latest, &row, &[change]);
        if let Err(error) = put {
            // Despite the error, the store may have recorded the change.
            match from.is_of(&*self.store) {
                Ok(true) => drop(unfinished.remove()),
                _ => self.repository.log_mut().close(),
            }
            return Err(error.into());
        }
        self.repository = copied;
        unfinished.remove_replaced(&*self.store)?;
        Ok(())
    }

    /// Reads the changes of a version, and checks that their nodes hash to the version's root.
    fn check_changes(&self, version: Version) -> Result<(), CheckError> {
        let before = version.previous().unwrap_or_default();
        // The comparison hashes every node that it visits.
        let repository = &self.repository;
        Ok(repository.differences(before, version, |_| Ok::<(), LookupError>(()))?)
    }
}

impl<S: Suite, B: BalancingScheme> SigningKeeper for Tree<S, B> {
    fn open(&mut self) -> Result<(), RepositoryError> {
        self.in_one_state(Self::read, |_| Ok(()))
    }

    fn resume(&mut self, keys: SigningKeys) -> Result<(), AuthorError> {
        self.author = Some(keys.signer().clone());
        Ok(())
    }

    fn sign(&mut self, batch: &mut Vec<Operation>) -> Result<Version, AuthorError> {
        self.begin()?;
        let signer = self.author.as_ref().ok_or(StoreError::NoAuthor)?;
        match self.repository.publish(batch, signer) {
            Ok(_) => Ok(self.stage_row()?),
            Err(error) => Err(self.unsigned(error)),
        }
    }

    fn streams(&self) -> bool {
        true
    }

    /// Streams sorted changes if the dictionary is empty, if there are more than [`TOGETHER`]
    /// changes, or if some changes are in a file. Signs others as a batch.
    fn sign_gathered(
        &mut self,
        changes: Changes,
        batch: &mut Vec<Operation>,
    ) -> Result<Version, AuthorError> {
        let sorter = match changes.0 {
            ChangeStorage::InMemory(changes) => {
                *batch = changes;
                return self.sign(batch);
            }
            ChangeStorage::Sorter(sorter) => sorter,
        };
        let sorted = sorter.sorted()?;
        if self.repository.is_empty() {
            self.load(sorted.number()?, &mut sorted.entries()?)
        } else if sorted.are_more_than(TOGETHER.get()) {
            self.change(&mut sorted.operations()?)
        } else {
            *batch = sorted.batch()?;
            self.sign(batch)
        }
    }
}

impl<S: Suite, B: BalancingScheme> Keeper for Tree<S, B> {
    fn stage_message(&mut self, update: &[u8]) -> Result<Version, RepositoryError> {
        self.verify_update(update)?;
        self.begin()?;
        apply(&mut self.repository, update)?;
        self.stage_row()
    }

    /// Makes nodes and heads durable first, then writes the row that refers to them to the store.
    fn commit(&mut self, records: &[RecordChange]) -> Result<Version, RepositoryError> {
        if self.staged.is_empty() && records.is_empty() {
            return Ok(self.acknowledged);
        }
        self.synchronise()?;
        let (before, latest) = (self.acknowledged, self.repository.latest());
        match self.staged.last() {
            Some(row) => self.store.publish_row(before, latest, row, records)?,
            None if latest == before => self.store.write_records(records)?,
            None => return Err(StoreError::Closed.into()),
        }
        self.staged.clear();
        self.acknowledged = latest;
        Ok(latest)
    }

    /// Only commits: opening a tree PAD replays no updates.
    fn checkpoint(&mut self) -> Result<(), RepositoryError> {
        self.commit(&[]).map(drop)
    }

    fn prune(&mut self, oldest: Version) -> Result<(), RepositoryError> {
        self.check_acknowledged(oldest)?;
        self.commit(&[])?;
        let pruned = self.move_since(oldest);
        if let Ok(()) | Err(RepositoryError::Store(StoreError::NotRemoved(_))) = pruned {
            // The versions are dropped, whether or not replaced files could be removed.
            self.store.compact()?;
        }
        pruned
    }

    fn compact(
        &mut self,
        since: Version,
        note: &mut dyn FnMut(u64),
    ) -> Result<u64, RepositoryError> {
        self.check_acknowledged(since)?;
        self.commit(&[])?;
        self.log().files().ok_or(StoreError::CannotCompact)?;
        self.begin()?;
        let said = self.log().system_error();
        let compacted = self.repository.compact(since, note);
        let bytes = compacted.map_err(|error| uncopied(error, &said))?;
        if bytes == 0 {
            return Ok(0);
        }
        self.synchronise()?;
        let latest = self.repository.latest();
        let row = Self::latest_row(&self.repository)?;
        let published = self.store.publish_row(latest, latest, &row, &[]);
        // Despite the error, the store may have recorded the new row.
        published.inspect_err(|_| self.repository.log_mut().close())?;
        Ok(bytes)
    }

    fn check(&mut self) -> Result<CheckSummary, CheckError> {
        self.store.check()?;
        let (oldest, latest) = (self.oldest().number().max(1), self.latest().number());
        self.repository.heads().check()?;
        for version in (oldest..=latest).map(Version::new) {
            if version.number() == oldest || version.number() == latest {
                check_contents(&self.repository, &self.verified_head(version)?)?;
            } else {
                self.check_changes(version)?;
            }
        }
        Ok(self.checked((latest + 1).saturating_sub(oldest)))
    }
}

impl<S: Suite, B: BalancingScheme> FamilyRepository for Repository<S, B> {
    type Author = HeadSigner;

    const EVIDENCE_OUTLIVES_VERSION: bool = false;

    fn heads(&self) -> impl Heads<S> {
        self.heads()
    }

    fn refused(&self, error: ApplyError) -> RepositoryError {
        match error {
            ApplyError::Store(fault) => faulty(fault, &self.log().system_error()).into(),
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
        self.log().kept_bytes()
    }

    fn remade_update(&self, version: Version, most: usize) -> Result<Option<Vec<u8>>, LookupError> {
        Ok(Some(codec::encode(&self.update_within(version, most)?)))
    }

    fn answer_to(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError> {
        match question {
            Question::Key(key) => respond(self, version, self.prove(version, key)?),
            Question::Keys(keys) => respond(self, version, self.prove_query(version, keys)?),
            Question::Range(range) => respond(self, version, self.prove_query(version, range)?),
            Question::First => respond(self, version, self.prove_query(version, &First)?),
            Question::Last => respond(self, version, self.prove_query(version, &Last)?),
            Question::Predecessor(key) => respond(self, version, self.prove_query(version, key)?),
            Question::Successor(key) => respond(self, version, self.prove_query(version, key)?),
            question => Err(not_offered(question, B::ID).into()),
        }
    }

    fn page_of(
        &self,
        version: Version,
        range: &KeyRange,
        bytes: usize,
    ) -> Result<KeyRange, AnswerError> {
        Ok(self.page(version, range, bytes)?)
    }

    fn history_of(
        &self,
        key: &Key,
        last: Version,
        lookups: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError> {
        Ok(Untrusted::new(self.history_page(key, last, lookups)?))
    }

    fn compare(
        &self,
        before: Version,
        after: Version,
        note: &mut UnprovedCallback<'_, Difference>,
    ) -> Result<(), AnswerError> {
        let compared = self.differences(before, after, |change| {
            // `None` means that the callback has stopped the comparison.
            match note(Untrusted::new(change)) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(None),
            }
        });
        match compared {
            Ok(()) | Err(None) => Ok(()),
            Err(Some(error)) => Err(AnswerError::Lookup(error)),
        }
    }
}

/// Checks all contents of the version of `head` against its root, by reading and hashing them.
/// Proving and verifying them would need a proof as large as the contents.
fn check_contents<S: Suite, B: BalancingScheme>(
    repository: &Repository<S, B>,
    head: &Verified<SnapshotHead<S>>,
) -> Result<(), CheckError> {
    let version = head.get().version;
    if repository.head(version)?.head != *head.get() {
        return Err(CheckError::Version(version, VerifyError::RootMismatch));
    }
    repository.check_contents(version)?;
    Ok(())
}

/// The maximum number of operations that are applied together when changes are streamed. The nodes
/// of these operations take about 100 MB, in addition to the old values of their keys.
const TOGETHER: NonZeroUsize = NonZeroUsize::new(1 << 15).unwrap();

const NOT_EMPTY: &str = "a bulk load requires an empty dictionary";
const EMPTY: &str = "bulk changes require a dictionary with entries";
const NOT_SORTED: &str = "the sorted entries are out of order, or their number is wrong";

#[cfg(test)]
mod tests;
