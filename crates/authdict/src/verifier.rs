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

    /// Resumes from `seen`, the newest head that a client has seen: a [`pad_core::TrustedView`] as
    /// a message. Afterwards, an answer about the newest version seen is refused unless its head
    /// equals the head seen. Answers about newer versions are refused ([`Refusal::Ahead`]).
    ///
    /// # Errors
    /// [`Refusal`]. The verifier is unchanged after an error.
    fn resume(&mut self, seen: &[u8]) -> Result<(), Refusal>;
}
