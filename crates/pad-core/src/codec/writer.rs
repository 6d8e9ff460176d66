//! A serde serializer for bodies, in the format that [`super::reader`] reads.
//!
//! Each served proof passes through this serializer once, and so does each decoded message that is
//! not [`INJECTIVE`](super::Message::INJECTIVE). Digests, author keys and signatures are written as
//! slices, because serde would pass an array byte by byte.
//!
//! Floats, chars, 128-bit integers and sequences of an unknown length are not part of the format.

use alloc::vec::Vec;
use core::fmt;

use serde::ser::{
    self, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use crate::digest::array_length;

/// The destination of an encoded body: a buffer ([`Append`]), a length ([`Count`]), or a
/// comparison ([`Compare`]).
pub(super) trait Output {
    /// Accepts the next bytes of the body. Fails if the output compares bytes and these differ.
    fn take(&mut self, bytes: &[u8]) -> Result<(), BodyWriteError>;
}

/// Error returned when the format cannot represent a value, or when the encoded bytes differ from
/// the bytes to compare with.
#[derive(Debug, thiserror::Error)]
#[error("the value cannot be encoded")]
pub(super) struct BodyWriteError;

impl ser::Error for BodyWriteError {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// An output that appends the encoded bytes to a buffer.
pub(super) struct Append<'a>(pub(super) &'a mut Vec<u8>);

impl Output for Append<'_> {
    #[inline]
    fn take(&mut self, bytes: &[u8]) -> Result<(), BodyWriteError> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

/// An output that counts the encoded bytes.
pub(super) struct Count(pub(super) usize);

impl Output for Count {
    #[inline]
    fn take(&mut self, bytes: &[u8]) -> Result<(), BodyWriteError> {
        self.0 = self.0.checked_add(bytes.len()).ok_or(BodyWriteError)?;
        Ok(())
    }
}

/// An output that compares the written bytes with an existing encoding, without a second buffer.
pub(super) struct Compare<'a> {
    /// The part of the encoding that is not compared yet.
    pub(super) rest: &'a [u8],
}

impl Output for Compare<'_> {
    #[inline]
    fn take(&mut self, bytes: &[u8]) -> Result<(), BodyWriteError> {
        self.rest = self.rest.strip_prefix(bytes).ok_or(BodyWriteError)?;
        Ok(())
    }
}

/// A serializer that writes values consecutively to an output.
pub(super) struct Writer<O> {
    pub(super) output: O,
    /// The length of the byte array that is being written; `None` outside of arrays. The reader
    /// knows this length, so it is not written.
    array: Option<usize>,
}

impl<O: Output> Writer<O> {
    pub(super) const fn new(output: O) -> Self {
        Self {
            output,
            array: None,
        }
    }

    /// Writes an integer: one byte up to 250, else a tag byte (251, 252, 253) and 2, 4 or 8
    /// little-endian bytes.
    #[inline]
    fn varint(&mut self, number: u64) -> Result<(), BodyWriteError> {
        if let Ok(small @ 0..=250) = u8::try_from(number) {
            self.output.take(&[small])
        } else if let Ok(number) = u16::try_from(number) {
            let [a, b] = number.to_le_bytes();
            self.output.take(&[251, a, b])
        } else if let Ok(number) = u32::try_from(number) {
            let [a, b, c, d] = number.to_le_bytes();
            self.output.take(&[252, a, b, c, d])
        } else {
            self.output.take(&[253])?;
            self.output.take(&number.to_le_bytes())
        }
    }

    /// Writes a signed integer in zigzag encoding: 0, -1, 1, -2, .. become 0, 1, 2, 3, ..
    #[inline]
    fn zigzag(&mut self, number: i64) -> Result<(), BodyWriteError> {
        self.varint((number << 1 ^ number >> 63).cast_unsigned())
    }

    fn length(&mut self, length: usize) -> Result<(), BodyWriteError> {
        self.varint(u64::try_from(length).map_err(|_| BodyWriteError)?)
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<(), BodyWriteError> {
        self.length(bytes.len())?;
        self.output.take(bytes)
    }
}

/// Defines `Serializer` methods, each of which writes one number.
macro_rules! write {
    ($($method:ident($number:ty) => $write:ident;)*) => {$(
        #[inline]
        fn $method(self, number: $number) -> Result<(), BodyWriteError> {
            self.$write(number.into())
        }
    )*};
}

/// Defines `Serializer` methods that fail, for types that are not part of the format.
macro_rules! refuse {
    ($($method:ident($number:ty);)*) => {$(
        fn $method(self, _: $number) -> Result<(), BodyWriteError> {
            Err(BodyWriteError)
        }
    )*};
}

impl<O: Output> Serializer for &mut Writer<O> {
    type Ok = ();
    type Error = BodyWriteError;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    write! {
        serialize_u16(u16) => varint;
        serialize_u32(u32) => varint;
        serialize_u64(u64) => varint;
        serialize_i16(i16) => zigzag;
        serialize_i32(i32) => zigzag;
        serialize_i64(i64) => zigzag;
    }

    refuse! {
        serialize_f32(f32);
        serialize_f64(f64);
        serialize_char(char);
    }

    #[inline]
    fn serialize_u8(self, number: u8) -> Result<(), BodyWriteError> {
        self.output.take(&[number])
    }

    fn serialize_i8(self, number: i8) -> Result<(), BodyWriteError> {
        self.output.take(&[number.cast_unsigned()])
    }

    fn serialize_bool(self, flag: bool) -> Result<(), BodyWriteError> {
        self.output.take(&[flag.into()])
    }

    fn serialize_str(self, text: &str) -> Result<(), BodyWriteError> {
        self.bytes(text.as_bytes())
    }

    #[inline]
    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), BodyWriteError> {
        match self.array {
            None => self.bytes(bytes),
            Some(length) if length == bytes.len() => self.output.take(bytes),
            Some(_) => Err(BodyWriteError),
        }
    }

    fn serialize_none(self) -> Result<(), BodyWriteError> {
        self.output.take(&[0])
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), BodyWriteError> {
        self.output.take(&[1])?;
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), BodyWriteError> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), BodyWriteError> {
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
    ) -> Result<(), BodyWriteError> {
        self.varint(variant.into())
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), BodyWriteError> {
        self.array = array_length(name);
        value.serialize(&mut *self)?;
        self.array = None;
        Ok(())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), BodyWriteError> {
        self.varint(variant.into())?;
        value.serialize(self)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Self, BodyWriteError> {
        self.length(length.ok_or(BodyWriteError)?)?;
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, BodyWriteError> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, BodyWriteError> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, BodyWriteError> {
        self.varint(variant.into())?;
        Ok(self)
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Self, BodyWriteError> {
        self.serialize_seq(length)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, BodyWriteError> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        variant: u32,
        variant_name: &'static str,
        length: usize,
    ) -> Result<Self, BodyWriteError> {
        self.serialize_tuple_variant(name, variant, variant_name, length)
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, _: &T) -> Result<(), BodyWriteError> {
        Err(BodyWriteError)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// Implements serde's traits for compound values by writing their parts consecutively.
macro_rules! parts {
    ($($parts:ident::$method:ident($($name:ty)?);)*) => {$(
        impl<O: Output> $parts for &mut Writer<O> {
            type Ok = ();
            type Error = BodyWriteError;

            #[inline]
            fn $method<T: Serialize + ?Sized>(
                &mut self,
                $(_: $name,)?
                value: &T,
            ) -> Result<(), BodyWriteError> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), BodyWriteError> {
                Ok(())
            }
        }
    )*};
}

parts! {
    SerializeSeq::serialize_element();
    SerializeTuple::serialize_element();
    SerializeTupleStruct::serialize_field();
    SerializeTupleVariant::serialize_field();
    SerializeStruct::serialize_field(&'static str);
    SerializeStructVariant::serialize_field(&'static str);
}

impl<O: Output> SerializeMap for &mut Writer<O> {
    type Ok = ();
    type Error = BodyWriteError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), BodyWriteError> {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), BodyWriteError> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), BodyWriteError> {
        Ok(())
    }
}
