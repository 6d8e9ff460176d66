//! Tuple PADs whose tuples are in a file: a lookup reads the tuples that answer it, and a change
//! the generations that it moves.

use std::collections::BTreeMap;

use pad_core::{
    Answers, ApplyError, Family, Heads, Key, KeyRange, Keys, LookupError, Operation,
    Question as Ask, Repository as _, Response, SnapshotHead, StoreFault, Suite, Untrusted, Value,
    Verified, VerifyError, Version, Workers, codec, head::Authority,
};
use pad_tree::{Answer, Difference, KeyHistory};
use pad_tuple::{
    KeyBytes, StorableDesign, StoredTupleRepository, Tuple, TupleScheme, stored::PublishError,
};

use super::{AskedDesign, TupleSetup, answers::compare, answers::history_of, foreign_key};
use crate::{
    answering::{AnswerError, AnsweringRepository, Noted},
    author::{AuthorError, ResumedAuthor},
    family::not_offered,
    hosted::{Derived, Keeping, KeptRepository, SignedUpdate, Typed},
    kept_log::SystemError,
    keys::SecretKey,
    offered::OfferedRepository,
    question::Question,
    repository::{CheckError, RepositoryError, SignError},
    signing_keys::SigningKeys,
    store::{Store, StoreError, StoredCheckpoint},
    tuple_file::{TupleFile, UNREADABLE},
};

type Repository<S, D> = StoredTupleRepository<S, D, TupleFile>;

/// The repository of this setup in rows, before they are opened.
pub(super) fn hosted<S: Suite, D: AskedDesign<S> + StorableDesign<S>>(
    setup: &TupleSetup<S, D>,
    rows: TupleFile,
) -> Result<Typed<Repository<S, D>>, StoreError> {
    let said = rows.system_error();
    let opened = StoredTupleRepository::open(*setup.authority(), setup.key().clone(), rows);
    let repository = opened.map_err(|fault| faulty(fault, &said))?;
    let repository = repository.with_workers(Workers::all_cores());
    Ok(Typed(repository))
}

/// Converts the fault of a repository to an error of its store, with the noted system error, if
/// any.
fn faulty(fault: StoreFault, said: &SystemError) -> StoreError {
    match fault {
        StoreFault::Medium => match said.take() {
            Some(error) => StoreError::Io(error),
            None => StoreError::Damaged("its tuples cannot be read or written"),
        },
        StoreFault::Closed => StoreError::Closed,
        _ => UNREADABLE,
    }
}

fn refused(error: ApplyError, said: &SystemError) -> RepositoryError {
    match error {
        ApplyError::Store(fault) => faulty(fault, said).into(),
        error => RepositoryError::Refused(error),
    }
}

impl<S: Suite, D: AskedDesign<S> + StorableDesign<S>> Typed<Repository<S, D>> {
    fn said(&self) -> SystemError {
        self.0.rows().system_error()
    }
}

impl<S: Suite, D: AskedDesign<S> + StorableDesign<S>> Derived for Typed<Repository<S, D>> {
    fn take_up(&mut self, store: &dyn Store) -> Result<(), RepositoryError> {
        let rows = self.0.rows_mut().opened(store.id()?)?;
        // Other processes may write meanwhile. Updates are applied to one state, and questions are
        // about one.
        rows.pin()?;
        *self = hosted(&trusted(&self.0), rows)?;
        let (latest, stored) = (self.0.latest(), store.latest()?);
        if latest > stored {
            return Err(AHEAD.into());
        }
        Ok(())
    }

    fn publish(
        &mut self,
        batch: &mut Vec<Operation>,
        keys: &SigningKeys,
    ) -> Result<Box<dyn SignedUpdate>, SignError> {
        let own = D::Secret::from_slice(keys.own());
        let own = own.ok_or_else(foreign_key)?;
        let said = self.said();
        let published = self.0.publish(batch, keys.signer(), &own);
        match published {
            Ok(update) => Ok(Box::new(update)),
            Err(PublishError::Author(pad_tuple::AuthorError::Unvouched(_))) => {
                Err(RepositoryError::from(UNVOUCHED).into())
            }
            Err(PublishError::Author(error)) => {
                Err(SignError::Signer(signature::Error::from_source(error)))
            }
            Err(PublishError::Apply(error)) => Err(refused(error, &said).into()),
        }
    }

    fn settle(&mut self) -> Result<(), StoreError> {
        let settled = self.0.flush();
        settled.map_err(|fault| faulty(fault, &self.said()))
    }

    fn release(&mut self) {
        self.0.rows().release();
    }

    fn unpin(&mut self) {
        self.0.rows().unpin();
    }

    fn waiting(&self) -> usize {
        self.0.memory_bytes()
    }

    fn prune(&mut self, oldest: Version) -> Result<StoredCheckpoint, RepositoryError> {
        let said = self.said();
        let pruned = self.0.prune(oldest);
        pruned.map_err(|error| match error {
            LookupError::Store(fault) => faulty(fault, &said).into(),
            error => RepositoryError::Lookup(error),
        })?;
        // From here on the rows are the only copy of their contents.
        self.0.rows().synchronise_name()?;
        Ok(StoredCheckpoint {
            version: self.0.latest(),
            oldest: self.0.oldest(),
            digest: Vec::new(),
            bytes: Vec::new(),
        })
    }

    fn check_heads(&self) -> Result<(), CheckError> {
        Ok(self.0.heads().check()?)
    }
}

impl<S: Suite, D: AskedDesign<S> + StorableDesign<S>> OfferedRepository
    for Typed<Repository<S, D>>
{
    fn resume(&self, key: &SecretKey) -> Result<ResumedAuthor, AuthorError> {
        let keys = SigningKeys::of(key);
        let own = D::Secret::from_slice(keys.own()).ok_or_else(foreign_key)?;
        self.0.require_keys(keys.signer(), &own)?;
        Ok(ResumedAuthor::WithKeys(keys))
    }
}

impl<S: Suite, D: AskedDesign<S> + StorableDesign<S>> KeptRepository for Repository<S, D> {
    const EVIDENCE_OUTLIVES_VERSION: bool = true;

    fn keeping(typed: &mut Typed<Self>) -> Keeping<'_> {
        Keeping::Derived(typed)
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

    fn file_bytes(&self) -> Result<u64, StoreError> {
        self.rows().file_bytes()
    }

    fn refused(&self, error: ApplyError) -> RepositoryError {
        refused(error, &self.rows().system_error())
    }
}

impl<S: Suite, D: AskedDesign<S> + StorableDesign<S>> AnsweringRepository for Repository<S, D> {
    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError> {
        Ok(match question {
            Question::Key(key) => response(self, version, self.prove(version, key)?)?,
            Question::Keys(keys) => response(self, version, self.prove_keys(version, keys)?)?,
            Question::Range(range) => response(self, version, self.prove_range(version, range)?)?,
            question => return Err(not_offered(question, <D as TupleScheme<S>>::SCHEME).into()),
        })
    }

    /// Omits a put of the value that the key already had.
    fn history_page(
        &self,
        key: &Key,
        last: Version,
        lookups: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError> {
        let versions = (self.oldest(), last.min(self.latest()));
        Ok(history_of(versions, lookups, |version| {
            self.lookup(version, key)
        })?)
    }

    fn differences(
        &self,
        before: Version,
        after: Version,
        note: &mut Noted<'_, Difference>,
    ) -> Result<(), AnswerError> {
        compare(self.entries(before)?, self.entries(after)?, note);
        Ok(())
    }

    fn checked_answers(
        &self,
        head: &Verified<SnapshotHead<S>>,
        keys: &Keys,
    ) -> Result<Vec<(Key, Answer)>, CheckError> {
        let proof = self.prove_keys(head.get().version, keys)?;
        Ok(verified(self, proof, head, keys)?.answers)
    }

    fn check_contents(&self, head: &Verified<SnapshotHead<S>>) -> Result<(), CheckError> {
        let version = head.get().version;
        let proof = self.prove_range(version, &KeyRange::ALL)?;
        let proved = verified(self, proof, head, &KeyRange::ALL)?;
        let stored: BTreeMap<Key, Value> = self.entries(version)?;
        if proved.entries.into_iter().eq(stored) {
            Ok(())
        } else {
            Err(CheckError::Version(version, VerifyError::RootMismatch))
        }
    }
}

fn response<S: Suite, D: AskedDesign<S> + StorableDesign<S>, P: codec::Message>(
    repository: &Repository<S, D>,
    version: Version,
    proof: P,
) -> Result<Vec<u8>, LookupError> {
    Ok(codec::encode(&Response::new(repository, version, proof)?))
}

/// The trust anchor of a repository's clients.
fn trusted<S: Suite, D: AskedDesign<S> + StorableDesign<S>>(
    repository: &Repository<S, D>,
) -> TupleSetup<S, D> {
    let authority = repository.authority();
    let key = repository.key().clone();
    TupleSetup::<S, D>::new(authority.author, authority.dictionary, key)
}

/// Verifies a proof as a client of the repository does.
fn verified<S: Suite, D: AskedDesign<S> + StorableDesign<S>, Q: Ask>(
    repository: &Repository<S, D>,
    proof: <Tuple<D, S> as Answers<Q>>::Proof,
    head: &Verified<SnapshotHead<S>>,
    question: &Q,
) -> Result<Q::Statement, CheckError>
where
    Tuple<D, S>:
        Answers<Q> + Family<Suite = S, Error = VerifyError, Key = <D as TupleScheme<S>>::Key>,
{
    let proof = Untrusted::new(proof);
    match <Tuple<D, S> as Answers<Q>>::verify(proof, &trusted(repository), head, question) {
        Ok(verified) => Ok(verified.into_inner()),
        Err(error) => Err(CheckError::Version(head.get().version, error)),
    }
}

#[cfg(test)]
mod tests;

const UNVOUCHED: StoreError = StoreError::Damaged(
    "the file of tuples beside it (with .tuples at the end of its name) has tuples that its author did not sign: move it away, and it is made again unless the store was pruned",
);

/// The file is written after its store, so a store behind the file is an older copy.
const AHEAD: StoreError = StoreError::Damaged(
    "the file of tuples beside it (with .tuples at the end of its name) is newer than it is: bring the newer store back, or move that file away, and it is made again unless the store was pruned",
);
