//! What is wrong with notes and keys.

use super::KeyName;

/// A note cannot be read, or is not signed as it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoteError {
    /// The note is longer than [`LONGEST_NOTE`](super::LONGEST_NOTE).
    #[error("a note is too long")]
    TooLong,
    /// The note is not UTF-8, has control characters in it, or its text does not end with the end of a line.
    #[error("a note is not plain text")]
    Text,
    /// There is no empty line with signatures behind it.
    #[error("a note has no signatures")]
    Unsigned,
    /// A signature line is not one.
    #[error("a signature line of a note cannot be read")]
    SignatureLine,
    /// The note has more signatures than [`MOST_SIGNATURES`](super::MOST_SIGNATURES).
    #[error("a note has too many signatures")]
    TooManySignatures,
    /// A signature by a known key is wrong.
    #[error("the signature of {0} is wrong")]
    WrongSignature(KeyName),
    /// None of the signatures is by a known key.
    #[error("no known key has signed a note")]
    NoKnownKey,
    /// Two known keys have this name and the same id.
    #[error("two keys of the name {0} have the same id")]
    AmbiguousKey(KeyName),
}

/// A key cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The name is empty, too long, or has spaces, control characters or `+` in it.
    #[error("the name of a key is empty, too long, or has spaces or + in it")]
    Name,
    /// The text is not `<name>+<id>+<key>` (a secret one begins with `PRIVATE+KEY+`).
    #[error("a key is not of the form name+id+key")]
    Form,
    /// The key is of another type than those that are known or wanted; the type's number.
    #[error("a key of type {0} cannot be used here")]
    Type(u8),
    /// The key has the wrong length, or is not a point of the curve.
    #[error("a key is not an Ed25519 key")]
    Material,
    /// The id is not that of the key.
    #[error("the id of a key is not the id of this key")]
    Id,
}
