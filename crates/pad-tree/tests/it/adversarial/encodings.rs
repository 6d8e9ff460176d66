//! Changed encodings of every message that is decoded without encoding it again.

use pad_conformance::{encoding::check_one_encoding, pad::signing_key};
use pad_core::{Heads as _, Response};

use super::*;

/// A dictionary with a value of more than 250 bytes.
fn target() -> Target<Sha256Ed25519, RedBlack> {
    let mut actions = vec![Action::Put(key("a"), value("v".repeat(260)))];
    for name in ["b", "c", "d"] {
        actions.extend([Action::Put(key(name), value(name)), Action::Snapshot]);
    }
    Target::of(&actions)
}

#[test]
fn proofs_and_responses_have_one_encoding() {
    let target = target();
    let keys = Keys::new(vec![key("a"), key("bb"), key("d")]).unwrap();
    check_one_encoding(&target.prove(&key("a")));
    check_one_encoding(&target.prove(&key("bb")));
    check_one_encoding(&target.prove(&keys));
    let proof = target.prove(&key("b"));
    let server = &target.played.server;
    check_one_encoding(&Response::new(server, target.version, proof).unwrap());
    let proof = server.prove(Version::EMPTY, &key("b")).unwrap();
    check_one_encoding(&Response::new(server, Version::EMPTY, proof).unwrap());
}

#[test]
fn heads_and_proofs_of_history_have_one_encoding() {
    let target = target();
    for version in [3, 300, 70_000, 1 << 40] {
        let version = Version::new(version);
        let head = SnapshotHead {
            version,
            ..*target.head.get()
        };
        check_one_encoding(&head.sign(&signing_key(7)).unwrap());
    }
    let heads = target.played.server.heads();
    let (first, last) = (Version::new(1), target.version);
    check_one_encoding(&heads.prove_inclusion(first, last).unwrap());
    check_one_encoding(&heads.prove_consistency(first, last).unwrap());
    check_one_encoding(&heads.prove_prefix(Version::new(2), last).unwrap());
}
