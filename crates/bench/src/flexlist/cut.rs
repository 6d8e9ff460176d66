//! Cuts a version-control trace from a local git repository: numbers only, no names and no content.
//!
//! The first-parent chain up to `HEAD`, each commit against its first parent. Renames are a deletion and
//! an addition; submodules are left out; symbolic links are files whose content is their target. What git
//! calls text becomes the byte ranges of its line diff (`-U0`, Myers), everything else one range between
//! the longest common prefix and suffix.
//!
//! Before the files appear under their names, the trace is read back from what was written, and the
//! sizes that it leaves are compared with those of the tree that `HEAD` has.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use core::fmt;
use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    io::{self, Seek, SeekFrom, Write, stdout},
    path::{Path, PathBuf},
};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tempfile::NamedTempFile;

mod blobs;
mod error;
mod git;
mod patch;
mod ranges;
#[cfg(test)]
mod tests;
mod write;

pub use error::CutError;

use super::trace::{Change, Commit, FileChange, Trace, TraceFileError, TracedFile, files_beside};
use crate::Outcome;
use git::Git;
use write::RowWriter;

/// The name of a blob, in hexadecimal.
type BlobName = String;

/// The command line of `bench flexlist-trace`.
#[derive(Clone, Debug, Args)]
pub struct CutArguments {
    /// The repository: a folder inside it will do.
    #[arg(long)]
    pub repository: PathBuf,
    /// Where the trace goes, `NAME.csv` or `NAME.csv.zst`; its table of files goes beside it.
    #[arg(long)]
    pub output: PathBuf,
    /// Only so many of the newest commits.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub commits: Option<u32>,
    /// Compare the replayed sizes with the real tree, and leave no files.
    #[arg(long)]
    pub check: bool,
}

/// What was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutSummary {
    /// The commits of the window.
    pub commits: usize,
    /// Those of them that changed something.
    pub commits_with_changes: usize,
    /// The files seen.
    pub files: usize,
    /// The folders seen.
    pub folders: usize,
    /// The files of the last tree, whose replayed sizes were compared with the real ones.
    pub compared: usize,
    /// The bytes of the last tree.
    pub bytes: u128,
}

impl fmt::Display for CutSummary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            commits,
            commits_with_changes,
            files,
            folders,
            compared,
            bytes,
        } = self;
        write!(
            formatter,
            "{commits} commits, {commits_with_changes} with changes, to {files} files in {folders} \
             folders; replayed, {compared} files have the sizes of the real tree, {bytes} bytes"
        )
    }
}

impl CutArguments {
    /// Cuts a trace, and says what it is.
    pub fn run(&self) -> Outcome<()> {
        let progress = ProgressBar::new(0);
        let style = "{bar:30} {pos}/{len} commits ({elapsed}, about {eta} left)";
        progress.set_style(ProgressStyle::with_template(style)?);
        let summary = cut(self, |done, all| {
            progress.set_length(u64::try_from(all).unwrap_or(0));
            progress.set_position(u64::try_from(done).unwrap_or(0));
        })?;
        progress.finish_and_clear();
        Ok(writeln!(stdout(), "{summary}")?)
    }
}

/// Cuts a trace; `progress` hears the number of commits done and of all.
///
/// # Errors
/// [`CutError`]; no file is left then.
pub fn cut(
    arguments: &CutArguments,
    mut progress: impl FnMut(usize, usize),
) -> Result<CutSummary, CutError> {
    let write_error = |error| CutError::Write(arguments.output.clone(), error);
    let mut rows = RowWriter::create(&arguments.output)?;
    let git = Git::new(&arguments.repository);
    let history = git.history(arguments.commits)?;
    let mut blobs = git.blobs()?;
    let mut names = Names::default();
    for (name, size) in git.files(&history.base)? {
        names.initial(&name, size);
    }
    let (mut parent, mut commits_with_changes) = (&history.base, 0_usize);
    let mut number = 0_u64;
    for (index, commit) in history.commits.iter().enumerate() {
        progress(index, history.commits.len());
        number = number.saturating_add(1);
        let mut changes = Vec::new();
        let mut hunks = None;
        for difference in git.differences(parent, commit)? {
            let path = names.number(&difference.name);
            let change = match (&difference.before, &difference.after) {
                (None, Some(blob)) => Change::Add {
                    size: blobs.size(blob)?,
                },
                (Some(blob), None) => Change::Delete {
                    size: blobs.size(blob)?,
                },
                (Some(before), Some(after)) => {
                    if hunks.is_none() {
                        hunks = Some(git.hunks(parent, commit)?);
                    }
                    let blobs_of_pair = (before.clone(), after.clone());
                    let of_pair = hunks.as_ref().and_then(|hunks| hunks.get(&blobs_of_pair));
                    let (before, after) = (blobs.read(before)?, blobs.read(after)?);
                    Change::Edit(ranges::edits(&before, &after, of_pair.map(Vec::as_slice))?)
                }
                (None, None) => continue,
            };
            changes.push(FileChange { path, change });
        }
        if !changes.is_empty() {
            commits_with_changes = commits_with_changes.saturating_add(1);
            let line = 0; // Rows are not numbered on the way out.
            rows.commit(&Commit {
                number,
                line,
                changes,
            });
        }
        parent = commit;
    }
    let written = rows.finish(&names.files).map_err(write_error)?;
    let compared = compare(&written, &names, &git.files(parent)?, &arguments.output)?;
    if !arguments.check {
        written.keep(&arguments.output).map_err(write_error)?;
    }
    Ok(CutSummary {
        commits: history.commits.len(),
        commits_with_changes,
        files: names.files.len(),
        folders: names.folders.len(),
        compared: compared.0,
        bytes: compared.1,
    })
}

/// The numbers of names in order of first sight.
#[derive(Default)]
struct Names {
    paths: HashMap<Vec<u8>, usize>,
    folders: HashMap<Vec<u8>, u64>,
    files: Vec<TracedFile>,
}

impl Names {
    fn initial(&mut self, name: &[u8], size: u64) {
        let path = self.number(name);
        if let Some(file) = self.files.get_mut(path) {
            file.initial_size = Some(size);
        }
    }

    fn number(&mut self, name: &[u8]) -> usize {
        let next = self.files.len();
        let Entry::Vacant(entry) = self.paths.entry(name.to_vec()) else {
            return self.paths.get(name).copied().unwrap_or(next);
        };
        entry.insert(next);
        let folder = name.iter().rposition(|byte| *byte == b'/');
        let folder = folder.and_then(|end| name.get(..end)).unwrap_or_default();
        let folders = u64::try_from(self.folders.len()).unwrap_or(u64::MAX);
        let folder = *self.folders.entry(folder.to_vec()).or_insert(folders);
        self.files.push(TracedFile {
            folder,
            initial_size: None,
        });
        next
    }
}

/// Both files of a trace, under names of their own for now.
struct Written {
    commits: NamedTempFile,
    files: NamedTempFile,
}

impl Written {
    fn keep(self, output: &Path) -> io::Result<()> {
        self.files
            .persist(files_beside(output))
            .map_err(|error| error.error)?;
        self.commits.persist(output).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Reads the trace back and compares what it leaves with the real tree; returns files and bytes.
fn compare(
    written: &Written,
    names: &Names,
    tree: &BTreeMap<Vec<u8>, u64>,
    output: &Path,
) -> Result<(usize, u128), CutError> {
    let from_start = |file: &NamedTempFile| {
        let mut file = file.reopen()?;
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    };
    let reopened = |file| from_start(file).map_err(|e| CutError::Write(output.to_owned(), e));
    let trace = Trace::from_sources(reopened(&written.commits)?, reopened(&written.files)?)
        .map_err(|error| {
            CutError::ReadBack(TraceFileError {
                file: output.to_owned(),
                error,
            })
        })?;
    let mut bytes = 0_u128;
    for (name, path) in &names.paths {
        let replayed = trace.final_sizes.get(*path).copied().flatten();
        let real = tree.get(name).copied();
        if replayed != real {
            return Err(CutError::SizeDiffers {
                path: *path,
                replayed,
                real,
            });
        }
        bytes = bytes.saturating_add(u128::from(real.unwrap_or(0)));
    }
    if let Some(unseen) = tree.keys().find(|name| !names.paths.contains_key(*name)) {
        return Err(CutError::Unseen(
            String::from_utf8_lossy(unseen).into_owned(),
        ));
    }
    Ok((tree.len(), bytes))
}
