use std::sync::Arc;

use pad_core::Workers;

use super::*;
use crate::{
    Accumulator as _, SecretKey as _,
    rsa::{
        Parameters, RepresentativeRule, Rsa,
        test_key::{names, secret, set, workers},
    },
    set::ElementSet,
    wire::{decode_body, encode_body},
};

#[test]
fn a_table_has_its_capacity_and_comes_back_from_bytes() {
    let secret = secret();
    let key = secret.public_key();
    let powers = PowersOfBase::compute(key, 6);
    assert_eq!(powers.capacity(key), 6);
    assert_eq!(decode_body(key, &encode_body(&powers)), Ok(powers));
}

#[test]
fn sets_accumulate_to_the_same_value_with_and_without_the_table() {
    let secret = secret();
    let powers = PowersOfBase::compute(secret.public_key(), 40);
    let plain = secret.public_key();
    let key = plain.clone().with_powers(powers).unwrap();
    let one = Workers::sequential();
    for count in [0, 1, 2, 7, 40, 41] {
        let set = set(count);
        let value = Rsa::accumulate(plain, &set, &one).unwrap();
        assert_eq!(Rsa::accumulate(&key, &set, &one).as_ref(), Ok(&value));
        assert_eq!(Rsa::accumulate(&key, &set, &workers(2)), Ok(value));
    }
    let set: ElementSet<Rsa> = ElementSet::from_elements(plain, &names(0, 9), &one).unwrap();
    let found = Rsa::witnesses(&key, &set, &one);
    assert_eq!(found, Rsa::witnesses(plain, &set, &one));
}

#[test]
fn false_tables_are_refused() {
    let key = secret().public_key().clone();
    let honest = PowersOfBase::compute(&key, 1);
    let count = honest.0.entries().len();
    let changed = |change: &dyn Fn(&mut Vec<Residue>)| {
        let mut entries = honest.0.entries().to_vec();
        change(&mut entries);
        let powers = PowersOfBase(PowersTable::from_entries(entries));
        decode_body::<PowersOfBase>(&key, &encode_body(&powers))
    };
    assert!(changed(&|_| ()).is_ok());
    let invalid = Err(DecodeError::ParametersInvalid);
    assert_eq!(changed(&|entries| entries.swap(0, 1)), invalid);
    assert_eq!(changed(&|entries| entries.swap(1, 2)), invalid);
    assert_eq!(changed(&|entries| drop(entries.remove(0))), invalid);
    assert_eq!(changed(&|entries| entries.clear()), invalid);
    for index in 0..count {
        let refused = changed(&|entries| entries[index] = key.group().canonical(5.into()));
        assert_eq!(refused, invalid);
    }
}

#[test]
fn powers_of_another_base_are_refused() {
    let secret = secret();
    let powers = PowersOfBase::compute(secret.public_key(), 1);
    let rsa_2048 = Parameters::rsa_2048(RepresentativeRule::Wide).unwrap();
    let other = RsaPublicKey::new(Arc::new(rsa_2048), b"powers");
    let refused = other.with_powers(powers).unwrap_err();
    assert_eq!(refused, AccumulateError::WrongAccumulator);
}
