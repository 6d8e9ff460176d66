//! Growable runs (lists) of 32-bit numbers in one shared pool.

use std::collections::HashMap;

use crate::id::{to_u32, to_usize};

/// A pool of runs of ascending numbers. Each owner, given by a number, has one contiguous run,
/// whose capacity is a power of two.
///
/// A run that outgrows its slot moves to a larger one. Later runs reuse the old slot.
#[derive(Clone, Debug, Default)]
pub(super) struct RunPool {
    pool: Vec<u32>,
    runs: Runs,
    /// The starts of the free slots: `free[l]` lists the slots of capacity `2^l`.
    free: Vec<Vec<u32>>,
}

/// The location of the run of each owner.
#[derive(Clone, Debug)]
enum Runs {
    /// A table with an element for each owner, for pools in which many owners have runs.
    Dense(Vec<Run>),
    /// A map, for pools in which few owners have runs.
    Sparse(HashMap<usize, Run>),
}

impl Default for Runs {
    fn default() -> Self {
        Self::Dense(Vec::new())
    }
}

impl Runs {
    #[inline]
    fn of(&self, owner: usize) -> Run {
        match self {
            Self::Dense(runs) => runs.get(owner).copied(),
            Self::Sparse(runs) => runs.get(&owner).copied(),
        }
        .unwrap_or_default()
    }

    fn set(&mut self, owner: usize, run: Run) {
        match self {
            Self::Dense(runs) => {
                if runs.len() <= owner {
                    runs.resize(owner + 1, Run::default());
                }
                runs[owner] = run;
            }
            Self::Sparse(runs) => {
                runs.insert(owner, run);
            }
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    start: u32,
    length: u32,
}

impl RunPool {
    /// Creates an empty pool for the case that only few owners have runs.
    pub(super) fn sparse() -> Self {
        Self {
            runs: Runs::Sparse(HashMap::new()),
            ..Self::default()
        }
    }

    /// The numbers in the run of an owner; empty if the owner has no run.
    #[inline]
    pub(super) fn run(&self, owner: usize) -> &[u32] {
        self.at(self.runs.of(owner))
    }

    /// The location of the run of an owner; for `None` or an owner without a run, an empty run.
    #[inline]
    pub(super) fn locate(&self, owner: Option<usize>) -> Run {
        owner.map(|owner| self.runs.of(owner)).unwrap_or_default()
    }

    /// The numbers at the location that [`RunPool::locate`] returned.
    #[inline]
    pub(super) fn at(&self, run: Run) -> &[u32] {
        &self.pool[to_usize(run.start)..][..to_usize(run.length)]
    }

    /// Appends `number` to the run of an owner.
    pub(super) fn push(&mut self, owner: usize, number: u32) {
        let Run { start, length } = self.runs.of(owner);
        let mut place = to_usize(start);
        if length == 0 || length.is_power_of_two() {
            place = self.take((length * 2).max(1));
            let from = to_usize(start);
            self.pool.copy_within(from..from + to_usize(length), place);
            if length > 0 {
                self.give_back(start, length);
            }
        }
        self.pool[place + to_usize(length)] = number;
        self.runs.set(
            owner,
            Run {
                start: to_u32(place),
                length: length + 1,
            },
        );
    }

    /// The memory, in bytes, of the pool and of the locations of runs.
    pub(super) fn memory_bytes(&self) -> usize {
        let runs = match &self.runs {
            Runs::Dense(runs) => runs.len(),
            // A key and a control byte next to each run, and an eighth of the slots free.
            Runs::Sparse(runs) => runs.len() * 3,
        };
        self.pool.len() * 4 + runs * size_of::<Run>()
    }

    fn take(&mut self, capacity: u32) -> usize {
        let class = to_usize(capacity.trailing_zeros());
        if let Some(start) = self.free.get_mut(class).and_then(Vec::pop) {
            return to_usize(start);
        }
        let start = self.pool.len();
        self.pool.resize(start + to_usize(capacity), 0);
        start
    }

    fn give_back(&mut self, start: u32, capacity: u32) {
        let class = to_usize(capacity.trailing_zeros());
        if self.free.len() <= class {
            self.free.resize(class + 1, Vec::new());
        }
        self.free[class].push(start);
    }
}
