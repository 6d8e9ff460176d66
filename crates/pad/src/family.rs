//! The families of schemes: what the facade knows about each of them is in one module.
//!
//! A family makes its repositories storable ([`crate::StorableRepository`]), lets an author go on
//! from them ([`crate::ResumableRepository`]) and has them answer questions
//! ([`crate::AnsweringRepository`]); its proofs go under heads ([`crate::bundle::ProofUnderHead`]).
//! The two functions below pick the family of a scheme chosen at run time.

use pad_core::{Suite, Version};

use crate::{
    dynamic::{Description, OfferedRepository},
    keys::PublicKey,
    question::{Question, Refusal, Statement},
    repository::RepositoryError,
    selection::SchemeFamily,
    store::StoreError,
};

pub(crate) mod tree;
pub(crate) mod tuple;

/// An empty repository of the kind that a store says it holds.
pub(crate) fn repository<S: Suite>(
    description: &Description,
) -> Result<Box<dyn OfferedRepository>, RepositoryError> {
    let made = match description.public.scheme.family() {
        SchemeFamily::Tree => tree::repository::<S>(description),
        SchemeFamily::Tuple => tuple::repository::<S>(description)?,
    };
    made.ok_or_else(|| StoreError::Damaged("it holds an unknown kind of repository").into())
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
