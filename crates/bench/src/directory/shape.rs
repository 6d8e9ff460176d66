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

/// Returns a figure about the shape of the curves; `None` if lines are missing, or for another
/// name.
///
/// - `falls-at-first`: `AdHASH` with blocks of 512 bytes, divided by 16 KiB.
/// - `falls-then`: share of the time of `AdHASH` that blocks of 64 KiB save over 16 KiB. They save
///   time because there are fewer levels.
/// - `elements`: ratio of `AdHASH` to its lower bound, the time of its elements and sums. Over all
///   block sizes, the ratio farthest from 1.
/// - `scanning`: the scanning baseline divided by `AdHASH`, blocks of 64 KiB.
/// - `path-spread`: the longest time of `merkle` over all block sizes, divided by the shortest one.
/// - `path-below`: `AdHASH` divided by `merkle`. Over all block sizes, the smallest ratio.
pub fn figure(name: &str, lines: &[Line]) -> Option<f64> {
    let sums = |block_bytes| time(lines, AD_HASH, block_bytes);
    let paths = || times(lines, MERKLE, "update_us").into_iter();
    match name {
        "falls-at-first" => Some(sums(SMALLEST)? / sums(PAPERS)?),
        "falls-then" => Some(1.0 - sums(LARGEST)? / sums(PAPERS)?),
        "elements" => {
            let ratios = times(lines, AD_HASH, "update_ratio").into_iter();
            let distance = |ratio: &f64| (ratio - 1.0).abs();
            let ratios = ratios.map(|(_, ratio)| ratio);
            ratios.max_by(|one, other| distance(one).total_cmp(&distance(other)))
        }
        "scanning" => Some(time(lines, "sha-384-scanning", LARGEST)? / sums(LARGEST)?),
        "path-spread" => {
            let least = paths().map(|(_, us)| us).min_by(f64::total_cmp)?;
            Some(paths().map(|(_, us)| us).max_by(f64::total_cmp)? / least)
        }
        "path-below" => {
            let below = |(bytes, path)| Some(sums(bytes)? / path);
            paths().filter_map(below).min_by(f64::total_cmp)
        }
        _ => None,
    }
}
