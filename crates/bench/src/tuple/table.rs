//! Tables for the result lines of `bench tuple`.

use crate::{figures::title_of, line, prelude::*};

/// Makes all tables of `bench tuple` from the result lines of one run.
pub fn report(lines: &[Line]) -> Tables {
    let mut tables = Tables::default();
    for size in groups(&of(lines, "tuple_growing"), &["keys"]) {
        for table in &GROWING {
            table.show_of(&mut tables, &size);
        }
    }
    STEADY.show(&mut tables, lines);
    exponents(&mut tables, lines);
    for table in &SCALING {
        table.show(&mut tables, lines);
    }
    for trace in groups(&of(lines, "tuple_macrobenchmark"), &["trace"]) {
        for table in &MACROBENCHMARK {
            table.show_of(&mut tables, &trace);
        }
    }
    for family in ["tuple", "tuple_author_witnesses", "tuple_what_if"] {
        let [costs, cheapest, conclusions] = ["lookup_costs", "cheapest", "conclusion"]
            .map(|kind| of(lines, &format!("{family}_{kind}")));
        for figure in groups(&costs, &["figure"]) {
            let same = |line: &&&Line| line.agrees(figure[0], &["figure"]);
            COSTS.show_of(&mut tables, &figure);
            let cheapest: Vec<&Line> = cheapest.iter().filter(same).copied().collect();
            CHEAPEST.show_of(&mut tables, &cheapest);
            for line in conclusions.iter().filter(same) {
                tables.heading("", line.text("sentence"));
            }
        }
    }
    WHAT_IF.show(&mut tables, lines);
    tables.signed(lines)
}

/// Note above tables that show figures of 2010.
const CAVEAT: &str = "2010: another machine, 28-byte digests, DSA-2048, author in Python.";

#[rustfmt::skip]
const GROWING: [TableSpec; 4] = [
    TableSpec::new("tuple_growing",
        "Table 7: authors, {keys} keys, one new key per snapshot, means over the whole run", &[
        ("author", "design"), ("inserts/s", "inserts_per_second"),
        ("2010", "paper.inserts_per_second"), ("crypto", "author_cryptography_share%"),
        ("2010", "paper.author_cryptography_share%"), ("update B, last tenth", "update_bytes"),
        ("update B", "update_overall_bytes"), ("2010", "paper.update_overall_bytes"),
        ("proof B", "proof_bytes"), ("2010", "paper.proof_bytes"), ("inserted", "inserted"),
        ("stopped by", "stopped_by"),
    ]).noted(CAVEAT).deriving(derived),
    TableSpec::new("tuple_growing", "Table 8: servers and clients, {keys} keys", &[
        ("server and client", "design"), ("updates/s", "updates_per_second"),
        ("2010", "paper.updates_per_second"), ("crypto", "server_cryptography_share%"),
        ("look-ups/s", "lookups_per_second"), ("2010", "paper.lookups_per_second"),
        ("verifications/s", "verifications_per_second"), ("2010", "paper.verifications_per_second"),
        ("crypto", "verify_cryptography_share%"), ("2010", "paper.verify_cryptography_share%"),
    ]).noted(CAVEAT).deriving(derived),
    TableSpec::new("tuple_growing",
        "Time of author and client, {keys} keys, compared with signatures and hash-chain steps", &[
        ("design", "design"), ("author us", "author_us"), ("signatures", "signatures_per_snapshot"),
        ("chain steps", "chain_steps_per_snapshot"), ("limit us", "author_limit_us"),
        ("ratio", "author_ratio"), ("verify us", "verify_us"),
        ("signatures", "signatures_per_proof"), ("chain steps", "chain_steps_per_proof"),
        ("limit us", "verify_limit_us"), ("ratio", "verify_ratio"),
    ]).noted("Limit: the time of only the counted signatures and hash-chain steps, in this \
        run."),
    TableSpec::new("tuple_growing",
        "Table 9: kilobytes sent per second of computing, {keys} keys", &[
        ("design", "design"), ("updates", "update_kilobytes_per_second"),
        ("2010", "paper.update_kilobytes_per_second"), ("look-ups", "lookup_kilobytes_per_second"),
        ("2010", "paper.lookup_kilobytes_per_second"),
    ]).noted("Above {equilibrium_kilobytes_per_second} KB/s sending costs more than computing. \
        Prices: {cpu_cents_per_hour} cents for an hour of computing, {cents_per_gigabyte} cents \
        for a gigabyte sent.").deriving(derived),
];

#[rustfmt::skip]
const STEADY: TableSpec = TableSpec::new("tuple_steady",
    "Steady state: all keys in the first snapshot, then one new value in each", &[
    ("steady", "design"), ("keys", "keys"), ("snapshots/s", "snapshots_per_second"),
    ("to base-superseding", "times_base_superseding"), ("author us", "author_us"),
    ("later chains us", "later_chains_us"), ("update B", "update_bytes"), ("apply us", "apply_us"),
    ("memory B per update", "memory_bytes_per_update"), ("proof B", "proof_bytes"),
    ("snapshots", "snapshots"), ("cycles", "cycles"), ("whole", "whole_cycles"),
]).noted("Means over whole epochs and hash chains if whole is true, without the first snapshot.");

#[rustfmt::skip]
const SCALING: [TableSpec; 4] = [
    TableSpec::new("tuple_threads", "{design}: one snapshot of {keys} keys, every tuple signed", &[
        ("threads", "threads"), ("snapshot ms", "snapshot_ms"),
        ("bare signatures ms", "bare_signatures_ms"), ("ratio", "ratio"), ("speed-up", "speed_up"),
        ("bare speed-up", "bare_speed_up"),
    ]),
    TableSpec::new("tuple_partitions", "Section 9: mirrors that each store a part of the keys", &[
        ("partitions of", "design"), ("keys", "keys"), ("partitions", "partitions"),
        ("undivided us", "whole_us"), ("slowest us", "slowest_partition_us"), ("gain", "gain"),
        ("memory of one", "memory_of_a_partition"), ("model", "model"),
    ]),
    TableSpec::new("tuple_lookup_threads", "Section 9: look-ups on several threads", &[
        ("look-ups in", "design"), ("threads", "threads"), ("per second", "lookups_per_second"),
        ("gain", "gain"),
    ]),
    TableSpec::new("tuple_replicas", "Section 9: mirrors that each store all keys", &[
        ("replicas of", "design"), ("look-ups per update", "lookups_per_update"),
        ("replicas", "replicas"), ("look-ups/s", "lookups_per_second"), ("gain", "gain"),
        ("model", "model"),
    ]),
];

#[rustfmt::skip]
const MACROBENCHMARK: [TableSpec; 2] = [
    TableSpec::new("tuple_macrobenchmark", "Tables 10 and 11: trace {trace}", &[
        ("table 11", "design"), ("epochs", "epochs"), ("author s", "author_seconds"),
        ("server s", "server_seconds"), ("update KB", "update_bytes/1e3"),
        ("proof KB", "proof_bytes/1e3"), ("look-ups/s", "lookups_per_second"),
        ("signatures", "signatures"), ("speculation saves", "signatures_saved_by_speculation%"),
        ("times without", "times_without_speculation"), ("snapshots", "processed"),
        ("of", "snapshots"), ("stopped by", "stopped_by"),
    ]).deriving(derived),
    TableSpec::new("tuple_macrobenchmark", "", &[
        ("table 10", "design"), ("epochs", "epochs"),
        ("updates KB/s", "update_kilobytes_per_second"),
        ("look-ups KB/s", "lookup_kilobytes_per_second"),
    ]),
];

/// Table of figure 7 or 8: the cost per lookup of every design, for powers of ten of lookups per
/// update.
#[rustfmt::skip]
const COSTS: TableSpec = TableSpec::new("",
    "{title}: cost of a look-up and its share of an update", &[
    ("micro-dollars per look-up", "design"), ("1", "points.0.1"), ("10", "points.4.1"),
    ("100", "points.8.1"), ("1000", "points.12.1"), ("10000", "points.16.1"),
    ("100000", "points.20.1"), ("1000000", "points.24.1"), ("10000000", "points.28.1"),
]).noted("By look-ups per update. Prices: {cpu_cents_per_hour} cents for an hour of computing, \
    {cents_per_gigabyte} cents for a gigabyte sent. Only designs that finished the run.")
    .deriving(|_, line| line! { title: title_of(line.text("figure")) });

#[rustfmt::skip]
const CHEAPEST: TableSpec = TableSpec::new("", "", &[
    ("cheapest", "design"), ("from look-ups per update", "from_lookups_per_update"),
    ("to", "to_lookups_per_update"),
]);

#[rustfmt::skip]
const WHAT_IF: TableSpec = TableSpec::new("tuple_what_if",
    "Section 10: look-ups per update at lower prices", &[
    ("what if", "scenario"), ("red-black is the cheapest up to", "red_black_until"),
    ("2010", "paper_red_black_until"),
]);

/// Derives the reason why the run of a design stopped early.
fn derived(_: &[Line], line: &Line) -> Line {
    let stopped_by = Some(line.text("stopped")).filter(|stopped| *stopped != "finished");
    line! { stopped_by }
}

/// Adds a note for each line of `tuple_exponent`: how a figure of `tuple_steady` grows with the
/// number of keys.
fn exponents(tables: &mut Tables, lines: &[Line]) {
    for line in of(lines, "tuple_exponent") {
        let (design, quantity) = (line.text("design"), line.text("quantity"));
        let exponent = digits(line.figure("exponent"));
        tables.note(&format!("{design}: {quantity} grows as keys^{exponent}"));
    }
    if !of(lines, "tuple_steady").is_empty() {
        tables.note("");
    }
}
