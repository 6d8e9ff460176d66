//! Facts that a verified witness establishes.

use alloc::vec::Vec;

use pad_core::Version;

use crate::element::AccumulatorId;

/// An element is in the set of one version of one accumulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Membership {
    /// The accumulator.
    pub accumulator: AccumulatorId,
    /// Version of the value that the witness was verified against. The statement does not apply to
    /// other versions.
    pub version: Version,
    /// The element.
    pub element: Vec<u8>,
}

/// All these elements are in the set of one version of one accumulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubsetMembership {
    /// The accumulator.
    pub accumulator: AccumulatorId,
    /// Version of the value that the witness was verified against. The statement does not apply to
    /// other versions.
    pub version: Version,
    /// The elements, in the order of the query.
    pub elements: Vec<Vec<u8>>,
}

/// An element is not in the set of one version of one accumulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonMembership {
    /// The accumulator.
    pub accumulator: AccumulatorId,
    /// Version of the value that the witness was verified against. The statement does not apply to
    /// other versions.
    pub version: Version,
    /// The element.
    pub element: Vec<u8>,
}
