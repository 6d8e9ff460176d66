//! Attacked tuple proofs of many keys and of ranges: fixed contents, one honest proof for each
//! query.

use pad_conformance::{
    TuplePad,
    operation::key,
    repository::play,
    tuple::{TestSecret, expectation},
};
use pad_core::{Dictionary, KeyRange, Keys, Version, codec::ENVELOPE_LENGTH};
use pad_tuple::internals::AggregateDesign;

use crate::{
    target::{HonestProof, S, Target},
    tuples::actions,
};

/// Makes honest proofs about some keys, everything, and a range with ends between keys, each in
/// some versions.
pub(crate) fn target<D: AggregateDesign<S, Secret: TestSecret>>() -> Target {
    let played = play::<TuplePad<S, D>>(&actions());
    let server = &played.server;
    let mut proofs = Vec::new();
    for version in [0, 1, 6, 11].map(Version::new) {
        let trusted = || Box::new(expectation::<S, D>(played.author.authority(), version));
        let about = (version, played.oracle.at(version));
        let keys = [0, 4, 8, 12, 13, 18, 33, 34].map(|byte| key([byte]));
        let keys = Keys::new(keys.into()).expect("some keys");
        let proof = server.prove_keys(version, &keys).expect("a version");
        proofs.push(HonestProof::new(&proof, trusted(), keys, about));
        let (start, end) = (Some(key([10])), Some(key([19])));
        for range in [KeyRange::ALL, KeyRange { start, end }] {
            let proof = server.prove_range(version, &range).expect("a version");
            proofs.push(HonestProof::new(&proof, trusted(), range, about));
        }
    }
    Target { proofs, change }
}

/// Changes bytes. Most changed bodies still decode, because numbers, keys and variants are short.
fn change(honest: &[u8], other: &[u8], changes: &[[u8; 4]]) -> Vec<u8> {
    let (envelope, body) = honest.split_at(ENVELOPE_LENGTH);
    let (mut body, other) = (body.to_vec(), &other[ENVELOPE_LENGTH..]);
    for [what, first, second, bits] in changes {
        let place = usize::from(*first) << 3 | usize::from(*bits & 7);
        let place = place % body.len().max(1);
        let length = usize::from(*second) % 100;
        match what % 5 {
            0 if !body.is_empty() => body[place] ^= bits,
            1 => body.insert(place, *bits),
            2 if !body.is_empty() => drop(body.remove(place)),
            3 => drop(body.drain(place..body.len().min(place + length))),
            _ => {
                let from = place.min(other.len());
                let until = other.len().min(from + length);
                body.splice(
                    place..body.len().min(place + length),
                    other[from..until].to_vec(),
                );
            }
        }
    }
    [envelope, &body].concat()
}
