//! The byte format of a stored node.
//!
//! An inner node, in this order:
//! - a byte with the kind of the node and the flags of both children
//! - a checksum (CRC-32) in four bytes
//! - for each child its address and its digest
//! - the length of the separator in two bytes, and the separator
//!
//! A leaf consists of a byte of kind, the length of the key (two bytes), the length of the value
//! (four bytes), the key and the value. Numbers are little-endian.
//!
//! The digests of the tree protect keys, values and digests. They do not protect separators and
//! flags, which determine the shape of the tree after an update. The checksum covers the whole
//! record. It detects accidents, not attacks.

use core::ops::Range;

use pad_core::{MAX_KEY_LENGTH, MAX_VALUE_LENGTH, StoreFault, internals::DigestBytes};

use super::link::{ADDRESS_BYTES, FLAG_BITS, FLAGS, Link};

/// The first byte of a leaf's record. No record begins with 0, so unwritten space is not a record.
/// The first byte of an inner node's record contains another kind, and the flags of its children in
/// the lower bits.
const LEAF: u8 = 1;
const INNER: u8 = 0x10;

const LEAF_HEADER: usize = 7;
const CHECKSUM_BYTES: usize = 4;

/// The number of bytes that encode one child in an inner node's record.
const fn child_bytes<D: DigestBytes>() -> usize {
    ADDRESS_BYTES + D::LENGTH
}

/// The length in bytes of the header of an inner node. Leaves have shorter headers, so the first
/// `inner_header` bytes of a record always determine the record's length.
pub(super) const fn inner_header<D: DigestBytes>() -> usize {
    1 + CHECKSUM_BYTES + 2 * child_bytes::<D>() + 2
}

/// Computes the checksum of an inner node's record. It is stored after the first byte, and covers
/// all bytes except itself.
fn checksum(record: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(record.get(..1).unwrap_or_default());
    hasher.update(record.get(1 + CHECKSUM_BYTES..).unwrap_or_default());
    hasher.finalize().to_le_bytes()
}

/// The length in bytes of the record of an inner node with this separator.
pub(super) const fn inner_bytes<D: DigestBytes>(separator: &[u8]) -> usize {
    inner_header::<D>() + separator.len()
}

/// The length in bytes of the record of a leaf with this key and value.
pub(super) const fn leaf_bytes(key: &[u8], value: &[u8]) -> usize {
    LEAF_HEADER + key.len() + value.len()
}

/// Appends an inner node's record to `bytes`, without the fields that [`settle`] sets.
pub(super) fn write_inner<D: DigestBytes>(
    children: &[Link<D>; 2],
    separator: &[u8],
    bytes: &mut Vec<u8>,
) {
    let [left, right] = children;
    bytes.push(INNER | left.flags() | right.flags() << FLAG_BITS);
    bytes.extend([0; CHECKSUM_BYTES]);
    for child in children {
        bytes.extend(&child.address.to_le_bytes()[..ADDRESS_BYTES]);
        bytes.extend(child.digest.as_ref());
    }
    bytes.extend(
        u16::try_from(separator.len())
            .unwrap_or(u16::MAX)
            .to_le_bytes(),
    );
    bytes.extend(separator);
}

/// Sets the addresses of children that were unknown when the record was written, and the checksum.
/// `None` leaves an address unchanged. Records of leaves are unchanged.
pub(super) fn settle<D: DigestBytes>(record: &mut [u8], children: [Option<u64>; 2]) {
    if !record.first().is_some_and(|first| is_inner(*first)) {
        return;
    }
    for (child, address) in children.into_iter().enumerate() {
        if let Some(address) = address {
            let start = 1 + CHECKSUM_BYTES + child * child_bytes::<D>();
            record[start..][..ADDRESS_BYTES]
                .copy_from_slice(&address.to_le_bytes()[..ADDRESS_BYTES]);
        }
    }
    let sum = checksum(record);
    record[1..][..CHECKSUM_BYTES].copy_from_slice(&sum);
}

/// Appends a leaf's record to `bytes`.
pub(super) fn write_leaf(key: &[u8], value: &[u8], bytes: &mut Vec<u8>) {
    bytes.push(LEAF);
    bytes.extend(u16::try_from(key.len()).unwrap_or(u16::MAX).to_le_bytes());
    bytes.extend(u32::try_from(value.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend(key);
    bytes.extend(value);
}

/// The length of the record that starts with `bytes`; `None` if more bytes are needed to determine
/// it.
///
/// # Errors
/// [`StoreFault::Damaged`] if no record starts with these bytes.
pub(super) fn length<D: DigestBytes>(bytes: &[u8]) -> Result<Option<usize>, StoreFault> {
    let number = |range: Range<usize>| -> Option<usize> {
        let mut number = [0; 4];
        number
            .get_mut(..range.len())?
            .copy_from_slice(bytes.get(range)?);
        usize::try_from(u32::from_le_bytes(number)).ok()
    };
    match bytes.first() {
        None => Ok(None),
        Some(&LEAF) => {
            let (Some(key), Some(value)) = (number(1..3), number(3..LEAF_HEADER)) else {
                return Ok(None);
            };
            if key > MAX_KEY_LENGTH || value > MAX_VALUE_LENGTH {
                return Err(StoreFault::Damaged);
            }
            Ok(Some(LEAF_HEADER + key + value))
        }
        Some(&first) if is_inner(first) => {
            let header = inner_header::<D>();
            let Some(separator) = number(header - 2..header) else {
                return Ok(None);
            };
            if separator > MAX_KEY_LENGTH {
                return Err(StoreFault::Damaged);
            }
            Ok(Some(header + separator))
        }
        Some(_) => Err(StoreFault::Damaged),
    }
}

const fn is_inner(first: u8) -> bool {
    first & !(FLAGS | FLAGS << FLAG_BITS) == INNER
}

/// Whether a complete record has a correct checksum. Returns true for leaves, which have none.
pub(super) fn is_intact(record: &[u8]) -> bool {
    let is_leaf = record.first().is_none_or(|first| !is_inner(*first));
    is_leaf || record.get(1..=CHECKSUM_BYTES) == Some(&checksum(record)[..])
}

/// Whether a complete record belongs to a leaf.
pub(super) fn is_leaf(record: &[u8]) -> bool {
    record.first() == Some(&LEAF)
}

/// The key and the value in a leaf's complete record; both empty for other records.
pub(super) fn entry(record: &[u8]) -> (&[u8], &[u8]) {
    let entry = || {
        let (length, rest) = record.get(1..)?.split_first_chunk()?;
        rest.get(4..)?
            .split_at_checked(usize::from(u16::from_le_bytes(*length)))
    };
    entry().unwrap_or_default()
}

/// The separator in an inner node's complete record.
pub(super) fn separator<D: DigestBytes>(record: &[u8]) -> &[u8] {
    record.get(inner_header::<D>()..).unwrap_or_default()
}

/// The links to the left and the right child in an inner node's complete record.
///
/// # Errors
/// [`StoreFault::Damaged`] if one of them is not a valid link.
pub(super) fn children<D: DigestBytes>(record: &[u8]) -> Result<[Link<D>; 2], StoreFault> {
    let first = record.first().copied().unwrap_or_default();
    let child = |start: usize, flags: u8| {
        let (address, rest) = record.get(start..)?.split_at_checked(ADDRESS_BYTES)?;
        Link::read(flags, address, rest.get(..D::LENGTH)?)
    };
    let start = 1 + CHECKSUM_BYTES;
    let left = child(start, first & FLAGS);
    let right = child(start + child_bytes::<D>(), first >> FLAG_BITS & FLAGS);
    Ok([
        left.ok_or(StoreFault::Damaged)?,
        right.ok_or(StoreFault::Damaged)?,
    ])
}
