//! How much one client may ask of a server.

use core::time::Duration;

use flexlist::tag::TagKind;

use crate::message;

/// Limits of a server. What exceeds one is refused with [`crate::message::Refusal::TooLarge`].
///
/// Those of blocks and changes in one message hold up to the limits of the protocol
/// ([`MAX_PART_BLOCKS`](message::MAX_PART_BLOCKS) and those beside it).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Files in the store, those included that were removed during the last day.
    pub files: usize,
    /// Files of one owner, those included that were removed during the last day.
    pub files_per_owner: usize,
    /// Files of one owner whose upload is not finished.
    pub unfinished_per_owner: usize,
    /// Bytes in the store of one owner: of contents, and what goes with them (512 for each block, which
    /// is more than any tag has). The version before the current one counts until it is acknowledged.
    pub bytes_per_owner: u64,
    /// How long an upload may rest before it is removed, to the second.
    pub upload_idle: Duration,
    /// Bytes of a file.
    pub file_bytes: u64,
    /// Blocks of all files that are in memory at a time, at some hundred bytes each; and of one file.
    pub list_blocks: u64,
    /// Bytes of the tag scheme's parameters of a file.
    pub parameter_bytes: usize,
    /// Bytes of a block.
    pub block_bytes: usize,
    /// Bytes of a block with RSA tags, if less than `block_bytes`: to check its tag the server raises a
    /// number to the power of the whole block, which takes seconds for a mebibyte.
    pub rsa_block_bytes: usize,
    /// Bytes of a block's tag, held and committed together.
    pub tag_bytes: usize,
    /// Blocks in a part of an upload.
    pub part_blocks: usize,
    /// Changes in an update.
    pub update_edits: usize,
    /// Blocks in a part of an upload, or in an update, of a file with public tags: the server hashes to
    /// a curve for each.
    pub public_tag_blocks: usize,
    /// How long a change of a file waits for another change of it; then it is refused with
    /// [`crate::message::Refusal::Unavailable`], so that one file does not hold up the others.
    pub turn_wait: Duration,
    /// Bytes that an audit samples.
    pub audit_samples: u32,
    /// Blocks that an audit meets.
    pub audit_blocks: usize,
    /// Bytes of the blocks that an audit meets, all of which the server reads.
    pub audit_bytes: u64,
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
            files_per_owner: 1000,
            unfinished_per_owner: 16,
            bytes_per_owner: 1 << 40,
            upload_idle: Duration::from_hours(7 * 24),
            file_bytes: 1 << 44,
            list_blocks: 1 << 24,
            parameter_bytes: 1 << 17,
            block_bytes: 16 << 20,
            rsa_block_bytes: 1 << 16,
            tag_bytes: 4096,
            part_blocks: message::MAX_PART_BLOCKS,
            update_edits: message::MAX_EDITS,
            public_tag_blocks: 2048,
            turn_wait: Duration::from_millis(500),
            audit_samples: 1 << 16,
            audit_blocks: message::MAX_AUDIT_BLOCKS,
            audit_bytes: 512 << 20,
            read_blocks: message::MAX_READ_BLOCKS,
            answer_bytes: 64 << 20,
            checkpoints: Checkpoints::default(),
        }
    }
}

impl Limits {
    /// These limits, where no client would decode an answer above them.
    pub(crate) fn within_protocol(self) -> Self {
        Self {
            audit_blocks: self.audit_blocks.min(message::MAX_AUDIT_BLOCKS),
            read_blocks: self.read_blocks.min(message::MAX_READ_BLOCKS),
            ..self
        }
    }

    /// The longest block of a file with these tags.
    pub(crate) fn block_bytes_of(&self, kind: TagKind) -> usize {
        match kind {
            TagKind::Rsa2048 | TagKind::Rsa3072 => self.block_bytes.min(self.rsa_block_bytes),
            TagKind::HashOnly | TagKind::PrivateMac | TagKind::PublicBls => self.block_bytes,
        }
    }

    /// The most new blocks in one request about a file with these tags, if that has a limit of its own.
    pub(crate) const fn blocks_of(&self, kind: TagKind) -> Option<usize> {
        match kind {
            TagKind::PublicBls => Some(self.public_tag_blocks),
            _ => None,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costly_tags_have_limits_of_their_own() {
        let limits = Limits::default();
        for kind in TagKind::ALL {
            let is_rsa = matches!(kind, TagKind::Rsa2048 | TagKind::Rsa3072);
            let longest = if is_rsa { 64 << 10 } else { 16 << 20 };
            assert_eq!(limits.block_bytes_of(kind), longest, "{kind}");
            let most = (kind == TagKind::PublicBls).then_some(2048);
            assert_eq!(limits.blocks_of(kind), most, "{kind}");
        }
        let short = Limits {
            block_bytes: 100,
            ..limits
        };
        assert_eq!(short.block_bytes_of(TagKind::Rsa2048), 100);
    }

    #[test]
    fn no_answer_is_longer_than_clients_decode() {
        let high = Limits {
            audit_blocks: usize::MAX,
            read_blocks: usize::MAX,
            ..Limits::default()
        };
        assert_eq!(high.within_protocol(), Limits::default());
    }
}
