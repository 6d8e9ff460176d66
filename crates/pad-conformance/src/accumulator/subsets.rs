//! Checks of subset witnesses, and of batches of witnesses.

use pad_accumulators::{AccumulateError, SecretKey as _, SubsetMembership};
use pad_core::{Proof, Untrusted, Verified, VerifyError, Workers};

use super::{Complete, SecretKey, elements, sent, set_of, verified};
use crate::Random;

/// Checks that three ways to make subset witnesses give equal results: with the secret key, without
/// it, and from the witnesses of single members. A subset witness must verify for exactly its
/// subset, and be refused for other lists of elements.
pub fn check_subsets<A: Complete>(secret: &SecretKey<A>, seed: u64) {
    let key = secret.public_key();
    let alone = Workers::sequential();
    let mut all = elements(12, &mut Random::new(seed));
    all.sort();
    let (members, absent) = all.split_at(11);
    let set = set_of::<A>(key, members);
    let value = A::accumulate(key, &set, &alone).unwrap();
    let current = verified::<A>(key, 8, &value);
    for subset in [&members[..1], &members[2..4], &members[3..8]] {
        let witness = A::subset_witness(key, &set, subset, &alone).unwrap();
        let made_by_author = A::subset_witness(secret, &set, subset, &alone).unwrap();
        assert_eq!(made_by_author, witness);
        let parts: Vec<_> = subset
            .iter()
            .map(|element| {
                let digest = set.digests_of(&[element])[0];
                let single = A::witness(key, &set, element, &alone).unwrap();
                (A::element(key, &digest).unwrap(), single)
            })
            .collect();
        assert_eq!(A::aggregate(key, &value, &parts).unwrap(), witness);
        let statement = sent::<_, A>(key, &witness)
            .verify(&current, subset)
            .unwrap();
        let expected = SubsetMembership {
            accumulator: set.accumulator(),
            version: current.get().version,
            elements: subset.to_vec(),
        };
        assert_eq!(Verified::into_inner(statement), expected);
        for (from, to) in [(0, 1), (2, 5), (3, 7), (4, 8), (8, 11)] {
            let other = &members[from..to];
            if other != subset {
                assert!(
                    witness.clone().check(&current, other).is_err(),
                    "{from}..{to}"
                );
            }
        }
        let mut with_absent = subset.to_vec();
        with_absent.push(absent[0].clone());
        assert!(witness.clone().check(&current, &with_absent).is_err());
        let refused = A::subset_witness(key, &set, &with_absent, &alone);
        assert_eq!(refused, Err(AccumulateError::ElementAbsent));
    }
    check_odd_subsets::<A>(secret, members);
}

/// Checks how subset witnesses handle empty subsets, and lists with duplicates or in the wrong
/// order.
fn check_odd_subsets<A: Complete>(secret: &SecretKey<A>, members: &[Vec<u8>]) {
    let key = secret.public_key();
    let alone = Workers::sequential();
    let set = set_of::<A>(key, members);
    let value = A::accumulate(key, &set, &alone).unwrap();
    let current = verified::<A>(key, 8, &value);
    let twice = [members[1].clone(), members[1].clone()];
    for (subset, error) in [
        (&[][..], AccumulateError::EmptySubset),
        (&twice[..], AccumulateError::DuplicateElement),
    ] {
        assert_eq!(A::subset_witness(key, &set, subset, &alone), Err(error));
        assert_eq!(A::subset_witness(secret, &set, subset, &alone), Err(error));
    }
    assert_eq!(
        A::aggregate(key, &value, &[]),
        Err(AccumulateError::EmptySubset)
    );
    let witness = A::subset_witness(key, &set, &members[1..4], &alone).unwrap();
    let reversed: Vec<_> = members[1..4].iter().rev().cloned().collect();
    for query in [&[][..], &twice[..], &reversed[..]] {
        let refused = witness.clone().check(&current, query);
        assert_eq!(refused, Err(VerifyError::InvalidQuery));
    }
}

/// Checks that a batch of witnesses, verified together, is accepted if all its witnesses verify. A
/// batch must be refused if one witness is swapped, from another version, or for an absent element.
pub fn check_batches<A: Complete>(secret: &SecretKey<A>, seed: u64) {
    let key = secret.public_key();
    let alone = Workers::sequential();
    let all = elements(41, &mut Random::new(seed));
    let (members, absent) = all.split_at(40);
    let set = set_of::<A>(key, members);
    let value = A::accumulate(key, &set, &alone).unwrap();
    let current = verified::<A>(key, 8, &value);
    let witnesses = A::witnesses(key, &set, &alone).unwrap();
    let check = |witnesses: &[A::Witness], query: &[Vec<u8>]| {
        Untrusted::new(A::WitnessBatch::from(witnesses.to_vec()))
            .verify(&current, query)
            .map(Verified::into_inner)
    };
    for size in [1, 2, 3, 40] {
        let statement = check(&witnesses[..size], &members[..size]).unwrap();
        assert_eq!(statement.elements, &members[..size]);
        assert_eq!(statement.version, current.get().version);
    }
    assert_eq!(check(&[], &[]).unwrap_err(), VerifyError::InvalidQuery);
    let short = check(&witnesses[..3], &members[..4]);
    assert_eq!(short.unwrap_err(), VerifyError::CountMismatch);
    let mut swapped = witnesses.clone();
    swapped.swap(3, 31);
    assert!(super::laws::is_refusal(
        check(&swapped, members).unwrap_err()
    ));
    let smaller = set_of::<A>(key, &members[1..]);
    let mut old = witnesses.clone();
    old[9] = A::witness(key, &smaller, &members[9], &alone).unwrap();
    assert_eq!(check(&old, members), Err(VerifyError::WitnessMismatch));
    let mut queries = members.to_vec();
    queries[20].clone_from(&absent[0]);
    assert!(super::laws::is_refusal(
        check(&witnesses, &queries).unwrap_err()
    ));
}
