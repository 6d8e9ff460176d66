//! Tuple PADs with accumulators. Their tuples are in memory, and in a checkpoint in the store.

use pad_core::{
    Answer, ApplyError, HeadSigner, Heads, Key, Keys, LookupError, Operation, Repository as _,
    SnapshotHead, Suite, Untrusted, Verified, VerifyError, Version, Workers, codec,
};
use pad_tree::{Difference, KeyHistory};
use pad_tuple::{TupleAuthor, TupleRepository, internals::KeyBytes};

use super::{
    QueryableDesign, TupleSetup, answers::compare, answers::history_of, answers::tells_of_tuples,
    foreign_key, trusted, verified,
};
use crate::{
    dictionary::{AnswerError, UnprovedCallback},
    family::not_offered,
    keeper::{
        CheckpointedRepository, Contents, Entries, FamilyRepository, ProvingRepository, by_answers,
        respond,
    },
    question::Question,
    repository::{AuthorError, CheckError, RepositoryError},
    signing_keys::SigningKeys,
    store::StoredCheckpoint,
};

/// Creates an empty repository of a dictionary with the trust anchor `setup`.
pub(super) fn emptied<S: Suite, D: QueryableDesign<S>>(
    setup: &TupleSetup<S, D>,
) -> TupleRepository<S, D> {
    let repository = TupleRepository::new(*setup.authority(), setup.key().clone());
    repository.with_workers(Workers::all_cores())
}

impl<S: Suite, D: QueryableDesign<S>> CheckpointedRepository for TupleRepository<S, D> {
    fn drop_before(&mut self, oldest: Version) -> Result<(), LookupError> {
        self.prune(oldest)
    }

    fn to_checkpoint(&self) -> StoredCheckpoint {
        let bytes = codec::encode(&self.checkpoint());
        StoredCheckpoint::new::<S>(self.latest(), self.oldest(), bytes)
    }

    fn restored(&self, stored: &StoredCheckpoint) -> Option<Self> {
        if !stored.is_intact::<S>() {
            return None;
        }
        let checkpoint = codec::decode(&stored.bytes, stored.bytes.len()).ok()?;
        let restored = Self::restore(checkpoint, *self.authority(), self.key().clone())?;
        let fits = restored.latest() == stored.version && restored.oldest() == stored.oldest;
        fits.then(|| restored.with_workers(Workers::all_cores()))
    }

    fn emptied(&self) -> Self {
        emptied(&trusted::<S, D>(self.authority(), self.key().clone()))
    }

    fn resumed(&self, keys: &SigningKeys) -> Result<Self::Author, AuthorError> {
        let own = D::Secret::from_slice(keys.own());
        let own = own.ok_or_else(foreign_key)?;
        let author = TupleAuthor::resume(self, keys.signer().clone(), own)?;
        Ok(author.with_workers(Workers::all_cores()))
    }

    fn last_sealed(author: &Self::Author) -> (Version, bool) {
        (pad_core::Dictionary::version(author), author.has_unsigned())
    }

    fn sign_with(
        &mut self,
        author: &mut Self::Author,
        batch: Vec<Operation>,
    ) -> Result<Vec<u8>, AuthorError> {
        let update = match author.snapshot_of(batch) {
            Ok(update) => update,
            Err(error) => {
                if !matches!(error, pad_tuple::AuthorError::Signing(_)) {
                    author.discard_pending();
                }
                return Err(error.into());
            }
        };
        let applied = self.apply(&update);
        applied.map_err(RepositoryError::Refused)?;
        Ok(codec::encode(&update))
    }

    fn unproved_contents(&self, version: Version) -> Result<Option<Entries>, LookupError> {
        self.entries(version).map(Some)
    }

    /// Returns `true`, without a comparison. The check compares the contents of both repositories
    /// instead ([`CheckpointedRepository::unproved_contents`]).
    fn is_as_replayed(&self, _: &Self) -> bool {
        true
    }
}

/// A tuple repository with accumulators. It answers questions about one key at a time.
impl<S: Suite, D: QueryableDesign<S>> FamilyRepository for TupleRepository<S, D> {
    tells_of_tuples!();

    type Author = TupleAuthor<S, D, HeadSigner>;

    const EVIDENCE_OUTLIVES_VERSION: bool = true;

    fn heads(&self) -> impl Heads<S> {
        self.heads()
    }

    fn refused(&self, error: ApplyError) -> RepositoryError {
        RepositoryError::Refused(error)
    }

    fn entry_count(&self) -> usize {
        self.len()
    }

    fn bytes_in_memory(&self) -> usize {
        self.memory_bytes()
    }

    fn answer_to(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError> {
        match question {
            Question::Key(key) => respond(self, version, self.prove(version, key)?),
            question => Err(not_offered(question, self.authority().scheme).into()),
        }
    }
}

impl<S: Suite, D: QueryableDesign<S>> ProvingRepository for TupleRepository<S, D> {
    fn check_version(
        &self,
        head: &Verified<SnapshotHead<S>>,
        update: Option<&[u8]>,
        contents: Contents,
    ) -> Result<(), CheckError> {
        by_answers(self, head, (update, contents), check_contents, answers)
    }
}

fn answers<S: Suite, D: QueryableDesign<S>>(
    repository: &TupleRepository<S, D>,
    head: &Verified<SnapshotHead<S>>,
    keys: &Keys,
) -> Result<Vec<(Key, Answer)>, CheckError> {
    let public = trusted::<S, D>(repository.authority(), repository.key().clone());
    let answers = keys.as_slice().iter().map(|key| {
        let proof = repository.prove(head.get().version, key)?;
        let lookup = verified(&public, proof, head, key)?;
        Ok((lookup.key, lookup.answer))
    });
    answers.collect()
}

/// Proves every entry of a version, and verifies each proof as a client does.
fn check_contents<S: Suite, D: QueryableDesign<S>>(
    repository: &TupleRepository<S, D>,
    head: &Verified<SnapshotHead<S>>,
) -> Result<(), CheckError> {
    let version = head.get().version;
    let public = trusted::<S, D>(repository.authority(), repository.key().clone());
    for (key, value) in repository.entries(version)? {
        let proof = repository.prove(version, &key)?;
        let lookup = verified(&public, proof, head, &key)?;
        if lookup.answer.value() != Some(&value) {
            return Err(CheckError::Version(version, VerifyError::RootMismatch));
        }
    }
    Ok(())
}
