//! Byte lists in messages, read and written as one slice, for `#[serde(with)]`.
//!
//! The encoding is the encoding of every other list. Serde would pass a `Vec<u8>` byte by byte.

use alloc::vec::Vec;

use serde::{Deserialize, Deserializer, Serializer};

use crate::key::BytesVisitor;

/// Serializes a list of bytes.
///
/// # Errors
/// The serializer's errors.
pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

/// Deserializes a list of bytes.
///
/// # Errors
/// The deserializer's errors.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    if deserializer.is_human_readable() {
        return Vec::deserialize(deserializer);
    }
    deserializer.deserialize_bytes(BytesVisitor)
}
