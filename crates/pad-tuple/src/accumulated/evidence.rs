//! Evidence that a signed accumulator value contains a tuple, and the check of this evidence.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use pad_accumulators::{Authority, Dynamic, PublicKey, SignedSnapshot, wire};
use pad_core::{Suite, Untrusted, VerifyError};
use serde::{Deserialize, Serialize};

use super::{Retention, collection::label};
use crate::scheme::{Claim, Expectation};

/// Evidence for one tuple in a proof: a signed accumulator value, and a witness that the tuple is
/// in the accumulated set.
///
/// The byte strings are bodies of the accumulator's formats. They can be decoded only with the
/// public key of the accumulator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct AccumulatedEvidence<R: Retention> {
    /// The creation instant of the tuple (a version or an epoch), with the rule
    /// [`Superseding`](crate::signed::Superseding), else nothing.
    pub shown: R::TupleData,
    /// The encoded accumulator value of the tuple's generation at some instant, with the author's
    /// signature.
    pub snapshot: Vec<u8>,
    /// The encoded witness that the tuple is in the accumulated set.
    pub witness: Vec<u8>,
}

impl<R: Retention> AccumulatedEvidence<R> {
    /// Checks that the tuple in `claim` existed at the instant in `claim`.
    ///
    /// # Errors
    /// - [`VerifyError::Undecodable`] if the snapshot or the witness is not well-formed.
    /// - [`VerifyError::OutsideValidity`] if the signed value does not cover the instant.
    /// - [`VerifyError::SignatureInvalid`] if the author did not sign the value for this
    ///   generation, design and dictionary.
    /// - The errors of the accumulator if the witness does not verify.
    pub(crate) fn check<S: Suite, A: Dynamic>(
        &self,
        expectation: &Expectation<A::PublicKey>,
        claim: &Claim<S>,
    ) -> Result<(), VerifyError> {
        let label = label::<S>(expectation.context(), claim.generation);
        let key = expectation.key.with_label(&label);
        let signed: SignedSnapshot<A> = decode(&key, &self.snapshot)?;
        let witness: A::Witness = decode(&key, &self.witness)?;
        let until = signed.snapshot.version;
        R::validity(self.shown, until.number()).require(claim.instant)?;
        let author = expectation.authority.author;
        let snapshot = Untrusted::new(signed).verify(&Authority { author, key }, &until)?;
        let element = R::element(&claim.tuple, self.shown);
        Untrusted::new(witness).verify(&snapshot, &element)?;
        Ok(())
    }
}

/// Decodes an accumulator value or witness from bytes within a message. The message bounds their
/// length.
///
/// # Errors
/// [`VerifyError::Undecodable`] if the bytes are not well-formed.
pub(crate) fn decode<W: wire::Wire>(context: &W::Context, bytes: &[u8]) -> Result<W, VerifyError> {
    Ok(wire::decode_body(context, bytes)?)
}
