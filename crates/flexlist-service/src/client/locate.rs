//! The search for what is damaged, by asking for ever smaller ranges.
//!
//! An answer that holds proves each block that overlaps the range, and where these blocks end. An answer
//! that does not hold says only that some block in the range is damaged: a server that cannot read one
//! block cannot prove its neighbours in the same answer either. So a damaged block is found as the byte
//! where answers cease to hold, and its bounds are those of the next sound blocks.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use core::ops::Range;

use super::{audit::Failed, error::ClientError};

/// How many questions one search asks; what is left then counts as damaged unseen.
const MOST_QUESTIONS: u32 = 4096;

/// A search under way.
pub(super) struct Search<Q> {
    question: Q,
    questions: u32,
    /// Rising, not overlapping.
    damaged: Vec<Range<u64>>,
}

/// Which way to look for the next sound block.
#[derive(Clone, Copy)]
enum Direction {
    Back,
    Forth,
}

impl<Q> Search<Q>
where
    Q: FnMut(Range<u64>) -> Result<Vec<Range<u64>>, Failed>,
{
    /// A search by asking `question` for ranges.
    pub(super) fn new(question: Q) -> Self {
        Self {
            question,
            questions: 0,
            damaged: Vec::new(),
        }
    }

    /// What was found: rising and apart from each other.
    pub(super) fn damaged(self) -> Vec<Range<u64>> {
        let mut joined: Vec<Range<u64>> = Vec::new();
        for range in self.damaged {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        joined
    }

    /// Finds every damaged block that overlaps the range. Ranges come in rising order.
    pub(super) fn within(&mut self, range: Range<u64>) -> Result<(), ClientError> {
        let mut start = range.start.max(self.searched());
        while start < range.end {
            if self.exhausted() {
                self.damaged.push(start..range.end);
                return Ok(());
            }
            if self.sound(start..range.end)?.is_some() {
                return Ok(());
            }
            let first = self.first_damaged(start..range.end)?;
            // Everything before `first` is sound, so the damaged block does not begin before it; only
            // the block at the beginning of the range may.
            let limits = if first == range.start { 0 } else { first }..range.end;
            self.around(first, limits)?;
            start = self.searched().max(first.saturating_add(1));
        }
        Ok(())
    }

    /// Finds the damaged block around one byte, if it is damaged, and damaged blocks next to it, looking
    /// for the end of the damage inside `limits` only. Bytes come in rising order.
    pub(super) fn around(&mut self, index: u64, limits: Range<u64>) -> Result<(), ClientError> {
        if index < self.searched() {
            return Ok(());
        }
        let byte = index..index.saturating_add(1);
        if self.exhausted() {
            self.damaged.push(byte);
            return Ok(());
        }
        if self.sound(byte)?.is_some() {
            return Ok(());
        }
        let start = self.edge(index, limits.start.max(self.searched()), Direction::Back)?;
        let end = self.edge(index, limits.end, Direction::Forth)?;
        self.damaged.push(start..end);
        Ok(())
    }

    /// Up to where the search has come.
    fn searched(&self) -> u64 {
        self.damaged.last().map_or(0, |range| range.end)
    }

    fn exhausted(&self) -> bool {
        self.questions >= MOST_QUESTIONS
    }

    /// The bounds of the blocks that overlap the range, if the server proves to have them.
    fn sound(&mut self, range: Range<u64>) -> Result<Option<Range<u64>>, ClientError> {
        self.questions = self.questions.saturating_add(1);
        match (self.question)(range.clone()) {
            Ok(blocks) => {
                let start = blocks.first().map_or(range.start, |block| block.start);
                let end = blocks.last().map_or(range.end, |block| block.end);
                Ok(Some(start..end))
            }
            Err(Failed::Fault(_)) => Ok(None),
            Err(Failed::TooLarge(refusal)) => Err(ClientError::Refused(refusal)),
            Err(Failed::Client(error)) => Err(error),
        }
    }

    /// The first byte of a range, known to be damaged somewhere, that lies in a damaged block.
    fn first_damaged(&mut self, range: Range<u64>) -> Result<u64, ClientError> {
        // What lies before `sound` is; something in `sound..faulty` is not.
        let mut sound = range.start;
        let mut faulty = range.end;
        while faulty.saturating_sub(sound) > 1 {
            let middle = sound.midpoint(faulty);
            match self.sound(sound..middle)? {
                Some(proven) => sound = proven.end.max(middle).min(faulty.saturating_sub(1)),
                None => faulty = middle,
            }
        }
        Ok(sound)
    }

    /// Where the damage around `index` ends in one direction: at a sound block, or at `limit`.
    fn edge(&mut self, index: u64, limit: u64, way: Direction) -> Result<u64, ClientError> {
        // As distances from `index`. The byte at `faulty` is damaged; that at `sound` is not, or is
        // beyond the limit.
        let most = match way {
            Direction::Back => index.saturating_sub(limit),
            Direction::Forth => limit.saturating_sub(index).saturating_sub(1),
        };
        let mut faulty = 0_u64;
        let mut sound = most.saturating_add(1);
        let mut step = 1_u64;
        while sound.saturating_sub(faulty) > 1 {
            // In growing steps while only the limit is known to lie beyond, then by halves.
            let next = if sound > most {
                faulty.saturating_add(step).min(most)
            } else {
                faulty.midpoint(sound)
            };
            step = step.saturating_mul(2);
            let at = match way {
                Direction::Back => index.saturating_sub(next),
                Direction::Forth => index.saturating_add(next),
            };
            if self.exhausted() {
                break;
            }
            match self.sound(at..at.saturating_add(1))? {
                None => faulty = next,
                Some(proven) => {
                    let near = match way {
                        Direction::Back => index.saturating_sub(proven.end).saturating_add(1),
                        Direction::Forth => proven.start.saturating_sub(index),
                    };
                    sound = near.clamp(faulty.saturating_add(1), next);
                }
            }
        }
        Ok(match way {
            Direction::Back => index.saturating_sub(sound.saturating_sub(1)),
            Direction::Forth => index.saturating_add(sound),
        })
    }
}

#[cfg(test)]
mod tests;
