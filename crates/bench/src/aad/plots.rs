//! Plots of the lines of `bench aad`, with the published figures.

use super::{paper, table::is_computed};
use crate::{
    figures::{Lines, points},
    prelude::*,
};

/// Points of one kind.
type Series = (String, Vec<(f64, f64)>);

/// Names of files, and what to draw.
pub(crate) fn plots(lines: &[Line]) -> Vec<(String, Lines)> {
    let mut plots = vec![("aad-append".to_owned(), appends(lines))];
    for (file, key, title, vertical) in [
        (
            "aad-bytes",
            ("proof_bytes", 1.0),
            "Look-ups: bytes",
            "bytes",
        ),
        (
            "aad-verify",
            ("verify_us", 1e-3),
            "Look-ups: verifying",
            "milliseconds",
        ),
    ] {
        plots.push((file.to_owned(), look_ups(lines, key, (title, vertical))));
    }
    let visits = of(lines, "aad_bandwidth");
    let largest = visits.iter().map(|line| line.count("n")).max();
    let visits: Vec<&Line> = visits
        .into_iter()
        .filter(|line| Some(line.count("n")) == largest)
        .collect();
    for group in groups(&visits, &["entries_per_version"]) {
        let each = group[0].count("entries_per_version");
        plots.push((format!("aad-visit-{each}"), visit(&group, each)));
    }
    plots
}

/// For each scheme the log of the paper's size, or the largest one.
fn appends(lines: &[Line]) -> Lines {
    let appended: Vec<&Line> = of(lines, "aad_append")
        .into_iter()
        .filter(|line| line.count("threads") == 1)
        .collect();
    let mut series: Vec<Series> = Vec::new();
    for group in groups(&appended, &["scheme"]) {
        let sizes = group.iter().map(|line| line.count("n"));
        let n = sizes.max_by_key(|n| (*n == paper::APPENDS, *n));
        let of_size = group.iter().filter(|line| Some(line.count("n")) == n);
        let of_size: Vec<&Line> = of_size.copied().collect();
        let name = format!(
            "{}, {} entries",
            group[0].text("scheme"),
            of_size[0].count("n")
        );
        series.push((name, points(&of_size, "batch", ("append_us", 1e-3))));
    }
    if !series.is_empty() {
        series.push((
            format!("paper, {} entries, 64 CPUs", paper::APPENDS),
            paper::append_points(),
        ));
        let name = "authors' code, entries of one batch".to_owned();
        series.push((name, paper::code_append_points()));
    }
    Lines {
        title: "Appending, mean over all entries".to_owned(),
        horizontal: "entries in each version",
        vertical: "milliseconds for each entry",
        series,
    }
}

/// Absent keys and keys with one value, in forests of as many trees as there can be.
fn look_ups(
    lines: &[Line],
    (key, factor): (&str, f64),
    (title, vertical): (&str, &'static str),
) -> Lines {
    let is_drawn = |line: &&Line| {
        line.count("values") < 2
            && line.text("schedule") == "eager"
            && (line.count("n") + 1).is_power_of_two()
            && line.number(key).is_some()
    };
    let drawn: Vec<&Line> = of(lines, "aad_lookup")
        .into_iter()
        .filter(is_drawn)
        .collect();
    let mut series: Vec<Series> = Vec::new();
    for group in groups(&drawn, &["scheme", "values"]) {
        let computed = group.iter().filter(|line| is_computed(line));
        let computed = computed.map(|line| line.count("n")).min();
        let mark = computed.map_or_else(String::new, |n| format!(" (computed from {n} on)"));
        let [scheme, asked] = [group[0].text("scheme"), asked(group[0].count("values"))];
        let name = format!("{scheme}, {asked}{mark}");
        series.push((name, points(&group, "n", (key, factor))));
    }
    if !series.is_empty() {
        let column = if key == "proof_bytes" { 1 } else { 2 };
        for values in [0, 1] {
            let published = paper::look_up_points(values);
            for (whose, of) in ["paper", "authors' code"].iter().zip(published) {
                let points = of.iter().map(|point| (point[0], point[column] * factor));
                series.push((format!("{whose}, {}", asked(values)), points.collect()));
            }
        }
    }
    Lines {
        title: format!("{title}, logs of 2^h - 1 entries (authors' code: 2^h)"),
        horizontal: "entries",
        vertical,
        series,
    }
}

const fn asked(values: u64) -> &'static str {
    if values == 0 {
        "absent key"
    } else {
        "one value"
    }
}

fn visit(group: &[&Line], each: u64) -> Lines {
    let names = [
        ("append-only log", "aad_bytes"),
        ("CT-like, all new entries", "ct_like_bytes"),
        ("CT-like, one entry only", "ct_like_inclusion_bytes"),
        (
            "CONIKS-like, a look-up in every version",
            "coniks_like_bytes",
        ),
    ];
    let series = names.map(|(name, key)| (name.to_owned(), points(group, "versions", (key, 1.0))));
    let n = group[0].count("n");
    Lines {
        title: format!("Bytes of a visit, {n} entries, {each} more in each version"),
        horizontal: "versions since the last visit",
        vertical: "bytes",
        series: series.to_vec(),
    }
}
