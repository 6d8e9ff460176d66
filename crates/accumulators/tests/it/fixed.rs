//! Laws that both accumulators obey, checked on named elements: lists, batches, refused changes,
//! and updates of witnesses.

use std::collections::BTreeSet;

use pad_accumulators::{AccumulateError, Change, PublicKey as _, SecretKey as _, SubsetMembership};
use pad_conformance::accumulator::{Complete, PublicKey, SecretKey, set_of, verified, workers};
use pad_core::{Proof, Untrusted, Verified, VerifyError, Workers};

/// Returns the names `member 0`, `member 1`, ... The first ten are in ascending order.
fn names(count: usize) -> Vec<Vec<u8>> {
    let names = (0..count).map(|number| format!("member {number}").into_bytes());
    names.collect()
}

fn element<A: Complete>(key: &PublicKey<A>, name: &[u8]) -> A::Element {
    A::element(key, &key.id().digest_of(name)).unwrap()
}

fn statement<A: Complete>(key: &PublicKey<A>, elements: &[Vec<u8>]) -> SubsetMembership {
    SubsetMembership {
        accumulator: key.id(),
        version: pad_core::Version::new(4),
        elements: elements.to_vec(),
    }
}

/// Both roles must compute equal values and witnesses, on one thread and on three. The witnesses
/// must verify.
pub(crate) fn check_roles_and_threads<A: Complete>(secret: &SecretKey<A>) {
    let (key, alone) = (secret.public_key(), Workers::sequential());
    for count in [0, 1, 2, 3, 5, 17, 64, 100] {
        let names = names(count);
        let set = set_of::<A>(key, &names);
        let value = A::accumulate(key, &set, &alone).unwrap();
        let witnesses = A::witnesses(key, &set, &alone).unwrap();
        let absent = A::non_membership_witness(key, &set, b"absent", &alone).unwrap();
        let current = verified::<A>(key, 4, &value);
        for (name, witness) in names.iter().zip(&witnesses).take(3) {
            let membership = witness.clone().check(&current, name).unwrap();
            assert_eq!(membership.element, *name);
        }
        let absence = absent.clone().check(&current, b"absent").unwrap();
        assert_eq!(absence.element, b"absent");
        for pool in [&alone, &workers(3)] {
            assert_eq!(A::accumulate(key, &set, pool).unwrap(), value);
            assert_eq!(A::accumulate(secret, &set, pool).unwrap(), value);
            assert_eq!(A::witnesses(key, &set, pool).unwrap(), witnesses);
            assert_eq!(A::witnesses(secret, &set, pool).unwrap(), witnesses);
            for (name, witness) in names.iter().zip(&witnesses).filter(|_| count <= 17) {
                assert_eq!(A::witness(key, &set, name, pool).unwrap(), *witness);
                assert_eq!(A::witness(secret, &set, name, pool).unwrap(), *witness);
            }
            let made = A::non_membership_witness(key, &set, b"absent", pool);
            assert_eq!(made.unwrap(), absent);
            let made = A::non_membership_witness(secret, &set, b"absent", pool);
            assert_eq!(made.unwrap(), absent);
        }
    }
}

/// Every way to a subset witness must lead to the same, also for the whole set and in any order.
pub(crate) fn check_subsets<A: Complete>(secret: &SecretKey<A>) {
    let (key, alone) = (secret.public_key(), Workers::sequential());
    let all = names(9);
    let set = set_of::<A>(key, &all);
    let value = A::accumulate(key, &set, &alone).unwrap();
    let current = verified::<A>(key, 4, &value);
    for subset in [&all[..], &all[..8], &all[2..7], &all[3..5], &all[8..]] {
        let witness = A::subset_witness(key, &set, subset, &alone).unwrap();
        let made_by_author = A::subset_witness(secret, &set, subset, &alone).unwrap();
        assert_eq!(made_by_author, witness);
        let mut reversed = subset.to_vec();
        reversed.reverse();
        let made = A::subset_witness(key, &set, &reversed, &alone).unwrap();
        assert_eq!(made, witness);
        let members = reversed.iter().map(|name| {
            let single = A::witness(key, &set, name, &alone).unwrap();
            (element::<A>(key, name), single)
        });
        let members: Vec<_> = members.collect();
        assert_eq!(A::aggregate(key, &value, &members).unwrap(), witness);
        let shown = Untrusted::new(witness).verify(&current, subset);
        let shown = shown.map(Verified::into_inner);
        assert_eq!(shown, Ok(statement::<A>(key, subset)));
    }
}

/// No witness must be made of a list that is empty, has a duplicate or an absent element, or is of
/// another accumulator.
pub(crate) fn check_refused_lists<A: Complete>(secret: &SecretKey<A>) {
    let (key, alone) = (secret.public_key(), Workers::sequential());
    let all = names(4);
    let set = set_of::<A>(key, &all);
    let (member, absent) = (&all[1], b"absent".to_vec());
    let empty = AccumulateError::EmptySubset;
    let duplicate = AccumulateError::DuplicateElement;
    for (subset, expected) in [
        (vec![], empty),
        (vec![member, &absent], AccumulateError::ElementAbsent),
        (vec![&absent], AccumulateError::ElementAbsent),
        (vec![member, member], duplicate),
    ] {
        let subset: Vec<Vec<u8>> = subset.into_iter().cloned().collect();
        let refused = A::subset_witness(key, &set, &subset, &alone);
        assert_eq!(refused, Err(expected));
        let refused = A::subset_witness(secret, &set, &subset, &alone);
        assert_eq!(refused, Err(expected));
    }
    let other = secret.with_label(b"another");
    let wrong = AccumulateError::WrongAccumulator;
    let refused = A::subset_witness(&other, &set, &all[..2], &alone);
    assert_eq!(refused, Err(wrong));
    let refused = A::subset_witness(other.public_key(), &set, &all[..2], &alone);
    assert_eq!(refused, Err(wrong));
    let refused = A::non_membership_witness(&other, &set, &absent, &alone);
    assert_eq!(refused, Err(wrong));
    let refused = A::non_membership_witness(other.public_key(), &set, &absent, &alone);
    assert_eq!(refused, Err(wrong));

    let value = A::accumulate(key, &set, &alone).unwrap();
    let witnesses = A::witnesses(key, &set, &alone).unwrap();
    let aggregate = |members: &[(usize, usize)]| {
        let members = members.iter();
        let members = members.map(|(member, witness)| {
            let element = set.elements()[*member].clone();
            (element, witnesses[*witness].clone())
        });
        A::aggregate(key, &value, &members.collect::<Vec<_>>())
    };
    assert_eq!(aggregate(&[]), Err(empty));
    assert_eq!(aggregate(&[(1, 1), (0, 0), (1, 1)]), Err(duplicate));
    let mismatch = AccumulateError::WitnessMismatch;
    assert_eq!(aggregate(&[(0, 1), (1, 0)]), Err(mismatch));
}

/// A batch must have a witness for each element of the query, which may be in any order and list an
/// element twice.
pub(crate) fn check_batches<A: Complete>(secret: &SecretKey<A>) {
    let (key, alone) = (secret.public_key(), Workers::sequential());
    let all = names(8);
    let set = set_of::<A>(key, &all);
    let value = A::accumulate(key, &set, &alone).unwrap();
    let current = verified::<A>(key, 4, &value);
    let witnesses = A::witnesses(key, &set, &alone).unwrap();
    let verify = |batch: &[usize], query: &[Vec<u8>]| {
        let batch = batch.iter().map(|member| witnesses[*member].clone());
        let batch = A::WitnessBatch::from(batch.collect());
        let statement = Untrusted::new(batch).verify(&current, query);
        statement.map(Verified::into_inner)
    };
    let whole = [0, 1, 2, 3, 4, 5, 6, 7];
    let reversed = [7, 6, 5, 4, 3, 2, 1, 0];
    for order in [&whole[..], &[2, 3, 4], &[7], &reversed, &[0, 1, 0]] {
        let query = order.iter().map(|member| all[*member].clone());
        let query: Vec<Vec<u8>> = query.collect();
        let expected = statement::<A>(key, &query);
        assert_eq!(verify(order, &query), Ok(expected));
    }
    for (batch, query, expected) in [
        (&whole[..], &all[..0], VerifyError::InvalidQuery),
        (&[], &all[..0], VerifyError::InvalidQuery),
        (&whole, &all[..7], VerifyError::CountMismatch),
        (&whole[1..], &all[..], VerifyError::CountMismatch),
        (&[], &all[..], VerifyError::CountMismatch),
    ] {
        assert_eq!(verify(batch, query), Err(expected));
    }
}

/// A refused change must leave the set as it was.
pub(crate) fn check_refused_changes<A: Complete>(secret: &SecretKey<A>) {
    let (key, alone) = (secret.public_key(), Workers::sequential());
    let untouched = set_of::<A>(key, &names(4));
    let value = A::accumulate(key, &untouched, &alone).unwrap();
    let absent = AccumulateError::ElementAbsent;
    let duplicate = AccumulateError::DuplicateElement;
    let cases: [(&[&str], &[&str], AccumulateError); 7] = [
        (&["absent"], &["new"], absent),
        (&["member 0", "member 0"], &["new"], absent),
        (&["member 0", "member 0"], &[], absent),
        (&[], &["member 1"], duplicate),
        (&[], &["new", "member 1"], duplicate),
        (&[], &["new", "new"], duplicate),
        (&["member 1"], &["member 1"], duplicate),
    ];
    for (removed, added, expected) in cases {
        let mut set = untouched.clone();
        let refused = A::change(key, &mut set, &value, removed, added, &alone);
        assert_eq!(refused.unwrap_err(), expected);
        let refused = A::change(secret, &mut set, &value, removed, added, &alone);
        assert_eq!(refused.unwrap_err(), expected);
        assert_eq!(set.elements(), untouched.elements());
    }
    let mut set = untouched.clone();
    let other = key.with_label(b"other");
    let refused = A::change(&other, &mut set, &value, &[], &["new"], &alone);
    assert_eq!(refused.unwrap_err(), AccumulateError::WrongAccumulator);
    // With the value of another set, the author would publish a witness of any element.
    for stale in [&names(3)[..], &names(5), &[], &names(5)[1..]] {
        let stale = A::accumulate(secret, &set_of::<A>(key, stale), &alone).unwrap();
        let attempts: [(&[&str], &[&str]); 4] = [
            (&["member 3"], &["new"]),
            (&["member 3"], &[]),
            (&[], &["new"]),
            (&[], &[]),
        ];
        for (removed, added) in attempts {
            let refused = A::change(secret, &mut set, &stale, removed, added, &alone);
            assert_eq!(refused.unwrap_err(), AccumulateError::ValueMismatch);
            assert_eq!(set.elements(), untouched.elements());
        }
    }
}

/// No witness must be updated by changes that touch its element or do not follow each other.
pub(crate) fn check_updates<A: Complete>(secret: &SecretKey<A>) {
    let (key, alone) = (secret.public_key(), Workers::sequential());
    let mut set = set_of::<A>(key, &["a", "b"].map(|name| name.as_bytes().to_vec()));
    let mut value = A::accumulate(key, &set, &alone).unwrap();
    let witness = A::witness(key, &set, b"a", &alone).unwrap();
    let absence = A::non_membership_witness(key, &set, b"d", &alone).unwrap();
    let mut change = |removed: &[&str], added: &[&str]| {
        let change = A::change(secret, &mut set, &value, removed, added, &alone).unwrap();
        value = change.after.clone();
        change
    };
    let (first, back) = (change(&["b"], &["c"]), change(&["c"], &["b"]));
    let (appears, goes) = (change(&["b"], &["d"]), change(&["d"], &[]));
    let (leaves, returns) = (change(&["a"], &[]), change(&[], &["a"]));
    let log = |changes: &[&Change<A>]| -> Vec<Change<A>> {
        let changes = changes.iter().copied();
        changes.cloned().collect()
    };
    let update = |name: &str, changes: &[&Change<A>]| {
        let element = element::<A>(key, name.as_bytes());
        A::update_witness(key, &element, &witness, &log(changes))
    };
    // Without a change, and after changes that cancel, the witness is as before.
    assert_eq!(update("a", &[]), Ok(witness.clone()));
    assert_eq!(update("a", &[&first, &back]), Ok(witness.clone()));
    assert!(update("a", &[&first, &back, &appears, &goes]).is_ok());
    let gap = AccumulateError::ChangeGap;
    assert_eq!(update("a", &[&first, &appears]), Err(gap));
    assert_eq!(update("a", &[&first, &first]), Err(gap));
    let gone = AccumulateError::ElementAbsent;
    assert_eq!(update("b", &[&first]), Err(gone));
    assert_eq!(update("b", &[&first, &back]), Err(gone));
    let duplicate = AccumulateError::DuplicateElement;
    assert_eq!(update("c", &[&first]), Err(duplicate));
    // An element that comes back has a witness again, but not by way of the old one.
    let whole = log(&[&first, &back, &appears, &goes, &leaves, &returns]);
    let pairs = [(element::<A>(key, b"a"), witness.clone())];
    let updated = A::update_witnesses(key, &pairs, &whole, &alone);
    assert_eq!(updated, Ok(vec![None]));

    let follow = |changes: &[&Change<A>]| {
        let element = element::<A>(key, b"d");
        A::update_non_membership_witness(key, &element, &absence, &log(changes))
    };
    assert_eq!(follow(&[]), Ok(absence.clone()));
    assert_eq!(follow(&[&first, &back]), Ok(absence.clone()));
    assert!(follow(&[&first]).is_ok());
    let present = AccumulateError::ElementPresent;
    assert_eq!(follow(&[&appears]), Err(present));
    assert_eq!(follow(&[&first, &back, &appears]), Err(present));
    assert_eq!(follow(&[&appears, &goes]), Err(present));
    assert_eq!(follow(&[&goes]), Err(gone));
    assert_eq!(follow(&[&first, &goes]), Err(gap));
    // The witness of the empty set is for the empty set only.
    let none = set_of::<A>(key, &[]);
    let of_none = A::non_membership_witness(key, &none, b"x", &alone).unwrap();
    let empty = verified::<A>(key, 4, &A::empty_value(key));
    assert!(of_none.clone().check(&empty, b"x").is_ok());
    let current = verified::<A>(key, 4, &value);
    let refused = of_none.check(&current, b"x");
    assert_eq!(refused, Err(VerifyError::WitnessMismatch));
    // Recomputed, both witnesses hold against the latest value.
    let recomputed = A::witness(key, &set, b"a", &alone).unwrap();
    assert!(Untrusted::new(recomputed).verify(&current, b"a").is_ok());
    let recomputed = A::non_membership_witness(key, &set, b"d", &alone).unwrap();
    assert!(Untrusted::new(recomputed).verify(&current, b"d").is_ok());
}

/// Follows witnesses over many changes: only removals, only additions, both, and nothing all occur.
pub(crate) fn check_long_history<A: Complete>(secret: &SecretKey<A>) {
    let set = |factor: u8| -> BTreeSet<u8> { (0..10).filter(|n| n * factor % 9 < 3).collect() };
    let targets: Vec<_> = (1..15).map(|step: u8| set(step * step % 9)).collect();
    check_history::<A>(secret, &set(0), &targets, 2);
}

/// Changes a set to each target in turn. Updated witnesses must equal recomputed ones, whether one
/// change is followed at a time or all together, and on any number of threads.
pub(crate) fn check_history<A: Complete>(
    secret: &SecretKey<A>,
    start: &BTreeSet<u8>,
    targets: &[BTreeSet<u8>],
    threads: usize,
) {
    let (key, alone) = (secret.public_key(), Workers::sequential());
    let names = |numbers: BTreeSet<u8>| -> Vec<Vec<u8>> {
        let names = numbers.into_iter().map(|number| vec![number]);
        names.collect()
    };
    let mut set = set_of::<A>(key, &names(start.clone()));
    let mut value = A::accumulate(secret, &set, &alone).unwrap();
    let witnesses = A::witnesses(secret, &set, &alone).unwrap();
    let held: Vec<_> = set.elements().iter().cloned().zip(witnesses).collect();
    let absent = element::<A>(key, b"absent");
    let absence = A::non_membership_witness(secret, &set, b"absent", &alone).unwrap();
    let mut stepwise = absence.clone();
    let (mut current, mut kept, mut changes) = (start, start.clone(), Vec::new());
    for target in targets {
        let (removed, added) = (names(current - target), names(target - current));
        let mut copy = set.clone();
        let public = A::change(key, &mut copy, &value, &removed, &added, &alone).unwrap();
        let change = A::change(secret, &mut set, &value, &removed, &added, &alone).unwrap();
        assert_eq!(public, change, "with and without the secret key");
        assert_eq!(copy.elements(), set.elements());
        value = change.after.clone();
        assert_eq!(A::accumulate(secret, &set, &alone).unwrap(), value);
        let one = core::slice::from_ref(&change);
        stepwise = A::update_non_membership_witness(key, &absent, &stepwise, one).unwrap();
        changes.push(change);
        let recomputed = A::non_membership_witness(secret, &set, b"absent", &alone).unwrap();
        assert_eq!(stepwise, recomputed);
        let at_once = A::update_non_membership_witness(key, &absent, &absence, &changes);
        assert_eq!(at_once.unwrap(), recomputed);
        let snapshot = verified::<A>(key, 4, &value);
        let proved = Untrusted::new(recomputed).verify(&snapshot, b"absent");
        assert!(proved.is_ok());
        kept = &kept & target;
        current = target;
    }
    let updated = A::update_witnesses(key, &held, &changes, &alone).unwrap();
    let parallel = A::update_witnesses(key, &held, &changes, &workers(threads)).unwrap();
    assert_eq!(parallel, updated);
    for ((number, (element, witness)), updated) in start.iter().zip(&held).zip(updated) {
        let alone_updated = A::update_witness(key, element, witness, &changes);
        let expected = if kept.contains(number) {
            A::witness(secret, &set, &[*number], &alone)
        } else {
            Err(AccumulateError::ElementAbsent)
        };
        assert_eq!(alone_updated, expected);
        assert_eq!(updated, expected.ok());
    }
}
