//! Parameters with a public secret, heads for any digest, and proofs as bytes.

use std::sync::{Arc, LazyLock, OnceLock};

use pad_accumulators::{bilinear::Parameters, wire};
pub(crate) use pad_conformance::aad::verify;
use pad_conformance::{aad::parameters, pad::head_with_root};
use pad_core::{DictionaryId, Digest, Key, Sha256Ed25519, Value, Workers};
use pad_log::{
    AadFrontier, AasFrontier, DictionaryScheme, Entries, Entry, Log, LogRoot, Schedule, Scheme,
    Setup, Shape,
};

/// Number of powers beyond the generator. They serve trees of 8192 elements with one root each, or
/// of 16 with 512 roots.
pub(crate) const CAPACITY: usize = 1 << 13;

/// The parameters of the vectors, with powers for the largest trees.
pub(crate) fn parameters() -> Arc<Parameters> {
    static PARAMETERS: OnceLock<Arc<Parameters>> = OnceLock::new();
    Arc::clone(PARAMETERS.get_or_init(|| parameters::parameters(CAPACITY)))
}

pub(crate) fn log<S: Scheme>(dictionary: u8, top_level: u8, schedule: Schedule) -> Log<S> {
    let shape = Shape::new(top_level, schedule).unwrap();
    let dictionary = DictionaryId::from_bytes([dictionary; 16]);
    Log::new(dictionary, Setup::new(parameters(), shape))
}

/// The client's log, from the bytes of a key file.
pub(crate) fn client_log<S: Scheme>(log: &Log<S>) -> Log<S> {
    let setup = Setup::from_bytes(&log.setup().to_bytes()).unwrap();
    let client = Log::new(log.dictionary(), setup);
    assert_eq!(client.id(), log.id());
    client
}

/// The log at a digest, under a signed and verified head.
pub(crate) fn at<S: Scheme>(log: &Log<S>, version: u64, root: Digest<32>) -> LogRoot<S> {
    let head = head_with_root::<Sha256Ed25519>(log.dictionary(), S::ID, version, root);
    log.at(&head).unwrap()
}

/// A log of the given entries, built at once.
pub(crate) fn entries<S: Scheme>(log: &Log<S>, all: &[Entry]) -> Entries<S> {
    let size = u64::try_from(all.len()).unwrap();
    let mut entries = Entries::bounded(log.clone(), Workers::sequential(), size + 1).unwrap();
    for entry in all {
        entries.push(entry.clone()).unwrap();
    }
    entries.build().unwrap();
    entries
}

/// A log at one of its own sizes. Version 1 is empty, and each later version has one more entry.
pub(crate) fn at_size<S: Scheme>(entries: &Entries<S>, size: u64) -> LogRoot<S> {
    at(&client_log(entries.log()), size + 1, entries.digest(size))
}

/// The message that answers a look-up of a key at a size.
pub(crate) fn look_up<S: DictionaryScheme>(entries: &Entries<S>, size: u64, key: &str) -> Vec<u8> {
    wire::encode(&entries.prove_values(size, key.as_bytes()).unwrap())
}

pub(crate) fn key(key: &str) -> Key {
    Key::try_from(key).unwrap()
}

pub(crate) fn pair(key: &str, value: &str) -> Entry {
    let (key, value) = (Key::try_from(key).unwrap(), Value::try_from(value).unwrap());
    Entry { key, value }
}

/// A copy of a message with other `bytes` from place `at` on.
pub(crate) fn put(proof: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut changed = proof.to_vec();
    changed[at..at + bytes.len()].copy_from_slice(bytes);
    changed
}

/// Entries `key 0`, `key 1`, ..., each with the value `value`.
pub(crate) fn distinct(count: usize) -> Vec<Entry> {
    let pairs = (0..count).map(|i| pair(&format!("key {i}"), "value"));
    pairs.collect()
}

/// Members `member 0`, `member 1`, ...
pub(crate) fn members(count: usize) -> Vec<Entry> {
    let members = (0..count).map(|i| Entry::member(key(&format!("member {i}"))));
    members.collect()
}

/// Two logs with equal contents: a tree of the pairs `key 0` to `key 15`. Frontiers take long to
/// make, so several tests share them.
pub(crate) static SIXTEEN: LazyLock<[Entries<AadFrontier>; 2]> =
    LazyLock::new(|| [3, 4].map(|id| entries(&log(id, 4, Schedule::Eager), &distinct(16))));

/// The honest log of the members `member 0` to `member 15`, which a forger also has.
pub(crate) static MEMBERS: LazyLock<Entries<AasFrontier>> =
    LazyLock::new(|| entries(&log(FORGED, 4, Schedule::Eager), &members(16)));

/// The dictionary of forged logs.
pub(crate) const FORGED: u8 = 9;
