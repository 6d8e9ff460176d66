//! Parts of a proof presented as other parts, and degenerate shapes.

use super::*;

fn leaf<S: Suite>(key: Key, content: Content<S>) -> Leaf<S> {
    Leaf { key, content }
}

/// The proof of a tree that is this leaf.
fn of_one_leaf<S: Suite>(leaf: Leaf<S>) -> Mirror<S> {
    Mirror {
        shape: vec![0],
        siblings: vec![],
        leaves: vec![leaf],
    }
}

/// Swaps both children of every node. The result has other hashes or unordered leaves.
#[test]
fn swapped_children_are_refused() {
    let target = Target::<Sha256Ed25519, RedBlack>::new();
    let Tree::Inner(left, right) = target.whole.clone() else {
        panic!("an inner node")
    };
    let swapped = Tree::inner(*right, *left).to_mirror();
    let refusal = target.refused(swapped.to_proof(), &KeyRange::ALL);
    assert_eq!(refusal, UNORDERED);
    let asked = entry_key(3);
    let shown = |key: &Key| if *key == asked { V } else { LeafDetail::Elided };
    let one = target.whole.shown(&shown);
    let Tree::Inner(left, right) = one else {
        panic!("an inner node")
    };
    let swapped = Tree::inner(*right, *left).to_mirror();
    assert_eq!(target.refused(swapped.to_proof(), &asked), MISMATCH);
}

/// Presents an inner node as a leaf, with its two digests as key and value digest. Presents a leaf
/// as an inner node, and the empty tree's digest as a subtree. Domain separation refuses all of
/// them.
fn check_roles_cannot_be_confused<S: Suite>() {
    let target = Target::<S, RedBlack>::new();
    let Tree::Inner(left, right) = &target.whole else {
        panic!("an inner node")
    };
    let (left, right) = (left.digest(), right.digest());
    let root = S::node(Domain::TreeNode, &left, &right);
    assert_eq!(root, target.head.get().root);
    let one = of_one_leaf(leaf(key(left.as_ref()), Content::Digest(right)));
    assert_eq!(target.refused(one.to_proof(), &key([1])), MISMATCH);
    let whole_value = Value::new([left.as_ref(), right.as_ref()].concat()).unwrap();
    let one = of_one_leaf::<S>(leaf(Key::default(), Content::Value(whole_value)));
    assert_eq!(target.refused(one.to_proof(), &Key::default()), MISMATCH);
    // All digests of one message differ, in all roles. (`hash` is never used for inner nodes.)
    let (a, b) = (S::value(b"a"), S::value(b"b"));
    let joined = [a.as_ref(), b.as_ref()].concat();
    let leaf = S::leaf(a.as_ref(), &b);
    let mut digests: Vec<_> = Domain::ALL
        .into_iter()
        .map(|domain| match domain {
            Domain::TreeNode | Domain::HistoryNode => S::node(domain, &a, &b),
            domain => S::hash(domain, &[&joined]),
        })
        .collect();
    assert!(digests.contains(&leaf), "the hash of key and value digest");
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), Domain::ALL.len());
}

#[test]
fn leaves_and_inner_nodes_cannot_be_confused() {
    check_roles_cannot_be_confused::<Sha256Ed25519>();
    check_roles_cannot_be_confused::<Blake3Ed25519>();
    check_roles_cannot_be_confused::<Paper2010>();
}

/// The boundary between key and value digest cannot be moved: the digest's width is fixed.
#[test]
fn the_boundary_between_key_and_value_cannot_be_moved() {
    let one = vec![Action::Put(key("ab"), value("v")), Action::Snapshot];
    let target = Target::<Sha256Ed25519, Treap>::of(&one);
    let digest = Sha256Ed25519::value(b"v");
    for forged in ["a", "abc", ""] {
        let mirror = of_one_leaf::<Sha256Ed25519>(leaf(key(forged), Content::Digest(digest)));
        assert_eq!(target.refused(mirror.to_proof(), &key("zz")), MISMATCH);
    }
}

/// Refuses two leaves with one key, although a dishonest author hashed them correctly.
#[test]
fn one_key_twice_is_refused() {
    let [one, two] = ["one", "two"].map(|text| Content::Value(value(text)));
    let [one, two] = [one, two].map(|content| Tree::Leaf(leaf(key("k"), content)));
    let tree = Tree::<Sha256Ed25519>::inner(one, two);
    let target = Target::<Sha256Ed25519, RedBlack>::new();
    let refusal = target.refused(tree.to_mirror().to_proof(), &key("k"));
    assert_eq!(refusal, UNORDERED);
}

/// A degenerate proof of maximal depth is checked without recursion.
#[test]
fn deep_proofs_do_not_exhaust_the_stack() {
    let target = Target::<Sha256Ed25519, RedBlack>::new();
    let depth = pad_conformance::soak::size(60_000, 200_000);
    let one_leaf = of_one_leaf(leaf(key("k"), Content::Value(value("v"))));
    for code in [1, 2] {
        let mut codes = vec![code; depth];
        codes.push(0);
        let mirror = Mirror {
            siblings: vec![target.head.get().root; depth],
            ..one_leaf.clone()
        };
        let bytes = codec::encode(&mirror.with_codes(&codes).to_proof::<Key>());
        let proof = Untrusted::<TreeProof<Sha256Ed25519, Key>>::decode(&bytes, 1 << 24).unwrap();
        let refusal = proof.verify(&target.head, &key("k")).err();
        assert_eq!(refusal, MISMATCH);
    }
    // Leaves only, in one long comb of nodes with two open children.
    let mut codes = vec![3; 20_000];
    codes.resize(40_001, 0);
    let root = Content::Digest(target.head.get().root);
    let numbered = |number: u32| leaf(key(number.to_be_bytes()), root.clone());
    let mirror = Mirror {
        leaves: (0..=20_000).map(numbered).collect(),
        ..one_leaf
    };
    let mirror = mirror.with_codes(&codes);
    assert_eq!(target.refused(mirror.to_proof(), &KeyRange::ALL), MISMATCH);
}
