//! Reads the commits of a trace row by row, and checks each row against the file sizes before it.

use std::{collections::HashSet, io::Read};

use super::{
    COMMIT_COLUMNS, Change, Commit, Edit, FileChange, MOST_FILE_BYTES, TraceError, TracedFile,
    source::Rows,
};

/// Reads the commits from plain text. `files` are the files that they change. Also returns the size
/// of each file after the last commit, in bytes; `None` if the file does not exist.
///
/// # Errors
/// [`TraceError`] at the first row that is malformed or does not fit the rows before it.
pub(super) fn read_commits(
    source: impl Read,
    files: &[TracedFile],
) -> Result<(Vec<Commit>, Vec<Option<u64>>), TraceError> {
    let mut rows = Rows::new(source, &COMMIT_COLUMNS)?;
    let mut history = History {
        sizes: files.iter().map(|file| file.initial_size).collect(),
        commits: Vec::new(),
        seen: HashSet::new(),
        before: 0,
    };
    while rows.advance()? {
        let row = Row::parse(&rows, files.len())?;
        history.follow(row)?;
    }
    Ok((history.commits, history.sizes))
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

impl Row {
    /// Parses the current row. Fails if its file number is not below `files`.
    fn parse(rows: &Rows<impl Read>, files: usize) -> Result<Self, TraceError> {
        let line = rows.line();
        let (commit, path) = (rows.number(0)?, rows.number(1)?);
        let unknown = TraceError::UnknownPath { line, path };
        let path = usize::try_from(path)
            .ok()
            .filter(|path| *path < files)
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
        Ok(Self {
            line,
            commit,
            path,
            kind,
        })
    }
}

/// Commits and file sizes after the rows that were read so far.
struct History {
    /// Bytes of every file at this point of the history; `None` if it does not exist.
    sizes: Vec<Option<u64>>,
    commits: Vec<Commit>,
    /// Numbers of the files that the last commit changes.
    seen: HashSet<usize>,
    /// Bytes that the last edited file had before the last commit.
    before: u64,
}

impl History {
    /// Adds a row to its commit, and updates the size of its file.
    fn follow(&mut self, row: Row) -> Result<(), TraceError> {
        let Row {
            line, path, kind, ..
        } = row;
        let last = self.commits.last().map_or(0, |commit| commit.number);
        if row.commit < last || row.commit == 0 {
            return Err(TraceError::CommitOutOfOrder(line));
        }
        if row.commit > last {
            self.seen.clear();
            self.commits.push(Commit {
                number: row.commit,
                line,
                changes: Vec::new(),
            });
        }
        let (Some(commit), Some(size)) = (self.commits.last_mut(), self.sizes.get_mut(path)) else {
            return Ok(());
        };
        let last = commit.changes.last_mut();
        let same = last.filter(|change| change.path == path);
        let change = match (same, kind) {
            (Some(change), RowKind::Edit(edit)) => {
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
                *size = Some(edited(line, self.before, *size, edit)?);
                edits.push(edit);
                return Ok(());
            }
            (Some(_), _) => return Err(TraceError::MixedKinds(line)),
            (None, _) if !self.seen.insert(path) => return Err(TraceError::Scattered(line)),
            (None, RowKind::Edit(edit)) => {
                self.before = size.ok_or(TraceError::NotThere(line))?;
                *size = Some(edited(line, self.before, *size, edit)?);
                Change::Edit(vec![edit])
            }
            (None, RowKind::Add(added)) => {
                if size.is_some() {
                    return Err(TraceError::AlreadyThere(line));
                }
                if added > MOST_FILE_BYTES {
                    return Err(TraceError::FileTooLarge(line));
                }
                *size = Some(added);
                Change::Add { size: added }
            }
            (None, RowKind::Delete(deleted)) => {
                let before = size.ok_or(TraceError::NotThere(line))?;
                if before != deleted {
                    return Err(TraceError::DeletedSize { line, size: before });
                }
                *size = None;
                Change::Delete { size: deleted }
            }
        };
        commit.changes.push(FileChange { path, change });
        Ok(())
    }
}

/// Returns the size of a file after one more edit of a commit. `before` is the size before the
/// commit, `now` the size after the commit's earlier edits.
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
