//! The lines of one run, for people.

use std::fmt::Write as _;

use comfy_table::Table;

use super::{
    paper,
    record::{
        AuditRecord, BuildRecord, Distribution, FlexlistLine, HashShareRecord, MultiRecord,
        NetworkRecord, ReplayRecord,
    },
};
use crate::{
    machine::Machine,
    tables::{machine, new_table, number, section},
};

/// What stands above tables with the paper's figures.
const CAVEAT: &str = "Paper: another machine, SHA-1, blocks read from a disk.";

/// What a limit is.
const LIMIT: &str = "Limit: as many bare SHA-256 calls of 82 bytes, timed in the same run.";

/// Everything that the lines of one run say.
pub fn report(lines: &[FlexlistLine]) -> String {
    let mut text = String::new();
    let mut table = |title: &str, note: &str, table: Option<Table>| {
        if let Some(table) = table {
            section(&mut text, title, note);
            let _ = writeln!(text, "{table}\n");
        }
    };
    let builds = select(lines, |line| match line {
        FlexlistLine::Build(record) => Some(record),
        _ => None,
    });
    table("Figures 6 and 7: building a list", CAVEAT, build(&builds));
    let shares = select(lines, |line| match line {
        FlexlistLine::HashShare(record) => Some(record),
        _ => None,
    });
    let title = "Figure 8: one update with and without its hashes";
    table(title, CAVEAT, hash_share(&shares));
    let multi = select(lines, |line| match line {
        FlexlistLine::Multi(record) => Some(record),
        _ => None,
    });
    table(
        "Figure 9: the server's updates",
        CAVEAT,
        sides(&multi, Role::Server),
    );
    table(
        "Figure 10: the client's checks",
        CAVEAT,
        sides(&multi, Role::Client),
    );
    table("Table 2: a batch and its witness", CAVEAT, table_2(&multi));
    let audits = select(lines, |line| match line {
        FlexlistLine::Audit(record) => Some(&**record),
        _ => None,
    });
    table("Audits: bytes", &audit_note(), audit_bytes(&audits));
    table("Audits: times", LIMIT, audit_times(&audits));
    let replays = select(lines, |line| match line {
        FlexlistLine::Replay(record) => Some(&**record),
        _ => None,
    });
    let note =
        "One list per file, one batch per edited file; mean / median / p90 over the commits.";
    table("Version-control traces", note, replay(&replays));
    let networks = select(lines, |line| match line {
        FlexlistLine::Network(record) => Some(&**record),
        _ => None,
    });
    let note = "Clients and server on one machine; each client asks again when it has verified. Limit: the \
                answers that the uplink carries.";
    table(
        "Figures 11 to 13: many clients at once",
        note,
        network(&networks),
    );
    if let Some(place) = lines.first().map(place) {
        let _ = writeln!(text, "{}", machine(place));
    }
    text
}

fn select<T>(lines: &[FlexlistLine], choose: impl Fn(&FlexlistLine) -> Option<&T>) -> Vec<&T> {
    lines.iter().filter_map(choose).collect()
}

fn place(line: &FlexlistLine) -> &Machine {
    match line {
        FlexlistLine::Build(record) => &record.machine,
        FlexlistLine::HashShare(record) => &record.machine,
        FlexlistLine::Multi(record) => &record.machine,
        FlexlistLine::Audit(record) => &record.machine,
        FlexlistLine::Replay(record) => &record.machine,
        FlexlistLine::Network(record) => &record.machine,
    }
}

fn build(records: &[&BuildRecord]) -> Option<Table> {
    records.first()?;
    let mut table = new_table(&[
        "tags",
        "blocks",
        "threads",
        "total ms",
        "paper",
        "tags ms",
        "list ms",
        "bare hashes ms",
        "ratio",
        "ns per block",
        "speed-up",
        "paper",
    ]);
    for record in records {
        table.add_row([
            record.tags.clone().unwrap_or_else(|| "none".to_owned()),
            record.blocks.to_string(),
            record.threads.to_string(),
            number(record.total_ms),
            optional(paper::build_ms(record.blocks, record.threads)),
            number(record.tag_ms),
            number(record.build_ms),
            number(record.bare_hashes_ms),
            number(record.ratio),
            number(record.ns_per_block),
            number(record.speed_up),
            optional(paper::speed_up(record.blocks, record.threads)),
        ]);
    }
    Some(table)
}

fn hash_share(records: &[&HashShareRecord]) -> Option<Table> {
    records.first()?;
    let mut table = new_table(&[
        "operation",
        "blocks",
        "update us",
        "without hashes us",
        "hashes' share",
        "paper",
        "hashes",
        "limit us",
        "ratio",
        "witness B",
    ]);
    for record in records {
        table.add_row([
            record.operation.clone(),
            record.blocks.to_string(),
            number(record.update_us),
            number(record.without_hashes_us),
            share(record.hash_share),
            paper::hash_share(record.blocks).map_or_else(dash, share),
            number(record.hashes),
            number(record.limit_us),
            number(record.ratio),
            number(record.witness_bytes),
        ]);
    }
    Some(table)
}

#[derive(Clone, Copy)]
enum Role {
    Server,
    Client,
}

fn sides(records: &[&MultiRecord], role: Role) -> Option<Table> {
    records.first()?;
    let mut table = new_table(&[
        "order",
        "updates",
        "at once us",
        "paper",
        "one by one us",
        "paper",
        "gain",
        "hashes",
        "one by one",
        "limit us",
        "ratio",
    ]);
    for record in records {
        let (figures, paper) = match role {
            Role::Server => (
                record.server,
                paper::server_ms(record.updates, record.order),
            ),
            Role::Client => (
                record.client,
                paper::client_ms(record.updates, record.order),
            ),
        };
        let paper = paper.filter(|_| record.blocks == paper::BLOCKS);
        table.add_row([
            record.order.name().to_owned(),
            record.updates.to_string(),
            number(figures.batch_us),
            optional(paper.map(|(batch, _)| batch * 1e3)),
            number(figures.singles_us),
            optional(paper.map(|(_, singles)| singles * 1e3)),
            share(figures.gain),
            number(figures.batch_hashes),
            number(figures.singles_hashes),
            number(figures.limit_us),
            number(figures.ratio),
        ]);
    }
    Some(table)
}

fn table_2(records: &[&MultiRecord]) -> Option<Table> {
    records.first()?;
    let mut table = new_table(&[
        "order",
        "updates",
        "server us",
        "paper",
        "witness KB",
        "paper",
        "one by one KB",
    ]);
    for record in records {
        let paper = paper::table_2(record.updates, record.order);
        let paper = paper.filter(|_| record.blocks == paper::BLOCKS);
        table.add_row([
            record.order.name().to_owned(),
            record.updates.to_string(),
            number(record.server.batch_us),
            optional(paper.map(|(time, _)| time * 1e3)),
            number(record.witness_bytes / 1e3),
            optional(paper.map(|(_, kilobytes)| kilobytes)),
            number(record.singles_witness_bytes / 1e3),
        ]);
    }
    Some(table)
}

fn audit_note() -> String {
    format!(
        "Paper, {} challenges of {} blocks, RSA of 1024 bits and SHA-1: list {} KB, tags {} KB, sum {} \
         KB, proving {} ms.",
        paper::CHALLENGES,
        paper::BLOCKS,
        paper::LIST_PROOF_KILOBYTES,
        paper::TAGS_KILOBYTES,
        paper::SUM_KILOBYTES,
        paper::PROVE_MS
    )
}

fn audit_bytes(records: &[&AuditRecord]) -> Option<Table> {
    records.first()?;
    let mut table = new_table(&[
        "tags",
        "challenges",
        "blocks met",
        "list KB",
        "committed KB",
        "tag proof KB",
        "total KB",
        "a tag us",
        "key s",
    ]);
    for record in records {
        table.add_row([
            record.tags.clone(),
            record.challenges.to_string(),
            record.challenged_blocks.to_string(),
            number(record.list_proof_bytes as f64 / 1e3),
            number(record.committed_bytes as f64 / 1e3),
            number(record.tag_proof_bytes as f64 / 1e3),
            number(record.total_bytes as f64 / 1e3),
            number(record.tag_us),
            number(record.key_seconds),
        ]);
    }
    Some(table)
}

fn audit_times(records: &[&AuditRecord]) -> Option<Table> {
    records.first()?;
    let mut table = new_table(&[
        "tags",
        "prove list us",
        "prove tags us",
        "verify list us",
        "limit us",
        "ratio",
        "verify tags us",
        "as owner us",
    ]);
    for record in records {
        table.add_row([
            record.tags.clone(),
            number(record.prove_list_us),
            number(record.prove_tags_us),
            number(record.verify_list_us),
            number(record.verify_list_limit_us),
            number(record.verify_list_ratio),
            number(record.verify_tags_us),
            number(record.owner_verify_tags_us),
        ]);
    }
    Some(table)
}

fn replay(records: &[&ReplayRecord]) -> Option<Table> {
    records.first()?;
    let mut table = new_table(&[
        "trace",
        "per commit",
        "at once",
        "one by one",
        "gain",
        "ratio",
    ]);
    for record in records {
        let mut row = |what: &str, batch: &Distribution, singles: Option<&Distribution>| {
            let gain = singles.map(|singles| 1.0 - batch.mean / singles.mean);
            table.add_row([
                record.trace.clone(),
                what.to_owned(),
                distribution(batch),
                singles.map_or_else(dash, distribution),
                gain.map_or_else(dash, share),
                match what {
                    "server us" => number(record.server.ratio),
                    "client us" => number(record.client.ratio),
                    _ => dash(),
                },
            ]);
        };
        let (server, client) = (&record.server, &record.client);
        row("server us", &server.batch_us, Some(&server.singles_us));
        row("client us", &client.batch_us, Some(&client.singles_us));
        row(
            "server hashes",
            &server.batch_hashes,
            Some(&server.singles_hashes),
        );
        row(
            "client hashes",
            &client.batch_hashes,
            Some(&client.singles_hashes),
        );
        row(
            "witness B",
            &record.witness_bytes,
            Some(&record.singles_witness_bytes),
        );
        row("operations", &record.operations_per_commit, None);
        row("planning us", &record.plan_us, None);
    }
    Some(table)
}

fn network(records: &[&NetworkRecord]) -> Option<Table> {
    records.first()?;
    let mut table = new_table(&[
        "request",
        "clients",
        "uplink Mbit/s",
        "per second",
        "paper",
        "limit",
        "ratio",
        "answer KB",
        "p50 ms",
        "p90 ms",
        "p99 ms",
    ]);
    for record in records {
        table.add_row([
            record.request.clone(),
            record.clients.to_string(),
            optional(record.uplink_megabits),
            number(record.per_second),
            optional(paper::per_second(&record.request, record.clients)),
            optional(record.limit_per_second),
            optional(record.ratio),
            optional(record.answer_bytes.map(|bytes| bytes as f64 / 1e3)),
            number(record.p50_us / 1e3),
            number(record.p90_us / 1e3),
            number(record.p99_us / 1e3),
        ]);
    }
    Some(table)
}

fn distribution(figures: &Distribution) -> String {
    let Distribution { mean, median, p90 } = figures;
    format!("{} / {} / {}", number(*mean), number(*median), number(*p90))
}

fn share(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(dash, number)
}

fn dash() -> String {
    "-".to_owned()
}
