//! What a value, a set and a change are made of: [`Scheme`].

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

/// What an accumulator turns an element into: a prime, or a scalar.
pub trait Element: Clone + Debug + Eq + Hash + Send + Sync + 'static {
    /// The digest that determines it.
    fn digest(&self) -> &ElementDigest;
}

/// A public key: parameters, and the label of one accumulator over them. Cheap to clone.
pub trait PublicKey: Clone + Debug + Send + Sync + 'static {
    /// The accumulator that this key is for.
    fn id(&self) -> AccumulatorId;

    /// The key of another accumulator over the same parameters. Elements, values and witnesses of
    /// the two are unrelated.
    #[must_use]
    fn with_label(&self, label: &[u8]) -> Self;

    /// The largest set that can be accumulated with this key, or `None` without a bound.
    fn capacity(&self) -> Option<usize>;

    /// Checks that a set of this size can be accumulated.
    ///
    /// # Errors
    /// [`AccumulateError::CapacityExceeded`].
    fn require_capacity(&self, elements: usize) -> Result<(), AccumulateError> {
        match self.capacity() {
            Some(capacity) if elements > capacity => {
                Err(AccumulateError::CapacityExceeded { capacity })
            }
            _ => Ok(()),
        }
    }
}

/// The kinds of things that an accumulator is made of, and how they look as bytes.
pub trait Scheme: Copy + Debug + Eq + Send + Sync + 'static {
    /// The number that names this scheme in ids and formats.
    const SCHEME: SchemeId;
    /// The name that names it to people, for example `rsa`.
    const NAME: &'static str;

    /// Parameters and label.
    type PublicKey: PublicKey;
    /// A prime or a scalar.
    type Element: Element + Wire<Context = Self::PublicKey>;
    /// The value of a set, in its one encoding.
    type Value: Clone + Debug + Eq + Send + Sync + Wire<Context = Self::PublicKey> + 'static;
    /// What the update of a witness needs beyond the elements and the two values. Public; see
    /// `docs/threat-model.md` for what it tells, and whom.
    type UpdateData: Clone + Debug + Eq + Send + Sync + Wire<Context = Self::PublicKey> + 'static;

    /// The prime or scalar of the element with this digest.
    ///
    /// # Errors
    /// [`AccumulateError::ElementNotAllowed`].
    fn element(
        key: &Self::PublicKey,
        digest: &ElementDigest,
    ) -> Result<Self::Element, AccumulateError>;

    /// The value of the set without elements.
    fn empty_value(key: &Self::PublicKey) -> Self::Value;
}
