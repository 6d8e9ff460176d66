//! Sequences whose length is bounded while they are decoded.

use std::cell::Cell;

use pad_core::{DecodeError, codec, internals::sequence};
use serde::{Deserialize, Deserializer, Serialize};

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
    let refused = codec::decode_body::<Few>(&many);
    assert_eq!(refused, Err(DecodeError::Malformed));
    assert_eq!(READ.get(), 0);
}
