//! Encoding of the keys of RSA accumulators.

use std::{ops::ControlFlow, sync::Arc};

use pad_accumulators::{
    rsa::{KeySize, Parameters, RepresentativeRule, RsaPublicKey, RsaSecretKey},
    wire,
};
use pad_core::Workers;
use zeroize::Zeroizing;

use super::{KeyBytes, LABEL, PublicBytes, SecretBytes};
use crate::design::AuthorError;

impl KeyBytes for RsaPublicKey {
    const LENGTH: Option<usize> = None;

    fn from_slice(bytes: &[u8]) -> Option<Self> {
        let parameters = wire::decode::<Parameters>(&(), bytes, bytes.len()).ok()?;
        let parameters = Arc::new(parameters.into_unverified());
        Some(Self::new(parameters, LABEL))
    }
}

impl PublicBytes for RsaPublicKey {
    fn to_vec(&self) -> Vec<u8> {
        wire::encode(self.parameters())
    }
}

impl KeyBytes for RsaSecretKey {
    const LENGTH: Option<usize> = None;

    /// Decodes a secret key.
    ///
    /// Time: primality tests of the key's factors.
    fn from_slice(bytes: &[u8]) -> Option<Self> {
        Self::from_bytes(bytes, LABEL).ok()
    }
}

impl SecretBytes for RsaSecretKey {
    /// Generates a secret key of 3072 bits, whatever `entries` is, and returns its encoding.
    ///
    /// Time: minutes, with a large variance.
    fn generate_bytes(entries: usize) -> Result<Zeroizing<Vec<u8>>, AuthorError> {
        <Self as SecretBytes>::generate(entries).map(|secret| secret.to_bytes())
    }

    fn generate(_: usize) -> Result<Self, AuthorError> {
        let (size, rule) = (KeySize::Bits3072, RepresentativeRule::Wide);
        let workers = Workers::sequential();
        let mut go_on = |_| ControlFlow::Continue(());
        Self::generate(size, rule, LABEL, &workers, &mut go_on)
            .map_err(|_| AuthorError::NoRandomness)
    }
}
