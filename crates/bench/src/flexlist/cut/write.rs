//! Rows of a trace on their way to its files.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use std::{
    io::{self, BufWriter, Write},
    path::Path,
};

use tempfile::NamedTempFile;

use super::{CutError, Written};
use crate::flexlist::trace::{
    COMMIT_COLUMNS, Change, Commit, Edit, FILE_COLUMNS, TracedFile, ZSTANDARD_SUFFIX,
};

/// How hard to compress: traces are small and kept.
const LEVEL: i32 = 19;

/// Writes commits, and the table of files at the end.
pub(super) struct RowWriter {
    commits: Rows,
    files: Rows,
}

impl RowWriter {
    /// Begins both files in the folder of the output.
    pub(super) fn create(output: &Path) -> Result<Self, CutError> {
        let name = output.file_name().unwrap_or_default().to_string_lossy();
        let (name, packed) = match name.strip_suffix(ZSTANDARD_SUFFIX) {
            Some(name) => (name, true),
            None => (&*name, false),
        };
        let stem = name.strip_suffix(".csv").unwrap_or_default();
        if stem.is_empty() {
            return Err(CutError::OutputName(output.to_owned()));
        }
        let folder = match output.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let begin = |columns: &[&str]| {
            let file = NamedTempFile::new_in(folder)?;
            let mut rows = if packed {
                Rows::Packed(zstd::Encoder::new(file, LEVEL)?)
            } else {
                Rows::Plain(BufWriter::new(file))
            };
            writeln!(rows, "{}", columns.join(","))?;
            Ok(rows)
        };
        let write_error = |error| CutError::Write(output.to_owned(), error);
        Ok(Self {
            commits: begin(&COMMIT_COLUMNS).map_err(write_error)?,
            files: begin(&FILE_COLUMNS).map_err(write_error)?,
        })
    }

    /// Writes the rows of a commit.
    pub(super) fn commit(&mut self, commit: &Commit) -> io::Result<()> {
        let number = commit.number;
        for change in &commit.changes {
            let path = change.path;
            let out = &mut self.commits;
            match &change.change {
                Change::Add { size } => writeln!(out, "{number},{path},A,0,0,{size}")?,
                Change::Delete { size } => writeln!(out, "{number},{path},D,0,{size},0")?,
                Change::Edit(edits) => {
                    for edit in edits {
                        let Edit {
                            offset,
                            removed,
                            inserted,
                        } = edit;
                        writeln!(out, "{number},{path},M,{offset},{removed},{inserted}")?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes the table of files and ends both.
    pub(super) fn finish(mut self, files: &[TracedFile]) -> io::Result<Written> {
        for (path, file) in files.iter().enumerate() {
            let (out, folder) = (&mut self.files, file.folder);
            match file.initial_size {
                Some(size) => writeln!(out, "{path},{folder},{size}")?,
                None => writeln!(out, "{path},{folder},-1")?,
            }
        }
        Ok(Written {
            commits: self.commits.finish()?,
            files: self.files.finish()?,
        })
    }
}

/// One file.
enum Rows {
    Plain(BufWriter<NamedTempFile>),
    Packed(zstd::Encoder<'static, NamedTempFile>),
}

impl Rows {
    fn finish(self) -> io::Result<NamedTempFile> {
        match self {
            Self::Plain(out) => out.into_inner().map_err(io::IntoInnerError::into_error),
            Self::Packed(out) => out.finish(),
        }
    }
}

impl Write for Rows {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(out) => out.write(bytes),
            Self::Packed(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(out) => out.flush(),
            Self::Packed(out) => out.flush(),
        }
    }
}
