//! One version of a stored tree, to be read.

use core::{cmp::Ordering, marker::PhantomData};

use pad_core::{Key, LookupError, StoreFault, Suite};

use super::{
    link::Link,
    log::NodeLog,
    nodes::{Nodes, Record},
    record,
};
use crate::{
    entries::Probe,
    proof::TreeProof,
    prover::Passed,
    search::{HashedTree, Opened, SearchTree},
    side::Side,
};

/// One version of a stored tree.
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
}

impl<S: Suite, L> Clone for StoredView<'_, S, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Suite, L> Copy for StoredView<'_, S, L> {}

/// A node and the separators that it is between. Nobody has hashed those: without bounds, nodes that somebody else wrote could lead to the
/// same node on many ways, and a proof could open all of them.
#[derive(Clone, Debug)]
pub(super) struct Node<D> {
    link: Link<D>,
    low: Option<Record>,
    high: Option<Record>,
}

/// An inner node that was read.
#[derive(Clone, Debug)]
pub(super) struct Inner<D> {
    record: Record,
    children: [Link<D>; 2],
    low: Option<Record>,
    high: Option<Record>,
}

impl<S: Suite, L: NodeLog> StoredView<'_, S, L> {
    /// The proof for a key that is there; `None` if it is not. The nodes on its way are read once, and no bounds are needed.
    pub(super) fn prove_present(self, key: &Key) -> Result<Option<TreeProof<S, Key>>, LookupError> {
        let Some(mut link) = self.root else {
            return Ok(None);
        };
        let mut walk = Passed::default();
        loop {
            let record = self.nodes.open(&link)?;
            if link.is_leaf {
                let (found, value) = record::entry(&record);
                return Ok((found == key.as_bytes()).then(|| walk.finish(key, value)));
            }
            let [left, right] = record::children(&record, link.depth.saturating_add(1))?;
            link = if key.as_bytes() >= record::separator::<S::Digest>(&record) {
                walk.pass(Side::Left, left.digest);
                right
            } else {
                walk.pass(Side::Right, right.digest);
                left
            };
        }
    }
}

/// The separator that bounds a node.
fn bound<S: Suite>(record: Option<&Record>) -> Option<&[u8]> {
    record.map(|record| record::separator::<S::Digest>(record))
}

impl<S: Suite, L: NodeLog> SearchTree for StoredView<'_, S, L> {
    type Node = Node<S::Digest>;
    type Inner = Inner<S::Digest>;
    type Leaf = Record;
    type Error = LookupError;

    fn top(self) -> Result<Option<Self::Node>, LookupError> {
        Ok(self.root.map(|link| Node {
            link,
            low: None,
            high: None,
        }))
    }

    fn open(self, node: &Self::Node) -> Result<Opened<Self>, LookupError> {
        let Node { link, low, high } = node;
        let record = self.nodes.open(link)?;
        let is_below = |key: &[u8]| bound::<S>(high.as_ref()).is_none_or(|high| key < high);
        if link.is_leaf {
            let (key, _) = record::entry(&record);
            let is_above = bound::<S>(low.as_ref()).is_none_or(|low| low <= key);
            return if is_above && is_below(key) {
                Ok(Opened::Leaf(record))
            } else {
                Err(StoreFault::Damaged.into())
            };
        }
        let key = record::separator::<S::Digest>(&record);
        let is_above = bound::<S>(low.as_ref()).is_none_or(|low| low < key);
        if !is_above || !is_below(key) {
            return Err(StoreFault::Damaged.into());
        }
        let children = record::children(&record, link.depth.saturating_add(1))?;
        Ok(Opened::Inner(Inner {
            record,
            children,
            low: low.clone(),
            high: high.clone(),
        }))
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
