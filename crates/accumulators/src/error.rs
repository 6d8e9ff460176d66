//! Errors of accumulator operations.

use thiserror::Error;

/// Error of an operation on sets, values or witnesses. The failed operation changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AccumulateError {
    /// An element to add is already in the set, or a list names an element twice.
    #[error("the element is in the set already")]
    DuplicateElement,
    /// An element that the operation requires in the set is not in it.
    #[error("the element is not in the set")]
    ElementAbsent,
    /// The element is in the set, so it has no non-membership witness.
    #[error("the element is in the set")]
    ElementPresent,
    /// The accumulator cannot represent this element. RSA: its search window contains no prime.
    /// Bilinear: its scalar is zero or the negative of the secret. The probability is below 2^-128
    /// for a hash.
    #[error("the accumulator cannot hold this element")]
    ElementNotAllowed,
    /// The set or the published powers do not belong to the key's accumulator.
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
    /// The list of elements for a subset witness is empty.
    #[error("the subset is empty")]
    EmptySubset,
    /// A change in a list does not start at the value where the previous change ended. Bilinear:
    /// also if a change has too few or too many values between its steps.
    #[error(
        "changes are not contiguous: a change does not start at the value where the previous one \
         ended"
    )]
    ChangeGap,
    /// A witness does not match the accumulator value that it was used with.
    #[error("the witness does not match the accumulator value")]
    WitnessMismatch,
    /// The accumulator value that was passed is not the value of the set.
    #[error("the accumulator value does not match the set")]
    ValueMismatch,
    /// A result of secret-key arithmetic failed its check and was withheld, because of a hardware
    /// fault.
    #[error("a result of secret-key arithmetic failed its check")]
    FaultDetected,
}

#[cfg(feature = "rsa")]
impl From<rsa_group::FaultDetected> for AccumulateError {
    fn from(_: rsa_group::FaultDetected) -> Self {
        Self::FaultDetected
    }
}
