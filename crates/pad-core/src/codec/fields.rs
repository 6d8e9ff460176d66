//! A cursor over consecutive fixed fields in untrusted bytes.

use crate::error::DecodeError;

/// A cursor over consecutive fields of fixed length. Contains the bytes that are not read yet.
///
/// Used for encodings without serde: keys, points, and proofs with an explicit layout.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    /// Creates a cursor at the start of `bytes`.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Takes the next `length` bytes.
    ///
    /// # Errors
    /// [`DecodeError::Malformed`] if fewer than `length` bytes are left.
    pub fn take(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let (field, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(DecodeError::Malformed)?;
        self.0 = rest;
        Ok(field)
    }

    /// Takes the next `N` bytes.
    ///
    /// # Errors
    /// [`DecodeError::Malformed`] if fewer than `N` bytes are left.
    pub fn array<const N: usize>(&mut self) -> Result<&'a [u8; N], DecodeError> {
        let (field, rest) = self.0.split_first_chunk().ok_or(DecodeError::Malformed)?;
        self.0 = rest;
        Ok(field)
    }

    /// Checks that no bytes are left.
    ///
    /// # Errors
    /// [`DecodeError::TrailingBytes`] if bytes are left.
    pub const fn finish(self) -> Result<(), DecodeError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(DecodeError::TrailingBytes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_end_where_the_bytes_end() {
        let mut fields = Fields::new(&[1, 2, 3, 4]);
        assert_eq!(fields.array(), Ok(&[1]));
        assert_eq!(fields.take(2), Ok(&[2, 3][..]));
        assert_eq!(fields.finish(), Err(DecodeError::TrailingBytes));
        assert_eq!(fields.array::<2>(), Err(DecodeError::Malformed));
        assert_eq!(fields.take(2), Err(DecodeError::Malformed));
        assert_eq!(fields.take(1), Ok(&[4][..]));
        assert_eq!(fields.finish(), Ok(()));
    }
}
