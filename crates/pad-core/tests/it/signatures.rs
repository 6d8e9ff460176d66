//! Author keys and signatures: each has only one encoding, and no signature can be forged.

use pad_core::{
    AuthorKey, DictionaryId, HeadSignature, ParseDictionaryIdError, SignedHead, VerifyError,
};
use signature::{Signer, Verifier};

use crate::{
    heads::{INVALID, example, verify},
    support::{S, authority, signer},
};

#[test]
fn a_signer_that_fails_makes_no_head() {
    struct FailingSigner;
    impl Signer<HeadSignature> for FailingSigner {
        fn try_sign(&self, _: &[u8]) -> Result<HeadSignature, signature::Error> {
            Err(signature::Error::new())
        }
    }
    assert!(example::<S>().sign(&FailingSigner).is_err());
}

/// A signature with `s + L` instead of `s` must be refused. It solves the same equation in another
/// encoding.
#[test]
fn a_malleated_signature_is_refused() {
    const ORDER: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
        0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];
    let signed = example::<S>().sign(&signer()).unwrap();
    let mut bytes = signed.signature.to_bytes();
    let mut carry = 0;
    for (byte, order) in bytes[32..].iter_mut().zip(ORDER) {
        let sum = u16::from(*byte) + u16::from(order) + carry;
        *byte = sum.to_le_bytes()[0];
        carry = sum >> 8;
    }
    assert_eq!(carry, 0);
    let forged = SignedHead {
        head: signed.head,
        signature: HeadSignature::from_bytes(&bytes),
    };
    assert_eq!(verify(forged, &authority()), INVALID);
}

/// Makes a signature whose `R` is the neutral element and whose `s` is `k * a`. It solves the
/// equation, and only the author can make it. Plain verification accepts it, so one head would have
/// two signatures by the author.
#[test]
fn a_signature_with_a_point_of_small_order_is_refused() {
    let bytes: [u8; 64] = hex::decode(
        "0100000000000000000000000000000000000000000000000000000000000000\
         9d158d7e3139aa2ec2cac8b316b459d7b547193fcb03234048063852c1be0504",
    )
    .unwrap()
    .try_into()
    .unwrap();
    let (head, signature) = (example::<S>(), HeadSignature::from_bytes(&bytes));
    let key = signer().verifying_key();
    let loose = key.verify(&head.signed_bytes(), &signature);
    assert!(loose.is_ok(), "the library's plain verification takes it");
    let forged = SignedHead { head, signature };
    assert_eq!(verify(forged, &authority()), INVALID);
}

/// Rejects points of small order, and encodings that RFC 8032 does not allow. Under a key of small
/// order an attacker can sign. With a second encoding one author would have two keys.
#[test]
fn keys_of_small_order_or_not_canonical_are_refused() {
    let invalid = Err(VerifyError::AuthorKeyInvalid);
    let small_order = [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        // Not canonical either: x = 0 with its sign set.
        "0100000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    ];
    for text in small_order {
        assert_eq!(text.parse::<AuthorKey>(), invalid, "{text}");
    }
    // y = p + k, which fits into 255 bits for k below 19.
    let mut points = 0;
    for (k, sign) in (0..19).flat_map(|k| [(k, 0x7f), (k, 0xff)]) {
        let mut bytes = [0xff; 32];
        (bytes[0], bytes[31]) = (0xed + k, sign);
        let decoded = ed25519_dalek::VerifyingKey::from_bytes(&bytes);
        points += u32::from(decoded.is_ok_and(|key| !key.is_weak()));
        assert_eq!(AuthorKey::from_bytes(&bytes), invalid);
    }
    assert!(points > 0, "some are points to the library's decoder");
    // y = 2 is not on the curve.
    let no_point = core::array::from_fn(|i| if i == 0 { 2 } else { 0 });
    assert_eq!(AuthorKey::from_bytes(&no_point), invalid);
}

#[test]
fn keys_and_ids_are_lower_case_hexadecimal_text() {
    let (key, id) = (authority().author, authority().dictionary);
    assert_eq!(key.to_string().parse(), Ok(key));
    assert_eq!(id.to_string().parse(), Ok(id));
    assert_eq!(id.to_string(), "7369787465656e206279746573206964");
    let length = |found| ParseDictionaryIdError::Length { found };
    let digit = |position, found| ParseDictionaryIdError::Digit { position, found };
    for (text, error) in [
        ("", length(0)),
        ("73", length(2)),
        ("prices", length(6)),
        ("7369787465656E206279746573206964", digit(14, 'E')),
        ("7369787465656e20627974657320696\u{e9}", digit(32, '\u{e9}')),
        ("7369787465656e2062797465732069640", length(33)),
    ] {
        assert_eq!(text.parse::<DictionaryId>(), Err(error), "{text}");
        let refused = text.parse::<AuthorKey>();
        assert_eq!(refused, Err(VerifyError::AuthorKeyInvalid));
    }
    assert_ne!(DictionaryId::from_name("a"), DictionaryId::from_name("b"));
}
