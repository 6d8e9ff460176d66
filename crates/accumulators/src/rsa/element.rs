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

/// An element: its digest and its prime representative.
///
/// Elements of sets have the first prime of their search window. A received element may have
/// another prime of the window. It is then not equal to the element with the first prime. See
/// [`RsaWitness`](super::RsaWitness) for the consequences.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RsaElement {
    digest: ElementDigest,
    offset: u16,
    prime: Integer,
}

impl RsaElement {
    /// Searches for the prime representative of a digest.
    ///
    /// Cost: one prime search.
    ///
    /// # Errors
    /// [`AccumulateError::ElementNotAllowed`] if the search window contains no prime.
    pub(crate) fn search(
        key: &RsaPublicKey,
        digest: &ElementDigest,
    ) -> Result<Self, AccumulateError> {
        let mut found = Self::search_all(key, core::slice::from_ref(digest))?;
        found.pop().ok_or(AccumulateError::ElementNotAllowed)
    }

    /// Searches for the prime representatives of digests, in their order.
    ///
    /// Cost: a prime search for each digest. With vector instructions, several searches run at
    /// once.
    ///
    /// # Errors
    /// [`AccumulateError::ElementNotAllowed`] if a search window contains no prime.
    pub(crate) fn search_all(
        key: &RsaPublicKey,
        digests: &[ElementDigest],
    ) -> Result<Vec<Self>, AccumulateError> {
        let bytes: Vec<[u8; 32]> = digests.iter().map(|digest| *digest.as_bytes()).collect();
        let found = representative::search_all(key.parameters().rule(), &bytes);
        let pairs = digests.iter().zip(found);
        let elements = pairs.map(|(digest, found)| {
            let (prime, offset) = found.ok_or(AccumulateError::ElementNotAllowed)?;
            Ok(Self {
                digest: *digest,
                offset,
                prime,
            })
        });
        elements.collect()
    }

    /// Creates the element of a digest from the claimed offset of its prime in the search window.
    ///
    /// Cost: one primality test.
    ///
    /// # Errors
    /// [`RepresentativeError`] if the number at the offset is not a prime, or has more bits than
    /// the key's rule allows.
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

    /// Like [`RsaElement::at_offset`], but hashes the bytes of a queried element first.
    ///
    /// # Errors
    /// [`VerifyError::OffsetOutsideWindow`] if the number at the offset has more bits than the rule
    /// allows; [`VerifyError::NotAPrimeRepresentative`] if it is even or composite.
    pub(crate) fn verified(
        key: &RsaPublicKey,
        element: &[u8],
        offset: u16,
    ) -> Result<Self, VerifyError> {
        let digest = key.id().digest_of(element);
        Self::at_offset(key, &digest, offset).map_err(VerifyError::from)
    }

    /// Creates the elements of a query, in the order of the query, from the claimed offsets of
    /// their primes.
    ///
    /// # Errors
    /// The errors of [`RsaElement::verified`].
    pub(crate) fn all_verified<'a>(
        key: &RsaPublicKey,
        elements: impl IntoIterator<Item = &'a [u8]>,
        offsets: impl IntoIterator<Item = u16>,
    ) -> Result<Vec<Self>, VerifyError> {
        let id = key.id();
        let pairs = elements.into_iter().zip(offsets);
        let pairs: Vec<([u8; 32], u16)> = pairs
            .map(|(element, offset)| (*id.digest_of(element).as_bytes(), offset))
            .collect();
        let primes = representative::all_at_offsets(key.parameters().rule(), &pairs)
            .map_err(VerifyError::from)?;
        let elements = pairs.into_iter().zip(primes);
        Ok(elements
            .map(|((digest, offset), prime)| Self {
                digest: ElementDigest::from_bytes(digest),
                offset,
                prime,
            })
            .collect())
    }

    /// The prime that represents the element in the exponent of the accumulator.
    #[doc(hidden)]
    pub const fn prime(&self) -> &Integer {
        &self.prime
    }

    /// Offset of the prime in the search window: a hint that spares a verifier the search.
    #[doc(hidden)]
    pub const fn offset(&self) -> u16 {
        self.offset
    }
}

impl From<RepresentativeError> for VerifyError {
    fn from(error: RepresentativeError) -> Self {
        match error {
            RepresentativeError::OffsetOutsideWindow => Self::OffsetOutsideWindow,
            RepresentativeError::NotAPrimeRepresentative => Self::NotAPrimeRepresentative,
        }
    }
}

impl Element for RsaElement {
    fn digest(&self) -> &ElementDigest {
        &self.digest
    }
}

/// Layout: digest (32 bytes), offset (2).
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
