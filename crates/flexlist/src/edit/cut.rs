//! Cuts the contents that replace old blocks, by the rules in [`crate::edit`].

use super::{OldBlock, length};
use crate::chunk::{Chunker, MAX_BLOCK_BYTES};

/// Cuts `contents` into the blocks that replace `old`; returns none if `contents` is empty.
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

/// Returns the length of equal shares, if shares are better than the `new` blocks that replace
/// `old` ones.
///
/// More blocks than before mean more operations. Contents of `total` bytes are then cut into at
/// most `old` longer blocks, if these are not too long.
pub(crate) fn share(total: u64, old: usize, new: usize, chunker: &Chunker) -> Option<usize> {
    let count = u64::try_from(old).ok().filter(|count| *count > 0)?;
    let share = usize::try_from(total.div_ceil(count)).ok()?;
    (new > old && share > 0 && share <= chunker.tolerated()).then_some(share)
}

/// Whether a last block of `last` bytes should be joined with the previous one, of `before` bytes.
pub(crate) fn joins(before: usize, last: usize, chunker: &Chunker) -> bool {
    last < chunker.tiny() && before.saturating_add(last) <= chunker.tolerated()
}

/// Cuts `contents` at the old boundaries; returns `None` unless both have the same length, and if
/// an old block exceeds [`MAX_BLOCK_BYTES`].
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

/// Cuts `contents` by the chunker. Joins a tiny last block with the one before it if possible.
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
