//! Updates: the message that an author sends to the server for each snapshot.

use alloc::vec::Vec;

use core::fmt::{self, Debug};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeOwned, SeqAccess, Visitor},
};

use crate::{
    codec::{self, Message},
    error::{ApplyError, DecodeError, VerifyError},
    head::{Authority, SignedHead},
    key::{Key, Value},
    proof::Untrusted,
    suite::Suite,
    version::Version,
};

/// One change of the contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operation {
    /// The key now has this value.
    Put(Key, Value),
    /// The key is now absent; it was present before.
    Remove(Key),
}

impl Operation {
    /// The key that changes.
    #[inline]
    pub const fn key(&self) -> &Key {
        match self {
            Self::Put(key, _) | Self::Remove(key) => key,
        }
    }
}

/// Data in an update in addition to its operations and its head.
///
/// The attachment is `()` for schemes whose head commits to all contents. Other schemes put their
/// further signatures into the attachment.
pub trait Attachment: Clone + Debug + Eq + Serialize + DeserializeOwned {
    /// The kind, in envelopes, of updates with this attachment.
    const UPDATE_KIND: u8;
}

impl Attachment for () {
    const UPDATE_KIND: u8 = 4;
}

/// The operations between one version and the next, and the signed head of the next version.
///
/// Operations are in strictly ascending order of their keys. A server replays them and commits only
/// if they, with the attachment, produce the signed root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Update<S: Suite, A: Attachment = ()> {
    /// The version that the operations start from.
    pub base: Version,
    /// The changes, in strictly ascending order of keys.
    pub operations: Vec<Operation>,
    /// The head of the version after `base`.
    pub head: SignedHead<S>,
    /// Further data that the scheme needs; none for trees.
    pub attachment: A,
}

/// The base and head of an update, decoded without storing its operations.
///
/// A server verifies this head first, and so rejects updates of other authors before allocating
/// memory for their operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(bound = "")]
pub struct UpdateHead<S: Suite> {
    /// The version that the operations start from.
    pub base: Version,
    operations: OperationScan,
    /// The head of the version after `base`.
    pub head: SignedHead<S>,
}

impl<S: Suite> UpdateHead<S> {
    /// Decodes the head of an update message of at most `limit` bytes with attachment `A`.
    ///
    /// Memory: at most two operations at a time. The message may still be malformed: decode the
    /// whole message once the head is verified.
    ///
    /// # Errors
    /// The errors of [`codec::open`]. [`DecodeError::Malformed`] if the part up to and including
    /// the head is malformed. This part need not be canonical.
    pub fn peek<A: Attachment>(bytes: &[u8], limit: usize) -> Result<Self, DecodeError> {
        codec::decode_start(codec::open(bytes, A::UPDATE_KIND, S::ID.0, limit)?)
    }

    /// The number of operations.
    pub const fn operations(&self) -> u64 {
        self.operations.all
    }

    /// Rejects operations that are out of order, or that remove more than `entries` keys, before
    /// they are stored. `entries` is the number of entries of the version before.
    ///
    /// The author signs only the head: an attacker can send this head with other operations.
    ///
    /// # Errors
    /// [`ApplyError::UnorderedOperations`], or [`ApplyError::RemovesAbsentKey`] if there are more
    /// removals than `entries`.
    pub const fn require_operations(&self, entries: u64) -> Result<(), ApplyError> {
        if !self.operations.is_ascending {
            return Err(ApplyError::UnorderedOperations);
        }
        if self.operations.removals > entries {
            return Err(ApplyError::RemovesAbsentKey);
        }
        Ok(())
    }

    /// Checks that the author has signed the head of the version after `base`.
    ///
    /// # Errors
    /// [`VerifyError`]: not signed by the author, another dictionary, scheme or version.
    pub fn verify(&self, authority: &Authority) -> Result<(), VerifyError> {
        let version = self.base.next().ok_or(VerifyError::WrongVersion {
            expected: self.base,
            actual: self.head.head.version,
        })?;
        Untrusted::new(self.head)
            .verify(authority, &version)
            .map(drop)
    }
}

/// A sequence of operations that is checked and counted while decoding, and not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OperationScan {
    all: u64,
    removals: u64,
    /// Whether the keys so far ascend strictly.
    is_ascending: bool,
}

impl<'de> Deserialize<'de> for OperationScan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ScanVisitor)
    }
}

/// A visitor that scans the sequence.
struct ScanVisitor;

impl<'de> Visitor<'de> for ScanVisitor {
    type Value = OperationScan;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("operations")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut operations: A) -> Result<OperationScan, A::Error> {
        let (mut all, mut removals, mut is_ascending) = (0_u64, 0_u64, true);
        let mut before: Option<Operation> = None;
        while let Some(operation) = operations.next_element::<Operation>()? {
            all = all.saturating_add(1);
            if matches!(operation, Operation::Remove(_)) {
                removals = removals.saturating_add(1);
            }
            let is_above = before.is_none_or(|before| before.key() < operation.key());
            is_ascending &= is_above;
            before = Some(operation);
        }
        Ok(OperationScan {
            all,
            removals,
            is_ascending,
        })
    }
}

impl<S: Suite, A: Attachment> Message for Update<S, A> {
    const KIND: u8 = A::UPDATE_KIND;
    const SUITE: u16 = S::ID.0;
}
