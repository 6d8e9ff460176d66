//! Tests of `bench::tree::paper_layout`.

use std::collections::BTreeMap;

use bench::{
    tree::paper_layout::{
        Balance, Node, PathProof, ProofError, RedBlack, Treap, Tree, authenticator,
    },
    workload::{Random, absent_key, key, value},
};
use pad_core::{Answer, Key, Sha256Ed25519, Value, codec};

type S = Sha256Ed25519;

/// Keys in no order, some of them repeated, next to an oracle; every version stays unchanged.
fn grown<B: Balance>() -> Vec<(Tree<S>, BTreeMap<Key, Value>)> {
    let (mut random, mut versions) = (Random::new(1), vec![(None, BTreeMap::new())]);
    for step in 0..300 {
        let (tree, contents) = versions.last().unwrap();
        let (key, value) = (key(random.below(200)), value(step));
        let tree = B::insert(tree, &key, &value);
        let mut contents = contents.clone();
        contents.insert(key, value);
        versions.push((tree, contents));
    }
    versions
}

fn agrees_with_the_oracle<B: Balance>() {
    for (tree, contents) in grown::<B>().iter().step_by(7) {
        let root = authenticator(tree);
        for index in 0..200 {
            let answer = contents.get(&key(index)).cloned();
            let answer = answer.map_or(Answer::Absent, Answer::Present);
            let proof = PathProof::new(tree, &key(index));
            assert_eq!(proof.verify(&root, &key(index)), Ok(answer));
        }
    }
}

#[test]
fn every_version_answers_as_a_map() {
    agrees_with_the_oracle::<RedBlack>();
    agrees_with_the_oracle::<Treap>();
}

#[test]
fn paths_are_short() {
    let ascending = |insert: fn(&Tree<S>, &Key, &Value) -> Tree<S>| {
        let ordered = |index: u64| Key::new(index.to_be_bytes()).unwrap();
        let tree = (0..1_000).fold(None, |tree, index| {
            insert(&tree, &ordered(index), &value(index))
        });
        (0..1_000)
            .map(|index| PathProof::new(&tree, &ordered(index)).hashes() - 1)
            .max()
            .unwrap()
    };
    // A present key's proof has a hash for each node, and one of the value.
    // 2 log2(1001), and what a treap exceeds with a chance of less than one in a million.
    assert!(ascending(RedBlack::insert::<S>) <= 20);
    assert!(ascending(Treap::insert::<S>) <= 50);
}

#[test]
fn no_red_node_has_a_red_child_and_every_path_as_many_black_ones() {
    fn black_height(tree: Option<&Node<S>>, is_below_red: bool) -> usize {
        let Some(node) = tree else {
            return 0;
        };
        let is_red = node.balance == 0;
        assert!(!(is_red && is_below_red));
        let heights = [&node.left, &node.right].map(|child| black_height(child.as_deref(), is_red));
        assert_eq!(heights[0], heights[1]);
        heights[0] + usize::from(!is_red)
    }
    for (tree, _) in grown::<RedBlack>() {
        black_height(tree.as_deref(), true);
    }
}

#[test]
fn treaps_of_equal_contents_are_equal() {
    let root = |order: &mut dyn Iterator<Item = u64>| {
        let tree = order.fold(None, |tree, index| {
            Treap::insert::<S>(&tree, &key(index), &value(index))
        });
        authenticator(&tree)
    };
    assert_eq!(root(&mut (0..100)), root(&mut (0..100).rev()));
}

#[test]
fn forged_proofs_are_refused() {
    let versions = grown::<RedBlack>();
    let ((old, _), (tree, contents)) = (&versions[150], &versions[300]);
    let (root, present) = (authenticator(tree), contents.keys().next().unwrap());
    let honest = PathProof::new(tree, present);
    let refused = |proof: &PathProof<S>, key: &Key| proof.verify(&root, key).unwrap_err();
    assert_eq!(refused(&honest, &absent_key(1)), ProofError::WrongRoot);
    assert_eq!(
        refused(&PathProof::new(old, present), present),
        ProofError::WrongRoot
    );
    // Claims that a present key is absent: by another key's path, by its own path with the end cut
    // off, by a path through it.
    let others: Vec<_> = contents.keys().filter(|key| *key != present).collect();
    for other in others {
        assert!(PathProof::new(tree, other).verify(&root, present).is_err());
    }
    let mut cut = honest.clone();
    cut.end = None;
    assert_eq!(refused(&cut, present), ProofError::WrongRoot);
    let absent = PathProof::new(tree, &absent_key(1));
    let root_key = |key: &&Key| PathProof::new(tree, key).hashes() == 2;
    let on_path = contents.keys().find(root_key).unwrap();
    assert_eq!(refused(&absent, on_path), ProofError::KeyOnPath);
    // Every bit of both counts.
    for (proof, key) in [(&honest, present), (&absent, &absent_key(1))] {
        let bytes = codec::encode_body(proof);
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            if let Ok(forged) = codec::decode_body::<PathProof<S>>(&changed) {
                assert!(forged.verify(&root, key).is_err(), "{bit}");
            }
        }
    }
}
