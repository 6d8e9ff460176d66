//! The families of schemes. Each submodule adapts one family to this crate's interface.
//!
//! A family implements queries, checks and storage for its repositories ([`crate::keeper`]), and
//! verifies answers. The functions `keeper` and `client` select the family of a scheme that is
//! chosen at run time.

use pad_core::{
    Answers, Client, Family, PublicKey as TrustedKey, Question as Ask, Refusal as ClientRefusal,
    SchemeId, Suite, TrustedView, VerifyError, Version, codec,
};
use pad_tree::NodeCache;

use crate::{
    keeper::SigningKeeper,
    keys::PublicKey,
    question::{NotOffered, Question, Refusal},
    repository::RepositoryError,
    selection::SchemeFamily,
    store::{AnyStore, StoreError},
    verifier::Verifier,
};

#[cfg(feature = "log")]
pub(crate) mod log;
pub(crate) mod tree;
pub(crate) mod tuple;

#[cfg(feature = "log")]
pub(crate) use self::log::check_growth;

/// Always fails, because this build does not support logs.
#[cfg(not(feature = "log"))]
pub(crate) fn check_growth(
    _: &PublicKey,
    _: [&pad_core::Verified<pad_core::SnapshotHead<pad_core::Sha256Ed25519>>; 2],
    _: Option<&[u8]>,
) -> Result<(), Refusal> {
    Err(pad_core::DecodeError::Malformed.into())
}

/// Creates the keeper of the dictionary with the public key `public`. The caller opens it
/// afterwards.
pub(crate) fn keeper<S: Suite>(
    public: &PublicKey,
    store: AnyStore,
    cache: NodeCache,
) -> Result<Box<dyn SigningKeeper>, RepositoryError> {
    let made = match public.scheme.family() {
        SchemeFamily::Tree => tree::keeper::<S>(public, store, cache)?,
        SchemeFamily::Tuple => tuple::keeper::<S>(public, store)?,
        #[cfg(feature = "log")]
        SchemeFamily::Log => log::keeper::<S>(public, store)?,
        // A block directory is stored in a folder, not in a `Store`.
        SchemeFamily::Directory => None,
    };
    made.ok_or_else(|| {
        StoreError::Damaged("the dictionary's scheme does not match the kind of store").into()
    })
}

/// Decodes `seen`, the newest head that a client of the dictionary has seen, and verifies it.
pub(crate) fn load_view<S: Suite>(
    public: &PublicKey,
    seen: &[u8],
) -> Result<TrustedView<S>, Refusal> {
    let view: TrustedView<S> = codec::decode(seen, seen.len())?;
    if *view.authority() != public.authority {
        return Err(VerifyError::WrongDictionary.into());
    }
    view.newest()?;
    Ok(view)
}

/// A client of any family; `None` if a key does not match its scheme.
type AnyClient = Result<Option<Box<dyn Verifier>>, Refusal>;

/// Creates the client that trusts only a public key, and has seen the newest head in `seen`: a
/// [`pad_core::TrustedView`] as a message. Returns `None` if the scheme's own key is missing or
/// malformed, and for block directories.
pub(crate) fn client<S: Suite>(public: &PublicKey, seen: &[u8]) -> AnyClient {
    match public.scheme.family() {
        SchemeFamily::Tree => tree::client::<S>(public, seen),
        SchemeFamily::Tuple => tuple::client::<S>(public, seen),
        #[cfg(feature = "log")]
        SchemeFamily::Log => log::client::<S>(public, seen),
        // Lookups in block directories are by id, not by key. Their client is
        // `block_directory::DirectoryClient`.
        SchemeFamily::Directory => Ok(None),
    }
}

/// Creates the error for a kind of question that a family does not answer.
pub(crate) fn not_offered(question: &Question, scheme: SchemeId) -> NotOffered {
    let what = question.kind();
    NotOffered { what, scheme }
}

/// Verifies `answer`, a message, as the answer to a query about a version. Returns the verified
/// statement.
fn check<F: Family<Error = VerifyError> + Answers<Q>, Q: Ask>(
    client: &Client<F>,
    version: Version,
    question: &Q,
    answer: &[u8],
) -> Result<Q::Statement, Refusal> {
    match client.check_at(version, answer, question) {
        Ok(verified) => Ok(verified.into_inner()),
        Err(ClientRefusal::Decode(error)) => Err(error.into()),
        Err(ClientRefusal::Head(error) | ClientRefusal::Proof(error)) => Err(error.into()),
        Err(ClientRefusal::Fork { version, .. }) => Err(VerifyError::Fork(version).into()),
        // Other refusals cannot occur: they concern queries without a version by a client without a
        // head.
        Err(_) => Err(VerifyError::RootMismatch.into()),
    }
}

/// Creates the client of one family for [`client`].
fn resumed<F>(trusted: TrustedKey<F>, seen: &[u8]) -> AnyClient
where
    F: Family,
    Client<F>: Verifier + 'static,
{
    let seen = codec::decode(seen, seen.len())?;
    Ok(Some(Box::new(Client::resume(trusted, seen)?)))
}

/// Refuses a version newer than `seen`, the newest version that a client has seen. A client that
/// has seen no head accepts all versions.
fn require_seen(seen: Version, version: Version) -> Result<(), Refusal> {
    if Version::EMPTY < seen && seen < version {
        return Err(Refusal::Ahead {
            version,
            followed: seen,
        });
    }
    Ok(())
}
