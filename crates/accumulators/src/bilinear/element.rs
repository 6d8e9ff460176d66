//! Elements as scalars of BLS12-381.

use alloc::vec::Vec;

use ark_bls12_381::Fr;
use ark_ff::{AdditiveGroup, BigInt, MontFp, PrimeField, Zero};
use pad_core::{DecodeError, VerifyError};

use super::{parameters::SCHEME, public_key::BilinearPublicKey};
use crate::{
    element::ElementDigest,
    scheme::{Element, PublicKey},
    wire::{self, Reader, Wire},
};

/// The digest of an element, and its scalar. The scalar is derived from 64 hashed bytes, read as a
/// big-endian number modulo the group order `r`.
///
/// The bias is below `r / 2^512 < 2^-257`. Zero is refused. Elements are not compared with the
/// negative of the secret `s`, which would cost the holder of a public key a multiplication each. A
/// set that contains this negative has the identity as its value, which is never returned nor
/// accepted. Scalars are hashes, so this happens with probability `2^-255`, and such an element
/// reveals `s`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BilinearElement {
    digest: ElementDigest,
    scalar: Fr,
}

impl BilinearElement {
    /// Creates the element of a digest, or returns `None` if its scalar is zero.
    ///
    /// Cost: two hashes of 33 bytes and one reduction.
    pub(crate) fn new(digest: ElementDigest) -> Option<Self> {
        Self::with_scalar(digest, reduce(&digest.expand::<64>()))
    }

    /// Creates an element from a digest and its scalar, or returns `None` if the scalar is zero.
    pub(crate) fn with_scalar(digest: ElementDigest, scalar: Fr) -> Option<Self> {
        (!scalar.is_zero()).then_some(Self { digest, scalar })
    }

    /// Hashes the element of a client's query.
    ///
    /// # Errors
    /// [`VerifyError::ElementNotAllowed`] if the element's scalar is zero.
    pub(crate) fn queried(key: &BilinearPublicKey, element: &[u8]) -> Result<Self, VerifyError> {
        Self::new(key.id().digest_of(element)).ok_or(VerifyError::ElementNotAllowed)
    }

    /// Hashes the elements of a client's query, in the order of the query.
    ///
    /// # Errors
    /// [`VerifyError::ElementNotAllowed`] if the scalar of an element is zero.
    pub(crate) fn all_queried(
        key: &BilinearPublicKey,
        query: &[Vec<u8>],
    ) -> Result<Vec<Self>, VerifyError> {
        let elements = query.iter().map(|element| Self::queried(key, element));
        elements.collect()
    }

    /// The scalar that represents this element in the accumulator's polynomial.
    #[doc(hidden)]
    pub const fn scalar(&self) -> Fr {
        self.scalar
    }
}

/// Returns the scalars of elements, in their order.
pub(super) fn scalars<'a>(elements: impl IntoIterator<Item = &'a BilinearElement>) -> Vec<Fr> {
    let elements = elements.into_iter();
    elements.map(BilinearElement::scalar).collect()
}

/// Reduces a big-endian number modulo the group order.
///
/// The number is split into three parts, each below the order. The reduction of `ark_ff` would
/// multiply once for each byte.
fn reduce(bytes: &[u8; 64]) -> Fr {
    /// `2^192`, the weight of one part relative to the next.
    const SHIFT: Fr = MontFp!("6277101735386680763835789423207666416102355444464034512896");
    let parts = bytes.rchunks(24).rev();
    parts.fold(Fr::ZERO, |number, part| number * SHIFT + below_order(part))
}

/// Reads a big-endian number of 8, 16 or 24 bytes, which is below the group order.
fn below_order(bytes: &[u8]) -> Fr {
    let mut limbs = [0; 4];
    for (limb, word) in limbs.iter_mut().zip(bytes.rchunks(8)) {
        *limb = u64::from_be_bytes(word.first_chunk().copied().unwrap_or_default());
    }
    // Below 2^192, so below the order.
    Fr::from_bigint(BigInt::new(limbs)).unwrap_or_default()
}

impl Element for BilinearElement {
    fn digest(&self) -> &ElementDigest {
        &self.digest
    }
}

/// Layout: the digest (32 bytes), which determines the scalar.
impl Wire for BilinearElement {
    type Context = BilinearPublicKey;
    const KIND: u8 = wire::KIND_ELEMENT;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(self.digest.as_bytes());
    }

    fn read(_: &BilinearPublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let digest = ElementDigest::from_bytes(reader.array()?);
        Self::new(digest).ok_or(DecodeError::ScalarOutOfRange)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_refused_and_the_scalar_is_the_expanded_digest() {
        let digest = ElementDigest::from_bytes([7; 32]);
        assert_eq!(BilinearElement::with_scalar(digest, Fr::zero()), None);
        let element = BilinearElement::new(digest).unwrap();
        let expected = Fr::from_be_bytes_mod_order(&digest.expand::<64>());
        assert_eq!(element.scalar(), expected);
        let largest = Fr::from_be_bytes_mod_order(&[0xff; 64]);
        assert_eq!(reduce(&[0xff; 64]), largest);
    }
}
