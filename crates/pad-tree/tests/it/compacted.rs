//! Compacted nodes give the same answers with fewer reads.

use pad_conformance::{Random, pad::signing_key, soak, tree};
use pad_core::{
    Authority, Dictionary, DictionaryId, Key, KeyRange, Operation, Repository, Sha256Ed25519,
    StoreFault, Value, Version,
};
use pad_tree::{
    CacheSize, CopyError, MemoryLog, NodeLog, RedBlack, SkipList, StoredRepository, Treap,
    internals::BalancingScheme,
};

use crate::logs::{Twist, TwistedLog};

type S = Sha256Ed25519;
type Stored<B> = StoredRepository<S, B>;

fn authority<B: BalancingScheme>() -> Authority {
    tree::tree_author::<S, B>(DictionaryId::from_name("compacted"), 7).authority()
}

fn key(number: u64) -> Key {
    Key::new(format!("key {number:012}").as_bytes()).unwrap()
}

fn value(number: u64) -> Value {
    Value::new(vec![u8::try_from(number % 251).unwrap(); 32]).unwrap()
}

/// Creates a store of `entries` entries in version 1. Each of `versions` later versions replaces
/// one random entry.
fn grown<B: BalancingScheme>(entries: u64, versions: u64) -> Stored<B> {
    let mut stored = Stored::<B>::open(authority::<B>(), MemoryLog::default(), 64 << 20).unwrap();
    let all = (0..entries).map(|number| Ok::<_, ()>((key(number), value(number))));
    let published = stored.publish_sorted(entries, all, &signing_key(7));
    published.unwrap();
    let mut random = Random::new(41);
    for version in 0..versions {
        change(&mut stored, random.next_bits() % entries, version);
    }
    stored
}

fn change<B: BalancingScheme>(stored: &mut Stored<B>, number: u64, version: u64) {
    let mut batch = vec![Operation::Put(key(number), value(version))];
    stored.publish(&mut batch, &signing_key(7)).unwrap();
}

fn check_answers<B: BalancingScheme>() {
    let mut stored = grown::<B>(400, 30);
    let mut random = Random::new(42);
    for since in [0, 0, 1, 10, 33, 34] {
        for version in 0..3 {
            let number = random.next_bits() % 500;
            change(&mut stored, number, version);
            let mut batch = vec![Operation::Remove(key(random.next_bits() % 500))];
            stored.publish(&mut batch, &signing_key(7)).unwrap();
        }
        let before = stored.clone();
        let (mut said, length) = (0, stored.log().end());
        let compacted = stored.compact(Version::new(since), |bytes| said = bytes);
        let bytes = compacted.unwrap();
        assert_eq!((bytes, said), (stored.log().end() - length, bytes));
        assert!(bytes > 0);
        // Opens the log as a new process does.
        let opened = Stored::<B>::open(authority::<B>(), stored.log().clone(), 0).unwrap();
        assert_eq!(opened.len(), before.len());
        opened.heads().check().unwrap();
        let latest = before.latest().number();
        // Those at both ends, and about the first one whose nodes are put together.
        let is_near =
            |number: &u64| *number <= 1 || *number == latest || number.abs_diff(since) <= 1;
        let every = soak::size(5, 1);
        for number in (0..=latest).filter(|number| number % every == 0 || is_near(number)) {
            let version = Version::new(number);
            let proof = opened.prove_query(version, &KeyRange::ALL).unwrap();
            assert_eq!(before.prove_query(version, &KeyRange::ALL), Ok(proof));
            opened.check_contents(version).unwrap();
            if number > 0 {
                assert_eq!(opened.head(version), before.head(version));
                assert_eq!(opened.update(version), before.update(version));
            }
            let asked = key(random.next_bits() % 500);
            assert_eq!(opened.history(&asked), before.history(&asked));
            assert_eq!(opened.prove(version, &asked), before.prove(version, &asked));
        }
    }
}

#[test]
fn every_answer_is_as_before() {
    check_answers::<RedBlack>();
    if soak::enabled() {
        check_answers::<Treap>();
        check_answers::<SkipList>();
    }
}

#[test]
fn what_cannot_be_put_together_stays_as_it_is() {
    let log = MemoryLog::default();
    let mut empty = Stored::<RedBlack>::open(authority::<RedBlack>(), log, 0).unwrap();
    assert_eq!(empty.compact(Version::EMPTY, drop), Ok(0));
    let mut stored = grown::<RedBlack>(50, 3);
    let end = stored.log().end();
    let refused = stored.compact(Version::new(5), drop);
    assert!(matches!(refused, Err(CopyError::Lookup(_))));
    assert_eq!(stored.log().end(), end);
    // A log that does not support moving nodes.
    let log = TwistedLog(stored.log().clone(), MinimalLog);
    let mut fixed =
        StoredRepository::<S, RedBlack, _>::open(authority::<RedBlack>(), log, 0).unwrap();
    let refused = fixed.compact(Version::EMPTY, drop).unwrap_err();
    assert_eq!(refused, CopyError::Lookup(StoreFault::Closed.into()));
    assert!(fixed.prove(Version::new(4), &key(3)).is_ok());
}

/// A log without the optional operations of [`NodeLog`].
#[derive(Clone, Debug)]
struct MinimalLog;

impl Twist for MinimalLog {}

/// Counts the blocks read by 300 lookups of random keys in the latest version, each with an empty
/// cache. The number depends only on the contents.
fn reads(stored: &mut Stored<RedBlack>, entries: u64) -> u64 {
    let (latest, mut random, before) = (stored.latest(), Random::new(43), stored.blocks_read());
    for _ in 0..300 {
        stored.use_cache(CacheSize::OfBytes(1 << 20));
        let asked = key(random.next_bits() % entries);
        stored.prove(latest, &asked).unwrap();
    }
    stored.blocks_read() - before
}

/// Measures reads after loading, after a thousand versions, after compaction of their changes, and
/// after full compaction. Also returns the bytes that the two compactions wrote.
fn measured(entries: u64) -> ([u64; 4], [u64; 2]) {
    let loaded = reads(&mut grown(entries, 0), entries);
    let mut stored = grown(entries, 1_000);
    let scattered = reads(&mut stored, entries);
    let mut some = stored.clone();
    let some_bytes = some.compact(Version::new(1), drop).unwrap();
    let bytes = stored.compact(Version::EMPTY, drop).unwrap();
    let (some, all) = (reads(&mut some, entries), reads(&mut stored, entries));
    let counted = [loaded, scattered, some, all];
    println!(
        "{entries} entries: {counted:?} blocks for 300 look-ups, \
         {some_bytes} and {bytes} bytes written"
    );
    (counted, [some_bytes, bytes])
}

/// The counts depend only on the contents, so they are equal on every machine.
#[test]
fn a_thousand_versions_cost_fewer_reads_once_their_nodes_are_together() {
    let few = ([1_580, 1_876, 1_659, 1_370], [363_363, 1_051_095]);
    assert_eq!(measured(10_000), few);
    // Leaves stay in blocks of their own: full compaction separates them from the inner nodes
    // loaded with them.
    let more = ([1_617, 2_030, 1_728, 2_223], [679_078, 10_145_330]);
    if soak::enabled() {
        assert_eq!(measured(100_000), more);
    }
}
