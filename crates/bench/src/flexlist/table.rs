//! Tables for the result lines of `bench flexlist`.

use crate::{
    columns::{TableSpec, shown},
    line,
    prelude::*,
    tables::{Tables, cell, dash, digits, percent},
};

/// Makes all tables of `bench flexlist` from the result lines of one run.
pub fn report(lines: &[Line]) -> Tables {
    let [before, after] = [&TABLES[..REPLAYS], &TABLES[REPLAYS..]];
    let mut tables = shown(before, lines);
    replays(&mut tables, &of(lines, "flexlist_replay"));
    for table in after {
        table.show(&mut tables, lines);
    }
    tables.signed(lines)
}

/// Caveat above tables with the paper's figures.
const CAVEAT: &str = "Paper: another machine, SHA-1, blocks read from a disk.";

/// Note that explains the lower bound in tables with times.
const LIMIT: &str = "Limit: as many bare SHA-256 calls of 82 bytes, timed in the same run.";

/// Number of declared tables that come before the table of replays.
const REPLAYS: usize = 7;

#[rustfmt::skip]
static TABLES: [TableSpec; 9] = [
    TableSpec::new("flexlist_build", "Figures 6 and 7: building a list", &[
        ("tags", "tagged"), ("blocks", "blocks"), ("threads", "threads"), ("total ms", "total_ms"),
        ("paper", "paper.ms"), ("tags ms", "tag_ms"), ("list ms", "build_ms"),
        ("bare hashes ms", "bare_hashes_ms"), ("ratio", "ratio"), ("ns per block", "ns_per_block"),
        ("speed-up", "speed_up"), ("paper", "paper.speed_up"),
    ]).noted(CAVEAT).deriving(|_, line| {
        let tagged = Some(line.text("tags")).filter(|tags| !tags.is_empty()).unwrap_or("none");
        line! { tagged }
    }),
    TableSpec::new("flexlist_hash_share", "Figure 8: one update with and without its hashes", &[
        ("operation", "operation"), ("blocks", "blocks"), ("update us", "update_us"),
        ("without hashes us", "without_hashes_us"), ("hashes' share", "hash_share%"),
        ("paper", "paper.hash_share%"), ("hashes", "hashes"), ("limit us", "limit_us"), ("ratio", "ratio"),
        ("witness B", "witness_bytes"),
    ]).noted(CAVEAT),
    TableSpec::new("flexlist_multi",
        "Figure 9: server, a batch of updates and the same one by one", &[
        ("order", "order"), ("updates", "updates"), ("at once us", "server.batch_us"),
        ("paper", "paper.server_us"), ("one by one us", "server.singles_us"),
        ("paper", "paper.server_singles_us"),
        ("gain", "server.gain%"), ("hashes", "server.batch_hashes"),
        ("one by one", "server.singles_hashes"), ("limit us", "server.limit_us"),
        ("ratio", "server.ratio"),
    ]).noted(CAVEAT),
    TableSpec::new("flexlist_multi",
        "Figure 10: client, checks of a batch and of the same updates one by one", &[
        ("order", "order"), ("updates", "updates"), ("at once us", "client.batch_us"),
        ("paper", "paper.client_us"), ("one by one us", "client.singles_us"),
        ("paper", "paper.client_singles_us"),
        ("gain", "client.gain%"), ("hashes", "client.batch_hashes"),
        ("one by one", "client.singles_hashes"), ("limit us", "client.limit_us"),
        ("ratio", "client.ratio"),
    ]).noted(CAVEAT),
    TableSpec::new("flexlist_multi", "Table 2: a batch and its witness", &[
        ("order", "order"), ("updates", "updates"), ("server us", "server.batch_us"),
        ("paper", "paper.table_2_us"), ("witness KB", "witness_bytes/1e3"),
        ("paper", "paper.witness_kilobytes"),
        ("one by one KB", "singles_witness_bytes/1e3"),
    ]).noted(CAVEAT),
    TableSpec::new("flexlist_audit", "Audits: bytes", &[
        ("tags", "tags"), ("challenges", "challenges"), ("blocks met", "challenged_blocks"),
        ("list KB", "list_proof_bytes/1e3"), ("committed KB", "committed_bytes/1e3"),
        ("tag proof KB", "tag_proof_bytes/1e3"), ("total KB", "total_bytes/1e3"),
        ("a tag us", "tag_us"), ("key s", "key_seconds"),
    ]).noted("Paper, 460 challenges of 500000 blocks, RSA of 1024 bits and SHA-1: list 215 KB, tags \
        58 KB, sum 2 KB, proving 40 ms."),
    TableSpec::new("flexlist_audit", "Audits: times", &[
        ("tags", "tags"), ("prove list us", "prove_list_us"), ("prove tags us", "prove_tags_us"),
        ("verify list us", "verify_list_us"), ("limit us", "verify_list_limit_us"),
        ("ratio", "verify_list_ratio"), ("verify tags us", "verify_tags_us"),
        ("as owner us", "owner_verify_tags_us"),
    ]).noted(LIMIT),
    TableSpec::new("flexlist_locality", "Locality of the changes of a commit", &[
        ("trace", "trace"), ("commits", "commits"), ("in one folder", "changes_in_main_folder%"),
        ("paper", "paper_in_one_folder%"), ("one run of blocks", "edits_in_one_run%"),
        ("paper", "paper_in_one_run%"), ("blocks", "blocks_per_commit.mean"),
        ("median", "blocks_per_commit.median"), ("paper", "paper_blocks_per_commit"),
        ("blocks of a run", "run_blocks.mean"), ("sent KB", "sent_bytes_per_commit/1e3"),
        ("paper", "paper_sent_bytes_per_commit/1e3"),
    ]).noted("Counts changed blocks of the files before the commit."),
    TableSpec::new("flexlist_network", "Figures 11 to 13: many clients at once", &[
        ("request", "request"), ("blocks", "blocks"), ("clients", "clients"),
        ("uplink Mbit/s", "uplink_megabits"), ("per second", "per_second"), ("paper", "paper.per_second"),
        ("limit", "limit_per_second"), ("ratio", "ratio"), ("answer KB", "answer_bytes/1e3"),
        ("p50 ms", "p50_us/1e3"), ("p90 ms", "p90_us/1e3"), ("p99 ms", "p99_us/1e3"),
    ]).noted("Clients and server share one machine. Each client sends its next request after it \
        verified the response. Limit: the answers that the uplink can send."),
];

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
