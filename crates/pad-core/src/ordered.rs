//! Order-preserving encodings: typed keys whose byte order is the order of their values.

use alloc::{string::String, vec::Vec};

use crate::{error::InputError, key::Key};

/// A type with an order-preserving encoding.
///
/// Laws:
///
/// * `a < b` if and only if the encoding of `a` is lexicographically below the encoding of `b`.
/// * No encoding is a prefix of another encoding of the same type.
/// * Decoding an encoding returns the value and the rest.
///
/// The encodings are part of the format (`docs/format`).
///
/// ```
/// use pad_core::OrderedKey;
///
/// let early = (String::from("sensor"), -5_i64).to_key()?;
/// let late = (String::from("sensor"), 3_i64).to_key()?;
/// assert!(early < late);
/// assert_eq!(OrderedKey::from_key(&late), Some((String::from("sensor"), 3_i64)));
/// # Ok::<(), pad_core::InputError>(())
/// ```
pub trait OrderedKey: Sized {
    /// Appends the encoding of this value to `bytes`.
    fn encode_ordered(&self, bytes: &mut Vec<u8>);

    /// Decodes one value from the front of `bytes`. Returns the value and the bytes after it, or
    /// `None` if `bytes` does not start with an encoding.
    fn decode_ordered(bytes: &[u8]) -> Option<(Self, &[u8])>;

    /// Encodes the value as a key.
    ///
    /// # Errors
    /// [`InputError::KeyTooLong`] if the encoding is longer than
    /// [`MAX_KEY_LENGTH`](crate::MAX_KEY_LENGTH).
    fn to_key(&self) -> Result<Key, InputError> {
        let mut bytes = Vec::new();
        self.encode_ordered(&mut bytes);
        Key::new(bytes)
    }

    /// Decodes the value from a key, or `None` if the key does not encode one.
    fn from_key(key: &Key) -> Option<Self> {
        match Self::decode_ordered(key.as_bytes())? {
            (value, []) => Some(value),
            _ => None,
        }
    }
}

macro_rules! unsigned {
    ($($integer:ty),*) => {$(
        /// Encoded as big-endian bytes.
        impl OrderedKey for $integer {
            fn encode_ordered(&self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_be_bytes());
            }

            fn decode_ordered(bytes: &[u8]) -> Option<(Self, &[u8])> {
                let (number, rest) = bytes.split_first_chunk()?;
                Some((Self::from_be_bytes(*number), rest))
            }
        }
    )*};
}

macro_rules! signed {
    ($($integer:ty => $unsigned:ty),*) => {$(
        /// Encoded as big-endian bytes of the two's complement with the sign bit flipped.
        impl OrderedKey for $integer {
            fn encode_ordered(&self, bytes: &mut Vec<u8>) {
                (self.cast_unsigned() ^ (1 << (<$unsigned>::BITS - 1))).encode_ordered(bytes);
            }

            fn decode_ordered(bytes: &[u8]) -> Option<(Self, &[u8])> {
                let (number, rest) = <$unsigned>::decode_ordered(bytes)?;
                Some(((number ^ (1 << (<$unsigned>::BITS - 1))).cast_signed(), rest))
            }
        }
    )*};
}

unsigned!(u8, u16, u32, u64, u128);
signed!(i8 => u8, i16 => u16, i32 => u32, i64 => u64, i128 => u128);

/// Encoded as the bytes of the array, without a length.
impl<const N: usize> OrderedKey for [u8; N] {
    fn encode_ordered(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(self);
    }

    fn decode_ordered(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (array, rest) = bytes.split_first_chunk()?;
        Some((*array, rest))
    }
}

/// Encoded as the bytes, where `00` is written as `00 FF`, followed by the terminator `00 00`.
impl OrderedKey for Vec<u8> {
    fn encode_ordered(&self, bytes: &mut Vec<u8>) {
        for byte in self {
            bytes.push(*byte);
            if *byte == 0 {
                bytes.push(0xff);
            }
        }
        bytes.extend_from_slice(&[0, 0]);
    }

    fn decode_ordered(mut bytes: &[u8]) -> Option<(Self, &[u8])> {
        let mut decoded = Self::new();
        loop {
            match bytes {
                [0, 0, rest @ ..] => return Some((decoded, rest)),
                [0, 0xff, rest @ ..] => {
                    decoded.push(0);
                    bytes = rest;
                }
                [0, ..] | [] => return None,
                [byte, rest @ ..] => {
                    decoded.push(*byte);
                    bytes = rest;
                }
            }
        }
    }
}

/// Encoded as the UTF-8 bytes, in the encoding of `Vec<u8>`. Texts are ordered by code points.
impl OrderedKey for String {
    fn encode_ordered(&self, bytes: &mut Vec<u8>) {
        self.as_bytes().to_vec().encode_ordered(bytes);
    }

    fn decode_ordered(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (text, rest) = Vec::decode_ordered(bytes)?;
        Some((Self::from_utf8(text).ok()?, rest))
    }
}

macro_rules! tuple {
    ($($name:ident: $index:tt),*) => {
        /// Encoded as the fields' encodings, one after the other.
        impl<$($name: OrderedKey),*> OrderedKey for ($($name,)*) {
            fn encode_ordered(&self, bytes: &mut Vec<u8>) {
                $(self.$index.encode_ordered(bytes);)*
            }

            #[allow(non_snake_case, reason = "a field's variable is named like its type")]
            fn decode_ordered(rest: &[u8]) -> Option<(Self, &[u8])> {
                $(let ($name, rest) = $name::decode_ordered(rest)?;)*
                Some((($($name,)*), rest))
            }
        }
    };
}

tuple!(A: 0);
tuple!(A: 0, B: 1);
tuple!(A: 0, B: 1, C: 2);
tuple!(A: 0, B: 1, C: 2, D: 3);
