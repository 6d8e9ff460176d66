//! Stored trees equal in-memory trees, need few reads, and give no wrong answer from damaged bytes.

use core::cell::Cell;

use ed25519_dalek::SigningKey;
use pad_conformance::{
    Random,
    pad::{Unreliable, verified_head},
    repository, soak, traces,
    tree::{self, StoredPad},
};
use pad_core::{
    ApplyError, Blake3Ed25519, Dictionary, DictionaryId, Key, KeyRange, Operation, Paper2010,
    Repository, Sha256Ed25519, StoreFault, Suite, Untrusted, Update, Value, Version,
};
use pad_tree::{
    MemoryLog, NodeLog, PublishError, RedBlack, RedBlackPathCopying, StoredRepository, Treap,
    TreeAuthor, internals::BalancingScheme,
};

use crate::logs::{FlippedByte, Twist, TwistedLog};

for_each_scheme! {
    every_answer_and_proof_is_that_of_the_tree_in_memory,
    refused_updates_change_nothing,
    other_suites,
    long_lives_of_many_entries,
    no_byte_that_differs_makes_a_wrong_answer,
}

fn every_answer_and_proof_is_that_of_the_tree_in_memory<B: BalancingScheme>() {
    let name = format!("{}::stored", B::NAME);
    traces::check_traces(&name, soak::size(4, 2), 60, tree::check_stored::<S, B>);
}

fn refused_updates_change_nothing<B: BalancingScheme>() {
    let name = format!("{}::stored refusals", B::NAME);
    let check = repository::check_refusals::<StoredPad<S, B>>;
    check(&[]);
    traces::check_traces(&name, 9, 30, check);
}

fn other_suites<B: BalancingScheme>() {
    let name = format!("{}::stored suites", B::NAME);
    traces::check_traces(&name, 30, 40, tree::check_stored::<Blake3Ed25519, B>);
    traces::check_traces(&name, 30, 40, tree::check_stored::<Paper2010, B>);
}

type S = Sha256Ed25519;
type Author<B> = TreeAuthor<S, B, SigningKey>;

fn new_author<B: BalancingScheme>() -> Author<B> {
    tree::tree_author(DictionaryId::from_name("stored"), 7)
}

/// An empty repository, which keeps no blocks in memory.
fn repository_of<B: BalancingScheme>(author: &Author<B>) -> StoredRepository<S, B> {
    StoredRepository::open(author.authority(), MemoryLog::default(), 0).unwrap()
}

pub(crate) fn key(number: u64) -> Key {
    Key::try_from(format!("key {number:08}").as_str()).unwrap()
}

fn value(number: u64) -> Value {
    Value::try_from(format!("value {number}").as_str()).unwrap()
}

/// Applies large and small batches, in which rotations and merges also read nodes off the paths.
/// In-memory author and stored repository must agree.
fn long_lives_of_many_entries<B: BalancingScheme>() {
    let mut author = new_author::<B>();
    let mut server = repository_of(&author);
    let mut random = Random::new(16);
    for round in 0..60 {
        let changes = if round % 3 == 0 { 200 } else { 7 };
        for _ in 0..changes {
            let number = random.next_bits() % 400;
            if random.next_bits() % 5 < 3 {
                author.put(key(number), value(round));
            } else {
                author.remove(&key(number));
            }
        }
        server.apply(&author.snapshot().unwrap()).unwrap();
        assert_eq!(server.len(), u64::try_from(author.len()).unwrap());
    }
}

/// A repository of `entries` entries in version 1, with one replaced in each of `versions` later
/// versions.
fn grown(entries: u64, versions: u64) -> (StoredRepository<S, RedBlack>, Author<RedBlack>) {
    let mut author = new_author::<RedBlack>();
    let mut server =
        StoredRepository::open(author.authority(), MemoryLog::default(), 64 << 20).unwrap();
    (0..entries).for_each(|number| author.put(key(number), value(number)));
    server.apply(&author.snapshot().unwrap()).unwrap();
    let mut random = Random::new(17);
    for version in 0..versions {
        author.put(key(random.next_bits() % entries), value(version));
        server.apply(&author.snapshot().unwrap()).unwrap();
    }
    (server, author)
}

/// The layout depends only on the contents. The contents of the cache also depend on chance, so the
/// bounds are far above usual values.
#[test]
fn a_look_up_reads_few_blocks() {
    let (server, _) = grown(20_000, 100);
    let whole = usize::try_from(server.log().end()).unwrap();
    let opened = |cache: usize| {
        let log = server.log().clone();
        StoredRepository::<S, RedBlack>::open(*server.authority(), log, cache).unwrap()
    };
    let everything = opened(8 * whole);
    let latest = everything.latest();
    let read_all =
        || (0..20_000).for_each(|number| drop(everything.prove(latest, &key(number)).unwrap()));
    read_all();
    let blocks = everything.blocks_read();
    let all = everything.log().end().div_ceil(4096);
    assert!(blocks <= all, "each is read once");
    read_all();
    assert_eq!(everything.blocks_read(), blocks, "all are in memory");
    for (version, most) in [(latest, 4), (Version::new(50), 8)] {
        let few = opened(whole / 20);
        let mut random = Random::new(18);
        let mut look_up = || {
            let before = few.blocks_read();
            for _ in 0..500 {
                let asked = key(random.next_bits() % 20_000);
                few.prove(version, &asked).unwrap();
            }
            few.blocks_read() - before
        };
        // Warms the cache with frequently used blocks.
        look_up();
        let reads = look_up();
        let most = most * 500;
        assert!((1..=most).contains(&reads), "{reads} in {version}");
    }
}

#[test]
fn a_version_with_one_change_is_a_path_and_its_head() {
    let (mut server, mut author) = grown(20_000, 0);
    let before = server.log().end();
    author.put(key(7), value(7_000_000));
    server.apply(&author.snapshot().unwrap()).unwrap();
    let bytes = server.log().end() - before;
    assert!(bytes < 15 * 2 * 100, "{bytes} bytes");
}

/// Changes every byte in turn. A client then refuses, or gets the right answer. An update is
/// refused, or produces the signed root.
fn no_byte_that_differs_makes_a_wrong_answer<B: BalancingScheme>() {
    let mut author = new_author::<B>();
    let mut server = repository_of(&author);
    for range in [0..60, 20..23] {
        range.for_each(|number| author.put(key(number), value(number)));
        server.apply(&author.snapshot().unwrap()).unwrap();
    }
    let latest = server.latest();
    let snapshot = verified_head(author.authority(), &server, latest);
    // Removals at both ends and in the middle, some with rotations.
    author.put(key(1_000), value(1));
    for number in [0, 1, 2, 3, 29, 30, 58, 59] {
        author.remove(&key(number));
    }
    author.put(key(31), value(31));
    let update = author.snapshot().unwrap();
    let asked = [0, 7, 30, 59, 1_000].map(key);
    let expected = asked.each_ref().map(|asked| {
        let proof = server.prove(latest, asked).unwrap();
        Untrusted::new(proof).verify(&snapshot, asked).unwrap()
    });
    let end = server.log().end();
    let record = u64::try_from(server.log().record(latest).unwrap().len()).unwrap();
    let places = (0..end).map(|position| (position, None));
    let places = places.chain((0..record).map(|position| (position, Some(latest))));
    let (mut damaged, mut refused) = (0_u32, 0_u32);
    let (step, bits) = soak::size((5, 1), (1, 4));
    for (position, in_record) in places.step_by(step) {
        for bits in [0x80, 1, 2, 0xff].into_iter().take(bits) {
            let flipped = FlippedByte {
                position,
                bits,
                in_record,
            };
            let log = TwistedLog(server.log().clone(), flipped);
            let opened = StoredRepository::<S, B, _>::open(author.authority(), log, 0);
            let Ok(mut opened) = opened else {
                damaged += 1;
                continue;
            };
            for (asked, expected) in asked.iter().zip(&expected) {
                match opened.prove(latest, asked) {
                    Err(_) => damaged += 1,
                    Ok(proof) => match Untrusted::new(proof).verify(&snapshot, asked) {
                        Ok(found) => assert_eq!(found.get(), expected.get()),
                        Err(_) => refused += 1,
                    },
                }
            }
            check_update(&mut opened, &update);
        }
    }
    assert!(damaged > 0 && refused > 0, "{damaged} {refused}");
}

fn check_update<B: BalancingScheme, L: NodeLog>(
    opened: &mut StoredRepository<S, B, L>,
    update: &Update<S>,
) {
    let before = opened.latest();
    match opened.apply(update) {
        Ok(version) => assert_eq!(version, update.head.head.version),
        Err(error) => {
            let expected = [
                ApplyError::Store(StoreFault::Damaged),
                ApplyError::RootMismatch,
                ApplyError::RemovesAbsentKey,
            ];
            assert!(expected.contains(&error), "{error}");
            assert_eq!(opened.latest(), before);
        }
    }
}

/// Reads of a log whose nodes form a cycle must end with an error.
#[test]
fn a_log_that_leads_in_circles_ends() {
    #[derive(Clone, Debug)]
    struct Circle;
    impl Twist for Circle {
        fn read(&self, log: &MemoryLog, position: u64, bytes: &mut [u8]) -> Result<(), StoreFault> {
            log.read(position, bytes)?;
            // An inner node whose two children are the node itself.
            let digest_length = <S as Suite>::Digest::default().as_ref().len();
            let mut node = vec![0x10_u8];
            for _ in 0..2 {
                node.extend([0; 6]);
                node.extend(vec![0; digest_length]);
            }
            node.extend([1, 0, b'm']);
            let sum = crc32fast::hash(&node);
            node.splice(1..1, sum.to_le_bytes());
            for (byte, written) in bytes.iter_mut().zip(node) {
                *byte = written;
            }
            Ok(())
        }
        fn record(&self, log: &MemoryLog, version: Version) -> Result<Vec<u8>, StoreFault> {
            let mut record = log.record(version)?;
            let address = record.len() - 14;
            record[address..address + 6].fill(0);
            Ok(record)
        }
    }
    let (server, mut author) = grown(60, 0);
    let log = TwistedLog(server.log().clone(), Circle);
    let mut opened = StoredRepository::<S, RedBlack, _>::open(author.authority(), log, 0).unwrap();
    let damaged = StoreFault::Damaged;
    assert_eq!(opened.prove(Version::new(1), &key(1)), Err(damaged.into()));
    let all = opened.prove_query(Version::new(1), &KeyRange::ALL);
    assert_eq!(all, Err(damaged.into()));
    // The first digest on the path does not match.
    author.put(key(1), value(2));
    let update = author.snapshot().unwrap();
    assert_eq!(opened.apply(&update), Err(ApplyError::Store(damaged)));
}

/// Changes the root of an older version. The latest head does not commit to such a history, so no
/// version continues it.
#[test]
fn heads_that_were_changed_lead_to_no_head() {
    for versions in [1, 2, 6, 7, 8, 30] {
        let (server, mut author) = grown(20, versions);
        let (latest, authority) = (server.latest(), author.authority());
        author.put(key(3), value(9));
        let update = author.snapshot().unwrap();
        for changed in 1..latest.number() {
            let flipped = FlippedByte {
                in_record: Some(Version::new(changed)),
                position: 70,
                bits: 1,
            };
            let log = TwistedLog(server.log().clone(), flipped);
            let mut opened = StoredRepository::<S, RedBlack, _>::open(authority, log, 0).unwrap();
            let mut batch = vec![Operation::Put(key(4), value(5))];
            let published = opened.publish(&mut batch, &SigningKey::from_bytes(&[7; 32]));
            if let Ok(next) = &published {
                // A stored subtree still commits to the unchanged version.
                assert_eq!(next.head.head.history, update.head.head.history);
            } else {
                let refused = opened.apply(&update).unwrap_err();
                assert_eq!(refused, ApplyError::Store(StoreFault::Damaged));
            }
            assert!(opened.heads().check().is_err());
            let copied = opened.copy_since(opened.latest(), MemoryLog::default(), 0);
            assert!(copied.is_err(), "{changed} of {latest}");
        }
    }
}

/// Lookups must work for values longer than a block and longer than the cache, and for keys of
/// maximal length.
#[test]
fn long_entries() {
    let mut author = new_author::<RedBlack>();
    let mut server = repository_of(&author);
    let key = |number: u8| Key::new(&[number; 4_096][..]).unwrap();
    let value = |number: u8| Value::new(vec![number; 1 << (2 * number)]).unwrap();
    for number in 0..11 {
        author.put(key(number), value(number));
        server.apply(&author.snapshot().unwrap()).unwrap();
    }
    let latest = server.latest();
    let snapshot = verified_head(author.authority(), &server, latest);
    for number in 0..11 {
        let proof = server.prove(latest, &key(number)).unwrap();
        let found = Untrusted::new(proof).verify(&snapshot, &key(number));
        let found = found.unwrap().into_inner().answer;
        assert_eq!(found.value(), Some(&value(number)));
    }
}

/// Neighbours of an absent key are opened without values, so their values may have maximal length.
#[test]
fn absence_between_long_values() {
    let mut author = new_author::<RedBlack>();
    let mut stored = repository_of(&author);
    let mut memory = RedBlackPathCopying::<S>::new(author.authority());
    let long = Value::new(vec![7; pad_core::MAX_VALUE_LENGTH]).unwrap();
    for number in [1, 3] {
        author.put(key(number), long.clone());
    }
    let update = author.snapshot().unwrap();
    let latest = stored.apply(&update).unwrap();
    memory.apply(&update).unwrap();
    let snapshot = verified_head(author.authority(), &stored, latest);
    for number in [0, 2, 4] {
        let proof = stored.prove(latest, &key(number)).unwrap();
        assert_eq!(memory.prove(latest, &key(number)).unwrap(), proof);
        let found = Untrusted::new(proof).verify(&snapshot, &key(number));
        assert_eq!(found.unwrap().get().answer.value(), None);
    }
}

/// A failed signature changes nothing: a retry of the batch produces the same version as an
/// in-memory author.
#[test]
fn a_signer_that_refuses_changes_nothing() {
    let mut author = new_author::<Treap>();
    let mut stored = repository_of(&author);
    let puts = (0..50).map(|number| Operation::Put(key(number), value(number)));
    let mut batch: Vec<_> = puts.collect();
    let first = author.snapshot_of(batch.clone()).unwrap();
    stored.apply(&first).unwrap();
    batch = vec![
        Operation::Put(key(60), value(1)),
        Operation::Remove(key(7)),
        Operation::Remove(key(61)),
        Operation::Put(key(60), value(2)),
    ];
    let expected = author.snapshot_of(batch.clone()).unwrap();
    let (end, works) = (stored.log().end(), Cell::new(false));
    let signer = Unreliable::new(7, || !works.replace(true));
    let refused = stored.publish(&mut batch, &signer).unwrap_err();
    assert!(matches!(refused, PublishError::Signer(_)));
    assert_eq!(stored.latest(), Version::new(1));
    assert_eq!(stored.log().end(), end);
    let update = stored.publish(&mut batch, &signer).unwrap();
    assert_eq!(update, expected);
    assert!(batch.is_empty());
    let found = stored.get(stored.latest(), key(60).as_bytes());
    assert_eq!(found, Ok(Some(value(2))));
}

/// A log that fails once, at the publication of version 2.
#[derive(Clone, Debug, Default)]
struct FailedPublication(bool);

impl Twist for FailedPublication {
    fn publish(
        &mut self,
        log: &mut MemoryLog,
        version: Version,
        record: &[u8],
    ) -> Result<(), StoreFault> {
        if version == Version::new(2) && !core::mem::replace(&mut self.0, true) {
            return Err(StoreFault::Medium);
        }
        log.publish(version, record)
    }
}

/// After a failed publication, the state of the version is unknown until the log is reopened.
#[test]
fn after_a_version_that_was_not_published_nothing_is_taken() {
    let mut author = new_author::<RedBlack>();
    let log = TwistedLog::<FailedPublication>::default();
    let mut server = StoredRepository::<S, RedBlack, _>::open(author.authority(), log, 0).unwrap();
    author.put(key(1), value(1));
    server.apply(&author.snapshot().unwrap()).unwrap();
    author.put(key(2), value(2));
    let update = author.snapshot().unwrap();
    let medium = ApplyError::Store(StoreFault::Medium);
    assert_eq!(server.apply(&update), Err(medium));
    let closed = ApplyError::Store(StoreFault::Closed);
    assert_eq!(server.apply(&update), Err(closed));
    assert!(server.prove(Version::new(1), &key(1)).is_ok());
    let mut log = server.log().clone();
    log.discard();
    let mut server = StoredRepository::<S, RedBlack, _>::open(author.authority(), log, 0).unwrap();
    assert_eq!(server.apply(&update), Ok(Version::new(2)));
    assert!(server.prove(Version::new(2), &key(2)).is_ok());
}
