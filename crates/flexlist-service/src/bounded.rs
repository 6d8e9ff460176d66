//! Sequences whose length limit is enforced while decoding.
//!
//! An element encoded in a few bytes can take fifty times as many bytes in memory. A limit on the
//! bytes of a message therefore does not bound the memory that the decoded message takes.

use core::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{Error, SeqAccess, Visitor},
};

/// Reads a sequence of at most `MOST` elements, for `#[serde(deserialize_with)]`.
///
/// # Errors
/// The deserializer's errors, and its custom error for more than `MOST` elements. If the format
/// announces the length, the error occurs before the first element is read.
pub(crate) fn sequence<'de, D, T, const MOST: usize>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    deserializer.deserialize_seq(SequenceVisitor::<T, MOST>(PhantomData))
}

struct SequenceVisitor<T, const MOST: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for SequenceVisitor<T, MOST> {
    type Value = Vec<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "at most {MOST} elements")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Vec<T>, A::Error> {
        let too_long = || A::Error::custom(format_args!("more than {MOST} elements"));
        if elements.size_hint().is_some_and(|length| length > MOST) {
            return Err(too_long());
        }
        let mut read = Vec::new();
        while let Some(element) = elements.next_element()? {
            if read.len() >= MOST {
                return Err(too_long());
            }
            read.push(element);
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use pad_core::{DecodeError, codec};
    use serde::Serialize;

    use super::*;

    std::thread_local! {
        static READ: Cell<usize> = const { Cell::new(0) };
    }

    /// An element that counts its deserializations.
    #[derive(Debug, PartialEq, Serialize)]
    struct Counted(u8);

    impl<'de> Deserialize<'de> for Counted {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            READ.set(READ.get().saturating_add(1));
            u8::deserialize(deserializer).map(Self)
        }
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Few(#[serde(deserialize_with = "sequence::<_, _, 3>")] Vec<Counted>);

    #[test]
    fn a_longer_sequence_is_refused_before_its_first_element() {
        for length in 0..=3 {
            let few = Few((0..length).map(Counted).collect());
            assert_eq!(codec::decode_body(&codec::encode_body(&few)), Ok(few));
        }
        READ.set(0);
        let many = codec::encode_body(&Few((0..4).map(Counted).collect()));
        assert_eq!(
            codec::decode_body::<Few>(&many),
            Err(DecodeError::Malformed)
        );
        assert_eq!(READ.get(), 0);
    }
}
