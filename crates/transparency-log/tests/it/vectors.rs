//! Byte-exact vectors of messages. `scripts/transparency-interop.sh` lets other implementations
//! verify these files.

use transparency_log::{
    proof::LogProof,
    tree::{prove_consistency, prove_inclusion},
    witness::AddCheckpoint,
};

use crate::support::{NaiveLog, log_key, time, witness_key};

#[test]
fn keys_are_these() {
    let (log, witness) = (log_key().verifier(), witness_key(1).verifier());
    assert_eq!(log.to_string(), include_str!("vectors/log.pub"));
    assert_eq!(witness.to_string(), include_str!("vectors/witness.pub"));
}

#[test]
fn a_proof_with_a_cosigned_note_is_this() {
    let mut log = NaiveLog::new(7);
    let mut note = log.note(7);
    let cosignature = witness_key(1).cosign(&log.checkpoint(7), time(1_679_315_147));
    note.add(cosignature).unwrap();
    let path = prove_inclusion(&mut log, 5, 7).unwrap();
    let extra = Some(log.entries[5].clone());
    let proof = LogProof {
        index: 5,
        path,
        note,
        extra,
    };
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
        let proof = prove_consistency(&mut log, old_size, size).unwrap();
        let note = log.note(size);
        let request = AddCheckpoint {
            old_size,
            proof,
            note,
        };
        assert_eq!(request.encode(), pinned);
    }
}
