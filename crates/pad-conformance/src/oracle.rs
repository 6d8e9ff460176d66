//! A reference implementation of a dictionary (oracle) that copies all contents for every version.
//! This is the simplest strategy of Crosby & Wallach 2010, section 3.2.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
};

use pad_core::{Key, Value, Version};

use crate::operation::Action;

/// All keys of one version, each with its value.
pub type Contents = BTreeMap<Key, Value>;

/// The contents of every version, and the pending contents of the next version.
#[derive(Clone, Debug)]
pub struct Oracle {
    versions: Vec<Contents>,
    open: Contents,
}

impl Default for Oracle {
    fn default() -> Self {
        Self {
            versions: vec![Contents::new()],
            open: Contents::new(),
        }
    }
}

impl Oracle {
    /// Returns the oracle after all steps of a trace.
    pub fn of(actions: &[Action]) -> Self {
        let mut oracle = Self::default();
        for action in actions {
            oracle.apply(action);
        }
        oracle
    }

    /// Applies one step of a trace.
    pub fn apply(&mut self, action: &Action) {
        match action {
            Action::Put(key, value) => drop(self.open.insert(key.clone(), value.clone())),
            Action::Remove(key) => drop(self.open.remove(key)),
            Action::Snapshot => self.versions.push(self.open.clone()),
        }
    }

    /// Drops the changes made since the latest snapshot.
    pub fn discard_pending(&mut self) {
        self.open = self.latest_contents().clone();
    }

    /// Returns the latest contents, including changes that no snapshot has published yet.
    pub const fn open(&self) -> &Contents {
        &self.open
    }

    /// Returns the latest version.
    pub fn latest(&self) -> Version {
        Version::new(u64::try_from(self.versions.len() - 1).expect("few versions"))
    }

    /// Returns the contents of a version.
    pub fn at(&self, version: Version) -> &Contents {
        &self.versions[usize::try_from(version.number()).expect("few versions")]
    }

    /// Returns the versions from `oldest` to the latest, each with its contents.
    pub fn versions_from(&self, oldest: Version) -> impl Iterator<Item = (Version, &Contents)> {
        (oldest.number()..=self.latest().number()).map(|number| {
            let version = Version::new(number);
            (version, self.at(version))
        })
    }

    /// Returns the versions after `oldest` that add or remove `key`, or change its value.
    pub fn history(&self, key: &Key, oldest: Version) -> Vec<Version> {
        let versions = self.versions_from(oldest);
        let changed = versions.skip(1).filter(|(version, contents)| {
            let before = version.previous().expect("the first is skipped");
            self.at(before).get(key) != contents.get(key)
        });
        changed.map(|(version, _)| version).collect()
    }

    /// Returns the keys that differ between two versions, each with its value in both versions.
    #[allow(clippy::type_complexity, reason = "a row of the oracle's answer")]
    pub fn diff(
        &self,
        before: Version,
        after: Version,
    ) -> Vec<(Key, Option<Value>, Option<Value>)> {
        let (before, after) = (self.at(before), self.at(after));
        let keys: BTreeSet<&Key> = before.keys().chain(after.keys()).collect();
        let changed = keys.into_iter().filter_map(|key| {
            let (before, after) = (before.get(key), after.get(key));
            (before != after).then(|| (key.clone(), before.cloned(), after.cloned()))
        });
        changed.collect()
    }

    /// Returns every key that occurs in any version.
    pub fn all_keys(&self) -> BTreeSet<Key> {
        let contents = self.versions.iter();
        contents.flat_map(Contents::keys).cloned().collect()
    }

    /// Returns keys to query: all keys in any version, keys close to them in key order, and both
    /// ends of the key space.
    pub fn interesting_keys(&self) -> BTreeSet<Key> {
        let mut keys = self.all_keys();
        let ends = [Key::default(), crate::operation::key([0xff; 4])];
        let neighbours: Vec<Key> = keys.iter().flat_map(neighbours).collect();
        keys.extend(neighbours.into_iter().chain(ends));
        keys
    }

    fn latest_contents(&self) -> &Contents {
        self.versions.last().expect("there is a version 0")
    }
}

/// Returns the entry with the greatest key less than `key`, if there is one.
pub fn predecessor<'a>(contents: &'a Contents, key: &Key) -> Option<(&'a Key, &'a Value)> {
    let below = (Bound::Unbounded, Bound::Excluded(key.clone()));
    contents.range(below).next_back()
}

/// Returns the entry with the least key greater than `key`, if there is one.
pub fn successor<'a>(contents: &'a Contents, key: &Key) -> Option<(&'a Key, &'a Value)> {
    let above = (Bound::Excluded(key.clone()), Bound::Unbounded);
    contents.range(above).next()
}

/// Returns the key directly above this key, and a key slightly below it, unless they are too long.
fn neighbours(key: &Key) -> Vec<Key> {
    let bytes = key.as_bytes();
    let mut above = bytes.to_vec();
    above.push(0);
    let below = bytes.split_last().map(|(last, head)| {
        let mut below = head.to_vec();
        below.extend(last.checked_sub(1));
        below
    });
    let both = [Some(above), below].into_iter().flatten();
    both.filter_map(|bytes| Key::new(bytes).ok()).collect()
}
