//! Texts with signatures (`signed-note`), and the keys for them.
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
//! A signature line has the name of a key, and in base 64 its id of four bytes and the signature. Signatures by keys
//! that the reader does not know are passed over; one by a known key that is wrong makes the whole note refused.

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

/// The longest note, in bytes.
pub const LONGEST_NOTE: usize = 1 << 20;
/// The most signatures of a note. The specification asks for 16 at least; some are of 5 kB.
pub const MOST_SIGNATURES: usize = 100;

/// A text with signatures, of which nothing is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    text: String,
    signatures: Vec<Signature>,
}

/// A signature line, not verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    name: KeyName,
    id: KeyId,
    bytes: Vec<u8>,
}

/// What the known ones of a note's signatures say, all of them verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened<'a> {
    /// The text.
    pub text: &'a str,
    /// Who signed it: at least one key, in the order of the signatures.
    pub signed: Vec<Signed>,
}

impl Note {
    /// A note with this text, which nobody has signed yet.
    ///
    /// # Errors
    /// [`NoteError::Text`] if the text does not end with the end of a line, or has other control characters below
    /// U+0020; [`NoteError::TooLong`].
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

    /// The note in these bytes: a text, an empty line, and one or more signature lines.
    ///
    /// # Errors
    /// [`NoteError::TooLong`], [`NoteError::Text`], [`NoteError::Unsigned`] if there is no empty line with signatures behind it,
    /// [`NoteError::SignatureLine`], [`NoteError::TooManySignatures`].
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
        // The end of the text's last line is a part of the text.
        let mut parsed = Self::new(format!("{text}\n"))?;
        for line in lines.split('\n') {
            parsed.add(Signature::parse_line(line)?)?;
        }
        Ok(parsed)
    }

    /// The note that says this, signed by the log.
    pub(crate) fn of_checkpoint(checkpoint: &Checkpoint, signer: &NoteSigner) -> Self {
        let text = checkpoint.text();
        let signatures = vec![signer.sign(&text)];
        Self { text, signatures }
    }

    /// The bytes of the note. Nobody reads one without signatures.
    pub fn encode(&self) -> String {
        let mut note = format!("{}\n", self.text);
        for signature in &self.signatures {
            note.push_str(&signature.line());
        }
        note
    }

    /// The text, which anybody may have written: [`Note::open`] says who vouches for it.
    pub fn unverified_text(&self) -> &str {
        &self.text
    }

    /// The signatures, none of them verified.
    pub fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    /// Adds a signature, which is not verified. One that is there already is not added again.
    ///
    /// # Errors
    /// [`NoteError::TooManySignatures`].
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

    /// The note with those of its signatures alone that claim to be by these keys.
    #[must_use]
    pub fn only_by(mut self, keys: &[VerifierKey]) -> Self {
        let claims = |signature: &Signature| keys.iter().any(|key| signature.claims(key));
        self.signatures.retain(claims);
        self
    }

    /// Verifies the signatures of all keys that are known. The others are passed over.
    ///
    /// # Errors
    /// [`NoteError::WrongSignature`] if one of them is wrong; [`NoteError::NoKnownKey`] if there is none;
    /// [`NoteError::AmbiguousKey`] if two known keys have one name and one id.
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

    /// The signature in a line, without the line's end.
    ///
    /// # Errors
    /// [`NoteError::SignatureLine`].
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

    /// The line, with its end.
    pub fn line(&self) -> String {
        let mut signed = self.id.number().to_be_bytes().to_vec();
        signed.extend_from_slice(&self.bytes);
        format!("\u{2014} {} {}\n", self.name, base64(&signed))
    }

    /// The name of the key that it claims to be by.
    pub const fn name(&self) -> &KeyName {
        &self.name
    }

    /// The id of the key that it claims to be by.
    pub const fn id(&self) -> KeyId {
        self.id
    }

    /// The signature itself.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether it claims to be by this key.
    pub fn claims(&self, key: &VerifierKey) -> bool {
        self.id == key.id() && self.name == *key.name()
    }
}

/// The line, without its end.
impl fmt::Display for Signature {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.line().trim_end_matches('\n'))
    }
}

/// Whether there are no control characters below U+0020 but ends of lines.
fn is_text(text: &str) -> bool {
    text.chars()
        .all(|character| is_plain(character) || character == '\n')
}
