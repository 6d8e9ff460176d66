//! The server side of proofs: finds the leaves that a query needs, and prunes the tree to them.

use core::{cmp::Ordering, marker::PhantomData};

use pad_core::{
    First, Key, KeyRange, Keys, Last, LookupError, Predecessor, Successor, Suite, Value,
};

use crate::{
    annotation::Authenticated,
    entries::Probe,
    id::{Children, KeyId, NodeId, NodeKind, Side},
    opened::{Content, OpenedLeaf},
    proof::{BOTH_OPEN, LEAF, LEFT_ELIDED, RIGHT_ELIDED, TreeProof},
    query::TreeQuery,
    search::{self, Cursor, HashedTree, Opened, SearchTree},
    store::VersionedStore,
    view::View,
};

/// A question whose answer a server of a tree dictionary can prove: every [`TreeQuery`].
pub trait ProvableQuery: TreeQuery + Plan {}

impl<Q: TreeQuery + Plan> ProvableQuery for Q {}

mod plan {
    use pad_core::KeyRange;

    use super::LeafRun;
    use crate::search::SearchTree;

    /// The server side of a question: which leaves of a tree prove its answer.
    pub trait Plan {
        /// The runs of leaves that the proof must contain, in ascending order and not overlapping.
        fn plan<T: SearchTree>(&self, tree: T) -> Result<Vec<LeafRun<T::Leaf>>, T::Error>;

        /// Whether the answer depends only on keys of `range` and the leaves next to the range.
        ///
        /// Questions about the first or last entry name no key, so their keys are known only after
        /// the search. For them, this returns true.
        fn lies_in(&self, range: &KeyRange) -> bool;
    }
}

use plan::Plan;

/// A run of neighbouring leaves that the proof must contain, given by its first and its last leaf.
#[derive(Clone, Debug)]
pub struct LeafRun<L> {
    first: L,
    last: L,
}

impl<L: Clone> LeafRun<L> {
    fn only(leaf: L) -> Self {
        Self {
            first: leaf.clone(),
            last: leaf,
        }
    }
}

/// Proves the answer to a query about any tree, in memory or stored.
///
/// Time: one search for each key or end of a range, and one digest for each level of its path.
///
/// # Errors
/// [`LookupError::InvalidQuery`] if the query is empty or out of order. [`LookupError::TooLong`] if
/// the answer is too long. The tree's error if a node cannot be fetched.
pub(crate) fn prove<T: HashedTree, Q: ProvableQuery>(
    tree: T,
    query: &Q,
) -> Result<TreeProof<T::Suite, Q>, T::Error> {
    let openings = query.plan(tree)?;
    let reveals = |key: &[u8]| query.reveals(key);
    let proof = prune(tree, &openings, query.longest_answer(), &reveals)?;
    Ok(proof.finish())
}

/// Proves the value or absence of one key, for a tree in memory.
///
/// # Errors
/// None: a view has all its nodes.
pub(crate) fn prove_key<S: Suite, St>(
    view: View<'_, St>,
    key: &Key,
) -> Result<TreeProof<S, Key>, LookupError>
where
    St: VersionedStore<Annotation = Authenticated<S>>,
{
    let mut walk = Walk::default();
    walk.start(view, key);
    while let Some(node) = walk.node.filter(|node| node.is_inner()) {
        walk.step(view, view.record(node));
    }
    walk.finish(view, key, walk.found(view))
}

/// The number of searches that run interleaved: enough to keep the memory system busy.
const LANES: usize = 32;

/// Proves the value or absence of many keys, each in the version that is given with it. Returns one
/// proof for each query.
///
/// The searches are interleaved. In each round, all searches read their current node, then all
/// choose their next node. So the cache misses of the reads overlap.
///
/// # Errors
/// None, as for [`prove_key`].
pub(crate) fn prove_many<'v, S: Suite, St>(
    queries: &[(View<'v, St>, &'v Key)],
) -> Result<Vec<TreeProof<S, Key>>, LookupError>
where
    St: VersionedStore<Annotation = Authenticated<S>>,
{
    let mut proofs = Vec::with_capacity(queries.len());
    let mut walks: [Walk<'v>; LANES] = core::array::from_fn(|_| Walk::default());
    let mut under_way: Vec<usize> = Vec::with_capacity(LANES);
    let mut records: Vec<(KeyId, Children)> = Vec::with_capacity(LANES);
    let mut found: Vec<Option<&[u8]>> = Vec::with_capacity(LANES);
    for group in queries.chunks(LANES) {
        under_way.clear();
        for (lane, (view, key)) in group.iter().enumerate() {
            walks[lane].start(*view, key);
            under_way.push(lane);
        }
        loop {
            under_way.retain(|lane| walks[*lane].node.is_some_and(NodeId::is_inner));
            if under_way.is_empty() {
                break;
            }
            records.clear();
            records.extend(
                under_way
                    .iter()
                    .filter_map(|lane| Some(group[*lane].0.record(walks[*lane].node?))),
            );
            for (lane, record) in under_way.iter().zip(&records) {
                walks[*lane].step(group[*lane].0, *record);
            }
        }
        let finished = || walks.iter().zip(group);
        found.clear();
        found.extend(finished().map(|(walk, (view, _))| walk.found(*view)));
        for ((walk, (view, key)), found) in finished().zip(&found) {
            proofs.push(walk.finish(*view, key, *found)?);
        }
    }
    Ok(proofs)
}

/// A search for one key that records the siblings of the nodes on its path, whose digests the proof
/// needs. The search itself reads no digests, because it is a chain of dependent cache misses. The
/// digests are read afterwards, with independent cache misses.
struct Walk<'v> {
    probe: Probe<'v>,
    node: Option<NodeId>,
    siblings: Vec<(Side, NodeId)>,
}

impl Default for Walk<'_> {
    fn default() -> Self {
        Self {
            probe: Probe::new(&[]),
            node: None,
            siblings: Vec::with_capacity(32),
        }
    }
}

impl<'v> Walk<'v> {
    fn start<St: VersionedStore>(&mut self, view: View<'v, St>, key: &'v Key) {
        self.probe = Probe::new(key.as_bytes());
        self.node = view.root;
        self.siblings.clear();
    }

    /// Descends one level from an inner node. `record` contains the node's separator and children.
    #[inline]
    fn step<St: VersionedStore>(&mut self, view: View<'v, St>, record: (KeyId, Children)) {
        let (separator, children) = record;
        let side = view.side(&self.probe, separator);
        self.siblings
            .push((side.other(), children.on(side.other())));
        self.node = Some(children.on(side));
    }

    /// Returns the value of the leaf at the end of the walk; `None` if the leaf does not have the
    /// requested key.
    #[inline]
    fn found<St: VersionedStore>(&self, view: View<'v, St>) -> Option<&'v [u8]> {
        let NodeKind::Leaf(entry) = self.node?.kind() else {
            return None;
        };
        let entries = view.entries();
        let order = entries.compare(&self.probe, entries.key_of(entry));
        order.is_eq().then(|| entries.value(entry))
    }

    /// Creates the proof, after the walk has reached a leaf. `found` is the value of the key, if
    /// present.
    fn finish<S: Suite, St>(
        &self,
        view: View<'v, St>,
        key: &Key,
        found: Option<&[u8]>,
    ) -> Result<TreeProof<S, Key>, LookupError>
    where
        St: VersionedStore<Annotation = Authenticated<S>>,
    {
        let Some(value) = found else {
            return prove(view, key);
        };
        let mut proof = ProofBuilder::with_capacity(self.siblings.len());
        for (side, _) in &self.siblings {
            proof.push_elided(*side);
        }
        let siblings = self.siblings.iter().map(|(_, sibling)| *sibling);
        view.store
            .append_digests_at(siblings, view.version, &mut proof.siblings);
        proof.open_leaf(key.as_bytes(), shown(value));
        Ok(proof.finish())
    }
}

/// Prunes a tree to the runs of leaves in `openings`. Includes the values of the keys for which
/// `reveals` returns true, and digests of the other values.
///
/// # Errors
/// [`LookupError::TooLong`] if the opened keys and revealed values exceed `most` bytes. The tree's
/// error if a node cannot be fetched.
fn prune<T: HashedTree>(
    tree: T,
    openings: &[LeafRun<T::Leaf>],
    most: usize,
    reveals: &dyn Fn(&[u8]) -> bool,
) -> Result<ProofBuilder<T::Suite>, T::Error> {
    let mut proof = ProofBuilder::with_capacity(32);
    let root = tree.top()?.map(|root| (root, openings));
    let mut pending: Vec<_> = root.into_iter().collect();
    let mut length: usize = 0;
    while let Some((node, openings)) = pending.pop() {
        let inner = match tree.open(&node)? {
            Opened::Leaf(leaf) => {
                let key = tree.key(&leaf);
                length = length.saturating_add(key.len());
                // Digests of other values are not counted: they are short.
                let reveals = reveals(key);
                if reveals {
                    length = length.saturating_add(tree.value(&leaf).len());
                }
                if length > most {
                    return Err(LookupError::TooLong { most }.into());
                }
                let content = if reveals {
                    shown(tree.value(&leaf))
                } else {
                    Content::Digest(tree.value_digest(&leaf))
                };
                proof.open_leaf(key, content);
                continue;
            }
            Opened::Inner(inner) => inner,
        };
        // A run that begins below the separator has leaves on the left. A run that does not end
        // below it has leaves on the right.
        let begun = openings.partition_point(|run| tree.is_below(&run.first, &inner));
        let ended = openings.partition_point(|run| tree.is_below(&run.last, &inner));
        let [left, right] = tree.branches(&inner);
        match (&openings[..begun], &openings[ended..]) {
            (on_the_left, []) => {
                proof.elide(Side::Right, tree.digest(&right));
                pending.push((left, on_the_left));
            }
            ([], on_the_right) => {
                proof.elide(Side::Left, tree.digest(&left));
                pending.push((right, on_the_right));
            }
            (on_the_left, on_the_right) => {
                proof.push_code(BOTH_OPEN);
                pending.push((right, on_the_right));
                pending.push((left, on_the_left));
            }
        }
    }
    Ok(proof)
}

/// The leaves that a lookup needs: the leaf with the key, or its two neighbours if the key is
/// absent.
fn lookup<T: SearchTree>(tree: T, probe: &Probe<'_>) -> Result<Vec<LeafRun<T::Leaf>>, T::Error> {
    let Some(mut cursor) = search::seek(tree, probe)? else {
        return Ok(Vec::new());
    };
    let reached = cursor.leaf.clone();
    Ok(vec![match tree.compare(probe, &reached) {
        Ordering::Equal => LeafRun::only(reached),
        Ordering::Less => {
            cursor.advance(Side::Left)?;
            LeafRun {
                first: cursor.leaf,
                last: reached,
            }
        }
        Ordering::Greater => {
            cursor.advance(Side::Right)?;
            LeafRun {
                first: reached,
                last: cursor.leaf,
            }
        }
    }])
}

/// The leaf nearest to a key on one side, together with the leaf's neighbour across the key, which
/// proves that no leaf is nearer.
fn nearest<T: SearchTree>(
    tree: T,
    key: &Key,
    side: Side,
) -> Result<Vec<LeafRun<T::Leaf>>, T::Error> {
    let probe = Probe::new(key.as_bytes());
    let answer = search::nearest(tree, &probe, side, false)?;
    let bound = search::nearest(tree, &probe, side.other(), true)?;
    let (first, last) = if side == Side::Left {
        (answer, bound)
    } else {
        (bound, answer)
    };
    let leaf = |cursor: Cursor<T>| cursor.leaf;
    Ok(match (first.map(leaf), last.map(leaf)) {
        (Some(first), Some(last)) => vec![LeafRun { first, last }],
        (Some(leaf), None) | (None, Some(leaf)) => vec![LeafRun::only(leaf)],
        (None, None) => Vec::new(),
    })
}

fn end<T: SearchTree>(tree: T, side: Side) -> Result<Vec<LeafRun<T::Leaf>>, T::Error> {
    let cursor = search::end(tree, side)?;
    Ok(cursor
        .map(|cursor| LeafRun::only(cursor.leaf))
        .into_iter()
        .collect())
}

/// Implements [`Plan`] for questions whose plan is one expression.
macro_rules! plans {
    ($($question:ty: |$this:ident, $tree:ident| $plan:expr,
        |$range:pat_param| $lies_in:expr;)*) => {$(
        impl Plan for $question {
            fn plan<T: SearchTree>(&self, $tree: T) -> Result<Vec<LeafRun<T::Leaf>>, T::Error> {
                let $this = self;
                $plan
            }

            fn lies_in(&self, $range: &KeyRange) -> bool {
                let $this = self;
                $lies_in
            }
        }
    )*};
}

plans! {
    Key: |this, tree| lookup(tree, &Probe::new(this.as_bytes())),
        |range| range.contains(this.as_bytes());
    Predecessor: |this, tree| nearest(tree, &this.0, Side::Left),
        |range| range.contains(this.0.as_bytes());
    Successor: |this, tree| nearest(tree, &this.0, Side::Right),
        |range| range.contains(this.0.as_bytes());
    First: |_this, tree| end(tree, Side::Left), |_| true;
    Last: |_this, tree| end(tree, Side::Right), |_| true;
}

impl Plan for Keys {
    fn plan<T: SearchTree>(&self, tree: T) -> Result<Vec<LeafRun<T::Leaf>>, T::Error> {
        let mut openings: Vec<LeafRun<T::Leaf>> = Vec::with_capacity(self.as_slice().len());
        for key in self.as_slice() {
            for next in lookup(tree, &Probe::new(key.as_bytes()))? {
                match openings.last_mut() {
                    // Neighbouring gaps share a leaf, and one gap may contain several keys.
                    Some(last) if !tree.is_before(&last.last, &next.first) => last.last = next.last,
                    _ => openings.push(next),
                }
            }
        }
        Ok(openings)
    }

    fn lies_in(&self, range: &KeyRange) -> bool {
        let mut keys = self.as_slice().iter();
        keys.all(|key| range.contains(key.as_bytes()))
    }
}

impl Plan for KeyRange {
    fn plan<T: SearchTree>(&self, tree: T) -> Result<Vec<LeafRun<T::Leaf>>, T::Error> {
        if !self.is_valid() {
            return Err(LookupError::InvalidQuery.into());
        }
        let bound = |key: &Option<Key>, side, inclusive| {
            let near = match key {
                Some(key) => search::nearest(tree, &Probe::new(key.as_bytes()), side, inclusive)?,
                None => None,
            };
            match near {
                Some(near) => Ok(Some(near.leaf)),
                None => search::end(tree, side).map(|end| end.map(|cursor| cursor.leaf)),
            }
        };
        let first = bound(&self.start, Side::Left, false)?;
        let last = bound(&self.end, Side::Right, true)?;
        Ok(first
            .zip(last)
            .map(|(first, last)| LeafRun { first, last })
            .into_iter()
            .collect())
    }

    fn lies_in(&self, range: &KeyRange) -> bool {
        self.lies_in(range)
    }
}

/// The content of an opened leaf that includes its value. Values of trees are within the length
/// limit.
pub(crate) fn shown<S: Suite>(value: &[u8]) -> Content<S> {
    Content::Value(Value::new(value).expect("prover: trees have checked values"))
}

/// A proof under construction. Its nodes are added in pre-order.
pub(crate) struct ProofBuilder<S: Suite> {
    shape: Vec<u8>,
    nodes: usize,
    siblings: Vec<S::Digest>,
    leaves: Vec<OpenedLeaf<S>>,
}

impl<S: Suite> ProofBuilder<S> {
    /// Creates an empty proof with room for one path of `depth` inner nodes.
    pub(crate) fn with_capacity(depth: usize) -> Self {
        Self {
            shape: Vec::with_capacity(depth / 4 + 1),
            nodes: 0,
            siblings: Vec::with_capacity(depth),
            leaves: Vec::with_capacity(1),
        }
    }

    #[inline]
    fn push_code(&mut self, code: u8) {
        let place = self.nodes % 4 * 2;
        if place == 0 {
            self.shape.push(code);
        } else if let Some(byte) = self.shape.last_mut() {
            *byte |= code << place;
        }
        self.nodes += 1;
    }

    /// Adds an inner node whose child on `side` is elided (left out). The caller adds the child's
    /// digest separately.
    #[inline]
    fn push_elided(&mut self, side: Side) {
        self.push_code(if side == Side::Left {
            LEFT_ELIDED
        } else {
            RIGHT_ELIDED
        });
    }

    /// Adds an inner node, and the digest of its child on `side`. The other child follows.
    pub(crate) fn elide(&mut self, side: Side, digest: S::Digest) {
        self.push_elided(side);
        self.siblings.push(digest);
    }

    /// Adds a leaf with this key and content. Keys of trees are within the length limit.
    pub(crate) fn open_leaf(&mut self, key: &[u8], content: Content<S>) {
        self.push_code(LEAF);
        let key = Key::new(key).expect("prover: trees have checked keys");
        self.leaves.push(OpenedLeaf { key, content });
    }

    pub(crate) fn finish<Q>(self) -> TreeProof<S, Q> {
        let Self {
            shape,
            siblings,
            leaves,
            ..
        } = self;
        TreeProof {
            shape,
            siblings,
            leaves,
            query: PhantomData,
        }
    }
}
