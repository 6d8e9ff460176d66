//! The client of a dictionary whose suite is known at run time only: questions, answers, and the
//! one function that turns an answer's bytes into a statement.

use pad_core::{
    Blake3Ed25519, DecodeError, Key, MAX_VALUE_LENGTH, Paper2010, Sha256Ed25519, SignedHead,
    SnapshotHead, Suite, Untrusted, VerifyError, Version,
    codec::{self, Message},
};
use pad_tree::{KeyRange, Keys, Lookup, Lookups, RangeContents};

use crate::{
    answering::NotOffered,
    bundle::{Bundle, ProofUnderHead},
    family,
    keys::PublicKey,
    selection::SuiteName,
};

/// A question about one version.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Question {
    /// The value of one key.
    Key(Key),
    /// The values of several keys.
    Keys(Keys),
    /// All entries in a range.
    Range(KeyRange),
}

/// A verified answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Statement {
    /// To [`Question::Key`].
    Lookup(Lookup),
    /// To [`Question::Keys`].
    Lookups(Lookups),
    /// To [`Question::Range`].
    Range(RangeContents),
}

/// A signed head as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadText {
    /// The version.
    pub version: Version,
    /// The root in hexadecimal digits.
    pub root: String,
    /// The history in hexadecimal digits.
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

/// An answer is not to be believed. The client distrusts the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The bytes are not an answer to such a question.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The answer does not follow from what the author signed.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// No answer to such a question can be verified.
    #[error(transparent)]
    NotOffered(#[from] NotOffered),
}

/// What an answer establishes, for whoever trusts the public key and nothing else.
///
/// `answer` is the encoding of a [`Bundle`].
///
/// # Errors
/// [`Refusal`].
pub fn verify(
    public: &PublicKey,
    version: Version,
    question: &Question,
    answer: &[u8],
) -> Result<Statement, Refusal> {
    match public.suite {
        SuiteName::Sha256Ed25519 => {
            family::verify::<Sha256Ed25519>(public, version, question, answer)
        }
        SuiteName::Blake3Ed25519 => {
            family::verify::<Blake3Ed25519>(public, version, question, answer)
        }
        SuiteName::Paper2010 => family::verify::<Paper2010>(public, version, question, answer),
    }
}

/// The head of a version, given as a message, for whoever trusts the public key and nothing else.
///
/// # Errors
/// [`Refusal`].
pub fn verify_head(public: &PublicKey, version: Version, head: &[u8]) -> Result<HeadText, Refusal> {
    match public.suite {
        SuiteName::Sha256Ed25519 => head_in::<Sha256Ed25519>(public, version, head),
        SuiteName::Blake3Ed25519 => head_in::<Blake3Ed25519>(public, version, head),
        SuiteName::Paper2010 => head_in::<Paper2010>(public, version, head),
    }
}

fn head_in<S: Suite>(
    public: &PublicKey,
    version: Version,
    head: &[u8],
) -> Result<HeadText, Refusal> {
    let head = Untrusted::<SignedHead<S>>::decode(head, head.len())?;
    Ok(HeadText::of(
        head.verify(&public.authority, &version)?.get(),
    ))
}

/// What an answer establishes for whoever has this trust: the encoding of a [`Bundle`] of `P`, of at most
/// `limit` bytes.
///
/// The head is verified before the proof is decoded, so a stranger's answer takes no memory.
pub(crate) fn conclude<S: Suite, P: ProofUnderHead<S, Query: Clone>>(
    trust: &P::Trust,
    version: Version,
    query: &P::Query,
    answer: &[u8],
    limit: usize,
) -> Result<P::Statement, Refusal> {
    let body = codec::open(answer, <Bundle<S, P> as Message>::KIND, S::ID.0, limit)?;
    if let Some(head) = codec::decode_start::<Option<SignedHead<S>>>(body)? {
        Untrusted::new(head).verify(P::authority(trust), &version)?;
    }
    let bundle = Untrusted::<Bundle<S, P>>::decode(answer, limit)?;
    let statement = bundle.verify(trust, &(version, query.clone()))?;
    Ok(statement.into_inner())
}

impl Question {
    /// The longest answer to this question that is read, in bytes: the values asked for, and for each of
    /// them more than any path beside it has.
    ///
    /// A range may hold a whole dictionary; its answer has at most 1 GiB.
    pub fn longest_answer(&self) -> usize {
        let answers = match self {
            Self::Key(_) => 1,
            Self::Keys(keys) => keys.as_slice().len().max(1),
            Self::Range(_) => usize::MAX,
        };
        answers
            .saturating_mul(MAX_VALUE_LENGTH.saturating_add(LONGEST_PATH))
            .min(MAX_ANSWER_BYTES)
    }
}

/// The longest answer that is read: a range may hold a whole dictionary.
const MAX_ANSWER_BYTES: usize = 1 << 30;
/// A thousand times the path in a tree of a million keys.
const LONGEST_PATH: usize = 1 << 20;
