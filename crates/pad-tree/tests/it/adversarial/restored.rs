//! Checkpoints that somebody else wrote: well-formed bytes, and a structure that no server makes.
//!
//! Restoring refuses them, or gives a repository on which every operation ends, whatever it answers.

use conformance::pad::signing_key;
use pad_core::{HeadLog, LookupError, Update};
use pad_tree::{
    CacheEverywhere, CacheMedian, CacheNowhere, Checkpoint, TreeAuthor, VersionedNodes,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::*;

type S = Sha256Ed25519;
type D = pad_core::Digest<32>;
type A = Authenticated<S>;

/// A checkpoint as it is encoded, field by field.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "St: Serialize + DeserializeOwned")]
struct Stored<St> {
    scheme: u16,
    heads: HeadLog<S>,
    store: St,
    roots: Vec<Option<u32>>,
    oldest: u32,
    population: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entries {
    bytes: Vec<u8>,
    prefixes: Vec<u64>,
    key_spans: Vec<u64>,
    ranks: Vec<u32>,
    keys: Vec<u32>,
    value_spans: Vec<u64>,
    digests: Vec<D>,
    keeps_digests: bool,
    fresh: Vec<u32>,
    sealed: [u64; 3],
    free_keys: Vec<u32>,
    free: Vec<u32>,
    garbage: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Copying<W> {
    entries: Entries,
    nodes: Vec<Copied>,
    digests: Vec<D>,
    balances: Vec<W>,
    sealed: u64,
    journal: Vec<(u32, W)>,
    free: Vec<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Copied {
    children: [u32; 2],
    separator: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Versioned<W> {
    entries: Entries,
    nodes: Vec<Node>,
    balances: Vec<W>,
    cells: Vec<D>,
    free_cells: Vec<u32>,
    digests: Vec<D>,
    since: Vec<u32>,
    bounds: Vec<u32>,
    pool: Vec<u32>,
    runs: Runs,
    free_places: Vec<Vec<u32>>,
    next: u32,
    sealed: u64,
    journal: Vec<(u32, Node)>,
    balance_journal: Vec<(u32, W)>,
    dead: Vec<u32>,
    free: Vec<u32>,
    born: Vec<u32>,
    ended: Vec<u32>,
    ends: Vec<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Node {
    children: [u32; 2],
    archived: [u32; 2],
    separator: u32,
    switched: u32,
    since: u32,
    cell: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Runs {
    Dense(Vec<[u32; 2]>),
    Sparse(std::collections::BTreeMap<u64, [u32; 2]>),
}

/// What can be changed in a stored store.
trait Parts: Clone + Debug + Serialize + DeserializeOwned {
    fn small(&mut self) -> Vec<&mut u32>;
    fn entries(&mut self) -> &mut Entries;
    fn lists(&mut self) -> Vec<&mut Vec<u32>>;
    fn nodes(&self) -> usize;
}

const LEAF: u32 = 1 << 31;

impl Entries {
    fn small(&mut self) -> impl Iterator<Item = &mut u32> {
        self.ranks.iter_mut().chain(&mut self.keys)
    }
}

impl<W: Clone + Debug + Serialize + DeserializeOwned> Parts for Copying<W> {
    fn small(&mut self) -> Vec<&mut u32> {
        let nodes = self.nodes.iter_mut().flat_map(|node| {
            let [left, right] = &mut node.children;
            [left, right, &mut node.separator]
        });
        nodes.chain(self.entries.small()).collect()
    }

    fn entries(&mut self) -> &mut Entries {
        &mut self.entries
    }

    fn lists(&mut self) -> Vec<&mut Vec<u32>> {
        let Entries {
            ranks,
            keys,
            fresh,
            free_keys,
            free,
            ..
        } = &mut self.entries;
        vec![ranks, keys, fresh, free_keys, free, &mut self.free]
    }

    fn nodes(&self) -> usize {
        self.nodes.len()
    }
}

impl<W: Clone + Debug + Serialize + DeserializeOwned> Parts for Versioned<W> {
    fn small(&mut self) -> Vec<&mut u32> {
        let nodes = self.nodes.iter_mut().flat_map(|node| {
            let Node {
                children: [a, b],
                archived: [c, d],
                separator,
                switched,
                since,
                cell,
            } = node;
            [a, b, c, d, separator, switched, since, cell]
        });
        let mut places = Vec::new();
        match &mut self.runs {
            Runs::Dense(runs) => places.extend(runs.iter_mut().flatten()),
            Runs::Sparse(runs) => places.extend(runs.values_mut().flatten()),
        }
        nodes
            .chain(self.entries.small())
            .chain(&mut self.free_cells)
            .chain(&mut self.since)
            .chain(&mut self.bounds)
            .chain(&mut self.pool)
            .chain(places)
            .chain(self.free_places.iter_mut().flatten())
            .chain([&mut self.next])
            .chain(&mut self.born)
            .chain(&mut self.ended)
            .chain(&mut self.ends)
            .collect()
    }

    fn entries(&mut self) -> &mut Entries {
        &mut self.entries
    }

    fn lists(&mut self) -> Vec<&mut Vec<u32>> {
        vec![
            &mut self.entries.ranks,
            &mut self.entries.keys,
            &mut self.entries.fresh,
            &mut self.entries.free,
            &mut self.free_cells,
            &mut self.since,
            &mut self.bounds,
            &mut self.pool,
            &mut self.dead,
            &mut self.free,
            &mut self.born,
            &mut self.ended,
            &mut self.ends,
        ]
    }

    fn nodes(&self) -> usize {
        self.nodes.len()
    }
}

/// A store whose encoding `M` mirrors.
trait Hosted:
    VersionedStore<Annotation = A> + Clone + Serialize + DeserializeOwned + Send + Sync
{
    type Mirror: Parts;
}

macro_rules! hosted {
    ($($store:ty => $mirror:ty;)*) => {$(impl Hosted for $store { type Mirror = $mirror; })*};
}

hosted! {
    PathCopying<A, RedBlack> => Copying<u32>;
    PathCopying<A, Treap> => Copying<()>;
    PathCopying<A, SkipList> => Copying<()>;
    VersionedNodes<A, RedBlack, CacheNowhere> => Versioned<u32>;
    VersionedNodes<A, RedBlack, CacheMedian> => Versioned<u32>;
    VersionedNodes<A, RedBlack, CacheEverywhere> => Versioned<u32>;
    VersionedNodes<A, Treap, CacheNowhere> => Versioned<()>;
    VersionedNodes<A, Treap, CacheMedian> => Versioned<()>;
    VersionedNodes<A, SkipList, CacheEverywhere> => Versioned<()>;
}

fn number(random: &mut Random, bound: usize) -> usize {
    usize::try_from(random.below(u64::try_from(bound).unwrap())).unwrap()
}

fn keys() -> Vec<Key> {
    (0..40).map(|number| key([number / 7, number])).collect()
}

/// A server with many versions, pruned or not, and the updates that come next.
fn served<St: Hosted>(seed: u64, pruned: bool) -> (TreeRepository<S, St>, Vec<Update<S>>) {
    let mut random = Random::new(seed);
    let mut author = tree_author::<S, St::Scheme>(DictionaryId::from_name("restored"), 7);
    let mut server = TreeRepository::<S, St>::new(author.authority());
    let (keys, mut next) = (keys(), Vec::new());
    for version in 0..30 {
        for _ in 0..=random.below(if version == 0 { 60 } else { 6 }) {
            let changed = &keys[number(&mut random, keys.len())];
            if random.below(3) == 0 {
                author.remove(changed);
            } else {
                author.put(changed.clone(), value(random.bytes(3)));
            }
        }
        let update = author.snapshot().unwrap();
        if version < 26 {
            server.apply(&update).unwrap();
        } else {
            next.push(update);
        }
    }
    if pruned {
        server.prune(Version::new(9)).unwrap();
    }
    (server, next)
}

fn to_mirror<St: Hosted>(server: &TreeRepository<S, St>) -> Stored<St::Mirror> {
    let body = codec::encode_body(&server.checkpoint());
    codec::decode_body(&body).expect("the mirror has the same fields")
}

fn restore<St: Hosted>(stored: &Stored<St::Mirror>) -> Option<TreeRepository<S, St>> {
    let body = codec::encode_body(stored);
    let checkpoint: Checkpoint<S, St> = codec::decode_body(&body).ok()?;
    TreeRepository::restore(checkpoint)
}

/// Everything that can be asked of a server; what it answers does not matter.
fn exercise<St: Hosted>(mut server: TreeRepository<S, St>, next: &[Update<S>]) {
    ask(&server);
    let mut pruned = server.clone();
    for update in next {
        let _ = server.apply(update);
    }
    ask(&server);
    let middle = u64::midpoint(pruned.oldest().number(), pruned.latest().number());
    for oldest in [Version::new(middle), pruned.latest()] {
        pruned.prune(oldest).unwrap();
        ask(&pruned);
    }
    for update in next {
        let _ = pruned.apply(update);
    }
    ask(&pruned);
    assert!(restore::<St>(&to_mirror(&pruned)).is_some());
    drop(TreeAuthor::<S, St::Scheme, _>::resume(
        &pruned,
        signing_key(7),
    ));
}

fn ask<St: Hosted>(server: &TreeRepository<S, St>) {
    let (oldest, latest) = (server.oldest(), server.latest());
    let questions = keys();
    for version in oldest.number()..=latest.number() {
        let version = Version::new(version);
        for key in questions.iter().step_by(5) {
            server.prove(version, key).unwrap();
            server
                .prove_query(version, &Predecessor(key.clone()))
                .unwrap();
            server
                .prove_query(version, &Successor(key.clone()))
                .unwrap();
        }
        let many: Vec<_> = questions.iter().map(|key| (version, key.clone())).collect();
        server.prove_many(&many).unwrap();
        server.prove_query(version, &KeyRange::ALL).unwrap();
        server.prove_query(version, &First).unwrap();
        server.prove_query(version, &Last).unwrap();
        drop(server.diff(oldest, version));
        let _ = server.contents().entries(version).map(Iterator::count);
        let _ = server.contents().root_digest(version);
    }
    drop(server.history(&questions[3]));
    let _ = server.memory_bytes();
}

fn check_honest<St: Hosted>() {
    for pruned in [false, true] {
        for seed in 0..8 {
            let (server, next) = served::<St>(seed, pruned);
            let mut restored =
                restore::<St>(&to_mirror(&server)).expect("an honest checkpoint fits");
            for update in &next {
                restored.apply(update).unwrap();
            }
            exercise(server, &next);
        }
    }
}

/// One to three changes of anything that is stored, to something near or far.
fn spoil<M: Parts>(stored: &mut Stored<M>, random: &mut Random) {
    for _ in 0..=random.below(2) {
        let nodes = stored.store.nodes();
        match random.below(10) {
            0..=5 => {
                let mut places = stored.store.small();
                let chosen = number(random, places.len());
                let other = *places[number(random, places.len())];
                let near = *places[chosen] ^ (1 << random.below(4));
                let ids = u32::try_from(nodes).unwrap();
                let somewhere = u32::try_from(random.below(200)).unwrap();
                let choices = [
                    other,
                    near,
                    ids,
                    ids + 1,
                    somewhere,
                    LEAF | somewhere,
                    u32::MAX,
                    u32::MAX >> 1,
                    0,
                ];
                *places[chosen] = choices[number(random, choices.len())];
            }
            6 => {
                let entries = stored.store.entries();
                let spans = if random.below(2) == 0 {
                    &mut entries.key_spans
                } else {
                    &mut entries.value_spans
                };
                let (from, to) = (number(random, spans.len()), number(random, spans.len()));
                spans[to] = match random.below(3) {
                    0 => spans[from],
                    1 => spans[to] ^ 1 << random.below(64),
                    _ => random.next_bits(),
                };
            }
            7 => {
                let mut lists = stored.store.lists();
                let chosen = number(random, lists.len());
                match random.below(3) {
                    0 => drop(lists[chosen].pop()),
                    1 => lists[chosen].push(u32::try_from(random.below(100)).unwrap()),
                    _ => lists[chosen].reverse(),
                }
            }
            8 => {
                let roots = stored.roots.len();
                let chosen = number(random, roots);
                stored.roots[chosen] = match random.below(4) {
                    0 => None,
                    1 => stored.roots[number(random, roots)],
                    2 => Some(u32::try_from(random.below(200)).unwrap() + 1),
                    _ => Some(LEAF | u32::try_from(random.below(60)).unwrap()),
                };
            }
            _ => match random.below(4) {
                0 => stored.population = random.below(50),
                1 => stored.oldest ^= 1,
                2 => stored.store.entries().garbage = random.below(10_000),
                _ => stored.store.entries().sealed[number(random, 3)] ^= 1 << random.below(20),
            },
        }
    }
}

fn check_spoiled<St: Hosted>() {
    let tries = if cfg!(debug_assertions) { 400 } else { 2000 };
    let (mut refused, mut taken) = (0, 0);
    for pruned in [false, true] {
        let (server, next) = served::<St>(3, pruned);
        let honest = to_mirror(&server);
        for seed in 0..tries {
            let mut stored = honest.clone();
            spoil(&mut stored, &mut Random::new(seed));
            match restore::<St>(&stored) {
                None => refused += 1,
                Some(restored) => {
                    taken += 1;
                    if taken % 8 == 0 || refused == 0 {
                        exercise(restored, &next);
                    } else {
                        ask(&restored);
                    }
                }
            }
        }
    }
    assert!(
        refused > tries / 4 && taken > tries / 50,
        "{refused} {taken}"
    );
}

macro_rules! for_each_hosted {
    ($($name:ident: $store:ty;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn honest_checkpoints_are_restored() {
                check_honest::<$store>();
            }

            #[test]
            fn spoiled_checkpoints_are_refused_or_harmless() {
                check_spoiled::<$store>();
            }
        }
    )*};
}

for_each_hosted! {
    red_black_path_copying: PathCopying<A, RedBlack>;
    treap_path_copying: PathCopying<A, Treap>;
    skip_list_path_copying: PathCopying<A, SkipList>;
    red_black_cache_nowhere: VersionedNodes<A, RedBlack, CacheNowhere>;
    red_black_cache_median: VersionedNodes<A, RedBlack, CacheMedian>;
    red_black_cache_everywhere: VersionedNodes<A, RedBlack, CacheEverywhere>;
    treap_cache_nowhere: VersionedNodes<A, Treap, CacheNowhere>;
    treap_cache_median: VersionedNodes<A, Treap, CacheMedian>;
    skip_list_cache_everywhere: VersionedNodes<A, SkipList, CacheEverywhere>;
}

type Copy = PathCopying<A, RedBlack>;
type Nowhere = VersionedNodes<A, RedBlack, CacheNowhere>;

/// The inner node that a root id names.
fn index(root: Option<u32>) -> usize {
    usize::try_from(root.unwrap()).unwrap() - 1
}

fn is_refused<St: Hosted>(spoil: impl FnOnce(&mut Stored<St::Mirror>)) {
    let (server, _) = served::<St>(1, false);
    let mut stored = to_mirror(&server);
    spoil(&mut stored);
    assert!(restore::<St>(&stored).is_none());
}

#[test]
fn cycles_are_refused() {
    is_refused::<Copy>(|stored| {
        let root = stored.roots[25];
        stored.store.nodes[index(root)].children[1] = root.unwrap();
    });
    is_refused::<Copy>(|stored| {
        // Also in an old version alone.
        let root = stored.roots[5];
        let below = stored.store.nodes[index(root)].children[0];
        stored.store.nodes[usize::try_from(below).unwrap() - 1].children[0] = root.unwrap();
    });
    is_refused::<Nowhere>(|stored| {
        let root = stored.roots[25];
        stored.store.nodes[index(root)].children[1] = root.unwrap();
    });
    let old = |stored: &mut Stored<Versioned<u32>>| {
        let switched = stored.store.nodes.iter().position(|node| node.switched > 1);
        let node = switched.expect("some node has archived children");
        let id = u32::try_from(node).unwrap() + 1;
        stored.store.nodes[node].archived[0] = id;
    };
    is_refused::<Nowhere>(old);
}

/// A chain of nodes both of whose children are the next has two to the length paths.
#[test]
fn shared_subtrees_are_refused() {
    is_refused::<Copy>(|stored| {
        for (number, node) in (1..).zip(&mut stored.store.nodes) {
            if number < 40 {
                node.children = [number + 1; 2];
            }
        }
    });
    is_refused::<Nowhere>(|stored| {
        let live = stored.roots[25];
        let child = stored.store.nodes[index(live)].children[0];
        stored.store.nodes[index(live)].children = [child; 2];
    });
    // A leaf that is reached twice would be shown twice, with its value.
    is_refused::<Nowhere>(|stored| {
        let is_leaf = |child: &u32| *child & LEAF != 0;
        let leaves: Vec<_> = (0..stored.store.nodes.len())
            .filter(|node| stored.store.nodes[*node].children.iter().all(is_leaf))
            .filter(|node| {
                !stored
                    .store
                    .ended
                    .contains(&(u32::try_from(*node).unwrap() + 1))
            })
            .collect();
        let shared = stored.store.nodes[leaves[0]].children[0];
        stored.store.nodes[leaves[1]].children[0] = shared;
    });
}

#[test]
fn unordered_keys_are_refused() {
    fn latest_leaves<W>(store: &mut Versioned<W>, mut node: usize) -> &mut Node {
        while store.nodes[node].children[0] & LEAF == 0 {
            node = usize::try_from(store.nodes[node].children[0]).unwrap() - 1;
        }
        &mut store.nodes[node]
    }
    is_refused::<Copy>(|stored| {
        stored.store.nodes[index(stored.roots[25])]
            .children
            .reverse();
    });
    is_refused::<Nowhere>(|stored| {
        let root = index(stored.roots[25]);
        latest_leaves(&mut stored.store, root).children.reverse();
    });
    is_refused::<Copy>(|stored| stored.store.entries.prefixes[3] ^= 1);
    is_refused::<PathCopying<A, Treap>>(|stored| stored.store.entries.ranks[3] ^= 1);
}

#[test]
fn what_is_out_of_range_is_refused() {
    is_refused::<Copy>(|stored| stored.store.nodes[0].children[0] = 100_000);
    is_refused::<Copy>(|stored| stored.store.nodes[0].children[0] = LEAF | 0xffff);
    is_refused::<Copy>(|stored| stored.store.nodes[0].separator = 100_000);
    is_refused::<Copy>(|stored| stored.store.entries.keys[0] = 100_000);
    is_refused::<Copy>(|stored| stored.store.entries.key_spans[0] = 1 << 40);
    is_refused::<Copy>(|stored| stored.roots[3] = Some(100_000));
    is_refused::<Copy>(|stored| stored.roots.clear());
    is_refused::<Copy>(|stored| stored.population += 1);
    is_refused::<Copy>(|stored| stored.store.balances.truncate(3));
    is_refused::<Copy>(|stored| stored.store.digests.truncate(3));
    is_refused::<Copy>(|stored| stored.store.sealed -= 1);
    is_refused::<Copy>(|stored| stored.store.free.push(1));
    is_refused::<Nowhere>(|stored| stored.store.nodes[0].archived[1] = 100_000);
    is_refused::<Nowhere>(|stored| stored.store.nodes[0].cell = 100_000);
    is_refused::<Nowhere>(|stored| stored.store.nodes[0].switched = 26);
    is_refused::<Nowhere>(|stored| stored.store.free_cells = vec![0; 100_000]);
    is_refused::<Nowhere>(|stored| stored.store.next = u32::MAX);
    is_refused::<Nowhere>(|stored| stored.store.bounds[1] = 100_000);
    is_refused::<Nowhere>(|stored| stored.oldest = u32::MAX);
}

/// A red node below a red one, or paths of different lengths, would make the next update panic.
#[test]
fn unbalanced_trees_are_refused() {
    is_refused::<Copy>(|stored| stored.store.balances[index(stored.roots[25])] = 1);
    is_refused::<Nowhere>(|stored| {
        let root = index(stored.roots[25]);
        let below = stored.store.nodes[root].children[0];
        stored.store.balances[usize::try_from(below).unwrap() - 1] ^= 1;
    });
}

/// Spans that share bytes would be copied out one by one when bytes are moved together, and runs that
/// share a place be walked one by one.
#[test]
fn what_is_shared_to_grow_is_refused() {
    is_refused::<Copy>(|stored| {
        let entries = &mut stored.store.entries;
        let whole = u64::try_from(entries.bytes.len()).unwrap();
        entries.value_spans.fill(whole);
    });
    is_refused::<VersionedNodes<A, RedBlack, CacheEverywhere>>(|stored| {
        let Runs::Dense(runs) = &mut stored.store.runs else {
            panic!("dense")
        };
        let longest = *runs.iter().max_by_key(|run| run[1]).unwrap();
        runs.fill(longest);
    });
}

/// Only contents are believed: what a stranger put into a value is what nobody's proof shows.
#[test]
fn other_contents_are_served_but_verify_for_nobody() {
    let (server, _) = served::<Copy>(1, false);
    let mut stored = to_mirror(&server);
    let entries = &mut stored.store.entries;
    entries.bytes.iter_mut().for_each(|byte| *byte ^= 1);
    assert!(
        restore::<Copy>(&stored).is_none(),
        "prefixes are no longer those of the keys"
    );
    let (server, _) = served::<Copy>(1, false);
    let mut stored = to_mirror(&server);
    stored.store.digests.reverse();
    let restored = restore::<Copy>(&stored).expect("digests are not looked at");
    let head = verified_head(*server.authority(), &server, server.latest());
    let asked = &keys()[3];
    let proof = restored.prove(server.latest(), asked).unwrap();
    let refused = Untrusted::new(proof).verify(&head, asked).map(drop);
    assert_eq!(refused, Err(VerifyError::RootMismatch));
    let missing = restored.prove(Version::new(100), asked).err();
    assert!(matches!(missing, Some(LookupError::UnknownVersion { .. })));
}
