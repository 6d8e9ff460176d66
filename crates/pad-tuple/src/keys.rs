//! Encodings of the designs' keys, for key files. Clients need a key in addition to the author's
//! key, authors need a secret in addition to their signer.
//!
//! | key | bytes |
//! |---|---|
//! | `()` | none |
//! | `ChainSecret` | 32, random |
//! | `BlsPublicKey` | its encoding, 96 |
//! | `BlsSecretKey` | its seed, 32 |
//! | a pair of the above | one after the other |
//! | `RsaPublicKey` | its parameters, as a message of `accumulators` |
//! | `RsaSecretKey` | its own message |
//! | `BilinearPublicKey` | its parameters, as a message |
//! | `BilinearSecretKey` | its own message (40), then its parameters' |

use alloc::vec::Vec;

#[cfg(feature = "bilinear")]
mod bilinear;
#[cfg(feature = "bls")]
mod bls;
#[cfg(feature = "rsa")]
mod rsa;
#[cfg(feature = "std")]
mod secret;

#[cfg(feature = "std")]
pub use secret::{DEFAULT_ENTRIES, SecretBytes};

/// Label of the accumulator keys themselves. A dictionary's accumulators have labels that name it
/// and the generation ([`crate::accumulated::label`]).
#[cfg(feature = "accumulators")]
const LABEL: &[u8] = b"pad-tuple";

/// A key with a canonical encoding. The key `()` has no bytes.
pub trait KeyBytes: Sized + Send + Sync + 'static {
    /// Length of the encoding in bytes, if it is fixed.
    const LENGTH: Option<usize>;

    /// Decodes and checks a key. `None` if the bytes are not a key.
    fn from_slice(bytes: &[u8]) -> Option<Self>;
}

/// A public key.
pub trait PublicBytes: KeyBytes {
    /// Encodes the key.
    fn to_vec(&self) -> Vec<u8>;
}

impl KeyBytes for () {
    const LENGTH: Option<usize> = Some(0);

    fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.is_empty().then_some(())
    }
}

impl PublicBytes for () {
    fn to_vec(&self) -> Vec<u8> {
        Vec::new()
    }
}
