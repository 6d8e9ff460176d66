//! Locality of the changes of a commit: how close together its changed blocks are.
//!
//! Counts blocks of 2 KiB of a file before the commit. An overwritten range changes every block
//! that it overlaps, and an insertion at least one block. Each full 2 KiB that an edit inserts
//! beyond the bytes that it removes adds a block. A run is a group of changed blocks of one file
//! without an unchanged block in between. Added files count as sent, not as changed.
//!
//! Source: Esiner, Küpçü and Özkasap, section 4.4 ("Real usage performance analysis").

use std::{collections::HashMap, path::Path};

use super::{
    blocks::BLOCK_BYTES,
    trace::{Change, Commit, Edit, Trace},
};
use crate::{line, paper::published, prelude::*};

/// Reads the trace at `path`, and reports the locality of its commits' changes.
pub fn run(path: &Path, report: &mut Report) -> Outcome<()> {
    let name = trace_name(path);
    report.announce(format!("locality of {name}"));
    let trace = Trace::read(path)?;
    let commits: Vec<Locality> = trace
        .commits
        .iter()
        .map(|it| Locality::of(it, &trace))
        .collect();
    let line = line! {
        experiment: "flexlist_locality", trace: name, block_bytes: BLOCK_BYTES,
        files: trace.files.len(), commits: commits.len(),
    };
    let paper = published(&line);
    report.measured(line.merged(&summary(&commits)).merged(&paper))
}

/// Counts of the changes of one commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Locality {
    files: usize,
    /// Number of changed files in the folder with most of the commit's changed files.
    files_in_main_folder: usize,
    /// Number of blocks in each run of changed blocks.
    runs: Vec<u64>,
    /// Number of bytes that the commit inserts into files or adds as files.
    sent: u64,
}

impl Locality {
    fn of(commit: &Commit, trace: &Trace) -> Self {
        let mut locality = Self {
            files: commit.changes.len(),
            ..Self::default()
        };
        let mut folders: HashMap<u64, usize> = HashMap::new();
        for (path, change) in &commit.changes {
            *folders.entry(trace.files[*path].folder).or_default() += 1;
            match change {
                Change::Add { size } => locality.sent += size,
                Change::Delete { .. } => {}
                Change::Edit(edits) => {
                    locality.sent += edits.iter().map(|edit| edit.inserted).sum::<u64>();
                    locality.runs.extend(runs(edits));
                }
            }
        }
        locality.files_in_main_folder = folders.into_values().max().unwrap_or(0);
        locality
    }
}

/// Returns the number of blocks in each run that `edits` change. The edits of one file must be
/// ascending.
pub fn runs(edits: &[Edit]) -> Vec<u64> {
    let mut runs = Vec::new();
    // The first block after the last run, in the file before the commit.
    let mut behind = None;
    for edit in edits {
        let first = edit.offset / BLOCK_BYTES;
        let last = (edit.offset + edit.removed.max(1) - 1) / BLOCK_BYTES;
        let added = edit.inserted.saturating_sub(edit.removed) / BLOCK_BYTES;
        // A block that an earlier edit changed is counted only once.
        let known = behind.filter(|behind| first <= *behind);
        let new = (last + 1).saturating_sub(known.unwrap_or(first).max(first)) + added;
        match (known, runs.last_mut()) {
            (Some(_), Some(run)) => *run += new,
            _ => runs.push(new),
        }
        behind = Some((last + 1).max(behind.unwrap_or(0)));
    }
    runs
}

fn summary(commits: &[Locality]) -> Line {
    let edited: Vec<&Locality> = commits.iter().filter(|it| !it.runs.is_empty()).collect();
    let share = |number: usize, of: usize| (of > 0).then(|| number as f64 / of as f64);
    let sum = |of: fn(&Locality) -> usize| commits.iter().map(of).sum::<usize>();
    let one_run = edited.iter().filter(|it| it.runs.len() == 1).count();
    let of_commit = edited.iter().map(|it| it.runs.iter().sum::<u64>() as f64);
    let of_run = edited.iter().flat_map(|it| &it.runs).map(|run| *run as f64);
    let sent = commits.iter().map(|it| it.sent).sum::<u64>() as f64;
    line! {
        commits_with_edits: edited.len(),
        changes_in_main_folder: share(sum(|it| it.files_in_main_folder), sum(|it| it.files)),
        edits_in_one_run: share(one_run, edited.len()),
        blocks_per_commit: Distribution::of(of_commit.collect()),
        run_blocks: Distribution::of(of_run.collect()),
        sent_bytes_per_commit: sent / commits.len().max(1) as f64,
    }
}
