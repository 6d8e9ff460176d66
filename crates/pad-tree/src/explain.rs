//! Step-by-step traces of the check of a proof, for human readers.

use pad_core::{Suite, VerifyError};

use crate::{opened::OpenedLeaf, proof::TreeProof, step::Step};

impl<S: Suite, Q> TreeProof<S, Q> {
    /// Checks that the proof hashes to `root`. Reports every step to `note`, including the steps
    /// before an error.
    ///
    /// Unlike verifying, does not check that the leaves answer a question.
    ///
    /// # Errors
    /// [`VerifyError`] if the proof is malformed or does not hash to `root`.
    ///
    /// Time: one check of the proof.
    #[doc(hidden)]
    pub fn explain(
        &self,
        root: &S::Digest,
        note: &mut dyn FnMut(Step<'_, S>),
    ) -> Result<(), VerifyError> {
        self.recompute(root, note).map(drop)
    }

    /// The leaves that the proof opens, from left to right. Each contains its key, and its value or
    /// the digest of its value.
    #[doc(hidden)]
    pub fn leaves(&self) -> &[OpenedLeaf<S>] {
        &self.leaves
    }
}
