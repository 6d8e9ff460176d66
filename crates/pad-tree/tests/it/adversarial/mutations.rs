//! All mutations of an honest proof, by every available method of changing its bytes.

use super::*;

fn check_mutations_of<S: Suite, B: BalancingScheme, Q: ProvableQuery>(
    target: &Target<S, B>,
    other: &Target<S, B>,
    query: &Q,
) where
    Q::Statement: PartialEq + Debug,
{
    let proof = target.prove(query);
    let honest = Honest::new(&proof, &target.head, query);
    check_mutations(&honest, &Mirror::of(&other.prove(query)));
}

fn check_every_mutation<S: Suite, B: BalancingScheme>() {
    let target = Target::<S, B>::new();
    let other = Target::<S, B>::of(&actions("another"));
    for number in [1, 3, ENTRIES] {
        check_mutations_of(&target, &other, &entry_key(number));
    }
    let (absent, below, above) = (key([2 * 7 + 1]), key([1]), key([255]));
    for absent in [&absent, &below, &above] {
        check_mutations_of(&target, &other, absent);
        check_mutations_of(&target, &other, &Predecessor(absent.clone()));
        check_mutations_of(&target, &other, &Successor(absent.clone()));
    }
    let several = vec![entry_key(2), absent.clone(), entry_key(9), above];
    check_mutations_of(&target, &other, &Keys::new(several).unwrap());
    let range = KeyRange {
        start: Some(absent),
        end: Some(entry_key(11)),
    };
    check_mutations_of(&target, &other, &range);
    check_mutations_of(&target, &other, &First);
    check_mutations_of(&target, &other, &Last);
}

#[test]
fn every_mutation_of_a_treap_proof_is_refused() {
    check_every_mutation::<Sha256Ed25519, Treap>();
}

#[test]
fn every_mutation_of_a_red_black_proof_is_refused() {
    check_every_mutation::<Blake3Ed25519, RedBlack>();
    check_every_mutation::<Sha256Ed25519, RedBlack>();
}

#[test]
fn every_mutation_of_a_skip_list_proof_is_refused() {
    check_every_mutation::<Paper2010, SkipList>();
}

#[test]
fn every_mutation_of_a_one_leaf_proof_and_of_an_empty_one_is_refused() {
    let one = vec![Action::Put(key("k"), value("v")), Action::Snapshot];
    let target = Target::<Sha256Ed25519, RedBlack>::of(&one);
    let other = Target::<Sha256Ed25519, RedBlack>::new();
    for asked in ["k", "a", "z"] {
        check_mutations_of(&target, &other, &key(asked));
        check_mutations_of(&target, &other, &Predecessor(key(asked)));
        check_mutations_of(&target, &other, &Successor(key(asked)));
    }
    check_mutations_of(&target, &other, &KeyRange::ALL);
    let played = play::<TreePad<Sha256Ed25519, Store<Sha256Ed25519, Treap>>>(&[]);
    let head = verified_head(played.author.authority(), &played.server, Version::EMPTY);
    let proof = played.server.prove(Version::EMPTY, &key("k")).unwrap();
    let asked = key("k");
    let honest = Honest::new(&proof, &head, &asked);
    check_mutations(&honest, &Mirror::of(&other.prove(&asked)));
}

/// The format cannot express a node with both children elided. The closest messages are not trees.
#[test]
fn proofs_without_leaves_are_for_empty_trees() {
    let target = Target::<Sha256Ed25519, RedBlack>::new();
    let root = target.head.get().root;
    let asked = key("asked");
    let mirror = |shape: &[u8], siblings| Mirror::<Sha256Ed25519> {
        shape: shape.to_vec(),
        siblings,
        leaves: Vec::new(),
    };
    let verify = |mirror: Mirror<Sha256Ed25519>| target.refused(mirror.to_proof(), &asked);
    assert_eq!(verify(mirror(&[], vec![])), MISMATCH);
    for shape in [&[][..], &[1], &[2], &[3], &[0]] {
        for count in 1..3 {
            let refusal = verify(mirror(shape, vec![root; count]));
            assert_eq!(refusal, MALFORMED, "{shape:?} {count}");
        }
    }
    // The reverse: leaves in a proof of an empty tree.
    let authority = target.played.author.authority();
    let empty = verified_head(authority, &target.played.server, Version::EMPTY);
    let full = target.prove(&entry_key(1));
    let refusal = Untrusted::new(full).verify(&empty, &entry_key(1)).err();
    assert_eq!(refusal, MISMATCH);
    let nothing = Untrusted::new(mirror(&[], vec![]).to_proof());
    let absent = nothing.verify(&empty, &asked).unwrap();
    assert_eq!(absent.get().answer, Answer::Absent);
}
