//! Audits with challenges of both kinds, while other requests run.

use flexlist::{challenge::Challenge, tag::TagKind};
use flexlist_service::internals::message::Response;

use crate::owner::{KINDS, open, sample, scene};

#[test]
fn audits_of_any_size_and_range_verify() {
    for &kind in KINDS {
        let (path, mut random, mut owner) = scene(1, kind);
        let server = open(&path);
        owner.upload(&server, &[random.blocks(50)]);
        for count in [1, 2, 10, 460, 5000] {
            owner.audit(&server, sample(9, count));
        }
        for _ in 0..30 {
            let start = random.below(owner.state.total);
            let end = start + 1 + random.below(owner.state.total - start);
            let seed = [9; 32];
            owner.audit(&server, Challenge::Every { seed, start, end });
        }
    }
}

#[test]
fn an_answer_serves_one_challenge_of_one_version() {
    let (path, mut random, mut owner) = scene(2, TagKind::PrivateMac);
    let server = open(&path);
    owner.upload(&server, &[random.blocks(50)]);
    let challenge = |seed| sample(seed, 20);
    let response = server.handle(owner.audit_request(challenge(1)));
    owner.verify_audit(&challenge(1), &response).unwrap();
    owner.verify_audit(&challenge(2), &response).unwrap_err();
    let Response::Audited {
        mut tag_proof,
        list_proof,
        committed,
    } = response
    else {
        panic!("an audit was asked for");
    };
    tag_proof.0[3] ^= 1;
    let changed = Response::Audited {
        list_proof,
        committed,
        tag_proof,
    };
    owner.verify_audit(&challenge(1), &changed).unwrap_err();
    let plan = owner.plan(&mut random, 1);
    owner.update(&server, &plan);
    owner.verify_audit(&challenge(1), &changed).unwrap_err();
}
