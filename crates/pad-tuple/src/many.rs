//! Lookup proofs for many keys. A proof contains every needed tuple once, and the aggregated
//! signatures.
//!
//! The tuples form one list, ordered by generation, youngest first, and then by key. No separators
//! are needed between generations, because a verifier knows which keys need a generation: those
//! that no younger tuple decided. The verifier processes these keys in order. A key inside the
//! interval of the last tuple uses that tuple. Any other key takes the next tuple from the list.
//! One tuple serves all keys of the query in its interval. It has the form that a proof for the
//! first of these keys would contain.
//!
//! In each version, a query has exactly one list of tuples. The contents determine the tuples, each
//! tuple is needed by the key that takes it, and the order is fixed. The evidence may differ, since
//! later signatures prove earlier versions too. The upper ends within a generation ascend, so no
//! tuple appears twice and the aggregate counts every signature once.
//!
//! Source: Crosby & Wallach 2010, section 4. Aggregation is an extension of this library (see
//! [`crate::bls`]).

use alloc::{vec, vec::Vec};

use pad_core::{Answer, Keys, Lookups, Proof, Suite, VerifyError, codec::Message};
use serde::{Deserialize, Serialize};

use crate::{
    proof::{ShownTuple, check_empty, instants, open_each, require_contents, require_design},
    scheme::{AggregateScheme, Expectation},
};

#[cfg(feature = "std")]
mod prove;

#[cfg(feature = "std")]
pub(crate) use prove::prove_keys;

/// A tuple in a proof for several keys, with the evidence for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct ManyPart<S: Suite, D: AggregateScheme<S>> {
    /// The tuple, in the form that it has in a proof for the first of the keys that use it.
    pub tuple: ShownTuple<S>,
    /// The evidence for this tuple alone, in addition to the aggregate.
    pub shown: D::TupleData,
}

/// Proof of the answers to a lookup of several keys.
///
/// Size: one `ManyPart` for each tuple that the keys need, and the aggregate. The aggregate takes
/// 48 bytes for a design with BLS signatures, and 64 bytes per tuple for a design with Ed25519.
/// Version 0 has the empty proof, which needs no signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct ManyProof<S: Suite, D: AggregateScheme<S>> {
    /// The epochs of the older generations at the requested version, youngest first.
    #[serde(deserialize_with = "crate::few::few")]
    pub epochs: Vec<u64>,
    /// The needed tuples, ordered by generation (youngest first) and then by key.
    pub parts: Vec<ManyPart<S, D>>,
    /// The evidence for all tuples together; `None` for version 0.
    pub aggregate: Option<D::Aggregate>,
}

impl<S: Suite, D: AggregateScheme<S>> Message for ManyProof<S, D> {
    const KIND: u8 = 66;
    const SUITE: u16 = S::ID.0;
}

/// Verified against the client's [`Expectation`], with the keys as the query. The statement
/// contains the value or absence of each key in the expected version.
impl<S: Suite, D: AggregateScheme<S>> Proof for ManyProof<S, D> {
    type Commitment = Expectation<D::Key>;
    type Query = Keys;
    type Statement = Lookups;
    type Error = VerifyError;

    fn check(self, expectation: &Expectation<D::Key>, keys: &Keys) -> Result<Lookups, VerifyError> {
        require_design::<S, D>(expectation)?;
        let version = expectation.version;
        let answers = match self.aggregate {
            None => {
                check_empty(version, &self.epochs, self.parts.is_empty())?;
                vec![Answer::Absent; keys.as_slice().len()]
            }
            Some(aggregate) => {
                let (tuples, shown): (Vec<_>, Vec<_>) = self
                    .parts
                    .into_iter()
                    .map(|part| (part.tuple, part.shown))
                    .unzip();
                let (keys, instants) = (keys.as_slice(), instants::<S, D>(version, &self.epochs)?);
                if tuples.len() > keys.len().saturating_mul(D::GENERATIONS) {
                    return Err(VerifyError::GenerationSurplus);
                }
                let (claims, answers) = open_each(instants, &self.epochs, &tuples, keys)?;
                D::check_all(expectation, &claims, &shown, aggregate)?;
                require_contents(version)?;
                answers
            }
        };
        Ok(Lookups {
            version,
            answers: keys.as_slice().iter().cloned().zip(answers).collect(),
        })
    }
}
