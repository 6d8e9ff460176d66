//! A client that follows a log, and logs that change their past.

use ed25519_dalek::SigningKey;
use pad_accumulators::wire;
use pad_core::{
    AuthorKey, Authority, DecodeError, DictionaryId, Digest, Heads as _, HistoryLog, SchemeId,
    Sha256Ed25519, SignedHead, SnapshotHead, TrustedView, Untrusted, Value, VerifyError, Version,
    Workers, codec,
};
use pad_log::{
    AadCounted, AppendOnlyProof, Continuation, Entry, Growth, LONGEST_GROWTH, LONGEST_LOOKUP, Log,
    LogClient, LogRefusal, LogRepository, LookupProof, PastProofs, Schedule, internals::hash,
};

use pad_conformance::aad::{
    Roles,
    roles::{advance, client, public, signer},
};

use crate::support::{at, client_log, entries, key, log, pair, verify};

type Scheme = AadCounted;

/// Heads signed by the author over arbitrary roots.
fn heads(
    log: &Log<Scheme>,
    roots: &[Digest<32>],
) -> (Vec<SignedHead<Sha256Ed25519>>, HistoryLog<Sha256Ed25519>) {
    let mut history = HistoryLog::default();
    let mut heads = Vec::new();
    for (number, root) in (0_u64..).zip(roots) {
        let head = SnapshotHead::<Sha256Ed25519> {
            scheme: SchemeId(0x0302),
            dictionary: log.dictionary(),
            version: Version::new(number + 1),
            root: *root,
            history: history.root(number).unwrap(),
        };
        heads.push(head.sign(&signer()).unwrap());
        history.append(root);
    }
    (heads, history)
}

/// A published log with one entry for each version.
fn published(values: &[&str]) -> LogRepository<Scheme> {
    let log = log::<Scheme>(9, 4, Schedule::Eager);
    let mut roles = Roles::new(&log);
    for value in values {
        roles.append(pair("key", value));
        roles.publish();
    }
    roles.server
}

/// A client must not follow a log whose signed history contains the older head, but whose contents
/// lack older entries.
#[test]
fn a_log_that_changes_its_past_is_not_followed() {
    let honest = published(&["1", "2", "3"]);
    // The author's version 3 lacks the entry of version 2.
    let log = honest.entries().log().clone();
    let mut changed = pad_log::Entries::new(log, Workers::sequential()).unwrap();
    for value in ["1", "another", "3"] {
        changed.push(pair("key", value)).unwrap();
    }
    changed.build().unwrap();
    let head = SnapshotHead {
        root: changed.digest(3),
        ..honest.head(Version::new(3)).unwrap().head
    };
    let signed = head.sign(&signer()).unwrap();

    let mut client = client(&honest);
    advance(&mut client, &honest, 2).unwrap();
    let (from, to) = (Version::new(2), Version::new(3));
    let consistency = codec::encode(&honest.heads().prove_consistency(from, to).unwrap());
    let of_changed = |from| wire::encode(&changed.prove_append_only(from, 3));
    let of_honest = wire::encode(&honest.prove_append_only(from, to).unwrap());
    for (append_only, reason) in [
        (of_changed(2), VerifyError::OldRootMismatch),
        (of_changed(0), VerifyError::OldRootMismatch),
        (of_honest, VerifyError::RootMismatch),
        (Vec::new(), VerifyError::Undecodable(DecodeError::Malformed)),
    ] {
        let continuation = Continuation {
            consistency: &consistency,
            append_only: &append_only,
        };
        let refused = client.advance(&codec::encode(&signed), Some(continuation));
        let expected = LogRefusal::NotGrown {
            reason,
            older: Box::new(honest.head(from).unwrap()),
            newer: Box::new(signed),
        };
        assert_eq!(refused, Err(expected));
        assert_eq!(client.version(), from, "the client is as it was");
    }
    let refused = client.advance(&codec::encode(&signed), None);
    let malformed = LogRefusal::Head(VerifyError::MalformedHistoryProof);
    assert_eq!(refused, Err(malformed));
    // The honest version is still accepted. The other one is then a fork.
    advance(&mut client, &honest, 3).unwrap();
    let refused = client.advance(&codec::encode(&signed), None);
    assert!(matches!(refused, Err(LogRefusal::Fork(_))), "{refused:?}");
    let older = client.advance(&codec::encode(&honest.head(from).unwrap()), None);
    let (seen, offered) = (to, from);
    let rollback = VerifyError::Rollback { seen, offered };
    assert_eq!(older, Err(LogRefusal::Head(rollback)));
}

/// The history contains a root that the log never had. Under the newest head a client could
/// otherwise be shown a value in version 2 that version 3 lacks.
#[test]
fn the_newest_head_vouches_for_no_past_that_it_does_not_contain() {
    let log = log::<Scheme>(9, 4, Schedule::Eager);
    let of = |all: &[Entry]| entries(&log, all);
    let honest = of(&[pair("bank", "good"), pair("other", "x"), pair("third", "y")]);
    let ghost = of(&[pair("bank", "good"), pair("bank", "rogue")]);
    let (heads, history) = heads(&log, &[honest.digest(1), ghost.digest(2), honest.digest(3)]);

    let mut client = LogClient::new(client_log(&log), public());
    client.advance(&codec::encode(&heads[0]), None).unwrap();
    let (one, two, three) = (Version::new(1), Version::new(2), Version::new(3));
    let consistency = codec::encode(&history.prove_consistency(one, three).unwrap());
    let append_only = wire::encode(&honest.prove_append_only(1, 3));
    let continuation = Continuation {
        consistency: &consistency,
        append_only: &append_only,
    };
    let followed = client.advance(&codec::encode(&heads[2]), Some(continuation));
    followed.unwrap();

    let newest = client.newest().unwrap();
    let proof = wire::encode(&honest.prove_values(3, b"bank").unwrap());
    let (limit, asked) = (LONGEST_LOOKUP, key("bank"));
    let values = client.check::<LookupProof<Scheme>>(&proof, limit, &newest, &asked);
    let good = Value::try_from("good").unwrap();
    assert_eq!(values.unwrap().get().values, [good]);

    let inclusion = codec::encode(&history.prove_inclusion(two, three).unwrap());
    for (append_only, reason) in [
        (honest.prove_append_only(2, 3), VerifyError::OldRootMismatch),
        (honest.prove_append_only(3, 3), VerifyError::OldRootMismatch),
        (honest.prove_append_only(0, 3), VerifyError::OldRootMismatch),
        (ghost.prove_append_only(2, 2), VerifyError::OldRootMismatch),
    ] {
        let append_only = wire::encode(&append_only);
        let proofs = PastProofs {
            inclusion: &inclusion,
            append_only: &append_only,
        };
        let version = two;
        let refused = client.past(version, proofs).unwrap_err();
        assert_eq!(refused, LogRefusal::PastNotContained { version, reason });
    }
    // Version 1 is contained.
    let inclusion = codec::encode(&history.prove_inclusion(one, three).unwrap());
    let append_only = wire::encode(&honest.prove_append_only(1, 3));
    let proofs = PastProofs {
        inclusion: &inclusion,
        append_only: &append_only,
    };
    let past = client.past(one, proofs).unwrap();
    assert_eq!((past.version(), past.root()), (one, honest.digest(1)));
}

/// The log has as many trees as 33 600 elements at `H = 4`, so the proof has more than 64 KiB. A
/// proof over the client's limit must not count as evidence against the log.
#[test]
fn an_honest_log_of_many_top_trees_is_followed() {
    let log = log::<Scheme>(9, 4, Schedule::Eager);
    // This proof opens no top tree, so arbitrary roots serve as those of an honest log.
    let roots = (0..2101_u64).map(|number| hash::leaf(number, b""));
    let roots: Vec<Digest<32>> = roots.collect();
    let (from, to) = (2100 * 16_u64, 2101 * 16_u64);
    let old = hash::digest(log.id(), from, hash::bag(&roots[..2100]));
    let new = hash::digest(log.id(), to, hash::bag(&roots));
    let (heads, history) = heads(&log, &[old, new]);
    let mut append_only = codec::envelope(131, 0x0302);
    append_only.extend_from_slice(&from.to_be_bytes());
    append_only.extend_from_slice(&to.to_be_bytes());
    for root in &roots {
        append_only.extend_from_slice(&root.0);
    }
    // The proof is valid.
    let growth = Growth::new(at(&client_log(&log), 1, old), at(&client_log(&log), 2, new));
    verify::<AppendOnlyProof<Scheme>>(&append_only, &growth.unwrap(), &()).unwrap();

    let mut client = LogClient::new(client_log(&log), public());
    client.advance(&codec::encode(&heads[0]), None).unwrap();
    let consistency = history.prove_consistency(Version::new(1), Version::new(2));
    let consistency = codec::encode(&consistency.unwrap());
    let continuation = Continuation {
        consistency: &consistency,
        append_only: &append_only,
    };
    let limit = append_only.len() - 1;
    client.set_longest_growth(limit);
    let refused = client.advance(&codec::encode(&heads[1]), Some(continuation));
    let too_large = LogRefusal::Decode(DecodeError::TooLarge { limit });
    assert_eq!(refused, Err(too_large));
    client.set_longest_growth(LONGEST_GROWTH);
    let followed = client.advance(&codec::encode(&heads[1]), Some(continuation));
    assert_eq!(followed, Ok(Version::new(2)));
}

/// Two heads of one version are evidence, whatever other bytes the server sends.
#[test]
fn a_fork_is_noticed_whatever_comes_with_it() {
    let log = log::<Scheme>(9, 4, Schedule::Eager);
    let of = |all: &[Entry]| entries(&log, all);
    let (one, other) = (of(&[pair("bank", "good")]), of(&[pair("bank", "rogue")]));
    let (first, _) = heads(&log, &[one.digest(1)]);
    let (second, _) = heads(&log, &[other.digest(1)]);
    let mut client = LogClient::new(client_log(&log), public());
    client.advance(&codec::encode(&first[0]), None).unwrap();
    let continuation = Continuation {
        consistency: b"junk",
        append_only: b"junk",
    };
    let refused = client.advance(&codec::encode(&second[0]), Some(continuation));
    assert!(matches!(refused, Err(LogRefusal::Fork(_))), "{refused:?}");
}

#[test]
fn a_view_of_another_author_is_not_resumed() {
    let log = log::<Scheme>(9, 4, Schedule::Eager);
    let client = LogClient::new(client_log(&log), public());
    let stranger = SigningKey::from_bytes(&[66; 32]);
    let authority = Authority {
        author: AuthorKey::from_bytes(stranger.verifying_key().as_bytes()).unwrap(),
        ..*client.view().authority()
    };
    let mut view = TrustedView::new(authority);
    let head = SnapshotHead::<Sha256Ed25519> {
        version: Version::new(1),
        ..SnapshotHead::empty(authority.scheme, authority.dictionary)
    };
    view.advance(Untrusted::new(head.sign(&stranger).unwrap()), None)
        .unwrap();
    let resumed = LogClient::resume(client.log().clone(), public(), view);
    assert_eq!(resumed.unwrap_err(), VerifyError::WrongDictionary);
    let other = Log::<Scheme>::new(DictionaryId::from_bytes([8; 16]), log.setup().clone());
    let resumed = LogClient::resume(other, public(), *client.view());
    assert_eq!(resumed.unwrap_err(), VerifyError::WrongDictionary);
}
