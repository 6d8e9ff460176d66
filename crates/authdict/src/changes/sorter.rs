//! External sort of operations by key: in memory up to a bound, beyond it in sorted runs in a file.

use core::ops::Range;
use std::{
    io, mem,
    path::{Path, PathBuf},
};

use pad_core::{Key, Operation, Value, Workers};
use pad_disk::Scratch;

use super::{buffer::Buffer, merge::Merge, record::Record};
use crate::store::StoreError;

/// An external sorter of operations on keys. Operations beyond a memory limit are written to a file
/// as sorted runs.
#[derive(Debug)]
pub(crate) struct Sorter {
    base: PathBuf,
    bound: usize,
    workers: Workers,
    buffer: Buffer,
    /// The sorted runs written to a file so far; `None` while all operations are in memory.
    spilled: Option<Runs>,
}

/// Sorted runs in a file, from the oldest to the newest.
#[derive(Debug)]
struct Runs {
    file: Scratch,
    /// The approximate number of bytes per write to the file.
    piece: usize,
    extents: Vec<Range<u64>>,
}

impl Sorter {
    /// Creates a sorter with about `bound` bytes of operations in memory. Further operations are
    /// stored in an unnamed file in the folder that contains the file `base`.
    pub(super) fn new(base: &Path, bound: usize, workers: Workers) -> Self {
        Self {
            base: base.to_path_buf(),
            bound,
            workers,
            buffer: Buffer::default(),
            spilled: None,
        }
    }

    pub(super) fn push(&mut self, operation: &Operation) -> Result<(), StoreError> {
        self.buffer.push(operation);
        if self.buffer.size() >= self.bound {
            self.spill()?;
        }
        Ok(())
    }

    /// Sorts the operations in memory, and writes them to the file as a run.
    fn spill(&mut self) -> io::Result<()> {
        self.buffer.sort(&self.workers);
        let runs = match &mut self.spilled {
            Some(runs) => runs,
            none => none.insert(Runs::new(&self.base, piece(self.bound, 1))?),
        };
        runs.add(Cursor::Memory(&self.buffer, 0))?;
        self.buffer.clear();
        Ok(())
    }

    /// Returns the operations in ascending order of their keys, with only the last operation on
    /// each key.
    pub(crate) fn sorted(mut self) -> Result<SortedOperations, StoreError> {
        if self.spilled.is_some() && !self.buffer.is_empty() {
            self.spill()?;
        }
        let Some(mut runs) = self.spilled else {
            self.buffer.sort(&self.workers);
            return Ok(SortedOperations(Source::Memory(self.buffer)));
        };
        // Frees the buffer's memory for reading the runs.
        drop(mem::take(&mut self.buffer));
        let most = (self.bound / LEAST_PIECE).clamp(2, MOST_RUNS);
        while runs.extents.len() > most {
            runs = runs.merged(&self.base, most, piece(self.bound, most))?;
        }
        let piece = piece(self.bound, runs.extents.len());
        Ok(SortedOperations(Source::File { runs, piece }))
    }
}

impl Runs {
    fn new(base: &Path, piece: usize) -> io::Result<Self> {
        Ok(Self {
            file: Scratch::next_to(base)?,
            piece,
            extents: Vec::new(),
        })
    }

    /// Appends the sorted operations that `operations` returns to the file, as one new run.
    fn add(&mut self, mut operations: Cursor<'_>) -> io::Result<()> {
        let (start, mut bytes) = (self.file.end(), Vec::new());
        while let Some(record) = operations.advance()? {
            record.write(&mut bytes);
            if bytes.len() >= self.piece {
                self.file.append(&bytes)?;
                bytes.clear();
            }
        }
        self.file.append(&bytes)?;
        self.extents.push(start..self.file.end());
        Ok(())
    }

    /// Merges each group of up to `most` runs into one run. The new runs are in a new file in the
    /// folder of `base`. About `piece` bytes of each merged run are in memory at a time.
    fn merged(&self, base: &Path, most: usize, piece: usize) -> io::Result<Self> {
        let mut merged = Self::new(base, self.piece)?;
        for group in self.extents.chunks(most) {
            merged.add(Cursor::File(Merge::new(&self.file, group, piece)?))?;
        }
        Ok(merged)
    }
}

/// Sorted operations in ascending order of their keys, one per key.
#[derive(Debug)]
pub(crate) struct SortedOperations(Source);

#[derive(Debug)]
enum Source {
    Memory(Buffer),
    File { runs: Runs, piece: usize },
}

impl SortedOperations {
    /// Counts the keys with a value. Operations that remove a key do not count.
    pub(crate) fn number(&self) -> Result<u64, StoreError> {
        let (mut cursor, mut number) = (self.cursor()?, 0_u64);
        while let Some(record) = cursor.advance()? {
            number = number.saturating_add(u64::from(record.value.is_some()));
        }
        Ok(number)
    }

    pub(crate) fn entries(
        &self,
    ) -> Result<impl Iterator<Item = Result<(Key, Value), StoreError>> + Send, StoreError> {
        let operations = self.operations()?;
        Ok(operations.filter_map(|operation| match operation {
            Ok(Operation::Put(key, value)) => Some(Ok((key, value))),
            Ok(Operation::Remove(_)) => None,
            Err(error) => Some(Err(error)),
        }))
    }

    /// Returns whether there are more than `few` operations. Also `true` if some operations are in
    /// a file, however many they are.
    pub(crate) fn are_more_than(&self, few: usize) -> bool {
        match &self.0 {
            Source::Memory(buffer) => buffer.get(few).is_some(),
            Source::File { .. } => true,
        }
    }

    pub(crate) fn batch(&self) -> Result<Vec<Operation>, StoreError> {
        self.operations()?.collect()
    }

    pub(crate) fn operations(
        &self,
    ) -> Result<impl Iterator<Item = Result<Operation, StoreError>> + Send, StoreError> {
        let mut cursor = self.cursor()?;
        Ok(core::iter::from_fn(move || {
            let record = cursor.advance().transpose()?;
            Some(record.and_then(Record::operation).map_err(StoreError::from))
        }))
    }

    fn cursor(&self) -> io::Result<Cursor<'_>> {
        Ok(match &self.0 {
            Source::Memory(buffer) => Cursor::Memory(buffer, 0),
            Source::File { runs, piece } => {
                Cursor::File(Merge::new(&runs.file, &runs.extents, *piece)?)
            }
        })
    }
}

/// A cursor over sorted operations, which returns them one by one in ascending order of keys.
#[derive(Debug)]
enum Cursor<'s> {
    /// The operations are in a buffer in memory. The number is the index of the next operation.
    Memory(&'s Buffer, usize),
    File(Merge<'s>),
}

impl Cursor<'_> {
    fn advance(&mut self) -> io::Result<Option<Record<'_>>> {
        match self {
            Self::Memory(buffer, place) => {
                let record = buffer.get(*place);
                *place = place.saturating_add(1);
                Ok(record)
            }
            Self::File(merge) => merge.next(),
        }
    }
}

/// Returns the size in bytes of each of `pieces` I/O buffers that together use about `bound` bytes
/// of memory.
fn piece(bound: usize, pieces: usize) -> usize {
    (bound / pieces.max(1)).clamp(LEAST_PIECE, PIECE)
}

/// The maximum size of an I/O buffer in bytes, for writing to the file or reading a run.
const PIECE: usize = 1 << 20;
const LEAST_PIECE: usize = 1 << 12;
/// The maximum number of runs that are merged at a time.
const MOST_RUNS: usize = 512;
