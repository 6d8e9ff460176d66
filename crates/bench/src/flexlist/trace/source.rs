//! Rows of numbers from a file that may be compressed, damaged or endless.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use core::fmt;
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use super::TraceError;

/// The most bytes of a trace's text: some five million rows.
pub const MOST_BYTES: u64 = 64 << 20;

/// What the name of a compressed trace ends with.
pub const ZSTANDARD_SUFFIX: &str = ".zst";

const ZSTANDARD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Opens a file, plain or compressed: its first bytes say which.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read>, TraceError> {
    unpacked(File::open(path).map_err(TraceError::Io)?)
}

/// The text of a source, plain or compressed.
pub(super) fn unpacked(source: impl Read + 'static) -> Result<Box<dyn Read>, TraceError> {
    let mut source = BufReader::new(source);
    let start = source.fill_buf().map_err(TraceError::Io)?;
    if start.starts_with(&ZSTANDARD_MAGIC) {
        let decoder = zstd::Decoder::with_buffer(source).map_err(TraceError::Io)?;
        return Ok(Box::new(decoder));
    }
    Ok(Box::new(source))
}

/// Reads rows of as many fields as the header has.
pub(super) struct Rows<R> {
    reader: csv::Reader<Limited<R>>,
    columns: &'static [&'static str],
    row: csv::StringRecord,
    line: u64,
}

impl<R: Read> Rows<R> {
    pub(super) fn new(source: R, columns: &'static [&'static str]) -> Result<Self, TraceError> {
        let source = Limited {
            source,
            left: MOST_BYTES,
        };
        let mut reader = csv::ReaderBuilder::new().from_reader(source);
        let header = reader.headers().map_err(refusal)?;
        if header != columns {
            return Err(TraceError::Header(columns));
        }
        Ok(Self {
            reader,
            columns,
            row: csv::StringRecord::new(),
            line: 1,
        })
    }

    /// Goes on to the next row; false at the end.
    pub(super) fn advance(&mut self) -> Result<bool, TraceError> {
        let is_there = self.reader.read_record(&mut self.row).map_err(refusal)?;
        self.line = self.row.position().map_or(self.line, csv::Position::line);
        Ok(is_there)
    }

    /// The line of the row.
    pub(super) const fn line(&self) -> u64 {
        self.line
    }

    /// A field of the row.
    pub(super) fn field(&self, column: usize) -> &str {
        self.row.get(column).unwrap_or_default()
    }

    /// A field that is a number.
    pub(super) fn number(&self, column: usize) -> Result<u64, TraceError> {
        let field = self.field(column);
        // `parse` alone would take a plus sign.
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
        csv::ErrorKind::Io(error) => {
            let inner = error.get_ref();
            let limit = inner.is_some_and(<dyn core::error::Error + Send + Sync>::is::<Endless>);
            if limit {
                TraceError::TooLarge(MOST_BYTES)
            } else {
                TraceError::Io(error)
            }
        }
        csv::ErrorKind::UnequalLengths { len, .. } => TraceError::FieldCount { line, fields: len },
        // The reader of strings knows no further error but that of text.
        _ => TraceError::NotText(line),
    }
}

/// Fails beyond [`MOST_BYTES`].
struct Limited<R> {
    source: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.left = u64::try_from(read)
            .ok()
            .and_then(|read| self.left.checked_sub(read))
            .ok_or_else(|| io::Error::other(Endless))?;
        Ok(read)
    }
}

#[derive(Debug)]
struct Endless;

impl fmt::Display for Endless {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("more than the limit")
    }
}

impl core::error::Error for Endless {}
