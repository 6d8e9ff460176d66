//! Tuple PADs: a proof needs the head's version, and some designs a key beside the author's.

use pad_core::{
    DecodeError, HeadSignature, LookupError, Operation, SnapshotHead, Suite, Untrusted, Update,
    Verified, VerifyError, Version, Workers, contradiction::Past, head::Authority,
    history::ConsistencyProof,
};
use pad_tuple::{
    AggregateDesign, Design, Expectation, ManyProof, RangeProof, TupleAuthor, TupleProof,
    TupleRepository, checkpoint::TupleCheckpoint, for_each_tuple, update::TupleAttachment,
};
use signature::Signer;

use crate::{
    answering::NotOffered,
    author::{AuthorError, BatchAuthor, HostedAuthor, ResumableRepository, resumed},
    bundle::ProofUnderHead,
    dynamic::{Description, OfferedRepository},
    hosted::Typed,
    keys::{PublicKey, SecretKey},
    question::{Question, Refusal, Statement, conclude},
    repository::{RepositoryError, StorableRepository},
    selection::RepositoryName,
    store::StoreError,
};

mod answers;
pub(crate) mod own_keys;

use own_keys::KeyBytes;

/// What a tuple PAD is made from, and what its clients trust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TupleSetup<K> {
    /// Whose updates are taken, for which dictionary and design.
    pub authority: Authority,
    /// What the design verifies with beyond the author's key; `()` if nothing.
    pub key: K,
}

/// What a public key says. `None` if its scheme's own key is not of this kind.
fn setup<K: KeyBytes>(public: &PublicKey) -> Option<TupleSetup<K>> {
    let own = public.scheme_key.as_ref();
    let key = K::from_slice(own.map_or(&[], |key| key.as_bytes()))?;
    let authority = public.authority;
    Some(TupleSetup { authority, key })
}

/// An empty repository of the tuple PAD that is described, if there is such a one.
pub(crate) fn repository<S: Suite>(
    description: &Description,
) -> Result<Option<Box<dyn OfferedRepository>>, RepositoryError> {
    if description.repository != RepositoryName::VersionedIndex {
        return Ok(None);
    }
    macro_rules! try_design {
        ($name:ident, $design:ty) => {
            if is_of::<S, $design>(&description.public) {
                let setup = setup(&description.public).ok_or_else(foreign_key)?;
                let repository = Typed::<TupleRepository<S, $design>>::new(setup);
                return Ok(Some(Box::new(repository)));
            }
        };
    }
    for_each_tuple!(try_design);
    Ok(None)
}

impl<S, D> OfferedRepository for Typed<TupleRepository<S, D>>
where
    S: Suite,
    D: AggregateDesign<S, Secret: KeyBytes>,
{
    fn resume(&self, key: &SecretKey) -> Result<Box<dyn HostedAuthor>, AuthorError> {
        let own = KeyBytes::from_slice(key.scheme_secret().unwrap_or_default());
        let own: D::Secret = own.ok_or_else(foreign_key)?;
        resumed(self.repository(), (key.signer(), own))
    }
}

/// What an answer of a tuple PAD establishes.
pub(crate) fn verify<S: Suite>(
    public: &PublicKey,
    version: Version,
    question: &Question,
    answer: &[u8],
) -> Result<Statement, Refusal> {
    macro_rules! try_design {
        ($name:ident, $design:ty) => {
            if is_of::<S, $design>(public) {
                return verify_of::<S, $design>(public, version, question, answer);
            }
        };
    }
    for_each_tuple!(try_design);
    let scheme = public.scheme.id();
    let what = "questions";
    Err(NotOffered { what, scheme }.into())
}

fn is_of<S: Suite, D: Design<S>>(public: &PublicKey) -> bool {
    public.scheme.id() == D::SCHEME
}

fn foreign_key() -> RepositoryError {
    StoreError::Damaged("its key is not one of its scheme").into()
}

fn verify_of<S: Suite, D: AggregateDesign<S, Key: KeyBytes>>(
    public: &PublicKey,
    version: Version,
    question: &Question,
    answer: &[u8],
) -> Result<Statement, Refusal> {
    let setup = setup(public).ok_or(DecodeError::Malformed)?;
    Ok(match question {
        Question::Key(key) => Statement::Lookup(conclude::<S, TupleProof<S, D>>(
            &setup,
            version,
            key,
            answer,
            question.longest_answer(),
        )?),
        Question::Keys(keys) => Statement::Lookups(conclude::<S, ManyProof<S, D>>(
            &setup,
            version,
            keys,
            answer,
            question.longest_answer(),
        )?),
        Question::Range(range) => Statement::Range(conclude::<S, RangeProof<S, D>>(
            &setup,
            version,
            range,
            answer,
            question.longest_answer(),
        )?),
    })
}

/// What a client expects of the version of a verified head.
fn expectation<S: Suite, K: Clone>(
    head: &Verified<SnapshotHead<S>>,
    setup: &TupleSetup<K>,
) -> Expectation<K> {
    Expectation {
        authority: setup.authority,
        key: setup.key.clone(),
        version: head.get().version,
    }
}

macro_rules! under_head {
    ($($proof:ident),+) => { $(
        impl<S: Suite, D: AggregateDesign<S>> ProofUnderHead<S> for $proof<S, D> {
            type Trust = TupleSetup<D::Key>;

            fn authority(setup: &TupleSetup<D::Key>) -> &Authority {
                &setup.authority
            }

            fn verify_under(
                self,
                head: &Verified<SnapshotHead<S>>,
                setup: &TupleSetup<D::Key>,
                query: &Self::Query,
            ) -> Result<Self::Statement, VerifyError> {
                let verified = Untrusted::new(self).verify(&expectation(head, setup), query)?;
                Ok(verified.into_inner())
            }
        }
    )+ };
}

under_head!(TupleProof, ManyProof, RangeProof);

impl<S: Suite, D: Design<S>> StorableRepository for TupleRepository<S, D> {
    const EVIDENCE_OUTLIVES_VERSION: bool = true;
    type Setup = TupleSetup<D::Key>;
    type Checkpoint = TupleCheckpoint<S>;

    fn new(setup: &TupleSetup<D::Key>) -> Self {
        Self::new(setup.authority, setup.key.clone())
    }

    fn with_workers(self, workers: Workers) -> Self {
        self.with_workers(workers)
    }

    fn authority(&self) -> &Authority {
        self.authority()
    }

    fn checkpoint(&self) -> TupleCheckpoint<S> {
        self.checkpoint()
    }

    fn restore(checkpoint: TupleCheckpoint<S>, setup: &TupleSetup<D::Key>) -> Option<Self> {
        Self::restore(checkpoint, setup.authority, setup.key.clone())
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

/// An author signs heads with `K`; the design may have a secret of its own.
impl<S, D, K> ResumableRepository<(K, D::Secret)> for TupleRepository<S, D>
where
    S: Suite,
    D: Design<S>,
    K: Signer<HeadSignature> + Send + Sync + 'static,
{
    type Author = TupleAuthor<S, D, K>;

    fn resume(
        &self,
        (signer, secret): (K, D::Secret),
        workers: Workers,
    ) -> Result<Self::Author, AuthorError> {
        Ok(TupleAuthor::resume(self, signer, secret)?.with_workers(workers))
    }
}

impl<S, D, K> BatchAuthor for TupleAuthor<S, D, K>
where
    S: Suite,
    D: Design<S>,
    K: Signer<HeadSignature> + Sync,
{
    fn has_unsigned(&self) -> bool {
        self.has_unsigned()
    }

    fn snapshot_of(
        &mut self,
        batch: Vec<Operation>,
    ) -> Result<Update<S, TupleAttachment<D::Tick>>, pad_tuple::AuthorError> {
        self.snapshot_of(batch)
    }
}
