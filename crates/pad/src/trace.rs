//! Recorded updates as CSV, plain or compressed with Zstandard.
//!
//! Columns `snapshot,op,key,value`, with a header line. Rows of one snapshot stand together; `op`
//! is `put` or `delete`, and the value of a `delete` is empty. Within a snapshot the last row of a
//! key wins, and deleting an absent key does nothing.

use core::fmt;
use std::{
    collections::HashSet,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use pad_core::{InputError, Key, Operation, Value};

/// One snapshot of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceSnapshot {
    /// What the trace calls it.
    pub name: String,
    /// The line of its first row.
    pub line: u64,
    /// The line of the first row that removes a key, if there is one.
    pub first_removal: Option<u64>,
    /// Its changes in the order of the rows.
    pub operations: Vec<Operation>,
}

/// A trace cannot be read on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The operating system refused, or the compressed data is damaged.
    #[error("cannot be read: {0}")]
    Io(#[source] io::Error),
    /// The header is not `snapshot,op,key,value`.
    #[error("line 1: the header is not \"snapshot,op,key,value\"")]
    Header,
    /// A row is not CSV of four fields: its line and the reason.
    #[error("line {0}: {1}")]
    Row(u64, String),
    /// `op` is neither `put` nor `delete`.
    #[error("line {0}: op '{1}' is neither put nor delete")]
    UnknownOperation(u64, String),
    /// A `delete` has a value.
    #[error("line {0}: a delete has a value")]
    DeleteWithValue(u64),
    /// A key or value is too long.
    #[error("line {0}: {1}")]
    Input(u64, #[source] InputError),
    /// Rows of one snapshot do not stand together.
    #[error("line {0}: snapshot '{1}' goes on after another one began")]
    Scattered(u64, String),
}

/// Reads a trace snapshot by snapshot; memory for one snapshot at a time.
pub struct TraceReader<R> {
    rows: csv::Reader<R>,
    /// The first row of the next snapshot, already read.
    ahead: Option<Row>,
    seen: HashSet<String>,
    failed: bool,
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

struct Row {
    line: u64,
    snapshot: String,
    operation: Operation,
}

impl TraceReader<Box<dyn Read>> {
    /// Opens a trace file; compressed data is recognised by its first bytes.
    ///
    /// # Errors
    /// [`TraceError::Io`], [`TraceError::Header`].
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        Self::from_bytes(File::open(path).map_err(TraceError::Io)?)
    }

    /// Reads a trace, plain or compressed.
    ///
    /// # Errors
    /// [`TraceError::Io`], [`TraceError::Header`].
    pub fn from_bytes(source: impl Read + 'static) -> Result<Self, TraceError> {
        let mut source = BufReader::new(source);
        let start = source.fill_buf().map_err(TraceError::Io)?;
        if start.starts_with(&ZSTANDARD_MAGIC) {
            let decoder = zstd::Decoder::with_buffer(source).map_err(TraceError::Io)?;
            TraceReader::new(Box::new(decoder))
        } else {
            TraceReader::new(Box::new(source))
        }
    }
}

impl<R: Read> TraceReader<R> {
    /// Reads a trace of plain CSV.
    ///
    /// # Errors
    /// [`TraceError::Io`], [`TraceError::Header`].
    pub fn new(source: R) -> Result<Self, TraceError> {
        let mut rows = csv::ReaderBuilder::new().from_reader(source);
        let header = rows.headers().map_err(row_error)?;
        if header != COLUMNS.as_slice() {
            return Err(TraceError::Header);
        }
        Ok(Self {
            rows,
            ahead: None,
            seen: HashSet::new(),
            failed: false,
        })
    }

    fn next_row(&mut self) -> Result<Option<Row>, TraceError> {
        let mut record = csv::StringRecord::new();
        if !self.rows.read_record(&mut record).map_err(row_error)? {
            return Ok(None);
        }
        let line = record.position().map_or(0, csv::Position::line);
        let input = |error| TraceError::Input(line, error);
        let field = |column: usize| record.get(column).unwrap_or_default();
        let key = Key::new(field(2).as_bytes()).map_err(input)?;
        let operation = match (field(1), field(3)) {
            ("put", value) => Operation::Put(key, Value::new(value.as_bytes()).map_err(input)?),
            ("delete", "") => Operation::Remove(key),
            ("delete", _) => return Err(TraceError::DeleteWithValue(line)),
            (other, _) => return Err(TraceError::UnknownOperation(line, other.into())),
        };
        Ok(Some(Row {
            line,
            snapshot: field(0).into(),
            operation,
        }))
    }

    fn next_snapshot(&mut self) -> Result<Option<TraceSnapshot>, TraceError> {
        let first = match self.ahead.take() {
            Some(row) => row,
            None => match self.next_row()? {
                Some(row) => row,
                None => return Ok(None),
            },
        };
        let Row {
            line,
            snapshot: name,
            operation,
        } = first;
        if !self.seen.insert(name.clone()) {
            return Err(TraceError::Scattered(line, name));
        }
        let is_removal = |operation: &Operation| matches!(operation, Operation::Remove(_));
        let mut first_removal = is_removal(&operation).then_some(line);
        let mut operations = vec![operation];
        while let Some(row) = self.next_row()? {
            if row.snapshot != name {
                self.ahead = Some(row);
                break;
            }
            if first_removal.is_none() && is_removal(&row.operation) {
                first_removal = Some(row.line);
            }
            operations.push(row.operation);
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

fn row_error(error: csv::Error) -> TraceError {
    let line = error.position().map_or(1, csv::Position::line);
    match error.into_kind() {
        csv::ErrorKind::Io(error) => TraceError::Io(error),
        csv::ErrorKind::UnequalLengths { len, .. } => {
            TraceError::Row(line, format!("{len} fields instead of 4"))
        }
        csv::ErrorKind::Utf8 { .. } => TraceError::Row(line, "the text is not UTF-8".into()),
        _ => TraceError::Row(line, "the row is not CSV".into()),
    }
}

const COLUMNS: [&str; 4] = ["snapshot", "op", "key", "value"];
const ZSTANDARD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<TraceSnapshot>, TraceError> {
        TraceReader::new(text.as_bytes())?.collect()
    }

    fn message(text: &str) -> String {
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
    fn names_the_line_of_each_error() {
        let head = "snapshot,op,key,value\n";
        assert!(message("a,b\n").starts_with("line 1: the header"));
        assert_eq!(
            message(&format!("{head}a,put,k,1\na,put,k\n")),
            "line 3: 3 fields instead of 4"
        );
        assert!(message(&format!("{head}a,move,k,1\n")).starts_with("line 2: op 'move'"));
        assert!(message(&format!("{head}a,delete,k,1\n")).starts_with("line 2: a delete has"));
        let scattered = format!("{head}a,put,k,1\nb,put,k,1\na,put,k,1\n");
        assert!(message(&scattered).starts_with("line 4: snapshot 'a' goes on"));
        let long = "k".repeat(5000);
        assert!(
            message(&format!("{head}a,put,{long},1\n")).starts_with("line 2: the key has 5000")
        );
    }

    #[test]
    fn refuses_bytes_that_are_not_text() {
        let bytes = b"snapshot,op,key,value\na,put,k,\xff\n";
        let read: Result<Vec<_>, _> = TraceReader::new(&bytes[..]).unwrap().collect();
        assert_eq!(
            read.unwrap_err().to_string(),
            "line 2: the text is not UTF-8"
        );
    }

    #[test]
    fn reads_compressed_traces() {
        let plain = "snapshot,op,key,value\na,put,k,1\n";
        let packed = zstd::encode_all(plain.as_bytes(), 3).unwrap();
        let cut = packed[..packed.len() - 4].to_vec();
        let read: Result<Vec<_>, _> = TraceReader::from_bytes(io::Cursor::new(packed))
            .unwrap()
            .collect();
        assert_eq!(read.unwrap().len(), 1);
        let read = TraceReader::from_bytes(io::Cursor::new(cut)).and_then(Iterator::collect);
        assert!(matches!(read, Err::<Vec<_>, _>(TraceError::Io(_))));
    }
}
