//! Keyed directories in a file beside the same in memory, which are their oracle.

use std::{collections::BTreeMap, fs, path::Path};

use block_directory::{
    BlockDamage, BlockRecord, KeyedAuthor, KeyedDirectory, KeyedError, StoreError,
    StoredKeyedDirectory,
};
use conformance::Random;
use disk::engine::EngineError;
use pad_core::{
    Answer, ApplyError, Blake3Ed25519, Dictionary, First, Key, KeyRange, Keys, Last, LookupError,
    Predecessor, Repository, SchemeId, StoreFault, Successor, Untrusted, Update, Value,
    VerifyError, Version, codec, head::Authority,
};
use pad_tree::ProvableQuery;
use redb::{Database, ReadableDatabase as _, ReadableTable as _, TableDefinition};
use tempfile::TempDir;

use crate::support::{S, signer};

/// Room for little more than a path: blocks go and come all the time.
const TINY: usize = 0;
const ROOMY: usize = 64 << 20;

/// An author, a directory in memory, and one in a file, which is opened again at will.
struct Trio {
    author: KeyedAuthor<S>,
    memory: KeyedDirectory<S>,
    stored: Option<StoredKeyedDirectory<S>>,
    folder: TempDir,
    cache_bytes: usize,
    random: Random,
    present: BTreeMap<Key, Value>,
}

fn key(number: u64) -> Key {
    Key::new(format!("{number:05}").into_bytes()).unwrap()
}

impl Trio {
    fn new(cache_bytes: usize, seed: u64) -> Self {
        let author = KeyedAuthor::new("stored", signer()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let authority = author.authority();
        let path = folder.path().join("names");
        Self {
            memory: KeyedDirectory::new(authority).unwrap(),
            stored: Some(StoredKeyedDirectory::create(&path, &authority, cache_bytes).unwrap()),
            author,
            folder,
            cache_bytes,
            random: Random::new(seed),
            present: BTreeMap::new(),
        }
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("names")
    }

    fn stored(&mut self) -> &mut StoredKeyedDirectory<S> {
        self.stored.as_mut().unwrap()
    }

    /// A version with so many changes.
    fn version(&mut self, puts: u64, removals: u64) -> Update<S> {
        for _ in 0..puts {
            let (key, value) = (key(self.random.below(3000)), self.random.below(1000));
            let value = Value::new(value.to_be_bytes()).unwrap();
            self.present.insert(key.clone(), value.clone());
            self.author.put(key, value).unwrap();
        }
        for _ in 0..removals {
            let at = self.random.below(self.present.len().try_into().unwrap());
            let chosen = self
                .present
                .keys()
                .nth(at.try_into().unwrap())
                .unwrap()
                .clone();
            self.present.remove(&chosen);
            assert!(self.author.remove(&chosen));
        }
        self.author.snapshot().unwrap()
    }

    fn apply(&mut self, update: &Update<S>) {
        self.memory.apply(update).unwrap();
        self.stored().apply(update).unwrap();
    }

    fn reopen(&mut self) {
        drop(self.stored.take());
        self.stored = Some(StoredKeyedDirectory::open(&self.path(), self.cache_bytes).unwrap());
    }

    /// The same proofs of everything, byte for byte.
    fn compare(&mut self) {
        let asked: Vec<Key> = (0..12).map(|_| key(self.random.below(3100))).collect();
        let stored = self.stored.as_ref().unwrap();
        assert_eq!(stored.latest(), self.memory.latest());
        assert_eq!(stored.heads(), self.memory.heads());
        assert_eq!(stored.len(), self.memory.contents().len());
        for asked in &asked {
            same(&self.memory, stored, asked);
            same(&self.memory, stored, &Predecessor(asked.clone()));
            same(&self.memory, stored, &Successor(asked.clone()));
        }
        let range = KeyRange {
            start: Some(asked[0].clone().min(asked[1].clone())),
            end: Some(asked[0].clone().max(asked[1].clone())),
        };
        same(&self.memory, stored, &range);
        same(&self.memory, stored, &Keys::new(asked).unwrap());
        same(&self.memory, stored, &First);
        same(&self.memory, stored, &Last);
        same(&self.memory, stored, &KeyRange::ALL);
    }
}

fn same<Q: ProvableQuery>(memory: &KeyedDirectory<S>, stored: &StoredKeyedDirectory<S>, query: &Q) {
    let version = memory.latest();
    let expected = memory.prove_query(version, query);
    match (expected, stored.prove_query(version, query)) {
        (Ok(expected), Ok(found)) => assert_eq!(codec::encode(&expected), codec::encode(&found)),
        (Err(KeyedError::Lookup(expected)), Err(KeyedError::Lookup(found))) => {
            assert_eq!(expected, found);
        }
        (expected, found) => panic!("{expected:?} {found:?}"),
    }
}

/// Growth over several levels, shrinking to nothing, and growth again: opened again after every version, from the file or from a copy
/// that was made while it was open, as a crash leaves it.
#[test]
fn stored_directories_are_those_in_memory() {
    for (cache_bytes, seed) in [(TINY, 1), (40_000, 2), (ROOMY, 3)] {
        let mut trio = Trio::new(cache_bytes, seed);
        trio.compare();
        for (puts, removals) in [(0, 0), (1, 0), (700, 0), (900, 100), (300, 600), (5, 300)] {
            let update = trio.version(puts, removals);
            trio.apply(&update);
            trio.compare();
            let copy = trio.folder.path().join("copy");
            fs::copy(trio.path(), &copy).unwrap();
            let crashed = StoredKeyedDirectory::<S>::open(&copy, TINY).unwrap();
            same(&trio.memory, &crashed, &KeyRange::ALL);
            drop(crashed);
            trio.reopen();
            trio.compare();
        }
        let all = trio.present.len().try_into().unwrap();
        let update = trio.version(0, all);
        trio.apply(&update);
        trio.reopen();
        trio.compare();
        assert!(trio.stored().is_empty());
        let update = trio.version(100, 0);
        trio.apply(&update);
        trio.compare();
        drop(trio.stored.take());
        let entries = StoredKeyedDirectory::<S>::check(&trio.path(), TINY).unwrap();
        assert_eq!(entries, trio.memory.contents().len());
    }
}

/// What is opened has read the top block; a look-up reads one block of each level below, and none of those in memory.
#[test]
fn blocks_are_read_when_they_are_needed() {
    let mut trio = Trio::new(ROOMY, 4);
    let update = trio.version(2500, 0);
    trio.apply(&update);
    trio.reopen();
    let version = trio.memory.latest();
    let present = trio.present.keys().nth(500).unwrap().clone();
    let stored = trio.stored();
    assert_eq!(stored.blocks_read(), 1);
    stored.prove_query(version, &present).unwrap();
    assert_eq!(stored.blocks_read(), 2);
    stored.prove_query(version, &present).unwrap();
    assert_eq!(stored.blocks_read(), 2);
    stored.prove_query(version, &KeyRange::ALL).unwrap();
    let all = u64::try_from(trio.memory.contents().records().count()).unwrap();
    assert_eq!(trio.stored().blocks_read(), all);
    // Without room for more than a path they are read again.
    trio.cache_bytes = TINY;
    trio.reopen();
    let stored = trio.stored();
    for _ in 0..2 {
        stored.prove_query(version, &KeyRange::ALL).unwrap();
    }
    assert!(stored.blocks_read() > all + all / 2);
    stored.prove_query(version, &present).unwrap();
    let before = stored.blocks_read();
    stored.prove_query(version, &present).unwrap();
    assert_eq!(stored.blocks_read(), before);
}

/// An author goes on from its own stored directory.
#[test]
fn authors_resume_from_stored_directories() {
    let mut trio = Trio::new(TINY, 5);
    for _ in 0..4 {
        let update = trio.version(300, 20);
        trio.apply(&update);
        trio.reopen();
        let backup = trio.stored().to_memory().unwrap();
        trio.author = KeyedAuthor::resume(&backup, pad_core::HeadSigner::new(signer()));
    }
    trio.compare();
}

/// A new directory that replays all updates has the same blocks.
#[test]
fn updates_stay_in_the_file() {
    let mut trio = Trio::new(ROOMY, 6);
    for _ in 0..3 {
        let update = trio.version(200, 10);
        trio.apply(&update);
    }
    let mut replayed = KeyedDirectory::<S>::new(trio.author.authority()).unwrap();
    for number in 1..=3 {
        let message = trio.stored().update(Version::new(number)).unwrap().unwrap();
        let update: Update<S> = codec::decode(&message, message.len()).unwrap();
        replayed.apply(&update).unwrap();
    }
    assert!(
        replayed
            .contents()
            .records()
            .eq(trio.memory.contents().records())
    );
    assert_eq!(trio.stored().update(Version::new(4)).unwrap(), None);
}

#[test]
fn refused_updates_change_nothing_in_the_file() {
    let mut trio = Trio::new(TINY, 7);
    let update = trio.version(200, 0);
    trio.apply(&update);
    let good = trio.version(50, 20);
    let mut fewer = good.clone();
    fewer.operations.pop();
    let mut reversed = good.clone();
    reversed.operations.reverse();
    for (bad, error) in [
        (fewer, ApplyError::RootMismatch),
        (reversed, ApplyError::UnorderedOperations),
    ] {
        assert_eq!(Repository::apply(trio.stored(), &bad), Err(error));
        trio.compare();
    }
    trio.reopen();
    trio.compare();
    trio.apply(&good);
    trio.compare();
}

#[test]
fn files_that_are_others_are_refused() {
    let mut trio = Trio::new(TINY, 8);
    let (path, authority) = (trio.path(), trio.author.authority());
    let log_error = |error: KeyedError| match error {
        KeyedError::Store(StoreError::Log(error)) => error,
        other => panic!("{other:?}"),
    };
    let exists = StoredKeyedDirectory::<S>::create(&path, &authority, TINY).map(drop);
    assert!(matches!(
        log_error(exists.unwrap_err()),
        EngineError::Exists(_)
    ));
    let used = StoredKeyedDirectory::<S>::open(&path, TINY).map(drop);
    assert!(matches!(
        log_error(used.unwrap_err()),
        EngineError::InUse(_)
    ));
    drop(trio.stored.take());
    let suite = StoredKeyedDirectory::<Blake3Ed25519>::open(&path, TINY).map(drop);
    let other = matches!(
        suite,
        Err(KeyedError::Store(StoreError::OtherFormat { .. }))
    );
    assert!(other, "{suite:?}");
    let missing = StoredKeyedDirectory::<S>::open(&path.with_extension("none"), TINY).map(drop);
    assert!(matches!(
        log_error(missing.unwrap_err()),
        EngineError::Missing(_)
    ));
    let text = path.with_extension("text");
    disk::create(&text, b"not a database", disk::Access::Private).unwrap();
    let foreign = StoredKeyedDirectory::<S>::open(&text, TINY).map(drop);
    assert!(matches!(
        log_error(foreign.unwrap_err()),
        EngineError::Foreign(_)
    ));
    let scheme = Authority {
        scheme: SchemeId(2),
        ..authority
    };
    let scheme = StoredKeyedDirectory::<S>::create(&path.with_extension("new"), &scheme, TINY);
    let wrong = VerifyError::WrongScheme {
        expected: 4,
        actual: 2,
    };
    assert!(matches!(scheme, Err(KeyedError::Apply(ApplyError::Head(error))) if error == wrong));
}

const BLOCKS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("blocks");
const STATE: TableDefinition<'_, &str, (u64, u64)> = TableDefinition::new("state");

/// The blocks of a file that nobody has open.
fn rows(path: &Path) -> Vec<(u64, Vec<u8>)> {
    let database = Database::open(path).unwrap();
    let table = database.begin_read().unwrap().open_table(BLOCKS).unwrap();
    let rows = table.iter().unwrap().map(|row| row.unwrap());
    rows.map(|(number, bytes)| (number.value(), bytes.value().to_vec()))
        .collect()
}

fn put_row(path: &Path, number: u64, bytes: Option<&[u8]>) {
    let database = Database::open(path).unwrap();
    let transaction = database.begin_write().unwrap();
    {
        let mut table = transaction.open_table(BLOCKS).unwrap();
        match bytes {
            Some(bytes) => drop(table.insert(number, bytes).unwrap()),
            None => drop(table.remove(number).unwrap()),
        }
    }
    transaction.commit().unwrap();
}

fn put_state(path: &Path, name: &str, row: Option<(u64, u64)>) {
    let database = Database::open(path).unwrap();
    let transaction = database.begin_write().unwrap();
    {
        let mut table = transaction.open_table(STATE).unwrap();
        match row {
            Some(row) => drop(table.insert(name, row).unwrap()),
            None => drop(table.remove(name).unwrap()),
        }
    }
    transaction.commit().unwrap();
}

/// A closed file of three levels, at version 1.
fn closed() -> (Trio, Vec<(u64, Vec<u8>)>) {
    let mut trio = Trio::new(TINY, 9);
    for number in 0..=64 * 64 {
        trio.author.put(key(number), Value::default()).unwrap();
        trio.present.insert(key(number), Value::default());
    }
    let update = trio.author.snapshot().unwrap();
    trio.apply(&update);
    drop(trio.stored.take());
    let rows = rows(&trio.path());
    (trio, rows)
}

/// Every question that a damaged file still answers has an answer that is right, or that clients refuse.
fn ask_all(trio: &Trio) -> Result<(), KeyedError> {
    let stored = StoredKeyedDirectory::<S>::open(&trio.path(), TINY)?;
    let version = stored.latest();
    let signed = Untrusted::new(stored.head(version).unwrap());
    let head = signed.verify(&trio.author.authority(), &version).unwrap();
    let mut outcome = Ok(());
    for number in (0..64 * 64 + 3).step_by(61) {
        let asked = key(number);
        match stored.prove_query(version, &asked) {
            Ok(proof) => {
                if let Ok(lookup) = Untrusted::new(proof).verify(&head, &asked) {
                    let expected = trio.present.get(&asked);
                    assert_eq!(lookup.get().answer.value(), expected);
                }
            }
            Err(error) => outcome = Err(error),
        }
    }
    outcome
}

fn damage(error: KeyedError) -> BlockDamage {
    match error {
        KeyedError::Damaged(damage) => damage,
        other => panic!("{other:?}"),
    }
}

/// Any byte of any block: a typed error, or an answer that is right, or one that is refused.
#[test]
fn damaged_blocks_never_deceive() {
    let (trio, rows) = closed();
    assert!(ask_all(&trio).is_ok());
    let mut random = Random::new(10);
    let mut refused = 0;
    for (number, bytes) in rows.iter().step_by(9).chain(&rows[rows.len() - 3..]) {
        for _ in 0..4 {
            let mut flipped = bytes.clone();
            let at = usize::try_from(random.below(flipped.len().try_into().unwrap())).unwrap();
            flipped[at] ^= 1 << random.below(8);
            put_row(&trio.path(), *number, Some(&flipped));
            match ask_all(&trio) {
                Ok(()) => {}
                Err(KeyedError::Damaged(_)) => refused += 1,
                Err(other) => panic!("{other:?}"),
            }
            assert!(
                StoredKeyedDirectory::<S>::check(&trio.path(), TINY).is_err()
                    || is_separator(bytes, &flipped)
            );
        }
        put_row(&trio.path(), *number, Some(bytes));
    }
    assert!(refused > 0);
    assert!(ask_all(&trio).is_ok());
}

/// Whether two blocks differ in their separators alone: they may still be in the same gaps.
fn is_separator(before: &[u8], after: &[u8]) -> bool {
    let decode = |bytes: &[u8]| codec::decode_body::<BlockRecord<S>>(bytes).ok();
    let (Some(before), Some(after)) = (decode(before), decode(after)) else {
        return false;
    };
    before.entries == after.entries && before.children == after.children
}

#[test]
fn missing_and_exchanged_blocks_are_found() {
    let (trio, rows) = closed();
    let path = trio.path();
    let leaves: Vec<&(u64, Vec<u8>)> = rows.iter().filter(|(_, bytes)| bytes[0] == 0).collect();
    let ((first, first_bytes), (second, second_bytes)) = (leaves[0], leaves[1]);
    put_row(&path, *first, None);
    assert_eq!(
        damage(ask_all(&trio).unwrap_err()),
        BlockDamage::Missing { number: *first }
    );
    put_row(&path, *first, Some(second_bytes));
    assert_eq!(
        damage(ask_all(&trio).unwrap_err()),
        BlockDamage::Digest { number: *first }
    );
    put_row(&path, *first, Some(&first_bytes[1..]));
    assert_eq!(
        damage(ask_all(&trio).unwrap_err()),
        BlockDamage::Malformed { number: *first }
    );
    put_row(&path, *first, Some(&vec![0; 1 << 20]));
    assert_eq!(
        damage(ask_all(&trio).unwrap_err()),
        BlockDamage::Malformed { number: *first }
    );
    put_row(&path, *first, Some(first_bytes));
    put_row(&path, 1 << 40, Some(second_bytes));
    assert!(ask_all(&trio).is_ok());
    let surplus = StoredKeyedDirectory::<S>::check(&path, TINY).unwrap_err();
    assert_eq!(damage(surplus), BlockDamage::Count);
    put_row(&path, 1 << 40, None);
    assert!(StoredKeyedDirectory::<S>::check(&path, TINY).is_ok());
    assert_ne!(first, second);
}

/// A block of one child has the digest of that child: blocks that lead to themselves are stopped by their levels.
#[test]
fn blocks_in_a_circle_are_found() {
    let (trio, rows) = closed();
    let (path, root) = (trio.path(), trio.memory.contents().root());
    let top = trio.memory.contents().top().unwrap();
    for level in [1_u8, 2, 3, 200, 255] {
        let child = block_directory::keyed::Child {
            number: 77,
            digest: root,
        };
        let circle = BlockRecord::<S> {
            level,
            entries: Vec::new(),
            children: vec![child],
            separators: Vec::new(),
        };
        put_row(&path, 77_000, Some(&codec::encode_body(&circle)));
        let itself = BlockRecord::<S> {
            children: vec![block_directory::keyed::Child {
                number: 77_000,
                ..child
            }],
            ..circle
        };
        put_row(&path, 77_000, Some(&codec::encode_body(&itself)));
        put_state(&path, "top", Some((77_000, level.into())));
        let found = damage(ask_all(&trio).unwrap_err());
        assert_eq!(found, BlockDamage::Level { number: 77_000 });
        let found = StoredKeyedDirectory::<S>::check(&path, TINY).unwrap_err();
        assert_eq!(damage(found), BlockDamage::Level { number: 77_000 });
    }
    put_state(&path, "top", Some((top, 1)));
    assert_eq!(
        damage(ask_all(&trio).unwrap_err()),
        BlockDamage::Level { number: top }
    );
    put_state(&path, "top", Some((top, 300)));
    let level = ask_all(&trio).unwrap_err();
    assert!(matches!(
        level,
        KeyedError::Store(StoreError::DamagedLog(_))
    ));
    put_state(&path, "top", None);
    let none = ask_all(&trio).unwrap_err();
    assert!(matches!(none, KeyedError::Store(StoreError::DamagedLog(_))));
    put_state(&path, "top", Some((top, 2)));
    put_row(&path, 77_000, None);
    assert!(ask_all(&trio).is_ok());
    assert_eq!(rows.len(), trio.memory.contents().records().count());
}

/// The numbers of blocks are not hashed either. Those that lead to other blocks, also to the block itself or one above, are found, or lead to
/// another root.
#[test]
fn false_numbers_in_a_file_deceive_nobody() {
    let (mut trio, rows) = closed();
    for number in (0..5000).step_by(12) {
        let value = Value::new(*b"changed").unwrap();
        trio.author.put(key(number), value).unwrap();
    }
    for number in (1..800).filter(|number| number % 12 != 0) {
        trio.author.remove(&key(number));
    }
    let update = trio.author.snapshot().unwrap();
    let mut random = Random::new(11);
    let mut any = |count: usize| usize::try_from(random.below(count.try_into().unwrap())).unwrap();
    let inner: Vec<(u64, BlockRecord<S>)> = rows
        .iter()
        .map(|(number, bytes)| (*number, codec::decode_body(bytes).unwrap()))
        .filter(|(_, record): &(u64, BlockRecord<S>)| record.level > 0)
        .collect();
    let (honest, forged) = (trio.path(), trio.folder.path().join("forged"));
    let mut found = [0, 0];
    for _ in 0..40 {
        fs::copy(&honest, &forged).unwrap();
        let (number, mut record) = inner[any(inner.len())].clone();
        let child = any(record.children.len());
        record.children[child].number = match any(3) {
            0 => number,
            1 => inner[any(inner.len())].0,
            _ => rows[any(rows.len())].0,
        };
        put_row(&forged, number, Some(&codec::encode_body(&record)));
        let Ok(mut stored) = StoredKeyedDirectory::<S>::open(&forged, TINY) else {
            continue;
        };
        match Repository::apply(&mut stored, &update) {
            Ok(_) => {}
            Err(ApplyError::Store(StoreFault::Damaged)) => found[0] += 1,
            Err(ApplyError::RootMismatch | ApplyError::RemovesAbsentKey) => found[1] += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(found[0] > 0, "{found:?}");
}

/// A false separator does not change the root. What it leads to is refused, and the check finds it.
#[test]
fn false_separators_in_a_file_deceive_nobody() {
    let (mut trio, rows) = closed();
    let path = trio.path();
    let lowest = |bytes: &[u8]| {
        let record: BlockRecord<S> = codec::decode_body(bytes).unwrap();
        (record.level == 1 && record.separators.len() > 2).then_some(record)
    };
    let (number, record) = rows
        .iter()
        .find_map(|(number, bytes)| Some((*number, lowest(bytes)?)))
        .unwrap();
    let between = record.separators[1].clone();
    let mut forged = record;
    // What belongs to the right of it is searched on the left.
    forged.separators[1] = Key::new([between.as_bytes(), b"x"].concat()).unwrap();
    put_row(&path, number, Some(&codec::encode_body(&forged)));
    let found = damage(StoredKeyedDirectory::<S>::check(&path, TINY).unwrap_err());
    assert!(
        matches!(found, BlockDamage::BelowSeparator { .. }),
        "{found:?}"
    );
    let mut stored = StoredKeyedDirectory::<S>::open(&path, TINY).unwrap();
    let version = stored.latest();
    let signed = Untrusted::new(stored.head(version).unwrap());
    let head = signed.verify(&trio.author.authority(), &version).unwrap();
    let proof = stored.prove_query(version, &between).unwrap();
    let verified = Untrusted::new(proof).verify(&head, &between);
    assert!(verified.is_err() || matches!(verified.unwrap().get().answer, Answer::Present(_)));
    let resumed = stored.to_memory().map(drop).unwrap_err();
    assert!(matches!(
        damage(resumed),
        BlockDamage::BelowSeparator { .. }
    ));
    // The next change of that place goes wrong, and is refused by the root.
    let value = Value::new(*b"changed").unwrap();
    trio.author.put(between, value).unwrap();
    let update = trio.author.snapshot().unwrap();
    assert_eq!(
        Repository::apply(&mut stored, &update),
        Err(ApplyError::RootMismatch)
    );
    assert_eq!(stored.latest(), version);
}

/// As the error of a role, damage is what it is.
#[test]
fn damage_is_told_to_every_role() {
    let (mut trio, rows) = closed();
    let (number, _) = rows.iter().find(|(_, bytes)| bytes[0] == 0).unwrap();
    put_row(&trio.path(), *number, None);
    let mut stored = StoredKeyedDirectory::<S>::open(&trio.path(), TINY).unwrap();
    let version = stored.latest();
    let denied = stored.prove(version, &key(0));
    assert_eq!(denied, Err(LookupError::Store(StoreFault::Damaged)));
    trio.author
        .put(key(0), Value::new(*b"changed").unwrap())
        .unwrap();
    let update = trio.author.snapshot().unwrap();
    let refused = Repository::apply(&mut stored, &update);
    assert_eq!(refused, Err(ApplyError::Store(StoreFault::Damaged)));
}
