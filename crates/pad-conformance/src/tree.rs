//! Checks of tree PADs, in addition to the checks of the general traits [`pad_core::Dictionary`]
//! and [`pad_core::Repository`].

use core::cell::Cell;

use ed25519_dalek::SigningKey;
use pad_core::{
    Dictionary, DictionaryId, First, HeadSigner, Hosts, Key, LookupError, Operation, Repository,
    Suite, Value, Version,
};
use pad_tree::{
    PathCopying, StoredRepository, TreeAuthor, TreeRepository,
    internals::{Authenticated, BalancingScheme, VersionedStore},
};

use crate::{
    Action, HostedPad, Oracle, Pad as _,
    dictionary::check_open_contents,
    operation::{key, value},
    pad::{Unreliable, dictionary, proof_bytes, public_key, signing_key},
    queries,
    repository::{TraceRun, check_heads, check_lookups, play},
};

/// A tree PAD under test, with suite `S` and node store `St`.
pub type TreePad<S, St> = HostedPad<TreeRepository<S, St>>;

/// A tree PAD under test, with suite `S` and balancing scheme `B`, whose nodes are in an
/// append-only log in memory.
pub type StoredPad<S, B> = HostedPad<StoredRepository<S, B>>;

/// Checks that a stored tree answers like the oracle and like a tree in memory after equal updates,
/// also after it is reopened. An author resumed from the stored tree must make the same updates as
/// the original author.
pub fn check_stored<S: Suite, B: BalancingScheme>(actions: &[Action]) {
    let mut played: TraceRun<StoredPad<S, B>> = play(&[]);
    let authority = *played.server.authority();
    let log = played.server.log().clone();
    let small = StoredRepository::open(authority, log, 1 << 16);
    played.server = small.expect("a new log");
    played.go_on(actions);
    check_heads(&played);
    crate::repository::check_unknown_versions(&played);
    check_stored_answers(&played);
    let log = played.server.log().clone();
    let reopened = StoredRepository::open(authority, log, 0).expect("the log is whole");
    assert_eq!(reopened.len(), played.server.len());
    played.server = reopened;
    check_heads(&played);
    check_stored_answers(&played);
    let signer = HeadSigner::new(signing_key(7));
    let resumed = Hosts::resume(&played.server, signer, ());
    let mut resumed = resumed.expect("the nodes are there");
    for action in actions {
        played.oracle.apply(action);
        let (update, again) = (action.apply(&mut played.author), action.apply(&mut resumed));
        assert_eq!(update, again, "a resumed author makes the same");
        if let Some(update) = update {
            let applied = played.server.apply(&update);
            applied.expect("an honest update applies");
            played.updates.push(update);
        }
    }
    let (stored, expected) = (played.server.latest(), played.oracle.latest());
    assert_eq!(stored, expected, "every snapshot was taken");
    check_stored_answers(&played);
}

fn check_stored_answers<S: Suite, B: BalancingScheme>(played: &TraceRun<StoredPad<S, B>>) {
    let authority = *played.server.authority();
    let mut memory = TreeRepository::<S, PathCopying<Authenticated<S>, B>>::new(authority);
    for update in &played.updates {
        memory.apply(update).expect("an honest update applies");
    }
    let keys = played.oracle.interesting_keys();
    for (version, _) in played.oracle.versions_from(Version::EMPTY) {
        let public = StoredPad::<S, B>::public(&authority);
        queries::check_version(&played.server, public, &played.oracle, version);
        for key in &keys {
            let stored = played.server.prove(version, key);
            assert_eq!(stored, memory.prove(version, key), "the same proofs");
        }
    }
}

/// Creates the author of a new tree PAD, with the [signing key](signing_key) of number `signer`.
pub fn tree_author<S: Suite, B: BalancingScheme>(
    dictionary: DictionaryId,
    signer: u8,
) -> TreeAuthor<S, B, SigningKey> {
    TreeAuthor::new(dictionary, public_key(signer), signing_key(signer))
}

/// A node store that a tree PAD under test can use: versioned, cloneable and thread-safe.
pub trait Store<S: Suite>:
    VersionedStore<Annotation = Authenticated<S>> + Clone + Send + Sync
{
}
impl<S, St> Store<S> for St
where
    S: Suite,
    St: VersionedStore<Annotation = Authenticated<S>> + Clone + Send + Sync,
{
}

type PlayedTree<S, St> = TraceRun<TreePad<S, St>>;

/// Checks that all queries about every version, all histories of keys, and all differences between
/// versions agree with the oracle. Batched lookups must give the same proofs as single lookups.
pub fn check_trace<S: Suite, St: Store<S>>(actions: &[Action]) {
    let played: PlayedTree<S, St> = play(actions);
    check_heads(&played);
    check_everything(&played, Version::EMPTY);
}

/// Runs all checks on the versions from `oldest` to the latest.
fn check_everything<S: Suite, St: Store<S>>(played: &PlayedTree<S, St>, oldest: Version) {
    check_lookups(played, oldest);
    check_queries(played, oldest);
    check_prove_many(played, oldest);
    check_history(played, oldest);
    check_diff(played, oldest);
    check_contents(played, oldest);
}

fn check_queries<S: Suite, St: Store<S>>(played: &PlayedTree<S, St>, oldest: Version) {
    for (version, _) in played.oracle.versions_from(oldest) {
        let public = TreePad::<S, St>::public(&played.author.authority());
        queries::check_version(&played.server, public, &played.oracle, version);
    }
}

fn check_prove_many<S: Suite, St: Store<S>>(played: &PlayedTree<S, St>, oldest: Version) {
    let (server, keys) = (&played.server, played.oracle.interesting_keys());
    let versions = played.oracle.versions_from(oldest);
    let mut queries: Vec<(Version, Key)> = versions
        .flat_map(|(version, _)| keys.iter().map(move |key| (version, key.clone())))
        .collect();
    // Adjacent queries are mostly about different versions and keys.
    queries.sort_by_key(|(version, key)| (key.as_bytes().len(), version.number() % 3));
    let together = server.prove_many(&queries).expect("the versions are there");
    assert_eq!(together.len(), queries.len());
    for ((version, key), proof) in queries.iter().zip(together) {
        let proof = Ok(proof);
        assert_eq!(server.prove(*version, key), proof, "as prove_many");
        assert_eq!(server.prove_query(*version, key), proof, "as prove_many");
    }
    let unknown = server.latest().next().expect("few versions");
    queries.push((unknown, Key::default()));
    assert!(server.prove_many(&queries).is_err(), "an unknown version");
    assert_eq!(server.prove_many(&[]), Ok(Vec::new()));
}

fn check_history<S: Suite, St: Store<S>>(played: &PlayedTree<S, St>, oldest: Version) {
    for key in played.oracle.interesting_keys() {
        let expected = played.oracle.history(&key, oldest);
        let found = played.server.history(&key);
        assert_eq!(found.changes, expected, "history of {key} from {oldest}");
        assert_eq!(found.since, oldest, "history of {key}");
        for lookups in [0, 1, 7] {
            let mut last = played.server.latest();
            let mut newest_first = Vec::new();
            while last > oldest {
                let page = played.server.history_page(&key, last, lookups);
                assert!(page.since < last, "a page of {key} goes back");
                newest_first.extend(page.changes.into_iter().rev());
                last = page.since;
            }
            newest_first.reverse();
            assert_eq!(newest_first, expected, "pages of {key} from {oldest}");
        }
    }
}

fn check_diff<S: Suite, St: Store<S>>(played: &PlayedTree<S, St>, oldest: Version) {
    let versions = played.oracle.versions_from(oldest);
    let versions: Vec<Version> = versions.map(|(version, _)| version).collect();
    for before in versions.iter().step_by(2).chain(versions.last()) {
        for after in versions.iter().chain([before]) {
            let found = played.server.diff(*before, *after);
            let found = found.expect("the versions are there").into_iter();
            let found = found.map(|change| (change.key, change.before, change.after));
            let expected = played.oracle.diff(*before, *after);
            assert!(found.eq(expected), "diff of {before} and {after}");
        }
    }
}

/// Checks that the contents that a server returns without a proof agree with the oracle.
fn check_contents<S: Suite, St: Store<S>>(played: &PlayedTree<S, St>, oldest: Version) {
    let tree = played.server.contents();
    for (version, contents) in played.oracle.versions_from(oldest) {
        let entries = tree.entries(version).expect("the version is there");
        let expected = contents
            .iter()
            .map(|(key, value)| (key.as_bytes(), value.as_bytes()));
        assert!(entries.eq(expected), "the entries of version {version}");
        for key in played.oracle.interesting_keys().iter().step_by(3) {
            let bytes = |entry: Option<(&Key, &Value)>| {
                entry.map(|(key, value)| (key.as_bytes().to_vec(), value.as_bytes().to_vec()))
            };
            let owned = |entry: Option<(&[u8], &[u8])>| {
                entry.map(|(key, value)| (key.to_vec(), value.to_vec()))
            };
            let floor = contents.range(..=key.clone()).next_back();
            assert_eq!(owned(tree.floor(version, key.as_bytes())), bytes(floor));
            let ceiling = contents.range(key.clone()..).next();
            assert_eq!(owned(tree.ceiling(version, key.as_bytes())), bytes(ceiling));
            let found = tree.lookup(version, key.as_bytes());
            assert_eq!(found, contents.get(key).map(Value::as_bytes));
        }
    }
}

/// Checks that pruning leaves later versions unchanged, that earlier versions are refused, and that
/// updates continue.
pub fn check_prune<S: Suite, St: Store<S>>(actions: &[Action], oldest_percent: u64) {
    let mut played: PlayedTree<S, St> = play(actions);
    let oldest = played.version_at(oldest_percent);
    let proofs = all_proofs(&played, oldest);
    played.server.prune(oldest).expect("the version is there");
    assert_eq!(played.server.oldest(), oldest);
    check_heads(&played);
    let unchanged = all_proofs(&played, oldest) == proofs;
    assert!(unchanged, "pruning leaves the proofs of later versions");
    if let Some(version) = oldest.previous() {
        let pruned = LookupError::Pruned { version, oldest };
        let (server, asked) = (&mut played.server, Key::default());
        assert_eq!(server.prove(version, &asked), Err(pruned));
        assert_eq!(server.prove_query(version, &First), Err(pruned));
        assert_eq!(server.prove_many(&[(version, asked)]), Err(pruned));
        assert_eq!(server.diff(version, oldest), Err(pruned));
        assert_eq!(server.prune(version), Err(pruned));
    }
    check_everything(&played, oldest);
    played.go_on(actions);
    check_heads(&played);
    check_everything(&played, oldest);
    let latest = played.server.latest();
    let version = latest.next().expect("few versions");
    let error = LookupError::UnknownVersion { version, latest };
    assert_eq!(played.server.prune(version), Err(error));
    let pruned = played.server.prune(latest);
    pruned.expect("the latest version is there");
    check_everything(&played, latest);
}

/// Checks that an author resumed from a repository makes the same updates as the original author.
pub fn check_resume<S: Suite, St: Store<S>>(actions: &[Action]) {
    let mut played: PlayedTree<S, St> = play(actions);
    let latest = played.server.latest();
    // Two authors continue from the same point and must agree.
    let mut resumed = TreeAuthor::<S, St::Scheme, _>::resume(&played.server, signing_key(7));
    assert_eq!(resumed.version(), latest);
    assert_eq!(resumed.len(), played.author.len());
    let from = played.updates.len();
    played.go_on(actions);
    let updates = actions.iter().map(|action| action.apply(&mut resumed));
    let same = updates.flatten().eq(played.updates[from..].iter().cloned());
    assert!(same, "a resumed author makes the same");
    check_heads(&played);
    check_everything(&played, Version::EMPTY);
}

/// Checks that a batch of operations, in any order and with repeated keys, makes the same update as
/// one call per operation.
pub fn check_batches<S: Suite, B: BalancingScheme>(actions: &[Action]) {
    let (mut single, mut batched) = (new_author::<S, B>(), new_author::<S, B>());
    let mut batch = Vec::new();
    let mut oracle = Oracle::default();
    for action in actions {
        let update = action.apply(&mut single);
        oracle.apply(action);
        match (action, update) {
            (Action::Put(key, value), _) => {
                batch.push(Operation::Put(key.clone(), value.clone()));
            }
            (Action::Remove(key), _) => batch.push(Operation::Remove(key.clone())),
            (Action::Snapshot, update) => {
                // In every third version, the first half of the batch is applied by single calls,
                // and is pending when the rest is added.
                let is_third = single.version().number() % 3 == 0;
                let calls = if is_third { batch.len() / 2 } else { 0 };
                for operation in batch.drain(..calls) {
                    match operation {
                        Operation::Put(key, value) => batched.put(key, value),
                        Operation::Remove(key) => drop(batched.remove(&key)),
                    }
                }
                let made = batched.snapshot_of(core::mem::take(&mut batch)).ok();
                assert_eq!(made, update, "a batch equals single calls");
                check_open_contents(&batched, &oracle);
            }
        }
    }
}

/// Checks that after a signer failure, the changes stay pending and the head is unchanged. The next
/// snapshot must be the version that failed, with exactly its changes. Changes made after the
/// failure must be in the version after that.
pub fn check_failing_signer<S: Suite, B: BalancingScheme>() {
    let refusals = Cell::new(0_u32);
    let signer = Unreliable::new(7, || {
        let left = refusals.get();
        refusals.set(left.saturating_sub(1));
        left > 0
    });
    let mut author = TreeAuthor::<S, B, _>::new(dictionary(), public_key(7), signer);
    let mut reliable = new_author::<S, B>();
    let (a, b, c) = (key(b"a"), key(b"b"), key(b"c"));
    for round in 0..6_u8 {
        author.put(a.clone(), value([round]));
        reliable.put(a.clone(), value([round]));
        author.put(b.clone(), value([round, 1]));
        reliable.put(b.clone(), value([round, 1]));
        let (head, version) = (author.head().copied(), author.version());
        refusals.set(2);
        for _ in 0..2 {
            assert!(author.snapshot().is_err(), "the signer refuses");
            assert_eq!((author.head().copied(), author.version()), (head, version));
            assert_eq!(author.get(a.as_bytes()), Some(&[round][..]));
            assert_eq!(author.len(), reliable.len());
        }
        // Changes made while a snapshot waits for its signature belong to the next version.
        author.put(c.clone(), value([round, 2]));
        assert!(author.remove(&b));
        let (late, same) = (author.snapshot().ok(), reliable.snapshot().ok());
        assert_eq!(late, same, "the same version, the same contents");
        reliable.put(c.clone(), value([round, 2]));
        assert!(reliable.remove(&b));
        assert_eq!(author.len(), reliable.len());
        let (later, same) = (author.snapshot().ok(), reliable.snapshot().ok());
        assert_eq!(later, same, "what came later");
    }
    refusals.set(1);
    let put = Operation::Put(b.clone(), value(b"x"));
    let batch = vec![put, Operation::Remove(a.clone())];
    assert!(author.snapshot_of(batch.clone()).is_err());
    assert_eq!(author.get(b.as_bytes()), Some(&b"x"[..]));
    assert_eq!(author.get(a.as_bytes()), None);
    let (later, same) = (author.snapshot().ok(), reliable.snapshot_of(batch).ok());
    let is_same = later.is_some() && later == same;
    assert!(is_same, "a batch stays pending as well");
}

/// Returns the encoded lookup proofs for all [interesting keys](crate::Oracle::interesting_keys),
/// in each version from `oldest` on.
fn all_proofs<S: Suite, St: Store<S>>(played: &PlayedTree<S, St>, oldest: Version) -> Vec<Vec<u8>> {
    let keys = played.oracle.interesting_keys();
    let versions = played.oracle.versions_from(oldest);
    let proofs = versions.flat_map(|(version, _)| {
        let prove = move |key| proof_bytes::<TreePad<S, St>>(&played.server, version, key);
        keys.iter().map(prove)
    });
    proofs.collect()
}

fn new_author<S: Suite, B: BalancingScheme>() -> TreeAuthor<S, B, SigningKey> {
    tree_author(dictionary(), 7)
}
