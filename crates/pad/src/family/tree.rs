//! Tree PADs: every question is offered, and a proof needs the head alone.

use core::{fmt, marker::PhantomData};

use pad_core::{
    HeadSignature, Key, LookupError, Operation, SnapshotHead, Suite, Untrusted, Update, Verified,
    VerifyError, Version, Workers, codec, contradiction::Past, head::Authority,
    history::ConsistencyProof,
};
use pad_tree::{
    Answer, Authenticated, BalancingScheme, Change, Checkpoint, KeyHistory, KeyRange, Keys,
    NodeStore, ProvableQuery, TreeAuthor, TreeProof, TreeQuery, TreeRepository, VersionedStore,
    for_each_tree,
};
use serde::{Serialize, de::DeserializeOwned};
use signature::Signer;

use crate::{
    answering::{AnswerError, AnsweringRepository},
    author::{AuthorError, BatchAuthor, HostedAuthor, ResumableRepository, resumed},
    bundle::{Bundle, ProofUnderHead},
    check::CheckError,
    dynamic::{Description, OfferedRepository},
    hosted::Typed,
    keys::{PublicKey, SecretKey},
    question::{Question, Refusal, Statement, conclude},
    repository::StorableRepository,
};

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

/// An empty repository of the tree PAD that is described, if there is such a one.
pub(crate) fn repository<S: Suite>(
    description: &Description,
) -> Option<Box<dyn OfferedRepository>> {
    let Description { public, repository } = description;
    macro_rules! try_tree {
        ($name:ident, $scheme:ty, $($made:tt)+) => {
            let kind = Kind::<$($made)+<S>>(PhantomData);
            if public.scheme.id() == <$scheme>::ID && repository.name() == kind.name() {
                return Some(kind.make(public.authority));
            }
        };
    }
    for_each_tree!(try_tree);
    None
}

impl<S: Suite, St: TreeStore<S>> OfferedRepository for Typed<TreeRepository<S, St>> {
    fn resume(&self, key: &SecretKey) -> Result<Box<dyn HostedAuthor>, AuthorError> {
        resumed(self.repository(), key.signer())
    }
}

/// What an answer of a tree PAD establishes.
pub(crate) fn verify<S: Suite>(
    public: &PublicKey,
    version: Version,
    question: &Question,
    answer: &[u8],
) -> Result<Statement, Refusal> {
    let authority = &public.authority;
    Ok(match question {
        Question::Key(key) => Statement::Lookup(conclude::<S, TreeProof<S, _>>(
            authority,
            version,
            key,
            answer,
            question.longest_answer(),
        )?),
        Question::Keys(keys) => Statement::Lookups(conclude::<S, TreeProof<S, _>>(
            authority,
            version,
            keys,
            answer,
            question.longest_answer(),
        )?),
        Question::Range(range) => Statement::Range(conclude::<S, TreeProof<S, _>>(
            authority,
            version,
            range,
            answer,
            question.longest_answer(),
        )?),
    })
}

impl<S: Suite, Q: TreeQuery> ProofUnderHead<S> for TreeProof<S, Q> {
    type Trust = Authority;

    fn authority(trust: &Authority) -> &Authority {
        trust
    }

    fn verify_under(
        self,
        head: &Verified<SnapshotHead<S>>,
        _: &Authority,
        query: &Q,
    ) -> Result<Q::Statement, VerifyError> {
        Ok(Untrusted::new(self).verify(head, query)?.into_inner())
    }
}

impl<S: Suite, St: TreeStore<S>> StorableRepository for TreeRepository<S, St> {
    const EVIDENCE_OUTLIVES_VERSION: bool = false;
    type Setup = Authority;
    type Checkpoint = Checkpoint<S, St>;

    fn new(authority: &Authority) -> Self {
        Self::new(*authority)
    }

    fn with_workers(self, workers: Workers) -> Self {
        self.with_workers(workers)
    }

    fn authority(&self) -> &Authority {
        self.authority()
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
        self.prove_consistency(older, newer)
    }

    fn prove_past(&self, older: Version, newer: Version) -> Result<[Past<S>; 2], LookupError> {
        let root = Past::Root(self.prove_inclusion(older, newer)?);
        Ok([root, Past::History(self.prove_prefix(older, newer)?)])
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
            Question::Key(key) => bundle(self, version, key)?,
            Question::Keys(keys) => bundle(self, version, keys)?,
            Question::Range(range) => bundle(self, version, range)?,
        })
    }

    fn history(&self, key: &Key) -> Result<Untrusted<KeyHistory>, AnswerError> {
        Ok(Untrusted::new(self.history(key)))
    }

    fn diff(&self, before: Version, after: Version) -> Result<Untrusted<Vec<Change>>, AnswerError> {
        Ok(Untrusted::new(self.diff(before, after)?))
    }

    fn checked_answers(
        &self,
        head: &Verified<SnapshotHead<S>>,
        keys: &Keys,
    ) -> Result<Vec<(Key, Answer)>, CheckError> {
        Ok(checked(self, head, keys)?.answers)
    }

    fn check_contents(&self, head: &Verified<SnapshotHead<S>>) -> Result<(), CheckError> {
        checked(self, head, &KeyRange::ALL).map(drop)
    }
}

fn bundle<S: Suite, St: TreeStore<S>, Q: ProvableQuery>(
    repository: &TreeRepository<S, St>,
    version: Version,
    query: &Q,
) -> Result<Vec<u8>, LookupError> {
    let proof = repository.prove_query(version, query)?;
    Ok(codec::encode(&Bundle::new(repository, version, proof)?))
}

fn checked<S: Suite, St: TreeStore<S>, Q: ProvableQuery>(
    repository: &TreeRepository<S, St>,
    head: &Verified<SnapshotHead<S>>,
    query: &Q,
) -> Result<Q::Statement, CheckError> {
    let version = head.get().version;
    let proof = repository.prove_query(version, query)?;
    let verified = Untrusted::new(proof).verify(head, query);
    verified
        .map(Verified::into_inner)
        .map_err(|error| CheckError::Version(version, error))
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
