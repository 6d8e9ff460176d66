//! Stores of trees and of tuples with their authors' keys, and tests of both kinds.

use std::{fs, path::PathBuf};

use authdict::{
    Author, AuthorError, Key, KeyRange, Keys, Operation, Predecessor, Question, RepositoryError,
    SchemeName, SecretKey, Server, SigningRecord, Statement, StoreError, Successor, SuiteName,
    Value, Version,
    internals::{RecordChange, dynamic::create_store_with},
    verify,
};
use pad_conformance::{Random, soak};
use tempfile::TempDir;
use zeroize::Zeroizing;

use crate::memory::{Memory, assert_same};

/// The schemes whose nodes are in a separate file.
pub(crate) const TREES: [SchemeName; 3] = [
    SchemeName::RedBlack,
    SchemeName::Treap,
    SchemeName::SkipList,
];

/// The schemes whose tuples are in a separate file.
pub(crate) const TUPLES: [SchemeName; 5] = [
    SchemeName::TupleBase,
    SchemeName::TupleBaseSuperseding,
    SchemeName::TupleSpec,
    SchemeName::TupleSpecLightweight,
    SchemeName::TupleSpec3Lightweight,
];

pub(crate) fn key(scheme: SchemeName) -> SecretKey {
    let id = authdict::DictionaryId::from_name("stored");
    // The chain secret is fixed, because another secret would make other chains and other roots.
    let is_chained = scheme.name().ends_with("lightweight");
    let chains = is_chained.then(|| Zeroizing::new(vec![9; 32]));
    SecretKey::from_parts(SuiteName::Sha256Ed25519, scheme, id, &[5; 32], chains).unwrap()
}

/// Returns the number of accidents that `PAD_DAMAGE_ROUNDS` names; `usual` if it is not set.
pub(crate) fn damage_rounds(usual: u64) -> u64 {
    std::env::var("PAD_DAMAGE_ROUNDS").map_or(usual, |rounds| rounds.parse().unwrap())
}

/// A store and its author's key.
pub(crate) struct Shop {
    pub(crate) folder: TempDir,
    pub(crate) key: SecretKey,
    pub(crate) store: PathBuf,
}

impl Shop {
    pub(crate) fn new(scheme: SchemeName) -> Self {
        Self::of(key(scheme))
    }

    /// Creates a store with one version of `number` entries.
    pub(crate) fn filled(scheme: SchemeName, number: u64) -> Self {
        let shop = Self::new(scheme);
        shop.publish((0..number).map(|number| put(number, 1)).collect());
        shop
    }

    pub(crate) fn of(key: SecretKey) -> Self {
        Self::of_with(key, None)
    }

    /// Creates a store that also contains the record `other`, which a log needs.
    pub(crate) fn of_with(key: SecretKey, other: Option<RecordChange>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("stored");
        create_store_with(&store, key.public(), other).unwrap();
        Self { folder, key, store }
    }

    /// Returns the path of the file next to the store with the extension `end`.
    pub(crate) fn sibling(&self, end: &str) -> PathBuf {
        self.store.with_extension(end)
    }

    pub(crate) fn memory(&self) -> Memory {
        Memory::new(self.key.public())
    }

    pub(crate) fn author(&self) -> Result<Author, AuthorError> {
        let record = SigningRecord::open_or_begin(&self.sibling("signed")).unwrap();
        Author::of_any(&self.store, &self.key, record)
    }

    pub(crate) fn repository(&self) -> Server {
        Server::of_any(&self.store).unwrap()
    }

    pub(crate) fn publish(&self, batch: Vec<Operation>) -> Version {
        self.publish_together([batch])
    }

    /// Signs one version for each batch, and makes them durable together.
    pub(crate) fn publish_together(
        &self,
        batches: impl IntoIterator<Item = Vec<Operation>>,
    ) -> Version {
        let mut author = self.author().unwrap();
        for batch in batches {
            author.stage(batch).unwrap();
        }
        author.flush(&[]).unwrap()
    }

    /// Returns the verified statement of a server's answer.
    pub(crate) fn ask(&self, server: &Server, version: Version, question: &Question) -> Statement {
        let answer = server.answer(version, question).unwrap();
        verify(self.key.public(), version, question, &answer).unwrap()
    }

    /// Returns the value of a key in a verified answer.
    pub(crate) fn value(&self, version: Version, key: &Key) -> Option<Value> {
        match self.ask(&self.repository(), version, &Question::Key(key.clone())) {
            Statement::Lookup(lookup) => lookup.answer.value().cloned(),
            other => panic!("{other:?}"),
        }
    }

    /// Asserts that the store is refused with a message that contains `text`.
    pub(crate) fn assert_refused(&self, text: &str) {
        let refused = Server::of_any(&self.store).unwrap_err().to_string();
        assert!(refused.contains(text), "{refused}");
    }
}

/// Applies the updates that a server lacks, one by one.
pub(crate) fn follow(follower: &mut Server, server: &Server) {
    for version in (follower.latest().number() + 1..=server.latest().number()).map(Version::new) {
        let update = server.update_message(version).unwrap().unwrap();
        assert_eq!(follower.apply_message(&update).unwrap(), version);
    }
}

pub(crate) fn name(number: u64) -> Key {
    Key::try_from(format!("key {number:03}").as_str()).unwrap()
}

pub(crate) fn put(number: u64, value: u64) -> Operation {
    Operation::Put(name(number), long_value(value))
}

/// Returns a value that begins with this number.
pub(crate) fn long_value(value: u64) -> Value {
    let rest = "x".repeat(usize::try_from(value % 50).unwrap());
    Value::try_from(format!("{value} {rest}").as_str()).unwrap()
}

/// Returns random batches of all sizes, with removals of present and absent keys.
pub(crate) fn batches(seed: u64, number: u64) -> impl Iterator<Item = Vec<Operation>> {
    let mut random = Random::new(seed);
    (0..number).map(move |version| {
        let size = [1, 1, 3, 60, 0, 8][random.index(6)];
        let operation = |_| match random.below(3) {
            0 => Operation::Remove(name(random.below(120))),
            _ => put(random.below(120), version * 1000 + random.below(900)),
        };
        (0..size).map(operation).collect()
    })
}

pub(crate) fn questions() -> impl Iterator<Item = Question> {
    let keys = (0..125).step_by(7).map(name);
    let several = Keys::new((30..60).step_by(9).map(name).collect()).unwrap();
    let range = KeyRange {
        start: Some(name(20)),
        end: Some(name(50)),
    };
    keys.map(Question::Key)
        .chain([Question::Keys(several), Question::Range(range)])
        .chain([Question::Range(KeyRange::ALL)])
}

/// Returns questions about the order of keys, which only trees answer.
pub(crate) fn neighbour_questions() -> impl Iterator<Item = Question> {
    let keys = (0..125).step_by(25).map(name);
    keys.flat_map(|key| [Predecessor(key.clone()).into(), Successor(key).into()])
        .chain([Question::First, Question::Last])
}

#[test]
fn every_answer_is_that_of_the_repository_in_memory() {
    let trees = TREES.map(|scheme| (scheme, soak::size(24, 45), 7));
    let tuples = TUPLES.map(|scheme| (scheme, soak::size(13, 24), 5));
    for (scheme, versions, group) in trees.into_iter().chain(tuples) {
        let stored = Shop::new(scheme);
        let mut memory = stored.memory();
        let mirror = stored.folder.path().join("mirror");
        create_store_with(&mirror, stored.key.public(), None).unwrap();
        let mut batches = batches(scheme.id().0.into(), versions).peekable();
        while batches.peek().is_some() {
            // A few versions at a time are published, each time as a new process would do it.
            stored.publish_together(batches.by_ref().take(group));
        }
        let repository = stored.repository();
        memory.follow(&repository);
        assert_same(&memory, &repository);
        // Updates are rebuilt from stored data. Applied to another server, they must give the same
        // state.
        let mut follower = Server::of_any(&mirror).unwrap();
        follow(&mut follower, &repository);
        assert_same(&repository, &follower);
        let checked = stored.repository().check().unwrap();
        assert_eq!((checked.heads, checked.proved), (versions, versions));
        assert!(checked.complete);
        assert!(checked.replayed.is_none() || TUPLES.contains(&scheme));
    }
}

#[test]
fn what_was_not_flushed_is_not_there_and_the_next_one_is() {
    for scheme in [SchemeName::RedBlack, SchemeName::TupleSpecLightweight] {
        let shop = Shop::filled(scheme, 50);
        let nodes = || fs::metadata(shop.sibling("nodes")).map_or(0, |file| file.len());
        let length = nodes();
        let mut author = shop.author().unwrap();
        author.stage(vec![put(7, 70)]).unwrap();
        drop(author);
        assert!(nodes() > length || TUPLES.contains(&scheme));
        assert_eq!(shop.repository().latest(), Version::new(1));
        assert_eq!(shop.publish(vec![put(8, 80)]), Version::new(2));
        for (number, value) in [(8, 80), (7, 1)] {
            let found = shop.value(Version::new(2), &name(number));
            assert_eq!(found, Some(long_value(value)));
        }
        shop.repository().check().unwrap();
    }
}

#[test]
fn pruned_versions_go_and_the_others_stay_what_they_are() {
    let trees = TREES.map(|scheme| (scheme, 30, 20, [0, 1, 12, 15, 15]));
    let tuples = TUPLES.map(|scheme| (scheme, 18, 12, [0, 1, 7, 9, 9]));
    for (scheme, versions, published, prunings) in trees.into_iter().chain(tuples) {
        let stored = Shop::new(scheme);
        let mut memory = stored.memory();
        let history: Vec<_> = batches(9, versions).collect();
        let (before, after) = history.split_at(published);
        for group in before.chunks(soak::size(4, 1)) {
            stored.publish_together(group.to_vec());
        }
        let reader = TREES.contains(&scheme).then(|| stored.repository());
        let size = stored.repository().file_bytes().unwrap();
        for oldest in prunings {
            memory.follow(&stored.repository());
            stored.repository().prune(Version::new(oldest)).unwrap();
            memory.prune(Version::new(oldest));
            assert_same(&memory, &stored.repository());
        }
        if let Some(reader) = &reader {
            // A reader that has opened the old file can still read all of it.
            let question = Question::Key(name(7));
            reader.answer(Version::new(3), &question).unwrap();
            assert!(stored.repository().file_bytes().unwrap() < size);
        }
        for batch in after {
            stored.publish(batch.clone());
        }
        memory.follow(&stored.repository());
        assert_same(&memory, &stored.repository());
        if reader.is_some() {
            stored.repository().prune(Version::new(versions)).unwrap();
            memory.prune(Version::new(versions));
            assert_same(&memory, &stored.repository());
        }
        let refused = stored.repository().prune(Version::new(31));
        assert!(matches!(refused, Err(RepositoryError::Lookup(_))));
        stored.repository().check().unwrap();
    }
}

#[test]
fn one_writes_at_a_time_and_readers_see_their_version() {
    for scheme in [SchemeName::RedBlack, SchemeName::TupleSpecLightweight] {
        let shop = Shop::filled(scheme, 80);
        let (first, second) = (Version::new(1), Version::new(2));
        let (reader, mut late) = (shop.repository(), shop.repository());
        assert_eq!(shop.publish(vec![put(3, 30)]), second);
        let update = shop.repository().update_message(second).unwrap().unwrap();
        let question = Question::Key(name(3));
        shop.ask(&reader, first, &question);
        assert!(reader.answer(second, &question).is_err());
        // This writer does not know the published version, so it must be reopened.
        let refused = late.apply_message(&update).unwrap_err();
        let is_tree = TREES.contains(&scheme);
        let is_known = match &refused {
            RepositoryError::Store(StoreError::Gap { .. }) => is_tree,
            RepositoryError::Store(StoreError::Closed) => !is_tree,
            _ => false,
        };
        assert!(is_known, "{scheme}: {refused}");
        late.answer(first, &question).unwrap();
        // The writer of tuples is closed before the next author begins, the writer of nodes is not.
        let _late = is_tree.then_some(late);
        // The writer that came too late has not changed the published version.
        shop.repository().check().unwrap();
        assert_eq!(shop.publish(vec![put(4, 40)]), Version::new(3));
        reader.answer(first, &question).unwrap();
        shop.repository().check().unwrap();
    }
}
