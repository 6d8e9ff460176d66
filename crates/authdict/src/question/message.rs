//! Encoding of questions as messages.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use std::borrow::Cow;

use pad_core::{
    DecodeError, Key, KeyRange, Keys, Predecessor, Successor, Value, Version,
    codec::{self, Message},
};
use serde::{Deserialize, Serialize};

use super::Question;

/// Maximum length of a question in bytes: enough for about a thousand keys of maximum length.
pub const LONGEST_QUESTION: usize = 4 << 20;

/// The encoded form of a [`Question`], as the body of a message.
#[derive(Serialize, Deserialize)]
enum QuestionBody<'q> {
    Key(Cow<'q, Key>),
    Keys(Cow<'q, [Key]>),
    Range(Option<Cow<'q, Key>>, Option<Cow<'q, Key>>),
    Value(Cow<'q, Key>, Cow<'q, Value>),
    Growth(Version),
    First,
    Last,
    Predecessor(Cow<'q, Key>),
    Successor(Cow<'q, Key>),
}

impl Message for QuestionBody<'_> {
    const KIND: u8 = 10;
    const SUITE: u16 = 0;
}

impl Question {
    /// Encodes the question as a message. Each question has exactly one encoding.
    pub fn encode(&self) -> Vec<u8> {
        codec::encode(&match self {
            Self::Key(key) => QuestionBody::Key(Cow::Borrowed(key)),
            Self::Keys(keys) => QuestionBody::Keys(Cow::Borrowed(keys.as_slice())),
            Self::Range(range) => QuestionBody::Range(
                range.start.as_ref().map(Cow::Borrowed),
                range.end.as_ref().map(Cow::Borrowed),
            ),
            Self::Value(key, value) => {
                QuestionBody::Value(Cow::Borrowed(key), Cow::Borrowed(value))
            }
            Self::Growth(version) => QuestionBody::Growth(*version),
            Self::First => QuestionBody::First,
            Self::Last => QuestionBody::Last,
            Self::Predecessor(Predecessor(key)) => QuestionBody::Predecessor(Cow::Borrowed(key)),
            Self::Successor(Successor(key)) => QuestionBody::Successor(Cow::Borrowed(key)),
        })
    }

    /// Decodes a question from a message of at most [`LONGEST_QUESTION`] bytes.
    ///
    /// # Errors
    /// [`DecodeError`]; [`DecodeError::NonCanonical`] also for keys that are not in ascending
    /// order.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        Ok(
            match codec::decode::<QuestionBody<'static>>(bytes, LONGEST_QUESTION)? {
                QuestionBody::Key(key) => Self::Key(key.into_owned()),
                QuestionBody::Keys(keys) => {
                    let ascend = keys.is_sorted_by(|before, after| before < after);
                    let keys = ascend.then(|| Keys::new(keys.into_owned())).flatten();
                    Self::Keys(keys.ok_or(DecodeError::NonCanonical)?)
                }
                QuestionBody::Range(start, end) => Self::Range(KeyRange {
                    start: start.map(Cow::into_owned),
                    end: end.map(Cow::into_owned),
                }),
                QuestionBody::Value(key, value) => {
                    Self::Value(key.into_owned(), value.into_owned())
                }
                QuestionBody::Growth(version) => Self::Growth(version),
                QuestionBody::First => Self::First,
                QuestionBody::Last => Self::Last,
                QuestionBody::Predecessor(key) => Self::Predecessor(Predecessor(key.into_owned())),
                QuestionBody::Successor(key) => Self::Successor(Successor(key.into_owned())),
            },
        )
    }
}

#[cfg(test)]
mod tests {
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
        for keys in [vec![], vec![key("b"), key("a")], vec![key("a"), key("a")]] {
            let bytes = codec::encode(&QuestionBody::Keys(Cow::Borrowed(&keys)));
            assert_eq!(Question::decode(&bytes), Err(DecodeError::NonCanonical));
        }
    }
}
