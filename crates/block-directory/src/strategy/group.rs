//! The common part of strategies 3 to 6. Each slot is an element of a group, and a block is the
//! combination (sum or product) of its elements.

use alloc::vec::Vec;
use core::{fmt::Debug, marker::PhantomData};

use pad_core::{Suite, VerifyError};

use super::{BlockDigest, Contents, Place, SlotChange};

/// A commutative group for a strategy, and the map from byte strings to elements.
///
/// Laws: `combine` is associative and commutative, `remove` undoes it, `neutral` is its identity.
pub trait Combination: Copy + Debug + Default + Send + Sync + 'static {
    /// The number of the strategy (3 to 6).
    const STRATEGY: u8;
    /// The display name of the strategy's scheme.
    const NAME: &'static str;
    /// An element of the group, or a combination of elements.
    type Value: Clone + Debug + Eq + Send + Sync;

    /// Returns the neutral element of the group.
    fn neutral() -> Self::Value;

    /// Returns the element of a byte string, given in parts; `None` if the string has no element.
    fn element(input: &[&[u8]]) -> Option<Self::Value>;

    /// Replaces `value` by its combination with `other`.
    fn combine(value: &mut Self::Value, other: &Self::Value);

    /// Removes `other` from `value`: undoes [`Combination::combine`].
    fn remove(value: &mut Self::Value, other: &Self::Value);

    /// Returns the length of a block's summary in bytes.
    fn summary_bytes<S: Suite>() -> usize;

    /// Returns the summary of a block whose elements combine to `value`.
    fn summary<S: Suite>(value: &Self::Value) -> Vec<u8>;

    /// Returns whether bytes of the right length can be a block's summary.
    fn is_summary(bytes: &[u8]) -> bool;
}

/// The strategy that summarises a block by combining the group elements of its slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Combined<C>(PhantomData<fn() -> C>);

/// Returns the group element of a slot. It depends on level, position and content, so that a slot
/// is invalid elsewhere.
fn element<C: Combination>(
    level: u8,
    position: u64,
    content: &[u8],
) -> Result<C::Value, VerifyError> {
    let input: [&[u8]; 3] = [&[level], &position.to_be_bytes(), content];
    C::element(&input).ok_or(VerifyError::ElementNotFound)
}

impl<S: Suite, C: Combination> BlockDigest<S> for Combined<C> {
    const STRATEGY: u8 = C::STRATEGY;
    const NAME: &'static str = C::NAME;
    type State = C::Value;

    fn summary_bytes() -> usize {
        C::summary_bytes::<S>()
    }

    fn of(contents: Contents<'_>) -> Result<C::Value, VerifyError> {
        let mut value = C::neutral();
        for (position, content) in contents.slots() {
            let element = element::<C>(contents.place.level, position, content)?;
            C::combine(&mut value, &element);
        }
        Ok(value)
    }

    fn write(
        state: &mut C::Value,
        place: Place,
        change: SlotChange<'_>,
    ) -> Result<(), VerifyError> {
        let of = |content| element::<C>(place.level, change.position, content);
        let (old, new) = (change.old.map(of).transpose()?, of(change.new)?);
        if let Some(old) = old {
            C::remove(state, &old);
        }
        C::combine(state, &new);
        Ok(())
    }

    fn summary(state: &C::Value, _: Contents<'_>) -> Vec<u8> {
        C::summary::<S>(state)
    }

    fn is_summary(bytes: &[u8]) -> bool {
        C::is_summary(bytes)
    }
}
