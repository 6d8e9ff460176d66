//! Byte-exact vectors of messages. `scripts/transparency-interop.sh` lets other implementations
//! verify these files.

use crate::support::{NaiveLog, log_key, witness_key};

#[test]
fn keys_are_these() {
    let (log, witness) = (log_key().verifier(), witness_key(1).verifier());
    assert_eq!(log.to_string(), include_str!("vectors/log.pub"));
    assert_eq!(witness.to_string(), include_str!("vectors/witness.pub"));
}

#[test]
fn a_proof_with_a_cosigned_note_is_this() {
    let mut log = NaiveLog::new(7);
    let mut proof = log.proof(5, 7, 1_679_315_147);
    proof.extra = Some(log.entries[5].clone());
    let pinned = include_str!("vectors/proofs/5-of-7.tlog-proof");
    assert_eq!(proof.encode(), pinned);
}

#[test]
fn requests_are_these() {
    let mut log = NaiveLog::new(7);
    let pinned = [
        (0, 3, include_str!("vectors/requests/0-3")),
        (3, 7, include_str!("vectors/requests/3-7")),
    ];
    for (old_size, size, pinned) in pinned {
        assert_eq!(log.request(old_size, size).encode(), pinned);
    }
}
