//! Keys and values: byte strings whose length is checked when they are created.

use alloc::{boxed::Box, string::String, vec::Vec};
use core::{borrow::Borrow, fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::error::InputError;

mod text;

/// The maximum length of a key, in bytes.
pub const MAX_KEY_LENGTH: usize = 4096;

/// The maximum length of a value, in bytes (16 MiB).
pub const MAX_VALUE_LENGTH: usize = 16 << 20;

/// A key: at most [`MAX_KEY_LENGTH`] bytes, ordered lexicographically. A key may be empty.
///
/// * Bytes and strings are converted with [`Key::try_from`] or [`str::parse`]. The key of a string
///   is its UTF-8 bytes.
/// * Arrays are converted with [`Key::from`]. Arrays that are too long do not compile.
/// * Numbers and tuples are converted with [`crate::ordered::OrderedKey`], which keeps their order.
///
/// [`fmt::Display`] escapes bytes that are not printable ASCII. No function parses this output.
///
/// In JSON and other human-readable formats of serde, a key that is UTF-8 is a string. Any other
/// key is an object such as `{"hex": "00ff"}`, and cannot be the key of an object. In binary
/// formats, a key is a byte string.
///
/// ```
/// use pad_core::Key;
///
/// let (fixed, read): (Key, Key) = (Key::from(b"apple"), "apple".parse()?);
/// assert_eq!(fixed, read);
/// assert_eq!(Key::try_from(vec![0, b'a'])?.to_string(), r"\x00a");
/// # Ok::<(), pad_core::InputError>(())
/// ```
///
/// ```compile_fail
/// let key = pad_core::Key::from([0; 4097]);
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Key(Box<[u8]>);

/// A value: at most [`MAX_VALUE_LENGTH`] bytes, and may be empty. Bytes, strings and arrays are
/// converted in the same ways as for [`Key`], and serde's formats contain them in the same form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Value(Box<[u8]>);

macro_rules! byte_string {
    ($name:ident, $limit:ident, $too_long:ident) => {
        impl $name {
            /// Checks the length of `bytes`, and wraps them.
            ///
            /// # Errors
            #[doc = concat!("[`InputError::", stringify!($too_long), "`] if there are more than")]
            #[doc = concat!("[`", stringify!($limit), "`] bytes.")]
            pub fn new(bytes: impl Into<Box<[u8]>>) -> Result<Self, InputError> {
                let (bytes, limit) = (bytes.into(), $limit);
                let length = bytes.len();
                if length > limit {
                    return Err(InputError::$too_long { length, limit });
                }
                Ok(Self(bytes))
            }

            /// The bytes.
            #[inline]
            pub fn as_bytes(&self) -> &[u8] {
                &self.0
            }

            /// Converts it into its bytes, without a copy.
            pub fn into_bytes(self) -> Box<[u8]> {
                self.0
            }
        }

        /// Allows lookups by plain bytes in maps whose keys have this type.
        impl Borrow<[u8]> for $name {
            fn borrow(&self) -> &[u8] {
                &self.0
            }
        }

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

        impl TryFrom<String> for $name {
            type Error = InputError;

            fn try_from(text: String) -> Result<Self, InputError> {
                Self::new(text.into_bytes())
            }
        }

        impl FromStr for $name {
            type Err = InputError;

            fn from_str(text: &str) -> Result<Self, InputError> {
                Self::try_from(text)
            }
        }

        impl TryFrom<&[u8]> for $name {
            type Error = InputError;

            fn try_from(bytes: &[u8]) -> Result<Self, InputError> {
                Self::new(bytes)
            }
        }

        impl TryFrom<Vec<u8>> for $name {
            type Error = InputError;

            fn try_from(bytes: Vec<u8>) -> Result<Self, InputError> {
                Self::new(bytes)
            }
        }

        impl TryFrom<Box<[u8]>> for $name {
            type Error = InputError;

            fn try_from(bytes: Box<[u8]>) -> Result<Self, InputError> {
                Self::new(bytes)
            }
        }

        /// Copies the bytes of an array. An array that is too long does not compile.
        impl<const N: usize> From<[u8; N]> for $name {
            fn from(bytes: [u8; N]) -> Self {
                const { assert!(N <= $limit, "the array is too long") }
                Self(Box::new(bytes))
            }
        }

        /// Copies the bytes of an array. An array that is too long does not compile.
        impl<const N: usize> From<&[u8; N]> for $name {
            fn from(bytes: &[u8; N]) -> Self {
                Self::from(*bytes)
            }
        }

        impl From<$name> for Vec<u8> {
            fn from(whole: $name) -> Self {
                whole.0.into_vec()
            }
        }

        impl From<$name> for Box<[u8]> {
            fn from(whole: $name) -> Self {
                whole.0
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
                if serializer.is_human_readable() {
                    text::serialize(&self.0, serializer)
                } else {
                    serializer.serialize_bytes(&self.0)
                }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let bytes = if deserializer.is_human_readable() {
                    text::deserialize($limit, deserializer)?
                } else {
                    // Asks for borrowed bytes, so that a decoder need not allocate a claimed
                    // length.
                    deserializer.deserialize_bytes(BytesVisitor)?
                };
                Self::new(bytes).map_err(D::Error::custom)
            }
        }
    };
}

byte_string!(Key, MAX_KEY_LENGTH, KeyTooLong);
byte_string!(Value, MAX_VALUE_LENGTH, ValueTooLong);

/// The serde visitor that copies a byte string.
pub(crate) struct BytesVisitor;

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
