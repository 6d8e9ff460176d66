//! Large batches that only replace values. The searches for all keys descend together, level by
//! level. Each node above a replaced leaf is visited once, and cache misses overlap.
//!
//! The resulting tree equals the tree after replacing the values one by one. The joint replacement
//! takes less time. Nodes above a value that is replaced by an equal value are updated too.

use core::ops::Range;

use pad_core::{Operation, internals::for_each_piece};

use crate::{
    balancing::NodeStore,
    entries::Probe,
    id::{Children, EntryId, NodeId, NodeKind, to_u32, to_usize},
};

/// The number of nodes in one task, when a level of the tree is spread over several threads.
const PIECE: usize = 1024;

/// The number of nodes that are read together before the operations are divided among their
/// children.
const GROUP: usize = 64;

/// A child of a touched node, that is, a node whose digest must be recomputed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Link {
    /// A touched node, by its position in the list of touched nodes.
    Touched(u32),
    /// A leaf, or an inner node with a known digest.
    Untouched(NodeId),
    /// A leaf whose value an operation replaces, by the operation's position in the batch. Only
    /// used while a batch is planned.
    Replaced(u32),
}

/// The touched nodes (the nodes above replaced leaves) of a batch of replacements, in breadth-first
/// order.
#[derive(Debug, Default)]
pub(crate) struct Replacements {
    /// The inner nodes above the replaced leaves, each with its depth.
    pub(crate) nodes: Vec<(NodeId, u32)>,
    /// The left and the right child of each node in `nodes`.
    pub(crate) links: Vec<[Link; 2]>,
    /// For each operation in ascending order of keys, the entry whose value it replaces.
    pub(crate) entries: Vec<EntryId>,
}

/// A node, and the range of positions of the operations on leaves below it.
type NodeOperations = (NodeId, Range<u32>);

/// The result of descending one level from a piece, that is, from up to [`PIECE`] nodes of one
/// level.
#[derive(Default)]
struct Piece {
    links: Vec<[Link; 2]>,
    next: Vec<NodeOperations>,
    leaves: Vec<(u32, EntryId)>,
}

impl Replacements {
    /// Finds the nodes above the keys of `operations`, which are in strictly ascending order.
    /// `None` unless every operation replaces the value of a present key, and the tree has at least
    /// one inner node.
    pub(crate) fn plan<S: NodeStore + Sync>(
        store: &S,
        root: NodeId,
        operations: &[Operation],
        parallel: bool,
    ) -> Option<Self> {
        let puts_all = operations
            .iter()
            .all(|operation| matches!(operation, Operation::Put(..)));
        if !puts_all || !root.is_inner() {
            return None;
        }
        let probes: Vec<Probe<'_>> = operations
            .iter()
            .map(|operation| Probe::new(operation.key().as_bytes()))
            .collect();
        let entries = vec![EntryId::default(); operations.len()];
        let mut plan = Self {
            entries,
            ..Self::default()
        };
        let mut level: Vec<NodeOperations> = vec![(root, 0..u32::try_from(operations.len()).ok()?)];
        let mut depth = 0;
        while !level.is_empty() {
            plan.nodes
                .extend(level.iter().map(|(node, _)| (*node, depth)));
            let mut pieces: Vec<Option<Piece>> = Vec::new();
            pieces.resize_with(level.len().div_ceil(PIECE), || None);
            let follow = |first: usize, pieces: &mut [Option<Piece>]| {
                for (piece, level) in pieces.iter_mut().zip(level.chunks(PIECE).skip(first)) {
                    *piece = follow(store, &probes, level);
                }
            };
            if parallel {
                for_each_piece(&mut pieces, 1, &follow);
            } else {
                follow(0, &mut pieces);
            }
            let pieces: Option<Vec<Piece>> = pieces.into_iter().collect();
            let mut next = Vec::with_capacity(level.len() * 2);
            for mut piece in pieces? {
                // Positions in the piece become positions in the whole list.
                let base = to_u32(plan.nodes.len() + next.len());
                for link in piece.links.iter_mut().flatten() {
                    if let Link::Touched(position) = link {
                        *position += base;
                    }
                }
                plan.links.append(&mut piece.links);
                next.append(&mut piece.next);
                for (operation, entry) in piece.leaves {
                    plan.entries[to_usize(operation)] = entry;
                }
            }
            level = next;
            depth += 1;
        }
        Some(plan)
    }

    /// Replaces the values in the tree by the new values. Returns the new root.
    pub(crate) fn apply<S: NodeStore>(
        &mut self,
        store: &mut S,
        operations: &[Operation],
    ) -> NodeId {
        let mut leaves = Vec::with_capacity(operations.len());
        for (entry, operation) in self.entries.iter().zip(operations) {
            if let Operation::Put(_, value) = operation {
                leaves.push(store.replace_value(*entry, value.as_bytes()));
            }
        }
        if S::REPLACES_IN_PLACE {
            self.settle_links(&leaves);
        } else {
            self.update_nodes(store, &leaves);
        }
        self.nodes[0].0
    }

    /// Marks the digest of every listed node as stale. In stores that replace values in place,
    /// [`Replacements::apply`] does not do this. The caller must do it before the tree changes
    /// further; until then the list itself serves as the mark.
    pub(crate) fn touch<S: NodeStore>(store: &mut S, nodes: &[(NodeId, u32)]) {
        for (node, _) in nodes {
            let children = store.children(*node);
            store.update(*node, children);
        }
    }

    fn settle_links(&mut self, leaves: &[NodeId]) {
        for link in self.links.iter_mut().flatten() {
            if let Link::Replaced(operation) = *link {
                *link = Link::Untouched(leaves[to_usize(operation)]);
            }
        }
    }

    /// Gives every touched node its new children. Children come after their parents in the list, so
    /// the list is traversed backwards.
    fn update_nodes<S: NodeStore>(&mut self, store: &mut S, leaves: &[NodeId]) {
        self.settle_links(leaves);
        for position in (0..self.nodes.len()).rev() {
            let children = self.links[position].map(|link| match link {
                Link::Touched(below) => self.nodes[to_usize(below)].0,
                Link::Untouched(child) => child,
                Link::Replaced(operation) => leaves[to_usize(operation)],
            });
            let (node, _) = self.nodes[position];
            self.nodes[position].0 = store.update(node, Children(children));
        }
    }
}

/// Divides the operations below each node of `level`, a piece of one level, among the node's
/// children. `None` if an operation is not a replacement.
///
/// For a group of nodes, first the separators and children of all nodes are read. Only then are the
/// operations split by side. The reads are then independent cache misses that overlap.
/// Unpredictable branches between the reads would prevent the overlap.
fn follow<S: NodeStore>(
    store: &S,
    probes: &[Probe<'_>],
    level: &[NodeOperations],
) -> Option<Piece> {
    let mut piece = Piece::default();
    piece.links.reserve(level.len());
    piece.next.reserve(level.len() * 2);
    let mut separators = Vec::with_capacity(GROUP);
    let mut children = Vec::with_capacity(GROUP);
    let mut prefixes = Vec::with_capacity(GROUP);
    for group in level.chunks(GROUP) {
        separators.clear();
        separators.extend(group.iter().map(|(node, _)| store.separator(*node)));
        children.clear();
        children.extend(group.iter().map(|(node, _)| store.children(*node)));
        prefixes.clear();
        prefixes.extend(group.iter().map(|(node, _)| store.separator_prefix(*node)));
        let nodes = separators.iter().zip(&prefixes).zip(&children);
        for ((_, range), ((separator, prefix), children)) in group.iter().zip(nodes) {
            let below = &probes[to_usize(range.start)..to_usize(range.end)];
            let is_left = |probe: &Probe<'_>| {
                store
                    .entries()
                    .compare_with(probe, *separator, *prefix)
                    .is_lt()
            };
            let split = below.partition_point(is_left);
            let middle = range.start + to_u32(split);
            let left = piece.take(store, probes, children.left(), range.start..middle)?;
            let right = piece.take(store, probes, children.right(), middle..range.end)?;
            piece.links.push([left, right]);
        }
    }
    Some(piece)
}

impl Piece {
    /// Records a child and the operations in `range`, which are below it. Returns the link to the
    /// child, or `None` if an operation does not replace a present key.
    fn take<S: NodeStore>(
        &mut self,
        store: &S,
        probes: &[Probe<'_>],
        child: NodeId,
        range: Range<u32>,
    ) -> Option<Link> {
        if range.is_empty() {
            return Some(Link::Untouched(child));
        }
        match child.kind() {
            NodeKind::Inner(_) => {
                self.next.push((child, range));
                Some(Link::Touched(to_u32(self.next.len() - 1)))
            }
            NodeKind::Leaf(entry) => {
                let probe = probes.get(to_usize(range.start))?;
                let key = store.entries().key_of(entry);
                let replaces = range.len() == 1 && store.entries().compare(probe, key).is_eq();
                self.leaves.push((range.start, entry));
                replaces.then_some(Link::Replaced(range.start))
            }
        }
    }
}
