//! `pad put`, `pad remove` and `pad commit`. Changes wait in the store, durably, until committed.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use pad::{
    Key, NotOffered, Operation, RecordChange, RedbStore, SecretKey, Store, Value, Version,
    dynamic::{AnyAuthor, key_of_store},
    selection::SchemeName,
    version_notes::{LONGEST_NAME, NameError, VersionNote, VersionNotes},
};
use serde_json::{Map, Value as Json, json};

use super::{
    Failure, KEY_VARIABLE, NewStoreArguments, Output, StoreArgument,
    files::read_file,
    output::{counted, now},
    secret::load_secret,
    session::{AuthorArguments, create_or_match, own_store, require_own},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad put --store prices.pad apple 3
  pad put --store images.pad logo --value-file logo.png
  curl -s https://example.com/terms | pad put --store pages.pad terms --value-file -")]
pub(super) struct Put {
    #[command(flatten)]
    target: Target,
    /// The key.
    #[arg(value_name = "KEY")]
    key_text: String,
    /// Its new value; none for a member of a set.
    value: Option<String>,
    /// Take the value from this file, byte by byte as it is; - for standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "value")]
    value_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: pad remove --store prices.pad apple")]
pub(super) struct Remove {
    #[command(flatten)]
    target: Target,
    /// The key.
    #[arg(value_name = "KEY")]
    key_text: String,
}

#[derive(Debug, Args)]
pub(super) struct Target {
    #[command(flatten)]
    store: StoreArgument,
    /// The author's secret key; needed only where the store is new.
    #[arg(long, value_name = "FILE", env = KEY_VARIABLE)]
    key: Option<PathBuf>,
    #[command(flatten)]
    new: NewStoreArguments,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: pad commit --store prices.pad --key author.key --name 2026-11-23")]
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
    /// Give the version this name, by which pad get --at and others find it. The name is kept in the store and not signed: it is the
    /// store's word.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
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
        let author = self.target.author()?;
        let scheme = self.target.scheme(author.as_ref())?;
        let value = match (&self.value, &self.value_file) {
            (None, None) if !scheme.is_set() => {
                return Err(Failure::Input(format!(
                    "keys of scheme {scheme} have a value, which is not given"
                )));
            }
            (Some(value), _) => output.value(value)?,
            (None, Some(file)) => Value::new(read_file(file, LONGEST_VALUE)?)?,
            (None, None) => Value::default(),
        };
        if scheme.is_set() && !value.as_bytes().is_empty() {
            return Err(Failure::input("a member of a set has no value"));
        }
        let operation = Operation::Put(key, value);
        self.target.note_as(author.as_ref(), output, &operation)
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

    /// The key that is given, which is read once, because its passphrase is asked for.
    fn author(&self) -> Result<Option<SecretKey>, Failure> {
        self.key.as_deref().map(load_secret).transpose()
    }

    /// The scheme of the key that is given, or of the store.
    fn scheme(&self, author: Option<&SecretKey>) -> Result<SchemeName, Failure> {
        if let Some(key) = author {
            return Ok(key.public().scheme);
        }
        let store = own_store(&self.store.store)?;
        Ok(key_of_store(&store)?.scheme)
    }

    pub(super) fn note(&self, output: &mut Output, operation: &Operation) -> Result<(), Failure> {
        output.goes_on();
        require_own(&self.store.store)?;
        self.note_as(self.author()?.as_ref(), output, operation)
    }

    fn note_as(
        &self,
        author: Option<&SecretKey>,
        output: &mut Output,
        operation: &Operation,
    ) -> Result<(), Failure> {
        output.goes_on();
        let path = &self.store.store;
        require_own(path)?;
        if let Some(key) = author {
            create_or_match(path, key.public(), &self.new, output)?;
        }
        let mut store = own_store(path)?;
        let scheme = key_of_store(&store)?.scheme;
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
        let store = author.repository().store();
        let noted = noted_in(store, &self.store.store)?;
        if noted.is_empty() && !self.allow_empty {
            return Err(Failure::input(
                "nothing is pending, pad put and pad remove note changes",
            ));
        }
        let name = self.name(store)?;
        let latest = author.repository().latest();
        let older = noted.iter().filter(|change| change.at != latest).count();
        if older > 0 && self.older.is_none() {
            return Err(Failure::Input(format!(
                "{older} of the pending changes were noted at another version than {latest}, the latest, as \
                 after a restore: --older sign signs them, --older drop drops them"
            )));
        }
        let mut done: Vec<_> = noted.iter().map(Pending::done).collect();
        let operations: Vec<_> = noted
            .into_iter()
            .filter(|change| change.at == latest || self.older == Some(Older::Sign))
            .map(|change| change.operation)
            .collect();
        let signed = operations.len();
        let staged = author.stage(operations)?;
        let note = VersionNote {
            name,
            seconds: now(),
            changes: u64::try_from(signed).unwrap_or(u64::MAX),
            entries: entries_of(&author),
        };
        done.push(note.record(staged));
        let version = author.flush(&done)?;
        let root = author.repository().head_text(version)?.root;
        let named = note.name.as_deref().map(Output::show_text);
        let named = named.map_or_else(String::new, |name| format!(" named {name}"));
        let text = format!(
            "version {version}{named} with {}, root {root}",
            counted(signed, "change")
        );
        let mut object = json!({ "version": version.number(), "changes": signed, "root": root });
        if let (Some(name), Some(object)) = (note.name, object.as_object_mut()) {
            object.insert("name".into(), name.into());
        }
        output.say(&text, &object)?;
        drop(author);
        #[cfg(feature = "network")]
        self.push.run(&self.store.store, output)?;
        Ok(())
    }
}

impl Commit {
    /// The name that the version is to have.
    fn name(&self, store: &impl Store) -> Result<Option<String>, Failure> {
        let Some(name) = &self.name else {
            return Ok(None);
        };
        if name.is_empty() || name.len() > LONGEST_NAME {
            return Err(Failure::Input(format!(
                "--name: a name has 1 to {LONGEST_NAME} bytes"
            )));
        }
        match VersionNotes::read(store)?.find(name) {
            Err(NameError::Unknown(_)) => Ok(Some(name.clone())),
            Ok(version) => Err(Failure::Input(format!(
                "--name: version {version} has the name '{name}' already"
            ))),
            Err(error) => Err(Failure::Input(format!("--name: {error}"))),
        }
    }
}

/// How many entries the version has that was staged last.
pub(super) fn entries_of(author: &AnyAuthor) -> u64 {
    u64::try_from(author.repository().entries()).unwrap_or(u64::MAX)
}

/// A change that waits in a store.
pub(super) struct Pending {
    /// The version at which it was noted.
    pub(super) at: Version,
    /// What is to change.
    pub(super) operation: Operation,
    /// The record that it stands in.
    name: Vec<u8>,
    value: Vec<u8>,
}

impl Pending {
    /// It does not wait any more.
    pub(super) fn done(&self) -> RecordChange {
        RecordChange::remove(RECORD_GROUP, self.name.clone(), self.value.clone())
    }

    /// It as a line and as an object.
    pub(super) fn shown(&self, output: &Output) -> (String, Json) {
        let key = output.show(self.operation.key().as_bytes());
        let mut object = Map::new();
        output.add(&mut object, "key", self.operation.key().as_bytes());
        let text = match &self.operation {
            Operation::Put(_, value) => {
                output.add(&mut object, "value", value.as_bytes());
                format!("+ {key} = {}", output.show(value.as_bytes()))
            }
            Operation::Remove(_) => {
                object.insert("removed".into(), true.into());
                format!("- {key}")
            }
        };
        object.insert("noted_at".into(), self.at.number().into());
        (text, object.into())
    }
}

/// The changes that wait in a store, in the order in which they are signed.
pub(super) fn pending(store: &RedbStore) -> Result<Vec<Pending>, Failure> {
    noted_in(store, store.path())
}

fn noted_in(store: &impl Store, path: &Path) -> Result<Vec<Pending>, Failure> {
    let scheme = key_of_store(store)?.scheme;
    let is_append_only = scheme.family().is_append_only();
    let records = store.records(RECORD_GROUP)?.into_iter();
    let noted = records.map(|(name, value)| {
        let (at, operation) = change(key_of(&name, is_append_only)?, &value)?;
        Some(Pending {
            at,
            operation,
            name,
            value,
        })
    });
    noted.collect::<Option<_>>().ok_or_else(|| damaged(path))
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

pub(super) const RECORD_GROUP: &str = "pending";
/// The bytes of the longest value.
const LONGEST_VALUE: u64 = 1 << 24;
