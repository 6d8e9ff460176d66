//! Read access to one version of a tree in memory.

use core::cmp::Ordering;

use pad_core::{LookupError, Suite};

use crate::{
    annotation::Authenticated,
    balancing::Digest,
    entries::{Entries, Probe},
    id::{Children, EntryId, KeyId, NodeId, NodeKind, Side},
    search::{ComparedTree, HashedTree, Opened, SearchTree},
    store::VersionedStore,
};

/// Read access to one version of a tree in a store.
#[derive(Debug)]
pub(crate) struct View<'a, S> {
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

    /// The separator and the children of an inner node in this version.
    #[inline]
    pub(crate) fn record(&self, node: NodeId) -> (KeyId, Children) {
        (self.store.separator(node), self.children(node))
    }

    /// The side of an inner node with this `separator` on which a search for `probe` continues.
    #[inline]
    pub(crate) fn side(&self, probe: &Probe<'_>, separator: KeyId) -> Side {
        Side::right_if(self.entries().compare(probe, separator).is_ge())
    }

    /// The side on which a search for `probe` continues below `node`, and the two children of
    /// `node`.
    #[inline]
    pub(crate) fn step(&self, probe: &Probe<'_>, node: NodeId) -> (Side, Children) {
        let (separator, children) = self.record(node);
        (self.side(probe, separator), children)
    }

    /// The entry with the key `probe`; `None` if the key is absent.
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
}

impl<S: VersionedStore> SearchTree for View<'_, S> {
    type Node = NodeId;
    type Inner = NodeId;
    type Leaf = EntryId;
    type Error = LookupError;

    #[inline]
    fn top(self) -> Result<Option<NodeId>, LookupError> {
        Ok(self.root)
    }

    #[inline]
    fn open(self, node: &NodeId) -> Result<Opened<Self>, LookupError> {
        Ok(match node.kind() {
            NodeKind::Leaf(entry) => Opened::Leaf(entry),
            NodeKind::Inner(_) => Opened::Inner(*node),
        })
    }

    #[inline]
    fn branches(self, inner: &NodeId) -> [NodeId; 2] {
        let children = self.children(*inner);
        [children.left(), children.right()]
    }

    #[inline]
    fn side_of(self, probe: &Probe<'_>, inner: &NodeId) -> Side {
        self.side(probe, self.store.separator(*inner))
    }

    #[inline]
    fn compare(self, probe: &Probe<'_>, leaf: &EntryId) -> Ordering {
        let entries = self.entries();
        entries.compare(probe, entries.key_of(*leaf))
    }

    #[inline]
    fn is_below(self, leaf: &EntryId, inner: &NodeId) -> bool {
        let entries = self.entries();
        let separator = self.store.separator(*inner);
        entries
            .compare_keys(entries.key_of(*leaf), separator)
            .is_lt()
    }

    #[inline]
    fn is_before(self, left: &EntryId, right: &EntryId) -> bool {
        let entries = self.entries();
        entries
            .compare_keys(entries.key_of(*left), entries.key_of(*right))
            .is_lt()
    }
}

impl<S: Suite, St> HashedTree for View<'_, St>
where
    St: VersionedStore<Annotation = Authenticated<S>>,
{
    type Suite = S;

    #[inline]
    fn digest(self, node: &NodeId) -> S::Digest {
        self.store.digest_at(*node, self.version)
    }

    fn key<'l>(&'l self, leaf: &'l EntryId) -> &'l [u8] {
        self.entries().key(*leaf)
    }

    fn value<'l>(&'l self, leaf: &'l EntryId) -> &'l [u8] {
        self.entries().value(*leaf)
    }
}

impl<S: Suite, St> ComparedTree for View<'_, St>
where
    St: VersionedStore<Annotation = Authenticated<S>>,
{
    fn is_inner(self, node: &NodeId) -> bool {
        node.is_inner()
    }

    fn separator<'l>(&'l self, inner: &'l NodeId) -> &'l [u8] {
        self.entries().key_bytes(self.store.separator(*inner))
    }
}
