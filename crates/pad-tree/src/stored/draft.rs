//! The next version of a stored tree: what of the latest one was read, and what is new.

use core::{cmp::Ordering, fmt};

use pad_core::{InputError, StoreFault, Suite};

use super::{link::Link, log::NodeLog, nodes::Nodes, record};
use crate::{
    annotation::Authenticated,
    balancing::BalancingScheme,
    entries::Entries,
    id::{Children, EntryId, KeyId, NodeId, NodeKind},
    side::Side,
    store::{Balance, Digest, NodeStore, Sealed, in_place::InPlace, soundness},
    tree::Tree,
};

/// A node store over the latest version of a log. Nodes are read when an operation needs them; those that do not change keep their place.
pub(super) struct Draft<'n, S: Suite, B: BalancingScheme, L> {
    memory: InPlace<Authenticated<S>, B>,
    nodes: &'n Nodes<L>,
    /// Where the inner nodes in memory are from.
    origins: Vec<Origin>,
    /// The addresses of the leaves in memory; `None` for new ones.
    leaves: Vec<Option<u64>>,
}

/// Where an inner node in memory is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// It is new, or changed.
    New,
    /// It was read from this address, below so many nodes.
    Read { address: u64, depth: u16 },
    /// It stands for a node, of whatever kind, that was not read.
    Unread {
        address: u64,
        depth: u16,
        is_leaf: bool,
    },
}

/// What of a draft is to be stored.
pub(super) enum Part<'d, D> {
    /// It is stored already.
    Stored(Link<D>),
    /// A new leaf.
    Leaf(&'d [u8], &'d [u8]),
    /// A new inner node: its separator and its children.
    Inner(&'d [u8], Children),
}

impl<S: Suite, B: BalancingScheme, L> fmt::Debug for Draft<'_, S, B, L> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Draft({:?})", self.memory)
    }
}

impl<'n, S: Suite, B: BalancingScheme, L: NodeLog> Draft<'n, S, B, L> {
    /// A draft of what follows the version with this root, and the root's id in it.
    pub(super) fn new(
        nodes: &'n Nodes<L>,
        root: Option<Link<S::Digest>>,
    ) -> (Self, Option<NodeId>) {
        let mut draft = Self {
            memory: InPlace::sealed(),
            nodes,
            origins: Vec::new(),
            leaves: Vec::new(),
        };
        let root = root.map(|root| draft.adopt(root));
        (draft, root)
    }

    /// All nodes of the version with this root and so many entries, in memory: a search tree of the scheme's balance.
    ///
    /// # Errors
    /// A node cannot be read, or [`StoreFault::Damaged`].
    pub(super) fn read_all(
        nodes: &'n Nodes<L>,
        root: Option<Link<S::Digest>>,
        population: usize,
    ) -> Result<Tree<InPlace<Authenticated<S>, B>>, StoreFault> {
        let (mut draft, root) = Self::new(nodes, root);
        let Some(root) = root else {
            return if population == 0 {
                Ok(Tree::with_store(draft.memory, None, 0))
            } else {
                Err(StoreFault::Damaged)
            };
        };
        let root = draft.open(root)?;
        let mut pending = vec![(root, None, None)];
        while let Some((node, low, high)) = pending.pop() {
            let NodeKind::Leaf(entry) = node.kind() else {
                let separator = draft.separator(node);
                if !draft.is_between(low, separator, high, Ordering::is_lt) {
                    return Err(StoreFault::Damaged);
                }
                let (left, right) = (
                    draft.fetch(node, Side::Left)?,
                    draft.fetch(node, Side::Right)?,
                );
                pending.push((left, low, Some(separator)));
                pending.push((right, Some(separator), high));
                continue;
            };
            let key = draft.entries().key_of(entry);
            if !draft.is_between(low, key, high, Ordering::is_le) {
                return Err(StoreFault::Damaged);
            }
        }
        let memory = draft.memory;
        if soundness::is_balanced(&memory, Some(root), population) {
            Ok(Tree::with_store(memory, Some(root), population))
        } else {
            Err(StoreFault::Damaged)
        }
    }

    /// Whether a key is between two others, of which the lower one may be as [`Ordering::is_le`] or [`Ordering::is_lt`] says.
    fn is_between(
        &self,
        low: Option<KeyId>,
        key: KeyId,
        high: Option<KeyId>,
        follows: fn(Ordering) -> bool,
    ) -> bool {
        let entries = self.memory.entries();
        low.is_none_or(|low| follows(entries.compare_keys(low, key)))
            && high.is_none_or(|high| entries.compare_keys(key, high).is_lt())
    }

    /// Stores the digests of what has changed.
    pub(super) fn settle(&mut self, sealed: &Sealed<'_, Self>) {
        self.memory.commit(&Sealed {
            nodes: sealed.nodes,
            digests: sealed.digests,
            // A batch of the nodes that one update reads is small beside the reading.
            parallel: false,
            population: sealed.population,
        });
    }

    /// What is to be stored of a node.
    pub(super) fn part(&self, node: NodeId) -> Part<'_, S::Digest> {
        match node.kind() {
            NodeKind::Leaf(entry) => {
                if let Some(address) = self.leaves.get(entry.index()).copied().flatten() {
                    return Part::Stored(self.link(node, address));
                }
                let entries = self.memory.entries();
                Part::Leaf(entries.key(entry), entries.value(entry))
            }
            NodeKind::Inner(index) => match self.origins[index] {
                Origin::New => {
                    let separator = self.memory.separator(node);
                    let separator = self.memory.entries().key_bytes(separator);
                    Part::Inner(separator, self.memory.children(node))
                }
                Origin::Read { address, .. } => Part::Stored(self.link(node, address)),
                Origin::Unread {
                    address, is_leaf, ..
                } => Part::Stored(Link {
                    is_leaf,
                    ..self.link(node, address)
                }),
            },
        }
    }

    /// What a parent says of a node that is stored at this address.
    pub(super) fn link(&self, node: NodeId, address: u64) -> Link<S::Digest> {
        let (digest, balance) = match node.kind() {
            NodeKind::Leaf(entry) => (self.memory.entries().digest(entry), false),
            NodeKind::Inner(_) => (
                self.memory.latest_digest(node),
                B::to_bit(self.memory.balance(node)),
            ),
        };
        Link {
            address,
            digest,
            is_leaf: !node.is_inner(),
            balance,
            depth: 0,
        }
    }

    /// A node of which no more is known than its link says.
    fn adopt(&mut self, link: Link<S::Digest>) -> NodeId {
        let node = self.memory.adopt(link.digest, B::from_bit(link.balance));
        let origin = Origin::Unread {
            address: link.address,
            depth: link.depth,
            is_leaf: link.is_leaf,
        };
        self.set_origin(node, origin);
        node
    }

    fn set_origin(&mut self, node: NodeId, origin: Origin) {
        if self.origins.len() <= node.index() {
            self.origins.resize(node.index() + 1, Origin::New);
        }
        self.origins[node.index()] = origin;
    }

    fn set_leaf(&mut self, entry: EntryId, address: Option<u64>) {
        if self.leaves.len() <= entry.index() {
            self.leaves.resize(entry.index() + 1, None);
        }
        self.leaves[entry.index()] = address;
    }
}

impl<S: Suite, B: BalancingScheme, L: NodeLog> NodeStore for Draft<'_, S, B, L> {
    type Annotation = Authenticated<S>;
    type Scheme = B;
    type Fault = StoreFault;
    const IS_WHOLE: bool = false;
    const REPLACES_IN_PLACE: bool = true;

    fn entries(&self) -> &Entries<Authenticated<S>> {
        self.memory.entries()
    }

    fn entries_mut(&mut self) -> &mut Entries<Authenticated<S>> {
        self.memory.entries_mut()
    }

    fn create(&mut self, separator: KeyId, balance: Balance<Self>, children: Children) -> NodeId {
        let node = self.memory.create(separator, balance, children);
        self.set_origin(node, Origin::New);
        node
    }

    fn update(&mut self, node: NodeId, children: Children) -> NodeId {
        let node = self.memory.update(node, children);
        self.set_origin(node, Origin::New);
        node
    }

    fn release(&mut self, node: NodeId) {
        self.memory.release(node);
    }

    fn replace_value(&mut self, entry: EntryId, value: &[u8]) -> NodeId {
        self.set_leaf(entry, None);
        self.memory.replace_value(entry, value)
    }

    fn adopt_leaf(&mut self, leaf: NodeId) {
        if let NodeKind::Leaf(entry) = leaf.kind() {
            self.set_leaf(entry, None);
        }
        self.memory.adopt_leaf(leaf);
    }

    fn release_leaf(&mut self, leaf: NodeId) {
        self.memory.release_leaf(leaf);
    }

    fn children(&self, node: NodeId) -> Children {
        self.memory.children(node)
    }

    /// What is read has the digest that its parent says.
    fn open(&mut self, node: NodeId) -> Result<NodeId, StoreFault> {
        if !node.is_inner() {
            return Ok(node);
        }
        let Origin::Unread {
            address,
            depth,
            is_leaf,
        } = self.origins[node.index()]
        else {
            return Ok(node);
        };
        let link = Link {
            is_leaf,
            depth,
            ..self.link(node, address)
        };
        let record = self.nodes.open(&link)?;
        if is_leaf {
            let (key, value) = record::entry(&record);
            if S::leaf(key, &S::value(value)) != link.digest {
                return Err(StoreFault::Damaged);
            }
            let entry = self.memory.fill_leaf(node, key, value);
            self.set_leaf(entry, Some(address));
            return Ok(NodeId::leaf(entry));
        }
        let [left, right] = record::children::<S::Digest>(&record, depth.saturating_add(1))?;
        let digest = <Authenticated<S> as crate::Annotation>::node(&left.digest, &right.digest);
        if digest != link.digest {
            return Err(StoreFault::Damaged);
        }
        let separator = record::separator::<S::Digest>(&record);
        let rank = B::RANKED
            .then(|| B::rank(<Authenticated<S> as crate::Annotation>::key_bits(separator)));
        let separator = self.memory.entries_mut().add_key(separator, rank);
        let children = Children::new(self.adopt(left), self.adopt(right));
        self.memory.fill(node, separator, children);
        self.set_origin(node, Origin::Read { address, depth });
        Ok(node)
    }

    fn fetch(&mut self, node: NodeId, side: Side) -> Result<NodeId, StoreFault> {
        let child = self.memory.children(node).on(side);
        let opened = self.open(child)?;
        if opened != child {
            self.memory.lead(node, side, opened);
        }
        Ok(opened)
    }

    fn separator(&self, node: NodeId) -> KeyId {
        self.memory.separator(node)
    }

    fn separator_prefix(&self, node: NodeId) -> u64 {
        self.memory.separator_prefix(node)
    }

    fn balance(&self, node: NodeId) -> Balance<Self> {
        self.memory.balance(node)
    }

    fn set_balance(&mut self, node: NodeId, balance: Balance<Self>) {
        self.memory.set_balance(node, balance);
    }

    fn is_touched(&self, node: NodeId) -> bool {
        self.memory.is_touched(node)
    }

    fn latest_digest(&self, node: NodeId) -> Digest<Self> {
        self.memory.latest_digest(node)
    }

    fn check_capacity(&self, operations: usize) -> Result<(), InputError> {
        self.memory.check_capacity(operations)
    }
}
