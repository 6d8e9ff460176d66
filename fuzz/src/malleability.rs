//! Structured changes of honest proofs: only the honest proof itself is accepted.
//!
//! Input: scheme (1 byte: the trees, then the tuple designs), query (1 byte), another query whose
//! parts are spliced in (1 byte), and changes of four bytes each.

use pad_conformance::pruned::{Content, Mirror};
use pad_core::{
    codec::{self, ENVELOPE_LENGTH},
    internals::DigestBytes,
};

use crate::target::{S, with_target};

/// Changes an honest proof and verifies it.
pub fn run(data: &[u8]) {
    let [scheme, query, other, changes @ ..] = data else {
        return;
    };
    let (changes, _) = changes.as_chunks::<4>();
    let changes = &changes[..changes.len().min(16)];
    with_target(*scheme, |target| {
        let (honest, other) = (target.proof(*query), target.proof(*other));
        honest.check(&(target.change)(&honest.message, &other.message, changes));
    });
}

/// Applies changes to the honest proof of a tree.
pub(crate) fn change(honest: &[u8], other: &[u8], changes: &[[u8; 4]]) -> Vec<u8> {
    let mirror = |message: &[u8]| -> Mirror<S> {
        codec::decode_body(&message[ENVELOPE_LENGTH..]).expect("an honest proof")
    };
    let (mut changed, other) = (mirror(honest), mirror(other));
    for change in changes {
        apply(*change, &mut changed, &other);
    }
    [&honest[..ENVELOPE_LENGTH], &codec::encode_body(&changed)].concat()
}

fn apply([what, first, second, bits]: [u8; 4], proof: &mut Mirror<S>, other: &Mirror<S>) {
    let (first, second) = (usize::from(first), usize::from(second));
    let place = |length: usize, number: usize| number % length.max(1);
    let Mirror {
        shape,
        siblings,
        leaves,
    } = proof;
    match what % 14 {
        0 if !shape.is_empty() => {
            let length = shape.len();
            shape[place(length, first)] ^= bits;
        }
        1 if !shape.is_empty() => drop(shape.remove(place(shape.len(), first))),
        2 => shape.insert(place(shape.len() + 1, first), bits),
        3 if !siblings.is_empty() => {
            let length = siblings.len();
            let digest = &mut siblings[place(length, first)];
            digest.0[second % <pad_core::Digest<32> as DigestBytes>::LENGTH] ^= bits;
        }
        4 if !siblings.is_empty() => drop(siblings.remove(place(siblings.len(), first))),
        5 if !other.siblings.is_empty() => {
            let digest = other.siblings[place(other.siblings.len(), second)];
            siblings.insert(place(siblings.len() + 1, first), digest);
        }
        6 if !siblings.is_empty() => {
            let length = siblings.len();
            siblings.swap(place(length, first), place(length, second));
        }
        7 if !leaves.is_empty() => drop(leaves.remove(place(leaves.len(), first))),
        8 if !other.leaves.is_empty() => {
            let leaf = other.leaves[place(other.leaves.len(), second)].clone();
            leaves.insert(place(leaves.len() + 1, first), leaf);
        }
        9 if !leaves.is_empty() => {
            let length = leaves.len();
            leaves.swap(place(length, first), place(length, second));
        }
        10 if !leaves.is_empty() => {
            // Replaces a value by its digest, which leaves the leaf's own digest unchanged.
            let length = leaves.len();
            let content = &mut leaves[place(length, first)].content;
            if let Content::Value(value) = content {
                *content = Content::Digest(<S as pad_core::Suite>::value(value.as_bytes()));
            }
        }
        11 if !leaves.is_empty() => {
            let length = leaves.len();
            let mut bytes = leaves[place(length, first)].key.as_bytes().to_vec();
            bytes.push(bits);
            leaves[place(length, first)].key = pad_conformance::operation::key(bytes);
        }
        12 => *shape = other.shape.clone(),
        13 => *siblings = other.siblings.clone(),
        _ => {}
    }
}
