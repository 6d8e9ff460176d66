use super::*;
use crate::{
    Accumulator as _, SecretKey as _,
    rsa::test_key::{names, secret, set},
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
fn nothing_is_removed_from_a_value_without_roots() {
    let secret = secret();
    let key = secret.public_key();
    let untouched = set(4);
    let mut numbers = (2_u32..100).map(Integer::from);
    let residue = numbers.find(|number| number.jacobi(key.parameters().modulus()) == -1);
    let not_a_power = RsaValue::new(key.group().canonical(residue.unwrap()));
    let (mut set, one) = (untouched.clone(), Workers::sequential());
    let refused = Rsa::change(
        &secret,
        &mut set,
        &not_a_power,
        &["element 1"],
        &["new"],
        &one,
    );
    assert_eq!(refused, Err(AccumulateError::ValueMismatch));
    assert_eq!(set.elements(), untouched.elements());
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
