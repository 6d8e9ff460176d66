//! Looks up tuples and records in one state of the rows.

use std::{borrow::Cow, cell::RefCell};

use pad_core::{Key, LookupError, SignedHead, StoreFault, Suite, Version};

use super::{
    design::StorableDesign,
    layout::{
        STATE, State, TupleRow, VersionRow, decoded, record_key, run_key, tuple_key, version_key,
    },
    rows::RowView,
    run::decode_piece,
};
use crate::{
    content::SharedContent,
    design::{Placed, TupleId},
    kept::TupleEntry,
    scheme::Claim,
    source::{Source, SourceTuple},
    statement::Context,
    tuple::{Content, TupleView, generation_index},
};

/// Tuples of the latest version: for each, the number of its row, and the claim that it exists.
pub(super) type Claims<S> = Vec<(u64, Claim<S>)>;

/// A reader of one state of the rows of a dictionary with the public key `key`.
///
/// The [`TupleId`]s that it returns are valid only for this reader. They count the tuples in the
/// order in which they were found.
pub(super) struct Reader<'v, K> {
    pub(super) rows: &'v dyn RowView,
    pub(super) key: &'v K,
    /// The latest version that the repository knows. The rows may contain newer ones.
    pub(super) latest: Version,
    pub(super) state: State,
    numbers: RefCell<Vec<u64>>,
}

impl<'v, K> Reader<'v, K> {
    /// Creates a reader of a state of the rows, which may be newer than `known` if another writer
    /// has added versions.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if the rows belong to another dictionary, or their state is older
    /// than `known`. [`StoreFault::Medium`] if the medium failed.
    pub(super) fn new(
        rows: &'v dyn RowView,
        key: &'v K,
        known: &State,
    ) -> Result<Self, StoreFault> {
        let state = match rows.get(STATE)? {
            Some(state) => decoded::<State>(&state)?,
            None if known.latest == Version::EMPTY => known.clone(),
            None => return Err(StoreFault::Damaged),
        };
        let (authority, sizes) = (state.authority, state.sizes.len());
        if authority != known.authority || sizes != known.sizes.len() || state.latest < known.latest
        {
            return Err(StoreFault::Damaged);
        }
        Ok(Self {
            rows,
            key,
            latest: known.latest,
            state,
            numbers: RefCell::default(),
        })
    }

    /// Returns the tuple in the row `number`. Rejects a tuple of another generation or with another
    /// lower end.
    pub(super) fn tuple(
        &self,
        generation: usize,
        lower: &Key,
        number: u64,
    ) -> Result<TupleRow, StoreFault> {
        let row = self.rows.get(&tuple_key(number))?;
        let row = TupleRow::decode(&row.ok_or(StoreFault::Damaged)?)?;
        if row.generation == generation_index(generation) && row.lower == *lower {
            Ok(row)
        } else {
            Err(StoreFault::Damaged)
        }
    }

    /// Returns the tuple whose interval contains `key`, in the given generation and at the given
    /// instant, and the number of its row.
    pub(super) fn holding(
        &self,
        (generation, instant): (usize, u64),
        key: &[u8],
    ) -> Result<(TupleRow, u64), StoreFault> {
        let (from, to) = (
            run_key(generation, instant, &[]),
            run_key(generation, instant, key),
        );
        let (begin, piece) = self.rows.last(&from, &to)?.ok_or(StoreFault::Damaged)?;
        let piece = decode_piece(&begin, &piece)?;
        let below = piece.partition_point(|(lower, _)| lower.as_bytes() <= key);
        let found = below.checked_sub(1).and_then(|place| piece.get(place));
        let (lower, number) = found.ok_or(StoreFault::Damaged)?;
        let tuple = self.tuple(generation, lower, *number)?;
        // If a piece is missing, the piece before it would seem to contain the keys of the
        // missing piece.
        if tuple
            .upper
            .as_ref()
            .is_some_and(|upper| upper.as_bytes() <= key)
        {
            return Err(StoreFault::Damaged);
        }
        Ok((tuple, *number))
    }

    /// Reads the record of the tuple in row `number`, and adds it to `records` under `tuple`.
    /// Checks that it covers the claimed instant.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if the record is missing or malformed, or does not cover the
    /// instant, for example after a crash. [`StoreFault::Medium`] if the medium failed.
    pub(super) fn read_record<S: Suite, D: StorableDesign<S, Key = K>>(
        &self,
        records: &mut D::Records,
        tuple: TupleId,
        number: u64,
        claim: &Claim<S>,
    ) -> Result<(), StoreFault> {
        let instant = D::EACH_INSTANT.then_some(claim.instant);
        let record = self.rows.get(&record_key(number, instant))?;
        let record = record.ok_or(StoreFault::Damaged)?;
        D::read_record(records, tuple, &record).ok_or(StoreFault::Damaged)?;
        if D::covers(records, tuple, claim) {
            Ok(())
        } else {
            Err(StoreFault::Damaged)
        }
    }

    /// Looks up a key in generation `from` and all older generations of the latest version. Returns
    /// the content from the youngest of them that contains the key. Adds the tuples that were read
    /// to `claims`.
    pub(super) fn decided<S: Suite>(
        &self,
        from: usize,
        key: &Key,
        claims: &mut Claims<S>,
    ) -> Result<Option<SharedContent<S>>, StoreFault> {
        for generation in from..self.state.sizes.len() {
            let instant = self.state.instant(generation).ok_or(StoreFault::Damaged)?;
            let (tuple, number) = self.holding((generation, instant), key.as_bytes())?;
            let is_its_own = tuple.lower == *key;
            let lower = tuple.lower.clone();
            let tuple = tuple.tuple::<S>();
            let (epochs, ends) = (&self.state.epochs, (&lower, tuple.upper.as_ref()));
            let view = TupleView::new(generation, epochs, ends, tuple.content.summary());
            let claim = Claim::new(generation, instant, view.digest::<S>());
            claims.push((number, claim));
            if is_its_own {
                match tuple.content {
                    Content::Nothing => {}
                    content => return Ok(Some(content)),
                }
            }
        }
        Ok(None)
    }

    /// Assigns the next [`TupleId`] of this reader to the tuple in row `number`.
    fn numbered(&self, number: u64) -> Result<TupleId, StoreFault> {
        let mut numbers = self.numbers.borrow_mut();
        let place = u32::try_from(numbers.len()).map_err(|_| StoreFault::Damaged)?;
        numbers.push(number);
        Ok(TupleId(place))
    }
}

/// Returns the row of a version, which must be between 1 and `latest`.
pub(super) fn version_row<S: Suite>(
    rows: &dyn RowView,
    latest: Version,
    version: Version,
) -> Result<VersionRow<S>, LookupError> {
    if version == Version::EMPTY || version > latest {
        return Err(LookupError::UnknownVersion { version, latest });
    }
    let row = rows.get(&version_key(version))?;
    Ok(decoded(&row.ok_or(LookupError::Damaged { version })?)?)
}

impl<S: Suite, D: StorableDesign<S>> Source<S, D> for Reader<'_, D::Key> {
    fn instants(&self, version: Version) -> Result<Vec<u64>, LookupError> {
        let oldest = self.state.oldest;
        if version < oldest {
            return Err(LookupError::Pruned { version, oldest });
        }
        let epochs = match version {
            Version::EMPTY => vec![0; D::GENERATIONS - 1],
            version => version_row::<S>(self.rows, self.latest, version)?.epochs,
        };
        if epochs.len() != D::GENERATIONS - 1 {
            return Err(LookupError::Damaged { version });
        }
        Ok(core::iter::once(version.number()).chain(epochs).collect())
    }

    fn signed_head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        let row = version_row::<S>(self.rows, self.latest, version)?;
        Ok(row.signed(&self.state.authority, version))
    }

    fn floor(
        &self,
        _: Version,
        place: (usize, u64),
        key: &[u8],
    ) -> Result<SourceTuple<'_, S>, LookupError> {
        let (row, number) = self.holding(place, key)?;
        let lower = row.lower.as_bytes().to_vec();
        let tuple: TupleEntry<S> = row.tuple();
        Ok(SourceTuple {
            lower: Cow::Owned(lower),
            number: self.numbered(number)?,
            tuple: Cow::Owned(tuple),
        })
    }

    fn records(
        &self,
        version: Version,
        tuples: &[Placed],
    ) -> Result<Cow<'_, D::Records>, LookupError> {
        let damaged = LookupError::Damaged { version };
        let mut records = D::records(self.key, Context::of(&self.state.authority));
        let numbers = self.numbers.borrow();
        for placed in tuples {
            let number = numbers.get(placed.tuple.position()).ok_or(damaged)?;
            let claim = Claim::new(placed.generation, placed.instant, S::Digest::default());
            let read = self.read_record::<S, D>(&mut records, placed.tuple, *number, &claim);
            read.map_err(|fault| match fault {
                StoreFault::Damaged => damaged,
                fault => fault.into(),
            })?;
        }
        Ok(Cow::Owned(records))
    }
}
