//! Growable runs of 32-bit numbers in one shared pool.

use serde::{Deserialize, Serialize};

/// One ascending run per owner, each contiguous; capacities are powers of two.
///
/// A run that outgrows its place moves to a larger one and leaves the old to later runs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct RunPool {
    pool: Vec<u32>,
    runs: Vec<Run>,
    /// Free places by the logarithm of their capacity.
    free: Vec<Vec<u32>>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Run {
    start: u32,
    length: u32,
}

impl RunPool {
    /// The run of an owner.
    #[inline]
    pub(super) fn run(&self, owner: usize) -> &[u32] {
        match self.runs.get(owner) {
            Some(run) => &self.pool[run.start as usize..][..run.length as usize],
            None => &[],
        }
    }

    /// Appends to the run of an owner.
    pub(super) fn push(&mut self, owner: usize, number: u32) {
        if self.runs.len() <= owner {
            self.runs.resize(owner + 1, Run::default());
        }
        let Run { start, length } = self.runs[owner];
        let mut place = start as usize;
        if length == 0 || length.is_power_of_two() {
            place = self.take((length * 2).max(1));
            let from = start as usize;
            self.pool.copy_within(from..from + length as usize, place);
            if length > 0 {
                self.give_back(start, length);
            }
        }
        self.pool[place + length as usize] = number;
        self.runs[owner] = Run { start: super::super::id::to_u32(place), length: length + 1 };
    }

    /// The bytes of memory that runs and pool take.
    pub(super) fn memory_bytes(&self) -> usize {
        self.pool.len() * 4 + self.runs.len() * size_of::<Run>()
    }

    fn take(&mut self, capacity: u32) -> usize {
        let class = capacity.trailing_zeros() as usize;
        if let Some(start) = self.free.get_mut(class).and_then(Vec::pop) {
            return start as usize;
        }
        let start = self.pool.len();
        self.pool.resize(start + capacity as usize, 0);
        start
    }

    fn give_back(&mut self, start: u32, capacity: u32) {
        let class = capacity.trailing_zeros() as usize;
        if self.free.len() <= class {
            self.free.resize(class + 1, Vec::new());
        }
        self.free[class].push(start);
    }
}
