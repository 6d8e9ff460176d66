//! Tables for the result lines of `bench flexlist`.

use crate::{
    line,
    prelude::*,
    tables::{cell, dash},
};

/// Makes all tables of `bench flexlist` from the result lines of one run.
pub fn report(lines: &[Line]) -> Tables {
    let mut tables = shown("flexlist", derived, lines);
    replays(&mut tables, &of(lines, "flexlist_replay"));
    show("flexlist-later", derived, &mut tables, lines);
    tables.signed(lines)
}

/// Derives texts that tables and plots show in addition: the kind of tags, and the bandwidth of an
/// uplink.
pub(crate) fn derived(_: &[Line], line: &Line) -> Line {
    match line.text("experiment") {
        "flexlist_build" => {
            let tags = Some(line.text("tags")).filter(|tags| !tags.is_empty());
            line! { tagged: tags.unwrap_or("none") }
        }
        "flexlist_network" => {
            let megabits = line.number("uplink_megabits");
            let uplink = megabits.map(|megabits| format!(", {megabits} Mbit/s"));
            line! { uplink: uplink.unwrap_or_default() }
        }
        _ => Line::default(),
    }
}

fn replays(tables: &mut Tables, lines: &[&Line]) {
    if lines.is_empty() {
        return;
    }
    let titles = [
        "trace",
        "per commit",
        "at once",
        "one by one",
        "gain",
        "ratio",
    ];
    let note =
        "One list per file, one batch per edited file. Mean / median / p90 over the commits.";
    tables.heading("Version-control traces", note);
    let row = |line: &Line, [what, batch, singles, ratio]: [&str; 4]| {
        let mean = |key: &str| line.number(&format!("{key}.mean"));
        let gain = mean(batch).zip(mean(singles));
        vec![
            cell(line, "trace"),
            what.to_owned(),
            distribution(line, batch),
            distribution(line, singles),
            gain.map_or_else(dash, |(batch, singles)| percent(1.0 - batch / singles)),
            line.number(ratio).map_or_else(dash, digits),
        ]
    };
    let rows = lines.iter();
    let rows = rows.flat_map(|line| REPLAYED.map(|what| row(line, what)));
    tables.rows(&titles, &[], rows.collect());
}

/// Rows of the table of replays. Each has a name, and the keys of three figures: of batches, of
/// updates one by one, and the ratio to the lower bound.
#[rustfmt::skip]
const REPLAYED: [[&str; 4]; 7] = [
    ["server us", "server.batch_us", "server.singles_us", "server.ratio"],
    ["client us", "client.batch_us", "client.singles_us", "client.ratio"],
    ["server hashes", "server.batch_hashes", "server.singles_hashes", ""],
    ["client hashes", "client.batch_hashes", "client.singles_hashes", ""],
    ["witness B", "witness_bytes", "singles_witness_bytes", ""],
    ["operations", "operations_per_commit", "", ""],
    ["planning us", "plan_us", "", ""],
];

fn distribution(line: &Line, key: &str) -> String {
    let parts = ["mean", "median", "p90"].map(|part| line.number(&format!("{key}.{part}")));
    let [Some(mean), Some(median), Some(p90)] = parts else {
        return dash();
    };
    [mean, median, p90].map(digits).join(" / ")
}
