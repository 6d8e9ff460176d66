//! Encodings of the designs' keys, for key files. Clients need such a key in addition to the
//! author's key. Authors need a secret in addition to their signer.
//!
//! | key | bytes |
//! |---|---|
//! | `()` | none |
//! | `ChainSecret` | 32, random |
//! | `BlsPublicKey` | 96, the encoded point |
//! | `BlsSecretKey` | 32, the seed |
//! | a pair of the above | the first encoding, then the second |
//! | `RsaPublicKey` | the parameters, as a message of `pad-accumulators` |
//! | `RsaSecretKey` | the key as a message |
//! | `BilinearPublicKey` | the parameters, as a message |
//! | `BilinearSecretKey` | the key as a message (40), then the parameters as a message |

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

/// Label of accumulator keys that are not yet used for a dictionary and generation. For use, they
/// get labels that contain the dictionary and the generation ([`crate::accumulated::label`]).
#[cfg(feature = "accumulators")]
const LABEL: &[u8] = b"pad-tuple";

/// A key with a canonical encoding. The key `()` has no bytes.
pub trait KeyBytes: Sized + Send + Sync + 'static {
    /// The length of every encoding in bytes, or `None` if encodings differ in length.
    const LENGTH: Option<usize>;

    /// Decodes and checks a key. `None` if the bytes are not a key.
    fn from_slice(bytes: &[u8]) -> Option<Self>;
}

/// A public key with a canonical encoding.
pub trait PublicBytes: KeyBytes {
    /// Returns the canonical encoding of the key.
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
