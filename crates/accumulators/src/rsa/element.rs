//! Elements of the RSA accumulator: digests and their prime representatives.

#![deny(clippy::arithmetic_side_effects)]

use pad_core::{DecodeError, VerifyError};
use rug::Integer;

use super::{
    parameters::{RsaPublicKey, SCHEME},
    representative::{self, RepresentativeError},
};
use crate::{
    element::ElementDigest,
    error::AccumulateError,
    scheme::{Element, PublicKey},
    wire::{self, Reader, Wire},
};

/// An element: its digest, and the prime that stands for it.
///
/// Elements made from sets have the one prime that the rule finds first. One that was received
/// may have another prime of the same search window, and is then not equal to the first: see
/// [`RsaWitness`](super::RsaWitness) for what that proves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RsaElement {
    digest: ElementDigest,
    offset: u16,
    prime: Integer,
}

impl RsaElement {
    /// The element with this digest.
    ///
    /// Cost: one prime search.
    ///
    /// # Errors
    /// [`AccumulateError::ElementNotAllowed`] if the search window holds no prime.
    pub(crate) fn search(
        key: &RsaPublicKey,
        digest: &ElementDigest,
    ) -> Result<Self, AccumulateError> {
        let found = representative::search(key.parameters().rule(), digest.as_bytes());
        let (prime, offset) = found.ok_or(AccumulateError::ElementNotAllowed)?;
        Ok(Self {
            digest: *digest,
            offset,
            prime,
        })
    }

    /// The element with this digest whose prime is said to be at this offset.
    ///
    /// Cost: one primality test.
    ///
    /// # Errors
    /// [`RepresentativeError`].
    pub(crate) fn at_offset(
        key: &RsaPublicKey,
        digest: &ElementDigest,
        offset: u16,
    ) -> Result<Self, RepresentativeError> {
        let rule = key.parameters().rule();
        let prime = representative::at_offset(rule, digest.as_bytes(), offset)?;
        Ok(Self {
            digest: *digest,
            offset,
            prime,
        })
    }

    /// As [`RsaElement::at_offset`], for the bytes of an element that a witness is verified for.
    ///
    /// # Errors
    /// [`VerifyError::OffsetOutsideWindow`], [`VerifyError::NotAPrimeRepresentative`].
    pub(crate) fn verified(
        key: &RsaPublicKey,
        element: &[u8],
        offset: u16,
    ) -> Result<Self, VerifyError> {
        let digest = key.id().digest_of(element);
        Self::at_offset(key, &digest, offset).map_err(|error| match error {
            RepresentativeError::OffsetOutsideWindow => VerifyError::OffsetOutsideWindow,
            RepresentativeError::NotAPrimeRepresentative => VerifyError::NotAPrimeRepresentative,
        })
    }

    /// The elements of a query, in its order, whose primes are said to be at these offsets.
    ///
    /// # Errors
    /// As for [`RsaElement::verified`].
    pub(crate) fn all_verified<'a>(
        key: &RsaPublicKey,
        elements: impl IntoIterator<Item = &'a [u8]>,
        offsets: impl IntoIterator<Item = u16>,
    ) -> Result<Vec<Self>, VerifyError> {
        let pairs = elements.into_iter().zip(offsets);
        pairs
            .map(|(element, offset)| Self::verified(key, element, offset))
            .collect()
    }

    /// The prime representative.
    pub const fn prime(&self) -> &Integer {
        &self.prime
    }

    /// Where in the search window the prime is: the hint that spares a verifier the search.
    pub const fn offset(&self) -> u16 {
        self.offset
    }
}

impl Element for RsaElement {
    fn digest(&self) -> &ElementDigest {
        &self.digest
    }
}

/// Digest (32 bytes), offset (2).
impl Wire for RsaElement {
    type Context = RsaPublicKey;
    const KIND: u8 = wire::KIND_ELEMENT;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(self.digest.as_bytes());
        bytes.extend_from_slice(&self.offset.to_be_bytes());
    }

    fn read(key: &RsaPublicKey, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let digest = ElementDigest::from_bytes(reader.array()?);
        Self::at_offset(key, &digest, reader.u16()?).map_err(|error| match error {
            RepresentativeError::OffsetOutsideWindow => DecodeError::OffsetOutsideWindow,
            RepresentativeError::NotAPrimeRepresentative => DecodeError::NotAPrimeRepresentative,
        })
    }
}
