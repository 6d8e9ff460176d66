//! The lines of `bench directory`, for people.

use super::{goals, paper};
use crate::{
    prelude::*,
    tables::{Column, Tables, computed, digits, number, scaled, text},
};

/// A table for each experiment.
pub fn report(lines: &[Line]) -> Tables {
    let mut tables = Tables::default();
    inserts(&mut tables, lines);
    hints(&mut tables, lines);
    operations(&mut tables, lines);
    strategies(&mut tables, lines);
    beside(&mut tables, lines);
    primitives(&mut tables, lines);
    goals::table(lines, &mut tables);
    tables.signed(lines)
}

fn inserts(tables: &mut Tables, lines: &[Line]) {
    let columns = [
        text("strategy", "strategy"),
        text("block bytes", "block_bytes"),
        text("slots", "capacity"),
        number("levels", "mean_levels"),
        number("crypto us", "update_us"),
        number("limit us", "update_limit_us"),
        number("ratio", "update_ratio"),
        number("total us", "total_us"),
        number("written bytes", "written_bytes_per_update"),
    ];
    let inserted = of(lines, "directory_inserts");
    let of_figure = |figure: &str| -> Vec<&Line> {
        let drawn = inserted.iter().filter(|line| is_in(figure, line));
        drawn.copied().collect()
    };
    let title = "Figure 3: insertions one by one";
    tables.section(title, paper::FIGURE_3, &of_figure("3"), &columns);
    let title = "Figure 4: sums and products";
    tables.section(title, paper::FIGURE_4, &of_figure("4"), &columns);
}

/// Whether a contender stands in a figure.
pub(super) fn is_in(figure: &str, line: &Line) -> bool {
    let strategy = line.text("strategy");
    match figure {
        "3" => !strategy.starts_with("mu-hash"),
        _ => strategy.starts_with("mu-hash") || strategy == "ad-hash-1600",
    }
}

/// One row for each trace: the line without hints, and its other half.
fn hints(tables: &mut Tables, lines: &[Line]) {
    let counted = of(lines, "directory_hints");
    let is_with = |line: &&&Line| line.get("hints") == Some(&true.into());
    let with: Vec<&Line> = counted.iter().filter(is_with).copied().collect();
    let without: Vec<&Line> = counted
        .iter()
        .filter(|line| !is_with(line))
        .copied()
        .collect();
    let other = |line: &Line, key: &str| {
        let same = [
            "entries",
            "update_percent",
            "capacity",
            "seed",
            "operations",
        ];
        let other = with.iter().find(|other| other.agrees(line, &same))?;
        other.number(key)
    };
    let columns = [
        text("entries", "entries"),
        text("update %", "update_percent"),
        text("slots", "capacity"),
        text("frames", "frames"),
        number("reads", "reads_per_lookup"),
        computed("with hints", |line| other(line, "reads_per_lookup")),
        computed("times", |line| {
            let with = other(line, "reads_per_lookup").filter(|reads| *reads > 0.0)?;
            Some(line.number("reads_per_lookup")? / with)
        }),
        computed("model", |line| Some(paper::model_reads(line)?[0])),
        computed("with hints", |line| Some(paper::model_reads(line)?[1])),
        computed("hits", |line| other(line, "hint_hit_rate")),
        number("bytes read", "read_bytes_per_lookup"),
        computed("with hints", |line| other(line, "read_bytes_per_lookup")),
        number("bytes sent", "proof_bytes"),
        computed("with hints", |line| other(line, "proof_bytes")),
    ];
    let title = "Figure 5: block reads for each look-up of a trace";
    tables.section(title, paper::FIGURE_5, &without, &columns);
}

fn operations(tables: &mut Tables, lines: &[Line]) {
    let mut updated: Vec<&Line> = Vec::new();
    for (experiment, _) in UPDATES {
        updated.extend(of(lines, experiment));
    }
    let name = |line: &Line| {
        let named = UPDATES
            .iter()
            .find(|(of, _)| *of == line.text("experiment"));
        named.map_or_else(String::new, |(_, name)| (*name).to_owned())
    };
    let columns = [
        Column::new("operation", name),
        text("entries", "entries"),
        number("us", "update_us"),
        number("limit us", "update_limit_us"),
        number("ratio", "update_ratio"),
        number("written bytes", "written_bytes_per_update"),
        scaled("memory MB", "memory_bytes", 1e-6),
    ];
    let note = "In memory until the head is to be signed; single updates seal a version each: operations, root, head.";
    tables.section("Updates", note, &updated, &columns);
    let columns = [
        text("entries", "entries"),
        number("prove us", "prove_us"),
        number("nodes", "prove_ratio"),
        number("verify us", "verify_us"),
        number("limit us", "verify_limit_us"),
        number("ratio", "verify_ratio"),
        text("bytes", "proof_bytes"),
        scaled("server MB", "memory_bytes", 1e-6),
    ];
    let proved = of(lines, "directory_prove");
    tables.section("Proofs of one entry", "", &proved, &columns);
    let columns = [
        text("entries", "entries"),
        number("us", "prove_us"),
        number("limit us", "prove_limit_us"),
        number("of which reading", "read_us"),
        number("ratio without reading", "prove_ratio"),
        number("reads", "reads_per_lookup"),
        number("with a hint", "reads_with_hint"),
    ];
    let read = of(lines, "directory_read");
    let title = "Look-ups of entries whose block is in the page cache only";
    tables.section(title, "", &read, &columns);
}

/// Experiments with updates, for people.
const UPDATES: [(&str, &str); 7] = [
    ("directory_update", "one random entry"),
    ("directory_update_hot", "one of 128 entries"),
    ("directory_batch", "10 000 random entries at once, each"),
    ("directory_append", "appending at once, each"),
    (
        "directory_durable",
        "10 000 random entries at once, durable, each",
    ),
    ("directory_load", "loading on disk, each"),
    (
        "directory_reopen",
        "reopening after a crash, each logged update; limit: applying it",
    ),
];

fn strategies(tables: &mut Tables, lines: &[Line]) {
    let columns = [
        text("strategy", "strategy"),
        text("level", "level"),
        number("us", "update_us"),
        number("limit us", "update_limit_us"),
        number("ratio", "update_ratio"),
    ];
    let changed = of(lines, "directory_change");
    tables.section(
        "One change of one block of 68 slots",
        "",
        &changed,
        &columns,
    );
    let counted = of(lines, "directory_opened_bytes");
    let at_most = |line: &Line| {
        let same = counted
            .iter()
            .find(|other| other.agrees(line, &["strategy"]))?;
        same.number("proof_bytes")
    };
    let columns = [
        text("strategy", "strategy"),
        text("entries", "entries"),
        number("prove us", "prove_us"),
        number("verify us", "verify_us"),
        number("bytes", "proof_bytes"),
        computed("contents at 10^9", at_most),
    ];
    let opened = of(lines, "directory_opened");
    let note =
        "Every slot of every block on the path: what a sound proof of these strategies shows.";
    tables.section("Proofs by opened blocks", note, &opened, &columns);
}

fn beside(tables: &mut Tables, lines: &[Line]) {
    let columns = [
        text("what", "strategy"),
        text("entries", "entries"),
        number("update us", "update_us"),
        number("get us", "get_us"),
        number("prove us", "prove_us"),
        number("proof bytes", "proof_bytes"),
        number("written bytes", "written_bytes_per_update"),
        text("file bytes", "file_bytes"),
    ];
    let maps = of(lines, "directory_beside");
    tables.section(
        "Beside what a user would pick",
        paper::OTHERS,
        &maps,
        &columns,
    );
}

fn primitives(tables: &mut Tables, lines: &[Line]) {
    let first = lines
        .iter()
        .find_map(|line| line.get("primitives")?.as_object());
    if let Some(primitives) = first {
        tables.heading("Primitives", "");
        let row = |(name, value): (&String, &serde_json::Value)| {
            let value = value.as_f64().map_or_else(String::new, digits);
            vec![name.clone(), value]
        };
        tables.rows(
            &["primitive", ""],
            &[],
            primitives.iter().map(row).collect(),
        );
    }
}
