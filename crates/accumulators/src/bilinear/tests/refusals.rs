//! Refused inputs and their errors.

use ark_bls12_381::{Fq, G1Affine, g1};
use ark_ff::{AdditiveGroup, BigInteger, Field, PrimeField};
use bls12::point::{self, G1_BYTES};
use pad_core::{DecodeError, Untrusted, VerifyError, Workers};

use super::*;
use crate::{
    accumulator::{Batch, EitherKey},
    bilinear::{
        BilinearNonMembershipWitness, BilinearSubsetWitness, BilinearUpdateData, BilinearWitness,
        element::scalars, polynomial,
    },
    dynamic::{Dynamic, Universal},
    error::AccumulateError,
    scheme::PublicKey,
    wire::{self, Wire},
};

/// Returns a point that is on the curve, but outside the subgroup.
fn stray() -> [u8; G1_BYTES] {
    let point = (1_u64..100)
        .filter_map(|x| G1Affine::get_point_from_x_unchecked(Fq::from(x), false))
        .find(|point| !point.is_in_correct_subgroup_assuming_on_curve())
        .unwrap();
    point::encode::<g1::Config, G1_BYTES>(&point)
}

fn body<W: Wire<Context = BilinearPublicKey>>(bytes: &[u8]) -> Result<(), DecodeError> {
    wire::decode_body::<W>(&key(), bytes).map(|_| ())
}

#[test]
fn every_object_refuses_every_bad_point() {
    let mut identity = [0; G1_BYTES];
    identity[0] = 0xc0;
    let mut wrong_flag = point::encode::<g1::Config, G1_BYTES>(&value_of(&set_of(&["a"])).point());
    wrong_flag[0] &= 0x7f;
    let cases = [
        (identity, DecodeError::PointIsIdentity),
        (stray(), DecodeError::PointOutsideSubgroup),
        (wrong_flag, DecodeError::PointInvalid),
        ([0xff; G1_BYTES], DecodeError::PointInvalid),
    ];
    for (bytes, error) in cases {
        assert_eq!(body::<BilinearValue>(&bytes), Err(error));
        assert_eq!(body::<BilinearWitness>(&bytes), Err(error));
        assert_eq!(body::<BilinearSubsetWitness>(&bytes), Err(error));
        let with_remainder = [bytes.as_slice(), &[2; 32]].concat();
        let refused = body::<BilinearNonMembershipWitness>(&with_remainder);
        assert_eq!(refused, Err(error));
        let update_data = [[0, 0, 0, 1].as_slice(), &bytes].concat();
        assert_eq!(body::<BilinearUpdateData>(&update_data), Err(error));
    }
    let refused = body::<BilinearValue>(&stray()[..47]);
    assert_eq!(refused, Err(DecodeError::Malformed));
    let refused = body::<BilinearUpdateData>(&[0xff; 4]);
    assert_eq!(refused, Err(DecodeError::Malformed));
}

#[test]
fn remainders_are_neither_zero_nor_the_group_order_or_more() {
    let set = set_of(&["a"]);
    let witness =
        Bilinear::non_membership_witness(&key(), &set, b"x", &Workers::sequential()).unwrap();
    let bytes = wire::encode_body(&witness);
    assert_eq!(body::<BilinearNonMembershipWitness>(&bytes), Ok(()));
    let with = |remainder: &[u8]| {
        body::<BilinearNonMembershipWitness>(&[&bytes[..G1_BYTES], remainder].concat())
    };
    let refused = Err(DecodeError::ScalarOutOfRange);
    assert_eq!(with(&[0; 32]), refused);
    assert_eq!(with(&Fr::MODULUS.to_bytes_be()), refused);
    assert_eq!(with(&[0xff; 32]), refused);
    // A member's witness with remainder zero satisfies the equation, and is refused for it.
    let member = Bilinear::witness(&key(), &set, b"a", &Workers::sequential()).unwrap();
    let forged = BilinearNonMembershipWitness {
        quotient: member.point(),
        remainder: Fr::ZERO,
    };
    let snapshot = verified(&key(), value_of(&set));
    let result = Untrusted::new(forged).verify(&snapshot, b"a");
    assert_eq!(result, Err(VerifyError::RemainderOutOfRange));
}

#[test]
fn sets_above_the_capacity_are_refused_by_every_operation() {
    let full = names(u16::try_from(CAPACITY).unwrap());
    let over = names(u16::try_from(CAPACITY + 1).unwrap());
    let (key, set) = (key(), set_of(&full));
    let value = Bilinear::accumulate(&key, &set, &Workers::sequential());
    assert_eq!(value, Ok(value_of(&set)));
    assert_eq!(key.capacity(), Some(CAPACITY));
    check_capacity(&key, &over);
    check_capacity(&*SECRET, &over);
}

fn check_capacity(key: &impl EitherKey<Bilinear>, over: &[Vec<u8>]) {
    let (set, workers) = (set_of(over), Workers::sequential());
    let error = AccumulateError::CapacityExceeded { capacity: CAPACITY };
    assert_eq!(Bilinear::accumulate(key, &set, &workers), Err(error));
    assert_eq!(Bilinear::witness(key, &set, &over[0], &workers), Err(error));
    assert_eq!(Bilinear::witnesses(key, &set, &workers), Err(error));
    let subset = Bilinear::subset_witness(key, &set, &over[..1], &workers);
    assert_eq!(subset, Err(error));
    let absent = Bilinear::non_membership_witness(key, &set, b"absent", &workers);
    assert_eq!(absent, Err(error));
}

#[test]
fn subsets_above_the_limit_are_refused() {
    let elements = names(20);
    let (key, set, workers) = (key(), set_of(&elements), Workers::sequential());
    let limit = SUBSET_LIMIT;
    let too_large = AccumulateError::SubsetTooLarge { limit };
    let over = &elements[..=SUBSET_LIMIT];
    let refused = Bilinear::subset_witness(&key, &set, over, &workers);
    assert_eq!(refused, Err(too_large));
    let witness = Bilinear::subset_witness(&key, &set, &elements[..limit], &workers).unwrap();
    let snapshot = verified(&key, value_of(&set));
    let verify = |query: &[Vec<u8>]| Untrusted::new(witness).verify(&snapshot, query);
    assert!(verify(&elements[..limit]).is_ok());
    let another = verify(&elements[1..=limit]);
    assert_eq!(another, Err(VerifyError::WitnessMismatch));
    let too_many = VerifyError::TooManyElements { limit };
    assert_eq!(verify(over), Err(too_many));
    let witnesses = Bilinear::witnesses(&key, &set, &workers).unwrap();
    let pairs: Vec<_> = set.elements().iter().cloned().zip(witnesses).collect();
    let value = value_of(&set);
    assert_eq!(Bilinear::aggregate(&key, &value, &pairs), Err(too_large));
    let aggregated = Bilinear::aggregate(&key, &value, &pairs[..limit]);
    assert_eq!(aggregated, Ok(witness));
}

#[test]
fn the_negative_of_the_secret_is_refused_by_whoever_meets_it() {
    let (key, workers) = (key(), Workers::sequential());
    let set = set_of(&["a", "b"]);
    let error = AccumulateError::ElementNotAllowed;
    // With the public key: the value is the identity.
    let digest = ElementDigest::from_bytes([9; 32]);
    let bad = BilinearElement::with_scalar(digest, -SECRET.scalar()).unwrap();
    let elements = [set.elements()[0].clone(), bad];
    let coefficients = polynomial::product(&scalars(&elements), &workers);
    let point = key.parameters().evaluate(&coefficients, &workers).unwrap();
    assert_eq!(BilinearValue::new(point.into()), Err(error));
    // With a secret that is the negative of an element.
    let bad = -set.elements()[0].scalar();
    let secret = BilinearSecretKey::assemble(SecretScalar::new(Zeroizing::new(bad)), key);
    assert_eq!(Bilinear::accumulate(&secret, &set, &workers), Err(error));
    assert_eq!(Bilinear::witnesses(&secret, &set, &workers), Err(error));
    assert_eq!(Bilinear::witness(&secret, &set, b"b", &workers), Err(error));
    let change = |removed: &[&str], added: &[&str]| {
        let mut set = set_of(removed);
        let value = Bilinear::empty_value(secret.public_key());
        Bilinear::change(&secret, &mut set, &value, removed, added, &workers)
    };
    assert_eq!(change(&["a"], &[]).unwrap_err(), error);
    assert_eq!(change(&[], &["a"]).unwrap_err(), error);
    let empty = set_of::<&str>(&[]);
    let absent = Bilinear::non_membership_witness(&secret, &empty, b"a", &workers);
    assert_eq!(absent, Err(error));
}

#[test]
fn secret_keys_come_back_and_belong_to_their_parameters() {
    let bytes = SECRET.to_bytes();
    assert!(bytes.ends_with(&SECRET.scalar().into_bigint().to_bytes_be()));
    let read = |key: &BilinearPublicKey, bytes: &[u8]| {
        wire::decode::<BilinearSecretKey>(key, bytes, 100)
            .map(|secret| secret.into_unverified().scalar())
    };
    assert_eq!(read(&key(), &bytes), Ok(SECRET.scalar()));
    let other = secret_with(scalar(2), b"tests");
    let refused = read(other.public_key(), &bytes);
    assert_eq!(refused, Err(DecodeError::WrongParameters));
    let end = bytes.len() - 32;
    let zero = [&bytes[..end], &[0; 32]].concat();
    assert_eq!(read(&key(), &zero), Err(DecodeError::ScalarOutOfRange));
    let order = [&bytes[..end], &Fr::MODULUS.to_bytes_be()].concat();
    assert_eq!(read(&key(), &order), Err(DecodeError::ScalarOutOfRange));
    let refused = read(&key(), &bytes[..end + 31]);
    assert_eq!(refused, Err(DecodeError::Malformed));
    let fresh = |()| BilinearSecretKey::generate(1, 1, b"", &Workers::sequential()).unwrap();
    let [first, second] = [(), ()].map(fresh);
    assert_ne!(first.scalar(), second.scalar());
    assert_ne!(first.scalar(), Fr::ONE);
}
