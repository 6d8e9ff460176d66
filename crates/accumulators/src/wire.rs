//! Encodings of values, witnesses, keys and changes: explicit layouts, read with the public key as
//! context.
//!
//! The messages of `pad_core::codec` are decoded without a context. Group elements can only be
//! checked with knowledge of the group. Every group element that [`decode`] returns is in range, in
//! canonical form and in the group. Later code does not check this again.
//!
//! Every object has exactly one encoding; `docs/format` lists the layouts.

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;

use pad_core::{DecodeError, Untrusted, codec};

/// An object with exactly one encoding, whose layout of bytes is documented at the implementation.
///
/// Law: `read` inverts `write` and consumes every byte. `read` rejects all bytes that `write` would
/// not have written.
#[doc(hidden)]
pub trait Wire: Sized {
    /// Data that decoding needs in addition to the bytes: usually the public key.
    type Context: ?Sized;
    /// Number that identifies this type in the envelope, the header of [`encode`].
    const KIND: u8;
    /// Number that identifies the accumulator scheme in the envelope, the header of [`encode`].
    const SCHEME: u16;

    /// Appends the encoding of this object, without an envelope, to `bytes`.
    fn write(&self, bytes: &mut Vec<u8>);

    /// Decodes an object from the front of the remaining bytes of `reader`, and validates it.
    ///
    /// # Errors
    /// [`DecodeError`] if the bytes are not a valid encoding. Allocates at most a constant times
    /// the number of remaining bytes.
    fn read(context: &Self::Context, reader: &mut Reader<'_>) -> Result<Self, DecodeError>;
}

/// Encodes an object after its envelope: a header of 8 bytes that states format, type and scheme.
pub fn encode<W: Wire>(object: &W) -> Vec<u8> {
    let mut bytes = codec::envelope(W::KIND, W::SCHEME);
    object.write(&mut bytes);
    bytes
}

/// Encodes an object without an envelope, for messages whose context already identifies the type.
#[doc(hidden)]
pub fn encode_body<W: Wire>(object: &W) -> Vec<u8> {
    let mut bytes = Vec::new();
    object.write(&mut bytes);
    bytes
}

/// Decodes the result of [`encode`], which must have at most `limit` bytes. The object is
/// well-formed but unverified.
///
/// # Errors
/// [`DecodeError`] if the bytes are too long, have the wrong envelope, or are not a valid object.
pub fn decode<W: Wire>(
    context: &W::Context,
    bytes: &[u8],
    limit: usize,
) -> Result<Untrusted<W>, DecodeError> {
    decode_body(context, codec::open(bytes, W::KIND, W::SCHEME, limit)?).map(Untrusted::new)
}

/// Decodes the result of [`encode_body`]. The caller must have bounded the length of `bytes`.
///
/// # Errors
/// [`DecodeError`] if the bytes are not a valid object, or bytes remain after the object.
#[doc(hidden)]
pub fn decode_body<W: Wire>(context: &W::Context, bytes: &[u8]) -> Result<W, DecodeError> {
    let mut reader = Reader::new(bytes);
    let object = W::read(context, &mut reader)?;
    reader.finish()?;
    Ok(object)
}

/// A cursor that reads one field after another from the front of encoded bytes.
#[derive(Debug)]
#[doc(hidden)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Creates a reader of `bytes`.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Takes the next `length` bytes.
    ///
    /// # Errors
    /// [`DecodeError::Malformed`] if fewer bytes remain.
    pub fn take(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let split = self.rest.split_at_checked(length);
        let (taken, rest) = split.ok_or(DecodeError::Malformed)?;
        self.rest = rest;
        Ok(taken)
    }

    /// Takes the next `N` bytes.
    ///
    /// # Errors
    /// [`DecodeError::Malformed`] if fewer bytes remain.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        self.array_ref().copied()
    }

    /// Takes the next `N` bytes by reference, without a copy.
    ///
    /// # Errors
    /// [`DecodeError::Malformed`] if fewer bytes remain.
    pub fn array_ref<const N: usize>(&mut self) -> Result<&'a [u8; N], DecodeError> {
        let split = self.rest.split_first_chunk();
        let (taken, rest) = split.ok_or(DecodeError::Malformed)?;
        self.rest = rest;
        Ok(taken)
    }

    /// Takes all remaining bytes.
    pub fn rest(&mut self) -> &'a [u8] {
        core::mem::take(&mut self.rest)
    }

    /// Number of remaining bytes.
    pub const fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Takes two bytes as a big-endian number.
    ///
    /// # Errors
    /// [`DecodeError::Malformed`] if fewer bytes remain.
    pub fn u16(&mut self) -> Result<u16, DecodeError> {
        self.array().map(u16::from_be_bytes)
    }

    /// Takes eight bytes as a big-endian number.
    ///
    /// # Errors
    /// [`DecodeError::Malformed`] if fewer bytes remain.
    pub fn u64(&mut self) -> Result<u64, DecodeError> {
        self.array().map(u64::from_be_bytes)
    }

    /// Takes a count (four big-endian bytes) of items that follow, each of at least `smallest`
    /// bytes. A count that exceeds the remaining bytes is rejected, so a hostile count allocates
    /// nothing.
    ///
    /// # Errors
    /// [`DecodeError::Malformed`] if too few bytes remain for the count or the items.
    pub fn count(&mut self, smallest: usize) -> Result<usize, DecodeError> {
        let count = u32::from_be_bytes(self.array()?);
        let count = usize::try_from(count).map_err(|_| DecodeError::Malformed)?;
        let needed = count.checked_mul(smallest).ok_or(DecodeError::Malformed)?;
        if needed > self.rest.len() {
            return Err(DecodeError::Malformed);
        }
        Ok(count)
    }

    /// Checks that no bytes remain.
    ///
    /// # Errors
    /// [`DecodeError::TrailingBytes`] if bytes remain.
    pub const fn finish(&self) -> Result<(), DecodeError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(DecodeError::TrailingBytes)
        }
    }
}

/// Appends a number of items as four big-endian bytes.
///
/// # Panics
/// If there are 2^32 items or more, which no object of this crate holds in memory.
#[doc(hidden)]
pub fn write_count(count: usize, bytes: &mut Vec<u8>) {
    #[expect(clippy::expect_used, reason = "writing, not reading: no hostile input")]
    let count = u32::try_from(count).expect("wire: fewer than 2^32 items in one message");
    bytes.extend_from_slice(&count.to_be_bytes());
}

/// [`Wire::KIND`] of an element: its digest and, for RSA, the hint for its prime.
#[doc(hidden)]
pub const KIND_ELEMENT: u8 = 48;
/// [`Wire::KIND`] of an accumulator value.
#[doc(hidden)]
pub const KIND_VALUE: u8 = 49;
/// [`Wire::KIND`] of an accumulator value with its author's signature.
#[doc(hidden)]
pub const KIND_SNAPSHOT: u8 = 50;
/// [`Wire::KIND`] of a membership witness.
#[doc(hidden)]
pub const KIND_WITNESS: u8 = 51;
/// [`Wire::KIND`] of a non-membership witness.
#[doc(hidden)]
pub const KIND_NON_MEMBERSHIP_WITNESS: u8 = 52;
/// [`Wire::KIND`] of a subset witness.
#[doc(hidden)]
pub const KIND_SUBSET_WITNESS: u8 = 53;
/// [`Wire::KIND`] of a change: removed and added elements between two values.
#[doc(hidden)]
pub const KIND_CHANGE: u8 = 54;
/// [`Wire::KIND`] of the update data of a change, which witness updates need.
#[doc(hidden)]
pub const KIND_UPDATE_DATA: u8 = 55;
/// [`Wire::KIND`] of a scheme's public parameters.
#[doc(hidden)]
pub const KIND_PARAMETERS: u8 = 56;
/// [`Wire::KIND`] of a secret key.
#[doc(hidden)]
pub const KIND_SECRET_KEY: u8 = 57;
/// [`Wire::KIND`] of the published powers of an RSA accumulator's base.
#[doc(hidden)]
pub const KIND_POWERS: u8 = 58;
// Kind 59 is retired and must not be assigned again.
