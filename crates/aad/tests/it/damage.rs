//! Damaged messages: each is refused, whatever is changed.

use aad::{AadCounted, AppendOnlyProof, Growth, InclusionProof, LookupProof, Schedule, Shape};
use accumulators::wire;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::support::{at_size, distinct, entries, key, log, verify};

/// Every byte changed, every length cut, and bytes added.
fn check_refusals(proof: &[u8], is_refused: &dyn Fn(&[u8]) -> bool) {
    assert!(!is_refused(proof), "the message itself is fine");
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for place in 0..proof.len() {
        let mut damaged = proof.to_vec();
        damaged[place] ^= random.random_range(1..=255_u8);
        assert!(is_refused(&damaged), "byte {place}");
        assert!(is_refused(&proof[..place]), "cut to {place}");
    }
    for extra in [1, 32, 48] {
        let mut longer = proof.to_vec();
        longer.resize(proof.len() + extra, 0);
        assert!(is_refused(&longer), "{extra} bytes more");
    }
}

#[test]
fn damaged_proofs_are_refused() {
    type Scheme = AadCounted;
    let shape = Shape::new(5, Schedule::Eager).unwrap();
    let mut all = distinct(21);
    all[5].key = key("key 2");
    let entries = entries(&log::<Scheme>([8; 16], shape), &all);
    let root = at_size(&entries, 21);
    for asked in ["absent", "key 3", "key 2"].map(key) {
        let proof = wire::encode(&entries.prove_values(21, asked.as_bytes()).unwrap());
        check_refusals(&proof, &|bytes| {
            verify::<LookupProof<Scheme>>(bytes, &root, &asked).is_err()
        });
    }
    for position in [4, 18] {
        let entry = &all[usize::try_from(position).unwrap()];
        let proof = wire::encode(&entries.prove_inclusion(21, position));
        check_refusals(&proof, &|bytes| {
            verify::<InclusionProof<Scheme>>(bytes, &root, entry).is_err()
        });
    }
    for from in [0, 8, 13, 21] {
        let growth = Growth::new(at_size(&entries, from), root.clone()).unwrap();
        let proof = wire::encode(&entries.prove_append_only(from, 21));
        check_refusals(&proof, &|bytes| {
            verify::<AppendOnlyProof<Scheme>>(bytes, &growth, &()).is_err()
        });
    }
}

/// Numbers at their limits wherever the layout has numbers: refused before they cost memory.
#[test]
fn huge_numbers_are_refused() {
    type Scheme = AadCounted;
    let shape = Shape::new(4, Schedule::Deferred).unwrap();
    let entries = entries(&log::<Scheme>([8; 16], shape), &distinct(40));
    let (root, asked) = (at_size(&entries, 40), key("absent"));
    let lookup = wire::encode(&entries.prove_values(40, asked.as_bytes()).unwrap());
    let growth = wire::encode(&entries.prove_append_only(9, 40));
    let inclusion = wire::encode(&entries.prove_inclusion(40, 3));
    let entry = &entries.as_slice()[3];
    for number in [41, 1 << 20, (1 << 48) - 1, 1 << 48, u64::MAX] {
        for place in [8, 16, 24] {
            let changed = |proof: &[u8]| {
                let mut changed = proof.to_vec();
                changed[place..place + 8].copy_from_slice(&number.to_be_bytes());
                changed
            };
            let refused = verify::<LookupProof<Scheme>>(&changed(&lookup), &root, &asked);
            assert!(refused.is_err());
            let roots = Growth::new(at_size(&entries, 9), root.clone()).unwrap();
            assert!(verify::<AppendOnlyProof<Scheme>>(&changed(&growth), &roots, &()).is_err());
            assert!(verify::<InclusionProof<Scheme>>(&changed(&inclusion), &root, entry).is_err());
        }
    }
}
