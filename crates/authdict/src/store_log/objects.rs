//! The node log of a tree PAD in an object store.
//!
//! Nodes are appended to segments, which are objects of at most 1 MiB. A node's position is the
//! number of its segment times 2^20, plus its offset in the segment. Numbers of segments may be
//! skipped. A writer begins after all existing segments, including the segments of other writers.

use core::ops::RangeInclusive;
use std::sync::Arc;

use pad_core::{StoreFault, Version};
use pad_tree::{LogId, NodeLog};

use super::{AnyLog, NodeFile, StoreLog, SystemError, latest_row, require_latest, rows};
use crate::{
    objects::{ObjectBackend, ObjectFolder},
    store::{Store, StoreError},
};

/// The log of the nodes of a tree PAD in an object store.
#[derive(Debug)]
pub(crate) struct ObjectLog {
    folder: Arc<ObjectFolder>,
    identity: LogId,
    latest: Version,
    /// The position at which the nodes of the latest version end.
    published: u64,
    /// The position at which the next appended byte is stored.
    end: u64,
    /// Appended bytes that are not in a segment yet. `pending_from` is the position of the first of
    /// them.
    pending: Vec<u8>,
    pending_from: u64,
    /// The position of the first byte appended since the log was last synchronised.
    first: u64,
    is_writer: bool,
    is_closed: bool,
    error: SystemError,
}

/// The number of bits of a node's offset in its segment; the higher bits of a position are the
/// segment's number.
const PLACE_BITS: u32 = 20;
/// The exclusive upper bound of segment numbers. It exists because a position has 48 bits.
const MOST_SEGMENTS: u64 = 1 << (48 - PLACE_BITS);
const SEGMENT: usize = 1 << PLACE_BITS;
const SEGMENT_BYTES: u64 = 1 << PLACE_BITS;
/// The block size in bytes. Segments end at a block boundary, so that one request reads a block.
const BLOCK: usize = 4096;

/// The length, in bytes, of the field that follows the record in each row. The field contains the
/// number of the first segment that may contain nodes added by the row's version.
const FIRST_BYTES: usize = 8;

/// Splits the row of a version into its record, the number of its first segment, and the position
/// at which its nodes end. Returns `None` if `row` is not the row of this version.
fn parts(version: Version, row: &[u8]) -> Option<(&[u8], u64, u64)> {
    let (body, end) = rows::parts(version, row)?;
    let (record, first) = body.split_last_chunk::<FIRST_BYTES>()?;
    Some((record, u64::from_le_bytes(*first), end))
}

/// Returns the numbers of the segments that may contain nodes added by a version, as stated in its
/// row. Returns `None` if `row` is not the row of this version.
pub(crate) fn segments(version: Version, row: &[u8]) -> Option<RangeInclusive<u64>> {
    let (_, first, end) = parts(version, row)?;
    Some(first..=segment(end.saturating_sub(1)))
}

const fn segment(position: u64) -> u64 {
    position >> PLACE_BITS
}

impl ObjectLog {
    pub(crate) fn of_store(store: &ObjectBackend) -> Self {
        Self::new(Arc::clone(store.folder()), store.identity())
    }

    fn new(folder: Arc<ObjectFolder>, identity: LogId) -> Self {
        Self {
            folder,
            identity,
            latest: Version::EMPTY,
            published: 0,
            end: 0,
            pending: Vec::new(),
            pending_from: 0,
            first: 0,
            is_writer: false,
            is_closed: false,
            error: SystemError::default(),
        }
    }

    /// Creates a segment object from the first `length` pending bytes, or from all if there are
    /// fewer.
    fn create_segment(&mut self, length: usize) -> Result<(), StoreFault> {
        let rest = self.pending.split_off(length.min(self.pending.len()));
        let mut bytes = core::mem::replace(&mut self.pending, rest);
        let padded = bytes.len().next_multiple_of(BLOCK);
        bytes.resize(padded, 0);
        let number = segment(self.pending_from);
        let created = self.folder.create_nodes(number, &bytes);
        created.map_err(|error| {
            self.is_closed = true;
            self.error.note(error)
        })?;
        let next = number.checked_add(1).ok_or(StoreFault::Damaged)?;
        self.pending_from = next.checked_mul(SEGMENT_BYTES).ok_or(StoreFault::Damaged)?;
        Ok(())
    }

    /// Fills `bytes` from appended bytes that are not in a segment yet, starting at `position`.
    /// Returns `None` if the position is not among these bytes.
    fn read_pending(&self, position: u64, bytes: &mut [u8]) -> Option<()> {
        let start = usize::try_from(position.checked_sub(self.pending_from)?).ok()?;
        let found = self.pending.get(start..)?.get(..bytes.len())?;
        bytes.copy_from_slice(found);
        Some(())
    }
}

impl NodeLog for ObjectLog {
    fn latest(&self) -> Version {
        self.latest
    }

    fn end(&self) -> u64 {
        self.end
    }

    /// Returns the unique id of this log; `None` for a writer, because its nodes may never be
    /// published.
    fn identity(&self) -> Option<LogId> {
        (!self.is_writer).then_some(self.identity)
    }

    fn read(&self, position: u64, bytes: &mut [u8]) -> Result<(), StoreFault> {
        // A long value may continue in the next segments.
        let (mut position, mut rest) = (position, bytes);
        while !rest.is_empty() {
            let place = position % SEGMENT_BYTES;
            let left = usize::try_from(SEGMENT_BYTES - place).unwrap_or(usize::MAX);
            let (now, later) = rest.split_at_mut(left.min(rest.len()));
            if self.is_writer && position >= self.pending_from && !self.pending.is_empty() {
                self.read_pending(position, now)
                    .ok_or(StoreFault::Damaged)?;
            } else {
                let read = self.folder.nodes(segment(position), place, now);
                read.map_err(|error| self.error.fault(error))?;
            }
            position = position.saturating_add(u64::try_from(now.len()).unwrap_or(u64::MAX));
            rest = later;
        }
        Ok(())
    }

    fn record(&self, version: Version) -> Result<Vec<u8>, StoreFault> {
        let mut row = self.row(version)?;
        let (record, ..) = parts(version, &row).ok_or(StoreFault::Damaged)?;
        row.truncate(record.len());
        Ok(row)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), StoreFault> {
        if !self.is_writer || self.is_closed {
            return Err(StoreFault::Closed);
        }
        let length = u64::try_from(bytes.len()).map_err(|_| StoreFault::Damaged)?;
        let end = self.end.checked_add(length).ok_or(StoreFault::Damaged)?;
        self.pending.extend_from_slice(bytes);
        self.end = end;
        while self.pending.len() >= SEGMENT {
            self.create_segment(SEGMENT)?;
        }
        Ok(())
    }

    fn publish(&mut self, version: Version, record: &[u8]) -> Result<(), StoreFault> {
        if Some(version) != self.latest.next() {
            return Err(StoreFault::Damaged);
        }
        if !self.is_writer || self.is_closed {
            return Err(StoreFault::Closed);
        }
        let first = segment(self.first).to_le_bytes();
        let row = rows::row(version, &[record, &first].concat(), self.end);
        self.folder.stage(version, row);
        (self.latest, self.published) = (version, self.end);
        Ok(())
    }

    fn synchronise(&mut self) -> Result<(), StoreFault> {
        if self.is_closed {
            return Err(StoreFault::Closed);
        }
        if !self.pending.is_empty() {
            self.create_segment(SEGMENT)?;
        }
        self.end = self.pending_from;
        self.first = self.pending_from;
        Ok(())
    }

    /// Drops the nodes that are not published. Segments already created for them remain, but no
    /// head refers to them.
    fn discard(&mut self) {
        let kept = self.published.checked_sub(self.pending_from);
        let kept = kept.and_then(|kept| usize::try_from(kept).ok());
        self.pending.truncate(kept.unwrap_or(0));
        let length = u64::try_from(self.pending.len()).unwrap_or(u64::MAX);
        self.end = self.pending_from.saturating_add(length);
    }
}

impl StoreLog for ObjectLog {
    fn taken_up(&self, store: &dyn Store) -> Result<AnyLog, StoreError> {
        let (latest, row) = latest_row(store)?;
        let mut log = Self::new(Arc::clone(&self.folder), self.identity);
        if latest > Version::EMPTY {
            let (.., end) = parts(latest, &row)
                .ok_or(StoreError::Damaged("malformed head of the latest version"))?;
            (log.latest, log.published, log.end) = (latest, end, end);
        }
        Ok(Box::new(log))
    }

    fn begin(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        if self.is_closed {
            return Err(StoreError::Closed);
        }
        if self.is_writer {
            return Ok(());
        }
        require_latest(store, self.latest)?;
        let number = self.folder.next_nodes(segment(self.published))?;
        if number >= MOST_SEGMENTS {
            return Err(StoreError::Damaged("the segment numbers are exhausted"));
        }
        let begin = number * SEGMENT_BYTES;
        (self.pending_from, self.first, self.end) = (begin, begin, begin);
        self.is_writer = true;
        Ok(())
    }

    fn row(&self, version: Version) -> Result<Vec<u8>, StoreFault> {
        if version == Version::EMPTY || version > self.latest {
            return Err(StoreFault::Damaged);
        }
        let staged = self.folder.staged_row(version).filter(|_| self.is_writer);
        let row = if staged.is_some() {
            staged
        } else {
            let read = self.folder.row(version);
            read.map_err(|error| self.error.fault(error))?
        };
        row.filter(|row| parts(version, row).is_some())
            .ok_or(StoreFault::Damaged)
    }

    fn kept_bytes(&self) -> Result<u64, StoreError> {
        Ok(self.folder.nodes_bytes()?)
    }

    fn system_error(&self) -> SystemError {
        self.error.clone()
    }

    fn files(&self) -> Option<&NodeFile> {
        None
    }

    fn close(&mut self) {
        self.is_closed = true;
    }
}
