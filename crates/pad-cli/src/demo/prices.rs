//! The trace that is published, and what the dictionaries should say about it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use pad::{
    Key, Operation, Value, Version,
    trace::{TraceReader, TraceSnapshot},
};

use crate::cli::Failure;

type Contents = BTreeMap<Key, Value>;
/// Keys to look up, and what they are called.
type Named = Vec<(&'static str, Key)>;

/// The trace, and the contents of every version.
pub(super) struct Prices {
    /// What the trace is of.
    pub(super) title: String,
    pub(super) snapshots: Vec<TraceSnapshot>,
    /// The contents of version `i + 1`.
    pub(super) contents: Vec<Contents>,
    /// What is left out of a trace that is longer than a demonstration.
    pub(super) left_out: Option<String>,
    keys: Named,
    attacked: Key,
    other: Key,
}

/// How much of somebody's own trace is published: thirty dictionaries of it are made.
const MOST_SNAPSHOTS: usize = 50;
const MOST_KEYS: usize = 2_000;

impl Prices {
    /// The trace that comes with the program.
    pub(super) fn bundled() -> Result<Self, Failure> {
        let read = TraceReader::from_bytes(TRACE).and_then(Iterator::collect);
        let snapshots: Vec<TraceSnapshot> =
            read.map_err(|error| Failure::Input(format!("bundled trace: {error}")))?;
        let contents = contents_of(&snapshots);
        let keys = choose_keys(&contents)
            .ok_or_else(|| Failure::input("the bundled trace lacks interesting keys"))?;
        let [(_, other), (_, attacked), ..] = &keys;
        Ok(Self {
            title: "Prices of language models".into(),
            snapshots,
            contents,
            left_out: None,
            other: other.clone(),
            attacked: attacked.clone(),
            keys: keys.into(),
        })
    }

    /// A user's own trace.
    pub(super) fn load(path: &Path) -> Result<Self, Failure> {
        let failure = |error| Failure::Input(format!("{}: {error}", path.display()));
        let mut reader = TraceReader::open(path).map_err(failure)?;
        let mut snapshots = Vec::new();
        for snapshot in reader.by_ref().take(MOST_SNAPSHOTS) {
            snapshots.push(snapshot.map_err(failure)?);
        }
        let mut left_out = Vec::new();
        if reader.next().is_some() {
            left_out.push(format!("snapshots after the first {MOST_SNAPSHOTS}"));
        }
        let contents = contents_of(&snapshots);
        let (keys, attacked, other) = choose_own_keys(&contents).ok_or_else(|| {
            Failure::Input(format!(
                "{}: the attacks need two snapshots and five keys in the last, one of which, neither the first nor \
                 the last of them, has got another value",
                path.display()
            ))
        })?;
        let title = path.file_name().unwrap_or(path.as_os_str());
        let all = Self {
            title: format!("The trace {}", title.display()),
            snapshots,
            contents,
            left_out: None,
            keys,
            attacked,
            other,
        };
        let count = all.all_keys().len();
        let mut some = all;
        if count > MOST_KEYS {
            some = some.some(MOST_KEYS);
            left_out.push(format!("all but some {MOST_KEYS} of {count} keys"));
        }
        some.left_out = (!left_out.is_empty()).then(|| left_out.join(", and "));
        Ok(some)
    }

    fn all_keys(&self) -> BTreeSet<&Key> {
        self.contents.iter().flat_map(BTreeMap::keys).collect()
    }

    /// The key that attacks are about: present in the last version, and changed before.
    pub(super) const fn attacked(&self) -> &Key {
        &self.attacked
    }

    /// Another key that is present in the last version.
    pub(super) const fn other(&self) -> &Key {
        &self.other
    }

    /// The same snapshots with so many of the keys, evenly spread, and the interesting ones.
    pub(super) fn some(&self, count: usize) -> Self {
        let all = self.all_keys();
        let step = all.len().div_ceil(count).max(1);
        let spread = all.into_iter().step_by(step);
        let mut chosen: BTreeSet<&Key> = spread.collect();
        chosen.extend(self.keys.iter().map(|(_, key)| key));
        chosen.extend([&self.attacked, &self.other]);
        let mut snapshots = self.snapshots.clone();
        for snapshot in &mut snapshots {
            snapshot
                .operations
                .retain(|operation| chosen.contains(operation.key()));
        }
        Self {
            title: self.title.clone(),
            contents: contents_of(&snapshots),
            snapshots,
            left_out: self.left_out.clone(),
            keys: self.keys.clone(),
            attacked: self.attacked.clone(),
            other: self.other.clone(),
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

    /// A key that stays, one that changes, one that is deleted and one that never was; of a user's own trace
    /// those that there are.
    pub(super) fn interesting_keys(&self) -> &[(&'static str, Key)] {
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

/// Keys to look up, the one to lie about, and another one, far from it in the order of keys.
fn choose_own_keys(contents: &[Contents]) -> Option<(Named, Key, Key)> {
    let last = contents.last()?;
    let order: Vec<&Key> = last.keys().collect();
    let has_changed = |key: &Key| {
        let pairs = contents.iter().zip(contents.iter().skip(1));
        let mut values = pairs.map(|(before, after)| (before.get(key), after.get(key)));
        values.any(|(before, after)| before.is_some() && after.is_some() && before != after)
    };
    let inner = order
        .iter()
        .enumerate()
        .skip(1)
        .take(order.len().checked_sub(2)?);
    // Shown in a proof as it is, and not right above its neighbour, between which nothing fits.
    let (place, attacked) = inner
        .map(|(place, key)| (place, *key))
        .find(|(place, key)| {
            let before = order
                .get(place - 1)
                .map(|before| [before.as_bytes(), &[0]].concat());
            has_changed(key) && before.is_some_and(|before| before != key.as_bytes())
        })?;
    let farthest = if place < order.len() / 2 {
        order.last()
    } else {
        order.first()
    };
    let other = farthest.filter(|_| order.len() >= 5)?;
    let still = order.iter().find(|key| {
        let first = contents.first().and_then(|first| first.get(**key));
        first.is_some() && !has_changed(key)
    });
    let deleted = contents
        .iter()
        .flat_map(BTreeMap::keys)
        .find(|key| !last.contains_key(*key));
    let mut never = attacked.as_bytes().to_vec();
    let never = loop {
        never.push(b'?');
        let key = Key::try_from(&never[..]).ok()?;
        if contents.iter().all(|contents| !contents.contains_key(&key)) {
            break key;
        }
    };
    let mut keys = Vec::new();
    keys.extend(still.map(|key| ("present", (*key).clone())));
    keys.push(("changed", attacked.clone()));
    keys.extend(deleted.map(|key| ("deleted", key.clone())));
    keys.push(("never", never));
    Some((keys, attacked.clone(), (*other).clone()))
}

const TRACE: &[u8] = include_bytes!("../../data/prices.csv.zst");
