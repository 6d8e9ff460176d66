//! Tests of `bench::paper`.

use bench::{
    line,
    line::Line,
    paper::{KEYS, PUBLISHED, points, published},
};

#[test]
fn every_row_is_read_and_has_figures() {
    let text = include_str!("../../../src/published.csv");
    let rows = text.lines().filter(|row| !row.starts_with('#'));
    assert_eq!(PUBLISHED.len() + 1, rows.count());
    for row in PUBLISHED.iter() {
        assert!(row.figures.figures().count() > 0, "{row:?}");
        assert!(row.figures.figures().all(|(_, figure)| figure.is_number()));
    }
}

#[test]
fn figures_are_those_of_the_same_work() {
    let line = |keys: u64| {
        line! { experiment: "growing", keys, scheme: "treap", repository: "cache-median" }
    };
    let found = published(&line(KEYS));
    let figures = [
        "scheme_megabytes",
        "megabytes",
        "lookup_kilobytes_per_second",
    ];
    assert_eq!(
        figures.map(|key| found.number(key)),
        [1077.0, 204.0, 297.0].map(Some)
    );
    assert_eq!(published(&line(7)), Line::default());
    let is_of = |line: &Line| line.count("values") == 1;
    let points = points("aad_lookup", ("n", "code_ms"), is_of);
    assert_eq!(points, [(512.0, 46.0)]);
}
