//! Limits against clients that try to keep the server busy, or to fill its memory.

use flexlist::{FileId, challenge::Challenge, tag::TagKind};
#[cfg(feature = "bls")]
use flexlist_service::internals::message::SentBlock;
use flexlist_service::{
    internals::{
        message::{
            MAX_EDITS, MAX_PART_BLOCKS, Refusal, Request, Response, SentEdit, SignedRequest,
        },
        signed::RequestKind,
    },
    server::Limits,
};

use crate::{
    limits::too_large,
    owner::{
        KINDS, Owner, StorePath, assert_refused, empty, limits_with, open_with, sample, standing,
    },
    plan::{Plan, Random},
    refusals::{UNDECODABLE, invalid, refused, served},
};

#[test]
fn audits_read_so_many_bytes_and_no_more() {
    let (_, owner) = served(Limits::default());
    let seed = [1; 32];
    let (start, end) = (0, owner.state.total);
    for request in [
        // Enough samples to hit every block.
        owner.audit_request(sample(1, 400)),
        owner.audit_request(Challenge::Every { seed, start, end }),
    ] {
        let audit_bytes = |bytes| limits_with(|limits| limits.audit_bytes = bytes);
        let (server, _) = served(audit_bytes(end));
        let response = server.handle(request.clone());
        assert!(matches!(response, Response::Audited { .. }), "{response:?}");
        let (server, owner) = served(audit_bytes(end - 1));
        let words = format!(
            "bytes of audited blocks: {end}, and the limit is {}",
            end - 1
        );
        assert_refused(&server, request, &too_large(&words));
        assert_eq!(owner.read(&server, start, end), owner.blocks);
    }
}

#[test]
fn owners_have_limits_of_their_own() {
    let path = StorePath::new();
    let limits = Limits {
        files_per_owner: 3,
        unfinished_per_owner: 2,
        ..Limits::default()
    };
    let server = open_with(&path, limits);
    // Several files of one owner.
    let first = Owner::new(1, TagKind::HashOnly);
    let file = |number| first.another(number);
    standing(server.handle(file(1).begin()));
    standing(server.handle(file(2).begin()));
    let words = "unfinished uploads of an owner: 3, and the limit is 2";
    assert_refused(&server, file(3).begin(), &too_large(words));
    // Neither a repeated request nor another owner is affected.
    standing(server.handle(file(2).begin()));
    standing(server.handle(Owner::new(2, TagKind::HashOnly).begin()));
    // Finished uploads count toward the number of files only.
    for number in [1, 2, 3] {
        let mut owner = file(number);
        owner.upload(&server, &[vec![vec![number; 10]]]);
    }
    let words = "files of an owner: 4, and the limit is 3";
    assert_refused(&server, file(4).begin(), &too_large(words));
    drop(server);
    let server = open_with(&path, limits);
    assert_refused(&server, file(4).begin(), &too_large(words));
}

#[test]
fn a_first_word_is_measured_before_it_is_read() {
    let (server, owner) = served(limits_with(|limits| limits.parameter_bytes = 100));
    let mut signed = owner.sign(RequestKind::Begin, &owner.begin_body());
    signed.body.0.resize(165, 0);
    let words = "bytes of a begin request: 165, and the limit is 164";
    assert_refused(&server, Request::Begin(signed), &too_large(words));
}

#[test]
fn protocol_limits_hold_when_a_body_is_decoded() {
    let (server, mut owner) = served(Limits {
        update_edits: usize::MAX,
        part_blocks: usize::MAX,
        ..Limits::default()
    });
    let edits = |count| vec![SentEdit::Remove { index: 0 }; count];
    let update = owner.update_of(1, edits(MAX_EDITS + 1));
    assert_eq!(refused(&server, &owner, update), invalid(UNDECODABLE));
    // One edit less is decoded, and refused because the file has only ten blocks to remove.
    let refusal = refused(&server, &owner, owner.update_of(1, edits(MAX_EDITS)));
    assert!(
        matches!(&refusal, Refusal::Invalid(words) if words != UNDECODABLE),
        "{refusal:?}"
    );
    let block = owner.sent(b"block");
    let part = |count| owner.part_of(1, vec![block.clone(); count]);
    let part_refused = |count| refused(&server, &owner, part(count));
    assert_eq!(part_refused(MAX_PART_BLOCKS + 1), invalid(UNDECODABLE));
    assert_eq!(part_refused(MAX_PART_BLOCKS), Refusal::UploadFinished);
}

/// Wraps a signed body in a request.
type Wrap = fn(SignedRequest) -> Request;

#[test]
fn nothing_is_decoded_for_who_is_not_the_owner() {
    let (server, owner) = served(Limits::default());
    let stranger = Owner::new(9, TagKind::HashOnly);
    // Not a valid body of any kind, so that decoding it fails.
    let body = |file: FileId| (file, [255_u8; 20]);
    let kinds: [(RequestKind, Wrap); 4] = [
        (RequestKind::Part, Request::Part),
        (RequestKind::Finish, Request::Finish),
        (RequestKind::Update, Request::Update),
        (RequestKind::Acknowledge, Request::Acknowledge),
    ];
    for (kind, request) in kinds {
        let theirs = request(stranger.sign(kind, &body(owner.file)));
        assert_eq!(refused(&server, &owner, theirs), Refusal::WrongOwner);
        let unknown = request(stranger.sign(kind, &body(stranger.file)));
        assert_eq!(refused(&server, &owner, unknown), Refusal::UnknownFile);
        let own = request(owner.sign(kind, &body(owner.file)));
        assert_eq!(refused(&server, &owner, own), invalid(UNDECODABLE));
        let short = request(owner.sign(kind, &[0_u8; 31]));
        assert_eq!(refused(&server, &owner, short), invalid(UNDECODABLE));
    }
}

#[cfg(feature = "bls")]
#[test]
fn blocks_with_public_tags_have_a_limit_of_their_own() {
    let limits = limits_with(|limits| limits.public_tag_blocks = 2);
    let (server, mut owner) = empty(limits, TagKind::PublicBls);
    standing(server.handle(owner.begin()));
    let blocks: Vec<SentBlock> = [1, 2, 3].map(|byte| owner.sent(&[byte])).to_vec();
    let words = "new blocks with public tags: 3, and the limit is 2";
    let part = owner.part_of(0, blocks.clone());
    assert_eq!(refused(&server, &owner, part), too_large(words));
    standing(server.handle(owner.part_of(0, blocks[..2].to_vec())));
}

#[test]
fn not_all_files_are_in_memory() {
    let path = StorePath::new();
    let limits = limits_with(|limits| limits.list_blocks = 100);
    let mut server = open_with(&path, limits);
    let mut random = Random(5);
    let mut owners: Vec<Owner> = (0..6).map(|seed| Owner::new(seed, KINDS[0])).collect();
    for owner in &mut owners {
        owner.upload(&server, &[random.blocks(30)]);
        assert!(server.blocks_in_memory() <= 100);
    }
    for round in 0..3 {
        let before = owners.clone();
        for owner in &mut owners {
            let plan = owner.plan(&mut random, 3);
            owner.update(&server, &plan);
        }
        // Checks both versions of each file, in memory or not.
        for owner in owners.iter().chain(&before) {
            owner.check_all(&server);
            assert!(server.blocks_in_memory() <= 100);
        }
        if round == 1 {
            drop(server);
            server = open_with(&path, limits);
            assert_eq!(server.load_all(), vec![]);
            assert!((1..=100).contains(&server.blocks_in_memory()));
        }
        for owner in &owners {
            standing(server.handle(owner.acknowledge(owner.version)));
        }
    }
    assert_eq!(server.check().damages, vec![]);
}

#[test]
fn a_file_has_so_many_blocks_and_no_more() {
    let limits = limits_with(|limits| limits.list_blocks = 4);
    let (server, mut owner) = empty(limits, TagKind::HashOnly);
    let words = "blocks of the file: 5, and the limit is 4";
    standing(server.handle(owner.begin()));
    let blocks = (0..5).map(|_| owner.sent(&[1])).collect();
    let part = owner.part_of(0, blocks);
    assert_refused(&server, part, &too_large(words));
    owner.upload(&server, &[vec![vec![1]; 4]]);
    let (edits, _) = owner.edits(&[Plan::Insert(0, 0, vec![2])]);
    let update = owner.update_of(1, edits);
    assert_eq!(refused(&server, &owner, update), too_large(words));
    owner.check_all(&server);
}
