//! Proofs with correct digests that hide leaves or open too many.

use super::*;

fn check_look_ups_cannot_be_dodged<S: Suite, B: BalancingScheme>() {
    let target = Target::<S, B>::new();
    let keys: Vec<Key> = (1..=ENTRIES).map(entry_key).collect();
    for (position, hidden) in keys.iter().enumerate() {
        let below = position.checked_sub(1).map(|below| &keys[below]);
        let above = keys.get(position + 1);
        let bounds = below.into_iter().chain(above).map(|key| (key, D));
        let bounds: Vec<(&Key, LeafDetail)> = bounds.collect();
        // Hides the present key between its neighbours, or beyond its only neighbour.
        assert_eq!(target.refusal(&bounds, hidden), ELIDED, "{hidden}");
        for bound in &bounds {
            assert_eq!(target.refusal(&[*bound], hidden), ELIDED, "{hidden}");
        }
        // Hides the present key between more distant leaves.
        let ends = [(&keys[0], D), (&keys[keys.len() - 1], D)];
        if !ends.iter().any(|(end, _)| *end == hidden) {
            assert_eq!(target.refusal(&ends, hidden), ELIDED, "{hidden}");
        }
        // Opens the present key together with other leaves.
        for other in keys.iter().filter(|other| *other != hidden) {
            let mut leaves = [(hidden, V), (other, D)];
            leaves.sort();
            assert_eq!(target.refusal(&leaves, hidden), EXTRANEOUS, "{hidden}");
        }
    }
    // Absent keys need two neighbours: one leaf is too few, three are too many.
    for number in 0..=ENTRIES {
        let absent = key([number * 2 + 1]);
        let position = usize::from(number);
        let below = position.checked_sub(1).map(|below| (&keys[below], D));
        let above = keys.get(position).map(|above| (above, D));
        let honest: Vec<_> = [below, above].into_iter().flatten().collect();
        assert_eq!(target.refusal(&honest, &absent), None, "{absent}");
        if let [below, above] = honest[..] {
            assert_eq!(target.refusal(&[below], &absent), ELIDED);
            assert_eq!(target.refusal(&[above], &absent), ELIDED);
        }
        let is_other = |other: &&Key| honest.iter().all(|(key, _)| key != other);
        for other in keys.iter().filter(is_other) {
            let mut leaves = honest.clone();
            leaves.push((other, D));
            leaves.sort();
            assert_eq!(target.refusal(&leaves, &absent), EXTRANEOUS);
        }
    }
}

#[test]
fn hidden_and_surplus_leaves_are_refused() {
    check_look_ups_cannot_be_dodged::<Sha256Ed25519, Treap>();
    check_look_ups_cannot_be_dodged::<Sha256Ed25519, RedBlack>();
    check_look_ups_cannot_be_dodged::<Sha256Ed25519, SkipList>();
}

/// Tries, for every query, all honestly hashed sets of leaves of a small tree. Asserts that only
/// the one honest set is accepted, and only with the oracle's answer.
fn every_query_has_exactly_one_proof<B: BalancingScheme>() {
    let count: u8 = pad_conformance::soak::size(5, 7);
    let puts = (1..=count).map(|number| Action::Put(entry_key(number), value([number])));
    let mut actions: Vec<Action> = puts.collect();
    actions.push(Action::Snapshot);
    let target = Target::<Sha256Ed25519, B>::of(&actions);
    for asked in 0..=2 * count + 2 {
        let asked = key([asked]);
        check_all_subsets(&target, &asked);
        check_all_subsets(&target, &Predecessor(asked.clone()));
        check_all_subsets(&target, &Successor(asked.clone()));
        for end in 0..=2 * count + 2 {
            let end = key([end]);
            let both = vec![asked.clone(), end.clone()];
            check_all_subsets(&target, &Keys::new(both).unwrap());
            if asked < end {
                let (start, end) = (Some(asked.clone()), Some(end));
                check_all_subsets(&target, &KeyRange { start, end });
            }
        }
        let ends = [(Some(asked.clone()), None), (None, Some(asked))];
        for (start, end) in ends {
            check_all_subsets(&target, &KeyRange { start, end });
        }
    }
    check_all_subsets(&target, &KeyRange::ALL);
    check_all_subsets(&target, &First);
    check_all_subsets(&target, &Last);
}

fn check_all_subsets<B: BalancingScheme, Q: ProvableQuery>(
    target: &Target<Sha256Ed25519, B>,
    query: &Q,
) {
    let honest = target.prove(query);
    let leaves = target.whole.leaves();
    let mut accepted = 0;
    for subset in 1..1_u32 << leaves.len() {
        let is_open = |key: &Key| {
            let place = leaves.iter().position(|leaf| leaf.key == *key);
            place.is_some_and(|place| subset >> place & 1 == 1)
        };
        let shown = |key: &Key| match (is_open(key), query.reveals(key.as_bytes())) {
            (false, _) => LeafDetail::Elided,
            (true, true) => LeafDetail::Value,
            (true, false) => LeafDetail::Digest,
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

for_each_scheme! {
    every_query_has_exactly_one_proof,
}
