use std::sync::Arc;

use pad_core::{DecodeError, Proof, Verified, VerifyError, Workers};
use rsa_group::{group::ModularGroup, modulus::write_fixed};
use rug::{Complete, Integer};

use super::{
    test_key::{names, secret, secret_3072, set},
    *,
};
use crate::{
    Accumulator as _, ElementSet, PublicKey as _, SecretKey as _,
    snapshot::Snapshot,
    testing,
    wire::{decode_body, encode_body},
};

fn verified(key: &RsaPublicKey, value: &RsaValue) -> Verified<Snapshot<Rsa>> {
    testing::verified(key, 1, value)
}

#[test]
fn a_key_of_3072_bits_agrees_with_its_public_half() {
    let secret = secret_3072();
    let key = secret.public_key();
    let one = Workers::sequential();
    let set = ElementSet::from_elements(key, &names(0, 5), &one).unwrap();
    let found = Rsa::accumulate(key, &set, &one);
    assert_eq!(found, Rsa::accumulate(&secret, &set, &one));
    let found = Rsa::witnesses(key, &set, &one);
    assert_eq!(found, Rsa::witnesses(&secret, &set, &one));
}

#[test]
fn a_witness_verifies_nothing_else() {
    let secret = secret();
    let key = secret.public_key();
    let one = Workers::sequential();
    let set = set(3);
    let value = verified(key, &Rsa::accumulate(key, &set, &one).unwrap());
    let witness = Rsa::witness(key, &set, b"element 0", &one).unwrap();
    let other = Rsa::witness(key, &set, b"element 1", &one).unwrap();
    assert!(witness.clone().check(&value, b"element 0").is_ok());

    // Another element, with its own offset; another witness; another value.
    let moved = RsaWitness::new(witness.residue().clone(), other.offset());
    let refused = moved.check(&value, b"element 1");
    assert_eq!(refused, Err(VerifyError::WitnessMismatch));
    let moved = RsaWitness::new(other.residue().clone(), witness.offset());
    let refused = moved.check(&value, b"element 0");
    assert_eq!(refused, Err(VerifyError::WitnessMismatch));
    let empty = verified(key, &Rsa::empty_value(key));
    let refused = witness.clone().check(&empty, b"element 0");
    assert_eq!(refused, Err(VerifyError::WitnessMismatch));

    // One more is even; the window has 2^16 numbers.
    let even = RsaWitness::new(witness.residue().clone(), witness.offset() ^ 1);
    assert!(matches!(
        even.check(&value, b"element 0"),
        Err(VerifyError::NotAPrimeRepresentative | VerifyError::OffsetOutsideWindow)
    ));
}

#[test]
fn a_residue_of_another_modulus_is_refused() {
    let one = Workers::sequential();
    let larger = secret_3072();
    let stranger = ElementSet::from_elements(larger.public_key(), &names(0, 2), &one).unwrap();
    let witness = Rsa::witness(&larger, &stranger, b"element 0", &one).unwrap();
    let secret = secret();
    let value = verified(secret.public_key(), &Rsa::empty_value(secret.public_key()));
    let refused = witness.check(&value, b"element 0");
    assert_eq!(refused, Err(VerifyError::WrongAccumulator));
}

#[test]
fn hostile_residues_are_refused() {
    let secret = secret();
    let key = secret.public_key();
    let modulus = key.parameters().modulus();
    let [p, _] = test_key::primes();
    let half = (modulus >> 1_u32).complete();
    let last = (modulus - 1_u32).complete();
    let cases = [
        (Integer::new(), DecodeError::ResidueOutOfRange),
        (modulus.clone(), DecodeError::ResidueOutOfRange),
        ((modulus + 1_u32).complete(), DecodeError::ResidueOutOfRange),
        (last, DecodeError::ResidueNotCanonical),
        ((&half + 1_u32).complete(), DecodeError::ResidueNotCanonical),
        (p.clone(), DecodeError::ResidueNotUnit),
        (p * 5_u32, DecodeError::ResidueNotUnit),
    ];
    for (number, expected) in cases {
        let mut bytes = Vec::new();
        write_fixed(&number, 256, &mut bytes);
        assert_eq!(decode_body::<RsaValue>(key, &bytes), Err(expected));
        bytes.extend([0, 0]);
        assert_eq!(decode_body::<RsaWitness>(key, &bytes), Err(expected));
    }
    let mut bytes = Vec::new();
    write_fixed(&half, 256, &mut bytes);
    assert!(decode_body::<RsaValue>(key, &bytes).is_ok());
    bytes.push(0);
    let refused = decode_body::<RsaValue>(key, &bytes);
    assert_eq!(refused, Err(DecodeError::TrailingBytes));
    let refused = decode_body::<RsaValue>(key, &bytes[..255]);
    assert_eq!(refused, Err(DecodeError::Malformed));
}

/// The number 1 must be refused as a value and as a witness. All powers of 1 are 1, so every
/// element would have a witness for the value 1.
#[test]
fn the_neutral_element_is_neither_value_nor_witness() {
    let secret = secret();
    let key = secret.public_key();
    let mut bytes = Vec::new();
    write_fixed(&Integer::from(1), 256, &mut bytes);
    let refused = DecodeError::ResidueOutOfRange;
    assert_eq!(decode_body::<RsaValue>(key, &bytes), Err(refused));
    bytes.extend([0, 0]);
    assert_eq!(decode_body::<RsaWitness>(key, &bytes), Err(refused));
    let subset = [&[0, 0, 0, 1, 0, 0], &bytes[..256]].concat();
    assert_eq!(decode_body::<RsaSubsetWitness>(key, &subset), Err(refused));
}

#[test]
fn objects_survive_the_wire() {
    let secret = secret();
    let key = secret.public_key();
    let one = Workers::sequential();
    let set = set(2);
    let value = Rsa::accumulate(key, &set, &one).unwrap();
    let witness = Rsa::witness(key, &set, b"element 1", &one).unwrap();
    let element = set.elements()[0].clone();
    assert_eq!(decode_body(key, &encode_body(&value)), Ok(value));
    assert_eq!(decode_body(key, &encode_body(&witness)), Ok(witness));
    let found = decode_body(key, &encode_body(&element));
    assert_eq!(found, Ok(element.clone()));

    let mut bytes = encode_body(&element);
    assert_eq!(bytes.len(), 34);
    bytes[33] ^= 1;
    assert!(matches!(
        decode_body::<RsaElement>(key, &bytes),
        Err(DecodeError::NotAPrimeRepresentative | DecodeError::OffsetOutsideWindow)
    ));
}

#[test]
fn the_group_is_up_to_sign() {
    let secret = secret();
    let group = secret.public_key().group();
    let number = Integer::from(12_345_678_u64);
    let negative = (group.modulus() - &number).complete();
    let found = group.canonical(number.clone());
    assert_eq!(found, group.canonical(negative.clone()));
    assert!(group.same(&number, &negative) && !group.same(&number, &Integer::from(5)));
    let inverse = group.inverse(&number);
    assert_eq!(group.multiply(&number, &inverse), group.one());
    let found = group.square_times(&number, 3);
    assert_eq!(found, group.power(&number, &Integer::from(8)));
    let found = group.square(&number);
    assert_eq!(found, group.power(&number, &Integer::from(2)));
}

#[test]
fn clones_of_a_public_key_share_its_parameters() {
    let key = secret().public_key().clone();
    let labelled = key.with_label(b"other");
    assert_ne!(key.id(), labelled.id());
    assert!(core::ptr::eq(key.parameters(), labelled.parameters()));
    let parameters = Arc::new(Parameters::rsa_2048(RepresentativeRule::Wide).unwrap());
    assert_ne!(RsaPublicKey::new(parameters, b"test").id(), key.id());
}

/// The other tests of this accumulator, with lanes switched off, as on a processor without them.
#[test]
fn all_hold_without_lanes() {
    let output = std::process::Command::new(std::env::current_exe().expect("it runs"))
        .args(["rsa::", "--skip", "all_hold_without_lanes"])
        .env("PAD_LANES", "off")
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(!text.contains("running 0 tests"), "{text}");
}
