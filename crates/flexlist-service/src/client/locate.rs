//! The search for what is damaged, by asking for ever smaller ranges.
//!
//! An answer that holds proves each block that overlaps the range, and where these blocks end. An answer
//! that does not hold says only that some block in the range is damaged: a server that cannot read one
//! block cannot prove its neighbours in the same answer either. So a damaged block is found as the byte
//! where answers cease to hold, and its bounds are those of the next sound blocks.

use core::ops::Range;
use std::time::{Duration, Instant};

use flexlist::FileState;

use super::{
    error::{AuditFault, SearchEnd},
    question::{Blocks, Failed},
};
use crate::message::Refusal;

/// How many questions one search asks; then it is given up.
const MOST_QUESTIONS: u32 = 4096;

/// A search under way.
pub(super) struct Search<Q> {
    question: Q,
    questions: u32,
    /// How long to go on after the first question of the search: a server that takes its time must not
    /// keep the verdict back.
    patience: Duration,
    start: Option<Instant>,
    /// Asks no more: too many questions, or one that got no answer.
    given_up: bool,
    /// Rising, and apart from each other.
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
    Q: FnMut(Range<u64>) -> Blocks,
{
    /// A search by asking `question` for ranges, which asks none any more this long after its first.
    pub(super) fn new(patience: Duration, question: Q) -> Self {
        Self {
            question,
            questions: 0,
            patience,
            start: None,
            given_up: false,
            damaged: Vec::new(),
        }
    }

    /// What was found: rising and apart from each other.
    pub(super) fn damaged(self) -> Vec<Range<u64>> {
        self.damaged
    }

    /// How the search ended, if it ends here.
    pub(super) const fn end(&self) -> SearchEnd {
        if self.given_up {
            SearchEnd::GivenUp
        } else {
            SearchEnd::Complete
        }
    }

    /// Whether the search has taken too long, from the first time that this is asked.
    pub(super) fn is_late(&mut self) -> bool {
        self.start.get_or_insert_with(Instant::now).elapsed() > self.patience
    }

    /// Gives up: from here on everything counts as damaged unseen, beginning with this range.
    pub(super) fn give_up(&mut self, rest: Range<u64>) {
        self.given_up = true;
        self.push(rest);
    }

    /// Searches a range of a file of `total` bytes that a question for it has failed in.
    pub(super) fn of_range(&mut self, range: Range<u64>, total: u64, reason: &AuditFault) {
        if is_about_the_file(reason) {
            self.give_up(range.start..total);
        } else {
            self.within(range);
        }
    }

    /// Searches around sampled bytes, rising, after a question for them has failed.
    pub(super) fn of_samples(&mut self, indices: &[u64], state: &FileState, reason: &AuditFault) {
        let total = state.list.total;
        if is_about_the_file(reason) {
            self.give_up(0..total);
            return;
        }
        for index in indices {
            self.around(*index, 0..total);
        }
    }

    /// Finds every damaged block that overlaps the range. Ranges come in rising order.
    pub(super) fn within(&mut self, range: Range<u64>) {
        let mut start = range.start.max(self.searched());
        while start < range.end {
            if self.sound(start..range.end).is_some() {
                return;
            }
            let first = self.first_damaged(start..range.end);
            if self.given_up {
                self.push(first..range.end);
                return;
            }
            // Everything before `first` is sound, so the damaged block does not begin before it; only
            // the block at the beginning of the range may.
            let limits = if first == range.start { 0 } else { first }..range.end;
            self.around(first, limits);
            start = self.searched().max(first.saturating_add(1));
        }
    }

    /// Finds the damaged block around one byte, if it is damaged, and damaged blocks next to it, looking
    /// for the end of the damage inside `limits` only. Bytes come in rising order.
    pub(super) fn around(&mut self, index: u64, limits: Range<u64>) {
        if index < self.searched() {
            return;
        }
        let byte = index..index.saturating_add(1);
        if self.sound(byte.clone()).is_some() {
            return;
        }
        if self.given_up {
            self.push(byte);
            return;
        }
        let start = self.edge(index, limits.start.max(self.searched()), Direction::Back);
        let end = self.edge(index, limits.end, Direction::Forth);
        self.push(start..end);
    }

    /// Counts a range as damaged. Ranges come in rising order, and are joined where they touch, so that
    /// a server cannot make the list longer than the damage.
    fn push(&mut self, range: Range<u64>) {
        match self.damaged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ if range.is_empty() => {}
            _ => self.damaged.push(range),
        }
    }

    /// Up to where the search has come.
    fn searched(&self) -> u64 {
        self.damaged.last().map_or(0, |range| range.end)
    }

    /// The bounds of the blocks that overlap the range, if the server proves to have them.
    fn sound(&mut self, range: Range<u64>) -> Option<Range<u64>> {
        if self.questions >= MOST_QUESTIONS || self.is_late() {
            self.given_up = true;
        }
        if self.given_up {
            return None;
        }
        self.questions = self.questions.saturating_add(1);
        match (self.question)(range.clone()) {
            Ok(blocks) => {
                let start = blocks.first().map_or(range.start, |block| block.start);
                let end = blocks.last().map_or(range.end, |block| block.end);
                Some(start..end)
            }
            // Nor will it answer for anything else.
            Err(Failed::Fault(reason)) if is_about_the_file(&reason) => {
                self.given_up = true;
                None
            }
            // A single byte's block must be proved; of a longer range, smaller parts are asked for.
            Err(Failed::Fault(_) | Failed::TooLarge(_)) => None,
            // That the audit has failed is proven already: it does not depend on what comes now.
            Err(Failed::Silent(_) | Failed::Client(_)) => {
                self.given_up = true;
                None
            }
        }
    }

    /// The first byte of a range, known to be damaged somewhere, that lies in a damaged block; if the
    /// search is given up, up to where the range is sound.
    fn first_damaged(&mut self, range: Range<u64>) -> u64 {
        // What lies before `sound` is; something in `sound..faulty` is not.
        let mut sound = range.start;
        let mut faulty = range.end;
        while faulty.saturating_sub(sound) > 1 && !self.given_up {
            let middle = sound.midpoint(faulty);
            match self.sound(sound..middle) {
                Some(proven) => sound = proven.end.max(middle).min(faulty.saturating_sub(1)),
                None => faulty = middle,
            }
        }
        sound
    }

    /// Where the damage around `index` ends in one direction: at a sound block, or at `limit`.
    fn edge(&mut self, index: u64, limit: u64, way: Direction) -> u64 {
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
            match self.sound(at..at.saturating_add(1)) {
                None if self.given_up => break,
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
        match way {
            Direction::Back => index.saturating_sub(sound.saturating_sub(1)),
            Direction::Forth => index.saturating_add(sound),
        }
    }
}

/// Whether a server says that it has nothing of the version, so that there is nothing to search for.
const fn is_about_the_file(reason: &AuditFault) -> bool {
    matches!(
        reason,
        AuditFault::Refused(
            Refusal::UnknownFile
                | Refusal::Removed
                | Refusal::UnknownVersion { .. }
                | Refusal::UploadUnfinished { .. }
        )
    )
}

#[cfg(test)]
mod tests;
