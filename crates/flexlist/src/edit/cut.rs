//! Cuts bytes that replace old blocks into new blocks, by the rules in [`crate::edit`].

use super::{OldBlock, length};
use crate::chunk::{Chunker, MAX_BLOCK_BYTES};

/// Cuts `contents` into the new blocks that replace the blocks `old`. Returns no block if
/// `contents` is empty.
pub(super) fn cut<'c, C>(
    contents: &'c [u8],
    old: &[OldBlock<C>],
    chunker: &Chunker,
) -> Vec<&'c [u8]> {
    if let Some(blocks) = at_old_boundaries(contents, old) {
        return blocks;
    }
    let blocks = anew(contents, chunker);
    match share(length(contents), old.len(), blocks.len(), chunker) {
        Some(share) => contents.chunks(share).collect(),
        None => blocks,
    }
}

/// Decides whether to cut replaced contents into equal shares. `old` is the number of replaced
/// blocks, and `new` the number of blocks that the chunker cuts. Returns the length of a share in
/// bytes, or `None` to use the chunker's blocks.
///
/// More blocks than before mean more operations. If `new` is above `old`, contents of `total` bytes
/// are therefore cut into at most `old` longer blocks, unless these are too long.
pub(crate) fn share(total: u64, old: usize, new: usize, chunker: &Chunker) -> Option<usize> {
    let count = u64::try_from(old).ok().filter(|count| *count > 0)?;
    let share = usize::try_from(total.div_ceil(count)).ok()?;
    (new > old && share > 0 && share <= chunker.tolerated()).then_some(share)
}

/// Whether a last block of `last` bytes is tiny and should be joined with the previous block, which
/// has `before` bytes.
pub(crate) fn joins(before: usize, last: usize, chunker: &Chunker) -> bool {
    last < chunker.tiny() && before.saturating_add(last) <= chunker.tolerated()
}

/// Cuts `contents` at the old boundaries; returns `None` unless `contents` is as long as the `old`
/// blocks together. Also returns `None` if an old block exceeds [`MAX_BLOCK_BYTES`].
fn at_old_boundaries<'c, C>(contents: &'c [u8], old: &[OldBlock<C>]) -> Option<Vec<&'c [u8]>> {
    let mut rest = contents;
    let mut blocks = Vec::with_capacity(old.len());
    for block in old {
        let length = usize::try_from(block.length).ok()?;
        let (block, others) = rest.split_at_checked(length)?;
        if !(1..=MAX_BLOCK_BYTES).contains(&length) {
            return None;
        }
        rest = others;
        blocks.push(block);
    }
    rest.is_empty().then_some(blocks)
}

/// Cuts `contents` by the chunker. Joins a tiny last block with the previous one if the result is
/// not too long.
fn anew<'c>(contents: &'c [u8], chunker: &Chunker) -> Vec<&'c [u8]> {
    let mut blocks: Vec<&[u8]> = chunker.split(contents).collect();
    if let [.., before, last] = blocks.as_slice() {
        let joined = before.len() + last.len();
        if joins(before.len(), last.len(), chunker)
            && let Some((_, joined)) = contents.split_at_checked(contents.len() - joined)
        {
            blocks.truncate(blocks.len().saturating_sub(2));
            blocks.push(joined);
        }
    }
    blocks
}
