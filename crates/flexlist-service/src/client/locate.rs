//! Search for damaged blocks, by requests for smaller and smaller ranges.
//!
//! A valid answer to a request proves each block that overlaps the requested range, and the bounds
//! of these blocks. An invalid answer proves only that some block in this range is damaged. A
//! server that cannot read one block cannot prove its neighbours in the same answer either. The
//! search therefore bisects for the byte at which answers become invalid. From there, the damage
//! extends to the nearest sound blocks found on both sides. Sound blocks between damaged ones may
//! be missed.

use core::ops::Range;
use std::time::{Duration, Instant};

use flexlist::FileState;

use super::{
    error::{AuditFault, SearchEnd},
    question::{AuditQueryError, Blocks},
};
use crate::message::Refusal;

/// Maximum number of requests that one search sends.
const MOST_QUESTIONS: u32 = 4096;

/// A search for damaged blocks in progress.
pub(super) struct Search<Q> {
    question: Q,
    questions: u32,
    /// Time limit, counted from the first request of the search. A slow server must not delay the
    /// verdict.
    patience: Duration,
    start: Option<Instant>,
    /// Set when the limit of requests or time is reached, or when a request got no answer. The
    /// search then sends no more requests.
    given_up: bool,
    /// The ranges that count as damaged so far, ascending and disjoint.
    damaged: Vec<Range<u64>>,
}

/// The direction in which to look for the next sound block.
#[derive(Clone, Copy)]
enum Direction {
    Back,
    Forth,
}

impl<Q> Search<Q>
where
    Q: FnMut(Range<u64>) -> Blocks,
{
    /// Creates a search that requests proofs of ranges by calling `question`. Its time limit is
    /// `patience`, counted from its first request.
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

    /// Returns the ranges that count as damaged, ascending and disjoint.
    pub(super) fn damaged(self) -> Vec<Range<u64>> {
        self.damaged
    }

    /// Returns whether the search was completed or given up, if it ends now.
    pub(super) const fn end(&self) -> SearchEnd {
        if self.given_up {
            SearchEnd::GivenUp
        } else {
            SearchEnd::Complete
        }
    }

    /// Reports whether the time limit is reached. The first call starts the clock.
    pub(super) fn is_late(&mut self) -> bool {
        self.start.get_or_insert_with(Instant::now).elapsed() > self.patience
    }

    /// Gives up the search and records `rest`, the bytes not searched, as damaged.
    pub(super) fn give_up(&mut self, rest: Range<u64>) {
        self.given_up = true;
        self.push(rest);
    }

    /// Searches `range`, in a file of `total` bytes, after a request for it has failed for
    /// `reason`.
    pub(super) fn of_range(&mut self, range: Range<u64>, total: u64, reason: &AuditFault) {
        if is_about_the_file(reason) {
            self.give_up(range.start..total);
        } else {
            self.within(range);
        }
    }

    /// Searches around the sampled bytes at `indices` (ascending), after a request for them has
    /// failed for `reason`.
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

    /// Finds and records every damaged block that overlaps `range`, unless the search is given up.
    /// Successive calls must pass ascending ranges.
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
            // Everything before `first` is sound, so the damaged block does not begin before it.
            // Only a damaged block at the beginning of `range` may begin earlier.
            let limits = if first == range.start { 0 } else { first }..range.end;
            self.around(first, limits);
            start = self.searched().max(first.saturating_add(1));
        }
    }

    /// Records the damaged block that contains the byte at `index`, if any, and adjacent damaged
    /// blocks. Looks for the ends of the damage only inside `limits`. Successive calls must pass
    /// ascending indices.
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

    /// Records a range as damaged. Successive calls must pass ascending ranges. Adjacent ranges are
    /// joined, so that a server cannot make the list longer than the damage.
    fn push(&mut self, range: Range<u64>) {
        match self.damaged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ if range.is_empty() => {}
            _ => self.damaged.push(range),
        }
    }

    /// Returns the end of the last range recorded as damaged, or 0. No byte before it is searched
    /// again.
    fn searched(&self) -> u64 {
        self.damaged.last().map_or(0, |range| range.end)
    }

    /// Returns the bounds of the blocks that overlap `range`, if the server proves possession of
    /// them.
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
            // The server will not answer for other ranges either.
            Err(AuditQueryError::Fault(reason)) if is_about_the_file(&reason) => {
                self.given_up = true;
                None
            }
            // For a single byte, the failure is final. For a longer range, smaller parts are
            // requested.
            Err(AuditQueryError::Fault(_) | AuditQueryError::TooLarge(_)) => None,
            // The audit has failed already. The outcome does not depend on this request.
            Err(AuditQueryError::Silent(_) | AuditQueryError::Client(_)) => {
                self.given_up = true;
                None
            }
        }
    }

    /// Returns the index of the first byte of `range` that lies in a damaged block. The caller
    /// knows that such a block exists. If the search is given up, returns the end of the bytes
    /// known to be sound.
    fn first_damaged(&mut self, range: Range<u64>) -> u64 {
        // Everything before `sound` is sound; something in `sound..faulty` is damaged.
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

    /// Finds the end of the damage around the byte at `index` in one direction: at a sound block,
    /// or at `limit`.
    fn edge(&mut self, index: u64, limit: u64, way: Direction) -> u64 {
        // Distances from `index`. The byte at `faulty` is damaged. The byte at `sound` is not, or
        // is beyond the limit.
        let most = match way {
            Direction::Back => index.saturating_sub(limit),
            Direction::Forth => limit.saturating_sub(index).saturating_sub(1),
        };
        let mut faulty = 0_u64;
        let mut sound = most.saturating_add(1);
        let mut step = 1_u64;
        while sound.saturating_sub(faulty) > 1 {
            // Doubles the step while no sound block is known, then bisects.
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

/// Reports whether the server claims to have nothing of this version of the file. A search is then
/// pointless.
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
