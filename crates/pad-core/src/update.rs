//! What an author sends to the server for each snapshot.

use alloc::vec::Vec;

use core::fmt::Debug;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    codec::Message,
    head::SignedHead,
    key::{Key, Value},
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

/// What an update carries beside its operations and its head.
///
/// A scheme whose head vouches for everything needs nothing, `()`. One that signs more than the head
/// sends its signatures here.
pub trait Attachment: Clone + Debug + Eq + Serialize + DeserializeOwned {
    /// The number, in envelopes, of the updates that carry this.
    const UPDATE_KIND: u8;
}

impl Attachment for () {
    const UPDATE_KIND: u8 = 4;
}

/// The operations that lead from one version to the next, and the next version's signed head.
///
/// Operations stand in strictly ascending order of their keys. A server replays them and commits
/// only if they, and the attachment, lead to the signed root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Update<S: Suite, A: Attachment = ()> {
    /// The version that the operations start from.
    pub base: Version,
    /// What changes, in strictly ascending order of keys.
    pub operations: Vec<Operation>,
    /// The head of the version after `base`.
    pub head: SignedHead<S>,
    /// What else the scheme needs; nothing for a tree.
    pub attachment: A,
}

impl<S: Suite, A: Attachment> Message for Update<S, A> {
    const KIND: u8 = A::UPDATE_KIND;
    const SUITE: u16 = S::ID.0;
}
