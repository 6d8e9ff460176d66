//! When the work of a deferred log's nodes is done.
//!
//! A node of `2^h` elements above the blocks' level is used `2^h` appends after its last element. Its right child is used half that
//! time before, so in the `2^(h - 1)` appends in between the node is made: by a job of steps, of which there is at most one for
//! each level. No digest depends on a node before it is finished, and all digests and proofs are those of nodes made at once.
//!
//! Source: Overmars, van Leeuwen 1981, "Worst-case optimal insertion and deletion methods for decomposable searching problems".

use std::{collections::BTreeMap, io, num::NonZeroUsize};

use accumulators::AccumulateError;
use thiserror::Error;

use super::{
    background::{Background, Panicked},
    job::Job,
};
use crate::shape::{Address, Schedule, Shape};

/// When the work of a deferred log's nodes above the blocks' level is done. In eager logs it is always done at once.
///
/// Digests and proofs do not depend on it. It is no part of a log's setup: author and servers choose for themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Building {
    /// All of a node's work in the append that makes it available.
    AtOnce,
    /// On the appending thread, an equal share of the steps with each append: reproducible, and a single append runs about twice as
    /// many steps as appends do on average, however large the log.
    #[default]
    Credit,
    /// By so many threads of their own, the most urgent node first. An append waits only for a node that it makes available, and does
    /// itself what is left of it.
    Background(NonZeroUsize),
}

/// The trees of the pending entries cannot be made. They still wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The parameters do not serve the log.
    #[error(transparent)]
    Parameters(#[from] AccumulateError),
    /// A thread has panicked over a node. The next attempt makes the node anew.
    #[error("a thread has panicked over a node")]
    Panicked,
}

impl From<Panicked> for BuildError {
    fn from(_: Panicked) -> Self {
        Self::Panicked
    }
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

/// The jobs of a log.
#[derive(Debug)]
pub(super) enum Jobs {
    /// None: all work is done at once.
    AtOnce,
    Credit(BTreeMap<Due, Job>),
    Background(Background<Due, Job>),
}

/// A copy of a log begins no jobs, as whoever copies it may append little or nothing: its work is done at once, until it is asked
/// to build ahead again.
impl Clone for Jobs {
    fn clone(&self) -> Self {
        Self::AtOnce
    }
}

impl Jobs {
    /// None yet.
    ///
    /// # Errors
    /// If the operating system refuses to start threads.
    pub(super) fn new(building: Building, schedule: Schedule) -> io::Result<Self> {
        Ok(match (schedule, building) {
            (Schedule::Eager, _) | (_, Building::AtOnce) => Self::AtOnce,
            (Schedule::Deferred, Building::Credit) => Self::default_for(schedule),
            (Schedule::Deferred, Building::Background(threads)) => {
                Self::Background(Background::new(threads)?)
            }
        })
    }

    /// By credit, if the log is deferred.
    pub(super) const fn default_for(schedule: Schedule) -> Self {
        match schedule {
            Schedule::Eager => Self::AtOnce,
            Schedule::Deferred => Self::Credit(BTreeMap::new()),
        }
    }

    pub(super) const fn are_at_once(&self) -> bool {
        matches!(self, Self::AtOnce)
    }

    pub(super) fn all(&self) -> Vec<Due> {
        match self {
            Self::AtOnce => Vec::new(),
            Self::Credit(jobs) => jobs.keys().copied().collect(),
            Self::Background(jobs) => jobs.keys(),
        }
    }

    /// How far they are; of those that wait for a thread, or for the next append.
    pub(super) fn progress(&self) -> Vec<BuildProgress> {
        let progress = |due: &Due, job: &Job| BuildProgress {
            node: due.node,
            done: job.done(),
            steps: job.total(),
        };
        match self {
            Self::AtOnce => Vec::new(),
            Self::Credit(jobs) => jobs.iter().map(|(due, job)| progress(due, job)).collect(),
            Self::Background(jobs) => jobs.map(progress),
        }
    }

    pub(super) fn add(&mut self, due: Due, job: Job) {
        match self {
            Self::AtOnce => {}
            Self::Credit(jobs) => drop(jobs.insert(due, job)),
            Self::Background(jobs) => jobs.add(due, job),
        }
    }

    /// Takes a job out.
    ///
    /// # Errors
    /// [`Panicked`]: it is lost.
    pub(super) fn take(&mut self, due: Due) -> Result<Option<Job>, Panicked> {
        match self {
            Self::AtOnce => Ok(None),
            Self::Credit(jobs) => Ok(jobs.remove(&due)),
            Self::Background(jobs) => jobs.take(due).transpose(),
        }
    }

    /// Runs what a job is to have run when the log has this size. Of a thread's jobs, nothing.
    pub(super) fn run(&mut self, due: Due, size: u64) {
        if let Self::Credit(jobs) = self
            && let Some(mut job) = jobs.remove(&due)
        {
            // Should a step panic, the job is out, and will be begun anew.
            job.run_to(due.credit(size, job.total()));
            jobs.insert(due, job);
        }
    }
}
