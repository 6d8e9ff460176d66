//! Server side of the proofs for ranges of keys: [`RangeProof`].

use std::collections::BTreeSet;

use pad_core::{Key, KeyRange, LookupError, Suite, Version};

use super::{GenerationPart, RangeContent, RangePart, RangeProof, next_lower};
use crate::{
    design::{AggregateDesign, Placed},
    repository::TupleRepository,
    source::Source,
    tuple::{Content, start_of_keys},
};

impl<S: Suite, D: AggregateDesign<S>> TupleRepository<S, D> {
    /// Proves all entries of `version` in a range of keys.
    ///
    /// Time: `O(log n)` for each tuple that overlaps the range.
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist or was pruned, the range cannot contain a key,
    /// or a restored checkpoint is damaged.
    pub fn prove_range(
        &self,
        version: Version,
        range: &KeyRange,
    ) -> Result<RangeProof<S, D>, LookupError> {
        prove_range(self, version, range)
    }
}

/// Like [`TupleRepository::prove_range`], for any [`Source`] of tuples, in memory or stored.
pub(crate) fn prove_range<S: Suite, D: AggregateDesign<S>>(
    source: &impl Source<S, D>,
    version: Version,
    range: &KeyRange,
) -> Result<RangeProof<S, D>, LookupError> {
    let instants = source.instants(version)?;
    if !range.is_valid() {
        return Err(LookupError::InvalidQuery);
    }
    let mut proof = RangeProof {
        epochs: Vec::new(),
        generations: Vec::new(),
        aggregate: None,
    };
    if version == Version::EMPTY {
        return Ok(proof);
    }
    let (mut decided, mut placed) = (BTreeSet::new(), Vec::new());
    let mut drafts = Vec::with_capacity(instants.len());
    for place in instants.iter().copied().enumerate() {
        let noted = (&mut decided, &mut placed);
        drafts.push(draft(source, version, place, range, noted)?);
    }
    let records = source.records(version, &placed)?;
    let (shown, aggregate) =
        D::gather(&records, version, &placed).ok_or(LookupError::Damaged { version })?;
    let mut shown = shown.into_iter();
    let generations = drafts.into_iter().map(|(before, tuples)| GenerationPart {
        before,
        parts: tuples
            .into_iter()
            .zip(shown.by_ref())
            .map(|((upper, content), shown)| RangePart {
                upper,
                content,
                shown,
            })
            .collect(),
    });
    proof.generations = generations.collect();
    proof.epochs = instants.into_iter().skip(1).collect();
    proof.aggregate = Some(aggregate);
    Ok(proof)
}

/// Collects the tuples of one generation that overlap `range`, without evidence. `place` is the
/// generation and its instant. Adds keys to `decided` and tuples to `placed`.
///
/// # Errors
/// [`LookupError::Damaged`] if the tuples are not adjacent and in ascending order. The error of the
/// source.
fn draft<S: Suite, D: AggregateDesign<S>>(
    source: &impl Source<S, D>,
    version: Version,
    place: (usize, u64),
    range: &KeyRange,
    (decided, placed): (&mut BTreeSet<Key>, &mut Vec<Placed>),
) -> Result<Draft<S>, LookupError> {
    let damaged = LookupError::Damaged { version };
    let start = range.start.clone().unwrap_or_else(start_of_keys);
    let first = source.floor(version, place, start.as_bytes())?.lower;
    let before = if *first == *start.as_bytes() {
        None
    } else {
        Some(Key::new(&*first).map_err(|_| damaged)?)
    };
    let mut tuples = Vec::new();
    let mut lower = Some(before.clone().unwrap_or(start));
    while let Some(from) = lower {
        let found = source.floor(version, place, from.as_bytes())?;
        let stored = found.tuple;
        if *found.lower != *from.as_bytes()
            || stored.upper.as_ref().is_some_and(|upper| *upper <= from)
        {
            return Err(damaged);
        }
        let (generation, instant) = place;
        placed.push(Placed {
            generation,
            instant,
            tuple: found.number,
        });
        let known = !matches!(stored.content, Content::Nothing);
        let reveals = range.contains(from.as_bytes());
        // `insert` must run only for keys of the range that this generation contains.
        let open = reveals && known && decided.insert(from);
        let content = match &stored.content {
            Content::Nothing => RangeContent::Nothing,
            Content::Removed => RangeContent::Removed,
            Content::Value(value) if open => RangeContent::Value(value.value.clone()),
            Content::Value(value) => RangeContent::Digest(value.digest),
        };
        tuples.push((stored.upper.clone(), content));
        lower = next_lower(range, stored.upper.clone());
    }
    Ok((before, tuples))
}

/// The tuples of a generation, without evidence. The first part is the lower end of the first
/// tuple, if the proof includes it. Then come upper end and content of each tuple.
type Draft<S> = (Option<Key>, Vec<(Option<Key>, RangeContent<S>)>);
