//! Changes of sets, and witness updates.

use std::collections::BTreeSet;

use pad_core::{Untrusted, Workers};
use proptest::prelude::*;

use super::*;
use crate::{
    bilinear::BilinearUpdateData,
    change::Change,
    dynamic::{Dynamic, Universal},
    error::AccumulateError,
    wire,
};

type Names = Vec<Vec<u8>>;

fn element(name: &[u8]) -> BilinearElement {
    use crate::scheme::PublicKey as _;
    Bilinear::element(&key(), &key().id().digest_of(name)).unwrap()
}

/// Computes a change with the secret key, and checks that the public key gives an equal change.
fn change(set: &mut ElementSet<Bilinear>, removed: &Names, added: &Names) -> Change<Bilinear> {
    let (value, workers) = (value_of(set), workers(2));
    let mut copy = set.clone();
    let public = Bilinear::change(&key(), &mut copy, &value, removed, added, &workers).unwrap();
    let change = Bilinear::change(&*SECRET, set, &value, removed, added, &workers).unwrap();
    assert_eq!(public, change);
    assert_eq!(copy.elements(), set.elements());
    assert_eq!(change.after, value_of(set));
    let bytes = wire::encode(&change);
    let decoded = wire::decode::<Change<Bilinear>>(&key(), &bytes, 1 << 16).unwrap();
    assert_eq!(decoded.as_unverified(), &change);
    change
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn updated_witnesses_equal_recomputed_ones(
        start in prop::collection::btree_set(0_u8..12, 1..8),
        targets in prop::collection::vec(prop::collection::btree_set(0_u8..12, 0..8), 1..4),
    ) {
        let name = |number: &u8| vec![*number];
        let mut set = set_of(&start.iter().map(name).collect::<Names>());
        let workers = Workers::sequential();
        let before = Bilinear::witnesses(&*SECRET, &set, &workers).unwrap();
        let elements = set.elements().to_vec();
        let absent = Bilinear::non_membership_witness(&key(), &set, b"absent", &workers).unwrap();
        let (mut current, mut changes, mut lost) = (start.clone(), vec![], BTreeSet::new());
        for target in targets {
            let removed: Names = current.difference(&target).map(name).collect();
            let added: Names = target.difference(&current).map(name).collect();
            lost.extend(removed.iter().cloned());
            changes.push(change(&mut set, &removed, &added));
            current = target;
        }
        let pairs: Vec<_> = elements.iter().cloned().zip(before.iter().copied()).collect();
        let updated = Bilinear::update_witnesses(&key(), &pairs, &changes, &workers).unwrap();
        let parallel = Bilinear::update_witnesses(&key(), &pairs, &changes, &super::workers(3));
        prop_assert_eq!(Ok(&updated), parallel.as_ref());
        for ((number, (element, witness)), updated) in start.iter().zip(&pairs).zip(updated) {
            let alone = Bilinear::update_witness(&key(), element, witness, &changes);
            if lost.contains(&name(number)) {
                prop_assert_eq!(updated, None);
                prop_assert_eq!(alone, Err(AccumulateError::ElementAbsent));
            } else {
                let expected =
                    Bilinear::witness(&*SECRET, &set, &name(number), &workers);
                prop_assert_eq!(expected, alone);
                prop_assert_eq!(updated, alone.ok());
            }
        }
        let expected = Bilinear::non_membership_witness(&key(), &set, b"absent", &workers);
        let updated = Bilinear::update_non_membership_witness(
            &key(), &element(b"absent"), &absent, &changes,
        );
        prop_assert_eq!(expected, updated);
        let snapshot = verified(&key(), value_of(&set));
        prop_assert!(Untrusted::new(updated.unwrap()).verify(&snapshot, b"absent").is_ok());
    }
}

#[test]
fn long_histories_use_one_product_and_give_the_same() {
    let mut set = set_of(&names(20));
    let workers = Workers::sequential();
    let witness = Bilinear::witness(&*SECRET, &set, &names(1)[0], &workers).unwrap();
    let first = change(&mut set, &names(9)[3..].to_vec(), &names(60)[40..].to_vec());
    let second = change(&mut set, &names(50)[45..].to_vec(), &names(9)[3..].to_vec());
    let updated =
        Bilinear::update_witness(&key(), &element(&names(1)[0]), &witness, &[first, second]);
    let expected = Bilinear::witness(&*SECRET, &set, &names(1)[0], &workers);
    assert_eq!(updated, expected);
}

#[test]
fn refused_changes_leave_the_set_alone() {
    let workers = Workers::sequential();
    let set = set_of(&["a", "b"]);
    let value = value_of(&set);
    let attempt = |removed: &[&str], added: &[&str]| {
        let (mut public, mut author) = (set.clone(), set.clone());
        let by_public =
            Bilinear::change(&key(), &mut public, &value, removed, added, &workers).unwrap_err();
        let by_author = Bilinear::change(&*SECRET, &mut author, &value, removed, added, &workers);
        assert_eq!(by_author, Err(by_public));
        assert_eq!(public.elements(), set.elements());
        assert_eq!(author.elements(), set.elements());
        by_public
    };
    assert_eq!(attempt(&["x"], &["y"]), AccumulateError::ElementAbsent);
    assert_eq!(attempt(&["a", "a"], &[]), AccumulateError::ElementAbsent);
    assert_eq!(attempt(&[], &["y", "a"]), AccumulateError::DuplicateElement);
    assert_eq!(attempt(&[], &["y", "y"]), AccumulateError::DuplicateElement);
    let refused = attempt(&["a"], &["a"]);
    assert_eq!(refused, AccumulateError::DuplicateElement, "overlap");
    let many: Vec<String> = (0..CAPACITY).map(|number| number.to_string()).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let full = AccumulateError::CapacityExceeded { capacity: CAPACITY };
    assert_eq!(attempt(&["a"], &many), full);
}

#[test]
fn witnesses_do_not_follow_what_does_not_concern_them() {
    let mut set = set_of(&["a", "b"]);
    let workers = Workers::sequential();
    let witness = Bilinear::witness(&*SECRET, &set, b"a", &workers).unwrap();
    let first = change(&mut set, &vec![b"b".to_vec()], &vec![b"c".to_vec()]);
    let absent = Bilinear::non_membership_witness(&key(), &set, b"d", &workers).unwrap();
    let second = change(&mut set, &vec![b"c".to_vec()], &vec![b"d".to_vec()]);
    let third = change(&mut set, &vec![b"d".to_vec()], &vec![]);
    let update = |name: &[u8], changes: &[&Change<Bilinear>]| {
        let changes: Vec<_> = changes.iter().copied().cloned().collect();
        Bilinear::update_witness(&key(), &element(name), &witness, &changes)
    };
    assert!(update(b"a", &[&first, &second, &third]).is_ok());
    let refused = update(b"a", &[&first, &third]);
    assert_eq!(refused, Err(AccumulateError::ChangeGap));
    assert_eq!(update(b"b", &[&first]), Err(AccumulateError::ElementAbsent));
    let refused = update(b"c", &[&first]);
    assert_eq!(refused, Err(AccumulateError::DuplicateElement));
    let mut short = first.clone();
    short.update_data = BilinearUpdateData::default();
    assert_eq!(update(b"a", &[&short]), Err(AccumulateError::ChangeGap));
    let mut nothing = first.clone();
    (nothing.removed, nothing.added) = (vec![], vec![]);
    nothing.update_data = BilinearUpdateData::default();
    assert_eq!(update(b"a", &[&nothing]), Err(AccumulateError::ChangeGap));
    let follow = |name: &[u8], change: &Change<Bilinear>| {
        let changes = [change.clone()];
        Bilinear::update_non_membership_witness(&key(), &element(name), &absent, &changes)
    };
    assert_eq!(follow(b"d", &second), Err(AccumulateError::ElementPresent));
    assert_eq!(follow(b"d", &third), Err(AccumulateError::ElementAbsent));
    // An element that comes back has a witness again, but not by way of the old one.
    let pairs = [(element(b"a"), witness)];
    let again = change(&mut set, &vec![b"a".to_vec()], &vec![]);
    let log = [first, second, third, again];
    let found = Bilinear::update_witnesses(&key(), &pairs, &log, &workers);
    assert_eq!(found, Ok(vec![None]));
    let back = change(&mut set, &vec![], &vec![b"a".to_vec()]);
    let recomputed = Bilinear::witness(&key(), &set, b"a", &workers).unwrap();
    let snapshot = verified(&key(), back.after);
    assert!(Untrusted::new(recomputed).verify(&snapshot, b"a").is_ok());
}

#[test]
fn a_stale_value_is_refused_by_the_secret_and_nothing_is_published() {
    let workers = Workers::sequential();
    let stale = value_of(&set_of(&["a", "b"]));
    let set = set_of(&["b", "c"]);
    let attempt = |removed: &[&str], added: &[&str]| {
        let mut changed = set.clone();
        let change = Bilinear::change(&*SECRET, &mut changed, &stale, removed, added, &workers);
        assert_eq!(changed.elements(), set.elements());
        change.unwrap_err()
    };
    // Multiplied, it would give `[(a + s) (b + s) / (c + s)]_1`.
    assert_eq!(attempt(&["c"], &[]), AccumulateError::ValueMismatch);
    assert_eq!(attempt(&[], &["d"]), AccumulateError::ValueMismatch);
    assert_eq!(attempt(&[], &[]), AccumulateError::ValueMismatch);
}
