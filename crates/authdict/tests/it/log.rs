//! Checks that a client with a stored view refuses a log that changes its past.

use authdict::{
    DictionaryId, Key, LogParameters, Operation, Refusal, SchemeName, SecretKey, StoredView,
    SuiteName, Value, VerifyError, Version, Zeroizing,
    internals::{RecordChange, RedbStore, Store as _},
    pad_core::{HeadSigner, codec},
    pad_log::{AadCounted, Entries, Entry, Log, LogAuthor, LogRepository, Schedule, Shape},
};
use pad_accumulators::wire;
use pad_core::{Heads as _, SnapshotHead, Workers};
use sha2::{Digest as _, Sha256};

use crate::shop::Shop;

/// Returns insecure parameters for trees of 16 entries.
pub(crate) fn small(scheme: SchemeName) -> LogParameters {
    LogParameters::generate_insecure(scheme, 4).unwrap()
}

/// Returns the part of a key that is specific to the scheme of a log.
pub(crate) fn setup(scheme: SchemeName, parameters: &LogParameters) -> Option<Zeroizing<Vec<u8>>> {
    parameters.setup(scheme, Shape::new(4, Schedule::Eager).unwrap())
}

/// Returns the key of a log.
pub(crate) fn key_of_log(scheme: SchemeName, parameters: &LogParameters) -> SecretKey {
    let (suite, id) = (SuiteName::Sha256Ed25519, DictionaryId::from_name("log"));
    SecretKey::from_parts(suite, scheme, id, &[7; 32], setup(scheme, parameters)).unwrap()
}

fn entry(value: &str) -> Entry {
    let (key, value) = (
        Key::try_from("key").unwrap(),
        Value::try_from(value).unwrap(),
    );
    Entry { key, value }
}

/// A stored view must not follow a signed history that contains the older head, but whose contents
/// lack older entries.
#[test]
fn a_stored_view_does_not_follow_a_log_that_changes_its_past() {
    let parameters = small(SchemeName::AadCounted);
    let key = key_of_log(SchemeName::AadCounted, &parameters);
    let public = key.public();
    let (author_key, id) = (public.authority.author, public.authority.dictionary);
    let log = Log::<AadCounted>::new(id, parameters.setup_of(public).unwrap());
    let workers = Workers::sequential();
    let signer = HeadSigner::new(key.signer());
    let mut author = LogAuthor::new(log.clone(), author_key, signer, workers.clone()).unwrap();
    let mut server = LogRepository::new(log.clone(), author_key, workers.clone()).unwrap();
    for value in ["1", "2", "3"] {
        author.append(entry(value)).unwrap();
        server.apply(&author.snapshot().unwrap()).unwrap();
    }
    let mut changed = Entries::new(log, workers).unwrap();
    for value in ["1", "another", "3"] {
        changed.push(entry(value)).unwrap();
    }
    changed.build().unwrap();
    let (older, newer) = (Version::new(2), Version::new(3));
    let honest = server.head(newer).unwrap();
    let head = SnapshotHead {
        root: changed.digest(3),
        ..honest.head
    };
    let lie = codec::encode(&head.sign(&key.signer()).unwrap());

    let view = StoredView::new(public.clone());
    let first = codec::encode(&server.head(older).unwrap());
    let view = view.advance(&first, None, None).unwrap();
    let consistency = codec::encode(&server.heads().prove_consistency(older, newer).unwrap());
    let grown = wire::encode(&server.prove_append_only(older, newer).unwrap());
    let made_up = wire::encode(&changed.prove_append_only(2, 3));
    let refused = |head: &[u8], append_only: Option<&[u8]>| {
        let advanced = view.advance(head, Some(&consistency), append_only);
        advanced.unwrap_err().refusal
    };
    for (append_only, reason) in [
        (&made_up, VerifyError::OldRootMismatch),
        (&grown, VerifyError::RootMismatch),
    ] {
        let expected = Refusal::NotGrown {
            older,
            newer,
            reason,
        };
        assert_eq!(refused(&lie, Some(append_only)), expected);
    }
    let honest = codec::encode(&honest);
    let missing = refused(&honest, None);
    assert!(matches!(missing, Refusal::NotGrown { .. }), "{missing}");
    let advanced = view.advance(&honest, Some(&consistency), Some(&grown));
    let text = advanced.unwrap().to_text();
    assert_eq!(StoredView::parse(&text).unwrap().version(), newer);
}

/// An attacker with write access to the store replaces the powers, but keeps the true `[s]_2`.
#[test]
fn an_author_signs_nothing_that_is_accumulated_with_other_powers() {
    let [honest, other] = [SchemeName::AadCounted; 2].map(small);
    let key = key_of_log(SchemeName::AadCounted, &honest);
    let record = honest.record();
    let shop = Shop::of_with(key, Some(record.clone()));
    let entry = entry("value");
    shop.publish(vec![Operation::Put(entry.key, entry.value)]);

    let kept = |record: &RecordChange| match record {
        RecordChange::Put { value, .. } => value[32..].to_vec(),
        other => panic!("{other:?}"),
    };
    let (honest, other) = (kept(&record), kept(&other.record()));
    // The 17 powers in G1 precede the powers in G2.
    let in_g2 = honest.len() - 4 - 2 * 192;
    let mixed = [&other[..in_g2], &honest[in_g2..]].concat();
    let digest = Sha256::digest(&mixed);
    let record = RecordChange::put("parameters", "", [&digest[..], &mixed].concat());
    let mut store = RedbStore::open(&shop.store).unwrap();
    let latest = store.latest().unwrap();
    store
        .publish(latest.next().unwrap(), &[], &[record])
        .unwrap();
    drop(store);
    // The server opens, and makes proofs that clients refuse. The author does not open.
    drop(shop.repository());
    let refused = shop.author().unwrap_err().to_string();
    let is_right = refused.contains("not the powers of one secret");
    assert!(is_right, "{refused}");
}
