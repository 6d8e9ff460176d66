//! Verified reads of a log from untrusted resources.

use core::fmt;
use std::collections::BTreeMap;

use super::{Fetch, FetchError, ReadError, ResourcePath, Width, encode_entry, parse_bundle};
use crate::{
    Checkpoint,
    tree::{
        Edge, HASH_LENGTH, Hash, LEVELS, ProveError, Subtrees, TreeError, TreeHead, complete_at,
        prove_consistency, prove_inclusion, root, root_of, width,
    },
};

/// A reader of a log at one checkpoint. All returned hashes and entries are verified against the
/// checkpoint's root.
///
/// The caller must verify the checkpoint itself, with [`Policy::verify`](crate::Policy::verify).
///
/// Cost of an entry: its bundle and one tile per tile level, at most 8. A proof may read several
/// tiles per level. Verified complete tiles are cached.
pub struct TileReader<F> {
    fetch: F,
    edge: Edge,
    /// Cache of verified complete tiles.
    tiles: BTreeMap<(u8, u64), Vec<Hash>>,
}

/// Capacity of the cache in complete tiles: 2 MiB.
const MOST_TILES: usize = 256;

impl<F: Fetch> TileReader<F> {
    /// Reads the tiles on the right edge, at most one incomplete tile per level. Verifies them
    /// against the root of `checkpoint`.
    ///
    /// # Errors
    /// [`ReadError::Root`] if the tiles do not hash to the root; [`ReadError::Fetch`] or
    /// [`ReadError::Length`] if a tile is missing or too short or long.
    pub fn open(fetch: F, checkpoint: &Checkpoint) -> Result<Self, ReadError> {
        Self::open_at(fetch, &checkpoint.head())
    }

    /// Like [`TileReader::open`], for a size and a root from another source.
    ///
    /// # Errors
    /// The errors of [`TileReader::open`].
    #[doc(hidden)]
    pub fn open_at(fetch: F, tree: &TreeHead) -> Result<Self, ReadError> {
        let mut levels = [const { Vec::new() }; LEVELS];
        for (level, tile) in (0..).zip(&mut levels) {
            let hashes = u16::try_from(width(tree.size, level)).ok();
            let Some(width) = hashes.and_then(Width::new) else {
                continue;
            };
            let index = complete_at(tree.size, level) >> 8;
            *tile = fetch_tile(&fetch, level, index, width)?;
        }
        let edge = Edge::of_tiles(tree.size, levels).ok_or(ReadError::Root)?;
        if edge.root() != tree.root {
            return Err(ReadError::Root);
        }
        let tiles = BTreeMap::new();
        Ok(Self { fetch, edge, tiles })
    }

    /// Returns the number of entries.
    pub const fn size(&self) -> u64 {
        self.edge.size()
    }

    /// Returns the right edge, the state that is needed to append to the log.
    #[doc(hidden)]
    pub const fn edge(&self) -> &Edge {
        &self.edge
    }

    /// Computes the root of the log at an earlier size. A root that differs from the root of a
    /// signed checkpoint of that size proves a fork.
    ///
    /// # Errors
    /// [`ReadError::Tree`] if `size` exceeds the log's; other read errors.
    pub fn root_at(&mut self, size: u64) -> Result<Hash, ReadError> {
        self.check_size(size)?;
        root(self, size).map_err(read_error)
    }

    /// Generates the inclusion path of an entry to the root at `size` entries.
    ///
    /// # Errors
    /// The errors of [`TileReader::root_at`]; [`ReadError::Tree`] if `index` is not below `size`.
    pub fn prove_inclusion(&mut self, index: u64, size: u64) -> Result<Vec<Hash>, ReadError> {
        self.check_size(size)?;
        prove_inclusion(self, index, size).map_err(read_error)
    }

    /// Generates a proof that the log at `new` entries continues the log at `old`.
    ///
    /// # Errors
    /// The errors of [`TileReader::root_at`]; [`ReadError::Tree`] if `old` exceeds `new`.
    pub fn prove_consistency(&mut self, old: u64, new: u64) -> Result<Vec<Hash>, ReadError> {
        self.check_size(new)?;
        prove_consistency(self, old, new).map_err(read_error)
    }

    /// Reads an entry.
    ///
    /// # Errors
    /// [`ReadError::Tree`] if the log has no entry at `index`; the errors of
    /// [`TileReader::bundle`].
    pub fn entry(&mut self, index: u64) -> Result<Vec<u8>, ReadError> {
        let size = self.size();
        if index >= size {
            return Err(TreeError::NoSuchEntry { index, size }.into());
        }
        let place = usize::try_from(index % 256).unwrap_or(usize::MAX);
        let found = self.bundle(index >> 8)?.into_iter().nth(place);
        found.ok_or(ReadError::NoSuchSubtree)
    }

    /// Reads the 256 entries from `256 * index` on, or as many as exist, at least one.
    ///
    /// # Errors
    /// [`ReadError::Tree`] if there are none; [`ReadError::Bundle`]; [`ReadError::Entry`] if an
    /// entry does not match the tree; other read errors.
    pub fn bundle(&mut self, index: u64) -> Result<Vec<Vec<u8>>, ReadError> {
        let size = self.size();
        let first = index.checked_mul(256).filter(|first| *first < size);
        let no_such = TreeError::NoSuchEntry {
            index: index.saturating_mul(256),
            size,
        };
        let first = first.ok_or(no_such)?;
        let number = size.saturating_sub(first).min(256);
        let width = u16::try_from(number)
            .ok()
            .and_then(Width::new)
            .ok_or(no_such)?;
        let path = ResourcePath::Entries { index, width };
        let (bundle, is_complete) = fetch_or_complete(&self.fetch, path)?;
        let found = if is_complete { 256 } else { width.number() };
        let entries =
            parse_bundle(&bundle, found).map_err(|source| ReadError::Bundle { path, source })?;
        let mut verified = Vec::with_capacity(entries.len());
        for (index, entry) in (first..size)
            .zip(entries)
            .take(number.try_into().unwrap_or_default())
        {
            if self.hash_at(0, index)? != Hash::of_leaf(entry) {
                return Err(ReadError::Entry(index));
            }
            verified.push(entry.to_vec());
        }
        Ok(verified)
    }

    /// Reads a tile or a bundle, with every hash and entry verified.
    ///
    /// # Errors
    /// [`ReadError::NoSuchSubtree`] for the checkpoint, or if the log has no such resource; the
    /// errors of [`TileReader::bundle`].
    #[doc(hidden)]
    pub fn resource(&mut self, path: &ResourcePath) -> Result<Vec<u8>, ReadError> {
        match *path {
            ResourcePath::Checkpoint => Err(ReadError::NoSuchSubtree),
            ResourcePath::Tile {
                level,
                index,
                width,
            } => {
                let hashes = self.tile(level, index)?.get(..usize::from(width.number()));
                let hashes = hashes.ok_or(ReadError::NoSuchSubtree)?;
                Ok(hashes.iter().flat_map(|hash| *hash.as_bytes()).collect())
            }
            ResourcePath::Entries { index, width } => {
                let entries = self.bundle(index)?;
                let entries = entries.get(..usize::from(width.number()));
                let mut bundle = Vec::new();
                for entry in entries.ok_or(ReadError::NoSuchSubtree)? {
                    let encoded = encode_entry(entry);
                    let path = *path;
                    bundle.extend(encoded.map_err(|source| ReadError::Bundle { path, source })?);
                }
                Ok(bundle)
            }
        }
    }

    fn check_size(&self, new: u64) -> Result<(), ReadError> {
        if new > self.size() {
            let old = new;
            let new = self.size();
            return Err(TreeError::Shrunk { old, new }.into());
        }
        Ok(())
    }

    /// Returns the hash of the complete subtree with index `index` among those of 256^`level`
    /// entries.
    fn hash_at(&mut self, level: u8, index: u64) -> Result<Hash, ReadError> {
        let place = usize::try_from(index % 256).unwrap_or_default();
        let tile = self.tile(level, index >> 8)?;
        tile.get(place).copied().ok_or(ReadError::NoSuchSubtree)
    }

    /// Returns a verified tile, from the cache or fetched.
    fn tile(&mut self, level: u8, index: u64) -> Result<&[Hash], ReadError> {
        let mut missing = Vec::new();
        let (mut above, mut at) = (level, index);
        // Walks up to a verified tile. Each tile's root is a hash in the tile above.
        while !self.is_edge(above, at) && !self.tiles.contains_key(&(above, at)) {
            if usize::from(above) >= LEVELS {
                return Err(ReadError::NoSuchSubtree);
            }
            missing.push((above, at));
            (above, at) = (above.saturating_add(1), at >> 8);
        }
        if self.tiles.len().saturating_add(missing.len()) > MOST_TILES && !missing.is_empty() {
            let kept = self.tiles.remove_entry(&(above, at));
            self.tiles.clear();
            self.tiles.extend(kept);
        }
        while let Some((level, index)) = missing.pop() {
            let place = usize::try_from(index % 256).unwrap_or_default();
            let parent = self.verified(level.saturating_add(1), index >> 8);
            let expected = parent.get(place).copied().ok_or(ReadError::NoSuchSubtree)?;
            let tile = fetch_tile(&self.fetch, level, index, Width::COMPLETE)?;
            if root_of(tile.iter().copied()) != Some(expected) {
                let width = Width::COMPLETE;
                return Err(ReadError::Tile(ResourcePath::Tile {
                    level,
                    index,
                    width,
                }));
            }
            self.tiles.insert((level, index), tile);
        }
        Ok(self.verified(level, index))
    }

    /// Returns whether the tile at `index` is the incomplete one of its level.
    fn is_edge(&self, level: u8, index: u64) -> bool {
        usize::from(level) < LEVELS && index == complete_at(self.size(), level) >> 8
    }

    fn verified(&self, level: u8, index: u64) -> &[Hash] {
        if self.is_edge(level, index) {
            return self.edge.tile(level);
        }
        self.tiles.get(&(level, index)).map_or(&[], Vec::as_slice)
    }
}

impl<F: Fetch> Subtrees for TileReader<F> {
    type Error = ReadError;

    fn subtree(&mut self, height: u8, index: u64) -> Result<Hash, ReadError> {
        let (level, within) = (height / 8, u32::from(height % 8));
        let first = index
            .checked_mul(1_u64 << within)
            .ok_or(ReadError::NoSuchSubtree)?;
        let tile = self.tile(level, first >> 8)?;
        let start = usize::try_from(first % 256).unwrap_or_default();
        let hashes = tile.get(start..start.saturating_add(1_usize << within));
        let hashes = hashes.ok_or(ReadError::NoSuchSubtree)?;
        root_of(hashes.iter().copied()).ok_or(ReadError::NoSuchSubtree)
    }
}

impl<F> fmt::Debug for TileReader<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("TileReader");
        shown
            .field("size", &self.edge.size())
            .finish_non_exhaustive()
    }
}

/// Fetches a resource. If the log has dropped a partial tile or bundle, fetches the complete one.
/// Also returns whether the result is complete.
fn fetch_or_complete(fetch: &impl Fetch, path: ResourcePath) -> Result<(Vec<u8>, bool), ReadError> {
    let fetched = |path: ResourcePath| {
        let bytes = fetch.fetch(&path)?;
        Ok((path, bytes))
    };
    let (path, bytes) = match (fetched(path), path.completed()) {
        (Err(FetchError::NotFound), Some(complete)) => fetched(complete),
        (found, _) => found,
    }
    .map_err(|source| ReadError::Fetch { path, source })?;
    if bytes.len() > path.longest() {
        return Err(ReadError::Length(path));
    }
    Ok((bytes, path.completed().is_none()))
}

/// Fetches the hashes of a tile without verifying them.
fn fetch_tile(
    fetch: &impl Fetch,
    level: u8,
    index: u64,
    width: Width,
) -> Result<Vec<Hash>, ReadError> {
    let path = ResourcePath::Tile {
        level,
        index,
        width,
    };
    let (bytes, is_complete) = fetch_or_complete(fetch, path)?;
    let (hashes, rest) = bytes.as_chunks::<HASH_LENGTH>();
    let wanted = usize::from(width.number());
    let has_length = hashes.len() == wanted || (is_complete && hashes.len() == 256);
    if !has_length || !rest.is_empty() {
        return Err(ReadError::Length(path));
    }
    Ok(hashes
        .iter()
        .take(wanted)
        .copied()
        .map(Hash::from_bytes)
        .collect())
}

fn read_error(error: ProveError<ReadError>) -> ReadError {
    match error {
        ProveError::Tree(error) => error.into(),
        ProveError::Subtree(error) => error,
    }
}
