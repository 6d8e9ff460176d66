//! Lookup proofs for one key. A proof contains the tuple of the youngest generation whose interval
//! contains the key. Tuples of older generations follow as long as the answer is not decided.
//!
//! A client accepts the youngest generation's tuple whose interval contains the key, if the tuple
//! is authenticated at the requested version. If this tuple does not decide, the proof needs the
//! tuple of the next older generation, and so on. An older tuple must be authenticated at the epoch
//! that the youngest tuple names. A tuple that starts at the key with a value or a tombstone
//! decides. In the oldest generation, every tuple decides. A proof with only older tuples never
//! satisfies a client, because only the youngest tuple names the epochs.
//!
//! Several proofs of one answer can be valid, except in plain designs. Different signatures, links
//! or values can cover the same version.

use alloc::{vec, vec::Vec};
use core::slice;

use pad_core::{Answer, Key, Lookup, Proof, Suite, Value, VerifyError, Version, codec::Message};
use serde::{Deserialize, Serialize};

use crate::{
    scheme::{Claim, Expectation, TupleScheme},
    tuple::{Content, TupleView},
};

/// A tuple in a proof for one key. It includes a value only if it is the value of the key, and the
/// lower end only if it differs from the key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum ShownTuple<S: Suite> {
    /// The tuple's interval starts at the key of the proof.
    At {
        /// The upper end of the interval, which is excluded; `None` at the end of the key space.
        upper: Option<Key>,
        /// Statement of the tuple about the key.
        content: ShownContent,
    },
    /// The tuple's interval starts below the key of the proof. The tuple states that this
    /// generation does not contain the key.
    Below {
        /// The lower end of the interval, which is included.
        lower: Key,
        /// The upper end of the interval, which is excluded; `None` at the end of the key space.
        upper: Option<Key>,
        /// Statement of the tuple about the key `lower`, with a digest instead of a value.
        content: Content<S::Digest>,
    },
}

/// The statement of a tuple about the key at its lower end, in a proof for this key.
pub type ShownContent = Content<Value>;

impl<S: Suite> ShownTuple<S> {
    /// Returns the digest of the tuple, which is in a proof for `key`. `epochs` are those of the
    /// older generations.
    ///
    /// # Errors
    /// [`VerifyError::KeyOutsideInterval`] if the interval does not contain `key`.
    pub fn digest(
        &self,
        key: &Key,
        generation: usize,
        epochs: &[u64],
    ) -> Result<S::Digest, VerifyError> {
        self.open(key, generation, epochs).map(|(digest, _)| digest)
    }

    /// Checks that the tuple's interval contains `key`. Returns the tuple's digest, and the answer
    /// about `key` if the tuple decides it.
    pub(crate) fn open(
        &self,
        key: &Key,
        generation: usize,
        epochs: &[u64],
    ) -> Result<(S::Digest, Option<Answer>), VerifyError> {
        let (lower, upper, content, decided) = match self {
            Self::At { upper, content } => {
                let decided = match content {
                    Content::Nothing => None,
                    Content::Removed => Some(Answer::Absent),
                    Content::Value(value) => Some(Answer::Present(value.clone())),
                };
                let content = content.map(|value| S::value(value.as_bytes()));
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
        let view = TupleView::new(generation, epochs, (lower, upper.as_ref()), content);
        Ok((view.digest::<S>(), decided))
    }

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

/// A tuple in a proof for one key, with the evidence for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Part<S: Suite, D: TupleScheme<S>> {
    /// The tuple, in the form that it has in a proof for this key.
    pub tuple: ShownTuple<S>,
    /// The evidence that the tuple existed at its generation's instant in the requested version.
    pub evidence: D::Evidence,
}

/// Proof of the answer to a lookup of one key.
///
/// Size: one [`Part`] for each generation until the answer is decided, independent of the number of
/// keys in the dictionary. Version 0 has the empty proof, which needs no signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct TupleProof<S: Suite, D: TupleScheme<S>> {
    /// The epochs of the older generations at the requested version, youngest first.
    #[serde(deserialize_with = "crate::few::few")]
    pub epochs: Vec<u64>,
    /// One tuple for each generation until the answer is decided, youngest first.
    #[serde(deserialize_with = "crate::few::few")]
    pub parts: Vec<Part<S, D>>,
    /// The evidence that a proof contains once for all its tuples; `None` for version 0.
    pub seal: Option<D::Seal>,
}

impl<S: Suite, D: TupleScheme<S>> Message for TupleProof<S, D> {
    const KIND: u8 = 65;
    const SUITE: u16 = S::ID.0;
}

/// Verified against the client's [`Expectation`], with the key as the query. The statement is the
/// value or absence of the key in the expected version.
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
        let instants = instants::<S, D>(version, &self.epochs)?;
        let (claims, mut answers) =
            open_each(instants, &self.epochs, &tuples, slice::from_ref(key))?;
        D::check(expectation, &claims, evidence, seal)?;
        require_contents(version)?;
        Ok(lookup(answers.pop().unwrap_or(Answer::Absent)))
    }
}

/// Checks a proof without signatures: it must be about version 0, and contain neither epochs nor
/// tuples.
pub(crate) fn check_empty(
    version: Version,
    epochs: &[u64],
    shows_nothing: bool,
) -> Result<(), VerifyError> {
    if version != Version::EMPTY {
        let (expected, actual) = (version, Version::EMPTY);
        return Err(VerifyError::WrongVersion { expected, actual });
    }
    if !epochs.is_empty() {
        return Err(VerifyError::EpochCountMismatch);
    }
    if !shows_nothing {
        return Err(VerifyError::GenerationSurplus);
    }
    Ok(())
}

/// Rejects a proof with signatures that is about version 0. Version 0 is always empty, even if the
/// author signs something else.
pub(crate) fn require_contents(version: Version) -> Result<(), VerifyError> {
    if version == Version::EMPTY {
        return Err(VerifyError::GenerationSurplus);
    }
    Ok(())
}

/// Returns the instants of all generations, youngest first: `version` and `epochs`. Rejects a
/// number of epochs other than the number of older generations.
pub(crate) fn instants<S: Suite, D: TupleScheme<S>>(
    version: Version,
    epochs: &[u64],
) -> Result<impl Iterator<Item = u64>, VerifyError> {
    if epochs.len().checked_add(1) != Some(D::GENERATIONS) {
        return Err(VerifyError::EpochCountMismatch);
    }
    Ok(core::iter::once(version.number()).chain(epochs.iter().copied()))
}

/// Checks that the client expects a proof of design `D`.
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

/// Returns the claims that a proof makes, one for each tuple, and the answer for each of `keys`.
/// The answers are valid if all claims are true. `instants` are the instants of the generations,
/// youngest first.
pub(crate) fn open_each<S: Suite>(
    instants: impl Iterator<Item = u64>,
    epochs: &[u64],
    tuples: &[ShownTuple<S>],
    keys: &[Key],
) -> Result<(Vec<Claim<S>>, Vec<Answer>), VerifyError> {
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
