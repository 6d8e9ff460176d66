//! The families of schemes: what the facade knows about each of them is in one module.
//!
//! A family makes its repositories storable ([`crate::StorableRepository`]), lets an author go on
//! from them ([`crate::ResumableRepository`]) and has them answer questions
//! ([`crate::AnsweringRepository`]); its proofs go under heads ([`crate::bundle::ProofUnderHead`]).
//! The three functions below pick the family of a scheme chosen at run time.

use pad_core::{Suite, Version};

use crate::{
    author::AuthorError,
    dynamic::{AnyAuthor, AnyRepository, Description},
    keys::{PublicKey, SecretKey},
    question::{Question, Refusal, Statement},
    repository::RepositoryError,
    selection::SchemeFamily,
    signing_record::SigningRecord,
    store::{StoreError, redb_store::RedbStore},
};

pub(crate) mod tree;
pub(crate) mod tuple;

/// Opens the repository that a store says it holds.
pub(crate) fn open_repository<S: Suite>(
    store: RedbStore,
    description: &Description,
) -> Result<Box<dyn AnyRepository>, RepositoryError> {
    match description.public.scheme.family() {
        SchemeFamily::Tree => tree::open_repository::<S>(store, description),
        SchemeFamily::Tuple => tuple::open_repository::<S>(store, description),
    }
}

/// Opens a store as its author, whose key is the one that the store names.
pub(crate) fn open_author<S: Suite>(
    store: RedbStore,
    description: &Description,
    key: &SecretKey,
    record: SigningRecord,
) -> Result<Box<dyn AnyAuthor>, AuthorError> {
    match description.public.scheme.family() {
        SchemeFamily::Tree => tree::open_author::<S>(store, description, key, record),
        SchemeFamily::Tuple => tuple::open_author::<S>(store, description, key, record),
    }
}

/// What an answer establishes, for whoever trusts the public key and nothing else.
pub(crate) fn verify<S: Suite>(
    public: &PublicKey,
    version: Version,
    question: &Question,
    answer: &[u8],
) -> Result<Statement, Refusal> {
    match public.scheme.family() {
        SchemeFamily::Tree => tree::verify::<S>(public, version, question, answer),
        SchemeFamily::Tuple => tuple::verify::<S>(public, version, question, answer),
    }
}

/// The store names a kind of repository that there is not.
const fn unknown_kind() -> StoreError {
    StoreError::Damaged("it holds an unknown kind of repository")
}
