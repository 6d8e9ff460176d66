//! The public half of the key that some schemes have beside the author's.

use core::fmt;

use zeroize::Zeroizing;

use super::file::is_lower_hexadecimal;
use crate::own_keys::SchemeKeyFormat;

/// The public half of a scheme's own key: what clients verify with beside the author's key.
#[derive(Clone, PartialEq, Eq)]
pub struct SchemeKey(Vec<u8>);

impl SchemeKey {
    /// The key in the encoding of its scheme, which has accepted it.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn of_secret(format: &dyn SchemeKeyFormat, secret: &[u8]) -> Option<Self> {
        format.public(secret).map(Self)
    }

    /// Reads lower-case hexadecimal digits.
    pub(super) fn parse(format: &dyn SchemeKeyFormat, digits: &str) -> Option<Self> {
        let bytes = decode(digits)?;
        format.is_public(&bytes).then(|| Self(bytes.to_vec()))
    }
}

impl fmt::Display for SchemeKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hex::encode(&self.0))
    }
}

impl fmt::Debug for SchemeKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SchemeKey({self})")
    }
}

/// Bytes of lower-case hexadecimal digits, of which no copies are left behind.
pub(super) fn decode(digits: &str) -> Option<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(vec![0; digits.len() / 2]);
    let decoded = hex::decode_to_slice(digits, &mut bytes);
    (is_lower_hexadecimal(digits) && decoded.is_ok()).then_some(bytes)
}
