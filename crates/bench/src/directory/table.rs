//! Tables for the result lines of `bench directory`.

use serde_json::Value;

use super::durable::ours_and_redb;
use crate::{goals, line, paper::PUBLISHED, prelude::*};

/// Makes a table for each experiment of `bench directory`, and the tables of primitives and goals.
pub fn report(lines: &[Line]) -> Tables {
    let mut tables = shown(&TABLES, lines);
    primitives(&mut tables, lines);
    goals::table(("directories", GOALS), computed, lines, &mut tables);
    tables.signed(lines)
}

/// Note with the paper's text about figure 3.
const FIGURE_3: &str = "Paper: AdHASH takes a fifth of the pairwise baseline's time for \
    cryptography, and half of its total time. The baseline rises linearly with the size of blocks. \
    Here the scanning baselines read a whole block for each insertion; merkle and sha-384-path \
    store the tree of a block and hash only one path.";

/// Note with the paper's text about figure 4.
const FIGURE_4: &str = "Paper: MuHASH of 1 024 bits takes a hundred times as long as AdHASH.";

/// Note with the paper's text about figure 5.
const FIGURE_5: &str = "Paper: hints reduce the time of a look-up to a sixth, on a \
    trace that is not available. Model: the same synthetic trace, counted by another program.";

/// Note about the alternatives to directories, with figures that others published.
const OTHERS: &str = "redb is a plain map from id to digest without authentication, in \
    durable batches of 10 000. red-black is the tree of this workspace, in memory, in versions of \
    10 000 updates. Both accept any keys; a directory assigns its ids. Cited, not measured here, \
    on machines of this kind under load: jmt 54 000 and firewood 74 000 proofs a second at 10^5 \
    keys; nomt 77 000 reads a second and thread, 15 600 durable random updates a second in \
    batches of 50 000, proofs of 712 bytes at 2 x 10^6 keys; RocksDB 3.1 us for a random durable \
    write and 4 to 7 us for a read, redb 9.9 and 1.3, at 10^6 records of 116 bytes.";

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

#[rustfmt::skip]
const INSERTS: &[ColumnSpec] = &[
    ("strategy", "strategy"), ("block bytes", "block_bytes"), ("slots", "capacity"),
    ("levels", "mean_levels"), ("crypto us", "update_us"), ("limit us", "update_limit_us"),
    ("ratio", "update_ratio"), ("total us", "total_us"),
    ("written bytes", "written_bytes_per_update"),
];

#[rustfmt::skip]
const TABLES: [TableSpec; 9] = [
    TableSpec::new("directory_inserts", "Figure 3: insertions one by one", INSERTS)
        .noted(FIGURE_3).filtered(|line| is_in("3", line)),
    TableSpec::new("directory_inserts", "Figure 4: sums and products", INSERTS)
        .noted(FIGURE_4).filtered(|line| is_in("4", line)),
    TableSpec::new("directory_hints", "Figure 5: block reads for each look-up of a trace", &[
        ("entries", "entries"), ("update %", "update_percent"), ("slots", "capacity"),
        ("frames", "frames"), ("reads", "reads_per_lookup"), ("with hints", "with.reads"),
        ("times", "with.times"), ("model", "paper.reads"), ("with hints", "paper.reads_with_hints"),
        ("hits", "with.hits"), ("bytes read", "read_bytes_per_lookup"),
        ("with hints", "with.bytes_read"), ("bytes sent", "proof_bytes"),
        ("with hints", "with.bytes_sent"),
    ]).noted(FIGURE_5).only(&[("hints", "false")]).deriving(with_hints),
    TableSpec::new(UPDATES, "Updates", &[
        ("operation", "operation"), ("entries", "entries"), ("us", "update_us"),
        ("limit us", "update_limit_us"), ("ratio", "update_ratio"),
        ("written bytes", "written_bytes_per_update"), ("memory MB", "memory_bytes/1e6"),
    ]).noted("In memory, the time ends when the head is ready to be signed. A single update is a \
        version of its own: root and head.")
        .deriving(|_, line| line! { operation: operation(line.text("experiment")) }),
    TableSpec::new("directory_prove", "Proofs of one entry", &[
        ("entries", "entries"), ("prove us", "prove_us"), ("nodes", "prove_ratio"),
        ("verify us", "verify_us"), ("limit us", "verify_limit_us"), ("ratio", "verify_ratio"),
        ("bytes", "proof_bytes"), ("server MB", "memory_bytes/1e6"),
    ]),
    TableSpec::new("directory_read",
        "Look-ups whose block is in the page cache, not in the server's memory", &[
        ("entries", "entries"), ("us", "prove_us"), ("limit us", "prove_limit_us"),
        ("of which reading", "read_us"), ("ratio without reading", "prove_ratio"),
        ("reads", "reads_per_lookup"), ("with a hint", "reads_with_hint"),
    ]),
    TableSpec::new("directory_change", "One change of one block of 68 slots", &[
        ("strategy", "strategy"), ("level", "level"), ("us", "update_us"),
        ("limit us", "update_limit_us"), ("ratio", "update_ratio"),
    ]),
    TableSpec::new("directory_opened", "Proofs by opened blocks", &[
        ("strategy", "strategy"), ("entries", "entries"), ("prove us", "prove_us"),
        ("verify us", "verify_us"), ("bytes", "proof_bytes"), ("contents at 10^9", "counted"),
    ]).noted("A sound proof of these strategies contains every slot of every block on the path.")
        .deriving(|lines, line| {
        let counted = of(lines, "directory_opened_bytes");
        let same = counted.iter().find(|other| other.agrees(line, &["strategy"]));
        line! { counted: same.and_then(|line| line.number("proof_bytes")) }
    }),
    TableSpec::new("directory_beside", "Compared with a plain map on disk and a tree in memory", &[
        ("what", "strategy"), ("entries", "entries"), ("update us", "update_us"),
        ("get us", "get_us"), ("prove us", "prove_us"), ("proof bytes", "proof_bytes"),
        ("written bytes", "written_bytes_per_update"), ("file bytes", "file_bytes"),
    ]).noted(OTHERS),
];

/// Reports whether the strategy of a result line belongs to figure 3 (sums and pairs) or figure 4
/// (sums and products). `figure` is `"3"` or `"4"`.
pub(crate) fn is_in(figure: &str, line: &Line) -> bool {
    let strategy = line.text("strategy");
    match figure {
        "3" => !strategy.starts_with("mu-hash"),
        _ => strategy.starts_with("mu-hash") || strategy == "ad-hash-1600",
    }
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

/// Experiments in the table of updates, separated by `|`.
const UPDATES: &str = "directory_update|directory_update_hot|directory_batch|directory_append|\
    directory_durable|directory_load|directory_reopen";

/// Returns the name of an experiment in the column `operation` of the table of updates.
fn operation(experiment: &str) -> &'static str {
    match experiment {
        "directory_update" => "one random entry",
        "directory_update_hot" => "one of 128 entries",
        "directory_batch" => "10 000 random entries at once, each",
        "directory_append" => "appending at once, each",
        "directory_durable" => "10 000 random entries at once, durable, each",
        "directory_load" => "loading on disk, each",
        _ => "reopening after a crash, each logged update; limit: applying it",
    }
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
