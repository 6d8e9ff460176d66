//! Errors of notes and keys.

use super::KeyName;

/// Error returned when a note cannot be parsed or verified.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoteError {
    /// The note is longer than [`LONGEST_NOTE`](super::LONGEST_NOTE).
    #[error("a note is too long")]
    TooLong,
    /// The note is not UTF-8, has control characters below U+0020 other than newlines, or its text
    /// does not end with a newline.
    #[error("a note is not plain text")]
    Text,
    /// The note has no empty line followed by signatures.
    #[error("a note has no signatures")]
    Unsigned,
    /// A signature line is malformed.
    #[error("a signature line of a note cannot be read")]
    SignatureLine,
    /// The note has more signatures than [`MOST_SIGNATURES`](super::MOST_SIGNATURES).
    #[error("a note has too many signatures")]
    TooManySignatures,
    /// A signature by a known key is invalid.
    #[error("the signature of {0} is wrong")]
    WrongSignature(KeyName),
    /// None of the signatures is by a known key.
    #[error("no known key has signed a note")]
    NoKnownKey,
    /// The name and id of a signature match two different known keys. Contains the name.
    #[error("two keys of the name {0} have the same id")]
    AmbiguousKey(KeyName),
}

/// Error returned when a key cannot be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The name is empty, too long, or contains whitespace, control characters below U+0020 or `+`.
    #[error("the name of a key is empty, too long, or has spaces or + in it")]
    Name,
    /// The text is not `<name>+<id>+<key>` (prefixed by `PRIVATE+KEY+` for a secret key).
    #[error("a key is not of the form name+id+key")]
    Form,
    /// The key type, given by its number, is unknown or not the required one.
    #[error("a key of type {0} cannot be used here")]
    Type(u8),
    /// The key has the wrong length, is not a canonical curve point, or has small order.
    #[error("a key is not an Ed25519 key")]
    Material,
    /// The id does not match the key.
    #[error("the id of a key does not match the key")]
    Id,
}
