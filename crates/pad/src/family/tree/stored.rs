//! Tree PADs whose nodes are in a file: a look-up or a change reads the nodes on its ways, and not the dictionary.

use std::{io, path::Path};

use pad_core::{
    ApplyError, Key, LookupError, Operation, Repository, Response, SnapshotHead, StoreFault, Suite,
    Untrusted, Verified, VerifyError, Version, Workers, codec, contradiction::Past,
    head::Authority, history::ConsistencyProof, signature::HeadSigner,
};
use pad_tree::{
    Answer, BalancingScheme, CopyError, Difference, KeyHistory, KeyRange, Keys, ProvableQuery,
    PublishError, RedBlack, SkipList, SortedError, StoredRepository, Treap, TreeScheme,
};
use serde::{Deserialize, Serialize};

use crate::{
    answering::{AnswerError, AnsweringRepository},
    author::{AuthorError, ResumedAuthor},
    family::not_offered,
    hosted::{Keeping, KeptRepository, RowKeeper, SignedUpdate, SortedEntries, Typed},
    keys::{PublicKey, SecretKey},
    node_file::{NodeFile, Owner, SystemError},
    offered::OfferedRepository,
    question::Question,
    repository::{CheckError, RepositoryError, SignError, StorableRepository, integrity},
    store::{Store, StoreError, StoredCheckpoint},
};

/// A tree PAD of scheme `B` whose nodes are in a file beside its store.
type InFile<S, B> = StoredRepository<S, B, NodeFile>;

/// The repository of the tree PAD with this public key in the store at this path, before its versions are taken up; `None` if the scheme
/// is not a tree's.
pub(super) fn repository<S: Suite>(
    public: &PublicKey,
    store: &Path,
) -> Result<Option<Box<dyn OfferedRepository>>, RepositoryError> {
    macro_rules! try_scheme {
        ($($scheme:ty),+) => { $(
            if public.scheme.id() == <$scheme>::ID {
                let file = NodeFile::of_store(store)?;
                return Ok(Some(Box::new(opened::<S, $scheme>(public.authority, file)?)));
            }
        )+ };
    }
    try_scheme!(Treap, RedBlack, SkipList);
    Ok(None)
}

fn opened<S: Suite, B: BalancingScheme>(
    authority: Authority,
    file: NodeFile,
) -> Result<Typed<InFile<S, B>>, StoreError> {
    let said = file.system_error();
    let opened = InFile::open(authority, file, CACHE_BYTES);
    let repository = opened.map_err(|fault| faulty(fault, &said))?;
    Ok(Typed::of(repository, authority))
}

/// The fault of a repository as one of its store, with what the system said, if it did.
fn faulty(fault: StoreFault, said: &SystemError) -> StoreError {
    match fault {
        StoreFault::Medium => match said.take() {
            Some(error) => StoreError::Io(error),
            None => StoreError::Damaged("it cannot be read or written"),
        },
        StoreFault::Closed => StoreError::Closed,
        _ => StoreError::Damaged("its nodes do not hold together"),
    }
}

/// Why an update is not taken: the store's fault or its own.
fn refused(error: ApplyError, said: &SystemError) -> RepositoryError {
    match error {
        ApplyError::Store(fault) => faulty(fault, said).into(),
        error => RepositoryError::Refused(error),
    }
}

impl<S: Suite, B: BalancingScheme> Typed<InFile<S, B>> {
    fn log(&self) -> &NodeFile {
        self.repository().log()
    }

    /// Why a version is not signed.
    fn unsigned(&self, error: PublishError) -> SignError {
        match error {
            PublishError::Signer(error) => SignError::Signer(error),
            PublishError::Apply(error) => refused(error, &self.log().system_error()).into(),
        }
    }

    /// The copy of all versions from one on in a new file, durable.
    fn copied_to(
        &self,
        mut file: NodeFile,
        oldest: Version,
    ) -> Result<InFile<S, B>, RepositoryError> {
        file.begin(|| Ok(()))?;
        let said = file.system_error();
        let copied = self.repository().copy_since(oldest, file, CACHE_BYTES);
        let mut copied = copied.map_err(|error| match error {
            CopyError::Lookup(error) => RepositoryError::Lookup(error),
            CopyError::Apply(ApplyError::Store(fault)) => faulty(fault, &said).into(),
            // What was read leads somewhere else.
            CopyError::Apply(_) => StoreError::Damaged("its nodes do not hold together").into(),
        })?;
        let synchronised = copied.synchronise();
        synchronised.map_err(|fault| faulty(fault, &said))?;
        Ok(copied)
    }
}

/// What a store's checkpoint has of a repository that was copied to a new file: which file, and the rows of all versions in it.
#[derive(Default, Serialize, Deserialize)]
struct Copied {
    /// [`Owner::copy`] of the file.
    copy: u64,
    /// The same of the file that was copied, which may be there still.
    replaced: Option<u64>,
    rows: Vec<Vec<u8>>,
}

impl Copied {
    /// Nothing if what the store keeps was never copied.
    fn read<S: Suite>(store: &dyn Store) -> Result<Self, StoreError> {
        let Some(stored) = store.checkpoint()? else {
            return Ok(Self::default());
        };
        let digest = integrity::<S>(stored.version, stored.oldest, &stored.bytes);
        let read = (digest.as_ref() == stored.digest)
            .then(|| codec::decode_body::<Self>(&stored.bytes).ok())
            .flatten()
            .filter(|read| read.latest() == stored.version.number());
        read.ok_or(StoreError::Damaged(
            "its checkpoint does not pass the integrity check",
        ))
    }

    fn latest(&self) -> u64 {
        u64::try_from(self.rows.len()).unwrap_or(u64::MAX)
    }

    fn to_checkpoint<S: Suite>(&self, version: Version, oldest: Version) -> StoredCheckpoint {
        let bytes = codec::encode_body(self);
        let digest = integrity::<S>(version, oldest, &bytes).as_ref().to_vec();
        StoredCheckpoint {
            version,
            oldest,
            digest,
            bytes,
        }
    }
}

impl<S: Suite, B: BalancingScheme> RowKeeper for Typed<InFile<S, B>> {
    fn take_up(&mut self, store: &dyn Store) -> Result<(), RepositoryError> {
        let copied = Copied::read::<S>(store)?;
        let newer = store.updates_from(Version::new(copied.latest().saturating_add(1)))?;
        let owner = Owner {
            store: store.id()?,
            copy: copied.copy,
        };
        let file = self
            .log()
            .of(owner)
            .with_rows(copied.rows.into_iter().chain(newer))?;
        let said = file.system_error();
        let opened = InFile::open(*self.setup(), file, CACHE_BYTES);
        let opened = opened.map_err(|fault| faulty(fault, &said))?;
        *self = Self::of(opened.with_workers(Workers::all_cores()), *self.setup());
        Ok(())
    }

    fn begin(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        let latest = self.repository().latest();
        let log = self.repository_mut().log_mut();
        let (owner, was_writer) = (log.owner(), log.is_writer());
        let mut replaced = None;
        log.begin(|| {
            let stored = store.latest()?;
            if stored != latest {
                return Err(StoreError::Gap {
                    expected: Version::new(stored.number().saturating_add(1)),
                    actual: Version::new(latest.number().saturating_add(1)),
                });
            }
            let copied = Copied::read::<S>(store)?;
            if copied.copy != owner.copy {
                return Err(StoreError::Superseded);
            }
            replaced = copied.replaced;
            Ok(())
        })?;
        if let Some(copy) = replaced.filter(|_| !was_writer) {
            // What a pruning was interrupted before. A failure is for the next one.
            drop(self.log().of(Owner { copy, ..owner }).remove());
        }
        Ok(())
    }

    fn prune(&mut self, oldest: Version, store: &mut dyn Store) -> Result<(), RepositoryError> {
        if oldest <= self.repository().oldest() {
            return Ok(());
        }
        self.begin(store)?;
        // Before all is copied: somebody else may be writing.
        store.write_records(&[])?;
        let owner = self.log().owner();
        let copy = new_copy()?;
        let file = self.log().of(Owner { copy, ..owner });
        let remove = |it: &Self| drop(it.log().of(Owner { copy, ..owner }).remove());
        let copied = self.copied_to(file, oldest).inspect_err(|_| {
            // Nobody knows of it, and there may be no room for it.
            remove(self);
        })?;
        let latest = copied.latest();
        let rows = (1..=latest.number())
            .filter_map(|version| copied.log().row(Version::new(version)))
            .map(<[u8]>::to_vec);
        let checkpoint = Copied {
            copy,
            replaced: Some(owner.copy),
            rows: rows.collect(),
        };
        let put = store.put_checkpoint(&checkpoint.to_checkpoint::<S>(latest, oldest));
        if let Err(error) = put {
            // The store may have it all the same.
            match Copied::read::<S>(store) {
                Ok(stored) if stored.copy == owner.copy => remove(self),
                _ => self.repository_mut().log_mut().close(),
            }
            return Err(error.into());
        }
        // Should the other file stay, the next writer takes it away.
        drop(self.log().remove());
        *self = Self::of(copied, *self.setup());
        Ok(())
    }

    fn publish(
        &mut self,
        batch: &mut Vec<Operation>,
        signer: &HeadSigner,
    ) -> Result<Box<dyn SignedUpdate>, SignError> {
        match self.repository_mut().publish(batch, signer) {
            Ok(update) => Ok(Box::new(update)),
            Err(error) => Err(self.unsigned(error)),
        }
    }

    fn load(
        &mut self,
        number: u64,
        entries: &mut SortedEntries<'_>,
        signer: &HeadSigner,
    ) -> Result<Version, SignError> {
        let loaded = self
            .repository_mut()
            .publish_sorted(number, entries, signer);
        let error = match loaded {
            Ok(head) => return Ok(head.head.version),
            Err(SortedError::Publish(error)) => return Err(self.unsigned(error)),
            Err(SortedError::Source(error)) => error,
            Err(SortedError::NotEmpty) => StoreError::Damaged(NOT_EMPTY),
            Err(SortedError::Unordered | SortedError::Number { .. }) => {
                StoreError::Io(io::Error::new(io::ErrorKind::InvalidData, NOT_SORTED))
            }
        };
        Err(RepositoryError::from(error).into())
    }

    fn check_changes(&self, version: Version) -> Result<(), CheckError> {
        let before = version.previous().unwrap_or_default();
        // Every node that is met is hashed.
        let repository = self.repository();
        Ok(repository.differences(before, version, drop)?)
    }

    fn row(&self, version: Version) -> Result<Vec<u8>, LookupError> {
        let latest = self.repository().latest();
        let unknown = LookupError::UnknownVersion { version, latest };
        Ok(self.log().row(version).ok_or(unknown)?.to_vec())
    }

    fn synchronise(&mut self) -> Result<(), StoreError> {
        let synchronised = self.repository_mut().synchronise();
        synchronised.map_err(|fault| faulty(fault, &self.log().system_error()))
    }
}

impl<S: Suite, B: BalancingScheme> OfferedRepository for Typed<InFile<S, B>> {
    fn resume(&self, key: &SecretKey) -> Result<ResumedAuthor, AuthorError> {
        Ok(ResumedAuthor::WithKey(HeadSigner::new(key.signer())))
    }
}

impl<S: Suite, B: BalancingScheme> StorableRepository for InFile<S, B> {
    const EVIDENCE_OUTLIVES_VERSION: bool = false;
    type Setup = Authority;

    fn with_workers(self, workers: Workers) -> Self {
        self.with_workers(workers)
    }

    fn authority(&self) -> &Authority {
        self.authority()
    }

    fn entries(&self) -> usize {
        usize::try_from(self.len()).unwrap_or(usize::MAX)
    }

    fn memory_bytes(&self) -> usize {
        self.memory_bytes()
    }

    fn prove_consistency(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<ConsistencyProof<S>, LookupError> {
        self.heads().prove_consistency(older, newer)
    }

    fn prove_past(&self, older: Version, newer: Version) -> Result<[Past<S>; 2], LookupError> {
        super::past(self.heads(), older, newer)
    }
}

impl<S: Suite, B: BalancingScheme> KeptRepository for InFile<S, B> {
    fn keeping(typed: &mut Typed<Self>) -> Keeping<'_> {
        Keeping::Rows(typed)
    }

    fn file_bytes(&self) -> Result<u64, StoreError> {
        self.log().file_bytes()
    }

    fn refused(&self, error: ApplyError) -> RepositoryError {
        refused(error, &self.log().system_error())
    }

    /// What is stored is the row.
    fn update_message(&self, version: Version, _: Vec<u8>) -> Result<Vec<u8>, LookupError> {
        Ok(codec::encode(&self.update(version)?))
    }
}

impl<S: Suite, B: BalancingScheme> AnsweringRepository for InFile<S, B> {
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

    fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>, AnswerError> {
        Ok(Untrusted::new(self.history(key)?))
    }

    fn diff(
        &self,
        before: Version,
        after: Version,
    ) -> Result<Untrusted<Vec<Difference>>, AnswerError> {
        let mut differences = Vec::new();
        self.differences(before, after, |difference| differences.push(difference))?;
        Ok(Untrusted::new(differences))
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

    /// Reads them, in place of a proof of all of them, which would be as large as they are.
    fn check_contents(&self, head: &Verified<SnapshotHead<S>>) -> Result<(), CheckError> {
        let version = head.get().version;
        if self.heads().head(version)?.head != *head.get() {
            return Err(CheckError::Version(version, VerifyError::RootMismatch));
        }
        self.check_contents(version)?;
        Ok(())
    }
}

fn answer<S: Suite, B: BalancingScheme, Q: ProvableQuery>(
    repository: &InFile<S, B>,
    version: Version,
    query: &Q,
) -> Result<Vec<u8>, LookupError> {
    let proof = repository.prove_query(version, query)?;
    Ok(codec::encode(&Response::new(repository, version, proof)?))
}

/// A number that nobody chose, and not that of the first file.
fn new_copy() -> Result<u64, StoreError> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(u64::from_le_bytes(bytes).max(1))
}

const NOT_EMPTY: &str = "entries can be loaded into an empty dictionary only";
const NOT_SORTED: &str = "the entries to be loaded are not those that were sorted";

/// Blocks of nodes in memory.
const CACHE_BYTES: usize = 64 << 20;

#[cfg(test)]
mod tests;
