//! Known answers. `FLEXLIST_VECTORS` names another file of the same format to check against.

use pad_core::{Digest, Workers};
use serde::Deserialize;

use super::super::{
    Block, FlexList, ListState, Operation, Sha256, build::build_parts, hash, verify_indices,
    verify_update,
};
use crate::level::Level;

#[derive(Deserialize)]
struct Vectors {
    structure: Vec<Structure>,
    updates: Vec<Update>,
    multiproof: Vec<MultiProof>,
    parallel: Vec<Parallel>,
}

#[derive(Deserialize)]
struct Structure {
    name: String,
    lens: Vec<u64>,
    levels: Vec<u8>,
    rank: u64,
    leaves: usize,
    inner: usize,
    shape: String,
    root: String,
}

#[derive(Deserialize)]
struct Update {
    lens: Vec<u64>,
    levels: Vec<u8>,
    old_root: String,
    old_rank: u64,
    ops: Vec<Step>,
    root_after_each: Vec<String>,
    new_rank: u64,
    witness: String,
    new_lens: Vec<u64>,
    new_levels: Vec<u8>,
}

#[derive(Deserialize)]
struct Step {
    op: String,
    index: u64,
    length: Option<u64>,
    td: Option<String>,
    level: Option<u8>,
}

#[derive(Deserialize)]
struct MultiProof {
    lens: Vec<u64>,
    levels: Vec<u8>,
    root: String,
    rank: u64,
    indices: Vec<u64>,
    proof: String,
    leaves: Vec<Proven>,
}

#[derive(Deserialize)]
struct Proven {
    start: u64,
    length: u64,
    td: String,
}

#[derive(Deserialize)]
struct Parallel {
    lens: Vec<u64>,
    levels: Vec<u8>,
    cuts: Vec<usize>,
    root: String,
    parts: Vec<String>,
}

fn vectors() -> Vectors {
    pad_conformance::published::read_instead("FLEXLIST_VECTORS", "files/flexlist")
}

/// Block `i` carries the tag `tag-<i>`.
fn blocks(lens: &[u64], levels: &[u8]) -> Vec<Block> {
    assert_eq!(lens.len(), levels.len());
    let pairs = lens.iter().zip(levels).enumerate();
    pairs
        .map(|(i, (length, level))| Block {
            length: *length,
            tag_digest: hash::tag_digest::<Sha256>(format!("tag-{i}").as_bytes()),
            level: Level::try_from(*level).unwrap(),
            label: 0,
        })
        .collect()
}

fn build(lens: &[u64], levels: &[u8]) -> FlexList {
    FlexList::build(&blocks(lens, levels), &Workers::sequential()).unwrap()
}

fn digest(text: &str) -> Digest<32> {
    Digest(hex::decode(text).unwrap().try_into().unwrap())
}

impl Step {
    fn operation(&self) -> Operation {
        let index = self.index;
        let tag_digest = self.td.as_deref().map(digest);
        match self.op.as_str() {
            "ins" => Operation::Insert {
                index,
                block: Block {
                    length: self.length.unwrap(),
                    tag_digest: tag_digest.unwrap(),
                    level: Level::try_from(self.level.unwrap()).unwrap(),
                    label: 0,
                },
            },
            "mod" => Operation::Modify {
                index,
                length: self.length.unwrap(),
                tag_digest: tag_digest.unwrap(),
                label: 0,
            },
            "rem" => Operation::Remove { index },
            other => panic!("unknown operation {other}"),
        }
    }
}

#[test]
fn structures() {
    for vector in vectors().structure {
        let list = build(&vector.lens, &vector.levels);
        assert_eq!(list.root(), digest(&vector.root), "{}", vector.name);
        assert_eq!(list.total(), vector.rank, "{}", vector.name);
        assert_eq!(list.current().shape(), vector.shape, "{}", vector.name);
        assert_eq!(vector.leaves, vector.lens.len() + 2);
        assert_eq!(vector.shape.matches('(').count(), vector.inner);
        assert_eq!(list.blocks(), blocks(&vector.lens, &vector.levels));
    }
}

#[test]
fn updates() {
    for vector in vectors().updates {
        let operations: Vec<Operation> = vector.ops.iter().map(Step::operation).collect();
        let mut batch = build(&vector.lens, &vector.levels);
        let mut singles = batch.clone();
        let old = batch.state();
        assert_eq!(old.root, digest(&vector.old_root));
        assert_eq!(old.total, vector.old_rank);

        let change = batch.update(&operations).unwrap();
        assert_eq!(hex::encode(&change.witness), vector.witness);
        assert_eq!(batch.total(), vector.new_rank);
        let levels: Vec<u8> = batch.blocks().iter().map(|b| b.level.get()).collect();
        let lengths: Vec<u64> = batch.blocks().iter().map(|b| b.length).collect();
        assert_eq!((lengths, levels), (vector.new_lens, vector.new_levels));
        let next = verify_update::<Sha256>(&change.witness, &old, &operations).unwrap();
        assert_eq!(*next.get(), batch.state());

        for (operation, root) in operations.iter().zip(&vector.root_after_each) {
            let old = singles.state();
            let change = singles.update(&[*operation]).unwrap();
            let next = verify_update::<Sha256>(&change.witness, &old, &[*operation]).unwrap();
            assert_eq!(singles.root(), digest(root));
            assert_eq!(*next.get(), singles.state());
            singles.forget(change.previous);
        }
        assert_eq!(singles.root(), batch.root());
    }
}

#[test]
fn multiproofs() {
    for vector in vectors().multiproof {
        let list = build(&vector.lens, &vector.levels);
        let state = ListState {
            root: digest(&vector.root),
            total: vector.rank,
        };
        assert_eq!(list.state(), state);
        let proof = list.prove(&vector.indices).unwrap();
        assert_eq!(hex::encode(&proof), vector.proof);
        let proven = verify_indices::<Sha256>(&proof, &state, &vector.indices).unwrap();
        assert_eq!(proven.get().len(), vector.leaves.len());
        for (block, expected) in proven.get().iter().zip(&vector.leaves) {
            assert_eq!(block.start, expected.start);
            assert_eq!(block.length, expected.length);
            assert_eq!(block.tag_digest, digest(&expected.td));
        }
    }
}

#[test]
fn parallel_builds() {
    for vector in vectors().parallel {
        let all = blocks(&vector.lens, &vector.levels);
        let list: FlexList = build_parts(&all, &vector.cuts, &Workers::sequential()).unwrap();
        assert_eq!(list.root(), digest(&vector.root));
        let mut start = 0;
        let ends = vector.cuts.iter().copied().chain([all.len()]);
        let roots = ends.map(|end| {
            let part: FlexList = FlexList::build(&all[start..end], &Workers::sequential()).unwrap();
            start = end;
            part.root().to_string()
        });
        assert_eq!(roots.collect::<Vec<_>>(), vector.parts);
    }
}
