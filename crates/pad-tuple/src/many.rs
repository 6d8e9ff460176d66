//! Look-ups of many keys in one proof: every tuple once, and the signatures together.
//!
//! The tuples stand in one list, generation by generation, youngest first, and within a generation
//! in ascending order. Which keys ask which generation follows from the query and from what younger
//! tuples decide, so nothing need stand between generations: a key that is not above the tuple
//! before it uses that one, any other key takes the next from the list. A tuple serves all keys of
//! the query that its interval holds; it is shown as a proof for the first of them would show it.
//!
//! One query has one proof: which tuples are needed follows from the contents, each is needed by the
//! key that takes it, and their order is fixed. No tuple is there twice, as the upper ends within a
//! generation ascend; so the aggregate counts every signature once.
//!
//! Source: Crosby & Wallach 2010, section 4; aggregation is ours (see [`crate::bls`]).

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use pad_core::{
    Answer, Key, Keys, LookupError, Lookups, Proof, Suite, VerifyError, Version, codec::Message,
};
use serde::{Deserialize, Serialize};

use crate::{
    aggregate::{AggregateDesign, Placed},
    design::{Claim, Expectation},
    layers::index,
    proof::{ShownTuple, check_empty, instants, require_design},
    repository::TupleRepository,
};

/// A tuple with what its design shows of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct ManyPart<S: Suite, D: AggregateDesign<S>> {
    /// The tuple, as a proof for the first key that it serves shows it.
    pub tuple: ShownTuple<S>,
    /// What is shown of it beyond that.
    pub shown: D::Shown,
}

/// The answers to a look-up of several keys.
///
/// Size: one [`ManyPart`] for each tuple that the keys need, and the aggregate: 48 bytes for a design
/// with BLS signatures, 64 bytes for each tuple with Ed25519.
/// Version 0 has the empty proof, as nobody needs to sign it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct ManyProof<S: Suite, D: AggregateDesign<S>> {
    /// The epochs of the older generations at the version asked about, youngest first.
    #[serde(deserialize_with = "crate::few::few")]
    pub epochs: Vec<u64>,
    /// The tuples, by generation and then by key.
    pub parts: Vec<ManyPart<S, D>>,
    /// The signatures of all tuples together; `None` for version 0.
    pub aggregate: Option<D::Aggregate>,
}

impl<S: Suite, D: AggregateDesign<S>> Message for ManyProof<S, D> {
    const KIND: u8 = 66;
    const SUITE: u16 = S::ID.0;
}

/// Commitment: what the client expects. Query: the keys. Statement: their values in that version.
impl<S: Suite, D: AggregateDesign<S>> Proof for ManyProof<S, D> {
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
                answers
            }
        };
        Ok(Lookups {
            version,
            answers: keys.as_slice().iter().cloned().zip(answers).collect(),
        })
    }
}

/// What the tuples claim, and each key's answer if all claims are true.
fn open_each<S: Suite, D: AggregateDesign<S>>(
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
            claims.push(Claim {
                generation: index(generation),
                instant,
                tuple: digest,
            });
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

    /// Whether the interval goes on to this key, which is above a key that it holds.
    fn reaches(&self, key: &Key) -> bool {
        self.upper().is_none_or(|upper| key < upper)
    }

    /// Whether the key that the tuple is shown for has its answer with it.
    pub(crate) const fn decides(&self) -> bool {
        use crate::proof::ShownContent;
        matches!(
            self,
            Self::At {
                content: ShownContent::Value(_) | ShownContent::Removed,
                ..
            }
        )
    }
}

impl<S: Suite, D: AggregateDesign<S>> TupleRepository<S, D> {
    /// The proof of the values of several keys in a version.
    ///
    /// Time: as for each key alone; for BLS signatures also their sum, 0.06 milliseconds for each
    /// tuple.
    ///
    /// # Errors
    /// [`LookupError`] if the version is not there.
    pub fn prove_keys(
        &self,
        version: Version,
        keys: &Keys,
    ) -> Result<ManyProof<S, D>, LookupError> {
        let instants = self.instants(version)?;
        if version == Version::EMPTY {
            return Ok(ManyProof {
                epochs: Vec::new(),
                parts: Vec::new(),
                aggregate: None,
            });
        }
        let mut asking: Vec<&Key> = keys.as_slice().iter().collect();
        let (mut tuples, mut placed) = (Vec::new(), Vec::new());
        for (generation, instant) in instants.iter().copied().enumerate() {
            let mut taken: Option<ShownTuple<S>> = None;
            let mut undecided = Vec::new();
            for key in asking {
                if taken.as_ref().is_some_and(|tuple| tuple.reaches(key)) {
                    undecided.push(key);
                    continue;
                }
                let found = self.tuple_at(generation, instant, key);
                let (tuple, number) = found.ok_or(LookupError::Damaged { version })?;
                if !tuple.decides() {
                    undecided.push(key);
                }
                placed.push(Placed {
                    generation,
                    instant,
                    tuple: number,
                });
                tuples.extend(taken.replace(tuple));
            }
            tuples.extend(taken);
            asking = undecided;
        }
        let (shown, aggregate) =
            D::gather(self.records(), version, &placed).ok_or(LookupError::Damaged { version })?;
        Ok(ManyProof {
            epochs: instants.into_iter().skip(1).collect(),
            parts: tuples
                .into_iter()
                .zip(shown)
                .map(|(tuple, shown)| ManyPart { tuple, shown })
                .collect(),
            aggregate: Some(aggregate),
        })
    }
}
