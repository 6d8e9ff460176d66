//! The client's commitment to a list.

use pad_core::Digest;
use serde::{Deserialize, Serialize};

use super::{FlexList, hash::NodeHash};

/// A client's commitment to a list. The client verifies all proofs and updates of the list against
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListState {
    /// The hash of the list's root node.
    pub root: Digest<32>,
    /// The length of the file in bytes.
    pub total: u64,
}

impl<H: NodeHash> FlexList<H> {
    /// Returns the client's commitment to this list.
    pub fn state(&self) -> ListState {
        ListState {
            root: self.root(),
            total: self.total(),
        }
    }
}
