//! The rows of a trace in JSON lines.

use std::io::{BufRead, Read};

use serde::Deserialize;

use super::{LONGEST_ROW, NOT_HEX, Row, TraceError};

pub(super) struct JsonRows<R> {
    source: R,
    line: u64,
    bytes: Vec<u8>,
}

/// One line. Bytes that are not UTF-8 are hexadecimal digits in `key_hex` or `value_hex`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    snapshot: Option<String>,
    op: Option<String>,
    key: Option<String>,
    key_hex: Option<String>,
    value: Option<String>,
    value_hex: Option<String>,
}

impl<R: BufRead> JsonRows<R> {
    pub(super) const fn new(source: R) -> Self {
        Self {
            source,
            line: 0,
            bytes: Vec::new(),
        }
    }

    /// Reads the next row. Skips blank lines. Returns `false` at the end of the trace.
    pub(super) fn read(&mut self, row: &mut Row) -> Result<bool, TraceError> {
        loop {
            self.bytes.clear();
            let most = u64::try_from(LONGEST_ROW).unwrap_or(u64::MAX);
            // One byte more shows that a line is too long.
            let line = self.source.by_ref().take(most.saturating_add(1));
            let read = { line }.read_until(b'\n', &mut self.bytes);
            if read.map_err(TraceError::Io)? == 0 {
                return Ok(false);
            }
            if self.bytes.len() > LONGEST_ROW {
                return Err(TraceError::RowTooLong(self.line));
            }
            self.line = self.line.saturating_add(1);
            if !self.bytes.trim_ascii().is_empty() {
                break;
            }
        }
        let malformed = |reason: &str| TraceError::Row(self.line, reason.to_owned());
        let line: Line = serde_json::from_slice(&self.bytes).map_err(|error| {
            let text = error.to_string();
            // The parser reads only this line, so its line number is removed from the message.
            let reason = text
                .rsplit_once(" at line ")
                .map_or(&*text, |(reason, _)| reason);
            let shown: String = reason.chars().take(LONGEST_REASON).collect();
            TraceError::Row(self.line, format!("column {}: {shown}", error.column()))
        })?;
        row.line = self.line;
        row.has_name = line.snapshot.is_some();
        row.name = line.snapshot.unwrap_or_default();
        row.op = line.op.unwrap_or_else(|| "put".into());
        let key = bytes(line.key, line.key_hex);
        row.key = key
            .map_err(malformed)?
            .ok_or_else(|| malformed("the key is missing"))?;
        let value = bytes(line.value, line.value_hex).map_err(malformed)?;
        if value.is_none() && row.op == "put" {
            return Err(malformed("a put has no value"));
        }
        row.value = value.unwrap_or_default();
        Ok(true)
    }
}

/// Returns the bytes of a field that is text or hexadecimal digits.
fn bytes(text: Option<String>, digits: Option<String>) -> Result<Option<Vec<u8>>, &'static str> {
    match (text, digits) {
        (Some(_), Some(_)) => Err("a key or value is both text and hexadecimal digits"),
        (Some(text), None) => Ok(Some(text.into_bytes())),
        (None, Some(digits)) => match hex::decode(digits) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(_) => Err(NOT_HEX),
        },
        (None, None) => Ok(None),
    }
}

/// The maximum number of characters of the parser's reason in an error message. The reason may
/// contain text of the trace.
const LONGEST_REASON: usize = 120;

#[cfg(test)]
mod tests {
    use pad_core::{Key, Operation, Value};

    use super::*;
    use crate::trace::{
        TraceReader, TraceSnapshot,
        tests::{message, read},
    };

    #[test]
    fn lines_are_the_rows_of_csv() {
        let csv = b"snapshot,op,key,value\na,put,k,1\na,delete,l,\nb,put,k,\"x\"\"\ny\"\n";
        let json = br#"{"snapshot":"a","op":"put","key":"k","value":"1"}
{"key":"l","op":"delete","snapshot":"a"}
{"snapshot":"b","key":"k","value":"x\"\ny"}"#;
        let strip = |snapshots: Vec<TraceSnapshot>| -> Vec<_> {
            let strip = |it: TraceSnapshot| (it.name, it.operations);
            snapshots.into_iter().map(strip).collect()
        };
        assert_eq!(strip(read(json).unwrap()), strip(read(csv).unwrap()));
        assert!(TraceReader::new(&json[..]).unwrap().has_names());
    }

    #[test]
    fn bytes_are_hexadecimal_digits() {
        let text = b"{\"key_hex\":\"00fF\",\"value_hex\":\"\"}\r\n\n  \n\
            {\"op\":\"delete\",\"key\":\"\",\"value\":null}\n";
        let reader = TraceReader::new(&text[..]).unwrap();
        assert!(!reader.has_names());
        let snapshots: Vec<_> = reader.named("n").collect::<Result<_, _>>().unwrap();
        let [one] = &snapshots[..] else {
            panic!("{snapshots:?}");
        };
        let put = Operation::Put(Key::new([0, 0xff]).unwrap(), Value::default());
        let remove = Operation::Remove(Key::new([]).unwrap());
        assert_eq!((&*one.name, one.line, one.first_removal), ("n", 1, Some(4)));
        assert_eq!(one.operations, [put, remove]);
    }

    #[test]
    fn what_is_no_row_is_refused_with_its_line() {
        let first = r#"{"key":"k","value":"v"}"#;
        for (line, reason) in [
            (r#"{"key":"k"}"#, "a put has no value"),
            (r#"{"value":"v"}"#, "the key is missing"),
            (
                r#"{"key":"k","key_hex":"00","value":""}"#,
                "is both text and hexadecimal",
            ),
            (
                r#"{"key":"k","value_hex":"0"}"#,
                "is not hexadecimal digits",
            ),
            (
                r#"{"op":"move","key":"k","value":""}"#,
                "op 'move' is neither",
            ),
            (
                r#"{"op":"delete","key":"k","value":"v"}"#,
                "a delete has a value",
            ),
            (
                r#"{"key":"k","valeu":"v"}"#,
                "column 18: unknown field `valeu`",
            ),
            (
                r#"{"key":"k","key":"k","value":"v"}"#,
                "duplicate field `key`",
            ),
            (r#"{"key":1,"value":"v"}"#, "invalid type"),
            (r#"{"key":"k","value":"v"} x"#, "trailing characters"),
            (r#"{"key":"k","#, "EOF while parsing"),
            (
                r#"{"snapshot":"a","key":"k","value":"v"}"#,
                "others have none",
            ),
            ("key,value", "expected value"),
        ] {
            let said = message(&format!("{first}\n{line}\n"));
            assert!(
                said.starts_with("line 2: ") && said.contains(reason),
                "{line}: {said}"
            );
        }
        let long = format!("{first}\n{{\"{}\":1}}", "x".repeat(10_000));
        assert!(message(&long).len() < 200);
        let text = b"{\"key\":\"\xff\",\"value\":\"\"}";
        assert!(message(text).starts_with("line 1: column"));
        // Nested objects end the parser before they end the stack.
        assert!(message(&format!("{}{}", r#"{"key":"#, "[".repeat(100_000))).starts_with("line 1"));
    }

    #[test]
    fn endless_lines_are_refused() {
        let endless = b"{\"key\":\"".chain(std::io::repeat(b'x'));
        let Err(error) = TraceReader::new(endless) else {
            panic!("no line is endless");
        };
        assert!(matches!(error, TraceError::RowTooLong(0)), "{error}");
    }
}
