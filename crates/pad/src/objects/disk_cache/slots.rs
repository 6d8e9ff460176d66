//! A file of slots, in which everything has a few places where it may be.
//!
//! The name of what is kept, a digest, chooses one of the sets of [`WAYS`] slots. The beginning of the file has a kilobyte for each set, with
//! a header for each slot: what is in it, when it was used, and the checksums of its blocks. The slots themselves follow. So nothing has to be
//! known of the file when it is opened, a read is that of a set's headers and of the blocks that are wanted, and what has to go is one of
//! eight. The file is never longer than it may be.
//!
//! A slot is written before its header. Whatever is there in part, because somebody was killed, wrote at the same time, or had no room, does
//! not have the checksums that the header says, or has another name.

use core::sync::atomic::{AtomicU64, Ordering};
use std::{io, sync::Arc};

use disk::layer::{FileLayer, LayerFile};

/// What is kept: a digest of whose it is, and what.
pub(super) type SlotName = [u8; 32];

/// A file of slots of one length.
#[derive(Debug)]
pub(super) struct Slots {
    file: Arc<dyn LayerFile>,
    sets: u64,
    slot: usize,
    /// How often nothing is kept before it is tried again.
    pause: AtomicU64,
}

/// The slots of a set.
const WAYS: usize = 8;
/// What is checked at a time.
const BLOCK: usize = 4096;
const MOST_BLOCKS: usize = 16;
/// The bytes of a header: name, length, checksums of blocks, checksum of all that, and when it was used.
const HEADER: usize = 128;
const SET: usize = WAYS * HEADER;
const NAME: usize = 32;
const USED: usize = NAME + 4 + 4 * MOST_BLOCKS + 4;
/// No clock comes here: what says so was not written by one.
const LATEST_USE: u64 = 1 << 48;
/// So often nothing is kept after a failure.
const PAUSE: u64 = 256;

/// What a header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    name: SlotName,
    length: usize,
    sums: [u32; MOST_BLOCKS],
    used: u64,
}

impl Slots {
    /// The file of this name, made if it is missing, with slots of this length, at most 64 KiB, and as many as there is room for in so many bytes.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn open(
        folder: &dyn FileLayer,
        name: &str,
        slot: usize,
        bytes: u64,
    ) -> io::Result<Self> {
        let file = match folder.open(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => match folder.create(name) {
                // Another process was quicker.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => folder.open(name)?,
                created => created?,
            },
            opened => opened?,
        };
        let slot = slot.min(BLOCK * MOST_BLOCKS);
        let of_set = widened(SET + WAYS * slot);
        let slots = Self {
            sets: (bytes / of_set).max(1),
            file,
            slot,
            pause: AtomicU64::new(0),
        };
        let most = slots.sets.saturating_mul(of_set);
        if slots.file.length()? > most {
            slots.file.set_length(most)?;
        }
        Ok(slots)
    }

    /// Reads a part of what is kept under a name; whether it is here and what was kept.
    pub(super) fn read(&self, name: &SlotName, start: usize, bytes: &mut [u8]) -> bool {
        self.read_checked(name, start, bytes).is_some()
    }

    fn read_checked(&self, name: &SlotName, start: usize, bytes: &mut [u8]) -> Option<()> {
        let set = self.set(name);
        let headers = self.headers(set)?;
        let (way, header) = found(&headers, name)?;
        let end = start
            .checked_add(bytes.len())
            .filter(|end| *end <= header.length)?;
        let first = start / BLOCK;
        let last = end.div_ceil(BLOCK);
        let from = first.checked_mul(BLOCK)?;
        let mut blocks = vec![0; last.checked_mul(BLOCK)?.min(header.length) - from];
        let place = self.place(set, way).saturating_add(widened(from));
        self.file.read_at(place, &mut blocks).ok()?;
        for (index, block) in blocks.chunks(BLOCK).enumerate() {
            let number = first + index;
            if *header.sums.get(number)? != sum(name, number, block) {
                return None;
            }
        }
        bytes.copy_from_slice(blocks.get(start - from..end - from)?);
        self.note_use(set, way, &headers);
        Some(())
    }

    /// All that is kept under a name.
    pub(super) fn whole(&self, name: &SlotName) -> Option<Vec<u8>> {
        let headers = self.headers(self.set(name))?;
        let (_, header) = found(&headers, name)?;
        let mut bytes = vec![0; header.length];
        self.read(name, 0, &mut bytes).then_some(bytes)
    }

    /// Keeps bytes under a name, in the place of what was not used for long. What is too long is not kept.
    pub(super) fn keep(&self, name: &SlotName, bytes: &[u8]) {
        let resting = self.pause.load(Ordering::Relaxed);
        if resting > 0 {
            // Whoever is counted twice at the same time makes no difference.
            self.pause.store(resting - 1, Ordering::Relaxed);
        } else if bytes.len() <= self.slot && self.write(name, bytes).is_err() {
            self.pause.store(PAUSE, Ordering::Relaxed);
        }
    }

    fn write(&self, name: &SlotName, bytes: &[u8]) -> io::Result<()> {
        let set = self.set(name);
        let headers = self.headers(set).unwrap_or([None; WAYS]);
        let way = match found(&headers, name) {
            Some((way, _)) => way,
            None => least_used(&headers),
        };
        let mut sums = [0; MOST_BLOCKS];
        for (number, (sum_of, block)) in sums.iter_mut().zip(bytes.chunks(BLOCK)).enumerate() {
            *sum_of = sum(name, number, block);
        }
        let header = Header {
            name: *name,
            length: bytes.len(),
            sums,
            used: next_use(&headers),
        };
        self.file.write_at(self.place(set, way), bytes)?;
        self.file.write_at(header_place(set, way), &header.bytes())
    }

    /// Keeps nothing under a name.
    pub(super) fn forget(&self, name: &SlotName) {
        let set = self.set(name);
        let headers = self.headers(set);
        if let Some((way, _)) = headers.and_then(|headers| found(&headers, name)) {
            // If it stays, it is found again to be wrong.
            drop(self.file.write_at(header_place(set, way), &[0; HEADER]));
        }
    }

    /// Notes that a slot was used, unless it is one of those that were used last: most reads write nothing.
    fn note_use(&self, set: u64, way: usize, headers: &Headers) {
        let used = headers
            .get(way)
            .copied()
            .flatten()
            .map(|header| header.used);
        let later = headers
            .iter()
            .flatten()
            .filter(|header| Some(header.used) > used);
        if later.count() >= WAYS / 2 {
            let place = header_place(set, way).saturating_add(widened(USED));
            let next = next_use(headers).to_le_bytes();
            // It goes the earlier if nobody knows.
            drop(self.file.write_at(place, &next));
        }
    }

    fn set(&self, name: &SlotName) -> u64 {
        let first = name.first_chunk().copied().unwrap_or_default();
        u64::from_le_bytes(first) % self.sets
    }

    /// The headers of a set; `None` if they cannot be read, as in a file that has not grown so far.
    fn headers(&self, set: u64) -> Option<Headers> {
        let mut bytes = [0; SET];
        self.file.read_at(header_place(set, 0), &mut bytes).ok()?;
        let mut headers = [None; WAYS];
        for (header, bytes) in headers.iter_mut().zip(bytes.chunks_exact(HEADER)) {
            *header = Header::read(bytes).filter(|header| header.length <= self.slot);
        }
        Some(headers)
    }

    /// Where a slot begins.
    fn place(&self, set: u64, way: usize) -> u64 {
        let slots = set
            .saturating_mul(widened(WAYS))
            .saturating_add(widened(way));
        let before = slots.saturating_mul(widened(self.slot));
        header_place(self.sets, 0).saturating_add(before)
    }
}

/// Those of a set; none where there is nothing.
type Headers = [Option<Header>; WAYS];

fn found(headers: &Headers, name: &SlotName) -> Option<(usize, Header)> {
    let of_name = |(way, header): (usize, &Option<Header>)| {
        header
            .filter(|header| header.name == *name)
            .map(|header| (way, header))
    };
    headers.iter().enumerate().find_map(of_name)
}

/// One with nothing in it, or the one that was not used for longest.
fn least_used(headers: &Headers) -> usize {
    let used = |header: &Option<Header>| header.map(|header| header.used);
    let least = headers
        .iter()
        .enumerate()
        .min_by_key(|(_, header)| used(header));
    least.map_or(0, |(way, _)| way)
}

/// The time in a set passes with each slot that is written.
fn next_use(headers: &Headers) -> u64 {
    let latest = headers.iter().flatten().map(|header| header.used).max();
    latest.unwrap_or(0).saturating_add(1)
}

fn header_place(set: u64, way: usize) -> u64 {
    set.saturating_mul(widened(SET))
        .saturating_add(widened(way * HEADER))
}

impl Header {
    /// What a header says; `None` if none was written here.
    fn read(bytes: &[u8]) -> Option<Self> {
        let (checked, rest) = bytes.split_at_checked(USED - 4)?;
        let (said, rest) = rest.split_first_chunk::<4>()?;
        let used = u64::from_le_bytes(*rest.first_chunk()?);
        if u32::from_le_bytes(*said) != crc32fast::hash(checked) {
            return None;
        }
        let (name, rest) = checked.split_first_chunk::<NAME>()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let mut sums = [0; MOST_BLOCKS];
        for (sum, bytes) in sums.iter_mut().zip(rest.chunks_exact(4)) {
            *sum = u32::from_le_bytes(bytes.try_into().ok()?);
        }
        Some(Self {
            name: *name,
            length: usize::try_from(u32::from_le_bytes(*length)).ok()?,
            sums,
            used: if used < LATEST_USE { used } else { 0 },
        })
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.name.to_vec();
        let length = u32::try_from(self.length).unwrap_or(u32::MAX);
        bytes.extend(length.to_le_bytes());
        for sum in self.sums {
            bytes.extend(sum.to_le_bytes());
        }
        let said = crc32fast::hash(&bytes).to_le_bytes();
        bytes.extend(said);
        bytes.extend(self.used.to_le_bytes());
        bytes
    }
}

/// The checksum of a block of what has this name.
fn sum(name: &SlotName, number: usize, block: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(name);
    hasher.update(&widened(number).to_le_bytes());
    hasher.update(block);
    hasher.finalize()
}

fn widened(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
