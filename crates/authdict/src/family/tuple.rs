//! Tuple PADs (persistent authenticated dictionaries): a proof is checked against the head's
//! version. Some designs have a key in addition to the author's key.

use pad_core::{
    Answers, Authority, Client, Family, Key, Question as Ask, SchemeId, SnapshotHead, Suite,
    Untrusted, Verified, VerifyError, Version,
};
use pad_tuple::{
    Tuple, TupleScheme, for_each_tuple,
    internals::{Design, KeyBytes},
};

use super::{AnyClient, require_seen, resumed};
use crate::{
    inspect::Note,
    keeper::{FamilyKeeper, SigningKeeper},
    keys::PublicKey,
    question::{Question, Refusal, Statement},
    repository::{CheckError, RepositoryError},
    store::{AnyStore, StoreError},
    tuple_file::TupleFile,
    verifier::Verifier,
};

#[cfg(feature = "accumulators")]
mod accumulated;
mod answers;
mod explain;
mod stored;

pub(crate) use answers::QueryableDesign;
use explain::explain_design;

/// The trust anchor of a tuple PAD's clients: the author's key, the dictionary and the design's
/// public key. Repositories are created from it too.
pub(crate) type TupleSetup<S, D> = pad_core::PublicKey<Tuple<D, S>>;

/// Reads the setup from a public key. Returns `None` if the scheme key is not a key of design `D`.
fn setup<S: Suite, D: QueryableDesign<S>>(public: &PublicKey) -> Option<TupleSetup<S, D>> {
    let key = match &public.scheme_key {
        Some(own) => own.get::<D::Key>()?.clone(),
        None => D::Key::from_slice(&[])?,
    };
    Some(trusted::<S, D>(&public.authority, key))
}

/// Calls a macro once for each tuple design that this build supports.
macro_rules! for_each_design {
    ($callback:ident) => {
        for_each_tuple!($callback);
        #[cfg(feature = "accumulators")]
        pad_tuple::for_each_accumulated_tuple!($callback);
    };
}

/// Creates the keeper of the tuple PAD with this public key. The caller opens it afterwards.
/// Returns `None` for schemes of other families, and for stores in an object store. Signed tuples
/// are stored in a file next to the store, accumulated tuples in memory.
pub(crate) fn keeper<S: Suite>(
    public: &PublicKey,
    store: AnyStore,
) -> Result<Option<Box<dyn SigningKeeper>>, RepositoryError> {
    let Some(file) = store.file() else {
        return Ok(None);
    };
    macro_rules! try_design {
        ($name:ident, $design:ty) => {
            if is_of::<S, $design>(public) {
                let setup = setup::<S, $design>(public).ok_or_else(foreign_key)?;
                let rows = TupleFile::of_store(file.path())?;
                let repository = stored::repository(&setup, rows)?;
                let kept = FamilyKeeper::new(public.authority, repository, store);
                return Ok(Some(Box::new(kept)));
            }
        };
    }
    for_each_tuple!(try_design);
    #[cfg(feature = "accumulators")]
    {
        macro_rules! try_accumulated {
            ($name:ident, $design:ty) => {
                if is_of::<S, $design>(public) {
                    let setup = setup::<S, $design>(public).ok_or_else(foreign_key)?;
                    let repository = accumulated::emptied::<S, $design>(&setup);
                    let kept = FamilyKeeper::new(public.authority, repository, store);
                    return Ok(Some(Box::new(kept)));
                }
            };
        }
        pad_tuple::for_each_accumulated_tuple!(try_accumulated);
    }
    Ok(None)
}

/// Creates the client of the tuple PAD with this public key, like [`super::client`].
pub(super) fn client<S: Suite>(public: &PublicKey, seen: &[u8]) -> AnyClient {
    macro_rules! try_design {
        ($name:ident, $design:ty) => {
            if is_of::<S, $design>(public) {
                let setup = setup::<S, $design>(public);
                return setup.map_or(Ok(None), |setup| resumed(setup, seen));
            }
        };
    }
    for_each_design!(try_design);
    Ok(None)
}

/// Reports each part of the proof of a lookup in version `version`. `body` is the body of a
/// [`pad_core::Response`]. Returns `false` if the scheme is not a tuple design.
///
/// # Errors
/// [`Refusal`] at the first step that fails.
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

impl<S: Suite, D: QueryableDesign<S>> Verifier for Client<Tuple<D, S>> {
    fn check_at(
        &self,
        version: Version,
        question: &Question,
        answer: &[u8],
    ) -> Result<Statement, Refusal> {
        require_seen(self.version(), version)?;
        D::check_at(self, version, question, answer)
    }
}

fn is_of<S: Suite, D: Design<S>>(public: &PublicKey) -> bool {
    public.scheme.id() == D::SCHEME
}

fn foreign_key() -> RepositoryError {
    StoreError::Damaged("the public key does not match its scheme").into()
}

/// Returns the data that clients of a repository trust: the author's key, the dictionary and the
/// design's key.
fn trusted<S: Suite, D: QueryableDesign<S>>(
    authority: &Authority,
    key: D::Key,
) -> TupleSetup<S, D> {
    TupleSetup::<S, D>::new(authority.author, authority.dictionary, key)
}

/// Verifies a proof as a client that trusts `public` does, and returns its statement.
fn verified<S: Suite, D: QueryableDesign<S>, Q: Ask>(
    public: &TupleSetup<S, D>,
    proof: <Tuple<D, S> as Answers<Q>>::Proof,
    head: &Verified<SnapshotHead<S>>,
    question: &Q,
) -> Result<Q::Statement, CheckError>
where
    Tuple<D, S>:
        Answers<Q> + Family<Suite = S, Error = VerifyError, Key = <D as TupleScheme<S>>::Key>,
{
    match <Tuple<D, S> as Answers<Q>>::verify(Untrusted::new(proof), public, head, question) {
        Ok(verified) => Ok(verified.into_inner()),
        Err(error) => Err(CheckError::Version(head.get().version, error)),
    }
}
