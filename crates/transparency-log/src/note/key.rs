//! Key names, key ids and signature types.

use core::{fmt, str::FromStr};

use sha2::{Digest, Sha256};

use super::KeyError;
use crate::{
    Timestamp,
    lines::{base64, bytes, is_plain},
};

/// The name of a key: plain text without whitespace or `+`. A schemeless URL is recommended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyName(String);

impl KeyName {
    /// Maximum length of a name in bytes.
    pub const LONGEST: usize = 1024;

    /// Returns the name as a string slice.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for KeyName {
    type Err = KeyError;

    fn from_str(name: &str) -> Result<Self, KeyError> {
        let fits = !name.is_empty() && name.len() <= Self::LONGEST;
        let is_allowed =
            |character: char| is_plain(character) && !character.is_whitespace() && character != '+';
        if fits && name.chars().all(is_allowed) {
            return Ok(Self(name.to_owned()));
        }
        Err(KeyError::Name)
    }
}

impl fmt::Display for KeyName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A four-byte key id. Name and id together select the key that verifies a signature. The id is too
/// short to authenticate a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(u32);

impl KeyId {
    /// Creates an id from its number.
    #[doc(hidden)]
    pub const fn from_number(number: u32) -> Self {
        Self(number)
    }

    /// Returns the number of the id.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// Computes the first four bytes of `SHA-256(name ‖ 0a ‖ type ‖ key)`.
    pub(super) fn of(name: &KeyName, algorithm: Algorithm, key: &[u8; 32]) -> Self {
        let hash = Sha256::new()
            .chain_update(name.as_str())
            .chain_update([b'\n', algorithm.number()])
            .chain_update(key)
            .finalize();
        let [first, second, third, fourth, ..] = <[u8; 32]>::from(hash);
        Self(u32::from_be_bytes([first, second, third, fourth]))
    }
}

/// Eight hexadecimal digits.
impl fmt::Display for KeyId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:08x}", self.0)
    }
}

/// A signature type, which determines the signed message and the signature algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// The text of a note, with Ed25519 (type 1).
    Ed25519,
    /// A witness's cosignature, version 1 (type 4): a time and the text of a checkpoint, with
    /// Ed25519.
    CosignatureV1,
}

impl Algorithm {
    /// Returns the number of the signature type.
    pub const fn number(self) -> u8 {
        match self {
            Self::Ed25519 => 1,
            Self::CosignatureV1 => 4,
        }
    }

    fn of_number(number: u8) -> Result<Self, KeyError> {
        match number {
            1 => Ok(Self::Ed25519),
            4 => Ok(Self::CosignatureV1),
            other => Err(KeyError::Type(other)),
        }
    }
}

/// A type-level [`Algorithm`], the parameter of a [`SignerKey`](super::SignerKey).
pub trait SignatureType: fmt::Debug {
    /// The signature type as a value.
    const ALGORITHM: Algorithm;
}

/// Signatures of notes with Ed25519 (type 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ed25519;

/// Timestamped signatures of checkpoints with Ed25519 (type 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CosignatureV1;

impl SignatureType for Ed25519 {
    const ALGORITHM: Algorithm = Algorithm::Ed25519;
}

impl SignatureType for CosignatureV1 {
    const ALGORITHM: Algorithm = Algorithm::CosignatureV1;
}

/// Returns the message that a witness signs: two header lines, then `text`, the text of a
/// checkpoint. Defined by `tlog-cosignature`.
pub(super) fn cosigned(text: &str, time: Timestamp) -> String {
    format!("cosignature/v1\ntime {time}\n{text}")
}

/// Encodes a key as text: `<name>+<id>+<base64 of type and key>`.
pub(super) fn key_text(name: &KeyName, id: KeyId, algorithm: Algorithm, key: &[u8; 32]) -> String {
    let mut typed = vec![algorithm.number()];
    typed.extend_from_slice(key);
    format!("{name}+{id}+{}", base64(&typed))
}

/// Parses the text of a key. Returns its name, the digits of its id, its type and its bytes. The id
/// is not checked.
pub(super) fn parse_key_text(text: &str) -> Result<(KeyName, &str, Algorithm, [u8; 32]), KeyError> {
    if text.len() > KeyName::LONGEST.saturating_add(LONGEST_REST) {
        return Err(KeyError::Form);
    }
    let (name, rest) = text.split_once('+').ok_or(KeyError::Form)?;
    let (id, encoded) = rest.split_once('+').ok_or(KeyError::Form)?;
    let typed = bytes(encoded).ok_or(KeyError::Form)?;
    let (number, key) = typed.split_first().ok_or(KeyError::Form)?;
    let algorithm = Algorithm::of_number(*number)?;
    let key = key.try_into().map_err(|_| KeyError::Material)?;
    Ok((name.parse()?, id, algorithm, key))
}

/// Maximum length in bytes of the text after a name: id, type and key. Leaves room for keys of
/// unknown types, some of which have 1312 bytes.
const LONGEST_REST: usize = 4096;
