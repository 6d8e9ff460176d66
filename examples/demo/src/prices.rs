//! The published trace (successive snapshots of prices), and the expected answers about it.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read as _,
};

use pad_core::{Key, Operation, Value, Version};

use crate::report::Outcome;

/// The name of a snapshot, and its changes.
pub(crate) type Snapshot = (String, Vec<Operation>);

/// A trace of prices, and the contents after each snapshot.
pub(crate) struct Prices {
    pub(crate) snapshots: Vec<Snapshot>,
    pub(crate) contents: Vec<BTreeMap<Key, Value>>,
}

/// Keys to look up. False answers are about the first key; some of them use the second key.
pub(crate) const KEYS: [(&str, &str); 4] = [
    ("changed", "deepseek-chat|input_cost_per_token"),
    ("present", "gpt-4-turbo|input_cost_per_token"),
    ("deleted", "gpt-4-32k-0613|input_cost_per_token"),
    ("never", "gpt-100|input_cost_per_token"),
];

pub(crate) fn keys() -> [Key; 4] {
    KEYS.map(|(_, key)| Key::try_from(key).unwrap_or_default())
}

impl Prices {
    pub(crate) fn load() -> Outcome<Self> {
        Ok(Self::new(read(include_bytes!(
            "../../../data/prices.csv.zst"
        ))?))
    }

    fn new(snapshots: Vec<Snapshot>) -> Self {
        let mut latest = BTreeMap::new();
        let after = snapshots.iter().map(|(_, operations)| {
            for operation in operations {
                match operation {
                    Operation::Put(key, value) => latest.insert(key.clone(), value.clone()),
                    Operation::Remove(key) => latest.remove(key),
                };
            }
            latest.clone()
        });
        let contents = after.collect();
        Self {
            snapshots,
            contents,
        }
    }

    /// Returns a copy with about `count` of the keys, evenly spread, and with all of [`KEYS`].
    pub(crate) fn some(&self, count: usize) -> Self {
        let (mut snapshots, keys) = (self.snapshots.clone(), keys());
        let all: BTreeSet<_> = self.contents.iter().flat_map(BTreeMap::keys).collect();
        let step = all.len().div_ceil(count).max(1);
        let chosen: BTreeSet<_> = all.into_iter().step_by(step).chain(&keys).collect();
        for (_, operations) in &mut snapshots {
            operations.retain(|operation| chosen.contains(operation.key()));
        }
        Self::new(snapshots)
    }

    /// Returns the contents of the last version.
    pub(crate) fn last(&self) -> &BTreeMap<Key, Value> {
        &self.contents[self.contents.len() - 1]
    }

    pub(crate) fn versions(&self) -> impl DoubleEndedIterator<Item = Version> {
        (1..=u64::try_from(self.contents.len()).unwrap_or(u64::MAX)).map(Version::new)
    }

    pub(crate) fn latest(&self) -> Version {
        self.versions().next_back().unwrap_or(Version::EMPTY)
    }

    /// Returns the expected value of a key in a version.
    pub(crate) fn value(&self, version: Version, key: &Key) -> Option<&Value> {
        let place = usize::try_from(version.previous()?.number()).ok()?;
        self.contents.get(place)?.get(key)
    }
}

/// Reads the snapshots of a trace: CSV with the columns `snapshot,op,key,value`, compressed with
/// Zstandard.
pub(crate) fn read(compressed: &[u8]) -> Outcome<Vec<Snapshot>> {
    let mut plain = Vec::new();
    ruzstd::decoding::StreamingDecoder::new(compressed)?.read_to_end(&mut plain)?;
    let mut snapshots: Vec<Snapshot> = Vec::new();
    for row in csv::Reader::from_reader(&*plain).records() {
        let row = row?;
        let key = Key::try_from(&row[2])?;
        let operation = match &row[1] {
            "put" => Operation::Put(key, Value::try_from(&row[3])?),
            _ => Operation::Remove(key),
        };
        match snapshots.last_mut() {
            Some((name, operations)) if *name == row[0] => operations.push(operation),
            _ => snapshots.push((row[0].into(), vec![operation])),
        }
    }
    Ok(snapshots)
}
