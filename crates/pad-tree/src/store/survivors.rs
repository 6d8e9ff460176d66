//! Mark and compact: the surviving rows of the arenas after pruning, and their new numbers.

use crate::id::{Children, EntryId, KeyId, NodeId, NodeKind, to_u32, to_usize};

/// Marks a dropped row.
const DROPPED: u32 = u32::MAX;

/// The new number of every node, entry and key, or a mark that it is dropped.
#[derive(Debug)]
pub(crate) struct Survivors {
    nodes: Vec<u32>,
    entries: Vec<u32>,
    keys: Vec<u32>,
}

impl Survivors {
    /// Marks everything below `roots`, among `nodes` nodes, `entries` entries and `keys` keys.
    /// `visit` pushes the children of an inner node and returns the node's separator.
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

    /// Whether a node stays.
    pub(super) fn keeps(&self, node: usize) -> bool {
        self.nodes[node] != DROPPED
    }

    /// Drops the rows of nodes that do not survive.
    pub(super) fn compact<T>(&self, rows: &mut Vec<T>) {
        compact(&self.nodes, rows);
    }

    /// Drops the rows of keys that do not survive.
    pub(crate) fn compact_keys<T>(&self, rows: &mut Vec<T>) {
        compact(&self.keys, rows);
    }

    /// Drops the rows of entries that do not survive.
    pub(crate) fn compact_entries<T>(&self, rows: &mut Vec<T>) {
        compact(&self.entries, rows);
    }

    /// The new number of a key that stays.
    pub(crate) fn key(&self, key: KeyId) -> KeyId {
        KeyId(self.keys[key.index()])
    }

    /// The new number of a node that stays; arbitrary for a dropped node.
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

    /// The new numbers of two children.
    pub(super) fn children(&self, children: Children) -> Children {
        Children(children.0.map(|child| self.node(child)))
    }

    /// Renumbers roots, all of which stay.
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
