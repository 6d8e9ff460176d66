//! Goals for the figures of `bench directory`.

use super::{durable, paper, shape};
use crate::{
    goals::{
        self, ANY,
        Figure::{self, From, Of as In, WithLimit},
        Goal, at_least, at_most, exactly,
    },
    line::{Line, Selection},
    tables::Tables,
};

const fn goal(name: &'static str, figure: Figure, accepted: (f64, f64)) -> Goal {
    Goal {
        name,
        figure,
        unit: (1.0, ""),
        accepted,
        times: f64::INFINITY,
        published: "",
    }
}

/// Declares a goal for a time in microseconds: at most `times` times its limit, under the key
/// `limit` of the same line.
const fn ratio(
    name: &'static str,
    of: Selection,
    key: &'static str,
    limit: &'static str,
    times: f64,
) -> Goal {
    goal(name, WithLimit(of, key, limit), ANY).within(times)
}

#[rustfmt::skip]
const GOALS: [Goal; 36] = [
    goal("bytes of a proof, 10^6", In(&[("experiment", "directory_proof_bytes"),
        ("strategy", "merkle"), ("entries", "1000000")], "proof_bytes"), exactly(688.0)),
    goal("the same, 10^8", In(&[("experiment", "directory_proof_bytes"), ("strategy", "merkle"),
        ("entries", "100000000")], "proof_bytes"), exactly(912.0)),
    goal("the same, 10^9", In(&[("experiment", "directory_proof_bytes"), ("strategy", "merkle"),
        ("entries", "1000000000")], "proof_bytes"), exactly(1_008.0)),
    ratio("one update and the root, 10^6", &[("experiment", "directory_update"),
        ("strategy", "merkle"), ("entries", "1000000")], "update_us", "update_limit_us", 1.6),
    ratio("the same, 10^7", &[("experiment", "directory_update"), ("strategy", "merkle"),
        ("entries", "10000000")], "update_us", "update_limit_us", 1.8),
    ratio("the same, 10^8", &[("experiment", "directory_update"), ("strategy", "merkle"),
        ("entries", "100000000")], "update_us", "update_limit_us", 2.3),
    ratio("one update and the root, hot entries, 10^6",
        &[("experiment", "directory_update_hot"), ("strategy", "merkle"), ("entries", "1000000")],
        "update_us", "update_limit_us", 1.25),
    ratio("appends, 10^6 in one version", &[("experiment", "directory_append"),
        ("strategy", "merkle"), ("entries", "1000000")], "update_us", "update_limit_us", 2.2),
    ratio("10 000 updates in one version, 10^6",
        &[("experiment", "directory_batch"), ("strategy", "merkle"), ("entries", "1000000")],
        "update_us", "update_limit_us", 2.0),
    ratio("proving one entry, 10^6; limit: one node",
        &[("experiment", "directory_prove"), ("strategy", "merkle"), ("entries", "1000000")],
        "prove_us", "prove_limit_us", 10.0),
    ratio("the same, 10^7", &[("experiment", "directory_prove"), ("strategy", "merkle"),
        ("entries", "10000000")], "prove_us", "prove_limit_us", 18.0),
    ratio("verifying under a known root, 10^6",
        &[("experiment", "directory_prove"), ("strategy", "merkle"), ("entries", "1000000")],
        "verify_us", "verify_limit_us", 1.3),
    goal("loading a block from the page cache, less reading it",
        In(&[("experiment", "directory_read"), ("strategy", "merkle")], "prove_ratio"),
        at_most(1.6)),
    goal("block reads of a look-up", In(&[("experiment", "directory_read"), ("strategy", "merkle")],
        "reads_per_lookup"), exactly(1.0)),
    goal("the same with a hint", In(&[("experiment", "directory_read"), ("strategy", "merkle")],
        "reads_with_hint"), exactly(0.0)),
    goal("block reads of the known traces that differ", From(paper::differing_reads), exactly(0.0)),
    goal("durable updates, 10^6; limit: redb",
        From(|lines| durable::ours_and_redb(lines, "update_us").map(|[ours, redb]| ours / redb)),
        at_most(1.0)),
    goal("durable updates a second", From(|lines| durable::ours_and_redb(lines, "update_us")
        .map(|[ours, _]| 1e6 / ours)), at_least(100_000.0)),
    goal("bytes written for each, divided by redb's",
        From(|lines| durable::ours_and_redb(lines, "written_bytes_per_update")
            .map(|[ours, redb]| ours / redb)), at_most(0.5)),
    goal("bytes of files for each entry, 10^6",
        In(&[("experiment", "directory_load"), ("strategy", "merkle"), ("entries", "1000000")],
            "level_bytes_per_entry"), at_most(32.3)),
    goal("the same, 10^7", In(&[("experiment", "directory_load"), ("strategy", "merkle"),
        ("entries", "10000000")], "level_bytes_per_entry"), at_most(32.3)),
    ratio("bulk load, each entry, 10^7", &[("experiment", "directory_load"), ("strategy", "merkle"),
        ("entries", "10000000")], "update_us", "update_limit_us", 2.0),
    ratio("the same, 10^8", &[("experiment", "directory_load"), ("strategy", "merkle"),
        ("entries", "100000000")], "update_us", "update_limit_us", 2.0),
    ratio("reopening, each logged update, 10^6; limit: applying",
        &[("experiment", "directory_reopen"), ("strategy", "merkle"), ("entries", "1000000")],
        "update_us", "update_limit_us", 2.0),
    ratio("one change of one block, ad-hash-1600",
        &[("experiment", "directory_change"), ("strategy", "ad-hash-1600")], "update_us",
        "update_limit_us", 1.25),
    ratio("the same, mu-hash-1024", &[("experiment", "directory_change"),
        ("strategy", "mu-hash-1024")], "update_us", "update_limit_us", 1.25),
    ratio("the same, mu-hash-3072", &[("experiment", "directory_change"),
        ("strategy", "mu-hash-3072")], "update_us", "update_limit_us", 1.25),
    ratio("the same, lt-hash", &[("experiment", "directory_change"), ("strategy", "lt-hash")],
        "update_us", "update_limit_us", 1.25),
    goal("AdHASH: 512 bytes divided by 16 KiB", From(shape::falls_at_first), at_least(4.0)),
    goal("AdHASH: share saved from 16 to 64 KiB", From(shape::falls_then), (0.10, 0.45)),
    goal("AdHASH beside its elements: farthest ratio", From(shape::elements), (0.85, 1.15)),
    goal("scanning SHA-384 at 64 KiB, divided by AdHASH", From(shape::scanning), at_least(3.5)),
    goal("merkle: slowest divided by fastest", From(shape::path_spread), at_most(1.3)),
    goal("AdHASH divided by merkle, at least", From(shape::path_below), at_least(5.0)),
    goal("bytes of a light author's state, at most",
        In(&[("experiment", "directory_light_author"), ("strategy", "merkle")], "most_bytes"),
        at_most(4_096.0)),
    goal("memory of a server of 10^8, budget 256 MiB",
        In(&[("experiment", "directory_load"), ("strategy", "merkle"), ("entries", "100000000")],
            "memory_bytes"), at_most(268_435_456.0 + 1e8)),
];

/// Adds a table that compares `lines` with the goals. Goals without a figure in `lines` are listed
/// by name.
pub(super) fn table(lines: &[Line], tables: &mut Tables) {
    let note = "Times in microseconds. Limit: the time of only the primitives, in this run. Ratio: \
        the figure divided by its limit.";
    goals::table(&GOALS, note, lines, tables);
}
