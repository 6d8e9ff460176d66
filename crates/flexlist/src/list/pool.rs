//! Records of one size in segments, so that parts built on several threads join without a copy and a
//! growing list never moves.

use alloc::vec::Vec;

/// Records in a segment, as a power of two: a few hundred kilobytes.
const SEGMENT_BITS: u32 = 12;

/// Records in a segment.
pub(crate) const SEGMENT: usize = 1 << SEGMENT_BITS;

const PLACE: u32 = (1 << SEGMENT_BITS) - 1;

/// Records, and which places are free.
#[derive(Clone, Debug)]
pub(crate) struct Pool<T> {
    segments: Vec<Vec<T>>,
    free: Vec<u32>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self {
            segments: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<T> Pool<T> {
    /// A pool of segments that were filled elsewhere. Each but the last has [`SEGMENT`] places, which
    /// it may leave empty at its end.
    #[cfg(feature = "std")]
    pub(crate) const fn from_segments(segments: Vec<Vec<T>>) -> Self {
        Self {
            segments,
            free: Vec::new(),
        }
    }

    /// The record at a place.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        let (segment, place) = split(index);
        self.segments.get(segment)?.get(place)
    }

    /// The record at a place.
    #[inline]
    pub(crate) fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        let (segment, place) = split(index);
        self.segments.get_mut(segment)?.get_mut(place)
    }

    /// Stores a record and says where, unless all places are taken.
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
            // Small lists and proofs should not pay for a whole segment.
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

    /// Frees a place.
    pub(crate) fn remove(&mut self, index: u32) {
        self.free.push(index);
    }
}

#[cfg(test)]
impl<T> Pool<T> {
    /// How many places are taken.
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
