//! Append-only proofs between pairs of small sizes. The soak test covers all pairs.

use pad_accumulators::wire;
use pad_conformance::soak;
use pad_core::{VerifyError, Version};
use pad_log::{AadCounted, AppendOnlyProof, Entries, Growth, LogRoot, Schedule};

use crate::support::{at, at_size, client_log, distinct, entries, log, verify};

fn check(entries: &Entries<AadCounted>, [old, new]: [&LogRoot<AadCounted>; 2]) {
    let [from, to] = [old, new].map(|root| root.version().number() - 1);
    let proof = wire::encode(&entries.prove_append_only(from, to));
    let growth = Growth::new(old.clone(), new.clone()).unwrap();
    let grown = verify::<AppendOnlyProof<AadCounted>>(&proof, &growth, &()).unwrap();
    assert_eq!((grown.from_size, grown.to_size), (from, to));
    let versions = (grown.from.number(), grown.to.number());
    assert_eq!(versions, (from + 1, to + 1));
}

/// Checks the growth from older sizes to every size up to 64. `make test` covers every fifth older
/// size, the soak test all of them.
fn check_pairs(schedule: Schedule, top_level: u8) {
    let step = soak::size(5, 1);
    let entries = entries(&log::<AadCounted>(1, top_level, schedule), &distinct(64));
    let roots: Vec<_> = (0..=64).map(|size| at_size(&entries, size)).collect();
    for (to, new) in roots.iter().enumerate() {
        for old in roots[..=to].iter().step_by(step) {
            check(&entries, [old, new]);
        }
    }
}

#[test]
fn every_size_continues_every_smaller_one() {
    check_pairs(Schedule::Eager, 10);
}

#[test]
fn deferred_logs_do_too() {
    check_pairs(Schedule::Deferred, 10);
}

#[test]
fn logs_of_several_top_trees_do_too() {
    check_pairs(Schedule::Deferred, 4);
}

/// A proof is for two digests, and verifies for no other older or newer version.
#[test]
fn a_proof_is_for_its_two_versions_only() {
    let entries = entries(&log::<AadCounted>(2, 5, Schedule::Eager), &distinct(40));
    let sizes = [0, 1, 5, 8, 13, 16, 24, 31, 32, 40];
    let client = client_log(entries.log());
    for (place, to) in sizes.into_iter().enumerate() {
        for from in &sizes[..=place] {
            let proof = wire::encode(&entries.prove_append_only(*from, to));
            let check = |old, new| {
                let at = |version, size| at(&client, version, entries.digest(size));
                let growth = Growth::new(at(1, old), at(2, new));
                verify::<AppendOnlyProof<AadCounted>>(&proof, &growth.unwrap(), &()).err()
            };
            for other in sizes {
                let refused = (other != *from).then_some(VerifyError::OldRootMismatch);
                assert_eq!(check(other, to), refused, "{from} -> {to}, from {other}");
                if other != to && *from != to {
                    let refused = Some(VerifyError::RootMismatch);
                    assert_eq!(check(*from, other), refused, "{from} -> {to}, to {other}");
                }
            }
        }
    }
}

/// A growth from version 5 with one entry to version 3 with three must be refused as a rollback.
#[test]
fn a_growth_does_not_lead_back() {
    let entries = entries(&log::<AadCounted>(9, 4, Schedule::Eager), &distinct(3));
    let at = |version, size| at(&client_log(entries.log()), version, entries.digest(size));
    let (seen, offered) = (Version::new(5), Version::new(3));
    let refused = Growth::new(at(5, 1), at(3, 3)).unwrap_err();
    assert_eq!(refused, VerifyError::Rollback { seen, offered });
    // Nor from one digest to another of the same version.
    let refused = Growth::new(at(3, 1), at(3, 3)).unwrap_err();
    assert_eq!(refused, VerifyError::Fork(offered));
    Growth::new(at(3, 3), at(3, 3)).unwrap();
}
