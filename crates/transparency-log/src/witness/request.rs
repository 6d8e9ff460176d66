//! Cosignature requests of a log.

use crate::{
    Note,
    lines::decimal,
    note::{LONGEST_NOTE, NoteError},
    proof::{parse_hashes, write_hashes},
    tree::Hash,
};

/// The body of a cosignature request.
///
/// ```text
/// old 20852014
/// PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=
///
/// example.com/behind-the-sofa
/// 20852163
/// ..
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddCheckpoint {
    /// The last size that the witness has cosigned; 0 if there is none.
    pub old_size: u64,
    /// The consistency proof from the old size to the checkpoint.
    pub proof: Vec<Hash>,
    /// The checkpoint, signed by the log.
    pub note: Note,
}

/// Error returned when a request is malformed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The request is longer than [`AddCheckpoint::LONGEST`].
    #[error("a request is too long")]
    TooLong,
    /// The request is not UTF-8, or its first line does not state an old size (`old SIZE`).
    #[error("a request does not begin with the old size")]
    OldSize,
    /// A line of the proof is not a hash, there are more than [`MOST_PROOF_LINES`] hashes, or no
    /// empty line follows.
    #[error("the consistency proof of a request cannot be read")]
    Proof,
    /// The note cannot be parsed.
    #[error("the note of a request cannot be read")]
    Note(#[source] NoteError),
}

/// Maximum number of hashes in the proof of a request.
#[doc(hidden)]
pub const MOST_PROOF_LINES: usize = 63;

impl AddCheckpoint {
    /// Maximum length of a request in bytes. A receiver should not read more.
    pub const LONGEST: usize = LONGEST_NOTE + 4096;

    /// Parses the body of a request.
    ///
    /// # Errors
    /// [`RequestError`] if the request is too long or malformed.
    pub fn parse(body: &[u8]) -> Result<Self, RequestError> {
        if body.len() > Self::LONGEST {
            return Err(RequestError::TooLong);
        }
        let text = core::str::from_utf8(body).map_err(|_| RequestError::OldSize)?;
        let (first, rest) = text.split_once('\n').ok_or(RequestError::OldSize)?;
        let old_size = first.strip_prefix("old ").and_then(decimal);
        let old_size = old_size.ok_or(RequestError::OldSize)?;
        let (proof, note) = parse_hashes(rest, MOST_PROOF_LINES).ok_or(RequestError::Proof)?;
        let note = Note::parse(note.as_bytes()).map_err(RequestError::Note)?;
        Ok(Self {
            old_size,
            proof,
            note,
        })
    }

    /// Encodes the body of the request.
    pub fn encode(&self) -> String {
        let mut text = format!("old {}\n", self.old_size);
        write_hashes(&mut text, &self.proof);
        text.push_str(&self.note.encode());
        text
    }
}
