//! Fields one after the other, from bytes that anybody may have written.

#![deny(clippy::arithmetic_side_effects)]

use pad_core::DecodeError;

/// What is not read yet.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next bytes.
    ///
    /// # Errors
    /// [`DecodeError::Malformed`] if there are fewer.
    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
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
    #[cfg(feature = "bls")]
    pub(super) fn array<const N: usize>(&mut self) -> Result<&'a [u8; N], DecodeError> {
        let (field, rest) = self.0.split_first_chunk().ok_or(DecodeError::Malformed)?;
        self.0 = rest;
        Ok(field)
    }

    /// Checks that nothing is left.
    ///
    /// # Errors
    /// [`DecodeError::TrailingBytes`].
    pub(super) const fn finish(self) -> Result<(), DecodeError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(DecodeError::TrailingBytes)
        }
    }
}
