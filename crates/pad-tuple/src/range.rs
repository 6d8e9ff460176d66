//! Range proofs: all entries of a range of keys in one proof.
//!
//! For every generation, the proof contains the tuples that overlap the range, in ascending order.
//! Each tuple starts at the upper end of its predecessor, so only upper ends are included. A proof
//! can therefore express neither gaps nor overlaps: omitting a tuple changes the digest of the next
//! tuple. The interval of the first tuple contains the start of the range. The lower end of this
//! tuple is included if it lies before the start of the range. The last tuple is the first that
//! reaches the end of the range.
//!
//! The youngest generation that contains a key decides. Version and query determine the tuples of a
//! proof and their form. A value is included in full exactly if it is part of the answer. Values
//! outside the range, and values that a younger generation overrides, are included as digests. The
//! evidence of a tuple may differ, since later signatures prove earlier versions too.
//!
//! Source: Crosby & Wallach 2010, section 4. Range proofs over tuples are an extension of this
//! library.

use alloc::{collections::BTreeMap, vec::Vec};
use core::cmp::Ordering;

use pad_core::{Key, KeyRange, Proof, RangeContents, Suite, Value, VerifyError, codec::Message};
use serde::{Deserialize, Serialize};

use crate::{
    proof::{check_empty, instants, require_contents, require_design},
    scheme::{AggregateScheme, Claim, Expectation},
    tuple::{Content, TupleView, start_of_keys},
};

#[cfg(feature = "std")]
mod prove;

#[cfg(feature = "std")]
pub(crate) use prove::prove_range;

/// The statement of a tuple about the key at its lower end, in a proof for a range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum RangeContent<S: Suite> {
    /// The key is not in this generation, so an older generation decides if there is one.
    Nothing,
    /// The key has this value, which is part of the answer.
    Value(Value),
    /// The key was removed: a tombstone.
    Removed,
    /// The key has the value with this digest, but this value is not part of the answer.
    Digest(S::Digest),
}

/// A tuple in a proof for a range. Its lower end is not included: it is the upper end of the tuple
/// before it. For the first tuple of a generation, it follows from `GenerationPart::before`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct RangePart<S: Suite, D: AggregateScheme<S>> {
    /// The upper end of the tuple's interval, which is excluded; `None` at the end of the key
    /// space.
    pub upper: Option<Key>,
    /// Statement of the tuple about the key at its lower end.
    pub content: RangeContent<S>,
    /// The evidence for this tuple alone, in addition to the aggregate.
    pub shown: D::TupleData,
}

/// The tuples of one generation that overlap the range of a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct GenerationPart<S: Suite, D: AggregateScheme<S>> {
    /// The lower end of the first tuple; `None` if it is the start of the range.
    pub before: Option<Key>,
    /// The tuples in ascending order, at least one.
    pub parts: Vec<RangePart<S, D>>,
}

/// Proof of the answer to a query for a range of keys.
///
/// Size: one [`RangePart`] for each tuple that overlaps the range, in every generation, and the
/// aggregate. Version 0 has the empty proof, which needs no signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct RangeProof<S: Suite, D: AggregateScheme<S>> {
    /// The epochs of the older generations at the requested version, youngest first.
    #[serde(deserialize_with = "crate::few::few")]
    pub epochs: Vec<u64>,
    /// The tuples of all generations, youngest generation first.
    #[serde(deserialize_with = "crate::few::few")]
    pub generations: Vec<GenerationPart<S, D>>,
    /// The evidence for all tuples together; `None` for version 0.
    pub aggregate: Option<D::Aggregate>,
}

impl<S: Suite, D: AggregateScheme<S>> Message for RangeProof<S, D> {
    const KIND: u8 = 67;
    const SUITE: u16 = S::ID.0;
}

/// Verified against the client's [`Expectation`], with the range as the query. The statement
/// contains all entries of the range in the expected version.
impl<S: Suite, D: AggregateScheme<S>> Proof for RangeProof<S, D> {
    type Commitment = Expectation<D::Key>;
    type Query = KeyRange;
    type Statement = RangeContents;
    type Error = VerifyError;

    fn check(
        self,
        expectation: &Expectation<D::Key>,
        range: &KeyRange,
    ) -> Result<RangeContents, VerifyError> {
        require_design::<S, D>(expectation)?;
        if !range.is_valid() {
            return Err(VerifyError::InvalidQuery);
        }
        let version = expectation.version;
        let mut opened = RangeEvidence::<S, D> {
            range,
            claims: Vec::new(),
            shown: Vec::new(),
            decided: BTreeMap::new(),
        };
        match self.aggregate {
            None => check_empty(version, &self.epochs, self.generations.is_empty())?,
            Some(aggregate) => {
                let instants = instants::<S, D>(version, &self.epochs)?;
                match self.generations.len().cmp(&D::GENERATIONS) {
                    Ordering::Less => return Err(VerifyError::GenerationMissing),
                    Ordering::Equal => {}
                    Ordering::Greater => return Err(VerifyError::GenerationSurplus),
                }
                for ((generation, instant), tuples) in instants.enumerate().zip(self.generations) {
                    opened.take(generation, instant, &self.epochs, tuples)?;
                }
                D::check_all(expectation, &opened.claims, &opened.shown, aggregate)?;
                require_contents(version)?;
            }
        }
        let present = |(key, value): (Key, Option<Value>)| Some((key, value?));
        Ok(RangeContents {
            version,
            range: range.clone(),
            entries: opened.decided.into_iter().filter_map(present).collect(),
        })
    }
}

/// The state of a check of a range proof: the claims and evidence of its tuples, and the resulting
/// entries. The entries are valid if all claims are true.
struct RangeEvidence<'a, S: Suite, D: AggregateScheme<S>> {
    range: &'a KeyRange,
    claims: Vec<Claim<S>>,
    shown: Vec<D::TupleData>,
    /// The keys of the range that the generations read so far contain, with their values; `None`
    /// for a removed key.
    decided: BTreeMap<Key, Option<Value>>,
}

impl<S: Suite, D: AggregateScheme<S>> RangeEvidence<'_, S, D> {
    /// Reads the tuples of one generation, and checks that they cover the range. Adds the evidence
    /// for each tuple, and the claim that the tuple existed at `instant`.
    fn take(
        &mut self,
        generation: usize,
        instant: u64,
        epochs: &[u64],
        tuples: GenerationPart<S, D>,
    ) -> Result<(), VerifyError> {
        let start = self.range.start.clone().unwrap_or_else(start_of_keys);
        if tuples
            .before
            .as_ref()
            .is_some_and(|before| *before >= start)
        {
            return Err(VerifyError::KeyOutsideInterval);
        }
        let mut lower = Some(tuples.before.unwrap_or_else(|| start.clone()));
        let mut parts = tuples.parts.into_iter();
        while let Some(from) = lower.take() {
            let RangePart {
                upper,
                content,
                shown,
            } = parts.next().ok_or(VerifyError::Elided)?;
            if upper.as_ref().is_some_and(|upper| *upper <= start) {
                return Err(VerifyError::KeyOutsideInterval);
            }
            if upper.as_ref().is_some_and(|upper| *upper <= from) {
                return Err(VerifyError::UnorderedLeaves);
            }
            let summary = self.decide(&from, content)?;
            let view = TupleView::new(generation, epochs, (&from, upper.as_ref()), summary);
            let claim = Claim::new(generation, instant, view.digest::<S>());
            self.claims.push(claim);
            self.shown.push(shown);
            lower = next_lower(self.range, upper);
        }
        if parts.next().is_some() {
            return Err(VerifyError::Extraneous);
        }
        Ok(())
    }

    /// Records the content of a tuple for its lower end, unless a younger generation contains this
    /// key. Returns the content as it is hashed into the tuple's digest.
    fn decide(
        &mut self,
        lower: &Key,
        content: RangeContent<S>,
    ) -> Result<Content<S::Digest>, VerifyError> {
        let open = self.range.contains(lower.as_bytes()) && !self.decided.contains_key(lower);
        let (summary, decided) = match content {
            RangeContent::Nothing => return Ok(Content::Nothing),
            RangeContent::Digest(_) if open => return Err(VerifyError::ValueMissing),
            RangeContent::Digest(digest) => return Ok(Content::Value(digest)),
            RangeContent::Value(_) if !open => return Err(VerifyError::ValueSurplus),
            RangeContent::Value(value) => (Content::Value(S::value(value.as_bytes())), Some(value)),
            RangeContent::Removed => (Content::Removed, None),
        };
        if open {
            self.decided.insert(lower.clone(), decided);
        }
        Ok(summary)
    }
}

/// Returns the lower end of the tuple after a tuple with the upper end `upper`. `None` if `upper`
/// reaches the end of the range.
fn next_lower(range: &KeyRange, upper: Option<Key>) -> Option<Key> {
    let beyond = |upper: &Key| range.end.as_ref().is_some_and(|end| upper >= end);
    upper.filter(|upper| !beyond(upper))
}
