//! One dictionary with all the prices in it.

use core::time::Duration;
use std::{path::Path, time::Instant};

use pad::{
    Answer, DictionaryId, Key, PublicKey, SecretKey, SigningRecord, Store, Version,
    dynamic::verify,
    dynamic::{AnyAuthor, create_store, open_author},
    keys::KeyFileError,
    question::{Question, Statement},
    selection::{SchemeName, SuiteName},
};

use super::prices::Prices;
use crate::cli::Failure;

/// An author with a durable repository that has imported all snapshots.
pub(super) struct Published<'a> {
    pub(super) author: AnyAuthor,
    /// What it holds.
    pub(super) prices: &'a Prices,
    pub(super) public: PublicKey,
    pub(super) scheme: SchemeName,
    /// From the first snapshot to the last one being durable.
    pub(super) import_time: Duration,
}

/// Signs each snapshot as a version and makes it durable before the next.
pub(super) fn publish<'a>(
    folder: &Path,
    scheme: SchemeName,
    prices: &'a Prices,
) -> Result<Published<'a>, Failure> {
    let key = secret_key(scheme, prices).map_err(|error| Failure::Store(error.to_string()))?;
    let public = key.public().clone();
    let path = folder.join(format!("{scheme}.pad"));
    create_store(&path, &public)?;
    let mut author = open_author(&path, &key, record_beside(&path)?)?;
    let batches: Vec<_> = prices
        .snapshots
        .iter()
        .map(|snapshot| snapshot.operations.clone())
        .collect();
    let start = Instant::now();
    for batch in batches {
        author.stage(batch)?;
        author.flush(&[])?;
    }
    let import_time = start.elapsed();
    Ok(Published {
        author,
        prices,
        public,
        scheme,
        import_time,
    })
}

/// A new key; but an RSA key, for which the search takes minutes, is one that everybody knows.
fn secret_key(scheme: SchemeName, prices: &Prices) -> Result<SecretKey, KeyFileError> {
    let suite = SuiteName::Sha256Ed25519;
    if !scheme.name().ends_with("-rsa") {
        return SecretKey::generate_for(prices.most_keys(), suite, scheme, None);
    }
    let digits = PUBLISHED_RSA_KEY
        .lines()
        .find(|line| !line.starts_with('#'));
    let secret = digits.and_then(|digits| hex::decode(digits).ok());
    let dictionary = DictionaryId::from_name("demonstration");
    let seed = &[7; 32];
    SecretKey::from_parts(suite, scheme, dictionary, seed, secret.map(Into::into))
}

/// The record of what is signed for the store at this path.
pub(super) fn record_beside(store: &Path) -> Result<SigningRecord, Failure> {
    let path = disk::beside(store, ".signed").map_err(|error| Failure::file(store, &error))?;
    SigningRecord::open(&path).map_err(|error| Failure::Store(error.to_string()))
}

impl Published<'_> {
    /// Whether this is the dictionary whose answers are printed.
    pub(super) fn is_shown(&self) -> bool {
        self.scheme == SchemeName::RedBlack
    }

    /// Whether the attacks on this dictionary are printed.
    pub(super) fn shows_attacks(&self) -> bool {
        self.is_shown() || self.scheme == SchemeName::TupleSpecLightweight
    }

    /// Writes a checkpoint and frees unused space, so that sizes on disk can be compared.
    pub(super) fn compact(&mut self) -> Result<(), Failure> {
        let repository = self.author.repository_mut();
        repository.checkpoint()?;
        Ok(repository.store_mut().compact()?)
    }

    /// An honest answer, through bytes and verification.
    pub(super) fn look_up(&self, version: Version, key: &Key) -> Result<Answer, Failure> {
        let question = Question::Key(key.clone());
        let answer = self.author.repository().answer(version, &question)?;
        match verify(&self.public, version, &question, &answer)? {
            Statement::Lookup(lookup) => Ok(lookup.answer),
            _ => Err(Failure::Refused("the answer is to another question".into())),
        }
    }
}

const PUBLISHED_RSA_KEY: &str = include_str!("../../data/rsa-2048.txt");
