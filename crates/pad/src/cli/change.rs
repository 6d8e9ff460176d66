//! `pad put`, `pad remove` and `pad commit`. Changes wait in the store, durably, until committed.

use std::path::{Path, PathBuf};

use clap::Args;
use pad::{Key, Operation, RecordChange, RedbStore, Store, Value};
use serde_json::{Map, json};

use super::{
    Failure, NewStoreArguments, Output, StoreArgument,
    session::{AuthorArguments, create_or_match, load_secret},
};

#[derive(Debug, Args)]
pub(super) struct Put {
    #[command(flatten)]
    target: Target,
    /// The key.
    key_text: String,
    /// Its new value.
    value: String,
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
    /// Sign a new version also if nothing changed.
    #[arg(long)]
    allow_empty: bool,
}

impl Put {
    pub(super) fn run(&self, output: &mut Output) -> Result<(), Failure> {
        let key = output.key(&self.key_text)?;
        let value = output.value(&self.value)?;
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
            new: NewStoreArguments { repository: None },
        }
    }

    pub(super) fn note(&self, output: &mut Output, operation: &Operation) -> Result<(), Failure> {
        let path = &self.store.store;
        if let Some(key) = &self.key {
            create_or_match(path, load_secret(key)?.public(), self.new.repository)?;
        }
        let mut store = RedbStore::open(path)?;
        store.write_records(&[record(operation)])?;
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
        let key = load_secret(&self.author.key)?;
        let mut author = self.author.open(&self.store.store, &key)?;
        let pending = author.repository().store().records(RECORD_GROUP)?;
        if pending.is_empty() && !self.allow_empty {
            return Err(Failure::input(
                "nothing is pending, pad put and pad remove note changes",
            ));
        }
        let operations = pending
            .iter()
            .map(|(name, value)| operation(name, value))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| damaged(&self.store.store))?;
        let done: Vec<_> = pending
            .iter()
            .map(|(name, value)| RecordChange::remove(RECORD_GROUP, name.clone(), value.clone()))
            .collect();
        author.stage(operations)?;
        let version = author.flush(&done)?;
        let root = author.repository().head(version)?.root;
        let text = format!(
            "version {version} with {} changes, root {root}",
            pending.len()
        );
        let object = json!({ "version": version.number(), "changes": pending.len(), "root": root });
        output.say(&text, &object)
    }
}

fn record(operation: &Operation) -> RecordChange {
    let value = match operation {
        Operation::Put(_, value) => [b"+", value.as_bytes()].concat(),
        Operation::Remove(_) => b"-".to_vec(),
    };
    RecordChange::put(RECORD_GROUP, operation.key().as_bytes(), value)
}

fn operation(name: &[u8], value: &[u8]) -> Option<Operation> {
    let key = Key::new(name).ok()?;
    match value.split_first()? {
        (b'+', value) => Some(Operation::Put(key, Value::new(value).ok()?)),
        (b'-', []) => Some(Operation::Remove(key)),
        _ => None,
    }
}

fn damaged(path: &Path) -> Failure {
    Failure::Store(format!(
        "the store {} is damaged: a pending change is unreadable",
        path.display()
    ))
}

const RECORD_GROUP: &str = "pending";
