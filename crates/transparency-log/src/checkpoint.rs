//! Checkpoints: the size of a log and the root over its entries.

use core::fmt::Write as _;

use crate::{
    lines::{decimal, is_plain},
    note::{Note, NoteSigner},
    tree::{Hash, TreeHead},
};

/// The head of a log at one size (`tlog-checkpoint`). Its text contains the log's origin, the size
/// and the root, one per line:
///
/// ```text
/// example.com/behind-the-sofa
/// 20852163
/// CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
/// ```
///
/// The encoding is canonical: parsing accepts only the text that [`Checkpoint::text`] returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    origin: String,
    size: u64,
    root: Hash,
    extensions: Vec<String>,
}

/// Error returned when a text is not a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The origin is empty or has a control character below U+0020.
    #[error("the origin of a checkpoint is empty or not plain text")]
    Origin,
    /// The second line is not a decimal size of at most 64 bits without leading zeros.
    #[error("the size of a checkpoint is not a number")]
    Size,
    /// The third line is not a 32-byte hash in base64.
    #[error("the root of a checkpoint is not a hash")]
    Root,
    /// An extension line is empty or has a control character below U+0020.
    #[error("an extension line of a checkpoint is empty or not plain text")]
    Extension,
    /// A line is missing, or the last one has no newline.
    #[error("a checkpoint is truncated")]
    Short,
}

impl Checkpoint {
    /// Creates a checkpoint without extension lines.
    ///
    /// # Errors
    /// [`CheckpointError::Origin`] if the origin is not a valid line.
    pub fn new(origin: impl Into<String>, size: u64, root: Hash) -> Result<Self, CheckpointError> {
        let origin = origin.into();
        if !is_line(&origin) {
            return Err(CheckpointError::Origin);
        }
        Ok(Self {
            origin,
            size,
            root,
            extensions: Vec::new(),
        })
    }

    /// Appends an extension line. Nothing audits the content of the line, and the specification
    /// recommends against extension lines.
    ///
    /// # Errors
    /// [`CheckpointError::Extension`] if `line` is not a valid line.
    pub fn with_extension(mut self, line: impl Into<String>) -> Result<Self, CheckpointError> {
        let line = line.into();
        if !is_line(&line) {
            return Err(CheckpointError::Extension);
        }
        self.extensions.push(line);
        Ok(self)
    }

    /// Parses the text of a checkpoint, including the newline of its last line.
    ///
    /// # Errors
    /// [`CheckpointError`] if `text` is not a checkpoint.
    pub fn parse(text: &str) -> Result<Self, CheckpointError> {
        let (origin, rest) = text.split_once('\n').ok_or(CheckpointError::Short)?;
        let (size, rest) = rest.split_once('\n').ok_or(CheckpointError::Short)?;
        let (root, mut rest) = rest.split_once('\n').ok_or(CheckpointError::Short)?;
        let size = decimal(size).ok_or(CheckpointError::Size)?;
        let root = Hash::from_base64(root).ok_or(CheckpointError::Root)?;
        let mut checkpoint = Self::new(origin, size, root)?;
        while !rest.is_empty() {
            let (line, after) = rest.split_once('\n').ok_or(CheckpointError::Short)?;
            checkpoint = checkpoint.with_extension(line)?;
            rest = after;
        }
        Ok(checkpoint)
    }

    /// Returns the origin, the first line, which identifies the log.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns the number of entries in the log at this checkpoint.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Returns the root of the Merkle tree over the entries.
    pub const fn root(&self) -> Hash {
        self.root
    }

    /// Returns the size and the root.
    pub const fn head(&self) -> TreeHead {
        TreeHead {
            size: self.size,
            root: self.root,
        }
    }

    /// Returns the extension lines, which follow the first three lines.
    pub fn extensions(&self) -> &[String] {
        &self.extensions
    }

    /// Returns the text of the checkpoint: the message that the log signs.
    pub fn text(&self) -> String {
        let (origin, size, root) = (&self.origin, self.size, self.root);
        let mut text = format!("{origin}\n{size}\n{root}\n");
        for line in &self.extensions {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{line}");
        }
        text
    }

    /// Creates a note with the text of this checkpoint and one signature, by `signer`.
    pub fn sign(&self, signer: &NoteSigner) -> Note {
        Note::of_checkpoint(self, signer)
    }
}

/// Returns whether `line` is non-empty and has no control characters below U+0020.
fn is_line(line: &str) -> bool {
    !line.is_empty() && line.chars().all(is_plain)
}
