//! Version-control traces: the changes of a history's commits to its files, as numbers only.
//!
//! Two CSV files, plain or compressed with Zstandard, each with a header line:
//!
//! * `NAME.csv`: `commit,path,kind,offset,removed,inserted`. `kind` is `A` (file added, `inserted`
//!   its size), `D` (file deleted, `removed` its size) or `M` (one edited range). `offset` counts
//!   bytes in the file as it was *before* the commit, so edits are applied from the last to the
//!   first. Commits are in ascending order from 1. A commit without a change has no row.
//! * `NAME-files.csv`: `path,dir,initial_size`, one row for each file in the order of `path` from
//!   0. `dir` is the number of its folder, in order of first appearance. `initial_size` is its size
//!   in bytes before commit 1, or `-1` if it did not exist yet.
//!
//! A trace is checked while it is read. A row that does not fit the file sizes after the earlier
//! rows is refused with its line number.

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

pub use error::{TraceError, TraceFileError};
use files::read_files;
pub use source::{MOST_BYTES, ZSTANDARD_SUFFIX};

/// Maximum size of a file in a trace, in bytes: the limit of a `FlexList`.
pub const MOST_FILE_BYTES: u64 = u64::MAX >> 1;

/// Column names in the file of commits.
pub const COMMIT_COLUMNS: [&str; 6] = ["commit", "path", "kind", "offset", "removed", "inserted"];

/// Column names in the table of files.
pub const FILE_COLUMNS: [&str; 3] = ["path", "dir", "initial_size"];

/// A file that exists at some point of a trace's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracedFile {
    /// Number of the file's folder.
    pub folder: u64,
    /// Size in bytes before the first commit; `None` if the file did not exist.
    pub initial_size: Option<u64>,
}

/// One edited range of a file: some bytes are replaced by others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Start of the range, in bytes of the file before the commit.
    pub offset: u64,
    /// Number of bytes that are removed.
    pub removed: u64,
    /// Number of bytes that are inserted in their place.
    pub inserted: u64,
}

/// Change of one file by a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The commit added the file.
    Add {
        /// Number of bytes of the new file.
        size: u64,
    },
    /// The commit deleted the file.
    Delete {
        /// Number of bytes that the file had.
        size: u64,
    },
    /// The commit edited the file: at least one range, ascending and without overlap.
    Edit(Vec<Edit>),
}

/// A file and its change by a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Number of the file, an index of [`Trace::files`].
    pub path: usize,
    /// Change of this file.
    pub change: Change,
}

/// A commit that changes at least one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Number of the commit in the history, from 1.
    pub number: u64,
    /// Line number of the commit's first row in the trace.
    pub line: u64,
    /// Changed files, each once.
    pub changes: Vec<FileChange>,
}

/// A whole trace, in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// All files of the history; a file's index is its number.
    pub files: Vec<TracedFile>,
    /// Commits that change a file, in ascending order.
    pub commits: Vec<Commit>,
    /// Size of each file after the last commit, in bytes; `None` if it does not exist.
    pub final_sizes: Vec<Option<u64>>,
}

impl Trace {
    /// Reads the trace at `path`, and the table of files next to it ([`files_beside`]).
    ///
    /// # Errors
    /// [`TraceFileError`] with the name of the file that cannot be opened or that
    /// [`Trace::from_sources`] refuses.
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

    /// Reads a trace from two sources, the commits and the table of files. Each is plain or
    /// compressed.
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

/// Returns the path of a trace's table of files: `NAME-files.csv` next to `NAME.csv`. It has the
/// suffix for compression if `trace` has.
pub fn files_beside(trace: &Path) -> PathBuf {
    let name = trace.file_name().unwrap_or_default().to_string_lossy();
    let (name, packed) = match name.strip_suffix(ZSTANDARD_SUFFIX) {
        Some(name) => (name, ZSTANDARD_SUFFIX),
        None => (&*name, ""),
    };
    let name = name.strip_suffix(".csv").unwrap_or(name);
    trace.with_file_name(format!("{name}-files.csv{packed}"))
}
