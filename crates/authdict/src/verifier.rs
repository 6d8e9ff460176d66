//! Verification of answers of dictionaries of any family and suite.

use pad_core::Version;

use crate::question::{Question, Refusal, Statement};

/// A verifier of a dictionary's answers, for any suite and scheme. It trusts only the dictionary's
/// public key.
pub trait Verifier: Send + Sync {
    /// Verifies an answer about `version`, and returns the verified statement. `answer` is the
    /// message of a [`pad_core::Response`].
    ///
    /// # Errors
    /// [`Refusal`].
    fn check_at(
        &self,
        version: Version,
        question: &Question,
        answer: &[u8],
    ) -> Result<Statement, Refusal>;
}
