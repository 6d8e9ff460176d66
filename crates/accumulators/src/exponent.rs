//! Secret exponents of sets, which [`AuthorSet`](crate::AuthorSet) keeps between changes.
//!
//! A value of the author is a power of the base (RSA) or a multiple of the generator (bilinear
//! maps). Its exponent is a product over the set: of the primes, modulo the secret order, or of
//! `e + s`.
//!
//! An exponent divided by an element outside the set gives a forged witness. This trait is
//! therefore not exported: its callers take elements from the set.

use pad_core::Workers;

use crate::{accumulator::Accumulator, error::AccumulateError, plan::Plan};

/// Arithmetic of the author with the exponents of sets.
pub trait Exponents: Accumulator {
    /// The secret exponent of a set: whoever learns it and the set can forge. It is stored at a
    /// fixed address and wiped on drop.
    type Exponent: Clone + Eq + Send + Sync + 'static;

    /// Returns the exponent of the empty set.
    fn empty_exponent() -> Self::Exponent;

    /// Computes the exponent of a set with these elements.
    ///
    /// Cost: one product of exponents for each element.
    ///
    /// # Errors
    /// [`AccumulateError::ElementNotAllowed`] if an element is the negative of the secret.
    fn exponent(
        secret: &Self::SecretKey,
        elements: &[Self::Element],
        workers: &Workers,
    ) -> Result<Self::Exponent, AccumulateError>;

    /// Computes the exponent of a set after elements are removed from it and others added.
    ///
    /// The set contains the removed elements, and not the added ones. The result is multiplied by
    /// the removed elements again and compared, with products that are computed anew.
    ///
    /// Cost: two products of exponents for each element of the change, and one inversion.
    ///
    /// # Errors
    /// [`AccumulateError::ElementNotAllowed`] if an element is the negative of the secret;
    /// [`AccumulateError::FaultDetected`] if the result fails its check.
    fn changed_exponent(
        secret: &Self::SecretKey,
        exponent: &Self::Exponent,
        removed: &[Self::Element],
        added: &[Self::Element],
        workers: &Workers,
    ) -> Result<Self::Exponent, AccumulateError>;

    /// Computes the value of the set with this exponent.
    ///
    /// Cost: one power or multiplication.
    ///
    /// # Errors
    /// [`AccumulateError::FaultDetected`] if the result fails its check.
    fn value_of(
        secret: &Self::SecretKey,
        exponent: &Self::Exponent,
    ) -> Result<Self::Value, AccumulateError>;

    /// Computes the witness of an element from the exponent of all other elements of its set.
    ///
    /// Cost: one power or multiplication.
    ///
    /// # Errors
    /// [`AccumulateError::FaultDetected`] if the result fails its check.
    fn witness_of(
        secret: &Self::SecretKey,
        others: &Self::Exponent,
        element: &Self::Element,
    ) -> Result<Self::Witness, AccumulateError>;

    /// Computes the value and the exponent after a change, and the update data for witnesses, from
    /// the exponent before the change. `value` is the set's value before the change, and the result
    /// of an empty change.
    ///
    /// Cost: [`Exponents::changed_exponent`], and one power or multiplication for each published
    /// value.
    ///
    /// # Errors
    /// The errors of [`Exponents::changed_exponent`] and [`Exponents::value_of`].
    fn transition_from(
        secret: &Self::SecretKey,
        exponent: &Self::Exponent,
        plan: &Plan<'_, Self>,
        value: &Self::Value,
        workers: &Workers,
    ) -> Result<(Self::Value, Self::UpdateData, Self::Exponent), AccumulateError>;
}
