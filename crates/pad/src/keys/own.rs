//! The own keys of tuple designs as key files have them.

use core::marker::PhantomData;

use pad_core::Sha256Ed25519;
use pad_tuple::{AuthorError, Design, KeyBytes, PublicBytes, SecretBytes};
use zeroize::Zeroizing;

use super::{KeyFileError, SchemeKeyFormat};

/// The own keys of design `D`, which are the same under every suite.
pub(crate) struct OwnKeys<D>(PhantomData<D>);

impl<D> OwnKeys<D>
where
    D: Design<Sha256Ed25519, Secret: SecretBytes, Key: PublicBytes>,
{
    const THIS: &'static dyn SchemeKeyFormat = &Self(PhantomData);

    /// How they look; `None` where everything is signed with the author's key.
    pub(crate) const FORMAT: Option<&'static dyn SchemeKeyFormat> = match D::Secret::LENGTH {
        Some(0) => None,
        _ => Some(Self::THIS),
    };
}

impl<D> SchemeKeyFormat for OwnKeys<D>
where
    D: Design<Sha256Ed25519, Secret: SecretBytes, Key: PublicBytes>,
{
    fn generate(&self) -> Result<Zeroizing<Vec<u8>>, KeyFileError> {
        D::Secret::generate_bytes().map_err(|error: AuthorError| {
            debug_assert!(matches!(error, AuthorError::NoRandomness));
            KeyFileError::NoRandomness
        })
    }

    fn has_public(&self) -> bool {
        D::Key::LENGTH != Some(0)
    }

    fn public(&self, secret: &[u8]) -> Option<Vec<u8>> {
        D::Secret::from_slice(secret).map(|secret| D::key(&secret).to_vec())
    }

    fn is_public(&self, bytes: &[u8]) -> bool {
        D::Key::from_slice(bytes).is_some()
    }
}
