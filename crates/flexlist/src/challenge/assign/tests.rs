//! Samples in blocks, and leaves that no honest server sends.

use pad_core::Digest;
use proptest::prelude::*;

use super::*;
use crate::{
    FileId,
    challenge::{Challenge, Context, Questions},
};

fn sample(index: u64, coefficient: u128) -> Sample {
    Sample { index, coefficient }
}

fn leaf(start: u64, length: u64) -> Leaf {
    Leaf { start, length }
}

const fn uncovered(index: u64) -> AssignError {
    AssignError::Uncovered { index }
}

const fn unasked(start: u64) -> AssignError {
    AssignError::Unasked { start }
}

const fn overlap(start: u64) -> AssignError {
    AssignError::LeavesOverlap { start }
}

fn every(start: u64, end: u64) -> BlockQuestions {
    let challenge = Challenge::Every {
        seed: [5; 32],
        start,
        end,
    };
    let context = Context {
        file: FileId([1; 32]),
        version: 1,
        root: Digest([2; 32]),
        total: 100,
    };
    match challenge.questions(&context) {
        Ok(Questions::Blocks(questions)) => questions,
        other => panic!("{other:?}"),
    }
}

#[test]
fn hits_rise_by_index_and_then_keep_the_order_of_the_challenge() {
    let samples = [
        sample(17, 1),
        sample(3, 2),
        sample(12, 3),
        sample(17, 4),
        sample(10, 5),
    ];
    let blocks = assign(&samples, &[leaf(0, 10), leaf(10, 20)]).unwrap();
    let hits = |block: &Challenged| -> Vec<(u64, u128)> {
        block
            .hits
            .iter()
            .map(|hit| (hit.offset, hit.coefficient))
            .collect()
    };
    assert_eq!(blocks.len(), 2);
    assert_eq!((blocks[0].start, blocks[0].length), (0, 10));
    assert_eq!(hits(&blocks[0]), [(3, 2)]);
    assert_eq!((blocks[1].start, blocks[1].length), (10, 20));
    assert_eq!(hits(&blocks[1]), [(0, 5), (2, 3), (7, 1), (7, 4)]);
}

#[test]
fn hostile_leaves_have_their_errors() {
    let samples = [sample(3, 1), sample(12, 2)];
    for (leaves, error) in [
        (&[leaf(0, 0)][..], AssignError::EmptyLeaf { start: 0 }),
        (&[leaf(2, u64::MAX)], AssignError::LeafTooLong { start: 2 }),
        (&[leaf(0, 10), leaf(9, 10)], overlap(9)),
        (&[leaf(4, 10)], uncovered(3)),
        (&[leaf(0, 12)], uncovered(12)),
        (&[leaf(0, 4), leaf(4, 4), leaf(8, 8)], unasked(4)),
        (&[], uncovered(3)),
    ] {
        assert_eq!(assign(&samples, leaves), Err(error));
    }
    assert_eq!(assign(&[], &[]), Ok(Vec::new()));
}

#[test]
fn leaves_cover_the_range_of_a_challenge_exactly() {
    let questions = every(10, 40);
    assert_eq!(questions.range(), 10..40);
    let many = vec![leaf(10, 30); 1 + (1 << 20)];
    let (count, limit) = (many.len(), MAX_COUNT);
    for (leaves, error) in [
        (&[][..], uncovered(10)),
        (&[leaf(11, 40)], uncovered(10)),
        (&[leaf(5, 10), leaf(16, 30)], uncovered(15)),
        (&[leaf(5, 10), leaf(15, 20)], uncovered(35)),
        (&[leaf(0, 10), leaf(10, 30)], unasked(0)),
        (&[leaf(10, 30), leaf(40, 1)], unasked(40)),
        (&[leaf(10, 20), leaf(29, 20)], overlap(29)),
        (&[leaf(10, 0)], AssignError::EmptyLeaf { start: 10 }),
        (
            &[leaf(10, u64::MAX)],
            AssignError::LeafTooLong { start: 10 },
        ),
        (&many, AssignError::TooManyLeaves { count, limit }),
    ] {
        assert_eq!(questions.assign(leaves), Err(error));
    }
    let blocks = questions.assign(&[leaf(9, 2), leaf(11, 29)]).unwrap();
    assert_eq!(blocks.len(), 2);
    assert!(
        blocks
            .iter()
            .all(|block| block.hits.len() == 1 && block.hits[0].offset < block.length)
    );
    assert_ne!(blocks[0].hits[0].coefficient, blocks[1].hits[0].coefficient);
    // Coefficients depend on the number of the leaf, not on its position.
    let others = questions.assign(&[leaf(0, 20), leaf(20, 80)]).unwrap();
    for (block, other) in blocks.iter().zip(&others) {
        assert_eq!(block.hits[0].coefficient, other.hits[0].coefficient);
    }
}

proptest! {
    #[test]
    fn every_sample_lands_once(
        lengths in prop::collection::vec(1_u64..50, 1..40),
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u128>()), 1..80),
    ) {
        let total: u64 = lengths.iter().sum();
        let samples: Vec<Sample> = places
            .iter()
            .map(|(place, coefficient)| {
                let index = place.index(usize::try_from(total).unwrap());
                sample(u64::try_from(index).unwrap(), *coefficient)
            })
            .collect();
        let mut start = 0;
        let mut leaves = Vec::new();
        for length in lengths {
            if samples.iter().any(|sample| (start..start + length).contains(&sample.index)) {
                leaves.push(leaf(start, length));
            }
            start += length;
        }
        let blocks = assign(&samples, &leaves).unwrap();
        let mut landed: Vec<(u64, u128)> = Vec::new();
        for block in &blocks {
            for hit in &block.hits {
                prop_assert!(hit.offset < block.length);
                landed.push((block.start + hit.offset, hit.coefficient));
            }
        }
        let mut expected: Vec<(u64, u128)> =
            samples.iter().map(|sample| (sample.index, sample.coefficient)).collect();
        expected.sort_by_key(|(index, _)| *index);
        prop_assert_eq!(landed, expected);
    }

    #[test]
    fn any_leaves_end_in_an_answer(
        starts in prop::collection::vec((any::<u64>(), any::<u64>()), 0..8),
        indices in prop::collection::vec(any::<u64>(), 0..8),
    ) {
        let leaves: Vec<Leaf> =
            starts.iter().map(|(start, length)| leaf(*start, *length)).collect();
        let samples: Vec<Sample> = indices.iter().map(|index| sample(*index, 1)).collect();
        if let Ok(blocks) = assign(&samples, &leaves) {
            let hits: usize = blocks.iter().map(|block| block.hits.len()).sum();
            prop_assert_eq!(hits, samples.len());
        }
        if let Ok(blocks) = every(10, 40).assign(&leaves) {
            prop_assert_eq!(blocks.len(), leaves.len());
        }
    }
}
