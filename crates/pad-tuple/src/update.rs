//! The attachment of a tuple dictionary's updates, and the signed root, which commits to attachment
//! and operations.

use core::fmt::Debug;

use pad_core::{
    Operation, Suite,
    internals::{Attachment, Domain},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::tuple::length_of;

/// An author's extension for one generation whose clock moved. It extends the validity of that
/// generation's tuples to the new instant.
pub trait EpochExtension: Clone + Debug + Eq + Send + Sync + Serialize + DeserializeOwned {
    /// Appends an encoding of the extension to the bytes that the signed root covers. Different
    /// extensions have different encodings.
    fn absorb(&self, bytes: &mut Vec<u8>);
}

/// Attachment of an update of a tuple dictionary. It contains the generation into which younger
/// ones were merged, and one extension for each generation whose clock moved, youngest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct TupleAttachment<T: EpochExtension> {
    /// The generation into which all younger generations were merged; 0 if none was merged.
    pub merged: u8,
    /// One extension for each of the generations `0..=merged`, which are those whose clocks moved.
    #[serde(deserialize_with = "crate::few::few")]
    pub extensions: Vec<T>,
}

impl<T: EpochExtension> Attachment for TupleAttachment<T> {
    const UPDATE_KIND: u8 = 64;
}

impl<T: EpochExtension> TupleAttachment<T> {
    /// Returns the digest of the attachment: `H(tuple-attachment, merged (1) ‖ number of extensions
    /// (4) ‖ each extension)`.
    pub fn digest<S: Suite>(&self) -> S::Digest {
        let mut bytes = vec![self.merged];
        bytes.extend_from_slice(&count(self.extensions.len()));
        for extension in &self.extensions {
            extension.absorb(&mut bytes);
        }
        S::hash(Domain::TupleAttachment, &[&bytes])
    }
}

/// Encodes a number of items for hashing: 32 bits, big-endian.
pub(crate) fn count(items: usize) -> [u8; 4] {
    u32::try_from(items).unwrap_or(u32::MAX).to_be_bytes()
}

/// Returns the digest of a snapshot's operations: `H(tuple-operations, each operation)`. A put is
/// encoded as 1 ‖ key's length (4) ‖ key ‖ value's length (4) ‖ value. A removal is encoded as 0 ‖
/// key's length (4) ‖ key. Integers are big-endian.
pub fn operations_digest<S: Suite>(operations: &[Operation]) -> S::Digest {
    let mut bytes = Vec::new();
    for operation in operations {
        let key = operation.key().as_bytes();
        bytes.push(u8::from(matches!(operation, Operation::Put(..))));
        bytes.extend_from_slice(&length_of(key));
        bytes.extend_from_slice(key);
        if let Operation::Put(_, value) = operation {
            bytes.extend_from_slice(&length_of(value.as_bytes()));
            bytes.extend_from_slice(value.as_bytes());
        }
    }
    S::hash(Domain::TupleOperations, &[&bytes])
}

/// Returns the root in the signed head of a version:
/// `H(tuple-root, operations digest ‖ attachment digest)`. The root commits to the operations and
/// the attachment of this version. The head's history root commits to all earlier versions.
/// Together, the two roots determine every tuple, so dictionaries with different contents have
/// different heads.
pub fn root<S: Suite>(operations: &S::Digest, attachment: &S::Digest) -> S::Digest {
    S::hash(
        Domain::TupleRoot,
        &[operations.as_ref(), attachment.as_ref()],
    )
}
