//! Recorded updates as CSV or JSON lines, plain or compressed with gzip or Zstandard.
//!
//! A header line names the columns: `snapshot,op,key,value`, or without the first columns
//! `op,key,value` or `key,value`. A snapshot is the changes of one version; its rows are
//! contiguous. Without the column `snapshot`, all rows are one snapshot. `op` is `put` or `delete`,
//! and the value of a `delete` is empty. Without the column `op`, each row is a `put`. The last row
//! of a key within a snapshot wins. Deleting an absent key does nothing. Lines end in LF or CRLF.
//!
//! The columns `key_hex` and `value_hex`, instead of `key` and `value`, contain hexadecimal
//! digits, for bytes that are not UTF-8.
//!
//! In JSON lines, each line is an object with the columns as fields. `snapshot` and `op` may be
//! missing. Each line has `key` or `key_hex`, and `value` or `value_hex`:
//!
//! ```json
//! {"key": "apple", "value": "1.20"}
//! {"op": "delete", "key_hex": "ff00"}
//! ```

use core::fmt;
use std::{
    collections::HashSet,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use flate2::bufread::MultiGzDecoder;
use pad_core::{InputError, Key, Operation, Value};

mod csv_rows;
mod json_rows;
mod writer;

use csv_rows::CsvRows;
use json_rows::JsonRows;
pub use writer::{TraceWriteError, TraceWriter};

/// The changes of one snapshot of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceSnapshot {
    /// The name of the snapshot in the trace.
    pub name: String,
    /// The line number of the snapshot's first row.
    pub line: u64,
    /// The line number of the first row that removes a key, if there is one.
    pub first_removal: Option<u64>,
    /// The changes of the snapshot, in the order of its rows.
    pub operations: Vec<Operation>,
}

/// Error returned when a trace is read. A number in a variant is the line number of the malformed
/// row; in [`TraceError::RowTooLong`], of a line before it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The operating system reported an error, or the compressed data is damaged.
    #[error("cannot be read: {0}")]
    Io(#[source] io::Error),
    /// The header is neither `snapshot,op,key,value` nor its last three or two columns, also with
    /// `key_hex` and `value_hex`.
    #[error(
        "line 1: the header is not \"snapshot,op,key,value\", \"op,key,value\" or \"key,value\" \
         (key_hex and value_hex for hexadecimal digits)"
    )]
    Header,
    /// The text is UTF-16, as some spreadsheets write it.
    #[error("line 1: the text is UTF-16, not UTF-8")]
    Utf16,
    /// A row is not valid CSV or JSON, or its fields do not match the columns of the trace. The
    /// text is the reason.
    #[error("line {0}: {1}")]
    Row(u64, String),
    /// The column `op` contains this text, which is neither `put` nor `delete`.
    #[error("line {0}: op '{1}' is neither put nor delete")]
    UnknownOperation(u64, String),
    /// A `delete` row has a value.
    #[error("line {0}: a delete has a value")]
    DeleteWithValue(u64),
    /// The row is longer than the maximum length of a row.
    #[error("the row after line {0} has more than {LONGEST_ROW} bytes")]
    RowTooLong(u64),
    /// The name of a snapshot is longer than the maximum length of a name.
    #[error("line {0}: the name of the snapshot has more than {LONGEST_NAME} bytes")]
    NameTooLong(u64),
    /// The key or value in a row is too long.
    #[error("line {0}: {1}")]
    Input(u64, #[source] InputError),
    /// The rows of the snapshot with this name are not contiguous.
    #[error("line {0}: snapshot '{1}' is not contiguous: another one began before this row")]
    Scattered(u64, String),
}

/// A reader of traces. As an iterator, it returns one whole snapshot at a time.
/// [`TraceReader::begin`] and [`TraceReader::change`] need only memory for one change and for the
/// names of the snapshots.
pub struct TraceReader<R> {
    rows: Rows<BufReader<R>>,
    has_names: bool,
    row: Row,
    /// Whether the row that was read last has not been returned to the caller yet.
    is_ahead: bool,
    /// The name of the current snapshot.
    name: String,
    seen: HashSet<String>,
    failed: bool,
}

enum Rows<R> {
    Csv(CsvRows<R>),
    Json(JsonRows<R>),
}

/// A row of a trace.
#[derive(Default)]
struct Row {
    line: u64,
    has_name: bool,
    /// The name of the snapshot, if the row has one.
    name: String,
    op: String,
    key: Vec<u8>,
    value: Vec<u8>,
}

/// The start of a snapshot in a trace: the snapshot's name and first line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStart {
    /// The name of the snapshot in the trace.
    pub name: String,
    /// The line number of the snapshot's first row.
    pub line: u64,
}

/// One row of a trace: a change of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceChange {
    /// The line number of the row.
    pub line: u64,
    /// The put or removal that the row describes.
    pub operation: Operation,
}

impl<R> fmt::Debug for TraceReader<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "TraceReader(after {} snapshots)",
            self.seen.len()
        )
    }
}

impl TraceReader<Box<dyn Read>> {
    /// Opens a trace file. Compressed data is recognised by its first bytes.
    ///
    /// # Errors
    /// [`TraceError::Io`], [`TraceError::Utf16`], [`TraceError::Header`], [`TraceError::Row`],
    /// [`TraceError::RowTooLong`].
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        Self::from_bytes(File::open(path).map_err(TraceError::Io)?)
    }

    /// Reads a trace, plain or compressed.
    ///
    /// # Errors
    /// [`TraceError::Io`], [`TraceError::Utf16`], [`TraceError::Header`], [`TraceError::Row`],
    /// [`TraceError::RowTooLong`].
    pub fn from_bytes(source: impl Read + 'static) -> Result<Self, TraceError> {
        let mut source = BufReader::new(source);
        let start = source.fill_buf().map_err(TraceError::Io)?;
        if start.starts_with(&ZSTANDARD_MAGIC) {
            let decoder = zstd::Decoder::with_buffer(source).map_err(TraceError::Io)?;
            TraceReader::new(Box::new(decoder))
        } else if start.starts_with(&GZIP_MAGIC) {
            // A gzip file may be a concatenation of several members.
            TraceReader::new(Box::new(MultiGzDecoder::new(source)))
        } else {
            TraceReader::new(Box::new(source))
        }
    }
}

impl<R: Read> TraceReader<R> {
    /// Reads a trace of plain CSV or JSON lines. JSON begins with an opening brace.
    ///
    /// # Errors
    /// [`TraceError::Io`], [`TraceError::Utf16`], [`TraceError::Header`], [`TraceError::Row`],
    /// [`TraceError::RowTooLong`].
    pub fn new(source: R) -> Result<Self, TraceError> {
        let mut source = BufReader::new(source);
        let start = source.fill_buf().map_err(TraceError::Io)?;
        if is_utf16(start) {
            return Err(TraceError::Utf16);
        }
        let mut row = Row::default();
        let (rows, has_names, is_ahead) = if start.first() == Some(&b'{') {
            let mut rows = JsonRows::new(source);
            let is_ahead = rows.read(&mut row)?;
            (Rows::Json(rows), row.has_name, is_ahead)
        } else {
            let rows = CsvRows::new(source)?;
            let has_names = rows.has_names();
            (Rows::Csv(rows), has_names, false)
        };
        Ok(Self {
            rows,
            has_names,
            row,
            is_ahead,
            name: String::new(),
            seen: HashSet::new(),
            failed: false,
        })
    }

    /// Returns whether the trace has the column `snapshot`.
    pub const fn has_names(&self) -> bool {
        self.has_names
    }

    /// Names the only snapshot of a trace without the column `snapshot`. Without this call, its
    /// name is empty. No effect on other traces.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Moves to the next snapshot, and skips the remaining rows of the current snapshot. Returns
    /// `None` at the end of the trace.
    ///
    /// # Errors
    /// [`TraceError`].
    pub fn begin(&mut self) -> Result<Option<TraceStart>, TraceError> {
        while !self.seen.is_empty() && self.change()?.is_some() {}
        if !self.read_row()? {
            return Ok(None);
        }
        let (name, line) = (self.row_name().to_owned(), self.row.line);
        if name.len() > LONGEST_NAME {
            return Err(TraceError::NameTooLong(line));
        }
        if !self.seen.insert(name.clone()) {
            let shown = name.escape_debug().take(LONGEST_SHOWN).collect();
            return Err(TraceError::Scattered(line, shown));
        }
        self.name.clone_from(&name);
        Ok(Some(TraceStart { name, line }))
    }

    /// Returns the next change of the current snapshot; `None` after the last change.
    ///
    /// # Errors
    /// [`TraceError`].
    pub fn change(&mut self) -> Result<Option<TraceChange>, TraceError> {
        if !self.read_row()? || self.row_name() != self.name {
            return Ok(None);
        }
        self.is_ahead = false;
        let line = self.row.line;
        let input = |error| TraceError::Input(line, error);
        let key = Key::new(&*self.row.key).map_err(input)?;
        let operation = match (&*self.row.op, &*self.row.value) {
            ("put", value) => Operation::Put(key, Value::new(value).map_err(input)?),
            ("delete", []) => Operation::Remove(key),
            ("delete", _) => return Err(TraceError::DeleteWithValue(line)),
            (other, _) => {
                // The text may be printed to a terminal, so control characters are escaped.
                let shown = other.escape_debug().take(LONGEST_SHOWN).collect();
                return Err(TraceError::UnknownOperation(line, shown));
            }
        };
        Ok(Some(TraceChange { line, operation }))
    }

    /// Reads the next row, unless the row that was read last still has to be returned to the
    /// caller. Returns `false` at the end of the trace.
    fn read_row(&mut self) -> Result<bool, TraceError> {
        if !self.is_ahead {
            self.is_ahead = match &mut self.rows {
                Rows::Csv(rows) => rows.read(&mut self.row),
                Rows::Json(rows) => rows.read(&mut self.row),
            }?;
            if self.is_ahead && self.row.has_name != self.has_names {
                let reason = "some rows have a snapshot and others have none";
                return Err(TraceError::Row(self.row.line, reason.into()));
            }
        }
        Ok(self.is_ahead)
    }

    /// Returns the name of the snapshot that the current row belongs to.
    fn row_name(&self) -> &str {
        if self.has_names {
            &self.row.name
        } else {
            &self.name
        }
    }

    fn next_snapshot(&mut self) -> Result<Option<TraceSnapshot>, TraceError> {
        let Some(TraceStart { name, line }) = self.begin()? else {
            return Ok(None);
        };
        let (mut first_removal, mut operations) = (None, Vec::new());
        while let Some(TraceChange { line, operation }) = self.change()? {
            if matches!(operation, Operation::Remove(_)) {
                first_removal = first_removal.or(Some(line));
            }
            operations.push(operation);
        }
        Ok(Some(TraceSnapshot {
            name,
            line,
            first_removal,
            operations,
        }))
    }
}

impl<R: Read> Iterator for TraceReader<R> {
    type Item = Result<TraceSnapshot, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let next = self.next_snapshot().transpose();
        self.failed = matches!(next, Some(Err(_)));
        next
    }
}

/// Returns whether a text begins as UTF-16 does: with a byte order mark, or with an ASCII character
/// of two bytes.
const fn is_utf16(start: &[u8]) -> bool {
    matches!(
        start,
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, _, ..] | [_, 0, ..]
    )
}

/// The maximum length of a row in bytes. A value of 16 MiB may need twice as many bytes, if its
/// quotation marks are doubled.
const LONGEST_ROW: usize = 64 << 20;
/// The maximum length of a snapshot's name in bytes. All names are kept in memory.
const LONGEST_NAME: usize = 1 << 12;
/// The maximum number of characters of an unknown operation or of a snapshot's name in an error
/// message.
const LONGEST_SHOWN: usize = 40;
const COLUMNS: [&str; 4] = ["snapshot", "op", "key", "value"];
const SNAPSHOT: usize = 0;
const OP: usize = 1;
const KEY: usize = 2;
const VALUE: usize = 3;
/// Suffix of the columns `key_hex` and `value_hex`, which contain hexadecimal digits.
const HEX_SUFFIX: &str = "_hex";
const NOT_HEX: &str = "a key or value is not hexadecimal digits";
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const ZSTANDARD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn read(
        text: &(impl AsRef<[u8]> + ?Sized),
    ) -> Result<Vec<TraceSnapshot>, TraceError> {
        TraceReader::new(text.as_ref())?.collect()
    }

    pub(super) fn message(text: &(impl AsRef<[u8]> + ?Sized)) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn reads_snapshots() {
        let read =
            read("snapshot,op,key,value\na,put,k,1\na,delete,l,\nb,put,\"m,\"\"\",\n").unwrap();
        assert_eq!(read.len(), 2);
        assert_eq!(
            (
                read[0].name.as_str(),
                read[0].line,
                read[0].operations.len()
            ),
            ("a", 2, 2)
        );
        assert_eq!((read[1].name.as_str(), read[1].line), ("b", 4));
        assert_eq!(read[1].operations[0].key().as_bytes(), b"m,\"");
    }

    #[test]
    fn goes_change_by_change_and_past_what_was_not_taken() {
        let text =
            "snapshot,op,key,value\na,put,k,1\na,put,l,2\na,delete,m,\nb,put,k,3\nc,put,n,4\n";
        let mut reader = TraceReader::new(text.as_bytes()).unwrap();
        let start = |name: &str, line| {
            Some(TraceStart {
                name: name.into(),
                line,
            })
        };
        assert_eq!(reader.begin().unwrap(), start("a", 2));
        let change = reader.change().unwrap().unwrap();
        assert_eq!(
            (change.line, change.operation.key().as_bytes()),
            (2, &b"k"[..])
        );
        assert_eq!(reader.begin().unwrap(), start("b", 5));
        assert_eq!(reader.change().unwrap().unwrap().line, 5);
        assert_eq!(reader.change().unwrap(), None);
        assert_eq!(reader.change().unwrap(), None);
        assert_eq!(reader.begin().unwrap(), start("c", 6));
        assert_eq!(reader.begin().unwrap(), None);
        assert_eq!(reader.change().unwrap(), None);
    }

    #[test]
    fn memory_does_not_grow_with_the_rows_of_a_snapshot() {
        let peak = |header: &str, row: &str, rows: usize| {
            let text = header.to_owned() + &row.repeat(rows);
            let mut read = 0;
            let measured = allocation_counter::measure(|| {
                let mut reader = TraceReader::new(text.as_bytes()).unwrap();
                reader.begin().unwrap().unwrap();
                while reader.change().unwrap().is_some() {
                    read += 1;
                }
            });
            assert_eq!(read, rows);
            measured.bytes_max
        };
        for (header, row) in [
            ("snapshot,op,key,value\n", "a,put,key,value\n"),
            ("", "{\"key\":\"key\",\"value\":\"value\"}\n"),
        ] {
            assert_eq!(peak(header, row, 1000), peak(header, row, 50_000), "{row}");
        }
    }

    #[test]
    fn names_the_line_of_each_error() {
        let head = "snapshot,op,key,value\n";
        assert!(message("a,b\n").starts_with("line 1: the header"));
        let not_text = b"snapshot,op,key,value\na,put,k,\xff\n";
        assert_eq!(message(not_text), "line 2: the text is not UTF-8");
        assert_eq!(
            message(&format!("{head}a,put,k,1\na,put,k\n")),
            "line 3: 3 fields instead of 4"
        );
        assert!(message(&format!("{head}a,move,k,1\n")).starts_with("line 2: op 'move'"));
        assert!(message(&format!("{head}a,delete,k,1\n")).starts_with("line 2: a delete has"));
        let scattered = format!("{head}a,put,k,1\nb,put,k,1\na,put,k,1\n");
        assert!(message(&scattered).starts_with("line 4: snapshot 'a' is not contiguous"));
        let long = "k".repeat(5000);
        assert!(
            message(&format!("{head}a,put,{long},1\n")).starts_with("line 2: the key has 5000")
        );
    }

    /// Rows before the refused row may be lost, because they can be in the same piece of the input.
    #[test]
    fn refuses_fields_that_do_not_end_where_they_should() {
        let header = "snapshot,op,key,value\n";
        for (rows, line) in [
            ("a,put,k,\"1", 2),
            ("a,put,k,1\na,put,\"l,2\na,put,m,3\n", 5),
            ("a,put,k,\"1\"2\n", 2),
            ("a,put,\"k\"x,1\n", 2),
            ("a,put,k,\"1\n2\"3\n", 3),
        ] {
            let said = message(&format!("{header}{rows}"));
            assert!(
                said.starts_with(&format!("line {line}: ")),
                "{rows:?}: {said}"
            );
        }
        for rows in [
            "a,put,k,\"1\"",
            "a,put,k,\"1\"\r\na,put,l,\"\"\"\"\n",
            "a,put,k\"l,5\" wide\n",
            "a,put,\"\",\"\"\n",
        ] {
            assert_eq!(
                read(&format!("{header}{rows}")).unwrap().len(),
                1,
                "{rows:?}"
            );
        }
    }

    #[test]
    fn reads_one_snapshot_without_the_first_columns() {
        let both = ["op,key,value\nput,k,1\nput,l,2\n", "key,value\nk,1\nl,2\n"];
        let named = "snapshot,op,key,value\nnoon,put,k,1\nnoon,put,l,2\n";
        let expected = read(named).unwrap();
        for text in both {
            let reader = TraceReader::new(text.as_bytes()).unwrap();
            assert!(!reader.has_names());
            let unnamed: Vec<_> = reader.collect::<Result<_, _>>().unwrap();
            assert_eq!(unnamed[0].name, "");
            let reader = TraceReader::new(text.as_bytes()).unwrap().named("noon");
            let snapshots: Vec<_> = reader.collect::<Result<_, _>>().unwrap();
            assert_eq!(snapshots, expected, "{text:?}");
        }
        let reader = TraceReader::new(named.as_bytes()).unwrap();
        assert!(reader.has_names());
        let reader = reader.named("another");
        assert_eq!(reader.collect::<Result<Vec<_>, _>>().unwrap(), expected);
        let removed = read("op,key,value\ndelete,k,\n").unwrap();
        assert_eq!(removed[0].first_removal, Some(2));
        assert!(read("key,value\n").unwrap().is_empty());
        assert_eq!(
            message("key,value\nk,1\nk\n"),
            "line 3: 1 fields instead of 2"
        );
    }

    #[test]
    fn columns_may_be_hexadecimal_digits() {
        let text = read("op,key,value\nput,k,1\ndelete,l,\n").unwrap();
        for hex in [
            "op,key_hex,value_hex\nput,6B,31\ndelete,6c,\n",
            "op,key_hex,value\nput,6b,1\ndelete,6c,\n",
            "op,key,value_hex\nput,k,31\ndelete,l,\n",
        ] {
            assert_eq!(read(hex).unwrap(), text, "{hex:?}");
        }
        let bytes = read("key_hex,value_hex\nff00,80\n").unwrap();
        assert_eq!(bytes[0].operations[0].key().as_bytes(), b"\xff\0");
        for row in ["zz,", "0,", ",0"] {
            let said = message(&format!("key_hex,value_hex\n00,00\n{row}\n"));
            assert_eq!(said, format!("line 3: {NOT_HEX}"), "{row}");
        }
        for header in ["op_hex,key,value", "key_hex,key,value", "key_hex_hex,value"] {
            assert!(message(&format!("{header}\n")).starts_with("line 1: the header"));
        }
    }

    #[test]
    fn counts_lines_that_end_in_carriage_returns() {
        for end in ["\n", "\r\n"] {
            let rows = [
                "snapshot,op,key,value",
                "a,put,k,\"1",
                "2\"",
                "b,put,l,3",
                "c,put,m",
            ];
            let text = rows.map(|row| row.to_owned() + end).concat();
            let mut reader = TraceReader::new(text.as_bytes()).unwrap();
            assert_eq!(reader.begin().unwrap().unwrap().line, 2);
            assert_eq!(reader.begin().unwrap().unwrap().line, 4);
            let error = reader.begin().unwrap_err().to_string();
            assert_eq!(error, "line 5: 3 fields instead of 4", "{end:?}");
        }
    }

    #[test]
    fn refuses_lines_that_end_in_carriage_returns_alone() {
        for (text, line) in [
            ("key,value\rk,1\r", 1),
            ("key,value\nk,1\rl,2\n", 2),
            ("key,value\r\nk,\"1\"\rl,2\r\n", 2),
        ] {
            let expected = format!("line {line}: the line does not end in LF or CRLF, but in CR");
            assert_eq!(message(text), expected, "{text:?}");
        }
        assert_eq!(read("key,value\nk,\"1\r2\"\n").unwrap().len(), 1);
    }

    #[test]
    fn refuses_utf16_by_name() {
        for text in ["\u{feff}key,value\nk,1\n", "key,value\nk,1\n"] {
            for bytes_of in [u16::to_le_bytes, u16::to_be_bytes] {
                let bytes: Vec<u8> = text.encode_utf16().flat_map(bytes_of).collect();
                let packed = zstd::encode_all(&*bytes, 3).unwrap();
                for bytes in [bytes, packed] {
                    let refused = TraceReader::from_bytes(io::Cursor::new(bytes)).unwrap_err();
                    assert!(matches!(refused, TraceError::Utf16), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn reads_compressed_traces() {
        let plain = "snapshot,op,key,value\na,put,k,1\n";
        let gzip = |text: &str| {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
            encoder.finish().unwrap()
        };
        let zstd = zstd::encode_all(plain.as_bytes(), 3).unwrap();
        let unpacked = |bytes: Vec<u8>| -> Result<Vec<TraceSnapshot>, TraceError> {
            TraceReader::from_bytes(io::Cursor::new(bytes))?.collect()
        };
        for packed in [zstd, gzip(plain)] {
            let cut = packed[..packed.len() - 4].to_vec();
            assert_eq!(unpacked(packed).unwrap().len(), 1);
            assert!(matches!(unpacked(cut), Err(TraceError::Io(_))));
        }
        let two = [gzip(plain), gzip("b,put,k,2\n")].concat();
        assert_eq!(unpacked(two).unwrap().len(), 2);
        let damaged = [&GZIP_MAGIC[..], b"nothing of the kind"].concat();
        assert!(TraceReader::from_bytes(io::Cursor::new(damaged)).is_err());
    }
}
