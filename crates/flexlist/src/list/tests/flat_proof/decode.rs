//! From the paper's form back to the one that is verified: entries of the server's choosing become bytes
//! of the other form, or are refused.

use pad_core::Digest;

use super::{Direction, FlatEntry, FlatError, FlatProof};
use crate::list::{MAX_PROOF_BYTES, hash::EMPTY, prune};

impl FlatProof {
    /// The form that [`verify_indices`](crate::list::verify_indices) reads, which has to verify it.
    ///
    /// One `P` has one such form and the other way round. Time is linear in the entries.
    ///
    /// # Errors
    /// [`FlatError`].
    ///
    /// Source: algorithm A.1.
    pub(in crate::list::tests) fn decode(&self) -> Result<Vec<u8>, FlatError> {
        let mut decoder = Decoder {
            entries: self.entries.iter(),
            tag_digests: self.tag_digests.iter(),
            bytes: Vec::new(),
            tasks: Vec::new(),
        };
        decoder.tasks.push(Task::Entry(decoder.next_rank()?));
        while let Some(task) = decoder.tasks.pop() {
            match task {
                Task::Hidden { rank, hash } => decoder.write_hidden(rank, &hash),
                Task::Entry(rank) => decoder.take(rank)?,
            }
            if decoder.bytes.len() > MAX_PROOF_BYTES {
                return Err(FlatError::TooLarge {
                    limit: MAX_PROOF_BYTES,
                });
            }
        }
        if decoder.entries.next().is_some() {
            return Err(FlatError::TrailingEntries);
        }
        if decoder.tag_digests.next().is_some() {
            return Err(FlatError::SurplusTag);
        }
        Ok(decoder.bytes)
    }
}

/// What is to be written next.
enum Task {
    /// The next entry, which must have this rank.
    Entry(u64),
    /// A subtree that is not shown.
    Hidden { rank: u64, hash: Digest<32> },
}

struct Decoder<'a> {
    entries: core::slice::Iter<'a, FlatEntry>,
    tag_digests: core::slice::Iter<'a, Digest<32>>,
    bytes: Vec<u8>,
    tasks: Vec<Task>,
}

impl Decoder<'_> {
    fn next_rank(&self) -> Result<u64, FlatError> {
        let next = self.entries.as_slice().first();
        Ok(next.ok_or(FlatError::Truncated)?.rank)
    }

    fn write_hidden(&mut self, rank: u64, hash: &Digest<32>) {
        self.bytes.push(prune::PRUNED);
        prune::push_varint(&mut self.bytes, rank);
        self.bytes.extend_from_slice(&hash.0);
    }

    /// Writes what the next entry says of its node, and what is to follow.
    fn take(&mut self, rank: u64) -> Result<(), FlatError> {
        let entry = self.entries.next().ok_or(FlatError::Truncated)?;
        if entry.rank != rank {
            return Err(FlatError::RankMismatch);
        }
        match (
            entry.level,
            entry.direction,
            entry.is_intersection,
            entry.is_end,
        ) {
            (1.., direction, is_intersection, false) => {
                if entry.length != 0 {
                    return Err(FlatError::UnusedField);
                }
                self.inner(entry, direction, is_intersection)
            }
            (0, Direction::Right, is_intersection, true) => self.challenged(entry, is_intersection),
            (0, Direction::Right, false, false) => self.passed(entry),
            _ => Err(FlatError::UnknownKind),
        }
    }

    fn inner(
        &mut self,
        entry: &FlatEntry,
        direction: Direction,
        is_intersection: bool,
    ) -> Result<(), FlatError> {
        let shown = self.next_rank()?;
        let rest = minus(entry.rank, shown)?;
        self.bytes.extend_from_slice(&[prune::INNER, entry.level]);
        let hidden = Task::Hidden {
            rank: rest,
            hash: entry.hash,
        };
        match (direction, is_intersection) {
            (Direction::Down, true) => {
                unused(&entry.hash)?;
                self.tasks.push(Task::Entry(rest));
            }
            (Direction::Down, false) => self.tasks.push(hidden),
            (Direction::Right, false) => self.write_hidden(rest, &entry.hash),
            (Direction::Right, true) => return Err(FlatError::UnknownKind),
        }
        self.tasks.push(Task::Entry(shown));
        Ok(())
    }

    fn challenged(&mut self, entry: &FlatEntry, goes_on: bool) -> Result<(), FlatError> {
        let tag_digest = self.tag_digests.next().ok_or(FlatError::MissingTag)?;
        let rest = minus(entry.rank, entry.length)?;
        if goes_on {
            unused(&entry.hash)?;
            self.tasks.push(Task::Entry(rest));
        } else if rest > 0 {
            self.tasks.push(Task::Hidden {
                rank: rest,
                hash: entry.hash,
            });
        } else {
            unused(&entry.hash)?;
        }
        self.leaf(entry.length, tag_digest, goes_on || rest > 0);
        Ok(())
    }

    /// The left sentinel, or a block that is not challenged; the way leads on.
    fn passed(&mut self, entry: &FlatEntry) -> Result<(), FlatError> {
        let rest = self.next_rank()?;
        if minus(entry.rank, rest)? != entry.length {
            return Err(FlatError::RankMismatch);
        }
        if entry.length == 0 {
            unused(&entry.hash)?;
            self.bytes.extend_from_slice(&[prune::LEFT_SENTINEL, 1]);
        } else {
            self.leaf(entry.length, &entry.hash, true);
        }
        self.tasks.push(Task::Entry(rest));
        Ok(())
    }

    fn leaf(&mut self, length: u64, tag_digest: &Digest<32>, has_after: bool) {
        self.bytes.push(prune::DATA_LEAF);
        prune::push_varint(&mut self.bytes, length);
        self.bytes.extend_from_slice(&tag_digest.0);
        self.bytes.push(u8::from(has_after));
    }
}

fn minus(rank: u64, part: u64) -> Result<u64, FlatError> {
    rank.checked_sub(part).ok_or(FlatError::RankMismatch)
}

fn unused(hash: &Digest<32>) -> Result<(), FlatError> {
    if *hash == EMPTY {
        Ok(())
    } else {
        Err(FlatError::UnusedField)
    }
}
