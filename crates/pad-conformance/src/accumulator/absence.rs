//! Checks that witnesses of absence verify for absent elements, and for no present element.

use pad_accumulators::{AccumulateError, NonMembership, PublicKey as _, SecretKey as _};
use pad_core::{Proof, Verified, VerifyError, Workers};

use super::{Complete, SecretKey, elements, relabelled, sent, set_of, verified};
use crate::Random;

/// Checks that witnesses of absence made with and without the secret key are equal, for sets of
/// several sizes. Each witness must verify only for its own element, and only against the
/// accumulator value that it was made for.
pub fn check_absence<A: Complete>(secret: &SecretKey<A>, seed: u64) {
    let key = secret.public_key();
    let alone = Workers::sequential();
    let all = elements(30, &mut Random::new(seed));
    for size in [0, 1, 2, 5, 27] {
        let (members, absent) = (&all[..size], &all[27..]);
        let set = set_of::<A>(key, members);
        let value = A::accumulate(key, &set, &alone).unwrap();
        let current = verified::<A>(key, 4, &value);
        for element in absent {
            let witness = A::non_membership_witness(key, &set, element, &alone).unwrap();
            let made_by_author = A::non_membership_witness(secret, &set, element, &alone).unwrap();
            assert_eq!(made_by_author, witness);
            let statement = sent::<_, A>(key, &witness)
                .verify(&current, element)
                .unwrap();
            let expected = NonMembership {
                accumulator: key.id(),
                version: current.get().version,
                element: element.clone(),
            };
            assert_eq!(Verified::into_inner(statement), expected);
            for other in all.iter().filter(|other| *other != element) {
                // In the empty set, one witness may prove the absence of every element.
                if size > 0 {
                    let refused = witness.clone().check(&current, other).unwrap_err();
                    assert!(is_refusal(refused), "{refused:?}");
                }
            }
        }
        for element in members {
            let present = Err(AccumulateError::ElementPresent);
            assert_eq!(
                A::non_membership_witness(key, &set, element, &alone),
                present
            );
            assert_eq!(
                A::non_membership_witness(secret, &set, element, &alone),
                present
            );
        }
    }
}

/// Checks that a witness of absence is refused for the values of other sets, also of one that
/// contains the element, and for an accumulator with another label.
pub fn check_absence_elsewhere<A: Complete>(secret: &SecretKey<A>, seed: u64) {
    let key = secret.public_key();
    let alone = Workers::sequential();
    let all = elements(6, &mut Random::new(seed));
    let (members, element) = (&all[..5], &all[5]);
    let witness = A::non_membership_witness(key, &set_of::<A>(key, members), element, &alone);
    let witness = witness.unwrap();
    for others in [&all[..6], &all[..4], &all[1..5]] {
        let value = A::accumulate(key, &set_of::<A>(key, others), &alone).unwrap();
        let refused = witness
            .clone()
            .check(&verified::<A>(key, 4, &value), element);
        assert!(is_refusal(refused.unwrap_err()));
    }
    let foreign = relabelled::<A>(secret, b"another accumulator");
    let value = A::accumulate(&foreign, &set_of::<A>(&foreign, members), &alone).unwrap();
    let refused = witness.check(&verified::<A>(&foreign, 4, &value), element);
    assert!(is_refusal(refused.unwrap_err()));
}

/// Returns whether `error` may occur when a genuine witness of absence is verified for another
/// element, value or label.
fn is_refusal(error: VerifyError) -> bool {
    matches!(
        error,
        VerifyError::WitnessMismatch | VerifyError::RemainderOutOfRange
    )
}
