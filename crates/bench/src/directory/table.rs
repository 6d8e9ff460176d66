//! The lines of `bench directory`, for people.

use super::paper;
use crate::{
    line::{Line, of},
    tables::{Tables, computed, number, text},
};

/// A table for each experiment.
pub fn report(lines: &[Line]) -> String {
    let mut tables = Tables::default();
    inserts(&mut tables, lines);
    hints(&mut tables, lines);
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
