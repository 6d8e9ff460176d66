//! Tests of `bench::line`.

use bench::{
    line,
    line::{Line, groups},
};

#[test]
fn figures_are_rounded_and_found_again() {
    let side = line! { all: line! { mean: 2 }, batch_us: 1.234_56 };
    let line = line! { experiment: "x", server: side, keys: 7_u64, none: None::<f64> };
    let line = line.and("exact", 1.234_56);
    let text = serde_json::to_string(&line).unwrap();
    let expected = r#"{"experiment":"x","server":{"all":{"mean":2},"batch_us":1.235},"keys":7,"none":null,"exact":1.23456}"#;
    assert_eq!(text, expected);
    let read: Line = serde_json::from_str(&text).unwrap();
    assert_eq!(read.number("server.batch_us"), Some(1.235));
    assert_eq!(read.number("server.all.mean"), Some(2.0));
    assert_eq!((read.count("keys"), read.text("experiment")), (7, "x"));
    assert_eq!((read.number("none"), read.number("other")), (None, None));
    assert!(read.agrees(&line, &["keys", "exact"]));
    assert!(read.says(&[("experiment", "y|x"), ("keys", "7"), ("none", "none")]));
    assert!(!read.says(&[("experiment", "y|z")]) && !read.says(&[("keys", "none")]));
}

#[test]
fn groups_keep_their_order() {
    let lines = [("b", 1), ("a", 2), ("b", 3)];
    let lines = lines.map(|(name, number)| line! { name: name, number: number });
    let grouped = groups(&lines.each_ref(), &["name"]);
    let numbers = grouped
        .iter()
        .map(|group| group.iter().map(|line| line.count("number")).collect());
    assert_eq!(numbers.collect::<Vec<Vec<u64>>>(), [vec![1, 3], vec![2]]);
}

#[test]
fn repeated_runs_combine_to_medians_with_their_spread() {
    let runs = [3.5, 1.5, 2.5].map(|us| line! { scheme: "a", keys: 10, us, none: None::<f64> });
    let combined = Line::median(&runs, &["us", "none"]);
    assert_eq!(
        combined,
        line! { scheme: "a", keys: 10, us: 2.5, none: None::<f64>, spread: 0.8 }
    );
    assert_eq!(Line::median(&runs[..1], &["us"]).number("spread"), None);
}
