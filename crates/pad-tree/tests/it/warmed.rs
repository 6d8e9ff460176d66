//! Latest versions that are warmed (kept in memory): no reads, the same proofs, and an update as
//! soon as there is a new version.

use std::sync::{Arc, Mutex};

use ed25519_dalek::SigningKey;
use pad_conformance::{Random, tree};
use pad_core::{Dictionary, DictionaryId, Repository, Sha256Ed25519, StoreFault, Value, Version};
use pad_tree::{
    CacheSize, LogId, MemoryLog, NodeCache, NodeLog, RedBlack, RedBlackPathCopying,
    StoredRepository, TreeAuthor, WarmError,
};

use crate::{
    logs::{FlippedByte, Twist, TwistedLog},
    stored::key,
};

type S = Sha256Ed25519;
type Author = TreeAuthor<S, RedBlack, SigningKey>;
type Stored<L> = StoredRepository<S, RedBlack, L>;

/// Values of very different lengths: some span several blocks, and some are too long to stay in
/// memory.
fn value(number: u64, version: u64) -> Value {
    let length = match number % 97 {
        0 => 6_000,
        1 => 20_000,
        _ => 20,
    };
    let byte = u8::try_from((number + version) % 251).unwrap();
    Value::new(vec![byte; length]).unwrap()
}

const ENTRIES: u64 = 3_000;

struct Grown {
    log: MemoryLog,
    memory: RedBlackPathCopying<S>,
    author: Author,
    random: Random,
}

impl Grown {
    fn new() -> Self {
        let author: Author = tree::tree_author(DictionaryId::from_name("warmed"), 7);
        let mut grown = Self {
            log: MemoryLog::default(),
            memory: RedBlackPathCopying::new(author.authority()),
            author,
            random: Random::new(31),
        };
        (0..ENTRIES).for_each(|number| grown.author.put(key(number), value(number, 1)));
        grown.publish();
        grown
    }

    fn publish(&mut self) {
        let update = self.author.snapshot().unwrap();
        self.memory.apply(&update).unwrap();
        let log = core::mem::take(&mut self.log);
        let mut stored = Stored::open(self.author.authority(), log, 0).unwrap();
        stored.apply(&update).unwrap();
        self.log = stored.log().clone();
    }

    fn change(&mut self) {
        let number = self.random.next_bits() % ENTRIES;
        self.author.put(key(number), value(number, number));
        self.author.remove(&key(self.random.next_bits() % ENTRIES));
        self.publish();
    }

    fn opened(&self, cache: &NodeCache) -> Stored<TwistedLog<KnownId>> {
        let log = TwistedLog(self.log.clone(), KnownId([5; 24]));
        Stored::open(self.author.authority(), log, cache.clone()).unwrap()
    }

    /// Asserts that all answers equal the answers of the in-memory tree. Answers about the latest
    /// version read at most `most_reads` blocks.
    fn check(&self, stored: &Stored<TwistedLog<KnownId>>, most_reads: u64) {
        let latest = stored.latest();
        let before = stored.blocks_read();
        for number in 0..=ENTRIES {
            let proof = stored.prove(latest, &key(number)).unwrap();
            assert_eq!(proof, self.memory.prove(latest, &key(number)).unwrap());
        }
        let reads = stored.blocks_read() - before;
        assert!(reads <= most_reads, "{reads} reads");
        for number in (0..ENTRIES).step_by(101) {
            let version = Version::new(1);
            let proof = stored.prove(version, &key(number)).unwrap();
            assert_eq!(proof, self.memory.prove(version, &key(number)).unwrap());
        }
    }
}

/// A log with a known identity.
#[derive(Clone, Debug)]
struct KnownId(LogId);

impl Twist for KnownId {
    fn identity(&self) -> Option<LogId> {
        Some(self.0)
    }
}

const ROOMY: CacheSize = CacheSize::Warmed { most: 64 << 20 };

#[test]
fn a_warmed_version_is_not_read_again_and_the_next_opening_reads_what_is_new() {
    let said = Arc::new(Mutex::new(Vec::new()));
    let cache = NodeCache::new(ROOMY).with_progress({
        let said = Arc::clone(&said);
        move |warming| said.lock().unwrap().push(warming)
    });
    let mut grown = Grown::new();
    let mut stored = grown.opened(&cache);
    assert_eq!(stored.warm().map(|bytes| bytes > 0), Ok(true));
    let whole = stored.blocks_read();
    assert!(whole > 20);
    let last = said.lock().unwrap().last().copied().unwrap();
    assert_eq!((last.entries, last.of), (ENTRIES, ENTRIES));
    // Values longer than four blocks do not stay, and are not counted as blocks.
    grown.check(&stored, 0);
    for _ in 0..30 {
        grown.change();
        let mut next = grown.opened(&cache);
        next.warm().unwrap();
        let read = next.blocks_read();
        assert!(read <= 12, "{read} blocks for one version, {whole} for all");
    }
    let mut stored = grown.opened(&cache);
    stored.warm().unwrap();
    let unfinished = u64::from(!stored.log().end().is_multiple_of(4096));
    assert_eq!(stored.blocks_read(), unfinished);
    grown.check(&stored, 0);
}

#[test]
fn a_repository_follows_its_own_updates() {
    let mut grown = Grown::new();
    let mut stored = grown.opened(&NodeCache::new(ROOMY));
    stored.warm().unwrap();
    grown.author.put(key(5), value(5, 9));
    let update = grown.author.snapshot().unwrap();
    stored.apply(&update).unwrap();
    grown.memory.apply(&update).unwrap();
    grown.check(&stored, 2);
    let before = stored.blocks_read();
    stored.warm().unwrap();
    assert!(stored.blocks_read() - before <= 4);
    grown.check(&stored, 0);
}

/// Checks that blocks of another log, or of a version that is absent here, are never used.
#[test]
fn another_log_begins_anew() {
    let cache = NodeCache::new(ROOMY);
    let mut grown = Grown::new();
    let early = grown.opened(&cache);
    grown.change();
    let mut late = grown.opened(&cache);
    late.warm().unwrap();
    let authority = grown.author.authority();
    let mut early = Stored::open(authority, early.log().clone(), cache.clone()).unwrap();
    early.warm().unwrap();
    assert!(early.blocks_read() > 20);
    let log = TwistedLog(grown.log.clone(), KnownId([6; 24]));
    let mut other = Stored::open(authority, log, cache).unwrap();
    other.warm().unwrap();
    assert!(other.blocks_read() > 20);
    grown.check(&other, 0);
}

#[test]
fn what_needs_more_than_it_may_take_is_refused_with_the_number() {
    let mut grown = Grown::new();
    let mut stored = grown.opened(&NodeCache::new(ROOMY));
    let needed = stored.warm().unwrap();
    let size = |most| NodeCache::new(CacheSize::Warmed { most });
    let exact = size(needed);
    assert_eq!(grown.opened(&exact).warm(), Ok(needed));
    let mut refused = grown.opened(&size(needed - 1));
    let most = needed - 1;
    assert_eq!(refused.warm(), Err(WarmError::TooLarge { needed, most }));
    // The store still answers queries.
    let unlimited = u64::MAX;
    grown.check(&refused, unlimited);
    // A version that grew beyond the limit is served. Its other blocks are read from the log.
    for _ in 0..20 {
        grown.change();
    }
    let mut followed = grown.opened(&exact);
    assert!(followed.warm().unwrap() <= needed);
    grown.check(&followed, unlimited);
    // With another cache size, no version is warmed.
    assert_eq!(grown.opened(&NodeCache::default()).warm(), Ok(0));
}

#[test]
fn a_damaged_node_is_found_when_it_is_warmed() {
    let grown = Grown::new();
    let (mut found, end) = (0, grown.log.end());
    for position in (0..end).step_by(usize::try_from(end / 60).unwrap()) {
        let flipped = FlippedByte {
            position,
            bits: 1,
            in_record: None,
        };
        let log = TwistedLog(grown.log.clone(), flipped);
        let mut stored =
            Stored::open(grown.author.authority(), log, NodeCache::new(ROOMY)).unwrap();
        match stored.warm() {
            Err(error) => {
                assert_eq!(error, WarmError::Store(StoreFault::Damaged));
                found += 1;
            }
            // The byte is in a gap between nodes.
            Ok(_) => grown_check_one(&grown, &stored),
        }
    }
    assert!(found > 50, "{found}");
}

fn grown_check_one<L: NodeLog>(grown: &Grown, stored: &Stored<L>) {
    let latest = stored.latest();
    let proof = stored.prove(latest, &key(7)).unwrap();
    assert_eq!(proof, grown.memory.prove(latest, &key(7)).unwrap());
}
