//! Sealing a snapshot: hashing every touched (new or changed) node once, level by level.
//!
//! Hashing starts when the structure of the tree is complete. The touched nodes are listed by depth
//! from the root, and their digests are computed from the deepest level up. Nodes of one level do
//! not depend on each other, so a large level is spread over the threads.

use pad_core::internals::for_each_piece;

use crate::{
    annotation::Annotation,
    balancing::{Digest, NodeStore},
    id::{NodeId, NodeKind, to_u32, to_usize},
    replace::{Link, Replacements},
};

/// The least number of touched nodes in a level that is hashed on several threads.
const PARALLEL_LEVEL: usize = 512;

/// The number of nodes whose children's digests are read together before the nodes are hashed.
const GROUP: usize = 32;

/// The touched (new or changed) nodes of one snapshot, and their digests. The buffers are reused
/// for the next snapshot.
#[derive(Clone, Debug, Default)]
pub(crate) struct SealPlan<D> {
    /// The touched inner nodes in breadth-first order, with their depths.
    pub(crate) nodes: Vec<(NodeId, u32)>,
    /// The new digests of `nodes`, in the same order.
    pub(crate) digests: Vec<D>,
    /// The left and the right child of each node in `nodes`.
    links: Vec<[Link; 2]>,
    /// Whether `nodes` and `links` already contain the touched nodes for the next run.
    pub(crate) is_listed: bool,
}

impl<D: Copy + Default + Send + Sync> SealPlan<D> {
    /// Takes over the list of touched nodes from a batch of replacements.
    pub(crate) fn adopt(&mut self, replacements: Replacements) {
        self.nodes = replacements.nodes;
        self.links = replacements.links;
        self.is_listed = true;
    }

    /// Lists the touched nodes below `root`, unless they are listed already, and computes their
    /// digests. Returns the root's digest.
    ///
    /// Leaves added since the last seal must have their digests already. `parallel` allows the use
    /// of the current rayon pool.
    pub(crate) fn run<S>(&mut self, store: &S, root: Option<NodeId>, parallel: bool) -> D
    where
        S: NodeStore + Sync,
        S::Annotation: Annotation<Digest = D>,
    {
        self.digests.clear();
        if !core::mem::take(&mut self.is_listed) {
            self.nodes.clear();
            self.links.clear();
            let Some(root) = root else {
                return S::Annotation::empty();
            };
            if !is_touched(store, root) {
                return latest(store, root);
            }
            self.list(store, root);
        }
        self.hash(store, parallel);
        self.digests[0]
    }

    fn list<S: NodeStore>(&mut self, store: &S, root: NodeId) {
        self.nodes.push((root, 0));
        let mut position = 0;
        while position < self.nodes.len() {
            let (node, depth) = self.nodes[position];
            let links = store.children(node).0.map(|child| {
                if is_touched(store, child) {
                    self.nodes.push((child, depth + 1));
                    Link::Touched(to_u32(self.nodes.len() - 1))
                } else {
                    Link::Untouched(child)
                }
            });
            self.links.push(links);
            position += 1;
        }
    }

    fn hash<S>(&mut self, store: &S, parallel: bool)
    where
        S: NodeStore + Sync,
        S::Annotation: Annotation<Digest = D>,
    {
        self.digests.resize(self.nodes.len(), D::default());
        let mut end = self.nodes.len();
        while end > 0 {
            let depth = self.nodes[end - 1].1;
            let start = self.nodes[..end].partition_point(|(_, other)| *other < depth);
            let (upper, below) = self.digests.split_at_mut(end);
            let (level, links) = (&mut upper[start..], &self.links[start..end]);
            let hash = |first: usize, digests: &mut [D]| {
                let links = &links[first..first + digests.len()];
                for (digests, links) in digests.chunks_mut(GROUP).zip(links.chunks(GROUP)) {
                    hash_group(store, digests, links, &below[..], end);
                }
            };
            if parallel && level.len() >= PARALLEL_LEVEL {
                for_each_piece(level, PARALLEL_LEVEL / 4, &hash);
            } else {
                hash(0, level);
            }
            end = start;
        }
    }
}

/// Computes the digests of some nodes of one level, given their children in `links`. `below`
/// contains the digests of the deeper levels, that is, of the listed nodes from position `base` on.
///
/// First all children's digests are read, then all nodes are hashed. The reads are then independent
/// cache misses that overlap. A hash between the reads would prevent the overlap.
fn hash_group<S, D>(store: &S, digests: &mut [D], links: &[[Link; 2]], below: &[D], base: usize)
where
    S: NodeStore,
    S::Annotation: Annotation<Digest = D>,
    D: Copy + Default,
{
    let read = |links: &[Link; 2]| {
        links.map(|link| match link {
            Link::Touched(position) => below[to_usize(position) - base],
            Link::Untouched(node) => latest(store, node),
            Link::Replaced(_) => D::default(),
        })
    };
    let hash = |[left, right]: &[D; 2]| S::Annotation::node(left, right);
    if links.len() < GROUP {
        // Most levels of a single path have few nodes, for which two passes do not pay off.
        for (digest, links) in digests.iter_mut().zip(links) {
            *digest = hash(&read(links));
        }
        return;
    }
    let mut children = [[D::default(); 2]; GROUP];
    for (children, links) in children.iter_mut().zip(links) {
        *children = read(links);
    }
    for (digest, children) in digests.iter_mut().zip(&children) {
        *digest = hash(children);
    }
}

#[inline]
fn is_touched<S: NodeStore>(store: &S, node: NodeId) -> bool {
    node.is_inner() && store.is_touched(node)
}

#[inline]
fn latest<S: NodeStore>(store: &S, node: NodeId) -> Digest<S> {
    match node.kind() {
        NodeKind::Leaf(entry) => store.entries().digest(entry),
        NodeKind::Inner(_) => store.latest_digest(node),
    }
}
