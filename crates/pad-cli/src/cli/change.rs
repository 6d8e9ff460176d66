//! `pad put`, `pad remove` and `pad commit`. Changes wait in the store, durably, until committed.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use pad::{
    Key, NotOffered, Operation, RecordChange, RedbStore, Store, Value, Version,
    dynamic::Description, selection::SchemeName,
};
use serde_json::{Map, json};

use super::{
    Failure, NewStoreArguments, Output, StoreArgument,
    session::{AuthorArguments, create_or_match, load_secret, own_store, require_own},
};

#[derive(Debug, Args)]
pub(super) struct Put {
    #[command(flatten)]
    target: Target,
    /// The key.
    key_text: String,
    /// Its new value; none for a member of a set.
    value: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct Remove {
    #[command(flatten)]
    target: Target,
    /// The key.
    key_text: String,
}

#[derive(Debug, Args)]
pub(super) struct Target {
    #[command(flatten)]
    store: StoreArgument,
    /// The author's secret key; needed only where the store is new.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    #[command(flatten)]
    new: NewStoreArguments,
}

#[derive(Debug, Args)]
pub(super) struct Commit {
    #[command(flatten)]
    store: StoreArgument,
    #[command(flatten)]
    author: AuthorArguments,
    #[cfg(feature = "network")]
    #[command(flatten)]
    push: super::push::PushArguments,
    /// Sign a new version also if nothing changed.
    #[arg(long)]
    allow_empty: bool,
    /// What to do with changes that were noted at another version than the store's latest: sign them, or
    /// drop them.
    #[arg(long, value_name = "WHAT")]
    older: Option<Older>,
}

/// What becomes of changes that were noted at another version than the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Older {
    /// They are signed with the others.
    Sign,
    /// They are not signed, and forgotten.
    Drop,
}

impl Put {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        let key = output.key(&self.key_text)?;
        let scheme = self.target.scheme()?;
        let value = match &self.value {
            None if !scheme.is_set() => {
                return Err(Failure::Input(format!(
                    "keys of scheme {scheme} have a value, which is not given"
                )));
            }
            Some(value) if scheme.is_set() && !value.is_empty() => {
                return Err(Failure::input("a member of a set has no value"));
            }
            value => output.value(value.as_deref().unwrap_or_default())?,
        };
        self.target.note(output, &Operation::Put(key, value))
    }
}

impl Remove {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        let key = output.key(&self.key_text)?;
        self.target.note(output, &Operation::Remove(key))
    }
}

impl Target {
    /// The store at this path; with a key it is made if it is missing.
    #[cfg(feature = "file")]
    pub(super) fn new(store: &Path, key: Option<&Path>) -> Self {
        Self {
            store: StoreArgument {
                store: store.to_owned(),
            },
            key: key.map(Path::to_owned),
            new: NewStoreArguments::default(),
        }
    }

    /// The scheme of the key that is given, or of the store.
    fn scheme(&self) -> Result<SchemeName, Failure> {
        if let Some(key) = &self.key {
            return Ok(load_secret(key)?.public().scheme);
        }
        let store = own_store(&self.store.store)?;
        Ok(Description::read(&store)?.public.scheme)
    }

    pub(super) fn note(&self, output: &mut Output, operation: &Operation) -> Result<(), Failure> {
        output.goes_on();
        let path = &self.store.store;
        require_own(path)?;
        if let Some(key) = &self.key {
            create_or_match(path, load_secret(key)?.public(), &self.new, output)?;
        }
        let mut store = own_store(path)?;
        let scheme = Description::read(&store)?.public.scheme;
        let note = if scheme.family().is_append_only() {
            if matches!(operation, Operation::Remove(_)) {
                let what = "removals";
                let scheme = scheme.id();
                return Err(Failure::Input(NotOffered { what, scheme }.to_string()));
            }
            appended(&mut store, operation)?
        } else {
            record(store.latest()?, operation)
        };
        store.write_records(&[note])?;
        let pending = store.record_count(RECORD_GROUP)?;
        let text = format!("noted; {pending} pending, pad commit publishes them");
        let mut object = Map::new();
        output.add(&mut object, "key", operation.key().as_bytes());
        object.insert("pending".into(), pending.into());
        output.say(&text, &object.into())
    }
}

impl Commit {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        output.goes_on();
        let key = load_secret(&self.author.key)?;
        let mut author = self.author.open(&self.store.store, &key)?;
        let pending = author.repository().store().records(RECORD_GROUP)?;
        if pending.is_empty() && !self.allow_empty {
            return Err(Failure::input(
                "nothing is pending, pad put and pad remove note changes",
            ));
        }
        let latest = author.repository().latest();
        let is_append_only = key.public().scheme.family().is_append_only();
        let noted = pending
            .iter()
            .map(|(name, value)| change(key_of(name, is_append_only)?, value))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| damaged(&self.store.store))?;
        let older = noted.iter().filter(|(at, _)| *at != latest).count();
        if older > 0 && self.older.is_none() {
            return Err(Failure::Input(format!(
                "{older} of the pending changes were noted at another version than {latest}, the latest, as \
                 after a restore: --older sign signs them, --older drop drops them"
            )));
        }
        let operations: Vec<_> = noted
            .into_iter()
            .filter(|(at, _)| *at == latest || self.older == Some(Older::Sign))
            .map(|(_, operation)| operation)
            .collect();
        let signed = operations.len();
        let done: Vec<_> = pending
            .iter()
            .map(|(name, value)| RecordChange::remove(RECORD_GROUP, name.clone(), value.clone()))
            .collect();
        author.stage(operations)?;
        let version = author.flush(&done)?;
        let root = author.repository().head_text(version)?.root;
        let text = format!("version {version} with {signed} changes, root {root}");
        let object = json!({ "version": version.number(), "changes": signed, "root": root });
        output.say(&text, &object)?;
        drop(author);
        #[cfg(feature = "network")]
        self.push.run(&self.store.store, output)?;
        Ok(())
    }
}

/// A pending change: the version at which it was noted (8 bytes, big-endian), + or -, and the value.
fn record(at: Version, operation: &Operation) -> RecordChange {
    let (sign, new) = match operation {
        Operation::Put(_, value) => (b"+", value.as_bytes()),
        Operation::Remove(_) => (b"-", &[][..]),
    };
    let value = [&at.number().to_be_bytes(), &sign[..], new].concat();
    RecordChange::put(RECORD_GROUP, operation.key().as_bytes(), value)
}

/// The same for a log, where a key may get several values at once: the name begins with a number (8 bytes, big-endian) that
/// follows that of the last pending change.
fn appended(store: &mut RedbStore, operation: &Operation) -> Result<RecordChange, Failure> {
    // Now nobody else writes before this process ends.
    store.write_records(&[])?;
    let last = store.records(RECORD_GROUP)?.pop();
    let last = last.and_then(|(name, _)| name.first_chunk().copied());
    let number = last.map_or(0, |last| u64::from_be_bytes(last).saturating_add(1));
    let RecordChange::Put { group, name, value } = record(store.latest()?, operation) else {
        return Err(damaged(store.path()));
    };
    let name = [&number.to_be_bytes()[..], &name].concat();
    Ok(RecordChange::Put { group, name, value })
}

/// The key in the name of a pending change.
fn key_of(name: &[u8], is_append_only: bool) -> Option<&[u8]> {
    if !is_append_only {
        return Some(name);
    }
    let (_, key) = name.split_first_chunk::<8>()?;
    Some(key)
}

fn change(name: &[u8], value: &[u8]) -> Option<(Version, Operation)> {
    let key = Key::new(name).ok()?;
    let (at, value) = value.split_first_chunk()?;
    let operation = match value.split_first()? {
        (b'+', value) => Operation::Put(key, Value::new(value).ok()?),
        (b'-', []) => Operation::Remove(key),
        _ => return None,
    };
    Some((Version::new(u64::from_be_bytes(*at)), operation))
}

fn damaged(path: &Path) -> Failure {
    Failure::Store(format!(
        "the store {} is damaged: a pending change is unreadable",
        path.display()
    ))
}

const RECORD_GROUP: &str = "pending";
