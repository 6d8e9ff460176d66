//! What an accumulator cannot do, and why.

use core::fmt;

/// An operation on sets, values or witnesses cannot be carried out. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccumulateError {
    /// The element is in the set already.
    DuplicateElement,
    /// The element is not in the set.
    ElementAbsent,
    /// The element is in the set, so there is no witness of its absence.
    ElementPresent,
    /// The accumulator cannot hold this element: no prime representative in the search window, or
    /// a scalar that is zero or the negative of the secret. Probability below 2^-128 for a hash.
    ElementNotAllowed,
    /// The set, key, value or change belongs to another accumulator.
    WrongAccumulator,
    /// The public key has too few powers for a set of this size.
    CapacityExceeded {
        /// The largest set that it serves.
        capacity: usize,
    },
    /// More elements at once than one subset witness of this public key can cover.
    SubsetTooLarge {
        /// The largest subset that it serves.
        limit: usize,
    },
    /// Nothing was asked for: a subset or a batch without elements.
    EmptySubset,
    /// A change does not start at the value where the previous one ended.
    ChangeGap,
    /// A witness does not belong to the value it was used with.
    WitnessMismatch,
    /// The value is not that of the set.
    ValueMismatch,
    /// A result of secret-key arithmetic failed its check and was withheld: a fault of the machine.
    FaultDetected,
    /// The version numbers are exhausted.
    VersionsExhausted,
}

impl fmt::Display for AccumulateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateElement => formatter.write_str("the element is in the set already"),
            Self::ElementAbsent => formatter.write_str("the element is not in the set"),
            Self::ElementPresent => formatter.write_str("the element is in the set"),
            Self::ElementNotAllowed => {
                formatter.write_str("the accumulator cannot hold this element")
            }
            Self::WrongAccumulator => formatter.write_str("the input is of another accumulator"),
            Self::CapacityExceeded { capacity } => {
                write!(
                    formatter,
                    "the public key serves at most {capacity} elements"
                )
            }
            Self::SubsetTooLarge { limit } => {
                write!(
                    formatter,
                    "the public key serves subsets of at most {limit} elements"
                )
            }
            Self::EmptySubset => formatter.write_str("the subset is empty"),
            Self::ChangeGap => {
                formatter.write_str("the change does not start where the previous one ended")
            }
            Self::WitnessMismatch => {
                formatter.write_str("the witness does not belong to the accumulator value")
            }
            Self::ValueMismatch => formatter.write_str("the value is not that of the set"),
            Self::FaultDetected => {
                formatter.write_str("a result of secret-key arithmetic failed its check")
            }
            Self::VersionsExhausted => formatter.write_str("the version numbers are exhausted"),
        }
    }
}

impl core::error::Error for AccumulateError {}
