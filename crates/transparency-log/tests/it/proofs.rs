//! Text proofs.

use transparency_log::{
    Policy,
    policy::PolicyError,
    proof::{LogProof, LogProofError},
    tree::{Hash, TreeError},
};

use crate::support::{NaiveLog, entry, log_key, mutations, time, witness_key};

/// The policy that requires this witness.
fn policy(number: u8) -> Policy {
    let witness = witness_key(number).verifier();
    Policy::threshold(&[log_key().verifier()], 1, &[witness]).unwrap()
}

fn proof(index: u64, size: u64) -> LogProof {
    NaiveLog::new(size).proof(index, size, 3)
}

#[test]
fn proofs_are_read_back_and_prove_their_entry() {
    for (index, size) in [(0, 1), (0, 2), (6, 7), (3, 7), (299, 300)] {
        for extra in [None, Some(vec![]), Some(vec![1, 2, 3])] {
            let proof = LogProof {
                extra,
                ..proof(index, size)
            };
            let read = LogProof::parse(proof.encode().as_bytes()).unwrap();
            assert_eq!(read, proof);
            let logged = read.verify(&policy(1), &entry(index)).unwrap();
            assert_eq!(logged.index(), index);
            assert_eq!(logged.is_last(), index + 1 == size);
            assert_eq!(logged.accepted().cosignatures()[0].time, time(3));
            let other = read.verify(&policy(1), &entry(index + 1));
            assert_eq!(other, Err(LogProofError::Tree(TreeError::WrongRoot)));
        }
    }
}

#[test]
fn no_mutation_of_a_proof_proves_the_entry_elsewhere() {
    let extra = Some(vec![9; 10]);
    let honest = LogProof {
        extra,
        ..proof(5, 7)
    };
    for changed in mutations(honest.encode().as_bytes()) {
        let Ok(read) = LogProof::parse(&changed) else {
            continue;
        };
        // Application data is not authenticated.
        if let Ok(logged) = read.verify(&policy(1), &entry(5)) {
            assert_eq!((logged.index(), read.path), (5, honest.path.clone()));
            assert_eq!(logged.accepted().checkpoint().size(), 7);
        }
    }
}

#[test]
fn what_is_no_proof_is_refused_by_name() {
    let honest = proof(5, 7).encode();
    let refused = |text: String| LogProof::parse(text.as_bytes()).unwrap_err();
    let line = format!("{}\n", Hash::of_nothing());
    for (part, other) in [
        ("@v1", "@v2"),
        ("index 5", "index 05"),
        ("index 5", "extra x\nindex 5"),
        ("index 5", "extra AAAA\nextra AAAA\nindex 5"),
        (&*honest, ""),
        ("index 5\n", &*format!("index 5\n{}", line.repeat(63))),
    ] {
        assert_eq!(refused(honest.replace(part, other)), LogProofError::Form);
    }
    let (head, _) = honest.split_once("\n\n").unwrap();
    let unsigned = refused(format!("{head}\n\n"));
    assert!(matches!(unsigned, LogProofError::Note(_)));
    let long = "x".repeat(LogProof::LONGEST + 1);
    assert_eq!(refused(long), LogProofError::TooLong);
    let refused = proof(5, 7).verify(&policy(2), &entry(5)).unwrap_err();
    let LogProofError::Policy(refused) = refused else {
        panic!("{refused}")
    };
    assert!(matches!(refused, PolicyError::QuorumNotMet { .. }));
}
