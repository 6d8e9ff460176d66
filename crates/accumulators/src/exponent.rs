//! Secret exponents of sets, which an author keeps between changes.
//!
//! A value of the author is a power of the base (RSA) or a multiple of the generator (bilinear
//! maps). Its exponent is a product over the set's elements: of their primes modulo the secret
//! order of the base (RSA), or of `e + s` for their scalars `e` (bilinear maps).
//!
//! An exponent divided by an element outside the set gives a forged witness, and so does a faulty
//! exponent divided by an element of the set. Two precautions follow:
//!
//! * Division takes a [`Difference`], which only this crate constructs. Its removed elements are
//!   elements of the set.
//! * Exponents come in pairs ([`Pair`]). Each exponent of a pair is updated separately, and the two
//!   are compared before a result is released.
//!
//! Source: Camenisch & Lysyanskaya 2002, section 3 (RSA); Nguyen 2005, section 3 (bilinear maps).
//! Deviation: these papers change the value itself, which is not bound to a set.

use pad_core::Workers;

use crate::{accumulator::Accumulator, error::AccumulateError, plan::Plan};

/// The elements by which two sets differ. The former set contains the removed elements, and not the
/// added ones.
#[derive(Debug)]
pub struct Difference<'a, A: Accumulator> {
    pub(crate) removed: &'a [A::Element],
    pub(crate) added: &'a [A::Element],
}

/// Arithmetic with the secret exponents of an author's sets.
pub trait Exponents: Accumulator {
    /// The secret exponent of a set. A party that knows it and the set can forge witnesses. It is
    /// stored at a fixed address, and wiped on drop.
    type Exponent: Clone + Eq + Send + Sync + 'static;

    /// Returns the exponent of the empty set.
    fn empty_exponent() -> Self::Exponent;

    /// Computes the exponent of a set with these elements.
    ///
    /// Cost: one multiplication of exponents for each element.
    ///
    /// # Errors
    /// [`AccumulateError::ElementNotAllowed`] if an element is the negative of the secret.
    fn exponent(
        secret: &Self::SecretKey,
        elements: &[Self::Element],
        workers: &Workers,
    ) -> Result<Self::Exponent, AccumulateError>;

    /// Computes the exponent of the set that differs by `difference` from the set of `exponent`.
    ///
    /// Cost: one multiplication of exponents for each element of the difference, and one inversion.
    ///
    /// # Errors
    /// [`AccumulateError::ElementNotAllowed`] if an element is the negative of the secret;
    /// [`AccumulateError::FaultDetected`] if the removed elements have no inverse.
    fn changed_exponent(
        secret: &Self::SecretKey,
        exponent: &Self::Exponent,
        difference: &Difference<'_, Self>,
        workers: &Workers,
    ) -> Result<Self::Exponent, AccumulateError>;

    /// Computes the value of the set with this exponent.
    ///
    /// Cost: one exponentiation (RSA) or scalar multiplication (bilinear maps).
    ///
    /// # Errors
    /// [`AccumulateError::FaultDetected`] if the result fails its check.
    fn value_of(
        secret: &Self::SecretKey,
        exponent: &Self::Exponent,
    ) -> Result<Self::Value, AccumulateError>;

    /// Computes the witness of an element from the exponent of all other elements of its set.
    ///
    /// Cost: one exponentiation (RSA) or scalar multiplication (bilinear maps).
    ///
    /// # Errors
    /// [`AccumulateError::FaultDetected`] if the result fails its check.
    fn witness_of(
        secret: &Self::SecretKey,
        others: &Self::Exponent,
        element: &Self::Element,
    ) -> Result<Self::Witness, AccumulateError>;

    /// Computes the value after a change, and the update data for witnesses, from the exponents
    /// before and after it. `value` is the set's value before the change, and the result of an
    /// empty change.
    ///
    /// Cost: one exponentiation (RSA) or scalar multiplication (bilinear maps) for each published
    /// value.
    ///
    /// # Errors
    /// The errors of [`Exponents::value_of`]; [`AccumulateError::FaultDetected`] if the steps of
    /// the change do not lead from one exponent to the other.
    fn published(
        secret: &Self::SecretKey,
        exponents: [&Self::Exponent; 2],
        plan: &Plan<'_, Self>,
        value: &Self::Value,
        workers: &Workers,
    ) -> Result<(Self::Value, Self::UpdateData), AccumulateError>;
}

/// The exponent of a set, computed or kept twice. A fault in one of the two is detected.
#[derive(Clone)]
pub(crate) struct Pair<A: Exponents>(pub(crate) [A::Exponent; 2]);

impl<A: Exponents> Pair<A> {
    /// Computes the exponent of a set twice.
    pub(crate) fn new(
        secret: &A::SecretKey,
        elements: &[A::Element],
        workers: &Workers,
    ) -> Result<Self, AccumulateError> {
        let exponent = || A::exponent(secret, core::hint::black_box(elements), workers);
        Ok(Self([exponent()?, exponent()?]))
    }

    /// Returns the exponent.
    ///
    /// # Errors
    /// [`AccumulateError::FaultDetected`] if the two differ.
    pub(crate) fn get(&self) -> Result<&A::Exponent, AccumulateError> {
        let [exponent, again] = &self.0;
        if exponent == again {
            Ok(exponent)
        } else {
            Err(AccumulateError::FaultDetected)
        }
    }

    /// Changes both exponents by the elements of the plan. Takes the removed elements of the second
    /// exponent from the plan's second copy. Fails if the results differ.
    pub(crate) fn changed(
        &self,
        secret: &A::SecretKey,
        plan: &Plan<'_, A>,
        workers: &Workers,
    ) -> Result<Self, AccumulateError> {
        let [exponent, again] = &self.0;
        let added = plan.added();
        let changed = |exponent, removed| {
            let difference = Difference { removed, added };
            A::changed_exponent(secret, exponent, &difference, workers)
        };
        let pair = [
            changed(exponent, plan.removed())?,
            changed(again, plan.removed_again())?,
        ];
        let pair = Self(pair);
        pair.get()?;
        Ok(pair)
    }

    /// Computes the value after a planned change, the update data for witnesses, and the exponent
    /// after it.
    pub(crate) fn transition(
        &self,
        secret: &A::SecretKey,
        plan: &Plan<'_, A>,
        value: &A::Value,
        workers: &Workers,
    ) -> Result<(A::Value, A::UpdateData, Self), AccumulateError> {
        let changed = self.changed(secret, plan, workers)?;
        let exponents = [self.get()?, changed.get()?];
        let (after, update_data) = A::published(secret, exponents, plan, value, workers)?;
        changed.get()?;
        Ok((after, update_data, changed))
    }
}
