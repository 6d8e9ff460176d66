//! The keys of designs as bytes, for key files: what clients need beside the author's key, and what
//! authors need beside their signer.
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

/// The label under the keys of accumulators themselves. That of a dictionary's accumulators names it and
/// the generation ([`crate::accumulated::label`]).
#[cfg(feature = "accumulators")]
const LABEL: &[u8] = b"pad-tuple";

/// A key in its one encoding; nothing is a key of no bytes.
pub trait KeyBytes: Sized + Send + Sync + 'static {
    /// The number of bytes, if all have the same.
    const LENGTH: Option<usize>;

    /// The key with this encoding, fully checked; `None` if it is not one.
    fn from_slice(bytes: &[u8]) -> Option<Self>;
}

/// A key that everybody may know.
pub trait PublicBytes: KeyBytes {
    /// The encoding.
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
