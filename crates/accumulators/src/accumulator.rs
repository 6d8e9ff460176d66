//! What can be computed: [`Accumulator`], and what many can do beyond it: [`Dynamic`], [`Batch`],
//! [`Universal`].
//!
//! Roles: the **author** holds the secret key, or only the public key, and the set. A **server**
//! holds the public key and the set. A **client** holds the public key, a verified
//! [`Snapshot`](crate::Snapshot), and perhaps a witness.
//!
//! Every computation over a set takes [either key](EitherKey): results are the same, and cheaper with
//! the secret one.

use pad_core::Workers;

use crate::{
    change::Change, error::AccumulateError, evidence::Witnessed, plan::Plan, scheme::PublicKey,
    set::ElementSet,
};

/// A secret key. Not printable, not comparable, wiped when dropped.
pub trait SecretKey: Send + Sync + Sized + 'static {
    /// The public key that belongs to it.
    type PublicKey: PublicKey;

    /// What a new key is for, as a scheme needs to know it. The defaults do unless there is a reason for others.
    type Parameters: Default + Send + Sync;

    /// Why there is no new key.
    type CreateError: core::error::Error + Send + Sync + 'static;

    /// A new key for the accumulator called `label`, from the system's randomness.
    ///
    /// Cost: with RSA a search for two safe primes, which takes seconds to minutes and varies; with bilinear maps one
    /// multiplication for each element that sets may have.
    ///
    /// # Errors
    /// The system gives no randomness, or what a scheme says beside that.
    fn create(
        parameters: &Self::Parameters,
        label: &[u8],
        workers: &Workers,
    ) -> Result<Self, Self::CreateError>;

    /// The public key.
    fn public_key(&self) -> &Self::PublicKey;

    /// The same secret for another accumulator over the same parameters.
    #[must_use]
    fn with_label(&self, label: &[u8]) -> Self;
}

/// A public key, or a secret key with its public key: what a computation is made with.
pub trait EitherKey<A: Accumulator>: Send + Sync {
    /// The public key, or the one that belongs to the secret key.
    fn public(&self) -> &A::PublicKey;

    /// The secret key, if this is one.
    fn secret(&self) -> Option<&A::SecretKey>;
}

/// A value of constant size that stands for a set, and witnesses of constant size for its elements.
///
/// Laws:
/// 1. With the secret key and without it, in whatever order the set was built, with any number of
///    workers: the same value and the same witnesses.
/// 2. The witness of an element verifies for that element, against the value of that set, and
///    for nothing else.
/// 3. Nothing is made for an element that is not in the set.
///
/// Errors of every operation here: [`AccumulateError::CapacityExceeded`],
/// [`AccumulateError::WrongAccumulator`], [`AccumulateError::ElementNotAllowed`]; with the secret key
/// also [`AccumulateError::FaultDetected`].
///
/// Source: Tremel 2013, sections 2 and 3; Crosby & Wallach 2010, section 4.3.
pub trait Accumulator: Witnessed<PublicKey: EitherKey<Self>> {
    /// What only the author may know.
    type SecretKey: SecretKey<PublicKey = Self::PublicKey> + EitherKey<Self>;

    /// The value of a set.
    ///
    /// Cost with the secret key: one product of exponents per element, and one power or multiplication.
    ///
    /// # Errors
    /// Those of every operation.
    fn accumulate(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<Self::Value, AccumulateError>;

    /// The witness of one element.
    ///
    /// Cost: that of accumulating the set without it.
    ///
    /// # Errors
    /// [`AccumulateError::ElementAbsent`], and those of every operation.
    fn witness(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        element: &[u8],
        workers: &Workers,
    ) -> Result<Self::Witness, AccumulateError>;

    /// The witnesses of all elements, in the order of [`ElementSet::elements`].
    ///
    /// # Errors
    /// Those of every operation.
    fn witnesses(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<Vec<Self::Witness>, AccumulateError>;

    /// The witnesses of all elements, in the order of [`ElementSet::elements`], and the value.
    ///
    /// Cost: that of [`Accumulator::witnesses`] and of [`Accumulator::accumulate`], or less where a
    /// scheme has the value from a witness.
    ///
    /// # Errors
    /// Those of every operation.
    fn witnesses_and_value(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<(Vec<Self::Witness>, Self::Value), AccumulateError> {
        let witnesses = Self::witnesses(key, set, workers)?;
        Ok((witnesses, Self::accumulate(key, set, workers)?))
    }
}

/// Sets that change, and witnesses that follow without the secret key.
///
/// Laws: changes are equal with and without the secret key; the value after is that of the
/// changed set; an updated witness equals the recomputed one. A change log is not trusted: a
/// false one makes a witness that does not verify.
///
/// Source: Camenisch & Lysyanskaya 2002 (RSA), Nguyen 2005 (bilinear maps).
pub trait Dynamic: Accumulator {
    /// The value after a change of the set that `value` is of, and what the witnesses' update needs
    /// beyond the elements and the two values.
    ///
    /// # Errors
    /// Those of [`Dynamic::change`] that are not about the elements.
    fn transition(
        key: &impl EitherKey<Self>,
        plan: &Plan<'_, Self>,
        value: &Self::Value,
        workers: &Workers,
    ) -> Result<(Self::Value, Self::UpdateData), AccumulateError>;

    /// Removes and then adds elements, all or nothing, and says what that did.
    ///
    /// `value` is the set's value. `removed` and `added` must not overlap.
    ///
    /// With the secret key it is checked that `value` is that of the set: the value of another set, say
    /// from before a crash, with an element divided out that it does not hold, would be a forgery for
    /// everybody to use. Cost then: one product of exponents per element of the set, and one power or
    /// multiplication per published value.
    ///
    /// # Errors
    /// [`AccumulateError::ElementAbsent`], [`AccumulateError::DuplicateElement`], those of
    /// [`Accumulator::accumulate`], and with the secret key [`AccumulateError::ValueMismatch`]; the set
    /// is then as it was.
    fn change<B: AsRef<[u8]> + Sync>(
        key: &impl EitherKey<Self>,
        set: &mut ElementSet<Self>,
        value: &Self::Value,
        removed: &[B],
        added: &[B],
        workers: &Workers,
    ) -> Result<Change<Self>, AccumulateError> {
        let plan = Plan::new(key.public(), set, (removed, added), workers)?;
        let (after, update_data) = Self::transition(key, &plan, value, workers)?;
        let (removed, added) = plan.into_elements();
        set.replace(&removed, &added);
        Ok(Change {
            before: value.clone(),
            after,
            removed,
            added,
            update_data,
        })
    }

    /// The witness after these consecutive changes. The caller bounds their number and size.
    ///
    /// # Errors
    /// None of them is evidence of anything, as the log is not: anybody can write one that names the
    /// element. [`AccumulateError::ElementAbsent`] if a change removes the element,
    /// [`AccumulateError::DuplicateElement`] if one adds it, [`AccumulateError::ChangeGap`], and
    /// [`AccumulateError::WitnessMismatch`] if a false log leads to what is no witness at all.
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

    /// The witnesses of many elements after these consecutive changes, in the same order; `None`
    /// for each element that a change removed.
    ///
    /// # Errors
    /// As [`Dynamic::update_witness`], but for elements that were removed.
    fn update_witnesses(
        key: &Self::PublicKey,
        witnesses: &[(Self::Element, Self::Witness)],
        changes: &[Change<Self>],
        workers: &Workers,
    ) -> Result<Vec<Option<Self::Witness>>, AccumulateError>;
}

/// One witness for many elements.
pub trait Batch: Accumulator {
    /// The witness of a subset.
    ///
    /// # Errors
    /// [`AccumulateError::ElementAbsent`], [`AccumulateError::EmptySubset`],
    /// [`AccumulateError::DuplicateElement`], [`AccumulateError::SubsetTooLarge`], and those of
    /// [`Accumulator::accumulate`].
    fn subset_witness(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        subset: &[Vec<u8>],
        workers: &Workers,
    ) -> Result<Self::SubsetWitness, AccumulateError>;

    /// The subset witness that follows from the members' own witnesses, without the set.
    ///
    /// # Errors
    /// [`AccumulateError::EmptySubset`], [`AccumulateError::DuplicateElement`],
    /// [`AccumulateError::SubsetTooLarge`], [`AccumulateError::WitnessMismatch`] if a witness is
    /// found not to belong to the value.
    fn aggregate(
        key: &Self::PublicKey,
        value: &Self::Value,
        witnesses: &[(Self::Element, Self::Witness)],
    ) -> Result<Self::SubsetWitness, AccumulateError>;
}

/// Witnesses of absence.
///
/// Source: Li, Li & Xue 2007 (RSA), Damgård & Triandopoulos 2008 (bilinear maps).
pub trait Universal: Dynamic {
    /// The witness of an element's absence.
    ///
    /// # Errors
    /// [`AccumulateError::ElementPresent`], and those of [`Accumulator::accumulate`].
    fn non_membership_witness(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        element: &[u8],
        workers: &Workers,
    ) -> Result<Self::NonMembershipWitness, AccumulateError>;

    /// The witness of absence after these consecutive changes, without the secret key.
    ///
    /// # Errors
    /// [`AccumulateError::ElementPresent`] if a change adds the element,
    /// [`AccumulateError::ElementAbsent`] if one removes it, [`AccumulateError::ChangeGap`].
    fn update_non_membership_witness(
        key: &Self::PublicKey,
        element: &Self::Element,
        witness: &Self::NonMembershipWitness,
        changes: &[Change<Self>],
    ) -> Result<Self::NonMembershipWitness, AccumulateError>;
}
