//! Measurements as JSON lines, with the machine that they are of: what `bench compare --json` prints.

use std::{collections::BTreeSet, thread};

use serde::Deserialize;

use crate::{coefficients, measurement::Measurement, processor};

/// Measurements of one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    /// The measurements.
    pub measured: Vec<Measurement>,
    /// The processors that they are of.
    pub machines: Vec<String>,
    /// Whether any of them was taken in haste, so that it only shows an order of magnitude.
    pub quick: bool,
}

/// A line is not what it should be.
#[derive(Debug, thiserror::Error)]
#[error("{file}, line {line}: {reason}")]
pub struct RecordError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// What stands beside a measurement.
#[derive(Deserialize)]
struct Origin {
    cpu: Option<String>,
    cores: Option<usize>,
    quick: Option<bool>,
}

impl Records {
    /// The measurements that come with this crate.
    ///
    /// # Panics
    /// Never: a test reads them.
    pub fn shipped() -> Self {
        let read = Self::parse("the shipped measurements", SHIPPED);
        read.expect("records: the shipped measurements are whole")
    }

    /// What was measured in haste on this machine, just now.
    pub fn of_this_machine(measured: Vec<Measurement>) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let processor = processor().unwrap_or_else(|| "an unknown processor".into());
        Self {
            measured,
            machines: vec![machine(&processor, Some(cores))],
            quick: true,
        }
    }

    /// As lines that [`Self::parse`] reads.
    ///
    /// # Panics
    /// Never: figures are numbers.
    pub fn to_lines(&self) -> String {
        let line = |measured: &Measurement| {
            let mut line = serde_json::to_value(measured)
                .expect("records: measurements are numbers and texts");
            line["cpu"] = self.machines.join(" and ").into();
            line["quick"] = self.quick.into();
            format!("{line}\n")
        };
        self.measured.iter().map(line).collect()
    }

    /// Reads lines as [`coefficients::read`] does, with the machines beside them; `file` is what errors call it.
    ///
    /// # Errors
    /// [`RecordError`] if a line is not JSON, if a measurement lacks something, or if there is none.
    pub fn parse(file: &str, text: &str) -> Result<Self, RecordError> {
        let error = |line: usize, reason: String| RecordError {
            file: file.into(),
            line,
            reason,
        };
        let measured =
            coefficients::read(text).map_err(|read| error(read.line, read.reason.to_string()))?;
        if measured.is_empty() {
            return Err(error(1, "no line is a measurement".into()));
        }
        let origins = || {
            text.lines()
                .filter_map(|line| serde_json::from_str::<Origin>(line).ok())
        };
        let machines = origins().filter_map(|origin| Some(machine(&origin.cpu?, origin.cores)));
        let machines: BTreeSet<_> = machines.collect();
        Ok(Self {
            measured,
            machines: machines.into_iter().collect(),
            quick: origins().any(|origin| origin.quick == Some(true)),
        })
    }
}

fn machine(processor: &str, cores: Option<usize>) -> String {
    match cores {
        Some(cores) => format!("{processor}, {cores} cores"),
        None => processor.to_owned(),
    }
}

const SHIPPED: &str = include_str!("../data/measurements.jsonl");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{sample, schemes::scheme};

    #[test]
    fn measurements_come_back_from_their_lines() {
        let one = sample("tuple-spec");
        let mut line = serde_json::to_value(&one).unwrap();
        line["cpu"] = "a processor".into();
        line["cores"] = 2.into();
        let text = format!("{{\"experiment\":\"run\",\"seed\":1}}\n\n{line}\n{line}\n");
        let records = Records::parse("mine", &text).unwrap();
        assert_eq!(records.measured, [one.clone(), one]);
        assert_eq!(records.machines, ["a processor, 2 cores"]);
        assert!(!records.quick);
    }

    #[test]
    fn what_is_measured_here_comes_back() {
        let mut records = Records::of_this_machine(vec![sample("treap"), sample("tuple-spec")]);
        assert_eq!(
            Records::parse("mine", &records.to_lines()).unwrap(),
            records
        );
        records.quick = false;
        assert_eq!(
            Records::parse("mine", &records.to_lines()).unwrap(),
            records
        );
    }

    #[test]
    fn errors_name_file_and_line() {
        let error = |text: &str| Records::parse("mine", text).unwrap_err().to_string();
        assert!(error("{}\nnot").starts_with("mine, line 2: expected"));
        assert_eq!(error("{}"), "mine, line 1: no line is a measurement");
        let lacking = "{\"scheme\": \"treap\", \"workload\": \"updates\"}";
        assert!(error(lacking).starts_with("mine, line 1: missing field"));
    }

    #[test]
    fn the_shipped_measurements_are_of_known_schemes_and_a_machine() {
        let records = Records::shipped();
        assert!(!records.machines.is_empty());
        for measured in &records.measured {
            assert!(scheme(&measured.scheme).is_some(), "{}", measured.scheme);
        }
    }
}
