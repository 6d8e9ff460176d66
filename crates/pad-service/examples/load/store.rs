//! The dictionary under load.

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use authdict::{
    Author, Key, Operation, Question, SchemeName, SecretKey, SigningRecord, Statement, SuiteName,
    Value, Verifier, Version, internals::dynamic::create_store,
};

pub(crate) type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Store of an author, with the signing key.
pub(crate) struct Store {
    pub(crate) path: PathBuf,
    pub(crate) key: SecretKey,
    record: PathBuf,
}

impl Store {
    /// Makes a dictionary in `folder` with `keys` keys in its first version.
    pub(crate) fn make(folder: &Path, keys: u64) -> Outcome<Self> {
        let key = SecretKey::generate(SuiteName::Sha256Ed25519, SchemeName::RedBlack, None)?;
        let store = Self {
            path: folder.join("load.pad"),
            key,
            record: folder.join("key.signed"),
        };
        store.create(&store.path)?;
        store.publish(0..keys)?;
        Ok(store)
    }

    /// Creates an empty store of the dictionary.
    pub(crate) fn create(&self, path: &Path) -> Outcome<()> {
        Ok(create_store(path, self.key.public())?)
    }

    /// Signs a version that puts the keys with these numbers.
    pub(crate) fn publish(&self, numbers: impl Iterator<Item = u64>) -> Outcome<Version> {
        let record = SigningRecord::open_or_begin(&self.record)?;
        let mut author = Author::of_any(&self.path, &self.key, record)?;
        let puts = numbers.map(|number| {
            let value = Value::new(value_of(number))?;
            Ok(Operation::Put(key_of(number)?, value))
        });
        author.stage(puts.collect::<Outcome<_>>()?)?;
        Ok(author.flush(&[])?)
    }
}

/// Verifies an answer about the first version, and checks its value.
pub(crate) fn verify(client: &dyn Verifier, number: u64, answer: &[u8]) -> Outcome<()> {
    let question = Question::Key(key_of(number)?);
    match client.check_at(Version::new(1), &question, answer)? {
        Statement::Lookup(lookup)
            if lookup.answer.value().map(Value::as_bytes) == Some(&value_of(number)[..]) =>
        {
            Ok(())
        }
        other => Err(format!("another answer: {other:?}").into()),
    }
}

/// Keys of 16 bytes.
pub(crate) fn key_of(number: u64) -> Outcome<Key> {
    Ok(Key::new(format!("{number:016}").into_bytes())?)
}

/// Values of 32 bytes.
fn value_of(number: u64) -> Vec<u8> {
    format!("{number:032}").into_bytes()
}

/// Steps a full-period generator, whose order of keys is unrelated to that of the tree.
pub(crate) const fn step(number: u64) -> u64 {
    number
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407)
}
