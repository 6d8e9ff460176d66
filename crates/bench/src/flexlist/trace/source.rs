//! Reads CSV rows of numbers from a file that may be compressed, damaged or endless.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read, Take},
    path::Path,
};

use super::TraceError;

/// Maximum number of bytes of a trace file's decompressed text: some five million rows.
pub const MOST_BYTES: u64 = 64 << 20;

/// File name suffix of a trace that is compressed with Zstandard.
pub const ZSTANDARD_SUFFIX: &str = ".zst";

const ZSTANDARD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Opens a plain or compressed file. The first bytes decide whether it is decompressed.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read>, TraceError> {
    unpacked(File::open(path).map_err(TraceError::Io)?)
}

/// Returns the text of a plain or compressed source. The first bytes decide whether it is
/// decompressed.
pub(super) fn unpacked(source: impl Read + 'static) -> Result<Box<dyn Read>, TraceError> {
    let mut source = BufReader::new(source);
    let start = source.fill_buf().map_err(TraceError::Io)?;
    if start.starts_with(&ZSTANDARD_MAGIC) {
        let decoder = zstd::Decoder::with_buffer(source).map_err(TraceError::Io)?;
        return Ok(Box::new(decoder));
    }
    Ok(Box::new(source))
}

/// Reader of CSV rows, one at a time. Each must have as many fields as the header.
pub(super) struct Rows<R> {
    reader: csv::Reader<Take<R>>,
    columns: &'static [&'static str],
    row: csv::StringRecord,
    line: u64,
}

impl<R: Read> Rows<R> {
    pub(super) fn new(source: R, columns: &'static [&'static str]) -> Result<Self, TraceError> {
        let mut rows = Self {
            // One byte more than allowed: a reader that consumes it has exceeded the limit.
            reader: csv::Reader::from_reader(source.take(MOST_BYTES.saturating_add(1))),
            columns,
            row: csv::StringRecord::new(),
            line: 1,
        };
        let is_header = rows.reader.headers().map(|header| header == columns);
        if !rows.within_limit(is_header)? {
            return Err(TraceError::Header(columns));
        }
        Ok(rows)
    }

    /// Advances to the next row; returns `false` at the end.
    pub(super) fn advance(&mut self) -> Result<bool, TraceError> {
        let is_there = self.reader.read_record(&mut self.row);
        let is_there = self.within_limit(is_there)?;
        self.line = self.row.position().map_or(self.line, csv::Position::line);
        Ok(is_there)
    }

    /// Returns the result of a CSV read. Fails if more than [`MOST_BYTES`] bytes were read, even if
    /// the read itself succeeded.
    fn within_limit<T>(&self, read: csv::Result<T>) -> Result<T, TraceError> {
        if self.reader.get_ref().limit() == 0 {
            return Err(TraceError::TooLarge(MOST_BYTES));
        }
        read.map_err(refusal)
    }

    /// Returns the line number of the current row; line 1 is the header.
    pub(super) const fn line(&self) -> u64 {
        self.line
    }

    /// Returns the text of the current row in `column`, which counts from 0.
    pub(super) fn field(&self, column: usize) -> &str {
        self.row.get(column).unwrap_or_default()
    }

    /// Returns the number of the current row in `column`, which counts from 0.
    pub(super) fn number(&self, column: usize) -> Result<u64, TraceError> {
        let field = self.field(column);
        // `parse` alone would accept a plus sign.
        let digits = field.bytes().all(|byte| byte.is_ascii_digit());
        field
            .parse()
            .ok()
            .filter(|_| digits)
            .ok_or(TraceError::NotANumber {
                line: self.line,
                column: self.columns.get(column).copied().unwrap_or_default(),
            })
    }
}

fn refusal(error: csv::Error) -> TraceError {
    let line = error.position().map_or(1, csv::Position::line);
    match error.into_kind() {
        csv::ErrorKind::Io(error) => TraceError::Io(error),
        csv::ErrorKind::UnequalLengths { len, .. } => TraceError::FieldCount { line, fields: len },
        // A reader of string records reports no other errors than invalid UTF-8.
        _ => TraceError::NotText(line),
    }
}
