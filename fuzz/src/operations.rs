//! A trace of operations on several stores at once. Checks that all stores agree with an ordered
//! map, and that all stores of one scheme have equal roots.
//!
//! Input: operations of three bytes each (operation, key, value).

use std::collections::BTreeMap;

use pad_core::{Digest, Sha256Ed25519, Version, Workers};
use pad_tree::{
    CacheEverywhere, CacheMedian, CacheNowhere, PathCopying, RedBlack, SkipList, Treap,
    VersionedNodes,
    internals::{Authenticated, PersistentTree, VersionedStore},
};

type A = Authenticated<Sha256Ed25519>;
type Contents = BTreeMap<Vec<u8>, Vec<u8>>;

/// Applies the trace to several combinations of scheme and store.
pub fn run(data: &[u8]) {
    let (operations, _) = data.as_chunks::<3>();
    let operations = &operations[..operations.len().min(400)];
    let expected = play::<PathCopying<A, RedBlack>>(operations);
    assert_eq!(
        play::<VersionedNodes<A, RedBlack, CacheNowhere>>(operations),
        expected
    );
    assert_eq!(
        play::<VersionedNodes<A, RedBlack, CacheMedian>>(operations),
        expected
    );
    assert_eq!(
        play::<VersionedNodes<A, RedBlack, CacheEverywhere>>(operations),
        expected
    );
    let expected = play::<PathCopying<A, Treap>>(operations);
    assert_eq!(
        play::<VersionedNodes<A, Treap, CacheMedian>>(operations),
        expected
    );
    let expected = play::<PathCopying<A, SkipList>>(operations);
    assert_eq!(
        play::<VersionedNodes<A, SkipList, CacheEverywhere>>(operations),
        expected
    );
}

fn play<S: VersionedStore<Annotation = A> + Send + Sync>(
    operations: &[[u8; 3]],
) -> Vec<Digest<32>> {
    let workers = Workers::sequential();
    let mut tree = PersistentTree::<S>::default();
    let mut versions: Vec<Contents> = vec![Contents::new()];
    let mut open = Contents::new();
    let mut roots = Vec::new();
    for [what, key, value] in operations {
        // Keys of different lengths, some with a common prefix longer than a machine word.
        let mut bytes = if key & 0x80 == 0 {
            Vec::new()
        } else {
            b"a long prefix".to_vec()
        };
        bytes.extend(vec![*key & 0x3f; usize::from(*key >> 6 & 1) + 1]);
        match what % 16 {
            0 => {
                let version = tree.seal(&workers);
                versions.push(open.clone());
                roots.push(tree.root_digest(version).expect("it was sealed"));
            }
            1 => {
                tree.rollback();
                open.clone_from(versions.last().expect("there is a version 0"));
            }
            2 if *value >= 250 => {
                // Pruning drops open changes too. Pruning below the oldest version changes nothing.
                let latest = tree.latest().number();
                let oldest = Version::new(u64::from(*key) % (latest + 1));
                if oldest >= tree.oldest() {
                    open.clone_from(versions.last().expect("there is a version 0"));
                }
                tree.prune(oldest);
            }
            3..8 => {
                let was_present = open.remove(&bytes).is_some();
                assert_eq!(tree.remove(&bytes), Ok(was_present));
            }
            _ => {
                tree.insert(&bytes, &[*value]).expect("it fits");
                open.insert(bytes, vec![*value]);
            }
        }
        assert_eq!(tree.len(), open.len());
    }
    tree.seal(&workers);
    versions.push(open);
    for number in tree.oldest().number()..=tree.latest().number() {
        check(
            &tree,
            Version::new(number),
            &versions[usize::try_from(number).expect("few")],
        );
    }
    // The roots were recorded at each seal, so those of pruned versions are compared too.
    roots.extend(tree.root_digest(tree.latest()));
    roots
}

fn check<S: VersionedStore<Annotation = A>>(
    tree: &PersistentTree<S>,
    version: Version,
    contents: &Contents,
) {
    let entries = tree.entries(version).expect("the version is there");
    assert!(entries.eq(contents.iter().map(|(key, value)| (&key[..], &value[..]))));
    for byte in [0, 1, 0x20, 0x3f] {
        let key = vec![byte];
        let floor = contents.range(..=key.clone()).next_back();
        let expected = floor.map(|(key, value)| (&key[..], &value[..]));
        assert_eq!(tree.floor(version, &key), expected);
    }
}
