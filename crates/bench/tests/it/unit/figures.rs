//! Tests of `bench::figures`.

use bench::{
    figures::{Figure, figures, marks, tick},
    line,
};

fn drawn(points: &[(f64, f64)]) -> Vec<Figure> {
    let line = line! { experiment: "tuple_lookup_costs", figure: "figure7", design: "<a&b>" };
    figures(&[line.and("points", points)]).unwrap()
}

#[test]
fn what_has_no_place_on_an_axis_is_left_out() {
    for points in [
        &[(0.0, 0.0)][..],
        &[(1.0, 0.0), (2.0, 0.0)],
        &[(1.0, 1e-300), (2.0, 1e300)],
        &[(1.0, -1.0)],
        &[],
    ] {
        assert!(drawn(points).is_empty(), "{points:?}");
    }
    let figures = drawn(&[(1.0, 2.0), (10.0, 0.0), (1e4, 0.004)]);
    assert_eq!(figures[0].name, "figure7");
    assert!(
        figures[0].svg.contains("&lt;a&amp;b&gt;"),
        "{}",
        figures[0].svg
    );
    // One point is enough, as is a flat line.
    assert_eq!(drawn(&[(5.0, 5.0)]).len(), 1);
    assert_eq!(drawn(&[(5.0, 5.0), (6.0, 5.0)]).len(), 1);
}

#[test]
fn axes_have_numbers_each_once() {
    for (low, high) in [
        (1.0, 1.0),
        (1.0, 2.0),
        (3e3, 8e4),
        (0.01, 1.0),
        (1.0, 1e7),
        (1e-9, 1e15),
        (97.0, 99.0),
    ] {
        let range = low / 1.5..high * 1.5;
        let (numbered, others) = marks(&range);
        assert!(
            (2..=25).contains(&numbered.len()),
            "{range:?}: {numbered:?}"
        );
        assert!(numbered.is_sorted_by(|one, other| one < other));
        assert!(others.is_sorted_by(|one, other| one < other));
        assert!(numbered.iter().all(|value| !others.contains(value)));
        let texts: std::collections::HashSet<String> = numbered.iter().copied().map(tick).collect();
        assert_eq!(texts.len(), numbered.len(), "{numbered:?}");
    }
    assert_eq!(
        [0.001, 0.3, 5.0, 2e3, 7e5, 1e6, 3e9].map(tick),
        ["0.001", "0.3", "5", "2k", "700k", "1M", "3e9"]
    );
    // Numbers are not drawn over each other.
    let figure = &drawn(&[(1.0, 2.0), (3e4, 7.0)])[0].svg;
    let texts: Vec<&str> = figure
        .split("<text")
        .skip(1)
        .map(|rest| rest.split('>').next().unwrap())
        .collect();
    let places: std::collections::HashSet<&str> = texts.iter().copied().collect();
    assert_eq!(places.len(), texts.len());
}

#[test]
fn a_figure_is_no_path() {
    for name in ["../escaped", "/tmp/escaped", "a\"b", ""] {
        let line = line! { experiment: "tuple_lookup_costs", figure: name, design: "a" };
        let figures = figures(&[line.and("points", [(1.0, 1.0), (2.0, 2.0)])]).unwrap();
        assert!(figures.is_empty(), "{name}");
    }
}
