//! The lines of `bench tree`, `bench batch` and `bench primitives`, for people: ours beside those of 2010.

use crate::{
    columns::{Declared, titled},
    costs,
    line::{Line, groups, of},
    paper::{self, Paper},
    tables::{Column, Tables, computed, number, scaled, text},
};

/// What stands below every table that shows figures of 2010.
const CAVEAT: &str = "2010: another machine, 28-byte digests, DSA-2048, memory of the whole \
                      process (C++). Ours: memory and rates of the repository alone.";

/// What stands above the table of large snapshots.
const BATCH_NOTE: &str = "Speed: time of the bare hashes divided by the time. Scattered: bare hashes \
                          with one input each from a random place in memory.";

/// Look-ups per update, from hardly any to hardly any update: the horizontal axis of figure 6.
pub const LOOKUPS_PER_UPDATE: [f64; 7] = [0.01, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4];

/// Everything that the lines of `bench tree` say.
pub fn report(lines: &[Line]) -> Tables {
    let mut tables = Tables::default();
    for group in groups(&of(lines, "growing"), &["suite", "keys"]) {
        let (suite, keys) = (group[0].text("suite"), group[0].count("keys"));
        tables.heading(
            &format!("{suite}, {keys} keys, one new key per snapshot"),
            "",
        );
        roles(&mut tables, &group);
        paper_tables(&mut tables, &group, &of(lines, "growing_paper_layout"));
    }
    WHAT_IF.show(&mut tables, lines);
    let columns = [
        name("steady state"),
        text("keys", "keys"),
        per_second("look-ups/s", "prove_us_random_version"),
        per_second("many, look-ups/s", "prove_many_us_random_version"),
        number("insert+remove+snapshot us", "insert_snapshot_us"),
        number("apply us", "apply_us"),
        number("counted B per version", "counted_bytes_per_version"),
        number("proof B", "proof_bytes"),
    ];
    let title = "Figure 5: steady state, look-ups per second in random versions";
    tables.section(title, "", &of(lines, "steady_state"), &columns);
    tables.signed(lines)
}

#[rustfmt::skip]
const WHAT_IF: Declared = Declared::new("growing_what_if", "Section 10: micro-dollars per look-up, red-black trees, if something gets cheaper", &[
    ("what if", "scenario"), ("keys", "keys"), ("look-ups per update", "lookups_per_update"),
    ("cache-everywhere", "cache_everywhere_microdollars"), ("cache-median", "cache_median_microdollars"),
    ("median to everywhere", "median_to_everywhere"),
]);

/// Author, server, client, and the server's memory.
fn roles(tables: &mut Tables, lines: &[&Line]) {
    // All repositories of a scheme have one author.
    let authors = groups(lines, &["scheme"]);
    #[rustfmt::skip]
    let columns = titled(&[
        ("author", "scheme"), ("insert+snapshot us", "insert_snapshot_us"), ("median us", "insert_snapshot_median_us"),
        ("limit us", "author_limit_us"), ("ratio", "author_ratio"), ("median ratio", "author_ratio_median"),
        ("node hashes", "node_hashes_per_update"), ("history hashes", "history_hashes_per_update"),
        ("update B", "update_bytes"),
    ]);
    tables.table(authors.iter().map(|group| group[0]), &columns);
    let columns = [
        name("server"),
        number("apply us", "apply_us"),
        number("limit us", "apply_limit_us"),
        number("ratio", "apply_ratio"),
        number("median ratio", "apply_ratio_median"),
        number("prove latest us", "prove_us_latest"),
        number("random us", "prove_us_random_version"),
        number("many latest us", "prove_many_us_latest"),
        number("many random us", "prove_many_us_random_version"),
        number("absent us", "prove_absent_us_latest"),
    ];
    tables.table(lines.iter().copied(), &columns);
    let columns = [
        name("client"),
        number("verify us", "verify_us"),
        number("known head us", "verify_with_known_head_us"),
        number("limit us", "verify_limit_us"),
        number("ratio", "verify_ratio"),
        number("decode us", "decode_us"),
        number("depth", "depth"),
        number("proof B", "proof_bytes"),
        number("absent B", "absent_proof_bytes"),
        text("head B", "head_bytes"),
    ];
    tables.table(lines.iter().copied(), &columns);
    let columns = [
        name("memory per version"),
        number("resident B", "resident_bytes_per_version"),
        number("counted B", "counted_bytes_per_version"),
        number("nodes", "nodes_per_version"),
        number("digests", "digests_per_version"),
        scaled("peak MB", "peak_resident_bytes", 1e-6),
    ];
    tables.table(lines.iter().copied(), &columns);
}

/// A figure of 2010 for trees with as many keys as the paper's.
fn of_2010<const COLUMNS: usize, const ROWS: usize>(
    paper: &'static Paper<COLUMNS, ROWS>,
    row: &'static str,
    figure: &'static str,
) -> Column<'static> {
    computed("2010", move |line| {
        let is_papers = line.count("keys") == paper::KEYS;
        paper.get(line.text(row), figure).filter(|_| is_papers)
    })
}

fn bandwidth_of_2010(figure: &'static str) -> Column<'static> {
    computed("2010", move |line| {
        paper::bandwidth(line.count("keys"), line.text("repository"), figure)
    })
}

/// What 2010 has beside a repository's memory is that of a process, and no figure to be divided by.
const WHOLE_PROCESS: &str = "2010, process MB";

/// The repository's whole memory.
fn megabytes() -> Column<'static> {
    computed("repository MB", |line| {
        Some(line.number("resident_bytes_per_version")? * line.number("versions")? / 1e6)
    })
}

/// Tables 3 to 5 and figure 6.
fn paper_tables(tables: &mut Tables, lines: &[&Line], paper_layouts: &[&Line]) {
    let over_path_copying = |line: &&Line| line.text("repository") == "path-copying";
    let of_same = |line: &&Line| line.agrees(lines[0], &["suite", "keys"]);
    let paper_layouts = paper_layouts.iter().copied().filter(of_same);
    let copying = lines.iter().copied().filter(over_path_copying);
    let copying: Vec<&Line> = copying.chain(paper_layouts).collect();
    let columns = [
        text("scheme", "scheme"),
        Column::new("entries in", |line| {
            let leaves = line.get("layout").is_none();
            if leaves { "leaves" } else { "all nodes" }.to_owned()
        }),
        scaled("proof KB", "proof_bytes", 1e-3),
        of_2010(&paper::SCHEMES, "scheme", "proof_kilobytes"),
        per_second("look-ups/s", "prove_us_random_version"),
        of_2010(&paper::SCHEMES, "scheme", "lookups_per_second"),
        megabytes(),
        of_2010(&paper::SCHEMES, "scheme", "megabytes").titled(WHOLE_PROCESS),
    ];
    let title = "Table 3: schemes over path copying";
    tables.section(title, CAVEAT, &copying, &columns);
    let is_red_black = |line: &&Line| line.text("scheme") == "red-black";
    let red_black: Vec<&Line> = lines.iter().copied().filter(is_red_black).collect();
    let columns = [
        text("repository", "repository"),
        per_second("look-ups/s", "prove_us_random_version"),
        of_2010(&paper::REPOSITORIES, "repository", "lookups_per_second"),
        megabytes(),
        of_2010(&paper::REPOSITORIES, "repository", "megabytes").titled(WHOLE_PROCESS),
    ];
    let title = "Table 4: repositories of red-black trees";
    tables.section(title, CAVEAT, &red_black, &columns);
    let title = "Table 5: bytes sent per second of computing, red-black trees";
    let note = "Above 190 KB/s sending costs more than computing, at the prices of 2010.";
    let columns = [
        text("repository", "repository"),
        number("updates KB/s", "update_kilobytes_per_second"),
        bandwidth_of_2010("update_kilobytes_per_second"),
        number("look-ups KB/s", "lookup_kilobytes_per_second"),
        bandwidth_of_2010("lookup_kilobytes_per_second"),
    ];
    tables.section(title, note, &red_black, &columns);
    let title = "Figure 6: micro-dollars per look-up, by look-ups per update, red-black trees";
    let note =
        "At the prices of 2010; update, proof and head sent, computing of author and server.";
    let ratios = LOOKUPS_PER_UPDATE.map(|ratio| ratio.to_string());
    let mut columns = vec![text("repository", "repository")];
    columns.extend(ratios.iter().zip(LOOKUPS_PER_UPDATE).map(|(title, ratio)| {
        computed(title, move |line| {
            Some(costs::per_lookup(line, ratio) * 1e6)
        })
    }));
    tables.section(title, note, &red_black, &columns);
}

/// The primitives of each suite.
pub fn primitives(lines: &[Line]) -> Tables {
    let mut tables = Tables::default();
    let columns = [
        text("suite", "suite"),
        number("node ns", "node_hash_ns"),
        number("node ns, independent", "node_hash_independent_ns"),
        number("leaf ns", "leaf_hash_ns"),
        number("value 32 B ns", "value_hash_ns"),
        number("1 KiB ns", "value_hash_1k_ns"),
        scaled("64 KiB us", "value_hash_64k_ns", 1e-3),
        number("sign us", "sign_us"),
        number("verify us", "verify_signature_us"),
    ];
    tables.table(lines, &columns);
    tables.signed(lines)
}

/// Large snapshots on each number of threads.
pub fn batches(lines: &[Line]) -> Tables {
    let mut tables = Tables::default();
    if let Some(first) = lines.first() {
        let [scheme, repository, suite] =
            ["scheme", "repository", "suite"].map(|key| first.text(key));
        let [keys, snapshots, batch] = ["keys", "snapshots", "batch"].map(|key| first.count(key));
        let title = format!(
            "{scheme} {repository} {suite}: {keys} keys, {snapshots} snapshots of {batch} updates"
        );
        tables.heading(&title, BATCH_NOTE);
    }
    #[rustfmt::skip]
    let columns = titled(&[
        ("threads", "threads"), ("author ms", "author_snapshot_ms"), ("server ms", "apply_ms"),
        ("bare hashes ms", "bare_hashes_ms"), ("scattered ms", "scattered_hashes_ms"), ("author speed", "author_speed"),
        ("server speed", "apply_speed"), ("author speed-up", "author_speed_up"), ("server speed-up", "apply_speed_up"),
        ("bare speed-up", "bare_speed_up"), ("node hashes", "node_hashes_per_snapshot"),
        ("author load ms", "author_load_ms"), ("server load ms", "server_load_ms"),
    ]);
    tables.table(lines, &columns);
    tables.signed(lines)
}

fn name(title: &'static str) -> Column<'static> {
    Column::new(title, |line| {
        format!("{} {}", line.text("scheme"), line.text("repository"))
    })
}

/// How many fit a second, from the time of one.
fn per_second(title: &'static str, key: &'static str) -> Column<'static> {
    computed(title, move |line| Some(1e6 / line.number(key)?))
}
