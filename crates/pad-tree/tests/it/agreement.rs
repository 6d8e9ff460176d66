//! Results do not depend on the store, the number of threads, or the form of a batch. For
//! set-unique schemes, they do not depend on the order of operations.

use std::collections::BTreeMap;

use pad_conformance::{
    Action, Random, TreePad,
    operation::{key, value},
    pad::{dictionary, proof_bytes, verified_head},
    repository::{TraceRun, play},
    traces,
    tree::{Store, tree_author},
};
use pad_core::{
    Dictionary, Digest, Key, Operation, Repository, Sha256Ed25519, Untrusted, Update, Version,
    Workers,
};
use pad_tree::{
    CacheEverywhere, CacheMedian, CacheNowhere, PathCopying, RedBlack, SkipList, Treap,
    TreeRepository, VersionedNodes,
    internals::{Authenticated, BalancingScheme},
};

use crate::batches::two_threads;

type S = Sha256Ed25519;
type A = Authenticated<S>;

/// The roots of the versions after a trace, and the encoded proofs of some keys.
fn roots<St: Store<S>>(actions: &[Action]) -> Vec<(Digest<32>, Vec<Vec<u8>>)> {
    let TraceRun {
        server,
        updates,
        oracle,
        ..
    } = play::<TreePad<S, St>>(actions);
    let keys = oracle.interesting_keys();
    let versions = updates.iter().map(|update| update.head.head.version);
    let rows = versions.map(|version| {
        let root = server.contents().root_digest(version);
        let prove = |key| proof_bytes::<TreePad<S, St>>(&server, version, key);
        let proofs = keys.iter().step_by(3).map(prove).collect();
        (root.expect("the version is there"), proofs)
    });
    rows.collect()
}

fn stores_agree<B: BalancingScheme>() {
    traces::check_traces(B::NAME, 4, 60, |actions| {
        let expected = roots::<PathCopying<A, B>>(actions);
        for roots in [
            roots::<VersionedNodes<A, B, CacheNowhere>>,
            roots::<VersionedNodes<A, B, CacheMedian>>,
            roots::<VersionedNodes<A, B, CacheEverywhere>>,
        ] {
            assert_eq!(roots(actions), expected);
        }
    });
}

for_each_scheme! {
    stores_agree,
}

/// Every answer of every version, by key.
fn answers<B: BalancingScheme>(actions: &[Action]) -> Vec<BTreeMap<Key, pad_core::Answer>> {
    let played = play::<TreePad<S, VersionedNodes<A, B, CacheMedian>>>(actions);
    let TraceRun {
        server,
        oracle,
        author,
        ..
    } = played;
    let versions = oracle.versions_from(Version::EMPTY).map(|(version, _)| {
        let head = verified_head(author.authority(), &server, version);
        let keys = oracle.interesting_keys().into_iter().map(|key| {
            let proof = Untrusted::new(server.prove(version, &key).expect("it is there"));
            let lookup = proof.verify(&head, &key).expect("it verifies").into_inner();
            (key, lookup.answer)
        });
        keys.collect()
    });
    versions.collect()
}

#[test]
fn schemes_give_the_same_answers() {
    traces::check_traces("schemes", 3, 60, |actions| {
        let expected = answers::<RedBlack>(actions);
        assert_eq!(answers::<Treap>(actions), expected);
        assert_eq!(answers::<SkipList>(actions), expected);
    });
}

/// Large pseudorandom batches: load the empty tree, change a part, remove nearly all.
fn large_batches() -> Vec<Vec<Operation>> {
    let mut random = Random::new(traces::seed());
    let mut present: Vec<Key> = Vec::new();
    let mut batches = Vec::new();
    for size in [3000, 1200, 700, 1] {
        let mut batch = BTreeMap::new();
        for _ in 0..size {
            let fresh = key(random.next_bits().to_be_bytes());
            batch.insert(fresh.clone(), Some(value(random.bytes(9))));
            if let Some(old) = present.pop() {
                batch.insert(old, (random.below(2) == 0).then(|| value(b"changed")));
            }
        }
        let puts = batch.iter().filter(|(_, value)| value.is_some());
        present.extend(puts.map(|(key, _)| key.clone()));
        batches.push(batch);
    }
    batches.push(present[3..].iter().map(|key| (key.clone(), None)).collect());
    let operations = |batch: BTreeMap<Key, Option<pad_core::Value>>| {
        let operations = batch.into_iter().map(|(key, value)| match value {
            Some(value) => Operation::Put(key, value),
            None => Operation::Remove(key),
        });
        operations.collect()
    };
    batches.into_iter().map(operations).collect()
}

fn updates<B: BalancingScheme>(batches: &[Vec<Operation>], workers: Workers) -> Vec<Update<S>> {
    let mut author = tree_author::<S, B>(dictionary(), 7).with_workers(workers);
    let update = |batch: &Vec<Operation>| author.snapshot_of(batch.clone()).unwrap();
    batches.iter().map(update).collect()
}

fn check_threads<St: Store<S>>() {
    let batches = large_batches();
    let sequential = updates::<St::Scheme>(&batches, Workers::sequential());
    let parallel = updates::<St::Scheme>(&batches, two_threads());
    let is_equal = sequential == parallel;
    assert!(is_equal, "an author's threads make no difference");
    let authority = tree_author::<S, St::Scheme>(dictionary(), 7).authority();
    let mut one = TreeRepository::<S, St>::new(authority);
    let mut two = TreeRepository::<S, St>::new(authority).with_workers(two_threads());
    for update in &sequential {
        assert_eq!(one.apply(update), two.apply(update));
        assert_eq!(one.latest(), update.head.head.version);
        for operation in update.operations.iter().step_by(97) {
            let (version, key) = (one.latest(), operation.key());
            assert_eq!(one.prove(version, key), two.prove(version, key));
        }
    }
    for version in 0..=one.latest().number() {
        let root =
            |server: &TreeRepository<S, St>| server.contents().root_digest(Version::new(version));
        assert_eq!(root(&one), root(&two));
    }
    assert_eq!(one.len(), 3, "nearly all were removed");
}

#[test]
fn threads_make_no_difference() {
    check_threads::<PathCopying<A, Treap>>();
    check_threads::<PathCopying<A, RedBlack>>();
    check_threads::<VersionedNodes<A, RedBlack, CacheMedian>>();
    check_threads::<VersionedNodes<A, SkipList, CacheEverywhere>>();
}

/// The root after putting `keys` in order, one snapshot each, with `detours` put and removed in
/// between.
fn root_of_order<B: BalancingScheme>(keys: &[Key], detours: &[Key]) -> Digest<32> {
    let mut author = tree_author::<S, B>(dictionary(), 7);
    let mut root = None;
    for (position, key) in keys.iter().enumerate() {
        author.put(key.clone(), value(key.as_bytes()));
        if let Some(detour) = detours.get(position) {
            author.put(detour.clone(), value(b"on the way"));
        }
        let earlier = position.checked_sub(2);
        if let Some(detour) = earlier.and_then(|earlier| detours.get(earlier)) {
            author.remove(detour);
        }
        root = Some(author.snapshot().unwrap().head.head.root);
    }
    root.unwrap()
}

#[test]
fn equal_contents_have_equal_roots_where_set_unique() {
    let mut random = Random::new(traces::seed());
    for _ in 0..60 {
        let count = 3 + usize::try_from(random.below(40)).unwrap();
        let mut keys: Vec<Key> = (0..count).map(|_| key(random.bytes(2))).collect();
        keys.sort();
        keys.dedup();
        let detours: Vec<Key> = (0..keys.len().saturating_sub(3))
            .map(|_| key(random.bytes(3)))
            .collect();
        let sorted = keys.clone();
        let last = keys.len() - 1;
        // Shuffles all but the last put, so that no detour remains.
        for position in (1..last).rev() {
            keys.swap(position, random.index(position + 1));
        }
        check_order::<Treap>(&sorted, &keys, &detours);
        check_order::<SkipList>(&sorted, &keys, &detours);
    }
}

fn check_order<B: BalancingScheme>(sorted: &[Key], keys: &[Key], detours: &[Key]) {
    let expected = root_of_order::<B>(sorted, &[]);
    assert_eq!(root_of_order::<B>(keys, &[]), expected);
    assert_eq!(root_of_order::<B>(keys, detours), expected);
    assert_eq!(root_of_batch::<B>(sorted), expected);
}

fn root_of_batch<B: BalancingScheme>(keys: &[Key]) -> Digest<32> {
    let put = |key: &Key| Operation::Put(key.clone(), value(key.as_bytes()));
    let mut author = tree_author::<S, B>(dictionary(), 7);
    let update = author.snapshot_of(keys.iter().map(put).collect());
    update.unwrap().head.head.root
}

/// Three keys suffice: the key that was put last decides which side of the root has two leaves.
#[test]
fn red_black_trees_are_not_set_unique() {
    let keys = |order: [&str; 3]| order.map(key);
    let ascending = root_of_order::<RedBlack>(&keys(["a", "b", "c"]), &[]);
    let descending = root_of_order::<RedBlack>(&keys(["c", "b", "a"]), &[]);
    assert_ne!(ascending, descending, "equal contents, different roots");
}
