//! Synchronisation of files that were edited locally.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use flexlist::internals::Bytes;
use flexlist_service::{
    client::{AuditFault, SyncReport},
    internals::message::{FileUpdate, SignedRequest},
};

use super::*;
use crate::plan::Random;

/// Counts the bytes of blocks in updates. Refuses reads, because `sync` finds changes without
/// fetching blocks.
fn count_sent(world: &World) -> Arc<Mutex<u64>> {
    let sent = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&sent);
    world.wire.meddle(move |request, server| {
        assert!(!matches!(request, Request::Read { .. }));
        if let Request::Update(signed) = request {
            *counted.lock().unwrap() += bytes_of(signed);
        }
        server.exchange(request)
    });
    sent
}

fn bytes_of(signed: &SignedRequest) -> u64 {
    use flexlist::internals::BlockEdit;
    let update: FileUpdate = signed.claimed().unwrap();
    let bytes = update.edits.iter().map(|edit| match edit {
        BlockEdit::Insert { block, .. } => block.block.length(),
        BlockEdit::Modify { block, .. } => block.length(),
        BlockEdit::Remove { .. } => 0,
    });
    bytes.sum()
}

fn sync(client: &mut Client, contents: &[u8]) -> Result<SyncReport, ClientError> {
    client.sync(&mut Cursor::new(contents), &mut |sent, total| {
        assert!(sent <= total);
    })
}

/// A client whose file is cut into content-defined blocks of about a kilobyte.
fn uploaded_by_content(world: &World, contents: &[u8]) -> Client {
    let chunker = Chunker::content_defined(256, 1024, 4096).unwrap();
    let mut client = world.create_with(chunker).with_options(ClientOptions {
        part_bytes: 1 << 20,
        read_bytes: 1 << 20,
        audit_blocks: 16,
        ..small()
    });
    upload(&mut client, contents).unwrap();
    client
}

#[test]
fn only_what_changed_is_sent_and_nothing_is_fetched() {
    for kind in [TagKind::HashOnly, TagKind::PrivateMac, TagKind::PublicBls] {
        let world = World::new(kind);
        let mut file = contents(100_000);
        let mut client = uploaded_by_content(&world, &file);
        let sent = count_sent(&world);

        let same = sync(&mut client, &file).unwrap();
        assert_eq!((same.updates, same.sent, same.state.version), (0, 0, 1));

        // Inserts bytes at the front, changes one in place, and truncates the end.
        file.splice(0..0, *b"in front");
        file[50_000] ^= 1;
        file.truncate(99_000);
        let synced = sync(&mut client, &file).unwrap();
        assert_eq!((synced.updates, synced.state.version), (1, 2));
        assert_eq!(*sent.lock().unwrap(), synced.sent);
        assert!((1..20_000).contains(&synced.sent), "{}", synced.sent);
        world.wire.be_honest();
        check(&mut client, &file);

        // Empties the file, and restores it.
        assert_eq!(sync(&mut client, b"").unwrap().state.list.total, 0);
        let again = sync(&mut client, &file).unwrap();
        assert_eq!(again.sent, 99_000);
        check(&mut client, &file);
    }
}

#[test]
fn after_edits_whose_blocks_no_chunker_cuts_little_is_sent() {
    let world = World::new(TagKind::PrivateMac);
    let mut file = contents(20_000);
    // With blocks of a fixed size, an insertion does not move those behind it.
    let mut client = world.uploaded(&file);
    client.apply(&[insert(10_005, b"seven b")]).unwrap();
    file.splice(10_005..10_005, *b"seven b");
    assert_eq!(sync(&mut client, &file).unwrap().sent, 0);
    file[15_000] ^= 1;
    let synced = sync(&mut client, &file).unwrap();
    assert_eq!((synced.updates, synced.sent), (1, 64));
    check(&mut client, &file);
}

#[test]
fn what_does_not_fit_one_update_is_sent_in_several_and_gone_on_with() {
    let (world, mut client) = uploaded(5_000);
    let file: Vec<u8> = contents(30_000).split_off(10_000);
    let mut updates = 0;
    world.wire.answer(is_update, move |request, server| {
        updates += 1;
        if updates > 3 {
            return lost();
        }
        server.exchange(request)
    });
    let synced = sync(&mut client, &file);
    assert!(matches!(synced, Err(ClientError::Transport(_))));
    assert!(client.is_pending());
    assert_eq!(client.version().unwrap().version, 4);
    world.wire.be_honest();
    drop(client);
    let mut client = world.open();
    let rest = sync(&mut client, &file).unwrap();
    assert!(rest.updates > 3 && rest.sent < 20_000, "{rest:?}");
    check(&mut client, &file);
}

#[test]
fn whatever_a_file_becomes_the_server_has_it() {
    let world = World::new(TagKind::HashOnly);
    let mut file = contents(6_000);
    let mut client = world.uploaded(&file);
    let mut random = Random(17);
    for _ in 0..soak::size(12, 40) {
        for _ in 0..=random.index(3) {
            let place = random.index(file.len() + 1);
            match random.index(3) {
                0 => {
                    let bytes = contents(random.index(300));
                    file.splice(place..place, bytes);
                }
                1 => {
                    let end = (place + random.index(700)).min(file.len());
                    file.drain(place..end);
                }
                _ => file
                    .iter_mut()
                    .skip(place)
                    .take(5)
                    .for_each(|byte| *byte ^= 7),
            }
        }
        let synced = sync(&mut client, &file).unwrap();
        let total = u64::try_from(file.len()).unwrap();
        assert_eq!(synced.state.list.total, total);
        assert_eq!(client.read(0..total).unwrap(), file);
    }
}

#[test]
fn a_server_that_lies_about_what_it_has_gets_nothing() {
    let world = World::new(TagKind::PrivateMac);
    let file = contents(5_000);
    let mut client = world.uploaded(&file);
    let mut changed = file;
    changed[100] ^= 1;
    let changes: [fn(&mut Vec<Bytes>); 4] = [
        // Claims the content root of the changed block, which the server does not have yet.
        |committed| {
            let mut block = contents(128).split_off(64);
            block[100 - 64] ^= 1;
            committed[1].0[..32].copy_from_slice(&flexlist::tag::content(&block));
        },
        |committed| committed.swap(1, 2),
        |committed| drop(committed.pop()),
        |committed| committed[0].0.truncate(10),
    ];
    for change in changes {
        world.wire.meddle(move |request, server| {
            assert!(!matches!(request, Request::Update(_)));
            let mut response = server.exchange(request)?;
            if let Response::Audited { committed, .. } = &mut response {
                change(committed);
            }
            Ok(response)
        });
        let failure = audit_failure(sync(&mut client, &changed));
        assert!(matches!(failure.reason, AuditFault::Answer(_)));
    }
    for refusal in [
        Refusal::StoreFailed("a test".into()),
        Refusal::TooLarge("all".into()),
    ] {
        world.wire.refuse(is_audit, refusal);
        audit_failure(sync(&mut client, &changed));
    }
    world.wire.be_honest();
    assert_eq!(sync(&mut client, &changed).unwrap().sent, 64);
    check(&mut client, &changed);
}

/// A file in which one byte changes at a chosen seek.
struct ChangingFile {
    file: Cursor<Vec<u8>>,
    left: u32,
}

impl Read for ChangingFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl Seek for ChangingFile {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        // Changes the byte at the last counted seek only.
        if self.left == 1 {
            self.file.get_mut()[3_000] ^= 1;
        }
        self.left = self.left.saturating_sub(1);
        self.file.seek(place)
    }
}

#[test]
fn a_source_that_changes_while_it_is_read_is_said_and_never_sent_in_part() {
    let world = World::new(TagKind::PrivateMac);
    let mut client = world
        .uploaded(&contents(2_000))
        .with_options(ClientOptions {
            part_bytes: 1 << 14,
            ..small()
        });
    let file = contents(6_000);
    let mut moved = 0;
    for left in (1..400).step_by(soak::size(23, 7)) {
        let mut source = ChangingFile {
            file: Cursor::new(file.clone()),
            left,
        };
        match client.sync(&mut source, &mut |_, _| ()) {
            Ok(synced) => {
                // The byte changed before its block was read, or after it was sent.
                let total = synced.state.list.total;
                let read = client.read(0..total).unwrap();
                assert!(read == source.file.into_inner() || read == file, "{left}");
            }
            Err(ClientError::SourceMoves) => moved += 1,
            Err(error) => panic!("{left}: {error:?}"),
        }
        sync(&mut client, &contents(2_000)).unwrap();
    }
    assert!(moved > 0);
}
