//! How much one client may ask of a server.

/// Limits of a server. What exceeds one is refused with [`crate::message::Refusal::TooLarge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Files in the store.
    pub files: usize,
    /// Bytes of a file.
    pub file_bytes: u64,
    /// Bytes of the tag scheme's parameters of a file.
    pub parameter_bytes: usize,
    /// Bytes of a block.
    pub block_bytes: usize,
    /// Bytes of a block's tag, held and committed together.
    pub tag_bytes: usize,
    /// Blocks in a part of an upload.
    pub part_blocks: usize,
    /// Changes in an update.
    pub update_edits: usize,
    /// Bytes that an audit samples.
    pub audit_samples: u32,
    /// Blocks that an audit meets.
    pub audit_blocks: usize,
    /// Blocks that a read meets.
    pub read_blocks: usize,
    /// Bytes of an answer: proofs, tags and blocks.
    pub answer_bytes: usize,
    /// When the journal of a file becomes a checkpoint.
    pub checkpoints: Checkpoints,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            files: 100_000,
            file_bytes: 1 << 44,
            parameter_bytes: 1 << 17,
            block_bytes: 16 << 20,
            tag_bytes: 4096,
            part_blocks: 1 << 16,
            update_edits: 4096,
            audit_samples: 1 << 16,
            audit_blocks: 1 << 16,
            read_blocks: 1 << 16,
            answer_bytes: 64 << 20,
            checkpoints: Checkpoints::default(),
        }
    }
}

/// When a file's journal is long enough for a new checkpoint: once it has more than `minimum`
/// operations and more than one for each `blocks_per_operation` blocks of the file.
///
/// A checkpoint costs about 45 bytes for each block, so each operation pays for that many blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkpoints {
    /// Operations that any file's journal may have.
    pub minimum: u64,
    /// Blocks of the file for each further operation of the journal; 0 is as good as 1.
    pub blocks_per_operation: u64,
}

impl Default for Checkpoints {
    fn default() -> Self {
        Self {
            minimum: 4096,
            blocks_per_operation: 8,
        }
    }
}

impl Checkpoints {
    /// Whether a journal of this many operations calls for a checkpoint of this many blocks.
    pub(crate) fn due(&self, journalled: u64, blocks: u64) -> bool {
        let share = blocks.checked_div(self.blocks_per_operation);
        journalled > self.minimum.max(share.unwrap_or(blocks))
    }
}
