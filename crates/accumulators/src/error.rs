//! What an accumulator cannot do, and why.

use thiserror::Error;

/// An operation on sets, values or witnesses cannot be carried out. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AccumulateError {
    /// The element is in the set already.
    #[error("the element is in the set already")]
    DuplicateElement,
    /// The element is not in the set.
    #[error("the element is not in the set")]
    ElementAbsent,
    /// The element is in the set, so there is no witness of its absence.
    #[error("the element is in the set")]
    ElementPresent,
    /// The accumulator cannot hold this element: no prime representative in the search window, or
    /// a scalar that is zero or the negative of the secret. Probability below 2^-128 for a hash.
    #[error("the accumulator cannot hold this element")]
    ElementNotAllowed,
    /// The set, key, value or change belongs to another accumulator.
    #[error("the input is of another accumulator")]
    WrongAccumulator,
    /// The public key has too few powers for a set of this size.
    #[error("the public key serves at most {capacity} elements")]
    CapacityExceeded {
        /// The largest set that it serves.
        capacity: usize,
    },
    /// More elements at once than one subset witness of this public key can cover.
    #[error("the public key serves subsets of at most {limit} elements")]
    SubsetTooLarge {
        /// The largest subset that it serves.
        limit: usize,
    },
    /// Nothing was asked for: a subset or a batch without elements.
    #[error("the subset is empty")]
    EmptySubset,
    /// A change does not start at the value where the previous one ended.
    #[error("the change does not start where the previous one ended")]
    ChangeGap,
    /// A witness does not belong to the value it was used with.
    #[error("the witness does not belong to the accumulator value")]
    WitnessMismatch,
    /// The value is not that of the set.
    #[error("the value is not that of the set")]
    ValueMismatch,
    /// A result of secret-key arithmetic failed its check and was withheld: a fault of the machine.
    #[error("a result of secret-key arithmetic failed its check")]
    FaultDetected,
    /// The version numbers are exhausted.
    #[error("the version numbers are exhausted")]
    VersionsExhausted,
}

#[cfg(feature = "rsa")]
impl From<rsa_group::FaultDetected> for AccumulateError {
    fn from(_: rsa_group::FaultDetected) -> Self {
        Self::FaultDetected
    }
}
