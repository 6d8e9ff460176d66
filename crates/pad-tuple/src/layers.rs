//! The generations of tuples: which tuples each holds, and what a snapshot does to them.
//!
//! Author and server run this same code, so an update need not list the tuples. A generation is an
//! ordered map from lower ends to contents; the upper end of a tuple is the next lower end. There is
//! always a tuple at the start of the key space, so the intervals never overlap and always cover it.
//!
//! Source: Crosby & Wallach 2010, sections 4.1 and 4.2.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
};

use pad_core::{ApplyError, Key, Operation, Suite, Version};

use crate::{
    content::Content,
    tuple::{Summary, TupleView, generation_index, start_of_keys},
};

/// A tuple of a generation's present state, with what its holder notes about it.
#[derive(Clone, Debug)]
pub struct Live<S: Suite, A> {
    /// What the tuple says about its lower end.
    pub content: Content<S>,
    /// The author's state of the tuple, or the server's number of it.
    pub note: A,
}

/// One generation: its tuples by lower end.
pub type Generation<S, A> = BTreeMap<Key, Live<S, A>>;

/// All generations at the latest snapshot.
#[derive(Clone, Debug)]
pub struct Layers<S: Suite, A> {
    generations: Vec<Generation<S, A>>,
    /// The epochs of generations 1 and up: how often each was made anew.
    epochs: Vec<u64>,
    version: Version,
}

/// What one snapshot did to one generation.
#[derive(Clone, Debug)]
pub struct GenerationChange<S: Suite, A> {
    /// Lower ends of the tuples that are new, in ascending order.
    pub created: Vec<Key>,
    /// Lower ends and notes of the tuples that are no more.
    pub deleted: Vec<(Key, A)>,
    /// The tuples as they were before, by lower end; `None` where there was none.
    undo: BTreeMap<Key, Option<Live<S, A>>>,
    /// The whole generation as it was before, if it was emptied.
    emptied: Option<Generation<S, A>>,
}

impl<S: Suite, A> Default for GenerationChange<S, A> {
    fn default() -> Self {
        Self {
            created: Vec::new(),
            deleted: Vec::new(),
            undo: BTreeMap::new(),
            emptied: None,
        }
    }
}

/// What one snapshot did: one change for each generation whose clock moved, youngest first.
#[derive(Clone, Debug)]
pub struct Transition<S: Suite, A> {
    /// The changes of generations `0..=merged`.
    pub changes: Vec<GenerationChange<S, A>>,
    epochs_before: Vec<u64>,
    version_before: Version,
}

impl<S: Suite, A> Transition<S, A> {
    /// The generation that all younger ones were merged into; 0 if none was.
    pub fn merged(&self) -> usize {
        self.changes.len() - 1
    }
}

impl<S: Suite, A: Clone + Default> Layers<S, A> {
    /// The layers of version 0, which holds no tuples.
    pub fn new(generations: usize) -> Self {
        Self {
            generations: (0..generations).map(|_| BTreeMap::new()).collect(),
            epochs: vec![0; generations - 1],
            version: Version::EMPTY,
        }
    }

    /// Layers at a version, whose tuples [`Layers::place`] has yet to put in.
    pub(crate) fn at(version: Version, epochs: Vec<u64>) -> Self {
        let mut layers = Self::new(epochs.len() + 1);
        layers.epochs = epochs;
        layers.version = version;
        layers
    }

    /// Puts a tuple where a checkpoint says that it was.
    pub(crate) fn place(&mut self, generation: usize, lower: Key, content: Content<S>, note: A) {
        self.generations[generation].insert(lower, Live { content, note });
    }

    /// The latest version.
    pub const fn version(&self) -> Version {
        self.version
    }

    /// The epochs of generations 1 and up.
    pub fn epochs(&self) -> &[u64] {
        &self.epochs
    }

    /// The generations, youngest first.
    pub fn generations(&self) -> &[Generation<S, A>] {
        &self.generations
    }

    /// One generation, whose notes may be changed.
    pub fn generation_mut(&mut self, generation: usize) -> &mut Generation<S, A> {
        &mut self.generations[generation]
    }

    /// The same tuples with other notes.
    pub fn map<B: Clone + Default>(
        &self,
        mut note: impl FnMut(TupleView<'_, S::Digest>, &A) -> B,
    ) -> Layers<S, B> {
        let mut layers = Layers::new(self.generations.len());
        layers.epochs.clone_from(&self.epochs);
        layers.version = self.version;
        for (generation, tuples) in self.generations.iter().enumerate() {
            for (lower, live) in tuples {
                let content = live.content.clone();
                let view = self.view(generation, lower, content.summary());
                let note = note(view, &live.note);
                layers.generations[generation].insert(lower.clone(), Live { content, note });
            }
        }
        layers
    }

    /// The time of a generation's clock: versions for the youngest, epochs for the others.
    pub fn instant(&self, generation: usize) -> u64 {
        match generation.checked_sub(1) {
            None => self.version.number(),
            Some(older) => self.epochs[older],
        }
    }

    /// The value of a key, as the client's rule finds it: the youngest generation that knows decides.
    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.generations
            .iter()
            .find_map(|generation| match &generation.get(key)?.content {
                Content::Nothing => None,
                Content::Value(value) => Some(Some(value.value.as_bytes())),
                Content::Removed => Some(None),
            })
            .flatten()
    }

    /// The tuple at a lower end, as it is hashed.
    pub fn view<'a>(
        &'a self,
        generation: usize,
        lower: &'a Key,
        content: Summary<S::Digest>,
    ) -> TupleView<'a, S::Digest> {
        let after = (Bound::Excluded(lower), Bound::<&Key>::Unbounded);
        let next = self.generations[generation].range::<Key, _>(after).next();
        TupleView {
            generation: generation_index(generation),
            epochs: if generation == 0 { &self.epochs } else { &[] },
            lower: lower.as_bytes(),
            upper: next.map(|(upper, _)| upper.as_bytes()),
            content,
        }
    }

    /// Applies one snapshot's operations, merging all generations younger than `merged` into it; the
    /// first snapshot must merge into the oldest.
    ///
    /// Time: `O(log n)` for each operation, and for each entry of a generation that is merged.
    ///
    /// # Errors
    /// [`ApplyError::UnorderedOperations`], [`ApplyError::RemovesAbsentKey`],
    /// [`ApplyError::AttachmentMismatch`] if there is no such generation; nothing is changed.
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
            self.edit(merged, edits, change);
        }
        Ok(transition)
    }

    /// Does to the tuples that are kept here what a snapshot did to all of them: one edit for each
    /// generation whose clock moved.
    ///
    /// # Errors
    /// [`ApplyError::AttachmentMismatch`] if there are not so many generations, or one would have no
    /// tuple; nothing is changed.
    pub(crate) fn take_over(
        &mut self,
        edits: Vec<Edit<'_, S>>,
    ) -> Result<Transition<S, A>, ApplyError> {
        let next = self.version.next().ok_or(ApplyError::AttachmentMismatch)?;
        let merged = edits
            .len()
            .checked_sub(1)
            .filter(|merged| *merged < self.generations.len());
        let merged = merged.ok_or(ApplyError::AttachmentMismatch)?;
        let mut transition = Transition {
            changes: (0..=merged).map(|_| GenerationChange::default()).collect(),
            epochs_before: self.epochs.clone(),
            version_before: self.version,
        };
        self.version = next;
        for epoch in &mut self.epochs[..merged] {
            *epoch += 1;
        }
        for (generation, (edit, change)) in
            edits.into_iter().zip(&mut transition.changes).enumerate()
        {
            let tuples = &mut self.generations[generation];
            if generation < merged {
                let before = std::mem::take(tuples);
                let gone = before
                    .iter()
                    .map(|(key, live)| (key.clone(), live.note.clone()));
                change.deleted.extend(gone);
                change.emptied = Some(before);
            }
            edit.apply(tuples, change);
        }
        if self.generations.iter().any(BTreeMap::is_empty) {
            self.undo(transition);
            return Err(ApplyError::AttachmentMismatch);
        }
        Ok(transition)
    }

    /// Takes a transition back; it must be the latest.
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

    /// Leaves one tuple that says that nothing changed.
    fn empty(&mut self, generation: usize, change: &mut GenerationChange<S, A>) {
        let before = std::mem::take(&mut self.generations[generation]);
        change.deleted.extend(
            before
                .iter()
                .map(|(key, live)| (key.clone(), live.note.clone())),
        );
        change.emptied = Some(before);
        change.created.push(start_of_keys());
        self.generations[generation].insert(start_of_keys(), nothing());
    }

    fn edit(
        &mut self,
        generation: usize,
        edits: BTreeMap<Key, Content<S>>,
        change: &mut GenerationChange<S, A>,
    ) {
        let keeps_tombstones = generation + 1 < self.generations.len();
        let tuples = &mut self.generations[generation];
        let mut created = BTreeSet::new();
        // Keys where an interval begins or ends that did not before.
        let mut moved = Vec::new();
        if tuples.is_empty() {
            change.undo.insert(start_of_keys(), None);
            tuples.insert(start_of_keys(), nothing());
            created.insert(start_of_keys());
        }
        for (key, content) in edits {
            let content = match content {
                Content::Removed if !keeps_tombstones => {
                    if key.as_bytes().is_empty() {
                        Content::Nothing
                    } else {
                        if let Some(before) = tuples.remove(&key) {
                            change.deleted.push((key.clone(), before.note.clone()));
                            change.undo.entry(key.clone()).or_insert(Some(before));
                            moved.push(key);
                        }
                        continue;
                    }
                }
                content => content,
            };
            match tuples.get_mut(&key) {
                Some(live) if live.content.summary() == content.summary() => {}
                Some(live) => {
                    change
                        .undo
                        .entry(key.clone())
                        .or_insert_with(|| Some(live.clone()));
                    live.content = content;
                    replace_note(&key, live, &mut created, change);
                }
                None => {
                    change.undo.entry(key.clone()).or_insert(None);
                    let note = A::default();
                    tuples.insert(key.clone(), Live { content, note });
                    created.insert(key.clone());
                    moved.push(key);
                }
            }
        }
        for key in moved {
            let before = (Bound::<&Key>::Unbounded, Bound::Excluded(&key));
            if let Some((lower, live)) = tuples.range_mut::<Key, _>(before).next_back()
                && !created.contains(lower)
            {
                change
                    .undo
                    .entry(lower.clone())
                    .or_insert_with(|| Some(live.clone()));
                let lower = lower.clone();
                replace_note(&lower, live, &mut created, change);
            }
        }
        change.created.extend(created);
    }
}

/// What a snapshot did to those tuples of a generation that are kept somewhere.
pub(crate) struct Edit<'a, S: Suite> {
    /// The lower ends of tuples that are no more.
    pub(crate) deleted: &'a [Key],
    /// The tuples that are new.
    pub(crate) created: Vec<(Key, Content<S>)>,
}

impl<S: Suite> Edit<'_, S> {
    fn apply<A: Clone + Default>(
        self,
        tuples: &mut Generation<S, A>,
        change: &mut GenerationChange<S, A>,
    ) {
        // What was emptied is taken back as a whole.
        let remembers = change.emptied.is_none();
        for lower in self.deleted {
            if let Some(before) = tuples.remove(lower) {
                change.deleted.push((lower.clone(), before.note.clone()));
                if remembers {
                    change.undo.entry(lower.clone()).or_insert(Some(before));
                }
            }
        }
        for (lower, content) in self.created {
            let note = A::default();
            let before = tuples.insert(lower.clone(), Live { content, note });
            let replaced = before
                .as_ref()
                .map(|before| (lower.clone(), before.note.clone()));
            change.deleted.extend(replaced);
            if remembers {
                change.undo.entry(lower.clone()).or_insert(before);
            }
            change.created.push(lower);
        }
    }
}

fn replace_note<S: Suite, A: Clone + Default>(
    key: &Key,
    live: &mut Live<S, A>,
    created: &mut BTreeSet<Key>,
    change: &mut GenerationChange<S, A>,
) {
    let note = std::mem::take(&mut live.note);
    if created.insert(key.clone()) {
        change.deleted.push((key.clone(), note));
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
