use proptest::prelude::*;

use super::*;
use crate::{
    Accumulator as _, PublicKey as _, SecretKey as _,
    rsa::test_key::{names, secret, set, workers},
    set::ElementSet,
    wire::{decode_body, encode_body},
};

fn both(
    set_before: &ElementSet<Rsa>,
    removed: &[String],
    added: &[String],
) -> (ElementSet<Rsa>, Change<Rsa>) {
    let secret = secret();
    let one = Workers::sequential();
    let value = Rsa::accumulate(&secret, set_before, &one).unwrap();
    let (mut by_public, mut by_secret) = (set_before.clone(), set_before.clone());
    let key = secret.public_key();
    let public = Rsa::change(key, &mut by_public, &value, removed, added, &one).unwrap();
    let change = Rsa::change(&secret, &mut by_secret, &value, removed, added, &one).unwrap();
    assert_eq!(public, change);
    assert_eq!(by_public.elements(), by_secret.elements());
    let after = Rsa::accumulate(&secret, &by_secret, &one).unwrap();
    assert_eq!(change.after, after);
    (by_secret, change)
}

#[test]
fn both_roles_change_alike() {
    for (removed, added) in [(0, 0), (0, 2), (2, 0), (1, 3), (5, 1), (5, 0)] {
        let (set, change) = both(&set(5), &names(0, removed), &names(100, added));
        assert_eq!(set.len(), 5 - removed + added);
        assert_eq!((change.removed.len(), change.added.len()), (removed, added));
        let key = secret().public_key().clone();
        assert_eq!(decode_body(&key, &encode_body(&change)), Ok(change));
    }
}

#[test]
fn a_refused_change_changes_nothing() {
    let secret = secret();
    let key = secret.public_key();
    let one = Workers::sequential();
    let untouched = set(4);
    let value = Rsa::accumulate(key, &untouched, &one).unwrap();
    // Without roots, of whatever set.
    let mut numbers = (2_u32..100).map(Integer::from);
    let residue = numbers.find(|number| number.jacobi(key.parameters().modulus()) == -1);
    let not_a_power = RsaValue::new(key.group().canonical(residue.unwrap()));
    let absent = AccumulateError::ElementAbsent;
    let duplicate = AccumulateError::DuplicateElement;
    let mismatch = AccumulateError::ValueMismatch;
    let cases: [(&[&str], &[&str], &RsaValue, AccumulateError); 6] = [
        (&["absent"], &["new"], &value, absent),
        (&["element 0", "element 0"], &["new"], &value, absent),
        (&[], &["element 1"], &value, duplicate),
        (&[], &["new", "new"], &value, duplicate),
        (&["element 1"], &["element 1"], &value, duplicate),
        (&["element 1"], &["new"], &not_a_power, mismatch),
    ];
    for (removed, added, value, expected) in cases {
        let mut set = untouched.clone();
        let result = Rsa::change(&secret, &mut set, value, removed, added, &one);
        assert_eq!(result, Err(expected));
        assert_eq!(set.elements(), untouched.elements());
        if expected != mismatch {
            let result = Rsa::change(key, &mut set, value, removed, added, &one);
            assert_eq!(result, Err(expected));
            assert_eq!(set.elements(), untouched.elements());
        }
    }
    let other = key.with_label(b"other");
    let mut set = untouched;
    let result = Rsa::change(&other, &mut set, &value, &[], &["new"], &one);
    assert_eq!(result, Err(AccumulateError::WrongAccumulator));
}

/// A change of a set must be refused if the value is that of a different set. Otherwise the author
/// would publish `g^(r_a / r_b)`: a witness of any element.
#[test]
fn nothing_is_removed_from_the_value_of_another_set() {
    let secret = secret();
    let one = Workers::sequential();
    let untouched = set(4);
    for stale in [set(3), set(5), set(0)] {
        let value = Rsa::accumulate(&secret, &stale, &one).unwrap();
        let mut current = untouched.clone();
        let removed = ["element 3"];
        let result = Rsa::change(&secret, &mut current, &value, &removed, &["new"], &one);
        assert_eq!(result, Err(AccumulateError::ValueMismatch));
        assert_eq!(current.elements(), untouched.elements());
    }
}

#[test]
fn witnesses_of_touched_elements_are_refused() {
    let key = secret().public_key().clone();
    let before = set(3);
    let witnesses = Rsa::witnesses(&key, &before, &Workers::sequential()).unwrap();
    let (middle, first) = both(&before, &names(0, 1), &names(100, 1));
    let (after, second) = both(&middle, &names(100, 1), &names(0, 1));
    let [zero, one, _] = before.elements() else {
        panic!("three elements")
    };
    let update = |element, witness, changes: &[Change<Rsa>]| {
        Rsa::update_witness(&key, element, witness, changes)
    };
    let both_changes = [first.clone(), second];
    let absent = Err(AccumulateError::ElementAbsent);
    assert_eq!(update(zero, &witnesses[0], &both_changes), absent);
    let duplicate = Err(AccumulateError::DuplicateElement);
    let found = update(&first.added[0], &witnesses[0], &both_changes[..1]);
    assert_eq!(found, duplicate);
    let twice = vec![both_changes[0].clone(); 2];
    let gap = Err(AccumulateError::ChangeGap);
    assert_eq!(update(one, &witnesses[1], &twice), gap);
    // All additions were removed again, so nothing has to be computed.
    let found = update(one, &witnesses[1], &both_changes);
    assert_eq!(found, Ok(witnesses[1].clone()));
    assert_eq!(update(one, &witnesses[1], &[]), Ok(witnesses[1].clone()));
    assert_eq!(after.len(), 3);
}

#[test]
fn a_false_change_makes_a_witness_that_is_wrong_and_nothing_worse() {
    let key = secret().public_key().clone();
    let before = set(3);
    let witness = Rsa::witness(&key, &before, b"element 1", &Workers::sequential()).unwrap();
    let (after, mut change) = both(&before, &names(0, 1), &names(100, 1));
    change.removed.push(after.elements()[0].clone());
    let element = before.elements()[1].clone();
    let updated = Rsa::update_witness(&key, &element, &witness, &[change]);
    let honest = Rsa::witness(&key, &after, b"element 1", &Workers::sequential()).unwrap();
    assert_ne!(updated, Ok(honest));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, ..ProptestConfig::default() })]

    #[test]
    fn updates_over_histories_agree_with_recomputation(
        steps in prop::collection::vec((0_usize..3, 0_usize..3), 1..4),
        threads in 1_usize..3,
    ) {
        let secret = secret();
        let key = secret.public_key();
        let one = Workers::sequential();
        let start = set(8);
        let witnesses = Rsa::witnesses(&secret, &start, &one).unwrap();
        let held: Vec<_> = start.elements().iter().cloned().zip(witnesses).collect();
        let (mut current, mut changes, mut present) = (start, Vec::new(), names(0, 8));
        for (step, (removed, added)) in steps.into_iter().enumerate() {
            let leaving: Vec<String> = present.drain(..removed).collect();
            let coming = names(100 * (step + 1), added);
            let (next, change) = both(&current, &leaving, &coming);
            present.extend(coming);
            current = next;
            changes.push(change);
        }
        let updated =
            Rsa::update_witnesses(key, &held, &changes, &workers(threads)).unwrap();
        for ((element, witness), updated) in held.iter().zip(&updated) {
            let position = current.elements().iter().position(|kept| kept == element);
            let expected = position.map(|position| {
                Rsa::witnesses(&secret, &current, &one).unwrap()[position].clone()
            });
            prop_assert_eq!(updated.clone(), expected);
            let single = Rsa::update_witness(key, element, witness, &changes);
            prop_assert_eq!(single.ok(), updated.clone());
        }
    }
}
