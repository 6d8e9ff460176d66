//! Errors of accumulator operations.

use thiserror::Error;

/// Error of an operation on sets, values or witnesses. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AccumulateError {
    /// The element is in the set already.
    #[error("the element is in the set already")]
    DuplicateElement,
    /// The element is not in the set.
    #[error("the element is not in the set")]
    ElementAbsent,
    /// The element is in the set, so it has no non-membership witness.
    #[error("the element is in the set")]
    ElementPresent,
    /// The accumulator cannot hold this element. Its search window contains no prime, or its scalar
    /// is zero or the negative of the secret. The probability is below 2^-128 for a hash.
    #[error("the accumulator cannot hold this element")]
    ElementNotAllowed,
    /// The set or the published powers belong to another accumulator.
    #[error("the input belongs to another accumulator")]
    WrongAccumulator,
    /// The public key has too few powers for a set of this size.
    #[error("the public key supports at most {capacity} elements")]
    CapacityExceeded {
        /// Maximum number of elements that the public key supports.
        capacity: usize,
    },
    /// The subset is larger than one subset witness of this public key can cover.
    #[error("the public key supports subsets of at most {limit} elements")]
    SubsetTooLarge {
        /// Maximum size of a subset that the public key supports.
        limit: usize,
    },
    /// The subset or batch is empty.
    #[error("the subset is empty")]
    EmptySubset,
    /// A change does not start at the value where the previous one ended.
    #[error(
        "changes are not contiguous: a change does not start at the value where the previous one \
         ended"
    )]
    ChangeGap,
    /// A witness does not belong to the value it was used with.
    #[error("the witness does not match the accumulator value")]
    WitnessMismatch,
    /// The value does not match the set.
    #[error("the accumulator value does not match the set")]
    ValueMismatch,
    /// A result of secret-key arithmetic failed its check and was withheld, because of a hardware
    /// fault.
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
