//! Loads the data that the next version changes. Generations whose clocks move are read as a whole,
//! because an update contains an item for each of their tuples.

use pad_core::{Key, StoreFault, Suite, Version};

use super::{
    design::StorableDesign,
    layout::runs_between,
    read::{Claims, Reader},
    run::{Piece, decode_piece},
};
use crate::{
    content::SharedContent, design::TupleId, layers::Layers, scheme::Claim, statement::Context,
    tuple::start_of_keys,
};

/// The generations of the latest version that the next version changes, loaded into memory.
pub(super) struct LoadedLayers<S: Suite, D: StorableDesign<S>> {
    /// The tuples of these generations. Their notes are indexes into [`LoadedLayers::numbers`].
    pub(super) layers: Layers<S, TupleId>,
    pub(super) records: D::Records,
    /// The numbers of the rows in which the tuples are stored.
    pub(super) numbers: Vec<u64>,
    /// The tuples of older generations that were read to look up the keys of operations.
    pub(super) elsewhere: Claims<S>,
}

impl<K> Reader<'_, K> {
    /// Loads the generations `0..=merged` of the latest version, and what older generations contain
    /// for `keys`.
    ///
    /// # Errors
    /// [`StoreFault::Damaged`] if a generation is incomplete. [`StoreFault::Closed`] if another
    /// writer has added a version. [`StoreFault::Medium`] if the medium failed.
    pub(super) fn load<'k, S: Suite, D: StorableDesign<S, Key = K>>(
        &self,
        merged: usize,
        keys: impl Iterator<Item = &'k Key>,
    ) -> Result<LoadedLayers<S, D>, StoreFault> {
        let mut loaded = LoadedLayers::<S, D> {
            layers: Layers::at(self.state.latest, self.state.epochs.clone()),
            records: D::records(self.key, Context::of(&self.state.authority)),
            numbers: Vec::new(),
            elsewhere: Claims::new(),
        };
        if self.state.latest != self.latest {
            // Another writer has written, so the known state is not the base of the next
            // version.
            return Err(StoreFault::Closed);
        }
        if self.latest == Version::EMPTY {
            return Ok(loaded);
        }
        for generation in 0..=merged {
            self.load_generation(&mut loaded, generation)?;
        }
        for key in keys {
            let older = merged.saturating_add(1);
            if let Some(content) = self.decided(older, key, &mut loaded.elsewhere)? {
                loaded.layers.elsewhere.insert(key.clone(), content);
            }
        }
        Ok(loaded)
    }

    fn load_generation<S: Suite, D: StorableDesign<S, Key = K>>(
        &self,
        loaded: &mut LoadedLayers<S, D>,
        generation: usize,
    ) -> Result<(), StoreFault> {
        let size = self.state.sizes.get(generation).copied();
        let instant = self.state.instant(generation).ok_or(StoreFault::Damaged)?;
        let run = self.run(generation, instant)?;
        let first = run.first();
        let starts = first.is_some_and(|(lower, _)| *lower == start_of_keys());
        if !starts || u64::try_from(run.len()).ok() != size {
            return Err(StoreFault::Damaged);
        }
        let mut next = run.iter().skip(1).map(|(lower, _)| lower);
        for (lower, number) in &run {
            let row = self.tuple(generation, lower, *number)?;
            // The tuples are adjacent, so none is missing.
            if row.upper.as_ref() != next.next() {
                return Err(StoreFault::Damaged);
            }
            let place = u32::try_from(loaded.numbers.len()).map_err(|_| StoreFault::Damaged)?;
            let note = TupleId(place);
            if !D::EACH_INSTANT {
                let claim = Claim::new(generation, instant, S::Digest::default());
                self.read_record::<S, D>(&mut loaded.records, note, *number, &claim)?;
            }
            loaded.numbers.push(*number);
            let content = SharedContent::share(&row.content);
            loaded.layers.place(generation, row.lower, content, note);
        }
        Ok(())
    }

    /// Reads the run of a generation at an instant: the lower ends of all its tuples, in ascending
    /// order, and their numbers.
    pub(super) fn run(&self, generation: usize, instant: u64) -> Result<Piece, StoreFault> {
        let mut run = Piece::new();
        let range = runs_between(generation, instant, instant.saturating_add(1));
        self.rows
            .scan(&range.start, &range.end, &mut |key, piece| {
                let piece = decode_piece(key, piece)?;
                let (before, next) = (run.last(), piece.first());
                if let (Some((before, _)), Some((next, _))) = (before, next)
                    && before >= next
                {
                    return Err(StoreFault::Damaged);
                }
                run.extend(piece);
                Ok(())
            })?;
        Ok(run)
    }
}
