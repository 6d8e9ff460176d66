//! Common part of strategies 3 to 6: each slot is an element of a group, and a block the
//! combination of its elements.

use alloc::vec::Vec;
use core::{fmt::Debug, marker::PhantomData};

use pad_core::{Suite, VerifyError};

use super::{BlockDigest, Contents, Place, SlotChange};

/// A commutative group, and the map from bytes to its elements.
///
/// Laws: `combine` is associative and commutative, `remove` undoes it, `neutral` is its identity.
pub trait Combination: Copy + Debug + Default + Send + Sync + 'static {
    /// The number of the strategy.
    const STRATEGY: u8;
    /// The name of the scheme.
    const NAME: &'static str;
    /// Elements and their combinations.
    type Value: Clone + Debug + Eq + Send + Sync;

    /// The neutral element.
    fn neutral() -> Self::Value;

    /// The element of a byte string, given in parts; `None` if there is none.
    fn element(input: &[&[u8]]) -> Option<Self::Value>;

    /// Adds `other` to `value`.
    fn combine(value: &mut Self::Value, other: &Self::Value);

    /// Removes `other` from `value`.
    fn remove(value: &mut Self::Value, other: &Self::Value);

    /// The length of a summary in bytes.
    fn summary_bytes<S: Suite>() -> usize;

    /// The summary of a block with this value.
    fn summary<S: Suite>(value: &Self::Value) -> Vec<u8>;

    /// Whether bytes of the right length can be a summary.
    fn is_summary(bytes: &[u8]) -> bool;
}

/// The strategy of a combination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Combined<C>(PhantomData<fn() -> C>);

/// The element of a slot. It covers level, position and content, so that a slot is invalid
/// elsewhere.
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
