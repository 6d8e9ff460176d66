//! Verifiers of answers about keys, for dictionaries of any family.

use std::sync::Arc;

use authdict::{
    NotOffered, Question, Refusal, Statement, StoredView, Verifier, Version,
    internals::{SchemeFamily, dynamic::client_of},
};

/// Creates the verifier of answers about keys. Block directories have no keys, so theirs refuses
/// every answer.
pub(crate) fn verifier_of(view: &StoredView) -> Result<Arc<dyn Verifier>, Refusal> {
    if view.public().scheme.family() == SchemeFamily::Directory {
        return Ok(Arc::new(NoKeys));
    }
    Ok(client_of(view)?.into())
}

/// A verifier for block directories, which are queried by id.
struct NoKeys;

impl Verifier for NoKeys {
    fn check_at(&self, _: Version, question: &Question, _: &[u8]) -> Result<Statement, Refusal> {
        let scheme = authdict::block_directory::DIRECTORY;
        let what = question.kind();
        Err(NotOffered { what, scheme }.into())
    }

    fn resume(&mut self, _: &[u8]) -> Result<(), Refusal> {
        Ok(())
    }
}
