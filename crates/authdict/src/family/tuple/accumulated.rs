//! Tuple PADs with accumulators: their tuples are in memory, and in a checkpoint.

use std::collections::BTreeMap;

use pad_core::{
    Answer, Answers, Heads, Key, Keys, Lookup, LookupError, Operation, Repository as _, Response,
    SnapshotHead, Suite, Untrusted, Value, Verified, VerifyError, Version, Workers, codec,
    head::Authority,
};
use pad_tree::{Difference, KeyHistory};
use pad_tuple::{KeyBytes, Tuple, TupleAuthor, TupleRepository, for_each_accumulated_tuple};

use super::{
    AskedDesign, TupleSetup, answers::compare, answers::history_of, foreign_key, is_of, setup,
};
use crate::{
    answering::{AnswerError, AnsweringRepository, Noted},
    author::{AuthorError, HostedAuthor, ResumedAuthor},
    family::not_offered,
    hosted::{
        Checkpointed, HostedRepository, Keeping, KeptRepository, SignedUpdate, Typed,
        UpdatedRepository as _,
    },
    keys::{PublicKey, SecretKey},
    offered::OfferedRepository,
    question::Question,
    repository::{CheckError, RepositoryError},
    store::StoredCheckpoint,
};

/// An empty repository of the tuple PAD with this public key, if its design has accumulators.
pub(super) fn repository<S: Suite>(
    public: &PublicKey,
) -> Result<Option<Box<dyn OfferedRepository>>, RepositoryError> {
    macro_rules! try_design {
        ($name:ident, $design:ty) => {
            if is_of::<S, $design>(public) {
                let setup = setup::<S, $design>(public).ok_or_else(foreign_key)?;
                return Ok(Some(Box::new(Typed(emptied::<S, $design>(&setup)))));
            }
        };
    }
    for_each_accumulated_tuple!(try_design);
    Ok(None)
}

fn emptied<S: Suite, D: AskedDesign<S>>(setup: &TupleSetup<S, D>) -> TupleRepository<S, D> {
    let repository = TupleRepository::new(*setup.authority(), setup.key().clone());
    repository.with_workers(Workers::all_cores())
}

/// The trust anchor of a repository's clients.
fn trusted<S: Suite, D: AskedDesign<S>>(repository: &TupleRepository<S, D>) -> TupleSetup<S, D> {
    let authority = repository.authority();
    let key = repository.key().clone();
    TupleSetup::<S, D>::new(authority.author, authority.dictionary, key)
}

impl<S: Suite, D: AskedDesign<S>> OfferedRepository for Typed<TupleRepository<S, D>> {
    fn resume(&self, key: &SecretKey) -> Result<ResumedAuthor, AuthorError> {
        let own = D::Secret::from_slice(key.scheme_secret().unwrap_or_default());
        let own = own.ok_or_else(foreign_key)?;
        let author = TupleAuthor::resume(&self.0, key.signer(), own)?;
        let author = author.with_workers(Workers::all_cores());
        Ok(ResumedAuthor::WithContents(Box::new(author)))
    }
}

impl<S: Suite, D: AskedDesign<S>> HostedAuthor for TupleAuthor<S, D, ed25519_dalek::SigningKey> {
    fn version(&self) -> Version {
        pad_core::Dictionary::version(self)
    }

    fn has_unsigned(&self) -> bool {
        self.has_unsigned()
    }

    fn snapshot_of(&mut self, batch: Vec<Operation>) -> Result<Box<dyn SignedUpdate>, AuthorError> {
        Ok(Box::new(self.snapshot_of(batch)?))
    }
}

impl<S: Suite, D: AskedDesign<S>> Checkpointed for Typed<TupleRepository<S, D>> {
    fn prune(&mut self, oldest: Version) -> Result<(), LookupError> {
        self.0.prune(oldest)
    }

    fn checkpoint(&self) -> StoredCheckpoint {
        let bytes = codec::encode(&self.0.checkpoint());
        StoredCheckpoint::new::<S>(self.latest(), self.oldest(), bytes)
    }

    fn restore(&mut self, stored: &StoredCheckpoint) -> bool {
        if !stored.is_intact::<S>() {
            return false;
        }
        let Ok(checkpoint) = codec::decode(&stored.bytes, stored.bytes.len()) else {
            return false;
        };
        let (authority, key) = (*self.0.authority(), self.0.key().clone());
        let restored = TupleRepository::restore(checkpoint, authority, key);
        let fits = |restored: &TupleRepository<S, D>| {
            restored.latest() == stored.version && restored.oldest() == stored.oldest
        };
        let Some(restored) = restored.filter(fits) else {
            return false;
        };
        self.0 = restored.with_workers(Workers::all_cores());
        true
    }

    fn emptied(&self) -> Box<dyn HostedRepository> {
        Box::new(Self(emptied(&trusted(&self.0))))
    }
}

impl<S: Suite, D: AskedDesign<S>> KeptRepository for TupleRepository<S, D> {
    const EVIDENCE_OUTLIVES_VERSION: bool = true;

    fn keeping(typed: &mut Typed<Self>) -> Keeping<'_> {
        Keeping::Whole(typed)
    }

    fn authority(&self) -> &Authority {
        self.authority()
    }

    fn heads(&self) -> impl Heads<S> {
        self.heads()
    }

    fn entries(&self) -> usize {
        self.len()
    }

    fn memory_bytes(&self) -> usize {
        self.memory_bytes()
    }
}

/// Answers questions about one key at a time.
impl<S: Suite, D: AskedDesign<S>> AnsweringRepository for TupleRepository<S, D> {
    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError> {
        match question {
            Question::Key(key) => {
                let proof = self.prove(version, key)?;
                let response = Response::new(self, version, proof);
                Ok(codec::encode(&response?))
            }
            question => Err(not_offered(question, self.authority().scheme).into()),
        }
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
        let public = trusted(self);
        let answers = keys.as_slice().iter().map(|key| {
            let lookup = checked(self, &public, head, key)?;
            Ok((lookup.key, lookup.answer))
        });
        answers.collect()
    }

    fn unproved_contents(
        &self,
        version: Version,
    ) -> Result<Option<BTreeMap<Key, Value>>, LookupError> {
        self.entries(version).map(Some)
    }

    /// Proves every entry.
    fn check_contents(&self, head: &Verified<SnapshotHead<S>>) -> Result<(), CheckError> {
        let version = head.get().version;
        let public = trusted(self);
        for (key, value) in self.entries(version)? {
            let lookup = checked(self, &public, head, &key)?;
            if lookup.answer.value() != Some(&value) {
                return Err(CheckError::Version(version, VerifyError::RootMismatch));
            }
        }
        Ok(())
    }
}

/// Proves the answer about a key, and verifies it as a client does.
fn checked<S: Suite, D: AskedDesign<S>>(
    repository: &TupleRepository<S, D>,
    public: &TupleSetup<S, D>,
    head: &Verified<SnapshotHead<S>>,
    key: &Key,
) -> Result<Lookup, CheckError> {
    let version = head.get().version;
    let proof = Untrusted::new(repository.prove(version, key)?);
    match <Tuple<D, S> as Answers<Key>>::verify(proof, public, head, key) {
        Ok(verified) => Ok(verified.into_inner()),
        Err(error) => Err(CheckError::Version(version, error)),
    }
}
