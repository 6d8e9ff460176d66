//! Proof vectors of `transparency-dev/merkle` (`tests/external/README.md`).

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;
use transparency_log::tree::{Hash, TreeError, TreeHead, verify_consistency, verify_inclusion};

const VECTORS: &str = include_str!("../external/merkle_testdata.json");

#[derive(Deserialize)]
#[serde(untagged)]
enum Vector {
    Inclusion(Inclusion),
    Consistency(Consistency),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Inclusion {
    leaf_idx: u64,
    tree_size: u64,
    root: String,
    leaf_hash: String,
    proof: Option<Vec<String>>,
    want_err: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Consistency {
    size1: u64,
    size2: u64,
    root1: String,
    root2: String,
    proof: Option<Vec<String>>,
    want_err: bool,
}

/// A vector for which this verifier gives another verdict. It accepts two equal roots of empty
/// trees only if they are the root of the empty tree. The vector has the text "don't care 1" for
/// both.
const STRICTER: &str = "consistency/additional/\
    sizes-are-equal-and-proof-is-not-empty-where-both-sizes-are-zero.json";

/// Checks that all published verdicts except [`STRICTER`] equal the verdicts of this verifier.
///
/// Some vectors have an empty text instead of a hash, which is refused when it is decoded. Others
/// have another text that is not a hash. [`Hash`] contains 32 bytes, so such a text is replaced by
/// its own hash. The replacement is wrong too, and equal texts have equal hashes.
#[test]
fn verdicts_on_proofs_are_those_published() {
    let vectors: BTreeMap<String, Vector> = serde_json::from_str(VECTORS).unwrap();
    let (mut inclusion, mut consistency) = ([0, 0], [0, 0]);
    for (name, vector) in vectors {
        let (verdict, is_refused, count) = match vector {
            Vector::Inclusion(vector) => (included(&vector), vector.want_err, &mut inclusion),
            Vector::Consistency(vector) => (consistent(&vector), vector.want_err, &mut consistency),
        };
        count[usize::from(is_refused)] += 1;
        if name == STRICTER {
            let expected = (Some(Err(TreeError::WrongOldRoot)), false);
            assert_eq!((verdict, is_refused), expected);
        } else {
            let is_accepted = verdict == Some(Ok(()));
            assert_eq!(is_accepted, !is_refused, "{name}: {verdict:?}");
        }
    }
    // Numbers of vectors that must be accepted and refused.
    assert_eq!((inclusion, consistency), ([6, 92], [7, 90]));
}

fn included(vector: &Inclusion) -> Option<Result<(), TreeError>> {
    let (size, root) = (vector.tree_size, hash(&vector.root)?);
    let (leaf, proof) = (hash(&vector.leaf_hash)?, hashes(vector.proof.as_ref())?);
    let head = TreeHead { size, root };
    Some(verify_inclusion(vector.leaf_idx, leaf, &head, &proof))
}

fn consistent(vector: &Consistency) -> Option<Result<(), TreeError>> {
    let [old, new] = [
        (vector.size1, hash(&vector.root1)?),
        (vector.size2, hash(&vector.root2)?),
    ]
    .map(|(size, root)| TreeHead { size, root });
    let proof = hashes(vector.proof.as_ref())?;
    Some(verify_consistency(&old, &new, &proof))
}

fn hashes(proof: Option<&Vec<String>>) -> Option<Vec<Hash>> {
    proof.into_iter().flatten().map(|text| hash(text)).collect()
}

/// Decodes a hash in base 64, or hashes data of any other length as a leaf. Returns `None` for an
/// empty text.
fn hash(text: &str) -> Option<Hash> {
    let bytes = STANDARD.decode(text).unwrap();
    if bytes.is_empty() {
        return None;
    }
    let exact = bytes.as_slice().try_into();
    Some(exact.map_or_else(|_| Hash::of_leaf(&bytes), Hash::from_bytes))
}
