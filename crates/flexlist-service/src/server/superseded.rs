//! Determines which stored blocks an update makes obsolete.

use flexlist::{
    UpdateError,
    internals::View,
    list::{Operation, Sha256},
};

/// A run of the file's bytes while the operations of an update are replayed.
#[derive(Clone, Copy, Debug)]
enum Run {
    /// A byte range of the file before the update.
    Old { start: u64, end: u64 },
    /// A block that this update has inserted or modified.
    New { length: u64, label: u64 },
}

impl Run {
    const fn length(self) -> u64 {
        match self {
            Self::Old { start, end } => end.saturating_sub(start),
            Self::New { length, .. } => length,
        }
    }
}

/// Replays `operations` on `old`, the list before the update. Returns the labels of all blocks, old
/// and new, that they remove or replace. Also returns the total length of these blocks in bytes.
///
/// The caller has applied the operations to the list already, so every index is valid.
pub(super) fn superseded(
    old: View<'_, Sha256>,
    operations: &[Operation],
) -> Result<(Vec<u64>, u64), UpdateError> {
    let end = old.total();
    let mut edited = EditedFile {
        old,
        runs: vec![Run::Old { start: 0, end }],
        gone: Vec::new(),
        gone_bytes: 0,
    };
    for operation in operations {
        match *operation {
            Operation::Insert { index, block } => {
                edited.insert(index, block.length, block.label)?;
            }
            Operation::Modify {
                index,
                length,
                label,
                ..
            } => edited.replace(index, Some(Run::New { length, label }))?,
            Operation::Remove { index } => edited.replace(index, None)?,
        }
    }
    Ok((edited.gone, edited.gone_bytes))
}

struct EditedFile<'a> {
    old: View<'a, Sha256>,
    runs: Vec<Run>,
    gone: Vec<u64>,
    gone_bytes: u64,
}

impl EditedFile<'_> {
    /// Returns the position in `runs` of the run that contains the byte at `index`, and the byte's
    /// offset in this run. For the end of the file, the position is one past the last run.
    fn locate(&self, index: u64) -> (usize, u64) {
        let mut rest = index;
        for (position, run) in self.runs.iter().enumerate() {
            match rest.checked_sub(run.length()) {
                None => return (position, rest),
                Some(beyond) => rest = beyond,
            }
        }
        (self.runs.len(), rest)
    }

    fn insert(&mut self, index: u64, length: u64, label: u64) -> Result<(), UpdateError> {
        let (position, offset) = self.locate(index);
        let new = Run::New { length, label };
        match self.runs.get(position) {
            Some(Run::Old { start, end }) if offset > 0 => {
                let (start, end) = (*start, *end);
                let cut = start.checked_add(offset).ok_or_else(|| self.bad(index))?;
                let parts = [
                    Run::Old { start, end: cut },
                    new,
                    Run::Old { start: cut, end },
                ];
                self.runs.splice(position..=position, parts);
                Ok(())
            }
            _ if offset == 0 => {
                self.runs.splice(position..position, [new]);
                Ok(())
            }
            _ => Err(self.bad(index)),
        }
    }

    /// Replaces the block that contains the byte at `index` by the run `by`, or removes it for
    /// `None`. Records the block as obsolete.
    fn replace(&mut self, index: u64, by: Option<Run>) -> Result<(), UpdateError> {
        let (position, offset) = self.locate(index);
        let (before, after) = match self.runs.get(position) {
            None => return Err(self.bad(index)),
            Some(Run::New { length, label }) => {
                self.gone.push(*label);
                self.gone_bytes = self.gone_bytes.saturating_add(*length);
                (None, None)
            }
            Some(Run::Old { start, end }) => {
                let (start, end) = (*start, *end);
                let at = start.checked_add(offset).ok_or_else(|| self.bad(index))?;
                let block = self.old.find(at)?;
                self.gone.push(block.label);
                self.gone_bytes = self.gone_bytes.saturating_add(block.length);
                let run = |start, end| (start < end).then_some(Run::Old { start, end });
                (run(start, block.start), run(block.end(), end))
            }
        };
        let parts = before.into_iter().chain(by).chain(after);
        self.runs.splice(position..=position, parts);
        Ok(())
    }

    fn bad(&self, index: u64) -> UpdateError {
        let total = self.old.total();
        UpdateError::OutOfRange { index, total }
    }
}
