//! Pieces of objects on a disk of whoever reads them: what was read once is read again without a request, also after a restart.
//!
//! | file | holds |
//! |---|---|
//! | `pad-cache.pieces` | pieces of segments, of 64 KiB |
//! | `pad-cache.heads` | rows of versions |
//!
//! Segments and heads never change, so what was kept of them is right for as long as it is what was kept. That is looked at with each read:
//! everything here has a name, which says of what object it is and of which dictionary at which address, and checksums that depend on the
//! name. What does not fit is as good as nothing, and is read from the objects. The checksums tell accidents, not attacks; nodes have
//! their own behind them, and answers are verified by clients.
//!
//! Any number of processes share a folder, and any number of dictionaries. Nothing is synchronised, and nothing is locked. The folder may be
//! taken away at any time.

use core::sync::atomic::{AtomicU64, Ordering};
use std::{fs, io, path::Path, sync::Arc};

use disk::layer::{FileLayer, Folder};
use pad_core::Version;
use pad_tree::LogId;
use sha2::{Digest as _, Sha256};

use crate::store::StoreError;

mod slots;

use slots::{SlotName, Slots};

/// Pieces of objects in a folder, of at most so many bytes.
///
/// Reads and writes are of single pieces and of a kilobyte that says where they are. A read that fails is a piece that is not there; when a
/// write fails, as it does on a full disk, nothing is kept for a while.
#[derive(Debug)]
pub struct DiskCache {
    pieces: Slots,
    rows: Slots,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// Whose pieces they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owner([u8; 32]);

/// The bytes of a piece: what is read from an object at a time.
pub(super) const PIECE: usize = 64 << 10;
pub(super) const PIECE_BYTES: u64 = 64 << 10;

impl DiskCache {
    /// The least bytes that a cache may have.
    pub const LEAST_BYTES: u64 = 1 << 20;

    /// The cache in a folder, which is made if it is missing. The files in it grow to this many bytes together; where they have other lengths,
    /// because the size was another one, the cache begins anew.
    ///
    /// Time: that of opening two files. Nothing is read.
    ///
    /// # Errors
    /// [`StoreError::Io`]: the system's, or [`io::ErrorKind::InvalidInput`] if it is too small.
    pub fn open(folder: &Path, bytes: u64) -> Result<Self, StoreError> {
        fs::create_dir_all(folder)?;
        Self::in_layer(&Folder::open(folder)?, bytes)
    }

    /// The same in a folder of whatever kind, which is there.
    ///
    /// # Errors
    /// As [`DiskCache::open`].
    pub fn in_layer(folder: &dyn FileLayer, bytes: u64) -> Result<Self, StoreError> {
        if bytes < Self::LEAST_BYTES {
            let said = "a cache on a disk has at least 1 MiB";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, said).into());
        }
        // A row has two hundred bytes.
        let rows = bytes / PART_OF_ROWS;
        Ok(Self {
            pieces: Slots::open(folder, PIECES, PIECE, bytes.saturating_sub(rows))?,
            rows: Slots::open(folder, HEADS, LONGEST_ROW, rows)?,
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        })
    }

    /// How often something was here that was asked for, since it was opened.
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    /// How often it was not.
    pub fn misses(&self) -> u64 {
        self.misses.load(Ordering::Relaxed)
    }

    fn count(&self, is_here: bool) -> bool {
        let counter = if is_here { &self.hits } else { &self.misses };
        counter.fetch_add(1, Ordering::Relaxed);
        is_here
    }

    /// Reads a part of a piece of a segment; whether it is here.
    pub(super) fn read_piece(
        &self,
        owner: Owner,
        piece: Piece,
        start: usize,
        bytes: &mut [u8],
    ) -> bool {
        self.count(self.pieces.read(&owner.piece(piece), start, bytes))
    }

    /// Keeps a piece, of which the last one of a segment may be short.
    pub(super) fn keep_piece(&self, owner: Owner, piece: Piece, bytes: &[u8]) {
        self.pieces.keep(&owner.piece(piece), bytes);
    }

    pub(super) fn forget_piece(&self, owner: Owner, piece: Piece) {
        self.pieces.forget(&owner.piece(piece));
    }

    /// The row of a version, if it is here.
    pub(super) fn row(&self, owner: Owner, version: Version) -> Option<Vec<u8>> {
        let row = self.rows.whole(&owner.row(version));
        self.count(row.is_some());
        row
    }

    pub(super) fn keep_row(&self, owner: Owner, version: Version, row: &[u8]) {
        self.rows.keep(&owner.row(version), row);
    }
}

/// The number of a segment, and that of a piece in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) segment: u64,
    pub(super) number: u64,
}

impl Owner {
    /// The dictionary with this number in its description, at this address: copies of one dictionary may be gone on with apart.
    pub(super) fn new(dictionary: &[u8; 16], address: &str) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(TITLE);
        hasher.update(dictionary);
        hasher.update(address);
        Self(hasher.finalize().into())
    }

    /// What the log of its nodes has and no other.
    pub(super) fn identity(self) -> LogId {
        core::array::from_fn(|place| self.0[place])
    }

    fn piece(self, piece: Piece) -> SlotName {
        self.named(b'p', &[piece.segment, piece.number])
    }

    fn row(self, version: Version) -> SlotName {
        self.named(b'h', &[version.number()])
    }

    fn named(self, kind: u8, numbers: &[u64]) -> SlotName {
        let mut hasher = Sha256::new();
        hasher.update(self.0);
        hasher.update([kind]);
        for number in numbers {
            hasher.update(number.to_le_bytes());
        }
        hasher.finalize().into()
    }
}

/// Names that nobody else gives: what has one of them is written over.
const PIECES: &str = "pad-cache.pieces";
const HEADS: &str = "pad-cache.heads";
/// Another layout of the files has another one.
const TITLE: &[u8] = b"pad/disk-cache/1";
/// A row of a version has two digests or three, a signature and a few numbers.
const LONGEST_ROW: usize = 384;
const PART_OF_ROWS: u64 = 16;

/// A cache and whose pieces are read through it.
#[derive(Clone, Debug)]
pub(super) struct OwnedCache {
    pub(super) cache: Arc<DiskCache>,
    pub(super) owner: Owner,
}
