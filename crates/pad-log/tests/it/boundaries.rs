//! Sizes at which shapes change, many values of one key, and the accumulators themselves.

use ark_bls12_381::{Fr, G1Affine, g1};
use ark_ec::{AffineRepr, CurveGroup};
use bls12::point::{self, G1_BYTES};
use pad_accumulators::{AccumulateError, wire};
use pad_core::{DecodeError, DictionaryId, Sha256Ed25519, Suite as _, VerifyError, Workers};
use pad_log::{
    AadCounted, AasCounted, AasFrontier, AbsenceProof, AppendError, Entries, Entry, InclusionProof,
    LookupProof, Schedule, Scheme as _, SetScheme, Setup, internals::prefix,
};

use crate::support::{
    self, at_size, distinct, entries, key, log, look_up, members, pair, parameters, verify,
};
use pad_conformance::{aad::parameters::secret, pad::head_with_root};

type Scheme = AadCounted;

fn values_of(entries: &Entries<Scheme>, size: u64, asked: &str) -> Vec<String> {
    let (proof, root) = (look_up(entries, size, asked), at_size(entries, size));
    let values = verify::<LookupProof<Scheme>>(&proof, &root, &key(asked));
    let values = values.unwrap().values;
    let texts = values.iter().map(|value| value.as_bytes().to_vec());
    texts.map(|text| String::from_utf8(text).unwrap()).collect()
}

#[test]
fn look_ups_are_complete_at_every_small_size() {
    for (schedule, top_level) in [(Schedule::Eager, 10), (Schedule::Deferred, 4)] {
        let all = (0..66).map(|i| pair(&format!("key {}", i % 5), &format!("{i}")));
        let all: Vec<Entry> = all.collect();
        let entries = entries(&log::<Scheme>(3, top_level, schedule), &all);
        for size in [
            0, 1, 7, 8, 9, 15, 16, 17, 23, 24, 31, 32, 33, 63, 64, 65, 66,
        ] {
            for asked in 0..6 {
                let expected = (0..size).filter(|i| i % 5 == asked).map(|i| i.to_string());
                let expected: Vec<String> = expected.collect();
                assert_eq!(values_of(&entries, size, &format!("key {asked}")), expected);
            }
        }
    }
}

#[test]
fn every_entry_is_included_in_every_later_size() {
    let all = distinct(50);
    let entries = entries(&log::<Scheme>(3, 5, Schedule::Deferred), &all);
    for size in [1, 8, 9, 20, 33, 50] {
        let root = at_size(&entries, size);
        for position in (0..size).step_by(3) {
            let proof = wire::encode(&entries.prove_inclusion(size, position));
            let entry = &all[usize::try_from(position).unwrap()];
            let included = verify::<InclusionProof<Scheme>>(&proof, &root, entry).unwrap();
            assert_eq!((included.position, included.occurrence), (position, 1));
        }
    }
}

/// Appends equal pairs only. The last quotient is the identity, because the tree has no other
/// element.
#[test]
fn a_log_of_one_pair_shows_it_as_often_as_it_was_appended() {
    let log = log::<Scheme>(4, 10, Schedule::Eager);
    let entries = entries(&log, &vec![pair("key", ""); 40]);
    for size in [1, 2, 8, 16, 40] {
        let count = usize::try_from(size).unwrap();
        assert_eq!(values_of(&entries, size, "key"), vec![String::new(); count]);
        assert_eq!(values_of(&entries, size, "other"), Vec::<String>::new());
    }
}

/// Beyond 64 values the quotient is computed as a product instead of by divisions. The evidence
/// keeps its length.
#[test]
fn a_hundred_values_take_as_much_evidence_as_two() {
    let length = |count: usize| {
        let mut all = distinct(256);
        for (i, entry) in all.iter_mut().take(count).enumerate() {
            *entry = pair("key", &i.to_string());
        }
        let entries = entries(&log::<Scheme>(5, 10, Schedule::Eager), &all);
        let expected: Vec<String> = (0..count).map(|i| i.to_string()).collect();
        assert_eq!(values_of(&entries, 256, "key"), expected);
        let values: usize = expected.iter().map(|value| 4 + value.len()).sum();
        look_up(&entries, 256, "key").len() - values
    };
    // 97 to 104 elements take 13 blocks; 2 elements take one.
    assert_eq!((length(97), length(100)), (length(100), length(104)));
    assert!(length(2) < length(100));
}

#[test]
fn members_are_in_or_out() {
    let log = log::<AasCounted>(6, 5, Schedule::Eager);
    let members = members(40);
    let mut entries = entries(&log, &members);
    let result = entries.push(members[3].clone());
    assert_eq!(result, Err(AppendError::MemberPresent));
    let refused = entries.push(pair("member", "value"));
    assert_eq!(refused, Err(AppendError::MemberWithValue));
    check_members(&entries, &[0, 5, 8, 16, 31, 40]);
    let log = support::log::<AasFrontier>(4, 4, Schedule::Eager);
    check_members(&support::entries(&log, &support::members(20)), &[8, 16, 20]);
}

/// At each of these sizes, shows each member to be in the set or absent from it.
fn check_members<S: SetScheme>(entries: &Entries<S>, sizes: &[u64]) {
    let all = entries.as_slice();
    for size in sizes.iter().copied() {
        let root = at_size(entries, size);
        for (position, member) in (0..).zip(all).chain([(99, &Entry::member(key("-")))]) {
            let absence = entries.prove_absence(size, member.key.as_bytes()).unwrap();
            assert_eq!(absence.is_none(), position < size);
            if let Some(absence) = absence {
                let absence = wire::encode(&absence);
                verify::<AbsenceProof<S>>(&absence, &root, &member.key).unwrap();
                // The evidence is none for another member.
                if let Some(other) = all[..usize::try_from(size).unwrap()].last() {
                    assert!(verify::<AbsenceProof<S>>(&absence, &root, &other.key).is_err());
                }
            } else {
                let proof = wire::encode(&entries.prove_inclusion(size, position));
                verify::<InclusionProof<S>>(&proof, &root, member).unwrap();
            }
        }
    }
}

/// Every accumulator must be the product at `s`, which the test computes with the secret.
#[test]
fn accumulators_are_products_at_the_secret() {
    let all = distinct(100);
    let entries = entries(&log::<Scheme>(3, 5, Schedule::Deferred), &all);
    for size in 0..=100 {
        for (root, _, accumulator) in entries.roots(size) {
            let covered = (root.start()..root.end()).map(|at| &all[usize::try_from(at).unwrap()]);
            let halves =
                covered.map(|entry| pad_log::internals::element::key_half(entry.key.as_bytes()));
            let product: Fr = halves
                .map(|half| secret() - prefix::scalar_of_half(&half.0))
                .product();
            let point = (G1Affine::generator() * product).into_affine();
            let expected = accumulator.map(|_| point::encode::<g1::Config, G1_BYTES>(&point));
            assert_eq!(accumulator, expected);
        }
    }
}

#[test]
fn a_log_needs_as_many_powers_as_its_largest_trees_have_elements() {
    let capacity = parameters().capacity();
    let log = log::<Scheme>(1, 14, Schedule::Eager);
    let refused = Entries::new(log, Workers::sequential());
    let expected = AccumulateError::CapacityExceeded { capacity };
    assert_eq!(refused.unwrap_err(), expected);
}

#[test]
fn setups_have_one_encoding() {
    let log = log::<Scheme>(1, 10, Schedule::Deferred);
    let bytes = log.setup().to_bytes();
    assert_eq!(&bytes[..3], [3, 10, 1]);
    assert_eq!(Setup::from_bytes(&bytes).unwrap().to_bytes(), bytes);
    let refused = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut changed = bytes.clone();
        change(&mut changed);
        Setup::from_bytes(&changed).unwrap_err()
    };
    let invalid = DecodeError::ParametersInvalid;
    assert_eq!(refused(&|bytes| bytes[0] = 4), invalid);
    assert_eq!(refused(&|bytes| bytes[1] = 3), invalid);
    assert_eq!(refused(&|bytes| bytes[1] = 33), invalid);
    assert_eq!(refused(&|bytes| bytes[2] = 2), invalid);
    assert_eq!(refused(&|bytes| bytes.push(0)), DecodeError::TrailingBytes);
    assert_eq!(refused(&|bytes| bytes.truncate(50)), DecodeError::Malformed);
    let result = refused(&|bytes| bytes[3] &= 0x7f);
    assert_eq!(result, DecodeError::PointInvalid);
    let identity = refused(&|bytes| {
        bytes[3..99].fill(0);
        bytes[3] = 0xc0;
    });
    assert_eq!(identity, DecodeError::PointIsIdentity);
    let generator = refused(&|bytes| {
        let generator = ark_bls12_381::G2Affine::generator();
        let encoded = point::encode::<ark_bls12_381::g2::Config, { point::G2_BYTES }>(&generator);
        bytes[3..99].copy_from_slice(&encoded);
    });
    assert_eq!(generator, invalid);
    let no_purpose = refused(&|bytes| {
        bytes.truncate(99);
        bytes.push(0);
    });
    assert_eq!(no_purpose, invalid);
}

/// The empty digest names no log. A head of another log makes no statement about this one, even
/// with a valid signature.
#[test]
fn a_log_stands_at_heads_of_its_own_only() {
    let this = log::<AasCounted>(1, 4, Schedule::Eager);
    let verified = |scheme, dictionary| {
        head_with_root::<Sha256Ed25519>(dictionary, scheme, 7, Sha256Ed25519::empty_tree())
    };
    let other = verified(AasCounted::ID, DictionaryId::from_bytes([2; 16]));
    assert_eq!(this.at(&other).unwrap_err(), VerifyError::WrongDictionary);
    let other = verified(Scheme::ID, this.dictionary());
    let (expected, actual) = (0x0312, 0x0302);
    let refused = VerifyError::WrongScheme { expected, actual };
    assert_eq!(this.at(&other).unwrap_err(), refused);
    // An equal digest under a head of this log.
    let own = this.at(&verified(AasCounted::ID, this.dictionary()));
    let own = own.unwrap();
    let empty = Entries::new(this, Workers::sequential()).unwrap();
    let proof = wire::encode(&empty.prove_absence(0, b"member").unwrap().unwrap());
    verify::<AbsenceProof<AasCounted>>(&proof, &own, &key("member")).unwrap();
}
