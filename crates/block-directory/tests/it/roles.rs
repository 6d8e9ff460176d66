//! Servers, full authors and clients: refused updates, changes and heads.

use block_directory::{
    AnswerError, AuthorError, BlockDirectory, DirectoryClient, Entry, EntryRange, FullAuthor,
    RequestError, internals::EntryRequest,
};
use ed25519_dalek::SigningKey;
use pad_core::{
    ApplyError, InputError, Key, LookupError, Operation, Refusal, SchemeId, SignedHead,
    SnapshotHead, Suite, Update, Value, VerifyError, Version, codec,
};

use crate::support::{S, accepted, directory, id, ids, object, signer};

/// The author's next signed update with other operations.
fn forged(author: &mut FullAuthor<S>, operations: Vec<Operation>) -> Update<S> {
    let honest = author.snapshot().unwrap();
    Update {
        operations,
        ..honest
    }
}

fn put(number: u64, value: &[u8]) -> Operation {
    let key = Key::new(number.to_be_bytes()).unwrap();
    Operation::Put(key, Value::new(value).unwrap())
}

fn remove(number: u64) -> Operation {
    Operation::Remove(Key::new(number.to_be_bytes()).unwrap())
}

/// Check 25: operations, root and history are checked before anything changes.
#[test]
fn servers_refuse_updates_that_break_the_rules() {
    let good = object::<S>(77).0;
    let short_key = Operation::Put(Key::new([0; 7]).unwrap(), Value::new(good).unwrap());
    let reserved = ApplyError::Input(InputError::ReservedDigest);
    let unordered = ApplyError::UnorderedOperations;
    let gap = |expected, actual| ApplyError::IdGap { expected, actual };
    let cases = [
        (vec![put(5, &good)], ApplyError::DeletedForGood(5)),
        (vec![remove(5)], ApplyError::DeletedForGood(5)),
        (vec![remove(21)], ApplyError::UnknownId(21)),
        (vec![put(22, &good)], gap(21, 22)),
        (vec![put(21, &good), put(23, &good)], gap(22, 23)),
        (vec![put(u64::MAX, &good)], gap(21, u64::MAX)),
        (vec![put(3, &[0; 32])], reserved),
        (vec![put(21, &[0; 32])], reserved),
        (vec![put(3, &good[..31])], ApplyError::NotAnEntry),
        (vec![put(3, &[1; 33])], ApplyError::NotAnEntry),
        (vec![short_key], ApplyError::NotAnEntry),
        (vec![put(4, &good), put(3, &good)], unordered),
        (vec![put(3, &good), put(3, &good)], unordered),
        (vec![put(3, &good)], ApplyError::RootMismatch),
        (vec![put(21, &good)], ApplyError::RootMismatch),
    ];
    for (operations, expected) in cases {
        let (mut author, mut server) = directory(21, 2);
        author.delete(id(5)).unwrap();
        server.apply(&author.snapshot().unwrap()).unwrap();
        let before = server.prove_latest(&ids(&[3, 5, 20, 21])).unwrap();
        let update = forged(&mut author, operations);
        assert_eq!(server.apply(&update), Err(expected));
        assert_eq!(server.latest(), Version::new(2));
        assert_eq!(server.prove_latest(&ids(&[3, 5, 20, 21])), Ok(before));
        let honest = Update {
            operations: Vec::new(),
            ..update
        };
        assert_eq!(server.apply(&honest), Ok(Version::new(3)));
    }
}

/// Check 2, at the server: an update of another author, directory or scheme, or out of order.
#[test]
fn servers_refuse_updates_of_others() {
    let (mut author, mut server) = directory(3, 2);
    let stranger = SigningKey::from_bytes(&[8; 32]);
    let mut other = FullAuthor::<S>::new("directory", stranger).unwrap();
    drop(other.snapshot().unwrap());
    let refused = server.apply(&other.snapshot().unwrap());
    let unsigned = ApplyError::Head(VerifyError::SignatureInvalid);
    assert_eq!(refused, Err(unsigned));
    let mut elsewhere = FullAuthor::<S>::new("another", signer()).unwrap();
    drop(elsewhere.snapshot().unwrap());
    let refused = server.apply(&elsewhere.snapshot().unwrap());
    assert_eq!(refused, Err(ApplyError::Head(VerifyError::WrongDictionary)));
    let first = author.snapshot().unwrap();
    let second = author.snapshot().unwrap();
    let (expected, actual) = (Version::new(1), Version::new(2));
    assert_eq!(
        server.apply(&second),
        Err(ApplyError::VersionGap { expected, actual })
    );
    let resigned = |change: &dyn Fn(&mut SnapshotHead<S>)| {
        let mut head = first.head.head;
        change(&mut head);
        let head = head.sign(&signer()).unwrap();
        Update {
            head,
            ..first.clone()
        }
    };
    let refused = server.apply(&resigned(&|head| head.scheme = SchemeId(2)));
    let (expected, actual) = (0x0401, 2);
    let wrong_scheme = VerifyError::WrongScheme { expected, actual };
    assert_eq!(refused, Err(ApplyError::Head(wrong_scheme)));
    let refused = server.apply(&resigned(&|head| head.history = head.root));
    assert_eq!(refused, Err(ApplyError::HistoryMismatch));
    assert_eq!(server.apply(&first), Ok(Version::new(2)));
}

/// The author refuses changes that no server accepts.
#[test]
fn full_authors_refuse_what_breaks_the_rules() {
    let (mut author, mut server) = directory(21, 2);
    let (zero, good) = (<S as Suite>::Digest::default(), object::<S>(77));
    author.delete(id(5)).unwrap();
    assert_eq!(author.append(zero), Err(InputError::ReservedDigest));
    let reserved = Err(ApplyError::Input(InputError::ReservedDigest));
    assert_eq!(author.update(id(3), zero), reserved);
    for published in [false, true] {
        let deleted = Err(ApplyError::DeletedForGood(5));
        assert_eq!(author.update(id(5), good), deleted);
        assert_eq!(author.delete(id(5)), deleted);
        assert_eq!(author.entry(id(5)), Ok(Entry::Deleted));
        if !published {
            server.apply(&author.snapshot().unwrap()).unwrap();
        }
    }
    assert_eq!(author.update(id(21), good), Err(ApplyError::UnknownId(21)));
    assert_eq!(author.delete(id(21)), Err(ApplyError::UnknownId(21)));
    // An entry that is new in this version may change its object, but not be deleted.
    assert_eq!(author.append(good), Ok(id(21)));
    assert_eq!(author.update(id(21), object::<S>(78)), Ok(()));
    assert_eq!(author.delete(id(21)), Err(ApplyError::UnknownId(21)));
    assert_eq!(author.entry(id(21)), Ok(Entry::Live(object::<S>(78))));
    assert_eq!(author.entry(id(22)), Ok(Entry::Unassigned));
    server.apply(&author.snapshot().unwrap()).unwrap();
    assert!(matches!(author.load([good]), Err(AuthorError::NotEmpty)));
}

/// Loading all objects at once must be refused if their digests are not the author's, or the head
/// is a different one.
#[test]
fn loading_is_checked_against_the_head() {
    let objects = |count| (0..count).map(object::<S>);
    let mut author = FullAuthor::<S>::new("directory", signer()).unwrap();
    let zeros = author.load([<S as Suite>::Digest::default()]);
    assert!(matches!(
        zeros,
        Err(AuthorError::Input(InputError::ReservedDigest))
    ));
    let head = author.load(objects(1000)).unwrap();
    let load = |head: &SignedHead<S>, count| {
        let server = BlockDirectory::<S>::new(*author.authority(), 7).unwrap();
        let loaded = server.load(head, objects(count));
        loaded.map(|server| server.registered())
    };
    assert_eq!(load(&head, 1000), Ok(1000));
    assert_eq!(load(&head, 999), Err(ApplyError::RootMismatch));
    assert_eq!(load(&head, 1001), Err(ApplyError::RootMismatch));
    let mut forged = head;
    forged.head.root = S::empty_tree();
    let unsigned = ApplyError::Head(VerifyError::SignatureInvalid);
    assert_eq!(load(&forged, 0), Err(unsigned));
    // The loaded directory accepts further updates.
    let server = BlockDirectory::<S>::new(*author.authority(), 7).unwrap();
    let mut server = server.load(&head, objects(1000)).unwrap();
    author.delete(id(500)).unwrap();
    author.append(object::<S>(1000)).unwrap();
    let applied = server.apply(&author.snapshot().unwrap());
    assert_eq!(applied, Ok(Version::new(2)));
}

fn refused<T: std::fmt::Debug>(result: Result<T, AnswerError<S>>) -> VerifyError {
    match result.unwrap_err() {
        AnswerError::Refused(Refusal::Head(error) | Refusal::Proof(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// Check 2, at the client: heads that are older, of another author, or do not continue the history.
#[test]
fn clients_follow_one_history() {
    let (mut author, mut server) = directory(21, 2);
    let (_, old) = directory(21, 2);
    let mut client = DirectoryClient::<S>::new(*author.authority(), 2);
    let (pending, request) = client.ask(ids(&[3]));
    let first = server.answer(&request).unwrap();
    author.delete(id(5)).unwrap();
    server.apply(&author.snapshot().unwrap()).unwrap();
    let found = accepted(client.ask(ids(&[5])), &server, &mut client);
    assert_eq!(found.entries.get().of(id(5)), Some(Entry::Deleted));
    // An answer that another one overtook is not evidence against the server.
    assert_eq!(client.accept(&pending, &first), Err(AnswerError::Overtaken));
    // A server that is behind returns an error. If it answers nevertheless, the answer is refused.
    let (pending, request) = client.ask(ids(&[3]));
    let Err(RequestError::Lookup(behind)) = old.answer(&request) else {
        panic!("an answer of a server that is behind")
    };
    assert!(matches!(behind, LookupError::UnknownVersion { .. }));
    let rolled_back = refused(client.accept(&pending, &first));
    let (seen, offered) = (Version::new(2), Version::new(1));
    assert_eq!(rolled_back, VerifyError::Rollback { seen, offered });
    // A head that the client already knows is not allowed as news.
    let known = EntryRequest::new(Version::EMPTY, ids(&[3]), None).unwrap();
    let repeated = codec::encode(&server.answer_entries(&known).unwrap());
    let repeated = refused(client.accept(&pending, &repeated));
    assert_eq!(repeated, VerifyError::AnswerMismatch);
    // A newer head without a consistency proof.
    author.append(object::<S>(30)).unwrap();
    server.apply(&author.snapshot().unwrap()).unwrap();
    let unproved = codec::encode(&server.answer_entries(&known).unwrap());
    let unproved = refused(client.accept(&pending, &unproved));
    assert_eq!(unproved, VerifyError::MalformedHistoryProof);
    let honest = server.answer(&request).unwrap();
    assert!(client.accept(&pending, &honest).is_ok());
    assert_eq!(client.view().version(), Version::new(3));
}

/// An author signs two heads for one version. The client gets the evidence.
#[test]
fn forks_make_evidence() {
    let (_, server) = directory(21, 2);
    let (author, other) = directory(22, 2);
    let mut client = DirectoryClient::<S>::new(*author.authority(), 2);
    let asked = client.ask(ids(&[3]));
    accepted(asked.clone(), &server, &mut client);
    let (pending, _) = client.ask(ids(&[3]));
    let forked = client.accept(&pending, &other.answer(&asked.1).unwrap());
    let forked = forked.unwrap_err();
    assert!(matches!(forked, AnswerError::Refused(Refusal::Fork { .. })));
}

/// A client without a head accepts no proof. The empty directory has no head, so any server could
/// claim that it is the latest.
#[test]
fn nothing_is_absent_before_the_first_head() {
    let (author, _) = directory(3, 2);
    let empty = BlockDirectory::<S>::new(*author.authority(), 2).unwrap();
    let mut client = DirectoryClient::<S>::new(*author.authority(), 2);
    let (pending, request) = client.ask(ids(&[0]));
    let denied = client.accept(&pending, &empty.answer(&request).unwrap());
    assert_eq!(denied, Err(AnswerError::Refused(Refusal::NoHeadSeen)));
}

#[test]
fn steps_are_1_to_12() {
    let (author, _) = directory(0, 2);
    for step in [0, 13, u32::MAX] {
        let refused = BlockDirectory::<S>::new(*author.authority(), step).map(drop);
        assert_eq!(refused, Err(VerifyError::InvalidQuery));
    }
}

/// The operator bounds the length of a range that a short request may ask for.
#[test]
fn servers_bound_what_a_range_costs_them() {
    let (author, mut server) = directory(40, 2);
    let client = DirectoryClient::<S>::new(*author.authority(), 2);
    let ask = |server: &BlockDirectory<S>, end| {
        let range = EntryRange::new(id(3), id(end)).unwrap();
        server.answer(&client.ask_range(range).1)
    };
    let refused = Err(RequestError::Lookup(LookupError::InvalidQuery));
    assert!(ask(&server, 40).is_ok());
    server.limit_ranges(10);
    assert!(ask(&server, 13).is_ok());
    assert_eq!(ask(&server, 14), refused);
    assert_eq!(ask(&server, u64::MAX), refused);
    // The limit of the format still holds.
    server.limit_ranges(u64::MAX);
    assert!(ask(&server, u64::MAX).is_ok());
}

/// An update that was checked before the lock of a server is applied only to the directory that it
/// was checked against, or is checked again.
#[test]
fn a_checked_update_fits_one_directory() {
    let (mut author, mut server) = directory(21, 2);
    let (_, mut behind) = directory(21, 2);
    // The same contents in blocks of another size.
    let (_, mut coarse) = directory(21, 3);
    author.delete(id(4)).unwrap();
    author.append(object::<S>(400)).unwrap();
    let update = author.snapshot().unwrap();
    let two = update.head.head.version;
    let mut checked = server.check_update(update.clone()).unwrap();
    assert_eq!(server.latest(), Version::new(1));
    assert_eq!(coarse.apply_checked(&mut checked), Ok(two));
    // The result of the check was used: the update is checked again for the next directory.
    assert_eq!(server.apply_checked(&mut checked), Ok(two));
    let mut checked = behind.check_update(update).unwrap();
    assert_eq!(behind.apply_checked(&mut checked), Ok(two));
    let (expected, actual) = (two, Version::new(1));
    let gap = Err(ApplyError::VersionGap { expected, actual });
    assert_eq!(behind.apply_checked(&mut checked), gap);
    for server in [&server, &behind, &coarse] {
        assert_eq!(server.registered(), 22);
        let mut client = DirectoryClient::<S>::new(*server.heads().authority(), 2);
        let found = accepted(client.ask(ids(&[3, 4, 21])), server, &mut client);
        assert_eq!(found.entries.get().registered, 22);
    }
    // A false update is refused by the check.
    let mut forged = author.snapshot().unwrap();
    forged.operations.push(put(22, &object::<S>(1).0));
    let refused = server.check_update(forged).unwrap_err();
    assert_eq!(refused, ApplyError::RootMismatch);
}
