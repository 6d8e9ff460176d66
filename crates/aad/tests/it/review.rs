//! Findings of a hostile review: each test fails until what it shows is mended.

use aad::{
    AadCounted, AbsenceProof, AasCounted, Appended, AppendOnlyProof, Continuation, Entries, Entry,
    Growth, InclusionProof, Log, LogAuthor, LogClient, LogRefusal, LogRepository, LookupProof,
    Schedule, Shape, hash,
    proof::{LONGEST_LOOKUP, LONGEST_PROOF},
};
use accumulators::wire;
use ed25519_dalek::SigningKey;
use pad_core::{
    ApplyError, AuthorKey, Digest, HeadSigner, Key, Sha256Ed25519, SignedHead, SnapshotHead,
    TrustedView, Untrusted, Update, Value, Version, Workers, codec,
    head::Authority,
    history::HistoryLog,
};

use crate::support::{at_size, client_log, distinct, key, log, pair, parameters, verify};

type Scheme = AadCounted;

fn signer() -> SigningKey {
    SigningKey::from_bytes(&[1; 32])
}

fn public() -> AuthorKey {
    AuthorKey::from_bytes(signer().verifying_key().as_bytes()).unwrap()
}

/// Heads that an author signs, whatever is below these roots.
fn heads(log: &Log<Scheme>, roots: &[Digest<32>]) -> (Vec<SignedHead<Sha256Ed25519>>, HistoryLog<Sha256Ed25519>) {
    let mut history = HistoryLog::default();
    let mut heads = Vec::new();
    for (number, root) in (0_u64..).zip(roots) {
        let head = SnapshotHead::<Sha256Ed25519> {
            scheme: pad_core::SchemeId(0x0302),
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

/// 1. A version in between that is no prefix of the newest one: `past` serves it, so one client is shown under one newest head
/// that a value was appended by version 2, and that version 3 does not have it.
#[test]
fn what_was_included_in_the_past_is_still_there() {
    let log = log::<Scheme>([9; 16], Shape::new(4, Schedule::Eager).unwrap());
    let of = |all: &[Entry]| crate::support::entries(&log, all);
    let honest = of(&[pair("bank", "good"), pair("other", "x"), pair("third", "y")]);
    let ghost = of(&[pair("bank", "good"), pair("bank", "rogue")]);
    let (heads, history) = heads(&log, &[honest.digest(1), ghost.digest(2), honest.digest(3)]);

    let mut client = LogClient::new(client_log(&log), public());
    client.advance(&codec::encode(&heads[0]), None).unwrap();
    let (one, two, three) = (Version::new(1), Version::new(2), Version::new(3));
    let consistency = codec::encode(&history.prove_consistency(one, three).unwrap());
    let append_only = wire::encode(&honest.prove_append_only(1, 3));
    let continuation = Continuation { consistency: &consistency, append_only: &append_only };
    client.advance(&codec::encode(&heads[2]), Some(continuation)).unwrap();

    let newest = client.newest().unwrap();
    let proof = wire::encode(&honest.prove_values(3, b"bank").unwrap());
    let values = client.check::<LookupProof<Scheme>>(&proof, LONGEST_LOOKUP, &newest, &key("bank")).unwrap();
    assert_eq!(values.get().values, [Value::try_from("good").unwrap()]);

    // All that `past` asks for is that the history contains the ghost's root.
    let inclusion = codec::encode(&history.prove_inclusion(two, three).unwrap());
    let Ok(past) = client.past(two, &inclusion) else { return };
    let rogue = pair("bank", "rogue");
    let proof = wire::encode(&ghost.prove_inclusion(2, 1));
    let included = client.check::<InclusionProof<Scheme>>(&proof, LONGEST_PROOF, &past, &rogue);
    assert!(included.is_err(), "included in version 2, absent from version 3: {included:?}");
}

/// 2. An honest log of more than 2000 top trees (32 768 elements at H = 4, 2^22 at H = 11) cannot be followed: `advance` has a fixed
/// limit, and accuses the log.
#[test]
fn an_honest_log_of_many_top_trees_is_followed() {
    let shape = Shape::new(4, Schedule::Eager).unwrap();
    let log = log::<Scheme>([9; 16], shape);
    // Roots as an honest log has them, as far as this proof can tell: whole top trees, none of them opened.
    let roots: Vec<Digest<32>> = (0..2101_u64).map(|number| hash::leaf(number, b"")).collect();
    let (from, to) = (2100 * 16_u64, 2101 * 16_u64);
    let old = hash::digest(log.id(), from, hash::bag(&roots[..2100]));
    let new = hash::digest(log.id(), to, hash::bag(&roots));
    let (heads, history) = heads(&log, &[old, new]);
    let mut append_only = codec::envelope(131, 0x0302);
    append_only.extend_from_slice(&from.to_be_bytes());
    append_only.extend_from_slice(&to.to_be_bytes());
    roots.iter().for_each(|root| append_only.extend_from_slice(&root.0));
    // The proof is fine.
    let growth = Growth::new(
        crate::support::at(&client_log(&log), 1, old),
        crate::support::at(&client_log(&log), 2, new),
    );
    verify::<AppendOnlyProof<Scheme>>(&append_only, &growth.unwrap(), &()).unwrap();

    let mut client = LogClient::new(client_log(&log), public());
    client.advance(&codec::encode(&heads[0]), None).unwrap();
    let consistency = history.prove_consistency(Version::new(1), Version::new(2)).unwrap();
    let consistency = codec::encode(&consistency);
    let continuation = Continuation { consistency: &consistency, append_only: &append_only };
    let followed = client.advance(&codec::encode(&heads[1]), Some(continuation));
    assert_eq!(followed, Ok(Version::new(2)));
}

/// 3. Two heads of one version are evidence, whatever bytes a server sends beside them.
#[test]
fn a_fork_is_noticed_whatever_comes_with_it() {
    let log = log::<Scheme>([9; 16], Shape::new(4, Schedule::Eager).unwrap());
    let of = |all: &[Entry]| crate::support::entries(&log, all);
    let (one, other) = (of(&[pair("bank", "good")]), of(&[pair("bank", "rogue")]));
    let (first, _) = heads(&log, &[one.digest(1)]);
    let (second, _) = heads(&log, &[other.digest(1)]);
    let mut client = LogClient::new(client_log(&log), public());
    client.advance(&codec::encode(&first[0]), None).unwrap();
    let continuation = Continuation { consistency: b"junk", append_only: b"junk" };
    let refused = client.advance(&codec::encode(&second[0]), Some(continuation));
    assert!(matches!(refused, Err(LogRefusal::Fork(_))), "{refused:?}");
}

fn server(entries: usize) -> (LogAuthor<Scheme>, LogRepository<Scheme>) {
    let log = log::<Scheme>([7; 16], Shape::new(5, Schedule::Eager).unwrap());
    let workers = Workers::sequential();
    let mut author = LogAuthor::new(log.clone(), public(), HeadSigner::new(signer()), workers.clone()).unwrap();
    let mut server = LogRepository::new(log, public(), workers).unwrap();
    for entry in distinct(entries) {
        author.append(entry).unwrap();
    }
    server.apply(&author.snapshot().unwrap()).unwrap();
    (author, server)
}

/// The same head with other entries: who relays a genuine update can make these.
fn replaced(update: &Update<Sha256Ed25519, Appended>, round: usize) -> Update<Sha256Ed25519, Appended> {
    let mut changed = update.clone();
    changed.attachment.entries = (0..10).map(|i| pair(&format!("spam {round} {i}"), "v")).collect();
    changed
}

/// 4. Refused updates leave counters behind: memory grows without bound.
#[test]
fn refused_updates_leave_no_memory_behind() {
    let (mut author, mut server) = server(5);
    author.append(pair("key", "value")).unwrap();
    let update = author.snapshot().unwrap();
    let before = format!("{:?}", server.entries()).len();
    for round in 0..20 {
        assert_eq!(server.apply(&replaced(&update, round)), Err(ApplyError::RootMismatch));
    }
    // The text of everything that is held, the map of occurrences among it.
    let text = format!("{:?}", server.entries());
    let occurrences = text.split("occurrences: {").nth(1).unwrap().split("}, forest").next().unwrap();
    assert_eq!(occurrences.matches("]: ").count(), 5, "from {before} to {} bytes of text", text.len());
}

/// 5. Refused updates throw the polynomials of the trees away, so every later look-up makes them anew.
#[test]
fn refused_updates_leave_the_polynomials_where_they_are() {
    let (mut author, mut server) = server(24);
    author.append(pair("key", "value")).unwrap();
    let update = author.snapshot().unwrap();
    let polynomials = |server: &LogRepository<Scheme>| {
        let text = format!("{:?}", server.entries());
        text.split("polynomials: {").nth(1).unwrap().matches("Address").count()
    };
    let before = polynomials(&server);
    assert_eq!(before, 2, "a tree and a block");
    assert_eq!(server.apply(&replaced(&update, 0)), Err(ApplyError::RootMismatch));
    assert_eq!(polynomials(&server), before);
}

/// 6. A version of more entries than any server takes must not be signed: nothing could ever follow it.
#[test]
fn an_author_takes_no_more_entries_than_servers() {
    let log = log::<Scheme>([7; 16], Shape::new(5, Schedule::Eager).unwrap());
    let mut author = LogAuthor::new(log, public(), HeadSigner::new(signer()), Workers::sequential()).unwrap();
    let most = aad::author::update::MOST_ENTRIES;
    let refused = (0..=most).find(|_| author.append(pair("", "")).is_err());
    assert!(refused.is_some(), "{} pending entries, and a snapshot that every server refuses", most + 1);
}

/// 7. An update of more entries than any server takes is refused while it is decoded: an entry of two bytes takes 32 to 96 in memory.
#[test]
fn updates_of_too_many_entries_are_not_decoded() {
    let (mut author, _) = server(1);
    author.append(pair("key", "value")).unwrap();
    let mut update = author.snapshot().unwrap();
    let empty = Entry::member(Key::default());
    update.attachment.entries = vec![empty; aad::author::update::MOST_ENTRIES + 1];
    let bytes = codec::encode(&update);
    let decoded = codec::decode::<Update<Sha256Ed25519, Appended>>(&bytes, bytes.len());
    let held = decoded.as_ref().map(|update| update.attachment.entries.capacity() * size_of::<Entry>());
    assert!(decoded.is_err(), "{} bytes of message, {held:?} in memory", bytes.len());
}

/// 8. A growth leads from an older version to a newer one.
#[test]
fn a_growth_does_not_lead_back() {
    let log = log::<Scheme>([9; 16], Shape::new(4, Schedule::Eager).unwrap());
    let all = crate::support::entries(&log, &distinct(3));
    // Version 5 has one entry, version 3 had three: the log shrank.
    let newer = crate::support::at(&client_log(&log), 5, all.digest(1));
    let older = crate::support::at(&client_log(&log), 3, all.digest(3));
    let proof = wire::encode(&all.prove_append_only(1, 3));
    let grown = Growth::new(newer, older).and_then(|growth| verify::<AppendOnlyProof<Scheme>>(&proof, &growth, &()));
    assert!(grown.is_err(), "{grown:?}");
}

/// 9. The empty digest names no log: a head of another one must not make statements about this one.
#[test]
fn an_empty_log_says_nothing_about_another_log() {
    let shape = Shape::new(4, Schedule::Eager).unwrap();
    let (this, other) = (log::<AasCounted>([1; 16], shape), log::<AasCounted>([2; 16], shape));
    let empty = Entries::new(other.clone(), Workers::sequential()).unwrap();
    let authority = Authority { author: public(), dictionary: other.dictionary(), scheme: pad_core::SchemeId(0x0312) };
    let head = SnapshotHead::<Sha256Ed25519> {
        version: Version::new(7),
        ..SnapshotHead::empty(authority.scheme, authority.dictionary)
    };
    let signed = head.sign(&signer()).unwrap();
    let verified = Untrusted::new(signed).verify(&authority, &Version::new(7)).unwrap();
    let proof = wire::encode(&empty.prove_absence(0, b"member").unwrap().unwrap());
    let absent = verify::<AbsenceProof<AasCounted>>(&proof, &this.at(&verified), &key("member"));
    // `Absent { dictionary: this, version: 7, .. }`, of which nobody has signed a version.
    assert!(absent.is_err(), "{absent:?}");
    let _ = (at_size(&empty, 0), parameters());
}

/// 10. A stored view of another author is not taken up (`pad_core::Client::resume` compares the whole authority).
#[test]
fn a_view_of_another_author_is_not_resumed() {
    let log = log::<Scheme>([9; 16], Shape::new(4, Schedule::Eager).unwrap());
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
    view.advance(Untrusted::new(head.sign(&stranger).unwrap()), None).unwrap();
    // There is no parameter by which the caller could say whose heads it believes.
    let resumed = LogClient::resume(client.log().clone(), view);
    assert!(resumed.is_err(), "{resumed:?}");
}
