//! A serde deserializer for bodies in untrusted messages.
//!
//! bincode 2.0.1 reads the same format, but allocates the length that a prefix claims before it
//! checks that the bytes exist. This reader does not.
//!
//! Invariants:
//! 1. A length prefix by itself causes no allocation. Byte strings are borrowed. The size hint of a
//!    sequence is at most one element for each byte that is left.
//! 2. No length prefix exceeds the length of the body, so even a list of zero-size elements ends
//!    soon.
//! 3. Values of all types nest at most [`MAX_DEPTH`] deep.
//!
//! Floats, chars and 128-bit integers are not part of the format.
//!
//! # Canonical form
//!
//! Each value has one encoding, except for two cases, which [`Source`] records:
//!
//! * An integer, length or variant may have a longer form than necessary.
//! * A map may list its entries in any order, and keys several times.
//!
//! Bools, options and texts have one form, and the reader refuses every other. The reader cannot
//! tell whether a type's own `Deserialize` maps two lists or numbers to one value
//! ([`super::Message::INJECTIVE`]).

use core::fmt;

use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor, value::U32Deserializer,
};

use super::digests::list_width;
use crate::digest::array_length;

/// The maximum nesting depth of the values in a message.
pub(super) const MAX_DEPTH: u8 = 64;

/// Error returned to serde when a body is malformed. It contains no details.
#[derive(Debug, thiserror::Error)]
#[error("{}", crate::DecodeError::Malformed)]
pub(super) struct BodyReadError;

impl de::Error for BodyReadError {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// The unread bytes of a body, and whether the bytes read so far were in canonical form.
pub(super) struct Source<'de> {
    /// The bytes that are not read yet.
    pub(super) rest: &'de [u8],
    /// Whether an integer had a longer form than necessary.
    pub(super) has_overlong: bool,
    /// Whether a map was read. The reader does not check the order of its keys.
    pub(super) has_map: bool,
}

impl<'de> Source<'de> {
    pub(super) const fn new(body: &'de [u8]) -> Self {
        Self {
            rest: body,
            has_overlong: false,
            has_map: false,
        }
    }
}

/// A cursor over the unread bytes, with the body's length and the remaining nesting depth.
pub(super) struct Reader<'a, 'de> {
    source: &'a mut Source<'de>,
    longest: usize,
    depth: u8,
}

impl<'a, 'de> Reader<'a, 'de> {
    /// Creates a reader that consumes bytes from the front of `source`.
    pub(super) const fn new(source: &'a mut Source<'de>) -> Self {
        let longest = source.rest.len();
        Self {
            source,
            longest,
            depth: MAX_DEPTH,
        }
    }

    fn nested(&mut self) -> Result<Reader<'_, 'de>, BodyReadError> {
        let depth = self.depth.checked_sub(1).ok_or(BodyReadError)?;
        Ok(Reader {
            source: self.source,
            longest: self.longest,
            depth,
        })
    }

    fn take(&mut self, length: usize) -> Result<&'de [u8], BodyReadError> {
        let (taken, rest) = self
            .source
            .rest
            .split_at_checked(length)
            .ok_or(BodyReadError)?;
        self.source.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], BodyReadError> {
        let (taken, rest) = self.source.rest.split_first_chunk().ok_or(BodyReadError)?;
        self.source.rest = rest;
        Ok(*taken)
    }

    fn byte(&mut self) -> Result<u8, BodyReadError> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    /// Reads an integer: one byte up to 250, else a tag byte (251, 252, 253) and 2, 4 or 8
    /// little-endian bytes.
    #[inline]
    fn varint(&mut self) -> Result<u64, BodyReadError> {
        match self.byte()? {
            small @ 0..=250 => Ok(small.into()),
            tag => self.long_varint(tag),
        }
    }

    /// Reads an integer after its tag byte. Notes a number that has a shorter form.
    fn long_varint(&mut self, tag: u8) -> Result<u64, BodyReadError> {
        let (number, shorter) = match tag {
            251 => (u16::from_le_bytes(self.array()?).into(), 250),
            252 => (u32::from_le_bytes(self.array()?).into(), u16::MAX.into()),
            253 => (u64::from_le_bytes(self.array()?), u32::MAX.into()),
            _ => return Err(BodyReadError),
        };
        self.source.has_overlong |= number <= shorter;
        Ok(number)
    }

    fn unsigned<T: TryFrom<u64>>(&mut self) -> Result<T, BodyReadError> {
        T::try_from(self.varint()?).map_err(|_| BodyReadError)
    }

    /// Reads a signed integer in zigzag encoding: the encoded numbers 0, 1, 2, 3, .. mean 0, -1, 1,
    /// -2, ..
    fn signed<T: TryFrom<i64>>(&mut self) -> Result<T, BodyReadError> {
        let zigzag = self.varint()?;
        let magnitude = (zigzag >> 1).cast_signed();
        T::try_from(if zigzag & 1 == 0 {
            magnitude
        } else {
            !magnitude
        })
        .map_err(|_| BodyReadError)
    }

    fn length(&mut self) -> Result<usize, BodyReadError> {
        let length = self.unsigned()?;
        if length > self.longest {
            Err(BodyReadError)
        } else {
            Ok(length)
        }
    }

    fn bytes(&mut self) -> Result<&'de [u8], BodyReadError> {
        let length = self.length()?;
        self.take(length)
    }

    fn text(&mut self) -> Result<&'de str, BodyReadError> {
        core::str::from_utf8(self.bytes()?).map_err(|_| BodyReadError)
    }

    fn flag(&mut self) -> Result<bool, BodyReadError> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(BodyReadError),
        }
    }
}

/// Defines `Deserializer` methods, each of which reads one value and passes it to the visitor.
macro_rules! read {
    ($($method:ident => $visit:ident($read:ident);)*) => {$(
        fn $method<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, BodyReadError> {
            visitor.$visit(self.$read()?)
        }
    )*};
}

impl<'de> Deserializer<'de> for Reader<'_, 'de> {
    type Error = BodyReadError;

    read! {
        deserialize_bool => visit_bool(flag);
        deserialize_u8 => visit_u8(byte);
        deserialize_u16 => visit_u16(unsigned);
        deserialize_u32 => visit_u32(unsigned);
        deserialize_u64 => visit_u64(varint);
        deserialize_i16 => visit_i16(signed);
        deserialize_i32 => visit_i32(signed);
        deserialize_i64 => visit_i64(signed);
        deserialize_str => visit_borrowed_str(text);
        deserialize_string => visit_borrowed_str(text);
        deserialize_bytes => visit_borrowed_bytes(bytes);
        deserialize_byte_buf => visit_borrowed_bytes(bytes);
    }

    fn deserialize_i8<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, BodyReadError> {
        visitor.visit_i8(self.byte()?.cast_signed())
    }

    fn deserialize_option<V: Visitor<'de>>(
        mut self,
        visitor: V,
    ) -> Result<V::Value, BodyReadError> {
        if self.flag()? {
            visitor.visit_some(self.nested()?)
        } else {
            visitor.visit_none()
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, BodyReadError> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, BodyReadError> {
        visitor.visit_unit()
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, BodyReadError> {
        if let Some(length) = array_length(name) {
            return visitor.visit_borrowed_bytes(self.nested()?.take(length)?);
        }
        if let Some(width) = list_width(name) {
            let length = self.length()?.checked_mul(width).ok_or(BodyReadError)?;
            return visitor.visit_borrowed_bytes(self.nested()?.take(length)?);
        }
        visitor.visit_newtype_struct(self.nested()?)
    }

    fn deserialize_seq<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, BodyReadError> {
        let length = self.length()?;
        self.deserialize_tuple(length, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        mut self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, BodyReadError> {
        visitor.visit_seq(Elements {
            reader: self.nested()?,
            left: length,
        })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, BodyReadError> {
        self.deserialize_tuple(length, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, BodyReadError> {
        self.source.has_map = true;
        let left = self.length()?;
        visitor.visit_map(Elements {
            reader: self.nested()?,
            left,
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BodyReadError> {
        self.deserialize_tuple(fields.len(), visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        mut self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BodyReadError> {
        visitor.visit_enum(self.nested()?)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, BodyReadError> {
        Err(BodyReadError)
    }

    serde::forward_to_deserialize_any! { i128 u128 f32 f64 char identifier ignored_any }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// An iterator over the elements of a sequence, or over the alternating keys and values of a map.
struct Elements<'a, 'de> {
    reader: Reader<'a, 'de>,
    left: usize,
}

impl<'de> Elements<'_, 'de> {
    fn element<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, BodyReadError> {
        let Reader {
            source,
            longest,
            depth,
        } = &mut self.reader;
        seed.deserialize(Reader {
            source,
            longest: *longest,
            depth: *depth,
        })
    }

    fn next<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, BodyReadError> {
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(None);
        };
        self.left = left;
        self.element(seed).map(Some)
    }
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = BodyReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, BodyReadError> {
        self.next(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.min(self.reader.source.rest.len()))
    }
}

impl<'de> MapAccess<'de> for Elements<'_, 'de> {
    type Error = BodyReadError;

    fn next_key_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, BodyReadError> {
        self.next(seed)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<T::Value, BodyReadError> {
        self.element(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.min(self.reader.source.rest.len()))
    }
}

impl<'de> EnumAccess<'de> for Reader<'_, 'de> {
    type Error = BodyReadError;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(
        mut self,
        seed: T,
    ) -> Result<(T::Value, Self), BodyReadError> {
        let variant: U32Deserializer<BodyReadError> = self.unsigned::<u32>()?.into_deserializer();
        Ok((seed.deserialize(variant)?, self))
    }
}

impl<'de> VariantAccess<'de> for Reader<'_, 'de> {
    type Error = BodyReadError;

    fn unit_variant(self) -> Result<(), BodyReadError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, BodyReadError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, BodyReadError> {
        self.deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, BodyReadError> {
        self.deserialize_tuple(fields.len(), visitor)
    }
}
