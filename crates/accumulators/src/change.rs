//! Changes of a set: the elements removed and added between two consecutive values. Witnesses are
//! updated from a list of changes.

use alloc::vec::Vec;

use pad_core::DecodeError;

#[cfg(feature = "std")]
use crate::error::AccumulateError;
use crate::{
    scheme::Scheme,
    wire::{self, Reader, Wire},
};

/// The difference between the sets of two consecutive values: elements removed, then elements
/// added.
///
/// Public data that need not be trusted: a false change produces a witness that does not verify.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<A: Scheme> {
    /// Accumulator value of the set before the change.
    pub before: A::Value,
    /// Accumulator value of the set after the change.
    pub after: A::Value,
    /// The elements removed.
    pub removed: Vec<A::Element>,
    /// The elements added.
    pub added: Vec<A::Element>,
    /// Data that the scheme needs for witness updates in addition to the elements and the values.
    pub update_data: A::UpdateData,
}

/// Checks that each change starts at the value where the previous one ended.
///
/// # Errors
/// [`AccumulateError::ChangeGap`] if a change starts at a value other than the end of the previous
/// change.
#[cfg(feature = "std")]
pub(crate) fn require_consecutive<A: Scheme>(changes: &[Change<A>]) -> Result<(), AccumulateError> {
    let mut pairs = changes.iter().zip(changes.iter().skip(1));
    if pairs.all(|(earlier, later)| earlier.after == later.before) {
        Ok(())
    } else {
        Err(AccumulateError::ChangeGap)
    }
}

impl<A: Scheme> Wire for Change<A> {
    type Context = A::PublicKey;
    const KIND: u8 = wire::KIND_CHANGE;
    const SCHEME: u16 = A::SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        self.before.write(bytes);
        self.after.write(bytes);
        write_elements::<A>(&self.removed, bytes);
        write_elements::<A>(&self.added, bytes);
        self.update_data.write(bytes);
    }

    fn read(key: &A::PublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            before: A::Value::read(key, reader)?,
            after: A::Value::read(key, reader)?,
            removed: read_elements::<A>(key, reader)?,
            added: read_elements::<A>(key, reader)?,
            update_data: A::UpdateData::read(key, reader)?,
        })
    }
}

fn write_elements<A: Scheme>(elements: &[A::Element], bytes: &mut Vec<u8>) {
    wire::write_count(elements.len(), bytes);
    for element in elements {
        element.write(bytes);
    }
}

fn read_elements<A: Scheme>(
    key: &A::PublicKey,
    reader: &mut Reader<'_>,
) -> Result<Vec<A::Element>, DecodeError> {
    // An element has at least its digest's 32 bytes.
    let count = reader.count(32)?;
    (0..count).map(|_| A::Element::read(key, reader)).collect()
}
