//! What a change will do to a set, checked before it is done.

use std::collections::HashSet;

use pad_core::Workers;

use crate::{
    error::AccumulateError,
    scheme::{PublicKey, Scheme},
    set::ElementSet,
};

/// Elements of a set that will be removed, and others that will be added to it.
#[derive(Debug)]
pub struct Plan<'a, A: Scheme> {
    former: &'a [A::Element],
    /// Positions of the removed elements, in the order asked for.
    positions: Vec<usize>,
    removed: Vec<A::Element>,
    added: Vec<A::Element>,
}

impl<'a, A: Scheme> Plan<'a, A> {
    /// Checks that all elements to be removed are in the set and none of those to be added.
    ///
    /// # Errors
    /// [`AccumulateError::WrongAccumulator`], [`AccumulateError::ElementAbsent`] (also for an element
    /// to be removed twice), [`AccumulateError::DuplicateElement`],
    /// [`AccumulateError::ElementNotAllowed`], [`AccumulateError::CapacityExceeded`].
    pub(crate) fn new(
        key: &A::PublicKey,
        set: &'a ElementSet<A>,
        (removed, added): (&[impl AsRef<[u8]>], &[impl AsRef<[u8]>]),
        workers: &Workers,
    ) -> Result<Self, AccumulateError> {
        set.require_key(key)?;
        let positions: Vec<usize> = removed
            .iter()
            .map(|element| set.position(element.as_ref()))
            .collect::<Result<_, _>>()?;
        if positions.iter().collect::<HashSet<_>>().len() < positions.len() {
            return Err(AccumulateError::ElementAbsent);
        }
        // Refuses those in the set, and with them what is to be removed as well.
        let added = set.represent(key, &set.digests_of(added), workers)?;
        let after = set.len().saturating_sub(positions.len());
        key.require_capacity(after.saturating_add(added.len()))?;
        let element = |position: &usize| set.elements().get(*position).cloned();
        Ok(Self {
            former: set.elements(),
            removed: positions.iter().filter_map(element).collect(),
            positions,
            added,
        })
    }

    /// The elements of the set before the change.
    pub fn former(&self) -> &[A::Element] {
        self.former
    }

    /// The elements of the set after the change, in no particular order.
    pub fn remaining(&self) -> impl Iterator<Item = &A::Element> {
        let removed: HashSet<usize> = self.positions.iter().copied().collect();
        let former = self.former.iter().enumerate();
        let kept = former.filter(move |(position, _)| !removed.contains(position));
        kept.map(|(_, element)| element).chain(&self.added)
    }

    /// The elements to be removed, in the order asked for.
    pub fn removed(&self) -> &[A::Element] {
        &self.removed
    }

    /// The elements to be added, in the order asked for.
    pub fn added(&self) -> &[A::Element] {
        &self.added
    }

    /// The elements to be removed and to be added.
    pub(crate) fn into_elements(self) -> (Vec<A::Element>, Vec<A::Element>) {
        (self.removed, self.added)
    }
}
