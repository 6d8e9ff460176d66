//! Attacked proofs of one tree scheme, of every kind of query.

use pad_conformance::{
    Action, OracleQuestion, TreePad,
    operation::{key, value},
    pad::verified_head,
    pruned::{Content, Mirror},
    repository::{TraceRun, play},
};
use pad_core::{
    Dictionary, First, Key, KeyRange, Keys, Last, Predecessor, Repository, Successor, Suite,
    VerifiedRoot,
    codec::{self, ENVELOPE_LENGTH},
    internals::DigestBytes,
};
use pad_tree::{
    PathCopying,
    internals::{Authenticated, BalancingScheme, ProvableQuery},
};

use crate::target::{HonestProof, S, Target};

type Pad<B> = TreePad<S, PathCopying<Authenticated<S>, B>>;

/// Makes the honest proofs about the latest version of one tree scheme.
pub(crate) fn target<B: BalancingScheme>() -> Target {
    let mut actions: Vec<Action> = (1..=20_u8)
        .map(|number| Action::Put(key([number * 4]), value([number])))
        .collect();
    actions.extend([
        Action::Snapshot,
        Action::Remove(key([40])),
        Action::Snapshot,
    ]);
    let played = play::<Pad<B>>(&actions);
    let one = |byte: u8| key([byte]);
    let keys = |bytes: [u8; 4]| Keys::new(bytes.map(one).into()).expect("some keys");
    let range = |(start, end): (Option<u8>, Option<u8>)| KeyRange {
        start: start.map(one),
        end: end.map(one),
    };
    let ranges = [
        (None, None),
        (Some(9), Some(41)),
        (None, Some(3)),
        (Some(80), None),
        (Some(37), Some(39)),
        (Some(81), Some(90)),
    ];
    let mut proofs = Vec::new();
    ask::<B, Key>(&played, [0, 4, 40, 41, 44, 80, 81].map(one), &mut proofs);
    let several = [[4, 40, 60, 90], [1, 2, 3, 81]];
    ask::<B, Keys>(&played, several.map(keys), &mut proofs);
    ask::<B, KeyRange>(&played, ranges.map(range), &mut proofs);
    for byte in [0, 4, 42, 80, 90] {
        ask::<B, _>(&played, [Predecessor(one(byte))], &mut proofs);
        ask::<B, _>(&played, [Successor(one(byte))], &mut proofs);
    }
    ask::<B, _>(&played, [First], &mut proofs);
    ask::<B, _>(&played, [Last], &mut proofs);
    Target { proofs, change }
}

/// Appends the honest proofs of the answers to some queries about the latest version.
fn ask<B, Q>(
    played: &TraceRun<Pad<B>>,
    queries: impl IntoIterator<Item = Q>,
    proofs: &mut Vec<HonestProof>,
) where
    B: BalancingScheme,
    Q: ProvableQuery + OracleQuestion + 'static,
{
    let version = played.server.latest();
    let head = verified_head(played.author.authority(), &played.server, version);
    for query in queries {
        let trusted: Box<VerifiedRoot<S>> = Box::new(head);
        let proof = played.server.prove_query(version, &query).expect("a proof");
        let about = (version, played.oracle.at(version));
        proofs.push(HonestProof::new(&proof, trusted, query, about));
    }
}

/// Applies changes to the honest proof of a tree.
fn change(honest: &[u8], other: &[u8], changes: &[[u8; 4]]) -> Vec<u8> {
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
                *content = Content::Digest(S::value(value.as_bytes()));
            }
        }
        11 if !leaves.is_empty() => {
            let length = leaves.len();
            let mut bytes = leaves[place(length, first)].key.as_bytes().to_vec();
            bytes.push(bits);
            leaves[place(length, first)].key = key(bytes);
        }
        12 => *shape = other.shape.clone(),
        13 => *siblings = other.siblings.clone(),
        _ => {}
    }
}
