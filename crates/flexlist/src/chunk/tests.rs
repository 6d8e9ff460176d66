//! Reassembly of blocks, from slices and from streams.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;
use crate::edit::model::noise;

fn chunker() -> impl Strategy<Value = Chunker> {
    prop_oneof![
        (1_usize..3_000).prop_map(|size| Chunker::fixed(size).unwrap()),
        (32_usize..128, 0_usize..500, 0_usize..1_000).prop_map(|(minimum, more, most)| {
            let average = 256.max(2 * minimum) + 2 * more;
            let maximum = 1_024.max(average) + 2 * most;
            Chunker::content_defined(2 * minimum, average, maximum).unwrap()
        }),
    ]
}

/// A source that yields at most `step` bytes per read, with interruptions and errors.
struct ShortReader {
    bytes: VecDeque<u8>,
    step: usize,
    calls: usize,
    fails_at: Option<usize>,
}

impl Read for ShortReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls.is_multiple_of(3) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.fails_at == Some(self.calls) {
            return Err(io::Error::new(io::ErrorKind::ConnectionReset, "the cable"));
        }
        let count = self.step.min(buffer.len());
        self.bytes.read(&mut buffer[..count])
    }
}

proptest! {
    #[test]
    fn blocks_are_the_bytes_and_keep_the_bounds(
        chunker in chunker(),
        seed: u64,
        length in 0_usize..40_000,
        zeros in 0_usize..10_000,
    ) {
        let mut bytes = noise(seed, length);
        bytes.extend(vec![0; zeros]);
        let blocks: Vec<&[u8]> = chunker.split(&bytes).collect();
        prop_assert!(blocks.concat() == bytes);
        prop_assert!(blocks.iter().all(|block| (1..=chunker.longest()).contains(&block.len())));
        if let (Sizes::ContentDefined { minimum, .. }, Some((_, front))) =
            (chunker.0, blocks.split_last())
        {
            prop_assert!(front.iter().all(|block| block.len() >= minimum));
        }
    }

    #[test]
    fn streams_give_the_blocks_of_slices(
        chunker in chunker(),
        seed: u64,
        length in 0_usize..40_000,
        step in 1_usize..5_000,
        fails_at in prop::option::of(1_usize..20),
    ) {
        let bytes = noise(seed, length);
        let mut source = ShortReader { bytes: bytes.clone().into(), step, calls: 0, fails_at };
        let mut blocks = Vec::new();
        let mut stream = chunker.blocks(&mut source);
        let mut failures = 0;
        for block in &mut stream {
            match block {
                Ok(block) => blocks.push(block),
                Err(error) => {
                    prop_assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
                    prop_assert_eq!(error.to_string(), "the cable");
                    failures += 1;
                }
            }
        }
        prop_assert!(stream.buffer.capacity() <= 2 * BLOCKS_READ * chunker.longest() + 64);
        prop_assert!(failures <= 1);
        let expected: Vec<Vec<u8>> = chunker.split(&bytes).map(<[u8]>::to_vec).collect();
        prop_assert_eq!(blocks, expected);
    }
}

#[test]
fn the_default_cuts_near_its_average() {
    let bytes = noise(5, 8 << 20);
    let count = Chunker::default().split(&bytes).count();
    let average = bytes.len() / count;
    assert!((12 << 10..24 << 10).contains(&average), "{average}");
}

#[test]
fn an_insertion_moves_few_cuts() {
    let before = noise(6, 4 << 20);
    let mut after = before.clone();
    after.splice(1_000_000..1_000_000, *b"inserted");
    let chunker = Chunker::default();
    let known: std::collections::HashSet<&[u8]> = chunker.split(&before).collect();
    let new = chunker
        .split(&after)
        .filter(|block| !known.contains(block))
        .count();
    assert!((1..6).contains(&new), "{new} of {} blocks", known.len());
}

#[test]
fn impossible_sizes_are_refused() {
    for size in [0, MAX_BLOCK_BYTES + 1, usize::MAX] {
        let refused = Err(ChunkError::SizeOutOfRange { size });
        assert_eq!(Chunker::fixed(size), refused);
    }
    let out_of_range = |maximum| ChunkError::MaximumOutOfRange { maximum };
    let odd = |size| ChunkError::OddSize { size };
    let minimum = ChunkError::MinimumTooSmall { minimum: 62 };
    let average = ChunkError::AverageTooSmall { average: 254 };
    let above = MAX_BLOCK_BYTES + 2;
    for (minimum, average, maximum, error) in [
        (62, 256, 1_024, minimum),
        (64, 254, 1_024, average),
        (64, 256, 1_022, out_of_range(1_022)),
        (64, 256, above, out_of_range(above)),
        (64, 256, usize::MAX, out_of_range(usize::MAX)),
        (65, 256, 1_024, odd(65)),
        (64, 257, 1_024, odd(257)),
        (64, 256, 1_025, odd(1_025)),
        (258, 256, 1_024, ChunkError::Unordered),
        (64, 1_026, 1_024, ChunkError::Unordered),
    ] {
        let refused = Chunker::content_defined(minimum, average, maximum);
        assert_eq!(refused, Err(error));
    }
    assert!(Chunker::content_defined(1 << 20, 1 << 20, 1 << 20).is_ok());
    assert!(Chunker::fixed(MAX_BLOCK_BYTES).is_ok());
}

#[test]
fn decoding_checks_the_sizes() {
    for chunker in [Chunker::default(), Chunker::fixed(2_048).unwrap()] {
        let text = serde_json::to_string(&chunker).unwrap();
        assert_eq!(serde_json::from_str::<Chunker>(&text).unwrap(), chunker);
    }
    let refused = serde_json::from_str::<Chunker>(r#"{"Fixed":{"size":0}}"#).unwrap_err();
    let words = "the block size must be 1 to 1048576 bytes, not 0";
    assert!(refused.to_string().starts_with(words));
}
