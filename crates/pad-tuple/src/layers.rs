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

use crate::tuple::{Content, GenerationIndex, Summary, TupleView, start_of_keys};

/// A tuple of a generation's present state, with what its holder knows about it.
#[derive(Clone, Debug)]
pub struct Live<S: Suite, M> {
    /// What the tuple says about its lower end.
    pub content: Content<S>,
    /// The author's signing state, or the server's record.
    pub mark: M,
}

/// One generation: its tuples by lower end.
pub type Generation<S, M> = BTreeMap<Key, Live<S, M>>;

/// All generations at the latest snapshot.
#[derive(Clone, Debug)]
pub struct Layers<S: Suite, M> {
    generations: Vec<Generation<S, M>>,
    /// The epochs of generations 1 and up: how often each was made anew.
    epochs: Vec<u64>,
    version: Version,
}

/// What one snapshot did to one generation.
#[derive(Clone, Debug)]
pub struct Tick<S: Suite, M> {
    /// Lower ends of the tuples that are new, in ascending order.
    pub created: Vec<Key>,
    /// Lower ends and marks of the tuples that are no more.
    pub deleted: Vec<(Key, M)>,
    /// The tuples as they were before, by lower end; `None` where there was none.
    undo: BTreeMap<Key, Option<Live<S, M>>>,
    /// The whole generation as it was before, if it was emptied.
    emptied: Option<Generation<S, M>>,
}

impl<S: Suite, M> Default for Tick<S, M> {
    fn default() -> Self {
        Self {
            created: Vec::new(),
            deleted: Vec::new(),
            undo: BTreeMap::new(),
            emptied: None,
        }
    }
}

/// What one snapshot did: one tick for each generation whose clock moved, youngest first.
#[derive(Clone, Debug)]
pub struct Transition<S: Suite, M> {
    /// The ticks of generations `0..=merged`.
    pub ticks: Vec<Tick<S, M>>,
    epochs_before: Vec<u64>,
    version_before: Version,
}

impl<S: Suite, M> Transition<S, M> {
    /// The generation that all younger ones were merged into; 0 if none was.
    pub fn merged(&self) -> usize {
        self.ticks.len() - 1
    }
}

impl<S: Suite, M: Clone + Default> Layers<S, M> {
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
    pub(crate) fn place(&mut self, generation: usize, lower: Key, content: Content<S>, mark: M) {
        self.generations[generation].insert(lower, Live { content, mark });
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
    pub fn generations(&self) -> &[Generation<S, M>] {
        &self.generations
    }

    /// One generation, whose marks may be changed.
    pub fn generation_mut(&mut self, generation: usize) -> &mut Generation<S, M> {
        &mut self.generations[generation]
    }

    /// The same tuples with other marks.
    pub fn map<N: Clone + Default>(
        &self,
        mut mark: impl FnMut(TupleView<'_, S::Digest>, &M) -> N,
    ) -> Layers<S, N> {
        let mut layers = Layers::new(self.generations.len());
        layers.epochs.clone_from(&self.epochs);
        layers.version = self.version;
        for (generation, tuples) in self.generations.iter().enumerate() {
            for (lower, live) in tuples {
                let content = live.content.clone();
                let view = self.view(generation, lower, content.summary());
                let mark = mark(view, &live.mark);
                layers.generations[generation].insert(lower.clone(), Live { content, mark });
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
            generation: index(generation),
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
    ) -> Result<Transition<S, M>, ApplyError> {
        self.check(operations)?;
        let oldest = self.generations.len() - 1;
        let first = self.version == Version::EMPTY;
        let next = self.version.next().ok_or(ApplyError::AttachmentMismatch)?;
        if merged > oldest || (first && merged != oldest) {
            return Err(ApplyError::AttachmentMismatch);
        }
        let mut transition = Transition {
            ticks: (0..=merged).map(|_| Tick::default()).collect(),
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
        for (generation, tick) in transition.ticks[..merged].iter_mut().enumerate() {
            self.empty(generation, tick);
        }
        if let Some(tick) = transition.ticks.last_mut() {
            self.edit(merged, edits, tick);
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
    ) -> Result<Transition<S, M>, ApplyError> {
        let next = self.version.next().ok_or(ApplyError::AttachmentMismatch)?;
        let merged = edits
            .len()
            .checked_sub(1)
            .filter(|merged| *merged < self.generations.len());
        let merged = merged.ok_or(ApplyError::AttachmentMismatch)?;
        let mut transition = Transition {
            ticks: (0..=merged).map(|_| Tick::default()).collect(),
            epochs_before: self.epochs.clone(),
            version_before: self.version,
        };
        self.version = next;
        for epoch in &mut self.epochs[..merged] {
            *epoch += 1;
        }
        for (generation, (edit, tick)) in edits.into_iter().zip(&mut transition.ticks).enumerate() {
            let tuples = &mut self.generations[generation];
            if generation < merged {
                let before = std::mem::take(tuples);
                let gone = before
                    .iter()
                    .map(|(key, live)| (key.clone(), live.mark.clone()));
                tick.deleted.extend(gone);
                tick.emptied = Some(before);
            }
            edit.apply(tuples, tick);
        }
        if self.generations.iter().any(BTreeMap::is_empty) {
            self.undo(transition);
            return Err(ApplyError::AttachmentMismatch);
        }
        Ok(transition)
    }

    /// Takes a transition back; it must be the latest.
    pub fn undo(&mut self, transition: Transition<S, M>) {
        self.version = transition.version_before;
        self.epochs = transition.epochs_before;
        for (generation, tick) in self.generations.iter_mut().zip(transition.ticks) {
            if let Some(before) = tick.emptied {
                *generation = before;
            }
            for (key, before) in tick.undo {
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
    fn empty(&mut self, generation: usize, tick: &mut Tick<S, M>) {
        let before = std::mem::take(&mut self.generations[generation]);
        tick.deleted.extend(
            before
                .iter()
                .map(|(key, live)| (key.clone(), live.mark.clone())),
        );
        tick.emptied = Some(before);
        tick.created.push(start_of_keys());
        self.generations[generation].insert(start_of_keys(), nothing());
    }

    fn edit(&mut self, generation: usize, edits: BTreeMap<Key, Content<S>>, tick: &mut Tick<S, M>) {
        let keeps_tombstones = generation + 1 < self.generations.len();
        let tuples = &mut self.generations[generation];
        let mut created = BTreeSet::new();
        // Keys where an interval begins or ends that did not before.
        let mut moved = Vec::new();
        if tuples.is_empty() {
            tick.undo.insert(start_of_keys(), None);
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
                            tick.deleted.push((key.clone(), before.mark.clone()));
                            tick.undo.entry(key.clone()).or_insert(Some(before));
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
                    tick.undo
                        .entry(key.clone())
                        .or_insert_with(|| Some(live.clone()));
                    live.content = content;
                    replace_mark(&key, live, &mut created, tick);
                }
                None => {
                    tick.undo.entry(key.clone()).or_insert(None);
                    let mark = M::default();
                    tuples.insert(key.clone(), Live { content, mark });
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
                tick.undo
                    .entry(lower.clone())
                    .or_insert_with(|| Some(live.clone()));
                let lower = lower.clone();
                replace_mark(&lower, live, &mut created, tick);
            }
        }
        tick.created.extend(created);
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
    fn apply<M: Clone + Default>(self, tuples: &mut Generation<S, M>, tick: &mut Tick<S, M>) {
        // What was emptied is taken back as a whole.
        let remembers = tick.emptied.is_none();
        for lower in self.deleted {
            if let Some(before) = tuples.remove(lower) {
                tick.deleted.push((lower.clone(), before.mark.clone()));
                if remembers {
                    tick.undo.entry(lower.clone()).or_insert(Some(before));
                }
            }
        }
        for (lower, content) in self.created {
            let mark = M::default();
            let before = tuples.insert(lower.clone(), Live { content, mark });
            let replaced = before
                .as_ref()
                .map(|before| (lower.clone(), before.mark.clone()));
            tick.deleted.extend(replaced);
            if remembers {
                tick.undo.entry(lower.clone()).or_insert(before);
            }
            tick.created.push(lower);
        }
    }
}

fn replace_mark<S: Suite, M: Clone + Default>(
    key: &Key,
    live: &mut Live<S, M>,
    created: &mut BTreeSet<Key>,
    tick: &mut Tick<S, M>,
) {
    let mark = std::mem::take(&mut live.mark);
    if created.insert(key.clone()) {
        tick.deleted.push((key.clone(), mark));
    }
}

fn nothing<S: Suite, M: Default>() -> Live<S, M> {
    Live {
        content: Content::Nothing,
        mark: M::default(),
    }
}

/// A generation's number as it is hashed; there are at most 15.
pub(crate) fn index(generation: usize) -> GenerationIndex {
    GenerationIndex::try_from(generation).unwrap_or(GenerationIndex::MAX)
}

#[cfg(test)]
mod tests;
