//! Plots of the result lines of `bench aad`, with the published figures.

use super::table::is_computed;
use crate::{
    figures::{Series, declared::PlotSpec},
    line,
    paper::points,
    prelude::*,
};

#[rustfmt::skip]
pub(crate) const PLOTS: [PlotSpec; 4] = [
    PlotSpec { references: published_appends, ..PlotSpec::new(
        ("aad-append", "Time to append an entry, mean over all entries"), "aad_append",
        ("entries in each version", "batch"),
        "milliseconds for each entry",
    ).only(&[("threads", "1"), ("is_drawn", "true")]).deriving(of_paper_size)
        .of(&["scheme"], &[("{scheme}, {n} entries", "append_us/1e3")]) },
    PlotSpec { references: || published_look_ups("bytes", "code_bytes"), ..look_ups(
        ("aad-bytes", "Bytes of a look-up, logs of 2^h - 1 entries (authors' code: 2^h)"), "bytes",
        &[("{scheme}, {asked}{mark}", "proof_bytes")],
    ) },
    PlotSpec { references: || published_look_ups("ms", "code_ms"), ..look_ups(
        ("aad-verify", "Time to verify a look-up, logs of 2^h - 1 entries (authors' code: 2^h)"),
        "milliseconds",
        &[("{scheme}, {asked}", "verify_us/1e3")],
    ) },
    PlotSpec { per: &["entries_per_version"], ..PlotSpec::new(
        ("aad-visit-{entries_per_version}",
            "Bytes of a visit, {n} entries, {entries_per_version} more in each version"),
        "aad_bandwidth", ("versions since the last visit", "versions"), "bytes",
    ).only(&[("is_largest", "true")]).deriving(|all, line| {
        let largest = of(all, "aad_bandwidth").iter().map(|line| line.count("n")).max();
        line! { is_largest: largest == Some(line.count("n")) }
    }).of(&[], &[
        ("append-only log", "aad_bytes"), ("CT-like, all new entries", "ct_like_bytes"),
        ("CT-like, one entry only", "ct_like_inclusion_bytes"),
        ("CONIKS-like, a look-up in every version", "coniks_like_bytes"),
    ]) },
];

/// Declares a plot of lookups of absent keys and of keys with one value. Draws only logs of
/// `2^h - 1` entries, because these consist of the most trees.
const fn look_ups(
    names: (&'static str, &'static str),
    vertical: &'static str,
    figures: &'static [(&'static str, &'static str)],
) -> PlotSpec {
    PlotSpec::new(names, "aad_lookup", ("entries", "n"), vertical)
        .only(&[("values", "0|1"), ("schedule", "eager")])
        .filtered(is_full)
        .deriving(looked_up)
        .of(&["scheme", "values"], figures)
}

/// Reports whether the log of a result line has `2^h - 1` entries, and so as many trees as
/// possible.
fn is_full(line: &Line) -> bool {
    line.count("n").saturating_add(1).is_power_of_two()
}

/// Derives `is_drawn`: whether the line's log has the paper's number of entries. If its scheme has
/// no such log, the largest log is drawn.
fn of_paper_size(all: &[Line], line: &Line) -> Line {
    let same = of(all, "aad_append").into_iter();
    let same = same.filter(|other| other.agrees(line, &["scheme", "threads"]));
    let sizes = same.map(|line| line.count("n"));
    let n = sizes.max_by_key(|n| (*n == APPENDS, *n));
    line! { is_drawn: n == Some(line.count("n")) }
}

/// Derives two labels. `asked` states whether the key was absent or has one value. `mark` states
/// from which number of entries on bytes are computed instead of measured.
fn looked_up(all: &[Line], line: &Line) -> Line {
    let same = of(all, "aad_lookup").into_iter();
    let same = same.filter(|other| other.agrees(line, &["scheme", "values", "schedule"]));
    let computed = same.filter(|other| is_computed(other) && is_full(other));
    let computed = computed.map(|line| line.count("n")).min();
    let mark = computed.map_or_else(String::new, |n| format!(" (computed from {n} on)"));
    let asked = match line.count("values") {
        0 => "absent key",
        _ => "one value",
    };
    line! { asked, mark }
}

/// Number of entries that the paper appended.
const APPENDS: u64 = 8_192;

/// Returns the published series for the plot of appends: entries per batch, and milliseconds per
/// entry. Of the authors' code, includes only runs that append all entries in one batch.
fn published_appends() -> Vec<Series> {
    let is_whole = |of: &Line| of.get("n") == of.get("batch");
    let code = points("aad_append", ("batch", "code_ms"), is_whole);
    let paper = points("aad_append", ("batch", "ms"), |_| true);
    vec![
        (format!("paper, {APPENDS} entries, 64 CPUs"), paper),
        ("authors' code, entries of one batch".to_owned(), code),
    ]
}

/// Returns the published series for a plot of lookups that find no value, or one: the figures
/// `paper` and `code`, by the number of entries.
fn published_look_ups(paper: &str, code: &str) -> Vec<Series> {
    let mut series = Vec::new();
    for (values, asked) in [(0, "absent key"), (1, "one value")] {
        for (whose, figure) in [("paper", paper), ("authors' code", code)] {
            let is_of = |of: &Line| of.count("values") == values;
            let points = points("aad_lookup", ("n", figure), is_of);
            series.push((format!("{whose}, {asked}"), points));
        }
    }
    series
}
