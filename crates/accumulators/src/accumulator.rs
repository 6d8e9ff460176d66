//! Computations on accumulators: [`Accumulator`] and its extension [`Batch`]. An *accumulator*
//! commits to a set by one short value, and a *witness* proves membership in the set.
//!
//! Further extensions: [`Dynamic`](crate::Dynamic) and [`Universal`](crate::Universal).
//!
//! Roles: the **author** holds the secret key, or only the public key, and the set. A **server**
//! holds the public key and the set. A **client** holds the public key, a verified
//! [`Snapshot`](crate::Snapshot), and perhaps a witness.
//!
//! Every computation over a set takes [either key](EitherKey). Both keys give equal results. With
//! the secret key, the computation is cheaper.

use pad_core::Workers;

use crate::{error::AccumulateError, evidence::Witnessed, scheme::PublicKey, set::ElementSet};

/// The secret key of an accumulator. The secret cannot be printed or compared, and is wiped on
/// drop.
pub trait SecretKey: Send + Sync + Sized + 'static {
    /// The public key of the same accumulator.
    type PublicKey: PublicKey;

    /// Parameters for creating a key. The defaults suit most uses.
    type Parameters: Default + Send + Sync;

    /// Error returned when no key can be created.
    type CreateError: core::error::Error + Send + Sync + 'static;

    /// Creates a key for the accumulator called `label` from the system's randomness.
    ///
    /// Cost, RSA: a search for two safe primes, which takes seconds to minutes. Cost, bilinear
    /// maps: one multiplication per element of the largest supported set.
    ///
    /// # Errors
    /// [`SecretKey::CreateError`] if the operating system provides no random bytes, or if the
    /// scheme cannot create a key.
    fn create(
        parameters: &Self::Parameters,
        label: &[u8],
        workers: &Workers,
    ) -> Result<Self, Self::CreateError>;

    /// Returns the public key that belongs to this secret key.
    fn public_key(&self) -> &Self::PublicKey;

    /// Returns a secret key with the same secret and parameters for another accumulator, called
    /// `label`.
    #[must_use]
    fn with_label(&self, label: &[u8]) -> Self;
}

/// Either a public key only, or a secret key together with its public key.
pub trait EitherKey<A: Accumulator>: Send + Sync {
    /// Returns the public key.
    fn public(&self) -> &A::PublicKey;

    /// Returns the secret key, or `None` if this is a public key.
    fn secret(&self) -> Option<&A::SecretKey> {
        None
    }
}

/// A set commitment of constant size, with constant-size witnesses for its elements.
///
/// Laws:
/// 1. Values and witnesses depend only on the public key and the set. They are equal with and
///    without the secret key, for every order of insertion and every number of workers.
/// 2. A witness verifies only for its element, against the value of its set.
/// 3. No witness is computed for an element that is not in the set.
///
/// Errors of every operation:
/// * [`AccumulateError::CapacityExceeded`] if the set is larger than the public key supports;
/// * [`AccumulateError::WrongAccumulator`] if the set does not belong to the key's accumulator;
/// * [`AccumulateError::ElementNotAllowed`] if the accumulator cannot hold an element;
/// * [`AccumulateError::FaultDetected`] if a result computed with the secret key fails its check.
///
/// Source: Tremel 2013, sections 2 and 3; Crosby & Wallach 2010, section 4.3.
pub trait Accumulator: Witnessed<PublicKey: EitherKey<Self>> {
    /// The author's secret key.
    type SecretKey: SecretKey<PublicKey = Self::PublicKey> + EitherKey<Self>;

    /// Computes the value of a set.
    ///
    /// Cost with the secret key: one multiplication of exponents per element. One exponentiation
    /// (RSA) or scalar multiplication (bilinear maps) follows. With the public key: for each
    /// element, one power with a prime exponent (RSA) or one term of a sum (bilinear maps).
    ///
    /// # Errors
    /// The errors of every operation, listed at [`Accumulator`].
    fn accumulate(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<Self::Value, AccumulateError>;

    /// Computes the witness of one element.
    ///
    /// Cost: one accumulation of the set without the element.
    ///
    /// # Errors
    /// [`AccumulateError::ElementAbsent`] if the set does not contain the element, and the errors
    /// of every operation of [`Accumulator`].
    fn witness(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        element: &[u8],
        workers: &Workers,
    ) -> Result<Self::Witness, AccumulateError>;

    /// Computes the witnesses of all elements, in the order of [`ElementSet::elements`].
    ///
    /// Cost with the secret key: linear in the number `n` of elements. With the public key:
    /// `O(n log n)` powers with prime exponents (RSA), or `O(n log^2 n)` scalar multiplications
    /// (bilinear maps).
    ///
    /// # Errors
    /// The errors of every operation, listed at [`Accumulator`].
    fn witnesses(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<Vec<Self::Witness>, AccumulateError>;

    /// Computes the witnesses of all elements, in the order of [`ElementSet::elements`], and the
    /// value.
    ///
    /// Cost: [`Accumulator::witnesses`] plus [`Accumulator::accumulate`], or less if a scheme
    /// derives the value from a witness.
    ///
    /// # Errors
    /// The errors of every operation, listed at [`Accumulator`].
    fn witnesses_and_value(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        workers: &Workers,
    ) -> Result<(Vec<Self::Witness>, Self::Value), AccumulateError> {
        let witnesses = Self::witnesses(key, set, workers)?;
        Ok((witnesses, Self::accumulate(key, set, workers)?))
    }
}

/// Accumulators in which one witness proves membership of many elements.
pub trait Batch: Accumulator {
    /// Computes the witness of a subset.
    ///
    /// Cost: one accumulation of the set without the subset, and for RSA two more powers.
    ///
    /// # Errors
    /// * [`AccumulateError::ElementAbsent`] if the set does not contain an element of the subset.
    /// * [`AccumulateError::EmptySubset`] for an empty subset.
    /// * [`AccumulateError::DuplicateElement`] if the subset lists an element twice.
    /// * [`AccumulateError::SubsetTooLarge`] if the subset is larger than the public key supports.
    /// * The errors of [`Accumulator::accumulate`].
    fn subset_witness(
        key: &impl EitherKey<Self>,
        set: &ElementSet<Self>,
        subset: &[Vec<u8>],
        workers: &Workers,
    ) -> Result<Self::SubsetWitness, AccumulateError>;

    /// Combines the witnesses of single elements into one witness for the subset of these elements.
    /// The set is not needed.
    ///
    /// # Errors
    /// * [`AccumulateError::EmptySubset`] if `witnesses` is empty.
    /// * [`AccumulateError::DuplicateElement`] if `witnesses` lists an element twice.
    /// * [`AccumulateError::SubsetTooLarge`] if the subset is larger than the public key supports.
    /// * [`AccumulateError::WitnessMismatch`] if the scheme detects that the witnesses do not match
    ///   `value`.
    fn aggregate(
        key: &Self::PublicKey,
        value: &Self::Value,
        witnesses: &[(Self::Element, Self::Witness)],
    ) -> Result<Self::SubsetWitness, AccumulateError>;
}
