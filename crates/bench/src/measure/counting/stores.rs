//! A store that counts reads of trees, so that the nodes an operation visits are known exactly.

use std::cell::Cell;

use pad_core::InputError;
use pad_tree::internals::{
    Balance, Children, Entries, EntryId, KeyId, NodeId, NodeStore, Sealed, Side,
    StoreDigest as Digest, VersionedStore,
};

/// Store `St` that counts reads on the calling thread. Trees and proofs are equal to those of `St`.
///
/// Does not count reads that `St` itself makes to recompute digests of old versions. The hashes of
/// such a computation are counted.
#[derive(Default)]
pub struct CountedStore<St>(St);

/// Numbers of reads from the store of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// Number of inner nodes whose children were read.
    pub nodes: u64,
    /// Number of nodes whose digests were read.
    pub digests: u64,
}

impl Reads {
    /// Counts the reads from [`CountedStore`]s on this thread during `work`. Calls must not be
    /// nested.
    pub fn of<R>(work: impl FnOnce() -> R) -> (Self, R) {
        READS.set(Self::default());
        let result = work();
        (READS.get(), result)
    }
}

impl core::ops::AddAssign for Reads {
    fn add_assign(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.digests += other.digests;
    }
}

fn count(nodes: usize, digests: usize) {
    let mut reads = READS.get();
    reads += Reads {
        nodes: nodes as u64,
        digests: digests as u64,
    };
    READS.set(reads);
}

thread_local! {
    static READS: Cell<Reads> = const { Cell::new(Reads { nodes: 0, digests: 0 }) };
}

/// Defines functions that call those of the store within, without counting.
macro_rules! unchanged {
    ($(fn $name:ident(&$self:ident $(, $argument:ident: $type:ty)*) $(-> $result:ty)?;)*) => {$(
        fn $name(&$self $(, $argument: $type)*) $(-> $result)? {
            $self.0.$name($($argument),*)
        }
    )*};
    ($(fn $name:ident(&mut $self:ident $(, $argument:ident: $type:ty)*) $(-> $result:ty)?;)*) => {$(
        fn $name(&mut $self $(, $argument: $type)*) $(-> $result)? {
            $self.0.$name($($argument),*)
        }
    )*};
}

impl<St: NodeStore> NodeStore for CountedStore<St> {
    type Annotation = St::Annotation;
    type Scheme = St::Scheme;
    type Fault = St::Fault;
    const IS_WHOLE: bool = St::IS_WHOLE;
    const REPLACES_IN_PLACE: bool = St::REPLACES_IN_PLACE;

    fn children(&self, node: NodeId) -> Children {
        count(1, 0);
        self.0.children(node)
    }

    fn fetch(&mut self, node: NodeId, side: Side) -> Result<NodeId, St::Fault> {
        count(1, 0);
        self.0.fetch(node, side)
    }

    fn latest_digest(&self, node: NodeId) -> Digest<St> {
        count(0, 1);
        self.0.latest_digest(node)
    }

    unchanged! {
        fn entries(&self) -> &Entries<St::Annotation>;
        fn separator(&self, node: NodeId) -> KeyId;
        fn separator_prefix(&self, node: NodeId) -> u64;
        fn balance(&self, node: NodeId) -> Balance<St>;
        fn is_touched(&self, node: NodeId) -> bool;
        fn check_capacity(&self, operations: usize) -> Result<(), InputError>;
    }

    unchanged! {
        fn entries_mut(&mut self) -> &mut Entries<St::Annotation>;
        fn create(&mut self, separator: KeyId, balance: Balance<St>, children: Children) -> NodeId;
        fn update(&mut self, node: NodeId, children: Children) -> NodeId;
        fn release(&mut self, node: NodeId);
        fn replace_value(&mut self, entry: EntryId, value: &[u8]) -> NodeId;
        fn adopt_leaf(&mut self, leaf: NodeId);
        fn release_leaf(&mut self, leaf: NodeId);
        fn open(&mut self, node: NodeId) -> Result<NodeId, St::Fault>;
        fn set_balance(&mut self, node: NodeId, balance: Balance<St>);
    }
}

impl<St: VersionedStore> VersionedStore for CountedStore<St> {
    const NAME: &'static str = St::NAME;

    fn children_at(&self, node: NodeId, version: u32) -> Children {
        count(1, 0);
        self.0.children_at(node, version)
    }

    fn digest_at(&self, node: NodeId, version: u32) -> Digest<St> {
        count(0, 1);
        self.0.digest_at(node, version)
    }

    fn append_digests_at(
        &self,
        nodes: impl ExactSizeIterator<Item = NodeId>,
        version: u32,
        digests: &mut Vec<Digest<St>>,
    ) {
        count(0, nodes.len());
        self.0.append_digests_at(nodes, version, digests);
    }

    fn commit(&mut self, version: u32, sealed: Sealed<'_, Self>) {
        self.0.commit(version, sealed.handed_on());
    }

    unchanged! {
        fn node_count(&self) -> usize;
        fn digest_count(&self) -> usize;
        fn memory_bytes(&self) -> usize;
    }

    unchanged! {
        fn rollback(&mut self);
        fn prune(&mut self, oldest: u32, roots: &mut [Option<NodeId>]);
    }
}
