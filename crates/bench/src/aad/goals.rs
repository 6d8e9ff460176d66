//! Goals for the figures of `bench aad`: accepted times, bytes and memory of append-only logs.

use crate::{
    goals::{
        self,
        Figure::{self, From, Of as In, WithLimit},
        Goal, at_most,
    },
    prelude::*,
    tables::Tables,
};

const MS: (f64, &str) = (1e3, "ms");
const KILOBYTES: (f64, &str) = (1e3, "KB");

const fn goal(
    name: &'static str,
    figure: Figure,
    unit: (f64, &'static str),
    most: f64,
    published: &'static str,
) -> Goal {
    Goal {
        name,
        figure,
        unit,
        accepted: at_most(most),
        times: f64::INFINITY,
        published,
    }
}

#[rustfmt::skip]
const GOALS: [Goal; 34] = [
    goal("append, counted, 512 in one batch", WithLimit(&[("experiment", "aad_append"),
        ("scheme", "aad-counted"), ("n", "512"), ("batch", "512"), ("threads", "1")], "append_us",
        "append_limit_us"), MS, 1.0, "code 744 ms").within(1.5),
    goal("the same on two threads", In(&[("experiment", "aad_append"), ("scheme", "aad-counted"),
        ("n", "512"), ("batch", "512"), ("threads", "2")], "append_us"), MS, 0.6, ""),
    goal("append, counted, 8192 one by one", WithLimit(&[("experiment", "aad_append"),
        ("scheme", "aad-counted"), ("n", "8192"), ("batch", "1"), ("threads", "1")], "append_us",
        "append_limit_us"), MS, 1.0, "paper 5 750 ms").within(1.5),
    goal("append, frontier, 512 in one batch",
        WithLimit(&[("experiment", "aad_append"), ("scheme", "aad-frontier"), ("n", "512"),
            ("batch", "512"), ("threads", "1")], "append_us", "append_limit_us"), MS, 140.0,
            "code 744 ms").within(1.5),
    goal("the same on two threads", In(&[("experiment", "aad_append"), ("scheme", "aad-frontier"),
        ("n", "512"), ("batch", "512"), ("threads", "2")], "append_us"), MS, 75.0, ""),
    goal("append, frontier, 8192 in one batch",
        WithLimit(&[("experiment", "aad_append"), ("scheme", "aad-frontier"), ("n", "8192"),
            ("batch", "8192"), ("threads", "1")], "append_us", "append_limit_us"), MS, 180.0,
            "paper 760 ms").within(1.5),
    goal("the same on two threads", In(&[("experiment", "aad_append"), ("scheme", "aad-frontier"),
        ("n", "8192"), ("batch", "8192"), ("threads", "2")], "append_us"), MS, 100.0, ""),
    goal("append, frontier, 1024 one by one", WithLimit(&[("experiment", "aad_append"),
        ("scheme", "aad-frontier"), ("n", "1024"), ("batch", "1"), ("threads", "1")], "append_us",
        "append_limit_us"), MS, 500.0, "code 2 530 ms at 128").within(1.5),
    goal("the same on two threads", In(&[("experiment", "aad_append"), ("scheme", "aad-frontier"),
        ("n", "1024"), ("batch", "1"), ("threads", "2")], "append_us"), MS, 270.0, ""),
    goal("longest append, frontier, deferred, 1024",
        WithLimit(&[("experiment", "aad_worst_case"), ("scheme", "aad-frontier"), ("n", "1024"),
            ("schedule", "deferred"), ("threads", "1")], "append_longest_us", "append_us"), MS,
            1_400.0, "paper 1.5 h").within(2.5),
    goal("absent, counted, 2^20 - 1", In(&[("experiment", "aad_lookup"), ("scheme", "aad-counted"),
        ("n", "1048575"), ("values", "0"), ("schedule", "eager"), ("is_computed", "false")],
        "proof_bytes"), KILOBYTES, 4.0, "paper 42.9 KB"),
    goal("the same, verifying", WithLimit(&[("experiment", "aad_lookup"), ("scheme", "aad-counted"),
        ("n", "1048575"), ("values", "0"), ("schedule", "eager"), ("is_computed", "false")],
        "verify_us", "verify_limit_us"), MS, 5.0, "paper 840 ms").within(1.3),
    goal("one value, counted, 2^20 - 1", In(&[("experiment", "aad_lookup"),
        ("scheme", "aad-counted"), ("n", "1048575"), ("values", "1"), ("schedule", "eager"),
        ("is_computed", "false")], "proof_bytes"), KILOBYTES, 8.0, "paper 45.9 KB"),
    goal("the same, verifying", WithLimit(&[("experiment", "aad_lookup"), ("scheme", "aad-counted"),
        ("n", "1048575"), ("values", "1"), ("schedule", "eager"), ("is_computed", "false")],
        "verify_us", "verify_limit_us"), MS, 10.0, "paper 910 ms").within(1.3),
    goal("server, absent, counted, 2^13", WithLimit(&[("experiment", "aad_lookup"),
        ("scheme", "aad-counted"), ("n", "8192"), ("values", "0"), ("schedule", "eager"),
        ("is_computed", "false")], "prove_us", "prove_limit_us"), MS, 80.0, "").within(1.2),
    goal("server, absent, counted, 2^20", WithLimit(&[("experiment", "aad_lookup"),
        ("scheme", "aad-counted"), ("n", "1048576"), ("values", "0"), ("schedule", "eager"),
        ("is_computed", "false")], "prove_us", "prove_limit_us"), MS, 8e3, "").within(1.2),
    goal("server, 100 values, counted, 2^13", WithLimit(&[("experiment", "aad_lookup"),
        ("scheme", "aad-counted"), ("n", "8192"), ("values", "100"), ("schedule", "eager")],
        "prove_us", "prove_limit_us"), MS, 240.0, "").within(1.2),
    goal("absent, frontier, 512", In(&[("experiment", "aad_lookup"), ("scheme", "aad-frontier"),
        ("n", "512"), ("values", "0"), ("schedule", "eager"), ("is_computed", "false")],
        "proof_bytes"), KILOBYTES, 2.2, "code 2.08 KB"),
    goal("the same, verifying", WithLimit(&[("experiment", "aad_lookup"), ("scheme", "aad-frontier"),
        ("n", "512"), ("values", "0"), ("schedule", "eager"), ("is_computed", "false")],
        "verify_us", "verify_limit_us"), MS, 5.0, "code 17.9 ms").within(1.3),
    goal("the same, server", In(&[("experiment", "aad_lookup"), ("scheme", "aad-frontier"),
        ("n", "512"), ("values", "0"), ("schedule", "eager"), ("is_computed", "false")],
        "prove_us"), MS, 30.0, ""),
    goal("one value, frontier, 512", In(&[("experiment", "aad_lookup"), ("scheme", "aad-frontier"),
        ("n", "512"), ("values", "1"), ("schedule", "eager"), ("is_computed", "false")],
        "proof_bytes"), KILOBYTES, 4.2, "code 3.46 KB"),
    goal("the same, verifying", In(&[("experiment", "aad_lookup"), ("scheme", "aad-frontier"),
        ("n", "512"), ("values", "1"), ("schedule", "eager"), ("is_computed", "false")],
        "verify_us"), MS, 8.0, "code 46 ms"),
    goal("absent, frontier, 8191", In(&[("experiment", "aad_lookup"), ("scheme", "aad-frontier"),
        ("n", "8191"), ("values", "0"), ("schedule", "eager"), ("is_computed", "false")],
        "proof_bytes"), KILOBYTES, 20.0, ""),
    goal("the same, verifying", In(&[("experiment", "aad_lookup"), ("scheme", "aad-frontier"),
        ("n", "8191"), ("values", "0"), ("schedule", "eager"), ("is_computed", "false")],
        "verify_us"), MS, 35.0, ""),
    goal("append-only, 2^20 - 1 to 2^20", In(&[("experiment", "aad_append_only"),
        ("scheme", "aad-counted"), ("n", "1048576"), ("pair", "one entry, to one tree"),
        ("schedule", "eager")], "proof_bytes"), KILOBYTES, 4.3, ""),
    goal("the same, verifying", WithLimit(&[("experiment", "aad_append_only"),
        ("scheme", "aad-counted"), ("n", "1048576"), ("pair", "one entry, to one tree"),
        ("schedule", "eager")], "verify_us", "verify_limit_us"), MS, 7.0, "").within(1.3),
    goal("the same, server", In(&[("experiment", "aad_append_only"), ("scheme", "aad-counted"),
        ("n", "1048576"), ("pair", "one entry, to one tree"), ("schedule", "eager")], "prove_us"),
        MS, 0.2, ""),
    goal("append-only, 2^19 - 1 to 2^20 - 1", In(&[("experiment", "aad_append_only"),
        ("scheme", "aad-counted"), ("n", "1048575"), ("pair", "doubled, most trees"),
        ("schedule", "eager")], "proof_bytes"), KILOBYTES, 4.7, "paper 3.55 KB"),
    goal("the same, verifying", WithLimit(&[("experiment", "aad_append_only"),
        ("scheme", "aad-counted"), ("n", "1048575"), ("pair", "doubled, most trees"),
        ("schedule", "eager")], "verify_us", "verify_limit_us"), MS, 7.0, "paper 45.6 ms")
            .within(1.3),
    goal("inclusion, counted, 2^20", In(&[("experiment", "aad_inclusion"),
        ("scheme", "aad-counted"), ("n", "1048576")], "proof_bytes"), KILOBYTES, 4.3, ""),
    goal("the same, verifying", In(&[("experiment", "aad_inclusion"), ("scheme", "aad-counted"),
        ("n", "1048576")], "verify_us"), MS, 6.5, ""),
    goal("memory without entry, counted", From(|lines| memory(lines, "aad-counted",
        "memory_bytes_per_element")), KILOBYTES, 0.4, ""),
    goal("memory without entry, frontier", From(|lines| memory(lines, "aad-frontier",
        "memory_bytes_per_element")), KILOBYTES, 1.5, "code 650 KB"),
    goal("the same at most", From(|lines| memory(lines, "aad-frontier", "peak_bytes_per_element")),
        KILOBYTES, 120.0, ""),
];

/// Returns the memory under `key` in the line of `scheme`, in bytes per entry, without the bytes of
/// the entry itself. Skips logs of fewer than 512 entries, where the figure is noise.
fn memory(lines: &[Line], scheme: &str, key: &str) -> Option<f64> {
    let measured = of(lines, "aad_memory");
    let is_of = |line: &&&Line| line.text("scheme") == scheme && line.count("n") >= 512;
    let line = measured.iter().find(is_of)?;
    Some(line.number(key)? - line.figure("entry_bytes"))
}

/// Adds a table that compares `lines` with the goals. Goals without a figure in `lines` are listed
/// by name.
pub(super) fn table(lines: &[Line], tables: &mut Tables) {
    let note = "Limit: the time of only the sums, points and pairings, in this run. Ratio: the \
        figure divided by its limit.";
    goals::table(&GOALS, note, lines, tables);
}
