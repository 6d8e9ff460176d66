//! Output of verified entries and changes as CSV traces, which `pad import` reads.

use std::io::Write;

use authdict::trace::{TraceWriteError, TraceWriter};

use super::Output;
use crate::cli::{Failure, Result};

pub(crate) type TraceOutput<'o> = TraceWriter<&'o mut dyn Write>;

impl Output {
    /// Writes a trace of changes with the columns `op,key,value`. With `is_contents`, writes
    /// entries with the columns `key,value`. With `--hex`, keys and values have the columns
    /// `key_hex,value_hex`. `write` passes the rows to the writer.
    pub(crate) fn trace(
        &mut self,
        is_contents: bool,
        write: impl FnOnce(&mut TraceOutput<'_>) -> Result,
    ) -> Result {
        self.require_text("--csv")?;
        self.note();
        let is_hex = self.hex;
        let mut stream = self.stream();
        let sink: &mut dyn Write = &mut stream;
        let started = match (is_contents, is_hex) {
            (true, false) => TraceWriter::of_entries(sink),
            (true, true) => TraceWriter::of_hex_entries(sink),
            (false, false) => TraceWriter::of_changes(sink),
            (false, true) => TraceWriter::of_hex_changes(sink),
        };
        let written = started.map_err(Failure::from).and_then(|mut writer| {
            write(&mut writer)?;
            Ok(writer.finish()?)
        });
        stream.ended(written)
    }

    /// Fails if output is JSON, because `option` writes another format.
    pub(crate) fn require_text(&self, option: &str) -> Result {
        if !self.is_json() {
            return Ok(());
        }
        let failure = Failure::Input(format!("{option} writes no JSON"));
        Err(failure.help(format!("use either {option} or --json")))
    }
}

impl From<TraceWriteError> for Failure {
    fn from(error: TraceWriteError) -> Self {
        match error {
            TraceWriteError::Io(error) => Self::Store(format!("standard output: {error}")),
            refused => Self::Input(refused.to_string())
                .help("use --hex, which writes the columns key_hex and value_hex"),
        }
    }
}
