//! Peak memory of decoding, relative to the length of the message. Lists are complete and consist
//! of the smallest elements.

use pad_conformance::soak;

use super::*;

type S = Sha256Ed25519;

/// Returns the length of a list that needs much memory while it grows. At one more than a power of
/// two, the list has just doubled, and its former half is still allocated.
fn elements() -> usize {
    soak::size(1 << 14, 1 << 16) + 1
}

fn list(element: &[u8]) -> Vec<u8> {
    let elements = elements();
    let mut bytes = match u16::try_from(elements) {
        Ok(short) => [&[251], &short.to_le_bytes()[..]].concat(),
        Err(_) => [&[252], &u32::try_from(elements).unwrap().to_le_bytes()[..]].concat(),
    };
    bytes.extend(element.repeat(elements));
    bytes
}

fn takes_at_most<M: codec::Message>(times: u64, body: &[&[u8]]) {
    let envelope = [&b"PAD1"[..], &[1, M::KIND], &M::SUITE.to_be_bytes()].concat();
    let bytes = [&envelope, &body.concat()[..]].concat();
    let mut decoded = None;
    let taken = allocation_counter::measure(|| {
        decoded = codec::decode::<M>(&bytes, bytes.len()).ok();
    });
    assert!(decoded.is_some(), "{}", std::any::type_name::<M>());
    let length = u64::try_from(bytes.len()).unwrap();
    println!(
        "{}: {} of {length}",
        std::any::type_name::<M>(),
        taken.bytes_max
    );
    assert!(taken.bytes_max <= times * length + 4096);
}

fn check<Q: TreeQuery>() {
    // Leaves of an empty key with an empty value: three bytes.
    takes_at_most::<TreeProof<S, Q>>(60, &[&[0], &[0], &list(&[0, 1, 0])]);
    takes_at_most::<TreeProof<S, Q>>(
        9,
        &[&[0], &[0], &list(&[[0, 0].as_slice(), &[7; 32]].concat())],
    );
    takes_at_most::<TreeProof<S, Q>>(3, &[&[0], &list(&[7; 32]), &[0]]);
    takes_at_most::<TreeProof<S, Q>>(3, &[&list(&[7]), &[0], &[0]]);
}

#[test]
fn decoding_a_proof_takes_a_bounded_multiple_of_the_input() {
    check::<Key>();
    check::<Keys>();
    check::<KeyRange>();
    check::<Predecessor>();
    check::<Successor>();
    check::<First>();
    check::<Last>();
}

/// Counts the allocations of an answer about one key, from the proof to the verified statement.
#[test]
fn a_proof_of_one_key_is_allocated_once() {
    let target = Target::<S, RedBlack>::new();
    let (key, proof) = (entry_key(3), target.prove(&entry_key(3)));
    let mut message = Vec::new();
    let encoding = allocation_counter::measure(|| message = codec::encode(&proof));
    assert_eq!(encoding.count_total, 1);
    let mut decoded = None;
    let decoding = allocation_counter::measure(|| {
        decoded = Untrusted::<TreeProof<S, Key>>::decode(&message, MESSAGE_LIMIT).ok();
    });
    // The shape, the siblings, the leaves, a key and a value.
    assert_eq!(decoding.count_total, 5);
    let mut verified = None;
    let verifying = allocation_counter::measure(|| {
        verified = decoded.map(|proof| proof.verify(&target.head, &key));
    });
    assert_eq!(verifying.count_total, 0);
    let verified = verified.unwrap().unwrap().into_inner();
    assert_eq!(verified.key, key);
    assert_eq!(verified.answer, Answer::Present(value("changed")));
}
