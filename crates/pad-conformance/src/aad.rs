//! Laws of append-only logs, for any scheme of the crate `pad-log`.
//!
//! * [`roles`]: an author and a server, with a list of all appended entries.
//! * [`laws`]: answers agree with the list in every version, every version contains the older
//!   versions, and clients advance.
//! * [`hostile`]: changed, truncated or extended messages, and messages used for another question,
//!   version or log.
//! * [`parameters`]: public parameters of logs, for tests and test vectors.

use core::fmt::Debug;

use pad_accumulators::wire::{self, Wire};
use pad_core::{
    Key, LookupError, Proof, Repository as _, Untrusted, Value, Verified, VerifyError, Version,
};
use pad_log::{
    AadCounted, AadFrontier, AasCounted, AasFrontier, AbsenceProof, Absent, LONGEST_LOOKUP,
    LogRepository, LogRoot, LookupProof, Scheme, Values,
};

pub mod hostile;
pub mod laws;
pub mod parameters;
pub mod roles;

pub use roles::Roles;

/// A log scheme with its lookup proofs, and the statements that these proofs must establish.
pub trait Lookups: Scheme {
    /// The type of the lookup proof. It proves all values of a key, or the absence of a member of a
    /// set.
    type Lookup: Proof<
            Commitment = LogRoot<Self>,
            Query = Key,
            Statement: Debug + PartialEq,
            Error = VerifyError,
        > + Wire<Context = ()>;

    /// Computes the lookup proof for a key in a version, as a server does.
    fn prove(
        server: &LogRepository<Self>,
        version: Version,
        key: &Key,
    ) -> Result<Self::Lookup, LookupError>;

    /// Returns the statement that a lookup proof must establish about a key with the values
    /// `values`. Returns `None` for a member that a set contains: lookup proofs of sets prove only
    /// absence.
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

/// Decodes a proof from its message and verifies it, as a client does. Returns the statement that
/// the proof establishes.
pub fn verify<P>(
    message: &[u8],
    commitment: &P::Commitment,
    query: &P::Query,
) -> Result<P::Statement, VerifyError>
where
    P: Proof<Error = VerifyError> + Wire<Context = ()>,
{
    let proof: Untrusted<P> = wire::decode(&(), message, LONGEST_LOOKUP)?;
    proof.verify(commitment, query).map(Verified::into_inner)
}
