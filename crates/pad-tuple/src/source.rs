//! The interface to the tuples of every version, in memory or stored, and the proofs made from
//! them.

use std::borrow::Cow;

use pad_core::{Key, LookupError, SignedHead, Suite, Value, Version};

use crate::{
    design::{Design, Placed, TupleId},
    kept::TupleEntry,
    proof::{Part, ShownTuple, TupleProof},
    tuple::Content,
};

/// The tuples of all versions of a dictionary, and the records (signatures, links or witnesses)
/// that authenticate them.
///
/// Laws:
/// - For a tuple that [`Source::floor`] returned, [`Source::records`] contains the record under the
///   tuple's number.
/// - If a tuple of the version is missing, the result is [`LookupError::Damaged`] or
///   [`LookupError::Store`], never an answer.
pub(crate) trait Source<S: Suite, D: Design<S>> {
    /// Returns the instants of all generations at `version`, youngest first.
    fn instants(&self, version: Version) -> Result<Vec<u64>, LookupError>;

    /// Returns the head of `version`, signed by the author.
    fn signed_head(&self, version: Version) -> Result<SignedHead<S>, LookupError>;

    /// Returns the tuple whose interval contains `key`, for a query about `version`. `place` is the
    /// generation and its instant.
    fn floor(
        &self,
        version: Version,
        place: (usize, u64),
        key: &[u8],
    ) -> Result<SourceTuple<'_, S>, LookupError>;

    /// Returns records that contain at least the records of `tuples`.
    fn records(
        &self,
        version: Version,
        tuples: &[Placed],
    ) -> Result<Cow<'_, D::Records>, LookupError>;
}

/// A tuple that [`Source::floor`] found: its lower end, its number, and the rest of the tuple.
#[derive(Debug)]
pub(crate) struct SourceTuple<'a, S: Suite> {
    pub(crate) lower: Cow<'a, [u8]>,
    pub(crate) number: TupleId,
    pub(crate) tuple: Cow<'a, TupleEntry<S>>,
}

impl<S: Suite> SourceTuple<'_, S> {
    /// Returns the tuple in the form that it has in a proof for `key`, and its number. The tuple's
    /// interval must contain `key`.
    pub(crate) fn shown(
        self,
        version: Version,
        key: &Key,
    ) -> Result<(ShownTuple<S>, TupleId), LookupError> {
        let tuple = self.tuple.into_owned();
        let shown = if *self.lower == *key.as_bytes() {
            ShownTuple::At {
                upper: tuple.upper,
                content: tuple.content.shown(),
            }
        } else {
            ShownTuple::Below {
                lower: Key::new(&*self.lower).map_err(|_| LookupError::Damaged { version })?,
                upper: tuple.upper,
                content: tuple.content.summary(),
            }
        };
        Ok((shown, self.number))
    }
}

/// Returns the tuples that a proof for `key` needs, with their numbers: one for each generation
/// until the answer is decided, youngest first.
pub(crate) fn tuples_for<S: Suite, D: Design<S>>(
    source: &impl Source<S, D>,
    version: Version,
    instants: &[u64],
    key: &Key,
) -> Result<Vec<(ShownTuple<S>, TupleId)>, LookupError> {
    let mut shown = Vec::with_capacity(instants.len());
    for (generation, instant) in instants.iter().enumerate() {
        let found = source.floor(version, (generation, *instant), key.as_bytes())?;
        let (tuple, number) = found.shown(version, key)?;
        let decides = tuple.decides();
        shown.push((tuple, number));
        if decides {
            break;
        }
    }
    Ok(shown)
}

/// Returns the value of `key` in `version` (other than 0), or `None` if it is absent. There is no
/// proof.
pub(crate) fn lookup<S: Suite, D: Design<S>>(
    source: &impl Source<S, D>,
    version: Version,
    key: &Key,
) -> Result<Option<Value>, LookupError> {
    let mut shown = tuples_for(source, version, &source.instants(version)?, key)?;
    if let Some((ShownTuple::At { content, .. }, _)) = shown.pop()
        && let Content::Value(value) = content
    {
        return Ok(Some(value));
    }
    Ok(None)
}

/// Proves the value or absence of `key` in `version`.
pub(crate) fn prove<S: Suite, D: Design<S>>(
    source: &impl Source<S, D>,
    version: Version,
    key: &Key,
) -> Result<TupleProof<S, D>, LookupError> {
    let instants = source.instants(version)?;
    if version == Version::EMPTY {
        return Ok(TupleProof {
            epochs: Vec::new(),
            parts: Vec::new(),
            seal: None,
        });
    }
    let damaged = LookupError::Damaged { version };
    let shown = tuples_for(source, version, &instants, key)?;
    let places = shown.iter().zip(&instants).enumerate();
    let placed: Vec<_> = places
        .map(|(generation, ((_, tuple), instant))| Placed {
            generation,
            instant: *instant,
            tuple: *tuple,
        })
        .collect();
    let records = source.records(version, &placed)?;
    let head = source.signed_head(version)?;
    let seal = D::seal(&records, &head, shown.len()).ok_or(damaged)?;
    let mut parts = Vec::with_capacity(shown.len());
    for ((tuple, _), placed) in shown.into_iter().zip(placed) {
        let evidence = D::evidence(&records, placed.generation, placed.instant, placed.tuple);
        let evidence = evidence.ok_or(damaged)?;
        parts.push(Part { tuple, evidence });
    }
    Ok(TupleProof {
        epochs: instants.into_iter().skip(1).collect(),
        parts,
        seal: Some(seal),
    })
}
