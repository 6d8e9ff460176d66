//! Keys and values in human-readable formats of serde: a string, or an object with hexadecimal
//! digits.

use alloc::{string::String, vec::Vec};
use core::fmt;

use serde::{
    Deserializer, Serialize, Serializer,
    de::{Error, MapAccess, Visitor},
    ser::SerializeMap as _,
};

use crate::digest::hexadecimal_digit;

/// The only field of an object with bytes that are not UTF-8.
const FIELD: &str = "hex";

/// Serializes bytes as a string if they are UTF-8, else as an object with their digits.
pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    if let Ok(text) = core::str::from_utf8(bytes) {
        return serializer.serialize_str(text);
    }
    let mut object = serializer.serialize_map(Some(1))?;
    object.serialize_entry(FIELD, &Digits(bytes))?;
    object.end()
}

/// Deserializes at most `limit` bytes in one of the forms of [`serialize`]. UTF-8 may be in either
/// form.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    limit: usize,
    deserializer: D,
) -> Result<Vec<u8>, D::Error> {
    deserializer.deserialize_any(TextVisitor { limit })
}

struct TextVisitor {
    limit: usize,
}

impl TextVisitor {
    fn checked<E: Error>(&self, length: usize) -> Result<(), E> {
        if length > self.limit {
            return Err(E::invalid_length(length, self));
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Vec<u8>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = self.limit;
        write!(
            formatter,
            "at most {limit} bytes, as a string or as {{\"hex\": \"..\"}}"
        )
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Vec<u8>, E> {
        self.checked(text.len())?;
        Ok(text.as_bytes().to_vec())
    }

    // Buffers of serde pass on the byte strings of binary formats.
    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        self.checked(bytes.len())?;
        Ok(bytes.to_vec())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Vec<u8>, A::Error> {
        let Some((name, digits)) = object.next_entry::<String, String>()? else {
            return Err(A::Error::missing_field(FIELD));
        };
        if name != FIELD || object.next_key::<String>()?.is_some() {
            return Err(A::Error::custom("the object has another field than hex"));
        }
        self.checked(digits.len() / 2)?;
        parse(&digits).ok_or_else(|| A::Error::custom("not hexadecimal text"))
    }
}

/// Parses lower-case hexadecimal text; `None` for any other text.
fn parse(digits: &str) -> Option<Vec<u8>> {
    let (pairs, []) = digits.as_bytes().as_chunks() else {
        return None;
    };
    let byte =
        |[high, low]: &[u8; 2]| Some(hexadecimal_digit(*high)? << 4 | hexadecimal_digit(*low)?);
    pairs.iter().map(byte).collect()
}

/// Bytes that are displayed as hexadecimal digits.
struct Digits<'b>(&'b [u8]);

impl fmt::Display for Digits<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl Serialize for Digits<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
