//! Where contents that replace old blocks are cut. The rules stand above [`crate::edit`].

use super::{OldBlock, length};
use crate::chunk::{Chunker, MAX_BLOCK_BYTES};

/// The contents that replace these old blocks, as blocks; none if there are no contents.
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

/// The length of equal shares that are better than so many `new` blocks of contents of `total` bytes in
/// place of the `old` ones: more blocks than before are more operations, so as many longer ones are cut, if
/// that can be.
pub(crate) fn share(total: u64, old: usize, new: usize, chunker: &Chunker) -> Option<usize> {
    let count = u64::try_from(old).ok().filter(|count| *count > 0)?;
    let share = usize::try_from(total.div_ceil(count)).ok()?;
    (new > old && share > 0 && share <= chunker.tolerated()).then_some(share)
}

/// Whether the last block, of this many bytes, is better joined with the one before it.
pub(crate) fn joins(before: usize, last: usize, chunker: &Chunker) -> bool {
    last < chunker.tiny() && before.saturating_add(last) <= chunker.tolerated()
}

/// The contents, cut where the old blocks were; nothing unless both have the same length.
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

/// The contents, cut by the chunker, without a tiny block at the end if that can be.
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
