//! Questions and verified statements of a dictionary whose family is chosen at run time.

use pad_core::{
    DecodeError, First, Key, KeyRange, Keys, Last, Lookup, Lookups, Neighbour, Predecessor,
    RangeContents, SchemeId, SignedHead, SnapshotHead, Successor, Suite, Untrusted, Value,
    VerifyError, Version,
};

use serde::{Deserialize, Serialize};

use crate::{
    keys::PublicKey,
    selection::{SchemeName, with_suite},
};

mod message;

pub use message::LONGEST_QUESTION;

/// A question about one version of a dictionary. For a log that is a set, keys are members.
///
/// The order of the variants is part of the encoding as a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Question {
    /// A lookup of one key: its value, or its absence. In a log, all its values; in a set, whether
    /// the member is present.
    Key(Key),
    /// A lookup of several keys: the value or absence of each.
    Keys(Keys),
    /// All entries whose keys are in a range.
    Range(KeyRange),
    /// Whether a log contains this value of a key. Other values of the key are not proved. Members
    /// of sets have an empty value.
    Value(Key, Value),
    /// Whether the queried version of a log contains all entries of this older version.
    Growth(Version),
    /// The entry of a tree with the smallest key.
    First,
    /// The entry of a tree with the greatest key.
    Last,
    /// The entry of a tree with the greatest key below this one, which need not be present.
    Predecessor(Predecessor),
    /// The entry of a tree with the smallest key above this one, which need not be present.
    Successor(Successor),
}

/// Implements the conversion of types of questions to a [`Question`].
macro_rules! from {
    ($($asked:ty: $pattern:pat => $question:expr;)+) => { $(
        impl From<$asked> for Question {
            fn from($pattern: $asked) -> Self {
                $question
            }
        }
    )+ };
}

from! {
    Key: key => Self::Key(key);
    Keys: keys => Self::Keys(keys);
    KeyRange: range => Self::Range(range);
    (Key, Value): (key, value) => Self::Value(key, value);
    Version: older => Self::Growth(older);
    First: First => Self::First;
    Last: Last => Self::Last;
    Predecessor: question => Self::Predecessor(question);
    Successor: question => Self::Successor(question);
}

/// The statement that a verified answer establishes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Statement {
    /// The answer to [`Question::Key`], except about a log: the key's value, or that the key is
    /// absent.
    Lookup(Lookup),
    /// The answer to [`Question::Keys`]: for each key, its value, or that the key is absent.
    Lookups(Lookups),
    /// The answer to [`Question::Range`]: all entries in the range.
    Range(RangeContents),
    /// The answer to [`Question::First`], [`Question::Last`], [`Question::Predecessor`] or
    /// [`Question::Successor`]: the entry, or that the version has no such entry.
    Neighbour(Neighbour<Question>),
    /// The answer to [`Question::Key`] about a log: all values of the key.
    #[cfg(feature = "log")]
    Values(pad_log::Values),
    /// The answer to [`Question::Key`] about a log that is a set, if the member is absent.
    #[cfg(feature = "log")]
    Absent(pad_log::Absent),
    /// The log contains this value of a key. The answer to [`Question::Value`]. Also the answer to
    /// [`Question::Key`] about a set, if the member is present.
    #[cfg(feature = "log")]
    Included(pad_log::Included),
    /// The queried version of a log contains all entries of the older version: the answer to
    /// [`Question::Growth`].
    #[cfg(feature = "log")]
    Grown(pad_log::Grown),
}

/// The contents of a signed head as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadText {
    /// The version of the head.
    pub version: Version,
    /// The root digest of the version's contents, in hexadecimal digits.
    pub root: String,
    /// The root digest of the history log over all earlier heads, in hexadecimal digits.
    pub history: String,
}

impl HeadText {
    pub(crate) fn of<S: Suite>(head: &SnapshotHead<S>) -> Self {
        let (root, history) = (head.root.to_string(), head.history.to_string());
        Self {
            version: head.version,
            root,
            history,
        }
    }
}

/// Error returned for a kind of question that a scheme cannot answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{what} are not supported by scheme {}",
    SchemeName::from_id(*scheme).map_or("with an unknown number", SchemeName::name)
)]
pub struct NotOffered {
    /// The unsupported kind of question, in the plural, such as `range questions`.
    pub what: &'static str,
    /// The scheme of the dictionary.
    pub scheme: SchemeId,
}

/// Error returned for an answer that the client rejects, because the server is faulty or lies. The
/// variants [`Refusal::Ahead`] and [`Refusal::NotOffered`] reject the question instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The answer's bytes do not decode as an answer to this kind of question.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The author's signatures do not prove the answer.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// The server did not prove that a newer version of a log contains all entries of an older
    /// version.
    #[error("the proof that version {newer} contains version {older} does not verify: {reason}")]
    NotGrown {
        /// The older of the two versions.
        older: Version,
        /// The newer of the two versions.
        newer: Version,
        /// The reason why the append-only proof is refused.
        reason: VerifyError,
    },
    /// The client refuses to verify answers about a version newer than the newest version that it
    /// has verified.
    #[error("version {version} is newer than version {followed}, the newest followed")]
    Ahead {
        /// The version that was queried.
        version: Version,
        /// The newest version that the client has verified.
        followed: Version,
    },
    /// The client cannot verify answers to this kind of question.
    #[error(transparent)]
    NotOffered(#[from] NotOffered),
}

/// Verifies the signed head `head` of a version, given as a message, with only the public key.
/// Returns its contents.
///
/// # Errors
/// [`Refusal`].
pub fn verify_head(public: &PublicKey, version: Version, head: &[u8]) -> Result<HeadText, Refusal> {
    with_suite!(public.suite, S => {
        let head = Untrusted::<SignedHead<S>>::decode(head, head.len())?;
        Ok(HeadText::of(head.verify(&public.authority, &version)?.get()))
    })
}

impl Question {
    /// Returns the name of this kind of question in the plural, such as `range questions`.
    #[doc(hidden)]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Key(_) => "questions about one key",
            Self::Keys(_) => "questions about several keys",
            Self::Range(_) => "range questions",
            Self::Value(..) => "questions about one value",
            Self::Growth(_) => "append-only proofs",
            Self::First | Self::Last => "questions about the first or last key",
            Self::Predecessor(_) | Self::Successor(_) => "questions about the neighbours of a key",
        }
    }

    /// Returns the versions whose heads an answer about `version` contains, in the order of the
    /// answer.
    #[doc(hidden)]
    pub fn versions(&self, version: Version) -> Vec<Version> {
        match self {
            Self::Growth(older) => vec![*older, version],
            _ => vec![version],
        }
    }

    /// Returns the maximum length, in bytes, of an answer to this question that a client reads
    /// ([`pad_core::Question::longest_answer`]).
    #[doc(hidden)]
    pub fn longest_answer(&self) -> usize {
        use pad_core::Question as _;
        match self {
            Self::Key(key) => key.longest_answer(),
            Self::Keys(keys) => keys.longest_answer(),
            Self::Range(range) => range.longest_answer(),
            Self::First => First.longest_answer(),
            Self::Last => Last.longest_answer(),
            Self::Predecessor(question) => question.longest_answer(),
            Self::Successor(question) => question.longest_answer(),
            // Only logs support these questions; `dynamic::longest_answer` returns their limit.
            Self::Value(..) | Self::Growth(_) => 1 << 16,
        }
    }

    /// Returns whether the question concerns only keys in `range`. This is `false` for
    /// [`Question::Growth`], which concerns all keys. The neighbour of a key in `range` may be
    /// outside: a part of a dictionary may be unable to answer.
    #[doc(hidden)]
    pub fn lies_in(&self, range: &KeyRange) -> bool {
        match self {
            Self::Key(key) | Self::Value(key, _) => range.contains(key.as_bytes()),
            Self::Keys(keys) => {
                let mut keys = keys.as_slice().iter();
                keys.all(|key| range.contains(key.as_bytes()))
            }
            Self::Range(asked) => asked.lies_in(range),
            Self::Growth(_) => false,
            Self::First => range.start.is_none(),
            Self::Last => range.end.is_none(),
            Self::Predecessor(Predecessor(key)) | Self::Successor(Successor(key)) => {
                range.contains(key.as_bytes())
            }
        }
    }
}

impl Statement {
    /// Creates the statement about `question` from a family's own statement.
    pub(crate) fn of_neighbour<Q>(question: &Question, found: Neighbour<Q>) -> Self {
        Self::Neighbour(Neighbour {
            version: found.version,
            question: question.clone(),
            entry: found.entry,
        })
    }
}
