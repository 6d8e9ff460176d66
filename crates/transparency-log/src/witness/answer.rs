//! What a log makes of a witness's answer.

use super::SIZE_CONTENT_TYPE;
use crate::{
    Note,
    lines::decimal,
    note::{MOST_SIGNATURES, NoteError, Signature, VerifierKey},
};

/// An answer of a witness, verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The witness has cosigned: its cosignatures, at least one. They belong into the note.
    Cosigned(Vec<Signature>),
    /// The witness has cosigned a checkpoint of this size last. The log asks again, with a proof from there.
    Size(u64),
}

/// An answer is of no use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The witness refuses, with this status.
    #[error("the witness refuses with status {0}")]
    Refused(u16),
    /// The answer is longer than [`LONGEST_ANSWER`].
    #[error("an answer of a witness is too long")]
    TooLong,
    /// The answer does not have the form of one.
    #[error("an answer of a witness cannot be read")]
    Form,
    /// A cosignature of the witness is wrong, or there is none of it.
    #[error("an answer of a witness does not cosign the checkpoint")]
    Note(#[from] NoteError),
    /// The witness claims to have cosigned more entries than the checkpoint has, or the same number with another root.
    #[error("the witness has cosigned {0} entries, which the checkpoint does not continue")]
    Ahead(u64),
}

/// The longest answer, in bytes. Whoever receives one reads no more.
pub const LONGEST_ANSWER: usize = 1 << 16;

impl Answer {
    /// What a witness with this key says to a request with this note, which was of this size; `asked` is the old size in the request.
    ///
    /// # Errors
    /// What is wrong with it.
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
                // To ask again from the same size, or from beyond the log, leads nowhere.
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
        // Those of unknown keys are passed over.
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
