//! Lists with one element for each generation.

use alloc::vec::Vec;
use core::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, SeqAccess, Visitor},
};

use crate::tuple::MAX_GENERATIONS;

/// Deserializes a list of at most [`MAX_GENERATIONS`] elements, so that no message can make a
/// receiver allocate memory for more.
pub(crate) fn few<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_seq(Few(PhantomData))
}

struct Few<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Few<T> {
    type Value = Vec<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an element for each generation")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Vec<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element()? {
            if list.len() >= MAX_GENERATIONS {
                return Err(A::Error::custom("more elements than generations"));
            }
            list.push(element);
        }
        Ok(list)
    }
}
