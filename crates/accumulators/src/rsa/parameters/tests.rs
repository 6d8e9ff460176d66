use rug::Complete;

use super::*;
use crate::{
    rsa::test_key::primes,
    wire::{decode_body, encode_body},
};

const WIDE: RepresentativeRule = RepresentativeRule::Wide;

#[test]
fn rsa_2048_is_the_number_of_the_challenge() {
    let parameters = Parameters::rsa_2048(WIDE).unwrap();
    let digits = parameters.modulus().to_string();
    assert_eq!(digits, RSA_2048);
    assert_eq!(digits.len(), 617);
    assert_eq!(parameters.modulus().significant_bits(), 2048);
    let sum: u32 = digits.chars().filter_map(|digit| digit.to_digit(10)).sum();
    assert_eq!(sum, 2738, "the check sum published with the number");
    let digest = hex::encode(<sha2::Sha256 as sha2::Digest>::digest(digits));
    let expected = "b3c2468add10e2a0c4a251d9d2bac4ba04d4b3527156ceead43a1305e03f1fc0";
    assert_eq!(digest, expected);
}

#[test]
fn unusable_moduli_are_refused() {
    let [p, q] = primes();
    let invalid = |modulus: Integer| {
        let result = Parameters::new(modulus, WIDE);
        assert_eq!(result.err(), Some(DecodeError::ParametersInvalid));
    };
    invalid(Integer::new());
    invalid(Integer::from(-15));
    invalid(p.clone()); // Too short.
    invalid((&p * &q).complete() + 1_u32); // Even.
    invalid(p.clone() * &p); // A square.
    invalid((Integer::from(1) << 2203_u32) - 1_u32); // A prime.
    invalid((Integer::from(1) << 8192_u32) + 1_u32); // Too long.
    assert!(Parameters::new(p * q, WIDE).is_ok());
}

#[test]
fn modulus_and_rule_determine_base_and_id() {
    let id = |parameters: Parameters| RsaPublicKey::new(Arc::new(parameters), b"x").id();
    let first = Parameters::rsa_2048(WIDE).unwrap();
    let again = Parameters::rsa_2048(WIDE).unwrap();
    let other = Parameters::rsa_2048(RepresentativeRule::Compact).unwrap();
    assert_eq!(first.base(), again.base());
    assert_ne!(first.base(), other.base());
    let (first, again, other) = (id(first), id(again), id(other));
    assert_eq!(first, again);
    assert_ne!(first, other);
}

#[test]
fn the_base_is_a_square_up_to_sign() {
    let [p, q] = primes();
    let parameters = Parameters::new((&p * &q).complete(), WIDE).unwrap();
    let base = parameters.base().as_integer();
    // -1 is a square modulo neither prime, so of x and -x one is a square modulo both.
    assert_eq!(base.legendre(&p), base.legendre(&q));
    assert!(*base > 1);
}

#[test]
fn parameters_survive_the_wire_in_one_encoding() {
    let parameters = Parameters::rsa_2048(RepresentativeRule::Compact).unwrap();
    let bytes = encode_body(&parameters);
    assert_eq!(bytes.len(), 3 + 256);
    let read: Parameters = decode_body(&(), &bytes).unwrap();
    assert_eq!(read.fingerprint, parameters.fingerprint);

    let refused = |bytes: &[u8]| decode_body::<Parameters>(&(), bytes).err();
    let padded = [&bytes[..1], &[1, 1, 0], &bytes[3..]].concat();
    assert_eq!(refused(&padded), Some(DecodeError::NonCanonical));
    let mut changed = bytes.clone();
    changed[0] = 0;
    assert_eq!(refused(&changed), Some(DecodeError::ParametersInvalid));
    assert_eq!(refused(&bytes[..258]), Some(DecodeError::Malformed));
}
