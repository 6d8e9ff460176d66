//! Fields one after the other, from bytes that anybody may have written.

use crate::error::DecodeError;

/// What is not read yet of fixed fields that stand one after the other.
///
/// For encodings that are not serde's: keys, points, proofs with a layout of their own.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    /// The fields of these bytes.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next bytes.
    ///
    /// # Errors
    /// [`DecodeError::Malformed`] if there are fewer.
    pub fn take(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let (field, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(DecodeError::Malformed)?;
        self.0 = rest;
        Ok(field)
    }

    /// The next `N` bytes.
    ///
    /// # Errors
    /// [`DecodeError::Malformed`] if there are fewer.
    pub fn array<const N: usize>(&mut self) -> Result<&'a [u8; N], DecodeError> {
        let (field, rest) = self.0.split_first_chunk().ok_or(DecodeError::Malformed)?;
        self.0 = rest;
        Ok(field)
    }

    /// Checks that nothing is left.
    ///
    /// # Errors
    /// [`DecodeError::TrailingBytes`].
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
