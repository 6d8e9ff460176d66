//! A lying server: corrupted, spliced and purpose-built proofs, each refused with the exact reason.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use core::fmt::Debug;

use conformance::{
    Action, Random, TreePad,
    mutation::{Honest, Refusal, check_mutations},
    operation::{key, value},
    pad::{MESSAGE_LIMIT, dictionary, public_key, tree_author, verified_head},
    pruned::{Content, Leaf, Mirror, Shown, Tree},
    repository::{Played, play},
};
use pad_core::{
    Blake3Ed25519, DecodeError, Dictionary, DictionaryId, Domain, Key, Paper2010, Repository,
    SchemeId, Sha256Ed25519, SnapshotHead, Suite, Untrusted, Value, Verified, VerifyError, Version,
    codec,
};
use pad_tree::{
    Answer, Authenticated, BalancingScheme, First, KeyRange, Keys, Last, PathCopying, Predecessor,
    RedBlack, SkipList, Successor, Treap, TreeProof, TreeQuery, TreeRepository, VersionedStore,
};

type Store<S, B> = PathCopying<Authenticated<S>, B>;

/// A dictionary of some versions under attack, and its last version in full.
struct Target<S: Suite, B: BalancingScheme> {
    played: Played<TreePad<S, B, Store<S, B>>>,
    version: Version,
    head: Verified<SnapshotHead<S>>,
    whole: Tree<S>,
}

const ENTRIES: u8 = 24;

/// The keys 2, 4, 6, .. so that every gap has a key that is absent.
fn entry_key(number: u8) -> Key {
    key([number * 2])
}

/// Version 1 has `ENTRIES` keys; version 2 changes one.
fn actions(salt: &str) -> Vec<Action> {
    let mut actions: Vec<Action> = (1..=ENTRIES)
        .map(|number| Action::Put(entry_key(number), value(format!("{salt} {number}"))))
        .collect();
    actions.push(Action::Snapshot);
    actions.push(Action::Put(entry_key(3), value("changed")));
    actions.push(Action::Snapshot);
    actions
}

impl<S: Suite, B: BalancingScheme> Target<S, B> {
    fn new() -> Self {
        Self::of(&actions("value"))
    }

    fn of(actions: &[Action]) -> Self {
        let played = play::<TreePad<S, B, Store<S, B>>>(actions);
        let version = played.server.latest();
        let head = verified_head(played.author.authority(), &played.server, version);
        let all = played.server.prove_query(version, &KeyRange::ALL).unwrap();
        let whole = Mirror::of(&all).to_tree();
        assert_eq!(
            whole.digest(),
            head.get().root,
            "the naive tree has the same root"
        );
        Self {
            played,
            version,
            head,
            whole,
        }
    }

    fn prove<Q: TreeQuery>(&self, query: &Q) -> TreeProof<S, Q> {
        self.played.server.prove_query(self.version, query).unwrap()
    }

    fn verify<Q: TreeQuery>(
        &self,
        proof: TreeProof<S, Q>,
        query: &Q,
    ) -> Result<Q::Statement, VerifyError> {
        Untrusted::new(proof)
            .verify(&self.head, query)
            .map(Verified::into_inner)
    }

    /// The proof with these leaves, honestly hashed.
    fn pruned<Q: TreeQuery>(&self, shown: &dyn Fn(&Key) -> Shown) -> TreeProof<S, Q> {
        let tree = self.whole.shown(shown);
        assert_eq!(tree.digest(), self.head.get().root, "honestly hashed");
        tree.to_mirror().to_proof()
    }

    /// What a client says to a proof that shows these leaves: (key, with value or not).
    fn refusal<Q: TreeQuery>(&self, leaves: &[(&Key, Shown)], query: &Q) -> Option<VerifyError> {
        let shown = |key: &Key| {
            let found = leaves.iter().find(|(shown, _)| *shown == key);
            found.map_or(Shown::Elided, |(_, how)| *how)
        };
        self.verify(self.pruned(&shown), query).err()
    }
}

const D: Shown = Shown::Digest;
const V: Shown = Shown::Value;

fn check_mutations_of<S: Suite, B: BalancingScheme, Q: TreeQuery>(
    target: &Target<S, B>,
    other: &Target<S, B>,
    query: &Q,
) where
    Q::Statement: PartialEq + Debug,
{
    let proof = target.prove(query);
    check_mutations(
        &Honest::new(&proof, &target.head, query),
        &Mirror::of(&other.prove(query)),
    );
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
    let played = play::<TreePad<Sha256Ed25519, Treap, Store<Sha256Ed25519, Treap>>>(&[]);
    let head = verified_head(played.author.authority(), &played.server, Version::EMPTY);
    let proof = played.server.prove(Version::EMPTY, &key("k")).unwrap();
    check_mutations(
        &Honest::new(&proof, &head, &key("k")),
        &Mirror::of(&other.prove(&key("k"))),
    );
}

/// A proof that two children are elided cannot be written; what comes closest is no tree.
#[test]
fn proofs_without_leaves_are_for_empty_trees() {
    let target = Target::<Sha256Ed25519, RedBlack>::new();
    let root = target.head.get().root;
    let (asked, none) = (key("asked"), Vec::<Leaf<Sha256Ed25519>>::new());
    let mirror = |shape: &[u8], siblings| Mirror::<Sha256Ed25519> {
        shape: shape.to_vec(),
        siblings,
        leaves: none.clone(),
    };
    let verify = |mirror: Mirror<Sha256Ed25519>| target.verify(mirror.to_proof(), &asked).err();
    assert_eq!(verify(mirror(&[], vec![])), Some(VerifyError::RootMismatch));
    for shape in [&[][..], &[1], &[2], &[3], &[0]] {
        for count in 1..3 {
            let refusal = verify(mirror(shape, vec![root; count]));
            assert_eq!(
                refusal,
                Some(VerifyError::MalformedShape),
                "{shape:?} {count}"
            );
        }
    }
    // The other way round: leaves of a tree that is empty.
    let authority = target.played.author.authority();
    let empty = verified_head(authority, &target.played.server, Version::EMPTY);
    let full = target.prove(&entry_key(1));
    let refusal = Untrusted::new(full).verify(&empty, &entry_key(1)).err();
    assert_eq!(refusal, Some(VerifyError::RootMismatch));
    let nothing = Mirror {
        shape: vec![],
        siblings: vec![],
        leaves: none,
    };
    let absent = Untrusted::new(nothing.to_proof())
        .verify(&empty, &asked)
        .unwrap()
        .into_inner();
    assert_eq!(absent.answer, Answer::Absent);
}

fn check_spliced<S: Suite, B: BalancingScheme>() {
    let target = Target::<S, B>::new();
    let (server, asked) = (&target.played.server, entry_key(3));
    let proof = target.prove(&asked);

    // Another key's proof, present and absent.
    let other_key = entry_key(9);
    assert_eq!(
        target.verify(proof.clone(), &other_key).err(),
        Some(VerifyError::ValueSurplus)
    );
    let absence = target.prove(&key([13]));
    assert_eq!(
        target.verify(absence.clone(), &key([17])).err(),
        Some(VerifyError::Elided)
    );
    assert_eq!(
        target.verify(absence.clone(), &key([9])).err(),
        Some(VerifyError::Elided)
    );
    assert_eq!(
        target.verify(absence, &key([14])).err(),
        Some(VerifyError::ValueMissing)
    );
    assert_eq!(
        target.verify(proof.clone(), &key([7])).err(),
        Some(VerifyError::ValueSurplus)
    );

    // Another version's.
    let older = server.prove(Version::new(1), &asked).unwrap();
    assert_eq!(
        target.verify(older, &asked).err(),
        Some(VerifyError::RootMismatch)
    );
    let first = verified_head(target.played.author.authority(), server, Version::new(1));
    let newer = Untrusted::new(proof).verify(&first, &asked).err();
    assert_eq!(newer, Some(VerifyError::RootMismatch));

    // Another dictionary's, with other contents.
    let another = Target::<S, B>::of(&actions("another"));
    assert_eq!(
        target.verify(another.prove(&asked), &asked).err(),
        Some(VerifyError::RootMismatch)
    );

    // Another query's, of the same leaf: the kind is part of the message.
    let one = Keys::new(vec![asked.clone()]).unwrap();
    let refusal =
        Untrusted::<TreeProof<S, Key>>::decode(&codec::encode(&target.prove(&one)), MESSAGE_LIMIT);
    assert_eq!(
        refusal.err(),
        Some(DecodeError::WrongKind {
            expected: 16,
            actual: 17
        })
    );

    // Shows a digest where the value is asked for, and the other way round.
    assert_eq!(
        target.refusal(&[(&asked, D)], &asked),
        Some(VerifyError::ValueMissing)
    );
    let gap = [(&entry_key(6), V), (&entry_key(7), D)];
    assert_eq!(
        target.refusal(&gap, &key([13])),
        Some(VerifyError::ValueSurplus)
    );
}

#[test]
fn spliced_proofs_are_refused() {
    check_spliced::<Sha256Ed25519, Treap>();
    check_spliced::<Blake3Ed25519, RedBlack>();
    check_spliced::<Paper2010, SkipList>();
}

/// The same contents in another scheme have another tree; under another suite another message.
#[test]
fn other_schemes_and_suites_are_refused() {
    let target = Target::<Sha256Ed25519, RedBlack>::new();
    let asked = entry_key(3);
    let treap = Target::<Sha256Ed25519, Treap>::new();
    let skip_list = Target::<Sha256Ed25519, SkipList>::new();
    for other in [treap.prove(&asked), skip_list.prove(&asked)] {
        assert_eq!(
            target.verify(other, &asked).err(),
            Some(VerifyError::RootMismatch)
        );
    }
    let blake3 = Target::<Blake3Ed25519, RedBlack>::new();
    let bytes = codec::encode(&blake3.prove(&asked));
    let honest = Honest::new(&target.prove(&asked), &target.head, &asked).verify(&bytes);
    let wrong = DecodeError::WrongSuite {
        expected: 1,
        actual: 2,
    };
    assert_eq!(honest.err(), Some(Refusal::Decode(wrong)));
    // Relabelled, it is a proof of another tree.
    let mut relabelled = bytes;
    relabelled[7] = 1;
    let refusal = Honest::new(&target.prove(&asked), &target.head, &asked).verify(&relabelled);
    assert_eq!(
        refusal.err(),
        Some(Refusal::Verify(VerifyError::RootMismatch))
    );
}

/// A head of another author, dictionary, scheme or version is no root to verify against.
#[test]
fn other_heads_are_refused() {
    let target = Target::<Sha256Ed25519, RedBlack>::new();
    let authority = target.played.author.authority();
    let version = target.version;
    let signed = target.played.server.head(version).unwrap();
    let refusal =
        |signed, authority, version| Untrusted::new(signed).verify(&authority, &version).err();
    let mut other = authority;
    other.author = public_key(8);
    assert_eq!(
        refusal(signed, other, version),
        Some(VerifyError::SignatureInvalid)
    );
    let mut other = authority;
    other.dictionary = DictionaryId::from_name("another");
    assert_eq!(
        refusal(signed, other, version),
        Some(VerifyError::WrongDictionary)
    );
    let mut other = authority;
    other.scheme = SchemeId(1);
    let wrong = VerifyError::WrongScheme {
        expected: 1,
        actual: 2,
    };
    assert_eq!(refusal(signed, other, version), Some(wrong));
    let asked = Version::new(1);
    let wrong = VerifyError::WrongVersion {
        expected: asked,
        actual: version,
    };
    assert_eq!(refusal(signed, authority, asked), Some(wrong));
    // Every field is signed: the same signature does not cover a neighbouring version's head.
    let older = target.played.server.head(asked).unwrap();
    let mut mixed = signed;
    mixed.head.root = older.head.root;
    assert_eq!(
        refusal(mixed, authority, version),
        Some(VerifyError::SignatureInvalid)
    );
    let mut mixed = signed;
    mixed.head.history = older.head.history;
    assert_eq!(
        refusal(mixed, authority, version),
        Some(VerifyError::SignatureInvalid)
    );
}

fn check_look_ups_cannot_be_dodged<S: Suite, B: BalancingScheme>() {
    let target = Target::<S, B>::new();
    let keys: Vec<Key> = (1..=ENTRIES).map(entry_key).collect();
    for (position, hidden) in keys.iter().enumerate() {
        let below = position.checked_sub(1).map(|below| &keys[below]);
        let above = keys.get(position + 1);
        let bounds: Vec<(&Key, Shown)> = [below, above]
            .into_iter()
            .flatten()
            .map(|key| (key, D))
            .collect();
        // The present key hidden between its neighbours, or beyond the only one.
        assert_eq!(
            target.refusal(&bounds, hidden),
            Some(VerifyError::Elided),
            "{hidden}"
        );
        for bound in &bounds {
            assert_eq!(
                target.refusal(&[*bound], hidden),
                Some(VerifyError::Elided),
                "{hidden}"
            );
        }
        // Hidden between more distant leaves.
        let ends = [(&keys[0], D), (&keys[keys.len() - 1], D)];
        if !ends.iter().any(|(end, _)| *end == hidden) {
            assert_eq!(
                target.refusal(&ends, hidden),
                Some(VerifyError::Elided),
                "{hidden}"
            );
        }
        // Shown together with others.
        for other in keys.iter().filter(|other| *other != hidden) {
            let mut leaves = [(hidden, V), (other, D)];
            leaves.sort();
            assert_eq!(
                target.refusal(&leaves, hidden),
                Some(VerifyError::Extraneous),
                "{hidden}"
            );
        }
    }
    // Absent keys: one neighbour is not enough, three leaves are too many.
    for number in 0..=ENTRIES {
        let absent = key([number * 2 + 1]);
        let position = usize::from(number);
        let below = position.checked_sub(1).map(|below| (&keys[below], D));
        let above = keys.get(position).map(|above| (above, D));
        let honest: Vec<_> = [below, above].into_iter().flatten().collect();
        assert_eq!(
            target.refusal(&honest, &absent),
            None,
            "the honest proof of {absent}"
        );
        if let [below, above] = honest[..] {
            assert_eq!(target.refusal(&[below], &absent), Some(VerifyError::Elided));
            assert_eq!(target.refusal(&[above], &absent), Some(VerifyError::Elided));
        }
        for other in keys
            .iter()
            .filter(|other| honest.iter().all(|(key, _)| key != other))
        {
            let mut leaves = honest.clone();
            leaves.push((other, D));
            leaves.sort();
            assert_eq!(
                target.refusal(&leaves, &absent),
                Some(VerifyError::Extraneous)
            );
        }
    }
}

#[test]
fn hidden_and_surplus_leaves_are_refused() {
    check_look_ups_cannot_be_dodged::<Sha256Ed25519, Treap>();
    check_look_ups_cannot_be_dodged::<Sha256Ed25519, RedBlack>();
    check_look_ups_cannot_be_dodged::<Sha256Ed25519, SkipList>();
}

/// For every query, every set of up to four leaves of a small tree, honestly hashed: only the one
/// honest set is accepted, and only with the oracle's answer.
fn check_exhaustively<B: BalancingScheme>() {
    const COUNT: u8 = 7;
    let mut actions: Vec<Action> = (1..=COUNT)
        .map(|number| Action::Put(entry_key(number), value([number])))
        .collect();
    actions.push(Action::Snapshot);
    let target = Target::<Sha256Ed25519, B>::of(&actions);
    for asked in 0..=2 * COUNT + 2 {
        let asked = key([asked]);
        check_all_subsets(&target, &asked);
        check_all_subsets(&target, &Predecessor(asked.clone()));
        check_all_subsets(&target, &Successor(asked.clone()));
        for end in 0..=2 * COUNT + 2 {
            let end = key([end]);
            let both = vec![asked.clone(), end.clone()];
            check_all_subsets(&target, &Keys::new(both).unwrap());
            if asked < end {
                check_all_subsets(
                    &target,
                    &KeyRange {
                        start: Some(asked.clone()),
                        end: Some(end),
                    },
                );
            }
        }
        check_all_subsets(
            &target,
            &KeyRange {
                start: Some(asked.clone()),
                end: None,
            },
        );
        check_all_subsets(
            &target,
            &KeyRange {
                start: None,
                end: Some(asked),
            },
        );
    }
    check_all_subsets(&target, &KeyRange::ALL);
    check_all_subsets(&target, &First);
    check_all_subsets(&target, &Last);
}

fn check_all_subsets<B: BalancingScheme, Q: TreeQuery>(
    target: &Target<Sha256Ed25519, B>,
    query: &Q,
) {
    let honest = target.prove(query);
    let leaves = target.whole.leaves();
    let mut accepted = 0;
    for subset in 1..1_u32 << leaves.len() {
        let is_open = |key: &Key| {
            leaves
                .iter()
                .position(|leaf| leaf.key == *key)
                .is_some_and(|i| subset >> i & 1 == 1)
        };
        let shown = |key: &Key| match (is_open(key), query.reveals(key.as_bytes())) {
            (false, _) => Shown::Elided,
            (true, true) => Shown::Value,
            (true, false) => Shown::Digest,
        };
        let proof: TreeProof<Sha256Ed25519, Q> = target.pruned(&shown);
        let is_honest = codec::encode(&proof) == codec::encode(&honest);
        match target.verify(proof, query) {
            Ok(_) => {
                assert!(is_honest, "{query:?} has two proofs");
                accepted += 1;
            }
            Err(VerifyError::Elided | VerifyError::Extraneous) => assert!(!is_honest),
            Err(error) => panic!("{query:?}: {error:?}"),
        }
    }
    assert_eq!(accepted, 1, "{query:?} has exactly one proof");
}

#[test]
fn every_query_has_exactly_one_proof_in_a_treap() {
    check_exhaustively::<Treap>();
}

#[test]
fn every_query_has_exactly_one_proof_in_a_red_black_tree() {
    check_exhaustively::<RedBlack>();
}

#[test]
fn every_query_has_exactly_one_proof_in_a_skip_list() {
    check_exhaustively::<SkipList>();
}

/// Both children of a node swapped, all the way: other hashes, or unordered leaves.
#[test]
fn swapped_children_are_refused() {
    let target = Target::<Sha256Ed25519, RedBlack>::new();
    let Tree::Inner(left, right) = target.whole.clone() else {
        panic!("an inner node")
    };
    let swapped = Tree::inner(*right, *left).to_mirror();
    let refusal = target.verify(swapped.to_proof(), &KeyRange::ALL).err();
    assert_eq!(refusal, Some(VerifyError::UnorderedLeaves));
    let asked = entry_key(3);
    let one = target
        .whole
        .shown(&|key| if *key == asked { V } else { Shown::Elided });
    let Tree::Inner(left, right) = one else {
        panic!("an inner node")
    };
    let swapped = Tree::inner(*right, *left).to_mirror();
    assert_eq!(
        target.verify(swapped.to_proof(), &asked).err(),
        Some(VerifyError::RootMismatch)
    );
}

/// An inner node passed off as a leaf (its two digests as key and value digest), a leaf as an inner
/// node, the empty tree's digest as a subtree: the domains keep them apart.
fn check_roles_cannot_be_confused<S: Suite>() {
    let target = Target::<S, RedBlack>::new();
    let Tree::Inner(left, right) = &target.whole else {
        panic!("an inner node")
    };
    let (left, right) = (left.digest(), right.digest());
    assert_eq!(
        S::node(Domain::TreeNode, &left, &right),
        target.head.get().root
    );
    let forged = key(left.as_ref());
    let leaf = Leaf {
        key: forged,
        content: Content::Digest(right),
    };
    let one = Mirror::<S> {
        shape: vec![0],
        siblings: vec![],
        leaves: vec![leaf],
    };
    let refusal = target.verify(one.to_proof(), &key([1])).err();
    assert_eq!(refusal, Some(VerifyError::RootMismatch));
    let whole_value = Value::new([left.as_ref(), right.as_ref()].concat()).unwrap();
    let leaf = Leaf {
        key: Key::default(),
        content: Content::<S>::Value(whole_value),
    };
    let one = Mirror::<S> {
        shape: vec![0],
        siblings: vec![],
        leaves: vec![leaf],
    };
    assert_eq!(
        target.verify(one.to_proof(), &Key::default()).err(),
        Some(VerifyError::RootMismatch)
    );
    // All digests of one message, in all roles, differ. (`hash` is never used for inner nodes.)
    let (a, b) = (S::value(b"a"), S::value(b"b"));
    let joined = [a.as_ref(), b.as_ref()].concat();
    let mut digests = vec![
        S::node(Domain::TreeNode, &a, &b),
        S::node(Domain::HistoryNode, &a, &b),
        S::leaf(a.as_ref(), &b),
    ];
    let leaf = digests.remove(2);
    let hashed = Domain::ALL
        .into_iter()
        .filter(|domain| !matches!(domain, Domain::TreeNode | Domain::HistoryNode));
    digests.extend(hashed.map(|domain| S::hash(domain, &[&joined])));
    assert!(
        digests.contains(&leaf),
        "a leaf is its domain's hash of key and value digest"
    );
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
        let leaf = Leaf {
            key: key(forged),
            content: Content::<Sha256Ed25519>::Digest(digest),
        };
        let mirror = Mirror {
            shape: vec![0],
            siblings: vec![],
            leaves: vec![leaf],
        };
        let refusal = target.verify(mirror.to_proof(), &key("zz")).err();
        assert_eq!(refusal, Some(VerifyError::RootMismatch));
    }
}

/// Two leaves with one key, honestly hashed by a dishonest author's tree, are refused all the same.
#[test]
fn one_key_twice_is_refused() {
    let leaf = |text: &str| {
        Tree::Leaf(Leaf {
            key: key("k"),
            content: Content::<Sha256Ed25519>::Value(value(text)),
        })
    };
    let tree = Tree::inner(leaf("one"), leaf("two"));
    let target = Target::<Sha256Ed25519, RedBlack>::new();
    let refusal = target.verify(tree.to_mirror().to_proof(), &key("k")).err();
    assert_eq!(refusal, Some(VerifyError::UnorderedLeaves));
}

/// A degenerate proof, as deep as a message may be long, is checked without recursion.
#[test]
fn deep_proofs_do_not_exhaust_the_stack() {
    let target = Target::<Sha256Ed25519, RedBlack>::new();
    let depth = 200_000;
    let leaf = Leaf {
        key: key("k"),
        content: Content::<Sha256Ed25519>::Value(value("v")),
    };
    for code in [1, 2] {
        let mut codes = vec![code; depth];
        codes.push(0);
        let siblings = vec![target.head.get().root; depth];
        let leaves = vec![leaf.clone()];
        let mirror = Mirror {
            shape: vec![],
            siblings,
            leaves,
        }
        .with_codes(&codes);
        let bytes = codec::encode(&mirror.to_proof::<Key>());
        let proof = Untrusted::<TreeProof<Sha256Ed25519, Key>>::decode(&bytes, 1 << 24).unwrap();
        let refusal = proof.verify(&target.head, &key("k")).err();
        assert_eq!(refusal, Some(VerifyError::RootMismatch));
    }
    // Leaves only, in one long comb of nodes with two open children.
    let mut codes = vec![3; 20_000];
    codes.resize(40_001, 0);
    let numbered = |number: u32| Leaf {
        key: key(number.to_be_bytes()),
        content: Content::<Sha256Ed25519>::Digest(target.head.get().root),
    };
    let leaves = (0..=20_000).map(numbered).collect();
    let mirror = Mirror {
        shape: vec![],
        siblings: vec![],
        leaves,
    }
    .with_codes(&codes);
    let refusal = target.verify(mirror.to_proof(), &KeyRange::ALL).err();
    assert_eq!(refusal, Some(VerifyError::RootMismatch));
}

/// Length prefixes that promise more than there is are refused without allocating it.
#[test]
fn hostile_lengths_are_refused() {
    let target = Target::<Sha256Ed25519, RedBlack>::new();
    let envelope = &codec::encode(&target.prove(&entry_key(3)))[..8];
    let huge: [&[u8]; 4] = [
        &[253, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        &[253, 0, 0, 0, 0, 0, 0, 0, 0x40],
        &[253, 0, 0, 0, 0, 1, 0, 0, 0],
        &[252, 0xff, 0xff, 0xff, 0xff],
    ];
    let positions: [&[u8]; 5] = [
        &[],                    // the shape's length
        &[1, 0],                // the siblings'
        &[1, 0, 0],             // the leaves'
        &[1, 0, 0, 1],          // a key's
        &[1, 0, 0, 1, 1, 7, 1], // a value's
    ];
    for before in positions {
        for length in huge {
            let bytes = [envelope, before, length].concat();
            let refusal = Untrusted::<TreeProof<Sha256Ed25519, Key>>::decode(&bytes, 1 << 30).err();
            assert_eq!(
                refusal,
                Some(DecodeError::Malformed),
                "{before:?} {length:?}"
            );
        }
    }
    // Lengths in a longer form than needed are not canonical.
    let honest = codec::encode(&target.prove(&entry_key(3)));
    let padded = [&honest[..8], &[251, honest[8], 0], &honest[9..]].concat();
    let refusal = Untrusted::<TreeProof<Sha256Ed25519, Key>>::decode(&padded, 1 << 20).err();
    assert_eq!(refusal, Some(DecodeError::NonCanonical));
}

/// An inverted range is refused by server and client alike, whatever the proof.
#[test]
fn inverted_ranges_are_refused() {
    let target = Target::<Sha256Ed25519, RedBlack>::new();
    for (start, end) in [([9], [5]), ([9], [9])] {
        let range = KeyRange {
            start: Some(key(start)),
            end: Some(key(end)),
        };
        let gap = [(&entry_key(4), D), (&entry_key(5), D)];
        assert_eq!(
            target.refusal(&gap, &range),
            Some(VerifyError::InvalidQuery)
        );
    }
    assert_eq!(Keys::new(Vec::new()), None, "there is no query for no keys");
}

/// Equal contents have equal roots in set-unique trees: a proof then verifies in both versions, and
/// the statement names the version that it was verified for.
#[test]
fn equal_contents_share_proofs_but_not_statements() {
    let mut actions = vec![Action::Put(key("a"), value("1")), Action::Snapshot];
    actions.extend([Action::Put(key("b"), value("2")), Action::Snapshot]);
    actions.extend([Action::Remove(key("b")), Action::Snapshot]);
    let target = Target::<Sha256Ed25519, Treap>::of(&actions);
    let proof = target
        .played
        .server
        .prove(Version::new(1), &key("b"))
        .unwrap();
    let lookup = target.verify(proof, &key("b")).unwrap();
    assert_eq!(
        (lookup.version, lookup.answer),
        (Version::new(3), Answer::Absent)
    );
}

/// Random garbage in place of a proof's body never panics and never verifies.
#[test]
fn garbage_is_refused() {
    let target = Target::<Sha256Ed25519, RedBlack>::new();
    let envelope = codec::encode(&target.prove(&entry_key(3)))[..8].to_vec();
    let mut random = Random::new(conformance::traces::seed());
    for _ in 0..20_000 {
        let length = usize::try_from(random.below(200)).unwrap();
        let mut bytes = envelope.clone();
        // Small numbers are plausible lengths and tags.
        let small = random.below(2) == 0;
        bytes.extend(
            random
                .bytes(length)
                .into_iter()
                .map(|byte| if small { byte % 5 } else { byte }),
        );
        if let Ok(proof) = Untrusted::<TreeProof<Sha256Ed25519, Key>>::decode(&bytes, 1 << 20) {
            assert!(proof.verify(&target.head, &entry_key(3)).is_err());
        }
    }
}

/// A repository of another scheme or author takes no updates of this one.
#[test]
fn updates_of_other_dictionaries_are_refused() {
    use pad_core::ApplyError;
    let mut author = tree_author::<Sha256Ed25519, RedBlack>(dictionary(), 7);
    let update = author.snapshot().unwrap();
    let mut treap = TreeRepository::<Sha256Ed25519, Store<Sha256Ed25519, Treap>>::new(
        tree_author::<Sha256Ed25519, Treap>(dictionary(), 7).authority(),
    );
    let wrong = VerifyError::WrongScheme {
        expected: 1,
        actual: 2,
    };
    assert_eq!(treap.apply(&update), Err(ApplyError::Head(wrong)));
    let strangers = [
        (
            tree_author::<Sha256Ed25519, RedBlack>(dictionary(), 8),
            VerifyError::SignatureInvalid,
        ),
        (
            tree_author(DictionaryId::from_name("another"), 7),
            VerifyError::WrongDictionary,
        ),
    ];
    for (stranger, error) in strangers {
        let mut server = refusing::<Store<Sha256Ed25519, RedBlack>>(&stranger);
        assert_eq!(server.apply(&update), Err(ApplyError::Head(error)));
        assert_eq!(server.latest(), Version::EMPTY);
    }
}

fn refusing<St>(author: &impl Dictionary) -> TreeRepository<Sha256Ed25519, St>
where
    St: VersionedStore<Annotation = Authenticated<Sha256Ed25519>> + Send + Sync,
{
    TreeRepository::new(author.authority())
}
