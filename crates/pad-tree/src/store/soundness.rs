//! Whether a store that was read from a checkpoint can be worked with.
//!
//! A checkpoint comes from a place that somebody else may have written to. What is checked here is
//! what operations rely on, so that none of them panics, runs for ever or takes more memory than what
//! it works on: indices in range; in every version a tree, in which no node is reached twice; and in the
//! latest version, and wherever nodes are never changed, the order of keys and the scheme's balance. That
//! digests and values are those that were signed is not checked: proofs from others do not verify, and
//! updates to others are refused.
//!
//! Cost: each node, entry and key is looked at a constant number of times, in loops over explicit
//! stacks; ranked schemes hash each key once. Transient memory is proportional to the store's.

use core::ops::Range;

use crate::{
    annotation::Annotation,
    balancing::BalancingScheme,
    entries::Entries,
    id::{Children, KeyId, MAX_INDEX, NodeId, NodeKind, to_usize},
    store::NodeStore,
};

/// How many things of each kind ids may refer to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    nodes: usize,
    entries: usize,
    keys: usize,
}

impl Sizes {
    /// `None` if there are more than ids can tell apart.
    pub(super) fn new<A: Annotation>(nodes: usize, entries: &Entries<A>) -> Option<Self> {
        let (entries, keys) = entries.sizes();
        // Each node has up to four children over time; they are counted with 32 bits.
        let fits = nodes.max(entries).max(keys) <= MAX_INDEX && nodes <= MAX_INDEX / 4;
        fits.then_some(Self {
            nodes,
            entries,
            keys,
        })
    }

    pub(super) fn has(self, node: NodeId) -> bool {
        match node.kind() {
            NodeKind::Leaf(entry) => entry.index() < self.entries,
            NodeKind::Inner(index) => index < self.nodes,
        }
    }

    pub(super) fn has_both(self, children: Children) -> bool {
        children.0.into_iter().all(|child| self.has(child))
    }

    pub(super) fn has_key(self, key: KeyId) -> bool {
        key.index() < self.keys
    }

    /// The place of a node or leaf in a list of both.
    fn slot(self, node: NodeId) -> usize {
        match node.kind() {
            NodeKind::Leaf(entry) => self.nodes + entry.index(),
            NodeKind::Inner(index) => index,
        }
    }
}

/// Whether all that is below `roots` is search trees: keys strictly ascend from left to right, and every
/// separator is above the keys on its left and not above those on its right. Then no tree has a cycle,
/// and none reaches a node on two ways.
///
/// `record` gives the separator and children of a node, which are in range. With `separates_exactly`
/// the separator must also be the very key that follows it.
pub(super) fn are_search_trees<A: Annotation>(
    entries: &Entries<A>,
    sizes: Sizes,
    roots: &[Option<NodeId>],
    separates_exactly: bool,
    record: impl Fn(usize) -> (KeyId, Children),
) -> bool {
    const NEW: [u32; 2] = [u32::MAX; 2];
    const OPEN: [u32; 2] = [u32::MAX - 1; 2];
    // Of each node below which all is well, the keys of its first and last leaf.
    let mut ends = vec![NEW; sizes.nodes];
    let mut pending: Vec<usize> = Vec::new();
    for root in roots.iter().flatten() {
        if let NodeKind::Inner(index) = root.kind() {
            pending.push(index);
        }
        while let Some(&index) = pending.last() {
            if ends[index] != NEW && ends[index] != OPEN {
                pending.pop();
                continue;
            }
            let (separator, children) = record(index);
            if ends[index] == NEW {
                ends[index] = OPEN;
                for child in children.0 {
                    if let NodeKind::Inner(below) = child.kind() {
                        match ends[below] {
                            NEW => pending.push(below),
                            // An ancestor of itself.
                            OPEN => return false,
                            _ => {}
                        }
                    }
                }
                continue;
            }
            pending.pop();
            let [left, right] = children.0.map(|child| match child.kind() {
                NodeKind::Leaf(entry) => [entries.key_of(entry).0; 2],
                NodeKind::Inner(below) => ends[below],
            });
            let follows = separator.0 == right[0]
                || (!separates_exactly && entries.compare_keys(separator, KeyId(right[0])).is_le());
            if !follows || entries.compare_keys(KeyId(left[1]), separator).is_ge() {
                return false;
            }
            ends[index] = [left[0], right[1]];
        }
    }
    true
}

/// Whether the latest snapshot, which is a search tree, has this many entries and the scheme's balance.
pub(crate) fn is_balanced<S: NodeStore>(
    store: &S,
    root: Option<NodeId>,
    population: usize,
) -> bool {
    enum Task {
        Enter(NodeId),
        Leave(NodeId),
    }
    let Some(root) = root else {
        return population == 0;
    };
    let mut leaves = 0_usize;
    let mut shapes: Vec<u32> = Vec::new();
    let mut tasks = vec![Task::Enter(root)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Enter(node) if node.is_inner() => {
                let children = store.children(node);
                tasks.push(Task::Leave(node));
                tasks.push(Task::Enter(children.right()));
                tasks.push(Task::Enter(children.left()));
            }
            Task::Enter(_) => {
                leaves += 1;
                shapes.push(0);
            }
            Task::Leave(node) => {
                let (Some(right), Some(left)) = (shapes.pop(), shapes.pop()) else {
                    return false;
                };
                match S::Scheme::shape(store, node, [left, right]) {
                    Some(shape) => shapes.push(shape),
                    None => return false,
                }
            }
        }
    }
    leaves == population && S::Scheme::is_root(store, root)
}

/// Whether no node or leaf is a child, or root, of two at the same time, and each only while it lives.
/// Then every version is a tree: a node that lies on a cycle has its parent on it, and so none that
/// leads to it from the root.
///
/// `each` calls its argument for each node that is a child or root in some versions, with them; both
/// times alike. `lives` are the versions in which each inner node may be reached.
pub(super) fn are_trees(
    sizes: Sizes,
    lives: &[Range<u32>],
    each: impl Fn(&mut dyn FnMut(NodeId, Range<u32>)),
) -> bool {
    let mut starts = vec![0_u32; sizes.nodes + sizes.entries + 1];
    let mut is_within_life = true;
    each(&mut |child, versions| {
        if versions.is_empty() {
            return;
        }
        starts[sizes.slot(child)] += 1;
        if let NodeKind::Inner(index) = child.kind() {
            let life = &lives[index];
            is_within_life &= life.start <= versions.start && versions.end <= life.end;
        }
    });
    if !is_within_life {
        return false;
    }
    // The end of each slot's run, which filling turns into its start.
    let mut total = 0;
    for start in &mut starts {
        total += *start;
        *start = total;
    }
    let mut claims = vec![(0, 0); to_usize(total)];
    each(&mut |child, versions| {
        if !versions.is_empty() {
            let start = &mut starts[sizes.slot(child)];
            *start -= 1;
            claims[to_usize(*start)] = (versions.start, versions.end);
        }
    });
    starts.windows(2).all(|run| {
        let claims = &mut claims[to_usize(run[0])..to_usize(run[1])];
        claims.sort_unstable();
        claims.is_sorted_by(|first, second| first.1 <= second.0)
    })
}
