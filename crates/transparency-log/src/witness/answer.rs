//! Parsing and verification of a witness's response.

use super::SIZE_CONTENT_TYPE;
use crate::{
    Note,
    lines::decimal,
    note::{MOST_SIGNATURES, NoteError, Signature, VerifierKey},
};

/// A verified response of a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The verified cosignatures, at least one, to be added to the note.
    Cosigned(Vec<Signature>),
    /// The size that the witness cosigned last. The log retries with a proof from that size.
    Size(u64),
}

/// Error returned when a response has no usable content.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The witness refuses with this HTTP status.
    #[error("the witness refuses with status {0}")]
    Refused(u16),
    /// The response is longer than [`LONGEST_ANSWER`].
    #[error("an answer of a witness is too long")]
    TooLong,
    /// The response is malformed.
    #[error("an answer of a witness cannot be read")]
    Form,
    /// A signature line is malformed, there are too many, or the witness's cosignature is invalid
    /// or missing.
    #[error("an answer of a witness does not cosign the checkpoint")]
    Note(#[from] NoteError),
    /// The witness reports a size above the checkpoint's, or the old size of the request. Contains
    /// the reported size.
    #[error("the witness has cosigned {0} entries, which the checkpoint does not continue")]
    Ahead(u64),
}

/// Maximum length of a response in bytes. A receiver should not read more.
#[doc(hidden)]
pub const LONGEST_ANSWER: usize = 1 << 16;

impl Answer {
    /// Parses and verifies the response to a request.
    ///
    /// * `response`: status, content type and body.
    /// * `sent`: the note, the old size in the request, and the size of the checkpoint.
    ///
    /// # Errors
    /// [`AnswerError`] if the witness refuses, or the response is malformed or does not verify.
    pub fn read(
        response: (u16, Option<&str>, &[u8]),
        sent: (&Note, u64, u64),
        witness: &VerifierKey,
    ) -> Result<Self, AnswerError> {
        let (status, content_type, body) = response;
        let (note, old_size, size) = sent;
        if body.len() > LONGEST_ANSWER {
            return Err(AnswerError::TooLong);
        }
        match (status, content_type) {
            (200, _) => cosigned(body, note, witness),
            (409, Some(SIZE_CONTENT_TYPE)) => {
                let text = core::str::from_utf8(body).map_err(|_| AnswerError::Form)?;
                let recorded = text.strip_suffix('\n').and_then(decimal);
                let recorded = recorded.ok_or(AnswerError::Form)?;
                // A retry from the same size, or from beyond the log, cannot succeed.
                if recorded > size || recorded == old_size {
                    return Err(AnswerError::Ahead(recorded));
                }
                Ok(Self::Size(recorded))
            }
            _ => Err(AnswerError::Refused(status)),
        }
    }
}

fn cosigned(body: &[u8], note: &Note, witness: &VerifierKey) -> Result<Answer, AnswerError> {
    let text = core::str::from_utf8(body).map_err(|_| AnswerError::Form)?;
    let lines = text.strip_suffix('\n').ok_or(AnswerError::Form)?;
    let mut cosignatures = Vec::new();
    for (number, line) in lines.split('\n').enumerate() {
        let signature = Signature::parse_line(line)?;
        if number >= MOST_SIGNATURES {
            return Err(NoteError::TooManySignatures.into());
        }
        // Signatures by unknown keys are ignored.
        if signature.claims(witness) {
            witness.verify(note.unverified_text(), &signature)?;
            cosignatures.push(signature);
        }
    }
    if cosignatures.is_empty() {
        return Err(NoteError::NoKnownKey.into());
    }
    Ok(Answer::Cosigned(cosignatures))
}
