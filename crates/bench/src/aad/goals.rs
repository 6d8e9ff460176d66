//! What the logs are meant to reach: each figure beside its goal and its limit from the same run.

use crate::{
    line::Line,
    tables::{Tables, digits},
};

/// One figure and what it should be: name; which line has it; its key, unit and most; its limit; what was published.
struct Goal(&'static str, Of, Figure, Limit, &'static str);

/// The key, what it is divided by for people, the unit then, and the most in that unit.
type Figure = (&'static str, (f64, &'static str), f64);

/// The key of a limit, and how many times the limit the figure may be.
type Limit = Option<(&'static str, f64)>;

/// Experiment, scheme, entries, and what else distinguishes the line.
type Of = (
    &'static str,
    &'static str,
    u64,
    &'static [(&'static str, &'static str)],
);

const MS: (f64, &str) = (1e3, "ms");
const KILOBYTES: (f64, &str) = (1e3, "KB");
const COUNTED: &str = "aad-counted";
const FRONTIER: &str = "aad-frontier";
const LARGEST: u64 = 1 << 20;
/// Logs of any size from [`LEAST`] on: what smaller ones take is noise.
const ANY: u64 = 0;
const LEAST: u64 = 512;
const ABSENT: &[(&str, &str)] = &[
    ("values", "0"),
    ("schedule", "eager"),
    ("is_computed", "false"),
];
const ONE: &[(&str, &str)] = &[
    ("values", "1"),
    ("schedule", "eager"),
    ("is_computed", "false"),
];
const HUNDRED: &[(&str, &str)] = &[("values", "100"), ("schedule", "eager")];
const ONE_MORE: &[(&str, &str)] = &[("pair", "one entry, to one tree"), ("schedule", "eager")];
const DOUBLED: &[(&str, &str)] = &[("pair", "doubled, most trees"), ("schedule", "eager")];
const APPENDED: Limit = Some(("append_limit_us", 1.5));
const PROVED: Limit = Some(("prove_limit_us", 1.2));
const VERIFIED: Limit = Some(("verify_limit_us", 1.3));

#[rustfmt::skip]
const GOALS: [Goal; 34] = [
    Goal("append, counted, 512 in one batch", ("aad_append", COUNTED, 512, &[("batch", "512"), ("threads", "1")]), ("append_us", MS, 1.0), APPENDED, "code 744 ms"),
    Goal("the same on two threads", ("aad_append", COUNTED, 512, &[("batch", "512"), ("threads", "2")]), ("append_us", MS, 0.6), None, ""),
    Goal("append, counted, 8192 one by one", ("aad_append", COUNTED, 8_192, &[("batch", "1"), ("threads", "1")]), ("append_us", MS, 1.0), APPENDED, "paper 5 750 ms"),
    Goal("append, frontier, 512 in one batch", ("aad_append", FRONTIER, 512, &[("batch", "512"), ("threads", "1")]), ("append_us", MS, 140.0), APPENDED, "code 744 ms"),
    Goal("the same on two threads", ("aad_append", FRONTIER, 512, &[("batch", "512"), ("threads", "2")]), ("append_us", MS, 75.0), None, ""),
    Goal("append, frontier, 8192 in one batch", ("aad_append", FRONTIER, 8_192, &[("batch", "8192"), ("threads", "1")]), ("append_us", MS, 180.0), APPENDED, "paper 760 ms"),
    Goal("the same on two threads", ("aad_append", FRONTIER, 8_192, &[("batch", "8192"), ("threads", "2")]), ("append_us", MS, 100.0), None, ""),
    Goal("append, frontier, 1024 one by one", ("aad_append", FRONTIER, 1_024, &[("batch", "1"), ("threads", "1")]), ("append_us", MS, 500.0), APPENDED, "code 2 530 ms at 128"),
    Goal("the same on two threads", ("aad_append", FRONTIER, 1_024, &[("batch", "1"), ("threads", "2")]), ("append_us", MS, 270.0), None, ""),
    Goal("longest append, frontier, deferred, 1024", ("aad_worst_case", FRONTIER, 1_024, &[("schedule", "deferred"), ("threads", "1")]), ("append_longest_us", MS, 1_400.0), Some(("append_us", 2.5)), "paper 1.5 h"),
    Goal("absent, counted, 2^20 - 1", ("aad_lookup", COUNTED, LARGEST - 1, ABSENT), ("proof_bytes", KILOBYTES, 4.0), None, "paper 42.9 KB"),
    Goal("the same, verifying", ("aad_lookup", COUNTED, LARGEST - 1, ABSENT), ("verify_us", MS, 5.0), VERIFIED, "paper 840 ms"),
    Goal("one value, counted, 2^20 - 1", ("aad_lookup", COUNTED, LARGEST - 1, ONE), ("proof_bytes", KILOBYTES, 8.0), None, "paper 45.9 KB"),
    Goal("the same, verifying", ("aad_lookup", COUNTED, LARGEST - 1, ONE), ("verify_us", MS, 10.0), VERIFIED, "paper 910 ms"),
    Goal("server, absent, counted, 2^13", ("aad_lookup", COUNTED, 8_192, ABSENT), ("prove_us", MS, 80.0), PROVED, ""),
    Goal("server, absent, counted, 2^20", ("aad_lookup", COUNTED, LARGEST, ABSENT), ("prove_us", MS, 8e3), PROVED, ""),
    Goal("server, 100 values, counted, 2^13", ("aad_lookup", COUNTED, 8_192, HUNDRED), ("prove_us", MS, 240.0), PROVED, ""),
    Goal("absent, frontier, 512", ("aad_lookup", FRONTIER, 512, ABSENT), ("proof_bytes", KILOBYTES, 2.2), None, "code 2.08 KB"),
    Goal("the same, verifying", ("aad_lookup", FRONTIER, 512, ABSENT), ("verify_us", MS, 5.0), VERIFIED, "code 17.9 ms"),
    Goal("the same, server", ("aad_lookup", FRONTIER, 512, ABSENT), ("prove_us", MS, 30.0), None, ""),
    Goal("one value, frontier, 512", ("aad_lookup", FRONTIER, 512, ONE), ("proof_bytes", KILOBYTES, 4.2), None, "code 3.46 KB"),
    Goal("the same, verifying", ("aad_lookup", FRONTIER, 512, ONE), ("verify_us", MS, 8.0), None, "code 46 ms"),
    Goal("absent, frontier, 8191", ("aad_lookup", FRONTIER, 8_191, ABSENT), ("proof_bytes", KILOBYTES, 20.0), None, ""),
    Goal("the same, verifying", ("aad_lookup", FRONTIER, 8_191, ABSENT), ("verify_us", MS, 35.0), None, ""),
    Goal("append-only, 2^20 - 1 to 2^20", ("aad_append_only", COUNTED, LARGEST, ONE_MORE), ("proof_bytes", KILOBYTES, 4.3), None, ""),
    Goal("the same, verifying", ("aad_append_only", COUNTED, LARGEST, ONE_MORE), ("verify_us", MS, 7.0), VERIFIED, ""),
    Goal("the same, server", ("aad_append_only", COUNTED, LARGEST, ONE_MORE), ("prove_us", MS, 0.2), None, ""),
    Goal("append-only, 2^19 - 1 to 2^20 - 1", ("aad_append_only", COUNTED, LARGEST - 1, DOUBLED), ("proof_bytes", KILOBYTES, 4.7), None, "paper 3.55 KB"),
    Goal("the same, verifying", ("aad_append_only", COUNTED, LARGEST - 1, DOUBLED), ("verify_us", MS, 7.0), VERIFIED, "paper 45.6 ms"),
    Goal("inclusion, counted, 2^20", ("aad_inclusion", COUNTED, LARGEST, &[]), ("proof_bytes", KILOBYTES, 4.3), None, ""),
    Goal("the same, verifying", ("aad_inclusion", COUNTED, LARGEST, &[]), ("verify_us", MS, 6.5), None, ""),
    Goal("memory without entry, counted", ("aad_memory", COUNTED, ANY, &[]), ("memory_bytes_per_element", KILOBYTES, 0.4), None, ""),
    Goal("memory without entry, frontier", ("aad_memory", FRONTIER, ANY, &[]), ("memory_bytes_per_element", KILOBYTES, 1.5), None, "code 650 KB"),
    Goal("the same at most", ("aad_memory", FRONTIER, ANY, &[]), ("peak_bytes_per_element", KILOBYTES, 120.0), None, ""),
];

impl Goal {
    fn is_in(&self, line: &Line) -> bool {
        let (experiment, scheme, n, others) = self.1;
        let of_line = |key: &str| match line.get(key) {
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        };
        line.text("experiment") == experiment
            && line.text("scheme") == scheme
            && (line.count("n") == n || n == ANY && line.count("n") >= LEAST)
            && others.iter().all(|(key, value)| of_line(key) == *value)
    }

    /// Figure, goal, limit, ratio and how large it may be, what was published, and whether the goal is met.
    fn row(&self, line: &Line) -> Option<Vec<String>> {
        let Self(name, of, (key, (factor, unit), most), limit, published) = *self;
        let mut figure = line.number(key)?;
        if of.0 == "aad_memory" {
            figure -= line.figure("entry_bytes");
        }
        let limit = limit.and_then(|(key, times)| Some((line.number(key)?, times)));
        let is_met =
            figure <= most * factor && limit.is_none_or(|(limit, times)| figure <= limit * times);
        let show = |number: Option<f64>| number.map_or_else(String::new, digits);
        Some(vec![
            name.to_owned(),
            unit.to_owned(),
            digits(figure / factor),
            digits(most),
            show(limit.map(|(limit, _)| limit / factor)),
            show(limit.map(|(limit, _)| figure / limit)),
            show(limit.map(|(_, times)| times)),
            published.to_owned(),
            if is_met { "yes" } else { "MISSED" }.to_owned(),
        ])
    }
}

/// The goals whose figures these lines have; the others by name.
pub(super) fn table(lines: &[Line], tables: &mut Tables) {
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    for goal in &GOALS {
        let line = lines.iter().find(|line| goal.is_in(line));
        match line.and_then(|line| goal.row(line)) {
            Some(row) => rows.push(row),
            None if goal.0.starts_with("the same") => {}
            None => missing.push(goal.0),
        }
    }
    if lines.is_empty() {
        return;
    }
    tables.heading("Goals", "Limit: what sums, points and pairings alone take in this run. Ratio: the figure divided by it.");
    let titles = [
        "goal",
        "unit",
        "figure",
        "at most",
        "limit",
        "ratio",
        "at most",
        "published",
        "met",
    ];
    if !rows.is_empty() {
        tables.rows(&titles, &[], rows);
    }
    if !missing.is_empty() {
        tables.note(&format!("Not in these lines: {}.\n", missing.join("; ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line;

    fn shown(us: f64, limit: f64) -> String {
        let line = line! {
            experiment: "aad_append", scheme: COUNTED, n: 512, batch: 512, threads: 1, append_us: us, append_limit_us: limit,
        };
        let mut tables = Tables::default();
        table(&[line], &mut tables);
        tables.signed(&[]).to_string()
    }

    #[test]
    fn goals_are_met_or_missed() {
        assert!(shown(900.0, 700.0).contains("| yes |"));
        let too_long = shown(1_100.0, 1_000.0);
        assert!(too_long.contains("MISSED"), "{too_long}");
        let far_from_limit = shown(900.0, 500.0);
        assert!(far_from_limit.contains("MISSED"), "{far_from_limit}");
        assert!(far_from_limit.contains("Not in these lines: append, counted, 8192"));
    }
}
