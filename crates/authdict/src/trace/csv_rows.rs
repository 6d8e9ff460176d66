//! The rows of a trace in CSV.

use std::io::{self, Read};

use super::{COLUMNS, HEX_SUFFIX, KEY, LONGEST_ROW, NOT_HEX, OP, Row, SNAPSHOT, TraceError, VALUE};

pub(super) struct CsvRows<R> {
    rows: csv::Reader<RowReader<R>>,
    /// The number of the first [`COLUMNS`] that the trace lacks.
    omitted: usize,
    /// Whether the key and the value are hexadecimal digits.
    are_hex: [bool; 2],
    record: csv::StringRecord,
}

impl<R: Read> CsvRows<R> {
    pub(super) fn new(source: R) -> Result<Self, TraceError> {
        let mut rows = csv::ReaderBuilder::new()
            .buffer_capacity(READ_AHEAD)
            .from_reader(RowReader::new(source));
        let header = rows.headers().cloned();
        let header = header.map_err(|error| match row_error(error, false) {
            TraceError::RowTooLong(_) => TraceError::Header,
            error => error,
        })?;
        let omitted = (0..=KEY).find(|omitted| has_columns(&header, *omitted));
        let omitted = omitted.ok_or(TraceError::Header)?;
        let is_hex = |column: usize| {
            let name = column.checked_sub(omitted).and_then(|at| header.get(at));
            name.is_some_and(|name| name.ends_with(HEX_SUFFIX))
        };
        Ok(Self {
            rows,
            omitted,
            are_hex: [KEY, VALUE].map(is_hex),
            record: csv::StringRecord::new(),
        })
    }

    /// Reads the next row. Returns `false` at the end of the trace.
    pub(super) fn read(&mut self, row: &mut Row) -> Result<bool, TraceError> {
        self.rows.get_mut().left = LONGEST_ROW;
        let read = self.rows.read_record(&mut self.record);
        let read = read.map_err(|error| row_error(error, self.rows.get_ref().has_returns));
        let read = read.map_err(|error| match error {
            // The error contains no position, so the position of the parser is used.
            TraceError::RowTooLong(_) => TraceError::RowTooLong(self.rows.position().line()),
            error => error,
        })?;
        let line = self.record.position().map_or(0, csv::Position::line);
        let line = line.saturating_add(self.rows.get_ref().has_returns.into());
        row.line = line;
        row.has_name = self.has_names();
        self.field(SNAPSHOT).clone_into(&mut row.name);
        let op = if self.omitted > OP {
            "put"
        } else {
            self.field(OP)
        };
        op.clone_into(&mut row.op);
        let [is_hex_key, is_hex_value] = self.are_hex;
        let not_hex = |_| TraceError::Row(line, NOT_HEX.into());
        bytes(self.field(KEY), is_hex_key, &mut row.key).map_err(not_hex)?;
        bytes(self.field(VALUE), is_hex_value, &mut row.value).map_err(not_hex)?;
        Ok(read)
    }

    pub(super) const fn has_names(&self) -> bool {
        self.omitted == SNAPSHOT
    }

    /// Returns the field of the current record in the column [`COLUMNS`]`[column]`; empty if the
    /// trace lacks this column.
    fn field(&self, column: usize) -> &str {
        let place = column.checked_sub(self.omitted);
        place
            .and_then(|place| self.record.get(place))
            .unwrap_or_default()
    }
}

/// Returns whether a header is [`COLUMNS`] without the first `omitted`. The last two may contain
/// hexadecimal digits.
fn has_columns(header: &csv::StringRecord, omitted: usize) -> bool {
    let are_known = (omitted..).zip(header).all(|(column, name)| {
        let text = name.strip_suffix(HEX_SUFFIX).filter(|_| column >= KEY);
        COLUMNS.get(column) == Some(&text.unwrap_or(name))
    });
    are_known && header.len().saturating_add(omitted) == COLUMNS.len()
}

/// Replaces `bytes` by those of a field, which is text or hexadecimal digits.
fn bytes(field: &str, is_hex: bool, bytes: &mut Vec<u8>) -> Result<(), hex::FromHexError> {
    if is_hex {
        *bytes = hex::decode(field)?;
    } else {
        field.as_bytes().clone_into(bytes);
    }
    Ok(())
}

/// A byte source of CSV rows that fails if a row is too long. Without this limit, a short
/// compressed file could expand to an endless row.
///
/// The reader also rejects unterminated quoted fields, and text after a closing quotation mark. The
/// CSV parser would accept both as part of the field. It rejects lines that end in a carriage
/// return alone, which the parser does not count.
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
    /// field, or a carriage return outside of quotation marks has no line feed.
    fn follow(&mut self, bytes: &[u8]) -> io::Result<()> {
        for byte in bytes {
            if self.is_after_return && *byte != b'\n' {
                return Err(self.malformed(RETURN_ALONE));
            }
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

const RETURN_ALONE: &str = "the line does not end in LF or CRLF, but in CR";

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
        if read == 0 && most > 0 && self.is_after_return {
            return Err(self.malformed(RETURN_ALONE));
        }
        self.follow(buffer.get(..read).unwrap_or_default())?;
        Ok(read)
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

/// The size in bytes of the buffer for reading ahead in a trace.
const READ_AHEAD: usize = 1 << 16;
const LONGEST_HEADER: usize = 2 * READ_AHEAD;
