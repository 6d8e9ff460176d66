//! Tree PADs: every question is offered, and a proof needs the head alone.

use core::{fmt, marker::PhantomData, ops::ControlFlow};

use pad_core::{
    Client, HeadSignature, Heads, Key, LookupError, Operation, SnapshotHead, Suite, Untrusted,
    Update, Verified, Version, Workers, contradiction::Past, head::Authority,
    history::ConsistencyProof,
};
use pad_tree::{
    Answer, Authenticated, BalancingScheme, Checkpoint, Difference, KeyHistory, KeyRange, Keys,
    NodeStore, RedBlack, SkipList, Treap, Tree, TreeAuthor, TreeRepository, TreeScheme,
    VersionedStore, for_each_tree,
};
use serde::{Serialize, de::DeserializeOwned};
use signature::Signer;

use super::{answer, check, checked, not_offered};
use crate::{
    answering::{AnswerError, AnsweringRepository, Noted},
    author::{AuthorError, BatchAuthor, ResumableRepository, ResumedAuthor, resumed},
    description::Description,
    hosted::Typed,
    keys::{PublicKey, SecretKey},
    offered::{AnyClient, OfferedRepository},
    question::{Question, Refusal, Statement},
    repository::{CheckError, CheckpointedRepository, RepositoryError, StorableRepository},
    selection::RepositoryName,
    store::any::AnyStore,
};

mod explain;
mod stored;

pub(crate) use explain::explain;

/// A store of tree nodes that can be kept in a checkpoint; each store of `pad-tree` is one.
pub trait TreeStore<S: Suite>:
    VersionedStore
    + NodeStore<Annotation = Authenticated<S>>
    + fmt::Debug
    + Clone
    + Serialize
    + DeserializeOwned
    + Send
    + Sync
    + 'static
{
}

impl<S: Suite, St> TreeStore<S> for St where
    St: VersionedStore
        + NodeStore<Annotation = Authenticated<S>>
        + fmt::Debug
        + Clone
        + Serialize
        + DeserializeOwned
        + Send
        + Sync
        + 'static
{
}

/// An empty repository of the tree PAD that is described, of this store, if there is such a one.
pub(crate) fn repository<S: Suite>(
    description: &Description,
    store: &AnyStore,
) -> Result<Option<Box<dyn OfferedRepository>>, RepositoryError> {
    let Description { public, repository } = description;
    if *repository == RepositoryName::Stored {
        return stored::repository::<S>(public, store);
    }
    macro_rules! try_tree {
        ($name:ident, $scheme:ty, $($made:tt)+) => {
            let kind = Kind::<$($made)+<S>>(PhantomData);
            if public.scheme.id() == <$scheme>::ID && repository.name() == kind.name() {
                return Ok(Some(kind.make(public.authority)));
            }
        };
    }
    for_each_tree!(try_tree);
    Ok(None)
}

impl<S: Suite, St: TreeStore<S>> OfferedRepository for Typed<TreeRepository<S, St>> {
    fn resume(&self, key: &SecretKey) -> Result<ResumedAuthor, AuthorError> {
        resumed(self.repository(), key.signer())
    }
}

/// The client of the tree PAD whose public key this is.
pub(crate) fn client<S: Suite>(public: &PublicKey) -> Option<Box<dyn AnyClient>> {
    macro_rules! try_scheme {
        ($($scheme:ty),+) => { $(
            if public.scheme.id() == <$scheme>::ID {
                return Some(Box::new(Client::new(trusted::<$scheme, S>(&public.authority))));
            }
        )+ };
    }
    try_scheme!(Treap, RedBlack, SkipList);
    None
}

fn trusted<B: BalancingScheme, S: Suite>(authority: &Authority) -> pad_core::PublicKey<Tree<B, S>> {
    pad_core::PublicKey::new(authority.author, authority.dictionary, ())
}

impl<B: BalancingScheme, S: Suite> AnyClient for Client<Tree<B, S>> {
    fn resume(&mut self, seen: &[u8]) -> Result<(), Refusal> {
        super::resume(self, seen)
    }

    fn check_at(
        &self,
        version: Version,
        question: &Question,
        answer: &[u8],
    ) -> Result<Statement, Refusal> {
        Ok(match question {
            Question::Key(key) => Statement::Lookup(check(self, version, key, answer)?),
            Question::Keys(keys) => Statement::Lookups(check(self, version, keys, answer)?),
            Question::Range(range) => Statement::Range(check(self, version, range, answer)?),
            question => return Err(not_offered(question, B::ID).into()),
        })
    }
}

impl<S: Suite, St: TreeStore<S>> StorableRepository for TreeRepository<S, St> {
    const EVIDENCE_OUTLIVES_VERSION: bool = false;
    type Setup = Authority;

    fn with_workers(self, workers: Workers) -> Self {
        self.with_workers(workers)
    }

    fn authority(&self) -> &Authority {
        self.authority()
    }

    fn entries(&self) -> usize {
        self.len()
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
        past(self.heads(), older, newer)
    }
}

impl<S: Suite, St: TreeStore<S>> CheckpointedRepository for TreeRepository<S, St> {
    type Checkpoint = Checkpoint<S, St>;

    fn new(authority: &Authority) -> Self {
        Self::new(*authority)
    }

    fn checkpoint(&self) -> Checkpoint<S, St> {
        self.checkpoint()
    }

    fn restore(checkpoint: Checkpoint<S, St>, authority: &Authority) -> Option<Self> {
        Self::restore(checkpoint).filter(|restored| restored.authority() == authority)
    }

    fn prune(&mut self, oldest: Version) -> Result<(), LookupError> {
        self.prune(oldest)
    }
}

impl<S, St, K> ResumableRepository<K> for TreeRepository<S, St>
where
    S: Suite,
    St: TreeStore<S>,
    K: Signer<HeadSignature> + Send + 'static,
{
    type Author = TreeAuthor<S, <St as NodeStore>::Scheme, K>;

    fn resume(&self, signer: K, workers: Workers) -> Result<Self::Author, AuthorError> {
        Ok(TreeAuthor::resume(self, signer).with_workers(workers))
    }
}

impl<S, B, K> BatchAuthor for TreeAuthor<S, B, K>
where
    S: Suite,
    B: BalancingScheme,
    K: Signer<HeadSignature>,
{
    fn has_unsigned(&self) -> bool {
        self.has_unsigned()
    }

    fn snapshot_of(&mut self, batch: Vec<Operation>) -> Result<Update<S>, signature::Error> {
        self.snapshot_of(batch)
    }
}

impl<S: Suite, St: TreeStore<S>> AnsweringRepository for TreeRepository<S, St> {
    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError> {
        Ok(match question {
            Question::Key(key) => answer(self, version, key)?,
            Question::Keys(keys) => answer(self, version, keys)?,
            Question::Range(range) => answer(self, version, range)?,
            question => return Err(not_offered(question, self.authority().scheme).into()),
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
        Ok(Untrusted::new(self.history_page(key, last, lookups)))
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
        let public = trusted::<St::Scheme, S>(self.authority());
        Ok(checked(self, &public, head, keys)?.answers)
    }

    fn check_contents(&self, head: &Verified<SnapshotHead<S>>) -> Result<(), CheckError> {
        let public = trusted::<St::Scheme, S>(self.authority());
        checked(self, &public, head, &KeyRange::ALL).map(drop)
    }
}

/// What the head of a newer version says about an older one.
pub(crate) fn past<S: Suite>(
    heads: &impl Heads<S>,
    older: Version,
    newer: Version,
) -> Result<[Past<S>; 2], LookupError> {
    let root = Past::Root(heads.prove_inclusion(older, newer)?);
    Ok([root, Past::History(heads.prove_prefix(older, newer)?)])
}

/// One of the kinds of repositories, as a value from which its node store is inferred.
struct Kind<R>(PhantomData<R>);

#[allow(
    clippy::unused_self,
    reason = "the value says which node store is meant"
)]
impl<S: Suite, St: TreeStore<S>> Kind<TreeRepository<S, St>> {
    const fn name(&self) -> &'static str {
        St::NAME
    }

    fn make(self, authority: Authority) -> Box<dyn OfferedRepository> {
        Box::new(Typed::<TreeRepository<S, St>>::new(authority))
    }
}

/// Why differences were not gone through to their end.
enum Ended {
    Stopped,
    Failed(LookupError),
}

impl From<LookupError> for Ended {
    fn from(error: LookupError) -> Self {
        Self::Failed(error)
    }
}

/// Has what `differences` finds be noted, until that is told to stop.
fn until_stopped(
    note: &mut Noted<'_, Difference>,
    differences: impl FnOnce(&mut dyn FnMut(Difference) -> Result<(), Ended>) -> Result<(), Ended>,
) -> Result<(), AnswerError> {
    let ended = differences(&mut |change| match note(Untrusted::new(change)) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Ended::Stopped),
    });
    match ended {
        Ok(()) | Err(Ended::Stopped) => Ok(()),
        Err(Ended::Failed(error)) => Err(error.into()),
    }
}
