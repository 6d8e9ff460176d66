//! Schedule of the work on a deferred log's nodes.
//!
//! A node of `2^h` elements above the blocks' level ([`Shape::BLOCK_LEVEL`]) is first used `2^h`
//! appends after its last element. Its right child is available at least half of that time earlier.
//! The node is made in the last `2^(h - 1)` appends before its first use, by a job of steps. Each
//! level has at most one job. No digest depends on an unfinished node. All digests and proofs equal
//! the digests and proofs of nodes that are made in one append.
//!
//! Source: Overmars, van Leeuwen 1981, "Worst-case optimal insertion and deletion methods for
//! decomposable searching problems".

use std::collections::BTreeMap;

use super::job::Job;
use crate::shape::{Address, Schedule, Shape};

/// Schedule of the work on a deferred log's nodes above the blocks' level. Eager logs do all work
/// of a node in one append.
///
/// Digests and proofs do not depend on the schedule. The schedule is not part of a log's setup:
/// author and servers choose it independently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Building {
    /// Does all work of a node in the append that makes the node available.
    AtOnce,
    /// Runs an equal share of each node's steps with each append. A single append runs about twice
    /// as many steps as the average append, for logs of any size.
    #[default]
    Credit,
}

/// Progress of a node under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildProgress {
    /// Address of the node.
    pub node: Address,
    /// Number of steps that were run.
    pub done: usize,
    /// Total number of steps; zero if the node was already made.
    pub steps: usize,
}

/// A node that is made before its first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Due {
    /// The size of the log at the node's first use. Nodes are made in this order.
    size: u64,
    pub(super) node: Address,
}

impl Due {
    /// Returns the node of `level` that is under construction in a log of `size` entries, if there
    /// is one.
    pub(super) fn of(shape: Shape, level: u8, size: u64) -> Option<Self> {
        if shape.schedule() == Schedule::Eager || level <= shape.block_level() {
            return None;
        }
        let index = Address::holding(level, size).index.checked_sub(1)?;
        let node = Address { level, index };
        let due = Self {
            size: shape.available_from(node),
            node,
        };
        (due.begin() <= size && size < due.size).then_some(due)
    }

    pub(super) const fn is_over(self, size: u64) -> bool {
        size >= self.size
    }

    /// The size of the log at which the work begins. The right child is available by then.
    const fn begin(self) -> u64 {
        self.size - self.window()
    }

    /// Number of appends between [`Due::begin`] and the first use.
    const fn window(self) -> u64 {
        self.node.width() / 2
    }

    /// The number of a job's steps that must have run at this log size: an equal share for each
    /// append.
    fn credit(self, size: u64, steps: usize) -> usize {
        let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let share = steps.div_ceil(whole(self.window()));
        share.saturating_mul(whole(size.saturating_sub(self.begin())))
    }
}

/// The jobs of a log; `None` for a log that does all work of a node in one append.
#[derive(Debug)]
pub(super) struct Jobs(Option<BTreeMap<Due, Job>>);

/// Drops all jobs. A copy may get few appends or none, so it does all work of a node in one append
/// until [`Building`] is set again.
impl Clone for Jobs {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl Jobs {
    /// Creates the schedule without jobs.
    pub(super) fn new(building: Building, schedule: Schedule) -> Self {
        let by_credit = (schedule, building) == (Schedule::Deferred, Building::Credit);
        Self(by_credit.then(BTreeMap::new))
    }

    pub(super) const fn are_at_once(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn all(&self) -> Vec<Due> {
        self.0.iter().flat_map(BTreeMap::keys).copied().collect()
    }

    /// The progress of all jobs.
    pub(super) fn progress(&self) -> Vec<BuildProgress> {
        let progress = |(due, job): (&Due, &Job)| BuildProgress {
            node: due.node,
            done: job.done(),
            steps: job.total(),
        };
        self.0.iter().flatten().map(progress).collect()
    }

    pub(super) fn add(&mut self, due: Due, job: Job) {
        if let Some(jobs) = &mut self.0 {
            jobs.insert(due, job);
        }
    }

    /// Removes a job.
    pub(super) fn take(&mut self, due: Due) -> Option<Job> {
        self.0.as_mut()?.remove(&due)
    }

    /// Runs a job until the steps are done that are due at this log size: see [`Due::credit`].
    pub(super) fn run(&mut self, due: Due, size: u64) {
        if let Some(mut job) = self.take(due) {
            // If a step panics, the job is lost and will be begun anew.
            job.run_to(due.credit(size, job.total()));
            self.add(due, job);
        }
    }
}
