//! The right edge of a Merkle tree: the hashes that are needed to append entries and to compute the
//! root.

use pad_core::internals::merkle;

use super::{Hash, TreeHead};

/// The hashes of a tree's incomplete tiles: the state that is needed to append to the tree.
///
/// Level `l` contains at most 255 hashes: one for each complete subtree of 256^l entries that is
/// not part of a complete subtree of 256^(l+1) entries. Space: less than 64 KiB for any tree of
/// fewer than 2^64 entries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Edge {
    size: u64,
    levels: [Vec<Hash>; LEVELS],
}

/// Number of tile levels of a tree with fewer than 2^64 entries.
pub(crate) const LEVELS: usize = 8;
/// Number of hashes in a complete tile.
pub(crate) const TILE_WIDTH: usize = 256;

impl Edge {
    /// Returns the edge of the empty tree.
    pub const fn empty() -> Self {
        Self {
            size: 0,
            levels: [const { Vec::new() }; LEVELS],
        }
    }

    /// Creates the edge of a tree of `size` entries from its incomplete tiles. `None` if a tile has
    /// the wrong width for that size.
    pub(crate) fn of_tiles(size: u64, levels: [Vec<Hash>; LEVELS]) -> Option<Self> {
        let widths = (0..)
            .zip(&levels)
            .all(|(level, tile)| width(size, level) == tile.len());
        widths.then_some(Self { size, levels })
    }

    /// Returns the number of entries.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Returns the hashes of the incomplete tile at `level`; empty if there is none.
    pub(crate) fn tile(&self, level: u8) -> &[Hash] {
        self.levels
            .get(usize::from(level))
            .map_or(&[], Vec::as_slice)
    }

    /// Appends an entry by its hash. Calls `tell` with the level and hash of each hash added to a
    /// tile, from level 0 upwards.
    ///
    /// A tree of 2^64 - 1 entries is left unchanged, without a call.
    pub fn append(&mut self, leaf: Hash, mut tell: impl FnMut(u8, Hash)) {
        let Some(size) = self.size.checked_add(1) else {
            return;
        };
        self.size = size;
        let mut hash = leaf;
        for (level, tile) in (0..).zip(&mut self.levels) {
            tile.push(hash);
            tell(level, hash);
            if tile.len() < TILE_WIDTH {
                return;
            }
            hash = root_of(tile.drain(..)).unwrap_or_else(Hash::of_nothing);
        }
    }

    /// Computes the root of the tree.
    ///
    /// Folds the levels from 0 upwards. The hashes of a level, followed by the root over the lower
    /// levels, are the leaves of a tree, whose root is carried upwards.
    pub fn root(&self) -> Hash {
        let below =
            |carried: Option<Hash>, tile: &Vec<Hash>| root_of(tile.iter().copied().chain(carried));
        let root = self.levels.iter().fold(None, below);
        root.unwrap_or_else(Hash::of_nothing)
    }

    /// Returns the size and the root.
    pub fn head(&self) -> TreeHead {
        let (size, root) = (self.size, self.root());
        TreeHead { size, root }
    }
}

/// Returns the width of the incomplete tile at `level` in a tree of `size` entries; 0 if there is
/// none.
pub(crate) fn width(size: u64, level: u8) -> usize {
    let complete = complete_at(size, level) % 256;
    usize::try_from(complete).unwrap_or_default()
}

/// Returns the number of complete subtrees of 256^level entries in a tree of `size` entries.
pub(crate) fn complete_at(size: u64, level: u8) -> u64 {
    let shift = u32::from(level).saturating_mul(8);
    size.checked_shr(shift).unwrap_or_default()
}

/// Computes the root over `hashes` as leaves; `None` if there are none.
pub(crate) fn root_of(hashes: impl IntoIterator<Item = Hash>) -> Option<Hash> {
    let mut subtrees = Vec::new();
    for (before, hash) in (0..).zip(hashes) {
        merkle::append(Hash::of_node, &mut subtrees, before, hash);
    }
    merkle::join(Hash::of_node, &subtrees)
}
