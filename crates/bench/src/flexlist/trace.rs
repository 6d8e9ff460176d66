//! Version-control traces: what the commits of a history did to its files, as numbers only.
//!
//! Two CSV files, plain or compressed with Zstandard, each with a header line:
//!
//! * `NAME.csv`: `commit,path,kind,offset,removed,inserted`. `kind` is `A` (file added, `inserted` its
//!   size), `D` (file deleted, `removed` its size) or `M` (one edited range). `offset` counts bytes in the
//!   file as it was *before* the commit, so edits are applied from the last to the first. Commits stand
//!   in ascending order from 1; one without a change has no row.
//! * `NAME-files.csv`: `path,dir,initial_size`, one row for each file in the order of `path` from 0. `dir`
//!   is the number of its folder, in order of first sight; `initial_size` is its size in bytes before
//!   commit 1, or `-1` if it was not there yet.
//!
//! A trace is followed while it is read: every row fits the sizes that the rows before it left, or is
//! refused with its line.

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

/// The largest file of a trace, in bytes: what a `FlexList` takes.
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
    /// Its bytes before the first commit; none if it was not there.
    pub initial_size: Option<u64>,
}

/// One edited range of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Where, in bytes of the file before the commit.
    pub offset: u64,
    /// The bytes that go.
    pub removed: u64,
    /// The bytes that come in their place.
    pub inserted: u64,
}

/// What a commit did to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Added it.
    Add {
        /// Its bytes.
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

/// A file and what a commit did to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The number of the file, an index of [`Trace::files`].
    pub path: usize,
    /// What became of it.
    pub change: Change,
}

/// A commit that changed something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its number in the history, from 1.
    pub number: u64,
    /// The line of its first row.
    pub line: u64,
    /// Each changed file once.
    pub changes: Vec<FileChange>,
}

/// A whole trace, in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Every file that is there at some time.
    pub files: Vec<TracedFile>,
    /// The commits with a change, in order.
    pub commits: Vec<Commit>,
    /// The bytes of each file after the last commit; none if it is not there.
    pub final_sizes: Vec<Option<u64>>,
}

impl Trace {
    /// Reads the trace at `path` and the table of files beside it ([`files_beside`]).
    ///
    /// # Errors
    /// [`TraceFileError`], which names the file: what [`Trace::from_sources`] refuses, or no such file.
    pub fn read(path: &Path) -> Result<Self, TraceFileError> {
        let beside = files_beside(path);
        let in_file = |file: &Path| {
            let file = file.to_owned();
            |error| TraceFileError { file, error }
        };
        let files = source::open(&beside).and_then(read_files);
        let files = files.map_err(in_file(&beside))?;
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

/// Where the table of files of a trace is: `NAME-files.csv` beside `NAME.csv`, compressed if that is.
pub fn files_beside(trace: &Path) -> PathBuf {
    let name = trace.file_name().unwrap_or_default().to_string_lossy();
    let (name, packed) = match name.strip_suffix(ZSTANDARD_SUFFIX) {
        Some(name) => (name, ZSTANDARD_SUFFIX),
        None => (&*name, ""),
    };
    let name = name.strip_suffix(".csv").unwrap_or(name);
    trace.with_file_name(format!("{name}-files.csv{packed}"))
}
