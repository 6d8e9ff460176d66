//! Mark and compact after pruning: which nodes, entries and keys of the arenas survive, and their
//! new numbers.

use crate::id::{Children, EntryId, KeyId, NodeId, NodeKind, to_u32, to_usize};

/// The mark of a node, entry or key that is dropped, in place of its new number.
const DROPPED: u32 = u32::MAX;

/// The new number of every node, entry and key, or [`DROPPED`].
#[derive(Debug)]
pub(crate) struct Survivors {
    pub(crate) nodes: Marks,
    pub(crate) entries: Marks,
    pub(crate) keys: Marks,
}

/// The new number of each item of one kind, or [`DROPPED`].
#[derive(Debug)]
pub(crate) struct Marks(Vec<u32>);

impl Marks {
    /// Numbers the items that are not dropped.
    fn number(&mut self) {
        let kept = self.0.iter_mut().filter(|mark| **mark != DROPPED);
        for (next, mark) in kept.enumerate() {
            *mark = to_u32(next);
        }
    }

    /// Drops the rows of items that do not survive, from a list with a row for each item.
    pub(crate) fn compact<T>(&self, rows: &mut Vec<T>) {
        let mut marks = self.0.iter();
        rows.retain(|_| marks.next().is_none_or(|mark| *mark != DROPPED));
        rows.shrink_to_fit();
    }
}

impl Survivors {
    /// Marks all nodes, entries and keys of the trees with these `roots` as surviving, and numbers
    /// them. The arenas contain `nodes` nodes, `entries` entries and `keys` keys.
    ///
    /// `visit` receives the index of an inner node, pushes the node's children, and returns its
    /// separator.
    pub(super) fn mark(
        nodes: usize,
        (entries, keys): (usize, usize),
        key_of: impl Fn(EntryId) -> KeyId,
        roots: &[Option<NodeId>],
        mut visit: impl FnMut(usize, &mut Vec<NodeId>) -> KeyId,
    ) -> Self {
        let mut marks = Self {
            nodes: Marks(vec![DROPPED; nodes]),
            entries: Marks(vec![DROPPED; entries]),
            keys: Marks(vec![DROPPED; keys]),
        };
        let mut pending: Vec<NodeId> = roots.iter().flatten().copied().collect();
        while let Some(node) = pending.pop() {
            let key = match node.kind() {
                NodeKind::Leaf(entry) => {
                    marks.entries.0[entry.index()] = 0;
                    key_of(entry)
                }
                NodeKind::Inner(index) if marks.nodes.0[index] == DROPPED => {
                    marks.nodes.0[index] = 0;
                    visit(index, &mut pending)
                }
                NodeKind::Inner(_) => continue,
            };
            marks.keys.0[key.index()] = 0;
        }
        marks.nodes.number();
        marks.entries.number();
        marks.keys.number();
        marks
    }

    /// Whether the inner node with the index `node` survives.
    pub(super) fn keeps(&self, node: usize) -> bool {
        self.nodes.0[node] != DROPPED
    }

    /// The new number of a surviving key.
    pub(crate) fn key(&self, key: KeyId) -> KeyId {
        KeyId(self.keys.0[key.index()])
    }

    /// The new number of a surviving node; meaningless for a dropped node.
    pub(super) fn node(&self, node: NodeId) -> NodeId {
        match node.kind() {
            NodeKind::Leaf(entry) => match self.entries.0[entry.index()] {
                DROPPED => node,
                kept => NodeId::leaf(EntryId(kept)),
            },
            NodeKind::Inner(index) => match self.nodes.0[index] {
                DROPPED => node,
                kept => NodeId::inner(to_usize(kept)),
            },
        }
    }

    /// Replaces the numbers of two children by their new numbers.
    pub(super) fn children(&self, children: Children) -> Children {
        Children(children.0.map(|child| self.node(child)))
    }

    /// Replaces the numbers of `roots`, all of which survive, by their new numbers.
    pub(super) fn renumber(&self, roots: &mut [Option<NodeId>]) {
        for root in roots.iter_mut().flatten() {
            *root = self.node(*root);
        }
    }
}
