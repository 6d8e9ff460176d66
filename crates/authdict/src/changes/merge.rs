//! Merges sorted runs in a file. Of several operations on a key, the operation in the newest run
//! wins.

use core::{cmp::Ordering, ops::Range};
use std::{
    collections::{BinaryHeap, binary_heap::PeekMut},
    io,
};

use pad_disk::Scratch;

use super::record::{HEADER, Record};

/// A merge of runs, which are sequences of operations sorted by key. Only a part of each run is in
/// memory at a time.
#[derive(Debug)]
pub(super) struct Merge<'s> {
    file: &'s Scratch,
    readers: Vec<Reader>,
    /// A heap with the key of the next operation of each run. Runs that are read to their end have
    /// no entry.
    heads: BinaryHeap<Head>,
    /// The key of the last operation returned. Further operations on this key are from older runs,
    /// and are skipped.
    given: Option<Vec<u8>>,
}

/// The key of a run's next operation. Heads are ordered for a max-heap: the greatest head has the
/// smallest key and, among equal keys, belongs to the newest run.
#[derive(Debug, PartialEq, Eq)]
struct Head {
    key: Vec<u8>,
    run: usize,
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        let keys = other.key.cmp(&self.key);
        keys.then(self.run.cmp(&other.run))
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<'s> Merge<'s> {
    /// Starts to merge the runs at the byte ranges `runs` of `file`, ordered from the oldest to the
    /// newest. About `piece` bytes of each run are in memory at a time.
    pub(super) fn new(file: &'s Scratch, runs: &[Range<u64>], piece: usize) -> io::Result<Self> {
        let mut readers: Vec<_> = runs.iter().map(|run| Reader::new(run, piece)).collect();
        let mut heads = BinaryHeap::with_capacity(readers.len());
        for (run, reader) in readers.iter_mut().enumerate() {
            if reader.advance(file)? {
                let key = reader.record()?.key.to_vec();
                heads.push(Head { key, run });
            }
        }
        Ok(Self {
            file,
            readers,
            heads,
            given: None,
        })
    }

    /// Returns the operation on the next key; `None` after the last key.
    ///
    /// # Errors
    /// [`io::Error`] of the operating system; [`io::ErrorKind::UnexpectedEof`] if the file is
    /// shorter than its runs.
    pub(super) fn next(&mut self) -> io::Result<Option<Record<'_>>> {
        let run = loop {
            let Some(mut top) = self.heads.peek_mut() else {
                return Ok(None);
            };
            if self.given.as_ref() != Some(&top.key) {
                let given = self.given.get_or_insert_default();
                given.clone_from(&top.key);
                break top.run;
            }
            let Some(reader) = self.readers.get_mut(top.run) else {
                return Err(io::ErrorKind::UnexpectedEof.into());
            };
            if reader.advance(self.file)? {
                top.key.clear();
                top.key.extend(reader.record()?.key);
            } else {
                PeekMut::pop(top);
            }
        };
        let reader = self.readers.get(run);
        let reader = reader.ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(Some(reader.record()?))
    }
}

/// A buffered reader of one sorted run of operations.
#[derive(Debug)]
struct Reader {
    /// The byte range, in the file, of the part of the run that is not read yet.
    rest: Range<u64>,
    piece: usize,
    bytes: Vec<u8>,
    /// The range of the current operation in the buffered bytes.
    operation: Range<usize>,
}

impl Reader {
    fn new(run: &Range<u64>, piece: usize) -> Self {
        Self {
            rest: run.clone(),
            piece,
            bytes: Vec::new(),
            operation: 0..0,
        }
    }

    /// Moves to the next operation of the run, and reads it from `file` if necessary. Returns
    /// `false` at the end of the run.
    fn advance(&mut self, file: &Scratch) -> io::Result<bool> {
        let start = self.operation.end;
        self.operation = start..start;
        if self.bytes.len() == start && self.rest.is_empty() {
            return Ok(false);
        }
        self.require(file, HEADER)?;
        let from = self.bytes.get(self.operation.start..);
        let length = from.and_then(Record::length);
        let length = length.ok_or(io::ErrorKind::UnexpectedEof)?;
        self.require(file, length)?;
        self.operation.end = self.operation.start.saturating_add(length);
        Ok(true)
    }

    /// Reads until at least `length` bytes, counted from the start of the current operation, are in
    /// memory.
    fn require(&mut self, file: &Scratch, length: usize) -> io::Result<()> {
        let there = self.bytes.len().saturating_sub(self.operation.start);
        if there >= length {
            return Ok(());
        }
        self.bytes.drain(..self.operation.start);
        self.operation = 0..0;
        let rest = usize::try_from(self.rest.end.saturating_sub(self.rest.start));
        let wanted = self.piece.max(length).saturating_sub(there);
        let wanted = wanted.min(rest.unwrap_or(usize::MAX));
        self.bytes.resize(there.saturating_add(wanted), 0);
        let (_, unread) = self.bytes.split_at_mut(there);
        file.read_at(self.rest.start, unread)?;
        let read = u64::try_from(wanted).unwrap_or(u64::MAX);
        self.rest.start = self.rest.start.saturating_add(read);
        if self.bytes.len() < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }

    fn record(&self) -> io::Result<Record<'_>> {
        let record = self.bytes.get(self.operation.clone());
        let record = record.and_then(Record::read);
        record.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}
