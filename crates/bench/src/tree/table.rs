//! Tables of `bench tree`, `bench batch` and `bench primitives`, with the figures of 2010 next to
//! ours.

use crate::{costs, line, prelude::*};

/// Numbers of lookups per update on the horizontal axis of figure 6.
pub const LOOKUPS_PER_UPDATE: [f64; 7] = [0.01, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4];

/// Makes the tables for the result lines of `bench tree`.
pub fn report(lines: &[Line]) -> Tables {
    let mut tables = Tables::default();
    let layouts = of(lines, "growing_paper_layout");
    for group in groups(&of(lines, "growing"), &["suite", "keys"]) {
        // All repositories of a scheme share one author.
        let authors = groups(&group, &["scheme"]);
        let authors: Vec<&Line> = authors.iter().map(|of_scheme| of_scheme[0]).collect();
        AUTHORS.show_of(&mut tables, &authors);
        for table in &ROLES {
            table.show_of(&mut tables, &group);
        }
        let same = |line: &&&Line| line.agrees(group[0], &["suite", "keys"]);
        let layouts = layouts.iter().filter(same);
        let with_layouts: Vec<&Line> = group.iter().chain(layouts).copied().collect();
        for table in &PAPER {
            table.show_of(&mut tables, &with_layouts);
        }
    }
    for table in &FURTHER {
        table.show(&mut tables, lines);
    }
    tables.signed(lines)
}

#[rustfmt::skip]
const AUTHORS: TableSpec = TableSpec::new("", "{suite}, {keys} keys, one new key per snapshot", &[
    ("author", "scheme"), ("insert+snapshot us", "insert_snapshot_us"),
    ("median us", "insert_snapshot_median_us"), ("limit us", "author_limit_us"),
    ("ratio", "author_ratio"), ("median ratio", "author_ratio_median"),
    ("node hashes", "node_hashes_per_update"), ("history hashes", "history_hashes_per_update"),
    ("update B", "update_bytes"),
]);

/// Tables of servers, of their clients, and of the servers' memory, with a row for each tree.
#[rustfmt::skip]
const ROLES: [TableSpec; 3] = [
    TableSpec::new("", "", &[
        ("server", "name"), ("apply us", "apply_us"), ("limit us", "apply_limit_us"),
        ("ratio", "apply_ratio"), ("median ratio", "apply_ratio_median"),
        ("prove latest us", "prove_us_latest"), ("random us", "prove_us_random_version"),
        ("many latest us", "prove_many_us_latest"),
        ("many random us", "prove_many_us_random_version"), ("absent us", "prove_absent_us_latest"),
    ]).deriving(derived),
    TableSpec::new("", "", &[
        ("client", "name"), ("verify us", "verify_us"),
        ("known head us", "verify_with_known_head_us"), ("limit us", "verify_limit_us"),
        ("ratio", "verify_ratio"), ("decode us", "decode_us"), ("depth", "depth"),
        ("proof B", "proof_bytes"), ("absent B", "absent_proof_bytes"), ("head B", "head_bytes"),
    ]).deriving(derived),
    TableSpec::new("", "", &[
        ("memory per version", "name"), ("resident B", "resident_bytes_per_version"),
        ("counted B", "counted_bytes_per_version"), ("nodes", "nodes_per_version"),
        ("digests", "digests_per_version"), ("peak MB", "peak_resident_bytes/1e6"),
    ]).deriving(derived),
];

/// Note above tables that show figures of 2010.
const CAVEAT: &str = "2010: another machine, digests of 28 bytes, DSA-2048, memory of the whole \
    process (C++). Ours: memory and rates of only the repository.";

/// Counterparts of the paper's tables 3 to 5 and figure 6.
#[rustfmt::skip]
const PAPER: [TableSpec; 4] = [
    TableSpec::new("", "Table 3: schemes over path copying", &[
        ("scheme", "scheme"), ("entries in", "entries_in"), ("proof KB", "proof_bytes/1e3"),
        ("2010", "paper.proof_kilobytes"), ("look-ups/s", "1e6/prove_us_random_version"),
        ("2010", "paper.scheme_lookups_per_second"), ("repository MB", "megabytes"),
        ("2010, process MB", "paper.scheme_megabytes"),
    ]).noted(CAVEAT).only(&[("repository", "path-copying")]).deriving(derived),
    TableSpec::new("", "Table 4: repositories of red-black trees", &[
        ("repository", "repository"), ("look-ups/s", "1e6/prove_us_random_version"),
        ("2010", "paper.lookups_per_second"), ("repository MB", "megabytes"),
        ("2010, process MB", "paper.megabytes"),
    ]).noted(CAVEAT).only(RED_BLACK).deriving(derived),
    TableSpec::new("", "Table 5: bytes sent per second of computing, red-black trees", &[
        ("repository", "repository"), ("updates KB/s", "update_kilobytes_per_second"),
        ("2010", "paper.update_kilobytes_per_second"), ("look-ups KB/s", "lookup_kilobytes_per_second"),
        ("2010", "paper.lookup_kilobytes_per_second"),
    ]).noted("Above 182 KB/s (paper: 190) sending costs more than computing, at the prices of \
        2010.")
        .only(RED_BLACK).deriving(derived),
    TableSpec::new("",
        "Figure 6: micro-dollars per look-up, by look-ups per update, red-black trees", &[
        ("repository", "repository"), ("0.01", "costs.0"), ("0.1", "costs.1"), ("1", "costs.2"),
        ("10", "costs.3"), ("100", "costs.4"), ("1000", "costs.5"), ("10000", "costs.6"),
    ]).noted("At the prices of 2010: sending update, proof and head, and computing of author and \
        server.")
        .only(RED_BLACK).deriving(derived),
];

/// Selects the trees of tables 4 and 5 and of figure 6: red-black trees with entries in the leaves.
const RED_BLACK: line::Selection = &[("scheme", "red-black"), ("layout", "none")];

#[rustfmt::skip]
const FURTHER: [TableSpec; 2] = [
    TableSpec::new("growing_what_if",
        "Section 10: micro-dollars per look-up, red-black trees, at lower prices", &[
        ("what if", "scenario"), ("keys", "keys"), ("look-ups per update", "lookups_per_update"),
        ("cache-everywhere", "cache_everywhere_microdollars"),
        ("cache-median", "cache_median_microdollars"),
        ("median to everywhere", "median_to_everywhere"),
    ]),
    TableSpec::new("steady_state", "Figure 5: steady state, look-ups per second in random versions",
        &[
        ("steady state", "name"), ("keys", "keys"), ("look-ups/s", "1e6/prove_us_random_version"),
        ("many, look-ups/s", "1e6/prove_many_us_random_version"),
        ("insert+remove+snapshot us", "insert_snapshot_us"), ("apply us", "apply_us"),
        ("counted B per version", "counted_bytes_per_version"), ("proof B", "proof_bytes"),
    ]).deriving(derived),
];

/// Derives further figures of a result line.
fn derived(_: &[Line], line: &Line) -> Line {
    let [scheme, repository] = ["scheme", "repository"].map(|key| line.text(key));
    let bytes = line.number("resident_bytes_per_version");
    let megabytes = bytes.zip(line.number("versions"));
    let entries_in = match line.get("layout") {
        None => "leaves",
        Some(_) => "all nodes",
    };
    Line::default()
        .and("name", format!("{scheme} {repository}"))
        .and("entries_in", entries_in)
        .and("megabytes", megabytes.map(|(bytes, of)| bytes * of / 1e6))
        .and(
            "costs",
            LOOKUPS_PER_UPDATE.map(|ratio| costs::per_lookup(line, ratio) * 1e6),
        )
}

/// Makes the table of the primitives of each suite.
pub fn primitives(lines: &[Line]) -> Tables {
    shown(&[PRIMITIVES], lines).signed(lines)
}

#[rustfmt::skip]
const PRIMITIVES: TableSpec = TableSpec::new("primitives", "", &[
    ("suite", "suite"), ("node ns", "node_hash_ns"),
    ("node ns, independent", "node_hash_independent_ns"), ("leaf ns", "leaf_hash_ns"),
    ("value 32 B ns", "value_hash_ns"), ("1 KiB ns", "value_hash_1k_ns"),
    ("64 KiB us", "value_hash_64k_ns/1e3"), ("sign us", "sign_us"),
    ("verify us", "verify_signature_us"),
]);

/// Makes the table of large snapshots on each number of threads.
pub fn batches(lines: &[Line]) -> Tables {
    shown(&[BATCHES], lines).signed(lines)
}

#[rustfmt::skip]
const BATCHES: TableSpec = TableSpec::new("batch",
    "{scheme} {repository} {suite}: {keys} keys, {snapshots} snapshots of {batch} updates", &[
    ("threads", "threads"), ("author ms", "author_snapshot_ms"), ("server ms", "apply_ms"),
    ("bare hashes ms", "bare_hashes_ms"), ("scattered ms", "scattered_hashes_ms"),
    ("author speed", "author_speed"), ("server speed", "apply_speed"),
    ("author speed-up", "author_speed_up"), ("server speed-up", "apply_speed_up"),
    ("bare speed-up", "bare_speed_up"), ("node hashes", "node_hashes_per_snapshot"),
    ("author load ms", "author_load_ms"), ("server load ms", "server_load_ms"),
]).noted("Speed: time of the bare hashes divided by the time. Scattered: bare hashes with one \
    input each from a random place in memory.");
