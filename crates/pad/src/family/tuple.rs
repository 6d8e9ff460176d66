//! Tuple PADs: a proof needs the head's version, and some designs a key beside the author's.

use pad_core::{
    Client, HeadSignature, Heads as _, Key, LookupError, Operation, SchemeId, Suite, Update,
    Version, Workers, contradiction::Past, head::Authority, history::ConsistencyProof,
};
use pad_tuple::{
    Design, KeyBytes, Tuple, TupleAuthor, TupleRepository, TupleScheme,
    checkpoint::TupleCheckpoint, for_each_tuple, update::TupleAttachment,
};
use signature::Signer;

use crate::{
    author::{AuthorError, BatchAuthor, ResumableRepository, ResumedAuthor, resumed},
    description::Description,
    hosted::Typed,
    inspect::Note,
    keys::{PublicKey, SecretKey},
    offered::{AnyClient, OfferedRepository},
    question::{Question, Refusal, Statement},
    repository::{CheckpointedRepository, RepositoryError, StorableRepository},
    selection::RepositoryName,
    store::{StoreError, any::AnyStore},
    tuple_file::TupleFile,
};

mod answers;
mod explain;
mod stored;

pub(crate) use answers::AskedDesign;
use explain::explain_design;

/// What a tuple PAD is made from, and what its clients trust.
pub type TupleSetup<S, D> = pad_core::PublicKey<Tuple<D, S>>;

/// What a public key says. `None` if its scheme's own key is not of this kind.
fn setup<S: Suite, D: AskedDesign<S>>(public: &PublicKey) -> Option<TupleSetup<S, D>> {
    let key = match &public.scheme_key {
        Some(own) => own.get::<D::Key>()?.clone(),
        None => D::Key::from_slice(&[])?,
    };
    let Authority {
        author, dictionary, ..
    } = public.authority;
    Some(TupleSetup::<S, D>::new(author, dictionary, key))
}

/// Calls a macro once for each design that this build has.
macro_rules! for_each_design {
    ($callback:ident) => {
        for_each_tuple!($callback);
        #[cfg(feature = "accumulators")]
        pad_tuple::for_each_accumulated_tuple!($callback);
    };
}

/// An empty repository of the tuple PAD that is described, if there is such a one.
pub(crate) fn repository<S: Suite>(
    description: &Description,
    store: &AnyStore,
) -> Result<Option<Box<dyn OfferedRepository>>, RepositoryError> {
    if description.repository == RepositoryName::Stored {
        return stored_repository::<S>(description, store);
    }
    if description.repository != RepositoryName::VersionedIndex {
        return Ok(None);
    }
    macro_rules! try_design {
        ($name:ident, $design:ty) => {
            if is_of::<S, $design>(&description.public) {
                let setup = setup::<S, $design>(&description.public);
                let setup = setup.ok_or_else(foreign_key)?;
                let repository = Typed::<TupleRepository<S, $design>>::new(setup);
                return Ok(Some(Box::new(repository)));
            }
        };
    }
    for_each_design!(try_design);
    Ok(None)
}

/// The same of one whose tuples are in a file beside its store. Designs with accumulators are kept in memory.
fn stored_repository<S: Suite>(
    description: &Description,
    store: &AnyStore,
) -> Result<Option<Box<dyn OfferedRepository>>, RepositoryError> {
    let Some(file) = store.file() else {
        return Ok(None);
    };
    macro_rules! try_design {
        ($name:ident, $design:ty) => {
            if is_of::<S, $design>(&description.public) {
                let setup = setup::<S, $design>(&description.public);
                let setup = setup.ok_or_else(foreign_key)?;
                let rows = TupleFile::of_store(file.path());
                return Ok(Some(Box::new(stored::hosted(setup, rows)?)));
            }
        };
    }
    for_each_tuple!(try_design);
    Ok(None)
}

impl<S: Suite, D: AskedDesign<S>> OfferedRepository for Typed<TupleRepository<S, D>> {
    fn resume(&self, key: &SecretKey) -> Result<ResumedAuthor, AuthorError> {
        let own = KeyBytes::from_slice(key.scheme_secret().unwrap_or_default());
        let own: D::Secret = own.ok_or_else(foreign_key)?;
        resumed(self.repository(), (key.signer(), own))
    }
}

/// The client of the tuple PAD whose public key this is.
pub(crate) fn client<S: Suite>(public: &PublicKey) -> Option<Box<dyn AnyClient>> {
    macro_rules! try_design {
        ($name:ident, $design:ty) => {
            if is_of::<S, $design>(public) {
                return Some(Box::new(Client::new(setup::<S, $design>(public)?)));
            }
        };
    }
    for_each_design!(try_design);
    None
}

/// Says step by step what the proof of a look-up in this version shows: the body of a [`pad_core::Response`]. `false` where the scheme is none
/// of a tuple PAD.
///
/// # Errors
/// [`Refusal`] at the first thing that does not fit.
pub(crate) fn explain<S: Suite>(
    scheme: Option<SchemeId>,
    version: Version,
    key: Option<&Key>,
    body: &[u8],
    note: Note<'_>,
) -> Result<bool, Refusal> {
    macro_rules! try_design {
        ($name:ident, $design:ty) => {
            if scheme == Some(<$design as TupleScheme<S>>::SCHEME) {
                return explain_design::<S, $design>(version, key, body, note);
            }
        };
    }
    for_each_design!(try_design);
    Ok(false)
}

impl<S: Suite, D: AskedDesign<S>> AnyClient for Client<Tuple<D, S>> {
    fn resume(&mut self, seen: &[u8]) -> Result<(), Refusal> {
        super::resume(self, seen)
    }

    fn check_at(
        &self,
        version: Version,
        question: &Question,
        answer: &[u8],
    ) -> Result<Statement, Refusal> {
        D::check_at(self, version, question, answer)
    }
}

fn is_of<S: Suite, D: Design<S>>(public: &PublicKey) -> bool {
    public.scheme.id() == D::SCHEME
}

fn foreign_key() -> RepositoryError {
    StoreError::Damaged("its key is not one of its scheme").into()
}

impl<S: Suite, D: Design<S>> StorableRepository for TupleRepository<S, D> {
    const EVIDENCE_OUTLIVES_VERSION: bool = true;
    type Setup = TupleSetup<S, D>;

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
        let root = Past::Root(self.heads().prove_inclusion(older, newer)?);
        Ok([
            root,
            Past::History(self.heads().prove_prefix(older, newer)?),
        ])
    }
}

impl<S: Suite, D: Design<S>> CheckpointedRepository for TupleRepository<S, D> {
    type Checkpoint = TupleCheckpoint<S>;

    fn new(setup: &TupleSetup<S, D>) -> Self {
        Self::new(*setup.authority(), setup.key().clone())
    }

    fn checkpoint(&self) -> TupleCheckpoint<S> {
        self.checkpoint()
    }

    fn restore(checkpoint: TupleCheckpoint<S>, setup: &TupleSetup<S, D>) -> Option<Self> {
        Self::restore(checkpoint, *setup.authority(), setup.key().clone())
    }

    fn prune(&mut self, oldest: Version) -> Result<(), LookupError> {
        self.prune(oldest)
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
    ) -> Result<Update<S, TupleAttachment<D::Extension>>, pad_tuple::AuthorError> {
        self.snapshot_of(batch)
    }
}
