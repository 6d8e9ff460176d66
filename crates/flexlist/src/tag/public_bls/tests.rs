//! Sums, points and their errors.

use std::sync::LazyLock;

use ark_bls12_381::{G1Affine, g1};
use ark_ec::PrimeGroup;
use ark_ff::BigInteger;

use super::{super::testing::*, *};

pub(in crate::tag) fn key() -> BlsOwnerKey {
    static KEY: LazyLock<BlsOwnerKey> = LazyLock::new(|| BlsOwnerKey::from_master(&[7; 32]));
    KEY.clone()
}

/// Returns a point of the curve outside the subgroup; all but one in 2^125 are.
fn outside() -> G1Affine {
    (1_u64..100)
        .filter_map(|x| G1Affine::get_point_from_x_unchecked(x.into(), false))
        .find(|point| !point.is_in_correct_subgroup_assuming_on_curve())
        .unwrap()
}

#[test]
fn honest_proofs_verify() {
    check_honest::<PublicBls>(&key(), 12);
    check_refusals::<PublicBls>(&key());
    check_bytes(&key());
    check_bytes(&key().public());
    assert_eq!(key().public().to_bytes().len(), 96 + 2115 * 48);
}

#[test]
fn changes_are_refused() {
    check_mutations::<PublicBls>(&key(), 40);
    check_wrong_data::<PublicBls>(&key());
    check_writes::<PublicBls>(&key());
}

#[test]
fn the_longest_block_verifies() {
    let longest = usize::try_from(MAX_LENGTH).unwrap();
    let audit = Audit::new::<PublicBls>(&key(), &[(longest, &[65_535]), (longest - 1, &[1])]);
    assert_eq!(audit.audit::<PublicBls>(&key()), Ok(()));
}

#[test]
fn more_tags_than_a_prover_keeps_verify() {
    let blocks: Vec<(usize, &[u64])> = vec![(40, &[3]); PENDING + 3];
    let audit = Audit::new::<PublicBls>(&key(), &blocks);
    assert_eq!(audit.audit::<PublicBls>(&key()), Ok(()));
}

#[test]
fn tags_are_those_of_the_public_definition() {
    let owner = key();
    let block = bytes(1, 100);
    let made = PublicBls::tag(&owner, write(1), &block).unwrap();
    let points = &owner.public().0.sectors;
    let hash = hash::hash_to_g1(&hashed_message(&write(1).0, 100), HASH_TAG);
    let sum: G1Projective = sectors(&block).zip(points).map(|(m, u)| *u * m).sum();
    let expected = (sum + hash) * owner.0.secret.expose();
    let expected = point::encode::<_, G1_BYTES>(&expected.into_affine());
    assert_eq!(made.held.as_ref(), expected);
    let [first, ..] = points.as_slice() else {
        panic!("no points")
    };
    let expected = (G1Projective::generator() * owner.0.logarithms[0]).into_affine();
    assert_eq!(*first, expected);
}

#[test]
fn writes_and_lengths_give_different_points() {
    let point =
        |write: u8, length| hash::hash_to_g1(&hashed_message(&[write; 16], length), HASH_TAG);
    let points = [point(1, 5), point(1, 6), point(2, 5)];
    assert!(points[0] != points[1] && points[0] != points[2] && points[1] != points[2]);
}

#[test]
fn points_and_scalars_are_decoded_strictly() {
    let audit = Audit::typical::<PublicBls>(&key());
    let proof = audit.prove::<PublicBls>(&key()).unwrap();
    // 67 sectors of 2048 bytes.
    assert_eq!(proof.len(), 48 + 67 * 32);
    let with_point = |point: [u8; 48]| {
        let proof = [point.as_slice(), &proof[48..]].concat();
        audit.verify::<PublicBls>(&key(), &proof)
    };
    let encode = point::encode::<g1::Config, G1_BYTES>;
    let generator = encode(&G1Affine::generator());
    // Not compressed, an identity with further bits, and an x that is not below the field's order.
    let mut uncompressed = generator;
    uncompressed[0] &= 0x7f;
    let mut identity = encode(&G1Affine::zero());
    identity[47] = 1;
    let mut large = [0xff; 48];
    large[0] = 0x9f;
    // sigma itself plus a point of small order.
    let cofactor_part = outside().mul_bigint(Fr::MODULUS).into_affine();
    let sigma = point::decode_on_curve::<g1::Config, G1_BYTES>(proof[..48].try_into().unwrap());
    let shifted = (sigma.unwrap() + cofactor_part).into_affine();
    for (point, error) in [
        (encode(&outside()), AuditError::PointOutsideSubgroup),
        (encode(&shifted), AuditError::PointOutsideSubgroup),
        (encode(&G1Affine::zero()), AuditError::PointIsIdentity),
        (generator, AuditError::EquationFails),
        (uncompressed, AuditError::PointInvalid),
        (identity, AuditError::PointInvalid),
        (large, AuditError::PointInvalid),
        ([0; 48], AuditError::PointInvalid),
    ] {
        assert_eq!(with_point(point), Err(error));
    }
    for index in [0, 66] {
        let place = 48 + 32 * index..48 + 32 * (index + 1);
        for wrong in [Fr::MODULUS.to_bytes_be(), vec![0xff; 32]] {
            let mut changed = proof.clone();
            changed[place.clone()].copy_from_slice(&wrong);
            let verdict = audit.verify::<PublicBls>(&key(), &changed);
            assert_eq!(verdict, Err(AuditError::ScalarOutOfRange));
        }
        let mut changed = proof.clone();
        changed[place.end - 1] ^= 1;
        let verdict = audit.verify::<PublicBls>(&key(), &changed);
        assert_eq!(verdict, Err(AuditError::EquationFails));
    }
}

#[test]
fn tags_that_do_not_fit_are_found() {
    let parameters = key().public();
    let audit = Audit::typical::<PublicBls>(&key());
    let check = |audit: &Audit| PublicBls::check_tags(&parameters, &audit.stored());
    assert_eq!(check(&audit), Ok(()));
    let mut changed = audit.clone();
    changed.blocks[4][200] ^= 1;
    assert_eq!(check(&changed), Err(TagError::BlockMismatch));
    let mut changed = audit.clone();
    changed.tags.swap(1, 2);
    assert_eq!(check(&changed), Err(TagError::BlockMismatch));
    for wrong in [outside(), G1Affine::zero()] {
        let mut changed = audit.clone();
        changed.tags[1].held = point::encode::<_, G1_BYTES>(&wrong).to_vec().into();
        assert_eq!(check(&changed), Err(TagError::TagMalformed));
    }
    let mut changed = audit;
    changed.tags[1].held = vec![0xff; 48].into();
    assert_eq!(check(&changed), Err(TagError::TagMalformed));
    let proof = changed.prove::<PublicBls>(&key());
    assert_eq!(proof, Err(TagError::TagMalformed));
}

#[test]
fn public_keys_are_decoded_strictly() {
    let bytes = key().public().to_bytes();
    let refused = |place: usize, point: &[u8], error| {
        let mut changed = bytes.to_vec();
        changed[place..place + point.len()].copy_from_slice(point);
        let read = BlsPublicKey::from_bytes(&changed).map(drop);
        assert_eq!(read, Err(TagError::Malformed(error)));
    };
    let encode = point::encode::<g1::Config, G1_BYTES>;
    refused(96, &encode(&outside()), DecodeError::PointOutsideSubgroup);
    refused(
        bytes.len() - 48,
        &encode(&G1Affine::zero()),
        DecodeError::PointIsIdentity,
    );
    refused(144, &[0xff; 48], DecodeError::PointInvalid);
    refused(
        0,
        &point::encode::<_, G2_BYTES>(&G2Affine::zero()),
        DecodeError::PointIsIdentity,
    );
}

#[test]
fn another_key_verifies_nothing() {
    let audit = Audit::typical::<PublicBls>(&key());
    let proof = audit.prove::<PublicBls>(&key()).unwrap();
    let other = BlsOwnerKey::generate().unwrap();
    let verdict = audit.verify::<PublicBls>(&other, &proof);
    assert_eq!(verdict, Err(AuditError::EquationFails));
}
