//! Rows of all versions in one file, in ascending order of versions. A row contains the version's
//! record (signed head and root position), and the position at which its nodes end. A row's
//! position follows from the version number.

use core::ops::Range;

use pad_core::{Suite, Version};
use pad_tree::internals::{RECORDS_FOR_EACH_SUBTREE, place_in_record, record_bytes};

/// The lengths of the rows of a tree, from which the rows' positions follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowLengths {
    ordinary: u64,
    /// The number of additional bytes in the last row of each group of [`RECORDS_FOR_EACH_SUBTREE`]
    /// versions.
    more: u64,
    /// The byte range in a record that contains the position of the tree's root node.
    root: (usize, usize),
}

/// The length of the field after a row's record: the position at which the nodes end. A checksum
/// (CRC-32, 4 bytes) of version, record and end follows it. The checksum detects accidents, not
/// attacks.
const END_BYTES: usize = 8;
const CHECKSUM_BYTES: usize = 4;

impl RowLengths {
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

    /// Returns whether `row` can replace `from`, an earlier row of this version, after the
    /// version's nodes were rewritten. The two rows may differ only in the root's position and the
    /// end of the nodes. The end must not move backwards.
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

    /// Returns the total length of the rows of the first `versions` versions. Returns `None` if it
    /// exceeds the maximum length of a file.
    pub(super) fn end(&self, versions: u64) -> Option<u64> {
        let groups = versions / RECORDS_FOR_EACH_SUBTREE;
        let more = groups.checked_mul(self.more)?;
        versions.checked_mul(self.ordinary)?.checked_add(more)
    }

    /// Returns the position and the length of a version's row in the file of rows, in bytes.
    /// Returns `None` if they exceed the maximum length of a file, and for version 0, which has no
    /// row.
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

/// Splits the row of a version into its record and the position at which its nodes end. Returns
/// `None` if the checksum does not match a row of this version.
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
