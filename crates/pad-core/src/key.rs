//! Keys and values: byte strings with checked length.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use alloc::{boxed::Box, vec::Vec};
use core::{borrow::Borrow, fmt};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::error::InputError;

/// The longest key, in bytes.
pub const MAX_KEY_LENGTH: usize = 4096;

/// The longest value, in bytes.
pub const MAX_VALUE_LENGTH: usize = 16 << 20;

/// A key: at most [`MAX_KEY_LENGTH`] bytes, ordered lexicographically.
///
/// Numbers, texts and tuples become keys through [`crate::ordered::OrderedKey`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Key(Box<[u8]>);

/// A value: at most [`MAX_VALUE_LENGTH`] bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Value(Box<[u8]>);

impl Key {
    /// The key with these bytes.
    ///
    /// # Errors
    /// [`InputError::KeyTooLong`] above [`MAX_KEY_LENGTH`].
    pub fn new(bytes: impl Into<Box<[u8]>>) -> Result<Self, InputError> {
        let bytes = bytes.into();
        if bytes.len() > MAX_KEY_LENGTH {
            return Err(InputError::KeyTooLong {
                length: bytes.len(),
                limit: MAX_KEY_LENGTH,
            });
        }
        Ok(Self(bytes))
    }

    /// The key's bytes.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Value {
    /// The value with these bytes.
    ///
    /// # Errors
    /// [`InputError::ValueTooLong`] above [`MAX_VALUE_LENGTH`].
    pub fn new(bytes: impl Into<Box<[u8]>>) -> Result<Self, InputError> {
        let bytes = bytes.into();
        if bytes.len() > MAX_VALUE_LENGTH {
            return Err(InputError::ValueTooLong {
                length: bytes.len(),
                limit: MAX_VALUE_LENGTH,
            });
        }
        Ok(Self(bytes))
    }

    /// The value's bytes.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The value's bytes, without a copy.
    pub fn into_bytes(self) -> Box<[u8]> {
        self.0
    }
}

impl Borrow<[u8]> for Key {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

macro_rules! byte_string {
    ($name:ident) => {
        impl AsRef<[u8]> for $name {
            fn as_ref(&self) -> &[u8] {
                &self.0
            }
        }

        impl TryFrom<&str> for $name {
            type Error = InputError;

            fn try_from(text: &str) -> Result<Self, InputError> {
                Self::new(text.as_bytes())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(
                    formatter,
                    concat!(stringify!($name), "({})"),
                    self.0.escape_ascii()
                )
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.escape_ascii().fmt(formatter)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_bytes(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                // Asked for as borrowed bytes, which no decoder allocates before it has them.
                let bytes = deserializer.deserialize_bytes(BytesVisitor)?;
                Self::new(bytes).map_err(D::Error::custom)
            }
        }
    };
}

byte_string!(Key);
byte_string!(Value);

struct BytesVisitor;

impl serde::de::Visitor<'_> for BytesVisitor {
    type Value = Vec<u8>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a byte string")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }

    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
        Ok(bytes)
    }
}
