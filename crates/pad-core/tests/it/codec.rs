//! Envelopes: a decoder accepts only the canonical encoding of the requested kind of message.

use std::fmt::Debug;

use pad_core::{
    ConsistencyProof, DecodeError, Digest, Equivocation, HeadSignature, InclusionProof, Key,
    Operation, SchemeId, SignedHead, TrustedView, Untrusted, Update, Value,
    codec::{
        ENVELOPE_LENGTH, FORMAT_VERSION, MAGIC, Message, decode, decode_body, encode, encode_body,
    },
    internals::DigestBytes,
};
use proptest::{collection::vec, prelude::*};

use crate::{
    support::{Chain, D, S, authority, head, version},
    vectors,
};

const MALFORMED: Option<DecodeError> = Some(DecodeError::Malformed);

/// The reason why bytes are refused as an `M`; `None` if they are read.
fn refusal<M: Message>(bytes: &[u8]) -> Option<DecodeError> {
    decode::<M>(bytes, 4096).err()
}

fn refuses_everything_else<M: Message + PartialEq + Debug>(message: &M) {
    let bytes = encode(message);
    let read = |bytes: &[u8]| decode::<M>(bytes, 4096);
    assert_eq!(read(&bytes).as_ref(), Ok(message));

    let limit = bytes.len() - 1;
    assert_eq!(decode::<M>(&bytes, bytes.len()).as_ref(), Ok(message));
    for limit in [0, limit] {
        let refused = decode::<M>(&bytes, limit);
        assert_eq!(refused, Err(DecodeError::TooLarge { limit }));
    }
    let undecoded = Untrusted::<M>::decode(&bytes, limit);
    assert_eq!(undecoded, Err(DecodeError::TooLarge { limit }));
    for length in 0..bytes.len() {
        let refused = read(&bytes[..length]);
        assert_eq!(refused, Err(DecodeError::Malformed), "{length}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert_eq!(read(&longer), Err(DecodeError::TrailingBytes));

    let with = |position: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[position] = byte;
        bytes
    };
    for (position, byte) in MAGIC.into_iter().enumerate() {
        for bit in 0..8 {
            let other = with(position, byte ^ 1 << bit);
            assert_eq!(read(&other), Err(DecodeError::NotThisFormat));
        }
    }
    for other in (0..=u8::MAX).filter(|other| *other != FORMAT_VERSION) {
        let refused = read(&with(4, other));
        assert_eq!(refused, Err(DecodeError::UnknownFormatVersion(other)));
    }
    let expected = M::KIND;
    for actual in (0..=u8::MAX).filter(|other| *other != expected) {
        let refused = read(&with(5, actual));
        assert_eq!(refused, Err(DecodeError::WrongKind { expected, actual }));
    }
    let expected = M::SUITE;
    for actual in [0, 2, 3, 0xffff, 0x0101] {
        let mut bytes = bytes.clone();
        assert_eq!(bytes[6..8], expected.to_be_bytes());
        bytes[6..8].copy_from_slice(&u16::to_be_bytes(actual));
        let refused = read(&bytes);
        assert_eq!(refused, Err(DecodeError::WrongSuite { expected, actual }));
    }
    // A changed body is refused, or decodes to another message, never to the same one.
    for bit in 8 * ENVELOPE_LENGTH..8 * bytes.len() {
        let other = with(bit / 8, bytes[bit / 8] ^ 1 << (bit % 8));
        if let Ok(changed) = read(&other) {
            let is_another = changed != *message && encode(&changed) == other;
            assert!(is_another, "bit {bit}");
        }
    }
}

#[test]
fn only_the_one_encoding_is_read() {
    let chain = Chain::new(6);
    refuses_everything_else(&vectors::signed_head::<S>());
    refuses_everything_else(&chain.inclusion(3, 6));
    refuses_everything_else(&chain.consistency(4, 6));
    refuses_everything_else(&vectors::update());
    refuses_everything_else(&vectors::equivocation());
    refuses_everything_else(&vectors::view());
    refuses_everything_else(&TrustedView::<S>::new(authority()));
}

#[test]
fn a_message_of_one_kind_is_none_of_another() {
    let chain = Chain::new(6);
    let messages = [
        encode(&vectors::signed_head::<S>()),
        encode(&chain.inclusion(3, 6)),
        encode(&chain.consistency(4, 6)),
        encode(&vectors::update()),
        encode(&vectors::equivocation()),
        encode(&vectors::view()),
    ];
    for (actual, bytes) in (1..).zip(&messages) {
        let refused = |expected| Some(DecodeError::WrongKind { expected, actual });
        let expected = |kind| if actual == kind { None } else { refused(kind) };
        assert_eq!(refusal::<SignedHead<S>>(bytes), expected(1));
        assert_eq!(refusal::<InclusionProof<S>>(bytes), expected(2));
        assert_eq!(refusal::<ConsistencyProof<S>>(bytes), expected(3));
        assert_eq!(refusal::<Update<S>>(bytes), expected(4));
        assert_eq!(refusal::<Equivocation<S>>(bytes), expected(5));
        assert_eq!(refusal::<TrustedView<S>>(bytes), expected(6));
    }
}

/// A head must be refused if an integer has a longer form than necessary. The version is the first
/// integer in its body that has more than one form.
#[test]
fn a_longer_form_of_an_integer_is_refused() {
    let bytes = encode(&vectors::signed_head::<S>());
    let position = ENVELOPE_LENGTH + 3 + 16;
    assert_eq!(bytes[position..position + 3], [251, 44, 1], "version 300");
    let (before, after) = (&bytes[..position], &bytes[position + 3..]);
    let longer = [before, &[252, 44, 1, 0, 0], after].concat();
    let refused = refusal::<SignedHead<S>>(&longer);
    assert_eq!(refused, Some(DecodeError::NonCanonical));
}

#[test]
fn a_claimed_length_is_not_believed() {
    let claims: [&[u8]; 3] = [
        &[253, 255, 255, 255, 255, 255, 255, 255, 255],
        &[253, 0, 0, 0, 0, 0, 1, 0, 0],
        &[252, 255, 255, 255, 255],
    ];
    let envelope = |message: &[u8]| message[..ENVELOPE_LENGTH].to_vec();
    for claim in claims {
        let proof = encode(&Chain::new(6).inclusion(3, 6));
        let body = [envelope(&proof), vec![0; D::LENGTH], claim.to_vec()].concat();
        assert_eq!(refusal::<InclusionProof<S>>(&body), MALFORMED);
        let update = envelope(&encode(&vectors::update()));
        // The operations, a key and a value.
        for before in [&[0][..], &[0, 1, 0], &[0, 1, 0, 0]] {
            let body = [&update, before, claim].concat();
            assert_eq!(refusal::<Update<S>>(&body), MALFORMED);
        }
    }
}

/// A stored view names an author: its key is checked when it is read.
#[test]
fn a_view_with_a_weak_author_key_is_malformed() {
    let mut weak = encode(&TrustedView::<S>::new(authority()));
    weak[ENVELOPE_LENGTH..ENVELOPE_LENGTH + 32].fill(0);
    assert_eq!(refusal::<TrustedView<S>>(&weak), MALFORMED);
}

fn digests() -> impl Strategy<Value = D> {
    any::<[u8; 32]>().prop_map(Digest)
}

fn heads() -> impl Strategy<Value = SignedHead<S>> {
    let number = (any::<u64>(), 0_u32..64);
    let digests = (digests(), digests(), any::<[u8; 32]>());
    let fields = (number, digests, any::<u16>());
    fields.prop_map(|((number, bits), (root, history, half), scheme)| {
        let mut head = head::<S>(number >> bits, root, history);
        head.scheme = SchemeId(scheme);
        SignedHead {
            head,
            signature: HeadSignature::from_components(half, root.0),
        }
    })
}

fn operations() -> impl Strategy<Value = Operation> {
    let key = || vec(any::<u8>(), 0..300).prop_map(|bytes| Key::new(bytes).unwrap());
    let value = vec(any::<u8>(), 0..300).prop_map(|bytes| Value::new(bytes).unwrap());
    prop_oneof![
        (key(), value).prop_map(|(key, value)| Operation::Put(key, value)),
        key().prop_map(Operation::Remove),
    ]
}

fn round_trip<M: Message + PartialEq + Debug>(message: &M) -> Result<(), TestCaseError> {
    let bytes = encode(message);
    let decoded = decode::<M>(&bytes, bytes.len());
    prop_assert_eq!(decoded.as_ref(), Ok(message));
    Ok(())
}

/// Checks that a body that decodes as a message `M` is the encoding of this message.
fn canonical<M: Message>(body: &[u8]) -> Result<(), TestCaseError> {
    let (kind, suite) = ([FORMAT_VERSION, M::KIND], M::SUITE.to_be_bytes());
    let bytes = [&MAGIC[..], &kind, &suite, body].concat();
    if let Ok(message) = decode::<M>(&bytes, bytes.len()) {
        prop_assert_eq!(encode(&message), bytes);
    }
    Ok(())
}

proptest! {
    #[test]
    fn every_message_is_read_back(
        first in heads(),
        second in heads(),
        path in vec(digests(), 0..70),
        operations in vec(operations(), 0..8),
        seen in any::<bool>(),
    ) {
        round_trip(&first)?;
        round_trip(&Equivocation { first, second })?;
        round_trip(&Update {
            base: version(first.head.version.number()),
            operations,
            head: second,
            attachment: (),
        })?;
        let inclusion: InclusionProof<S> =
            decode_body(&encode_body(&(first.head.root, &path))).unwrap();
        round_trip(&inclusion)?;
        let (left, right) = path.split_at(path.len() / 2);
        let consistency: ConsistencyProof<S> =
            decode_body(&encode_body(&(left.to_vec(), right.to_vec()))).unwrap();
        round_trip(&consistency)?;
        let stored = (authority(), seen.then_some(first));
        let view: TrustedView<S> = decode_body(&encode_body(&stored)).unwrap();
        round_trip(&view)?;
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in vec(any::<u8>(), 0..400)) {
        let refused = decode::<SignedHead<S>>(&bytes, 400).is_err();
        prop_assert!(refused);
        canonical::<SignedHead<S>>(&bytes)?;
        canonical::<InclusionProof<S>>(&bytes)?;
        canonical::<ConsistencyProof<S>>(&bytes)?;
        canonical::<Update<S>>(&bytes)?;
        canonical::<Equivocation<S>>(&bytes)?;
        canonical::<TrustedView<S>>(&bytes)?;
    }
}
