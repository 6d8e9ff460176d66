//! The types that make up an accumulator scheme, as the trait [`Scheme`], and the numbers of both
//! schemes.

use alloc::vec::Vec;
use core::{fmt::Debug, hash::Hash};

use pad_core::SchemeId;

use crate::{
    element::{AccumulatorId, ElementDigest},
    error::AccumulateError,
    wire::Wire,
};

/// The number that identifies the [`rsa`](crate::rsa) accumulator in ids, signed bytes and encoded
/// messages.
pub const RSA: SchemeId = SchemeId(0x0101);
/// The number that identifies the [`bilinear`](crate::bilinear) accumulator in ids, signed bytes
/// and encoded messages.
pub const BILINEAR: SchemeId = SchemeId(0x0102);

/// A set element as the scheme represents it: a prime or a scalar.
pub trait Element: Clone + Debug + Eq + Hash + Send + Sync + 'static {
    /// Digest of the element's bytes, which identifies the element.
    fn digest(&self) -> &ElementDigest;
}

/// A public key: parameters, and the label of one accumulator over them. Cheap to clone.
pub trait PublicKey: Clone + Debug + Send + Sync + 'static {
    /// Returns the id of the accumulator that this key belongs to.
    fn id(&self) -> AccumulatorId;

    /// Returns the key of another accumulator over the same parameters. Elements and witnesses of
    /// one accumulator are not valid for the other.
    #[must_use]
    fn with_label(&self, label: &[u8]) -> Self;

    /// Maximum number of elements in a set under this key, or `None` if sets may have any size.
    fn capacity(&self) -> Option<usize>;

    /// Checks that a set of `elements` elements can be accumulated.
    ///
    /// # Errors
    /// [`AccumulateError::CapacityExceeded`] if the capacity of the key is below `elements`.
    #[doc(hidden)]
    fn require_capacity(&self, elements: usize) -> Result<(), AccumulateError> {
        match self.capacity() {
            Some(capacity) if elements > capacity => {
                Err(AccumulateError::CapacityExceeded { capacity })
            }
            _ => Ok(()),
        }
    }
}

/// The types of an accumulator scheme and their encodings.
pub trait Scheme: Copy + Debug + Eq + Send + Sync + 'static {
    /// The number that identifies this scheme in ids, signed bytes and encoded messages.
    const SCHEME: SchemeId;
    /// Human-readable name of the scheme, for example `rsa`.
    const NAME: &'static str;

    /// The public key: parameters, and the label of one accumulator.
    type PublicKey: PublicKey;
    /// An element of a set as the scheme represents it: by a prime or a scalar.
    type Element: Element + Wire<Context = Self::PublicKey>;
    /// The accumulator value, which commits to a set. Each value has exactly one encoding.
    type Value: Clone + Debug + Eq + Send + Sync + Wire<Context = Self::PublicKey> + 'static;
    /// Data of one change that witness updates need, in addition to its elements and its two
    /// values. The data are public; see `docs/threat-model` for the information that they reveal.
    type UpdateData: Clone + Debug + Eq + Send + Sync + Wire<Context = Self::PublicKey> + 'static;

    /// Maps the digest of an element to the prime or scalar that represents the element.
    ///
    /// # Errors
    /// [`AccumulateError::ElementNotAllowed`] if the digest has no prime or scalar.
    fn element(
        key: &Self::PublicKey,
        digest: &ElementDigest,
    ) -> Result<Self::Element, AccumulateError>;

    /// Like [`Self::element`], but maps many digests, in their order, with less work for each.
    ///
    /// # Errors
    /// The error of the first digest without an element.
    fn elements(
        key: &Self::PublicKey,
        digests: &[ElementDigest],
    ) -> Result<Vec<Self::Element>, AccumulateError> {
        let elements = digests.iter().map(|digest| Self::element(key, digest));
        elements.collect()
    }

    /// Value of the empty set.
    fn empty_value(key: &Self::PublicKey) -> Self::Value;
}
