//! Editor of one generation.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
};

use pad_core::{Key, Suite};

use super::{Generation, GenerationChange, Live};
use crate::{content::Content, tuple::start_of_keys};

/// Edits a generation, and records the changes to its tuples.
pub(super) struct Editor<'a, S: Suite, A> {
    tuples: &'a mut Generation<S, A>,
    change: &'a mut GenerationChange<S, A>,
    created: BTreeSet<Key>,
    /// Keys at which an interval begins or ends after the edit, but not before.
    moved: Vec<Key>,
}

impl<'a, S: Suite, A: Clone + Default> Editor<'a, S, A> {
    pub(super) const fn new(
        tuples: &'a mut Generation<S, A>,
        change: &'a mut GenerationChange<S, A>,
    ) -> Self {
        Self {
            tuples,
            change,
            created: BTreeSet::new(),
            moved: Vec::new(),
        }
    }

    /// Sets the contents of keys. A removal leaves a tombstone if `keeps_tombstones`, that is, if
    /// there are older generations.
    pub(super) fn edit(mut self, edits: BTreeMap<Key, Content<S>>, keeps_tombstones: bool) {
        if self.tuples.is_empty() {
            self.put(start_of_keys(), Content::Nothing);
        }
        for (key, content) in edits {
            match content {
                Content::Removed if keeps_tombstones => self.put(key, Content::Removed),
                Content::Removed if key.as_bytes().is_empty() => self.put(key, Content::Nothing),
                Content::Removed => self.remove(key),
                content => self.put(key, content),
            }
        }
        self.stretch();
        self.change.created.extend(self.created);
    }

    fn put(&mut self, key: Key, content: Content<S>) {
        match self.tuples.get_mut(&key) {
            Some(live) if live.content.summary() == content.summary() => {}
            Some(live) => {
                let before = || Some(live.clone());
                self.change.undo.entry(key.clone()).or_insert_with(before);
                live.content = content;
                renew(key, live, &mut self.created, self.change);
            }
            None => {
                self.change.undo.entry(key.clone()).or_insert(None);
                let note = A::default();
                self.tuples.insert(key.clone(), Live { content, note });
                self.created.insert(key.clone());
                self.moved.push(key);
            }
        }
    }

    fn remove(&mut self, key: Key) {
        if let Some(before) = self.tuples.remove(&key) {
            self.change.deleted.push((key.clone(), before.note.clone()));
            self.change.undo.entry(key.clone()).or_insert(Some(before));
            self.moved.push(key);
        }
    }

    /// Replaces the tuples whose upper ends have moved.
    fn stretch(&mut self) {
        for key in core::mem::take(&mut self.moved) {
            let before = (Bound::<&Key>::Unbounded, Bound::Excluded(&key));
            if let Some((lower, live)) = self.tuples.range_mut::<Key, _>(before).next_back()
                && !self.created.contains(lower)
            {
                let before = || Some(live.clone());
                self.change.undo.entry(lower.clone()).or_insert_with(before);
                renew(lower.clone(), live, &mut self.created, self.change);
            }
        }
    }
}

/// Replaces a tuple by a new one with an empty note.
fn renew<S: Suite, A: Default>(
    key: Key,
    live: &mut Live<S, A>,
    created: &mut BTreeSet<Key>,
    change: &mut GenerationChange<S, A>,
) {
    let note = core::mem::take(&mut live.note);
    if created.insert(key.clone()) {
        change.deleted.push((key, note));
    }
}
