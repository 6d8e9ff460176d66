//! Checks the examples of section *FlexList* in `docs/format`. They are computed twice, from the
//! formulas there with independent code, and by the crate. `docs/vectors/files/format.json` holds
//! the results. A difference is a change of the format. The tests of `conformance` check that the
//! document has the contents of the file.

use std::{fs, path::PathBuf};

use flexlist::{
    FileId, FileState, FlexList, Level,
    internals::tag_digest,
    list::{Block, ListState, Operation, Sha256, verify_indices, verify_update},
};
use pad_core::{Digest, Workers};
use serde_json::{Value, json};
use sha2::Digest as _;

type Hash = [u8; 32];

const TEXTS: [&str; 3] = ["to be", " or ", "not to be"];
const NOTHING: (u64, Hash) = (0, [0; 32]);

fn sha(parts: &[&[u8]]) -> Hash {
    sha2::Sha256::digest(parts.concat()).into()
}

/// Returns rank and hash of an inner node, from those of its two children.
fn inner(level: u8, below: (u64, Hash), after: (u64, Hash)) -> (u64, Hash) {
    let ranks = [below.0.to_be_bytes(), after.0.to_be_bytes()].concat();
    let hash = sha(&[&[0, level], &ranks, &below.1, &after.1]);
    (below.0 + after.0, hash)
}

fn leaf(kind: u8, length: u64, tag: &Hash, after: (u64, Hash)) -> (u64, Hash) {
    let (length_bytes, rank) = (length.to_be_bytes(), after.0.to_be_bytes());
    let hash = sha(&[&[kind], &length_bytes, &rank, tag, &after.1]);
    (length + after.0, hash)
}

fn block_leaf(text: &str, after: (u64, Hash)) -> (u64, Hash) {
    let length = u64::try_from(text.len()).unwrap();
    leaf(1, length, &sha(&[&[5], text.as_bytes()]), after)
}

fn shown_pruned((rank, hash): (u64, Hash)) -> Vec<u8> {
    let rank = u8::try_from(rank).unwrap();
    assert!(rank < 128, "a varint of one byte");
    [&[4, rank][..], &hash].concat()
}

/// Encodes the leaf of a block as a proof shows it. `flag` tells whether a node after it follows.
fn shown_block(text: &str, flag: u8) -> Vec<u8> {
    let length = u8::try_from(text.len()).unwrap();
    [&[1, length][..], &sha(&[&[5], text.as_bytes()]), &[flag]].concat()
}

fn list_examples() -> Value {
    let right = leaf(3, 0, &[0; 32], NOTHING);
    let last = block_leaf(TEXTS[2], NOTHING);
    let middle = block_leaf(TEXTS[1], last);
    let first = block_leaf(TEXTS[0], NOTHING);
    let left = leaf(2, 0, &[0; 32], first);
    let root = inner(63, inner(1, left, middle), right);
    // Without the middle block, the last block comes after the first one.
    let left_alone = leaf(2, 0, &[0; 32], block_leaf(TEXTS[0], last));
    let root_after = inner(63, left_alone, right);
    let tail = [
        shown_block(TEXTS[1], 1),
        shown_pruned(last),
        shown_pruned(right),
    ];
    let head = [0, 63, 0, 1];
    let proof = [&head[..], &shown_pruned(left), &tail.concat()].concat();
    let sentinel = [&[2, 1], &shown_block(TEXTS[0], 0)[..]].concat();
    let witness = [&head[..], &sentinel, &tail.concat()].concat();
    json!({
        "right sentinel": hex::encode(right.1),
        "tag digest": hex::encode(sha(&[&[5], TEXTS[2].as_bytes()])),
        "last block": hex::encode(last.1),
        "middle block": hex::encode(middle.1),
        "root": hex::encode(root.1),
        "proof of byte 6": hex::encode(proof),
        "witness of a removal": hex::encode(witness),
        "root after the removal": hex::encode(root_after.1),
    })
}

/// The owner's key and the salt.
fn names() -> ([u8; 32], [u8; 16]) {
    let number = |index: usize| u8::try_from(index).unwrap();
    (
        core::array::from_fn(number),
        core::array::from_fn(|index| 0x20 + number(index)),
    )
}

fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().unwrap()).unwrap()
}

fn file_examples(list: &Value) -> Value {
    let (owner, salt) = names();
    let id = sha(&[b"flexlist/file-id/v1", &owner, &salt]);
    let (version, total) = (7_u64.to_be_bytes(), 18_u64.to_be_bytes());
    let sealed = sha(&[&[0x10], &id, &version, &total, &bytes(&list["root"])]);
    json!({ "id": hex::encode(id), "sealed root": hex::encode(sealed) })
}

/// Examples for the challenge of the known answers.
fn challenge_examples() -> Value {
    let known = vectors("flexlist");
    let known = &known["dpdp"];
    let number = |name: &str| known[name].as_u64().unwrap().to_be_bytes();
    let common = [
        bytes(&known["seed"]),
        bytes(&known["file_id"]),
        number("version").to_vec(),
        bytes(&known["root"]),
        number("total").to_vec(),
    ]
    .concat();
    let context = sha(&[b"flexdpdp/chal/v1", &common, &number("c")[4..]]);
    assert_eq!(hex::encode(context), known["ctx"].as_str().unwrap());
    let every = [0_u64.to_be_bytes(), number("total")].concat();
    let every = sha(&[b"flexdpdp/every/v1", &common, &every]);
    let word = |purpose: u8, question: u64| {
        let hash = sha(&[&context, &[purpose], &question.to_be_bytes()]);
        u128::from_be_bytes(hash[..16].try_into().unwrap())
    };
    let total = u128::from(known["total"].as_u64().unwrap());
    // The total is small enough to divide first by 2^64.
    let place = |question| ((word(1, question) >> 64) * total) >> 64;
    for (question, expected) in (0..).zip(known["challenge"].as_array().unwrap()) {
        assert_eq!(place(question), u128::from(expected[0].as_u64().unwrap()));
        let coefficient = format!("0x{:x}", word(2, question));
        assert_eq!(coefficient, expected[1].as_str().unwrap());
    }
    json!({
        "first place": format!("{:016x}", place(0)),
        "first coefficient": format!("{:032x}", word(2, 0)),
        "context of every block": hex::encode(every),
    })
}

fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/vectors/files/{file}.json"))
}

fn vectors(file: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(path(file)).unwrap()).unwrap()
}

fn examples() -> Value {
    let list = list_examples();
    json!({
        "comment": "Hexadecimal. The examples of docs/format, section FlexList.",
        "file": file_examples(&list),
        "list": list,
        "challenge": challenge_examples(),
    })
}

#[test]
fn the_formulas_give_the_recorded_examples() {
    assert_eq!(vectors("format"), examples());
}

#[test]
fn the_crate_gives_the_same() {
    let recorded = vectors("format");
    let text = |pointer: &str| recorded.pointer(pointer).unwrap().as_str().unwrap();
    let blocks: Vec<Block> = (1..)
        .zip(TEXTS)
        .map(|(position, text)| Block {
            length: u64::try_from(text.len()).unwrap(),
            tag_digest: tag_digest::<Sha256>(text.as_bytes()),
            level: Level::initial(position),
            label: 0,
        })
        .collect();
    assert_eq!(blocks[2].tag_digest.to_string(), text("/list/tag digest"));
    let mut list = <FlexList>::build(&blocks, &Workers::sequential()).unwrap();
    let state = list.state();
    assert_eq!(state.root.to_string(), text("/list/root"));
    let proof = list.prove(&[6]).unwrap();
    assert_eq!(hex::encode(&proof), text("/list/proof of byte 6"));
    let proven = verify_indices::<Sha256>(&proof, &state, &[6]).unwrap();
    assert_eq!(proven.get()[0].start, 5);
    let operations = [Operation::Remove { index: 6 }];
    let change = list.update(&operations).unwrap();
    let witness = hex::encode(&change.witness);
    assert_eq!(witness, text("/list/witness of a removal"));
    let next = verify_update::<Sha256>(&change.witness, &state, &operations).unwrap();
    let root = text("/list/root after the removal");
    assert_eq!(next.get().root.to_string(), root);
    assert_eq!(list.root().to_string(), root);

    let (owner, salt) = names();
    let file = FileId::derive(&owner, &salt);
    assert_eq!(file.to_string(), text("/file/id"));
    let state = FileState {
        file,
        version: 7,
        list: ListState {
            root: Digest(bytes(&recorded["list"]["root"]).try_into().unwrap()),
            total: 18,
        },
    };
    assert_eq!(state.sealed_root().to_string(), text("/file/sealed root"));
}
