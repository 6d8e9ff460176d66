//! Evidence and what it establishes: bytes, then [`Untrusted`], then [`Verified`].

use crate::{
    codec::{self, Message},
    error::{DecodeError, VerifyError},
};

/// Evidence for a statement. Implementors write [`Proof::check`]; everybody else gets a
/// [`Verified`] statement through [`Untrusted::verify`].
///
/// Laws of `check`: it never panics, allocates at most a constant times the proof's size, and runs
/// in time linear in proof and query. It returns a statement only if the statement follows from
/// the commitment, short of breaking the suite's hash or signature. One query has at most one
/// proof per commitment: anything longer, reordered or differently encoded is refused.
pub trait Proof: Sized {
    /// What the verifier already trusts.
    type Commitment: ?Sized;
    /// What was asked.
    type Query: ?Sized;
    /// What is established; names the key and the version itself.
    type Statement;

    /// Checks this evidence.
    ///
    /// # Errors
    /// The [`VerifyError`] variant of the first condition that does not hold.
    fn check(
        self,
        commitment: &Self::Commitment,
        query: &Self::Query,
    ) -> Result<Self::Statement, VerifyError>;
}

/// Something that arrived from outside and proves nothing yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "evidence is worth nothing before it is verified"]
pub struct Untrusted<P>(P);

impl<P> Untrusted<P> {
    /// Marks a value as untrusted, for example one that was just received.
    pub const fn new(evidence: P) -> Self {
        Self(evidence)
    }

    /// The unverified content, to be sent on, stored or looked at; not to be believed.
    pub const fn as_unverified(&self) -> &P {
        &self.0
    }

    /// The unverified content, by value.
    pub fn into_unverified(self) -> P {
        self.0
    }
}

impl<P: Proof> Untrusted<P> {
    /// Checks the evidence against what is already trusted. The only way to a [`Verified`].
    ///
    /// # Errors
    /// The [`VerifyError`] variant of the first condition that does not hold.
    pub fn verify(
        self,
        commitment: &P::Commitment,
        query: &P::Query,
    ) -> Result<Verified<P::Statement>, VerifyError> {
        self.0.check(commitment, query).map(Verified)
    }
}

impl<P: Message> Untrusted<P> {
    /// Decodes an enveloped message of at most `limit` bytes.
    ///
    /// # Errors
    /// [`DecodeError`], before anything larger than the message is allocated.
    pub fn decode(bytes: &[u8], limit: usize) -> Result<Self, DecodeError> {
        codec::decode(bytes, limit).map(Self)
    }
}

/// A statement that was verified. There is no way to make one without the check:
///
/// ```compile_fail,E0423
/// let forged = pad_core::Verified(42);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified<S>(S);

impl<S> Verified<S> {
    /// The statement.
    pub const fn get(&self) -> &S {
        &self.0
    }

    /// The statement, by value.
    pub fn into_inner(self) -> S {
        self.0
    }
}
