//! What the update of a tuple dictionary carries beside its operations, and the root that binds both.

use core::fmt::Debug;

use pad_core::{Attachment, Domain, Operation, Suite};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::tuple::length_of;

/// What the author sends about one generation whose clock moved: it extends the validity of that
/// generation's tuples to the new epoch.
pub trait EpochExtension: Clone + Debug + Eq + Send + Sync + Serialize + DeserializeOwned {
    /// Appends an injective encoding, which the signed root covers.
    fn absorb(&self, bytes: &mut Vec<u8>);
}

/// Which generations were merged, and what authenticates the tuples of each generation whose clock
/// moved, youngest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct TupleAttachment<T: EpochExtension> {
    /// The generation that all younger ones were merged into; 0 if none was.
    pub merged: u8,
    /// One for each of the generations `0..=merged`.
    #[serde(deserialize_with = "crate::few::few")]
    pub extensions: Vec<T>,
}

impl<T: EpochExtension> Attachment for TupleAttachment<T> {
    const UPDATE_KIND: u8 = 64;
}

impl<T: EpochExtension> TupleAttachment<T> {
    /// `H(tuple-attachment, merged (1) ‖ number of extensions (4) ‖ each extension)`.
    pub fn digest<S: Suite>(&self) -> S::Digest {
        let mut bytes = vec![self.merged];
        bytes.extend_from_slice(&count(self.extensions.len()));
        for extension in &self.extensions {
            extension.absorb(&mut bytes);
        }
        S::hash(Domain::TupleAttachment, &[&bytes])
    }
}

/// A number of items as it is hashed.
pub(crate) fn count(items: usize) -> [u8; 4] {
    u32::try_from(items).unwrap_or(u32::MAX).to_be_bytes()
}

/// `H(tuple-operations, each operation)`: 1 ‖ key's length (4) ‖ key ‖ value's length (4) ‖ value for
/// a put, 0 ‖ key's length (4) ‖ key for a removal; integers big-endian.
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

/// The root that a head signs: `H(tuple-root, operations digest ‖ attachment digest)`.
///
/// It binds what the author sent for this version; the head's history binds all versions before, so
/// together they determine every tuple. Two dictionaries with different contents have different heads.
pub fn root<S: Suite>(operations: &S::Digest, attachment: &S::Digest) -> S::Digest {
    S::hash(
        Domain::TupleRoot,
        &[operations.as_ref(), attachment.as_ref()],
    )
}
