//! A draft of the next version of a stored tree: nodes read from the latest version, and new nodes.

use core::{cmp::Ordering, fmt, num::NonZeroU32};

use pad_core::{InputError, StoreFault, Suite, Workers};

mod ways;

use super::{
    layout::{Layout, LayoutError},
    link::Link,
    log::NodeLog,
    nodes::{Nodes, Recent, Record, Reuse},
    record,
};
use crate::{
    annotation::{Annotation, Authenticated},
    balancing::{Balance, BalancingScheme, Digest, NodeStore},
    entries::{Entries, Probe},
    id::{Children, EntryId, KeyId, NodeId, NodeKind, to_usize},
    side::Side,
    store::{Sealed, in_place::InPlace, soundness},
    tree::Tree,
};

/// A node store in memory for the next version, based on the latest version in a log. Nodes are
/// read when an operation needs them. Unchanged nodes keep their addresses in the log.
pub(super) struct Draft<'n, S: Suite, B: BalancingScheme, L> {
    memory: InPlace<Authenticated<S>, B>,
    nodes: &'n Nodes<L>,
    recent: Recent,
    /// The origin of each inner node in memory, by the node's index. Nodes beyond the end of the
    /// list are new.
    origins: Vec<Origin>,
    /// The address in the log of each leaf in memory, by its entry's index. New leaves have `None`,
    /// or no item.
    leaves: Vec<Option<u64>>,
    separators: Separators,
}

/// The nodes of a draft whose digests are computed. The new nodes among them are to be stored.
pub(super) struct Changes<S: Suite, B: BalancingScheme> {
    memory: InPlace<Authenticated<S>, B>,
    origins: Vec<Origin>,
    leaves: Vec<Option<u64>>,
}

/// The separators of all nodes that were read, as bounds for the nodes below. A separator stays in
/// the list even if the balancing scheme drops its node.
#[derive(Debug, Default)]
struct Separators {
    bytes: Vec<u8>,
    /// For each separator, the position in `bytes` at which it ends.
    ends: Vec<usize>,
}

impl Separators {
    /// Adds a separator. Returns its number, or `None` if there are too many separators.
    fn add(&mut self, separator: &[u8]) -> Option<NonZeroU32> {
        self.bytes.extend_from_slice(separator);
        self.ends.push(self.bytes.len());
        NonZeroU32::new(u32::try_from(self.ends.len()).ok()?)
    }

    fn get(&self, number: NonZeroU32) -> &[u8] {
        let index = to_usize(number.get()) - 1;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[index]]
    }

    /// Whether a key is within `bounds`. The lower bound is inclusive unless `strictly`; the upper
    /// bound is exclusive.
    fn are_around(&self, bounds: Bounds, key: &[u8], strictly: bool) -> bool {
        let is_above = bounds.low.is_none_or(|low| {
            let low = self.get(low);
            if strictly { low < key } else { low <= key }
        });
        is_above && bounds.high.is_none_or(|high| key < self.get(high))
    }
}

/// The separators that bound the keys below a node, as numbers in [`Separators`]. `None` means no
/// bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bounds {
    low: Option<NonZeroU32>,
    high: Option<NonZeroU32>,
}

/// The origin of a node in the draft. It decides whether the node must be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// A new or changed node, which must be stored.
    New,
    /// An unchanged node that was read from this address of the log.
    Read { address: u64 },
    /// A placeholder for a leaf or inner node of the log that was not read.
    Unread {
        address: u64,
        is_leaf: bool,
        bounds: Bounds,
    },
}

/// A placeholder for a node that was not read: its id in memory, its link, and the bounds of its
/// keys.
#[derive(Clone, Copy)]
struct NodeStub<D> {
    node: NodeId,
    link: Link<D>,
    bounds: Bounds,
}

/// Creates the link from a parent to `node`, which is stored at `address`.
fn link<S: Suite, B: BalancingScheme>(
    memory: &InPlace<Authenticated<S>, B>,
    node: NodeId,
    address: u64,
) -> Link<S::Digest> {
    let (digest, balance) = match node.kind() {
        NodeKind::Leaf(entry) => (memory.entries().digest(entry), false),
        NodeKind::Inner(_) => (memory.latest_digest(node), B::to_bit(memory.balance(node))),
    };
    Link {
        address,
        digest,
        is_leaf: !node.is_inner(),
        balance,
    }
}

/// A pending step of a depth-first walk: descend to a node, or lay it out after all nodes below it.
enum LayoutTask {
    Down(NodeId),
    Up(NodeId),
}

impl<S: Suite, B: BalancingScheme> Changes<S, B> {
    /// Lays out the new nodes of the tree below `root`, and appends them to the log from `position`
    /// on. Returns the link to the root.
    ///
    /// If there are several workers, one piece is laid out while the previous one is appended.
    ///
    /// # Errors
    /// [`LayoutError`] if nodes cannot be appended.
    pub(super) fn lay_out(
        &self,
        root: Option<NodeId>,
        position: u64,
        workers: &Workers,
        mut append: impl FnMut(&[u8]) -> Result<(), StoreFault> + Send,
    ) -> Result<Option<Link<S::Digest>>, LayoutError> {
        let mut layout = Layout::<S>::new(position);
        let mut tasks: Vec<_> = root.into_iter().map(LayoutTask::Down).collect();
        let mut ready = self.lay_out_piece(&mut tasks, &mut layout)?;
        while let Some(piece) = ready {
            let (next, appended) = workers.both(
                || self.lay_out_piece(&mut tasks, &mut layout),
                || append(&piece),
            );
            appended?;
            ready = next?;
        }
        layout.finish(append)
    }

    /// Lays out nodes until a piece of bytes is ready to be appended, and returns it. Returns
    /// `None` after the last node.
    fn lay_out_piece(
        &self,
        tasks: &mut Vec<LayoutTask>,
        layout: &mut Layout<S>,
    ) -> Result<Option<Vec<u8>>, LayoutError> {
        let entries = self.memory.entries();
        while let Some(task) = tasks.pop() {
            match task {
                LayoutTask::Down(node) => match (self.stored(node), node.kind()) {
                    (Some(link), _) => layout.stored(link),
                    (None, NodeKind::Leaf(entry)) => {
                        let link = link(&self.memory, node, 0);
                        layout.leaf(entries.key(entry), entries.value(entry), link);
                    }
                    (None, NodeKind::Inner(_)) => {
                        let children = self.memory.children(node);
                        tasks.push(LayoutTask::Up(node));
                        tasks.push(LayoutTask::Down(children.right()));
                        tasks.push(LayoutTask::Down(children.left()));
                    }
                },
                LayoutTask::Up(node) => {
                    let separator = entries.key_bytes(self.memory.separator(node));
                    layout.inner(separator, link(&self.memory, node, 0))?;
                    if let Some(piece) = layout.take_ready()? {
                        return Ok(Some(piece));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The link to a node that is already stored in the log; `None` for a new node.
    fn stored(&self, node: NodeId) -> Option<Link<S::Digest>> {
        match node.kind() {
            NodeKind::Leaf(entry) => {
                let address = self.leaves.get(entry.index()).copied().flatten()?;
                Some(link(&self.memory, node, address))
            }
            NodeKind::Inner(index) => match *self.origins.get(index)? {
                Origin::New => None,
                Origin::Read { address } => Some(link(&self.memory, node, address)),
                Origin::Unread {
                    address, is_leaf, ..
                } => Some(Link {
                    is_leaf,
                    ..link(&self.memory, node, address)
                }),
            },
        }
    }
}

impl<S: Suite, B: BalancingScheme, L> fmt::Debug for Draft<'_, S, B, L> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Draft({:?})", self.memory)
    }
}

impl<'n, S: Suite, B: BalancingScheme, L: NodeLog> Draft<'n, S, B, L> {
    /// Creates a draft of the version after the version with this root. Returns the draft, and the
    /// id of the root in it.
    pub(super) fn new(
        nodes: &'n Nodes<L>,
        root: Option<Link<S::Digest>>,
    ) -> (Self, Option<NodeId>) {
        let mut draft = Self {
            memory: InPlace::sealed(),
            nodes,
            recent: Recent::default(),
            origins: Vec::new(),
            leaves: Vec::new(),
            separators: Separators::default(),
        };
        let root = root.map(|root| draft.adopt(root, Bounds::default()));
        (draft, root)
    }

    /// Reads all nodes of the version with this root and `population` entries. Checks that the
    /// result is a search tree that satisfies the rules of its balancing scheme.
    ///
    /// # Errors
    /// [`StoreFault`] if a node cannot be read or is damaged, or if a check fails.
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
        let mut pending = vec![root];
        while let Some(node) = pending.pop() {
            if node.is_inner() {
                pending.push(draft.fetch(node, Side::Left)?);
                pending.push(draft.fetch(node, Side::Right)?);
            }
        }
        let memory = draft.memory;
        if soundness::is_balanced(&memory, Some(root), population) {
            Ok(Tree::with_store(memory, Some(root), population))
        } else {
            Err(StoreFault::Damaged)
        }
    }

    /// Whether the tree below `root` contains a key. The result rests only on data that the root
    /// authenticates: for an absent key, both neighbours are read.
    ///
    /// Nodes that are read stay in the draft, so that the following operations find them. `root` is
    /// set to the id of the root after it was read.
    ///
    /// # Errors
    /// [`StoreFault`] if a node cannot be read or is damaged. [`StoreFault::Damaged`] if the two
    /// leaves are not the neighbours of the key.
    pub(super) fn contains(
        &mut self,
        root: &mut Option<NodeId>,
        key: &[u8],
    ) -> Result<bool, StoreFault> {
        let Some(top) = root else {
            return Ok(false);
        };
        *top = self.open(*top)?;
        let (mut node, probe, mut turns) = (*top, Probe::new(key), [None; 2]);
        let reached = loop {
            if let NodeKind::Leaf(entry) = node.kind() {
                break entry;
            }
            let separator = self.memory.separator(node);
            let order = self.memory.entries().compare(&probe, separator);
            let side = Side::right_if(order.is_ge());
            turns[side.index()] = Some(node);
            node = self.fetch(node, side)?;
        };
        let order = self.compare(&probe, reached);
        if order.is_eq() {
            return Ok(true);
        }
        // The search reached one neighbour of the gap. The other neighbour is on `side` of it,
        // below the last node at which the path turned to the other side.
        let side = Side::right_if(order.is_gt());
        if let Some(turn) = turns[side.other().index()] {
            let mut node = self.fetch(turn, side)?;
            let neighbour = loop {
                if let NodeKind::Leaf(entry) = node.kind() {
                    break entry;
                }
                node = self.fetch(node, side.other())?;
            };
            if self.compare(&probe, neighbour) != order.reverse() {
                return Err(StoreFault::Damaged);
            }
        }
        Ok(false)
    }

    /// Compares the key `probe` with the key of an entry.
    fn compare(&self, probe: &Probe<'_>, entry: EntryId) -> Ordering {
        let entries = self.memory.entries();
        entries.compare(probe, entries.key_of(entry))
    }

    /// Stores the computed digests of the changed nodes in the draft.
    pub(super) fn settle(&mut self, sealed: Sealed<'_, S::Digest>) {
        self.memory.commit(&Sealed {
            // Storing the digests of one update's nodes is cheap compared with reading the nodes.
            parallel: false,
            ..sealed
        });
    }

    /// Converts the draft to the changes that are to be stored.
    pub(super) fn into_changes(self) -> Changes<S, B> {
        let Self {
            memory,
            origins,
            leaves,
            ..
        } = self;
        Changes {
            memory,
            origins,
            leaves,
        }
    }

    /// The stub of a node that was not read; `None` if the node was read or is new.
    fn unread(&self, node: NodeId) -> Option<NodeStub<S::Digest>> {
        if !node.is_inner() {
            return None;
        }
        match self.origins.get(node.index()).copied()? {
            Origin::Unread {
                address,
                is_leaf,
                bounds,
            } => Some(NodeStub {
                node,
                link: Link {
                    is_leaf,
                    ..link(&self.memory, node, address)
                },
                bounds,
            }),
            _ => None,
        }
    }

    /// Reads the record of a node from the log. Checks it against the digest in its parent, and
    /// against the separators on its path.
    fn read(
        &self,
        unread: &NodeStub<S::Digest>,
        recent: &mut Recent,
        passing: Reuse,
    ) -> Result<Record, StoreFault> {
        let record = self.nodes.open_near(&unread.link, recent, passing)?;
        let (digest, name) = if unread.link.is_leaf {
            let (key, value) = record::entry(&record);
            (S::leaf(key, &S::value(value)), key)
        } else {
            let [left, right] = record::children::<S::Digest>(&record)?;
            let digest = <Authenticated<S> as Annotation>::node(&left.digest, &right.digest);
            (digest, record::separator::<S::Digest>(&record))
        };
        let strictly = !unread.link.is_leaf;
        if digest == unread.link.digest && self.separators.are_around(unread.bounds, name, strictly)
        {
            Ok(record)
        } else {
            Err(StoreFault::Damaged)
        }
    }

    /// Adds a node to the draft, given the record that was read. Returns its id: a leaf gets a new
    /// one.
    fn take(&mut self, unread: NodeStub<S::Digest>, record: &[u8]) -> Result<NodeId, StoreFault> {
        let NodeStub { node, link, bounds } = unread;
        let address = link.address;
        if link.is_leaf {
            let (key, value) = record::entry(record);
            let entry = self.memory.fill_leaf(node, key, value);
            self.set_leaf(entry, Some(address));
            return Ok(NodeId::leaf(entry));
        }
        let [left, right] = record::children::<S::Digest>(record)?;
        let separator = record::separator::<S::Digest>(record);
        let middle = self.separators.add(separator);
        let middle = Some(middle.ok_or(StoreFault::Damaged)?);
        let rank =
            B::RANKED.then(|| B::rank(<Authenticated<S> as Annotation>::key_bits(separator)));
        let separator = self.memory.entries_mut().add_key(separator, rank);
        let below = |low, high| Bounds { low, high };
        let children = Children::new(
            self.adopt(left, below(bounds.low, middle)),
            self.adopt(right, below(middle, bounds.high)),
        );
        self.memory.fill(node, separator, children);
        self.set_origin(node, Origin::Read { address });
        Ok(node)
    }

    /// Adds a placeholder for a node that was not read. Returns the placeholder's id.
    fn adopt(&mut self, link: Link<S::Digest>, bounds: Bounds) -> NodeId {
        let node = self.memory.adopt(link.digest, B::from_bit(link.balance));
        let origin = Origin::Unread {
            address: link.address,
            is_leaf: link.is_leaf,
            bounds,
        };
        self.set_origin(node, origin);
        node
    }

    fn set_origin(&mut self, node: NodeId, origin: Origin) {
        put(&mut self.origins, node.index(), origin, Origin::New);
    }

    fn set_leaf(&mut self, entry: EntryId, address: Option<u64>) {
        put(&mut self.leaves, entry.index(), address, None);
    }
}

/// Sets an item of a list in which missing items count as `default`.
fn put<T: Copy + PartialEq>(items: &mut Vec<T>, index: usize, item: T, default: T) {
    if items.len() <= index {
        if item == default {
            return;
        }
        items.resize(index + 1, default);
    }
    items[index] = item;
}

/// Defines functions that call those of the store in memory.
macro_rules! in_memory {
    ($(fn $name:ident(&self $(, $argument:ident: $type:ty)?) -> $result:ty;)*) => {$(
        fn $name(&self $(, $argument: $type)?) -> $result {
            self.memory.$name($($argument)?)
        }
    )*};
}

impl<S: Suite, B: BalancingScheme, L: NodeLog> NodeStore for Draft<'_, S, B, L> {
    type Annotation = Authenticated<S>;
    type Scheme = B;
    type Fault = StoreFault;
    const IS_WHOLE: bool = false;
    const REPLACES_IN_PLACE: bool = true;

    in_memory! {
        fn entries(&self) -> &Entries<Authenticated<S>>;
        fn children(&self, node: NodeId) -> Children;
        fn separator(&self, node: NodeId) -> KeyId;
        fn separator_prefix(&self, node: NodeId) -> u64;
        fn balance(&self, node: NodeId) -> Balance<Self>;
        fn is_touched(&self, node: NodeId) -> bool;
        fn latest_digest(&self, node: NodeId) -> Digest<Self>;
        fn check_capacity(&self, operations: usize) -> Result<(), InputError>;
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

    fn open(&mut self, node: NodeId) -> Result<NodeId, StoreFault> {
        let Some(unread) = self.unread(node) else {
            return Ok(node);
        };
        let mut recent = core::mem::take(&mut self.recent);
        let read = self.read(&unread, &mut recent, Reuse::Often);
        self.recent = recent;
        self.take(unread, &read?)
    }

    fn fetch(&mut self, node: NodeId, side: Side) -> Result<NodeId, StoreFault> {
        let child = self.memory.children(node).on(side);
        let opened = self.open(child)?;
        if opened != child {
            self.memory.lead(node, side, opened);
        }
        Ok(opened)
    }

    fn set_balance(&mut self, node: NodeId, balance: Balance<Self>) {
        self.memory.set_balance(node, balance);
    }
}
