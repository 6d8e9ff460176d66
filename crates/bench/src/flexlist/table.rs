//! The lines of one run, for people.

use super::{blocks::Order, paper};
use crate::{
    prelude::*,
    tables::{
        Column, Tables, computed, computed_share, dash, digits, number, percent, scaled, share,
        text,
    },
};

/// What stands above tables with the paper's figures.
const CAVEAT: &str = "Paper: another machine, SHA-1, blocks read from a disk.";

/// What a limit is.
const LIMIT: &str = "Limit: as many bare SHA-256 calls of 82 bytes, timed in the same run.";

/// Everything that the lines of one run say.
pub fn report(lines: &[Line]) -> Tables {
    let mut tables = Tables::default();
    builds(&mut tables, &of(lines, "flexlist_build"));
    hash_shares(&mut tables, &of(lines, "flexlist_hash_share"));
    let multi = of(lines, "flexlist_multi");
    side(
        &mut tables,
        &multi,
        "server",
        "Figure 9: the server's updates",
    );
    side(
        &mut tables,
        &multi,
        "client",
        "Figure 10: the client's checks",
    );
    table_2(&mut tables, &multi);
    audits(&mut tables, &of(lines, "flexlist_audit"));
    replays(&mut tables, &of(lines, "flexlist_replay"));
    localities(&mut tables, &of(lines, "flexlist_locality"));
    networks(&mut tables, &of(lines, "flexlist_network"));
    tables.signed(lines)
}

fn builds(tables: &mut Tables, lines: &[&Line]) {
    let threads = |line: &Line| line.count("threads") as usize;
    let columns = [
        Column::new("tags", |line| match line.text("tags") {
            "" => "none".to_owned(),
            tags => tags.to_owned(),
        }),
        text("blocks", "blocks"),
        text("threads", "threads"),
        number("total ms", "total_ms"),
        computed("paper", |line| {
            paper::build_ms(line.count("blocks"), threads(line))
        }),
        number("tags ms", "tag_ms"),
        number("list ms", "build_ms"),
        number("bare hashes ms", "bare_hashes_ms"),
        number("ratio", "ratio"),
        number("ns per block", "ns_per_block"),
        number("speed-up", "speed_up"),
        computed("paper", |line| {
            paper::speed_up(line.count("blocks"), threads(line))
        }),
    ];
    tables.section("Figures 6 and 7: building a list", CAVEAT, lines, &columns);
}

fn hash_shares(tables: &mut Tables, lines: &[&Line]) {
    let columns = [
        text("operation", "operation"),
        text("blocks", "blocks"),
        number("update us", "update_us"),
        number("without hashes us", "without_hashes_us"),
        share("hashes' share", "hash_share"),
        computed_share("paper", |line| paper::hash_share(line.count("blocks"))),
        number("hashes", "hashes"),
        number("limit us", "limit_us"),
        number("ratio", "ratio"),
        number("witness B", "witness_bytes"),
    ];
    let title = "Figure 8: one update with and without its hashes";
    tables.section(title, CAVEAT, lines, &columns);
}

/// The paper's figures for a number and an order of updates, if the size is the paper's.
fn of_paper(line: &Line, figures: fn(u64, Order) -> Option<(f64, f64)>) -> Option<(f64, f64)> {
    let orders = [Order::Consecutive, Order::Random];
    let order = orders
        .into_iter()
        .find(|order| order.name() == line.text("order"))?;
    figures(line.count("updates"), order).filter(|_| line.count("blocks") == paper::BLOCKS)
}

fn side(tables: &mut Tables, lines: &[&Line], side: &str, title: &str) {
    let of_side = if side == "server" {
        paper::server_ms
    } else {
        paper::client_ms
    };
    let keys = [
        "batch_us",
        "singles_us",
        "gain",
        "batch_hashes",
        "singles_hashes",
        "limit_us",
        "ratio",
    ];
    let [
        batch,
        singles,
        gain,
        batch_hashes,
        singles_hashes,
        limit,
        ratio,
    ] = &keys.map(|key| format!("{side}.{key}"));
    let columns = [
        text("order", "order"),
        text("updates", "updates"),
        number("at once us", batch),
        computed("paper", |line| Some(of_paper(line, of_side)?.0 * 1e3)),
        number("one by one us", singles),
        computed("paper", |line| Some(of_paper(line, of_side)?.1 * 1e3)),
        share("gain", gain),
        number("hashes", batch_hashes),
        number("one by one", singles_hashes),
        number("limit us", limit),
        number("ratio", ratio),
    ];
    tables.section(title, CAVEAT, lines, &columns);
}

fn table_2(tables: &mut Tables, lines: &[&Line]) {
    let columns = [
        text("order", "order"),
        text("updates", "updates"),
        number("server us", "server.batch_us"),
        computed("paper", |line| {
            Some(of_paper(line, paper::table_2)?.0 * 1e3)
        }),
        scaled("witness KB", "witness_bytes", 1e-3),
        computed("paper", |line| Some(of_paper(line, paper::table_2)?.1)),
        scaled("one by one KB", "singles_witness_bytes", 1e-3),
    ];
    tables.section("Table 2: a batch and its witness", CAVEAT, lines, &columns);
}

fn audits(tables: &mut Tables, lines: &[&Line]) {
    let bytes = [
        text("tags", "tags"),
        text("challenges", "challenges"),
        text("blocks met", "challenged_blocks"),
        scaled("list KB", "list_proof_bytes", 1e-3),
        scaled("committed KB", "committed_bytes", 1e-3),
        scaled("tag proof KB", "tag_proof_bytes", 1e-3),
        scaled("total KB", "total_bytes", 1e-3),
        number("a tag us", "tag_us"),
        number("key s", "key_seconds"),
    ];
    tables.section("Audits: bytes", paper::AUDIT, lines, &bytes);
    let times = [
        text("tags", "tags"),
        number("prove list us", "prove_list_us"),
        number("prove tags us", "prove_tags_us"),
        number("verify list us", "verify_list_us"),
        number("limit us", "verify_list_limit_us"),
        number("ratio", "verify_list_ratio"),
        number("verify tags us", "verify_tags_us"),
        number("as owner us", "owner_verify_tags_us"),
    ];
    tables.section("Audits: times", LIMIT, lines, &times);
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
        "One list per file, one batch per edited file; mean / median / p90 over the commits.";
    tables.heading("Version-control traces", note);
    let rows = lines.iter().flat_map(|line| {
        REPLAYED.map(|(what, batch, singles, ratio)| {
            let mean = |key: &str| line.number(&format!("{key}.mean"));
            let gain = mean(batch)
                .zip(mean(singles))
                .map(|(batch, singles)| 1.0 - batch / singles);
            let ratio = line.number(ratio);
            vec![
                line.text("trace").to_owned(),
                what.to_owned(),
                distribution(line, batch),
                distribution(line, singles),
                gain.map_or_else(dash, percent),
                ratio.map_or_else(dash, digits),
            ]
        })
    });
    tables.rows(&titles, &[], rows.collect());
}

/// What is shown of a replay: its name, its figures at once and one by one, and its ratio to the limit.
const REPLAYED: [(&str, &str, &str, &str); 7] = [
    (
        "server us",
        "server.batch_us",
        "server.singles_us",
        "server.ratio",
    ),
    (
        "client us",
        "client.batch_us",
        "client.singles_us",
        "client.ratio",
    ),
    (
        "server hashes",
        "server.batch_hashes",
        "server.singles_hashes",
        "",
    ),
    (
        "client hashes",
        "client.batch_hashes",
        "client.singles_hashes",
        "",
    ),
    ("witness B", "witness_bytes", "singles_witness_bytes", ""),
    ("operations", "operations_per_commit", "", ""),
    ("planning us", "plan_us", "", ""),
];

fn distribution(line: &Line, key: &str) -> String {
    let parts = ["mean", "median", "p90"].map(|part| line.number(&format!("{key}.{part}")));
    let [Some(mean), Some(median), Some(p90)] = parts else {
        return dash();
    };
    [mean, median, p90].map(digits).join(" / ")
}

fn localities(tables: &mut Tables, lines: &[&Line]) {
    let columns = [
        text("trace", "trace"),
        text("commits", "commits"),
        share("in one folder", "changes_in_main_folder"),
        share("paper", "paper_in_one_folder"),
        share("one run of blocks", "edits_in_one_run"),
        share("paper", "paper_in_one_run"),
        number("blocks", "blocks_per_commit.mean"),
        number("median", "blocks_per_commit.median"),
        number("paper", "paper_blocks_per_commit"),
        number("blocks of a run", "run_blocks.mean"),
        scaled("sent KB", "sent_bytes_per_commit", 1e-3),
        scaled("paper", "paper_sent_bytes_per_commit", 1e-3),
    ];
    let title = "Locality: what a commit changes";
    tables.section(
        title,
        "Changed blocks of the files as they were before.",
        lines,
        &columns,
    );
}

fn networks(tables: &mut Tables, lines: &[&Line]) {
    let columns = [
        text("request", "request"),
        text("blocks", "blocks"),
        text("clients", "clients"),
        number("uplink Mbit/s", "uplink_megabits"),
        number("per second", "per_second"),
        computed("paper", |line| {
            let (request, clients) = (line.text("request"), line.count("clients") as usize);
            paper::per_second(request, clients).filter(|_| line.count("blocks") == paper::BLOCKS)
        }),
        number("limit", "limit_per_second"),
        number("ratio", "ratio"),
        scaled("answer KB", "answer_bytes", 1e-3),
        scaled("p50 ms", "p50_us", 1e-3),
        scaled("p90 ms", "p90_us", 1e-3),
        scaled("p99 ms", "p99_us", 1e-3),
    ];
    tables.section(NETWORK, NETWORK_NOTE, lines, &columns);
}

const NETWORK: &str = "Figures 11 to 13: many clients at once";

const NETWORK_NOTE: &str = "Clients and server on one machine; each client asks again when it has verified. Limit: the \
                            answers that the uplink carries.";
