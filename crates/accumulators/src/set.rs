//! Sets of elements without duplicates.

use std::collections::{HashMap, HashSet};

use pad_core::Workers;

use crate::{
    element::{AccumulatorId, ElementDigest},
    error::AccumulateError,
    scheme::{Element, PublicKey, Scheme},
};

/// Maximum number of digests in one call of [`Scheme::elements`].
const BATCH: usize = 64;

/// A set of elements of one accumulator, with the primes or scalars that represent them.
///
/// With the secret key, a witness for an absent element is as easily computed as one for a present
/// element. The value after "deleting" an absent element is equally easy to compute. The author
/// itself would create a forgery with either result. Operations therefore take an `ElementSet`,
/// which knows its members, instead of a list of representatives.
///
/// The order of [`ElementSet::elements`] is the order of insertion, except that a removal moves the
/// last element into the gap. No accumulator value or witness depends on it.
#[derive(Clone, Debug)]
pub struct ElementSet<A: Scheme> {
    accumulator: AccumulatorId,
    elements: Vec<A::Element>,
    positions: HashMap<ElementDigest, usize>,
}

impl<A: Scheme> ElementSet<A> {
    /// Creates an empty set for the accumulator of `key`.
    pub fn new(key: &A::PublicKey) -> Self {
        Self {
            accumulator: key.id(),
            elements: Vec::new(),
            positions: HashMap::new(),
        }
    }

    /// Creates a set of `elements`. The workers compute the elements' primes or scalars in
    /// parallel.
    ///
    /// Cost: for each element, a search for a prime (RSA) or a hash (bilinear).
    ///
    /// # Errors
    /// [`AccumulateError::DuplicateElement`] if `elements` lists an element twice;
    /// [`AccumulateError::ElementNotAllowed`] if the accumulator cannot hold an element.
    pub fn from_elements<B: AsRef<[u8]> + Sync>(
        key: &A::PublicKey,
        elements: &[B],
        workers: &Workers,
    ) -> Result<Self, AccumulateError> {
        let mut set = Self::new(key);
        set.insert_all(key, elements, workers)?;
        Ok(set)
    }

    /// Inserts `elements`, all or none.
    ///
    /// # Errors
    /// * [`AccumulateError::DuplicateElement`] if the set already contains one of `elements`, or
    ///   `elements` lists an element twice.
    /// * [`AccumulateError::ElementNotAllowed`] if the accumulator cannot hold an element.
    /// * [`AccumulateError::WrongAccumulator`] if the set does not belong to the key's accumulator.
    pub fn insert_all<B: AsRef<[u8]> + Sync>(
        &mut self,
        key: &A::PublicKey,
        elements: &[B],
        workers: &Workers,
    ) -> Result<(), AccumulateError> {
        self.require_key(key)?;
        let fresh = self.represent(key, &self.digests_of(elements), workers)?;
        self.replace(&[], &fresh)
    }

    /// Removes `elements`, all or none, and returns them in the order of `elements`.
    ///
    /// # Errors
    /// [`AccumulateError::ElementAbsent`] if the set lacks one of `elements`, or `elements` lists
    /// an element twice.
    pub fn remove_all<B: AsRef<[u8]>>(
        &mut self,
        elements: &[B],
    ) -> Result<Vec<A::Element>, AccumulateError> {
        let digests = self.digests_of(elements);
        if digests.iter().collect::<HashSet<_>>().len() < digests.len() {
            return Err(AccumulateError::ElementAbsent);
        }
        if digests.iter().any(|digest| !self.holds(digest)) {
            return Err(AccumulateError::ElementAbsent);
        }
        let taken = digests.iter().filter_map(|digest| self.take(digest));
        Ok(taken.collect())
    }

    /// Computes the primes or scalars of elements that are not in the set, from their digests. The
    /// set is unchanged.
    ///
    /// # Errors
    /// The errors of [`ElementSet::insert_all`].
    pub(crate) fn represent(
        &self,
        key: &A::PublicKey,
        digests: &[ElementDigest],
        workers: &Workers,
    ) -> Result<Vec<A::Element>, AccumulateError> {
        let distinct: HashSet<_> = digests.iter().collect();
        if distinct.len() < digests.len() || digests.iter().any(|digest| self.holds(digest)) {
            return Err(AccumulateError::DuplicateElement);
        }
        let length = digests.len().div_ceil(workers.threads()).clamp(1, BATCH);
        let batches: Vec<&[ElementDigest]> = digests.chunks(length).collect();
        let elements = workers.map(&batches, |batch| A::elements(key, batch));
        let elements: Vec<Vec<A::Element>> = elements.into_iter().collect::<Result<_, _>>()?;
        Ok(elements.into_iter().flatten().collect())
    }

    /// Removes the elements `removed`, which the set contains, and then adds the elements `added`,
    /// which it does not contain.
    ///
    /// # Errors
    /// [`AccumulateError::FaultDetected`] if the set lacks a removed element or contains an added
    /// one. The set is unchanged then.
    pub(crate) fn replace(
        &mut self,
        removed: &[A::Element],
        added: &[A::Element],
    ) -> Result<(), AccumulateError> {
        let is_held = |element: &A::Element| self.holds(element.digest());
        if !removed.iter().all(is_held) || added.iter().any(is_held) {
            return Err(AccumulateError::FaultDetected);
        }
        for element in removed {
            self.take(element.digest());
        }
        for element in added {
            self.positions
                .insert(*element.digest(), self.elements.len());
            self.elements.push(element.clone());
        }
        Ok(())
    }

    /// Computes the digests of `elements` for this set's accumulator. The set need not contain the
    /// elements.
    pub fn digests_of<B: AsRef<[u8]>>(&self, elements: &[B]) -> Vec<ElementDigest> {
        elements
            .iter()
            .map(|element| self.accumulator.digest_of(element.as_ref()))
            .collect()
    }

    /// Returns whether the element is in the set.
    pub fn contains(&self, element: &[u8]) -> bool {
        self.holds(&self.accumulator.digest_of(element))
    }

    /// Returns the index of the element in [`ElementSet::elements`].
    ///
    /// # Errors
    /// [`AccumulateError::ElementAbsent`] if the set does not contain the element.
    pub fn position(&self, element: &[u8]) -> Result<usize, AccumulateError> {
        let position = self.positions.get(&self.accumulator.digest_of(element));
        position.copied().ok_or(AccumulateError::ElementAbsent)
    }

    /// Splits the set into the elements of `subset` and all other elements, both in the order of
    /// [`ElementSet::elements`].
    ///
    /// # Errors
    /// [`AccumulateError::ElementAbsent`] if the set does not contain an element of the subset;
    /// [`AccumulateError::DuplicateElement`] if an element is listed twice;
    /// [`AccumulateError::EmptySubset`] for an empty subset.
    pub(crate) fn split(
        &self,
        subset: &[Vec<u8>],
    ) -> Result<[Vec<&A::Element>; 2], AccumulateError> {
        if subset.is_empty() {
            return Err(AccumulateError::EmptySubset);
        }
        let positions = subset.iter().map(|element| self.position(element));
        let positions: HashSet<usize> = positions.collect::<Result<_, _>>()?;
        if positions.len() < subset.len() {
            return Err(AccumulateError::DuplicateElement);
        }
        let (mut members, mut others) = (Vec::new(), Vec::new());
        for (position, element) in self.elements.iter().enumerate() {
            if positions.contains(&position) {
                members.push(element);
            } else {
                others.push(element);
            }
        }
        Ok([members, others])
    }

    /// Splits the set into `element` and all other elements.
    ///
    /// # Errors
    /// [`AccumulateError::ElementAbsent`] if the set does not contain the element.
    pub(crate) fn one_and_others(
        &self,
        element: &[u8],
    ) -> Result<(&A::Element, impl Iterator<Item = &A::Element>), AccumulateError> {
        let (before, rest) = self.elements.split_at(self.position(element)?);
        let (one, after) = rest.split_first().ok_or(AccumulateError::ElementAbsent)?;
        Ok((one, before.iter().chain(after)))
    }

    /// Computes the prime or scalar of an element that is not in the set.
    ///
    /// # Errors
    /// [`AccumulateError::WrongAccumulator`] if the set does not belong to the key's accumulator;
    /// [`AccumulateError::ElementPresent`] if the set contains the element;
    /// [`AccumulateError::ElementNotAllowed`] if the accumulator cannot hold the element.
    pub(crate) fn absent(
        &self,
        key: &A::PublicKey,
        element: &[u8],
    ) -> Result<A::Element, AccumulateError> {
        self.require_key(key)?;
        let digest = self.accumulator.digest_of(element);
        if self.holds(&digest) {
            return Err(AccumulateError::ElementPresent);
        }
        A::element(key, &digest)
    }

    /// The elements. Their order is that of insertion, except that a removal moves the last element
    /// into the gap.
    pub fn elements(&self) -> &[A::Element] {
        &self.elements
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Id of the accumulator that the elements belong to.
    pub fn accumulator(&self) -> AccumulatorId {
        self.accumulator
    }

    /// Checks that the set belongs to this key's accumulator.
    ///
    /// # Errors
    /// [`AccumulateError::WrongAccumulator`] if the set belongs to another accumulator.
    pub fn require_key(&self, key: &A::PublicKey) -> Result<(), AccumulateError> {
        if self.accumulator == key.id() {
            Ok(())
        } else {
            Err(AccumulateError::WrongAccumulator)
        }
    }

    /// Exchanges two elements, as a fault of the memory would.
    #[cfg(test)]
    pub(crate) fn swap_elements(&mut self, left: usize, right: usize) {
        self.elements.swap(left, right);
    }

    fn holds(&self, digest: &ElementDigest) -> bool {
        self.positions.contains_key(digest)
    }

    /// Removes and returns the element with this digest, or returns `None`. The last element moves
    /// into the gap.
    fn take(&mut self, digest: &ElementDigest) -> Option<A::Element> {
        let position = self.positions.remove(digest)?;
        let element = self.elements.swap_remove(position);
        if let Some(moved) = self.elements.get(position) {
            self.positions.insert(*moved.digest(), position);
        }
        Some(element)
    }
}
