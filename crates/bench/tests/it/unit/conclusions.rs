//! Tests of `bench::full_report::conclusions`.

use bench::{
    full_report::conclusions::{Verdict, conclusions, unchecked},
    line,
    line::Line,
};
use serde_json::Value;

/// Conclusions with measurements; the first lines describe the format.
const CASES: &str = include_str!("conclusions.txt");

/// Returns each case: its short name, the values, and the result lines.
fn cases() -> impl Iterator<Item = (&'static str, [&'static str; 2], &'static str)> {
    CASES.trim().split("\n\n").skip(1).map(|case| {
        let (head, lines) = case.split_once('\n').unwrap();
        let (id, values) = head.split_once(": ").unwrap();
        let (holds, fails) = values.split_once(" / ").unwrap();
        (id, [holds, fails], lines)
    })
}

/// Makes result lines with these values.
fn with(values: &str, lines: &str) -> Vec<Line> {
    let mut text = lines.to_owned();
    for (place, value) in values.split(' ').enumerate() {
        text = text.replace(&format!("${place}"), value);
    }
    text.lines().flat_map(made).collect()
}

fn made(text: &str) -> Vec<Line> {
    let mut made = vec![Line::default()];
    for figure in text.split(' ') {
        let (key, values) = figure.split_once('=').unwrap();
        let add = |line: &Line| -> Vec<Line> {
            let value = |text: &str| serde_json::from_str(text).unwrap_or(Value::from(text));
            let values = values.split('|').map(|text| value(&text.replace('~', " ")));
            values.map(|value| line.clone().and(key, value)).collect()
        };
        made = made.iter().flat_map(add).collect();
    }
    made
}

/// Makes the result lines of one case, with other values.
fn case(wanted: &str, values: &str) -> Vec<Line> {
    let (.., lines) = cases().find(|(id, ..)| *id == wanted).unwrap();
    with(values, lines)
}

#[test]
fn every_verdict_follows_from_its_measurements() {
    let verdict = |id: &str, lines: &[Line]| {
        let found = conclusions(lines).into_iter().find(|it| it.id == id)?;
        assert!(!found.finding.contains('?'), "{id}: {}", found.finding);
        Some(found.verdict)
    };
    // Without lines no conclusion can be checked, so these are all.
    assert!(conclusions(&[]).is_empty());
    assert!(unchecked(&[]).into_iter().eq(cases().map(|(id, ..)| id)));
    for (id, values, lines) in cases() {
        let [holds, fails] = values.map(|values| with(values, lines));
        assert_eq!(verdict(id, &holds), Some(Verdict::Holds), "{id}");
        assert_eq!(verdict(id, &fails), Some(Verdict::HoldsNoLonger), "{id}");
        assert_eq!(verdict(id, &[]), None, "{id}");
        assert!(unchecked(&[]).contains(&id) && !unchecked(&holds).contains(&id));
    }
}

#[test]
fn what_holds_in_part_is_neither() {
    for lines in [
        case("rsa-or-bilinear", "1 0.9 5400 450"),
        case("accumulators", "9.9 1.1"),
    ] {
        let verdicts: Vec<_> = conclusions(&lines).iter().map(|it| it.verdict).collect();
        assert_eq!(verdicts, [Verdict::InPart]);
    }
}

/// A verdict about a figure names the designs that the figure lacks and another size has.
#[test]
fn designs_that_a_figure_lacks_are_named() {
    let mut lines = case("trees-or-tuples", "red-black spec");
    for (figure, design) in [
        ("figure7", "red-black"),
        ("figure7", "spec"),
        ("figure7-500-keys", "red-black"),
        ("figure7-500-keys", "base"),
        ("figure7-steady", "another"),
    ] {
        lines.push(line! { experiment: "tuple_lookup_costs", figure: figure, design: design });
    }
    let finding = &conclusions(&lines)[0].finding;
    let expected = "Not measured at this size: base.";
    assert!(finding.ends_with(expected), "{finding}");
}
