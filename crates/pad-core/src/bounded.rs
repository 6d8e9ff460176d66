//! Sequences whose length limit is enforced while decoding.
//!
//! An element encoded in a few bytes can take fifty times as many bytes in memory. A limit on the
//! bytes of a message therefore does not bound the memory that the decoded message takes.

use alloc::vec::Vec;
use core::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{Error, SeqAccess, Visitor},
};

/// Reads a sequence of at most `MOST` elements, for `#[serde(deserialize_with)]`.
///
/// # Errors
/// The errors of [`at_most`].
pub fn sequence<'de, D, T, const MOST: usize>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    at_most(MOST, deserializer)
}

/// Reads a sequence of at most `most` elements.
///
/// # Errors
/// The deserializer's errors, and its error for a wrong length if there are more elements. If the
/// format announces the length, the error occurs before the first element is read.
pub fn at_most<'de, D, T>(most: usize, deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    deserializer.deserialize_seq(AtMost(most, PhantomData))
}

struct AtMost<T>(usize, PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for AtMost<T> {
    type Value = Vec<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "at most {} elements", self.0)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Vec<T>, A::Error> {
        if let Some(length) = elements.size_hint().filter(|length| *length > self.0) {
            return Err(A::Error::invalid_length(length, &self));
        }
        let mut read = Vec::new();
        while let Some(element) = elements.next_element()? {
            if read.len() >= self.0 {
                return Err(A::Error::invalid_length(self.0.saturating_add(1), &self));
            }
            read.push(element);
        }
        Ok(read)
    }
}
