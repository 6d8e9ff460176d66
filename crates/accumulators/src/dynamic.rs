//! Accumulators whose sets change, and proofs that an element is not in a set: [`Dynamic`] and
//! [`Universal`].

use pad_core::Workers;

use crate::{
    accumulator::EitherKey,
    change::Change,
    error::AccumulateError,
    exponent::{Exponents, Pair},
    plan::Plan,
    set::ElementSet,
};

/// Accumulators whose set can change. Witnesses are updated without the secret key.
///
/// Laws: results are equal with and without the secret key. The value after a change equals the
/// accumulated value of the changed set. An updated witness equals the recomputed one. The list of
/// changes is not trusted: a false list produces a witness that does not verify.
///
/// An author who changes a set often keeps it in an [`AuthorSet`](crate::AuthorSet).
///
/// Source: Camenisch & Lysyanskaya 2002 (RSA), Nguyen 2005 (bilinear maps).
pub trait Dynamic: Exponents {
    /// Computes with the public key the value of the set after a change, and the data by which
    /// witnesses are updated. `value` is the value of the set before the change.
    ///
    /// # Errors
    /// The errors of every operation, listed at [`Accumulator`](crate::Accumulator).
    #[doc(hidden)]
    fn transition(
        key: &Self::PublicKey,
        plan: &Plan<'_, Self>,
        value: &Self::Value,
        workers: &Workers,
    ) -> Result<(Self::Value, Self::UpdateData), AccumulateError>;

    /// Removes and then adds elements, all or none, and returns the change.
    ///
    /// `value` is the set's value. An element in both `removed` and `added` is refused as a
    /// duplicate.
    ///
    /// With the secret key, `value` is checked against the set. A stale value, for example from
    /// before a crash, might not contain a removed element. Dividing that element out would produce
    /// a forgery that any party could use.
    ///
    /// Cost with the secret key: one multiplication of exponents per element of the set. The check
    /// and each published value cost one exponentiation (RSA) or scalar multiplication (bilinear
    /// maps). With an [`AuthorSet`](crate::AuthorSet), the cost depends on the changed elements
    /// only.
    ///
    /// Cost with the public key, RSA: one power for each added element, or for each element of the
    /// set if elements are removed. Bilinear maps: a sum over the set for each changed element.
    ///
    /// # Errors
    /// On an error the set is unchanged.
    /// * [`AccumulateError::ElementAbsent`] if the set does not contain a removed element, or
    ///   `removed` lists one twice.
    /// * [`AccumulateError::DuplicateElement`] if the set already contains an added element, or
    ///   `added` lists one twice.
    /// * With the secret key, [`AccumulateError::ValueMismatch`] if `value` does not match the set.
    /// * The errors of [`Accumulator::accumulate`](crate::Accumulator::accumulate).
    fn change<B: AsRef<[u8]> + Sync>(
        key: &impl EitherKey<Self>,
        set: &mut ElementSet<Self>,
        value: &Self::Value,
        removed: &[B],
        added: &[B],
        workers: &Workers,
    ) -> Result<Change<Self>, AccumulateError> {
        let plan = Plan::new(key.public(), set, (removed, added), workers)?;
        let (after, update_data) = if let Some(secret) = key.secret() {
            let exponent = Self::exponent(secret, plan.former(), workers)?;
            let exponents = Pair::<Self>([exponent.clone(), exponent]);
            if Self::value_of(secret, exponents.get()?)? != *value {
                return Err(AccumulateError::ValueMismatch);
            }
            let (after, update_data, _) = exponents.transition(secret, &plan, value, workers)?;
            (after, update_data)
        } else {
            Self::transition(key.public(), &plan, value, workers)?
        };
        let (removed, added) = plan.into_elements();
        set.replace(&removed, &added)?;
        Ok(Change {
            before: value.clone(),
            after,
            removed,
            added,
            update_data,
        })
    }

    /// Updates the witness of `element` over consecutive changes. The caller bounds their number
    /// and size, because the cost is linear in the number of changed elements.
    ///
    /// # Errors
    /// The list of changes is not authenticated, so no error is evidence of a removal or an
    /// addition.
    /// * [`AccumulateError::ElementAbsent`] if a change removes the element.
    /// * [`AccumulateError::DuplicateElement`] if a change adds the element.
    /// * [`AccumulateError::ChangeGap`] if the changes are not consecutive.
    /// * [`AccumulateError::WitnessMismatch`] if no witness can be computed from a false list of
    ///   changes. Other false lists produce, without an error, a witness that does not verify.
    fn update_witness(
        key: &Self::PublicKey,
        element: &Self::Element,
        witness: &Self::Witness,
        changes: &[Change<Self>],
    ) -> Result<Self::Witness, AccumulateError> {
        let pair = (element.clone(), witness.clone());
        let updated = Self::update_witnesses(key, &[pair], changes, &Workers::sequential())?;
        let updated = updated.into_iter().flatten().next();
        updated.ok_or(AccumulateError::ElementAbsent)
    }

    /// Updates the witnesses of many elements over consecutive changes. The results are in the
    /// order of the elements, with `None` for an element that a change removes.
    ///
    /// # Errors
    /// The errors of [`Dynamic::update_witness`], except for removed elements.
    fn update_witnesses(
        key: &Self::PublicKey,
        witnesses: &[(Self::Element, Self::Witness)],
        changes: &[Change<Self>],
        workers: &Workers,
    ) -> Result<Vec<Option<Self::Witness>>, AccumulateError>;
}

/// Accumulators with non-membership witnesses: proofs that an element is not in the set.
///
/// Source: Li, Li & Xue 2007 (RSA), Damgård & Triandopoulos 2008 (bilinear maps).
pub trait Universal: Dynamic {
    /// Computes the non-membership witness of an element.
    ///
    /// # Errors
    /// [`AccumulateError::ElementPresent`] if the set contains the element, and the errors of
    /// [`Accumulator::accumulate`](crate::Accumulator::accumulate).
    fn non_membership_witness(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        element: &[u8],
        workers: &Workers,
    ) -> Result<Self::NonMembershipWitness, AccumulateError>;

    /// Updates a non-membership witness over consecutive changes, without the secret key.
    ///
    /// # Errors
    /// * [`AccumulateError::ElementPresent`] if a change adds the element, or no witness can be
    ///   computed from a false list of changes.
    /// * [`AccumulateError::ElementAbsent`] if a change removes the element.
    /// * [`AccumulateError::ChangeGap`] if the changes are not consecutive.
    fn update_non_membership_witness(
        key: &Self::PublicKey,
        element: &Self::Element,
        witness: &Self::NonMembershipWitness,
        changes: &[Change<Self>],
    ) -> Result<Self::NonMembershipWitness, AccumulateError>;
}
