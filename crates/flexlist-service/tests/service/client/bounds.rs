//! Limits on the size of a client's requests and of their answers.

use flexlist::internals::Bytes;
use flexlist_service::internals::message::{
    MAX_AUDIT_BLOCKS, MAX_EDITS, MAX_PART_BLOCKS, MAX_READ_BLOCKS, ReadBlock,
};

use super::*;
use crate::owner::limits_with;

/// A client of a server with these limits, with blocks of length `block` and parts of any size.
pub(super) fn limited(
    kind: TagKind,
    limits: Limits,
    block: usize,
) -> (TempDir, FileClient<Local, SigningKey>) {
    let directory = tempfile::tempdir().unwrap();
    let client = FileClient::create(
        &directory.path().join("state"),
        owner(1, kind),
        serve(&directory.path().join("store"), limits),
        Chunker::fixed(block).unwrap(),
    );
    let options = ClientOptions {
        part_bytes: usize::MAX,
        ..ClientOptions::default()
    };
    (directory, client.unwrap().with_options(options))
}

#[test]
fn parts_and_updates_stay_within_the_protocol() {
    let (_directory, mut client) = limited(TagKind::HashOnly, Limits::default(), 1);
    let file = contents(MAX_PART_BLOCKS + 1);
    let mut parts = Vec::new();
    client
        .upload(file.as_slice(), &mut |bytes| parts.push(bytes))
        .unwrap();
    let most = u64::try_from(MAX_PART_BLOCKS).unwrap();
    assert_eq!(parts, [most, most + 1]);

    let before = client.version().unwrap();
    let error = client.apply(&[insert(0, &contents(MAX_EDITS + 1))]);
    match error {
        Err(ClientError::Refused(Refusal::TooLarge(words))) => assert_eq!(
            words,
            format!(
                "changes in an update: {}, and the limit is {MAX_EDITS}",
                MAX_EDITS + 1
            )
        ),
        other => panic!("{other:?}"),
    }
    assert!(!client.is_pending());
    assert_eq!(client.version().unwrap(), before);
}

#[test]
fn large_samples_are_asked_for_in_parts() {
    let block = 1000;
    let (_directory, mut client) = limited_upload(Limits::default(), block);
    let report = run_audit(&mut client, Extent::Sample(1300)).unwrap();
    assert_eq!((report.bytes, report.questions), (1300, 3));
    // A request that is too large is split, down to single blocks.
    let limits = limits_with(|limits| limits.audit_bytes = 5000);
    let (_directory, mut client) = limited_upload(limits, block);
    let report = run_audit(&mut client, Extent::Sample(100)).unwrap();
    assert_eq!(report.bytes, 100);
    assert!(report.questions > 5 && report.questions <= 10);
}

fn limited_upload(limits: Limits, block: usize) -> (TempDir, FileClient<Local, SigningKey>) {
    let (directory, mut client) = limited(TagKind::HashOnly, limits, block);
    upload(&mut client, &contents(10_000)).unwrap();
    (directory, client)
}

#[test]
fn answers_of_more_blocks_than_any_are_not_decoded() {
    let empty = || Bytes(Vec::new());
    let audited = |count| Response::Audited {
        list_proof: empty(),
        committed: vec![empty(); count],
        tag_proof: empty(),
    };
    let block = ReadBlock {
        committed: empty(),
        data: empty(),
    };
    let read = |count| Response::Read {
        list_proof: empty(),
        blocks: vec![block.clone(); count],
    };
    for (most, more) in [
        (audited(MAX_AUDIT_BLOCKS), audited(MAX_AUDIT_BLOCKS + 1)),
        (read(MAX_READ_BLOCKS), read(MAX_READ_BLOCKS + 1)),
    ] {
        let bytes = codec::encode(&most);
        assert_eq!(codec::decode(&bytes, bytes.len()), Ok(most));
        let bytes = codec::encode(&more);
        let decoded = codec::decode::<Response>(&bytes, bytes.len());
        assert_eq!(decoded, Err(DecodeError::Malformed));
    }
}
