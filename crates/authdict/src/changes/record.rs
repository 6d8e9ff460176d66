//! Encoding of an operation in the external sort.
//!
//! The fields are the kind (1 byte), the length of the key (2 bytes), the length of the value (4
//! bytes), the key and the value. Numbers are little-endian.

use std::io;

use pad_core::{InputError, Key, Operation, Value};

/// An operation that borrows its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record<'b> {
    pub(super) key: &'b [u8],
    /// The new value; `None` if the operation removes the key.
    pub(super) value: Option<&'b [u8]>,
}

/// The length of a record's header in bytes: kind (1), length of the key (2), length of the value
/// (4).
pub(super) const HEADER: usize = 7;

const PUT: u8 = 1;
const REMOVE: u8 = 0;

impl<'b> Record<'b> {
    pub(super) fn of(operation: &'b Operation) -> Self {
        match operation {
            Operation::Put(key, value) => Self {
                key: key.as_bytes(),
                value: Some(value.as_bytes()),
            },
            Operation::Remove(key) => Self {
                key: key.as_bytes(),
                value: None,
            },
        }
    }

    pub(super) fn write(self, bytes: &mut Vec<u8>) {
        let value = self.value.unwrap_or_default();
        let key_length = u16::try_from(self.key.len()).unwrap_or(u16::MAX);
        let value_length = u32::try_from(value.len()).unwrap_or(u32::MAX);
        bytes.push(if self.value.is_some() { PUT } else { REMOVE });
        bytes.extend(key_length.to_le_bytes());
        bytes.extend(value_length.to_le_bytes());
        bytes.extend(self.key);
        bytes.extend(value);
    }

    /// Returns the length of the record at the beginning of `bytes`; `None` if its header is
    /// incomplete.
    pub(super) fn length(bytes: &[u8]) -> Option<usize> {
        let (_, rest) = bytes.split_first()?;
        let (key, rest) = rest.split_first_chunk()?;
        let value = u32::from_le_bytes(*rest.first_chunk()?);
        let key = usize::from(u16::from_le_bytes(*key));
        usize::try_from(value).ok()?.checked_add(HEADER + key)
    }

    /// Decodes the record at the beginning of `bytes`; `None` if the record is incomplete.
    pub(super) fn read(bytes: &'b [u8]) -> Option<Self> {
        let record = bytes.get(..Self::length(bytes)?)?;
        let (kind, rest) = record.split_first()?;
        let (key, rest) = rest.split_first_chunk()?;
        let (_, rest) = rest.split_first_chunk::<4>()?;
        let (key, value) = rest.split_at_checked(usize::from(u16::from_le_bytes(*key)))?;
        Some(Self {
            key,
            value: (*kind == PUT).then_some(value),
        })
    }

    /// Converts the record to an operation with its own bytes.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidData`] if the key or the value is too long. Then the record is
    /// damaged.
    pub(super) fn operation(self) -> io::Result<Operation> {
        let changed =
            |error: InputError| io::Error::new(io::ErrorKind::InvalidData, error.to_string());
        let key = Key::new(self.key).map_err(changed)?;
        Ok(match self.value {
            Some(value) => Operation::Put(key, Value::new(value).map_err(changed)?),
            None => Operation::Remove(key),
        })
    }
}
