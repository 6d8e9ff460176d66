//! Mark and compact after pruning: which nodes, entries and keys of the arenas survive, and their
//! new numbers.

use crate::id::{Children, EntryId, KeyId, NodeId, NodeKind, to_u32, to_usize};

/// The mark of a node, entry or key that is dropped, in place of its new number.
const DROPPED: u32 = u32::MAX;

/// The new number of every node, entry and key, or [`DROPPED`].
#[derive(Debug)]
pub(crate) struct Survivors {
    nodes: Vec<u32>,
    entries: Vec<u32>,
    keys: Vec<u32>,
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
            nodes: vec![DROPPED; nodes],
            entries: vec![DROPPED; entries],
            keys: vec![DROPPED; keys],
        };
        let mut pending: Vec<NodeId> = roots.iter().flatten().copied().collect();
        while let Some(node) = pending.pop() {
            let key = match node.kind() {
                NodeKind::Leaf(entry) => {
                    marks.entries[entry.index()] = 0;
                    key_of(entry)
                }
                NodeKind::Inner(index) if marks.nodes[index] == DROPPED => {
                    marks.nodes[index] = 0;
                    visit(index, &mut pending)
                }
                NodeKind::Inner(_) => continue,
            };
            marks.keys[key.index()] = 0;
        }
        number(&mut marks.nodes);
        number(&mut marks.entries);
        number(&mut marks.keys);
        marks
    }

    /// Whether the inner node with the index `node` survives.
    pub(super) fn keeps(&self, node: usize) -> bool {
        self.nodes[node] != DROPPED
    }

    /// Drops the rows of nodes that do not survive, from a list with a row for each inner node.
    pub(super) fn compact<T>(&self, rows: &mut Vec<T>) {
        compact(&self.nodes, rows);
    }

    /// Drops the rows of keys that do not survive, from a list with a row for each key.
    pub(crate) fn compact_keys<T>(&self, rows: &mut Vec<T>) {
        compact(&self.keys, rows);
    }

    /// Drops the rows of entries that do not survive, from a list with a row for each entry.
    pub(crate) fn compact_entries<T>(&self, rows: &mut Vec<T>) {
        compact(&self.entries, rows);
    }

    /// The new number of a surviving key.
    pub(crate) fn key(&self, key: KeyId) -> KeyId {
        KeyId(self.keys[key.index()])
    }

    /// The new number of a surviving node; meaningless for a dropped node.
    pub(super) fn node(&self, node: NodeId) -> NodeId {
        match node.kind() {
            NodeKind::Leaf(entry) => match self.entries[entry.index()] {
                DROPPED => node,
                kept => NodeId::leaf(EntryId(kept)),
            },
            NodeKind::Inner(index) => match self.nodes[index] {
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

fn number(marks: &mut [u32]) {
    let kept = marks.iter_mut().filter(|mark| **mark != DROPPED);
    for (next, mark) in kept.enumerate() {
        *mark = to_u32(next);
    }
}

fn compact<T>(marks: &[u32], rows: &mut Vec<T>) {
    let mut marks = marks.iter();
    rows.retain(|_| marks.next().is_none_or(|mark| *mark != DROPPED));
    rows.shrink_to_fit();
}
