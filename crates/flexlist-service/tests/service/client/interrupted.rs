//! Recovery from interruptions: lost requests, lost answers and crashes.

use super::*;
use crate::owner::stale_base;

/// Fails exchange number `n`, counted from 0, before or after the server gets the request.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Before(usize),
    After(usize),
}

fn out_of_reach() -> Answer {
    Err(TransportError::Http(HttpError::Unreachable {
        attempts: 1,
        reason: "a test".into(),
    }))
}

fn unreachable() -> ClientError {
    ClientError::Transport(out_of_reach().unwrap_err())
}

impl Wire {
    fn fail(&self, fault: Fault) {
        let mut count = 0;
        self.meddle(move |request, server| {
            let number = count;
            count += 1;
            match fault {
                Fault::Before(at) if at == number => out_of_reach(),
                Fault::After(at) if at == number => server.exchange(request).and(out_of_reach()),
                _ => server.exchange(request),
            }
        });
    }
}

#[test]
fn an_upload_goes_on_where_it_broke_off() {
    let file = contents(1_500);
    // Begin, the parts and finish.
    let exchanges = {
        let world = World::new(TagKind::PrivateMac);
        let count = Arc::new(Mutex::new(0));
        let counted = Arc::clone(&count);
        world.wire.tamper(move |_, _| *counted.lock().unwrap() += 1);
        world.uploaded(&file);
        *count.lock().unwrap()
    };
    assert!(exchanges > 6, "{exchanges}");
    for at in 0..exchanges {
        for fault in [Fault::Before(at), Fault::After(at)] {
            let world = World::new(TagKind::PrivateMac);
            let mut client = world.create();
            world.wire.fail(fault);
            assert_fails(upload(&mut client, &file), &unreachable());
            drop(client);

            let mut sent = Vec::new();
            let (send, receive) = std::sync::mpsc::channel();
            world.wire.tamper(move |request, _| {
                if let Request::Part(part) = request {
                    send.send(part.body.0.len()).unwrap();
                }
            });
            let mut client = world.open();
            assert_eq!(client.version(), None);
            upload(&mut client, &file).unwrap();
            world.wire.be_honest();
            sent.extend(receive.try_iter());
            // Parts that the server had were not sent again.
            let had = match fault {
                Fault::Before(at) => at.saturating_sub(1),
                Fault::After(at) => at,
            };
            assert_eq!(sent.len(), (exchanges - 2).saturating_sub(had), "{fault:?}");
            check(&mut client, &file);
        }
    }
}

/// An interrupted upload of this file, of which the server has the first three parts.
fn broken_off(file: &[u8]) -> (World, Client) {
    let world = World::new(TagKind::PrivateMac);
    let mut client = world.create();
    world.wire.fail(Fault::Before(4));
    assert!(upload(&mut client, file).is_err());
    world.wire.be_honest();
    (world, client)
}

/// The client of this world with a server that has lost all files.
fn forgotten(world: &World) -> (World, Client) {
    let forgetful = World::new(TagKind::PrivateMac);
    std::fs::copy(world.path(), forgetful.path()).unwrap();
    let client = world.open_with(&forgetful.path(), &forgetful.wire);
    (forgetful, client)
}

/// Bytes of contents in a part of an upload. Two blocks of 64 bytes, with their overhead, fill the
/// 1000 bytes of a part.
const PART: usize = 128;

#[test]
fn an_upload_does_not_go_on_with_another_source() {
    let file = contents(5_000);
    let changed = |outcome: Result<FileState, ClientError>| match outcome {
        Err(ClientError::SourceChanged {
            bytes,
            finished: false,
        }) => bytes,
        other => panic!("{other:?}"),
    };
    // A block that the server has already is changed, in its first part or its last one.
    for at in [0, 3 * PART - 1] {
        let (_world, mut client) = broken_off(&file);
        let mut other = file.clone();
        other[at] ^= 1;
        let bytes = changed(upload(&mut client, &other));
        assert_eq!(bytes, 3 * u64::try_from(PART).unwrap(), "byte {at}");
        // Nothing was sent, and the upload continues with the original source.
        upload(&mut client, &file).unwrap();
        check(&mut client, &file);
    }
    // A block that was sent but did not arrive is changed: the server gets the new source.
    for at in [3 * PART, 4_999] {
        let (_world, mut client) = broken_off(&file);
        let mut other = file.clone();
        other[at] ^= 1;
        upload(&mut client, &other).unwrap();
        check(&mut client, &other);
    }
    // A source shorter than the parts that the server has.
    let (_world, mut client) = broken_off(&file);
    changed(upload(&mut client, &file[..100]));
    upload(&mut client, &file).unwrap();
    check(&mut client, &file);
    // A server that has lost all parts accepts any source.
    let (world, client) = broken_off(&file);
    drop(client);
    let (_forgetful, mut client) = forgotten(&world);
    let mut other = file;
    other[0] ^= 1;
    upload(&mut client, &other).unwrap();
    check(&mut client, &other);
}

#[test]
fn an_upload_whose_end_got_no_answer_is_finished_with_the_source_as_it_was() {
    let file = contents(5_000);
    let lost = || {
        let world = World::new(TagKind::PrivateMac);
        let mut client = world.create();
        world.wire.answer(is_finish, |request, server| {
            server.exchange(request).and(out_of_reach())
        });
        assert!(upload(&mut client, &file).is_err());
        assert_eq!(client.version(), None);
        world.wire.be_honest();
        (world, client)
    };
    let (_world, mut client) = lost();
    upload(&mut client, &file).unwrap();
    check(&mut client, &file);
    // Changed, longer and shorter sources are reported, and the file has the signed contents.
    for other in [
        &[b"x", &file[1..]].concat(),
        &[&file, &b"x"[..]].concat(),
        &file[1..],
    ] {
        let (_world, mut client) = lost();
        let outcome = upload(&mut client, other);
        // A difference in a part that was sent is reported before the end of the source.
        assert!(
            matches!(outcome, Err(ClientError::SourceChanged { .. })),
            "{outcome:?}"
        );
        check(&mut client, &file);
        assert_fails(upload(&mut client, other), &ClientError::AlreadyUploaded);
    }
    // A server that has lost all parts never gets a second end of the same upload.
    let (world, client) = lost();
    drop(client);
    let (_forgetful, mut client) = forgotten(&world);
    let longer = [&file, &b"x"[..]].concat();
    for other in [longer.as_slice(), &file[1..]] {
        let outcome = upload(&mut client, other);
        assert!(
            matches!(
                outcome,
                Err(ClientError::SourceChanged {
                    finished: false,
                    ..
                })
            ),
            "{outcome:?}"
        );
    }
    client.restart().unwrap();
    upload(&mut client, &longer).unwrap();
    check(&mut client, &longer);
    // A server that claims another end is detected.
    let (world, mut client) = lost();
    (world.wire).change_status(is_status, |status| status.root.0[0] ^= 1);
    assert_fails(upload(&mut client, &file), &forked(1));
}

#[test]
fn an_upload_is_begun_again_and_leaves_nothing_behind() {
    let file = contents(5_000);
    let (world, mut client) = broken_off(&file);
    let before = client.file();
    // A request that does not arrive changes nothing.
    world.wire.answer(is_abort, |_, _| out_of_reach());
    assert_fails(client.restart(), &unreachable());
    assert_eq!(client.file(), before);
    world.wire.be_honest();
    client.restart().unwrap();
    assert_ne!(client.file(), before);
    assert_eq!(world.wire.server.handler().files(), []);
    let other = contents(6_000);
    upload(&mut client, &other).unwrap();
    drop(client);
    let mut client = world.open();
    check(&mut client, &other);
    assert_fails(client.restart(), &ClientError::AlreadyUploaded);
    check(&mut client, &other);
    // It is not an error if the server has no upload to abort.
    for refusal in [Refusal::UnknownFile, Refusal::Removed] {
        let (world, mut client) = broken_off(&file);
        world.wire.refuse(is_abort, refusal);
        client.restart().unwrap();
        upload(&mut client, &file).unwrap();
        check(&mut client, &file);
    }
}

#[test]
fn a_copy_of_a_state_does_not_go_on_with_what_another_has_sent() {
    let file = contents(5_000);
    let (world, client) = broken_off(&file);
    drop(client);
    let copy = world.copy("copy.state");
    let mut client = world.open();
    world.wire.fail(Fault::Before(3));
    assert!(upload(&mut client, &file).is_err());
    world.wire.be_honest();
    let mut copied = world.open_at(&copy);
    let more = |sent, claimed| ClientError::MoreParts { sent, claimed };
    assert_fails(upload(&mut copied, &file), &more(4, 5));
    // If the server has lost some parts but not all, the client does not resume: it cannot compare
    // the source with the remaining parts.
    for claimed in [1, 3] {
        (world.wire).change_status(is_begin, move |status| status.next_part = claimed);
        assert_fails(upload(&mut client, &file), &more(6, claimed));
    }
    world.wire.be_honest();
    upload(&mut client, &file).unwrap();
    // The copy of the state finishes with the same source, and the file is the same.
    upload(&mut copied, &file).unwrap();
    check(&mut copied, &file);
}

/// A client of a file of 1000 bytes. Its update of version 1 has failed, because `answer` answered
/// it.
fn failed_update(
    answer: impl FnMut(&Request, &Local) -> Answer + Send + 'static,
) -> (World, Client) {
    let (world, mut client) = uploaded(1_000);
    world.wire.answer(is_update, answer);
    let outcome = client.apply(&[write(0, b"new")]);
    assert!(outcome.is_err(), "{outcome:?}");
    world.wire.be_honest();
    (world, client)
}

fn updated() -> Vec<u8> {
    let mut file = contents(1_000);
    file[..3].copy_from_slice(b"new");
    file
}

#[test]
fn an_update_whose_request_or_answer_was_lost_is_recovered() {
    for (lost, (world, client)) in [
        ("request", failed_update(|_, _| out_of_reach())),
        (
            "answer",
            failed_update(|request, server| server.exchange(request).and(out_of_reach())),
        ),
    ] {
        assert!(client.is_pending(), "{lost}");
        assert_eq!(client.version().unwrap().version, 1);
        drop(client);
        // A new process finds the update in the state file.
        let mut client = world.open();
        assert!(client.is_pending());
        let settled = client.settle().unwrap();
        assert!(
            matches!(settled, SettleOutcome::Applied(state) if state.version == 2),
            "{lost}: {settled:?}"
        );
        assert!(!client.is_pending());
        check(&mut client, &updated());
        // The update was applied only once.
        assert!(matches!(client.status().unwrap(), Status::Current(at) if at.version == 2));
    }
}

/// The process that wrote the state may have been killed before the file's new name was durable. An
/// update that is sent again must not be lost with it.
#[cfg(unix)]
#[test]
fn a_state_that_was_read_back_is_written_before_its_update_is_sent_again() {
    use std::os::unix::fs::MetadataExt as _;

    let (world, client) = failed_update(|_, _| out_of_reach());
    drop(client);
    let path = world.path();
    let file = move || std::fs::metadata(&path).unwrap().ino();
    // Keeps the file that was read, so that its number is not given out again.
    std::fs::hard_link(world.path(), world.directory.path().join("read")).unwrap();
    let read = file();
    let (send, receive) = std::sync::mpsc::channel();
    world.wire.tamper(move |request, _| {
        if is_update(request) {
            send.send(file()).unwrap();
        }
    });
    let mut client = world.open();
    client.settle().unwrap();
    let written: Vec<u64> = receive.try_iter().collect();
    assert_eq!(written.len(), 1);
    assert_ne!(written[0], read);
}

#[test]
fn a_crash_after_the_answer_and_before_the_state_file_is_recovered() {
    let (world, mut client) = uploaded(1_000);
    let (path, kept) = (world.path(), world.directory.path().join("pending"));
    let copy = kept.clone();
    world.wire.answer(is_update, move |request, server| {
        std::fs::copy(&path, &copy).unwrap();
        server.exchange(request)
    });
    client.apply(&[write(0, b"new")]).unwrap();
    drop(client);
    // Simulates a power cut after the acknowledgement and before the new state was written.
    std::fs::rename(&kept, world.path()).unwrap();
    let mut client = world.open();
    assert!(client.is_pending());
    // Any operation settles first.
    check(&mut client, &updated());
}

#[test]
fn an_update_that_may_yet_pass_stays_under_way_and_one_that_never_will_does_not() {
    for (refusal, pending) in [
        (Refusal::Unavailable, true),
        (Refusal::StoreFailed("a test".into()), true),
        (Refusal::UnknownFile, true),
        (stale_base(1, 3), false),
        (Refusal::TooLarge("a test".into()), false),
        (Refusal::TagsInvalid, false),
        (Refusal::Invalid("a test".into()), false),
        (Refusal::WrongOwner, false),
    ] {
        let response = Response::Refused(refusal.clone());
        let (_world, mut client) = failed_update(move |_, _| Ok(response.clone()));
        assert_eq!(client.is_pending(), pending, "{refusal:?}");
        if pending {
            check(&mut client, &updated());
        } else {
            check(&mut client, &contents(1_000));
        }
    }
    // The request is too large for the transport, so every attempt will fail.
    let too_large = HttpError::RequestTooLarge { length: 1 };
    let too_large = TransportError::Http(too_large);
    let (_world, mut client) = failed_update(move |_, _| Err(too_large.clone()));
    assert!(!client.is_pending());
    check(&mut client, &contents(1_000));
}

#[test]
fn a_lost_acknowledgement_does_no_harm() {
    let (world, mut client) = uploaded(1_000);
    world.wire.answer(is_confirm, |_, _| out_of_reach());
    client.apply(&[write(0, b"one")]).unwrap();
    // A further version could not be proved to readers.
    assert!(client.apply(&[write(0, b"two")]).is_err());
    assert!(!client.is_pending());
    world.wire.be_honest();
    for text in [b"two", b"new"] {
        client.apply(&[write(0, text)]).unwrap();
    }
    check(&mut client, &updated());
}

#[test]
fn an_update_that_is_dropped_later_on_is_reported_once() {
    type Operation = fn(&mut Client) -> Result<(), ClientError>;
    let operations: [Operation; 5] = [
        |client| client.read(0..1).map(drop),
        |client| run_audit(client, Extent::Sample(5)).map(drop),
        |client| client.status().map(drop),
        |client| client.apply(&[write(0, b"newer")]).map(drop),
        |client| client.current().map(drop),
    ];
    for operation in operations {
        let (world, mut client) = uploaded(1_000);
        world.wire.refuse(is_update, Refusal::Unavailable);
        assert!(client.apply(&[write(0, b"new")]).is_err());
        assert!(client.is_pending());
        world.wire.refuse(is_update, Refusal::TagsInvalid);
        let dropped = ClientError::Dropped(Refusal::TagsInvalid);
        assert_fails(operation(&mut client), &dropped);
        assert!(!client.is_pending());
        world.wire.be_honest();
        check(&mut client, &contents(1_000));
        operation(&mut client).unwrap();
    }
}

#[test]
fn an_update_that_cannot_be_settled_for_now_does_not_stand_in_the_way_of_reads() {
    for lost in [out_of_reach(), Ok(Response::Refused(Refusal::Unavailable))] {
        let (world, mut client) = uploaded(1_000);
        world.wire.answer(is_update, move |_, _| lost.clone());
        assert!(client.apply(&[write(0, b"new")]).is_err());
        assert!(client.is_pending());
        check(&mut client, &contents(1_000));
        // No other change is accepted meanwhile.
        assert!(matches!(
            client.apply(&[write(0, b"newer")]),
            Err(ClientError::Transport(_) | ClientError::Refused(Refusal::Unavailable))
        ));
        assert!(client.is_pending());
        world.wire.be_honest();
        check(&mut client, &updated());
    }
}

#[test]
fn an_update_that_the_server_has_carried_out_and_refused_is_adopted() {
    // The server executes the update, but answers with a final refusal.
    let refused = || Ok(Response::Refused(Refusal::TagsInvalid));
    let (world, client) =
        failed_update(move |request, server| server.exchange(request).and(refused()));
    assert!(!client.is_pending());
    assert_eq!(client.version().unwrap().version, 1);
    drop(client);
    // A new process finds the update in the state file.
    let mut client = world.open();
    check(&mut client, &updated());
    assert_eq!(client.version().unwrap().version, 2);
    assert!(std::fs::read(world.path()).unwrap().len() < 232);
}

#[test]
fn a_refused_update_is_sent_once_more_at_most() {
    let (world, mut first) = uploaded(1_000);
    let mut second = world.open_at(&world.copy("copy.state"));
    world.wire.refuse(is_update, Refusal::TagsInvalid);
    assert!(second.apply(&[write(0, b"second")]).is_err());
    world.wire.be_honest();
    // The update is not sent again while the server has the same version.
    let sent = Arc::new(Mutex::new(0));
    let count = Arc::clone(&sent);
    world.wire.tamper(move |request, _| {
        *count.lock().unwrap() += u32::from(is_update(request));
    });
    check(&mut second, &contents(1_000));
    assert_eq!(*sent.lock().unwrap(), 0);
    // Another writer makes the next version.
    first.apply(&[write(0, b"new")]).unwrap();
    *sent.lock().unwrap() = 0;
    let newer = first.version().unwrap();
    assert_eq!(newer.version, 2);
    for _ in 0..3 {
        assert_fails(second.read(0..1), &superseded(1, newer));
    }
    assert_eq!(*sent.lock().unwrap(), 1);
    check(&mut first, &updated());
}

#[test]
fn an_update_above_the_limit_of_requests_is_not_begun() {
    let (world, client) = uploaded(1_000);
    drop(client);
    let narrow = InProcess::new(Arc::clone(world.wire.server.handler()), 10_000);
    let mut client = world.open_with(&world.path(), &Wire::new(narrow));
    let before = std::fs::read(world.path()).unwrap();
    assert!(matches!(
        client.apply(&[insert(0, &contents(10_000))]),
        Err(ClientError::Transport(TransportError::Http(
            HttpError::RequestTooLarge { length }
        ))) if length > 10_000
    ));
    assert!(!client.is_pending());
    assert_eq!(std::fs::read(world.path()).unwrap(), before);
    client.apply(&[write(0, b"new")]).unwrap();
    check(&mut client, &updated());
}
