//! A set with its value and secret exponent, for an author who changes it often: [`AuthorSet`].

use core::fmt;

use pad_core::Workers;

use crate::{
    accumulator::SecretKey, change::Change, dynamic::Dynamic, error::AccumulateError,
    exponent::Pair, plan::Plan, scheme::PublicKey as _, set::ElementSet,
};

/// An author's set, its value, and the value's secret exponent: the power to which the base is
/// raised (RSA), or the factor of the generator (bilinear maps).
///
/// [`Dynamic::change`] and [`Accumulator::witness`](crate::Accumulator::witness) multiply the
/// exponents of all elements in each call. This type multiplies them once, and then keeps the
/// product. The cost of a change thus depends on the changed elements only.
///
/// The kept exponent is as secret as the key: a party that knows it and the set can forge
/// witnesses. It is wiped on drop. The key itself is not kept: every operation takes the key of
/// this set's accumulator.
///
/// # Faults
///
/// A result computed with a faulty exponent, or a quotient by a faulty element, could be a forged
/// witness. Two copies of the exponent are therefore kept and updated separately. For the second
/// copy, removed elements are derived again from their bytes. The copies are compared before a
/// result is released. After [`AccumulateError::FaultDetected`], load the set again.
///
/// The kept value is not checked: a fault in it leads to a value or a change that no witness
/// matches.
///
/// Memory: the set, and twice the exponent (32 bytes for bilinear maps, as long as the modulus for
/// RSA).
///
/// Source: Camenisch & Lysyanskaya 2002, section 3 (RSA); Nguyen 2005, section 3 (bilinear maps).
#[derive(Clone)]
pub struct AuthorSet<A: Dynamic> {
    set: ElementSet<A>,
    value: A::Value,
    exponents: Pair<A>,
}

/// Prints the public parts only.
impl<A: Dynamic> fmt::Debug for AuthorSet<A> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AuthorSet")
            .field("elements", &self.set.len())
            .field("value", &self.value)
            .finish_non_exhaustive()
    }
}

impl<A: Dynamic> AuthorSet<A> {
    /// Creates the empty set of the accumulator of `secret`.
    pub fn empty(secret: &A::SecretKey) -> Self {
        let key = secret.public_key();
        Self {
            set: ElementSet::new(key),
            value: A::empty_value(key),
            exponents: Pair([A::empty_exponent(), A::empty_exponent()]),
        }
    }

    /// Takes a set, and computes its value.
    ///
    /// Cost: two multiplications of exponents for each element. One exponentiation (RSA) or scalar
    /// multiplication (bilinear maps) follows.
    ///
    /// # Errors
    /// The errors of every operation, listed at [`Accumulator`](crate::Accumulator).
    pub fn new(
        secret: &A::SecretKey,
        set: ElementSet<A>,
        workers: &Workers,
    ) -> Result<Self, AccumulateError> {
        let key = secret.public_key();
        set.require_key(key)?;
        key.require_capacity(set.len())?;
        let exponents = Pair::new(secret, set.elements(), workers)?;
        let value = A::value_of(secret, exponents.get()?)?;
        Ok(Self {
            set,
            value,
            exponents,
        })
    }

    /// Takes a stored set and its stored value, and checks that they match.
    ///
    /// Cost: that of [`AuthorSet::new`].
    ///
    /// # Errors
    /// [`AccumulateError::ValueMismatch`] if `value` does not match the set, and the errors of
    /// [`AuthorSet::new`].
    pub fn load(
        secret: &A::SecretKey,
        set: ElementSet<A>,
        value: &A::Value,
        workers: &Workers,
    ) -> Result<Self, AccumulateError> {
        let loaded = Self::new(secret, set, workers)?;
        if loaded.value == *value {
            Ok(loaded)
        } else {
            Err(AccumulateError::ValueMismatch)
        }
    }

    /// The set.
    pub const fn set(&self) -> &ElementSet<A> {
        &self.set
    }

    /// The set's value.
    pub const fn value(&self) -> &A::Value {
        &self.value
    }

    /// Removes and then adds elements, all or none, and returns the change.
    ///
    /// An element in both `removed` and `added` is refused as a duplicate.
    ///
    /// Cost: for each changed element, its prime or scalar and a few multiplications of exponents.
    /// For each published value, one exponentiation (RSA) or scalar multiplication (bilinear maps).
    ///
    /// # Errors
    /// On an error the set is unchanged.
    /// * [`AccumulateError::ElementAbsent`] and [`AccumulateError::DuplicateElement`] as for
    ///   [`Dynamic::change`].
    /// * [`AccumulateError::FaultDetected`] if the exponent or an element fails its check.
    /// * The errors of every operation, listed at [`Accumulator`](crate::Accumulator).
    pub fn change<B: AsRef<[u8]> + Sync>(
        &mut self,
        secret: &A::SecretKey,
        removed: &[B],
        added: &[B],
        workers: &Workers,
    ) -> Result<Change<A>, AccumulateError> {
        let plan = self.plan(secret, removed, added, workers)?;
        let (after, update_data, exponents) =
            self.exponents
                .transition(secret, &plan, &self.value, workers)?;
        let (removed, added) = plan.into_elements();
        let before = self.replace(after.clone(), exponents, &removed, &added)?;
        Ok(Change {
            before,
            after,
            removed,
            added,
            update_data,
        })
    }

    /// Removes and then adds elements like [`AuthorSet::change`], without the data by which
    /// witnesses are updated.
    ///
    /// Cost: for each changed element, its prime or scalar and a few multiplications of exponents.
    /// One exponentiation (RSA) or scalar multiplication (bilinear maps) follows.
    ///
    /// # Errors
    /// The errors of [`AuthorSet::change`]. On an error the set is unchanged.
    #[doc(hidden)]
    pub fn change_without_updates<B: AsRef<[u8]> + Sync>(
        &mut self,
        secret: &A::SecretKey,
        removed: &[B],
        added: &[B],
        workers: &Workers,
    ) -> Result<(), AccumulateError> {
        let plan = self.plan(secret, removed, added, workers)?;
        let exponents = self.exponents.changed(secret, &plan, workers)?;
        let after = A::value_of(secret, exponents.get()?)?;
        let (removed, added) = plan.into_elements();
        self.replace(after, exponents, &removed, &added)?;
        Ok(())
    }

    /// Computes the witness of `element`.
    ///
    /// Cost: the element's prime or scalar, and two inversions of exponents (one to detect faults).
    /// One exponentiation (RSA) or scalar multiplication (bilinear maps) follows.
    ///
    /// # Errors
    /// * [`AccumulateError::ElementAbsent`] if the set does not contain the element.
    /// * [`AccumulateError::FaultDetected`] if the exponent or the element fails its check.
    /// * The errors of every operation, listed at [`Accumulator`](crate::Accumulator).
    pub fn witness(
        &self,
        secret: &A::SecretKey,
        element: &[u8],
    ) -> Result<A::Witness, AccumulateError> {
        let workers = Workers::sequential();
        let plan = self.plan(secret, &[element], &[], &workers)?;
        let others = self.exponents.changed(secret, &plan, &workers)?;
        let [element] = plan.removed() else {
            return Err(AccumulateError::FaultDetected);
        };
        let witness = A::witness_of(secret, others.get()?, element)?;
        others.get()?;
        Ok(witness)
    }

    /// Plans a change. The elements to remove are derived again from their bytes.
    fn plan<B: AsRef<[u8]> + Sync>(
        &self,
        secret: &A::SecretKey,
        removed: &[B],
        added: &[B],
        workers: &Workers,
    ) -> Result<Plan<'_, A>, AccumulateError> {
        let key = secret.public_key();
        let mut plan = Plan::new(key, &self.set, (removed, added), workers)?;
        plan.derive_again(key, &self.set.digests_of(removed), workers)?;
        Ok(plan)
    }

    /// Changes the set, and replaces value and exponents. Returns the previous value.
    fn replace(
        &mut self,
        value: A::Value,
        exponents: Pair<A>,
        removed: &[A::Element],
        added: &[A::Element],
    ) -> Result<A::Value, AccumulateError> {
        exponents.get()?;
        self.set.replace(removed, added)?;
        self.exponents = exponents;
        Ok(core::mem::replace(&mut self.value, value))
    }
}

#[cfg(test)]
mod tests;
