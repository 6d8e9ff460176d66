//! Look-up proofs: one tuple for each generation that must be asked.
//!
//! What a client accepts: the youngest generation's tuple whose interval holds the key, vouched for at
//! the version asked about; if that tuple does not decide, the next older generation's, vouched for at
//! the epoch that the youngest one names; and so on. A value or a tombstone at the key decides; in the
//! oldest generation everything does. Older tuples alone never satisfy a client, because only the
//! youngest tuple names their epochs.
//!
//! Under designs other than the plain ones a query can have several proofs: an older signature, link or
//! value that also covers the version proves the same of the same tuples.

use alloc::vec::Vec;

use pad_core::{Answer, Key, Lookup, Proof, Suite, Value, VerifyError, Version, codec::Message};
use serde::{Deserialize, Serialize};

use crate::{
    scheme::{Claim, Expectation, TupleScheme},
    tuple::{Summary, TupleView, generation_index},
};

/// A tuple as a proof for one key shows it: the value only if it is the key's, the lower end only if it
/// is not the key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum ShownTuple<S: Suite> {
    /// The interval starts at the key.
    At {
        /// The smallest key above the interval.
        upper: Option<Key>,
        /// What the tuple says about the key.
        content: ShownContent,
    },
    /// The interval starts below the key.
    Below {
        /// The smallest key of the interval.
        lower: Key,
        /// The smallest key above the interval.
        upper: Option<Key>,
        /// What the tuple says about `lower`.
        content: Summary<S::Digest>,
    },
}

/// What a tuple says about the key that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShownContent {
    /// It is not a key of this generation.
    Nothing,
    /// It has this value.
    Value(Value),
    /// It was removed.
    Removed,
}

impl<S: Suite> ShownTuple<S> {
    /// The digest of the tuple, for the key that was asked for.
    ///
    /// # Errors
    /// [`VerifyError::KeyOutsideInterval`].
    pub fn digest(
        &self,
        key: &Key,
        generation: usize,
        epochs: &[u64],
    ) -> Result<S::Digest, VerifyError> {
        self.open(key, generation, epochs).map(|(digest, _)| digest)
    }

    /// Refuses a tuple whose interval does not hold the key, and says what it decides.
    pub(crate) fn open(
        &self,
        key: &Key,
        generation: usize,
        epochs: &[u64],
    ) -> Result<(S::Digest, Option<Answer>), VerifyError> {
        let (lower, upper, content, decided) = match self {
            Self::At { upper, content } => {
                let (content, decided) = match content {
                    ShownContent::Nothing => (Summary::Nothing, None),
                    ShownContent::Removed => (Summary::Removed, Some(Answer::Absent)),
                    ShownContent::Value(value) => (
                        Summary::Value(S::value(value.as_bytes())),
                        Some(Answer::Present(value.clone())),
                    ),
                };
                (key, upper, content, decided)
            }
            Self::Below {
                lower,
                upper,
                content,
            } => {
                if lower >= key {
                    return Err(VerifyError::KeyOutsideInterval);
                }
                (lower, upper, *content, None)
            }
        };
        if upper.as_ref().is_some_and(|upper| key >= upper) {
            return Err(VerifyError::KeyOutsideInterval);
        }
        let view = TupleView {
            generation: generation_index(generation),
            epochs: if generation == 0 { epochs } else { &[] },
            lower: lower.as_bytes(),
            upper: upper.as_ref().map(Key::as_bytes),
            content,
        };
        Ok((view.digest::<S>(), decided))
    }
}

/// A tuple with its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Part<S: Suite, D: TupleScheme<S>> {
    /// The tuple.
    pub tuple: ShownTuple<S>,
    /// Why to believe it.
    pub evidence: D::Evidence,
}

/// The answer to a look-up of one key.
///
/// Size: independent of the number of keys; one [`Part`] for each generation that must be asked.
/// Version 0 has the empty proof, as nobody needs to sign it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct TupleProof<S: Suite, D: TupleScheme<S>> {
    /// The epochs of the older generations at the version asked about, youngest first.
    #[serde(deserialize_with = "crate::few::few")]
    pub epochs: Vec<u64>,
    /// One tuple for each generation asked, youngest first.
    #[serde(deserialize_with = "crate::few::few")]
    pub parts: Vec<Part<S, D>>,
    /// What the design shows once; `None` for version 0.
    pub seal: Option<D::Seal>,
}

impl<S: Suite, D: TupleScheme<S>> Message for TupleProof<S, D> {
    const KIND: u8 = 65;
    const SUITE: u16 = S::ID.0;
}

/// Commitment: what the client expects. Query: the key. Statement: its value in that version.
impl<S: Suite, D: TupleScheme<S>> Proof for TupleProof<S, D> {
    type Commitment = Expectation<D::Key>;
    type Query = Key;
    type Statement = Lookup;
    type Error = VerifyError;

    fn check(self, expectation: &Expectation<D::Key>, key: &Key) -> Result<Lookup, VerifyError> {
        require_design::<S, D>(expectation)?;
        let version = expectation.version;
        let lookup = |answer| Lookup {
            version,
            key: key.clone(),
            answer,
        };
        let Some(seal) = self.seal else {
            check_empty(version, &self.epochs, self.parts.is_empty())?;
            return Ok(lookup(Answer::Absent));
        };
        let (tuples, evidence): (Vec<_>, Vec<_>) = self
            .parts
            .into_iter()
            .map(|part| (part.tuple, part.evidence))
            .unzip();
        let (claims, answer) = open::<S, D>(version, &self.epochs, &tuples, key)?;
        D::check(expectation, &claims, evidence, seal)?;
        require_contents(version)?;
        Ok(lookup(answer))
    }
}

/// Refuses a proof without signatures of any version but 0, and one of version 0 that shows anything.
pub(crate) fn check_empty(
    version: Version,
    epochs: &[u64],
    shows_nothing: bool,
) -> Result<(), VerifyError> {
    if version != Version::EMPTY {
        return Err(VerifyError::WrongVersion {
            expected: version,
            actual: Version::EMPTY,
        });
    }
    if !epochs.is_empty() {
        return Err(VerifyError::EpochCountMismatch);
    }
    if !shows_nothing {
        return Err(VerifyError::GenerationSurplus);
    }
    Ok(())
}

/// Refuses a proof with signatures of version 0, which is empty whatever its author signs about it.
pub(crate) fn require_contents(version: Version) -> Result<(), VerifyError> {
    if version == Version::EMPTY {
        return Err(VerifyError::GenerationSurplus);
    }
    Ok(())
}

/// The instants of all generations, if there is an epoch for each but the youngest.
pub(crate) fn instants<S: Suite, D: TupleScheme<S>>(
    version: Version,
    epochs: &[u64],
) -> Result<impl Iterator<Item = u64>, VerifyError> {
    if epochs.len().checked_add(1) != Some(D::GENERATIONS) {
        return Err(VerifyError::EpochCountMismatch);
    }
    Ok(core::iter::once(version.number()).chain(epochs.iter().copied()))
}

/// Refuses an expectation of another design.
pub(crate) fn require_design<S: Suite, D: TupleScheme<S>>(
    expectation: &Expectation<D::Key>,
) -> Result<(), VerifyError> {
    let (expected, actual) = (expectation.authority.scheme.0, D::SCHEME.0);
    if expected == actual {
        Ok(())
    } else {
        Err(VerifyError::WrongScheme { expected, actual })
    }
}

/// What the tuples shown for a key claim, and the answer if all claims are true.
pub(crate) fn open<S: Suite, D: TupleScheme<S>>(
    version: Version,
    epochs: &[u64],
    tuples: &[ShownTuple<S>],
    key: &Key,
) -> Result<(Vec<Claim<S>>, Answer), VerifyError> {
    let instants = instants::<S, D>(version, epochs)?;
    let mut claims = Vec::with_capacity(D::GENERATIONS);
    let mut answer = None;
    let mut shown = tuples.iter();
    for (generation, instant) in instants.enumerate() {
        let tuple = shown.next().ok_or(VerifyError::GenerationMissing)?;
        let (digest, decided) = tuple.open(key, generation, epochs)?;
        claims.push(Claim {
            generation: generation_index(generation),
            instant,
            tuple: digest,
        });
        answer = decided;
        if answer.is_some() {
            break;
        }
    }
    if shown.next().is_some() {
        return Err(VerifyError::GenerationSurplus);
    }
    Ok((claims, answer.unwrap_or(Answer::Absent)))
}
