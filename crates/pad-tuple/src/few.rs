//! Lists with one element for each generation.

use alloc::vec::Vec;

use pad_core::internals::at_most;
use serde::{Deserialize, Deserializer};

use crate::tuple::MAX_GENERATIONS;

/// Deserializes a list of at most [`MAX_GENERATIONS`] elements, so that no message can make a
/// receiver allocate memory for more.
pub(crate) fn few<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    at_most(MAX_GENERATIONS, deserializer)
}
