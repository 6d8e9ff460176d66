//! Rows of a trace on their way to its files.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
    path::Path,
};

use tempfile::NamedTempFile;

use super::{CutError, Written};
use crate::flexlist::trace::{
    COMMIT_COLUMNS, Change, Commit, FILE_COLUMNS, TracedFile, ZSTANDARD_SUFFIX,
};

/// How hard to compress: traces are small and kept.
const LEVEL: i32 = 19;

/// Gathers the rows of commits, and writes them and the table of files at the end.
pub(super) struct RowWriter {
    written: Written,
    packed: bool,
    rows: String,
}

impl RowWriter {
    /// Begins both files in the folder of the output.
    pub(super) fn create(output: &Path) -> Result<Self, CutError> {
        let name = output.file_name().unwrap_or_default().to_string_lossy();
        let (name, packed) = match name.strip_suffix(ZSTANDARD_SUFFIX) {
            Some(name) => (name, true),
            None => (&*name, false),
        };
        if name.strip_suffix(".csv").is_none_or(str::is_empty) {
            return Err(CutError::OutputName(output.to_owned()));
        }
        let folder = match output.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let begin = || NamedTempFile::new_in(folder);
        let write_error = |error| CutError::Write(output.to_owned(), error);
        Ok(Self {
            written: Written {
                commits: begin().map_err(write_error)?,
                files: begin().map_err(write_error)?,
            },
            packed,
            rows: COMMIT_COLUMNS.join(",") + "\n",
        })
    }

    /// Adds the rows of a commit.
    pub(super) fn commit(&mut self, commit: &Commit) {
        let number = commit.number;
        for change in &commit.changes {
            let path = change.path;
            let mut row = |kind, offset, removed, inserted| {
                let row = format_args!("{number},{path},{kind},{offset},{removed},{inserted}");
                // Writing to memory does not fail.
                let _ = writeln!(self.rows, "{row}");
            };
            match &change.change {
                Change::Add { size } => row('A', 0, 0, *size),
                Change::Delete { size } => row('D', 0, *size, 0),
                Change::Edit(edits) => {
                    for edit in edits {
                        row('M', edit.offset, edit.removed, edit.inserted);
                    }
                }
            }
        }
    }

    /// Writes both files.
    pub(super) fn finish(mut self, files: &[TracedFile]) -> io::Result<Written> {
        let mut table = FILE_COLUMNS.join(",") + "\n";
        for (path, file) in files.iter().enumerate() {
            let size = file.initial_size.map(|size| size.to_string());
            let (folder, size) = (file.folder, size.as_deref().unwrap_or("-1"));
            let _ = writeln!(table, "{path},{folder},{size}");
        }
        let Written { commits, files } = &mut self.written;
        for (file, text) in [(commits, &self.rows), (files, &table)] {
            if self.packed {
                zstd::stream::copy_encode(text.as_bytes(), file, LEVEL)?;
            } else {
                file.write_all(text.as_bytes())?;
            }
        }
        Ok(self.written)
    }
}
