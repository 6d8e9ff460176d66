//! A client's state of a file, and its digest (the *sealed root*).

use alloc::vec::Vec;

use pad_core::Digest;
use serde::{Deserialize, Serialize};

use crate::{
    FileId,
    list::{ListState, NodeHash, Sha256},
};

const SEALED_ROOT: u8 = 0x10;

/// The client's state of a file: identifier, version and list. The owner verifies every response of
/// the server against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// The identifier of the file.
    pub file: FileId,
    /// The version: 1 after the upload, incremented by every update.
    pub version: u64,
    /// The root hash of the file's list, and the length of the file.
    pub list: ListState,
}

impl FileState {
    /// Returns the sealed root, a commitment of 32 bytes to the whole state.
    ///
    /// `H(0x10 || file || version || total || root)` with SHA-256.
    #[doc(hidden)]
    pub fn sealed_root(&self) -> Digest<32> {
        let mut bytes = Vec::with_capacity(81);
        bytes.push(SEALED_ROOT);
        bytes.extend_from_slice(&self.file.0);
        bytes.extend_from_slice(&self.version.to_be_bytes());
        bytes.extend_from_slice(&self.list.total.to_be_bytes());
        bytes.extend_from_slice(&self.list.root.0);
        Sha256::hash(&bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_sealed() {
        let state = FileState {
            file: FileId([1; 32]),
            version: 2,
            list: ListState {
                root: Digest([3; 32]),
                total: 4,
            },
        };
        let other_list = |root, total| ListState { root, total };
        let others = [
            FileState {
                file: FileId([2; 32]),
                ..state
            },
            FileState {
                version: 3,
                ..state
            },
            FileState {
                list: other_list(Digest([4; 32]), 4),
                ..state
            },
            FileState {
                list: other_list(Digest([3; 32]), 5),
                ..state
            },
        ];
        assert_eq!(
            state.sealed_root().to_string(),
            "ab2f22d1bb1adf5ef75b7a5810f33be48996d5c5c359dc77615b4913edf09b77"
        );
        for other in others {
            assert_ne!(other.sealed_root(), state.sealed_root());
        }
    }
}
