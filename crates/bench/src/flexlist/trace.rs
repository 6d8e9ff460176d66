//! Version-control traces: the changes of a history's commits to its files, as numbers only.
//!
//! Two CSV files, plain or compressed with Zstandard, each with a header line:
//!
//! * `NAME.csv`: `commit,path,kind,offset,removed,inserted`. `kind` is `A` (file added, `inserted`
//!   its size), `D` (file deleted, `removed` its size) or `M` (one edited range). `offset` counts
//!   bytes in the file as it was *before* the commit, so edits are applied from the last to the
//!   first. Commits are in ascending order from 1; one without a change has no row.
//! * `NAME-files.csv`: `path,dir,initial_size`, one row for each file in the order of `path` from
//!   0. `dir` is the number of its folder, in order of first sight. `initial_size` is its size in
//!   bytes before commit 1, or `-1` if it did not exist yet.
//!
//! A trace is checked while it is read: a row that does not fit the sizes left by the rows before
//! it is refused with its line number.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use std::{
    io::Read,
    path::{Path, PathBuf},
};

mod commits;
mod error;
mod files;
mod source;
#[cfg(test)]
mod tests;

pub use error::{TraceError, TraceFileError};
use files::read_files;
pub use source::{MOST_BYTES, ZSTANDARD_SUFFIX};

/// Size of the largest file of a trace, in bytes: the limit of a `FlexList`.
pub const MOST_FILE_BYTES: u64 = u64::MAX >> 1;

/// The columns of the commits.
pub const COMMIT_COLUMNS: [&str; 6] = ["commit", "path", "kind", "offset", "removed", "inserted"];

/// The columns of the files.
pub const FILE_COLUMNS: [&str; 3] = ["path", "dir", "initial_size"];

/// A file of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracedFile {
    /// The number of its folder.
    pub folder: u64,
    /// Bytes before the first commit; none if the file did not exist.
    pub initial_size: Option<u64>,
}

/// One edited range of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Offset, in bytes of the file before the commit.
    pub offset: u64,
    /// Bytes that are removed.
    pub removed: u64,
    /// Bytes that are inserted in their place.
    pub inserted: u64,
}

/// Change of one file by a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Added it.
    Add {
        /// Number of bytes.
        size: u64,
    },
    /// Deleted it.
    Delete {
        /// The bytes that it had.
        size: u64,
    },
    /// Edited it: at least one range, ascending and without overlap.
    Edit(Vec<Edit>),
}

/// A file and its change by a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The number of the file, an index of [`Trace::files`].
    pub path: usize,
    /// Change of the file.
    pub change: Change,
}

/// A commit with changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Number in the history, from 1.
    pub number: u64,
    /// The line of its first row.
    pub line: u64,
    /// Each changed file once.
    pub changes: Vec<FileChange>,
}

/// A whole trace, in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// All files of the history.
    pub files: Vec<TracedFile>,
    /// The commits with a change, in order.
    pub commits: Vec<Commit>,
    /// Bytes of each file after the last commit; none if it does not exist.
    pub final_sizes: Vec<Option<u64>>,
}

impl Trace {
    /// Reads the trace at `path` and the table of files next to it ([`files_beside`]).
    ///
    /// # Errors
    /// [`TraceFileError`], which names the file: what [`Trace::from_sources`] refuses, or no such
    /// file.
    pub fn read(path: &Path) -> Result<Self, TraceFileError> {
        let list = files_beside(path);
        let in_file = |file: &Path| {
            let file = file.to_owned();
            |error| TraceFileError { file, error }
        };
        let files = source::open(&list).and_then(read_files);
        let files = files.map_err(in_file(&list))?;
        let trace = source::open(path).and_then(|source| Self::follow(files, source));
        trace.map_err(in_file(path))
    }

    /// Reads a trace from two sources, plain or compressed.
    ///
    /// # Errors
    /// [`TraceError`] at the first row that is malformed or does not fit the rows before it.
    pub fn from_sources(
        commits: impl Read + 'static,
        files: impl Read + 'static,
    ) -> Result<Self, TraceError> {
        let files = read_files(source::unpacked(files)?)?;
        Self::follow(files, source::unpacked(commits)?)
    }

    fn follow(files: Vec<TracedFile>, source: impl Read) -> Result<Self, TraceError> {
        let (commits, final_sizes) = commits::read_commits(source, &files)?;
        Ok(Self {
            files,
            commits,
            final_sizes,
        })
    }
}

/// Path of a trace's table of files: `NAME-files.csv` next to `NAME.csv`, compressed if that is.
pub fn files_beside(trace: &Path) -> PathBuf {
    let name = trace.file_name().unwrap_or_default().to_string_lossy();
    let (name, packed) = match name.strip_suffix(ZSTANDARD_SUFFIX) {
        Some(name) => (name, ZSTANDARD_SUFFIX),
        None => (&*name, ""),
    };
    let name = name.strip_suffix(".csv").unwrap_or(name);
    trace.with_file_name(format!("{name}-files.csv{packed}"))
}
