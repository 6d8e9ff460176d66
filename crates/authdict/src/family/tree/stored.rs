//! Tree PADs whose nodes are in a file: a lookup or a change reads only the nodes on its paths.

use std::io;

use pad_core::{
    ApplyError, Heads, Key, LookupError, Operation, Repository as _, Response, SignedHead,
    SnapshotHead, StoreFault, Suite, Untrusted, Verified, VerifyError, Version, Workers, codec,
    head::Authority, signature::HeadSigner,
};
use pad_tree::{
    Answer, BalancingScheme, CopyError, Difference, KeyHistory, KeyRange, Keys, NodeCache,
    ProvableQuery, PublishError, RedBlack, SkipList, SortedError, StoredRepository, Treap,
    TreeScheme, WarmError,
};

use super::until_stopped;
#[cfg(feature = "object-store")]
use crate::kept_log::ObjectLog;
use crate::{
    answering::{AnswerError, AnsweringRepository, Noted},
    author::{AuthorError, ResumedAuthor},
    family::not_offered,
    hosted::{
        Keeping, KeptRepository, RowKeeper, SignedUpdate, SortedEntries, SortedOperations,
        TOGETHER, Typed,
    },
    kept_log::{AnyLog, KeptLog, NodeFile, RowLengths, SystemError},
    keys::{PublicKey, SecretKey},
    offered::OfferedRepository,
    question::Question,
    repository::{CheckError, RepositoryError, SignError},
    store::{Store, StoreError, any::AnyStore},
};

type Repository<S, B> = StoredRepository<S, B, AnyLog>;

/// The repository of the tree PAD with this public key in a store, before its versions are opened.
/// `None` if the scheme is not a tree's.
pub(crate) fn repository<S: Suite>(
    public: &PublicKey,
    store: &AnyStore,
) -> Result<Option<Box<dyn OfferedRepository>>, RepositoryError> {
    match store {
        AnyStore::File(store) => {
            let log = NodeFile::of_store(store.path(), RowLengths::of::<S>())?;
            in_log::<S>(public, Box::new(log))
        }
        #[cfg(feature = "object-store")]
        AnyStore::Objects(store) => in_log::<S>(public, Box::new(ObjectLog::of_store(store))),
    }
}

fn in_log<S: Suite>(
    public: &PublicKey,
    log: AnyLog,
) -> Result<Option<Box<dyn OfferedRepository>>, RepositoryError> {
    macro_rules! try_scheme {
        ($($scheme:ty),+) => { $(
            if public.scheme.id() == <$scheme>::ID {
                let cache = NodeCache::default();
                return Ok(Some(Box::new(opened::<S, $scheme>(public.authority, log, cache)?)));
            }
        )+ };
    }
    try_scheme!(Treap, RedBlack, SkipList);
    Ok(None)
}

fn opened<S: Suite, B: BalancingScheme>(
    authority: Authority,
    log: AnyLog,
    cache: NodeCache,
) -> Result<Typed<Repository<S, B>>, StoreError> {
    let said = log.system_error();
    let opened = StoredRepository::open(authority, log, cache);
    let repository = opened.map_err(|fault| faulty(fault, &said))?;
    let repository = repository.with_workers(Workers::all_cores());
    Ok(Typed(repository))
}

/// Nodes have no other copy in a store, so they cannot be made again.
const NODES_DAMAGED: StoreError = StoreError::Damaged(
    "its nodes (.nodes) are damaged: restore all its files from one backup, or mirror a server that has its versions (pad mirror)",
);

/// Converts the fault of a repository to an error of its store, with the noted system error, if
/// any.
fn faulty(fault: StoreFault, said: &SystemError) -> StoreError {
    match fault {
        StoreFault::Medium => match said.take() {
            // Objects are created, and never replace others.
            Some(error) if error.kind() == io::ErrorKind::AlreadyExists => StoreError::Overtaken,
            Some(error) => StoreError::Io(error),
            None => StoreError::Damaged("it cannot be read or written"),
        },
        StoreFault::Closed => StoreError::Closed,
        _ => NODES_DAMAGED,
    }
}

/// Converts the error of rewriting nodes.
fn uncopied(error: CopyError, said: &SystemError) -> RepositoryError {
    match error {
        CopyError::Lookup(LookupError::Store(fault))
        | CopyError::Apply(ApplyError::Store(fault)) => faulty(fault, said).into(),
        CopyError::Lookup(error) => RepositoryError::Lookup(error),
        // The nodes read lead to another result.
        CopyError::Apply(_) => NODES_DAMAGED.into(),
    }
}

/// Converts the error of an update: the store's fault, or the update's own.
fn refused(error: ApplyError, said: &SystemError) -> RepositoryError {
    match error {
        ApplyError::Store(fault) => faulty(fault, said).into(),
        error => RepositoryError::Refused(error),
    }
}

impl<S: Suite, B: BalancingScheme> Typed<Repository<S, B>> {
    fn log(&self) -> &dyn KeptLog {
        &**self.0.log()
    }

    /// Converts the error of signing a version.
    fn unsigned(&self, error: PublishError) -> SignError {
        match error {
            PublishError::Signer(error) => SignError::Signer(error),
            PublishError::Apply(error) => refused(error, &self.log().system_error()).into(),
        }
    }

    /// The version made of sorted entries or operations, or the error.
    fn signed(
        &self,
        published: Result<SignedHead<S>, SortedError<StoreError>>,
    ) -> Result<Version, SignError> {
        let error = match published {
            Ok(head) => return Ok(head.head.version),
            Err(SortedError::Publish(error)) => return Err(self.unsigned(error)),
            Err(SortedError::Source(error)) => error,
            Err(SortedError::NotEmpty) => StoreError::Damaged(NOT_EMPTY),
            Err(SortedError::Empty) => StoreError::Damaged(EMPTY),
            Err(SortedError::Unordered | SortedError::Number { .. }) => {
                StoreError::Io(io::Error::new(io::ErrorKind::InvalidData, NOT_SORTED))
            }
        };
        Err(RepositoryError::from(error).into())
    }

    /// Copies all versions from `oldest` on to a new log, durably.
    fn copied_to(&self, log: AnyLog, oldest: Version) -> Result<Repository<S, B>, RepositoryError> {
        let said = log.system_error();
        let cache = self.0.cache().clone();
        let copied = self.0.copy_since(oldest, log, cache);
        let mut copied = copied.map_err(|error| uncopied(error, &said))?;
        let synchronised = copied.synchronise();
        synchronised.map_err(|fault| faulty(fault, &said))?;
        Ok(copied)
    }
}

impl<S: Suite, B: BalancingScheme> RowKeeper for Typed<Repository<S, B>> {
    fn take_up(&mut self, store: &dyn Store) -> Result<(), RepositoryError> {
        let log = self.log().taken_up(store)?;
        let said = log.system_error();
        let cache = self.0.cache().clone();
        let mut taken_up = opened::<S, B>(*self.0.authority(), log, cache)?;
        let warmed = taken_up.0.warm();
        warmed.map_err(|error| match error {
            WarmError::TooLarge { needed, most } => StoreError::TooLarge { needed, most },
            WarmError::Store(fault) => faulty(fault, &said),
            _ => StoreError::Damaged("its nodes cannot be read into memory"),
        })?;
        *self = taken_up;
        Ok(())
    }

    fn begin(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        self.0.log_mut().begin(store)
    }

    fn prune(&mut self, oldest: Version, store: &mut dyn Store) -> Result<(), RepositoryError> {
        self.begin(store)?;
        let removed = self.log().remove_replaced(store);
        if oldest <= self.0.oldest() {
            return Ok(removed?);
        }
        let mut to = self.log().new_copy()?;
        let change = to.turn(self.log().number());
        // If this is interrupted, the next writer removes the copy. Fails if another process may be
        // writing.
        store.write_records(&[self.log().turn(to.number())])?;
        to.start()?;
        let unfinished = to.unopened();
        // The store does not refer to it, and the disk may be full.
        let copied = self.copied_to(to, oldest);
        let copied = copied.inspect_err(|_| drop(unfinished.remove()))?;
        let latest = copied.latest();
        let row = copied.log().row(latest);
        let row = row.map_err(|fault| faulty(fault, &copied.log().system_error()))?;
        let put = store.publish_row(latest, latest, &row, &[change]);
        if let Err(error) = put {
            // The store may have it nevertheless.
            match self.log().is_of(store) {
                Ok(true) => drop(copied.log().remove()),
                _ => self.0.log_mut().close(),
            }
            return Err(error.into());
        }
        *self = Self(copied);
        self.log().remove_replaced(store)?;
        Ok(())
    }

    fn compact(
        &mut self,
        since: Version,
        store: &mut dyn Store,
        note: &mut dyn FnMut(u64),
    ) -> Result<u64, RepositoryError> {
        self.log().require_moves()?;
        self.begin(store)?;
        let said = self.log().system_error();
        let compacted = self.0.compact(since, note);
        let bytes = compacted.map_err(|error| uncopied(error, &said))?;
        if bytes == 0 {
            return Ok(0);
        }
        self.synchronise()?;
        let latest = self.0.latest();
        let row = self.log().row(latest);
        let row = row.map_err(|fault| faulty(fault, &said))?;
        let published = store.publish_row(latest, latest, &row, &[]);
        // The store may have it nevertheless.
        published.inspect_err(|_| self.close())?;
        Ok(bytes)
    }

    fn publish(
        &mut self,
        batch: &mut Vec<Operation>,
        signer: &HeadSigner,
    ) -> Result<Box<dyn SignedUpdate>, SignError> {
        match self.0.publish(batch, signer) {
            Ok(update) => Ok(Box::new(update)),
            Err(error) => Err(self.unsigned(error)),
        }
    }

    fn check_heads(&self) -> Result<(), CheckError> {
        Ok(self.0.check_heads()?)
    }

    fn load(
        &mut self,
        number: u64,
        entries: &mut SortedEntries<'_>,
        signer: &HeadSigner,
    ) -> Result<Version, SignError> {
        let loaded = self.0.publish_sorted(number, entries, signer);
        self.signed(loaded)
    }

    fn publish_changes(
        &mut self,
        operations: &mut SortedOperations<'_>,
        signer: &HeadSigner,
    ) -> Result<Version, SignError> {
        let published = self.0.publish_changes(operations, TOGETHER, signer);
        self.signed(published)
    }

    fn check_changes(&self, version: Version) -> Result<(), CheckError> {
        let before = version.previous().unwrap_or_default();
        // The comparison hashes every node that it visits.
        let repository = &self.0;
        Ok(repository.differences(before, version, |_| Ok::<(), LookupError>(()))?)
    }

    fn row(&self, version: Version) -> Result<Vec<u8>, LookupError> {
        Ok(self.log().row(version)?)
    }

    fn close(&mut self) {
        self.0.log_mut().close();
    }

    fn synchronise(&mut self) -> Result<(), StoreError> {
        let synchronised = self.0.synchronise();
        synchronised.map_err(|fault| faulty(fault, &self.log().system_error()))
    }
}

impl<S: Suite, B: BalancingScheme> OfferedRepository for Typed<Repository<S, B>> {
    fn resume(&self, key: &SecretKey) -> Result<ResumedAuthor, AuthorError> {
        Ok(ResumedAuthor::WithKey(HeadSigner::new(key.signer())))
    }
}

impl<S: Suite, B: BalancingScheme> KeptRepository for Repository<S, B> {
    const EVIDENCE_OUTLIVES_VERSION: bool = false;

    fn keeping(typed: &mut Typed<Self>) -> Keeping<'_> {
        Keeping::Rows(typed)
    }

    fn authority(&self) -> &Authority {
        self.authority()
    }

    fn heads(&self) -> impl Heads<S> {
        self.heads()
    }

    fn entries(&self) -> usize {
        usize::try_from(self.len()).unwrap_or(usize::MAX)
    }

    fn memory_bytes(&self) -> usize {
        self.memory_bytes()
    }

    fn use_cache(&mut self, cache: &NodeCache) {
        self.use_cache(cache.clone());
    }

    fn file_bytes(&self) -> Result<u64, StoreError> {
        self.log().kept_bytes()
    }

    fn refused(&self, error: ApplyError) -> RepositoryError {
        refused(error, &self.log().system_error())
    }

    fn update_message(
        &self,
        version: Version,
        most: usize,
    ) -> Result<Option<Vec<u8>>, LookupError> {
        Ok(Some(codec::encode(&self.update_within(version, most)?)))
    }
}

impl<S: Suite, B: BalancingScheme> AnsweringRepository for Repository<S, B> {
    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError> {
        Ok(match question {
            Question::Key(key) => {
                let proof = self.prove(version, key)?;
                codec::encode(&Response::new(self, version, proof)?)
            }
            Question::Keys(keys) => answer(self, version, keys)?,
            Question::Range(range) => answer(self, version, range)?,
            question => return Err(not_offered(question, B::ID).into()),
        })
    }

    fn page(
        &self,
        version: Version,
        range: &KeyRange,
        bytes: usize,
    ) -> Result<KeyRange, AnswerError> {
        Ok(self.page(version, range, bytes)?)
    }

    fn history_page(
        &self,
        key: &Key,
        last: Version,
        lookups: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError> {
        Ok(Untrusted::new(self.history_page(key, last, lookups)?))
    }

    fn differences(
        &self,
        before: Version,
        after: Version,
        note: &mut Noted<'_, Difference>,
    ) -> Result<(), AnswerError> {
        until_stopped(note, |note| self.differences(before, after, note))
    }

    fn checked_answers(
        &self,
        head: &Verified<SnapshotHead<S>>,
        keys: &Keys,
    ) -> Result<Vec<(Key, Answer)>, CheckError> {
        let version = head.get().version;
        let proof = Untrusted::new(self.prove_query(version, keys)?);
        match proof.verify(head, keys) {
            Ok(lookups) => Ok(lookups.into_inner().answers),
            Err(error) => Err(CheckError::Version(version, error)),
        }
    }

    /// Reads the contents instead of proving them: a proof would be as large as they are.
    fn check_contents(&self, head: &Verified<SnapshotHead<S>>) -> Result<(), CheckError> {
        let version = head.get().version;
        if self.head(version)?.head != *head.get() {
            return Err(CheckError::Version(version, VerifyError::RootMismatch));
        }
        self.check_contents(version)?;
        Ok(())
    }
}

fn answer<S: Suite, B: BalancingScheme, Q: ProvableQuery>(
    repository: &Repository<S, B>,
    version: Version,
    query: &Q,
) -> Result<Vec<u8>, LookupError> {
    let proof = repository.prove_query(version, query)?;
    Ok(codec::encode(&Response::new(repository, version, proof)?))
}

const NOT_EMPTY: &str = "entries can be loaded into an empty dictionary only";
const EMPTY: &str = "what an empty dictionary is to have is loaded";
const NOT_SORTED: &str = "the entries to be loaded are not those that were sorted";

#[cfg(test)]
mod tests;
