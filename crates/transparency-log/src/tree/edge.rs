//! The right edge of a tree.

use pad_core::merkle;

use super::{Hash, TreeHead};

/// What has to be known of a tree to append to it: the hashes of its incomplete tiles.
///
/// Level `l` has, of the complete subtrees of 256^l entries, those that are not in a complete subtree of
/// 256^(l+1): at most 255. Space: 64 KiB for any tree of fewer than 2^64 entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    size: u64,
    levels: [Vec<Hash>; LEVELS],
}

/// The levels of tiles that a tree of fewer than 2^64 entries has.
pub(crate) const LEVELS: usize = 8;
/// The hashes of a complete tile.
pub(crate) const TILE_WIDTH: usize = 256;

impl Edge {
    /// The edge of the tree without entries.
    pub const fn empty() -> Self {
        Self {
            size: 0,
            levels: [const { Vec::new() }; LEVELS],
        }
    }

    /// The edge of a tree of this size with these incomplete tiles, or `None` if one of them has another width than
    /// in such a tree.
    pub(crate) fn of_tiles(size: u64, levels: [Vec<Hash>; LEVELS]) -> Option<Self> {
        let widths = (0..)
            .zip(&levels)
            .all(|(level, tile)| width(size, level) == tile.len());
        widths.then_some(Self { size, levels })
    }

    /// The number of entries.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The hashes of the incomplete tile at a level, none if there is no such tile.
    pub(crate) fn tile(&self, level: u8) -> &[Hash] {
        self.levels
            .get(usize::from(level))
            .map_or(&[], Vec::as_slice)
    }

    /// Appends an entry by its hash, and says which hashes tiles get by that: the level and the hash, from level 0
    /// upwards. A tree of 2^64 - 1 entries stays as it is, and nothing is said.
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

    /// The root of the tree.
    ///
    /// A tile of complete subtrees with one smaller subtree behind it has the shape of a tree whose leaves they are.
    pub fn root(&self) -> Hash {
        let below =
            |carried: Option<Hash>, tile: &Vec<Hash>| root_of(tile.iter().copied().chain(carried));
        let root = self.levels.iter().fold(None, below);
        root.unwrap_or_else(Hash::of_nothing)
    }

    /// The size and the root.
    pub fn head(&self) -> TreeHead {
        let (size, root) = (self.size, self.root());
        TreeHead { size, root }
    }
}

impl Default for Edge {
    fn default() -> Self {
        Self::empty()
    }
}

/// How many hashes the incomplete tile of a level has in a tree of this size.
pub(crate) fn width(size: u64, level: u8) -> usize {
    let complete = complete_at(size, level) % 256;
    usize::try_from(complete).unwrap_or_default()
}

/// How many complete subtrees of 256^level entries a tree of this size has.
pub(crate) fn complete_at(size: u64, level: u8) -> u64 {
    let shift = u32::from(level).saturating_mul(8);
    size.checked_shr(shift).unwrap_or_default()
}

/// The root over hashes as leaves, or `None` without any.
pub(crate) fn root_of(hashes: impl IntoIterator<Item = Hash>) -> Option<Hash> {
    let mut subtrees = Vec::new();
    for (before, hash) in (0..).zip(hashes) {
        merkle::append(Hash::of_node, &mut subtrees, before, hash);
    }
    merkle::join(Hash::of_node, &subtrees)
}
