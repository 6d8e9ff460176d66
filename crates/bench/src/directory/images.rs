//! Cache of block images with a fixed number of frames. Evicted images are written to a file, and
//! at the end all cached images. The file is not synced.

use std::{collections::HashMap, fs::File, os::unix::fs::FileExt as _};

use block_directory::internals::strategy::Place;

use super::{
    lru::{Before, Lru},
    reads::Geometry,
};
use crate::Outcome;

/// Address of a block: its level, and its number in the level.
type Block = (u8, u64);

/// Write-back cache of block images in front of a temporary file.
pub(super) struct Images {
    file: File,
    bytes: usize,
    cache: Lru<Block>,
    frames: Vec<Vec<u8>>,
    /// Offset in bytes of each block's image in the file, once it has been written.
    places: HashMap<Block, u64>,
    written: u64,
}

impl Images {
    /// Creates an empty cache for images of `bytes` bytes, with as many frames as the paper's.
    pub(super) fn new(bytes: usize) -> Outcome<Self> {
        Ok(Self {
            file: tempfile::tempfile()?,
            bytes,
            cache: Lru::new(Geometry::PAPER.frames),
            frames: Vec::new(),
            places: HashMap::new(),
            written: 0,
        })
    }

    /// Writes `bytes` into the image of the block at `place`, from the offset `start` on.
    pub(super) fn write(&mut self, place: Place, start: usize, bytes: &[u8]) -> Outcome<()> {
        let frame = self.frame((place.level, place.block))?;
        frame[start..start + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn frame(&mut self, place: Block) -> Outcome<&mut [u8]> {
        let (number, before) = self.cache.touch(place);
        match before {
            Before::Hit => return Ok(&mut self.frames[number]),
            Before::Empty => self.frames.push(vec![0; self.bytes]),
            Before::Evicted(evicted) => self.store(evicted, number)?,
        }
        let frame = &mut self.frames[number];
        match self.places.get(&place) {
            Some(start) => self.file.read_exact_at(frame, *start)?,
            None => frame.fill(0),
        }
        Ok(frame)
    }

    fn store(&mut self, place: Block, frame: usize) -> Outcome<()> {
        let next = self.places.len() as u64 * self.bytes as u64;
        let start = *self.places.entry(place).or_insert(next);
        self.file.write_all_at(&self.frames[frame], start)?;
        self.written += self.bytes as u64;
        Ok(())
    }

    /// Writes all images in the cache to the file, in the order of blocks. Returns the bytes that
    /// this cache has written in total.
    pub(super) fn finish(&mut self) -> Outcome<u64> {
        let mut held: Vec<(Block, usize)> = self.cache.held().collect();
        held.sort_unstable();
        for (place, frame) in held {
            self.store(place, frame)?;
        }
        Ok(self.written)
    }
}
