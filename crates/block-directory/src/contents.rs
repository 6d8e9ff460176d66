//! All entries in memory, with the digests of all complete subtrees above them.
//!
//! A complete subtree of height `h` is named by its number among those of that height. The digests of the incomplete ones, at
//! most one a level on the right edge, are folded when they are needed.
//!
//! Invariant: of `n` entries there are `n >> h` digests of height `h`, for every `h` at which there is one.

use core::convert::Infallible;

use pad_core::Suite;

use crate::{
    entry::{self, EntryId, Shown, entry_digest, root_digest},
    operations::Change,
    shape::{self, Asked, Span, Visitor},
};

/// The contents of the latest version.
#[derive(Clone, Debug)]
pub(crate) struct Contents<S: Suite> {
    objects: Vec<Shown<S>>,
    heights: Vec<Vec<S::Digest>>,
}

impl<S: Suite> Default for Contents<S> {
    fn default() -> Self {
        Self {
            objects: Vec::new(),
            heights: Vec::new(),
        }
    }
}

impl<S: Suite> Contents<S> {
    /// The number of entries, deleted ones included.
    pub(crate) fn registered(&self) -> u64 {
        to_u64(self.objects.len())
    }

    /// A registered entry; `None` too for one that is not.
    pub(crate) fn shown(&self, id: u64) -> Shown<S> {
        let shown = to_index(id).and_then(|id| self.objects.get(id));
        shown.copied().flatten()
    }

    /// The root.
    pub(crate) fn root(&self) -> S::Digest {
        self.root_with(&Overlay::default())
    }

    /// Appends an entry without a copy of anything: for loading what can be thrown away as a whole.
    pub(crate) fn push(&mut self, object: S::Digest) {
        let id = self.registered();
        let mut digest = entry_digest::<S>(EntryId::new(id), Some(&object));
        self.objects.push(Some(object));
        for height in 0.. {
            if self.heights.len() == height {
                self.heights.push(Vec::new());
            }
            let Some(digests) = self.heights.get_mut(height) else {
                return;
            };
            let left = digests.last().copied();
            digests.push(digest);
            match left {
                Some(left) if digests.len().is_multiple_of(2) => {
                    digest = entry::node::<S>(&left, &digest);
                }
                _ => return,
            }
        }
    }

    /// What checked changes lead to. Each inner node is hashed once.
    pub(crate) fn plan(&self, changes: Vec<Change<S>>, registered: u64) -> Overlay<S> {
        let entries = changes.iter().map(|change| {
            let digest = entry_digest::<S>(EntryId::new(change.id), change.shown.as_ref());
            (change.id, digest)
        });
        let mut overlay = Overlay {
            heights: vec![entries.collect()],
            registered,
            changes,
        };
        let mut below: Vec<u64> = overlay.changes.iter().map(|change| change.id).collect();
        for height in 1..u64::BITS {
            let complete = registered >> height;
            let mut parents: Vec<u64> = below.iter().map(|number| number >> 1).collect();
            parents.dedup();
            parents.retain(|number| *number < complete);
            if parents.is_empty() {
                break;
            }
            let digests = parents.iter().map(|number| {
                let child = |number| self.complete(&overlay, height - 1, number);
                let digest = entry::node::<S>(&child(2 * number), &child(2 * number + 1));
                (*number, digest)
            });
            let digests = digests.collect();
            overlay.heights.push(digests);
            below = parents;
        }
        overlay
    }

    /// The root that planned changes lead to.
    pub(crate) fn root_with(&self, overlay: &Overlay<S>) -> S::Digest {
        let registered = overlay.registered.max(self.registered());
        root_digest::<S>(registered, &self.digest(overlay, whole(registered)))
    }

    /// Makes planned changes.
    pub(crate) fn commit(&mut self, overlay: Overlay<S>) {
        for Change { id, shown } in overlay.changes {
            set(&mut self.objects, id, shown);
        }
        for (height, digests) in overlay.heights.into_iter().enumerate() {
            if self.heights.len() == height {
                self.heights.push(Vec::new());
            }
            if let Some(level) = self.heights.get_mut(height) {
                for (number, digest) in digests {
                    set(level, number, digest);
                }
            }
        }
    }

    /// The digest of a complete subtree. Of one that is not there, zeros, with which no root agrees.
    fn complete(&self, overlay: &Overlay<S>, height: u32, number: u64) -> S::Digest {
        let height = usize::try_from(height).unwrap_or(usize::MAX);
        overlay.get(height, number).unwrap_or_else(|| {
            let level = self.heights.get(height);
            let digest = level.and_then(|level| level.get(to_index(number)?));
            digest.copied().unwrap_or_default()
        })
    }

    /// The digest of a subtree of the shape.
    fn digest(&self, overlay: &Overlay<S>, span: Span) -> S::Digest {
        let complete = |(height, number)| self.complete(overlay, height, number);
        let mut peaks = shape::peaks(span).map(complete).rev();
        let last = peaks.next().unwrap_or_default();
        peaks.fold(last, |right, left| entry::node::<S>(&left, &right))
    }

    /// The digest of the closed subtree of this height around an entry.
    pub(crate) fn closed(&self, id: u64, height: u32) -> S::Digest {
        self.complete(&Overlay::default(), height, id >> height)
    }

    /// The entries that are asked for, and the digests beside them.
    pub(crate) fn open(&self, asked: Asked<'_>) -> Opened<'_, S> {
        let mut opened = Opened {
            contents: self,
            shown: Vec::new(),
            siblings: Vec::new(),
        };
        if self.registered() > 0 {
            let Ok(()) = shape::walk(self.registered(), asked, &mut opened);
        }
        opened
    }
}

impl<S: Suite> Default for Overlay<S> {
    fn default() -> Self {
        Self {
            changes: Vec::new(),
            registered: 0,
            heights: Vec::new(),
        }
    }
}

/// What changes lead to, before anything has changed: new digests by height, in ascending order of their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Overlay<S: Suite> {
    changes: Vec<Change<S>>,
    registered: u64,
    heights: Vec<Vec<(u64, S::Digest)>>,
}

impl<S: Suite> Overlay<S> {
    fn get(&self, height: usize, number: u64) -> Option<S::Digest> {
        let digests = self.heights.get(height)?;
        let place = digests.binary_search_by_key(&number, |(number, _)| *number);
        digests.get(place.ok()?).map(|(_, digest)| *digest)
    }
}

/// What a proof shows, collected on the walk.
#[derive(Debug)]
pub(crate) struct Opened<'a, S: Suite> {
    contents: &'a Contents<S>,
    pub(crate) shown: Vec<Shown<S>>,
    pub(crate) siblings: Vec<S::Digest>,
}

impl<S: Suite> Visitor for Opened<'_, S> {
    type Digest = ();
    type Error = Infallible;

    fn elided(&mut self, span: Span) -> Result<(), Infallible> {
        let digest = self.contents.digest(&Overlay::default(), span);
        self.siblings.push(digest);
        Ok(())
    }

    fn entry(&mut self, id: u64) -> Result<(), Infallible> {
        self.shown.push(self.contents.shown(id));
        Ok(())
    }

    fn joined(&mut self, _: Span, (): (), (): ()) {}
}

/// The whole tree.
const fn whole(registered: u64) -> Span {
    Span {
        start: 0,
        size: registered,
    }
}

/// Sets an element that is there, or the next one.
fn set<T>(list: &mut Vec<T>, number: u64, element: T) {
    match to_index(number).and_then(|index| list.get_mut(index)) {
        Some(place) => *place = element,
        None => list.push(element),
    }
}

fn to_index(number: u64) -> Option<usize> {
    usize::try_from(number).ok()
}

fn to_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
