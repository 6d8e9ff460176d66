//! Writing of traces, as [`TraceReader`](super::TraceReader) reads them.

use std::{
    borrow::Cow,
    io::{self, Write},
    str,
};

use pad_core::Operation;

use super::{COLUMNS, HEX_SUFFIX, KEY, OP, VALUE};

/// A writer of the changes of one snapshot as a trace without the column `snapshot`.
///
/// Memory: a buffer of constant size, and a key and value as hexadecimal digits.
#[derive(Debug)]
pub struct TraceWriter<W: Write> {
    rows: csv::Writer<W>,
    /// The number of the first [`COLUMNS`] that the trace lacks.
    omitted: usize,
    /// Whether keys and values are written as hexadecimal digits.
    is_hex: bool,
}

/// Error returned when a trace is written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceWriteError {
    /// The sink reported an error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The key or its value is not UTF-8, and this writer writes no hexadecimal digits.
    #[error("a key or value is not UTF-8, as CSV requires")]
    NotText,
    /// The operation is a removal, and the trace lacks the column `op`.
    #[error("a removal needs the column op")]
    Removal,
}

impl<W: Write> TraceWriter<W> {
    /// Starts a trace of entries, with the columns `key,value`.
    ///
    /// # Errors
    /// [`TraceWriteError::Io`].
    pub fn of_entries(sink: W) -> Result<Self, TraceWriteError> {
        Self::new(sink, KEY, false)
    }

    /// Starts a trace of changes, with the columns `op,key,value`.
    ///
    /// # Errors
    /// [`TraceWriteError::Io`].
    pub fn of_changes(sink: W) -> Result<Self, TraceWriteError> {
        Self::new(sink, OP, false)
    }

    /// Starts a trace of entries, with the columns `key_hex,value_hex`.
    ///
    /// # Errors
    /// [`TraceWriteError::Io`].
    pub fn of_hex_entries(sink: W) -> Result<Self, TraceWriteError> {
        Self::new(sink, KEY, true)
    }

    /// Starts a trace of changes, with the columns `op,key_hex,value_hex`.
    ///
    /// # Errors
    /// [`TraceWriteError::Io`].
    pub fn of_hex_changes(sink: W) -> Result<Self, TraceWriteError> {
        Self::new(sink, OP, true)
    }

    fn new(sink: W, omitted: usize, is_hex: bool) -> Result<Self, TraceWriteError> {
        let mut writer = Self {
            rows: csv::Writer::from_writer(sink),
            omitted,
            is_hex,
        };
        let [snapshot, op, key, value] = COLUMNS;
        if is_hex {
            let [key, value] = [key, value].map(|name| format!("{name}{HEX_SUFFIX}"));
            writer.row([snapshot, op, &key, &value])?;
        } else {
            writer.row(COLUMNS)?;
        }
        Ok(writer)
    }

    /// Writes one change as a row.
    ///
    /// # Errors
    /// [`TraceWriteError`].
    pub fn write(&mut self, operation: &Operation) -> Result<(), TraceWriteError> {
        let (op, value) = match operation {
            Operation::Put(_, value) => ("put", self.field(value.as_bytes())?),
            Operation::Remove(_) if self.omitted > OP => {
                return Err(TraceWriteError::Removal);
            }
            Operation::Remove(_) => ("delete", "".into()),
        };
        let key = self.field(operation.key().as_bytes())?;
        self.row(["", op, &key, &value])
    }

    /// Returns a key or value as the text of its column.
    fn field<'b>(&self, bytes: &'b [u8]) -> Result<Cow<'b, str>, TraceWriteError> {
        if self.is_hex {
            return Ok(hex::encode(bytes).into());
        }
        let text = str::from_utf8(bytes).map_err(|_| TraceWriteError::NotText)?;
        Ok(text.into())
    }

    /// Writes the fields of all columns that the trace has.
    fn row(&mut self, fields: [&str; VALUE + 1]) -> Result<(), TraceWriteError> {
        let fields = fields.into_iter().skip(self.omitted);
        let written = self.rows.write_record(fields);
        written.map_err(|error| TraceWriteError::Io(error.into()))
    }

    /// Writes the buffered rows to the sink.
    ///
    /// # Errors
    /// [`TraceWriteError::Io`].
    pub fn finish(mut self) -> Result<(), TraceWriteError> {
        Ok(self.rows.flush()?)
    }
}

#[cfg(test)]
mod tests {
    use pad_core::{Key, Value};

    use super::*;
    use crate::trace::TraceReader;

    fn put(key: &[u8], value: &[u8]) -> Operation {
        Operation::Put(Key::new(key).unwrap(), Value::new(value).unwrap())
    }

    #[test]
    fn what_is_written_is_read_again() {
        let texts = [
            "", "a", "\"", "a,b", "\n", "\r\n", "\u{fffd}", " x ", "\"\"",
        ];
        let mut operations = Vec::new();
        for key in texts {
            for value in texts {
                operations.push(put(key.as_bytes(), value.as_bytes()));
            }
        }
        let removal = Operation::Remove(Key::new(*b"b").unwrap());
        let mut bytes = Vec::new();
        let writer = TraceWriter::of_entries(&mut bytes).unwrap();
        let refused = write_all(writer, &operations, &removal);
        assert!(matches!(refused, TraceWriteError::Removal));
        assert!(bytes.starts_with(b"key,value\n"));
        assert_eq!(read_again(&bytes), operations);

        operations.push(removal);
        let mut bytes = Vec::new();
        let writer = TraceWriter::of_changes(&mut bytes).unwrap();
        let refused = write_all(writer, &operations, &put(b"k", b"\xff"));
        assert!(matches!(refused, TraceWriteError::NotText));
        assert!(bytes.starts_with(b"op,key,value\n"));
        assert_eq!(read_again(&bytes), operations);
    }

    #[test]
    fn bytes_are_written_as_hexadecimal_digits() {
        let removal = Operation::Remove(Key::new([0xfe]).unwrap());
        let mut operations = vec![put(b"\xff\0", b"\x80"), put(b"", b""), put(b"k", b"v")];
        let mut bytes = Vec::new();
        let writer = TraceWriter::of_hex_entries(&mut bytes).unwrap();
        let refused = write_all(writer, &operations, &removal);
        assert!(matches!(refused, TraceWriteError::Removal));
        assert_eq!(bytes, b"key_hex,value_hex\nff00,80\n,\n6b,76\n");
        assert_eq!(read_again(&bytes), operations);

        operations.push(removal);
        let mut bytes = Vec::new();
        let mut writer = TraceWriter::of_hex_changes(&mut bytes).unwrap();
        for operation in &operations {
            writer.write(operation).unwrap();
        }
        writer.finish().unwrap();
        assert!(bytes.starts_with(b"op,key_hex,value_hex\nput,ff00,80\n"));
        assert_eq!(read_again(&bytes), operations);
    }

    fn read_again(bytes: &[u8]) -> Vec<Operation> {
        let mut snapshots = TraceReader::new(bytes).unwrap();
        let operations = snapshots.next().unwrap().unwrap().operations;
        assert!(snapshots.next().is_none());
        operations
    }

    /// Writes a trace, and returns the error for `refused`, which leaves no row.
    fn write_all(
        mut writer: TraceWriter<&mut Vec<u8>>,
        operations: &[Operation],
        refused: &Operation,
    ) -> TraceWriteError {
        for operation in operations {
            writer.write(operation).unwrap();
        }
        let error = writer.write(refused).unwrap_err();
        writer.finish().unwrap();
        error
    }

    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_told() {
        let mut writer = TraceWriter::of_entries(Full).unwrap();
        writer.write(&put(b"k", b"v")).unwrap();
        let TraceWriteError::Io(error) = writer.finish().unwrap_err() else {
            panic!("another error");
        };
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
