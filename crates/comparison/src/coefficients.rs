//! Measurements as JSON lines: what a ranking of schemes is computed from.

use core::fmt::Write as _;

use serde::Deserialize as _;
use serde_json::Value;

use crate::{Measurement, NotMeasured, Record};

/// A line is not a measurement.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct ReadError {
    /// The number of the line, from 1 on.
    pub line: usize,
    /// What is wrong with it.
    pub reason: serde_json::Error,
}

/// The records in JSON lines. Keys that a record does not have are ignored (the machine, what a scheme can prove), and so are lines
/// without `scheme` and empty ones.
///
/// # Errors
/// [`ReadError`]: a line is not JSON, or lacks a key of a record.
pub fn read_records(text: &str) -> Result<Vec<Record>, ReadError> {
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let read = lines.map(|(index, line)| {
        read_record(line).map_err(|reason| ReadError {
            line: index + 1,
            reason,
        })
    });
    read.filter_map(Result::transpose).collect()
}

/// The record in a line; none in lines of something else.
fn read_record(line: &str) -> Result<Option<Record>, serde_json::Error> {
    let value: Value = serde_json::from_str(line)?;
    if value.get("scheme").is_none() || value.get("workload").is_none() {
        return Ok(None);
    }
    // Not as one of both: then an error would not say which key is missing.
    let record = if value.get("reason").is_some() {
        NotMeasured::deserialize(value).map(Record::NotMeasured)?
    } else {
        let measured = Measurement::deserialize(value)?;
        // Memory may shrink from one version to the next.
        let figures = [
            Some(measured.author_us),
            Some(measured.apply_us),
            Some(measured.update_bytes),
            measured.load_us_per_key,
            measured.prove_us,
            measured.prove_old_us,
            measured.proof_bytes,
            measured.verify_us,
            measured.memory_bytes_per_key,
            measured.author_cryptography_us,
            measured.apply_cryptography_us,
            measured.verify_cryptography_us,
        ];
        let mut figures = figures.into_iter().flatten();
        if measured.shape.keys == 0 || figures.any(|figure| figure < 0.0) {
            return Err(serde::de::Error::custom("no keys, or a figure below 0"));
        }
        Record::Measured(measured)
    };
    Ok(Some(record))
}

/// The measurements in JSON lines, without what was not measured.
///
/// # Errors
/// As [`read_records`].
pub fn read(text: &str) -> Result<Vec<Measurement>, ReadError> {
    let records = read_records(text)?.into_iter();
    let measured = records.filter_map(|record| match record {
        Record::Measured(measurement) => Some(measurement),
        Record::NotMeasured(_) => None,
    });
    Ok(measured.collect())
}

/// Measurements as JSON lines, which [`read`] reads.
///
/// # Errors
/// A figure is not a number.
pub fn write(measurements: &[Measurement]) -> Result<String, serde_json::Error> {
    let mut text = String::new();
    for measurement in measurements {
        _ = writeln!(text, "{}", serde_json::to_string(measurement)?);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample as measurement;

    #[test]
    fn what_is_written_is_read_again() {
        let measurements = ["treap-path-copying", "tuple-base"].map(measurement);
        let text = write(&measurements).unwrap();
        assert_eq!(text.lines().count(), 2);
        assert_eq!(read(&text).unwrap(), measurements);
    }

    #[test]
    fn other_keys_and_other_lines_are_ignored() {
        let text = write(&[measurement("directory")]).unwrap();
        let more = text.replacen('{', r#"{"experiment":"compare","cpu":"EPYC","#, 1);
        let not = r#"{"scheme":"aad-counted","workload":"growing","keys":0,"changes":1,"key_bytes":8,"value_bytes":32,"seed":0,"reason":"nothing can be removed"}"#;
        let text = format!("{{\"experiment\":\"primitives\"}}\n\n{more}{not}\n");
        assert_eq!(read(&text).unwrap(), [measurement("directory")]);
        assert_eq!(read_records(&text).unwrap().len(), 2);
    }

    #[test]
    fn a_missing_figure_is_named() {
        let text = write(&[measurement("directory")]).unwrap();
        let text = format!("\n{}", text.replace("author_us", "author"));
        let error = read(&text).unwrap_err();
        assert_eq!(error.line, 2);
        assert!(error.to_string().contains("author_us"), "{error}");
        assert!(read("{").is_err());
        let negative = Measurement {
            prove_us: Some(-1.0),
            ..measurement("directory")
        };
        let error = read(&write(&[negative]).unwrap()).unwrap_err();
        assert!(error.to_string().contains("below 0"), "{error}");
    }
}
