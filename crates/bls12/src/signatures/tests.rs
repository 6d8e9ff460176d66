//! Signing and verifying: known answers, hostile bytes, aggregates.

use ark_bls12_381::{Fq, G1Affine, G2Affine, g1, g2};
use ark_ec::AffineRepr;
use pad_core::{DecodeError, VerifyError, Workers, codec};

use super::{suite::hash_of, *};
use crate::{
    key_derivation,
    point::{self, tests::stray},
};

const INVALID: Result<(), VerifyError> = Err(VerifyError::SignatureInvalid);

fn secret(number: u8) -> BlsSecretKey {
    BlsSecretKey::from_seed(&[number; 32])
}

fn bytes<const N: usize>(text: &str) -> [u8; N] {
    hex::decode(text).unwrap().try_into().unwrap()
}

fn signature(text: &str) -> BlsSignature {
    BlsSignature::from_bytes(&bytes(text))
}

#[test]
fn keys_and_signatures_are_those_of_another_implementation() {
    // Made with blst 0.3.17, `min_sig`: key_gen of 32 bytes 7, sign, aggregate.
    let secret = secret(7);
    assert_eq!(
        secret.public_key().to_string(),
        "8038bfe033bc328ea36bb7c3438bc5a27a0dc880506277e1\
         16c8b842ed0c1ea78d32c90b04afbca59bd828c1e6c5e3f3\
         19274412f2e9eecf7334114b02847693e9d997f1aa9f936d\
         90cae8946df6593033431513e210880bcda015da1b61f6f5"
    );
    for (message, expected) in [
        (
            "",
            "93bf6ad2288b1e90baf1e670e1b753d2bfa4250e0985b2fa\
             30e1b485cb137bf6e7a3e2d54b806e4a82bf581940470823",
        ),
        (
            "abc",
            "b0e263f06826487f31708b6ffe92d767e3e9f93d52a4ff4b\
             565eeca6a81db753caa8689e3d1f83d288be137f86646294",
        ),
        (
            "message",
            "8f3f8997b2efc82bc14932242506a59d843ea31a41e2829c\
             691a3bee8d211c93d11e28034e43b46b75fe932cfaf786d6",
        ),
    ] {
        assert_eq!(secret.sign(message.as_bytes()), signature(expected));
    }
    let both = [secret.sign(b"abc"), secret.sign(b"message")];
    assert_eq!(
        BlsSignature::aggregate(&both),
        Ok(signature(
            "a120f3ba77ce904ff3fb60c332aefb74fbc4441f3251a3c0\
             cab365ad6eec8fa313baef84ffbcf92b44a8ead119102ad7"
        ))
    );
}

#[test]
fn a_signature_of_the_public_randomness_beacon_verifies() {
    // drand, network `quicknet`, round 1000: the message is SHA-256 of the round number.
    let key: BlsPublicKey = "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911f\
         b90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451\
         0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809\
         bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
        .parse()
        .unwrap();
    let signature = signature(
        "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b1957\
         6350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
    );
    let message = |round: u64| <sha2::Sha256 as sha2::Digest>::digest(round.to_be_bytes());
    assert_eq!(key.verify(&message(1000), &signature), Ok(()));
    assert_eq!(key.verify(&message(1001), &signature), INVALID);
}

#[test]
fn only_the_signed_message_and_the_right_key_verify() {
    let (first, second) = (secret(1), secret(2));
    let signature = first.sign(b"message");
    assert_eq!(first.public_key().verify(b"message", &signature), Ok(()));
    assert_eq!(first.public_key().verify(b"massage", &signature), INVALID);
    assert_eq!(first.public_key().verify(b"", &signature), INVALID);
    assert_eq!(second.public_key().verify(b"message", &signature), INVALID);
}

#[test]
fn no_changed_byte_of_a_signature_verifies() {
    let secret = secret(3);
    let signature = secret.sign(b"message").to_bytes();
    for position in 0..SIGNATURE_LENGTH {
        for mask in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
            let mut changed = signature;
            changed[position] ^= mask;
            let changed = BlsSignature::from_bytes(&changed);
            assert_eq!(secret.public_key().verify(b"message", &changed), INVALID);
        }
    }
}

#[test]
fn hostile_signatures_are_refused() {
    let secret = secret(3);
    let mut identity = [0; SIGNATURE_LENGTH];
    identity[0] = 0xc0;
    let mut other_identity = identity;
    other_identity[47] = 1;
    // The modulus as a coordinate: zero, not reduced.
    let modulus = bytes(
        "9a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf\
         6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
    );
    let outside = point::encode(&stray::<g1::Config>((0..50_u64).map(Fq::from)));
    for (hostile, error) in [
        (identity, DecodeError::PointIsIdentity),
        (other_identity, DecodeError::PointInvalid),
        (modulus, DecodeError::PointInvalid),
        ([0; SIGNATURE_LENGTH], DecodeError::PointInvalid),
        ([0xff; SIGNATURE_LENGTH], DecodeError::PointInvalid),
        (outside, DecodeError::PointOutsideSubgroup),
    ] {
        let hostile = BlsSignature::from_bytes(&hostile);
        let key = secret.public_key();
        assert_eq!(key.verify(b"message", &hostile), INVALID);
        let (messages, workers) = (["message"], Workers::sequential());
        assert_eq!(key.verify_aggregate(&messages, &hostile, &workers), INVALID);
        let both = [secret.sign(b"message"), hostile];
        assert_eq!(BlsSignature::aggregate(&both), Err(error));
    }
}

#[test]
fn hostile_public_keys_are_refused() {
    let mut identity = [0; PUBLIC_KEY_LENGTH];
    identity[0] = 0xc0;
    let coordinates = (0..50_u64).map(|x| ark_bls12_381::Fq2::new(Fq::from(x), Fq::from(1_u64)));
    let outside = point::encode(&stray::<g2::Config>(coordinates));
    for (hostile, error) in [
        (identity, DecodeError::PointIsIdentity),
        ([0; PUBLIC_KEY_LENGTH], DecodeError::PointInvalid),
        ([0xff; PUBLIC_KEY_LENGTH], DecodeError::PointInvalid),
        (outside, DecodeError::PointOutsideSubgroup),
    ] {
        assert_eq!(BlsPublicKey::from_bytes(&hostile), Err(error));
        assert_eq!(hex::encode(hostile).parse::<BlsPublicKey>(), Err(error));
        let decoded = codec::decode_body::<BlsPublicKey>(&hostile);
        assert_eq!(decoded, Err(DecodeError::Malformed));
    }
    let text = secret(4).public_key().to_string();
    for text in [&text[1..], &text.to_uppercase(), &text.replace('8', "g")] {
        assert_eq!(text.parse::<BlsPublicKey>(), Err(DecodeError::Malformed));
    }
}

#[test]
fn keys_and_signatures_come_back_from_their_encodings() {
    let secret = secret(5);
    let (key, signature) = (secret.public_key(), secret.sign(b"message"));
    assert_eq!(BlsPublicKey::from_bytes(&key.to_bytes()).as_ref(), Ok(key));
    assert_eq!(key.to_string().parse().as_ref(), Ok(key));

    let encoded = codec::encode_body(&(key, signature));
    let bytes = [&key.to_bytes()[..], &signature.to_bytes()].concat();
    assert_eq!(encoded, bytes);
    assert_eq!(codec::decode_body(&encoded), Ok((key.clone(), signature)));
    let truncated = codec::decode_body::<(BlsPublicKey, BlsSignature)>(&encoded[..143]);
    assert_eq!(truncated, Err(DecodeError::Malformed));

    let text = serde_json::to_string(&(key, signature)).unwrap();
    let digits = hex::encode(signature.to_bytes());
    assert_eq!(text, format!("[\"{key}\",\"{digits}\"]"));
    let decoded: (BlsPublicKey, BlsSignature) = serde_json::from_str(&text).unwrap();
    assert_eq!(decoded, (key.clone(), signature));
    assert_eq!(format!("{key:?}"), format!("BlsPublicKey({key})"));
    let shown = hex::encode(signature.to_bytes());
    assert_eq!(format!("{signature:?}"), format!("BlsSignature({shown})"));
}

#[test]
fn aggregates_verify_for_exactly_their_messages() {
    let secret = secret(6);
    let key = secret.public_key();
    let messages: Vec<[u8; 4]> = (0..101_u32).map(u32::to_be_bytes).collect();
    let signatures: Vec<BlsSignature> = messages.iter().map(|one| secret.sign(one)).collect();
    for workers in [Workers::sequential(), Workers::all_cores()] {
        let verify = |messages: &[[u8; 4]], signature: &BlsSignature| {
            key.verify_aggregate(messages, signature, &workers)
        };
        for count in [1, 2, 100] {
            let aggregate = BlsSignature::aggregate(&signatures[..count]).unwrap();
            let signed = &messages[..count];
            assert_eq!(verify(signed, &aggregate), Ok(()));
            // Order does not count.
            let reversed: Vec<_> = signed.iter().rev().copied().collect();
            assert_eq!(verify(&reversed, &aggregate), Ok(()));
            // Missing, surplus, another one instead, one twice.
            assert_eq!(verify(&signed[1..], &aggregate), INVALID);
            assert_eq!(verify(&messages[..=count], &aggregate), INVALID);
            assert_eq!(verify(&messages[1..=count], &aggregate), INVALID);
            let twice = [signed, &signed[..1]].concat();
            assert_eq!(verify(&twice, &aggregate), INVALID);
            // A changed message.
            let mut changed = signed.to_vec();
            changed[0][0] ^= 1;
            assert_eq!(verify(&changed, &aggregate), INVALID);
            // A signature missing, or added twice.
            let twice = [&signatures[..count], &signatures[..1]].concat();
            let twice = BlsSignature::aggregate(&twice).unwrap();
            assert_eq!(verify(signed, &twice), INVALID);
            assert_eq!(verify(signed, &signatures[count]), INVALID);
        }
        assert_eq!(verify(&[], &signatures[0]), INVALID);
    }
    let one = BlsSignature::aggregate(&signatures[..1]);
    assert_eq!(one, Ok(signatures[0]));
}

#[test]
fn repeated_messages_need_repeated_signatures() {
    let secret = secret(6);
    let (first, second) = (secret.sign(b"first"), secret.sign(b"second"));
    let aggregate = BlsSignature::aggregate(&[first, second, first]).unwrap();
    let (key, workers) = (secret.public_key(), Workers::sequential());
    let verify = |messages: &[&str]| key.verify_aggregate(messages, &aggregate, &workers);
    assert_eq!(verify(&["first", "first", "second"]), Ok(()));
    assert_eq!(verify(&["first", "second"]), INVALID);
    assert_eq!(verify(&["first", "second", "second"]), INVALID);
}

#[test]
fn signatures_by_another_key_spoil_an_aggregate() {
    let (secret, other) = (secret(6), secret(8));
    let signatures = [secret.sign(b"first"), other.sign(b"second")];
    let aggregate = BlsSignature::aggregate(&signatures).unwrap();
    for key in [secret.public_key(), other.public_key()] {
        let workers = Workers::sequential();
        let result = key.verify_aggregate(&["first", "second"], &aggregate, &workers);
        assert_eq!(result, INVALID);
    }
}

#[test]
fn sums_that_are_no_signature_are_refused() {
    let refused = BlsSignature::aggregate(&[]);
    assert_eq!(refused, Err(DecodeError::PointIsIdentity));
    let signature = secret(6).sign(b"message");
    let negative = -signature.point().unwrap();
    let both = [signature, BlsSignature::from_point(&negative)];
    let refused = BlsSignature::aggregate(&both);
    assert_eq!(refused, Err(DecodeError::PointIsIdentity));
}

#[test]
fn a_public_key_is_the_secret_multiple_of_the_generator() {
    let secret = secret(11);
    let scalar = key_derivation::scalar_from_seed(&[11; 32]);
    let key: G2Affine = (G2Affine::generator() * *scalar).into();
    assert_eq!(*secret.public_key(), BlsPublicKey::from_point(&key));
    let expected: G1Affine = (hash_of(b"message") * *scalar).into();
    assert_eq!(secret.sign(b"message"), BlsSignature::from_point(&expected));
}
