//! Openings of chunks, their roots, and verified reads.

use proptest::prelude::*;

use super::{super::testing::*, *};

#[test]
fn honest_proofs_verify() {
    check_honest::<HashOnly>(&(), 64);
    check_refusals::<HashOnly>(&());
    check_bytes(&());
}

#[test]
fn changes_are_refused() {
    check_mutations::<HashOnly>(&(), 400);
}

/// Computes the root of `chunks` by the definition: the left part has the largest power of two
/// below their number.
fn slow_top(chunks: &[&[u8]], first: u64) -> Digest {
    use sha2::{Digest as _, Sha256};

    if let [chunk] = chunks {
        let input = [&[0x20], first.to_be_bytes().as_slice(), chunk].concat();
        return Sha256::digest(input).into();
    }
    let split = chunks.len().next_power_of_two() / 2;
    let (left, right) = chunks.split_at(split);
    let right = slow_top(right, first + u64::try_from(split).unwrap());
    Sha256::digest([&[0x21], slow_top(left, first).as_slice(), &right].concat()).into()
}

fn slow_root(block: &[u8]) -> Digest {
    use sha2::{Digest as _, Sha256};

    let chunks: Vec<&[u8]> = block.chunks(256).collect();
    let length = u64::try_from(block.len()).unwrap();
    let top = slow_top(&chunks, 0);
    Sha256::digest([&[0x22], length.to_be_bytes().as_slice(), &top].concat()).into()
}

#[test]
fn roots_are_those_of_the_definition() {
    for length in (1..4000).step_by(37).chain([255, 256, 257, 512, 513, 2048]) {
        let block = bytes(1, length);
        let root = chunk_tree::root(&block);
        assert_eq!(root, slow_root(&block), "{length}");
        assert_eq!(ChunkTree::new(&block).root(), root);
    }
    assert_eq!(
        hex::encode(chunk_tree::root(&[7; 1000])),
        "674445aaf9382849ad34445f1b82ec368a54e00decc795e5ec3dca242aa60616"
    );
}

proptest! {
    #[test]
    fn every_chunk_opens_at_its_place_only(
        length in 1..6000_usize,
        index in 0..30_u64,
        other in 0..30_u64,
    ) {
        let block = bytes(2, length);
        let tree = ChunkTree::new(&block);
        let length = u64::try_from(length).unwrap();
        let mut opening = Vec::new();
        tree.open(index, &mut opening);
        prop_assert_eq!(opening.len(), chunk_tree::opening_length(length, index));
        let root = chunk_tree::opened_root(length, index, &opening);
        if index * CHUNK_LENGTH < length {
            prop_assert_eq!(root, Some(tree.root()));
            opening.push(0);
            prop_assert_eq!(chunk_tree::opened_root(length, index, &opening), None);
            opening.pop();
            if other != index {
                let opened = chunk_tree::opened_root(length, other, &opening);
                prop_assert_ne!(opened, Some(tree.root()));
            }
            let longer = chunk_tree::opened_root(length + 1, index, &opening);
            prop_assert_ne!(longer, Some(tree.root()));
            let shorter = chunk_tree::opened_root(length - 1, index, &opening);
            prop_assert_ne!(shorter, Some(tree.root()));
        } else {
            prop_assert_eq!(root, None);
            prop_assert!(opening.is_empty());
        }
    }
}

#[test]
fn every_changed_byte_names_its_block() {
    let audit = Audit::new::<HashOnly>(&(), &[(300, &[299]), (1000, &[0, 700])]);
    let proof = audit.prove::<HashOnly>(&()).unwrap();
    let first = chunk_tree::opening_length(300, 1);
    for position in 0..proof.len() {
        let mut changed = proof.clone();
        changed[position] ^= 1;
        let start = if position < first { 0 } else { 300 };
        let verdict = audit.verify::<HashOnly>(&(), &changed);
        assert_eq!(verdict, Err(AuditError::BlockMismatch { start }));
    }
    let mut wrong = audit.clone();
    wrong.tags.swap(0, 1);
    let verdict = wrong.verify::<HashOnly>(&(), &proof);
    assert_eq!(verdict, Err(AuditError::BlockMismatch { start: 0 }));
    // A server detects its own corrupted block.
    wrong = audit;
    wrong.blocks[1][999] ^= 1;
    assert_eq!(wrong.prove::<HashOnly>(&()), Err(TagError::BlockMismatch));
    let checked = HashOnly::check_tags(&(), &wrong.stored());
    assert_eq!(checked, Err(TagError::BlockMismatch));
}

#[test]
fn reads_are_verified() {
    let block = bytes(3, 777);
    let root = chunk_tree::root(&block);
    let start = 42;
    assert_eq!(HashOnly::check_block(start, &root, &block), Ok(()));
    let mismatch = Err(AuditError::BlockMismatch { start });
    for wrong in [&block[1..], &block[..776], &[], &bytes(4, 777)] {
        assert_eq!(HashOnly::check_block(start, &root, wrong), mismatch);
    }
    let longer = [block.as_slice(), &[0]].concat();
    assert_eq!(HashOnly::check_block(start, &root, &longer), mismatch);
    let malformed = Err(AuditError::MalformedTag { start });
    assert_eq!(HashOnly::check_block(start, &root[1..], &block), malformed);
}
