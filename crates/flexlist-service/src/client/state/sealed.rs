//! Encoding of state files: a message, its MAC, and a checksum of both.
//!
//! The checksum needs no key. By it, programs without the owner's key detect accidental damage. An
//! attacker can compute the checksum too. The MAC (keyed BLAKE3) needs the owner's [`StateKey`], so
//! the owner detects each change that another party made.

use core::fmt;

use pad_core::codec;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::{LIMIT, Record, StateError};

/// Length of the MAC in bytes.
const MAC: usize = blake3::OUT_LEN;

/// Length of the checksum in bytes.
const CHECKSUM: usize = 32;

/// The context by which the key of the MAC is derived from an owner's secret.
const CONTEXT: &str = "flexlist v1 state files: authentication";

/// The secret key that authenticates the state files of an owner.
///
/// A state file is evidence of the versions that the owner has uploaded or verified. With this key,
/// the owner refuses a state file that another party has written or changed. The key does not
/// reveal that a state file is an older copy.
#[derive(Clone)]
pub struct StateKey(Zeroizing<[u8; 32]>);

impl StateKey {
    /// Derives the key from `secret`, such as the 32 bytes of the owner's private signing key.
    ///
    /// `secret` needs full entropy, and must be the same for the whole life of a state file.
    /// BLAKE3 in its mode of key derivation separates the key from other uses of `secret`.
    pub fn derive(secret: &[u8]) -> Self {
        Self(Zeroizing::new(blake3::derive_key(CONTEXT, secret)))
    }

    fn mac(&self, message: &[u8]) -> blake3::Hash {
        blake3::keyed_hash(&self.0, message)
    }
}

/// Prints no part of the key.
impl fmt::Debug for StateKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("StateKey(..)")
    }
}

/// A state file in memory, undamaged by its checksum. [`authenticate`](Self::authenticate) verifies
/// its MAC.
pub(in crate::client) struct SealedRecord {
    message: Vec<u8>,
    mac: [u8; MAC],
    record: Record,
}

impl SealedRecord {
    /// Decodes a state file.
    pub(super) fn decode(mut bytes: Vec<u8>) -> Result<Self, StateError> {
        let (sealed, checksum) = bytes
            .split_last_chunk::<CHECKSUM>()
            .ok_or(StateError::Damaged)?;
        if Sha256::digest(sealed).as_slice() != checksum {
            return Err(StateError::Damaged);
        }
        let (message, mac) = sealed
            .split_last_chunk::<MAC>()
            .ok_or(StateError::Damaged)?;
        let record = codec::decode(message, LIMIT).map_err(StateError::Malformed)?;
        let (length, mac) = (message.len(), *mac);
        bytes.truncate(length);
        Ok(Self {
            message: bytes,
            mac,
            record,
        })
    }

    /// Returns the record, which another party may have changed.
    pub(in crate::client) const fn unauthenticated(&self) -> &Record {
        &self.record
    }

    /// Returns the record if its MAC was made with `key`.
    pub(super) fn authenticate(self, key: &StateKey) -> Result<Record, StateError> {
        // Hashes of `blake3` are compared in constant time.
        if key.mac(&self.message) == self.mac {
            Ok(self.record)
        } else {
            Err(StateError::NotAuthentic)
        }
    }
}

/// Encodes a record as a state file. Fails if the file would exceed `limit` bytes.
pub(super) fn encode(record: &Record, key: &StateKey, limit: usize) -> Result<Vec<u8>, StateError> {
    let mut bytes = codec::encode(record);
    let mac = key.mac(&bytes);
    bytes.extend_from_slice(mac.as_bytes());
    let checksum = Sha256::digest(&bytes);
    bytes.extend_from_slice(&checksum);
    let length = bytes.len();
    if length > limit {
        return Err(StateError::TooLong { length });
    }
    Ok(bytes)
}
