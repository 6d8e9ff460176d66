//! One version of a stored tree, to be read.

use core::cmp::Ordering;

use crate::{
    balancing::Step,
    entries::{Entries, Probe},
    id::{Children, EntryId, KeyId, NodeId, NodeKind, Side},
    store::{Digest, VersionedStore},
};

/// One version of a tree in a store.
#[derive(Debug)]
pub struct View<'a, S> {
    pub(crate) store: &'a S,
    pub(crate) root: Option<NodeId>,
    pub(crate) version: u32,
}

impl<S> Clone for View<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for View<'_, S> {}

impl<'a, S: VersionedStore> View<'a, S> {
    #[inline]
    pub(crate) fn entries(&self) -> &'a Entries<S::Annotation> {
        self.store.entries()
    }

    #[inline]
    pub(crate) fn children(&self, node: NodeId) -> Children {
        self.store.children_at(node, self.version)
    }

    #[inline]
    pub(crate) fn digest(&self, node: NodeId) -> Digest<S> {
        self.store.digest_at(node, self.version)
    }

    /// An inner node's separator and children.
    #[inline]
    pub(crate) fn record(&self, node: NodeId) -> (KeyId, Children) {
        (self.store.separator(node), self.children(node))
    }

    /// The side of a separator on which a search goes on.
    #[inline]
    pub(crate) fn side(&self, probe: &Probe<'_>, separator: KeyId) -> Side {
        Side::right_if(self.entries().compare(probe, separator).is_ge())
    }

    /// The side on which a search for `probe` goes on, and the two children.
    #[inline]
    pub(crate) fn step(&self, probe: &Probe<'_>, node: NodeId) -> (Side, Children) {
        let (separator, children) = self.record(node);
        (self.side(probe, separator), children)
    }

    /// Whether a leaf is before another.
    pub(crate) fn is_before(&self, left: EntryId, right: EntryId) -> bool {
        let entries = self.entries();
        entries
            .compare_keys(entries.key_of(left), entries.key_of(right))
            .is_lt()
    }

    /// The entry with this key.
    pub(crate) fn find(&self, probe: &Probe<'_>) -> Option<EntryId> {
        let mut node = self.root?;
        while node.is_inner() {
            let (side, children) = self.step(probe, node);
            node = children.on(side);
        }
        let NodeKind::Leaf(entry) = node.kind() else {
            return None;
        };
        let entries = self.entries();
        entries
            .compare(probe, entries.key_of(entry))
            .is_eq()
            .then_some(entry)
    }

    /// A cursor at the leaf that a search for `probe` leads to: the entry with that key, or one of
    /// the two neighbours of the gap where it would be. `None` if the tree is empty.
    pub(crate) fn seek(self, probe: &Probe<'_>) -> Option<Cursor<'a, S>> {
        let mut node = self.root?;
        let mut path = Vec::with_capacity(32);
        loop {
            match node.kind() {
                NodeKind::Leaf(leaf) => {
                    return Some(Cursor {
                        view: self,
                        path,
                        leaf,
                    });
                }
                NodeKind::Inner(_) => {
                    let (side, children) = self.step(probe, node);
                    path.push(Step { node, side });
                    node = children.on(side);
                }
            }
        }
    }

    /// A cursor at the first or last leaf. `None` if the tree is empty.
    pub(crate) fn end(self, side: Side) -> Option<Cursor<'a, S>> {
        let mut path = Vec::with_capacity(32);
        let leaf = self.descend(self.root?, side, &mut path);
        Some(Cursor {
            view: self,
            path,
            leaf,
        })
    }

    /// The leaf at one end of a subtree.
    fn descend(&self, mut node: NodeId, side: Side, path: &mut Vec<Step>) -> EntryId {
        loop {
            match node.kind() {
                NodeKind::Leaf(leaf) => return leaf,
                NodeKind::Inner(_) => {
                    path.push(Step { node, side });
                    node = self.children(node).on(side);
                }
            }
        }
    }

    /// A cursor at the greatest entry below (`Side::Left`) or smallest entry above (`Side::Right`)
    /// `probe`, or at `probe` itself if `inclusive`.
    pub(crate) fn nearest(
        self,
        probe: &Probe<'_>,
        side: Side,
        inclusive: bool,
    ) -> Option<Cursor<'a, S>> {
        let mut cursor = self.seek(probe)?;
        loop {
            let key = self.entries().key_of(cursor.leaf);
            // How the leaf's key compares with the probe.
            let order = self.entries().compare(probe, key).reverse();
            let fits = match order {
                Ordering::Equal => inclusive,
                Ordering::Less => side == Side::Left,
                Ordering::Greater => side == Side::Right,
            };
            if fits {
                return Some(cursor);
            }
            if !cursor.advance(side) {
                return None;
            }
        }
    }
}

/// A position in the in-order sequence of leaves of one version.
#[derive(Debug)]
pub(crate) struct Cursor<'a, S> {
    view: View<'a, S>,
    path: Vec<Step>,
    pub(crate) leaf: EntryId,
}

impl<S: VersionedStore> Cursor<'_, S> {
    /// Moves to the neighbour on a side; stays and says `false` at the end.
    pub(crate) fn advance(&mut self, side: Side) -> bool {
        let Some(turn) = self.path.iter().rposition(|step| step.side == side.other()) else {
            return false;
        };
        self.path.truncate(turn + 1);
        let step = &mut self.path[turn];
        step.side = side;
        let child = self.view.children(step.node).on(side);
        self.leaf = self.view.descend(child, side.other(), &mut self.path);
        true
    }
}
