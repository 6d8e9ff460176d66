//! Changes of sets, and witness updates.

use pad_core::Workers;

use super::*;
use crate::{
    bilinear::BilinearUpdateData, change::Change, dynamic::Dynamic, error::AccumulateError, wire,
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
fn a_change_beyond_the_capacity_leaves_the_set_alone() {
    let untouched = set_of(&["a", "b"]);
    let (value, workers) = (value_of(&untouched), Workers::sequential());
    let many: Vec<String> = (0..CAPACITY).map(|number| number.to_string()).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let full = AccumulateError::CapacityExceeded { capacity: CAPACITY };
    let mut set = untouched.clone();
    let refused = Bilinear::change(&key(), &mut set, &value, &["a"], &many, &workers);
    assert_eq!(refused, Err(full));
    let refused = Bilinear::change(&*SECRET, &mut set, &value, &["a"], &many, &workers);
    assert_eq!(refused, Err(full));
    assert_eq!(set.elements(), untouched.elements());
}

#[test]
fn changes_without_their_update_data_are_not_followed() {
    let mut set = set_of(&["a", "b"]);
    let witness = Bilinear::witness(&*SECRET, &set, b"a", &Workers::sequential()).unwrap();
    let mut short = change(&mut set, &vec![b"b".to_vec()], &vec![b"c".to_vec()]);
    let update = |change: &Change<Bilinear>| {
        let changes = core::slice::from_ref(change);
        Bilinear::update_witness(&key(), &element(b"a"), &witness, changes)
    };
    assert!(update(&short).is_ok());
    short.update_data = BilinearUpdateData::default();
    assert_eq!(update(&short), Err(AccumulateError::ChangeGap));
    (short.removed, short.added) = (vec![], vec![]);
    assert_eq!(update(&short), Err(AccumulateError::ChangeGap));
}
