//! Resource limits of a file server.

use core::time::Duration;

use flexlist::tag::TagKind;

use crate::message;

/// Resource limits of a file server. A request that exceeds a limit is refused with
/// [`crate::message::Refusal::TooLarge`], unless stated otherwise.
///
/// For blocks and changes in one message, the limits of the protocol apply in addition
/// ([`MAX_PART_BLOCKS`](message::MAX_PART_BLOCKS) and the constants next to it).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of files in the store, including files removed during the last day.
    pub files: usize,
    /// Maximum number of files of one owner, including files removed during the last day.
    pub files_per_owner: usize,
    /// Maximum number of files of one owner whose upload is not finished.
    pub unfinished_per_owner: usize,
    /// Maximum number of bytes of one owner in the store: contents and overhead. The overhead
    /// includes 4096 bytes per file, and 512 bytes per block, which is more than any tag has. The
    /// version before the current one counts until it is acknowledged.
    pub bytes_per_owner: u64,
    /// Time without a new part after which the server removes an unfinished upload. Resolution: one
    /// second.
    pub upload_idle: Duration,
    /// Maximum length of a file in bytes.
    pub file_bytes: u64,
    /// Maximum number of blocks in all lists in memory, at some hundred bytes per block. Also the
    /// maximum number of blocks of one file.
    pub list_blocks: u64,
    /// Maximum number of bytes of the tag scheme's parameters of one file.
    pub parameter_bytes: usize,
    /// Maximum length of a block in bytes.
    pub block_bytes: usize,
    /// Maximum length in bytes of a block with an RSA tag, if less than `block_bytes`. To check
    /// such a tag, the server computes a power with the whole block as exponent, which takes
    /// seconds for a mebibyte.
    pub rsa_block_bytes: usize,
    /// Maximum number of bytes of a block's tag: its held and its committed part together.
    pub tag_bytes: usize,
    /// Maximum number of blocks in a part of an upload.
    pub part_blocks: usize,
    /// Maximum number of changes in an update.
    pub update_edits: usize,
    /// Maximum number of new blocks in one request (a part or an update) about a file with BLS
    /// tags. The server hashes the write id and length of each block to a curve.
    pub public_tag_blocks: usize,
    /// Maximum time that a change of a file waits for another change of the same file. It is then
    /// refused with [`crate::message::Refusal::Unavailable`], so that one file does not delay the
    /// others.
    pub turn_wait: Duration,
    /// Maximum number of bytes that an audit request may sample.
    pub audit_samples: u32,
    /// Maximum number of blocks that an audit request may select.
    pub audit_blocks: usize,
    /// Maximum total length in bytes of the blocks that an audit request selects. The server reads
    /// all of them.
    pub audit_bytes: u64,
    /// Maximum number of blocks in the answer to a read.
    pub read_blocks: usize,
    /// Maximum number of bytes of an answer: proofs, tags and blocks.
    pub answer_bytes: usize,
    /// Thresholds at which the server replaces a file's journal (list operations) by a checkpoint
    /// (the whole list).
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
    /// Lowers these limits where they exceed the limits with which clients decode answers.
    pub(crate) fn within_protocol(self) -> Self {
        Self {
            audit_blocks: self.audit_blocks.min(message::MAX_AUDIT_BLOCKS),
            read_blocks: self.read_blocks.min(message::MAX_READ_BLOCKS),
            ..self
        }
    }

    /// Returns the maximum length in bytes of a block of a file with tags of `kind`.
    pub(crate) fn block_bytes_of(&self, kind: TagKind) -> usize {
        match kind {
            TagKind::Rsa2048 | TagKind::Rsa3072 => self.block_bytes.min(self.rsa_block_bytes),
            TagKind::HashOnly | TagKind::PrivateMac | TagKind::PublicBls => self.block_bytes,
        }
    }

    /// Returns the maximum number of new blocks in one request about a file with tags of `kind`.
    /// `None` if this kind has no separate limit.
    pub(crate) const fn blocks_of(&self, kind: TagKind) -> Option<usize> {
        match kind {
            TagKind::PublicBls => Some(self.public_tag_blocks),
            _ => None,
        }
    }
}

/// Thresholds for a new checkpoint (the whole block list) of a file. The journal since the last
/// checkpoint must have more than `minimum` operations. It must also have more than one operation
/// per `blocks_per_operation` blocks of the file.
///
/// A checkpoint costs about 45 bytes per block. Each operation thus pays for `blocks_per_operation`
/// blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkpoints {
    /// Number of operations that the journal of any file may have without a checkpoint.
    pub minimum: u64,
    /// Number of blocks of the file per operation of the journal. 0 is treated as 1.
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
    /// Reports whether a file with `blocks` blocks and a journal of `journalled` operations needs a
    /// new checkpoint.
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
