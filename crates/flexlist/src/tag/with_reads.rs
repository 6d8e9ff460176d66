//! Verified reads: the committed part of a tag begins with the root of a hash tree over the block.
//!
//! The scheme of a kind proves possession; the root verifies reads. A client checks a block that it
//! reads by hashing it, without the computations of the scheme.

#![deny(clippy::arithmetic_side_effects)]

use alloc::{borrow::Cow, vec::Vec};

use super::{
    BlockTag, Challenged, TagError, TagKind,
    hash_only::{self, HashOnly, chunk_tree},
    scheme::{OpenedBlock, StoredBlock},
};
use crate::{bytes::Bytes, error::AuditError};

/// The length in bytes of a hash tree's root.
const ROOT: usize = 32;

impl TagKind {
    /// Returns the length in bytes of the root before the committed part of the kind's scheme. The
    /// committed part of [`HashOnly`] is such a root itself.
    const fn root_length(self) -> usize {
        match self {
            Self::HashOnly => 0,
            Self::PrivateMac | Self::Rsa2048 | Self::Rsa3072 | Self::PublicBls => ROOT,
        }
    }

    /// Checks that `block` contains the bytes of the block that starts at byte `start`, by the
    /// `committed` part of a tag of this kind. Needs no key.
    ///
    /// # Errors
    /// [`AuditError::MalformedTag`] if `committed` is malformed; [`AuditError::BlockMismatch`] if
    /// the block has another root.
    #[doc(hidden)]
    pub fn check_block(self, start: u64, committed: &[u8], block: &[u8]) -> Result<(), AuditError> {
        let root = match self.root_length() {
            0 => Some(committed),
            // The bytes after the root do not matter here.
            length => committed.get(..length),
        };
        HashOnly::check_block(
            start,
            root.ok_or(AuditError::MalformedTag { start })?,
            block,
        )
    }

    /// Adds the root of `block` to a tag of the kind's scheme.
    pub(super) fn with_root(self, tag: BlockTag, block: &[u8]) -> BlockTag {
        if self.root_length() == 0 {
            return tag;
        }
        let BlockTag { committed, held } = tag;
        let root = chunk_tree::root(block);
        let committed = [root.as_slice(), committed.as_ref()].concat().into();
        BlockTag { committed, held }
    }

    /// Returns the tag of the kind's scheme: removes the root.
    pub(super) fn own_tag(self, tag: &BlockTag) -> Result<Cow<'_, BlockTag>, TagError> {
        if self.root_length() == 0 {
            return Ok(Cow::Borrowed(tag));
        }
        let committed = tag.committed.as_ref().get(self.root_length()..);
        Ok(Cow::Owned(BlockTag {
            committed: committed.ok_or(TagError::TagMalformed)?.to_vec().into(),
            held: tag.held.clone(),
        }))
    }

    /// Checks the roots of stored blocks, and returns the tags of the kind's scheme. The scheme of
    /// [`HashOnly`] checks its roots itself.
    pub(super) fn own_tags<'a>(
        self,
        blocks: &[StoredBlock<'a>],
    ) -> Result<Vec<Cow<'a, BlockTag>>, TagError> {
        let own = |block: &StoredBlock<'a>| {
            if self.root_length() > 0 {
                let checked = self.check_block(0, block.tag.committed.as_ref(), block.data);
                checked.map_err(hash_only::stored)?;
            }
            self.own_tag(block.tag)
        };
        blocks.iter().map(own).collect()
    }

    /// Converts challenged blocks to those of the kind's scheme: removes the roots from the
    /// committed parts.
    pub(super) fn opened<'a>(
        self,
        blocks: &'a [(Challenged, Bytes)],
    ) -> Result<Vec<OpenedBlock<'a>>, AuditError> {
        let opened = |(challenged, committed): &'a (Challenged, Bytes)| {
            let start = challenged.start;
            let committed = committed.as_ref().get(self.root_length()..);
            let committed = committed.ok_or(AuditError::MalformedTag { start })?;
            Ok(OpenedBlock {
                challenged,
                committed,
            })
        };
        blocks.iter().map(opened).collect()
    }
}
