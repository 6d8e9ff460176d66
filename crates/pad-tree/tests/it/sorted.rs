//! Stored trees built from sorted entries equal the trees of an in-memory author. Building needs
//! memory for one path.

use core::convert::Infallible;
use std::collections::BTreeMap;

use ed25519_dalek::SigningKey;
use pad_conformance::{
    Random,
    operation::{key, value},
    pad::{Unreliable, dictionary, signing_key},
    soak,
    tree::tree_author,
};
use pad_core::{
    ApplyError, Dictionary, Key, Operation, Repository, Sha256Ed25519, StoreFault, Value, Version,
    Workers,
};
use pad_tree::{
    MemoryLog, NodeLog, PublishError, RedBlack, SortedError, StoredRepository, TreeAuthor,
    internals::BalancingScheme,
};

use crate::{
    batches::two_threads,
    logs::{Twist, TwistedLog},
};

for_each_scheme! {
    every_small_tree_is_that_of_an_author_in_memory,
    larger_trees_are_those_of_an_author_in_memory,
    long_values_are_those_of_an_author_in_memory,
    memory_does_not_grow_with_the_number_of_entries,
    what_is_refused_leaves_nothing_behind,
}

fn every_small_tree_is_that_of_an_author_in_memory<B: BalancingScheme>() {
    let mut random = Random::new(61);
    let every = soak::size(9, 1);
    for number in (0..=200).filter(|number| *number <= 70 || number % every == 0) {
        check::<B>(number, 40, &mut random);
    }
}

fn larger_trees_are_those_of_an_author_in_memory<B: BalancingScheme>() {
    let mut random = Random::new(62);
    for _ in 0..soak::size(1, 3) {
        let number = random.below(20_000);
        check::<B>(number, 40, &mut random);
    }
    check::<B>(4096, 0, &mut random);
    if soak::enabled() {
        check::<B>(1 << 14, 0, &mut random);
    }
}

fn long_values_are_those_of_an_author_in_memory<B: BalancingScheme>() {
    check::<B>(700, 5000, &mut Random::new(63));
}

pub(crate) type S = Sha256Ed25519;
type Contents = BTreeMap<Key, Value>;

pub(crate) fn signer() -> SigningKey {
    signing_key(7)
}

fn author<B: BalancingScheme>() -> TreeAuthor<S, B, SigningKey> {
    tree_author(dictionary(), 7)
}

pub(crate) fn repository<B: BalancingScheme, L: NodeLog>(log: L) -> StoredRepository<S, B, L> {
    StoredRepository::open(author::<B>().authority(), log, 1 << 20).unwrap()
}

/// The end of the log, and the latest version.
pub(crate) fn extent<B: BalancingScheme, L: NodeLog>(
    repository: &StoredRepository<S, B, L>,
) -> (u64, Version) {
    (repository.log().end(), repository.latest())
}

/// Random keys of 0 to 40 bytes, often with a common prefix, and values of up to `longest_value`
/// bytes.
fn contents(number: u64, longest_value: u64, random: &mut Random) -> Contents {
    let mut contents = Contents::new();
    let mut bytes = |most: u64| {
        let length = random.below(most + 1);
        random.bytes(usize::try_from(length).unwrap())
    };
    while u64::try_from(contents.len()).unwrap() < number {
        let mut name = bytes(40);
        let alike = name.len() / 3;
        name[..alike].fill(7);
        contents.insert(key(name), value(bytes(longest_value)));
    }
    contents
}

fn entries(contents: &Contents) -> impl Iterator<Item = Result<(Key, Value), Infallible>> + Send {
    let entries = contents.iter();
    entries.map(|(key, value)| Ok((key.clone(), value.clone())))
}

/// All nodes and records of a log.
fn bytes(log: &MemoryLog) -> (Vec<u8>, Vec<Vec<u8>>) {
    let mut nodes = vec![0; usize::try_from(log.end()).unwrap()];
    log.read(0, &mut nodes).unwrap();
    let records = (1..=log.latest().number()).map(|version| log.record(Version::new(version)));
    (nodes, records.collect::<Result<_, _>>().unwrap())
}

/// Checks a built first version and an applied second one: log, head and update equal the log, head
/// and update of an in-memory author.
fn check<B: BalancingScheme>(number: u64, longest_value: u64, random: &mut Random) {
    let contents = contents(number, longest_value, random);
    let mut author = author::<B>();
    let mut usual = repository::<B, _>(MemoryLog::default());
    for (key, value) in &contents {
        author.put(key.clone(), value.clone());
    }
    let first = author.snapshot().unwrap();
    usual.apply(&first).unwrap();
    let mut more = vec![Operation::Put(key([8; 20]), value("more"))];
    more.extend(contents.keys().next().cloned().map(Operation::Remove));
    more.sort_by(|one, other| one.key().cmp(other.key()));
    let second = author.snapshot_of(more).unwrap();
    let mut followed = usual.clone();
    followed.apply(&second).unwrap();
    for workers in [Workers::sequential(), two_threads()] {
        let mut applied = repository::<B, _>(MemoryLog::default()).with_workers(workers.clone());
        applied.apply(&first).unwrap();
        assert_eq!(bytes(applied.log()), bytes(usual.log()), "{number} entries");
        let mut built = repository::<B, _>(MemoryLog::default()).with_workers(workers);
        let head = built.publish_sorted(number, entries(&contents), &signer());
        assert_eq!(head.unwrap(), first.head);
        assert_eq!(bytes(built.log()), bytes(usual.log()), "{number} entries");
        assert_eq!(built.len(), number);
        assert_eq!(built.check_contents(Version::new(1)).unwrap(), number);
        assert_eq!(built.update(Version::new(1)).unwrap(), first);

        built.apply(&second).unwrap();
        let [built, followed] = [&built, &followed].map(|made| bytes(made.log()));
        assert_eq!(built, followed, "{number} entries");
    }
}

/// A log that counts appended bytes and discards them.
#[derive(Debug)]
struct Counting(u64);

impl Twist for Counting {
    fn end(&self, _: &MemoryLog) -> u64 {
        self.0
    }

    fn read(&self, _: &MemoryLog, _: u64, _: &mut [u8]) -> Result<(), StoreFault> {
        Err(StoreFault::Damaged)
    }

    fn record(&self, _: &MemoryLog, _: Version) -> Result<Vec<u8>, StoreFault> {
        Err(StoreFault::Damaged)
    }

    fn append(&mut self, _: &mut MemoryLog, bytes: &[u8]) -> Result<(), StoreFault> {
        self.0 += u64::try_from(bytes.len()).unwrap();
        Ok(())
    }
}

fn memory_does_not_grow_with_the_number_of_entries<B: BalancingScheme>() {
    let peak = |number: u64| {
        let mut repository = repository::<B, _>(TwistedLog(MemoryLog::default(), Counting(0)));
        let numbered =
            |number: u64| Ok::<_, Infallible>((key(number.to_be_bytes()), value([3; 40])));
        let taken = allocation_counter::measure(|| {
            let published = repository.publish_sorted(number, (0..number).map(numbered), &signer());
            published.unwrap();
        });
        assert!(repository.log().end() > number * 100);
        taken.bytes_max
    };
    let (few, many) = (peak(20_000), peak(160_000));
    // Three more levels, each with unwritten data: two parts of a block.
    assert!(many < few + (64 << 10), "{few} bytes, {many} bytes");
    assert!(many < 6 << 20, "{many} bytes");
}

/// A log with room for a limited number of bytes.
#[derive(Debug)]
pub(crate) struct Full(pub(crate) u64);

impl Twist for Full {
    fn append(&mut self, log: &mut MemoryLog, bytes: &[u8]) -> Result<(), StoreFault> {
        let length = u64::try_from(bytes.len()).unwrap();
        if log.end() + length > self.0 {
            return Err(StoreFault::Medium);
        }
        log.append(bytes)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {0}")]
struct Unreadable(u64);

/// The expected and the actual number of entries that an error names.
fn numbers_in(error: &SortedError<Unreadable>) -> Option<(u64, u64)> {
    match error {
        SortedError::Number { expected, actual } => Some((*expected, *actual)),
        _ => None,
    }
}

fn what_is_refused_leaves_nothing_behind<B: BalancingScheme>() {
    let contents = contents(10_000, 200, &mut Random::new(64));
    let number = 10_000;
    let sorted: Vec<(Key, Value)> = contents.into_iter().collect();
    let mut repository = repository::<B, _>(TwistedLog(MemoryLog::default(), Full(u64::MAX)));
    let mut refused = |number: u64,
                       entries: Vec<Result<(Key, Value), Unreadable>>,
                       fits: &dyn Fn(&SortedError<Unreadable>) -> bool| {
        let refused = repository.publish_sorted(number, entries, &signer());
        let error = refused.unwrap_err();
        assert!(fits(&error), "{error:?}");
        assert_eq!(extent(&repository), (0, Version::EMPTY));
    };
    let is_unordered = |error: &_| matches!(error, SortedError::Unordered);
    let all = || sorted.iter().cloned().map(Ok).collect::<Vec<_>>();
    for place in [1, 4095, 4096, 4097, 9999] {
        let mut swapped = all();
        swapped.swap(place - 1, place);
        refused(number, swapped, &is_unordered);
        let mut twice = all();
        let before = twice[place - 1].clone();
        twice[place] = before;
        refused(number, twice, &is_unordered);
        let mut broken = all();
        broken[place] = Err(Unreadable(7));
        refused(number, broken, &|error| {
            matches!(error, SortedError::Source(Unreadable(7)))
        });
    }
    let is_number =
        |wanted| move |error: &SortedError<Unreadable>| numbers_in(error) == Some(wanted);
    refused(9_999, all(), &is_number((9_999, 10_000)));
    refused(10_001, all(), &is_number((10_001, 10_000)));
    refused(0, all(), &is_number((0, 1)));
    refused(1, Vec::new(), &is_number((1, 0)));
    repository.log_mut().1 = Full(1 << 20);
    let refused = repository.publish_sorted(number, all(), &signer());
    let SortedError::Publish(PublishError::Apply(error)) = refused.unwrap_err() else {
        panic!("another error")
    };
    assert_eq!(error, ApplyError::Store(StoreFault::Medium));
    assert_eq!(extent(&repository), (0, Version::EMPTY));
    let mut repository = self::repository::<B, _>(MemoryLog::default());
    let refused = repository.publish_sorted(number, all(), &Unreliable::new(7, || true));
    let error = refused.unwrap_err();
    let is_unsigned = matches!(error, SortedError::Publish(PublishError::Signer(_)));
    assert!(is_unsigned, "{error}");
    assert_eq!(extent(&repository), (0, Version::EMPTY));
    // The repository continues from there, and refuses a second build.
    repository.publish_sorted(number, all(), &signer()).unwrap();
    let end = repository.log().end();
    let refused = repository.publish_sorted(number, all(), &signer());
    assert!(matches!(refused, Err(SortedError::NotEmpty)));
    assert_eq!(extent(&repository), (end, Version::new(1)));
}

/// Filling an emptied dictionary from sorted entries gives the same result as applying the update.
#[test]
fn an_emptied_dictionary_is_filled_again() {
    let mut author = author::<RedBlack>();
    let mut usual = repository::<RedBlack, _>(MemoryLog::default());
    let mut built = repository::<RedBlack, _>(MemoryLog::default());
    let contents = contents(300, 30, &mut Random::new(65));
    let put = |(key, value): (&Key, &Value)| Operation::Put(key.clone(), value.clone());
    let puts: Vec<_> = contents.iter().map(put).collect();
    let removals: Vec<_> = contents.keys().cloned().map(Operation::Remove).collect();
    for batch in [puts.clone(), removals, puts] {
        let update = author.snapshot_of(batch).unwrap();
        usual.apply(&update).unwrap();
        if built.is_empty() {
            let published = built.publish_sorted(300, entries(&contents), &signer());
            published.unwrap();
        } else {
            built.apply(&update).unwrap();
        }
    }
    assert_eq!(bytes(built.log()), bytes(usual.log()));
    let heads = [&built, &usual].map(|log| log.head(log.latest()));
    assert_eq!(heads[0], heads[1]);
}
