//! The own keys of tuple designs as key files have them: a fixed number of bytes.

use core::marker::PhantomData;

use pad_core::Sha256Ed25519;
use pad_tuple::{
    Design,
    bls::{BlsPublicKey, BlsSecretKey, PUBLIC_KEY_LENGTH},
    chain::ChainSecret,
};
use zeroize::Zeroizing;

use crate::keys::{KeyFileError, SchemeKeyFormat};

/// A key of a fixed number of bytes; nothing is a key of no bytes.
pub(crate) trait KeyBytes: Sized {
    /// How many.
    const LENGTH: usize;

    /// The key with this encoding, if it is one.
    fn from_slice(bytes: &[u8]) -> Option<Self>;
}

/// A key that everybody may know.
pub(crate) trait PublicBytes: KeyBytes {
    /// The encoding.
    fn to_vec(&self) -> Vec<u8>;
}

impl KeyBytes for () {
    const LENGTH: usize = 0;

    fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.is_empty().then_some(())
    }
}

impl PublicBytes for () {
    fn to_vec(&self) -> Vec<u8> {
        Vec::new()
    }
}

/// 32 random bytes, independent of the key that signs heads: that one may be in a device which does
/// not let it out, and a chain's links tell nothing about it.
impl KeyBytes for ChainSecret {
    const LENGTH: usize = 32;

    fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self::from_bytes)
    }
}

/// The seed of the key.
impl KeyBytes for BlsSecretKey {
    const LENGTH: usize = 32;

    fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self::from_seed)
    }
}

impl KeyBytes for BlsPublicKey {
    const LENGTH: usize = PUBLIC_KEY_LENGTH;

    fn from_slice(bytes: &[u8]) -> Option<Self> {
        Self::from_bytes(bytes.try_into().ok()?).ok()
    }
}

impl PublicBytes for BlsPublicKey {
    fn to_vec(&self) -> Vec<u8> {
        self.to_bytes().to_vec()
    }
}

/// One after the other.
impl<A: KeyBytes, B: KeyBytes> KeyBytes for (A, B) {
    const LENGTH: usize = A::LENGTH + B::LENGTH;

    fn from_slice(bytes: &[u8]) -> Option<Self> {
        let (first, second) = bytes.split_at_checked(A::LENGTH)?;
        Some((A::from_slice(first)?, B::from_slice(second)?))
    }
}

/// The own keys of design `D`.
pub(crate) struct OwnKeys<D>(PhantomData<D>);

impl<D> OwnKeys<D>
where
    D: Design<Sha256Ed25519, Secret: KeyBytes, Key: PublicBytes>,
{
    const THIS: &'static dyn SchemeKeyFormat = &Self(PhantomData);

    /// How they look; `None` where everything is signed with the author's key.
    pub(crate) const FORMAT: Option<&'static dyn SchemeKeyFormat> = match D::Secret::LENGTH {
        0 => None,
        _ => Some(Self::THIS),
    };
}

impl<D> SchemeKeyFormat for OwnKeys<D>
where
    D: Design<Sha256Ed25519, Secret: KeyBytes, Key: PublicBytes>,
{
    fn generate(&self) -> Result<Zeroizing<Vec<u8>>, KeyFileError> {
        let mut secret = Zeroizing::new(vec![0; D::Secret::LENGTH]);
        getrandom::fill(&mut secret).map_err(|_| KeyFileError::NoRandomness)?;
        Ok(secret)
    }

    fn has_public(&self) -> bool {
        D::Key::LENGTH > 0
    }

    fn public(&self, secret: &[u8]) -> Option<Vec<u8>> {
        D::Secret::from_slice(secret).map(|secret| D::key(&secret).to_vec())
    }

    fn is_public(&self, bytes: &[u8]) -> bool {
        D::Key::from_slice(bytes).is_some()
    }
}
