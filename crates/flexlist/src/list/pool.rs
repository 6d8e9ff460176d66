//! Pools of records of one size, stored in segments. Parts built on several threads are joined
//! without copying. When an empty list grows, only its first segment is ever reallocated.

use alloc::vec::Vec;

/// Base-2 logarithm of [`SEGMENT`]: a segment has a few hundred kilobytes.
const SEGMENT_BITS: u32 = 12;

/// The number of records in a segment.
pub(crate) const SEGMENT: usize = 1 << SEGMENT_BITS;

const PLACE: u32 = (1 << SEGMENT_BITS) - 1;

/// Records in segments, and the indices of free slots.
#[derive(Clone, Debug)]
pub(crate) struct Pool<T> {
    segments: Vec<Vec<T>>,
    free: Vec<u32>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        let (segments, free) = (Vec::new(), Vec::new());
        Self { segments, free }
    }
}

impl<T> Pool<T> {
    /// Creates a pool from filled segments. Each segment but the last takes up [`SEGMENT`] indices,
    /// even if it has fewer records.
    #[cfg(feature = "std")]
    pub(crate) const fn from_segments(segments: Vec<Vec<T>>) -> Self {
        let free = Vec::new();
        Self { segments, free }
    }

    /// Returns the record at `index`, or `None` if no slot has this index.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        let (segment, place) = split(index);
        self.segments.get(segment)?.get(place)
    }

    /// Returns the record at `index`, mutably, or `None` if no slot has this index.
    #[inline]
    pub(crate) fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        let (segment, place) = split(index);
        self.segments.get_mut(segment)?.get_mut(place)
    }

    /// Stores a record and returns its index, or `None` if the pool is full.
    #[inline]
    pub(crate) fn add(&mut self, record: T) -> Option<u32> {
        if let Some(index) = self.free.pop() {
            *self.get_mut(index)? = record;
            return Some(index);
        }
        if self
            .segments
            .last()
            .is_none_or(|last| last.len() == SEGMENT)
        {
            // The first segment grows on demand, so that small lists and proofs do not pay for a
            // whole segment.
            let capacity = if self.segments.is_empty() { 0 } else { SEGMENT };
            self.segments.push(Vec::with_capacity(capacity));
        }
        let segment = u32::try_from(self.segments.len().checked_sub(1)?).ok()?;
        let last = self.segments.last_mut()?;
        let place = u32::try_from(last.len()).ok()?;
        let index = segment.checked_shl(SEGMENT_BITS)?.checked_add(place)?;
        if index >> SEGMENT_BITS != segment {
            return None;
        }
        last.push(record);
        Some(index)
    }

    /// Frees the slot at `index` for reuse by [`Self::add`].
    pub(crate) fn remove(&mut self, index: u32) {
        self.free.push(index);
    }
}

#[cfg(test)]
impl<T> Pool<T> {
    /// The number of occupied slots.
    pub(crate) fn taken(&self) -> usize {
        let places: usize = self.segments.iter().map(Vec::len).sum();
        places.saturating_sub(self.free.len())
    }
}

#[inline]
fn split(index: u32) -> (usize, usize) {
    // Lossless: usize has at least 32 bits on every target of std.
    let segment = usize::try_from(index >> SEGMENT_BITS).unwrap_or(usize::MAX);
    let place = usize::try_from(index & PLACE).unwrap_or(usize::MAX);
    (segment, place)
}
