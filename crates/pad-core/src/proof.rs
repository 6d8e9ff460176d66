//! The path from received bytes to a verified statement: decode to [`Untrusted`] evidence, verify
//! it, get a [`Verified`] statement.

use crate::{
    codec::{self, Message},
    error::DecodeError,
};

/// Evidence for a statement. Implementors write [`Proof::check`]; callers get a [`Verified`]
/// statement through [`Untrusted::verify`].
///
/// Laws of `check`:
///
/// * It never panics, allocates at most a constant times the proof's size, and runs in time linear
///   in the sizes of proof and query.
/// * It returns a statement only if the statement follows from the commitment, short of breaking
///   the suite's hash or signature.
/// * One query has at most one proof per commitment, unless the implementation documents
///   exceptions. Longer, reordered or differently encoded proofs are rejected.
pub trait Proof: Sized {
    /// The data that the verifier already trusts, for example a verified head.
    type Commitment: ?Sized;
    /// The query that the evidence answers.
    type Query: ?Sized;
    /// The statement that the evidence proves. It contains its subject, for example key and
    /// version.
    type Statement;
    /// Error returned when the evidence is rejected: [`VerifyError`](crate::VerifyError) for
    /// dictionaries.
    type Error: core::error::Error;

    /// Checks that this evidence proves the answer to `query` under `commitment`. Returns the
    /// proven statement.
    ///
    /// # Errors
    /// The error of the first check that fails.
    fn check(
        self,
        commitment: &Self::Commitment,
        query: &Self::Query,
    ) -> Result<Self::Statement, Self::Error>;
}

/// Evidence received from outside, not verified yet.
///
/// ```
/// use pad_core::{DecodeError, Sha256Ed25519, SignedHead, Untrusted};
///
/// // The limit is checked before the message is read. A decoded message is still unverified.
/// let received = [0; 200];
/// let refused = Untrusted::<SignedHead<Sha256Ed25519>>::decode(&received, 160);
/// assert_eq!(refused, Err(DecodeError::TooLarge { limit: 160 }));
/// let refused = Untrusted::<SignedHead<Sha256Ed25519>>::decode(&received, 200);
/// assert_eq!(refused, Err(DecodeError::NotThisFormat));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "evidence is worth nothing before it is verified"]
pub struct Untrusted<P>(P);

impl<P> Untrusted<P> {
    /// Marks a value as untrusted, for example a proof just received.
    pub const fn new(evidence: P) -> Self {
        Self(evidence)
    }

    /// The unverified content, to forward, store or inspect. Its claims are not proven.
    #[doc(hidden)]
    pub const fn as_unverified(&self) -> &P {
        &self.0
    }

    /// The unverified content, by value. Its claims are not proven.
    pub fn into_unverified(self) -> P {
        self.0
    }
}

impl<P: Proof> Untrusted<P> {
    /// Verifies the evidence and returns the statement that it establishes.
    ///
    /// # Errors
    /// The error of the first check that fails.
    pub fn verify(
        self,
        commitment: &P::Commitment,
        query: &P::Query,
    ) -> Result<Verified<P::Statement>, P::Error> {
        self.0.check(commitment, query).map(Verified)
    }
}

impl<P: Message> Untrusted<P> {
    /// Decodes evidence from an enveloped message of at most `limit` bytes.
    ///
    /// # Errors
    /// [`DecodeError`] if the message is too long or not well-formed. Decoding allocates at most a
    /// constant times the message's size.
    pub fn decode(bytes: &[u8], limit: usize) -> Result<Self, DecodeError> {
        codec::decode(bytes, limit).map(Self)
    }
}

/// A verified statement. Only a successful check constructs it:
///
/// ```compile_fail,E0423
/// let forged = pad_core::Verified(42);
/// ```
///
/// A proof cannot be checked against a head that is itself unverified:
///
/// ```compile_fail,E0308
/// use pad_core::{InclusionProof, Sha256Ed25519, SnapshotHead, Untrusted, Version};
/// fn deceived(
///     proof: Untrusted<InclusionProof<Sha256Ed25519>>,
///     head: SnapshotHead<Sha256Ed25519>,
/// ) {
///     let _ = proof.verify(&head, &Version::new(1));
/// }
/// ```
///
/// With a verified head it compiles:
///
/// ```
/// use pad_core::{InclusionProof, Sha256Ed25519, SnapshotHead, Untrusted, Verified, Version};
/// fn verifies(
///     proof: Untrusted<InclusionProof<Sha256Ed25519>>,
///     head: Verified<SnapshotHead<Sha256Ed25519>>,
/// ) {
///     let _ = proof.verify(&head, &Version::new(1));
/// }
/// ```
///
/// Implementations of [`Proof`] decide which statements become [`Verified`]. A program that links a
/// wrong implementation can obtain wrong statements, even statements of this crate's types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified<S>(S);

impl<S> Verified<S> {
    /// The verified statement.
    pub const fn get(&self) -> &S {
        &self.0
    }

    /// The verified statement, by value.
    pub fn into_inner(self) -> S {
        self.0
    }
}
