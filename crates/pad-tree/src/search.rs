//! Searches over trees, independent of where their nodes are stored.

use core::cmp::Ordering;

use pad_core::{Key, KeyRange, LookupError, StoreFault, Suite};

use crate::{entries::Probe, id::Side};

/// Read access to one version of a binary search tree with its entries in the leaves. Nodes may
/// have to be fetched.
///
/// Law: keys on the left of an inner node are below its separator, keys on its right are not. A
/// tree from an untrusted writer may break this law, but must be finite. Verifiers reject false
/// proofs from such a tree.
pub trait SearchTree: Copy {
    /// A reference to a node, which may not have been fetched yet. Whether it is a leaf may be
    /// unknown.
    type Node: Clone;
    /// An inner node that was fetched.
    type Inner: Clone;
    /// A leaf that was fetched.
    type Leaf: Clone;
    /// The error returned when a node cannot be fetched.
    type Error: From<LookupError>;

    /// The root node; `None` if the tree has no entries.
    ///
    /// # Errors
    /// [`SearchTree::Error`] if the node cannot be fetched.
    fn top(self) -> Result<Option<Self::Node>, Self::Error>;
    /// Fetches a node. Returns it as an inner node or a leaf.
    ///
    /// # Errors
    /// [`SearchTree::Error`] if the node cannot be fetched.
    fn open(self, node: &Self::Node) -> Result<Opened<Self>, Self::Error>;
    /// The children of an inner node, left and right.
    fn branches(self, inner: &Self::Inner) -> [Self::Node; 2];
    /// The side of an inner node on which a search for the key `probe` continues.
    fn side_of(self, probe: &Probe<'_>, inner: &Self::Inner) -> Side;
    /// Compares the key `probe` with the key of a leaf.
    fn compare(self, probe: &Probe<'_>, leaf: &Self::Leaf) -> Ordering;
    /// Whether a leaf's key is below an inner node's separator.
    fn is_below(self, leaf: &Self::Leaf, inner: &Self::Inner) -> bool;
    /// Whether the key of the leaf `left` is below the key of the leaf `right`.
    fn is_before(self, left: &Self::Leaf, right: &Self::Leaf) -> bool;
}

/// A [`SearchTree`] with digests, from which proofs can be made.
///
/// Laws: digests are computed as `docs/format` defines for tree dictionaries. The root's digest is
/// the root that the author signs.
pub(crate) trait HashedTree: SearchTree {
    /// The suite of the digests.
    type Suite: Suite;

    /// The digest of a node, without fetching the node.
    fn digest(self, node: &Self::Node) -> <Self::Suite as Suite>::Digest;
    /// The key of a leaf, at most [`pad_core::MAX_KEY_LENGTH`] bytes.
    fn key<'l>(&'l self, leaf: &'l Self::Leaf) -> &'l [u8];
    /// The value of a leaf, at most [`pad_core::MAX_VALUE_LENGTH`] bytes.
    fn value<'l>(&'l self, leaf: &'l Self::Leaf) -> &'l [u8];

    /// The digest of a leaf's value. Trees that do not store all values override this method.
    fn value_digest(&self, leaf: &Self::Leaf) -> <Self::Suite as Suite>::Digest {
        Self::Suite::value(self.value(leaf))
    }
}

/// A tree that can be compared with another version or another tree, subtree by subtree.
pub(crate) trait ComparedTree: HashedTree {
    /// Whether a node is an inner node, without fetching it.
    fn is_inner(self, node: &Self::Node) -> bool;
    /// The separator of an inner node: keys below it are in the left subtree.
    fn separator<'l>(&'l self, inner: &'l Self::Inner) -> &'l [u8];
}

/// A fetched node: an inner node or a leaf.
#[derive(Debug)]
pub enum Opened<T: SearchTree> {
    /// An inner node.
    Inner(T::Inner),
    /// A leaf.
    Leaf(T::Leaf),
}

/// Creates a cursor at the leaf that a search for `probe` reaches. This is the leaf with that key,
/// or, if the key is absent, one of its two neighbours. `None` if the tree is empty.
pub(crate) fn seek<T: SearchTree>(
    tree: T,
    probe: &Probe<'_>,
) -> Result<Option<Cursor<T>>, T::Error> {
    Cursor::descend(tree, |inner| tree.side_of(probe, inner))
}

/// Creates a cursor at the first leaf (`Side::Left`) or the last leaf (`Side::Right`). `None` if
/// the tree is empty.
pub(crate) fn end<T: SearchTree>(tree: T, side: Side) -> Result<Option<Cursor<T>>, T::Error> {
    Cursor::descend(tree, |_| side)
}

/// Creates a cursor at the entry nearest to `probe`: the greatest below it (`Side::Left`) or the
/// smallest above it (`Side::Right`). With `inclusive`, an entry with the key `probe` itself is the
/// nearest. `None` if there is no such entry.
pub(crate) fn nearest<T: SearchTree>(
    tree: T,
    probe: &Probe<'_>,
    side: Side,
    inclusive: bool,
) -> Result<Option<Cursor<T>>, T::Error> {
    let Some(mut cursor) = seek(tree, probe)? else {
        return Ok(None);
    };
    loop {
        // The order of the leaf's key relative to the probe.
        let fits = match tree.compare(probe, &cursor.leaf).reverse() {
            Ordering::Equal => inclusive,
            Ordering::Less => side == Side::Left,
            Ordering::Greater => side == Side::Right,
        };
        if fits {
            return Ok(Some(cursor));
        }
        if !cursor.advance(side)? {
            return Ok(None);
        }
    }
}

/// Returns the first page of `range`: a prefix of the range with at most `bytes` bytes of keys and
/// values. Each entry counts as at least [`LEAST_ENTRY`] bytes.
///
/// The result is a few bytes, and any client can request it. The minimum bounds the number of
/// entries, and so the work, if keys and values are short.
///
/// An entry of more than `bytes` bytes is a page of its own. The next page begins where this page
/// ends. The result is not a proof.
///
/// Time: one search, and the entries of the page.
///
/// # Errors
/// The error of the tree if a node cannot be fetched.
pub(crate) fn page<T: HashedTree>(
    tree: T,
    range: &KeyRange,
    bytes: usize,
) -> Result<KeyRange, T::Error> {
    let start = range.start.as_ref().map_or(&[][..], Key::as_bytes);
    let Some(mut cursor) = nearest(tree, &Probe::new(start), Side::Right, true)? else {
        return Ok(range.clone());
    };
    let mut length: usize = 0;
    loop {
        let key = tree.key(&cursor.leaf);
        if range.place(key).is_gt() {
            return Ok(range.clone());
        }
        let is_first = length == 0;
        let entry = key.len().saturating_add(tree.value(&cursor.leaf).len());
        length = length.saturating_add(entry.max(LEAST_ENTRY));
        if length > bytes && !is_first {
            let end = Key::new(key).map_err(|_| LookupError::from(StoreFault::Damaged))?;
            return Ok(KeyRange {
                start: range.start.clone(),
                end: Some(end),
            });
        }
        if !cursor.advance(Side::Right)? {
            return Ok(range.clone());
        }
    }
}

/// Minimum bytes that an entry counts in a page.
const LEAST_ENTRY: usize = 64;

/// A position in the sequence of a tree's leaves in key order.
pub(crate) struct Cursor<T: SearchTree> {
    tree: T,
    path: Vec<(T::Inner, Side)>,
    pub(crate) leaf: T::Leaf,
}

impl<T: SearchTree> Cursor<T> {
    fn descend(tree: T, side_of: impl Fn(&T::Inner) -> Side) -> Result<Option<Self>, T::Error> {
        let Some(root) = tree.top()? else {
            return Ok(None);
        };
        let mut path = Vec::with_capacity(32);
        let leaf = walk_down(tree, root, side_of, &mut path)?;
        Ok(Some(Self { tree, path, leaf }))
    }

    /// Moves to the next leaf on `side`. If there is none, returns `false` and does not move.
    pub(crate) fn advance(&mut self, side: Side) -> Result<bool, T::Error> {
        let turn = self.path.iter().rposition(|step| step.1 == side.other());
        let Some((inner, turned)) = turn.and_then(|turn| {
            self.path.truncate(turn + 1);
            self.path.last_mut()
        }) else {
            return Ok(false);
        };
        *turned = side;
        let child = branch(self.tree.branches(inner), side);
        self.leaf = walk_down(self.tree, child, |_| side.other(), &mut self.path)?;
        Ok(true)
    }
}

/// Descends from a node to a leaf. `side_of` chooses the child at each inner node, and the steps
/// are appended to `path`.
fn walk_down<T: SearchTree>(
    tree: T,
    mut node: T::Node,
    side_of: impl Fn(&T::Inner) -> Side,
    path: &mut Vec<(T::Inner, Side)>,
) -> Result<T::Leaf, T::Error> {
    loop {
        match tree.open(&node)? {
            Opened::Leaf(leaf) => return Ok(leaf),
            Opened::Inner(inner) => {
                let side = side_of(&inner);
                node = branch(tree.branches(&inner), side);
                path.push((inner, side));
            }
        }
    }
}

/// The left or the right element of a pair, by `side`.
fn branch<N>([left, right]: [N; 2], side: Side) -> N {
    match side {
        Side::Left => left,
        Side::Right => right,
    }
}
