//! Plots of the lines of `bench directory`: figures 3, 4 and 5.

use super::table::is_in;
use crate::{
    figures::{Lines, points},
    prelude::*,
};

/// Names of files, and what to draw.
pub(crate) fn plots(lines: &[Line]) -> Vec<(String, Lines)> {
    let mut plots = Vec::new();
    for (figure, title) in [("3", "sums and pairs"), ("4", "sums and products")] {
        for (key, what) in [("update_us", "cryptography"), ("total_us", "total time")] {
            let title = format!("Figure {figure}: {title}, {what}");
            let name = if key == "update_us" {
                "crypto"
            } else {
                "total"
            };
            let name = format!("directory-figure{figure}-{name}");
            plots.push((name, inserts(lines, figure, (key, title))));
        }
    }
    let counted = of(lines, "directory_hints");
    for group in groups(&counted, &["capacity"]) {
        let capacity = group[0].count("capacity");
        plots.push((format!("directory-figure5-{capacity}"), hints(&group)));
    }
    plots
}

fn inserts(lines: &[Line], figure: &str, (key, title): (&str, String)) -> Lines {
    let mut drawn = of(lines, "directory_inserts");
    drawn.retain(|line| is_in(figure, line));
    let series = groups(&drawn, &["strategy"]).into_iter();
    let series = series.map(|group| {
        let name = group[0].text("strategy").to_owned();
        (name, points(&group, "block_bytes", (key, 1.0)))
    });
    Lines {
        title,
        horizontal: "bytes of a block",
        vertical: "microseconds for each insertion",
        series: series.collect(),
    }
}

/// Reads of less than a hundredth of a block are drawn as that: the axis is logarithmic.
fn hints(group: &[&Line]) -> Lines {
    let series = groups(group, &["update_percent", "hints"]).into_iter();
    let series = series.map(|group| {
        let with = if group[0].get("hints") == Some(&true.into()) {
            "with"
        } else {
            "without"
        };
        let name = format!(
            "{} % updates, {with} hints",
            group[0].count("update_percent")
        );
        let reads = points(&group, "entries", ("reads_per_lookup", 1.0)).into_iter();
        (
            name,
            reads
                .map(|(entries, reads)| (entries, reads.max(LEAST)))
                .collect(),
        )
    });
    Lines {
        title: format!(
            "Figure 5: block reads, {} slots, {} frames",
            group[0].count("capacity"),
            group[0].count("frames")
        ),
        horizontal: "entries at the start of the trace",
        vertical: "block reads for each look-up",
        series: series.collect(),
    }
}

/// What is drawn for fewer reads.
const LEAST: f64 = 0.01;
