//! Node stores: representations of a tree's nodes, in the latest snapshot and in earlier snapshots.

use core::convert::Infallible;

use crate::{
    balancing::{Digest, NodeStore},
    id::{Children, NodeId},
};

/// The accessors of [`NodeStore`] for stores in memory, whose entries, nodes and balances are
/// fields.
macro_rules! accessors_in_memory {
    () => {
        type Annotation = A;
        type Scheme = B;
        type Fault = Infallible;
        const IS_WHOLE: bool = true;

        #[inline]
        fn entries(&self) -> &Entries<A> {
            &self.entries
        }

        #[inline]
        fn entries_mut(&mut self) -> &mut Entries<A> {
            &mut self.entries
        }

        #[inline]
        fn children(&self, node: NodeId) -> Children {
            Counted::Nodes.add(1);
            self.nodes[node.index()].children
        }

        #[inline]
        fn separator(&self, node: NodeId) -> KeyId {
            self.nodes[node.index()].separator
        }

        #[inline]
        fn balance(&self, node: NodeId) -> Balance<Self> {
            self.balances[node.index()]
        }
    };
}

pub(crate) mod cache;
pub(crate) mod in_place;
pub(crate) mod path_copying;
mod run_pool;
pub(crate) mod soundness;
pub(crate) mod survivors;
pub(crate) mod versioned_nodes;

/// A node store that keeps every sealed snapshot.
///
/// Changes since the last seal become a version with [`VersionedStore::commit`] or vanish with
/// [`VersionedStore::rollback`]. Versions are numbered from 0 without gaps.
pub trait VersionedStore: NodeStore<Fault = Infallible> + Default {
    /// A human-readable name of the store, for example `cache-everywhere`.
    const NAME: &'static str;

    /// The children of an inner node in a version that contains it.
    fn children_at(&self, node: NodeId, version: u32) -> Children;
    /// The digest of a node in a version that contains it.
    fn digest_at(&self, node: NodeId, version: u32) -> Digest<Self>;

    /// Appends the digests of `nodes` in `version` to `digests`. The version must contain all these
    /// nodes.
    fn append_digests_at(
        &self,
        nodes: impl ExactSizeIterator<Item = NodeId>,
        version: u32,
        digests: &mut Vec<Digest<Self>>,
    ) {
        digests.extend(nodes.map(|node| self.digest_at(node, version)));
    }

    /// Makes the changes since the last call permanent as `version`. `sealed` contains the digests
    /// of all touched nodes.
    fn commit(&mut self, version: u32, sealed: Sealed<'_, Digest<Self>>);
    /// Discards the changes since the last [`VersionedStore::commit`].
    fn rollback(&mut self);
    /// Drops all data that only versions before `oldest` need. `roots` contains the roots of the
    /// versions from `oldest` on. Their ids are replaced by the new ids.
    fn prune(&mut self, oldest: u32, roots: &mut [Option<NodeId>]);

    /// The number of inner nodes stored, over all versions.
    fn node_count(&self) -> usize;
    /// The number of digests stored, over all versions.
    fn digest_count(&self) -> usize;
    /// The memory, in bytes, of the contents of all versions, without spare capacity.
    fn memory_bytes(&self) -> usize;
}

/// Stores an inner node and its balance in a slot of `free`, or in a new slot.
fn place<N, B>(
    (nodes, balances, free): (&mut Vec<N>, &mut Vec<B>, &mut Vec<NodeId>),
    node: N,
    balance: B,
) -> NodeId {
    if let Some(free) = free.pop() {
        nodes[free.index()] = node;
        balances[free.index()] = balance;
        return free;
    }
    nodes.push(node);
    balances.push(balance);
    NodeId::inner(nodes.len() - 1)
}

/// The touched (new or changed) inner nodes of a snapshot, with their new digests.
#[derive(Clone, Copy, Debug)]
pub struct Sealed<'a, D> {
    /// The touched inner nodes, each with its depth.
    pub(crate) nodes: &'a [(NodeId, u32)],
    /// The new digests of `nodes`, in the same order.
    pub(crate) digests: &'a [D],
    /// Whether the snapshot is large, so that threads of the current rayon pool may share the work.
    pub(crate) parallel: bool,
    /// The number of entries of the snapshot.
    pub(crate) population: usize,
}
