//! Edits of one generation: of all its tuples, and of those that are kept in one place.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
};

use pad_core::{ApplyError, Key, Suite};

use super::{Generation, GenerationChange, Layers, Live, Transition};
use crate::{content::Content, tuple::start_of_keys};

/// Edits a generation, and writes down what that did to its tuples.
pub(super) struct Editor<'a, S: Suite, A> {
    tuples: &'a mut Generation<S, A>,
    change: &'a mut GenerationChange<S, A>,
    created: BTreeSet<Key>,
    /// Keys where an interval begins or ends that did not before.
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

    /// Sets the contents of these keys. A removal leaves a tombstone where there are older generations, else
    /// nothing.
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

    /// Makes the tuples anew whose upper ends have moved.
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

/// Makes a tuple a new one, without what was noted of it.
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

impl<S: Suite, A: Clone + Default> Layers<S, A> {
    /// Does to the tuples that are kept here what a snapshot did to all of them: one edit for each
    /// generation whose clock moved.
    ///
    /// # Errors
    /// [`ApplyError::AttachmentMismatch`] if there are not so many generations, or one would have no
    /// tuple; nothing is changed.
    pub(crate) fn take_over(
        &mut self,
        edits: Vec<PartialEdit<'_, S>>,
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
                let before = core::mem::take(tuples);
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
}

/// What a snapshot did to those tuples of a generation that are kept somewhere.
pub(crate) struct PartialEdit<'a, S: Suite> {
    /// The lower ends of tuples that are no more.
    pub(crate) deleted: &'a [Key],
    /// The tuples that are new.
    pub(crate) created: Vec<(Key, Content<S>)>,
}

impl<S: Suite> PartialEdit<'_, S> {
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
