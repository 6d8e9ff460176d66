//! The bundled trace, and what the dictionaries should say about it.

use std::collections::{BTreeMap, BTreeSet};

use pad::{
    Key, Operation, Value, Version,
    trace::{TraceReader, TraceSnapshot},
};

use crate::cli::Failure;

type Contents = BTreeMap<Key, Value>;

/// The trace, and the contents of every version.
pub(super) struct Prices {
    pub(super) snapshots: Vec<TraceSnapshot>,
    /// The contents of version `i + 1`.
    pub(super) contents: Vec<Contents>,
    keys: [(&'static str, Key); 4],
}

impl Prices {
    pub(super) fn load() -> Result<Self, Failure> {
        let read = TraceReader::from_bytes(TRACE).and_then(Iterator::collect);
        let snapshots: Vec<TraceSnapshot> =
            read.map_err(|error| Failure::Input(format!("bundled trace: {error}")))?;
        let contents = contents_of(&snapshots);
        let keys = choose_keys(&contents)
            .ok_or_else(|| Failure::input("the bundled trace lacks interesting keys"))?;
        Ok(Self {
            snapshots,
            contents,
            keys,
        })
    }

    /// The same snapshots with so many of the keys, evenly spread, and the interesting ones.
    pub(super) fn some(&self, count: usize) -> Self {
        let all: BTreeSet<&Key> = self.contents.iter().flat_map(BTreeMap::keys).collect();
        let step = all.len().div_ceil(count).max(1);
        let spread = all.into_iter().step_by(step);
        let chosen: BTreeSet<&Key> = spread.chain(self.keys.iter().map(|(_, key)| key)).collect();
        let mut snapshots = self.snapshots.clone();
        for snapshot in &mut snapshots {
            snapshot
                .operations
                .retain(|operation| chosen.contains(operation.key()));
        }
        Self {
            contents: contents_of(&snapshots),
            snapshots,
            keys: self.keys.clone(),
        }
    }

    /// The largest number of keys in a version.
    pub(super) fn most_keys(&self) -> usize {
        self.contents.iter().map(Contents::len).max().unwrap_or(0)
    }

    pub(super) fn changes(&self) -> usize {
        self.snapshots
            .iter()
            .map(|snapshot| snapshot.operations.len())
            .sum()
    }

    pub(super) fn first_name(&self) -> &str {
        self.snapshots.first().map_or("", |snapshot| &snapshot.name)
    }

    pub(super) fn last_name(&self) -> &str {
        self.snapshots.last().map_or("", |snapshot| &snapshot.name)
    }

    /// The first, the middle and the last version.
    pub(super) fn versions(&self) -> [Version; 3] {
        let last = u64::try_from(self.snapshots.len()).unwrap_or(u64::MAX);
        [1, last.div_ceil(2), last].map(Version::new)
    }

    /// A key that stays, one that changes, one that is deleted and one that never was.
    pub(super) const fn interesting_keys(&self) -> &[(&'static str, Key); 4] {
        &self.keys
    }

    /// The value that a version should have.
    pub(super) fn value(&self, version: Version, key: &Key) -> Option<&Value> {
        let position = usize::try_from(version.number().checked_sub(1)?).ok()?;
        self.contents.get(position)?.get(key)
    }
}

/// The contents after each snapshot.
fn contents_of(snapshots: &[TraceSnapshot]) -> Vec<Contents> {
    let mut latest = Contents::new();
    let after = snapshots.iter().map(|snapshot| {
        for operation in &snapshot.operations {
            match operation {
                Operation::Put(key, value) => latest.insert(key.clone(), value.clone()),
                Operation::Remove(key) => latest.remove(key),
            };
        }
        latest.clone()
    });
    after.collect()
}

fn choose_keys(contents: &[Contents]) -> Option<[(&'static str, Key); 4]> {
    let (first, middle, last) = (
        contents.first()?,
        contents.get((contents.len() - 1) / 2)?,
        contents.last()?,
    );
    let among_first = |wanted: &dyn Fn(&Key, &Value) -> bool| {
        let matching = || first.iter().filter(|(key, value)| wanted(key, value));
        // A name that people know, if there is one.
        let known = matching().find(|(key, _)| key.as_bytes().starts_with(b"gpt-4"));
        known
            .or_else(|| matching().next())
            .map(|(key, _)| key.clone())
    };
    let present = among_first(&|key, value| {
        contents
            .iter()
            .all(|version| version.get(key) == Some(value))
    })?;
    let changed = among_first(&|key, value| {
        middle.get(key).is_some_and(|middle| middle != value)
            && last.get(key).is_some_and(|last| last != value)
    })
    .or_else(|| among_first(&|key, value| last.get(key).is_some_and(|last| last != value)))?;
    let deleted = among_first(&|key, _| middle.contains_key(key) && !last.contains_key(key))?;
    let never = Key::try_from("gpt-100|input_cost_per_token").ok()?;
    Some([
        ("present", present),
        ("changed", changed),
        ("deleted", deleted),
        ("never", never),
    ])
}

const TRACE: &[u8] = include_bytes!("../../data/prices.csv.zst");
