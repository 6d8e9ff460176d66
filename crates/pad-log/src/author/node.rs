//! The nodes of a log's trees, in memory.

use pad_core::Digest;

use crate::certificate::{PointBytes, ScalarBytes};

/// A node at the blocks' level or above: its accumulator and inner hash, and the certificate of its
/// polynomial (`value` and `quotient`).
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) accumulator: PointBytes,
    pub(crate) inner: Digest<32>,
    /// The value of the left child's polynomial at the challenge; zero for blocks, which have no
    /// children.
    pub(crate) value: ScalarBytes,
    pub(crate) quotient: PointBytes,
}
