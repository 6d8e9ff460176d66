//! Shape of the curves in figure 3, computed from the result lines of insertions. It shows how
//! closely our curves match those of the paper.

use crate::line::{Line, of};

const AD_HASH: &str = "ad-hash-1600";
const MERKLE: &str = "merkle";
const SMALLEST: u64 = 512;
const PAPERS: u64 = 16 << 10;
const LARGEST: u64 = 64 << 10;

/// Lists the block sizes of `strategy` in bytes, each with the figure `key` of an insertion, such
/// as its time.
fn times(lines: &[Line], strategy: &str, key: &str) -> Vec<(u64, f64)> {
    of(lines, "directory_inserts")
        .into_iter()
        .filter(|line| line.text("strategy") == strategy)
        .filter_map(|line| Some((line.count("block_bytes"), line.number(key)?)))
        .collect()
}

fn time(lines: &[Line], strategy: &str, block_bytes: u64) -> Option<f64> {
    let times = times(lines, strategy, "update_us");
    let of_size = times.iter().find(|(bytes, _)| *bytes == block_bytes)?;
    Some(of_size.1)
}

/// Returns the time of an `AdHASH` insertion with blocks of 512 bytes, divided by the time with
/// blocks of 16 KiB.
pub(super) fn falls_at_first(lines: &[Line]) -> Option<f64> {
    Some(time(lines, AD_HASH, SMALLEST)? / time(lines, AD_HASH, PAPERS)?)
}

/// Returns the share of the time of an `AdHASH` insertion that blocks of 64 KiB save over blocks of
/// 16 KiB. They save time because there are fewer levels.
pub(super) fn falls_then(lines: &[Line]) -> Option<f64> {
    Some(1.0 - time(lines, AD_HASH, LARGEST)? / time(lines, AD_HASH, PAPERS)?)
}

/// Returns the ratio of an `AdHASH` insertion's time to its lower bound, the time of its elements
/// and sums. Over all block sizes, takes the ratio farthest from 1.
pub(super) fn elements(lines: &[Line]) -> Option<f64> {
    let ratios = times(lines, AD_HASH, "update_ratio").into_iter();
    ratios
        .map(|(_, ratio)| ratio)
        .max_by(|one, other| (one - 1.0).abs().total_cmp(&(other - 1.0).abs()))
}

/// Returns the time of an insertion with the scanning baseline, divided by the time with `AdHASH`,
/// for blocks of 64 KiB.
pub(super) fn scanning(lines: &[Line]) -> Option<f64> {
    Some(time(lines, "sha-384-scanning", LARGEST)? / time(lines, AD_HASH, LARGEST)?)
}

/// Returns the longest time of an insertion with the strategy `merkle` over all block sizes,
/// divided by the shortest one.
pub(super) fn path_spread(lines: &[Line]) -> Option<f64> {
    let times = times(lines, MERKLE, "update_us").into_iter();
    let times: Vec<f64> = times.map(|(_, time)| time).collect();
    let least = times.iter().copied().min_by(f64::total_cmp)?;
    Some(times.iter().copied().max_by(f64::total_cmp)? / least)
}

/// Returns the time of an `AdHASH` insertion divided by the time with the strategy `merkle`. Over
/// all block sizes, takes the smallest ratio.
pub(super) fn path_below(lines: &[Line]) -> Option<f64> {
    let below = |(bytes, path)| Some(time(lines, AD_HASH, bytes)? / path);
    let paths = times(lines, MERKLE, "update_us").into_iter();
    paths.filter_map(below).min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line;

    #[test]
    fn shapes_follow_from_lines() {
        let line = |strategy: &str, bytes: u64, us: f64| {
            line! {
                experiment: "directory_inserts", strategy, block_bytes: bytes, update_us: us,
                update_ratio: us / 10.0,
            }
        };
        let lines = [
            line(AD_HASH, SMALLEST, 50.0),
            line(AD_HASH, PAPERS, 10.0),
            line(AD_HASH, LARGEST, 8.0),
            line("sha-384-scanning", LARGEST, 40.0),
            line(MERKLE, SMALLEST, 0.5),
            line(MERKLE, LARGEST, 0.4),
        ];
        assert_eq!(falls_at_first(&lines), Some(5.0));
        assert_eq!(falls_then(&lines), Some(1.0 - 0.8));
        assert_eq!(elements(&lines), Some(5.0));
        assert_eq!(scanning(&lines), Some(5.0));
        assert_eq!(path_spread(&lines), Some(1.25));
        assert_eq!(path_below(&lines), Some(20.0));
        assert_eq!(falls_at_first(&lines[1..]), None);
    }
}
