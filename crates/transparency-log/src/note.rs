//! Signed texts (`signed-note`) and their keys.
//!
//! ```text
//! Ognuno sta solo sul cuor della terra
//! trafitto da un raggio di sole:
//!
//! ed è subito sera.
//!
//! — quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=
//! ```
//!
//! A signature line contains the key name, then in base64 the four-byte key id and the signature.
//! Signatures by unknown keys are ignored. An invalid signature by a known key rejects the whole
//! note.

use core::fmt;

use crate::{
    Checkpoint,
    lines::{base64, bytes, is_plain},
};

mod error;
mod key;
mod signer;
mod verifier;

pub use error::{KeyError, NoteError};
pub use key::{Algorithm, CosignatureV1, Ed25519, KeyId, KeyName, SignatureType};
pub use signer::{Cosigner, NoteSigner, SignerKey};
pub use verifier::{Signed, VerifierKey};

/// Maximum length of a note in bytes.
pub const LONGEST_NOTE: usize = 1 << 20;
/// Maximum number of signatures on a note. The specification requires support for at least 16.
#[doc(hidden)]
pub const MOST_SIGNATURES: usize = 100;

/// A text with signatures, none of them verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    text: String,
    signatures: Vec<Signature>,
}

/// An unverified signature line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    name: KeyName,
    id: KeyId,
    bytes: Vec<u8>,
}

/// The result of [`Note::open`]: the text and its verified signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened<'a> {
    /// The text of the note.
    pub text: &'a str,
    /// The verified signatures by known keys: at least one, in the order of the note.
    pub signed: Vec<Signed>,
}

impl Note {
    /// Creates an unsigned note from `text`.
    ///
    /// # Errors
    /// [`NoteError::Text`] if the text does not end with a newline or has other control characters
    /// below U+0020; [`NoteError::TooLong`].
    pub fn new(text: impl Into<String>) -> Result<Self, NoteError> {
        let text = text.into();
        if text.len() > LONGEST_NOTE {
            return Err(NoteError::TooLong);
        }
        if !text.ends_with('\n') || !is_text(&text) {
            return Err(NoteError::Text);
        }
        let signatures = Vec::new();
        Ok(Self { text, signatures })
    }

    /// Parses a note: a text, an empty line, and one or more signature lines. Drops duplicate
    /// signature lines.
    ///
    /// # Errors
    /// [`NoteError::TooLong`], [`NoteError::Text`], [`NoteError::Unsigned`] if no empty line
    /// precedes the signatures, [`NoteError::SignatureLine`], [`NoteError::TooManySignatures`].
    pub fn parse(note: &[u8]) -> Result<Self, NoteError> {
        if note.len() > LONGEST_NOTE {
            return Err(NoteError::TooLong);
        }
        let note = core::str::from_utf8(note).map_err(|_| NoteError::Text)?;
        if !is_text(note) {
            return Err(NoteError::Text);
        }
        let (text, lines) = note.rsplit_once("\n\n").ok_or(NoteError::Unsigned)?;
        let lines = lines.strip_suffix('\n').ok_or(NoteError::SignatureLine)?;
        // The newline of the text's last line belongs to the text.
        let mut parsed = Self::new(format!("{text}\n"))?;
        for line in lines.split('\n') {
            parsed.add(Signature::parse_line(line)?)?;
        }
        Ok(parsed)
    }

    /// Creates the note of `checkpoint`, signed by the log.
    pub(crate) fn of_checkpoint(checkpoint: &Checkpoint, signer: &NoteSigner) -> Self {
        let text = checkpoint.text();
        let signatures = vec![signer.sign(&text)];
        Self { text, signatures }
    }

    /// Encodes the note. [`Note::parse`] rejects a note without signatures.
    pub fn encode(&self) -> String {
        let mut note = format!("{}\n", self.text);
        for signature in &self.signatures {
            note.push_str(&signature.line());
        }
        note
    }

    /// Returns the unverified text. [`Note::open`] verifies its signatures.
    pub fn unverified_text(&self) -> &str {
        &self.text
    }

    /// Returns the unverified signatures.
    pub fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    /// Adds a signature without verifying it. A duplicate is not added again.
    ///
    /// # Errors
    /// [`NoteError::TooManySignatures`] if the note already has [`MOST_SIGNATURES`].
    pub fn add(&mut self, signature: Signature) -> Result<(), NoteError> {
        if self.signatures.contains(&signature) {
            return Ok(());
        }
        if self.signatures.len() >= MOST_SIGNATURES {
            return Err(NoteError::TooManySignatures);
        }
        self.signatures.push(signature);
        Ok(())
    }

    /// Keeps only the signatures that claim to be by one of `keys`.
    #[must_use]
    #[doc(hidden)]
    pub fn only_by(mut self, keys: &[VerifierKey]) -> Self {
        let claims = |signature: &Signature| keys.iter().any(|key| signature.claims(key));
        self.signatures.retain(claims);
        self
    }

    /// Verifies the signatures by `keys` and ignores all others.
    ///
    /// # Errors
    /// [`NoteError::WrongSignature`] if a signature by one of `keys` is invalid;
    /// [`NoteError::NoKnownKey`] if the note has no signature by one of `keys`;
    /// [`NoteError::AmbiguousKey`] if the name and id of a signature match two different keys.
    pub fn open(&self, keys: &[VerifierKey]) -> Result<Opened<'_>, NoteError> {
        let mut signed = Vec::new();
        for signature in &self.signatures {
            let mut known = keys.iter().filter(|key| signature.claims(key));
            let Some(key) = known.next() else { continue };
            if known.any(|other| other != key) {
                return Err(NoteError::AmbiguousKey(key.name().clone()));
            }
            signed.push(key.verify(&self.text, signature)?);
        }
        if signed.is_empty() {
            return Err(NoteError::NoKnownKey);
        }
        let text = &self.text;
        Ok(Opened { text, signed })
    }
}

impl Signature {
    pub(crate) const fn new(name: KeyName, id: KeyId, bytes: Vec<u8>) -> Self {
        Self { name, id, bytes }
    }

    /// Parses a signature line without its newline.
    ///
    /// # Errors
    /// [`NoteError::SignatureLine`] if the line is malformed.
    #[doc(hidden)]
    pub fn parse_line(line: &str) -> Result<Self, NoteError> {
        let parsed = || {
            let (name, encoded) = line.strip_prefix("\u{2014} ")?.split_once(' ')?;
            let signed = bytes(encoded)?;
            let (id, signature) = signed.split_first_chunk()?;
            let id = KeyId::from_number(u32::from_be_bytes(*id));
            (!signature.is_empty()).then_some(())?;
            Some(Self::new(name.parse().ok()?, id, signature.to_vec()))
        };
        parsed().ok_or(NoteError::SignatureLine)
    }

    /// Encodes the signature line, with its newline.
    #[doc(hidden)]
    pub fn line(&self) -> String {
        let mut signed = self.id.number().to_be_bytes().to_vec();
        signed.extend_from_slice(&self.bytes);
        format!("\u{2014} {} {}\n", self.name, base64(&signed))
    }

    /// Returns the name of the claimed key.
    pub const fn name(&self) -> &KeyName {
        &self.name
    }

    /// Returns the id of the claimed key.
    pub const fn id(&self) -> KeyId {
        self.id
    }

    /// Returns the signature bytes, without the key id.
    #[doc(hidden)]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns whether the name and id match `key`. The signature is not verified.
    #[doc(hidden)]
    pub fn claims(&self, key: &VerifierKey) -> bool {
        self.id == key.id() && self.name == *key.name()
    }
}

/// The signature line without its newline.
impl fmt::Display for Signature {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.line().trim_end_matches('\n'))
    }
}

/// Returns whether `text` has no control characters below U+0020 except newlines.
fn is_text(text: &str) -> bool {
    text.chars()
        .all(|character| is_plain(character) || character == '\n')
}
