//! Peak memory of decoding, relative to the length of the message. Lists are complete and consist
//! of the smallest elements.

use pad_conformance::{encoding, soak};

use super::*;

type S = Sha256Ed25519;

/// Returns a list that needs much memory while it grows. At one element more than a power of two,
/// it has just doubled, and its former half is still allocated.
fn list(element: &[u8]) -> Vec<u8> {
    encoding::list(soak::size(1 << 14, 1 << 16) + 1, element)
}

fn takes_at_most<M: codec::Message>(times: u64, body: &[&[u8]]) {
    let peak = |work: &mut dyn FnMut()| allocation_counter::measure(work).bytes_max;
    encoding::check_memory::<M>(times, body, peak);
}

fn check<Q: TreeQuery>() {
    // Leaves of an empty key with an empty value: three bytes.
    takes_at_most::<TreeProof<S, Q>>(60, &[&[0], &[0], &list(&[0, 1, 0])]);
    let leaves = list(&[&[0, 0][..], &[7; 32]].concat());
    takes_at_most::<TreeProof<S, Q>>(9, &[&[0], &[0], &leaves]);
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
