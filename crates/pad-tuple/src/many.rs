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

use pad_core::{Answer, Key, Keys, Lookups, Proof, Suite, VerifyError, Version, codec::Message};
use serde::{Deserialize, Serialize};

use crate::{
    proof::{ShownTuple, check_empty, instants, require_contents, require_design},
    scheme::{AggregateScheme, Claim, Expectation},
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
                let (claims, answers) =
                    open_each::<S, D>(version, &self.epochs, &tuples, keys.as_slice())?;
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

/// Returns the claims that a proof makes, one for each tuple, and the answer for each of `keys`.
/// The answers are valid if all claims are true.
fn open_each<S: Suite, D: AggregateScheme<S>>(
    version: Version,
    epochs: &[u64],
    tuples: &[ShownTuple<S>],
    keys: &[Key],
) -> Result<(Vec<Claim<S>>, Vec<Answer>), VerifyError> {
    let instants = instants::<S, D>(version, epochs)?;
    if tuples.len() > keys.len().saturating_mul(D::GENERATIONS) {
        return Err(VerifyError::GenerationSurplus);
    }
    let mut answers: Vec<Option<Answer>> = vec![None; keys.len()];
    let mut claims = Vec::with_capacity(tuples.len());
    let mut unused = tuples.iter();
    for (generation, instant) in instants.enumerate() {
        let mut taken: Option<&ShownTuple<S>> = None;
        for (key, answer) in keys.iter().zip(&mut answers) {
            if answer.is_some() || taken.is_some_and(|tuple| tuple.reaches(key)) {
                continue;
            }
            let tuple = unused.next().ok_or(VerifyError::GenerationMissing)?;
            let (digest, decided) = tuple.open(key, generation, epochs)?;
            claims.push(Claim::new(generation, instant, digest));
            (*answer, taken) = (decided, Some(tuple));
        }
    }
    if unused.next().is_some() {
        return Err(VerifyError::GenerationSurplus);
    }
    let absent = |answer: Option<Answer>| answer.unwrap_or(Answer::Absent);
    Ok((claims, answers.into_iter().map(absent).collect()))
}

impl<S: Suite> ShownTuple<S> {
    const fn upper(&self) -> Option<&Key> {
        match self {
            Self::At { upper, .. } | Self::Below { upper, .. } => upper.as_ref(),
        }
    }

    /// Returns whether `key` is below the upper end of the tuple's interval. `key` must be above a
    /// key in the interval.
    pub(crate) fn reaches(&self, key: &Key) -> bool {
        self.upper().is_none_or(|upper| key < upper)
    }
}
