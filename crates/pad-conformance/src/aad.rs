//! Laws of append-only logs, for any scheme of the crate `pad-log`.
//!
//! * [`roles`]: an author and a server, with a list of all appended entries.
//! * [`laws`]: answers agree with the list in every version, every version contains the older
//!   versions, and clients advance.
//! * [`hostile`]: changed, truncated or extended messages, and messages used for another question,
//!   version or log.
//! * [`parameters`]: public parameters of logs, for tests and test vectors.

use pad_accumulators::wire::{self, Wire};
use pad_core::{Key, Proof, Untrusted, Value, Verified, VerifyError};
use pad_log::{
    AadCounted, AadFrontier, AasCounted, AasFrontier, Absent, LONGEST_LOOKUP, LogRoot,
    LookupScheme, Values,
};

pub mod hostile;
pub mod laws;
pub mod parameters;
pub mod roles;

pub use roles::Roles;

/// A log scheme, with the statements that its lookup proofs must establish.
pub trait Lookups: LookupScheme {
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
