//! Tests of `bench::paper`.

use bench::{
    line,
    line::Line,
    paper::{KEYS, PUBLISHED, points, published, section},
};

#[test]
fn every_row_is_read_and_has_figures() {
    let rows: Vec<[String; 3]> = section("published");
    assert!(rows.len() > 90);
    for (row, [_, of, figures]) in PUBLISHED.iter().zip(&rows) {
        assert_eq!(row.conditions.len(), 1 + of.matches('=').count(), "{row:?}");
        assert_eq!(row.figures.figures().count(), figures.matches('=').count());
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
    let points = points("aad_lookup", ("n", "code_ms"), "values=1");
    assert_eq!(points, [(512.0, 46.0)]);
}
