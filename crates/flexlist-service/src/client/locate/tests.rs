//! Tests that the search covers all damage, and that its ranges end at sound blocks.

use super::*;
use crate::client::{AuditFault, ClientError};

/// A file of blocks with these lengths. The blocks in `damaged` are damaged.
struct Server {
    lengths: Vec<u64>,
    damaged: Vec<usize>,
}

impl Server {
    const fn new(lengths: Vec<u64>, damaged: Vec<usize>) -> Self {
        Self { lengths, damaged }
    }

    fn blocks(&self) -> Vec<Range<u64>> {
        let mut start = 0;
        let block = |length: &u64| {
            let block = start..start + length;
            start = block.end;
            block
        };
        self.lengths.iter().map(block).collect()
    }

    fn answer(&self, range: &Range<u64>) -> Result<Vec<Range<u64>>, AuditQueryError> {
        let blocks = self.blocks().into_iter().enumerate();
        let asked: Vec<_> = blocks
            .filter(|(_, block)| block.start < range.end && block.end > range.start)
            .collect();
        if asked
            .iter()
            .any(|(number, _)| self.damaged.contains(number))
        {
            return Err(AuditQueryError::Fault(AuditFault::Unexpected));
        }
        Ok(asked.into_iter().map(|(_, block)| block).collect())
    }

    /// Returns the damaged bytes, with adjacent ranges joined.
    fn expected(&self) -> Vec<Range<u64>> {
        let mut joined: Vec<Range<u64>> = Vec::new();
        for (number, block) in self.blocks().iter().enumerate() {
            if self.damaged.contains(&number) {
                match joined.last_mut() {
                    Some(last) if last.end == block.start => last.end = block.end,
                    _ => joined.push(block.clone()),
                }
            }
        }
        joined
    }
}

/// Whether one of these ranges includes `range`.
fn covers(found: &[Range<u64>], range: &Range<u64>) -> bool {
    let includes = |found: &Range<u64>| found.start <= range.start && found.end >= range.end;
    found.iter().any(includes)
}

#[test]
fn every_pattern_of_damage_is_bounded_exactly_where_sound_blocks_are_between() {
    let lengths = vec![5, 1, 8, 3, 2, 13, 1, 4];
    let total = lengths.iter().sum();
    for pattern in 1_u32..256 {
        let damaged = (0..8).filter(|bit| pattern >> bit & 1 == 1).collect();
        let server = Server::new(lengths.clone(), damaged);
        // The whole file in one request, and in ranges whose bounds lie inside blocks.
        for width in [total, 7, 10] {
            let mut search = Search::new(Duration::MAX, |range| server.answer(&range));
            let mut start = 0;
            while start < total {
                let end = (start + width).min(total);
                if server.answer(&(start..end)).is_err() {
                    search.within(start..end);
                }
                start = end;
            }
            let found = search.damaged();
            for range in server.expected() {
                assert!(
                    covers(&found, &range),
                    "{pattern:#b} {width}: {range:?} is missing in {found:?}"
                );
            }
            let ends: Vec<u64> = server.expected().iter().map(|range| range.end).collect();
            let starts: Vec<u64> = server.expected().iter().map(|range| range.start).collect();
            for range in &found {
                assert!(
                    starts.contains(&range.start),
                    "{pattern:#b} {width} {found:?}"
                );
                assert!(ends.contains(&range.end), "{pattern:#b} {width} {found:?}");
            }
        }
    }
}

#[test]
fn single_damaged_blocks_are_found_exactly_and_quickly() {
    let lengths: Vec<u64> = (0..1000).map(|number| 1 + number * 37 % 4096).collect();
    let total = lengths.iter().sum();
    for damaged in [0, 1, 499, 998, 999] {
        let server = Server::new(lengths.clone(), vec![damaged]);
        let mut search = Search::new(Duration::MAX, |range| server.answer(&range));
        search.within(0..total);
        assert!(search.questions < 80, "{} questions", search.questions);
        assert_eq!(search.damaged(), server.expected());
    }
}

#[test]
fn sampled_bytes_lead_to_their_blocks() {
    let server = Server::new(vec![10, 20, 30, 40], vec![1, 3]);
    let mut search = Search::new(Duration::MAX, |range| server.answer(&range));
    for index in [5, 12, 25, 31, 99] {
        search.around(index, 0..100);
    }
    assert_eq!(search.damaged(), [10..30, 60..100]);
}

#[test]
fn a_search_ends_though_everything_is_damaged() {
    let server = Server::new(vec![1 << 20; 64], (0..64).collect());
    let mut search = Search::new(Duration::MAX, |range| server.answer(&range));
    search.within(0..1 << 26);
    assert_eq!(search.damaged(), vec![0..1 << 26]);
}

/// Searches ranges of 100 bytes, with no answer to requests after the first `after`. Returns the
/// number of requests, the ranges found and the end of the search.
fn broken_off(after: u32) -> (u32, Vec<Range<u64>>, SearchEnd) {
    let server = Server::new(vec![10; 100], vec![2, 3, 40, 75]);
    let mut asked = 0;
    let mut search = Search::new(Duration::MAX, |range| {
        asked += 1;
        if asked > after {
            return Err(AuditQueryError::Client(ClientError::Unexpected));
        }
        server.answer(&range)
    });
    for start in (0..1000).step_by(100) {
        search.within(start..start + 100);
    }
    let end = search.end();
    let damaged = search.damaged();
    (asked, damaged, end)
}

#[test]
fn a_search_that_gets_no_answer_ends_and_keeps_what_it_has_found() {
    let (questions, damaged, end) = broken_off(u32::MAX);
    assert_eq!(end, SearchEnd::Complete);
    assert_eq!(damaged, [20..40, 400..410, 750..760]);
    for after in 0..questions {
        let (asked, found, end) = broken_off(after);
        assert_eq!(end, SearchEnd::GivenUp);
        // No further request.
        assert_eq!(asked, after + 1);
        // Every damaged range is included in the result.
        for range in &damaged {
            assert!(covers(&found, range), "{after}: {found:?}");
        }
        assert_eq!(found.last().unwrap().end, 1000, "{after}: {found:?}");
    }
}

#[test]
fn damage_that_touches_is_one_range_while_the_search_goes_on() {
    let server = Server::new(vec![1; 3000], (0..3000).collect());
    let mut search = Search::new(Duration::MAX, |range| server.answer(&range));
    for start in 0..3000 {
        search.within(start..start + 1);
        assert_eq!(search.damaged, vec![0..start + 1]);
    }
    // Far above the maximum number of requests: the last ones were not made.
    assert_eq!(search.questions, MOST_QUESTIONS);
    assert_eq!(search.end(), SearchEnd::GivenUp);
}

#[test]
fn a_block_that_is_too_large_to_prove_is_damaged() {
    let server = Server::new(vec![10; 10], vec![]);
    let mut search = Search::new(Duration::MAX, |range: Range<u64>| {
        if range.start < 60 && range.end > 50 {
            return Err(AuditQueryError::TooLarge("a test".into()));
        }
        server.answer(&range)
    });
    search.within(0..100);
    assert_eq!(search.damaged(), vec![50..60]);
}
