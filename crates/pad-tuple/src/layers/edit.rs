//! The editor that changes the tuples of one generation.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
};

use pad_core::{Key, Suite};

use super::{Generation, GenerationChange, Live};
use crate::{
    content::SharedContent,
    tuple::{Content, start_of_keys},
};

/// Changes the contents of keys in a generation, and records the tuples that it creates and
/// deletes.
pub(super) struct Editor<'a, S: Suite, A> {
    tuples: &'a mut Generation<S, A>,
    change: &'a mut GenerationChange<S, A>,
    created: BTreeSet<Key>,
    /// The keys at which the edit has added or removed a boundary between intervals.
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

    /// Sets the contents of keys. If there are older generations, pass `keeps_tombstones`: a
    /// removal then leaves a tombstone, because an older generation may still contain the key.
    pub(super) fn edit(mut self, edits: BTreeMap<Key, SharedContent<S>>, keeps_tombstones: bool) {
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

    fn put(&mut self, key: Key, content: SharedContent<S>) {
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

    /// Replaces each tuple whose upper end the edit has moved by a new tuple with an empty note.
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

/// Marks the tuple at `key` as deleted and created again, after its content or upper end changed.
/// Its note becomes empty. The old note goes to the list of deleted tuples, unless the same edit
/// created the tuple.
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
