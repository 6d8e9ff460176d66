//! The lines of one run, for people.

use std::fmt::Write as _;

use super::record::{
    CheapestRecord, CostsRecord, ExponentRecord, GrowingRecord, MacrobenchmarkRecord, SteadyRecord,
    Stopped, ThreadsRecord, TupleLine,
};
use crate::{
    costs::Prices,
    machine::Machine,
    paper,
    tables::{machine, new_table, number, section},
};

/// Everything that the lines of one run say.
pub fn report(lines: &[TupleLine]) -> String {
    let mut text = String::new();
    growing(
        &mut text,
        &select(lines, |line| match line {
            TupleLine::Growing(record) => Some(&**record),
            _ => None,
        }),
    );
    let steady_records = select(lines, |line| match line {
        TupleLine::Steady(record) => Some(&**record),
        _ => None,
    });
    let exponents = select(lines, |line| match line {
        TupleLine::Exponent(record) => Some(record),
        _ => None,
    });
    steady(&mut text, &steady_records, &exponents);
    threads(
        &mut text,
        &select(lines, |line| match line {
            TupleLine::Threads(record) => Some(record),
            _ => None,
        }),
    );
    macrobenchmarks(
        &mut text,
        &select(lines, |line| match line {
            TupleLine::Macrobenchmark(record) => Some(&**record),
            _ => None,
        }),
    );
    costs(
        &mut text,
        &select(lines, |line| match line {
            TupleLine::Costs(record) => Some(record),
            _ => None,
        }),
        &select(lines, |line| match line {
            TupleLine::Cheapest(record) => Some(record),
            _ => None,
        }),
    );
    if let Some(place) = lines.iter().find_map(place) {
        let _ = writeln!(text, "{}", machine(place));
    }
    text
}

fn select<T>(lines: &[TupleLine], choose: impl Fn(&TupleLine) -> Option<&T>) -> Vec<&T> {
    lines.iter().filter_map(choose).collect()
}

fn place(line: &TupleLine) -> Option<&Machine> {
    match line {
        TupleLine::Growing(record) => Some(&record.machine),
        TupleLine::Steady(record) => Some(&record.machine),
        TupleLine::Threads(record) => Some(&record.machine),
        TupleLine::Macrobenchmark(record) => Some(&record.machine),
        _ => None,
    }
}

/// What stands above tables with figures of 2010.
const CAVEAT: &str = "2010: another machine, 28-byte digests, DSA-2048, author in Python.";

fn growing(text: &mut String, records: &[&GrowingRecord]) {
    let Some(first) = records.first() else {
        return;
    };
    let title = "Table 7: authors, one new key per snapshot, means over the whole run";
    section(text, title, CAVEAT);
    let _ = writeln!(text, "{}\n", authors(records));
    section(text, "Table 8: servers and clients", CAVEAT);
    let _ = writeln!(text, "{}\n", servers(records));
    section(
        text,
        "How far from the bare signatures and chain steps",
        LIMITS_NOTE,
    );
    let _ = writeln!(text, "{}\n", limits(records));
    let note = format!(
        "Above {} KB/s sending costs more than computing, {}.",
        number(first.equilibrium_kilobytes_per_second),
        at(&first.prices)
    );
    section(
        text,
        "Table 9: kilobytes sent per second of computing",
        &note,
    );
    let _ = writeln!(text, "{}\n", bandwidth(records));
}

/// The paper's row for a design, if the number of keys is the paper's.
fn of_2010(record: &GrowingRecord) -> Option<&'static paper::TupleRow> {
    paper::tuple(&record.design).filter(|_| record.keys == paper::TUPLE_KEYS)
}

const LIMITS_NOTE: &str = "Limit: the counted signatures and steps of hash chains, at what they cost \
                           alone beside this run.";

fn authors(records: &[&GrowingRecord]) -> comfy_table::Table {
    let mut table = new_table(&[
        "author",
        "inserts/s",
        "2010",
        "crypto",
        "2010",
        "update B, last tenth",
        "update B",
        "2010",
        "proof B",
        "2010",
        "inserted",
        "stopped by",
    ]);
    for record in records {
        let row = of_2010(record);
        table.add_row([
            record.design.clone(),
            number(record.inserts_per_second),
            optional(row.map(|row| row.inserts_per_second)),
            share(record.author_cryptography_share),
            row.map_or_else(dash, |row| share(row.author_cryptography_share)),
            number(record.update_bytes),
            number(record.update_overall_bytes),
            optional(row.map(|row| row.update_kilobytes * 1e3)),
            number(record.lookups.proof_bytes),
            optional(row.map(|row| row.proof_kilobytes * 1e3)),
            record.inserted.to_string(),
            stopped(record.stopped),
        ]);
    }
    table
}

fn servers(records: &[&GrowingRecord]) -> comfy_table::Table {
    let mut table = new_table(&[
        "server and client",
        "updates/s",
        "2010",
        "crypto",
        "look-ups/s",
        "2010",
        "verifications/s",
        "2010",
        "crypto",
        "2010",
    ]);
    for record in records {
        let row = of_2010(record);
        table.add_row([
            record.design.clone(),
            number(record.updates_per_second),
            optional(row.map(|row| row.updates_per_second)),
            share(record.server_cryptography_share),
            number(record.lookups.lookups_per_second),
            optional(row.map(|row| row.lookups_per_second)),
            number(record.lookups.verifications_per_second),
            optional(row.map(|row| row.verifications_per_second)),
            share(record.lookups.verify_cryptography_share),
            row.map_or_else(dash, |row| share(row.verify_cryptography_share)),
        ]);
    }
    table
}

fn limits(records: &[&GrowingRecord]) -> comfy_table::Table {
    let mut table = new_table(&[
        "design",
        "author us",
        "signatures",
        "chain steps",
        "limit us",
        "ratio",
        "verify us",
        "signatures",
        "chain steps",
        "limit us",
        "ratio",
    ]);
    for record in records {
        table.add_row([
            record.design.clone(),
            number(record.author_us),
            number(record.signatures_per_snapshot),
            number(record.chain_steps_per_snapshot),
            optional(record.author_limit_us),
            optional(record.author_ratio),
            number(record.lookups.verify_us),
            optional(record.lookups.signatures_per_proof),
            number(record.lookups.chain_steps_per_proof),
            optional(record.lookups.verify_limit_us),
            optional(record.lookups.verify_ratio),
        ]);
    }
    table
}

fn bandwidth(records: &[&GrowingRecord]) -> comfy_table::Table {
    let mut table = new_table(&["design", "updates", "2010", "look-ups", "2010"]);
    for record in records {
        let row = of_2010(record);
        table.add_row([
            record.design.clone(),
            number(record.update_kilobytes_per_second),
            optional(row.map(|row| row.update_kilobytes_per_second)),
            number(record.lookup_kilobytes_per_second),
            optional(row.map(|row| row.lookup_kilobytes_per_second)),
        ]);
    }
    table
}

fn steady(text: &mut String, records: &[&SteadyRecord], exponents: &[&ExponentRecord]) {
    if records.is_empty() {
        return;
    }
    let mut table = new_table(&[
        "steady",
        "keys",
        "snapshots/s",
        "to base-superseding",
        "author us",
        "later chains us",
        "update B",
        "apply us",
        "memory B per update",
        "proof B",
        "snapshots",
        "cycles",
    ]);
    for record in records {
        let partial = if record.whole_cycles {
            ""
        } else {
            ", not whole"
        };
        table.add_row([
            record.design.clone(),
            record.keys.to_string(),
            number(record.snapshots_per_second),
            optional(record.times_base_superseding),
            number(record.author_us),
            number(record.later_chains_us),
            number(record.update_bytes),
            number(record.apply_us),
            number(record.memory_bytes_per_update),
            number(record.proof_bytes),
            record.snapshots.to_string(),
            format!("{}{partial}", record.cycles),
        ]);
    }
    let title = "Steady state: all keys in one snapshot, then one new value in each";
    section(
        text,
        title,
        "Means over whole epochs and whole hash chains, the load left out.",
    );
    let _ = writeln!(text, "{table}\n");
    for record in exponents {
        let ExponentRecord {
            design,
            quantity,
            exponent,
            ..
        } = record;
        let _ = writeln!(
            text,
            "{design}: {quantity} grows as keys^{}",
            number(*exponent)
        );
    }
    text.push('\n');
}

fn threads(text: &mut String, records: &[&ThreadsRecord]) {
    let Some(first) = records.first() else {
        return;
    };
    let mut table = new_table(&[
        "threads",
        "snapshot ms",
        "bare signatures ms",
        "ratio",
        "speed-up",
        "bare speed-up",
    ]);
    for record in records {
        table.add_row([
            record.threads.to_string(),
            number(record.snapshot_ms),
            number(record.bare_signatures_ms),
            number(record.ratio),
            number(record.speed_up),
            number(record.bare_speed_up),
        ]);
    }
    let title = format!(
        "{}: one snapshot of {} keys, every tuple signed",
        first.design, first.keys
    );
    section(text, &title, "");
    let _ = writeln!(text, "{table}\n");
}

fn macrobenchmarks(text: &mut String, records: &[&MacrobenchmarkRecord]) {
    let mut traces: Vec<&str> = records.iter().map(|record| record.trace.as_str()).collect();
    traces.dedup();
    for trace in traces {
        let of_trace: Vec<_> = records
            .iter()
            .filter(|record| record.trace == trace)
            .collect();
        let mut table = new_table(&[
            "table 11",
            "epochs",
            "author s",
            "server s",
            "update KB",
            "proof KB",
            "look-ups/s",
            "signatures",
            "speculation saves",
            "times without",
            "snapshots",
            "stopped by",
        ]);
        let mut ratios = new_table(&["table 10", "epochs", "updates KB/s", "look-ups KB/s"]);
        for record in of_trace {
            table.add_row([
                record.design.clone(),
                record.epochs.clone(),
                number(record.author_seconds),
                number(record.server_seconds),
                number(record.update_bytes / 1e3),
                number(record.lookups.proof_bytes / 1e3),
                number(record.lookups.lookups_per_second),
                record.signatures.to_string(),
                record
                    .signatures_saved_by_speculation
                    .map_or_else(dash, share),
                optional(record.times_without_speculation),
                format!("{} of {}", record.processed, record.snapshots),
                stopped(record.stopped),
            ]);
            ratios.add_row([
                record.design.clone(),
                record.epochs.clone(),
                number(record.update_kilobytes_per_second),
                number(record.lookup_kilobytes_per_second),
            ]);
        }
        section(text, &format!("Tables 10 and 11: trace {trace}"), "");
        let _ = writeln!(text, "{table}\n\n{ratios}\n");
    }
}

fn costs(text: &mut String, designs: &[&CostsRecord], cheapest: &[&CheapestRecord]) {
    let mut figures: Vec<&str> = designs
        .iter()
        .map(|record| record.figure.as_str())
        .collect();
    figures.dedup();
    for figure in figures {
        let of_figure = |record: &&&CostsRecord| record.figure == figure;
        let mut header = vec!["micro-dollars per look-up".to_owned()];
        let mut rows = Vec::new();
        for (index, record) in designs.iter().filter(of_figure).enumerate() {
            // Whole powers of ten.
            let points = record.points.iter().step_by(4);
            if index == 0 {
                header.extend(points.clone().map(|(ratio, _)| format!("{ratio:.0}")));
            }
            let mut row = vec![record.design.clone()];
            row.extend(points.map(|(_, cost)| number(*cost)));
            rows.push(row);
        }
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let mut table = new_table(&header);
        table.add_rows(rows);
        let mut ranges = new_table(&["cheapest", "from look-ups per update", "to"]);
        for record in cheapest.iter().filter(|record| record.figure == figure) {
            ranges.add_row([
                record.design.clone(),
                number(record.from_lookups_per_update),
                number(record.to_lookups_per_update),
            ]);
        }
        let prices = designs
            .first()
            .map_or(Prices::PAPER, |record| record.prices);
        let title = format!("{figure}: cost of a look-up, by look-ups per update");
        let note = format!("{}; only designs that reached the end.", at(&prices));
        section(text, &title, &note);
        let _ = writeln!(text, "{table}\n\n{ranges}\n");
    }
}

fn at(prices: &Prices) -> String {
    format!(
        "at {} cents per hour of computing and {} per gigabyte sent",
        prices.cpu_cents_per_hour, prices.cents_per_gigabyte
    )
}

fn stopped(stopped: Stopped) -> String {
    match stopped {
        Stopped::Finished => dash(),
        Stopped::Time => "time".to_owned(),
        Stopped::Memory => "memory".to_owned(),
    }
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
