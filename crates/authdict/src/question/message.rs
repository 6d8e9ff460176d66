//! Encoding of questions as messages.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use pad_core::{
    DecodeError,
    codec::{self, Message},
};

use super::Question;

/// Maximum length of a question in bytes: enough for about a thousand keys of maximum length.
pub const LONGEST_QUESTION: usize = 4 << 20;

impl Message for Question {
    const KIND: u8 = 10;
    const SUITE: u16 = 0;
}

impl Question {
    /// Encodes the question as a message. Each question has exactly one encoding.
    pub fn encode(&self) -> Vec<u8> {
        codec::encode(self)
    }

    /// Decodes a question from a message of at most [`LONGEST_QUESTION`] bytes.
    ///
    /// # Errors
    /// [`DecodeError`]; [`DecodeError::Malformed`] also for keys that are not in ascending order.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        codec::decode(bytes, LONGEST_QUESTION)
    }
}

#[cfg(test)]
mod tests {
    use pad_core::{Key, KeyRange, Keys, Predecessor, Successor, Value, Version};

    use super::*;

    fn key(text: &str) -> Key {
        Key::try_from(text).unwrap()
    }

    #[test]
    fn a_question_is_one_message_and_every_other_message_another_one() {
        let value = Value::try_from("red").unwrap();
        let questions = [
            Question::Key(key("apple")),
            Question::Keys(Keys::new(vec![key("apple"), key("plum")]).unwrap()),
            Question::Range(KeyRange::ALL),
            Question::Range(KeyRange {
                start: Some(key("apple")),
                end: Some(key("plum")),
            }),
            Question::Value(key("apple"), value),
            Question::Growth(Version::new(300)),
            Question::First,
            Question::Last,
            Question::Predecessor(Predecessor(key("apple"))),
            Question::Successor(Successor(key("apple"))),
        ];
        for question in &questions {
            let bytes = question.encode();
            assert_eq!(Question::decode(&bytes).as_ref(), Ok(question));
            for end in 0..bytes.len() {
                assert!(Question::decode(bytes.get(..end).unwrap()).is_err());
            }
            let longer = [&bytes[..], &[0]].concat();
            assert!(Question::decode(&longer).is_err());
            for place in 0..bytes.len() {
                for bit in 0..8 {
                    let mut other = bytes.clone();
                    if let Some(byte) = other.get_mut(place) {
                        *byte ^= 1 << bit;
                    }
                    let decoded = Question::decode(&other);
                    assert!(decoded.as_ref() != Ok(question));
                    // A message that decodes must be the only encoding of its question.
                    assert!(decoded.is_err() || decoded.is_ok_and(|read| read.encode() == other));
                }
            }
        }
    }

    #[test]
    fn keys_that_do_not_ascend_are_refused() {
        let refused = DecodeError::Malformed;
        for (keys, error) in [
            (vec![], DecodeError::Malformed),
            (vec![key("b"), key("a")], refused),
            (vec![key("a"), key("a")], refused),
        ] {
            let mut bytes = codec::envelope(Question::KIND, Question::SUITE);
            bytes.push(1);
            bytes.extend(codec::encode_body(&keys));
            assert_eq!(Question::decode(&bytes), Err(error));
        }
    }
}
