//! Splits work among threads.
//!
//! The parallel loops of the curve library are switched off: they would be compiled again for each
//! crate that calls them.

use alloc::vec::Vec;
use core::ops::Range;

use pad_core::Workers;

/// Splits the positions `0..count` into at most `threads` ranges of equal length, which is at least
/// `least`. The last range may be shorter. If `count` is 0, returns one empty range.
pub fn ranges(count: usize, threads: usize, least: usize) -> Vec<Range<usize>> {
    let length = count.div_ceil(threads.max(1)).max(least).max(1);
    let starts = (0..count.max(1)).step_by(length);
    starts
        .map(|start| start..start.saturating_add(length).min(count))
        .collect()
}

/// Maps pieces of `items` to lists, in parallel if `workers` has several threads, and joins the
/// lists in order.
pub fn map_pieces<T: Sync, R: Clone + Send>(
    items: &[T],
    workers: &Workers,
    map: impl Fn(&[T]) -> Vec<R> + Sync + Send,
) -> Vec<R> {
    if workers.threads() == 1 {
        return map(items);
    }
    let pieces = ranges(items.len(), workers.threads(), 1).into_iter();
    let pieces: Vec<&[T]> = pieces.filter_map(|range| items.get(range)).collect();
    workers.map(&pieces, |piece| map(piece)).concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_each_position_once() {
        for (count, threads, least) in [(0, 2, 1), (1, 4, 1), (10, 3, 1), (10, 3, 8), (7, 0, 0)] {
            let ranges = ranges(count, threads, least);
            assert!(ranges.len() <= threads.max(1));
            let covered: Vec<usize> = ranges.into_iter().flatten().collect();
            assert_eq!(covered, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn pieces_are_joined_in_order() {
        let numbers: Vec<u32> = (0..100).collect();
        for workers in [Workers::sequential(), Workers::all_cores()] {
            let doubled = map_pieces(&numbers, &workers, |piece| {
                piece.iter().map(|number| 2 * number).collect()
            });
            let expected: Vec<u32> = (0..200).step_by(2).collect();
            assert_eq!(doubled, expected);
        }
    }
}
