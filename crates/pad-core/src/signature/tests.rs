use alloc::vec::Vec;

use ed25519_dalek::{Signer, SigningKey};

use super::*;

const INVALID: Result<(), VerifyError> = Err(VerifyError::SignatureInvalid);

fn signing_key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn author() -> AuthorKey {
    AuthorKey::from_bytes(signing_key().verifying_key().as_bytes()).unwrap()
}

fn messages(count: u8) -> Vec<[u8; 3]> {
    (0..count).map(|number| [number, 1, 2]).collect()
}

fn signatures(messages: &[[u8; 3]]) -> Vec<HeadSignature> {
    let key = signing_key();
    messages.iter().map(|message| key.sign(message)).collect()
}

fn verify(messages: &[[u8; 3]], signatures: &[HeadSignature]) -> Result<(), VerifyError> {
    let signed: Vec<(&[u8], &HeadSignature)> = messages
        .iter()
        .map(|message| &message[..])
        .zip(signatures)
        .collect();
    author().verify_batch(&signed)
}

#[test]
fn batches_of_good_signatures_verify() {
    for count in [0, 1, 2, 3, 17, 200] {
        let messages = messages(count);
        assert_eq!(verify(&messages, &signatures(&messages)), Ok(()));
    }
    // The same signature twice.
    let messages = [[1; 3]; 2];
    assert_eq!(verify(&messages, &signatures(&messages)), Ok(()));
}

#[test]
fn one_changed_signature_spoils_a_batch() {
    for count in [1, 2, 9] {
        let messages = messages(count);
        let good = signatures(&messages);
        for position in 0..usize::from(count) {
            for byte in 0..SIGNATURE_LENGTH {
                let mut changed = good.clone();
                let mut bytes = good[position].to_bytes();
                bytes[byte] ^= 1;
                changed[position] = HeadSignature::from_bytes(&bytes);
                assert_eq!(verify(&messages, &changed), INVALID);
            }
            let mut changed = messages.clone();
            changed[position][2] ^= 1;
            assert_eq!(verify(&changed, &good), INVALID);
        }
    }
}

#[test]
fn swapped_messages_spoil_a_batch() {
    let messages = messages(5);
    let good = signatures(&messages);
    for first in 0..messages.len() {
        for second in 0..first {
            let mut swapped = messages.clone();
            swapped.swap(first, second);
            assert_eq!(verify(&swapped, &good), INVALID);
        }
    }
}

#[test]
fn signatures_by_another_key_and_unreduced_ones_spoil_a_batch() {
    let messages = messages(4);
    let mut mixed = signatures(&messages);
    mixed[2] = SigningKey::from_bytes(&[8; 32]).sign(&messages[2]);
    assert_eq!(verify(&messages, &mixed), INVALID);

    // `s` plus the group order, which is less than 2^253: the same scalar, not reduced.
    let order: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
        0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];
    let mut malleated = signatures(&messages);
    let mut bytes = malleated[0].to_bytes();
    let mut carry = 0_u16;
    for (byte, other) in bytes[32..].iter_mut().zip(order) {
        let sum = u16::from(*byte) + u16::from(other) + carry;
        *byte = sum.to_le_bytes()[0];
        carry = sum >> 8;
    }
    malleated[0] = HeadSignature::from_bytes(&bytes);
    assert_eq!(verify(&messages, &malleated), INVALID);
}

#[test]
fn a_batch_takes_what_its_documentation_says_only_the_author_can_make() {
    // `R` is the identity and `s = k a`, with the secret scalar `a` of the key. The equation
    // holds, and `a = s / k` is public from now on.
    let bytes: [u8; SIGNATURE_LENGTH] = parse_hexadecimal(
        "0100000000000000000000000000000000000000000000000000000000000000\
         d4c5323131ff9683cfb3d30197c786c9043f1052d6c2d5293f19d6f36b911104",
    )
    .unwrap();
    let weak = HeadSignature::from_bytes(&bytes);
    let good = signing_key().sign(b"message");
    let author = author();
    assert_eq!(author.verify(b"message", &weak), INVALID);
    assert_eq!(author.verify_batch(&[(b"message", &weak)]), INVALID);
    let both: [(&[u8], &HeadSignature); 2] = [(b"message", &weak), (b"message", &good)];
    assert_eq!(author.verify_batch(&both), Ok(()));
}
