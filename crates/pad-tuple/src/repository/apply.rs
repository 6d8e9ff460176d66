//! Applies updates to a repository in memory.

use pad_core::{
    ApplyError, InputError, Key, Operation, Repository, Suite, Update, Version, Workers,
};

use super::{Index, TupleRepository};
use crate::{
    design::{Admission, Design, TupleId},
    kept::TupleEntry,
    layers::{Layers, Transition},
    update::{self, TupleAttachment},
};

impl<S: Suite, D: Design<S>> TupleRepository<S, D> {
    /// Applies an update: the implementation of [`Repository::apply`].
    pub(super) fn take_in(
        &mut self,
        update: &Update<S, TupleAttachment<D::Extension>>,
    ) -> Result<Version, ApplyError> {
        self.heads.check(update.base, &update.head)?;
        let merged = usize::from(update.attachment.merged);
        self.layers.check(&update.operations)?;
        let operations = Self::check_root(update)?;
        let entries = entries_after(&self.layers, self.entries, &update.operations);
        // Removals of absent keys were already refused.
        let entries = entries.ok_or(ApplyError::RemovesAbsentKey)?;
        let transition = self.layers.apply(&update.operations, merged)?;
        if let Err(error) = self.number_tuples(&transition) {
            self.layers.undo(transition);
            return Err(error);
        }
        let edited = self.edit_indexes(&transition).map_err(ApplyError::Input);
        let admitted = edited.and_then(|()| {
            let admission = Admission {
                authority: self.heads.authority(),
                layers: &self.layers,
                transition: &transition,
                extensions: &update.attachment.extensions,
                operations,
            };
            D::admit(&self.key, &mut self.records, &admission, &self.workers)
        });
        if let Err(error) = admitted {
            self.roll_back(transition);
            return Err(error);
        }
        self.commit(transition);
        self.entries = entries;
        if update.base != Version::EMPTY {
            let operations = u64::try_from(update.operations.len()).unwrap_or(u64::MAX);
            self.operations = self.operations.saturating_add(operations);
        }
        self.heads.append(&update.head);
        Ok(self.latest())
    }

    /// Checks that operations and attachment hash to the root in the update's head. Returns the
    /// digest of the operations.
    pub(crate) fn check_root(
        update: &Update<S, TupleAttachment<D::Extension>>,
    ) -> Result<S::Digest, ApplyError> {
        let operations = update::operations_digest::<S>(&update.operations);
        let attachment = D::attachment_digest(&update.attachment);
        if update::root::<S>(&operations, &attachment) == update.head.head.root {
            Ok(operations)
        } else {
            Err(ApplyError::RootMismatch)
        }
    }

    /// Assigns numbers to the new tuples of a snapshot, and stores the numbers as the notes of the
    /// tuples.
    pub(crate) fn number_tuples(
        &mut self,
        transition: &Transition<S, TupleId>,
    ) -> Result<(), ApplyError> {
        let created: usize = transition
            .changes
            .iter()
            .map(|change| change.created.len())
            .sum();
        let numbers = self.tuples.len().saturating_add(created);
        if u32::try_from(numbers).is_err() {
            return Err(ApplyError::Input(InputError::CapacityExceeded));
        }
        for (generation, change) in transition.changes.iter().enumerate() {
            for lower in &change.created {
                let number = self.free.pop().unwrap_or_else(|| {
                    self.tuples.push(None);
                    TupleId(u32::try_from(self.tuples.len() - 1).unwrap_or(u32::MAX))
                });
                if let Some(live) = self.layers.generation_mut(generation).get_mut(lower) {
                    live.note = number;
                }
            }
        }
        Ok(())
    }

    /// Applies the changes of a snapshot to the working versions of the generations' indexes,
    /// without sealing them.
    pub(crate) fn edit_indexes(
        &mut self,
        transition: &Transition<S, TupleId>,
    ) -> Result<(), InputError> {
        let generations = self.layers.generations().iter();
        for ((tuples, change), index) in generations.zip(&transition.changes).zip(&mut self.indexes)
        {
            for (lower, _) in &change.deleted {
                // A new tuple with the same lower end overwrites the old one.
                if !tuples.contains_key(lower) {
                    index.remove(lower.as_bytes())?;
                }
            }
            for lower in &change.created {
                let number = tuples[lower].note.0;
                index.insert(lower.as_bytes(), &number.to_le_bytes())?;
            }
        }
        Ok(())
    }

    /// Undoes the changes of a snapshot to layers, tuple numbers and indexes.
    pub(crate) fn roll_back(&mut self, transition: Transition<S, TupleId>) {
        for (tuples, change) in self.layers.generations().iter().zip(&transition.changes) {
            let numbers = change.created.iter().filter_map(|lower| tuples.get(lower));
            self.free.extend(numbers.map(|live| live.note));
        }
        self.layers.undo(transition);
        self.indexes.iter_mut().for_each(Index::rollback);
    }

    /// Stores the new tuples of a snapshot, records the deleted tuples as retired, and seals the
    /// indexes. The layers' version becomes the latest version.
    pub(crate) fn commit(&mut self, transition: Transition<S, TupleId>) {
        let version = self.layers.version();
        for (generation, change) in transition.changes.into_iter().enumerate() {
            let retired = change
                .deleted
                .into_iter()
                .map(|(_, number)| (version, number));
            self.retired.extend(retired);
            let tuples = &self.layers.generations()[generation];
            for lower in &change.created {
                let content = tuples[lower].content.clone();
                let view = self.layers.view(generation, lower, content.summary());
                let upper = view
                    .upper
                    .map(|upper| Key::new(upper).expect("an upper end is a key"));
                let number = tuples[lower].note.position();
                self.tuples[number] = Some(TupleEntry { upper, content });
            }
            self.indexes[generation].seal(&Workers::sequential());
        }
        self.epochs.extend_from_slice(self.layers.epochs());
    }
}

/// Returns the number of entries after `operations`, which are on distinct keys. `None` if it would
/// be negative or overflow.
pub(crate) fn entries_after<S: Suite>(
    layers: &Layers<S, TupleId>,
    entries: usize,
    operations: &[Operation],
) -> Option<usize> {
    operations.iter().try_fold(entries, |entries, operation| {
        let present = layers.get(operation.key().as_bytes()).is_some();
        match (operation, present) {
            (Operation::Put(..), false) => entries.checked_add(1),
            (Operation::Remove(_), true) => entries.checked_sub(1),
            _ => Some(entries),
        }
    })
}
