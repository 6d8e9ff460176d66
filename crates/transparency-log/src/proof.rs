//! Self-contained text proofs that an entry is in a log (`tlog-proof`).

use core::fmt::Write as _;

use crate::{
    lines::{base64, bytes, decimal},
    note::{LONGEST_NOTE, Note, NoteError},
    policy::{Accepted, Policy, PolicyError, Window},
    tree::{Hash, MOST_HASHES, TreeError, verify_inclusion},
};

/// A proof that an entry is in a log: its index, the path to the root, and the log's note.
///
/// ```text
/// c2sp.org/tlog-proof@v1
/// extra <base 64>
/// index 73894
/// gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=
///
/// example.com/fancylog
/// ..
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogProof {
    /// The index of the entry, from 0.
    pub index: u64,
    /// The inclusion path from the entry to the root.
    pub path: Vec<Hash>,
    /// The checkpoint with its signatures.
    pub note: Note,
    /// Application data. No signature or hash covers it.
    pub extra: Option<Vec<u8>>,
}

/// A verified entry of a log, under a checkpoint that a policy accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEntry {
    index: u64,
    accepted: Accepted,
}

/// Error returned when a proof is malformed, or does not prove that an entry is in an accepted log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LogProofError {
    /// The proof is longer than [`LogProof::LONGEST`].
    #[error("a proof from a log is too long")]
    TooLong,
    /// The proof is malformed.
    #[error("a proof from a log cannot be read")]
    Form,
    /// The note in the proof cannot be parsed.
    #[error("the note in a proof from a log cannot be read")]
    Note(#[source] NoteError),
    /// The policy does not accept the note in the proof.
    #[error("the checkpoint in a proof from a log is not accepted")]
    Policy(#[from] PolicyError),
    /// The inclusion path does not match the checkpoint: the entry is not at the claimed index.
    #[error("log proof rejected: the inclusion path does not match the checkpoint")]
    Tree(#[from] TreeError),
}

impl LogProof {
    /// Maximum length of a proof in bytes.
    pub const LONGEST: usize = LONGEST_NOTE + (1 << 18);

    /// Parses a proof.
    ///
    /// # Errors
    /// [`LogProofError::TooLong`] above [`LogProof::LONGEST`]; [`LogProofError::Form`] or
    /// [`LogProofError::Note`] if the text is malformed.
    pub fn parse(proof: &[u8]) -> Result<Self, LogProofError> {
        if proof.len() > Self::LONGEST {
            return Err(LogProofError::TooLong);
        }
        let text = core::str::from_utf8(proof).map_err(|_| LogProofError::Form)?;
        let line = |text| str::split_once(text, '\n').ok_or(LogProofError::Form);
        let (header, rest) = line(text)?;
        let (mut first, mut rest) = line(rest)?;
        if header != HEADER {
            return Err(LogProofError::Form);
        }
        let mut extra = None;
        if let Some(encoded) = first.strip_prefix("extra ") {
            extra = Some(bytes(encoded).ok_or(LogProofError::Form)?);
            (first, rest) = line(rest)?;
        }
        let index = first.strip_prefix("index ").and_then(decimal);
        let index = index.ok_or(LogProofError::Form)?;
        let (path, note) = parse_hashes(rest, MOST_HASHES).ok_or(LogProofError::Form)?;
        let note = Note::parse(note.as_bytes()).map_err(LogProofError::Note)?;
        Ok(Self {
            index,
            path,
            note,
            extra,
        })
    }

    /// Encodes the proof.
    pub fn encode(&self) -> String {
        let mut text = format!("{HEADER}\n");
        if let Some(extra) = &self.extra {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "extra {}", base64(extra));
        }
        let _ = writeln!(text, "index {}", self.index);
        write_hashes(&mut text, &self.path);
        text.push_str(&self.note.encode());
        text
    }

    /// Verifies that `entry` is in a log that `policy` accepts.
    ///
    /// # Errors
    /// [`LogProofError::Policy`] if the policy does not accept the checkpoint;
    /// [`LogProofError::Tree`] if the path does not match the checkpoint.
    pub fn verify(&self, policy: &Policy, entry: &[u8]) -> Result<LoggedEntry, LogProofError> {
        self.verify_within(policy, entry, None)
    }

    /// Like [`LogProof::verify`], but counts only cosignatures within `window`: see
    /// [`Policy::verify_within`].
    ///
    /// # Errors
    /// The errors of [`LogProof::verify`].
    pub fn verify_within(
        &self,
        policy: &Policy,
        entry: &[u8],
        window: Option<Window>,
    ) -> Result<LoggedEntry, LogProofError> {
        let accepted = policy.verify_within(&self.note, window)?;
        accepted.check_entry(self.index, entry, &self.path)?;
        let index = self.index;
        Ok(LoggedEntry { index, accepted })
    }
}

impl Accepted {
    /// Verifies with the inclusion path `path` that `entry` is at `index` in the log.
    ///
    /// # Errors
    /// [`TreeError`] if the path does not match the checkpoint.
    pub fn check_entry(&self, index: u64, entry: &[u8], path: &[Hash]) -> Result<(), TreeError> {
        let tree = self.checkpoint().head();
        verify_inclusion(index, Hash::of_leaf(entry), &tree, path)
    }
}

impl LoggedEntry {
    /// Returns the index of the entry, from 0.
    pub const fn index(&self) -> u64 {
        self.index
    }

    /// Returns whether the entry is the last one of the log at the checkpoint.
    pub fn is_last(&self) -> bool {
        self.index.checked_add(1) == Some(self.accepted.checkpoint().size())
    }

    /// Returns the accepted checkpoint with its cosignatures.
    pub const fn accepted(&self) -> &Accepted {
        &self.accepted
    }
}

/// Parses at most `most` lines of hashes up to an empty line. Returns the hashes and the rest of
/// the text; `None` if the text is malformed.
pub(crate) fn parse_hashes(mut text: &str, most: usize) -> Option<(Vec<Hash>, &str)> {
    let mut hashes = Vec::new();
    loop {
        let (line, rest) = text.split_once('\n')?;
        text = rest;
        if line.is_empty() {
            return Some((hashes, text));
        }
        if hashes.len() == most {
            return None;
        }
        hashes.push(Hash::from_base64(line)?);
    }
}

/// Writes one line per hash and an empty line.
pub(crate) fn write_hashes(text: &mut String, hashes: &[Hash]) {
    for hash in hashes {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{hash}");
    }
    text.push('\n');
}

const HEADER: &str = "c2sp.org/tlog-proof@v1";
