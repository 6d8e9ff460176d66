//! The operations of a group of unknown order that algorithms are generic over.

use core::fmt::Debug;

use rug::Integer;

/// Operations of a group of unknown order, for public algorithms. Algorithms are generic over this
/// trait, so that another implementation (vector kernels, another group) only has to provide these
/// operations.
///
/// Exponents are not negative. All operations are variable-time and unsuitable for secrets.
pub trait ModularGroup: Sync {
    /// A number that represents an element of the group. Different numbers may represent one
    /// element.
    type Element: Clone + Debug + Eq + Send + Sync;

    /// Returns the neutral element.
    fn one(&self) -> Self::Element;
    /// Multiplies two elements.
    fn multiply(&self, left: &Self::Element, right: &Self::Element) -> Self::Element;
    /// Squares an element.
    fn square(&self, base: &Self::Element) -> Self::Element {
        self.square_times(base, 1)
    }
    /// Squares an element `count` times.
    fn square_times(&self, base: &Self::Element, count: u32) -> Self::Element;
    /// Raises an element to a nonnegative exponent.
    fn power(&self, base: &Self::Element, exponent: &Integer) -> Self::Element;
    /// Computes the inverse of an element.
    fn inverse(&self, base: &Self::Element) -> Self::Element;

    /// Computes the product of all `base_i^(e_i)` with a method of this group, or returns `None` if
    /// the group has no method of its own.
    fn multi_power(&self, bases: &[Self::Element], exponents: &[Integer]) -> Option<Self::Element> {
        let _ = (bases, exponents);
        None
    }

    /// Maximum number of bases that [`Self::powers_at_once`] takes, or 1 if the group does not
    /// implement it.
    fn lanes(&self) -> usize {
        1
    }

    /// Raises each of at most [`Self::lanes`] bases to each of the exponents at its index, in their
    /// order. Returns `None` if [`Self::lanes`] is 1.
    fn powers_at_once(
        &self,
        bases: &[&Self::Element],
        exponents: &[&[&Integer]],
    ) -> Option<Vec<Vec<Self::Element>>> {
        let _ = (bases, exponents);
        None
    }
}
