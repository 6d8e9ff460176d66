//! Every limit, tested at its exact value.

use flexlist::{challenge::Challenge, internals::Bytes, tag::TagKind};
use flexlist_service::{
    internals::{
        message::{Refusal, Request, SentBlock, SentEdit},
        signed::RequestKind,
    },
    server::Limits,
};

use crate::{
    owner::{Owner, assert_refused, empty, limits_with, refusal, sample, standing},
    refusals::{invalid, refused, served},
};

pub(crate) fn too_large(words: &str) -> Refusal {
    Refusal::TooLarge(words.into())
}

#[test]
fn updates_have_limits() {
    let (_, owner) = served(Limits::default());
    let (total, first) = (owner.state.total, owner.blocks[0].len());
    let file_words = format!("bytes of the file: {}, and the limit is {total}", total + 1);
    for (limits, lengths, words) in [
        (
            limits_with(|limits| limits.update_edits = 2),
            vec![1, 2, 3],
            "changes in an update: 3, and the limit is 2",
        ),
        (
            limits_with(|limits| limits.block_bytes = 400),
            vec![400, 401],
            "bytes of a block: 401, and the limit is 400",
        ),
        (
            limits_with(|limits| limits.tag_bytes = 31),
            vec![1],
            "bytes of a tag: 32, and the limit is 31",
        ),
        (
            limits_with(|limits| limits.file_bytes = total),
            vec![first + 1],
            file_words.as_str(),
        ),
    ] {
        let (server, mut owner) = served(limits);
        let blocks: Vec<SentBlock> = lengths
            .iter()
            .map(|length| owner.sent(&vec![7; *length]))
            .collect();
        let edits = |blocks: &[SentBlock]| -> Vec<SentEdit> {
            let edit = |block: &SentBlock| SentEdit::Modify {
                index: 0,
                block: block.clone(),
            };
            blocks.iter().map(edit).collect()
        };
        let update = owner.update_of(1, edits(&blocks));
        assert_eq!(refused(&server, &owner, update), too_large(words));
    }
}

#[test]
fn witnesses_have_limits() {
    let limits = limits_with(|limits| limits.answer_bytes = 50);
    let (server, mut owner) = served(limits);
    let block = owner.sent(b"block");
    let update = owner.update_of(1, vec![SentEdit::Modify { index: 0, block }]);
    let before = server.handle(owner.status());
    match refusal(server.handle(update)) {
        Refusal::TooLarge(words) => {
            assert!(words.starts_with("bytes of the answer: "), "{words}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(server.handle(owner.status()), before);
    assert_eq!(server.check().stray_blocks, 0);
}

#[test]
fn audits_and_reads_have_limits() {
    let seed = [1; 32];
    let (_, owner) = served(Limits::default());
    let (start, end) = (0, owner.state.total);
    let sample = |count| owner.audit_request(sample(1, count));
    let every = owner.audit_request(Challenge::Every { seed, start, end });
    let read = owner.read_request(start, end);
    let samples = limits_with(|limits| limits.audit_samples = 40);
    let blocks = limits_with(|limits| limits.audit_blocks = 3);
    let read_blocks = limits_with(|limits| limits.read_blocks = 9);
    for (limits, request, words) in [
        (
            samples,
            sample(41),
            "sampled bytes: 41, and the limit is 40",
        ),
        (blocks, sample(400), "the sample meets more than 3 blocks"),
        (blocks, every.clone(), "the range meets more than 3 blocks"),
        (
            read_blocks,
            read.clone(),
            "the range meets more than 9 blocks",
        ),
    ] {
        let (server, owner) = served(limits);
        assert_refused(&server, request, &too_large(words));
        assert_eq!(owner.read(&server, 0, 1), owner.blocks[..1]);
    }
    for request in [read, sample(400), every] {
        let (server, _) = served(limits_with(|limits| limits.answer_bytes = 500));
        let refused = refusal(server.handle(request));
        let Refusal::TooLarge(words) = refused else {
            panic!("{refused:?}");
        };
        assert!(words.starts_with("bytes of the answer: "), "{words}");
        assert!(words.ends_with(", and the limit is 500"), "{words}");
    }
}

#[test]
fn uploads_have_limits() {
    let limits = Limits {
        files: 1,
        file_bytes: 10,
        parameter_bytes: 100,
        part_blocks: 2,
        ..Limits::default()
    };
    let (server, mut owner) = empty(limits, TagKind::HashOnly);
    let mut long = owner.begin_body();
    long.server_parameters = Bytes(vec![0; 101]);
    let begin = Request::Begin(owner.sign(RequestKind::Begin, &long));
    let words = "bytes of parameters: 101, and the limit is 100";
    assert_refused(&server, begin, &too_large(words));
    standing(server.handle(owner.begin()));
    let words = "files: 2, and the limit is 1";
    let second = Owner::new(2, TagKind::HashOnly).begin();
    assert_refused(&server, second, &too_large(words));

    let blocks: Vec<SentBlock> = [1, 2, 3]
        .map(|length| owner.sent(&vec![1; length]))
        .to_vec();
    let part = owner.part_of(0, blocks.clone());
    let words = "blocks in a part: 3, and the limit is 2";
    assert_eq!(refused(&server, &owner, part), too_large(words));
    let words = "the part is empty: at least one block is required";
    let empty = owner.part_of(0, vec![]);
    assert_eq!(refused(&server, &owner, empty), invalid(words));
    let words = "bytes of the file: 11, and the limit is 10";
    let long = owner.sent(&[1; 11]);
    let part = owner.part_of(0, vec![long]);
    assert_eq!(refused(&server, &owner, part), too_large(words));
    standing(server.handle(owner.part_of(0, blocks[..2].to_vec())));
}
