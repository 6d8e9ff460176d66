//! A validated change of a set, before it is applied.

use std::collections::HashSet;

use pad_core::Workers;

use crate::{
    element::ElementDigest,
    error::AccumulateError,
    scheme::{PublicKey, Scheme},
    set::ElementSet,
};

/// A validated change: elements to remove from a set, and elements to add to it. The set is not
/// changed yet.
#[derive(Debug)]
pub struct Plan<'a, A: Scheme> {
    former: &'a [A::Element],
    /// Indices in `former` of the elements to remove, in the caller's order.
    positions: Vec<usize>,
    removed: Vec<A::Element>,
    /// A second copy of `removed`, to detect memory faults. See [`Self::derive_again`].
    removed_again: Vec<A::Element>,
    added: Vec<A::Element>,
}

impl<'a, A: Scheme> Plan<'a, A> {
    /// Creates a plan after checking that all elements to remove are in the set, and that no
    /// element to add is in it.
    ///
    /// # Errors
    /// * [`AccumulateError::WrongAccumulator`] if key and set belong to different accumulators.
    /// * [`AccumulateError::ElementAbsent`] if an element to remove is not in the set, or is listed
    ///   twice.
    /// * [`AccumulateError::DuplicateElement`] if an element to add is in the set, or is listed
    ///   twice.
    /// * [`AccumulateError::ElementNotAllowed`] if the accumulator cannot hold an element.
    /// * [`AccumulateError::CapacityExceeded`] if the changed set is larger than the key supports.
    pub(crate) fn new(
        key: &A::PublicKey,
        set: &'a ElementSet<A>,
        (removed, added): (&[impl AsRef<[u8]>], &[impl AsRef<[u8]>]),
        workers: &Workers,
    ) -> Result<Self, AccumulateError> {
        set.require_key(key)?;
        let positions = removed.iter().map(|element| set.position(element.as_ref()));
        let positions: Vec<usize> = positions.collect::<Result<_, _>>()?;
        if positions.iter().collect::<HashSet<_>>().len() < positions.len() {
            return Err(AccumulateError::ElementAbsent);
        }
        // Refuses elements of the set, which includes elements that are also to be removed.
        let added = set.represent(key, &set.digests_of(added), workers)?;
        let after = set.len().saturating_sub(positions.len());
        key.require_capacity(after.saturating_add(added.len()))?;
        let element = |position: &usize| set.elements().get(*position).cloned();
        Ok(Self {
            former: set.elements(),
            removed: positions.iter().filter_map(element).collect(),
            removed_again: positions.iter().filter_map(element).collect(),
            positions,
            added,
        })
    }

    /// Replaces the second copy of the elements to remove by elements derived again from their
    /// digests.
    ///
    /// # Errors
    /// [`AccumulateError::FaultDetected`] if a derived element differs from that of the set.
    pub(crate) fn derive_again(
        &mut self,
        key: &A::PublicKey,
        removed: &[ElementDigest],
        workers: &Workers,
    ) -> Result<(), AccumulateError> {
        let derived = workers.map(removed, |digest| A::element(key, digest));
        self.removed_again = derived.into_iter().collect::<Result<_, _>>()?;
        if self.removed_again == self.removed {
            Ok(())
        } else {
            Err(AccumulateError::FaultDetected)
        }
    }

    /// The elements of the set before the change.
    pub fn former(&self) -> &[A::Element] {
        self.former
    }

    /// The elements of the set after the change, in no particular order: all former elements but
    /// the removed ones, and the added ones.
    pub fn remaining(&self) -> impl Iterator<Item = &A::Element> {
        let removed: HashSet<usize> = self.positions.iter().copied().collect();
        let former = self.former.iter().enumerate();
        let kept = former.filter(move |(position, _)| !removed.contains(position));
        kept.map(|(_, element)| element).chain(&self.added)
    }

    /// The elements to remove, in the caller's order.
    pub fn removed(&self) -> &[A::Element] {
        &self.removed
    }

    /// The second copy of the elements to remove.
    pub(crate) fn removed_again(&self) -> &[A::Element] {
        &self.removed_again
    }

    /// The elements to add, in the caller's order.
    pub fn added(&self) -> &[A::Element] {
        &self.added
    }

    /// Splits the plan into the elements to remove and the elements to add.
    pub(crate) fn into_elements(self) -> (Vec<A::Element>, Vec<A::Element>) {
        (self.removed, self.added)
    }
}
