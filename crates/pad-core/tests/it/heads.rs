//! Signed heads: only heads that the author signed for the requested version verify.

use pad_core::{
    Authority, Blake3Ed25519, DictionaryId, HeadSignature, Paper2010, SchemeId, Sha256Ed25519,
    SignedHead, SnapshotHead, Suite, Untrusted, VerifyError, Version,
    internals::{DigestBytes, EmptyDictionary},
};
use signature::Signer;

use crate::support::{S, author, authority, digest, head, other_signer, signed, signer, version};

pub(crate) const INVALID: Result<(), VerifyError> = Err(VerifyError::SignatureInvalid);

pub(crate) fn example<S: Suite>() -> SnapshotHead<S> {
    head::<S>(7, digest::<S>(1), digest::<S>(2))
}

pub(crate) fn verify<S: Suite>(
    signed: SignedHead<S>,
    authority: &Authority,
) -> Result<(), VerifyError> {
    verify_version(signed, authority, 7)
}

fn verify_version<S: Suite>(
    signed: SignedHead<S>,
    authority: &Authority,
    number: u64,
) -> Result<(), VerifyError> {
    let verified = Untrusted::new(signed).verify(authority, &version(number))?;
    assert_eq!(*verified.get(), signed.head, "what was signed");
    Ok(())
}

fn is_what_the_author_signed<S: Suite>() {
    let signed = example::<S>().sign(&signer()).unwrap();
    assert_eq!(verify(signed, &authority()), Ok(()));

    let flip = |digest: S::Digest, bit: usize| {
        let mut bytes = digest.as_ref().to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        S::Digest::from_slice(&bytes).unwrap()
    };
    for bit in 0..8 * S::Digest::LENGTH {
        let mut forged = signed;
        forged.head.root = flip(forged.head.root, bit);
        assert_eq!(verify(forged, &authority()), INVALID);
        let mut forged = signed;
        forged.head.history = flip(forged.head.history, bit);
        assert_eq!(verify(forged, &authority()), INVALID);
    }
    for bit in 0..512 {
        let mut bytes = signed.signature.to_bytes();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let forged = SignedHead {
            head: signed.head,
            signature: HeadSignature::from_bytes(&bytes),
        };
        assert_eq!(verify(forged, &authority()), INVALID, "bit {bit}");
    }
    let message = signed.head.signed_bytes();
    assert_eq!(message.len(), 60 + 2 * S::Digest::LENGTH);
    for bit in 0..8 * message.len() {
        let mut forged = message.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        let refused = authority().author.verify(&forged, &signed.signature);
        assert_eq!(refused, INVALID, "bit {bit}");
    }
}

#[test]
fn every_flipped_bit_is_refused_in_every_suite() {
    is_what_the_author_signed::<Sha256Ed25519>();
    is_what_the_author_signed::<Blake3Ed25519>();
    is_what_the_author_signed::<Paper2010>();
}

fn serves_no_other_place<S: Suite>() {
    let signed = example::<S>().sign(&signer()).unwrap();
    for bit in 0..128 {
        let mut bytes = authority().dictionary.to_bytes();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let dictionary = DictionaryId::from_bytes(bytes);
        let other = Authority {
            dictionary,
            ..authority()
        };
        assert_eq!(verify(signed, &other), Err(VerifyError::WrongDictionary));
        let mut forged = signed;
        forged.head.dictionary = dictionary;
        let refused = verify(forged, &authority());
        assert_eq!(refused, Err(VerifyError::WrongDictionary));
        assert_eq!(verify(forged, &other), INVALID);
    }
    for bit in 0..16 {
        let (own, foreign) = (authority().scheme.0, authority().scheme.0 ^ 1 << bit);
        let refused = |expected, actual| Err(VerifyError::WrongScheme { expected, actual });
        let other = Authority {
            scheme: SchemeId(foreign),
            ..authority()
        };
        assert_eq!(verify(signed, &other), refused(foreign, own));
        let mut forged = signed;
        forged.head.scheme = SchemeId(foreign);
        assert_eq!(verify(forged, &authority()), refused(own, foreign));
        assert_eq!(verify(forged, &other), INVALID);
    }
    for bit in 0..64 {
        let number = 7 ^ 1_u64 << bit;
        let (own, other) = (version(7), version(number));
        let wrong = |expected, actual| Err(VerifyError::WrongVersion { expected, actual });
        let refused = verify_version(signed, &authority(), number);
        assert_eq!(refused, wrong(other, own));
        let mut forged = signed;
        forged.head.version = other;
        assert_eq!(verify(forged, &authority()), wrong(own, other));
        assert_eq!(verify_version(forged, &authority(), number), INVALID);
    }
    let other = Authority {
        author: author(&other_signer()),
        ..authority()
    };
    assert_eq!(verify(signed, &other), INVALID);
    let forged = example::<S>().sign(&other_signer()).unwrap();
    assert_eq!(verify(forged, &authority()), INVALID);
}

#[test]
fn a_head_serves_no_other_dictionary_scheme_version_or_author() {
    serves_no_other_place::<Sha256Ed25519>();
    serves_no_other_place::<Blake3Ed25519>();
    serves_no_other_place::<Paper2010>();
}

#[test]
fn a_signature_serves_no_other_suite() {
    // The two suites have digests of one width, so the heads differ only in the id of the suite.
    let signed = signed::<Sha256Ed25519>(7, 1, 2);
    let replayed = SignedHead {
        head: head::<Blake3Ed25519>(7, signed.head.root, signed.head.history),
        signature: signed.signature,
    };
    assert_eq!(verify(signed, &authority()), Ok(()));
    assert_eq!(verify(replayed, &authority()), INVALID);
}

#[test]
fn the_signed_bytes_are_the_documented_layout() {
    let expected = [
        &b"pad/v1/signed-head\0\0\0\0\0\0\0\0\0\0\0\0\0\0"[..],
        &[0, 1],
        &[1, 2],
        b"sixteen bytes id",
        &[0, 0, 0, 0, 0, 0, 0, 7],
        &digest::<S>(1).0,
        &digest::<S>(2).0,
    ];
    assert_eq!(example::<S>().signed_bytes(), expected.concat());
}

#[test]
fn a_signature_on_anything_but_the_whole_layout_is_refused() {
    let example = example::<S>();
    let message = example.signed_bytes();
    let (untagged, roots) = (&message[32..], &message[60..]);
    let longer = [&message[..], &[0]].concat();
    for other in [untagged, roots, &longer, &message[..123], &[]] {
        let forged = SignedHead {
            head: example,
            signature: signer().sign(other),
        };
        assert_eq!(verify(forged, &authority()), INVALID);
    }
}

/// Version 0 is the empty dictionary by definition, even if the author signed another head.
#[test]
fn version_0_is_never_taken_from_a_signature() {
    let empty = SnapshotHead::<S>::empty(authority().scheme, authority().dictionary);
    let mut full = empty;
    full.root = digest::<S>(1);
    for head in [empty, full] {
        let signed = head.sign(&signer()).unwrap();
        let refused = verify_version(signed, &authority(), 0);
        assert_eq!(refused, Err(VerifyError::EmptyVersionSigned));
    }
    let defined = Untrusted::new(EmptyDictionary::<S>::new());
    assert_eq!(*defined.verify(&authority(), &()).unwrap().get(), empty);
    assert_eq!(empty.version, Version::EMPTY);
    assert_eq!(empty.root, S::empty_tree());
}
