//! What a client keeps of a list.

use pad_core::Digest;
use serde::{Deserialize, Serialize};

use super::{FlexList, hash::NodeHash};

/// What a client keeps of a list, and verifies everything else against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListState {
    /// The hash of the root.
    pub root: Digest<32>,
    /// The length of the file in bytes.
    pub total: u64,
}

impl<H: NodeHash> FlexList<H> {
    /// What a client keeps of this list.
    pub fn state(&self) -> ListState {
        ListState {
            root: self.root(),
            total: self.total(),
        }
    }
}
