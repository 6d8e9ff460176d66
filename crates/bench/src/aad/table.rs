//! Tables for the result lines of `bench aad`.

use crate::{goals, line, prelude::*};

/// Makes a table for each experiment of `bench aad`, and the table of goals.
pub fn report(lines: &[Line]) -> Tables {
    let mut tables = shown(&TABLES, lines);
    goals::table(("logs", GOALS), computed, lines, &mut tables);
    tables.signed(lines)
}

/// Note above the table of goals.
const GOALS: &str = "Limit: the time of only the sums, points and pairings, in this run. Ratio: \
    the figure divided by its limit.";

/// Computes a figure of a goal: memory in bytes per entry, without the bytes of the entry itself.
/// Skips logs of fewer than 512 entries, where the figure is noise.
fn computed(name: &str, lines: &[Line]) -> Option<f64> {
    let (scheme, key) = match name {
        "memory-counted" => ("aad-counted", "memory_bytes_per_element"),
        "memory-frontier" => ("aad-frontier", "memory_bytes_per_element"),
        _ => ("aad-frontier", "peak_bytes_per_element"),
    };
    let measured = of(lines, "aad_memory");
    let is_of = |line: &&&Line| line.text("scheme") == scheme && line.count("n") >= 512;
    let line = measured.iter().find(is_of)?;
    Some(line.number(key)? - line.figure("entry_bytes"))
}

/// Caveat above tables with published figures.
const CAVEAT: &str = "Paper: 64 virtual CPUs of 2018. Code: the program of the paper's authors, on \
    one core of a virtual EPYC. Both use another curve and check less.";

/// Derives `portable_us`, the time of an append without fast lanes.
fn portable(lines: &[Line], line: &Line) -> Line {
    let work = ["scheme", "n", "batch", "threads"];
    line! { portable_us: without_lanes(lines, line, &work, "append_us") }
}

#[rustfmt::skip]
const TABLES: [TableSpec; 9] = [
    TableSpec::new("aad_append", "Appending in versions of a batch, time of each entry", &[
        ("scheme", "scheme"), ("n", "n"), ("batch", "batch"), ("threads", "threads"),
        ("append ms", "append_us/1e3"), ("without lanes ms", "portable_us/1e3"),
        ("limit ms", "append_limit_us/1e3"), ("ratio", "append_ratio"),
        ("longest version ms", "longest_version_us/1e3"), ("paper ms", "paper.ms"),
        ("code ms", "paper.code_ms"),
    ]).noted(CAVEAT).deriving(portable),
    TableSpec::new("aad_worst_case", "Appending one by one", &[
        ("scheme", "scheme"), ("schedule", "schedule"), ("n", "n"), ("threads", "threads"),
        ("mean ms", "append_us/1e3"), ("limit of the mean ms", "append_limit_us/1e3"),
        ("median ms", "append_median_us/1e3"), ("99th of 100 ms", "append_p99_us/1e3"),
        ("longest ms", "append_longest_us/1e3"), ("at", "longest_at"),
    ]).noted("Paper: single appends of 0.025 to 5 400 s up to 8 192 entries. Authors' code: up to 63 s \
        at 128."),
    TableSpec::new("aad_lookup", "Look-ups: time and bytes", &[
        ("scheme", "scheme"), ("schedule", "schedule"), ("n", "n"), ("values", "values"),
        ("trees", "trees"), ("server's limit ms", "prove_limit_us/1e3"),
        ("prove ms", "prove_us/1e3"), ("verify ms", "verify_us/1e3"),
        ("limit ms", "verify_limit_us/1e3"), ("ratio", "verify_ratio"), ("bytes", "proof_bytes"),
        ("", "computed"), ("paper bytes", "paper.bytes"), ("paper ms", "paper.ms"),
        ("code bytes", "paper.code_bytes"), ("code ms", "paper.code_ms"),
    ]).noted(CAVEAT).filtered(|line| !is_computed(line) || SHOWN.contains(&line.count("n")))
        .deriving(|_, line| line! { computed: if is_computed(line) { "computed" } else { "" } }),
    TableSpec::new("aad_inclusion", "Inclusion proofs", &[
        ("scheme", "scheme"), ("n", "n"), ("prove ms", "prove_us/1e3"),
        ("verify ms", "verify_us/1e3"), ("limit ms", "verify_limit_us/1e3"),
        ("ratio", "verify_ratio"), ("bytes", "proof_bytes"),
    ]),
    TableSpec::new("aad_append_only", "Append-only proofs", &[
        ("scheme", "scheme"), ("schedule", "schedule"), ("versions", "pair"), ("from", "from"),
        ("to", "n"), ("prove ms", "prove_us/1e3"), ("verify ms", "verify_us/1e3"),
        ("limit ms", "verify_limit_us/1e3"), ("ratio", "verify_ratio"), ("bytes", "proof_bytes"),
        ("published bytes", "paper.bytes"), ("published ms", "paper.ms"),
    ]).noted("Published figures: of the authors' code where from is 511, of the paper where it is \
        524287."),
    TableSpec::new("aad_memory", "Memory of the author for each entry", &[
        ("scheme", "scheme"), ("n", "n"), ("memory bytes each", "memory_bytes_per_element"),
        ("at most", "peak_bytes_per_element"), ("of which entry", "entry_bytes"),
    ]).noted("Authors' code: 650 000 to 800 000 bytes each."),
    TableSpec::new("aad_bandwidth", "Bytes of a visit", &[
        ("n", "n"), ("entries a version", "entries_per_version"), ("versions", "versions"),
        ("head", "head_bytes"), ("history", "history_bytes"), ("append-only", "append_only_bytes"),
        ("look-up", "look_up_bytes"), ("in all", "aad_bytes"), ("CT-like", "ct_like_bytes"),
        ("CT-like, one entry only", "ct_like_inclusion_bytes"),
        ("a look-up in a tree", "tree_look_up_bytes"), ("CONIKS-like", "coniks_like_bytes"),
    ]).noted("Bytes for a client with one key that returns after some versions. CT-like: a \
        plain log sends all new entries. CONIKS-like: a tree for each version and a look-up in \
        each."),
    TableSpec::new("aad_bandwidth_crossing",
        "Number of versions from which a visit takes fewer bytes",
        &[
        ("n", "n"), ("entries a version", "entries_per_version"), ("beside", "beside"),
        ("from versions", "versions"), ("from entries", "entries"), ("always", "is_always_smaller"),
    ]),
    TableSpec::new("aad_primitives", "Primitives", &[
        ("scheme", "scheme"), ("primitive", "primitive"), ("n", "n"), ("us", "primitive_us"),
    ]),
];

/// Reports whether the figures of a result line were computed instead of measured.
pub(super) fn is_computed(line: &Line) -> bool {
    line.says(&[("is_computed", "true")])
}

/// Log sizes, in entries, whose computed result lines appear in the table of lookups.
const SHOWN: [u64; 2] = [(1 << 13) - 1, (1 << 20) - 1];
