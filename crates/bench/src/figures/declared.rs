//! Declarations of plots as data: which result lines a plot draws, and which figures are its axes.

use super::{Lines, Series, points};
use crate::{
    columns::{Rows, filled},
    directory::table::is_in,
    line,
    line::Selection,
    prelude::*,
};

/// Declaration of one or several plots. In its texts, `{key}` is replaced by the figure `key` of
/// the first drawn line.
pub(crate) struct PlotSpec {
    /// Name of the plot's file, without extension.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// Selection of the result lines that are drawn.
    pub(crate) rows: Rows,
    /// Keys that split the lines into several plots, one for each combination of values.
    pub(crate) per: &'static [&'static str],
    /// Label of the horizontal axis, and the key of its figure.
    pub(crate) horizontal: (&'static str, &'static str),
    pub(crate) vertical: &'static str,
    /// Keys that split the lines into several series, one for each combination of values.
    pub(crate) by: &'static [&'static str],
    /// Names and keys of the figures on the vertical axis. Each is a series of its own.
    pub(crate) figures: &'static [(&'static str, &'static str)],
    /// Minimum number of points of a series. Shorter series are left out.
    pub(crate) least: usize,
    /// Series that do not come from result lines, such as published ones, drawn in addition.
    pub(crate) references: fn() -> Vec<Series>,
}

impl PlotSpec {
    /// Declares a plot of all lines of an experiment, without series yet.
    pub(crate) const fn new(
        (name, title): (&'static str, &'static str),
        experiment: &'static str,
        horizontal: (&'static str, &'static str),
        vertical: &'static str,
    ) -> Self {
        Self {
            name,
            title,
            rows: Rows::of(experiment),
            per: &[],
            horizontal,
            vertical,
            by: &[],
            figures: &[],
            least: 1,
            references: Vec::new,
        }
    }

    /// Adds series: one for each combination of values of the keys `by` and each of `figures`.
    pub(crate) const fn of(
        self,
        by: &'static [&'static str],
        figures: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self {
            by,
            figures,
            ..self
        }
    }

    /// Restricts the plot to lines that meet the conditions `only`.
    pub(crate) const fn only(mut self, only: Selection) -> Self {
        self.rows.only = only;
        self
    }

    /// Restricts the plot to lines for which `filter` holds.
    pub(crate) const fn filtered(mut self, filter: fn(&Line) -> bool) -> Self {
        self.rows.filter = filter;
        self
    }

    /// Adds the figures that `derived` computes to each line.
    pub(crate) const fn deriving(mut self, derived: fn(&[Line], &Line) -> Line) -> Self {
        self.rows.derived = derived;
        self
    }

    /// Makes the plots from `lines`, each with the name of its file.
    pub(super) fn plots(&self, lines: &[Line]) -> Vec<(String, Lines)> {
        let drawn = self.rows.select(lines);
        let drawn: Vec<&Line> = drawn.iter().collect();
        let plots = groups(&drawn, self.per).into_iter();
        plots
            .map(|group| (filled(self.name, group[0]), self.plot(&group)))
            .collect()
    }

    fn plot(&self, drawn: &[&Line]) -> Lines {
        let mut series: Vec<Series> = Vec::new();
        for group in groups(drawn, self.by) {
            for (name, figure) in self.figures {
                let points = points(&group, self.horizontal.1, figure);
                series.push((filled(name, group[0]), points));
            }
        }
        series.retain(|(_, points)| points.len() >= self.least);
        if !series.is_empty() {
            series.extend((self.references)());
        }
        Lines {
            title: filled(self.title, drawn[0]),
            horizontal: self.horizontal.0,
            vertical: self.vertical,
            series,
        }
    }
}

/// Selects the schemes that plots of `bench compare` draw: one or two of each kind.
const COMPARED: Selection = &[
    ("changes", "1"),
    (
        "scheme",
        "red-black-path-copying|treap-path-copying|tuple-base-superseding|tuple-base-lightweight|\
         tuple-spec-lightweight|tuple-accumulators-rsa|tuple-accumulators-bilinear|aad-counted|\
         directory|sign-each-entry",
    ),
];

/// Declares a plot of the schemes in [`COMPARED`] by number of keys.
const fn compared(
    names: (&'static str, &'static str),
    vertical: &'static str,
    figures: &'static [(&'static str, &'static str)],
) -> PlotSpec {
    let plot = PlotSpec::new(names, "compare", ("keys", "keys"), vertical).only(COMPARED);
    PlotSpec { least: 2, ..plot }.of(&["scheme"], figures)
}

/// Declares a plot of the microseconds per element of accumulator operations.
const fn accumulators(
    names: (&'static str, &'static str),
    horizontal: (&'static str, &'static str),
    only: Selection,
) -> PlotSpec {
    let vertical = "microseconds for each element";
    let plot = PlotSpec::new(names, "accumulators", horizontal, vertical).only(only);
    PlotSpec { least: 2, ..plot }
}

/// Declares a plot of batches of updates to outsourced files, by number of updates.
const fn updates(
    names: (&'static str, &'static str),
    vertical: &'static str,
    figures: &'static [(&'static str, &'static str)],
) -> PlotSpec {
    let plot = PlotSpec::new(names, "flexlist_multi", ("updates", "updates"), vertical);
    PlotSpec { least: 2, ..plot }.of(&["order"], figures)
}

/// Declares a plot of insertions into block directories by block size, for figure 3 or 4.
const fn inserts(
    names: (&'static str, &'static str),
    filter: fn(&Line) -> bool,
    figures: &'static [(&'static str, &'static str)],
) -> PlotSpec {
    let (horizontal, vertical) = (
        ("bytes of a block", "block_bytes"),
        "microseconds for each insertion",
    );
    PlotSpec::new(names, "directory_inserts", horizontal, vertical)
        .filtered(filter)
        .of(&["strategy"], figures)
}

#[rustfmt::skip]
pub(super) const DECLARED: [PlotSpec; 21] = [
    PlotSpec::new(
        ("figure5", "Figure 5: proofs of random versions, red-black, steady state"),
        "steady_state", ("keys", "keys"), "proofs per second",
    ).only(&[("scheme", "red-black"), ("is_drawn", "true")]).deriving(|all, line| {
        let first = of(all, "steady_state");
        line! { is_drawn: first.first().is_some_and(|first| first.agrees(line, &["suite"])) }
    }).of(&["repository"], &[("{repository}", "1e6/prove_us_random_version")]),
    PlotSpec::new(
        ("stored-growth", "Store on disk: time of opening and one look-up, or one commit"),
        "stored_files", ("keys", "keys"), "microseconds",
    ).of(&["repository"], &[
        ("look up, {repository}", "open_and_look_up_us"),
        ("commit, {repository}", "open_and_commit_us"),
    ]),
    PlotSpec::new(
        ("stored-memory", "Store on disk: peak memory of a process with one operation"),
        "stored_files", ("keys", "keys"), "bytes",
    ).of(&["repository"], &[
        ("open, {repository}", "open_resident_bytes"),
        ("look up, {repository}", "look_up_resident_bytes"),
        ("commit, {repository}", "commit_resident_bytes"),
    ]),
    compared(("compare-author", "Author: time of a snapshot with one change, by number of keys"),
        "microseconds",
        &[("{scheme}", "author_us")]),
    compared(("compare-update", "Update with one change: bytes as sent, by number of keys"),
        "bytes",
        &[("{scheme}", "update_bytes")]),
    compared(("compare-proof", "Proof of a present key: bytes as sent, by number of keys"), "bytes",
        &[("{scheme}", "proof_bytes")]),
    compared(("compare-verify",
        "Client: time to verify a proof of a present key, by number of keys"), "microseconds",
        &[("{scheme}", "verify_us")]),
    accumulators(
        ("accumulators-witnesses",
            "Accumulators: all witnesses without the secret key, one thread"),
        ("elements", "n"),
        &[("threads", "1"), ("operation", "witnesses_public")],
    ).of(&["accumulator"], &[("{accumulator}", "per_element_us")]),
    accumulators(
        ("accumulators-value",
            "Accumulators: the value of a set without the secret key, one thread"),
            ("elements", "n"),
        &[("threads", "1"), ("operation", "accumulate_public")],
    ).of(&["accumulator"], &[("{accumulator}", "per_element_us")]),
    accumulators(
        ("accumulators-threads", "Accumulators: all witnesses without the secret key, by threads"),
        ("threads", "threads"),
        &[("operation", "witnesses_public")],
    ).of(&["accumulator", "n"], &[("{accumulator}, {n}", "per_element_us")]),
    PlotSpec { least: 2, ..PlotSpec::new(
        ("flexlist-build", "Figure 6: time to build a list without tags"),
            "flexlist_build", ("blocks", "blocks"),
        "milliseconds",
    ).only(&[("tags", "none")]).of(&["threads"], &[("threads, {threads}", "total_ms")]) },
    PlotSpec { least: 2, ..PlotSpec::new(
        ("flexlist-hash-share", "Figure 8: time of one update, with and without its hashes"),
        "flexlist_hash_share", ("blocks", "blocks"),
        "microseconds",
    ).of(&["operation"], &[("with hashes, {operation}", "update_us"),
        ("without, {operation}", "without_hashes_us")]) },
    updates(("flexlist-server",
        "Figure 9: server, time of a batch and of the same updates one by one"), "microseconds", &[
        ("batch, {order}", "server.batch_us"), ("one by one, {order}", "server.singles_us"),
    ]),
    updates(("flexlist-client",
        "Figure 10: client, time of a batch and of the same updates one by one"), "microseconds", &[
        ("batch, {order}", "client.batch_us"), ("one by one, {order}", "client.singles_us"),
    ]),
    updates(("flexlist-witness",
        "Table 2: bytes of the witness of a batch, and of its updates one by one"), "bytes", &[
        ("batch, {order}", "witness_bytes"), ("one by one, {order}", "singles_witness_bytes"),
    ]),
    PlotSpec { least: 2, ..PlotSpec::new(
        ("flexlist-network", "Figures 11 and 12: requests per second of all clients together"),
            "flexlist_network",
        ("clients", "clients"), "requests per second",
    ).deriving(|_, line| line! { uplink: line.number("uplink_megabits")
        .map_or_else(String::new, |megabits| format!(", {megabits} Mbit/s")) })
        .of(&["request", "uplink"], &[("{request}{uplink}", "per_second")]) },
    inserts(("directory-figure3-crypto", "Figure 3: cryptography of an insertion, sums and pairs"),
        |line| is_in("3", line), &[("{strategy}", "update_us")]),
    inserts(("directory-figure3-total", "Figure 3: total time of an insertion, sums and pairs"),
        |line| is_in("3", line), &[("{strategy}", "total_us")]),
    inserts(("directory-figure4-crypto",
        "Figure 4: cryptography of an insertion, sums and products"),
        |line| is_in("4", line), &[("{strategy}", "update_us")]),
    inserts(("directory-figure4-total", "Figure 4: total time of an insertion, sums and products"),
        |line| is_in("4", line), &[("{strategy}", "total_us")]),
    PlotSpec { per: &["capacity"], ..PlotSpec::new(
        ("directory-figure5-{capacity}",
            "Figure 5: block reads of a look-up, {capacity} slots, {frames} frames"),
                "directory_hints",
        ("entries at the start of the trace", "entries"), "block reads for each look-up",
    ).deriving(|_, line| line! {
        with: if line.says(&[("hints", "true")]) { "with" } else { "without" },
        // The axis is logarithmic, so fewer than 0.01 reads are drawn as 0.01.
        drawn: line.number("reads_per_lookup").map(|reads| reads.max(0.01)),
    }).of(&["update_percent", "hints"], &[("{update_percent} % updates, {with} hints", "drawn")]) },
];
