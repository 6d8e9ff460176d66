#![cfg(all(feature = "bilinear", feature = "rsa"))]

use super::*;
use crate::{
    accumulator::Accumulator,
    bilinear::{Bilinear, BilinearKeyParameters},
    rsa::{Rsa, test_key},
    testing::workers,
};

const NAMES: [&[u8]; 5] = [b"a", b"b", b"c", b"d", b"e"];
const NONE: &[&[u8]] = &[];

fn bilinear() -> <Bilinear as Accumulator>::SecretKey {
    let parameters = BilinearKeyParameters {
        capacity: 5,
        subset_limit: 1,
    };
    SecretKey::create(&parameters, b"test", &Workers::sequential()).unwrap()
}

fn author<A: Dynamic>(secret: &A::SecretKey) -> AuthorSet<A> {
    let workers = Workers::sequential();
    let set = ElementSet::from_elements(secret.public_key(), &NAMES, &workers).unwrap();
    AuthorSet::new(secret, set, &workers).unwrap()
}

/// Checks that every operation that would release a result fails with
/// [`AccumulateError::FaultDetected`], and leaves the set unchanged.
fn refuses_all<A: Dynamic>(mut author: AuthorSet<A>, secret: &A::SecretKey, removed: &[u8]) {
    let workers = Workers::sequential();
    let before = author.clone();
    let fault = AccumulateError::FaultDetected;
    assert_eq!(author.witness(secret, removed).unwrap_err(), fault);
    let refused = author.change(secret, &[removed], NONE, &workers);
    assert_eq!(refused.unwrap_err(), fault);
    let refused = author.change_without_updates(secret, &[removed], NONE, &workers);
    assert_eq!(refused.unwrap_err(), fault);
    assert_eq!(author.set.elements(), before.set.elements());
    assert_eq!(author.value, before.value);
    assert!(author.exponents.0 == before.exponents.0);
}

fn faults_are_detected<A: Dynamic>(secret: &A::SecretKey) {
    let workers = Workers::sequential();
    let sound = author::<A>(secret);
    let other = A::exponent(secret, &sound.set.elements()[1..], &workers).unwrap();
    for copy in 0..2 {
        let mut faulty = sound.clone();
        faulty.exponents.0[copy] = other.clone();
        refuses_all(faulty.clone(), secret, NAMES[0]);
        let refused = faulty.change(secret, NONE, &[b"f"], &workers);
        assert!(refused.is_err());
    }
    let mut faulty = sound.clone();
    faulty.set.swap_elements(0, 1);
    refuses_all(faulty.clone(), secret, NAMES[0]);
    refuses_all(faulty, secret, NAMES[1]);
    sound.witness(secret, NAMES[0]).unwrap();
}

#[test]
fn a_fault_of_the_memory_gives_no_result() {
    faults_are_detected::<Bilinear>(&bilinear());
    faults_are_detected::<Rsa>(&test_key::secret());
}

/// Removals and witnesses of elements outside the set must be refused. A quotient by such an
/// element would be a forged witness.
#[test]
fn absent_elements_are_not_divided_out() {
    let secret = bilinear();
    let mut author = author::<Bilinear>(&secret);
    let workers = Workers::sequential();
    let absent = AccumulateError::ElementAbsent;
    assert_eq!(author.witness(&secret, b"f").unwrap_err(), absent);
    for removed in [&[&b"f"[..]][..], &[NAMES[0], NAMES[0]]] {
        let refused = author.change(&secret, removed, NONE, &workers);
        assert_eq!(refused.unwrap_err(), absent);
        let refused = author.change_without_updates(&secret, removed, NONE, &workers);
        assert_eq!(refused.unwrap_err(), absent);
    }
}

#[test]
fn the_capacity_holds_for_kept_sets() {
    let secret = bilinear();
    let workers = Workers::sequential();
    let refusal = AccumulateError::CapacityExceeded { capacity: 5 };
    let mut author = author::<Bilinear>(&secret);
    let refused = author.change(&secret, NONE, &[b"f"], &workers);
    assert_eq!(refused.unwrap_err(), refusal);
    author
        .change(&secret, &[NAMES[0]], &[b"f"], &workers)
        .unwrap();
    let names: Vec<[u8; 1]> = (0..6).map(|name| [name]).collect();
    let set = ElementSet::from_elements(secret.public_key(), &names, &workers).unwrap();
    let refused = AuthorSet::<Bilinear>::new(&secret, set, &workers);
    assert_eq!(refused.unwrap_err(), refusal);
}

#[test]
fn several_workers_change_a_set_alike() {
    let secret = bilinear();
    let (alone, many) = (Workers::sequential(), workers(3));
    let (mut first, mut second) = (author::<Bilinear>(&secret), author::<Bilinear>(&secret));
    let (removed, added) = (&NAMES[..4], [&b"f"[..], b"g", b"h"]);
    let change = first.change(&secret, removed, &added, &alone).unwrap();
    let found = second.change(&secret, removed, &added, &many).unwrap();
    assert_eq!(found, change);
    assert!(first.exponents.0 == second.exponents.0);
}
