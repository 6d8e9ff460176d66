//! Tests of the log against RFC 9162's recursive definitions, and of proofs with small changes.
#![allow(clippy::arithmetic_side_effects, reason = "a test fails by panicking")]

use super::*;
use crate::{
    codec,
    head::{Authority, DictionaryId, SchemeId},
    proof::Untrusted,
    suite::{Blake3Ed25519, Paper2010, Sha256Ed25519},
};

mod fixture;
mod forgery;
mod huge;
mod oracle;

use fixture::*;

type S = Sha256Ed25519;
type D = <S as Suite>::Digest;

const MALFORMED: VerifyError = VerifyError::MalformedHistoryProof;
const MISMATCH: VerifyError = VerifyError::HistoryMismatch;
/// The highest version of the pairs that tests try.
const VERSIONS: u64 = 70;

/// All pairs of an older and a newer version, from `least` on.
fn pairs(least: u64) -> impl Iterator<Item = (u64, u64)> {
    (1..=VERSIONS).flat_map(move |newer| (least..newer).map(move |older| (older, newer)))
}

/// Returns lists that differ from `path` in one digest (changed, dropped, repeated, or added), each
/// with the expected error.
fn spoiled(path: &[D]) -> Vec<(Vec<D>, VerifyError)> {
    let mut lists = Vec::new();
    for i in 0..path.len() {
        let mut list = path.to_vec();
        list[i].0[i % 32] ^= 1 << (i % 8);
        lists.push((list, MISMATCH));
        let mut list = path.to_vec();
        list.remove(i);
        lists.push((list, MALFORMED));
        let mut list = path.to_vec();
        list.insert(i, path[i]);
        lists.push((list, MALFORMED));
        if i > 0 {
            let mut list = path.to_vec();
            list.swap(i - 1, i);
            lists.push((list, MISMATCH));
        }
    }
    lists.push(([path, &[junk(0)]].concat(), MALFORMED));
    lists
}

fn agrees_with_rfc_9162<S: Suite>() {
    let mut log = HistoryLog::<S>::default();
    let mut frontier = Frontier::<S>::default();
    let mut leaves = Vec::new();
    for entries in 0..=130_u64 {
        let root = oracle::tree_hash::<S>(&leaves);
        assert_eq!((log.entries(), frontier.entries()), (entries, entries));
        assert_eq!(log.root(entries), Some(root), "{entries}");
        assert_eq!(frontier.root(), root, "{entries}");
        let content = S::hash(Domain::Value, &[&entries.to_be_bytes()]);
        leaves.push(oracle::leaf::<S>(entries + 1, &content));
        log.append(&content);
        frontier.append(&content);
        assert_eq!(log.version_root(version(entries + 1)), Some(&content));
    }
    for entries in 0..=130_u64 {
        let root = oracle::tree_hash::<S>(&leaves[..to_usize(entries)]);
        assert_eq!(log.root(entries), Some(root), "{entries} of 131");
    }
    let stored = codec::decode_body(&codec::encode_body(&log));
    assert_eq!(stored.as_ref(), Ok(&log));
    let stored = codec::decode_body(&codec::encode_body(&frontier));
    assert_eq!(stored, Ok(frontier));
}

#[test]
fn log_and_frontier_agree_with_rfc_9162() {
    agrees_with_rfc_9162::<Sha256Ed25519>();
    agrees_with_rfc_9162::<Blake3Ed25519>();
    agrees_with_rfc_9162::<Paper2010>();
}

#[test]
fn proofs_are_those_of_rfc_9162_and_verify() {
    let chain = Chain::new(0, VERSIONS);
    let leaves: Vec<D> = (1..VERSIONS)
        .map(|number| oracle::leaf::<S>(number, &junk(number)))
        .collect();
    for (older, newer) in pairs(1) {
        let (index, entries) = (to_usize(older) - 1, to_usize(newer) - 1);
        let leaves = &leaves[..entries];
        let inclusion = chain.inclusion(older, newer);
        let path = oracle::path::<S>(index, leaves);
        assert_eq!(inclusion.path, path, "{older} {newer}");
        let statement = PastRoot {
            version: version(older),
            root: junk(older),
        };
        let verdict = chain.check_inclusion(inclusion, older, newer);
        assert_eq!(verdict, Ok(statement));

        let consistency = chain.consistency(older, newer);
        assert_eq!(consistency.inclusion, path);
        let prefix = oracle::proof::<S>(index, leaves);
        assert_eq!(consistency.prefix, prefix, "{older} {newer}");
        let statement = Continuation {
            older: version(older),
            newer: *chain.head(newer).get(),
        };
        let verdict = chain.check_consistency(consistency, older, newer);
        assert_eq!(verdict, Ok(statement));
    }
}

#[test]
fn every_head_continues_version_0_without_digests() {
    let chain = Chain::new(0, 5);
    for newer in 1..=5 {
        let proof = chain.consistency(0, newer);
        assert!(proof.inclusion.is_empty() && proof.prefix.is_empty());
        assert!(chain.check_consistency(proof, 0, newer).is_ok());
        for (inclusion, prefix) in [(vec![junk(0)], vec![]), (vec![], vec![junk(0)])] {
            let proof = ConsistencyProof { inclusion, prefix };
            assert_eq!(chain.check_consistency(proof, 0, newer), Err(MALFORMED));
        }
    }
}

#[test]
fn every_spoiled_inclusion_proof_is_refused() {
    let chain = Chain::new(0, VERSIONS);
    for (older, newer) in pairs(1) {
        let honest = chain.inclusion(older, newer);
        for (path, error) in spoiled(&honest.path) {
            let root = honest.root;
            let refused = chain.check_inclusion(InclusionProof { root, path }, older, newer);
            assert_eq!(refused, Err(error), "{older} {newer}");
        }
        for bit in [0, 77, 255] {
            let mut proof = honest.clone();
            proof.root.0[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(chain.check_inclusion(proof, older, newer), Err(MISMATCH));
        }
    }
}

#[test]
fn prefix_proofs_compute_the_older_history() {
    let chain = Chain::new(0, VERSIONS);
    for (older, newer) in pairs(1) {
        let honest = chain.log.prove_prefix(version(older), version(newer));
        let honest = honest.unwrap();
        let (first, entries) = (older - 1, newer - 1);
        if first > 0 {
            let mut path = honest.path.iter().copied();
            let roots = oracle::roots_of_proof::<S>(first, entries, &mut path);
            assert_eq!(path.next(), None);
            let logged = [first, entries].map(|entries| chain.log.root(entries).unwrap());
            assert_eq!([roots.0, roots.1], logged);
        }
        let statement = PastHistory {
            version: version(older),
            history: chain.head(older).get().history,
        };
        let check = |path| PrefixProof { path }.check(chain.head(newer), &version(older));
        assert_eq!(check(honest.path.clone()), Ok(statement), "{older} {newer}");
        for (path, error) in spoiled(&honest.path) {
            assert_eq!(check(path), Err(error), "{older} {newer}");
        }
        // A consistency proof proves the same to a verifier that knows the older head.
        let consistency = chain.consistency(older, newer);
        assert_eq!(consistency.prefix(chain.head(older).get()), honest);
    }
}

#[test]
fn prefix_proofs_are_about_older_versions() {
    let chain = Chain::new(0, 6);
    for (older, newer) in [(0, 4), (4, 4), (5, 4), (3, 8)] {
        let (old, new) = (version(older), version(newer));
        assert_eq!(chain.log.prove_prefix(old, new), None, "{older} {newer}");
    }
    let honest = chain.log.prove_prefix(version(3), version(4)).unwrap();
    for older in [0, 4, 5] {
        let refused = honest.clone().check(chain.head(4), &version(older));
        assert_eq!(refused, Err(wrong_version(older, 4)));
    }
}

#[test]
fn every_spoiled_consistency_proof_is_refused() {
    let chain = Chain::new(0, VERSIONS);
    for (older, newer) in pairs(1) {
        let honest = chain.consistency(older, newer);
        let mut proofs = Vec::new();
        for (inclusion, error) in spoiled(&honest.inclusion) {
            let prefix = honest.prefix.clone();
            proofs.push((ConsistencyProof { inclusion, prefix }, error));
        }
        for (prefix, error) in spoiled(&honest.prefix) {
            let inclusion = honest.inclusion.clone();
            proofs.push((ConsistencyProof { inclusion, prefix }, error));
        }
        for (proof, error) in proofs {
            let refused = chain.check_consistency(proof, older, newer);
            assert_eq!(refused, Err(error), "{older} {newer}");
        }
    }
}

#[test]
fn a_proof_serves_no_other_version() {
    let chain = Chain::new(0, VERSIONS);
    for (older, newer) in pairs(1) {
        let proof = chain.inclusion(older, newer);
        for other in (0..=VERSIONS + 1).filter(|other| *other != older) {
            let expected = if other == 0 || other >= newer {
                wrong_version(other, newer)
            } else if chain.inclusion(other, newer).path.len() == proof.path.len() {
                MISMATCH
            } else {
                MALFORMED
            };
            let refused = chain.check_inclusion(proof.clone(), other, newer);
            assert_eq!(refused, Err(expected));
        }
    }
}

#[test]
fn a_proof_serves_no_other_newer_head() {
    let chain = Chain::new(0, 40);
    for (older, newer) in pairs(1).filter(|(_, newer)| *newer <= 40) {
        let inclusion = chain.inclusion(older, newer);
        let consistency = chain.consistency(older, newer);
        for other in (0..=40).filter(|other| *other != newer) {
            let expected = if older >= other {
                wrong_version(older, other)
            } else if chain.inclusion(older, other).path.len() == inclusion.path.len() {
                MISMATCH
            } else {
                MALFORMED
            };
            let refused = chain.check_inclusion(inclusion.clone(), older, other);
            assert_eq!(refused, Err(expected), "{older} {newer} {other}");
            let refused = chain.check_consistency(consistency.clone(), older, other);
            assert_eq!(refused, Err(expected), "{older} {newer} {other}");
        }
    }
}

#[test]
fn a_proof_serves_no_other_log_and_no_other_direction() {
    let (chain, other) = (Chain::new(0, VERSIONS), Chain::new(1000, VERSIONS));
    for (older, newer) in pairs(1) {
        let proof = other.inclusion(older, newer);
        assert_eq!(chain.check_inclusion(proof, older, newer), Err(MISMATCH));
        // A proof that version 2 follows version 1 needs no digests, in any log.
        if newer > 2 {
            let proof = other.consistency(older, newer);
            assert_eq!(chain.check_consistency(proof, older, newer), Err(MISMATCH));
        }
        let proof = chain.consistency(older, newer);
        let swapped = chain.check_consistency(proof, newer, older);
        assert_eq!(swapped, Err(wrong_version(newer, older)));
    }
}
