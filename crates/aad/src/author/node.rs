//! A node of a log as its maker has it.

use pad_core::Digest;

use crate::certificate::{PointBytes, ScalarBytes};

/// A node with its certificate.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) accumulator: PointBytes,
    pub(crate) inner: Digest<32>,
    /// The value of the left child's polynomial at the challenge; zero for blocks, which have none.
    pub(crate) value: ScalarBytes,
    pub(crate) quotient: PointBytes,
}
