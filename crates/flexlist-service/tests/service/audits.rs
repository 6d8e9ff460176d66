//! Answers to challenges, each of which serves one challenge only.

use flexlist::tag::TagKind;
use flexlist_service::internals::message::Response;

use crate::owner::{open, sample, scene};

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
