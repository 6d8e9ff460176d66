//! The keys that schemes have beside the author's, as key files have them.

use core::marker::PhantomData;

use pad_core::Sha256Ed25519;
use pad_tuple::{AuthorError, Design, KeyBytes, PublicBytes, SecretBytes};
use zeroize::Zeroizing;

/// How the own key of a scheme is made and checked. In key files it is bytes.
///
/// Laws: `public` accepts what `generate` returns, and `is_public` what `public` returns. One key
/// has one encoding. Where clients need no public half, it is empty.
pub trait SchemeKeyFormat: Sync {
    /// A new random secret.
    ///
    /// # Errors
    /// [`NoRandomness`].
    fn generate(&self) -> Result<Zeroizing<Vec<u8>>, NoRandomness>;

    /// Whether clients verify with a public half; without one, only the author's file has a line.
    fn has_public(&self) -> bool {
        true
    }

    /// The public half, or `None` if this is no secret.
    fn public(&self, secret: &[u8]) -> Option<Vec<u8>>;

    /// Whether these bytes are a public half that is safe to verify with.
    fn is_public(&self, bytes: &[u8]) -> bool;
}

/// The operating system has no random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system has no random numbers")]
pub struct NoRandomness;

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
    fn generate(&self) -> Result<Zeroizing<Vec<u8>>, NoRandomness> {
        D::Secret::generate_bytes().map_err(|error: AuthorError| {
            debug_assert!(matches!(error, AuthorError::NoRandomness));
            NoRandomness
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
