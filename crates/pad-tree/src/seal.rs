//! Sealing: hashing every touched node of a snapshot once, level by level.
//!
//! Structure is decided first. The touched nodes are then listed by depth from the root, and their
//! digests computed from the deepest level up. Nodes of one level do not depend on each other, so
//! a large level is spread over the threads.

use rayon::prelude::*;

use crate::{
    annotation::Annotation,
    id::{NodeId, NodeKind},
    store::{Digest, NodeStore},
};

/// Levels with fewer nodes than this are hashed by the calling thread.
const PARALLEL_LEVEL: usize = 512;

/// The touched nodes of one snapshot; reused from one seal to the next.
#[derive(Clone, Debug)]
pub(crate) struct SealPlan<D> {
    /// The touched inner nodes in breadth-first order, with their depths.
    pub(crate) nodes: Vec<(NodeId, u32)>,
    /// The digests of `nodes`.
    pub(crate) digests: Vec<D>,
    /// For each node: its touched children's positions in `nodes`, or the untouched child itself.
    links: Vec<[Link; 2]>,
}

#[derive(Clone, Copy, Debug)]
enum Link {
    Touched(usize),
    Untouched(NodeId),
}

impl<D> Default for SealPlan<D> {
    fn default() -> Self {
        Self { nodes: Vec::new(), digests: Vec::new(), links: Vec::new() }
    }
}

impl<D: Copy + Default + Send + Sync> SealPlan<D> {
    /// Lists the touched nodes below `root` and computes their digests. Returns the root's digest.
    ///
    /// Leaves added since the last seal must have their digests already. `parallel` allows to use
    /// the threads of the current rayon pool.
    pub(crate) fn run<S>(&mut self, store: &S, root: Option<NodeId>, parallel: bool) -> D
    where
        S: NodeStore + Sync,
        S::Annotation: Annotation<Digest = D>,
    {
        self.nodes.clear();
        self.links.clear();
        self.digests.clear();
        let Some(root) = root else { return S::Annotation::empty() };
        if !is_touched(store, root) {
            return latest(store, root);
        }
        self.list(store, root);
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
                    Link::Touched(self.nodes.len() - 1)
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
            let resolve = |link: &Link| match link {
                Link::Touched(position) => below[*position - end],
                Link::Untouched(node) => latest(store, *node),
            };
            let compute = |[left, right]: &[Link; 2]| {
                S::Annotation::node(&resolve(left), &resolve(right))
            };
            let (level, links) = (&mut upper[start..], &self.links[start..end]);
            if parallel && level.len() >= PARALLEL_LEVEL {
                level
                    .par_iter_mut()
                    .zip(links)
                    .with_min_len(PARALLEL_LEVEL / 4)
                    .for_each(|(digest, links)| *digest = compute(links));
            } else {
                for (digest, links) in level.iter_mut().zip(links) {
                    *digest = compute(links);
                }
            }
            end = start;
        }
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
