//! The commits, followed row by row.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use core::fmt;
use std::{collections::HashSet, io::Read};

use super::{
    COMMIT_COLUMNS, Change, Commit, Edit, FileChange, MOST_FILE_BYTES, TraceError, TracedFile,
    source::Rows,
};

/// Reads commit by commit and keeps the size of every file; memory for one commit at a time.
pub struct CommitReader<R> {
    rows: Rows<R>,
    sizes: Vec<Option<u64>>,
    /// The first row of the next commit, already read.
    ahead: Option<Row>,
    /// The number of the last commit.
    last: u64,
    failed: bool,
}

impl<R> fmt::Debug for CommitReader<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CommitReader(after commit {})", self.last)
    }
}

#[derive(Clone, Copy)]
struct Row {
    line: u64,
    commit: u64,
    path: usize,
    kind: RowKind,
}

#[derive(Clone, Copy)]
enum RowKind {
    Add(u64),
    Delete(u64),
    Edit(Edit),
}

impl<R: Read> CommitReader<R> {
    /// Reads plain text about these files.
    ///
    /// # Errors
    /// [`TraceError::Header`], [`TraceError::Io`].
    pub fn new(source: R, files: &[TracedFile]) -> Result<Self, TraceError> {
        Ok(Self {
            rows: Rows::new(source, &COMMIT_COLUMNS)?,
            sizes: files.iter().map(|file| file.initial_size).collect(),
            ahead: None,
            last: 0,
            failed: false,
        })
    }

    /// The bytes of every file after the last commit that was read; none if it is not there.
    pub fn into_sizes(self) -> Vec<Option<u64>> {
        self.sizes
    }

    fn next_row(&mut self) -> Result<Option<Row>, TraceError> {
        if !self.rows.advance()? {
            return Ok(None);
        }
        let (rows, line) = (&self.rows, self.rows.line());
        let (commit, path) = (rows.number(0)?, rows.number(1)?);
        let unknown = TraceError::UnknownPath { line, path };
        let path = usize::try_from(path)
            .ok()
            .filter(|path| *path < self.sizes.len())
            .ok_or(unknown)?;
        let edit = Edit {
            offset: rows.number(3)?,
            removed: rows.number(4)?,
            inserted: rows.number(5)?,
        };
        let zero = |number, column| match number {
            0 => Ok(()),
            _ => Err(TraceError::NotZero { line, column }),
        };
        let kind = match rows.field(2) {
            "A" => {
                zero(edit.offset, "offset")?;
                zero(edit.removed, "removed")?;
                RowKind::Add(edit.inserted)
            }
            "D" => {
                zero(edit.offset, "offset")?;
                zero(edit.inserted, "inserted")?;
                RowKind::Delete(edit.removed)
            }
            "M" if (edit.removed, edit.inserted) == (0, 0) => {
                return Err(TraceError::EmptyEdit(line));
            }
            "M" => RowKind::Edit(edit),
            _ => return Err(TraceError::UnknownKind(line)),
        };
        let row = Row {
            line,
            commit,
            path,
            kind,
        };
        Ok(Some(row))
    }

    fn next_commit(&mut self) -> Result<Option<Commit>, TraceError> {
        let first = match self.ahead.take() {
            Some(row) => Some(row),
            None => self.next_row()?,
        };
        let Some(first) = first else { return Ok(None) };
        if first.commit <= self.last {
            return Err(TraceError::CommitOutOfOrder(first.line));
        }
        self.last = first.commit;
        let mut commit = Gathering {
            changes: Vec::new(),
            seen: HashSet::new(),
        };
        let mut next = Some(first);
        while let Some(row) = next {
            if row.commit != first.commit {
                self.ahead = Some(row);
                break;
            }
            self.follow(&mut commit, row)?;
            next = self.next_row()?;
        }
        Ok(Some(Commit {
            number: first.commit,
            line: first.line,
            changes: commit
                .changes
                .into_iter()
                .map(|(change, _)| change)
                .collect(),
        }))
    }

    /// Adds a row to its commit and brings the size of its file up to date.
    fn follow(&mut self, commit: &mut Gathering, row: Row) -> Result<(), TraceError> {
        let Row {
            line, path, kind, ..
        } = row;
        let Some(size) = self.sizes.get_mut(path) else {
            return Ok(());
        };
        let last = commit.changes.last_mut();
        let same = last.filter(|(change, _)| change.path == path);
        let (change, before) = match (same, kind) {
            (Some((change, before)), RowKind::Edit(edit)) => {
                let Change::Edit(edits) = &mut change.change else {
                    return Err(TraceError::MixedKinds(line));
                };
                // The ends of accepted edits lie within the file.
                let end = edits
                    .last()
                    .map_or(0, |last| last.offset.saturating_add(last.removed));
                if edit.offset < end {
                    return Err(TraceError::EditsOverlap(line));
                }
                *size = Some(edited(line, *before, *size, edit)?);
                edits.push(edit);
                return Ok(());
            }
            (Some(_), _) => return Err(TraceError::MixedKinds(line)),
            (None, _) if !commit.seen.insert(path) => return Err(TraceError::Scattered(line)),
            (None, RowKind::Edit(edit)) => {
                let before = size.ok_or(TraceError::NotThere(line))?;
                *size = Some(edited(line, before, *size, edit)?);
                (Change::Edit(vec![edit]), before)
            }
            (None, RowKind::Add(added)) => {
                if size.is_some() {
                    return Err(TraceError::AlreadyThere(line));
                }
                if added > MOST_FILE_BYTES {
                    return Err(TraceError::FileTooLarge(line));
                }
                *size = Some(added);
                (Change::Add { size: added }, 0)
            }
            (None, RowKind::Delete(deleted)) => {
                let before = size.ok_or(TraceError::NotThere(line))?;
                if before != deleted {
                    return Err(TraceError::DeletedSize { line, size: before });
                }
                *size = None;
                (Change::Delete { size: deleted }, before)
            }
        };
        commit.changes.push((FileChange { path, change }, before));
        Ok(())
    }
}

/// A commit whose rows are being read.
struct Gathering {
    /// Each change, and the size of the file before.
    changes: Vec<(FileChange, u64)>,
    seen: HashSet<usize>,
}

/// The size of a file after one more edit; `before` is its size before the commit.
fn edited(line: u64, before: u64, now: Option<u64>, edit: Edit) -> Result<u64, TraceError> {
    let outside = TraceError::OutsideFile { line, size: before };
    let end = edit.offset.checked_add(edit.removed);
    if end.is_none_or(|end| end > before) {
        return Err(outside);
    }
    now.and_then(|now| now.checked_sub(edit.removed))
        .ok_or(outside)?
        .checked_add(edit.inserted)
        .filter(|size| *size <= MOST_FILE_BYTES)
        .ok_or(TraceError::FileTooLarge(line))
}

impl<R: Read> Iterator for CommitReader<R> {
    type Item = Result<Commit, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let next = self.next_commit().transpose();
        self.failed = matches!(next, Some(Err(_)));
        next
    }
}
