//! When the work of a deferred log's nodes is done.
//!
//! A node of `2^h` elements above the blocks' level is used `2^h` appends after its last element. Its right child is used half that
//! time before, so in the `2^(h - 1)` appends in between the node is made: by a job of steps, of which there is at most one for
//! each level. No digest depends on a node before it is finished, and all digests and proofs are those of nodes made at once.
//!
//! Source: Overmars, van Leeuwen 1981, "Worst-case optimal insertion and deletion methods for decomposable searching problems".

use std::collections::BTreeMap;

use super::job::Job;
use crate::shape::{Address, Schedule, Shape};

/// When the work of a deferred log's nodes above the blocks' level is done. In eager logs it is always done at once.
///
/// Digests and proofs do not depend on it. It is no part of a log's setup: author and servers choose for themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Building {
    /// All of a node's work in the append that makes it available.
    AtOnce,
    /// An equal share of the steps with each append. A single append runs about twice as many steps as appends do on average,
    /// however large the log.
    #[default]
    Credit,
}

/// A node under construction: how far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildProgress {
    /// The node.
    pub node: Address,
    /// Steps that are run.
    pub done: usize,
    /// All its steps; zero if it was made before.
    pub steps: usize,
}

/// A node that is made before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Due {
    /// The size of the log in which it is used first. Nodes are made in the order of these.
    size: u64,
    pub(super) node: Address,
}

impl Due {
    /// The node of this level that is under construction in a log of this size: there is at most one.
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

    /// The size of the log in which the node is begun: its right child is there.
    const fn begin(self) -> u64 {
        self.size - self.window()
    }

    /// Appends from then on.
    const fn window(self) -> u64 {
        self.node.width() / 2
    }

    /// How many of a job's steps are run when the log has this size: an equal share with each append.
    fn credit(self, size: u64, steps: usize) -> usize {
        let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let share = steps.div_ceil(whole(self.window()));
        share.saturating_mul(whole(size.saturating_sub(self.begin())))
    }
}

/// The jobs of a log; none of a log that does all work at once.
#[derive(Debug)]
pub(super) struct Jobs(Option<BTreeMap<Due, Job>>);

/// A copy of a log begins no jobs, as little or nothing may be appended to it: its work is done at once, until it is asked to build
/// ahead again.
impl Clone for Jobs {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl Jobs {
    /// None yet.
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

    /// How far they are.
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

    /// Takes a job out.
    pub(super) fn take(&mut self, due: Due) -> Option<Job> {
        self.0.as_mut()?.remove(&due)
    }

    /// Runs what a job is to have run when the log has this size.
    pub(super) fn run(&mut self, due: Due, size: u64) {
        if let Some(mut job) = self.take(due) {
            // Should a step panic, the job is out, and will be begun anew.
            job.run_to(due.credit(size, job.total()));
            self.add(due, job);
        }
    }
}
