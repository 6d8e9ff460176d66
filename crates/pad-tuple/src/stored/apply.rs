//! Applies updates to a repository of stored rows.

use std::collections::BTreeMap;

use pad_core::{
    ApplyError, Digest, Frontier, Key, Operation, StoreFault, Suite, Update, Version,
    codec::encode_body, internals::check_next,
};

use super::{
    design::StorableDesign,
    layout::{STATE, State, TupleRow, VersionRow, record_key, retired_key, tuple_key, version_key},
    load::LoadedLayers,
    repository::StoredTupleRepository,
    rows::Rows,
    run::RunWriter,
};
use crate::{
    design::{Admission, TupleId},
    layers::{Layers, Transition},
    repository::{TupleRepository, entries_after},
    tuple::generation_index,
    update::TupleAttachment,
};

/// The rows that an update adds, and the state after it.
type Prepared = (BTreeMap<Vec<u8>, Vec<u8>>, State);

impl<S: Suite, D: StorableDesign<S>, R: Rows> StoredTupleRepository<S, D, R> {
    /// Applies an update: the implementation of [`pad_core::Repository::apply`].
    pub(super) fn take_in(
        &mut self,
        update: &Update<S, TupleAttachment<D::Extension>>,
    ) -> Result<Version, ApplyError> {
        self.check_next(update)?;
        self.meet_others()?;
        let merged = usize::from(update.attachment.merged).min(D::GENERATIONS - 1);
        let keys = update.operations.iter().map(Operation::key);
        let loaded = self.read_known(|reader| reader.load::<S, D>(merged, keys));
        self.take_in_loaded(update, loaded?)
    }

    /// Returns the frontier of the history log over all versions. Reads it from the rows on first
    /// use.
    pub(super) fn history(&mut self) -> Result<&Frontier<S>, StoreFault> {
        let frontier = match self.frontier.take() {
            Some(frontier) => frontier,
            None => self.heads().frontier()?,
        };
        Ok(self.frontier.insert(frontier))
    }

    pub(super) fn check_next(
        &mut self,
        update: &Update<S, TupleAttachment<D::Extension>>,
    ) -> Result<(), ApplyError> {
        let history = Some(self.history()?.root());
        let latest = self.state.latest;
        check_next(self.authority(), latest, history, update.base, &update.head)
    }

    /// Like [`Self::take_in`], but the caller has already read the generations that the update
    /// changes, from the latest state. The caller must have called [`Self::check_next`].
    pub(super) fn take_in_loaded(
        &mut self,
        update: &Update<S, TupleAttachment<D::Extension>>,
        loaded: LoadedLayers<S, D>,
    ) -> Result<Version, ApplyError> {
        let mut frontier = self.history()?.clone();
        frontier.append(&update.head.head.root);
        let (rows, state) = self.prepared(update, loaded, &frontier)?;
        let bytes = rows.iter().map(|(key, row)| key.len() + row.len());
        self.staged_bytes = bytes.fold(self.staged_bytes, usize::saturating_add);
        self.staged.extend(rows);
        self.state = state;
        self.frontier = Some(frontier);
        Ok(self.state.latest)
    }

    /// Returns the rows that an update adds, and the state after it. Runs the same checks as
    /// [`TupleRepository`], in the same order.
    fn prepared(
        &self,
        update: &Update<S, TupleAttachment<D::Extension>>,
        loaded: LoadedLayers<S, D>,
        frontier: &Frontier<S>,
    ) -> Result<Prepared, ApplyError> {
        let LoadedLayers {
            mut layers,
            mut records,
            mut numbers,
            ..
        } = loaded;
        let merged = usize::from(update.attachment.merged);
        layers.check(&update.operations)?;
        let operations = TupleRepository::<S, D>::check_root(update)?;
        let entries = usize::try_from(self.state.entries).map_err(|_| StoreFault::Damaged)?;
        let entries = entries_after(&layers, entries, &update.operations);
        let entries = entries.ok_or(StoreFault::Damaged)?;
        let transition = layers.apply(&update.operations, merged)?;
        let mut state = self.state.clone();
        number(&mut layers, &transition, &mut numbers, &mut state.next)?;
        let admission = Admission {
            authority: self.authority(),
            layers: &layers,
            transition: &transition,
            extensions: &update.attachment.extensions,
            operations,
        };
        D::admit(&self.key, &mut records, &admission, &self.workers)?;
        state.latest = layers.version();
        state.epochs = layers.epochs().to_vec();
        state.entries = u64::try_from(entries).unwrap_or(u64::MAX);
        if update.base != Version::EMPTY {
            let operations = u64::try_from(update.operations.len()).unwrap_or(u64::MAX);
            state.operations = state.operations.saturating_add(operations);
        }
        let mut drawn = NewRows::<S, D> {
            layers: &layers,
            numbers: &numbers,
            records: &records,
            rows: BTreeMap::new(),
        };
        let mut retired = Vec::new();
        for (generation, change) in transition.changes.iter().enumerate() {
            let size = drawn.generation(generation)?;
            *state.sizes.get_mut(generation).ok_or(StoreFault::Damaged)? = size;
            drawn.created(generation, &change.created)?;
            for (_, gone) in &change.deleted {
                retired.push(drawn.number(*gone)?);
            }
        }
        let mut rows = drawn.rows;
        let version = VersionRow::<S> {
            root: update.head.head.root,
            history: update.head.head.history,
            signature: Digest(update.head.signature.to_bytes()),
            subtree: *frontier.last_subtree().ok_or(StoreFault::Damaged)?,
            epochs: state.epochs.clone(),
        };
        rows.insert(version_key(state.latest), encode_body(&version));
        rows.insert(retired_key(state.latest), encode_body(&retired));
        rows.insert(STATE.to_vec(), encode_body(&state));
        Ok((rows, state))
    }
}

/// Assigns the next row numbers to the new tuples, and sets their notes to the indexes of these
/// numbers in `numbers`.
fn number<S: Suite>(
    layers: &mut Layers<S, TupleId>,
    transition: &Transition<S, TupleId>,
    numbers: &mut Vec<u64>,
    next: &mut u64,
) -> Result<(), ApplyError> {
    let full = || ApplyError::Input(pad_core::InputError::CapacityExceeded);
    for (generation, change) in transition.changes.iter().enumerate() {
        for lower in &change.created {
            let place = u32::try_from(numbers.len()).map_err(|_| full())?;
            numbers.push(*next);
            *next = next.checked_add(1).ok_or_else(full)?;
            if let Some(live) = layers.generation_mut(generation).get_mut(lower) {
                live.note = TupleId(place);
            }
        }
    }
    Ok(())
}

/// The rows that a new version adds, under construction.
struct NewRows<'a, S: Suite, D: StorableDesign<S>> {
    layers: &'a Layers<S, TupleId>,
    numbers: &'a [u64],
    records: &'a D::Records,
    rows: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl<S: Suite, D: StorableDesign<S>> NewRows<'_, S, D> {
    fn number(&self, tuple: TupleId) -> Result<u64, StoreFault> {
        let number = self.numbers.get(tuple.position());
        number.copied().ok_or(StoreFault::Damaged)
    }

    /// Adds the run of a generation (the list of its tuples at the new instant), and the record of
    /// each of these tuples. Returns the number of tuples.
    fn generation(&mut self, generation: usize) -> Result<u64, StoreFault> {
        let tuples = self.layers.generations().get(generation);
        let tuples = tuples.ok_or(StoreFault::Damaged)?;
        let instant = self.layers.instant(generation);
        let mut records = Vec::with_capacity(tuples.len());
        let mut run = RunWriter::new((generation, instant), &mut self.rows);
        for (lower, live) in tuples {
            let number = self.numbers.get(live.note.position()).copied();
            let number = number.ok_or(StoreFault::Damaged)?;
            run.push(lower, number);
            let record = D::write_record(self.records, live.note);
            let key = record_key(number, D::EACH_INSTANT.then_some(instant));
            records.push((key, record.ok_or(StoreFault::Damaged)?));
        }
        run.finish();
        self.rows.extend(records);
        Ok(u64::try_from(tuples.len()).unwrap_or(u64::MAX))
    }

    /// Adds the rows of the new tuples of a generation, which are given by their lower ends.
    fn created(&mut self, generation: usize, created: &[Key]) -> Result<(), StoreFault> {
        let tuples = self.layers.generations().get(generation);
        let tuples = tuples.ok_or(StoreFault::Damaged)?;
        for lower in created {
            let live = tuples.get(lower).ok_or(StoreFault::Damaged)?;
            let view = self.layers.view(generation, lower, live.content.summary());
            let upper = view.upper.map(Key::new).transpose();
            let row = TupleRow {
                generation: generation_index(generation),
                lower: lower.clone(),
                upper: upper.map_err(|_| StoreFault::Damaged)?,
                content: live.content.shown(),
            };
            let number = self.number(live.note)?;
            self.rows.insert(tuple_key(number), row.encode());
        }
        Ok(())
    }
}
