//! Updates: their bounds, and the effects of refused ones.

use pad_conformance::aad::Roles;
use pad_core::{ApplyError, DecodeError, Key, Sha256Ed25519, Update, codec};
use pad_log::{
    AadCounted, AppendError, Appended, Entry, LogAuthor, LogRepository, Schedule,
    internals::MOST_ENTRIES,
};

use crate::support::{distinct, log, pair};

pub(crate) type Scheme = AadCounted;
pub(crate) type LogUpdate = Update<Sha256Ed25519, Appended>;

/// An author and a server of one version with the given number of entries.
pub(crate) fn server(entries: usize) -> (LogAuthor<Scheme>, LogRepository<Scheme>) {
    let log = log::<Scheme>(7, 5, Schedule::Eager);
    let mut roles = Roles::new(&log);
    for entry in distinct(entries) {
        roles.append(entry);
    }
    roles.publish();
    (roles.author, roles.server)
}

/// Returns the update with its genuine head but other entries. Any party that relays an update can
/// make such an update.
fn replaced(update: &LogUpdate, round: usize) -> LogUpdate {
    let mut changed = update.clone();
    let spam = (0..10).map(|i| pair(&format!("spam {round} {i}"), "v"));
    changed.attachment.entries = spam.collect();
    changed
}

/// Refused updates must not increase memory, for example by entries of the index.
#[test]
fn refused_updates_leave_no_counters_behind() {
    let (mut author, mut server) = server(5);
    author.append(pair("key", "value")).unwrap();
    let update = author.snapshot().unwrap();
    for round in 0..20 {
        let refused = server.apply(&replaced(&update, round));
        assert_eq!(refused, Err(ApplyError::RootMismatch));
    }
    // The text of all data held, with the index by key, and by key and value.
    let text = format!("{:?}", server.entries());
    let (_, index) = text.split_once("index: Index { ").unwrap();
    let (index, _) = index.split_once(", limit: ").unwrap();
    // Five keys, and five pairs.
    assert_eq!(index.matches("One(").count(), 10, "{index}");
    assert!(!index.contains("Several"), "{index}");
}

/// Refused updates must not drop cached polynomials, which would make look-ups more expensive.
#[test]
fn refused_updates_leave_the_polynomials_where_they_are() {
    let (mut author, mut server) = server(24);
    author.append(pair("key", "value")).unwrap();
    let update = author.snapshot().unwrap();
    let polynomials = |server: &LogRepository<Scheme>| {
        let text = format!("{:?}", server.entries());
        text.split("polynomials: {")
            .nth(1)
            .unwrap()
            .matches("Address")
            .count()
    };
    let before = polynomials(&server);
    assert_eq!(before, 2, "a tree and a block");
    let refused = server.apply(&replaced(&update, 0));
    assert_eq!(refused, Err(ApplyError::RootMismatch));
    assert_eq!(polynomials(&server), before);
}

/// An author must not sign a version with more entries than servers accept, because no version
/// could follow it.
#[test]
fn an_author_takes_no_more_entries_than_servers() {
    let log = log::<Scheme>(7, 5, Schedule::Eager);
    let mut author = Roles::new(&log).author;
    for _ in 0..MOST_ENTRIES {
        author.append(pair("", "")).unwrap();
    }
    assert_eq!(author.append(pair("", "")), Err(AppendError::VersionFull));
}

/// Decoding must refuse updates of more than [`MOST_ENTRIES`] entries. An entry of two bytes takes
/// 48 in memory.
#[test]
fn updates_of_too_many_entries_are_not_decoded() {
    let (mut author, _) = server(1);
    author.append(pair("key", "value")).unwrap();
    let update = author.snapshot().unwrap();
    let decoded = |count: usize| {
        let mut update = update.clone();
        update.attachment.entries = vec![Entry::member(Key::default()); count];
        let bytes = codec::encode(&update);
        codec::decode::<LogUpdate>(&bytes, bytes.len())
            .map(|update| update.attachment.entries.len())
    };
    assert_eq!(decoded(MOST_ENTRIES), Ok(MOST_ENTRIES));
    assert_eq!(decoded(MOST_ENTRIES + 1), Err(DecodeError::Malformed));
}
