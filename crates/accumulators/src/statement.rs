//! Statements about elements and sets that a client obtains by verifying witnesses.

use alloc::vec::Vec;

use pad_core::Version;

use crate::element::AccumulatorId;

/// States that an element is in the set of one version of one accumulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Membership {
    /// Id of the accumulator that the statement is about.
    pub accumulator: AccumulatorId,
    /// Version of the value that the witness was verified against. The statement does not apply to
    /// other versions.
    pub version: Version,
    /// The bytes of the element that is in the set.
    pub element: Vec<u8>,
}

/// States that several elements are all in the set of one version of one accumulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubsetMembership {
    /// Id of the accumulator that the statement is about.
    pub accumulator: AccumulatorId,
    /// Version of the value that the witness was verified against. The statement does not apply to
    /// other versions.
    pub version: Version,
    /// The bytes of each element, in the order of the client's query.
    pub elements: Vec<Vec<u8>>,
}

/// States that an element is not in the set of one version of one accumulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonMembership {
    /// Id of the accumulator that the statement is about.
    pub accumulator: AccumulatorId,
    /// Version of the value that the witness was verified against. The statement does not apply to
    /// other versions.
    pub version: Version,
    /// The bytes of the element that is not in the set.
    pub element: Vec<u8>,
}
