//! What can be computed: [`Accumulator`], and what many can do beyond it: [`Dynamic`], [`Batch`],
//! [`Universal`].
//!
//! Roles: the **author** holds the secret key, or only the public key, and the set. A **server**
//! holds the public key and the set. A **client** holds the public key, a verified [`Snapshot`],
//! and perhaps a witness.

use core::fmt::Debug;

use pad_core::{Proof, Verified, Workers};

use crate::{
    change::Change,
    error::AccumulateError,
    scheme::{PublicKey, Scheme},
    set::ElementSet,
    snapshot::Snapshot,
    statement::{Membership, NonMembership, SubsetMembership},
    wire::Wire,
};

/// A secret key. Not printable, not comparable, wiped when dropped.
pub trait SecretKey: Send + Sync + 'static {
    /// The public key that belongs to it.
    type PublicKey: PublicKey;

    /// The public key.
    fn public_key(&self) -> &Self::PublicKey;

    /// The same secret for another accumulator over the same parameters.
    #[must_use]
    fn with_label(&self, label: &[u8]) -> Self;
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
/// Source: Tremel 2013, sections 2 and 3; Crosby & Wallach 2010, section 4.3.
pub trait Accumulator: Scheme {
    /// What only the author may know.
    type SecretKey: SecretKey<PublicKey = Self::PublicKey>;
    /// Evidence that an element is in the set of a value.
    type Witness: Proof<Commitment = Verified<Snapshot<Self>>, Query = [u8], Statement = Membership>
        + Clone
        + Debug
        + Eq
        + Send
        + Sync
        + Wire<Context = Self::PublicKey>
        + 'static;

    /// The value of a set.
    ///
    /// # Errors
    /// [`AccumulateError::CapacityExceeded`], [`AccumulateError::WrongAccumulator`].
    fn accumulate(
        key: &Self::PublicKey,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<Self::Value, AccumulateError>;

    /// The value of a set.
    ///
    /// Cost: one product of exponents per element, and one power or multiplication.
    ///
    /// # Errors
    /// [`AccumulateError::CapacityExceeded`], [`AccumulateError::WrongAccumulator`],
    /// [`AccumulateError::FaultDetected`].
    fn accumulate_with_secret(
        secret: &Self::SecretKey,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<Self::Value, AccumulateError>;

    /// The witness of one element.
    ///
    /// Cost: that of accumulating the set without it.
    ///
    /// # Errors
    /// [`AccumulateError::ElementAbsent`], and those of [`Accumulator::accumulate`].
    fn witness(
        key: &Self::PublicKey,
        set: &ElementSet<Self>,
        element: &[u8],
        workers: &Workers,
    ) -> Result<Self::Witness, AccumulateError>;

    /// The witness of one element.
    ///
    /// # Errors
    /// [`AccumulateError::ElementAbsent`], and those of [`Accumulator::accumulate_with_secret`].
    fn witness_with_secret(
        secret: &Self::SecretKey,
        set: &ElementSet<Self>,
        element: &[u8],
        workers: &Workers,
    ) -> Result<Self::Witness, AccumulateError>;

    /// The witnesses of all elements, in the order of [`ElementSet::elements`].
    ///
    /// # Errors
    /// Those of [`Accumulator::accumulate`].
    fn witnesses(
        key: &Self::PublicKey,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<Vec<Self::Witness>, AccumulateError>;

    /// The witnesses of all elements, in the order of [`ElementSet::elements`], and the value.
    ///
    /// Cost: that of [`Accumulator::witnesses`] and of [`Accumulator::accumulate`], or less where a
    /// scheme has the value from a witness.
    ///
    /// # Errors
    /// Those of [`Accumulator::accumulate`].
    fn witnesses_and_value(
        key: &Self::PublicKey,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<(Vec<Self::Witness>, Self::Value), AccumulateError> {
        let witnesses = Self::witnesses(key, set, workers)?;
        Ok((witnesses, Self::accumulate(key, set, workers)?))
    }

    /// The witnesses of all elements, in the order of [`ElementSet::elements`].
    ///
    /// # Errors
    /// Those of [`Accumulator::accumulate_with_secret`].
    fn witnesses_with_secret(
        secret: &Self::SecretKey,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<Vec<Self::Witness>, AccumulateError>;
}

/// Sets that change, and witnesses that follow without the secret key.
///
/// Laws: `change` and `change_with_secret` give equal changes; the value after is that of the
/// changed set; an updated witness equals the recomputed one. A change log is not trusted: a
/// false one makes a witness that does not verify.
///
/// Source: Camenisch & Lysyanskaya 2002 (RSA), Nguyen 2005 (bilinear maps).
pub trait Dynamic: Accumulator {
    /// Removes and then adds elements, all or nothing, and says what that did.
    ///
    /// `value` is the set's value. `removed` and `added` must not overlap.
    ///
    /// # Errors
    /// [`AccumulateError::ElementAbsent`], [`AccumulateError::DuplicateElement`], and those of
    /// [`Accumulator::accumulate`]; the set is then as it was.
    fn change<B: AsRef<[u8]> + Sync>(
        key: &Self::PublicKey,
        set: &mut ElementSet<Self>,
        value: &Self::Value,
        removed: &[B],
        added: &[B],
        workers: &Workers,
    ) -> Result<Change<Self>, AccumulateError>;

    /// As [`Dynamic::change`], for one product of exponents per element of the set, and one power
    /// or multiplication per published value.
    ///
    /// Checks that `value` is that of the set: the value of another set, say from before a crash,
    /// with an element divided out that it does not hold, would be a forgery for everybody to use.
    ///
    /// # Errors
    /// As [`Dynamic::change`], and [`AccumulateError::ValueMismatch`].
    fn change_with_secret<B: AsRef<[u8]> + Sync>(
        secret: &Self::SecretKey,
        set: &mut ElementSet<Self>,
        value: &Self::Value,
        removed: &[B],
        added: &[B],
        workers: &Workers,
    ) -> Result<Change<Self>, AccumulateError>;

    /// The witness after these consecutive changes. The caller bounds their number and size.
    ///
    /// # Errors
    /// None of them is evidence of anything, as the log is not:
    /// [`AccumulateError::ElementAbsent`] if a change removes the element,
    /// [`AccumulateError::DuplicateElement`] if one adds it, [`AccumulateError::ChangeGap`].
    fn update_witness(
        key: &Self::PublicKey,
        element: &Self::Element,
        witness: &Self::Witness,
        changes: &[Change<Self>],
    ) -> Result<Self::Witness, AccumulateError>;

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

/// One witness for many elements, and many witnesses verified at once.
pub trait Batch: Accumulator {
    /// Evidence that all elements of a list are in the set. The query is the list in ascending
    /// order without duplicates.
    type SubsetWitness: Proof<
            Commitment = Verified<Snapshot<Self>>,
            Query = [Vec<u8>],
            Statement = SubsetMembership,
        > + Clone
        + Debug
        + Eq
        + Wire<Context = Self::PublicKey>
        + 'static;
    /// A witness for each element of a list, verified faster than one by one. The query is the
    /// list, in the witnesses' order.
    type WitnessBatch: Proof<
            Commitment = Verified<Snapshot<Self>>,
            Query = [Vec<u8>],
            Statement = SubsetMembership,
        > + From<Vec<Self::Witness>>
        + Clone
        + Debug;

    /// The witness of a subset.
    ///
    /// # Errors
    /// [`AccumulateError::ElementAbsent`], [`AccumulateError::EmptySubset`],
    /// [`AccumulateError::DuplicateElement`], [`AccumulateError::SubsetTooLarge`], and those of
    /// [`Accumulator::accumulate`].
    fn subset_witness(
        key: &Self::PublicKey,
        set: &ElementSet<Self>,
        subset: &[Vec<u8>],
        workers: &Workers,
    ) -> Result<Self::SubsetWitness, AccumulateError>;

    /// As [`Batch::subset_witness`], with the secret key.
    ///
    /// # Errors
    /// As [`Batch::subset_witness`].
    fn subset_witness_with_secret(
        secret: &Self::SecretKey,
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
    /// Evidence that an element is not in the set of a value.
    type NonMembershipWitness: Proof<Commitment = Verified<Snapshot<Self>>, Query = [u8], Statement = NonMembership>
        + Clone
        + Debug
        + Eq
        + Send
        + Sync
        + Wire<Context = Self::PublicKey>
        + 'static;

    /// The witness of an element's absence.
    ///
    /// # Errors
    /// [`AccumulateError::ElementPresent`], and those of [`Accumulator::accumulate`].
    fn non_membership_witness(
        key: &Self::PublicKey,
        set: &ElementSet<Self>,
        element: &[u8],
        workers: &Workers,
    ) -> Result<Self::NonMembershipWitness, AccumulateError>;

    /// As [`Universal::non_membership_witness`], with the secret key.
    ///
    /// # Errors
    /// As [`Universal::non_membership_witness`].
    fn non_membership_witness_with_secret(
        secret: &Self::SecretKey,
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
