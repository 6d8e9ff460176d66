//! The server's half: which leaves a query needs, and the pruned tree that opens them.

use core::{cmp::Ordering, marker::PhantomData};

use pad_core::{First, Key, KeyRange, Keys, Last, LookupError, Predecessor, Successor, Suite};

use crate::{
    annotation::Authenticated,
    entries::{Entries, Probe},
    id::{Children, EntryId, KeyId, NodeId, NodeKind, Side},
    opened::{Content, OpenedLeaf},
    proof::{BOTH_OPEN, LEAF, LEFT_ELIDED, RIGHT_ELIDED, TreeProof},
    query::TreeQuery,
    store::VersionedStore,
    view::View,
};

/// A question that a server of tree PADs can prove the answer to: every [`TreeQuery`].
pub trait ProvableQuery: TreeQuery + Plan {}

impl<Q: TreeQuery + Plan> ProvableQuery for Q {}

mod plan {
    use super::{LookupError, Opening, View};
    use crate::store::VersionedStore;

    /// The server's half of a question: which leaves its answer needs.
    pub trait Plan {
        /// The runs of leaves to open, in ascending order, not overlapping.
        fn plan<S: VersionedStore>(&self, view: View<'_, S>) -> Result<Vec<Opening>, LookupError>;
    }
}

use plan::Plan;

/// A run of neighbouring leaves to open: the first and the last of them.
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    first: EntryId,
    last: EntryId,
}

impl Opening {
    const fn only(leaf: EntryId) -> Self {
        Self {
            first: leaf,
            last: leaf,
        }
    }
}

/// The proof for a query about one version.
pub(crate) fn prove<S: Suite, St, Q: ProvableQuery>(
    view: View<'_, St>,
    query: &Q,
) -> Result<TreeProof<S, Q>, LookupError>
where
    St: VersionedStore<Annotation = Authenticated<S>>,
{
    let openings = query.plan(view)?;
    Ok(prune(view, &openings, query))
}

/// The proof for one key.
pub(crate) fn prove_key<S: Suite, St>(view: View<'_, St>, key: &Key) -> TreeProof<S, Key>
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

/// How many walks are under way at a time: enough to keep the memory system busy.
const LANES: usize = 32;

/// The proofs for many keys, each in its version.
///
/// The walks take turns: in each round, first all of them read their node, then all of them choose
/// their next one. So the cache misses of the reads overlap.
pub(crate) fn prove_many<'v, S: Suite, St>(
    queries: &[(View<'v, St>, &'v Key)],
) -> Vec<TreeProof<S, Key>>
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
        proofs.extend(
            finished()
                .zip(&found)
                .map(|((walk, (view, key)), found)| walk.finish(*view, key, *found)),
        );
    }
    proofs
}

/// A search that notes which subtrees it passes by. It reads no digests: the walk is a chain of
/// dependent cache misses, and the digests, gathered afterwards, are independent ones.
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

    /// Goes one level down from an inner node with this record.
    #[inline]
    fn step<St: VersionedStore>(&mut self, view: View<'v, St>, record: (KeyId, Children)) {
        let (separator, children) = record;
        let side = view.side(&self.probe, separator);
        self.siblings
            .push((side.other(), children.on(side.other())));
        self.node = Some(children.on(side));
    }

    /// The value of the entry that the walk arrived at, if it is the one searched for.
    #[inline]
    fn found<St: VersionedStore>(&self, view: View<'v, St>) -> Option<&'v [u8]> {
        let NodeKind::Leaf(entry) = self.node?.kind() else {
            return None;
        };
        let entries = view.entries();
        let order = entries.compare(&self.probe, entries.key_of(entry));
        order.is_eq().then(|| entries.value(entry))
    }

    /// The proof, once the walk has arrived.
    fn finish<S: Suite, St>(
        &self,
        view: View<'v, St>,
        key: &Key,
        found: Option<&[u8]>,
    ) -> TreeProof<S, Key>
    where
        St: VersionedStore<Annotation = Authenticated<S>>,
    {
        let Some(value) = found else {
            return prune(view, &lookup(view, &self.probe), key);
        };
        let mut proof = Pruned::with_capacity(self.siblings.len());
        for (side, _) in &self.siblings {
            proof.push_elided(*side);
        }
        let siblings = self.siblings.iter().map(|(_, sibling)| *sibling);
        view.store
            .append_digests_at(siblings, view.version, &mut proof.siblings);
        proof.push_code(LEAF);
        proof.leaves.push(OpenedLeaf {
            key: key.clone(),
            content: Content::Value(Entries::<St::Annotation>::checked_value(value)),
        });
        proof.finish()
    }
}

/// The pruned tree that opens some runs of leaves.
fn prune<S: Suite, St, Q: TreeQuery>(
    view: View<'_, St>,
    openings: &[Opening],
    query: &Q,
) -> TreeProof<S, Q>
where
    St: VersionedStore<Annotation = Authenticated<S>>,
{
    let entries = view.entries();
    let mut proof = Pruned::with_capacity(32);
    let mut pending: Vec<(NodeId, &[Opening])> = Vec::new();
    pending.extend(view.root.map(|root| (root, openings)));
    while let Some((node, openings)) = pending.pop() {
        let index = match node.kind() {
            NodeKind::Leaf(entry) => {
                proof.open_leaf(entries, entry, query);
                continue;
            }
            NodeKind::Inner(_) => view.store.separator(node),
        };
        // A run that begins below the separator has leaves on the left, one that does not end
        // below it has leaves on the right.
        let is_below = |leaf: EntryId| entries.compare_keys(entries.key_of(leaf), index).is_lt();
        let left = &openings[..openings.partition_point(|run| is_below(run.first))];
        let right = &openings[openings.partition_point(|run| is_below(run.last))..];
        let children = view.children(node);
        match (left, right) {
            (left, []) => {
                proof.elide(Side::Right, view.digest(children.right()));
                pending.push((children.left(), left));
            }
            ([], right) => {
                proof.elide(Side::Left, view.digest(children.left()));
                pending.push((children.right(), right));
            }
            (left, right) => {
                proof.push_code(BOTH_OPEN);
                pending.push((children.right(), right));
                pending.push((children.left(), left));
            }
        }
    }
    proof.finish()
}

/// The leaves that a look-up needs: the key's, or the two neighbours of its gap.
fn lookup<St: VersionedStore>(view: View<'_, St>, probe: &Probe<'_>) -> Vec<Opening> {
    let Some(mut cursor) = view.seek(probe) else {
        return Vec::new();
    };
    let reached = cursor.leaf;
    let entries = view.entries();
    vec![match entries.compare(probe, entries.key_of(reached)) {
        Ordering::Equal => Opening::only(reached),
        Ordering::Less => {
            cursor.advance(Side::Left);
            Opening {
                first: cursor.leaf,
                last: reached,
            }
        }
        Ordering::Greater => {
            cursor.advance(Side::Right);
            Opening {
                first: reached,
                last: cursor.leaf,
            }
        }
    }]
}

/// The leaf nearest to a key on one side, and its neighbour on the other.
fn nearest<St: VersionedStore>(view: View<'_, St>, key: &Key, side: Side) -> Vec<Opening> {
    let probe = Probe::new(key.as_bytes());
    let answer = view.nearest(&probe, side, false);
    let bound = view.nearest(&probe, side.other(), true);
    let leaves = [answer, bound].map(|cursor| cursor.map(|cursor| cursor.leaf));
    let leaves = if side == Side::Left {
        leaves
    } else {
        [leaves[1], leaves[0]]
    };
    match leaves {
        [Some(first), Some(last)] => vec![Opening { first, last }],
        [Some(leaf), None] | [None, Some(leaf)] => vec![Opening::only(leaf)],
        [None, None] => Vec::new(),
    }
}

fn end<St: VersionedStore>(view: View<'_, St>, side: Side) -> Vec<Opening> {
    view.end(side)
        .map(|cursor| Opening::only(cursor.leaf))
        .into_iter()
        .collect()
}

impl Plan for Key {
    fn plan<S: VersionedStore>(&self, view: View<'_, S>) -> Result<Vec<Opening>, LookupError> {
        Ok(lookup(view, &Probe::new(self.as_bytes())))
    }
}

impl Plan for Keys {
    fn plan<S: VersionedStore>(&self, view: View<'_, S>) -> Result<Vec<Opening>, LookupError> {
        let mut openings: Vec<Opening> = Vec::with_capacity(self.as_slice().len());
        for key in self.as_slice() {
            for next in lookup(view, &Probe::new(key.as_bytes())) {
                match openings.last_mut() {
                    // Neighbouring gaps share a leaf; one gap may hold several keys.
                    Some(last) if !view.is_before(last.last, next.first) => last.last = next.last,
                    _ => openings.push(next),
                }
            }
        }
        Ok(openings)
    }
}

impl Plan for KeyRange {
    fn plan<S: VersionedStore>(&self, view: View<'_, S>) -> Result<Vec<Opening>, LookupError> {
        if !self.is_valid() {
            return Err(LookupError::InvalidQuery);
        }
        let bound = |key: &Option<Key>, side, inclusive| {
            let near = key
                .as_ref()
                .and_then(|key| view.nearest(&Probe::new(key.as_bytes()), side, inclusive));
            near.or_else(|| view.end(side)).map(|cursor| cursor.leaf)
        };
        let first = bound(&self.start, Side::Left, false);
        let last = bound(&self.end, Side::Right, true);
        Ok(first
            .zip(last)
            .map(|(first, last)| Opening { first, last })
            .into_iter()
            .collect())
    }
}

impl Plan for Predecessor {
    fn plan<S: VersionedStore>(&self, view: View<'_, S>) -> Result<Vec<Opening>, LookupError> {
        Ok(nearest(view, &self.0, Side::Left))
    }
}

impl Plan for Successor {
    fn plan<S: VersionedStore>(&self, view: View<'_, S>) -> Result<Vec<Opening>, LookupError> {
        Ok(nearest(view, &self.0, Side::Right))
    }
}

impl Plan for First {
    fn plan<S: VersionedStore>(&self, view: View<'_, S>) -> Result<Vec<Opening>, LookupError> {
        Ok(end(view, Side::Left))
    }
}

impl Plan for Last {
    fn plan<S: VersionedStore>(&self, view: View<'_, S>) -> Result<Vec<Opening>, LookupError> {
        Ok(end(view, Side::Right))
    }
}

/// A proof under construction, in pre-order.
pub(crate) struct Pruned<S: Suite> {
    shape: Vec<u8>,
    nodes: usize,
    siblings: Vec<S::Digest>,
    leaves: Vec<OpenedLeaf<S>>,
}

impl<S: Suite> Pruned<S> {
    /// An empty proof with room for one path of this length.
    fn with_capacity(depth: usize) -> Self {
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

    /// Notes an open node whose child on a side is elided; its digest follows apart.
    #[inline]
    fn push_elided(&mut self, side: Side) {
        self.push_code(if side == Side::Left {
            LEFT_ELIDED
        } else {
            RIGHT_ELIDED
        });
    }

    fn elide(&mut self, side: Side, digest: S::Digest) {
        self.push_elided(side);
        self.siblings.push(digest);
    }

    pub(crate) fn open_leaf<Q: TreeQuery>(
        &mut self,
        entries: &Entries<Authenticated<S>>,
        entry: EntryId,
        query: &Q,
    ) {
        self.push_code(LEAF);
        let key = entries.owned_key(entry);
        let content = if query.reveals(key.as_bytes()) {
            Content::Value(entries.owned_value(entry))
        } else {
            Content::Digest(S::value(entries.value(entry)))
        };
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
