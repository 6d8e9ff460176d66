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
use pad_conformance::{Random, soak};

use crate::shop::{Shop, damage_rounds};

const PAGE: usize = 4096;

/// The files of a store at one moment, by the ends of their names.
type Files = BTreeMap<String, Vec<u8>>;

const NEWEST: &str = ".newest";

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

/// Finds the files of a store except the signing record, with the ends of their names.
fn files_of(store: &Path) -> impl Iterator<Item = (String, PathBuf)> {
    let name = store.file_name().unwrap().to_str().unwrap();
    let entries = fs::read_dir(store.parent().unwrap()).unwrap();
    entries.filter_map(move |entry| {
        let path = entry.unwrap().path();
        let end = path.file_name()?.to_str()?.strip_prefix(name)?.to_owned();
        let is_own = end.is_empty() || end.starts_with('.');
        (is_own && end != ".signed").then_some((end, path))
    })
}

fn read(store: &Path) -> Files {
    let files = files_of(store).map(|(end, path)| (end, fs::read(path).unwrap()));
    files.collect()
}

/// Replaces the files of a store.
fn write(files: &Files, store: &Path) {
    files_of(store).for_each(|(_, path)| fs::remove_file(path).unwrap());
    for (end, bytes) in files {
        fs::write(format!("{}{end}", store.display()), bytes).unwrap();
    }
}

fn is_of_nodes(end: &str) -> bool {
    end.starts_with(".nodes")
}

fn pending_change(number: u64) -> RecordChange {
    let name = format!("key {}", number % 12);
    RecordChange::put("pending", name, format!("+{number}"))
}

fn live(scheme: SchemeName) -> Life {
    let shop = Shop::new(scheme);
    let mut states = vec![read(&shop.store)];
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
        states.push(read(&shop.store));
    }
    for number in 0..6 {
        let mut opened = RedbStore::open(&shop.store).unwrap();
        opened.write_records(&[pending_change(number)]).unwrap();
        drop(opened);
        states.push(read(&shop.store));
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
    let mut files = life.states.last().unwrap().clone();
    let earlier = random.index(life.states.len() - 1);
    let stale = &life.states[earlier];
    let kind = random.index(12);
    if kind == 8 {
        files.retain(|end, _| !is_of_nodes(end));
        let nodes = stale.iter().filter(|(end, _)| is_of_nodes(end));
        files.extend(nodes.map(|(end, bytes)| (end.clone(), bytes.clone())));
        return (files, format!("nodes of state {earlier}"));
    }
    // The file to which it happens.
    let nodes: Vec<_> = files.keys().filter(|end| is_of_nodes(end)).collect();
    let end = match kind {
        9..12 => nodes[random.index(nodes.len())].clone(),
        7 => NEWEST.to_owned(),
        _ => String::new(),
    };
    let bytes = files.get_mut(&end).unwrap();
    let old = stale.get(&end).map_or(&[][..], Vec::as_slice);
    let common = old.len().min(bytes.len());
    let what = match kind {
        2 | 3 => {
            let start = random.index(common / PAGE) * PAGE;
            bytes[start..start + PAGE].copy_from_slice(&old[start..start + PAGE]);
            format!("page {} of state {earlier}", start / PAGE)
        }
        4 | 9 => {
            let length = random.index(bytes.len());
            bytes.truncate(length);
            format!("cut after {length} bytes")
        }
        5 => {
            let start = random.index(common / PAGE) * PAGE;
            bytes[start..common].copy_from_slice(&old[start..common]);
            format!("from byte {start} on state {earlier}")
        }
        6 => {
            *bytes = old.to_vec();
            format!("all of state {earlier}")
        }
        kind => {
            // The first pages of a store are damaged more often, because all others depend on them.
            let length = if kind == 1 { 4 * PAGE } else { bytes.len() };
            let (place, bit) = (random.index(length), random.index(8));
            bytes[place] ^= 1 << bit;
            format!("bit {bit} of byte {place}")
        }
    };
    (files, format!("file {end:?}: {what}"))
}

#[test]
fn no_accident_to_a_tree_changes_an_answer() {
    let scheme = SchemeName::Treap;
    let rounds = damage_rounds(soak::size(40, 150));
    let seed = std::env::var("PAD_DAMAGE_SEED").map_or(11, |seed| seed.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let life = live(scheme);
    let mut random = Random::new(seed);
    let (mut refused, mut harmless) = (0, 0);
    let (store, record) = (folder.path().join("t"), folder.path().join("t-signed"));
    for round in 0..rounds {
        let (files, what) = accident(&life, &mut random);
        let what = format!("{scheme}, seed {seed}, round {round}: {what}");
        write(&files, &store);
        match tell(&life.key, &store) {
            Ok(told) => {
                assert_eq!(told, life.expected, "{what}");
                harmless += 1;
            }
            Err(_) => refused += 1,
        }
        write(&files, &store);
        fs::write(&record, &life.record).unwrap();
        if let Ok(head) = commit(&life.key, &store, &record) {
            assert_eq!(head, life.next, "{what}: another head was signed");
        }
        write(&files, &store);
        if let Ok(mut repository) = Server::of_any(&store)
            && repository.check().is_ok()
        {
            drop(repository);
            assert_eq!(tell(&life.key, &store).unwrap(), life.expected, "{what}");
        }
        write(&files, &store);
        if let Ok(mut opened) = RedbStore::open(&store)
            && opened.write_records(&[pending_change(99)]).is_ok()
        {
            drop(opened);
            let mut expected = life.expected.clone();
            let mut pending = expected.pending.iter_mut();
            let changed = pending.find(|(name, _)| name == b"key 3");
            changed.unwrap().1 = b"+99".to_vec();
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
        let mut files = state.clone();
        files.insert(NEWEST.into(), last[NEWEST].clone());
        write(&files, &store);
        let error = RedbStore::open(&store).err().unwrap();
        let is_older = matches!(error, StoreError::Older { .. });
        assert!(is_older, "{number}: {error}");
        // Without the acknowledgement file, the old state is accepted.
        fs::remove_file(store.with_extension("newest")).unwrap();
        RedbStore::open(&store).unwrap();
        // Both files from one old state are consistent.
        write(state, &store);
        RedbStore::open(&store).unwrap();
    }
    // A crash between a change and its acknowledgement leaves a store that is ahead.
    for state in &life.states {
        let mut files = last.clone();
        files.insert(NEWEST.into(), state[NEWEST].clone());
        write(&files, &store);
        assert_eq!(tell(&life.key, &store).unwrap(), life.expected);
    }
}
