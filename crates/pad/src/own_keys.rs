//! The keys that schemes have beside the author's, as key files have them.

use core::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use pad_core::Sha256Ed25519;
use pad_tuple::{AuthorError, Design, KeyBytes, PublicBytes, SecretBytes};
use zeroize::Zeroizing;

mod scheme_key;
#[cfg(feature = "aad")]
mod setup_format;

pub use scheme_key::SchemeKey;
#[cfg(feature = "aad")]
pub(crate) use setup_format::SetupFormat;

/// How the own key of a scheme is made and checked. In key files it is bytes.
///
/// Laws: `public_of` accepts what `generate` returns, and `public` the bytes of what `public_of`
/// returns. One key has one encoding. Where clients need no public half, it is empty.
pub trait SchemeKeyFormat: Sync {
    /// A new random secret, for a dictionary of up to so many entries.
    ///
    /// # Errors
    /// [`NoRandomness`].
    fn generate(&self, entries: usize) -> Result<Zeroizing<Vec<u8>>, NoRandomness>;

    /// Whether keys are made from public parameters. There is then no secret: in place of one stands what clients know, in both
    /// files under the same name, and `generate` returns nothing.
    fn is_of_parameters(&self) -> bool {
        false
    }

    /// Whether keys are for dictionaries of up to a number of entries.
    fn is_bounded(&self) -> bool {
        false
    }

    /// Whether clients verify with a public half; without one, only the author's file has a line.
    fn has_public(&self) -> bool {
        true
    }

    /// The public half, or `None` if this is no secret.
    fn public_of(&self, secret: &[u8]) -> Option<SchemeKey>;

    /// The public half with this encoding, or `None` if it is not one that is safe to verify with.
    fn public(&self, bytes: &[u8]) -> Option<SchemeKey>;
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
    fn generate(&self, entries: usize) -> Result<Zeroizing<Vec<u8>>, NoRandomness> {
        D::Secret::generate_bytes(entries).map_err(|error: AuthorError| {
            debug_assert!(matches!(error, AuthorError::NoRandomness));
            NoRandomness
        })
    }

    fn is_bounded(&self) -> bool {
        D::Secret::IS_BOUNDED
    }

    fn has_public(&self) -> bool {
        D::Key::LENGTH != Some(0)
    }

    fn public_of(&self, secret: &[u8]) -> Option<SchemeKey> {
        let key = D::key(&D::Secret::from_slice(secret)?);
        Some(SchemeKey::new(key.to_vec(), key))
    }

    fn public(&self, bytes: &[u8]) -> Option<SchemeKey> {
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*last
            && known.as_bytes() == bytes
            && known.get::<D::Key>().is_some()
        {
            return Some(known.clone());
        }
        let checked = SchemeKey::new(bytes.to_vec(), D::Key::from_slice(bytes)?);
        *last = Some(checked.clone());
        Some(checked)
    }
}

/// The public half that was checked last. A program meets the same one in a key file, in a store and in a view,
/// and checking one of accumulators takes from tenths of a second to many.
static LAST: Mutex<Option<SchemeKey>> = Mutex::new(None);
