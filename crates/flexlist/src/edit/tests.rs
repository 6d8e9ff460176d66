//! Edits against plain byte strings, and each rule and error by example.

use proptest::prelude::*;

use super::{
    model::{apply_to_blocks, apply_to_bytes, chunkers, drafts, files, noise},
    *,
};
use crate::chunk::MAX_BLOCK_BYTES;

fn write(offset: u64, bytes: &[u8]) -> ByteEdit {
    let bytes = bytes.to_vec();
    ByteEdit::Write { offset, bytes }
}

fn insert(offset: u64, bytes: &[u8]) -> ByteEdit {
    let bytes = bytes.to_vec();
    ByteEdit::Insert { offset, bytes }
}

fn delete(start: u64, end: u64) -> ByteEdit {
    ByteEdit::Delete { start, end }
}

fn inserted(index: u64, bytes: &[u8]) -> BlockEdit {
    let block = bytes.to_vec();
    BlockEdit::Insert { index, block }
}

fn modified(index: u64, bytes: &[u8]) -> BlockEdit {
    let block = bytes.to_vec();
    BlockEdit::Modify { index, block }
}

fn removed(index: u64) -> BlockEdit {
    BlockEdit::Remove { index }
}

fn known(blocks: &[Vec<u8>]) -> Vec<KnownBlock> {
    let mut start = 0;
    blocks
        .iter()
        .map(|bytes| {
            let block = KnownBlock {
                start,
                bytes: bytes.clone(),
            };
            start = block.end();
            block
        })
        .collect()
}

/// Returns the blocks of `known` that contain a byte of these ranges.
fn around(known: &[KnownBlock], ranges: &[Range<u64>]) -> Vec<KnownBlock> {
    known
        .iter()
        .filter(|block| {
            ranges
                .iter()
                .any(|range| block.start < range.end && range.start < block.end())
        })
        .cloned()
        .collect()
}

/// Plans edits of the file "abcd", "efgh", "ijkl" with blocks of 4 bytes.
fn planned(edits: &[ByteEdit]) -> Vec<BlockEdit> {
    let blocks = [b"abcd".to_vec(), b"efgh".to_vec(), b"ijkl".to_vec()];
    let chunker = Chunker::fixed(4).unwrap();
    plan(edits, &known(&blocks), 12, &chunker).unwrap()
}

proptest! {
    /// The operations yield the edited bytes in blocks of allowed lengths. They do not touch blocks
    /// that are not needed, and needed blocks suffice.
    #[test]
    fn blocks_follow_the_bytes(
        chunker in chunkers(),
        blocks in files(),
        drafts in prop::collection::vec(drafts(), 1..8),
        all_known: bool,
    ) {
        let mut file = blocks.concat();
        let total = length(&file);
        let mut edits = Vec::new();
        for draft in &drafts {
            if let Some(edit) = draft.fit(file.len()) {
                apply_to_bytes(&mut file, &edit);
                edits.push(edit);
            }
        }
        let all = known(&blocks);
        let ranges = needed(&edits, total).unwrap();
        for pair in ranges.windows(2) {
            prop_assert!(pair[0].end < pair[1].start);
        }
        let needed_blocks = around(&all, &ranges);
        let given = if all_known { &all } else { &needed_blocks };
        let operations = plan(&edits, given, total, &chunker).unwrap();

        let after = apply_to_blocks(&blocks, &operations);
        prop_assert!(after.concat() == file);
        let longest = blocks.iter().map(Vec::len).max().unwrap_or(0).max(chunker.tolerated());
        for operation in &operations {
            if let Some(bytes) = operation.bytes() {
                prop_assert!((1..=longest).contains(&bytes.len()));
            }
        }
        // The indices rise, so one pass over the file finds all blocks.
        let index = |operation: &BlockEdit| match operation {
            BlockEdit::Insert { index, .. }
            | BlockEdit::Modify { index, .. }
            | BlockEdit::Remove { index } => *index,
        };
        prop_assert!(operations.windows(2).all(|pair| index(&pair[0]) <= index(&pair[1])));
        let replaced = operations
            .iter()
            .filter(|operation| !matches!(operation, BlockEdit::Insert { .. }))
            .count();
        prop_assert!(replaced <= needed_blocks.len() || all_known);
    }

    /// One edit takes at most as many operations as it touches or adds blocks.
    #[test]
    fn one_edit_takes_few_operations(
        chunker in chunkers(),
        blocks in files(),
        draft in drafts(),
    ) {
        let file = blocks.concat();
        let total = length(&file);
        let Some(edit) = draft.fit(file.len()) else { return Ok(()) };
        let all = known(&blocks);
        let edits = [edit];
        let touched = around(&all, &needed(&edits, total).unwrap());
        let operations = plan(&edits, &touched, total, &chunker).unwrap();
        let held: usize = touched.iter().map(|block| block.bytes.len()).sum();
        let brought = match &edits[0] {
            ByteEdit::Write { bytes, .. } | ByteEdit::Insert { bytes, .. } => bytes.len(),
            ByteEdit::Delete { .. } => 0,
        };
        // Only the last block that the chunker cuts may be shorter than its minimum.
        let shortest = chunker.tiny();
        prop_assert!(operations.len() <= touched.len().max((held + brought) / shortest + 1));
        let usual = touched.iter().all(|block| block.bytes.len() <= chunker.tolerated());
        if matches!(edits[0], ByteEdit::Delete { .. }) && usual {
            prop_assert!(operations.len() <= touched.len());
        }
        // A single block stays one, unless it is unchanged and long contents are inserted next to
        // it.
        let only_brings = operations
            .iter()
            .all(|operation| matches!(operation, BlockEdit::Insert { .. }));
        if touched.len() == 1 && held + brought <= chunker.tolerated() && !only_brings {
            prop_assert_eq!(operations.len(), 1);
        }
    }

    /// No input may cause a panic. A plan must contain no empty block.
    #[test]
    fn hostile_input_is_refused_or_planned(
        edits in prop::collection::vec(
            (0_u8..3, any::<u64>(), any::<u64>(), prop::collection::vec(any::<u8>(), 0..5)),
            0..6,
        ),
        near in any::<bool>(),
        blocks in prop::collection::vec(
            (any::<u64>(), prop::collection::vec(any::<u8>(), 0..9)),
            0..6,
        ),
        total: u64,
    ) {
        // Small numbers collide more often.
        let scale = |number: u64| if near { number % 40 } else { number };
        let edits: Vec<ByteEdit> = edits
            .into_iter()
            .map(|(kind, start, end, bytes)| match kind {
                0 => ByteEdit::Write { offset: scale(start), bytes },
                1 => ByteEdit::Insert { offset: scale(start), bytes },
                _ => delete(scale(start), scale(end)),
            })
            .collect();
        let blocks: Vec<KnownBlock> = blocks
            .into_iter()
            .map(|(start, bytes)| KnownBlock { start: scale(start), bytes })
            .collect();
        let chunker = Chunker::fixed(4).unwrap();
        if let Ok(operations) = plan(&edits, &blocks, scale(total), &chunker) {
            prop_assert!(operations.iter().all(|operation| operation.bytes() != Some(&[])));
        }
    }
}

#[test]
fn overwriting_keeps_the_boundaries() {
    assert_eq!(planned(&[write(5, b"X")]), [modified(4, b"eXgh")]);
    assert_eq!(
        planned(&[write(3, b"XXXXXX")]),
        [
            modified(0, b"abcX"),
            modified(4, b"XXXX"),
            modified(8, b"Xjkl")
        ]
    );
    assert_eq!(planned(&[write(4, b"XXXX")]), [modified(4, b"XXXX")]);
}

#[test]
fn what_stays_equal_has_no_operation() {
    assert_eq!(planned(&[write(3, b"defghi")]), []);
    assert_eq!(planned(&[insert(6, b"X"), delete(6, 7)]), []);
    assert_eq!(planned(&[]), []);
    assert_eq!(planned(&[write(0, b"abXdefgh")]), [modified(0, b"abXd")]);
}

#[test]
fn insertions_grow_blocks_and_split_long_ones() {
    assert_eq!(planned(&[insert(6, b"X")]), [modified(4, b"efXgh")]);
    let edits = planned(&[insert(6, b"12345")]);
    assert_eq!(edits, [modified(4, b"ef12"), inserted(8, b"345gh")]);
    let edits = planned(&[insert(4, b"12345678")]);
    assert_eq!(edits, [inserted(4, b"1234"), inserted(8, b"5678")]);
}

#[test]
fn tiny_insertions_at_a_boundary_go_into_a_neighbour() {
    assert_eq!(planned(&[insert(4, b"X")]), [modified(0, b"abcdX")]);
    assert_eq!(planned(&[insert(0, b"X")]), [modified(0, b"Xabcd")]);
    assert_eq!(planned(&[insert(12, b"X")]), [modified(8, b"ijklX")]);
    assert_eq!(planned(&[write(12, b"X")]), [modified(8, b"ijklX")]);
    // First the previous neighbour is too long, then both are.
    let chunker = Chunker::fixed(4).unwrap();
    let blocks = known(&[b"abcdefgh".to_vec(), b"ij".to_vec()]);
    let planned = plan(&[insert(8, b"X")], &blocks, 10, &chunker).unwrap();
    assert_eq!(planned, [modified(8, b"Xij")]);
    let blocks = known(&[b"abcdefgh".to_vec(), b"ijklmnop".to_vec()]);
    let planned = plan(&[insert(8, b"X")], &blocks, 16, &chunker).unwrap();
    assert_eq!(planned, [inserted(8, b"X")]);
}

#[test]
fn deletions_remove_blocks_and_join_what_is_left() {
    assert_eq!(planned(&[delete(4, 8)]), [removed(4)]);
    assert_eq!(planned(&[delete(0, 12)]), vec![removed(0); 3]);
    assert_eq!(planned(&[delete(4, 7)]), [modified(4, b"h")]);
    assert_eq!(
        planned(&[delete(3, 9)]),
        [modified(0, b"abcj"), modified(4, b"kl"), removed(6)]
    );
    // A single byte is not a block of its own where blocks have four bytes.
    let edits = planned(&[delete(3, 10)]);
    assert_eq!(edits, [modified(0, b"abckl"), removed(5), removed(5)]);
}

#[test]
fn writes_past_the_end_extend_the_file() {
    assert_eq!(
        planned(&[write(10, b"KLMNOPQR")]),
        [
            modified(8, b"ijKL"),
            inserted(12, b"MNOP"),
            inserted(16, b"QR")
        ]
    );
    let edits = planned(&[write(10, b"KLMNOPQ")]);
    assert_eq!(edits, [modified(8, b"ijKL"), inserted(12, b"MNOPQ")]);
    let edits = plan(&[write(0, b"abcde")], &[], 0, &Chunker::fixed(4).unwrap());
    assert_eq!(edits, Ok(vec![inserted(0, b"abcde")]));
}

#[test]
fn tiny_regions_side_by_side_merge() {
    // Both blocks change anyway: one modification and one removal instead of two modifications.
    let edits = planned(&[delete(4, 7), delete(5, 6)]);
    assert_eq!(edits, [modified(4, b"hjkl"), removed(8)]);
}

#[test]
fn later_edits_see_the_file_of_earlier_ones() {
    assert_eq!(
        planned(&[insert(0, b"1234"), write(8, b"X"), delete(15, 16)]),
        [
            inserted(0, b"1234"),
            modified(8, b"Xfgh"),
            modified(12, b"ijk")
        ]
    );
}

#[test]
fn long_insertions_keep_the_bound_on_blocks() {
    let blocks = [noise(1, MAX_BLOCK_BYTES), noise(2, 10)];
    let total = length(&blocks.concat());
    for chunker in [
        Chunker::fixed(MAX_BLOCK_BYTES).unwrap(),
        Chunker::default(),
        Chunker::content_defined(MAX_BLOCK_BYTES, MAX_BLOCK_BYTES, MAX_BLOCK_BYTES).unwrap(),
    ] {
        for count in [10, 3 * MAX_BLOCK_BYTES] {
            let edit = insert(77, &noise(3, count));
            let mut file = blocks.concat();
            apply_to_bytes(&mut file, &edit);
            let operations = plan(&[edit], &known(&blocks), total, &chunker).unwrap();
            let after = apply_to_blocks(&blocks, &operations);
            assert!(after.concat() == file);
            let allowed = 1..=MAX_BLOCK_BYTES;
            assert!(after.iter().all(|block| allowed.contains(&block.len())));
        }
    }
}

#[test]
fn blocks_that_were_too_long_are_cut() {
    let block = noise(1, MAX_BLOCK_BYTES + 2);
    let total = length(&block);
    let chunker = Chunker::default();
    let operations = plan(&[write(5, b"X")], &known(&[block]), total, &chunker).unwrap();
    for operation in operations {
        let Some(bytes) = operation.bytes() else {
            panic!("nothing is removed");
        };
        assert!((1..=MAX_BLOCK_BYTES).contains(&bytes.len()));
    }
}

#[test]
fn a_neighbour_is_used_once() {
    let chunker = Chunker::fixed(4).unwrap();
    let long = b"abcdefgh".to_vec();
    // Both insertions would be merged into "ij".
    let blocks = known(&[long.clone(), b"ij".to_vec(), long.clone()]);
    let edits = [insert(8, b"X"), insert(11, b"Y")];
    let planned = plan(&edits, &blocks, 18, &chunker).unwrap();
    assert_eq!(planned, [modified(8, b"Xij"), inserted(11, b"Y")]);
    // The block after the insertion is removed: the rest of the first is itself plus one zero.
    let blocks = known(&[vec![0; 8], b"ijkl".to_vec(), long]);
    let edits = [insert(3, &[0]), delete(9, 13)];
    let planned = plan(&edits, &blocks, 20, &chunker).unwrap();
    assert_eq!(planned, [inserted(8, &[0]), removed(9)]);
}

#[test]
fn needed_bytes_are_those_around_the_edit() {
    let range = |edit: ByteEdit, total| {
        let needed = needed(&[edit], total).unwrap();
        assert!(needed.len() < 2, "{needed:?}");
        needed.into_iter().next()
    };
    assert_eq!(range(insert(5, b"X"), 12), Some(4..6));
    assert_eq!(range(insert(0, b"X"), 12), Some(0..1));
    assert_eq!(range(insert(12, b"X"), 12), Some(11..12));
    assert_eq!(range(insert(0, b"X"), 0), None);
    assert_eq!(range(delete(3, 9), 12), Some(3..9));
    assert_eq!(range(write(3, b"XX"), 12), Some(3..5));
    assert_eq!(range(write(11, b"XX"), 12), Some(11..12));
    assert_eq!(range(write(12, b"XX"), 12), Some(11..12));
    let batch = [insert(0, b"1234"), write(8, b"X"), delete(13, 14)];
    assert_eq!(needed(&batch, 12), Ok(vec![0..1, 4..5, 9..10]));
}

#[test]
fn impossible_edits_are_refused() {
    let outside = |offset, total| EditError::OffsetOutOfRange { offset, total };
    let reversed = EditError::RangeReversed { start: 7, end: 5 };
    let too_long = EditError::FileTooLong;
    for (edits, total, error) in [
        (vec![write(13, b"X")], 12, outside(13, 12)),
        (vec![insert(13, b"X")], 12, outside(13, 12)),
        (vec![insert(u64::MAX, b"X")], 12, outside(u64::MAX, 12)),
        (vec![write(u64::MAX, b"XX")], 12, outside(u64::MAX, 12)),
        (vec![delete(3, 13)], 12, outside(13, 12)),
        (vec![delete(13, 14)], 12, outside(13, 12)),
        (vec![delete(0, 5), insert(8, b"X")], 12, outside(8, 7)),
        (vec![write(0, b"")], 12, EditError::EmptyEdit),
        (vec![insert(0, b"")], 12, EditError::EmptyEdit),
        (vec![delete(5, 5)], 12, EditError::EmptyEdit),
        (vec![delete(7, 5)], 12, reversed),
        (vec![], MAX_FILE_BYTES + 1, too_long),
        (vec![insert(5, b"X")], MAX_FILE_BYTES, too_long),
    ] {
        assert_eq!(needed(&edits, total), Err(error));
        let planned = plan(&edits, &[], total, &Chunker::default());
        assert_eq!(planned, Err(error));
    }
    assert!(needed(&[insert(5, b"X")], MAX_FILE_BYTES - 1).is_ok());
}

#[test]
fn missing_and_false_blocks_are_refused() {
    let blocks = [b"abcd".to_vec(), b"efgh".to_vec(), b"ijkl".to_vec()];
    let known = known(&blocks);
    let chunker = Chunker::fixed(4).unwrap();
    let refused =
        |edit: ByteEdit, known: &[KnownBlock]| plan(&[edit], known, 12, &chunker).unwrap_err();
    let unknown = |index| EditError::BlockUnknown { index };
    assert_eq!(refused(insert(6, b"X"), &[]), unknown(6));
    assert_eq!(refused(insert(6, b"X"), &known[..1]), unknown(6));
    assert_eq!(refused(delete(2, 10), &known[..1]), unknown(10));
    let outer = [known[0].clone(), known[2].clone()];
    assert_eq!(refused(delete(2, 10), &outer), unknown(4));
    assert_eq!(refused(delete(0, 12), &outer), unknown(4));
    // Either neighbour proves the boundary.
    assert!(plan(&[insert(4, b"X")], &known[..1], 12, &chunker).is_ok());
    assert!(plan(&[insert(4, b"X")], &known[1..2], 12, &chunker).is_ok());

    let block = |start, bytes: &[u8]| KnownBlock {
        start,
        bytes: bytes.to_vec(),
    };
    let overlap = EditError::BlocksOverlap { start: 3 };
    let outside = |start| EditError::BlockOutsideFile { start, total: 12 };
    for (blocks, error) in [
        (vec![block(3, b"")], EditError::EmptyBlock { start: 3 }),
        (vec![block(0, b"abcd"), block(3, b"d")], overlap),
        (vec![block(10, b"abc")], outside(10)),
        (vec![block(u64::MAX, b"abc")], outside(u64::MAX)),
    ] {
        assert_eq!(refused(insert(0, b"X"), &blocks), error);
    }
}
