//! Checks of two laws. Law 1: the value and witnesses of a set are unique, whether computed with or
//! without the secret key, and by any algorithm. Law 2: a witness verifies for its own element
//! only.

use pad_accumulators::{
    AccumulateError, Accumulator, ElementSet, Membership, PublicKey as _, SecretKey as _,
};
use pad_core::{Proof, Verified, VerifyError, Workers};

use super::{PublicKey, SecretKey, elements, relabelled, sent, set_of, verified, workers};
use crate::{Random, soak};

/// Returns the set sizes to test, up to `largest`. They include the sizes at which an accumulator
/// switches between algorithms, and adjacent sizes.
fn sizes(largest: usize) -> impl Iterator<Item = usize> {
    [0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 64, 65, 100, 129]
        .into_iter()
        .filter(move |size| *size <= largest)
}

/// Checks that every algorithm computes equal values and witnesses, with and without the secret
/// key. The witness of an element must equal the value of the set without the element.
pub fn check_roles_agree<A: Accumulator>(secret: &SecretKey<A>, largest: usize, seed: u64) {
    let key = secret.public_key();
    let alone = Workers::sequential();
    for size in sizes(largest) {
        let elements = elements(size, &mut Random::new(seed));
        let set = set_of::<A>(key, &elements);
        let value = A::accumulate(key, &set, &alone).unwrap();
        assert_eq!(A::accumulate(secret, &set, &alone).unwrap(), value);
        let is_empty_value = value == A::empty_value(key);
        assert_eq!(is_empty_value, size == 0, "only the empty set has it");
        let witnesses = A::witnesses(key, &set, &alone).unwrap();
        assert_eq!(witnesses.len(), size);
        assert_eq!(A::witnesses(secret, &set, &alone).unwrap(), witnesses);
        // Each one takes as long as the value. Without `soak`, only the last witness of a large
        // set and every eighth before it are checked.
        let every = if size > 20 { soak::size(8, 1) } else { 1 };
        let all = elements.iter().zip(&witnesses).rev();
        for (element, witness) in all.step_by(every) {
            assert_eq!(&A::witness(key, &set, element, &alone).unwrap(), witness);
        }
        for (element, witness) in elements.iter().zip(&witnesses).take(4) {
            assert_eq!(&A::witness(secret, &set, element, &alone).unwrap(), witness);
        }
    }
}

/// Checks that the order of insertion and the number of threads do not change a set's value and
/// witnesses.
pub fn check_order_and_threads<A: Accumulator>(secret: &SecretKey<A>, size: usize, seed: u64) {
    let key = secret.public_key();
    let mut random = Random::new(seed);
    let forward = elements(size, &mut random);
    let mut shuffled = forward.clone();
    for last in (1..shuffled.len()).rev() {
        let other = random.below(u64::try_from(last).unwrap() + 1);
        shuffled.swap(last, usize::try_from(other).unwrap());
    }
    let alone = Workers::sequential();
    let set = set_of::<A>(key, &forward);
    let value = A::accumulate(key, &set, &alone).unwrap();
    let witnesses = A::witnesses(key, &set, &alone).unwrap();
    for threads in [1, 2, 3] {
        let pool = workers(threads);
        let set = ElementSet::<A>::from_elements(key, &shuffled, &pool).unwrap();
        assert_eq!(A::accumulate(key, &set, &pool).unwrap(), value);
        assert_eq!(A::accumulate(secret, &set, &pool).unwrap(), value);
        let public = A::witnesses(key, &set, &pool).unwrap();
        assert_eq!(A::witnesses(secret, &set, &pool).unwrap(), public);
        for (element, witness) in forward.iter().zip(&witnesses) {
            assert_eq!(&public[set.position(element).unwrap()], witness);
        }
    }
}

/// Checks that every membership witness verifies for its element and value, and for no other
/// element, value or label.
pub fn check_witnesses_verify_nothing_else<A: Accumulator>(secret: &SecretKey<A>, seed: u64) {
    let key = secret.public_key();
    let alone = Workers::sequential();
    let all = elements(9, &mut Random::new(seed));
    let (members, absent) = all.split_at(6);
    let set = set_of::<A>(key, members);
    let value = A::accumulate(key, &set, &alone).unwrap();
    let current = verified::<A>(key, 3, &value);
    let smaller = set_of::<A>(key, &members[1..]);
    let earlier = verified::<A>(key, 2, &A::accumulate(key, &smaller, &alone).unwrap());
    let foreign_key = relabelled::<A>(secret, b"another accumulator");
    let foreign_set = set_of::<A>(&foreign_key, members);
    let foreign_value = A::accumulate(&foreign_key, &foreign_set, &alone).unwrap();
    let foreign = verified::<A>(&foreign_key, 3, &foreign_value);
    let witnesses = A::witnesses(key, &set, &alone).unwrap();
    for (position, witness) in witnesses.iter().enumerate() {
        for (other, element) in all.iter().enumerate() {
            let answer = sent::<_, A>(key, witness).verify(&current, element);
            if other == position {
                let statement = answer.map(Verified::into_inner).unwrap();
                let expected = Membership {
                    accumulator: key.id(),
                    version: current.get().version,
                    element: element.clone(),
                };
                assert_eq!(statement, expected);
            } else {
                assert!(is_refusal(answer.unwrap_err()), "another element");
            }
        }
        let element = &members[position];
        let old = witness.clone().check(&earlier, element);
        assert!(is_refusal(old.unwrap_err()), "another version's value");
        let moved = witness.clone().check(&foreign, element);
        assert!(is_refusal(moved.unwrap_err()), "another label's value");
    }
    for element in absent {
        let refused = A::witness(key, &set, element, &alone);
        assert_eq!(refused, Err(AccumulateError::ElementAbsent));
        let refused = A::witness(secret, &set, element, &alone);
        assert_eq!(refused, Err(AccumulateError::ElementAbsent));
    }
}

/// Returns whether `error` may occur when a genuine membership witness is verified for another
/// element, value or label. An RSA witness contains the offset of its own element's prime, which
/// rarely yields a prime for another element.
pub fn is_refusal(error: VerifyError) -> bool {
    matches!(
        error,
        VerifyError::WitnessMismatch
            | VerifyError::NotAPrimeRepresentative
            | VerifyError::OffsetOutsideWindow
    )
}

/// Checks that duplicates, absent elements, and sets, keys and values of another accumulator are
/// refused. A refusal must leave the set unchanged.
pub fn check_refusals<A: Accumulator>(secret: &SecretKey<A>, seed: u64) {
    let key = secret.public_key();
    let alone = Workers::sequential();
    let elements = elements(5, &mut Random::new(seed));
    let twice = [&elements[..], &elements[2..3]].concat();
    for pool in [workers(1), workers(2)] {
        let refused = ElementSet::<A>::from_elements(key, &twice, &pool);
        assert_eq!(refused.unwrap_err(), AccumulateError::DuplicateElement);
    }
    let mut set = set_of::<A>(key, &elements[..4]);
    let before = set.elements().to_vec();
    let refused = set.insert_all(key, &elements[3..], &alone);
    assert_eq!(refused, Err(AccumulateError::DuplicateElement));
    let absent = Err(AccumulateError::ElementAbsent);
    assert_eq!(set.remove_all(&elements[3..]), absent);
    let same_twice = [&elements[1], &elements[1]];
    assert_eq!(set.remove_all(&same_twice), absent);
    assert_eq!(set.elements(), before, "a refused change changes nothing");
    check_foreign_keys::<A>(secret, &set, &elements[0]);
}

fn check_foreign_keys<A: Accumulator>(
    secret: &SecretKey<A>,
    set: &ElementSet<A>,
    member: &impl AsRef<[u8]>,
) {
    let alone = Workers::sequential();
    let foreign: PublicKey<A> = relabelled::<A>(secret, b"another accumulator");
    let foreign_secret = secret.with_label(b"another accumulator");
    let wrong = AccumulateError::WrongAccumulator;
    assert_eq!(A::accumulate(&foreign, set, &alone), Err(wrong));
    assert_eq!(A::accumulate(&foreign_secret, set, &alone), Err(wrong));
    assert_eq!(A::witnesses(&foreign, set, &alone), Err(wrong));
    assert_eq!(A::witnesses(&foreign_secret, set, &alone), Err(wrong));
    for element in [b"", member.as_ref()] {
        assert_eq!(A::witness(&foreign, set, element, &alone), Err(wrong));
        let refused = A::witness(&foreign_secret, set, element, &alone);
        assert_eq!(refused, Err(wrong));
    }
    let mut set = set.clone();
    let refused = set.insert_all(&foreign, &[b"fresh"], &alone);
    assert_eq!(refused, Err(wrong));
}
