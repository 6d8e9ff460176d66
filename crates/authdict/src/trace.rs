//! Recorded updates as CSV, plain or compressed with gzip or Zstandard.
//!
//! A header line names the columns: `snapshot,op,key,value`, or without the first columns
//! `op,key,value` or `key,value`. The rows of one snapshot are contiguous. Without the column
//! `snapshot`, all rows are one snapshot. `op` is `put` or `delete`, and the value of a `delete` is
//! empty. Without the column `op`, each row is a `put`. The last row of a key within a snapshot
//! wins. Deleting an absent key does nothing.

use core::fmt;
use std::{
    collections::HashSet,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use flate2::bufread::MultiGzDecoder;
use pad_core::{InputError, Key, Operation, Value};

mod writer;

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
    /// The header is neither `snapshot,op,key,value` nor its last three or two columns.
    #[error(
        "line 1: the header is not \"snapshot,op,key,value\", \"op,key,value\" or \"key,value\""
    )]
    Header,
    /// The text is UTF-16, as some spreadsheets write it.
    #[error("line 1: the text is UTF-16, not UTF-8")]
    Utf16,
    /// A row is not CSV with a field for each column. The text is the reason.
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
    rows: csv::Reader<RowReader<R>>,
    columns: Columns,
    row: csv::StringRecord,
    /// Whether the row that was read last has not been returned to the caller yet.
    is_ahead: bool,
    /// The name of the current snapshot.
    name: String,
    seen: HashSet<String>,
    failed: bool,
}

/// The columns of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Columns {
    /// `snapshot,op,key,value`.
    Snapshots,
    /// `op,key,value`.
    Changes,
    /// `key,value`.
    Values,
}

impl Columns {
    fn of(header: &csv::StringRecord) -> Option<Self> {
        let all = [Self::Snapshots, Self::Changes, Self::Values];
        all.into_iter().find(|columns| header == columns.names())
    }

    fn names(self) -> &'static [&'static str] {
        COLUMNS.get(self.omitted()..).unwrap_or_default()
    }

    /// Returns how many of all columns are not in the trace. They are the first ones.
    const fn omitted(self) -> usize {
        match self {
            Self::Snapshots => 0,
            Self::Changes => 1,
            Self::Values => 2,
        }
    }
}

/// A byte source of CSV rows that fails if a row is too long. Without this limit, a short
/// compressed file could expand to an endless row.
///
/// The reader also rejects unterminated quoted fields, and text after a closing quotation mark. The
/// CSV parser would accept both as part of the field.
struct RowReader<R> {
    source: R,
    left: usize,
    line: u64,
    quotes: Quotes,
    /// Whether the byte before was a carriage return outside of quotation marks.
    is_after_return: bool,
    /// Whether lines end in a carriage return and a line feed. The CSV parser then counts the line
    /// feed after a row only with the next row.
    has_returns: bool,
}

/// The state of the scanner that follows quotation marks in CSV.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    FieldBegins,
    Outside,
    Inside,
    /// After a quotation mark in a quoted field. It either ends the field, or is the first half of
    /// a doubled quotation mark.
    Ended,
}

impl<R> RowReader<R> {
    const fn new(source: R) -> Self {
        Self {
            source,
            left: LONGEST_HEADER,
            line: 1,
            quotes: Quotes::FieldBegins,
            is_after_return: false,
            has_returns: false,
        }
    }

    /// Scans the next bytes of the source. Fails if text follows the closing quotation mark of a
    /// field.
    fn follow(&mut self, bytes: &[u8]) -> io::Result<()> {
        for byte in bytes {
            self.quotes = match (self.quotes, byte) {
                (Quotes::Inside, b'"') => Quotes::Ended,
                (Quotes::Inside, _) | (Quotes::FieldBegins | Quotes::Ended, b'"') => Quotes::Inside,
                (_, b',' | b'\n' | b'\r') => Quotes::FieldBegins,
                (Quotes::Ended, _) => {
                    return Err(
                        self.malformed("text follows the closing quotation mark of a field")
                    );
                }
                _ => Quotes::Outside,
            };
            self.line = self.line.saturating_add(u64::from(*byte == b'\n'));
            self.has_returns |= self.is_after_return && *byte == b'\n';
            self.is_after_return = *byte == b'\r' && self.quotes == Quotes::FieldBegins;
        }
        Ok(())
    }

    fn malformed(&self, reason: &'static str) -> io::Error {
        io::Error::other(RowError(self.line, reason))
    }
}

/// Error for a malformed row that the CSV parser would accept. The fields are its line number and
/// the reason.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("line {0}: {1}")]
struct RowError(u64, &'static str);

impl<R: Read> Read for RowReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 && !buffer.is_empty() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let most = buffer.len().min(self.left);
        let read = self
            .source
            .read(buffer.get_mut(..most).unwrap_or_default())?;
        self.left = self.left.saturating_sub(read);
        if read == 0 && most > 0 && self.quotes == Quotes::Inside {
            return Err(self.malformed("the text ends inside a quoted field"));
        }
        self.follow(buffer.get(..read).unwrap_or_default())?;
        Ok(read)
    }
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
    /// [`TraceError::Io`], [`TraceError::Utf16`], [`TraceError::Header`], [`TraceError::Row`].
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        Self::from_bytes(File::open(path).map_err(TraceError::Io)?)
    }

    /// Reads a trace, plain or compressed.
    ///
    /// # Errors
    /// [`TraceError::Io`], [`TraceError::Utf16`], [`TraceError::Header`], [`TraceError::Row`].
    pub fn from_bytes(source: impl Read + 'static) -> Result<Self, TraceError> {
        let mut source = BufReader::new(source);
        let start = source.fill_buf().map_err(TraceError::Io)?;
        if UTF16_MARKS.iter().any(|mark| start.starts_with(mark)) {
            Err(TraceError::Utf16)
        } else if start.starts_with(&ZSTANDARD_MAGIC) {
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
    /// Reads a trace of plain CSV.
    ///
    /// # Errors
    /// [`TraceError::Io`], [`TraceError::Header`], [`TraceError::Row`].
    pub fn new(source: R) -> Result<Self, TraceError> {
        let mut rows = csv::ReaderBuilder::new()
            .buffer_capacity(READ_AHEAD)
            .from_reader(RowReader::new(source));
        let header = rows.headers().cloned();
        let header = header.map_err(|error| row_error(error, false));
        let columns = match header {
            Ok(header) => Columns::of(&header).ok_or(TraceError::Header)?,
            Err(TraceError::RowTooLong(_)) => return Err(TraceError::Header),
            Err(error) => return Err(error),
        };
        Ok(Self {
            rows,
            columns,
            row: csv::StringRecord::new(),
            is_ahead: false,
            name: String::new(),
            seen: HashSet::new(),
            failed: false,
        })
    }

    /// Returns whether the trace has the column `snapshot`.
    pub fn has_names(&self) -> bool {
        self.columns == Columns::Snapshots
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
        let (name, line) = (self.row_name().to_owned(), self.line());
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
        let line = self.line();
        let input = |error| TraceError::Input(line, error);
        let key = Key::new(self.field(KEY).as_bytes()).map_err(input)?;
        let op = match self.columns {
            Columns::Values => "put",
            Columns::Snapshots | Columns::Changes => self.field(OP),
        };
        let operation = match (op, self.field(VALUE)) {
            ("put", value) => Operation::Put(key, Value::new(value.as_bytes()).map_err(input)?),
            ("delete", "") => Operation::Remove(key),
            ("delete", _) => return Err(TraceError::DeleteWithValue(line)),
            (other, _) => {
                // The text may be printed to a terminal.
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
            self.rows.get_mut().left = LONGEST_ROW;
            let read = self.rows.read_record(&mut self.row);
            let read = read.map_err(|error| row_error(error, self.rows.get_ref().has_returns));
            self.is_ahead = read.map_err(|error| match error {
                // The reader does not report its position.
                TraceError::RowTooLong(_) => TraceError::RowTooLong(self.rows.position().line()),
                error => error,
            })?;
        }
        Ok(self.is_ahead)
    }

    fn line(&self) -> u64 {
        let line = self.row.position().map_or(0, csv::Position::line);
        line.saturating_add(self.rows.get_ref().has_returns.into())
    }

    /// Returns the name of the snapshot that the current row belongs to.
    fn row_name(&self) -> &str {
        match self.columns {
            Columns::Snapshots => self.field(SNAPSHOT),
            Columns::Changes | Columns::Values => &self.name,
        }
    }

    /// Returns the field of the current row in the column [`COLUMNS`]`[column]`.
    fn field(&self, column: usize) -> &str {
        let place = column.checked_sub(self.columns.omitted());
        place
            .and_then(|place| self.row.get(place))
            .unwrap_or_default()
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

/// Translates an error of the parser. `has_returns` says whether lines end in a carriage return and
/// a line feed.
fn row_error(error: csv::Error, has_returns: bool) -> TraceError {
    let line = error.position().map_or(1, csv::Position::line);
    let line = line.saturating_add(has_returns.into());
    match error.into_kind() {
        csv::ErrorKind::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            TraceError::RowTooLong(line)
        }
        csv::ErrorKind::Io(error) => {
            let malformed = error.get_ref().and_then(|inner| inner.downcast_ref());
            match malformed {
                Some(RowError(line, reason)) => TraceError::Row(*line, (*reason).into()),
                None => TraceError::Io(error),
            }
        }
        csv::ErrorKind::UnequalLengths {
            len, expected_len, ..
        } => TraceError::Row(line, format!("{len} fields instead of {expected_len}")),
        csv::ErrorKind::Utf8 { .. } => TraceError::Row(line, "the text is not UTF-8".into()),
        _ => TraceError::Row(line, "the row is not CSV".into()),
    }
}

/// The maximum length of a row in bytes. A value of 16 MiB may need twice as many bytes, if its
/// quotation marks are doubled.
const LONGEST_ROW: usize = 64 << 20;
/// The maximum length of a snapshot's name in bytes. All names are kept in memory.
const LONGEST_NAME: usize = 1 << 12;
/// The size in bytes of the buffer for reading ahead in a trace.
const READ_AHEAD: usize = 1 << 16;
const LONGEST_HEADER: usize = 2 * READ_AHEAD;
/// The maximum number of characters of an unknown operation or of a snapshot's name in an error
/// message.
const LONGEST_SHOWN: usize = 40;
const COLUMNS: [&str; 4] = ["snapshot", "op", "key", "value"];
const SNAPSHOT: usize = 0;
const OP: usize = 1;
const KEY: usize = 2;
const VALUE: usize = 3;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// The byte order marks of UTF-16, little-endian and big-endian.
const UTF16_MARKS: [[u8; 2]; 2] = [[0xff, 0xfe], [0xfe, 0xff]];
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
        let peak = |rows: usize| {
            let text = "snapshot,op,key,value\n".to_owned() + &"a,put,key,value\n".repeat(rows);
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
        assert_eq!(peak(1000), peak(50_000));
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
    fn refuses_utf16_by_name() {
        let text = "key,value\nk,1\n".encode_utf16();
        let little = [0xfeff].into_iter().chain(text).flat_map(u16::to_le_bytes);
        let little = io::Cursor::new(little.collect::<Vec<u8>>());
        let refused = TraceReader::from_bytes(little).unwrap_err();
        assert!(matches!(refused, TraceError::Utf16));
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
        let gzip = |text: &str| {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
            encoder.finish().unwrap()
        };
        let zstd = zstd::encode_all(plain.as_bytes(), 3).unwrap();
        for packed in [zstd, gzip(plain)] {
            let cut = packed[..packed.len() - 4].to_vec();
            let read: Result<Vec<_>, _> = TraceReader::from_bytes(io::Cursor::new(packed))
                .unwrap()
                .collect();
            assert_eq!(read.unwrap().len(), 1);
            let read = TraceReader::from_bytes(io::Cursor::new(cut)).and_then(Iterator::collect);
            assert!(matches!(read, Err::<Vec<_>, _>(TraceError::Io(_))));
        }
        let two = [gzip(plain), gzip("b,put,k,2\n")].concat();
        let read: Result<Vec<_>, _> = TraceReader::from_bytes(io::Cursor::new(two))
            .unwrap()
            .collect();
        assert_eq!(read.unwrap().len(), 2);
        let damaged = [&GZIP_MAGIC[..], b"nothing of the kind"].concat();
        assert!(TraceReader::from_bytes(io::Cursor::new(damaged)).is_err());
    }
}
