//! Damaged stores: the error names the damaged file, and other files are still served.

use std::{fs, path::Path};

use flexlist::{challenge::Challenge, tag::TagKind};
use flexlist_service::{
    StoreError,
    internals::{
        check,
        message::{Refusal, Response},
    },
    server::{Damage, FileServer, Limits},
};
use pad_core::Workers;

use crate::{
    owner::{Owner, StorePath, open, refusal, standing},
    plan::{Plan, Random, bytes, count},
};

fn try_open(path: &Path) -> Result<FileServer, StoreError> {
    FileServer::open(path, Limits::default(), Workers::sequential())
}

/// Two files of three updates each.
fn two_files(path: &Path) -> [Owner; 2] {
    let server = open(path);
    [1, 2].map(|seed| {
        let mut random = Random(u64::from(seed) + 10);
        let mut owner = Owner::new(seed, TagKind::HashOnly);
        owner.upload(&server, &[random.blocks(40)]);
        for _ in 0..3 {
            let plan = owner.plan(&mut random, 4);
            owner.update(&server, &plan);
        }
        standing(server.handle(owner.acknowledge(4)));
        owner
    })
}

/// Flips a bit in each occurrence of these bytes in the file. Returns the number of occurrences.
pub(crate) fn flip(path: &Path, wanted: &[u8]) -> usize {
    let mut bytes = fs::read(path).unwrap();
    let places: Vec<usize> = bytes
        .windows(wanted.len())
        .enumerate()
        .filter_map(|(place, window)| (window == wanted).then_some(place))
        .collect();
    for place in &places {
        bytes[place + wanted.len() / 2] ^= 0x10;
    }
    fs::write(path, bytes).unwrap();
    places.len()
}

/// Returns the only damage that a check of the store finds.
fn only_damage(server: &FileServer) -> Damage {
    let damages = server.check().damages;
    assert_eq!(damages.len(), 1, "{damages:?}");
    damages[0].clone()
}

/// Returns the message of the refusal. Asserts that it names the file and the remedy.
fn failed(owner: &Owner, response: Response) -> String {
    match refusal(response) {
        Refusal::StoreFailed(words) => {
            assert!(words.contains(&owner.file.to_string()), "{words}");
            assert!(words.contains("restore the store from a copy"), "{words}");
            words
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_damaged_block_is_named_and_the_rest_of_its_file_served() {
    let path = StorePath::new();
    let [owner, other] = two_files(&path);
    let position = owner
        .blocks
        .iter()
        .position(|block| block.len() > 100)
        .unwrap();
    assert!(flip(&path, &owner.blocks[position]) > 0);
    let server = open(&path);
    assert_eq!(server.load_all(), []);
    let start = bytes(&owner.blocks[..position]);
    let end = start + count(owner.blocks[position].len());
    let words = failed(&owner, server.handle(owner.read_request(start, end)));
    assert!(words.contains("is not what was written"), "{words}");
    let seed = [0; 32];
    let audit = owner.audit_request(Challenge::Every { seed, start, end });
    failed(&owner, server.handle(audit));
    if start > 0 {
        assert_eq!(owner.read(&server, 0, start), owner.blocks[..position]);
    }
    other.check_all(&server);
    let damage = only_damage(&server);
    let place = (damage.file, damage.range.clone());
    assert_eq!(place, (owner.file, Some(start..end)));
    let words = format!("bytes {start} to {end}");
    assert!(damage.to_string().contains(&words));
}

#[test]
fn a_damaged_head_checkpoint_or_journal_stops_its_file_alone() {
    let path = StorePath::new();
    let whole = path.sibling("whole");
    let [mut owner, other] = two_files(&whole);
    // A tag digest in the journal and one in the checkpoint, of blocks that only this owner has.
    let data = vec![0x5a; 50];
    let journalled = owner.sent(&data).tag.digest();
    owner.update(&open(&whole), &[Plan::Insert(0, 1, data)]);
    let first = &Random(11).block();
    let checkpointed = owner.sent(first).tag.digest();
    for (bytes, what) in [
        (owner.state.root.0, "the head of file number"),
        (
            journalled,
            "the journal of version 5 is not what was written",
        ),
        (checkpointed, "checkpoint piece 0 is not what was written"),
    ] {
        fs::copy(&whole, &path).unwrap();
        assert!(flip(&path, &bytes) > 0, "{what}");
        let server = open(&path);
        let loaded = server.load_all();
        assert_eq!(loaded.len(), 1);
        assert_eq!(loaded[0].0, owner.file);
        for request in [
            owner.status(),
            owner.read_request(0, 1),
            owner.acknowledge(5),
        ] {
            let words = failed(&owner, server.handle(request));
            assert!(words.contains(what), "{words}");
        }
        other.check_all(&server);
        let damage = only_damage(&server);
        assert_eq!((damage.file, damage.range.clone()), (owner.file, None));
        assert!(damage.what.contains(what), "{}", damage.what);
    }
}

#[test]
fn a_damaged_entry_of_a_file_stops_it_alone() {
    let path = StorePath::new();
    let [owner, other] = two_files(&path);
    // The owner's key is stored in the entry only.
    assert!(flip(&path, &owner.signer.verifying_key().to_bytes()) > 0);
    let server = open(&path);
    failed(&owner, server.handle(owner.status()));
    failed(&owner, server.handle(owner.begin()));
    other.check_all(&server);
    // A new file does not get the number of the damaged one.
    let mut third = Owner::new(3, TagKind::HashOnly);
    third.upload(&server, &[Random(3).blocks(5)]);
    third.check_all(&server);
    other.check_all(&server);
    assert_eq!(server.check().damages.len(), 1);
}

#[test]
fn stores_that_are_none_are_refused() {
    let path = StorePath::new();
    let missing = check(&path, Workers::sequential());
    assert!(matches!(missing, Err(StoreError::Missing(_))));
    let [owner, _] = two_files(&path);
    let report = check(&path, Workers::sequential()).unwrap();
    assert_eq!((report.files, report.damages), (2, vec![]));

    let server = open(&path);
    assert!(matches!(try_open(&path), Err(StoreError::InUse(_))));
    owner.check_all(&server);
    drop(server);

    let bytes = fs::read(&path).unwrap();
    for changed in [
        b"not a store".to_vec(),
        Vec::new(),
        bytes[..bytes.len() / 2].to_vec(),
        [vec![0; 4096], bytes[4096..].to_vec()].concat(),
    ] {
        fs::write(&path, changed).unwrap();
        assert!(matches!(try_open(&path), Err(StoreError::Foreign(_))));
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(matches!(try_open(&path), Err(StoreError::Foreign(_))));
}

#[test]
fn whatever_byte_is_damaged_no_wrong_answer_verifies() {
    let path = StorePath::new();
    let owners = two_files(&path);
    let bytes = fs::read(&path).unwrap();
    let mut random = Random(5);
    let (mut refused, mut served) = (0, 0);
    for _ in 0..150 {
        let mut changed = bytes.clone();
        let place = random.index(bytes.len());
        changed[place] ^= 1 << random.below(8);
        fs::write(&path, changed).unwrap();
        let Ok(server) = try_open(&path) else {
            refused += 1;
            continue;
        };
        for owner in &owners {
            let read = owner.read_request(0, owner.state.total);
            match server.handle(read) {
                Response::Read { blocks, .. } => {
                    let data: Vec<_> = blocks.into_iter().map(|block| block.data.0).collect();
                    assert_eq!(data, owner.blocks);
                    served += 1;
                }
                // For an unknown file the table of files is damaged, which the page check detects.
                Response::Refused(Refusal::StoreFailed(_) | Refusal::UnknownFile) => refused += 1,
                other => panic!("{other:?}"),
            }
        }
    }
    assert!(
        served > 0 && refused > 0,
        "{served} served, {refused} refused"
    );
}
