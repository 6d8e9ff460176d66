//! What directories are meant to reach: each figure beside its limit from the same run.

use super::{durable, paper, shape};
use crate::{
    line::Line,
    tables::{Tables, digits},
};

/// One figure and what it should be: its number, its name, where it is, and the least and most that is accepted.
struct Goal(&'static str, &'static str, Figure, (f64, f64));

/// Where a figure is.
enum Figure {
    /// In a line, by its key.
    Of(Of, &'static str),
    /// In a line, by its key, divided by the limit with another key.
    Ratio(Of, &'static str, &'static str),
    /// Computed from several lines.
    From(fn(&[Line]) -> Option<f64>),
}

use Figure::{From, Of as In, Ratio};

/// Experiment, strategy, entries; [`ANY`] for any.
type Of = (&'static str, &'static str, u64);

const ANY: u64 = 0;
const MILLION: u64 = 1_000_000;
const MERKLE: &str = "merkle";

const fn exactly(figure: f64) -> (f64, f64) {
    (figure, figure)
}

const fn at_most(figure: f64) -> (f64, f64) {
    (0.0, figure)
}

const fn at_least(figure: f64) -> (f64, f64) {
    (figure, f64::INFINITY)
}

/// The time of an update beside its nodes.
const fn updated(experiment: &'static str, strategy: &'static str, entries: u64) -> Figure {
    Ratio(
        (experiment, strategy, entries),
        "update_us",
        "update_limit_us",
    )
}

const fn proof_bytes(entries: u64) -> Figure {
    In(("directory_proof_bytes", MERKLE, entries), "proof_bytes")
}

const fn proved(entries: u64) -> Figure {
    Ratio(
        ("directory_prove", MERKLE, entries),
        "prove_us",
        "prove_limit_us",
    )
}

const fn verified(entries: u64) -> Figure {
    Ratio(
        ("directory_prove", MERKLE, entries),
        "verify_us",
        "verify_limit_us",
    )
}

const fn changed(strategy: &'static str) -> Figure {
    updated("directory_change", strategy, ANY)
}

#[rustfmt::skip]
const GOALS: [Goal; 36] = [
    Goal("1", "bytes of a proof, 10^6", proof_bytes(MILLION), exactly(688.0)),
    Goal("1", "the same, 10^8", proof_bytes(100 * MILLION), exactly(912.0)),
    Goal("1", "the same, 10^9", proof_bytes(1_000 * MILLION), exactly(1_008.0)),
    Goal("2", "one update and the root, 10^6", updated("directory_update", MERKLE, MILLION), at_most(1.6)),
    Goal("3", "the same, 10^7", updated("directory_update", MERKLE, 10 * MILLION), at_most(1.8)),
    Goal("4", "the same, 10^8", updated("directory_update", MERKLE, 100 * MILLION), at_most(2.3)),
    Goal("5", "one update and the root, hot entries, 10^6", updated("directory_update_hot", MERKLE, MILLION), at_most(1.25)),
    Goal("6", "appends, 10^6 in one version", updated("directory_append", MERKLE, MILLION), at_most(2.2)),
    Goal("7", "10 000 updates in one version, 10^6", updated("directory_batch", MERKLE, MILLION), at_most(2.0)),
    Goal("8", "proving one entry, 10^6; limit: one node", proved(MILLION), at_most(10.0)),
    Goal("8", "the same, 10^7", proved(10 * MILLION), at_most(18.0)),
    Goal("9", "verifying under a known root, 10^6", verified(MILLION), at_most(1.3)),
    Goal("10", "loading a block from the page cache, less reading it", In(("directory_read", MERKLE, ANY), "prove_ratio"), at_most(1.6)),
    Goal("11", "block reads of a look-up", In(("directory_read", MERKLE, ANY), "reads_per_lookup"), exactly(1.0)),
    Goal("11", "the same with a hint", In(("directory_read", MERKLE, ANY), "reads_with_hint"), exactly(0.0)),
    Goal("12", "block reads of the known traces that differ", From(paper::differing_reads), exactly(0.0)),
    Goal("13", "durable updates, 10^6; limit: redb", From(durable::beside_redb), at_most(1.0)),
    Goal("13", "durable updates a second", From(durable::per_second), at_least(100_000.0)),
    Goal("14", "bytes written for each, divided by redb's", From(durable::written_beside_redb), at_most(0.5)),
    Goal("15", "bytes of files for each entry, 10^6", In(("directory_load", MERKLE, MILLION), "level_bytes_per_entry"), at_most(32.3)),
    Goal("15", "the same, 10^7", In(("directory_load", MERKLE, 10 * MILLION), "level_bytes_per_entry"), at_most(32.3)),
    Goal("16", "bulk load, each entry, 10^7", updated("directory_load", MERKLE, 10 * MILLION), at_most(2.0)),
    Goal("16", "the same, 10^8", updated("directory_load", MERKLE, 100 * MILLION), at_most(2.0)),
    Goal("17", "reopening, each logged update, 10^6; limit: applying", updated("directory_reopen", MERKLE, MILLION), at_most(2.0)),
    Goal("18", "one change of one block, ad-hash-1600", changed("ad-hash-1600"), at_most(1.25)),
    Goal("18", "the same, mu-hash-1024", changed("mu-hash-1024"), at_most(1.25)),
    Goal("18", "the same, mu-hash-3072", changed("mu-hash-3072"), at_most(1.25)),
    Goal("18", "the same, lt-hash", changed("lt-hash"), at_most(1.25)),
    Goal("19", "AdHASH: 512 bytes divided by 16 KiB", From(shape::falls_at_first), at_least(4.0)),
    Goal("19", "AdHASH: share saved from 16 to 64 KiB", From(shape::falls_then), (0.10, 0.45)),
    Goal("19", "AdHASH beside its elements: farthest ratio", From(shape::elements), (0.85, 1.15)),
    Goal("19", "scanning SHA-384 at 64 KiB, divided by AdHASH", From(shape::scanning), at_least(3.5)),
    Goal("19", "merkle: slowest divided by fastest", From(shape::path_spread), at_most(1.3)),
    Goal("19", "AdHASH divided by merkle, at least", From(shape::path_below), at_least(5.0)),
    Goal("20", "bytes of a light author's state, at most", In(("directory_light_author", MERKLE, ANY), "most_bytes"), at_most(4_096.0)),
    Goal("21", "memory of a server of 10^8, budget 256 MiB", In(("directory_load", MERKLE, 100 * MILLION), "memory_bytes"), at_most(268_435_456.0 + 1e8)),
];

impl Figure {
    /// The figure, and its limit if it has one; of several lines the one that is farthest above its limit.
    fn of(&self, lines: &[Line]) -> Option<(f64, Option<f64>)> {
        let found = |(experiment, strategy, entries): Of| {
            lines.iter().filter(move |line| {
                line.text("experiment") == experiment
                    && line.text("strategy") == strategy
                    && (entries == ANY || line.count("entries") == entries)
            })
        };
        match *self {
            In(of, key) => Some((found(of).next()?.number(key)?, None)),
            Ratio(of, key, limit) => {
                let both = |line: &Line| Some((line.number(key)?, line.number(limit)?));
                let ratio = |(figure, limit): &(f64, f64)| figure / limit;
                let farthest = found(of)
                    .filter_map(both)
                    .max_by(|one, other| ratio(one).total_cmp(&ratio(other)));
                farthest.map(|(figure, limit)| (figure, Some(limit)))
            }
            From(computed) => Some((computed(lines)?, None)),
        }
    }
}

impl Goal {
    /// Number, name, figure, limit, ratio, what is accepted, and whether the goal is met.
    fn row(&self, lines: &[Line]) -> Option<Vec<String>> {
        let Self(number, name, figure, (least, most)) = self;
        let (figure, limit) = figure.of(lines)?;
        let value = limit.map_or(figure, |limit| figure / limit);
        let accepted = match (*least, *most) {
            (least, most) if least.to_bits() == most.to_bits() => format!("exactly {least}"),
            (least, f64::INFINITY) => format!("at least {least}"),
            (0.0, most) => format!("at most {most}"),
            (least, most) => format!("{least} to {most}"),
        };
        let is_met = (*least..=*most).contains(&value);
        let show = |number: Option<f64>| number.map_or_else(String::new, digits);
        Some(vec![
            (*number).to_owned(),
            (*name).to_owned(),
            digits(figure),
            show(limit),
            show(limit.map(|_| value)),
            accepted,
            if is_met { "yes" } else { "MISSED" }.to_owned(),
        ])
    }
}

/// The goals whose figures these lines have; the others by name.
pub(super) fn table(lines: &[Line], tables: &mut Tables) {
    if lines.is_empty() {
        return;
    }
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    for goal in &GOALS {
        match goal.row(lines) {
            Some(row) => rows.push(row),
            None => missing.push(goal.0),
        }
    }
    let note = "Times in microseconds. Limit: what the primitives alone take in this run. Ratio: the figure divided by it.";
    tables.heading("Goals", note);
    if !rows.is_empty() {
        let left = comfy_table::CellAlignment::Left;
        let right = comfy_table::CellAlignment::Right;
        let titles = ["no.", "goal", "figure", "limit", "ratio", "accepted", "met"];
        tables.rows(&titles, &[left, left, right, right, right, left], rows);
    }
    missing.dedup();
    if !missing.is_empty() {
        tables.note(&format!("Not in these lines: {}.\n", missing.join(", ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line;

    fn shown(line: Line) -> String {
        let mut tables = Tables::default();
        table(&[line], &mut tables);
        tables.signed(&[]).to_string()
    }

    #[test]
    fn goals_are_met_or_missed() {
        let update = |us: f64| {
            line! {
                experiment: "directory_update", strategy: "merkle", entries: MILLION, update_us: us, update_limit_us: 1.0,
            }
        };
        assert!(shown(update(1.6)).contains("| yes |"));
        assert!(shown(update(1.7)).contains("MISSED"));
        let bytes = |bytes: u64| {
            line! {
                experiment: "directory_proof_bytes", strategy: "merkle", entries: MILLION, proof_bytes: bytes,
            }
        };
        assert!(shown(bytes(688)).contains("| yes |"));
        assert!(shown(bytes(687)).contains("MISSED"));
        assert!(shown(bytes(688)).contains("Not in these lines: 1, 2, 3"));
    }
}
