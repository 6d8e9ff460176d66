//! Types that make up an accumulator scheme: [`Scheme`].

use core::{fmt::Debug, hash::Hash};

use pad_core::SchemeId;

use crate::{
    element::{AccumulatorId, ElementDigest},
    error::AccumulateError,
    wire::Wire,
};

/// The number of [`rsa`](crate::rsa) in ids and formats.
pub const RSA: SchemeId = SchemeId(0x0101);
/// The number of [`bilinear`](crate::bilinear) in ids and formats.
pub const BILINEAR: SchemeId = SchemeId(0x0102);

/// A set element as the scheme represents it: a prime or a scalar.
pub trait Element: Clone + Debug + Eq + Hash + Send + Sync + 'static {
    /// Digest that determines the element.
    fn digest(&self) -> &ElementDigest;
}

/// A public key: parameters, and the label of one accumulator over them. Cheap to clone.
pub trait PublicKey: Clone + Debug + Send + Sync + 'static {
    /// Id of the accumulator of this key.
    fn id(&self) -> AccumulatorId;

    /// Returns the key of another accumulator over the same parameters. Elements, values and
    /// witnesses of the two are unrelated.
    #[must_use]
    fn with_label(&self, label: &[u8]) -> Self;

    /// Maximum size of a set under this key, or `None` without a bound.
    fn capacity(&self) -> Option<usize>;

    /// Checks that a set of `elements` elements can be accumulated.
    ///
    /// # Errors
    /// [`AccumulateError::CapacityExceeded`] if the capacity is below `elements`.
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
    /// Number of this scheme in ids and formats.
    const SCHEME: SchemeId;
    /// Human-readable name, for example `rsa`.
    const NAME: &'static str;

    /// Parameters and label.
    type PublicKey: PublicKey;
    /// A prime or a scalar.
    type Element: Element + Wire<Context = Self::PublicKey>;
    /// The value of a set. Its encoding is unique.
    type Value: Clone + Debug + Eq + Send + Sync + Wire<Context = Self::PublicKey> + 'static;
    /// Data for witness updates in addition to the elements and the two values. It is public; see
    /// `docs/threat-model` for the information that it reveals.
    type UpdateData: Clone + Debug + Eq + Send + Sync + Wire<Context = Self::PublicKey> + 'static;

    /// Maps a digest to its prime or scalar.
    ///
    /// # Errors
    /// [`AccumulateError::ElementNotAllowed`] if the digest has no prime or scalar.
    fn element(
        key: &Self::PublicKey,
        digest: &ElementDigest,
    ) -> Result<Self::Element, AccumulateError>;

    /// Value of the empty set.
    fn empty_value(key: &Self::PublicKey) -> Self::Value;
}
