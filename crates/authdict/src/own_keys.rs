//! Keys that some schemes have in addition to the author's key, in the encoding of key files.

use core::{any::Any, fmt, marker::PhantomData};
use std::sync::{Arc, Mutex, PoisonError};

use pad_core::Sha256Ed25519;
use pad_tuple::{
    AuthorError, SecretBytes,
    internals::{Design, KeyBytes, PublicBytes},
};
use zeroize::Zeroizing;

/// Format of a scheme's own key: how it is generated, encoded and checked.
///
/// Laws:
///
/// 1. `public_of` accepts each result of `generate`, unless keys are made from public parameters.
/// 2. `public` accepts the encoding of every result of `public_of`.
/// 3. One key has one encoding.
/// 4. If clients need no public half, the public half is empty.
pub trait SchemeKeyFormat: Sync {
    /// Generates a random secret, for a dictionary of up to `entries` entries.
    ///
    /// # Errors
    /// `NoRandomness`.
    fn generate(&self, entries: usize) -> Result<Zeroizing<Vec<u8>>, NoRandomness>;

    /// Returns whether keys are made from public parameters, without a secret. If so, both key
    /// files contain the public encoding, in lines of the same name, and `generate` returns an
    /// empty encoding.
    fn is_of_parameters(&self) -> bool {
        false
    }

    /// Returns whether a key of this scheme limits the number of entries in its dictionary.
    fn is_bounded(&self) -> bool {
        false
    }

    /// Returns whether clients need the public half of the scheme's key to verify. If not, only the
    /// secret key file contains a line for the scheme's key.
    fn has_public(&self) -> bool {
        true
    }

    /// Computes the public half of a secret; returns `None` if `secret` is not a secret of this
    /// scheme.
    fn public_of(&self, secret: &[u8]) -> Option<SchemeKey>;

    /// Decodes the public half of a key; returns `None` if it is malformed or unsafe to verify
    /// with.
    fn public(&self, bytes: &[u8]) -> Option<SchemeKey>;
}

/// Error returned when the operating system supplies no random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the operating system returns no random numbers")]
pub struct NoRandomness;

/// The format of the scheme keys of tuple design `D`, independent of the suite.
pub(crate) struct OwnKeys<D>(PhantomData<D>);

impl<D> OwnKeys<D>
where
    D: Design<Sha256Ed25519, Secret: SecretBytes, Key: PublicBytes>,
{
    const THIS: &'static dyn SchemeKeyFormat = &Self(PhantomData);

    /// The format of the keys of design `D`; `None` if the design has no keys, because the author's
    /// key signs everything.
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

/// Cache of the public half that was checked last. A program often reads the same key from a key
/// file, a store and a view. A check of an accumulator key takes from tenths of a second to many
/// seconds.
static LAST: Mutex<Option<SchemeKey>> = Mutex::new(None);

/// The public half of a scheme's own key pair. Clients verify with this key and the author's key.
///
/// A value is created only after its scheme has checked the key, which may take long. Clones share
/// the checked key.
#[derive(Clone)]
pub struct SchemeKey {
    bytes: Vec<u8>,
    key: Arc<dyn Any + Send + Sync>,
}

impl SchemeKey {
    /// Wraps a public key that its scheme has checked and accepted: `bytes` is its encoding, `key`
    /// its decoded form.
    pub fn new(bytes: Vec<u8>, key: impl Any + Send + Sync) -> Self {
        let key = Arc::new(key);
        Self { bytes, key }
    }

    /// Returns the encoding of the key.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the decoded key; `None` if its type is not `K`.
    pub fn get<K: 'static>(&self) -> Option<&K> {
        self.key.downcast_ref()
    }
}

/// Compares encodings, because each key has exactly one encoding.
impl PartialEq for SchemeKey {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for SchemeKey {}

impl fmt::Display for SchemeKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hex::encode(&self.bytes))
    }
}

impl fmt::Debug for SchemeKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SchemeKey({self})")
    }
}

/// The format of a log's scheme key ([`Setup::to_bytes`](pad_log::Setup::to_bytes)).
#[cfg(feature = "log")]
pub(crate) struct SetupFormat;

#[cfg(feature = "log")]
impl SchemeKeyFormat for SetupFormat {
    fn generate(&self, _: usize) -> Result<Zeroizing<Vec<u8>>, NoRandomness> {
        Ok(Zeroizing::default())
    }

    fn is_of_parameters(&self) -> bool {
        true
    }

    fn public_of(&self, secret: &[u8]) -> Option<SchemeKey> {
        self.public(secret)
    }

    fn public(&self, bytes: &[u8]) -> Option<SchemeKey> {
        let setup = pad_log::Setup::from_bytes(bytes).ok()?;
        Some(SchemeKey::new(bytes.to_vec(), setup))
    }
}
