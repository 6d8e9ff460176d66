//! The checks of proofs.

use super::{Hash, TreeHead};

/// A proof does not prove what it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// There is no entry of this index in a tree of this size.
    #[error("entry {index} is not one of {size}")]
    NoSuchEntry {
        /// The index, from 0 on.
        index: u64,
        /// The number of entries.
        size: u64,
    },
    /// The tree that should continue another one is smaller.
    #[error("a tree of {new} entries does not continue one of {old}")]
    Shrunk {
        /// The size of the older tree.
        old: u64,
        /// The size of the tree that should continue it.
        new: u64,
    },
    /// The proof has fewer hashes than one for these sizes.
    #[error("a proof has too few hashes")]
    TooShort,
    /// The proof has more hashes than one for these sizes.
    #[error("a proof has too many hashes")]
    TooLong,
    /// The proof does not lead to the root of the tree.
    #[error("a proof leads to another root")]
    WrongRoot,
    /// The proof does not lead to the root of the older tree, or two trees of one size have two roots.
    #[error("a proof leads to another root of the older tree")]
    WrongOldRoot,
}

/// Checks that an entry is in a tree (RFC 9162, section 2.1.3.2).
///
/// # Errors
/// [`TreeError::NoSuchEntry`], [`TreeError::TooShort`], [`TreeError::TooLong`], [`TreeError::WrongRoot`].
pub fn verify_inclusion(
    index: u64,
    leaf: Hash,
    tree: &TreeHead,
    proof: &[Hash],
) -> Result<(), TreeError> {
    let size = tree.size;
    let mut last = match size.checked_sub(1) {
        Some(last) if index <= last => last,
        _ => return Err(TreeError::NoSuchEntry { index, size }),
    };
    let (mut position, mut hash) = (index, leaf);
    for sibling in proof {
        if last == 0 {
            return Err(TreeError::TooLong);
        }
        if is_right_child(position, last) {
            hash = Hash::of_node(sibling, &hash);
            (position, last) = below_promoted(position, last);
        } else {
            hash = Hash::of_node(&hash, sibling);
        }
        (position, last) = (position >> 1, last >> 1);
    }
    if last != 0 {
        return Err(TreeError::TooShort);
    }
    if hash != tree.root {
        return Err(TreeError::WrongRoot);
    }
    Ok(())
}

/// Checks that a tree begins with all entries of an older one (RFC 9162, section 2.1.4.2).
///
/// Everything continues the tree without entries, and every tree itself; then the proof has no hashes.
///
/// # Errors
/// [`TreeError::Shrunk`], [`TreeError::TooShort`], [`TreeError::TooLong`], [`TreeError::WrongRoot`],
/// [`TreeError::WrongOldRoot`].
pub fn verify_consistency(old: &TreeHead, new: &TreeHead, proof: &[Hash]) -> Result<(), TreeError> {
    if old.size > new.size {
        let (old, new) = (old.size, new.size);
        return Err(TreeError::Shrunk { old, new });
    }
    if old.size == 0 && old.root != Hash::of_nothing() {
        return Err(TreeError::WrongOldRoot);
    }
    if old.size == 0 || old.size == new.size {
        return match proof {
            [] if old.size == new.size && old.root != new.root => Err(TreeError::WrongOldRoot),
            [] => Ok(()),
            _ => Err(TreeError::TooLong),
        };
    }
    // The last position of each tree; neither is empty.
    let ends = old.size.checked_sub(1).zip(new.size.checked_sub(1));
    let (mut position, mut last) = ends.unwrap_or_default();
    let shared = position.trailing_ones();
    (position, last) = (position >> shared, last >> shared);
    let (first, rest) = match proof {
        rest if old.size.is_power_of_two() => (&old.root, rest),
        [first, rest @ ..] => (first, rest),
        [] => return Err(TreeError::TooShort),
    };
    let (mut older, mut newer) = (*first, *first);
    for sibling in rest {
        if last == 0 {
            return Err(TreeError::TooLong);
        }
        if is_right_child(position, last) {
            older = Hash::of_node(sibling, &older);
            newer = Hash::of_node(sibling, &newer);
            (position, last) = below_promoted(position, last);
        } else {
            newer = Hash::of_node(&newer, sibling);
        }
        (position, last) = (position >> 1, last >> 1);
    }
    if last != 0 {
        return Err(TreeError::TooShort);
    }
    if older != old.root {
        return Err(TreeError::WrongOldRoot);
    }
    if newer != new.root {
        return Err(TreeError::WrongRoot);
    }
    Ok(())
}

/// Whether the next hash of a proof stands on the left of the one that is known.
const fn is_right_child(position: u64, last: u64) -> bool {
    position & 1 == 1 || position == last
}

/// The last node of a level that has no sibling is its own parent: the level at which it gets one.
fn below_promoted(position: u64, last: u64) -> (u64, u64) {
    // Of an odd position none; of zero, all levels are left behind.
    let levels = position.trailing_zeros();
    let halved = |number: u64| number.checked_shr(levels).unwrap_or_default();
    (halved(position), halved(last))
}
