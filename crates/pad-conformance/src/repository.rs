//! Checks of the laws of [`pad_core::Repository`].

use pad_core::{
    ApplyError, Dictionary, DictionaryId, Key, LookupError, Operation, Repository, SchemeId,
    SnapshotHead, Suite, Update, VerifyError, Version, internals::Attachment,
};

use crate::{
    Action, Oracle,
    operation::{key, value},
    pad::{Pad, client_at, dictionary, look_up, proof_bytes, signing_key},
};

/// The number of the [signing key](crate::pad::signing_key) of the checked dictionaries. `STRANGER`
/// is the number of another key.
pub(crate) const SIGNER: u8 = 7;
pub(crate) const STRANGER: u8 = 8;

/// An author and a server after all steps of a trace, and the oracle with their expected contents.
#[derive(Debug)]
pub struct TraceRun<P: Pad> {
    /// The author, with pending changes if the trace does not end with a snapshot.
    pub author: P::Author,
    /// The server, which has applied the updates of all versions.
    pub server: P::Server,
    /// The oracle after all steps of the trace.
    pub oracle: Oracle,
    /// The updates that the author made, one for each snapshot of the trace.
    pub updates: Vec<Update<P::Suite, P::Attachment>>,
}

/// Applies all steps of a trace to a new author, server and oracle.
pub fn play<P: Pad>(actions: &[Action]) -> TraceRun<P> {
    let author = P::author(dictionary(), SIGNER);
    let mut played = TraceRun::<P> {
        server: P::server(author.authority()),
        author,
        oracle: Oracle::default(),
        updates: Vec::new(),
    };
    played.go_on(actions);
    played
}

impl<P: Pad> TraceRun<P> {
    /// Applies further steps of a trace to author, server and oracle.
    #[doc(hidden)]
    pub fn go_on(&mut self, actions: &[Action]) {
        for action in actions {
            self.oracle.apply(action);
            if let Some(update) = action.apply(&mut self.author) {
                let (applied, latest) = (self.server.apply(&update), self.oracle.latest());
                assert_eq!(applied, Ok(latest), "an honest update applies");
                self.updates.push(update);
            }
        }
    }

    /// Returns the version that lies at `percent` percent of the versions.
    #[doc(hidden)]
    pub fn version_at(&self, percent: u64) -> Version {
        Version::new(self.server.latest().number() * percent / 100)
    }
}

/// Applies a trace to an author and a server, and checks that the server's heads equal the
/// author's. Lookups in every version must match the oracle for all [interesting
/// keys](Oracle::interesting_keys).
pub fn check_trace<P: Pad>(actions: &[Action]) {
    let played = play::<P>(actions);
    check_heads(&played);
    check_lookups(&played, P::oldest(played.server.latest()));
    check_unknown_versions(&played);
}

/// Checks that every head of the server equals the head that the author published.
pub fn check_heads<P: Pad>(played: &TraceRun<P>) {
    let (server, latest) = (&played.server, played.server.latest());
    assert_eq!(latest, played.oracle.latest());
    for update in &played.updates {
        let head = server.head(update.head.head.version).expect("heads stay");
        assert_eq!(head, update.head, "a head never changes");
    }
    let version = Version::EMPTY;
    let nothing = LookupError::UnknownVersion { version, latest };
    assert_eq!(server.head(version), Err(nothing), "version 0 is unsigned");
}

/// Checks that lookups in every version from `oldest` to the latest match the oracle.
pub fn check_lookups<P: Pad>(played: &TraceRun<P>, oldest: Version) {
    let (server, oracle) = (&played.server, &played.oracle);
    let keys = oracle.interesting_keys();
    for (version, contents) in oracle.versions_from(oldest) {
        let client = client_at(P::public(&played.author.authority()), server, version);
        for key in &keys {
            let answer = look_up::<P>(&client, server, key);
            assert_eq!(answer.as_ref(), contents.get(key), "{key} in {version}");
        }
    }
}

/// Checks that a server refuses queries about versions that do not exist.
pub fn check_unknown_versions<P: Pad>(played: &TraceRun<P>) {
    let latest = played.server.latest();
    for version in [latest.next().expect("few versions"), Version::new(u64::MAX)] {
        let unknown = LookupError::UnknownVersion { version, latest };
        let refused = played.server.prove(version, &Key::default()).err();
        assert_eq!(refused, Some(unknown));
        assert_eq!(played.server.head(version), Err(unknown));
    }
}

/// Checks that a server refuses every corrupted update ([`bad_updates`]) with the expected error,
/// and stays unchanged. `prefix` is the trace applied before.
pub fn check_refusals<P: Pad>(prefix: &[Action]) {
    let mut played = play::<P>(prefix);
    let present = key(b"present for the refusals");
    let put = |value_bytes: &[u8]| Action::Put(present.clone(), value(value_bytes));
    for action in [put(b"1"), Action::Put(key(b"and another"), value(b"2"))] {
        played.oracle.apply(&action);
        action.apply(&mut played.author);
    }
    played.oracle.apply(&Action::Snapshot);
    let good = Action::Snapshot.apply(&mut played.author);
    let good = good.expect("an update");
    let before = fingerprint::<P>(&played.server, &played.oracle);
    for (bad, expected) in bad_updates(&good) {
        assert_eq!(played.server.apply(&bad), Err(expected));
        let after = fingerprint::<P>(&played.server, &played.oracle);
        assert_eq!(after, before, "unchanged after {expected:?}");
        let applied = played.server.clone().apply(&good);
        assert_eq!(applied, Ok(good.head.head.version), "after {expected:?}");
    }
    assert!(played.server.apply(&good).is_ok(), "it still applies");
    played.updates.push(good);
    check_heads(&played);
    check_lookups(&played, P::oldest(played.server.latest()));
}

/// Returns a sample of the observable state of a repository: the signatures of all heads, and
/// proofs of every seventh interesting key in each version that the server answers about.
fn fingerprint<P: Pad>(server: &P::Server, oracle: &Oracle) -> Vec<Vec<u8>> {
    let mut seen = vec![server.latest().number().to_be_bytes().to_vec()];
    let keys = oracle.interesting_keys();
    assert_eq!(server.oldest(), P::oldest(server.latest()));
    for number in 0..=server.latest().number() {
        let version = Version::new(number);
        let head = server.head(version).ok();
        seen.extend(head.map(|head| head.signature.to_bytes().to_vec()));
        if version >= server.oldest() {
            let some = keys.iter().step_by(7);
            seen.extend(some.map(|key| proof_bytes::<P>(server, version, key)));
        }
    }
    seen
}

/// Returns corrupted copies of a good update that puts at least two keys, each with the expected
/// error.
pub fn bad_updates<S: Suite, A: Attachment>(
    good: &Update<S, A>,
) -> Vec<(Update<S, A>, ApplyError)> {
    let mut bad = bad_heads(good);
    bad.extend(bad_operations(good));
    bad
}

fn bad_heads<S: Suite, A: Attachment>(good: &Update<S, A>) -> Vec<(Update<S, A>, ApplyError)> {
    let (expected, head) = (good.base, good.head.head);
    let signed = |change: &dyn Fn(&mut SnapshotHead<S>), signer: u8| {
        let mut changed = head;
        change(&mut changed);
        let mut update = good.clone();
        let head = changed.sign(&signing_key(signer));
        update.head = head.expect("keys in memory sign");
        update
    };
    let gap = |actual| {
        let mut update = good.clone();
        update.base = actual;
        (update, ApplyError::VersionGap { expected, actual })
    };
    let next = expected.next().expect("few versions");
    let other_version = next.next().expect("few versions");
    let other_scheme = SchemeId(head.scheme.0 + 1);
    let wrong_version = VerifyError::WrongVersion {
        expected: next,
        actual: other_version,
    };
    let wrong_scheme = VerifyError::WrongScheme {
        expected: head.scheme.0,
        actual: other_scheme.0,
    };
    let mut flipped = good.clone();
    let mut signature = flipped.head.signature.to_bytes();
    signature[0] ^= 1;
    flipped.head.signature = pad_core::HeadSignature::from_bytes(&signature);
    let mut unsigned = good.clone();
    unsigned.head.head.root = S::empty_tree();
    let own = |change: &dyn Fn(&mut SnapshotHead<S>)| signed(change, SIGNER);
    let another = DictionaryId::from_name("another");
    let [wrong_version, wrong_scheme, wrong_dictionary, invalid] = [
        wrong_version,
        wrong_scheme,
        VerifyError::WrongDictionary,
        VerifyError::SignatureInvalid,
    ]
    .map(ApplyError::Head);
    let (history, root) = (ApplyError::HistoryMismatch, ApplyError::RootMismatch);
    let mut bad = vec![
        gap(next),
        gap(Version::new(u64::MAX)),
        (own(&|head| head.version = other_version), wrong_version),
        (own(&|head| head.dictionary = another), wrong_dictionary),
        (own(&|head| head.scheme = other_scheme), wrong_scheme),
        (flipped, invalid),
        (unsigned, invalid),
        (signed(&|_| {}, STRANGER), invalid),
        (own(&|head| head.history = S::empty_tree()), history),
        (own(&|head| head.root = S::empty_tree()), root),
    ];
    bad.extend(expected.previous().map(gap));
    bad
}

fn bad_operations<S: Suite, A: Attachment>(good: &Update<S, A>) -> Vec<(Update<S, A>, ApplyError)> {
    let changed = |change: &dyn Fn(&mut Vec<Operation>), error| {
        let mut update = good.clone();
        change(&mut update.operations);
        (update, error)
    };
    let absent = key(b"an absent key that sorts before the others".map(|byte| byte & 31));
    let (unordered, removes_absent, mismatch) = (
        ApplyError::UnorderedOperations,
        ApplyError::RemovesAbsentKey,
        ApplyError::RootMismatch,
    );
    let remove_after = |operations: &mut Vec<Operation>| {
        let last = operations.last().expect("two operations").key();
        let after = [last.as_bytes(), &[0]].concat();
        operations.push(Operation::Remove(key(after)));
    };
    let put_another = |operations: &mut Vec<Operation>| {
        let key = operations[0].key().clone();
        operations[0] = Operation::Put(key, value(b"another value"));
    };
    let insert = |operation: Operation| {
        move |operations: &mut Vec<Operation>| operations.insert(0, operation.clone())
    };
    let put_absent = Operation::Put(absent.clone(), value(b"x"));
    vec![
        changed(&|operations| operations.reverse(), unordered),
        changed(
            &|operations| operations.extend_from_within(operations.len() - 1..),
            unordered,
        ),
        changed(&insert(Operation::Remove(absent)), removes_absent),
        changed(&remove_after, removes_absent),
        changed(&|operations| drop(operations.pop()), mismatch),
        changed(&Vec::clear, mismatch),
        changed(&insert(put_absent), mismatch),
        changed(&put_another, mismatch),
    ]
}
