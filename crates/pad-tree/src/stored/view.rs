//! Read access to one version of a stored tree.

use core::{cmp::Ordering, marker::PhantomData};

use pad_core::{Key, LookupError, StoreFault, Suite};

use super::{
    layout::{Layout, LayoutError},
    link::Link,
    log::NodeLog,
    nodes::{Nodes, Record, in_place},
    record,
};
use crate::{
    annotation::{Annotation, Authenticated},
    entries::Probe,
    proof::TreeProof,
    prover::{ProofBuilder, shown},
    search::{ComparedTree, HashedTree, Opened, SearchTree},
    side::Side,
};

/// Read access to one version of a stored tree.
#[derive(Debug)]
pub(super) struct StoredView<'n, S: Suite, L> {
    nodes: &'n Nodes<L>,
    root: Option<Link<S::Digest>>,
    suite: PhantomData<S>,
}

impl<'n, S: Suite, L> StoredView<'n, S, L> {
    pub(super) const fn new(nodes: &'n Nodes<L>, root: Option<Link<S::Digest>>) -> Self {
        Self {
            nodes,
            root,
            suite: PhantomData,
        }
    }

    fn top_node(self) -> Option<Node<S::Digest>> {
        self.root.map(|link| Node {
            link,
            low: None,
            high: None,
        })
    }
}

impl<S: Suite, L> Clone for StoredView<'_, S, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Suite, L> Copy for StoredView<'_, S, L> {}

/// A link to a node, with the separators that bound the keys below the node.
///
/// Separators are not hashed. Without bounds, an attacker could place one node on many paths, and a
/// proof could open all of these paths.
#[derive(Clone, Debug)]
pub(super) struct Node<D> {
    link: Link<D>,
    low: Option<Record>,
    high: Option<Record>,
}

/// An inner node that was read, with the separators that bound the keys below it.
#[derive(Clone, Debug)]
pub(super) struct Inner<D> {
    record: Record,
    children: [Link<D>; 2],
    low: Option<Record>,
    high: Option<Record>,
}

/// The root of a copied tree: the link to it, and the number of entries below it.
type CopyRoot<D> = (Option<Link<D>>, u64);

/// A node that [`StoredView::visit`] passes to its callback.
enum VisitNode<'v, D> {
    Leaf {
        key: &'v [u8],
        value: &'v [u8],
        link: Link<D>,
    },
    Inner {
        separator: &'v [u8],
        link: Link<D>,
    },
    /// A node that was skipped: neither it nor the nodes below it were read.
    Left {
        link: Link<D>,
    },
}

impl<D> VisitNode<'_, D> {
    const fn is_leaf(&self) -> bool {
        matches!(self, Self::Leaf { .. })
    }

    /// Adds the node to a layout.
    fn lay_out<S: Suite<Digest = D>>(self, layout: &mut Layout<S>) -> Result<(), LayoutError> {
        match self {
            Self::Leaf { key, value, link } => layout.leaf(key, value, link),
            Self::Inner { separator, link } => layout.inner(separator, link)?,
            Self::Left { link } => layout.stored(link),
        }
        Ok(())
    }
}

/// The pending steps of a visit to the nodes of a tree; the last is the next one.
pub(super) struct Steps<D>(Vec<Step<D>>);

/// A step of a visit: descend to a node, or report an inner node after all nodes below it.
enum Step<D> {
    Down(Node<D>),
    Up { separator: Record, link: Link<D> },
}

/// The record of a node, and the links to its children; `None` for a leaf.
type NodeRecord<D> = (Record, Option<[Link<D>; 2]>);

impl<S: Suite, L: NodeLog> StoredView<'_, S, L> {
    /// Finds the leaf of a key. Returns its address and its record, or `None` if the key is absent.
    pub(super) fn find(self, key: &[u8]) -> Result<Option<(u64, Record)>, StoreFault> {
        let Some(mut link) = self.root else {
            return Ok(None);
        };
        loop {
            match self.read(&link)? {
                (record, None) => {
                    let (found, _) = record::entry(&record);
                    return Ok((found == key).then_some((link.address, record)));
                }
                (record, Some([left, right])) => {
                    let is_right = key >= record::separator::<S::Digest>(&record);
                    link = if is_right { right } else { left };
                }
            }
        }
    }

    /// Reads the record of a node, and the links to the children of an inner node. Checks the
    /// record against the digest in `link`.
    ///
    /// The check rules out cycles of nodes, which an attacker could build, and wrong answers after
    /// accidental damage. A damaged node is read once more if it came from the cache.
    fn read(self, link: &Link<S::Digest>) -> Result<NodeRecord<S::Digest>, StoreFault> {
        match self.read_once(link) {
            Err(StoreFault::Damaged) if self.nodes.doubt(link) => self.read_once(link),
            read => read,
        }
    }

    fn read_once(self, link: &Link<S::Digest>) -> Result<NodeRecord<S::Digest>, StoreFault> {
        let record = self.nodes.open(link)?;
        let (digest, children) = if link.is_leaf {
            let (key, value) = record::entry(&record);
            (S::leaf(key, &S::value(value)), None)
        } else {
            let [left, right] = record::children::<S::Digest>(&record)?;
            let digest = Authenticated::<S>::node(&left.digest, &right.digest);
            (digest, Some([left, right]))
        };
        if digest == link.digest {
            Ok((record, children))
        } else {
            Err(StoreFault::Damaged)
        }
    }

    /// Reads all nodes. Checks that they hash to the root and that keys are in order. Returns the
    /// number of entries.
    pub(super) fn check(self) -> Result<u64, LookupError> {
        let mut entries: u64 = 0;
        self.visit(|visited| {
            entries = entries.saturating_add(u64::from(visited.is_leaf()));
            Ok::<(), LookupError>(())
        })?;
        Ok(entries)
    }

    /// Copies the tree: reads and checks all nodes, and appends them to another log from `position`
    /// on. Returns the new link to the root and the number of entries.
    pub(super) fn lay_out(
        self,
        position: u64,
        mut append: impl FnMut(&[u8]) -> Result<(), StoreFault>,
    ) -> Result<CopyRoot<S::Digest>, LayoutError> {
        let mut entries: u64 = 0;
        let mut layout = Layout::<S>::new(position);
        self.visit(|visited| {
            entries = entries.saturating_add(u64::from(visited.is_leaf()));
            visited.lay_out(&mut layout)?;
            layout.append_ready(&mut append)
        })?;
        Ok((layout.finish(append)?, entries))
    }

    /// Visits all nodes, children before their parents and left before right. Checks each node's
    /// digest and the order of keys.
    fn visit<E: From<StoreFault>>(
        self,
        mut note: impl FnMut(VisitNode<'_, S::Digest>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut steps = self.steps();
        while self.step(&mut steps, |_| false, &mut note)? {}
        Ok(())
    }

    /// Creates the steps of a visit to all nodes, to be performed one by one.
    pub(super) fn steps(self) -> Steps<S::Digest> {
        Steps(self.top_node().into_iter().map(Step::Down).collect())
    }

    /// Performs the next step of a visit, and reports its node to `note`. Returns false if no step
    /// was left. Nodes for which `is_left` returns true are skipped: neither they nor the nodes
    /// below them are read.
    fn step<E: From<StoreFault>>(
        self,
        steps: &mut Steps<S::Digest>,
        is_left: impl FnOnce(&Link<S::Digest>) -> bool,
        note: &mut impl FnMut(VisitNode<'_, S::Digest>) -> Result<(), E>,
    ) -> Result<bool, E> {
        let Steps(steps) = steps;
        let node = match steps.pop() {
            None => return Ok(false),
            Some(Step::Up { separator, link }) => {
                let separator = record::separator::<S::Digest>(&separator);
                note(VisitNode::Inner { separator, link })?;
                return Ok(true);
            }
            Some(Step::Down(node)) => node,
        };
        let link = node.link;
        if is_left(&link) {
            note(VisitNode::Left { link })?;
            return Ok(true);
        }
        match self.opened(&node)? {
            Opened::Leaf(leaf) => {
                let (key, value) = record::entry(&leaf);
                note(VisitNode::Leaf { key, value, link })?;
            }
            Opened::Inner(inner) => {
                let [left, right] = self.branches(&inner);
                steps.push(Step::Up {
                    separator: inner.record,
                    link,
                });
                steps.push(Step::Down(right));
                steps.push(Step::Down(left));
            }
        }
        Ok(true)
    }

    /// Performs the next step of a visit, and lays out its node to be appended again. Returns false
    /// if no step was left.
    ///
    /// Nodes before the position `from` are not laid out again. Nor are leaves, because their
    /// addresses distinguish entries with equal values.
    pub(super) fn lay_out_step(
        self,
        steps: &mut Steps<S::Digest>,
        from: u64,
        layout: &mut Layout<S>,
    ) -> Result<bool, LayoutError> {
        let is_left = |link: &Link<S::Digest>| link.is_leaf || link.address < from;
        self.step(steps, is_left, &mut |visited| visited.lay_out(layout))
    }

    /// Reads a node. Checks its digest, and that its key or separator lies between the separators
    /// around it.
    fn opened(self, node: &Node<S::Digest>) -> Result<Opened<Self>, StoreFault> {
        let Node { link, low, high } = node;
        let (record, children) = self.read(link)?;
        let (low_key, high_key) = (bound::<S>(low.as_ref()), bound::<S>(high.as_ref()));
        let Some(children) = children else {
            let (key, _) = record::entry(&record);
            let is_above = low_key.is_none_or(|low| low <= key);
            return if is_above && high_key.is_none_or(|high| key < high) {
                Ok(Opened::Leaf(record))
            } else {
                Err(StoreFault::Damaged)
            };
        };
        let key = record::separator::<S::Digest>(&record);
        let is_above = low_key.is_none_or(|low| low < key);
        if !is_above || high_key.is_some_and(|high| high <= key) {
            return Err(StoreFault::Damaged);
        }
        Ok(Opened::Inner(Inner {
            record,
            children,
            low: low.clone(),
            high: high.clone(),
        }))
    }

    /// Pins the blocks of the tree's top nodes (keeps them in memory), level by level. Stops when
    /// there are at least `subtrees` subtrees below, or after `subtrees` levels. Returns these
    /// subtrees.
    ///
    /// Skips nodes before the position `from`: they and all nodes below are pinned already.
    pub(super) fn hold_top(
        self,
        from: u64,
        subtrees: usize,
    ) -> Result<Vec<Node<S::Digest>>, StoreFault> {
        let mut level: Vec<_> = self.top_node().into_iter().collect();
        for _ in 0..subtrees {
            if level.is_empty() || level.len() >= subtrees {
                break;
            }
            let mut below = Vec::with_capacity(2 * level.len());
            for node in level {
                if node.link.is_leaf {
                    below.push(node);
                } else if node.link.address >= from {
                    below.extend(self.hold(&node)?);
                }
            }
            level = below;
        }
        Ok(level)
    }

    /// Pins the blocks of all nodes below a node, including the node itself. Skips nodes as
    /// [`StoredView::hold_top`] does. Reports to `note`, from time to time, the number of entries
    /// read since the last report.
    pub(super) fn hold_below(
        self,
        node: &Node<S::Digest>,
        from: u64,
        note: &impl Fn(u64),
    ) -> Result<(), StoreFault> {
        let (mut pending, mut entries) = (vec![node.clone()], 0);
        while let Some(node) = pending.pop() {
            if node.link.address < from {
                continue;
            }
            pending.extend(self.hold(&node)?);
            entries += u64::from(node.link.is_leaf);
            if entries == ENTRIES_TOGETHER {
                note(entries);
                entries = 0;
            }
        }
        note(entries);
        Ok(())
    }

    /// Reads and checks a node, and pins its blocks. Returns the node's children; none for a leaf.
    fn hold(self, node: &Node<S::Digest>) -> Result<Vec<Node<S::Digest>>, StoreFault> {
        let opened = self.opened(node)?;
        self.nodes.stay::<S::Digest>(node.link.address)?;
        Ok(match opened {
            Opened::Leaf(_) => Vec::new(),
            Opened::Inner(inner) => self.branches(&inner).into(),
        })
    }

    /// Proves the value of a key without checking the nodes on its path: the client verifies the
    /// proof. Returns `None` if this search does not find the key. The caller then searches with
    /// checks.
    pub(super) fn prove_present(self, key: &Key) -> Result<Option<TreeProof<S, Key>>, LookupError> {
        let Some(mut link) = self.root else {
            return Ok(None);
        };
        let mut proof = ProofBuilder::<S>::with_capacity(32);
        let checked = self.nodes.checked(link.address);
        for _ in 0..LONGEST_UNCHECKED {
            let read;
            let in_memory = checked.and_then(|held| in_place(held, &link));
            let record = if let Some(record) = in_memory {
                record
            } else {
                read = match self.nodes.open(&link) {
                    // The checked search reads the damaged node once more.
                    Err(StoreFault::Damaged) => return Ok(None),
                    opened => opened?,
                };
                &*read
            };
            if link.is_leaf {
                let (found, value) = record::entry(record);
                return Ok((found == key.as_bytes()).then(|| {
                    proof.open_leaf(found, shown(value));
                    proof.finish()
                }));
            }
            let [left, right] = record::children(record)?;
            link = if key.as_bytes() >= record::separator::<S::Digest>(record) {
                proof.elide(Side::Left, left.digest);
                right
            } else {
                proof.elide(Side::Right, right.digest);
                left
            };
        }
        Ok(None)
    }
}

/// The maximum number of nodes on a path that is not checked, and so may be a cycle. Longer paths
/// are checked.
const LONGEST_UNCHECKED: usize = 1 << 10;

/// The number of entries between two reports to `note`.
const ENTRIES_TOGETHER: u64 = 1 << 10;

/// The separator in `record`, which bounds the keys below a node; `None` means no bound.
fn bound<S: Suite>(record: Option<&Record>) -> Option<&[u8]> {
    record.map(|record| record::separator::<S::Digest>(record))
}

impl<S: Suite, L: NodeLog> SearchTree for StoredView<'_, S, L> {
    type Node = Node<S::Digest>;
    type Inner = Inner<S::Digest>;
    type Leaf = Record;
    type Error = LookupError;

    fn top(self) -> Result<Option<Self::Node>, LookupError> {
        Ok(self.top_node())
    }

    fn open(self, node: &Self::Node) -> Result<Opened<Self>, LookupError> {
        Ok(self.opened(node)?)
    }

    fn branches(self, inner: &Self::Inner) -> [Self::Node; 2] {
        let [left, right] = inner.children;
        let separator = Some(inner.record.clone());
        [
            Node {
                link: left,
                low: inner.low.clone(),
                high: separator.clone(),
            },
            Node {
                link: right,
                low: separator,
                high: inner.high.clone(),
            },
        ]
    }

    fn side_of(self, probe: &Probe<'_>, inner: &Self::Inner) -> Side {
        Side::right_if(probe.bytes() >= record::separator::<S::Digest>(&inner.record))
    }

    fn compare(self, probe: &Probe<'_>, leaf: &Record) -> Ordering {
        probe.bytes().cmp(record::entry(leaf).0)
    }

    fn is_below(self, leaf: &Record, inner: &Self::Inner) -> bool {
        record::entry(leaf).0 < record::separator::<S::Digest>(&inner.record)
    }

    fn is_before(self, left: &Record, right: &Record) -> bool {
        record::entry(left).0 < record::entry(right).0
    }
}

impl<S: Suite, L: NodeLog> HashedTree for StoredView<'_, S, L> {
    type Suite = S;

    fn digest(self, node: &Self::Node) -> S::Digest {
        node.link.digest
    }

    fn key<'l>(&'l self, leaf: &'l Record) -> &'l [u8] {
        record::entry(leaf).0
    }

    fn value<'l>(&'l self, leaf: &'l Record) -> &'l [u8] {
        record::entry(leaf).1
    }
}

impl<S: Suite, L: NodeLog> ComparedTree for StoredView<'_, S, L> {
    fn is_inner(self, node: &Self::Node) -> bool {
        !node.link.is_leaf
    }

    fn separator<'l>(&'l self, inner: &'l Self::Inner) -> &'l [u8] {
        record::separator::<S::Digest>(&inner.record)
    }
}
