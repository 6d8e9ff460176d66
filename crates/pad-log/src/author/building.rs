//! Schedule of the work on the nodes of a deferred log, in which nodes are used some appends after
//! their last element.
//!
//! A node of `2^h` elements above the blocks' level ([`Shape::BLOCK_LEVEL`]) is first used `2^h`
//! appends after its last element. Its right child is available at least `2^(h - 1)` appends before
//! that use. The node is made in the last `2^(h - 1)` appends before its first use, by a job that
//! runs in steps. Each level has at most one job. No digest depends on an unfinished node. Digests
//! and proofs do not depend on whether a node is made in one append or in steps.
//!
//! Source: Overmars, van Leeuwen 1981, "Worst-case optimal insertion and deletion methods for
//! decomposable searching problems".

use std::collections::BTreeMap;

use super::job::Job;
use crate::shape::{Address, Schedule, Shape};

/// Distribution of the work on tree nodes among appends, for a log with [`Schedule::Deferred`].
/// Applies to nodes above the blocks' level ([`Shape::BLOCK_LEVEL`]). Eager logs do all work of a
/// node in one append.
///
/// Digests and proofs do not depend on the schedule. The schedule is not part of a log's setup:
/// author and servers choose it independently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Building {
    /// Does all work of a node in the append after which proofs first use the node.
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
    /// Number of steps that have run so far.
    pub done: usize,
    /// Total number of steps for the node; zero if the node is finished already.
    pub steps: usize,
}

/// A node above the blocks' level that is made in steps, and the size of the log at which it is
/// needed.
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

    /// The size of the log at which the work on the node begins. The node's right child is
    /// available by then.
    const fn begin(self) -> u64 {
        self.size - self.window()
    }

    /// Number of appends between [`Due::begin`] and the first use of the node.
    const fn window(self) -> u64 {
        self.node.width() / 2
    }

    /// The number of steps, of `steps` in total, that must have run when the log has `size`
    /// entries: an equal share for each append. May exceed `steps`.
    fn credit(self, size: u64, steps: usize) -> usize {
        let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let share = steps.div_ceil(whole(self.window()));
        share.saturating_mul(whole(size.saturating_sub(self.begin())))
    }
}

/// The nodes under construction, each with its [`Job`]. `None` in a log that does all work of a
/// node in one append.
#[derive(Debug)]
pub(super) struct Jobs(Option<BTreeMap<Due, Job>>);

/// A copy has no jobs. A copied log may get few appends or none, so it does all work of a node in
/// one append until [`Building`] is set again.
impl Clone for Jobs {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl Jobs {
    /// Creates an empty collection of jobs. It accepts jobs only in a deferred log with
    /// [`Building::Credit`].
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

    /// Returns the progress of every node under construction.
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

    /// Removes and returns the job of a node, or returns `None` if there is no such job.
    pub(super) fn take(&mut self, due: Due) -> Option<Job> {
        self.0.as_mut()?.remove(&due)
    }

    /// Runs a job until the steps are done that are due at this log size: see [`Due::credit`].
    pub(super) fn run(&mut self, due: Due, size: u64) {
        if let Some(mut job) = self.take(due) {
            // If a step panics, the job is lost, and a later call starts it again.
            job.run_to(due.credit(size, job.total()));
            self.add(due, job);
        }
    }
}
