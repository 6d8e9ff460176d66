//! Bounds on memory, and directories that a failed write has closed.

use block_directory::{BlockDirectory, CacheBudget, FullAuthor, StoreError};
use pad_core::{
    ApplyError, Frontier, InputError, Operation, SignedHead, SnapshotHead, Suite, Update, Value,
    Version, codec, internals::UpdateHead,
};
use pad_disk::layer::SimulatedFolder;

use crate::support::{LAZY, S, append, object, signer};

fn new_author() -> FullAuthor<S> {
    FullAuthor::new("directory", signer()).unwrap()
}

fn first_head(root: <S as Suite>::Digest) -> SignedHead<S> {
    let authority = *new_author().authority();
    let head = SnapshotHead::<S> {
        scheme: authority.scheme,
        dictionary: authority.dictionary,
        version: Version::new(1),
        root,
        history: Frontier::<S>::default().root(),
    };
    head.sign(&signer()).unwrap()
}

#[test]
fn small_blocks_need_no_more_memory_than_the_budget() {
    let budget = CacheBudget {
        bytes: 256 << 10,
        ..LAZY
    };
    let opened = |step| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("d");
        let objects = (0..1 << 15).map(|number| Ok(object::<S>(number)));
        let authority = *new_author().authority();
        let parameters = (step, budget);
        BlockDirectory::<S>::create_loaded::<StoreError>(
            &path,
            authority,
            parameters,
            objects,
            |root| Ok(first_head(root)),
        )
        .unwrap()
        .close()
        .unwrap();
        let mut opened = None;
        let measured = allocation_counter::measure(|| {
            opened = Some(BlockDirectory::<S>::open(&path, budget).unwrap());
        });
        measured.bytes_current
    };
    let large = opened(10);
    for step in [1, 2, 3] {
        let more = opened(step) - large;
        // The cache counts as much again for its own tables.
        assert!(more <= 512 << 10, "blocks of 2^{step} slots: {more} bytes");
    }
}

#[test]
fn nothing_is_signed_or_loaded_after_a_failed_write() {
    for failing in 1..20 {
        let folder = SimulatedFolder::new("directory");
        let authority = *new_author().authority();
        let mut directory =
            BlockDirectory::<S>::create_in(folder.layer(), authority, 2, LAZY).unwrap();
        let mut author = new_author();
        append(&mut author, 0..10);
        let update = author.snapshot().unwrap();
        folder.fail_at(folder.operations().len() + failing, 1);
        if directory.apply(&update).is_ok() {
            continue;
        }
        // Opens the log again.
        drop(directory.logged_update(Version::new(1)));
        let mut is_signed = false;
        let loaded = directory.load_stored::<StoreError>([Ok(object::<S>(100))], |root| {
            is_signed = true;
            Ok(first_head(root))
        });
        assert!(loaded.is_err() && !is_signed, "operation {failing} failed");
    }
}

#[test]
fn too_many_operations_are_refused_before_they_are_decoded() {
    const MOST: u32 = 1 << 22;
    let mut author = new_author();
    append(&mut author, 0..1);
    let update = author.snapshot().unwrap();
    let directory = BlockDirectory::<S>::new(*author.authority(), 7).unwrap();
    let head = |operations: u32| {
        let key = |number: u32| number.to_be_bytes().to_vec().try_into().unwrap();
        let put = |number| Operation::Put(key(number), Value::default());
        let operations = (0..operations).map(put).collect();
        let message = codec::encode(&Update::<S> {
            operations,
            ..update.clone()
        });
        UpdateHead::<S>::peek::<()>(&message, message.len()).unwrap()
    };
    assert_eq!(directory.require_operations(&head(MOST)), Ok(()));
    let refused = directory.require_operations(&head(MOST + 1));
    let expected = ApplyError::Input(InputError::CapacityExceeded);
    assert_eq!(refused, Err(expected));
}
