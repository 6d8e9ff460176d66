//! Rows of all versions in one file. A row's position follows from the version number. A row
//! contains the version's record, and the end of its nodes.

use core::ops::Range;

use pad_core::{Suite, Version};
use pad_tree::{RECORDS_FOR_EACH_SUBTREE, place_in_record, record_bytes};

/// The lengths of rows, from which their positions follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowLengths {
    ordinary: u64,
    /// The number of bytes by which the last row of each group is longer.
    more: u64,
    /// The range of the root's position in a record.
    root: (usize, usize),
}

/// Bytes after the record: the end of the nodes (8 bytes), and a checksum (CRC-32, 4 bytes) of
/// version, record and end. The checksum detects accidents, not attacks.
const END_BYTES: usize = 8;
const CHECKSUM_BYTES: usize = 4;

impl RowLengths {
    /// Returns the lengths of the rows of a tree with this suite.
    pub(crate) const fn of<S: Suite>() -> Self {
        let ordinary = record_bytes::<S>(Version::new(1));
        let longer = record_bytes::<S>(Version::new(RECORDS_FOR_EACH_SUBTREE));
        let Range { start, end } = place_in_record::<S>();
        Self {
            ordinary: widened(ordinary + END_BYTES + CHECKSUM_BYTES),
            more: widened(longer - ordinary),
            root: (start, end),
        }
    }

    /// Returns whether `row` results from `from` by rewriting the version's nodes. The two rows may
    /// differ only in the root's position, and in the end of the nodes, which must not move
    /// backwards.
    pub(super) fn is_moved(&self, version: Version, row: &[u8], from: &[u8]) -> bool {
        let parts = |row| -> Option<([&[u8]; 2], u64)> {
            let (record, end) = parts(version, row)?;
            let (start, after) = self.root;
            Some(([record.get(..start)?, record.get(after..)?], end))
        };
        match (parts(row), parts(from)) {
            (Some((said, end)), Some((before, earlier))) => said == before && end >= earlier,
            _ => false,
        }
    }

    /// Returns the end of the rows of `versions` versions; `None` if it exceeds the maximum length
    /// of a file.
    pub(super) fn end(&self, versions: u64) -> Option<u64> {
        let groups = versions / RECORDS_FOR_EACH_SUBTREE;
        let more = groups.checked_mul(self.more)?;
        versions.checked_mul(self.ordinary)?.checked_add(more)
    }

    /// Returns the position and the length of a version's row. Returns `None` if they exceed the
    /// maximum length of a file, and for version 0, which has no row.
    pub(super) fn row(&self, version: Version) -> Option<(u64, usize)> {
        let start = self.end(version.previous()?.number())?;
        let length = self.end(version.number())?.checked_sub(start)?;
        Some((start, usize::try_from(length).ok()?))
    }
}

#[allow(
    clippy::as_conversions,
    reason = "in a constant, and a handful of bytes"
)]
const fn widened(length: usize) -> u64 {
    length as u64
}

/// Encodes the row of a version whose nodes end at `end`.
pub(super) fn row(version: Version, record: &[u8], end: u64) -> Vec<u8> {
    let mut row = record.to_vec();
    row.extend_from_slice(&end.to_le_bytes());
    row.extend_from_slice(&checksum(version, &row));
    row
}

/// Returns the record in a row, and the end of the nodes. Returns `None` if the checksum does not
/// match a row of this version.
pub(super) fn parts(version: Version, row: &[u8]) -> Option<(&[u8], u64)> {
    let (body, sum) = row.split_last_chunk::<CHECKSUM_BYTES>()?;
    let (record, end) = body.split_last_chunk::<END_BYTES>()?;
    (*sum == checksum(version, body)).then_some((record, u64::from_le_bytes(*end)))
}

fn checksum(version: Version, body: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&version.number().to_le_bytes());
    hasher.update(body);
    hasher.finalize().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use pad_core::Sha256Ed25519;

    use super::*;

    #[test]
    fn rows_stand_one_behind_the_other() {
        let lengths = RowLengths::of::<Sha256Ed25519>();
        let mut end = 0;
        for number in 1..100 {
            let version = Version::new(number);
            let (start, length) = lengths.row(version).unwrap();
            assert_eq!(start, end);
            let record = vec![7; record_bytes::<Sha256Ed25519>(version)];
            assert_eq!(row(version, &record, 5).len(), length);
            end += u64::try_from(length).unwrap();
            assert_eq!(lengths.end(number), Some(end));
        }
        assert_eq!(lengths.row(Version::EMPTY), None);
        assert_eq!(lengths.row(Version::new(u64::MAX)), None);
    }

    #[test]
    fn a_row_that_moved_says_the_same() {
        let lengths = RowLengths::of::<Sha256Ed25519>();
        let version = Version::new(3);
        let record: Vec<u8> = (0..record_bytes::<Sha256Ed25519>(version))
            .map(|place| u8::try_from(place % 251).unwrap())
            .collect();
        let before = row(version, &record, 77);
        assert!(lengths.is_moved(version, &before, &before));
        let root = place_in_record::<Sha256Ed25519>();
        for place in 0..record.len() {
            let mut other = record.clone();
            other[place] ^= 1;
            let other = row(version, &other, 78);
            let is_root = root.contains(&place);
            assert_eq!(lengths.is_moved(version, &other, &before), is_root);
            assert!(!lengths.is_moved(Version::new(4), &other, &before));
        }
        let earlier = row(version, &record, 76);
        assert!(!lengths.is_moved(version, &earlier, &before));
    }

    #[test]
    fn a_row_is_that_of_its_version_or_none() {
        let version = Version::new(3);
        let whole = row(version, b"record", 77);
        assert_eq!(parts(version, &whole), Some((&b"record"[..], 77)));
        assert_eq!(parts(Version::new(4), &whole), None);
        for place in 0..whole.len() {
            let mut changed = whole.clone();
            changed[place] ^= 1;
            assert_eq!(parts(version, &changed), None, "{place}");
            assert_eq!(parts(version, &whole[..place]), None, "{place}");
        }
    }
}
