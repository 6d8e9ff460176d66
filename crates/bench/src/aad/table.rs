//! The lines of `bench aad`, for people.

use super::{goals, paper};
use crate::{
    prelude::*,
    tables::{Column, Tables, computed, number, scaled, text},
};

/// What stands above tables with published figures.
const CAVEAT: &str = "Paper: 64 virtual CPUs of 2018. Code: the authors', one core of a virtual EPYC. Both: another curve, fewer checks.";

/// A table for each experiment.
pub fn report(lines: &[Line]) -> Tables {
    let mut tables = Tables::default();
    appends(&mut tables, lines);
    look_ups(&mut tables, lines);
    append_only(&mut tables, lines);
    memory(&mut tables, lines);
    bandwidth(&mut tables, lines);
    let columns = [
        text("scheme", "scheme"),
        text("primitive", "primitive"),
        text("n", "n"),
        number("us", "primitive_us"),
    ];
    let primitives = of(lines, "aad_primitives");
    tables.section("Primitives", "", &primitives, &columns);
    goals::table(lines, &mut tables);
    tables.signed(lines)
}

fn appends(tables: &mut Tables, lines: &[Line]) {
    let columns = [
        text("scheme", "scheme"),
        text("n", "n"),
        text("batch", "batch"),
        text("threads", "threads"),
        scaled("append ms", "append_us", 1e-3),
        scaled("limit ms", "append_limit_us", 1e-3),
        number("ratio", "append_ratio"),
        scaled("longest version ms", "longest_version_us", 1e-3),
        computed("paper ms", paper::append_ms),
        computed("code ms", paper::code_append_ms),
    ];
    let appended = of(lines, "aad_append");
    tables.section("Appending, each entry", CAVEAT, &appended, &columns);
    let columns = [
        text("scheme", "scheme"),
        text("schedule", "schedule"),
        text("n", "n"),
        text("threads", "threads"),
        scaled("mean ms", "append_us", 1e-3),
        scaled("limit of the mean ms", "append_limit_us", 1e-3),
        scaled("median ms", "append_median_us", 1e-3),
        scaled("99th of 100 ms", "append_p99_us", 1e-3),
        scaled("longest ms", "append_longest_us", 1e-3),
        text("at", "longest_at"),
    ];
    let single = of(lines, "aad_worst_case");
    let note = paper::LONGEST_APPENDS;
    tables.section("Appending one by one", note, &single, &columns);
}

/// What proofs take.
fn proof<'a>() -> [Column<'a>; 5] {
    [
        scaled("prove ms", "prove_us", 1e-3),
        scaled("verify ms", "verify_us", 1e-3),
        scaled("limit ms", "verify_limit_us", 1e-3),
        number("ratio", "verify_ratio"),
        number("bytes", "proof_bytes"),
    ]
}

fn look_ups(tables: &mut Tables, lines: &[Line]) {
    let mut columns = vec![
        text("scheme", "scheme"),
        text("schedule", "schedule"),
        text("n", "n"),
        text("values", "values"),
        text("trees", "trees"),
        scaled("server's limit ms", "prove_limit_us", 1e-3),
    ];
    columns.extend(proof());
    let mark = |line: &Line| if is_computed(line) { "computed" } else { "" };
    columns.push(Column::new("", move |line| mark(line).to_owned()));
    columns.extend([
        computed("paper bytes", |line| Some(paper::look_up(line)?.0)),
        computed("paper ms", |line| Some(paper::look_up(line)?.1)),
        computed("code bytes", |line| Some(paper::code_look_up(line)?.0)),
        computed("code ms", |line| Some(paper::code_look_up(line)?.1)),
    ]);
    let mut looked_up = of(lines, "aad_lookup");
    looked_up.retain(|line| !is_computed(line) || SHOWN.contains(&line.count("n")));
    tables.section("Look-ups", CAVEAT, &looked_up, &columns);
    let mut columns = vec![text("scheme", "scheme"), text("n", "n")];
    columns.extend(proof());
    tables.section("Inclusion", "", &of(lines, "aad_inclusion"), &columns);
}

/// Whether a line was not measured.
pub(super) fn is_computed(line: &Line) -> bool {
    line.get("is_computed") == Some(&true.into())
}

/// Of computed lines those of these numbers of entries.
const SHOWN: [u64; 2] = [(1 << 13) - 1, (1 << 20) - 1];

fn append_only(tables: &mut Tables, lines: &[Line]) {
    let mut columns = vec![
        text("scheme", "scheme"),
        text("schedule", "schedule"),
        text("versions", "pair"),
        text("from", "from"),
        text("to", "n"),
    ];
    columns.extend(proof());
    columns.extend([
        computed("published bytes", |line| Some(paper::append_only(line)?.0)),
        computed("published ms", |line| Some(paper::append_only(line)?.1)),
    ]);
    let grown = of(lines, "aad_append_only");
    let note = "Published: from 511 the authors' code, from 524287 the paper.";
    tables.section("Append-only proofs", note, &grown, &columns);
}

fn memory(tables: &mut Tables, lines: &[Line]) {
    let columns = [
        text("scheme", "scheme"),
        text("n", "n"),
        number("memory bytes each", "memory_bytes_per_element"),
        number("at most", "peak_bytes_per_element"),
        text("of which entry", "entry_bytes"),
    ];
    let memory = of(lines, "aad_memory");
    tables.section("Memory", paper::MEMORY, &memory, &columns);
}

fn bandwidth(tables: &mut Tables, lines: &[Line]) {
    let columns = [
        text("n", "n"),
        text("entries a version", "entries_per_version"),
        text("versions", "versions"),
        number("head", "head_bytes"),
        number("history", "history_bytes"),
        number("append-only", "append_only_bytes"),
        number("look-up", "look_up_bytes"),
        number("in all", "aad_bytes"),
        number("CT-like", "ct_like_bytes"),
        number("CT-like, one entry only", "ct_like_inclusion_bytes"),
        number("a look-up in a tree", "tree_look_up_bytes"),
        number("CONIKS-like", "coniks_like_bytes"),
    ];
    let visits = of(lines, "aad_bandwidth");
    let note = "Of a user with one key who was there some versions ago. CT-like: a plain log, all new entries. CONIKS-like: a tree for each \
                version, a look-up in every one.";
    tables.section("Bytes of a visit", note, &visits, &columns);
    let columns = [
        text("n", "n"),
        text("entries a version", "entries_per_version"),
        text("beside", "beside"),
        number("from versions", "versions"),
        number("from entries", "entries"),
        text("always", "is_always_smaller"),
    ];
    let crossings = of(lines, "aad_bandwidth_crossing");
    let title = "From how many versions on a visit takes fewer bytes";
    tables.section(title, "", &crossings, &columns);
}
