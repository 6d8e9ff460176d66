//! Reading what never changes through a cache on a disk.

use std::{io, ops::Range, sync::Arc};

use pad_core::Version;

use super::{
    DiskCache, ObjectFolder,
    disk_cache::{OwnedCache, Owner, PIECE, PIECE_BYTES, Piece},
};
use crate::kept_log::segments;

impl ObjectFolder {
    /// Reads segments and rows through this cache from now on; they are those of the dictionary with this number.
    pub(super) fn read_through(&mut self, cache: Arc<DiskCache>, dictionary: &[u8; 16]) {
        let owner = self.owner(dictionary);
        self.cache = Some(OwnedCache { cache, owner });
    }

    /// Whose they are: those of the dictionary with this number, here.
    pub(super) fn owner(&self, dictionary: &[u8; 16]) -> Owner {
        Owner::new(dictionary, &format!("{} {}", self.store, self.prefix))
    }

    /// Whether something is read from elsewhere than from the objects.
    pub(crate) const fn has_cache(&self) -> bool {
        self.cache.is_some()
    }

    /// A part of a segment.
    pub(crate) fn nodes(&self, number: u64, start: u64, bytes: &mut [u8]) -> io::Result<()> {
        match &self.cache {
            Some(cache) => self.nodes_through(cache, number, start, bytes),
            None => self.stored_nodes(number, start, bytes),
        }
    }

    /// A part of a segment, of which all from the first piece on that is not in the cache is read with one request.
    fn nodes_through(
        &self,
        cache: &OwnedCache,
        segment: u64,
        start: u64,
        bytes: &mut [u8],
    ) -> io::Result<()> {
        let (mut start, mut rest) = (start, bytes);
        while !rest.is_empty() {
            let number = start / PIECE_BYTES;
            let place = index(start % PIECE_BYTES);
            let (now, later) = rest.split_at_mut(rest.len().min(PIECE - place));
            let piece = Piece { segment, number };
            if !cache.cache.read_piece(cache.owner, piece, place, now) {
                let wanted = place..place + now.len() + later.len();
                let found = self.fetch(cache, piece, wanted)?;
                let (first, others) = found.split_at_checked(now.len()).ok_or(GONE)?;
                now.copy_from_slice(first);
                later.copy_from_slice(others);
                return Ok(());
            }
            start = start.saturating_add(widened(now.len()));
            rest = later;
        }
        Ok(())
    }

    /// Reads pieces of a segment from its object, as many as a range from the first one on is in, and keeps them; what is in the range.
    fn fetch(&self, cache: &OwnedCache, first: Piece, wanted: Range<usize>) -> io::Result<Vec<u8>> {
        let whole = wanted.end.next_multiple_of(PIECE);
        let start = first.number.saturating_mul(PIECE_BYTES);
        let mut found = self.part_of_nodes(first.segment, start, widened(whole))?;
        for (number, bytes) in (first.number..).zip(found.chunks(PIECE)) {
            let piece = Piece { number, ..first };
            cache.cache.keep_piece(cache.owner, piece, bytes);
        }
        if found.len() < wanted.end {
            return Err(GONE.into());
        }
        found.truncate(wanted.end);
        Ok(found.split_off(wanted.start))
    }

    /// Has nothing in the cache of what is at a place in a segment and behind it, if there is one.
    pub(crate) fn forget_nodes(&self, segment: u64, place: u64) -> bool {
        let Some(cache) = &self.cache else {
            return false;
        };
        // A node may go on in the next piece.
        for number in (place / PIECE_BYTES..).take(2) {
            let piece = Piece { segment, number };
            cache.cache.forget_piece(cache.owner, piece);
        }
        true
    }

    /// The row of a version; `None` if it is not there.
    pub(crate) fn row(&self, version: Version) -> io::Result<Option<Vec<u8>>> {
        let cached = self.cache.as_ref();
        let row = cached.and_then(|cache| cache.cache.row(cache.owner, version));
        match row.filter(|row| segments(version, row).is_some()) {
            None => self.stored_row(version),
            row => Ok(row),
        }
    }

    /// Keeps a row that was read, if it is one.
    pub(super) fn keep_row(&self, version: Version, row: &[u8]) {
        if let Some(cache) = &self.cache
            && segments(version, row).is_some()
        {
            cache.cache.keep_row(cache.owner, version, row);
        }
    }
}

/// It was there when its version was published.
const GONE: io::ErrorKind = io::ErrorKind::UnexpectedEof;

fn index(place: u64) -> usize {
    usize::try_from(place).unwrap_or(usize::MAX)
}

fn widened(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
