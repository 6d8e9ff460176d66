//! Accidents to the files of a store: flipped bits, stale pages, truncation, and mixtures of two
//! states.
//!
//! After any accident to the store's file, or to the small file next to it, every command must fail
//! or behave as before. It must not return another answer, an older version as the latest, another
//! pending change, or a second head for a version.
//!
//! `PAD_DAMAGE_ROUNDS` sets the number of accidents for each scheme (default 40, under `make soak`
//! 150). `PAD_DAMAGE_SEED` sets the seed.

use std::{
    collections::BTreeMap,
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use authdict::{
    Author, Key, Operation, Question, SchemeName, SecretKey, Server, SigningRecord, Statement,
    StoreError, Value, Version,
    internals::{RecordChange, RedbStore, Store},
    verify,
};
use pad_conformance::Random;

use crate::shop::Shop;

const PAGE: usize = 4096;

/// The files of a store at one moment.
#[derive(Clone)]
struct Files {
    store: Vec<u8>,
    newest: Vec<u8>,
    /// The files of nodes or tuples: the suffix of each name, and the file's contents.
    nodes: BTreeMap<String, Vec<u8>>,
}

/// A store with several states: copies of its files after each step.
struct Life {
    key: SecretKey,
    states: Vec<Files>,
    record: Vec<u8>,
    /// The observable state of the intact store.
    expected: Observation,
    /// The head that the next commit must make.
    next: Vec<u8>,
}

/// The observable state of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Observation {
    latest: Version,
    oldest: Version,
    heads: Vec<Vec<u8>>,
    /// The value of each key in each kept version.
    values: Vec<Option<Value>>,
    pending: Vec<authdict::internals::Record>,
    updates: Vec<Vec<u8>>,
}

fn put(key: &str, value: &str) -> Operation {
    Operation::Put(key.try_into().unwrap(), value.try_into().unwrap())
}

fn keys() -> impl Iterator<Item = Key> {
    (0..12).map(|number: u32| Key::try_from(format!("key {number}").as_str()).unwrap())
}

fn newest_path(store: &Path) -> PathBuf {
    store.with_extension("newest")
}

/// Returns the files of nodes or tuples next to a store.
fn node_files(store: &Path) -> impl Iterator<Item = PathBuf> {
    let store_name = store.file_name().unwrap().to_str().unwrap();
    let beginnings = ["nodes", "tuples"].map(|kind| format!("{store_name}.{kind}"));
    let files = fs::read_dir(store.parent().unwrap()).unwrap();
    let files = files.map(|file| file.unwrap().path());
    files.filter(move |file| {
        let name = file.file_name().unwrap().to_str().unwrap();
        beginnings.iter().any(|begin| name.starts_with(begin))
    })
}

impl Files {
    fn read(store: &Path) -> Self {
        let begin = store.file_name().unwrap().to_str().unwrap().len();
        let nodes = node_files(store).map(|file| {
            let name = file.file_name().unwrap().to_str().unwrap();
            (name[begin + 1..].to_owned(), fs::read(&file).unwrap())
        });
        Self {
            store: fs::read(store).unwrap(),
            newest: fs::read(newest_path(store)).unwrap(),
            nodes: nodes.collect(),
        }
    }

    fn write(&self, store: &Path) {
        fs::write(store, &self.store).unwrap();
        fs::write(newest_path(store), &self.newest).unwrap();
        node_files(store).for_each(|file| fs::remove_file(file).unwrap());
        for (end, bytes) in &self.nodes {
            fs::write(store.with_extension(end), bytes).unwrap();
        }
    }
}

fn pending_change(number: u64) -> RecordChange {
    let name = format!("key {}", number % 12);
    RecordChange::put("pending", name, format!("+{number}"))
}

fn live(scheme: SchemeName) -> Life {
    let shop = Shop::new(scheme);
    let mut states = vec![Files::read(&shop.store)];
    for version in 1..=9_u64 {
        let mut author = shop.author().unwrap();
        let batch = (0..4).map(|place| {
            let name = format!("key {}", (version * 5 + place) % 12);
            put(&name, &format!("{version} {}", "x".repeat(300)))
        });
        author.stage(batch.collect()).unwrap();
        author.flush(&[]).unwrap();
        if version == 5 {
            author.prune(Version::new(2)).unwrap();
        }
        if version == 7 {
            author.checkpoint().unwrap();
        }
        drop(author);
        states.push(Files::read(&shop.store));
    }
    for number in 0..6 {
        let mut opened = RedbStore::open(&shop.store).unwrap();
        opened.write_records(&[pending_change(number)]).unwrap();
        drop(opened);
        states.push(Files::read(&shop.store));
    }
    let expected = tell(&shop.key, &shop.store).unwrap();
    let record = fs::read(shop.sibling("signed")).unwrap();
    let next = commit(&shop.key, &shop.store, &shop.sibling("signed")).unwrap();
    Life {
        key: shop.key,
        states,
        record,
        expected,
        next,
    }
}

/// Reads all data that commands print, and verifies each answer with the key.
fn tell(key: &SecretKey, store: &Path) -> Result<Observation, Box<dyn Error>> {
    let repository = Server::of_any(store)?;
    if repository.public_key()? != *key.public() {
        return Err("another key".into());
    }
    let (oldest, latest) = (repository.oldest(), repository.latest());
    let mut told = Observation {
        latest,
        oldest,
        heads: Vec::new(),
        values: Vec::new(),
        pending: repository.store().records("pending")?,
        updates: Vec::new(),
    };
    for version in (1..=latest.number()).map(Version::new) {
        told.heads.push(repository.head_message(version)?);
    }
    for version in (oldest.number().max(1)..=latest.number()).map(Version::new) {
        told.values.extend(values(key, &repository, version)?);
        told.updates.extend(repository.update_message(version)?);
    }
    Ok(told)
}

fn values(
    key: &SecretKey,
    repository: &Server,
    version: Version,
) -> Result<Vec<Option<Value>>, Box<dyn Error>> {
    let value = |asked: Key| -> Result<_, Box<dyn Error>> {
        let question = Question::Key(asked);
        let answer = repository.answer(version, &question)?;
        match verify(key.public(), version, &question, &answer) {
            Ok(Statement::Lookup(lookup)) => Ok(lookup.answer.value().cloned()),
            // The server may send damaged nodes, because it does not hash them first. The client
            // refuses them.
            Err(refusal) => Err(refusal.into()),
            other => panic!("the answer to a look-up is {other:?}"),
        }
    };
    keys().map(value).collect()
}

/// Signs pending changes as `pad commit` does, and returns the new head.
fn commit(key: &SecretKey, store: &Path, record: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let record = SigningRecord::open_or_begin(record)?;
    let mut author = Author::of_any(store, key, record)?;
    let pending = author.server().store().records("pending")?;
    let batch = pending.iter().map(|(name, value)| {
        let (name, value) = (core::str::from_utf8(name), core::str::from_utf8(value));
        put(name.unwrap(), value.unwrap().strip_prefix('+').unwrap())
    });
    author.stage(batch.collect())?;
    let version = author.flush(&[])?;
    Ok(author.server().head_message(version)?)
}

/// Applies one accident to the last state, and returns a description of it.
fn accident(life: &Life, random: &mut Random) -> (Files, String) {
    let last = life.states.last().unwrap();
    let mut files = last.clone();
    let earlier = random.index(life.states.len() - 1);
    let stale = &life.states[earlier];
    let kinds = if files.nodes.is_empty() { 8 } else { 12 };
    let which = random.index(files.nodes.len().max(1));
    let mut nodes = files.nodes.values_mut().nth(which);
    let what = match random.index(kinds) {
        0 => {
            let (place, bit) = (random.index(files.store.len()), random.index(8));
            files.store[place] ^= 1 << bit;
            format!("bit {bit} of byte {place}")
        }
        1 => {
            // The first pages are damaged, because all other pages depend on them.
            let (place, bit) = (random.index(4 * PAGE), random.index(8));
            files.store[place] ^= 1 << bit;
            format!("bit {bit} of byte {place}")
        }
        2 | 3 => {
            let pages = stale.store.len().min(files.store.len()) / PAGE;
            let start = random.index(pages) * PAGE;
            files.store[start..start + PAGE].copy_from_slice(&stale.store[start..start + PAGE]);
            format!("page {} of state {earlier}", start / PAGE)
        }
        4 => {
            let length = random.index(files.store.len());
            files.store.truncate(length);
            format!("cut after {length} bytes")
        }
        5 => {
            let common = stale.store.len().min(files.store.len());
            let start = random.index(common / PAGE) * PAGE;
            files.store[start..common].copy_from_slice(&stale.store[start..common]);
            format!("from byte {start} on state {earlier}")
        }
        6 => {
            files.store.clone_from(&stale.store);
            format!("all of state {earlier}")
        }
        8 => {
            files.nodes.clone_from(&stale.nodes);
            format!("nodes of state {earlier}")
        }
        9 => {
            let nodes = nodes.as_mut().unwrap();
            let length = random.index(nodes.len());
            nodes.truncate(length);
            format!("file {which} of nodes cut after {length} bytes")
        }
        10 | 11 => {
            let nodes = nodes.as_mut().unwrap();
            let (place, bit) = (random.index(nodes.len()), random.index(8));
            nodes[place] ^= 1 << bit;
            format!("bit {bit} of byte {place} of file {which} of nodes")
        }
        _ => {
            let (place, bit) = (random.index(files.newest.len()), random.index(8));
            files.newest[place] ^= 1 << bit;
            format!("bit {bit} of byte {place} of the newest state's file")
        }
    };
    (files, what)
}

#[test]
fn no_accident_to_a_tree_changes_an_answer() {
    let scheme = SchemeName::Treap;
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |value| value.parse().unwrap())
    };
    let (rounds, seed) = (
        number("PAD_DAMAGE_ROUNDS", pad_conformance::soak::size(40, 150)),
        number("PAD_DAMAGE_SEED", 11),
    );
    let folder = tempfile::tempdir().unwrap();
    let life = live(scheme);
    let mut random = Random::new(seed);
    let (mut refused, mut harmless) = (0, 0);
    let (store, record) = (folder.path().join("t"), folder.path().join("t-signed"));
    for round in 0..rounds {
        let (files, what) = accident(&life, &mut random);
        let what = format!("{scheme}, seed {seed}, round {round}: {what}");
        files.write(&store);
        match tell(&life.key, &store) {
            Ok(told) => {
                assert_eq!(told, life.expected, "{what}");
                harmless += 1;
            }
            Err(_) => refused += 1,
        }
        files.write(&store);
        fs::write(&record, &life.record).unwrap();
        if let Ok(head) = commit(&life.key, &store, &record) {
            assert_eq!(head, life.next, "{what}: another head was signed");
        }
        files.write(&store);
        if let Ok(mut repository) = Server::of_any(&store)
            && repository.check().is_ok()
        {
            drop(repository);
            assert_eq!(tell(&life.key, &store).unwrap(), life.expected, "{what}");
        }
        files.write(&store);
        if let Ok(mut opened) = RedbStore::open(&store)
            && opened.write_records(&[pending_change(99)]).is_ok()
        {
            drop(opened);
            let mut expected = life.expected.clone();
            for (name, value) in &mut expected.pending {
                if name == b"key 3" {
                    *value = b"+99".to_vec();
                }
            }
            if let Ok(told) = tell(&life.key, &store) {
                assert_eq!(told, expected, "{what}: after another change");
            }
        }
    }
    println!("{scheme}: {rounds} accidents, {refused} refused, {harmless} without effect");
    assert!(refused > 0 && harmless > 0, "{refused} {harmless}");
}

/// An old copy of a store must be refused with the newest acknowledgement file. It is accepted
/// without this file, and with the old one. A store that is ahead of its acknowledgement is
/// accepted, too.
#[test]
fn an_old_store_is_refused_by_what_was_acknowledged_from_it() {
    let folder = tempfile::tempdir().unwrap();
    let life = live(SchemeName::RedBlack);
    let store = folder.path().join("t");
    let last = life.states.last().unwrap();
    for (number, state) in life.states.iter().rev().skip(1).enumerate() {
        let files = Files {
            newest: last.newest.clone(),
            ..state.clone()
        };
        files.write(&store);
        let error = RedbStore::open(&store).err().unwrap();
        assert!(
            matches!(error, StoreError::Older { .. }),
            "{number}: {error}"
        );
        // Without the acknowledgement file, the old state is accepted.
        fs::remove_file(newest_path(&store)).unwrap();
        RedbStore::open(&store).unwrap();
        // Both files from one old state are consistent.
        state.write(&store);
        RedbStore::open(&store).unwrap();
    }
    // A crash between a change and its acknowledgement leaves a store that is ahead.
    for state in &life.states {
        let files = Files {
            newest: state.newest.clone(),
            ..last.clone()
        };
        files.write(&store);
        assert_eq!(tell(&life.key, &store).unwrap(), life.expected);
    }
}
