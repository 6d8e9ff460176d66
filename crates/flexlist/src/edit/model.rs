//! Reference model for tests of edits. A file is a byte string, or a sequence of byte strings that
//! are its blocks.

use proptest::prelude::*;

use super::{BlockEdit, ByteEdit, length};
use crate::chunk::Chunker;

/// Pseudorandom bytes (xorshift generator). The content-defined chunker finds its boundaries only
/// in such data.
pub(crate) fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed | 1;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_be_bytes()[0]
        })
        .collect()
}

pub(crate) fn chunkers() -> impl Strategy<Value = Chunker> {
    prop_oneof![
        (1_usize..200).prop_map(|size| Chunker::fixed(size).unwrap()),
        Just(Chunker::content_defined(64, 256, 1_024).unwrap()),
        Just(Chunker::content_defined(200, 400, 1_024).unwrap()),
    ]
}

/// Generates files as lists of blocks, cut at arbitrary positions; sometimes with equal blocks.
pub(crate) fn files() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let block = prop_oneof![
        4 => (any::<u64>(), 1_usize..300).prop_map(|(seed, length)| noise(seed, length)),
        1 => (1_usize..4).prop_map(|length| vec![0; length]),
    ];
    prop::collection::vec(block, 0..12)
}

/// A random edit, generated before the length of the file is known.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    kind: u8,
    places: [prop::sample::Index; 2],
    bytes: Vec<u8>,
}

pub(crate) fn drafts() -> impl Strategy<Value = Draft> {
    let length = prop_oneof![3 => 1_usize..6, 2 => 1_usize..400, 1 => 1_000_usize..3_000];
    let bytes = (any::<u64>(), length, any::<bool>()).prop_map(|(seed, length, zeros)| {
        if zeros {
            vec![0; length]
        } else {
            noise(seed, length)
        }
    });
    (0_u8..5, any::<[prop::sample::Index; 2]>(), bytes).prop_map(|(kind, places, bytes)| Draft {
        kind,
        places,
        bytes,
    })
}

impl Draft {
    /// Converts the draft to an edit of a file of `total` bytes; returns `None` if it would delete
    /// no byte.
    pub(crate) fn fit(&self, total: usize) -> Option<ByteEdit> {
        let [first, second] = self.places.map(|place| place.index(total + 1));
        let index = |place: usize| u64::try_from(place).unwrap();
        let delete = |start, end| {
            (start < end).then(|| ByteEdit::Delete {
                start: index(start),
                end: index(end),
            })
        };
        match self.kind {
            0 => Some(ByteEdit::Write {
                offset: index(first),
                bytes: self.bytes.clone(),
            }),
            1 => Some(ByteEdit::Insert {
                offset: index(first),
                bytes: self.bytes.clone(),
            }),
            2 => Some(ByteEdit::Insert {
                offset: index(total),
                bytes: self.bytes.clone(),
            }),
            // A few bytes, or any range.
            3 => delete(first, total.min(first + self.bytes.len())),
            _ => delete(first.min(second), first.max(second)),
        }
    }
}

pub(crate) fn apply_to_bytes(file: &mut Vec<u8>, edit: &ByteEdit) {
    let place = |index: u64| usize::try_from(index).unwrap();
    match edit {
        ByteEdit::Write { offset, bytes } => {
            let start = place(*offset);
            let end = file.len().min(start + bytes.len());
            file.splice(start..end, bytes.iter().copied());
        }
        ByteEdit::Insert { offset, bytes } => {
            let start = place(*offset);
            file.splice(start..start, bytes.iter().copied());
        }
        ByteEdit::Delete { start, end } => {
            file.drain(place(*start)..place(*end));
        }
    }
}

/// Returns the blocks of a file after the operations. Panics unless the index of every operation is
/// the start of a block, or the end of the file for an insertion.
pub(crate) fn apply_to_blocks(blocks: &[Vec<u8>], operations: &[BlockEdit]) -> Vec<Vec<u8>> {
    let mut blocks: Vec<Vec<u8>> = blocks.to_vec();
    for operation in operations {
        let (BlockEdit::Insert { index, .. }
        | BlockEdit::Modify { index, .. }
        | BlockEdit::Remove { index }) = operation;
        let mut start = 0;
        let number = blocks
            .iter()
            .position(|block| {
                let found = start == *index;
                start += length(block);
                found
            })
            .unwrap_or(blocks.len());
        assert!(number < blocks.len() || start == *index, "on a boundary");
        match operation {
            BlockEdit::Insert { block, .. } => blocks.insert(number, block.clone()),
            BlockEdit::Modify { block, .. } => {
                assert_ne!(&blocks[number], block, "something changes");
                blocks[number].clone_from(block);
            }
            BlockEdit::Remove { .. } => {
                blocks.remove(number);
            }
        }
    }
    blocks
}
