//! Values and witnesses: all algorithms agree, and the results verify.

use pad_core::{Untrusted, VerifyError, Version, Workers};

use super::*;
use crate::{
    accumulator::Batch,
    bilinear::{BilinearWitness, BilinearWitnessBatch},
    dynamic::Universal,
    error::AccumulateError,
    scheme::PublicKey,
};

#[test]
fn the_empty_set_has_the_generator_and_no_witnesses() {
    let set = set_of::<&[u8]>(&[]);
    assert_eq!(value_of(&set), Bilinear::empty_value(&key()));
    assert_eq!(value_of(&set).point(), key().parameters().powers_g1()[0]);
    assert_eq!(Bilinear::witnesses(&key(), &set, &workers(1)), Ok(vec![]));
    let absent = Bilinear::witness(&*SECRET, &set, b"x", &workers(1));
    assert_eq!(absent, Err(AccumulateError::ElementAbsent));
}

#[test]
fn a_witness_verifies_for_its_element_value_label_and_parameters_alone() {
    let (first, second) = (set_of(&["a", "b"]), set_of(&["a", "c"]));
    let workers = Workers::sequential();
    let key = key();
    let witness = Bilinear::witness(&key, &first, b"a", &workers).unwrap();
    let snapshot = verified(&key, value_of(&first));
    let membership = Untrusted::new(witness).verify(&snapshot, b"a").unwrap();
    assert_eq!(membership.get().element, b"a");
    assert_eq!(membership.get().accumulator, key.id());
    assert_eq!(membership.get().version, Version::new(5));
    let refused = Err(VerifyError::WitnessMismatch);
    assert_eq!(Untrusted::new(witness).verify(&snapshot, b"b"), refused);
    let result = Untrusted::new(witness).verify(&snapshot, b"absent");
    assert_eq!(result, refused);
    let other_value = verified(&key, value_of(&second));
    assert_eq!(Untrusted::new(witness).verify(&other_value, b"a"), refused);
    let other_label = verified(&key.with_label(b"other"), value_of(&first));
    assert_eq!(Untrusted::new(witness).verify(&other_label, b"a"), refused);
    let other_secret = secret_with(scalar(2), b"tests");
    let other_parameters = verified(other_secret.public_key(), value_of(&first));
    let result = Untrusted::new(witness).verify(&other_parameters, b"a");
    assert_eq!(result, refused);
}

#[test]
fn non_membership_verifies_for_its_element_and_value_alone() {
    let workers = Workers::sequential();
    let set = set_of(&["a", "b"]);
    let witness = Bilinear::non_membership_witness(&key(), &set, b"x", &workers).unwrap();
    let snapshot = verified(&key(), value_of(&set));
    assert!(Untrusted::new(witness).verify(&snapshot, b"x").is_ok());
    let refused = Err(VerifyError::WitnessMismatch);
    assert_eq!(Untrusted::new(witness).verify(&snapshot, b"a"), refused);
    assert_eq!(Untrusted::new(witness).verify(&snapshot, b"y"), refused);
    let other = verified(&key(), value_of(&set_of(&["a"])));
    assert_eq!(Untrusted::new(witness).verify(&other, b"x"), refused);
}

#[test]
fn the_subset_may_be_the_whole_set() {
    let elements = names(4);
    let set = set_of(&elements);
    let witness = Bilinear::subset_witness(&key(), &set, &elements, &workers(1)).unwrap();
    assert_eq!(witness.point(), Bilinear::empty_value(&key()).point());
    let snapshot = verified(&key(), value_of(&set));
    assert!(Untrusted::new(witness).verify(&snapshot, &elements).is_ok());
}

#[test]
fn a_batch_verifies_and_one_wrong_witness_spoils_it() {
    let elements = names(33);
    let set = set_of(&elements);
    let snapshot = verified(&key(), value_of(&set));
    let witnesses = Bilinear::witnesses(&*SECRET, &set, &workers(1)).unwrap();
    let verify = |witnesses: &[BilinearWitness], query: &[Vec<u8>]| {
        Untrusted::new(BilinearWitnessBatch::from(witnesses.to_vec())).verify(&snapshot, query)
    };
    assert!(verify(&witnesses, &elements).is_ok());
    let refused = Err(VerifyError::WitnessMismatch);
    let mut swapped = witnesses.clone();
    swapped.swap(0, 32);
    assert_eq!(verify(&swapped, &elements), refused);
    let mut query = elements.clone();
    query[7] = b"absent".to_vec();
    assert_eq!(verify(&witnesses, &query), refused);
    // Errors `c_i X` with the sums of `c_i` and of `c_i e_i` zero: they cancel in both sums if all
    // random coefficients are equal.
    let e = |index: usize| set.elements()[index].scalar();
    let factors = [(1, e(2) - e(3)), (2, e(3) - e(1)), (3, e(1) - e(2))];
    let mut cancelling = witnesses.clone();
    for (index, factor) in factors {
        let point = witnesses[index].point() + witnesses[9].point() * factor;
        cancelling[index] = BilinearWitness::new(point.into()).unwrap();
    }
    assert_eq!(verify(&cancelling, &elements), refused);
}
