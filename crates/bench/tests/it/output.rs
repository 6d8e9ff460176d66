//! Runs of the binary `bench`, and assertions about its output that several tests share.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use bench::full_report::contents::contents;
use serde_json::Value;

fn output(arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.args(arguments.split(' ')).output().unwrap()
}

/// Runs `bench` with `arguments`, separated by spaces, and returns its output. Asserts that it
/// succeeds, and that its errors name only work that it left out.
pub(crate) fn run(arguments: &str) -> String {
    let output = output(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {errors}");
    let is_told = |line: &str| line.starts_with("left out: ");
    assert!(errors.lines().all(is_told), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs `bench` with `arguments`, separated by spaces, which it refuses. Returns its exit code and
/// its errors.
pub(crate) fn refusal(arguments: &str) -> (Option<i32>, String) {
    let output = output(arguments);
    assert!(!output.status.success(), "{arguments}");
    let errors = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), errors)
}

/// Parses result lines.
pub(crate) fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Selects the result lines of an experiment.
pub(crate) fn of<'a>(lines: &'a [Value], experiment: &str) -> Vec<&'a Value> {
    let of = |line: &&Value| line["experiment"] == experiment;
    lines.iter().filter(of).collect()
}

/// Returns the number under `key`.
pub(crate) fn number(line: &Value, key: &str) -> f64 {
    line[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key}: {line}"))
}

/// Asserts that each line has each of `keys`, which are separated by spaces. The figure may be
/// null.
pub(crate) fn have<'a>(lines: impl IntoIterator<Item = &'a Value>, keys: &str) {
    for line in lines {
        for key in keys.split(' ') {
            assert!(line.get(key).is_some(), "{key} is missing in {line}");
        }
    }
}

/// Experiment, the number of its lines, and their keys, separated by spaces.
pub(crate) type Promise<'a> = (&'a str, usize, &'a str);

/// Asserts that `lines` contain as many lines of each experiment as promised, and that no promised
/// figure is null.
pub(crate) fn keep_promises(lines: &[Value], promises: &[Promise<'_>]) {
    for (experiment, count, keys) in promises {
        let of = of(lines, experiment);
        assert_eq!(of.len(), *count, "{experiment}: {lines:?}");
        for line in of {
            for key in keys.split(' ') {
                assert!(!line[key].is_null(), "{experiment}: {key}: {line}");
            }
        }
    }
}

/// Asserts that each figure in `keys`, separated by spaces, is a positive number.
pub(crate) fn positive(line: &Value, keys: &str) {
    for key in keys.split(' ') {
        assert!(number(line, key) > 0.0, "{key}: {line}");
    }
}

/// Makes tables and plots from result lines, and returns the tables. Asserts that no line lacks a
/// key, and that each of `plots`, names separated by spaces, was drawn.
pub(crate) fn shown(text: &str, plots: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("run.jsonl"), folder.path().join("out"));
    fs::write(&file, text).unwrap();
    let (from, to) = (file.display(), out.display());
    let shown = run(&format!("figures --from {from} --out {to}"));
    assert!(!shown.contains(" ? |"), "a line lacks a key: {shown}");
    for name in plots.split(' ').filter(|name| !name.is_empty()) {
        let plot = fs::read_to_string(out.join(name).with_extension("svg"));
        let plot = plot.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(plot.contains("</svg>") && !plot.contains("NaN"), "{name}");
    }
    shown
}

/// Draws the page of the result lines in `file` into the folder `out`, and returns its text.
pub(crate) fn page(file: &Path, out: &Path) -> String {
    let (from, to) = (file.display(), out.display());
    run(&format!("page --from {from} --out {to}"));
    fs::read_to_string(out.join("index.html")).unwrap()
}

/// Asserts that every item in the contents of a family links to a heading or a figure of the page
/// of its result lines.
pub(crate) fn has_its_contents(family: &str, lines: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lines.jsonl");
    fs::write(&file, lines).unwrap();
    let page = page(&file, folder.path());
    let mut promised = 0;
    for item in contents(family) {
        if let Ok(begin) = item.counterpart {
            let link = format!("\">{}</a>: {}<", item.name, item.shows);
            assert!(
                page.contains(&link),
                "{family}: nothing begins with '{begin}'"
            );
            promised += 1;
        }
    }
    assert!(promised > 0, "{family}");
}
