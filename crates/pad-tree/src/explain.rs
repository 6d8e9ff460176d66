//! Step-by-step traces of the check of a proof, for human readers.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use pad_core::{Suite, VerifyError};

use crate::{opened::OpenedLeaf, proof::TreeProof, step::Step};

impl<S: Suite, Q> TreeProof<S, Q> {
    /// Reports every step of the check against a root to `note`, including the steps before an
    /// error.
    ///
    /// Checks only the root. [`pad_core::Proof::check`] also checks the conclusion about a
    /// question.
    ///
    /// # Errors
    /// [`VerifyError`] if the proof is malformed or does not hash to this root.
    ///
    /// Time: one check of the proof.
    pub fn explain(
        &self,
        root: &S::Digest,
        note: &mut dyn FnMut(Step<'_, S>),
    ) -> Result<(), VerifyError> {
        self.recompute(root, note).map(drop)
    }

    /// The opened leaves from left to right.
    pub fn leaves(&self) -> &[OpenedLeaf<S>] {
        &self.leaves
    }
}
