//! What a log's note says: how many entries there are, and the root over them.

use core::fmt::Write as _;

use crate::{
    lines::{base64, decimal, is_plain, split_line},
    note::{Note, NoteSigner},
    tree::{Hash, TreeHead},
};

/// The head of a log at one size (`tlog-checkpoint`).
///
/// ```text
/// example.com/behind-the-sofa
/// 20852163
/// CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
/// ```
///
/// Every checkpoint has one text, and every text that is read is the text of what was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    origin: String,
    size: u64,
    root: Hash,
    extensions: Vec<String>,
}

/// A text is no checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The origin is empty, or has a control character in it.
    #[error("the origin of a checkpoint is empty or not plain text")]
    Origin,
    /// The second line is not a size in decimal digits.
    #[error("the size of a checkpoint is not a number")]
    Size,
    /// The third line is not a hash of 32 bytes in base 64.
    #[error("the root of a checkpoint is not a hash")]
    Root,
    /// An extension line is empty, or has a control character in it.
    #[error("an extension line of a checkpoint is empty or not plain text")]
    Extension,
    /// A line is missing, or the last one does not end.
    #[error("a checkpoint ends too early")]
    Short,
}

impl Checkpoint {
    /// A checkpoint without extension lines.
    ///
    /// # Errors
    /// [`CheckpointError::Origin`].
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

    /// The checkpoint with one more extension line. Nobody audits what stands there; the specification
    /// recommends none.
    ///
    /// # Errors
    /// [`CheckpointError::Extension`].
    pub fn with_extension(mut self, line: impl Into<String>) -> Result<Self, CheckpointError> {
        let line = line.into();
        if !is_line(&line) {
            return Err(CheckpointError::Extension);
        }
        self.extensions.push(line);
        Ok(self)
    }

    /// The checkpoint with this text, which ends with the end of its last line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, CheckpointError> {
        let (origin, rest) = split_line(text).ok_or(CheckpointError::Short)?;
        let (size, rest) = split_line(rest).ok_or(CheckpointError::Short)?;
        let (root, mut rest) = split_line(rest).ok_or(CheckpointError::Short)?;
        let size = decimal(size).ok_or(CheckpointError::Size)?;
        let root = Hash::from_base64(root).ok_or(CheckpointError::Root)?;
        let mut checkpoint = Self::new(origin, size, root)?;
        while !rest.is_empty() {
            let (line, after) = split_line(rest).ok_or(CheckpointError::Short)?;
            checkpoint = checkpoint.with_extension(line)?;
            rest = after;
        }
        Ok(checkpoint)
    }

    /// Which log it is of: the first line.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// How many entries the log has.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The root of the Merkle tree over them.
    pub const fn root(&self) -> Hash {
        self.root
    }

    /// Both: what the log is.
    pub const fn head(&self) -> TreeHead {
        TreeHead {
            size: self.size,
            root: self.root,
        }
    }

    /// The lines after the first three.
    pub fn extensions(&self) -> &[String] {
        &self.extensions
    }

    /// The text: what is signed.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{}\n{}\n{}\n",
            self.origin,
            self.size,
            base64(self.root.as_bytes())
        );
        for line in &self.extensions {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{line}");
        }
        text
    }

    /// The note that says this, signed by the log.
    pub fn sign(&self, signer: &NoteSigner) -> Note {
        Note::of_checkpoint(self, signer)
    }
}

/// Whether this is a line: not empty, and without control characters.
fn is_line(line: &str) -> bool {
    !line.is_empty() && line.chars().all(is_plain)
}
