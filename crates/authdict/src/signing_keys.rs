//! The signing keys of an author.

use core::fmt;

use pad_core::HeadSigner;
use zeroize::Zeroizing;

use crate::keys::SecretKey;

/// The signing keys of an author: the signer of heads, and the scheme's secret, if the scheme has
/// one.
pub(crate) struct SigningKeys {
    signer: HeadSigner,
    own: Zeroizing<Vec<u8>>,
}

impl fmt::Debug for SigningKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SigningKeys(..)")
    }
}

impl SigningKeys {
    pub(crate) fn of(key: &SecretKey) -> Self {
        Self {
            signer: HeadSigner::new(key.signer()),
            own: Zeroizing::new(key.scheme_secret().unwrap_or_default().to_vec()),
        }
    }

    /// Returns the signer, which signs heads with the author's key.
    pub(crate) const fn signer(&self) -> &HeadSigner {
        &self.signer
    }

    /// Returns the encoding of the scheme's secret; empty if the scheme has none.
    pub(crate) fn own(&self) -> &[u8] {
        &self.own
    }
}
