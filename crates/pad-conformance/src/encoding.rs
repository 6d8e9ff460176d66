//! Changed encodings, each of which a decoder must refuse or read as another message.

use core::fmt::Debug;

use pad_core::codec::{self, Message};

/// Checks that each changed body of `message` is decoded as by a decoder that encodes every value
/// again and compares: to the same message, or with the same error.
///
/// The bodies are changed in one byte, shortened or extended by one byte, or have one integer in a
/// longer form than necessary. Messages that are decoded without the comparison
/// ([`Message::INJECTIVE`]) have to pass this check. Choose messages with several elements in each
/// list, and with integers above 250 and above 65 535.
pub fn check_one_encoding<M: Message + PartialEq + Debug>(message: &M) {
    let honest = codec::encode_body(message);
    assert_eq!(codec::decode_message::<M>(&honest).as_ref(), Ok(message));
    for position in 0..honest.len() {
        let (before, after) = honest.split_at(position);
        for part in replacements(after) {
            let body = [before, &part].concat();
            let expected = codec::decode_body::<M>(&body);
            let decoded = codec::decode_message::<M>(&body);
            assert_eq!(decoded, expected, "byte {position} changed: {body:02x?}");
        }
    }
}

/// Returns the body of a list with `elements` copies of an encoded element.
#[doc(hidden)]
pub fn list(elements: usize, element: &[u8]) -> Vec<u8> {
    let length = u64::try_from(elements).expect("64 bits");
    [codec::encode_body(&length), element.repeat(elements)].concat()
}

/// Returns a message of kind `M` with this body, which may be malformed.
#[doc(hidden)]
pub fn message<M: Message>(body: &[&[u8]]) -> Vec<u8> {
    let (kind, suite) = ([codec::FORMAT_VERSION, M::KIND], M::SUITE.to_be_bytes());
    [&codec::MAGIC[..], &kind, &suite, &body.concat()].concat()
}

/// Checks that decoding a message allocates at most `times` its bytes, plus a page. `peak` calls a
/// function, and returns the largest number of bytes that were allocated during the call.
#[doc(hidden)]
pub fn check_memory<M: Message>(
    times: u64,
    body: &[&[u8]],
    peak: impl FnOnce(&mut dyn FnMut()) -> u64,
) {
    let (bytes, name) = (message::<M>(body), core::any::type_name::<M>());
    let mut decoded = None;
    let mut decode = || decoded = codec::decode::<M>(&bytes, bytes.len()).ok();
    let peak = peak(&mut decode);
    assert!(decoded.is_some(), "{name}");
    let length = u64::try_from(bytes.len()).expect("64 bits");
    assert!(peak <= times * length + 4096, "{name}: {peak} of {length}");
}

/// Replacements of the rest of a body, which all change its beginning.
fn replacements(rest: &[u8]) -> Vec<Vec<u8>> {
    let Some((first, after)) = rest.split_first() else {
        return Vec::new();
    };
    let beginning = |bytes: &[u8], after: &[u8]| [bytes, after].concat();
    let flipped = (0..8).map(|bit| first ^ 1 << bit);
    let others = [0, 1, 2, 3, 4, 249, 250, 251, 252, 253, 254, 255];
    let replaced = flipped.chain(others).map(|byte| beginning(&[byte], after));
    let inserted = [0, 1, 2, 251].map(|byte| beginning(&[byte], rest));
    let mut changed: Vec<_> = replaced.chain(inserted).collect();
    changed.push(after.to_vec());
    // The longer forms of the integer that may begin here.
    let (number, after) = match (first, after) {
        (251, [a, b, after @ ..]) => (u64::from(u16::from_le_bytes([*a, *b])), after),
        (252, [a, b, c, d, after @ ..]) => (u32::from_le_bytes([*a, *b, *c, *d]).into(), after),
        _ => (u64::from(*first), after),
    };
    changed.extend([2, 4, 8].map(|width| {
        let tag: &[u8] = match width {
            2 => &[251],
            4 => &[252],
            _ => &[253],
        };
        [tag, &number.to_le_bytes()[..width], after].concat()
    }));
    changed
}
