//! Laws of append-only logs, for any scheme of the crate `aad`.
//!
//! * [`roles`]: an author and a server, with a list of all appended entries.
//! * [`laws`]: answers equal the list's answers in every version, versions continue each other, and
//!   clients advance.
//! * [`hostile`]: changed, truncated or extended messages, and messages used for another question,
//!   version or log.
//! * [`parameters`]: parameters shared by tests and vectors.

use core::fmt::Debug;

use pad_accumulators::wire::{self, Wire};
use pad_core::{
    Key, LookupError, Proof, Repository as _, Untrusted, Value, Verified, VerifyError, Version,
};
use pad_log::{
    AadCounted, AadFrontier, AasCounted, AasFrontier, AbsenceProof, Absent, LogRepository, LogRoot,
    LookupProof, Scheme, Values, proof::LONGEST_LOOKUP,
};

pub mod hostile;
pub mod laws;
pub mod parameters;
pub mod roles;

pub use roles::Roles;

/// A scheme with its lookup proofs, and the statements that these proofs must establish.
pub trait Lookups: Scheme {
    /// The type of the lookup proof. It proves all values of a key, or the absence of a member of a
    /// set.
    type Lookup: Proof<
            Commitment = LogRoot<Self>,
            Query = Key,
            Statement: Debug + PartialEq,
            Error = VerifyError,
        > + Wire<Context = ()>;

    /// Computes a lookup proof as a server does.
    fn prove(
        server: &LogRepository<Self>,
        version: Version,
        key: &Key,
    ) -> Result<Self::Lookup, LookupError>;

    /// Returns the expected statement about a key with these values; `None` for a member that a set
    /// contains.
    fn statement(
        at: &LogRoot<Self>,
        key: &Key,
        values: Vec<Value>,
    ) -> Option<<Self::Lookup as Proof>::Statement>;
}

macro_rules! lookups {
    ($($dictionary:ty, $set:ty;)+) => { $(
        impl Lookups for $dictionary {
            type Lookup = LookupProof<Self>;

            fn prove(
                server: &LogRepository<Self>,
                version: Version,
                key: &Key,
            ) -> Result<Self::Lookup, LookupError> {
                server.prove(version, key)
            }

            fn statement(at: &LogRoot<Self>, key: &Key, values: Vec<Value>) -> Option<Values> {
                Some(Values {
                    dictionary: at.log().dictionary(),
                    version: at.version(),
                    key: key.clone(),
                    values,
                })
            }
        }

        impl Lookups for $set {
            type Lookup = AbsenceProof<Self>;

            fn prove(
                server: &LogRepository<Self>,
                version: Version,
                key: &Key,
            ) -> Result<Self::Lookup, LookupError> {
                server.prove_absence(version, key)
            }

            fn statement(at: &LogRoot<Self>, key: &Key, values: Vec<Value>) -> Option<Absent> {
                values.is_empty().then(|| Absent {
                    dictionary: at.log().dictionary(),
                    version: at.version(),
                    member: key.clone(),
                })
            }
        }
    )+ };
}

lookups! {
    AadCounted, AasCounted;
    AadFrontier, AasFrontier;
}

/// Decodes and verifies a proof, and returns the statement that it establishes.
pub fn verify<P>(
    message: &[u8],
    commitment: &P::Commitment,
    query: &P::Query,
) -> Result<P::Statement, VerifyError>
where
    P: Proof<Error = VerifyError> + Wire<Context = ()>,
{
    let proof: Untrusted<P> =
        wire::decode(&(), message, LONGEST_LOOKUP).map_err(VerifyError::Undecodable)?;
    proof.verify(commitment, query).map(Verified::into_inner)
}
