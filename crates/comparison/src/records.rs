//! Reads measurements from JSON lines, and the machines on which they were made.
//!
//! The input is the output of these commands of `bench`: `compare --json`, `calibrate --json` and
//! `primitives --json`.

use std::collections::BTreeSet;

use pad_core::{Sha256Ed25519, Suite as _};
use serde::{Deserialize, de::Error as _};
use serde_json::Value;

use crate::measurement::Measurement;

/// Measurements of schemes, read from one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    /// Measurements in the order of the file.
    pub measured: Vec<Measurement>,
    /// Processors of the machines that made the measurements.
    pub machines: Vec<String>,
    /// Whether any measurement was a quick run, which only shows an order of magnitude.
    pub quick: bool,
    /// Nanoseconds to hash each additional byte of a long value. `None` unless the file contains a
    /// line of `bench primitives`.
    pub hash_ns_per_byte: Option<f64>,
}

/// Error returned if a file is malformed or contains no measurement.
#[derive(Debug, thiserror::Error)]
#[error("{file}, line {line}: {reason}")]
pub struct RecordError {
    /// Name of the file.
    pub file: String,
    /// Number of the line, from 1.
    pub line: usize,
    /// Problem with the line.
    pub reason: String,
}

/// Keys of a line other than the measurement itself: the machine, and times of primitives.
#[derive(Deserialize)]
struct Origin {
    cpu: Option<String>,
    cores: Option<usize>,
    quick: Option<bool>,
    suite: Option<String>,
    value_hash_1k_ns: Option<f64>,
    value_hash_64k_ns: Option<f64>,
}

impl Origin {
    /// Returns the nanoseconds for each hashed byte, computed from the times to hash 1 and 64 KiB.
    /// `None` unless the line is about the suite of the measured schemes.
    fn hash_ns_per_byte(&self) -> Option<f64> {
        let is_compared = self.suite.as_deref() == Some(Sha256Ed25519::NAME);
        let (short, long) = (self.value_hash_1k_ns?, self.value_hash_64k_ns?);
        (is_compared && 0.0 < short && short < long).then_some((long - short) / HASHED_BYTES)
    }
}

/// Difference between the two hashed lengths, 1 and 64 KiB, in bytes.
const HASHED_BYTES: f64 = 64_512.0;

impl Records {
    /// Returns the measurements that are bundled with this crate.
    ///
    /// # Panics
    /// Never: a test parses them.
    pub fn shipped() -> Self {
        let read = Self::parse("the shipped measurements", SHIPPED);
        read.expect("records: the shipped measurements are whole")
    }

    /// Parses measurements and their machines from JSON lines. Errors name `file` as the source.
    ///
    /// Ignores lines of another kind, empty lines, and keys that are not part of a measurement,
    /// such as the properties of a scheme.
    ///
    /// # Errors
    /// [`RecordError`] if a line is not JSON, if a measurement lacks a figure or has an impossible
    /// one, or if there is no measurement.
    pub fn parse(file: &str, text: &str) -> Result<Self, RecordError> {
        let error = |line: usize, reason: String| RecordError {
            file: file.into(),
            line,
            reason,
        };
        let (mut records, mut machines) = (Self::default(), BTreeSet::new());
        let lines = (1..).zip(text.lines());
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let measured = measurement(line).map_err(|reason| error(number, reason.to_string()))?;
            records.measured.extend(measured);
            let Ok(origin) = serde_json::from_str::<Origin>(line) else {
                continue;
            };
            records.quick |= origin.quick == Some(true);
            let hash_ns_per_byte = origin.hash_ns_per_byte();
            records.hash_ns_per_byte = records.hash_ns_per_byte.or(hash_ns_per_byte);
            machines.extend(origin.cpu.map(|processor| machine(processor, origin.cores)));
        }
        if records.measured.is_empty() {
            return Err(error(1, "no line is a measurement".into()));
        }
        records.machines = machines.into_iter().collect();
        Ok(records)
    }
}

/// Parses the measurement in a line. `None` for lines of another kind, including lines that only
/// state why a scheme was not measured.
fn measurement(line: &str) -> Result<Option<Measurement>, serde_json::Error> {
    let value: Value = serde_json::from_str(line)?;
    let has = |key| value.get(key).is_some();
    if !has("scheme") || !has("workload") || has("reason") {
        return Ok(None);
    }
    // Memory may shrink from one version to the next.
    let is_wrong = |(key, figure): (&String, &Value)| {
        key != "memory_bytes_per_snapshot" && figure.as_f64().is_some_and(|figure| figure < 0.0)
    };
    let measured = Measurement::deserialize(value)?;
    let figures = serde_json::to_value(&measured)?;
    let mut figures = figures.as_object().into_iter().flatten();
    if measured.shape.keys == 0 || figures.any(is_wrong) {
        return Err(serde_json::Error::custom("no keys, or a figure below 0"));
    }
    Ok(Some(measured))
}

fn machine(processor: String, cores: Option<usize>) -> String {
    match cores {
        Some(cores) => format!("{processor}, {cores} cores"),
        None => processor,
    }
}

/// Bundled output of `bench compare --json` and `bench primitives --json`.
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
        let not = r#"{"scheme":"aad-counted","workload":"growing","keys":0,"reason":"nothing can be removed"}"#;
        let text = format!("{{\"experiment\":\"run\",\"seed\":1}}\n\n{line}\n{not}\n{line}\n");
        let records = Records::parse("mine", &text).unwrap();
        assert_eq!(records.measured, [one.clone(), one]);
        assert_eq!(records.machines, ["a processor, 2 cores"]);
        assert!(!records.quick);
        line["quick"] = true.into();
        assert!(Records::parse("mine", &line.to_string()).unwrap().quick);
    }

    #[test]
    fn the_speed_of_hashing_is_that_of_long_values() {
        let line = |suite, short: f64, long: f64| {
            serde_json::json!({
                "experiment": "primitives", "suite": suite,
                "value_hash_1k_ns": short, "value_hash_64k_ns": long,
            })
        };
        let measured = serde_json::to_string(&sample("treap")).unwrap();
        let known = |lines: &[Value]| {
            let lines: Vec<_> = lines.iter().map(ToString::to_string).collect();
            let text = format!("{}\n{measured}\n", lines.join("\n"));
            Records::parse("mine", &text).unwrap().hash_ns_per_byte
        };
        assert_eq!(known(&[]), None);
        // A measurement without long values has zeros.
        assert_eq!(known(&[line("sha256-ed25519", 0.0, 0.0)]), None);
        assert_eq!(known(&[line("blake3-ed25519", 1000.0, 64_000.0)]), None);
        let both = [
            line("paper-2010", 1.0, 2.0),
            line("sha256-ed25519", 1024.0, 65_536.0),
        ];
        assert_eq!(known(&both), Some(1.0));
    }

    #[test]
    fn errors_name_file_and_line() {
        let error = |text: &str| Records::parse("mine", text).unwrap_err().to_string();
        assert!(error("{}\nnot").starts_with("mine, line 2: expected"));
        assert_eq!(error("{}"), "mine, line 1: no line is a measurement");
        let lacking = "{\"scheme\": \"treap\", \"workload\": \"updates\"}";
        assert!(error(lacking).starts_with("mine, line 1: missing field"));
        let mut negative = serde_json::to_value(sample("directory")).unwrap();
        negative["prove_us"] = (-1.0).into();
        assert!(error(&format!("\n{negative}")).ends_with("line 2: no keys, or a figure below 0"));
    }

    #[test]
    fn the_shipped_measurements_are_of_known_schemes_and_a_machine() {
        let records = Records::shipped();
        // All of one machine.
        assert_eq!(records.machines.len(), 1, "{:?}", records.machines);
        assert!(
            records
                .hash_ns_per_byte
                .is_some_and(|ns| (0.1..10.0).contains(&ns))
        );
        for measured in &records.measured {
            assert!(scheme(&measured.scheme).is_some(), "{}", measured.scheme);
        }
    }
}
