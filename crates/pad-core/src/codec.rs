//! The wire format of messages and stored records: an envelope, then a canonical body.
//!
//! Envelope (8 bytes): `"PAD1"`, format version, kind, suite id (big-endian).
//!
//! Body: serde data in bincode's `standard()` format (little-endian variable-length integers).
//! Digests, author keys and signatures are their bytes, without a length. (The serde support of
//! bincode would prepend one.) The format has no length limit; callers pass a limit, which is
//! checked before decoding. This module has its own reader and writer. The reader returns an error
//! for every malformed input. Tests compare both with bincode.
//!
//! Memory: a decoded value takes at most a constant times the bytes of its encoding, even if length
//! prefixes are forged. The factor is three times an element's size in memory, divided by the
//! length of its shortest encoding. A list doubles its capacity when it grows, so up to three times
//! its size is in memory while it is copied. The factor is 3 for lists of digests and up to 48 for
//! operations, which may be two bytes long. `docs/threat-model` lists the factors. Choose the limit
//! accordingly.
//!
//! `docs/format` describes all bytes. Signed bytes, and bytes hashed into roots, are never
//! encoded by this module.
//!
//! ```
//! # use ed25519_dalek::SigningKey;
//! # use pad_core::{AuthorKey, DictionaryId, SchemeId, Sha256Ed25519, SnapshotHead};
//! # use pad_core::Authority;
//! # let signer = SigningKey::from_bytes(&[7; 32]);
//! # let author = AuthorKey::from_bytes(signer.verifying_key().as_bytes())?;
//! # let dictionary = DictionaryId::from_name("example");
//! # let authority = Authority { author, dictionary, scheme: SchemeId(1) };
//! # let empty = SnapshotHead::<Sha256Ed25519>::empty(authority.scheme, dictionary);
//! use pad_core::{DecodeError, SignedHead, Version, codec};
//!
//! let signed = SnapshotHead { version: Version::new(1), ..empty }.sign(&signer)?;
//! let bytes = codec::encode(&signed);
//! assert_eq!(codec::decode(&bytes, 1024), Ok(signed));
//! let truncated = codec::decode::<SignedHead<Sha256Ed25519>>(&bytes[..50], 1024);
//! assert_eq!(truncated, Err(DecodeError::Malformed));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use alloc::vec::Vec;

use serde::{Serialize, de::DeserializeOwned};

use crate::error::DecodeError;

#[doc(hidden)]
pub mod bytes;
mod digests;
mod fields;
mod reader;
mod writer;

pub use {digests::digests, fields::Fields};

use reader::{BodyReadError, Reader, Source};
use writer::{Append, Compare, Count, Output, Writer};

/// The first four bytes of every message, by which a receiver recognises the format.
#[doc(hidden)]
pub const MAGIC: [u8; 4] = *b"PAD1";

/// The version of the format that this library writes and reads.
#[doc(hidden)]
pub const FORMAT_VERSION: u8 = 1;

/// The length of the envelope in bytes: magic bytes, format version, kind and suite.
#[doc(hidden)]
pub const ENVELOPE_LENGTH: usize = 8;

/// A type that is sent or stored as a message of its own.
///
/// Its fields are integers of up to 64 bits, bools, byte strings, texts, options, sequences, maps,
/// structs and enums. They nest at most 64 deep. A sequence has at most as many elements as its
/// message has bytes.
pub trait Message: Serialize + DeserializeOwned {
    /// The kind of this type: its number in envelopes. `docs/format` lists all numbers. Families
    /// outside of this project use 192 to 207 for proofs, and 224 to 239 for other messages.
    const KIND: u8;
    /// The id of the [`Suite`](crate::Suite) (hash and signature) of this message; 0 for messages
    /// that depend on no suite.
    const SUITE: u16;
    /// Whether no two bodies decode to one message once the reader has refused integers with a
    /// longer form than necessary. The decoder then does not encode the message again to compare.
    ///
    /// True is correct for types whose fields are integers, bools, byte strings, texts, options,
    /// lists, structs and enums with derived implementations of serde. Sets, and types that
    /// normalise or drop input (`from`, `try_from`, `with`, `other`, `skip`), must not set it.
    /// Tests have to try changed encodings: each body that decodes must encode to itself.
    const INJECTIVE: bool = false;
}

/// Encodes a message with its envelope.
///
/// # Panics
/// If the value is not serializable in this format. Every message of this workspace is.
pub fn encode<M: Message>(message: &M) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(ENVELOPE_LENGTH.saturating_add(body_length(message)));
    append_envelope(M::KIND, M::SUITE, &mut bytes);
    append_body(message, &mut bytes);
    bytes
}

/// Encodes the envelope of a message with kind number `kind` and suite id `suite`. The caller
/// appends the body.
///
/// Use it for a body with an explicit byte layout, which the receiver reads with [`open`]. Use
/// [`encode`] for serde bodies.
#[doc(hidden)]
pub fn envelope(kind: u8, suite: u16) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(256);
    append_envelope(kind, suite, &mut bytes);
    bytes
}

fn append_envelope(kind: u8, suite: u16, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&MAGIC);
    bytes.push(FORMAT_VERSION);
    bytes.push(kind);
    bytes.extend_from_slice(&suite.to_be_bytes());
}

/// Decodes an enveloped message of at most `limit` bytes.
///
/// # Errors
/// [`DecodeError`] if the message is too large, malformed, not in canonical encoding, followed by
/// further bytes, or of another format, kind or suite.
pub fn decode<M: Message>(bytes: &[u8], limit: usize) -> Result<M, DecodeError> {
    decode_message(open(bytes, M::KIND, M::SUITE, limit)?)
}

/// Decodes a message from its body, like [`decode`]. The caller must have limited the length of
/// `body`, for example with [`open`].
///
/// # Errors
/// [`DecodeError`], as for [`decode_body`].
#[doc(hidden)]
pub fn decode_message<M: Message>(body: &[u8]) -> Result<M, DecodeError> {
    decode_comparing(body, !M::INJECTIVE)
}

/// Checks a message's envelope and returns its body. The message has at most `limit` bytes.
///
/// # Errors
/// [`DecodeError`] if the message is too large, shorter than an envelope, or of another format,
/// kind or suite.
#[doc(hidden)]
pub fn open(
    bytes: &[u8],
    expected_kind: u8,
    expected_suite: u16,
    limit: usize,
) -> Result<&[u8], DecodeError> {
    if bytes.len() > limit {
        return Err(DecodeError::TooLarge { limit });
    }
    let parts = bytes.split_first_chunk::<ENVELOPE_LENGTH>();
    let (envelope, body) = parts.ok_or(DecodeError::Malformed)?;
    let [m0, m1, m2, m3, format, kind, s0, s1] = *envelope;
    if [m0, m1, m2, m3] != MAGIC {
        return Err(DecodeError::NotThisFormat);
    }
    if format != FORMAT_VERSION {
        return Err(DecodeError::UnknownFormatVersion(format));
    }
    let (expected, actual) = (expected_kind, kind);
    if actual != expected {
        return Err(DecodeError::WrongKind { expected, actual });
    }
    let (expected, actual) = (expected_suite, u16::from_be_bytes([s0, s1]));
    if actual != expected {
        return Err(DecodeError::WrongSuite { expected, actual });
    }
    Ok(body)
}

/// Encodes a body without an envelope. The receiver must know the type from the context.
///
/// # Panics
/// If the value is not serializable in this format, like [`encode`].
#[doc(hidden)]
pub fn encode_body<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(body_length(value));
    append_body(value, &mut bytes);
    bytes
}

/// The length of a value's body in bytes. Passes through the value without writing it.
///
/// # Panics
/// If the value is not serializable in this format, like [`encode`].
#[doc(hidden)]
pub fn body_length<T: Serialize>(value: &T) -> usize {
    let mut counted = Writer::new(Count(0));
    write(value, &mut counted);
    counted.output.0
}

/// Decodes a body without an envelope. The caller must have limited the length of `bytes`.
///
/// # Errors
/// [`DecodeError`] if the body is malformed, not in canonical encoding, or followed by further
/// bytes.
#[doc(hidden)]
pub fn decode_body<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> Result<T, DecodeError> {
    decode_comparing(bytes, true)
}

/// Decodes a body. If `compares`, or if the body contains a map, encodes the value again and
/// compares. Otherwise the reader's own checks have to suffice ([`Message::INJECTIVE`]).
fn decode_comparing<T: Serialize + DeserializeOwned>(
    bytes: &[u8],
    compares: bool,
) -> Result<T, DecodeError> {
    let mut source = Source::new(bytes);
    let value =
        T::deserialize(Reader::new(&mut source)).map_err(|BodyReadError| DecodeError::Malformed)?;
    if !source.rest.is_empty() {
        return Err(DecodeError::TrailingBytes);
    }
    if source.has_overlong || (compares || source.has_map) && !encodes_to(&value, bytes) {
        return Err(DecodeError::NonCanonical);
    }
    debug_assert!(encodes_to(&value, bytes), "the type is not injective");
    Ok(value)
}

/// Whether `value` encodes to `bytes`.
fn encodes_to<T: Serialize>(value: &T, bytes: &[u8]) -> bool {
    let mut compared = Writer::new(Compare { rest: bytes });
    value.serialize(&mut compared).is_ok() && compared.output.rest.is_empty()
}

/// Decodes a `T` from the start of a body. Neither reads the rest nor checks that the encoding is
/// canonical.
///
/// A receiver can thus verify the first part before allocating memory for the rest. It decodes the
/// whole body afterwards.
///
/// # Errors
/// [`DecodeError::Malformed`] if the bytes do not start with a `T`.
#[doc(hidden)]
pub fn decode_start<T: DeserializeOwned>(body: &[u8]) -> Result<T, DecodeError> {
    T::deserialize(Reader::new(&mut Source::new(body)))
        .map_err(|BodyReadError| DecodeError::Malformed)
}

fn append_body<T: Serialize>(value: &T, bytes: &mut Vec<u8>) {
    write(value, &mut Writer::new(Append(bytes)));
}

#[expect(clippy::expect_used, reason = "writers accept every message")]
fn write<T: Serialize, O: Output>(value: &T, writer: &mut Writer<O>) {
    value
        .serialize(writer)
        .expect("codec: every message of this workspace is serializable");
}
