use std::collections::BTreeSet;

use pad_core::{Digest, Sha256Ed25519};
use sha2::{Digest as _, Sha256};

use super::*;

type View<'a> = TupleView<'a, Digest<32>>;

/// Compares a digest with SHA-256 of the tag's block and the documented fields.
#[test]
fn the_digest_is_of_these_bytes() {
    let view = View {
        generation: 0,
        epochs: &[3, 0x0102_0304_0506_0708],
        lower: b"lower",
        upper: Some(b"upper key"),
        content: Content::Value(Digest([9; 32])),
    };
    let mut bytes = b"pad/v1/tuple".to_vec();
    bytes.resize(64, 0);
    bytes.extend([0, 2]);
    bytes.extend([0, 0, 0, 0, 0, 0, 0, 3]);
    bytes.extend([1, 2, 3, 4, 5, 6, 7, 8]);
    bytes.extend(b"\0\0\0\x05lower\x01\0\0\0\x09upper key\x01");
    bytes.extend([9; 32]);
    let expected: [u8; 32] = Sha256::digest(&bytes).into();
    assert_eq!(view.digest::<Sha256Ed25519>(), Digest(expected));

    let last = View {
        generation: 1,
        epochs: &[],
        lower: b"",
        upper: None,
        content: Content::Removed,
    };
    bytes.truncate(64);
    bytes.extend([1, 0, 0, 0, 0, 0, 0, 2]);
    let expected: [u8; 32] = Sha256::digest(&bytes).into();
    assert_eq!(last.digest::<Sha256Ed25519>(), Digest(expected));
}

/// Checks that moving bytes across the boundary between two fields makes another tuple.
#[test]
fn no_two_tuples_have_one_digest() {
    let epochs: [&[u64]; 8] = [&[], &[0], &[1], &[256], &[0, 1], &[1, 0], &[1, 1], &[0; 14]];
    // The last fields look like the following bytes: a tag, a length, a key.
    let longest = b"a\x01\0\0\0\x01b";
    let keys: [&[u8]; 9] = [
        b"", b"\0", b"\x01", b"a", b"ab", b"abc", b"bc", b"a\0", longest,
    ];
    let contents = [
        Content::Nothing,
        Content::Removed,
        Content::Value(Digest([0; 32])),
        Content::Value(Digest([1; 32])),
    ];
    let (mut digests, mut views) = (BTreeSet::new(), 0);
    for generation in [0, 1, 2] {
        for epochs in epochs {
            for lower in keys {
                for upper in keys.map(Some).into_iter().chain([None]) {
                    for content in contents {
                        let view = View {
                            generation,
                            epochs,
                            lower,
                            upper,
                            content,
                        };
                        digests.insert(view.digest::<Sha256Ed25519>());
                        views += 1;
                    }
                }
            }
        }
    }
    assert_eq!(digests.len(), views);
}
