//! Servers that receive updates the author did not publish, and authors with a failing signer.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use pad_accumulators::wire;
use pad_conformance::{
    aad::{
        roles::{public, signer},
        verify,
    },
    pad::Unreliable,
};
use pad_core::{ApplyError, HeadSigner, Operation, Repository as _, Version, Workers, codec};
use pad_log::{
    AadCounted, AadFrontier, AasCounted, AppendError, AuthorError, Entry, LogAuthor, LogRepository,
    LookupProof, Schedule, internals::RepositoryAuthor,
};

use crate::{
    support::{at, client_log, distinct, key, log, members, pair},
    updates::{LogUpdate, Scheme, server},
};

#[test]
fn a_server_refuses_what_the_author_did_not_publish_and_stays_as_it_was() {
    let (mut author, mut server) = server(20);
    let before = server.entries().digest(20);
    let published = server.head(Version::new(1)).unwrap().head.root;
    assert_eq!(published, before);
    let root = at(&client_log(author.log()), 1, published);
    author.append(pair("key", "value")).unwrap();
    let update = author.snapshot().unwrap();

    let refuse = |server: &mut LogRepository<Scheme>, change: &dyn Fn(&mut LogUpdate)| {
        let mut changed = update.clone();
        change(&mut changed);
        let refused = server.apply(&changed).unwrap_err();
        assert_eq!((server.latest().number(), server.entries().size()), (1, 20));
        assert_eq!(server.entries().digest(20), before);
        refused
    };
    let refused = refuse(&mut server, &|update| {
        update.attachment.entries.push(pair("another", "value"));
    });
    assert_eq!(refused, ApplyError::RootMismatch);
    let refused = refuse(&mut server, &|update| {
        // Enough entries to make nodes, which are then discarded.
        update.attachment.entries = distinct(40);
    });
    assert_eq!(refused, ApplyError::RootMismatch);
    let refused = refuse(&mut server, &|update| {
        update.operations.push(Operation::Remove(key("key 1")));
    });
    assert_eq!(refused, ApplyError::OperationsNotAllowed);
    let refused = refuse(&mut server, &|update| update.head.head.root.0[0] ^= 1);
    assert!(matches!(refused, ApplyError::Head(_)));
    let refused = refuse(&mut server, &|update| update.base = Version::EMPTY);
    assert!(matches!(refused, ApplyError::VersionGap { .. }));

    assert_eq!(server.apply(&update), Ok(Version::new(2)));
    // Older versions are answered as before.
    let asked = key("key");
    let proof = wire::encode(&server.prove(Version::new(1), &asked).unwrap());
    let found = verify::<LookupProof<Scheme>>(&proof, &root, &asked).unwrap();
    assert_eq!(found.values, []);
}

#[test]
fn a_signer_that_fails_loses_nothing() {
    let log = log::<Scheme>(7, 5, Schedule::Eager);
    let signer = HeadSigner::new(Unreliable::new(7, || true));
    let mut author = LogAuthor::new(log, public(), signer, Workers::sequential()).unwrap();
    author.append(pair("key", "value")).unwrap();
    for _ in 0..2 {
        assert!(author.snapshot().is_err());
        assert_eq!(author.version(), Version::EMPTY);
        assert_eq!(author.values(b"key").count(), 1);
    }
}

fn empty<S: pad_log::Scheme>(schedule: Schedule) -> LogRepository<S> {
    LogRepository::new(log(7, 4, schedule), public(), Workers::sequential()).unwrap()
}

fn stored<S: pad_log::Scheme>(repository: &LogRepository<S>) -> Vec<u8> {
    codec::encode(&repository.checkpoint())
}

/// Checks that a repository that signs its own versions equals a server that follows an author of
/// the same entries.
fn check_own_versions<S: pad_log::Scheme>(
    schedule: Schedule,
    batches: &[usize],
    entry: fn(usize) -> Entry,
) {
    let mut own = empty::<S>(schedule);
    let mut signing = RepositoryAuthor::new(&own, HeadSigner::new(signer()));
    let mut following = empty::<S>(schedule);
    let (workers, key) = (Workers::sequential(), HeadSigner::new(signer()));
    let author = LogAuthor::<S>::new(log(7, 4, schedule), public(), key, workers);
    let mut author = author.unwrap();
    let mut numbers = 0..;
    for batch in batches {
        let entries: Vec<Entry> = numbers.by_ref().take(*batch).map(entry).collect();
        for entry in &entries {
            author.append(entry.clone()).unwrap();
        }
        let update = author.snapshot().unwrap();
        following.apply(&update).unwrap();
        assert_eq!(own.sign(&mut signing, entries).unwrap(), update);
        assert_eq!(stored(&own), stored(&following), "{}", own.latest());
    }
    assert_eq!(signing.version(), author.version());
    let mut resumed = LogAuthor::resume(&following, HeadSigner::new(signer()));
    let update = [&mut author, &mut resumed].map(|author| {
        author.append(entry(1_000)).unwrap();
        author.snapshot().unwrap()
    });
    assert_eq!(update[0], update[1]);
}

#[test]
fn a_repository_signs_what_an_author_would_sign() {
    let batches = [1, 7, 0, 9, 16, 3, 1, 1, 20, 8];
    let of_few_keys = |number| pair(&format!("key {}", number % 5), &format!("{number}"));
    for schedule in [Schedule::Eager, Schedule::Deferred] {
        check_own_versions::<AadCounted>(schedule, &batches, of_few_keys);
        let member = |number| Entry::member(key(&format!("member {number}")));
        check_own_versions::<AasCounted>(schedule, &batches, member);
    }
    check_own_versions::<AadFrontier>(Schedule::Eager, &[17, 3, 1], of_few_keys);
}

#[test]
fn a_sealed_version_is_signed_with_its_entries_whatever_comes_later() {
    let fails = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&fails);
    let mut own = empty::<AadCounted>(Schedule::Eager);
    let unreliable = Unreliable::new(3, move || asked.load(Ordering::Relaxed));
    let mut signing = RepositoryAuthor::new(&own, HeadSigner::new(unreliable));
    own.sign(&mut signing, distinct(9)).unwrap();
    let before = stored(&own);
    fails.store(true, Ordering::Relaxed);
    for entries in [vec![pair("key", "sealed")], vec![pair("key", "later")]] {
        let failed = own.sign(&mut signing, entries).unwrap_err();
        assert!(matches!(failed, AuthorError::Signer(_)), "{failed}");
        assert!(signing.has_unsigned());
        assert_eq!(
            (signing.version(), stored(&own)),
            (Version::new(1), before.clone())
        );
    }
    fails.store(false, Ordering::Relaxed);
    let update = own.sign(&mut signing, vec![pair("key", "later")]).unwrap();
    assert_eq!(update.attachment.entries, [pair("key", "sealed")]);
    assert!(!signing.has_unsigned());
    let update = own.sign(&mut signing, vec![pair("key", "later")]).unwrap();
    assert_eq!(
        (own.latest(), update.base),
        (Version::new(3), Version::new(2))
    );
}

#[test]
fn a_repository_refuses_false_signatures_and_versions_from_elsewhere() {
    let mut own = empty::<AadCounted>(Schedule::Eager);
    let before = stored(&own);
    // The key of somebody else.
    let mut signing = RepositoryAuthor::new(&own, HeadSigner::new(Unreliable::new(4, || false)));
    for _ in 0..2 {
        let refused = own.sign(&mut signing, distinct(9)).unwrap_err();
        assert!(
            matches!(refused, AuthorError::Head(ApplyError::Head(_))),
            "{refused}"
        );
        assert!(signing.has_unsigned() && stored(&own) == before);
    }
    let mut first = RepositoryAuthor::new(&own, HeadSigner::new(signer()));
    let mut second = RepositoryAuthor::new(&own, HeadSigner::new(signer()));
    own.sign(&mut first, distinct(9)).unwrap();
    let before = stored(&own);
    let refused = own.sign(&mut second, distinct(3)).unwrap_err();
    let gap = ApplyError::VersionGap {
        expected: Version::new(1),
        actual: Version::EMPTY,
    };
    assert!(matches!(refused, AuthorError::Head(error) if error == gap));
    assert_eq!((second.has_unsigned(), stored(&own)), (false, before));
}

#[test]
fn a_set_skips_its_members_and_refuses_values() {
    let mut own = empty::<AasCounted>(Schedule::Eager);
    let mut signing = RepositoryAuthor::new(&own, HeadSigner::new(signer()));
    let twice = [members(9), members(11)].concat();
    let update = own.sign(&mut signing, twice).unwrap();
    assert_eq!(update.attachment.entries, members(11));
    let before = stored(&own);
    let refused = own.sign(
        &mut signing,
        vec![Entry::member(key("new")), pair("key", "value")],
    );
    let with_value = AppendError::MemberWithValue;
    assert!(matches!(refused, Err(AuthorError::Append(error)) if error == with_value));
    assert_eq!((signing.has_unsigned(), stored(&own)), (false, before));
}
