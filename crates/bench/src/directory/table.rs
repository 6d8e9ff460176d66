//! Tables for the result lines of `bench directory`.

use serde_json::Value;

use super::durable::ours_and_redb;
use crate::{goals, line, paper::PUBLISHED, prelude::*};

/// Makes a table for each experiment of `bench directory`, and the tables of primitives and goals.
pub fn report(lines: &[Line]) -> Tables {
    let mut tables = shown("directory", derived, lines);
    primitives(&mut tables, lines);
    goals::table(
        &goals::GOALS["directories"],
        GOALS,
        computed,
        lines,
        &mut tables,
    );
    tables.signed(lines)
}

/// Counts the exact block reads of known traces from which `lines` differ; `None` if a line is
/// missing.
fn differing_reads(lines: &[Line]) -> Option<f64> {
    let mut differing = 0.0;
    for row in PUBLISHED.iter() {
        if let Some(reads) = row.figures.number("known_reads") {
            let line = lines.iter().find(|line| line.says(&row.conditions))?;
            differing += f64::from(u8::from(line.number("reads") != Some(reads)));
        }
    }
    Some(differing)
}

/// Note above the table of goals.
const GOALS: &str = "Times in microseconds. Limit: the time of only the primitives, in this run. \
    Ratio: the figure divided by its limit.";

/// Computes a figure of a goal that is not in a single result line.
fn computed(name: &str, lines: &[Line]) -> Option<f64> {
    let to_redb = |key| ours_and_redb(lines, key).map(|[ours, redb]| ours / redb);
    match name {
        "differing-reads" => differing_reads(lines),
        "durable-to-redb" => to_redb("update_us"),
        "durable-per-second" => ours_and_redb(lines, "update_us").map(|[ours, _]| 1e6 / ours),
        "durable-bytes-to-redb" => to_redb("written_bytes_per_update"),
        _ => shape(name, lines),
    }
}

/// Derives figures of a result line that tables and plots show in addition.
pub(crate) fn derived(all: &[Line], line: &Line) -> Line {
    let operation = match line.text("experiment") {
        "directory_inserts" => {
            // Figure 3 has sums and pairs, figure 4 sums and products.
            let strategy = line.text("strategy");
            let is_product = strategy.starts_with("mu-hash");
            return line! { in_3: !is_product, in_4: is_product || strategy == "ad-hash-1600" };
        }
        "directory_hints" => {
            let hinted = if line.says(&[("hints", "true")]) {
                "with"
            } else {
                "without"
            };
            // The axis is logarithmic, so fewer than 0.01 reads are drawn as 0.01.
            let drawn = line.number("reads_per_lookup").map(|reads| reads.max(0.01));
            return line! { hinted, drawn }.merged(&with_hints(all, line));
        }
        "directory_opened" => {
            let counted = of(all, "directory_opened_bytes");
            let same = counted
                .iter()
                .find(|other| other.agrees(line, &["strategy"]));
            return line! { counted: same.and_then(|line| line.number("proof_bytes")) };
        }
        "directory_update" => "one random entry",
        "directory_update_hot" => "one of 128 entries",
        "directory_batch" => "10 000 random entries at once, each",
        "directory_append" => "appending at once, each",
        "directory_durable" => "10 000 random entries at once, durable, each",
        "directory_load" => "loading on disk, each",
        "directory_reopen" => "reopening after a crash, each logged update; limit: applying it",
        _ => return Line::default(),
    };
    line! { operation }
}

/// Derives, for a trace without hints, the figures of the same trace with hints.
fn with_hints(lines: &[Line], line: &Line) -> Line {
    let same = "entries update_percent capacity seed operations".split(' ');
    let same: Vec<&str> = same.collect();
    let mut with = lines.iter().filter(|it| it.says(&[("hints", "true")]));
    let with = with.find(|other| other.agrees(line, &same));
    let of = |key: &str| with?.number(key);
    let reads = of("reads_per_lookup");
    let fewer = reads.filter(|reads| *reads > 0.0);
    let times = fewer.zip(line.number("reads_per_lookup"));
    let with = Line::default()
        .and("reads", reads)
        .and("times", times.map(|(with, without)| without / with))
        .and("hits", of("hint_hit_rate"))
        .and("bytes_read", of("read_bytes_per_lookup"))
        .and("bytes_sent", of("proof_bytes"));
    Line::default().and("with", with)
}

fn primitives(tables: &mut Tables, lines: &[Line]) {
    let mut primitives = lines.iter().filter_map(|line| line.get("primitives"));
    if let Some(primitives) = primitives.find_map(Value::as_object) {
        tables.heading("Primitives", "");
        let time = |value: &Value| value.as_f64().map_or_else(String::new, digits);
        let rows = primitives
            .iter()
            .map(|(name, value)| vec![name.clone(), time(value)]);
        tables.rows(&["primitive", ""], &[], rows.collect());
    }
}

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

/// Returns a figure about the shape of the curves in figure 3, which shows how closely they match
/// those of the paper. `None` if lines are missing, or for another name.
///
/// - `falls-at-first`: `AdHASH` with blocks of 512 bytes, divided by 16 KiB.
/// - `falls-then`: share of the time of `AdHASH` that blocks of 64 KiB save over 16 KiB. They save
///   time because there are fewer levels.
/// - `elements`: ratio of `AdHASH` to its lower bound, the time of its elements and sums. Over all
///   block sizes, the ratio farthest from 1.
/// - `scanning`: the scanning baseline divided by `AdHASH`, blocks of 64 KiB.
/// - `path-spread`: the longest time of `merkle` over all block sizes, divided by the shortest one.
/// - `path-below`: `AdHASH` divided by `merkle`. Over all block sizes, the smallest ratio.
pub fn shape(name: &str, lines: &[Line]) -> Option<f64> {
    let sums = |block_bytes| time(lines, "ad-hash-1600", block_bytes);
    let paths = || times(lines, "merkle", "update_us").into_iter();
    match name {
        "falls-at-first" => Some(sums(512)? / sums(16 << 10)?),
        "falls-then" => Some(1.0 - sums(64 << 10)? / sums(16 << 10)?),
        "elements" => {
            let ratios = times(lines, "ad-hash-1600", "update_ratio").into_iter();
            let distance = |ratio: &f64| (ratio - 1.0).abs();
            let ratios = ratios.map(|(_, ratio)| ratio);
            ratios.max_by(|one, other| distance(one).total_cmp(&distance(other)))
        }
        "scanning" => Some(time(lines, "sha-384-scanning", 64 << 10)? / sums(64 << 10)?),
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
