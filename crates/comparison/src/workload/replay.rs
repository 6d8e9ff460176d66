//! Workload that replays a recorded trace.

use std::collections::HashSet;

use pad_core::Operation;

use super::Work;
use crate::measurement::Shape;

/// Workload of a recorded trace, snapshot by snapshot. The first snapshot loads the keys.
#[derive(Clone, Debug)]
pub struct Replay {
    name: String,
    snapshots: Vec<Vec<Operation>>,
}

impl Replay {
    /// Creates the workload from the operations of each snapshot. `name` is its name in
    /// measurements.
    pub fn new(
        name: impl Into<String>,
        snapshots: impl IntoIterator<Item = Vec<Operation>>,
    ) -> Self {
        Self {
            name: name.into(),
            snapshots: snapshots.into_iter().collect(),
        }
    }

    fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.snapshots.iter().flatten()
    }

    /// Returns a mean length, rounded up, over the operations for which `length` returns one.
    /// `length` returns the length of an operation's key or value.
    fn mean(&self, length: impl Fn(&Operation) -> Option<usize>) -> u64 {
        let lengths: Vec<usize> = self.operations().filter_map(length).collect();
        (lengths.iter().sum::<usize>() as u64).div_ceil(lengths.len().max(1) as u64)
    }
}

impl Work for Replay {
    /// Returns name and numbers of the workload. Changes and lengths are means, rounded up.
    fn shape(&self) -> Shape {
        let (load, rest) = match self.snapshots.split_first() {
            Some((load, rest)) => (load.as_slice(), rest),
            None => (&[] as &[Operation], &[] as &[Vec<Operation>]),
        };
        let keys: HashSet<_> = load.iter().map(Operation::key).collect();
        let changes: usize = rest.iter().map(Vec::len).sum();
        Shape {
            workload: self.name.clone(),
            keys: keys.len() as u64,
            changes: (changes as u64).div_ceil(rest.len().max(1) as u64),
            key_bytes: self.mean(|operation| Some(operation.key().as_bytes().len())),
            value_bytes: self.mean(|operation| match operation {
                Operation::Put(_, value) => Some(value.as_bytes().len()),
                Operation::Remove(_) => None,
            }),
            seed: 0,
        }
    }

    fn loads(&self) -> bool {
        !self.snapshots.is_empty()
    }

    fn versions(&self) -> u64 {
        self.snapshots.len() as u64
    }

    fn operations(&self, version: u64) -> Vec<Operation> {
        let index = version.checked_sub(1).map(|index| index as usize);
        let snapshot = index.and_then(|index| self.snapshots.get(index));
        snapshot.cloned().unwrap_or_default()
    }

    fn goes_on(&self) -> bool {
        false
    }

    fn removes(&self) -> bool {
        self.operations()
            .any(|operation| matches!(operation, Operation::Remove(_)))
    }

    fn most_keys(&self) -> u64 {
        let keys: HashSet<_> = self.operations().map(Operation::key).collect();
        keys.len() as u64
    }

    fn most_entries(&self) -> u64 {
        self.operations().count() as u64
    }
}
