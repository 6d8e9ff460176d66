//! The bytes of a stored node.
//!
//! An inner node: a byte of kind, for each child a byte of flags, its address and its digest, the length of the separator in two bytes,
//! and the separator. A leaf: a byte of kind, the length of the key in two bytes and that of the value in four, key and value. Numbers
//! are little-endian.

use core::ops::Range;

use pad_core::{DigestBytes, MAX_KEY_LENGTH, MAX_VALUE_LENGTH, StoreFault};

use super::link::{ADDRESS_BYTES, Link};

/// The first bytes of records; 0 is none, so that what was never written is no record.
const LEAF: u8 = 1;
const INNER: u8 = 2;

const LEAF_HEADER: usize = 7;

/// The bytes of one child.
const fn child_bytes<D: DigestBytes>() -> usize {
    1 + ADDRESS_BYTES + D::LENGTH
}

const fn inner_header<D: DigestBytes>() -> usize {
    1 + 2 * child_bytes::<D>() + 2
}

/// So many bytes tell the length of any record.
pub(super) const fn longest_header<D: DigestBytes>() -> usize {
    if inner_header::<D>() > LEAF_HEADER {
        inner_header::<D>()
    } else {
        LEAF_HEADER
    }
}

/// The bytes of an inner node's record.
pub(super) const fn inner_bytes<D: DigestBytes>(separator: &[u8]) -> usize {
    inner_header::<D>() + separator.len()
}

/// The bytes of a leaf's record.
pub(super) const fn leaf_bytes(key: &[u8], value: &[u8]) -> usize {
    LEAF_HEADER + key.len() + value.len()
}

/// Appends an inner node's record.
pub(super) fn write_inner<D: DigestBytes>(
    children: &[Link<D>; 2],
    separator: &[u8],
    bytes: &mut Vec<u8>,
) {
    bytes.push(INNER);
    for child in children {
        bytes.push(child.flags());
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

/// Appends a leaf's record.
pub(super) fn write_leaf(key: &[u8], value: &[u8], bytes: &mut Vec<u8>) {
    bytes.push(LEAF);
    bytes.extend(u16::try_from(key.len()).unwrap_or(u16::MAX).to_le_bytes());
    bytes.extend(u32::try_from(value.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend(key);
    bytes.extend(value);
}

/// The length of the record that begins so; `None` if more bytes are needed to know it.
///
/// # Errors
/// [`StoreFault::Damaged`] if no record begins so.
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
        Some(&INNER) => {
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

/// Whether a whole record is that of a leaf.
pub(super) fn is_leaf(record: &[u8]) -> bool {
    record.first() == Some(&LEAF)
}

/// The key and the value of a leaf's whole record; of no bytes if it is another's.
pub(super) fn entry(record: &[u8]) -> (&[u8], &[u8]) {
    let entry = || {
        let (length, rest) = record.get(1..)?.split_first_chunk()?;
        rest.get(4..)?
            .split_at_checked(usize::from(u16::from_le_bytes(*length)))
    };
    entry().unwrap_or_default()
}

/// The separator of an inner node's whole record.
pub(super) fn separator<D: DigestBytes>(record: &[u8]) -> &[u8] {
    record.get(inner_header::<D>()..).unwrap_or_default()
}

/// The children of an inner node's whole record, which are below this depth.
///
/// # Errors
/// [`StoreFault::Damaged`] if one of them is no link.
pub(super) fn children<D: DigestBytes>(
    record: &[u8],
    depth: u16,
) -> Result<[Link<D>; 2], StoreFault> {
    let child = |start: usize| {
        let (flags, rest) = record.get(start..)?.split_first()?;
        let (address, rest) = rest.split_at_checked(ADDRESS_BYTES)?;
        Link::read(*flags, address, rest.get(..D::LENGTH)?, depth)
    };
    let (left, right) = (child(1), child(1 + child_bytes::<D>()));
    Ok([
        left.ok_or(StoreFault::Damaged)?,
        right.ok_or(StoreFault::Damaged)?,
    ])
}
