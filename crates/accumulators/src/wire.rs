//! Encodings of values, witnesses, keys and changes: explicit layouts, read with the public key as
//! context.
//!
//! Unlike the messages of `pad_core::codec`, group elements can only be checked with knowledge of
//! the group. Every group element that [`decode`] returns is in range, in canonical form and in the
//! group. Later code does not check this again.
//!
//! Every object has exactly one encoding; `docs/format` lists the layouts.

#![deny(clippy::arithmetic_side_effects)]

use alloc::vec::Vec;

use pad_core::{DecodeError, Untrusted, codec};

/// An object with an explicit layout.
///
/// Law: `read` inverts `write` and consumes every byte. `read` rejects all bytes that `write` would
/// not have written.
pub trait Wire: Sized {
    /// Context that reading needs: usually the public key.
    type Context: ?Sized;
    /// Number of this type in envelopes.
    const KIND: u8;
    /// Number of the scheme in envelopes.
    const SCHEME: u16;

    /// Appends the layout.
    fn write(&self, bytes: &mut Vec<u8>);

    /// Reads the layout and validates its contents.
    ///
    /// # Errors
    /// [`DecodeError`] if the bytes are not a valid layout. Allocates at most a constant times the
    /// number of remaining bytes.
    fn read(context: &Self::Context, reader: &mut Reader<'_>) -> Result<Self, DecodeError>;
}

/// Encodes an object in its envelope.
pub fn encode<W: Wire>(object: &W) -> Vec<u8> {
    let mut bytes = codec::envelope(W::KIND, W::SCHEME);
    object.write(&mut bytes);
    bytes
}

/// Encodes the layout without an envelope, for contexts that already identify the type.
pub fn encode_body<W: Wire>(object: &W) -> Vec<u8> {
    let mut bytes = Vec::new();
    object.write(&mut bytes);
    bytes
}

/// Decodes an object from an envelope of at most `limit` bytes. The object is well-formed but
/// unverified.
///
/// # Errors
/// [`DecodeError`] if the bytes are too long, or not the envelope of a valid object.
pub fn decode<W: Wire>(
    context: &W::Context,
    bytes: &[u8],
    limit: usize,
) -> Result<Untrusted<W>, DecodeError> {
    decode_body(context, codec::open(bytes, W::KIND, W::SCHEME, limit)?).map(Untrusted::new)
}

/// Inverts [`encode_body`]. The caller must have bounded the length of `bytes`.
///
/// # Errors
/// [`DecodeError`] if the bytes are not a valid layout, or bytes remain after it.
pub fn decode_body<W: Wire>(context: &W::Context, bytes: &[u8]) -> Result<W, DecodeError> {
    let mut reader = Reader::new(bytes);
    let object = W::read(context, &mut reader)?;
    reader.finish()?;
    Ok(object)
}

/// A cursor that reads fields from the front of a layout.
#[derive(Debug)]
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
        let (taken, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or(DecodeError::Malformed)?;
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
        let (taken, rest) = self
            .rest
            .split_first_chunk()
            .ok_or(DecodeError::Malformed)?;
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

    /// Takes the number of items that follow, each of at least `smallest` bytes. A count that
    /// exceeds the remaining bytes is rejected, so a hostile count allocates nothing.
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
pub fn write_count(count: usize, bytes: &mut Vec<u8>) {
    #[expect(clippy::expect_used, reason = "writing, not reading: no hostile input")]
    let count = u32::try_from(count).expect("wire: fewer than 2^32 items in one message");
    bytes.extend_from_slice(&count.to_be_bytes());
}

/// Kind: an element's digest and hints.
pub const KIND_ELEMENT: u8 = 48;
/// Kind: an accumulator value.
pub const KIND_VALUE: u8 = 49;
/// Kind: a signed value.
pub const KIND_SNAPSHOT: u8 = 50;
/// Kind: a membership witness.
pub const KIND_WITNESS: u8 = 51;
/// Kind: a non-membership witness.
pub const KIND_NON_MEMBERSHIP_WITNESS: u8 = 52;
/// Kind: a subset witness.
pub const KIND_SUBSET_WITNESS: u8 = 53;
/// Kind: a change.
pub const KIND_CHANGE: u8 = 54;
/// Kind: a change's update data.
pub const KIND_UPDATE_DATA: u8 = 55;
/// Kind: public parameters.
pub const KIND_PARAMETERS: u8 = 56;
/// Kind: a secret key.
pub const KIND_SECRET_KEY: u8 = 57;
/// Kind: published powers of a base.
pub const KIND_POWERS: u8 = 58;
// Kind 59 is retired and must not be assigned again.
