//! The tuples of each generation at the latest version, and the changes that a snapshot makes.
//!
//! Author and server compute tuples with the same code, so an update need not list them. A
//! generation is an ordered map from the lower ends of key intervals to contents. The upper end of
//! a tuple is the lower end of the next tuple. The first tuple always starts at the start of the
//! key space, so the intervals never overlap and always cover the key space.
//!
//! Source: Crosby & Wallach 2010, sections 4.1 and 4.2.

use std::{collections::BTreeMap, ops::Bound};

use pad_core::{ApplyError, Key, Operation, Suite, Version};

use crate::{
    content::SharedContent,
    scheme::Claim,
    tuple::{Content, TupleView, start_of_keys},
};

mod edit;

use edit::Editor;

/// A tuple in the latest state of a generation, without its lower end. It has a note of type `A`:
/// data that the author or the server stores with the tuple.
#[derive(Clone, Debug)]
pub struct Live<S: Suite, A> {
    /// Statement of the tuple about the key at its lower end.
    pub content: SharedContent<S>,
    /// The author's state of the tuple, or the tuple's number in the server's repository.
    pub note: A,
}

/// The tuples of one generation, by their lower ends.
pub(crate) type Generation<S, A> = BTreeMap<Key, Live<S, A>>;

/// The tuples of all generations at the latest snapshot. Each tuple has a note of type `A`.
#[derive(Clone, Debug)]
pub struct Layers<S: Suite, A> {
    generations: Vec<Generation<S, A>>,
    /// The epochs of generations 1 and up: for each, the number of snapshots that changed it.
    epochs: Vec<u64>,
    version: Version,
    /// The contents of the keys that an operation uses, taken from generations that are stored and
    /// not in memory. They are used for keys that the generations in memory do not contain.
    pub(crate) elsewhere: BTreeMap<Key, SharedContent<S>>,
}

/// The changes that one snapshot made to the tuples of one generation.
#[derive(Clone, Debug, Default)]
pub struct GenerationChange<S: Suite, A> {
    /// Lower ends of the new tuples, in ascending order.
    pub created: Vec<Key>,
    /// Lower ends of the deleted tuples, each with the note of the tuple.
    pub deleted: Vec<(Key, A)>,
    /// For each lower end of a changed tuple, the tuple before the change; `None` if there was no
    /// tuple with this lower end.
    undo: BTreeMap<Key, Option<Live<S, A>>>,
    /// All tuples of the generation before the change, if the change emptied it.
    emptied: Option<Generation<S, A>>,
}

/// The changes made by one snapshot: one item for each generation whose clock moved, youngest
/// first.
#[derive(Clone, Debug)]
pub struct Transition<S: Suite, A> {
    /// The changes of the generations `0..=merged`, youngest first. `merged` is the result of
    /// [`Transition::merged`].
    pub changes: Vec<GenerationChange<S, A>>,
    epochs_before: Vec<u64>,
    version_before: Version,
}

impl<S: Suite, A> Transition<S, A> {
    /// Returns the generation into which all younger generations were merged; 0 if none was merged.
    pub fn merged(&self) -> usize {
        self.changes.len() - 1
    }
}

impl<S: Suite, A: Clone + Default> Layers<S, A> {
    /// Creates the layers of version 0, with `generations` generations without tuples.
    pub fn new(generations: usize) -> Self {
        Self {
            generations: (0..generations).map(|_| BTreeMap::new()).collect(),
            epochs: vec![0; generations - 1],
            version: Version::EMPTY,
            elsewhere: BTreeMap::new(),
        }
    }

    /// Creates layers without tuples at `version`. The caller adds the tuples with
    /// [`Layers::place`].
    pub(crate) fn at(version: Version, epochs: Vec<u64>) -> Self {
        let mut layers = Self::new(epochs.len() + 1);
        layers.epochs = epochs;
        layers.version = version;
        layers
    }

    /// Inserts a tuple that was read from storage.
    pub(crate) fn place(
        &mut self,
        generation: usize,
        lower: Key,
        content: SharedContent<S>,
        note: A,
    ) {
        self.generations[generation].insert(lower, Live { content, note });
    }

    /// Returns the latest version.
    pub const fn version(&self) -> Version {
        self.version
    }

    /// Returns the epochs of the generations 1 and up. An epoch counts the snapshots that changed
    /// its generation.
    pub fn epochs(&self) -> &[u64] {
        &self.epochs
    }

    /// Returns the generations, youngest first.
    pub fn generations(&self) -> &[Generation<S, A>] {
        &self.generations
    }

    /// Returns one generation, so that the caller can change the notes of its tuples.
    pub fn generation_mut(&mut self, generation: usize) -> &mut Generation<S, A> {
        &mut self.generations[generation]
    }

    /// Returns a copy of the layers. `note` computes the new note of each tuple from the
    /// [`TupleView`] of the tuple and its old note.
    pub fn map<B: Clone + Default>(
        &self,
        mut note: impl FnMut(TupleView<'_, S::Digest>, &A) -> B,
    ) -> Layers<S, B> {
        let mut layers = Layers::at(self.version, self.epochs.clone());
        layers.elsewhere.clone_from(&self.elsewhere);
        for (generation, tuples) in self.generations.iter().enumerate() {
            for (lower, live) in tuples {
                let content = live.content.clone();
                let view = self.view(generation, lower, content.summary());
                let note = note(view, &live.note);
                layers.place(generation, lower.clone(), content, note);
            }
        }
        layers
    }

    /// Returns the instant on a generation's clock: the version for the youngest generation, the
    /// epoch for the others.
    pub fn instant(&self, generation: usize) -> u64 {
        match generation.checked_sub(1) {
            None => self.version.number(),
            Some(older) => self.epochs[older],
        }
    }

    /// Returns the value of a key; `None` if it is absent. The youngest generation that contains
    /// the key decides.
    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        let here = self.generations.iter().filter_map(|tuples| {
            let live = tuples.get(key)?;
            Some(&live.content)
        });
        here.chain(self.elsewhere.get(key))
            .find_map(|content| match content {
                Content::Nothing => None,
                Content::Value(value) => Some(Some(value.value.as_bytes())),
                Content::Removed => Some(None),
            })
            .flatten()
    }

    /// Returns the tuple with the lower end `lower` and this content in the form in which it is
    /// hashed.
    pub fn view<'a>(
        &'a self,
        generation: usize,
        lower: &'a Key,
        content: Content<S::Digest>,
    ) -> TupleView<'a, S::Digest> {
        let after = (Bound::Excluded(lower), Bound::<&Key>::Unbounded);
        let next = self.generations[generation].range::<Key, _>(after).next();
        let ends = (lower, next.map(|(upper, _)| upper));
        TupleView::new(generation, &self.epochs, ends, content)
    }

    /// Returns, for each tuple, the claim that it exists at the latest instant of its generation,
    /// and its note.
    pub(crate) fn claims(&self) -> impl Iterator<Item = (Claim<S>, &A)> {
        let generations = self.generations.iter().enumerate();
        generations.flat_map(move |(generation, tuples)| {
            tuples.iter().map(move |(lower, live)| {
                let view = self.view(generation, lower, live.content.summary());
                let instant = self.instant(generation);
                let claim = Claim::new(generation, instant, view.digest::<S>());
                (claim, &live.note)
            })
        })
    }

    /// Applies one snapshot's operations, and merges all generations younger than `merged` into it.
    /// The first snapshot must merge into the oldest generation.
    ///
    /// Time: `O(log n)` for each operation, plus `O(log n)` for each entry of a merged generation.
    ///
    /// # Errors
    /// [`ApplyError::UnorderedOperations`] or [`ApplyError::RemovesAbsentKey`].
    /// [`ApplyError::AttachmentMismatch`] if `merged` is not a possible generation, or versions are
    /// exhausted. On an error the layers are unchanged.
    pub fn apply(
        &mut self,
        operations: &[Operation],
        merged: usize,
    ) -> Result<Transition<S, A>, ApplyError> {
        self.check(operations)?;
        let oldest = self.generations.len() - 1;
        let first = self.version == Version::EMPTY;
        let next = self.version.next().ok_or(ApplyError::AttachmentMismatch)?;
        if merged > oldest || (first && merged != oldest) {
            return Err(ApplyError::AttachmentMismatch);
        }
        let mut transition = Transition {
            changes: (0..=merged).map(|_| GenerationChange::default()).collect(),
            epochs_before: self.epochs.clone(),
            version_before: self.version,
        };
        let mut edits = BTreeMap::new();
        for generation in (0..merged).rev() {
            for (key, live) in &self.generations[generation] {
                if !matches!(live.content, Content::Nothing) {
                    edits.insert(key.clone(), live.content.clone());
                }
            }
        }
        for operation in operations {
            let (key, content) = match operation {
                Operation::Put(key, value) => (key, Content::of(value.clone())),
                Operation::Remove(key) => (key, Content::Removed),
            };
            edits.insert(key.clone(), content);
        }
        self.version = next;
        for epoch in &mut self.epochs[..merged] {
            *epoch += 1;
        }
        for (generation, change) in transition.changes[..merged].iter_mut().enumerate() {
            self.empty(generation, change);
        }
        if let Some(change) = transition.changes.last_mut() {
            Editor::new(&mut self.generations[merged], change).edit(edits, merged < oldest);
        }
        Ok(transition)
    }

    /// Undoes the changes of a snapshot, which must be the latest.
    pub fn undo(&mut self, transition: Transition<S, A>) {
        self.version = transition.version_before;
        self.epochs = transition.epochs_before;
        for (generation, change) in self.generations.iter_mut().zip(transition.changes) {
            if let Some(before) = change.emptied {
                *generation = before;
            }
            for (key, before) in change.undo {
                match before {
                    Some(live) => generation.insert(key, live),
                    None => generation.remove(&key),
                };
            }
        }
    }

    pub(crate) fn check(&self, operations: &[Operation]) -> Result<(), ApplyError> {
        if !operations.is_sorted_by(|a, b| a.key() < b.key()) {
            return Err(ApplyError::UnorderedOperations);
        }
        let removes_absent = operations.iter().any(|operation| {
            matches!(operation, Operation::Remove(key) if self.get(key.as_bytes()).is_none())
        });
        if removes_absent {
            return Err(ApplyError::RemovesAbsentKey);
        }
        Ok(())
    }

    /// Replaces all tuples of a generation by one tuple over all keys with the content `Nothing`.
    /// Records this in `change`.
    fn empty(&mut self, generation: usize, change: &mut GenerationChange<S, A>) {
        let before = std::mem::take(&mut self.generations[generation]);
        let gone = |(key, live): (&Key, &Live<S, A>)| (key.clone(), live.note.clone());
        change.deleted.extend(before.iter().map(gone));
        change.emptied = Some(before);
        change.created.push(start_of_keys());
        self.generations[generation].insert(start_of_keys(), nothing());
    }
}

fn nothing<S: Suite, A: Default>() -> Live<S, A> {
    Live {
        content: Content::Nothing,
        note: A::default(),
    }
}

#[cfg(test)]
mod tests;
