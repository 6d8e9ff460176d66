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
//! A row that does not fit the file sizes after the earlier rows is refused with its line number.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use std::{
    collections::HashSet,
    fs::File,
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, de::DeserializeOwned};

use crate::prelude::*;

/// Maximum size of a file in a trace, in bytes: the limit of a `FlexList`.
const MOST_FILE_BYTES: u64 = u64::MAX >> 1;

/// Maximum number of bytes of a trace file's decompressed text: some five million rows.
const MOST_BYTES: u64 = 64 << 20;

/// File name suffix of a trace that is compressed with Zstandard.
const ZSTANDARD_SUFFIX: &str = ".zst";

const ZSTANDARD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

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

impl Edit {
    /// Returns the end of the range; `None` if it is not a number of 64 bits.
    const fn end(&self) -> Option<u64> {
        self.offset.checked_add(self.removed)
    }
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

/// A commit that changes at least one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Number of the commit in the history, from 1.
    pub number: u64,
    /// Changed files, each once: the number of the file, an index of [`Trace::files`], and its
    /// change.
    pub changes: Vec<(usize, Change)>,
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
    /// Errors name the file, and the line of the first row that is malformed or does not fit the
    /// rows before it.
    pub fn read(path: &Path) -> Outcome<Self> {
        let list = files_beside(path);
        let files = text_of(&list).and_then(|text| read_files(&text));
        let files = files.map_err(|error| format!("{}: {error}", list.display()))?;
        let trace = text_of(path).and_then(|text| Self::follow(files, &text));
        trace.map_err(|error| format!("{}: {error}", path.display()).into())
    }

    /// Reads the commits, and checks each row against the file sizes before it.
    fn follow(files: Vec<TracedFile>, text: &str) -> Outcome<Self> {
        let mut sizes: Vec<Option<u64>> = files.iter().map(|file| file.initial_size).collect();
        let (rows, mut commits) = (rows::<Row>(text)?, Vec::new());
        let mut last = 0;
        for of_commit in rows.chunk_by(|one, other| one.1.commit == other.1.commit) {
            let (mut changes, mut seen) = (Vec::new(), HashSet::new());
            let before = last;
            for of_file in of_commit.chunk_by(|one, other| one.1.path == other.1.path) {
                let Some(&(line, Row { commit, path, .. })) = of_file.first() else {
                    continue;
                };
                last = commit;
                require(commit > before, line, "commits do not ascend from 1")?;
                let is_new = seen.insert(path);
                require(is_new, line, "the rows of one file do not stand together")?;
                let size = sizes.get_mut(path).ok_or_else(|| {
                    format!("line {line}: path {path} is not in the table of files")
                })?;
                changes.push((path, change(of_file, size)?));
            }
            let number = last;
            commits.push(Commit { number, changes });
        }
        Ok(Self {
            files,
            commits,
            final_sizes: sizes,
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

/// Returns the text of a plain or compressed file. The first bytes decide whether it is
/// decompressed.
fn text_of(path: &Path) -> Outcome<String> {
    let read = || -> io::Result<String> {
        let mut source = BufReader::new(File::open(path)?);
        if source.fill_buf()?.starts_with(&ZSTANDARD_MAGIC) {
            return io::read_to_string(zstd::Decoder::with_buffer(source)?.take(MOST_BYTES));
        }
        io::read_to_string(source.take(MOST_BYTES))
    };
    let text = read().map_err(|error| format!("cannot be read: {error}"))?;
    let fits = (text.len() as u64) < MOST_BYTES;
    ensure(fits, "the text has more bytes than a trace may have")?;
    Ok(text)
}

/// Parses the rows below the header of a CSV file, each with its line number.
fn rows<T: DeserializeOwned>(text: &str) -> csv::Result<Vec<(u64, T)>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers()?.clone();
    let row = |record: csv::Result<csv::StringRecord>| -> csv::Result<(u64, T)> {
        let record = record?;
        let line = record.position().map_or(0, csv::Position::line);
        Ok((line, record.deserialize(Some(&header))?))
    };
    reader.records().map(row).collect()
}

/// Fails with the line and the problem unless `holds` is true.
fn require(holds: bool, line: u64, problem: &str) -> Outcome<()> {
    if holds {
        return Ok(());
    }
    Err(format!("line {line}: {problem}").into())
}

/// Row of the table of files.
#[derive(Deserialize)]
struct FileRow {
    path: usize,
    dir: u64,
    initial_size: i64,
}

/// Reads the table of files. The position in the result is the file's number.
fn read_files(text: &str) -> Outcome<Vec<TracedFile>> {
    let (mut files, mut folders) = (Vec::new(), 0);
    for (line, row) in rows::<FileRow>(text)? {
        let (folder, size) = (row.dir, row.initial_size);
        require(row.path == files.len(), line, "paths are not 0, 1, 2, ..")?;
        let is_next = folder <= folders;
        require(is_next, line, "folders are not numbered in order")?;
        require(size >= -1, line, "initial_size is below -1")?;
        folders = folders.max(folder.saturating_add(1));
        files.push(TracedFile {
            folder,
            initial_size: u64::try_from(size).ok(),
        });
    }
    Ok(files)
}

/// Row of the commits.
#[derive(Clone, Copy, Deserialize)]
struct Row {
    commit: u64,
    path: usize,
    kind: Kind,
    offset: u64,
    removed: u64,
    inserted: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
enum Kind {
    #[serde(rename = "A")]
    Add,
    #[serde(rename = "D")]
    Delete,
    #[serde(rename = "M")]
    Edit,
}

/// Reads the change of one file from its rows in a commit. `size` is the size of the file before
/// the commit, and is set to the size after it.
fn change(rows: &[(u64, Row)], size: &mut Option<u64>) -> Outcome<Change> {
    let (before, mut edits) = (*size, Vec::<Edit>::new());
    for &(line, row) in rows {
        let edit = Edit {
            offset: row.offset,
            removed: row.removed,
            inserted: row.inserted,
        };
        let is_single = row.kind == Kind::Edit || rows.len() == 1;
        require(is_single, line, "an added or deleted file has two rows")?;
        match row.kind {
            Kind::Add => {
                let is_zero = (edit.offset, edit.removed) == (0, 0);
                require(is_zero, line, "offset or removed is not 0")?;
                require(before.is_none(), line, "the added file was there already")?;
                *size = Some(edit.inserted);
            }
            Kind::Delete => {
                let is_zero = (edit.offset, edit.inserted) == (0, 0);
                require(is_zero, line, "offset or inserted is not 0")?;
                let had_size = before == Some(edit.removed);
                require(had_size, line, "the deleted file did not have this size")?;
                *size = None;
                return Ok(Change::Delete { size: edit.removed });
            }
            Kind::Edit => {
                let is_empty = (edit.removed, edit.inserted) == (0, 0);
                require(!is_empty, line, "an edit that changes nothing")?;
                let is_behind = edits
                    .last()
                    .is_none_or(|last| last.end() <= Some(edit.offset));
                require(is_behind, line, "the edit overlaps the one before")?;
                let is_within = edit.end().is_some() && edit.end() <= before;
                require(is_within, line, "the edit is not within the file")?;
                let kept = size.and_then(|size| size.checked_sub(edit.removed));
                *size = kept.and_then(|kept| kept.checked_add(edit.inserted));
                edits.push(edit);
            }
        }
        let is_possible = size.is_some_and(|size| size <= MOST_FILE_BYTES);
        require(is_possible, line, "the file is too large")?;
    }
    Ok(match (before, *size) {
        (None, Some(size)) => Change::Add { size },
        _ => Change::Edit(edits),
    })
}
