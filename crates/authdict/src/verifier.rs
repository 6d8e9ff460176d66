//! Verification of answers of any family and suite.

use pad_core::Version;

use crate::question::{Question, Refusal, Statement};

/// A verifier of answers of any suite and scheme, which trusts a public key only.
pub trait Verifier: Send + Sync {
    /// Verifies an answer about `version`, the message of a [`pad_core::Response`], and returns the
    /// verified statement.
    ///
    /// # Errors
    /// [`Refusal`].
    fn check_at(
        &self,
        version: Version,
        question: &Question,
        answer: &[u8],
    ) -> Result<Statement, Refusal>;

    /// Resumes from the message of a [`pad_core::TrustedView`]. An answer about the newest version
    /// seen is then refused unless it is under the head seen.
    ///
    /// # Errors
    /// [`Refusal`]; the client is unchanged.
    fn resume(&mut self, seen: &[u8]) -> Result<(), Refusal>;
}
