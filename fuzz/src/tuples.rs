//! Attacked proofs of two tuple designs: fixed contents, one honest proof for each of some queries
//! about one key, and about several (see `together.rs`).

use pad_conformance::{
    Action, TuplePad,
    operation::{key, value},
    repository::play,
    tuple::{TestSecret, expectation},
};
use pad_core::{
    Dictionary, Repository, Version,
    codec::{self, ENVELOPE_LENGTH},
};
use pad_tuple::{
    TupleProof,
    internals::{Content, Design, Part, ShownTuple},
};

use crate::target::{HonestProof, S, Target};

pub(crate) fn actions() -> Vec<Action> {
    let mut actions: Vec<Action> = (1..=8_u8)
        .map(|number| Action::Put(key([number * 4]), value([number])))
        .collect();
    actions.push(Action::Snapshot);
    for number in [12_u8, 17, 12, 33, 0] {
        actions.push(Action::Put(key([number]), value([number, 1])));
        actions.push(Action::Snapshot);
        actions.push(Action::Remove(key([number / 2 + 2])));
        actions.push(Action::Snapshot);
    }
    actions
}

/// Makes honest proofs about some keys, each in some versions.
pub(crate) fn target<D: Design<S, Secret: TestSecret>>() -> Target {
    let played = play::<TuplePad<S, D>>(&actions());
    let mut proofs = Vec::new();
    for version in [0, 1, 4, 7, 11].map(Version::new) {
        for key in [0, 4, 8, 12, 13, 18, 33, 34].map(|byte| key([byte])) {
            let proof = played.server.prove(version, &key);
            let proof = proof.expect("the version is there");
            let trusted = Box::new(expectation::<S, D>(played.author.authority(), version));
            let about = (version, played.oracle.at(version));
            proofs.push(HonestProof::new(&proof, trusted, key, about));
        }
    }
    Target {
        proofs,
        change: change::<D>,
    }
}

fn change<D: Design<S>>(honest: &[u8], other: &[u8], changes: &[[u8; 4]]) -> Vec<u8> {
    let decode = |message: &[u8]| -> TupleProof<S, D> {
        codec::decode_body(&message[ENVELOPE_LENGTH..]).expect("an honest proof")
    };
    let (mut changed, other) = (decode(honest), decode(other));
    for change in changes {
        apply(*change, &mut changed, &other);
    }
    codec::encode(&changed)
}

fn apply<D: Design<S>>(
    [what, first, second, bits]: [u8; 4],
    proof: &mut TupleProof<S, D>,
    other: &TupleProof<S, D>,
) {
    let (first, second) = (usize::from(first), usize::from(second));
    let (parts, others) = (proof.parts.len().max(1), other.parts.len().max(1));
    match what % 10 {
        0 => {
            if let Some(epoch) = proof.epochs.first_mut() {
                *epoch ^= u64::from(bits) << (first % 8 * 8);
            }
        }
        1 => proof.epochs.clone_from(&other.epochs),
        2 => proof.epochs.push(bits.into()),
        3 if first < proof.parts.len() => drop(proof.parts.remove(first)),
        4 => {
            if let Some(part) = other.parts.get(second % others) {
                proof
                    .parts
                    .insert(first % (proof.parts.len() + 1), part.clone());
            }
        }
        5 if !proof.parts.is_empty() => proof.parts.swap(first % parts, second % parts),
        6 => {
            let foreign = other.parts.get(second % others);
            if let (Some(part), Some(foreign)) = (proof.parts.get_mut(first % parts), foreign) {
                part.evidence = foreign.evidence.clone();
            }
        }
        7 => {
            if let Some(part) = proof.parts.get_mut(first % parts) {
                change_evidence(part, second, bits);
            }
        }
        8 => {
            if let Some(part) = proof.parts.get_mut(first % parts) {
                change_tuple(&mut part.tuple, second, bits);
            }
        }
        9 => proof.seal = other.seal.clone(),
        _ => {}
    }
}

fn change_evidence<D: Design<S>>(part: &mut Part<S, D>, place: usize, bits: u8) {
    let mut bytes = codec::encode_body(&part.evidence);
    let place = place % bytes.len();
    bytes[place] ^= bits;
    if let Ok(changed) = codec::decode_body(&bytes) {
        part.evidence = changed;
    }
}

fn change_tuple(tuple: &mut ShownTuple<S>, what: usize, bits: u8) {
    let (upper, below) = match tuple {
        ShownTuple::At { upper, content } => {
            match what % 8 {
                0 => *content = Content::Nothing,
                1 => *content = Content::Removed,
                2 => *content = Content::Value(value([bits])),
                _ => {}
            }
            (upper, None)
        }
        ShownTuple::Below {
            lower,
            upper,
            content,
        } => (upper, Some((lower, content))),
    };
    match what % 8 {
        3 => *upper = None,
        4 => *upper = Some(key([bits])),
        5 => {
            if let Some((lower, _)) = below {
                *lower = key([bits]);
            }
        }
        6 => {
            if let Some((_, content)) = below {
                *content = Content::Nothing;
            }
        }
        7 => {
            if let Some((_, content)) = below {
                *content = Content::Removed;
            }
        }
        _ => {}
    }
}
