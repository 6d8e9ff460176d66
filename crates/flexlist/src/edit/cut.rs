//! Where contents that replace old blocks are cut. The rules stand above [`crate::edit`].

use super::OldBlock;
use crate::chunk::{Chunker, MAX_BLOCK_BYTES};

/// The contents that replace these old blocks, as blocks; none if there are no contents.
pub(crate) fn cut<'c, C>(
    contents: &'c [u8],
    old: &[OldBlock<C>],
    chunker: &Chunker,
) -> Vec<&'c [u8]> {
    if let Some(blocks) = at_old_boundaries(contents, old) {
        return blocks;
    }
    let blocks = anew(contents, chunker);
    if old.is_empty() || blocks.len() <= old.len() {
        return blocks;
    }
    // More blocks than before are more operations: better as many longer ones, if that can be.
    let share = contents.len().div_ceil(old.len());
    if share <= chunker.tolerated() {
        contents.chunks(share).collect()
    } else {
        blocks
    }
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
pub(crate) fn anew<'c>(contents: &'c [u8], chunker: &Chunker) -> Vec<&'c [u8]> {
    let mut blocks: Vec<&[u8]> = chunker.split(contents).collect();
    if let [.., before, last] = blocks.as_slice() {
        let joined = before.len() + last.len();
        if last.len() < chunker.tiny()
            && joined <= chunker.tolerated()
            && let Some((_, joined)) = contents.split_at_checked(contents.len() - joined)
        {
            blocks.truncate(blocks.len().saturating_sub(2));
            blocks.push(joined);
        }
    }
    blocks
}
