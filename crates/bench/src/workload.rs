//! The microbenchmarks' workloads: pseudorandom, and computable for any version on its own.
//!
//! Keys are 8 bytes and values 32 bytes. Both follow from an index, so nothing has to be kept.
//!
//! Source: Crosby & Wallach 2010, section 5.4 (growing) and section 6.2 (steady state).

use std::ops::Range;

use clap::ValueEnum;
use pad_core::{Key, Operation, Value};
use serde::{Deserialize, Serialize};

/// The number of bytes of every value.
pub const VALUE_LENGTH: usize = 32;

/// Which of the paper's microbenchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Experiment {
    /// From empty, one new key in each snapshot.
    Growing,
    /// Filled in the first snapshot; then one key added and one removed in each.
    SteadyState,
}

/// The operations of a microbenchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workload {
    /// Which microbenchmark this is.
    pub experiment: Experiment,
    /// The number of keys at the end.
    pub keys: u64,
    /// The number of snapshots.
    pub versions: u64,
}

impl Workload {
    /// One new key in each of `keys` snapshots.
    pub const fn growing(keys: u64) -> Self {
        Self {
            experiment: Experiment::Growing,
            keys,
            versions: keys,
        }
    }

    /// `keys` keys in the first snapshot, then `snapshots` of one addition and one removal.
    pub const fn steady_state(keys: u64, snapshots: u64) -> Self {
        Self {
            experiment: Experiment::SteadyState,
            keys,
            versions: snapshots + 1,
        }
    }

    /// The snapshots that only fill the dictionary and are not measured.
    pub const fn fill(&self) -> u64 {
        match self.experiment {
            Experiment::Growing => 0,
            Experiment::SteadyState => 1,
        }
    }

    /// The last tenth of the snapshots, at least one: what the report's means are taken over.
    pub const fn last_tenth(&self) -> Range<u64> {
        let measured = self.versions - self.fill();
        let tenth = if measured < 10 { 1 } else { measured / 10 };
        self.versions + 1 - tenth..self.versions + 1
    }

    /// What changes from the version before to `version`, which is at least 1.
    pub fn operations(&self, version: u64) -> Vec<Operation> {
        match (self.experiment, version) {
            (Experiment::Growing, _) => vec![put(version - 1)],
            (Experiment::SteadyState, 1) => (0..self.keys).map(put).collect(),
            (Experiment::SteadyState, _) => {
                let removed = version - 2;
                vec![put(self.keys + removed), Operation::Remove(key(removed))]
            }
        }
    }

    /// The indices of the keys that a version, at least 1, contains.
    pub const fn present(&self, version: u64) -> Range<u64> {
        match self.experiment {
            Experiment::Growing => 0..version,
            Experiment::SteadyState => version - 1..self.keys + version - 1,
        }
    }

    /// A random version, and a random key in it.
    pub fn any_present(&self, random: &mut Random, version: Option<u64>) -> (u64, u64) {
        let version = version.unwrap_or_else(|| 1 + random.below(self.versions));
        let present = self.present(version);
        (
            version,
            present.start + random.below(present.end - present.start),
        )
    }
}

/// The operation that puts the key with this index.
pub fn put(index: u64) -> Operation {
    Operation::Put(key(index), value(index))
}

/// The key with this index: different indices have different keys.
pub fn key(index: u64) -> Key {
    let bytes = scramble(index.wrapping_mul(STEP).wrapping_add(KEY_SEED)).to_be_bytes();
    Key::new(bytes).expect("workload: eight bytes are a key")
}

/// A key that no workload contains.
pub fn absent_key(index: u64) -> Key {
    key(index | 1 << 63)
}

/// A key of 32 bytes with this index, as long as a hash: what the tuple dictionaries are measured with.
pub fn hashed_key(index: u64) -> Key {
    Key::new(long_bytes(index ^ KEY_SEED)).expect("workload: 32 bytes are a key")
}

/// The operation that puts the key of 32 bytes with this index.
pub fn put_hashed(index: u64) -> Operation {
    Operation::Put(hashed_key(index), value(index))
}

/// The value with this index.
pub fn value(index: u64) -> Value {
    Value::new(long_bytes(index ^ VALUE_SEED)).expect("workload: 32 bytes are a value")
}

/// 32 bytes.
fn long_bytes(seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..VALUE_LENGTH / 8)
        .flat_map(|_| random.next().to_be_bytes())
        .collect()
}

/// A stream of pseudorandom numbers (`SplitMix64`), the same on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream with this seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        scramble(self.0)
    }

    /// The next number below `bound`, which is far below 2^64.
    pub const fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// `SplitMix64`'s output function, a bijection.
const fn scramble(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Odd, so that multiplying by it is a bijection.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
const KEY_SEED: u64 = 0x6b65_7973;
const VALUE_SEED: u64 = 0x7661_6c75_6573;

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet};

    use super::*;

    #[test]
    fn keys_are_distinct() {
        let present: HashSet<_> = (0..20_000).map(key).collect();
        assert_eq!(present.len(), 20_000);
        assert!((0..20_000).all(|index| !present.contains(&absent_key(index))));
        let hashed: HashSet<_> = (0..20_000).map(hashed_key).collect();
        assert_eq!(hashed.len(), 20_000);
    }

    #[test]
    fn values_have_the_stated_length_and_differ() {
        let values: HashSet<_> = (0..1_000).map(value).collect();
        assert_eq!(values.len(), 1_000);
        assert!(
            values
                .iter()
                .all(|value| value.as_bytes().len() == VALUE_LENGTH)
        );
    }

    #[test]
    fn every_version_contains_what_it_says() {
        for workload in [Workload::growing(50), Workload::steady_state(20, 30)] {
            let mut contents = BTreeMap::new();
            for version in 1..=workload.versions {
                for operation in workload.operations(version) {
                    match operation {
                        Operation::Put(key, value) => drop(contents.insert(key, value)),
                        Operation::Remove(key) => assert!(contents.remove(&key).is_some()),
                    }
                }
                let expected = workload
                    .present(version)
                    .map(|index| (key(index), value(index)));
                assert_eq!(contents, expected.collect(), "{workload:?} {version}");
            }
        }
    }

    #[test]
    fn the_last_tenth_ends_with_the_last_version() {
        assert_eq!(Workload::growing(1_000).last_tenth(), 901..1_001);
        assert_eq!(Workload::growing(3).last_tenth(), 3..4);
        assert_eq!(Workload::steady_state(1_000, 100).last_tenth(), 92..102);
    }
}
