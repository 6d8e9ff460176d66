//! Storage growth, measured in nodes and digests instead of time.

use pad_conformance::{
    Random,
    operation::{key, value},
    pad::dictionary,
    tree::{Store, tree_author},
};
use pad_core::{Authority, Dictionary, Repository, Sha256Ed25519, Update};
use pad_tree::{
    CacheEverywhere, CacheMedian, CacheNowhere, PathCopying, TreeRepository, VersionedNodes,
    internals::{Authenticated, BalancingScheme},
};

type A = Authenticated<Sha256Ed25519>;

/// Nodes and digests stored per version, in each half of the single-key versions.
#[derive(Clone, Copy, Debug)]
struct Growth {
    nodes: [f64; 2],
    digests: [f64; 2],
}

/// The operations of single-key versions.
#[derive(Clone, Copy)]
enum Workload {
    /// Each version inserts a new key.
    Insert,
    /// Versions replace a value, remove a key and insert another in turn, at a constant size.
    Churn,
}

const VERSIONS: u32 = 2000;

/// The update that loads entries, if any, and those of the versions.
type Updates = (Option<Update<Sha256Ed25519>>, Vec<Update<Sha256Ed25519>>);

fn updates<B: BalancingScheme>(workload: Workload) -> (Authority, Updates) {
    let mut author = tree_author::<Sha256Ed25519, B>(dictionary(), 7);
    let mut random = Random::new(42);
    let mut keys = Vec::new();
    let mut loading = None;
    if matches!(workload, Workload::Churn) {
        for _ in 0..1024 {
            keys.push(key(random.bytes(8)));
            author.put(keys[keys.len() - 1].clone(), value(b"loaded"));
        }
        loading = Some(author.snapshot().unwrap());
    }
    let versions = (0..VERSIONS).map(|version| {
        match (workload, version % 3) {
            (Workload::Churn, 0) => {
                author.put(keys[keys.len() / 2].clone(), value(version.to_be_bytes()));
            }
            (Workload::Churn, 1) => {
                let position = usize::try_from(random.below(1000)).unwrap();
                author.remove(&keys.swap_remove(position));
            }
            _ => {
                keys.push(key(random.bytes(8)));
                author.put(keys[keys.len() - 1].clone(), value(b"inserted"));
            }
        }
        author.snapshot().unwrap()
    });
    let versions = versions.collect();
    (author.authority(), (loading, versions))
}

fn measure<St: Store<Sha256Ed25519>>(
    (authority, (loading, versions)): &(Authority, Updates),
) -> Growth {
    let mut server = TreeRepository::<Sha256Ed25519, St>::new(*authority);
    if let Some(loading) = loading {
        server.apply(loading).unwrap();
    }
    let count = |server: &TreeRepository<Sha256Ed25519, St>| {
        let tree = server.contents();
        [tree.node_count(), tree.digest_count()]
            .map(|count| f64::from(u32::try_from(count).unwrap()))
    };
    let mut counts = vec![count(&server)];
    for (version, update) in (1..).zip(versions) {
        server.apply(update).unwrap();
        if version % (VERSIONS / 2) == 0 {
            counts.push(count(&server));
        }
    }
    let slope = |which: usize| {
        let added = |half: usize| counts[half + 1][which] - counts[half][which];
        [0, 1].map(|half| added(half) * 2.0 / f64::from(VERSIONS))
    };
    Growth {
        nodes: slope(0),
        digests: slope(1),
    }
}

/// Checks storage growth. Versioned nodes store `O(1)` nodes per update, without an increase over
/// time, and digests according to the policy. Path copying stores about the depth of the tree.
fn grows_as_claimed<B: BalancingScheme>() {
    for workload in [Workload::Insert, Workload::Churn] {
        let updates = updates::<B>(workload);
        let copying = measure::<PathCopying<A, B>>(&updates);
        let nowhere = measure::<VersionedNodes<A, B, CacheNowhere>>(&updates);
        let median = measure::<VersionedNodes<A, B, CacheMedian>>(&updates);
        let everywhere = measure::<VersionedNodes<A, B, CacheEverywhere>>(&updates);
        let scheme = B::NAME;
        println!("{scheme}: {copying:?} {:?}", [nowhere, median, everywhere]);
        for half in [0, 1] {
            for versioned in [nowhere, median, everywhere] {
                let nodes = versioned.nodes[half];
                assert!(nodes < 5.0, "{scheme}: O(1) nodes: {versioned:?}");
                assert!((nodes - nowhere.nodes[half]).abs() < 1e-9);
            }
            let nodes = copying.nodes[half];
            assert!(nodes > 7.0, "{scheme}: a path each: {copying:?}");
            assert!(nodes < 26.0, "{scheme}: no more than that: {copying:?}");
            // Only digests of live nodes are stored. An insertion adds one live node.
            assert!(nowhere.digests[half] < 1.1, "{scheme}: {nowhere:?}");
            assert!(median.digests[half] < 4.0, "{scheme}: {median:?}");
            let path = everywhere.digests[half] / copying.digests[half];
            assert!((0.6..=1.1).contains(&path), "{scheme}: one per path node");
        }
    }
}

for_each_scheme! {
    grows_as_claimed,
}
