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

/// One change of a dictionary's contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operation {
    /// Sets the value of a key, which may be new.
    Put(Key, Value),
    /// Removes a key. In an [`Update`], the key must be present.
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

/// Additional data of a scheme in an update, next to the operations and the head.
///
/// The attachment is `()` for schemes whose head commits to all contents. Other schemes use the
/// attachment for additional signatures.
pub trait Attachment: Clone + Debug + Eq + Serialize + DeserializeOwned {
    /// The kind number, in envelopes, of updates with this attachment.
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
    /// The version to which the operations apply.
    pub base: Version,
    /// The changes of the contents, in strictly ascending order of keys.
    pub operations: Vec<Operation>,
    /// The signed head of the version that the operations produce, `base + 1`.
    pub head: SignedHead<S>,
    /// Additional data that the scheme needs, such as signatures; `()` for trees.
    pub attachment: A,
}

/// The base and head of an update, decoded without storing its operations.
///
/// A server verifies this head first, and so rejects updates of other authors before allocating
/// memory for their operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(bound = "")]
pub struct UpdateHead<S: Suite> {
    /// The version to which the operations apply.
    pub base: Version,
    operations: OperationScan,
    /// The signed head of the version that the operations produce, `base + 1`.
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

    /// The number of operations in the update.
    pub const fn operations(&self) -> u64 {
        self.operations.all
    }

    /// Checks, without storing the operations, that they are in order and remove at most `entries`
    /// keys. `entries` is the number of entries of version `base`.
    ///
    /// The author's signature covers only the head, so an attacker can send this head with other
    /// operations.
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
    /// [`VerifyError`] if the author did not sign the head, or if the head is of another
    /// dictionary, scheme or version.
    pub fn verify(&self, authority: &Authority) -> Result<(), VerifyError> {
        let (expected, actual) = (self.base, self.head.head.version);
        let wrong_version = VerifyError::WrongVersion { expected, actual };
        let version = self.base.next().ok_or(wrong_version)?;
        let verified = Untrusted::new(self.head).verify(authority, &version);
        verified.map(drop)
    }
}

/// The result of decoding a sequence of operations without storing them: their numbers and order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OperationScan {
    all: u64,
    removals: u64,
    /// Whether the keys are in strictly ascending order.
    is_ascending: bool,
}

impl<'de> Deserialize<'de> for OperationScan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ScanVisitor)
    }
}

/// The serde visitor that decodes, counts and drops the operations one after the other.
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
