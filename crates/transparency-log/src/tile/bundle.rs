//! Bundles of entries, each prefixed by its length in two bytes, big-endian.

/// Maximum length of an entry in bytes.
#[doc(hidden)]
pub const LONGEST_ENTRY: usize = 65_535;

/// Maximum length of an entry with its length prefix.
pub(super) const LONGEST_BUNDLED: usize = LONGEST_ENTRY + 2;

/// Error returned when a bundle of entries cannot be encoded or parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// The entry has more than [`LONGEST_ENTRY`] bytes; contains the length of the entry.
    #[error("an entry of {0} bytes is too long for a log")]
    EntryTooLong(usize),
    /// The bundle ends within an entry.
    #[error("a bundle of entries ends within an entry")]
    Cut,
    /// The bundle does not contain the expected number of entries, which is given here.
    #[error("a bundle does not have {0} entries")]
    WrongNumber(u16),
}

/// Encodes an entry for a bundle, with its length prefix.
///
/// # Errors
/// [`BundleError::EntryTooLong`] above [`LONGEST_ENTRY`].
#[doc(hidden)]
pub fn encode_entry(entry: &[u8]) -> Result<Vec<u8>, BundleError> {
    let too_long = BundleError::EntryTooLong(entry.len());
    let length = u16::try_from(entry.len()).map_err(|_| too_long)?;
    let mut encoded = length.to_be_bytes().to_vec();
    encoded.extend_from_slice(entry);
    Ok(encoded)
}

/// Parses a bundle of `number` entries.
///
/// # Errors
/// [`BundleError::Cut`] if the bundle ends within an entry, [`BundleError::WrongNumber`] if it has
/// another number of entries.
#[doc(hidden)]
pub fn parse_bundle(mut bundle: &[u8], number: u16) -> Result<Vec<&[u8]>, BundleError> {
    let mut entries = Vec::new();
    while !bundle.is_empty() {
        if entries.len() == usize::from(number) {
            return Err(BundleError::WrongNumber(number));
        }
        let (length, rest) = bundle.split_first_chunk().ok_or(BundleError::Cut)?;
        let length = usize::from(u16::from_be_bytes(*length));
        let (entry, rest) = rest.split_at_checked(length).ok_or(BundleError::Cut)?;
        entries.push(entry);
        bundle = rest;
    }
    if entries.len() != usize::from(number) {
        return Err(BundleError::WrongNumber(number));
    }
    Ok(entries)
}
