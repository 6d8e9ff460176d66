//! The report for people: aligned tables, ours beside those of 2010.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};

use crate::{
    costs, paper,
    record::{BatchRecord, PrimitivesRecord, TreeRecord},
    workload::Experiment,
};

/// What stands below every table that shows figures of 2010.
const CAVEAT: &str = "2010: another machine, 28-byte digests, DSA-2048, memory of the whole \
                      process (C++). Ours: memory and rates of the repository alone.";

/// What stands above the table of large snapshots.
const BATCH_NOTE: &str = "Speed: time of the bare hashes divided by the time. Scattered: bare hashes \
                          with one input each from a random place in memory.";

/// Look-ups per update, from hardly any to hardly any update: the horizontal axis of figure 6.
pub const LOOKUPS_PER_UPDATE: [f64; 7] = [0.01, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4];

/// Everything that the records of one run say.
pub fn report(records: &[TreeRecord]) -> String {
    let mut text = String::new();
    let mut groups: Vec<(&str, u64)> = Vec::new();
    for record in records
        .iter()
        .filter(|record| record.experiment == Experiment::Growing)
    {
        if !groups.contains(&(&record.suite, record.keys)) {
            groups.push((&record.suite, record.keys));
        }
    }
    for (suite, keys) in groups {
        let of_group = |record: &&TreeRecord| {
            record.experiment == Experiment::Growing && record.suite == suite && record.keys == keys
        };
        let group: Vec<&TreeRecord> = records.iter().filter(of_group).collect();
        section(
            &mut text,
            &format!("{suite}, {keys} keys, one new key per snapshot"),
            "",
        );
        for table in [
            authors(&group),
            servers(&group),
            clients(&group),
            memory(&group),
        ] {
            let _ = writeln!(text, "{table}\n");
        }
        section(&mut text, "Table 3: schemes over path copying", CAVEAT);
        let _ = writeln!(text, "{}\n", schemes(&group));
        section(
            &mut text,
            "Table 4: repositories of red-black trees",
            CAVEAT,
        );
        let _ = writeln!(text, "{}\n", repositories(&group));
        section(
            &mut text,
            "Table 5: bytes sent per second of computing, red-black trees",
            "Above 190 KB/s sending costs more than computing, at the prices of 2010.",
        );
        let _ = writeln!(text, "{}\n", bandwidth(&group));
        section(
            &mut text,
            "Figure 6: micro-dollars per look-up, by look-ups per update, red-black trees",
            "At the prices of 2010; update, proof and head sent, computing of author and server.",
        );
        let _ = writeln!(text, "{}\n", lookup_costs(&group));
    }
    let steady = Experiment::SteadyState;
    let steady: Vec<_> = records
        .iter()
        .filter(|record| record.experiment == steady)
        .collect();
    if !steady.is_empty() {
        section(
            &mut text,
            "Figure 5: steady state, look-ups per second in random versions",
            "",
        );
        let _ = writeln!(text, "{}\n", steady_states(&steady));
    }
    if let Some(record) = records.first() {
        let _ = writeln!(text, "{}", machine(&record.machine));
    }
    text
}

/// The primitives of each suite.
pub fn primitives(records: &[PrimitivesRecord]) -> String {
    let mut table = new_table(&[
        "suite",
        "node ns",
        "node ns, independent",
        "leaf ns",
        "value 32 B ns",
        "1 KiB ns",
        "64 KiB us",
        "sign us",
        "verify us",
    ]);
    for PrimitivesRecord {
        suite, primitives, ..
    } in records
    {
        table.add_row([
            suite.clone(),
            number(primitives.node_hash_ns),
            number(primitives.node_hash_independent_ns),
            number(primitives.leaf_hash_ns),
            number(primitives.value_hash_ns),
            number(primitives.value_hash_1k_ns),
            number(primitives.value_hash_64k_ns / 1e3),
            number(primitives.sign_us),
            number(primitives.verify_signature_us),
        ]);
    }
    format!(
        "{table}\n{}",
        records
            .first()
            .map_or_else(String::new, |r| machine(&r.machine))
    )
}

/// Large snapshots on each number of threads.
pub fn batches(records: &[BatchRecord]) -> String {
    let mut table = new_table(&[
        "threads",
        "author ms",
        "server ms",
        "bare hashes ms",
        "scattered ms",
        "author speed",
        "server speed",
        "author speed-up",
        "server speed-up",
        "bare speed-up",
        "node hashes",
        "author load ms",
        "server load ms",
    ]);
    for record in records {
        table.add_row([
            record.threads.to_string(),
            number(record.author_snapshot_ms),
            number(record.apply_ms),
            number(record.bare_hashes_ms),
            number(record.scattered_hashes_ms),
            number(record.author_speed),
            number(record.apply_speed),
            number(record.author_speed_up),
            number(record.apply_speed_up),
            number(record.bare_speed_up),
            number(record.node_hashes_per_snapshot),
            number(record.author_load_ms),
            number(record.server_load_ms),
        ]);
    }
    let mut text = String::new();
    if let Some(first) = records.first() {
        let BatchRecord {
            scheme,
            repository,
            suite,
            keys,
            batch,
            snapshots,
            ..
        } = first;
        let title = format!(
            "{scheme} {repository} {suite}: {keys} keys, {snapshots} snapshots of {batch} updates"
        );
        section(&mut text, &title, BATCH_NOTE);
        let _ = write!(text, "{table}\n\n{}", machine(&first.machine));
    }
    text
}

/// A number with about four significant digits, and no exponent.
pub fn number(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 1000.0 => 0,
        size if size >= 100.0 => 1,
        size if size >= 1.0 || size == 0.0 => 2,
        size if size >= 0.01 => 4,
        _ => 6,
    };
    format!("{value:.decimals$}")
}

fn authors(records: &[&TreeRecord]) -> Table {
    let mut table = new_table(&[
        "author",
        "insert+snapshot us",
        "median us",
        "limit us",
        "ratio",
        "median ratio",
        "node hashes",
        "history hashes",
        "update B",
    ]);
    let mut seen = Vec::new();
    for record in records {
        if seen.contains(&record.scheme) {
            continue;
        }
        seen.push(record.scheme.clone());
        let author = &record.author;
        table.add_row([
            record.scheme.clone(),
            number(author.insert_snapshot_us),
            number(author.insert_snapshot_median_us),
            number(author.author_limit_us),
            number(author.author_ratio),
            number(author.author_ratio_median),
            number(author.node_hashes_per_update),
            number(author.history_hashes_per_update),
            number(author.update_bytes),
        ]);
    }
    table
}

fn servers(records: &[&TreeRecord]) -> Table {
    let mut table = new_table(&[
        "server",
        "apply us",
        "limit us",
        "ratio",
        "median ratio",
        "prove latest us",
        "random us",
        "many latest us",
        "many random us",
        "absent us",
    ]);
    for record in records {
        let server = &record.server;
        table.add_row([
            name(record),
            number(server.apply_us),
            number(server.apply_limit_us),
            number(server.apply_ratio),
            number(server.apply_ratio_median),
            number(server.prove_us_latest),
            number(server.prove_us_random_version),
            number(server.prove_many_us_latest),
            number(server.prove_many_us_random_version),
            number(server.prove_absent_us_latest),
        ]);
    }
    table
}

fn clients(records: &[&TreeRecord]) -> Table {
    let mut table = new_table(&[
        "client",
        "verify us",
        "known head us",
        "limit us",
        "ratio",
        "decode us",
        "depth",
        "proof B",
        "absent B",
        "head B",
    ]);
    for record in records {
        let server = &record.server;
        table.add_row([
            name(record),
            number(server.verify_us),
            number(server.verify_with_known_head_us),
            number(server.verify_limit_us),
            number(server.verify_ratio),
            number(server.decode_us),
            number(server.depth),
            number(server.proof_bytes),
            number(server.absent_proof_bytes),
            server.head_bytes.to_string(),
        ]);
    }
    table
}

fn memory(records: &[&TreeRecord]) -> Table {
    let mut table = new_table(&[
        "memory per version",
        "resident B",
        "counted B",
        "nodes",
        "digests",
        "peak MB",
    ]);
    for record in records {
        let server = &record.server;
        table.add_row([
            name(record),
            number(server.resident_bytes_per_version),
            number(server.counted_bytes_per_version),
            number(server.nodes_per_version),
            number(server.digests_per_version),
            number(server.peak_resident_bytes as f64 / 1e6),
        ]);
    }
    table
}

fn schemes(records: &[&TreeRecord]) -> Table {
    let mut table = new_table(&[
        "scheme",
        "proof KB",
        "2010",
        "look-ups/s",
        "2010",
        "MB",
        "2010",
    ]);
    for record in records
        .iter()
        .filter(|record| record.repository == "path-copying")
    {
        let row = paper::SCHEMES
            .iter()
            .find(|row| row.scheme == record.scheme);
        let row = row.filter(|_| record.keys == paper::KEYS);
        table.add_row([
            record.scheme.clone(),
            number(record.server.proof_bytes / 1e3),
            optional(row.map(|row| row.proof_kilobytes)),
            number(1e6 / record.server.prove_us_random_version),
            optional(row.map(|row| row.lookups_per_second)),
            number(megabytes(record)),
            optional(row.map(|row| row.megabytes)),
        ]);
    }
    table
}

fn repositories(records: &[&TreeRecord]) -> Table {
    let mut table = new_table(&["repository", "look-ups/s", "2010", "MB", "2010"]);
    for record in records.iter().filter(|record| record.scheme == "red-black") {
        let row = paper::REPOSITORIES
            .iter()
            .find(|row| row.repository == record.repository);
        let row = row.filter(|_| record.keys == paper::KEYS);
        table.add_row([
            record.repository.clone(),
            number(1e6 / record.server.prove_us_random_version),
            optional(row.map(|row| row.lookups_per_second)),
            number(megabytes(record)),
            optional(row.map(|row| row.megabytes)),
        ]);
    }
    table
}

fn bandwidth(records: &[&TreeRecord]) -> Table {
    let mut table = new_table(&[
        "repository",
        "updates KB/s",
        "2010",
        "look-ups KB/s",
        "2010",
    ]);
    for record in records.iter().filter(|record| record.scheme == "red-black") {
        let row = paper::BANDWIDTH
            .iter()
            .find(|row| row.repository == record.repository && row.keys == record.keys);
        table.add_row([
            record.repository.clone(),
            number(record.update_kilobytes_per_second),
            optional(row.map(|row| row.updates)),
            number(record.lookup_kilobytes_per_second),
            optional(row.map(|row| row.lookups)),
        ]);
    }
    table
}

fn lookup_costs(records: &[&TreeRecord]) -> Table {
    let ratios = LOOKUPS_PER_UPDATE.map(|ratio| ratio.to_string());
    let mut table = new_table(&["repository"]);
    let mut header = vec!["repository".to_owned()];
    header.extend(ratios);
    table.set_header(header);
    for record in records.iter().filter(|record| record.scheme == "red-black") {
        let mut row = vec![record.repository.clone()];
        row.extend(LOOKUPS_PER_UPDATE.map(|ratio| number(costs::per_lookup(record, ratio) * 1e6)));
        table.add_row(row);
    }
    right_align(&mut table);
    table
}

fn steady_states(records: &[&TreeRecord]) -> Table {
    let mut table = new_table(&[
        "steady state",
        "keys",
        "look-ups/s",
        "many, look-ups/s",
        "insert+remove+snapshot us",
        "apply us",
        "counted B per version",
        "proof B",
    ]);
    for record in records {
        table.add_row([
            name(record),
            record.keys.to_string(),
            number(1e6 / record.server.prove_us_random_version),
            number(1e6 / record.server.prove_many_us_random_version),
            number(record.author.insert_snapshot_us),
            number(record.server.apply_us),
            number(record.server.counted_bytes_per_version),
            number(record.server.proof_bytes),
        ]);
    }
    table
}

/// The repository's whole memory.
fn megabytes(record: &TreeRecord) -> f64 {
    record.server.resident_bytes_per_version * record.versions as f64 / 1e6
}

fn name(record: &TreeRecord) -> String {
    format!("{} {}", record.scheme, record.repository)
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), number)
}

pub(crate) fn machine(machine: &crate::machine::Machine) -> String {
    let crate::machine::Machine {
        cpu,
        cores,
        rustc,
        commit,
    } = machine;
    format!("{cpu}, {cores} cores; {rustc}; commit {commit}; one thread unless stated.")
}

pub(crate) fn section(text: &mut String, title: &str, note: &str) {
    let _ = writeln!(text, "{title}");
    if !note.is_empty() {
        let _ = writeln!(text, "{note}");
    }
    let _ = writeln!(text);
}

pub(crate) fn new_table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_style(ASCII_MARKDOWN)
        .set_header(header.iter().copied());
    right_align(&mut table);
    table
}

/// Aligns all columns but the first, which holds names, to the right.
fn right_align(table: &mut Table) {
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_about_four_digits() {
        for (value, text) in [
            (0.0, "0.00"),
            (0.004_567, "0.004567"),
            (0.1234, "0.1234"),
            (1.234, "1.23"),
            (123.45, "123.5"),
            (12_345.6, "12346"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn columns_are_aligned() {
        let mut table = new_table(&["name", "us"]);
        table.add_row(["a", "1.00"]).add_row(["longer", "100.00"]);
        let text = table.to_string();
        let widths: Vec<_> = text.lines().map(|line| line.chars().count()).collect();
        assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{text}");
        assert!(text.contains("|   1.00 |"), "{text}");
    }
}
