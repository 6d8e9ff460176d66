//! What an author sends to the server for each snapshot.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

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

/// The operations that lead from one version to the next, and the next version's signed head.
///
/// Operations stand in strictly ascending order of their keys. A server replays them and commits
/// only if they lead to the signed root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Update<S: Suite> {
    /// The version that the operations start from.
    pub base: Version,
    /// What changes, in strictly ascending order of keys.
    pub operations: Vec<Operation>,
    /// The head of the version after `base`.
    pub head: SignedHead<S>,
}

impl<S: Suite> Message for Update<S> {
    const KIND: u8 = 4;
    const SUITE: u16 = S::ID.0;
}
