//! Peak memory of decoding, relative to the length of the message. Lists are complete and consist
//! of the smallest elements.

use pad_core::{
    ConsistencyProof, Contradiction, Equivocation, InclusionProof, SignedHead, TrustedView, Update,
    codec::{Message, decode, encode},
    internals::PrefixProof,
};

use crate::{
    support::{Chain, S},
    vectors,
};

/// One more than a power of two. A growing list has just doubled then, and its former half is still
/// allocated.
const LIST: u32 = (1 << 16) + 1;

/// The body of a list: its length, then [`LIST`] copies of `element`.
fn list(element: &[u8]) -> Vec<u8> {
    let mut bytes = vec![252];
    bytes.extend_from_slice(&LIST.to_le_bytes());
    bytes.extend(element.repeat(usize::try_from(LIST).unwrap()));
    bytes
}

/// Asserts that decoding allocates at most `times` the message's bytes, plus a page.
fn takes_at_most<M: Message>(times: u64, body: &[&[u8]]) {
    let envelope = [&b"PAD1"[..], &[1, M::KIND], &M::SUITE.to_be_bytes()].concat();
    let bytes = [&envelope, &body.concat()[..]].concat();
    let mut decoded = None;
    let taken = allocation_counter::measure(|| decoded = decode::<M>(&bytes, bytes.len()).ok());
    let (message, most) = (std::any::type_name::<M>(), taken.bytes_max);
    assert!(decoded.is_some(), "{message}");
    let length = u64::try_from(bytes.len()).unwrap();
    println!("{message}: {most} of {length}");
    assert!(most <= times * length + 4096);
}

fn body<M: Message>(message: &M) -> Vec<u8> {
    encode(message)[8..].to_vec()
}

#[test]
fn decoding_takes_a_small_multiple_of_the_input() {
    let digests = list(&[7; 32]);
    let digest = [1; 32];
    let head = body(&Chain::new(4).signed(4));
    takes_at_most::<SignedHead<S>>(3, &[&head]);
    takes_at_most::<Equivocation<S>>(3, &[&head, &head]);
    takes_at_most::<TrustedView<S>>(3, &[&body(&vectors::view())]);
    takes_at_most::<InclusionProof<S>>(3, &[&digest, &digests]);
    takes_at_most::<ConsistencyProof<S>>(3, &[&digests, &digests]);
    takes_at_most::<PrefixProof<S>>(3, &[&digests]);
    let testimony = [&head[..], &[1], &digest, &digests].concat();
    takes_at_most::<Contradiction<S>>(3, &[&[4], &testimony, &testimony]);
    // Removals of the empty key, of two bytes each.
    takes_at_most::<Update<S>>(48, &[&[3], &list(&[1, 0]), &head]);
    takes_at_most::<Update<S>>(48, &[&[3], &list(&[0, 0, 0]), &head]);
    takes_at_most::<Update<S>>(48, &[&[3], &list(&[0, 3, 1, 2, 3, 0]), &head]);
}
