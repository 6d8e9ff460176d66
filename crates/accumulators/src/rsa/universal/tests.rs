use pad_core::{Untrusted, Verified, VerifyError};

use super::*;
use crate::{
    dynamic::Dynamic as _,
    rsa::{
        RsaValue,
        proof_of_exponentiation::fixture::{
            check_layout, names, public, residue, root_of_one, secret, set_of, times, verified,
        },
        representative::at_offset,
    },
    scheme::PublicKey as _,
    statement::NonMembership,
};

fn witness(set: &ElementSet<Rsa>, element: &[u8]) -> RsaNonMembershipWitness {
    let workers = Workers::sequential();
    Rsa::non_membership_witness(&secret(), set, element, &workers).unwrap()
}

fn verify(
    witness: &RsaNonMembershipWitness,
    value: &RsaValue,
    element: &[u8],
) -> Result<NonMembership, VerifyError> {
    let snapshot = verified(&public(), 4, value);
    let verified = Untrusted::new(witness.clone()).verify(&snapshot, element);
    verified.map(Verified::into_inner)
}

fn element(name: &[u8]) -> RsaElement {
    RsaElement::search(&public(), &public().id().digest_of(name)).unwrap()
}

#[test]
fn the_empty_set_has_the_plainest_witness() {
    let (set, value) = set_of(&[]);
    let witness = witness(&set, b"anything");
    assert_eq!(witness.remainder, 1);
    assert_eq!(witness.cofactor, residue(1));
    // This witness is equal for all elements, as expected.
    assert!(verify(&witness, &value, b"something else").is_ok());
}

#[test]
fn a_witness_is_for_one_element_one_value_and_one_accumulator() {
    let (set, value) = set_of(&names("present", 4));
    let witness = witness(&set, b"absent");
    assert!(verify(&witness, &value, b"absent").is_ok());
    let mismatch = Err(VerifyError::WitnessMismatch);
    // For another element, the prime may be below the remainder. Both outcomes are refusals.
    let others = names("other", 8);
    for other in &others {
        let refused = verify(&witness, &value, other).unwrap_err();
        let expected = if witness.remainder < *element(other).prime() {
            VerifyError::WitnessMismatch
        } else {
            VerifyError::RemainderOutOfRange
        };
        assert_eq!(refused, expected);
    }
    assert!(verify(&witness, &value, b"present 1").is_err());
    let (_, next) = set_of(&names("present", 5));
    assert_eq!(verify(&witness, &next, b"absent"), mismatch);
    let other = public().with_label(b"another");
    let refused = Untrusted::new(witness).verify(&verified(&other, 4, &value), b"absent");
    assert!(matches!(
        refused,
        Err(VerifyError::WitnessMismatch | VerifyError::RemainderOutOfRange)
    ));
}

#[test]
fn every_field_is_bound() {
    let (set, value) = set_of(&names("present", 4));
    let honest = witness(&set, b"absent");
    let prime = element(b"absent").prime().clone();
    let group = public();
    let group = group.group();
    let with = |remainder: Integer, cofactor: &Residue| RsaNonMembershipWitness {
        remainder,
        cofactor: cofactor.clone(),
        length: honest.length,
    };
    let out_of_range = Err(VerifyError::RemainderOutOfRange);
    let mismatch = Err(VerifyError::WitnessMismatch);
    for factor in [Integer::from(2), root_of_one()] {
        let forged = with(honest.remainder.clone(), &times(&honest.cofactor, &factor));
        assert_eq!(verify(&forged, &value, b"absent"), mismatch);
    }
    let next = (&honest.remainder + 1_u32).complete();
    let refused = verify(&with(next, &honest.cofactor), &value, b"absent");
    assert_eq!(refused, mismatch);
    // (a + r, B / v) satisfies the equation as well, and so does (a - r, B v).
    let inverse = group.inverse(value.residue().as_integer());
    let shifted = with(
        (&honest.remainder + &prime).complete(),
        &times(&honest.cofactor, &inverse),
    );
    let power = group.multiply(
        &group.power(value.residue().as_integer(), &shifted.remainder),
        &group.power(shifted.cofactor.as_integer(), &prime),
    );
    assert!(group.same(&power, public().parameters().base().as_integer()));
    assert_eq!(verify(&shifted, &value, b"absent"), out_of_range);
    let refused = verify(&with(Integer::ZERO, &honest.cofactor), &value, b"absent");
    assert_eq!(refused, out_of_range);
    let refused = verify(&with(prime, &honest.cofactor), &value, b"absent");
    assert_eq!(refused, out_of_range);
    check_layout(&honest, &[&honest.cofactor]);
}

#[test]
fn residues_of_other_parameters_are_refused() {
    let (set, value) = set_of(&names("present", 1));
    let honest = witness(&set, b"absent");
    let larger = crate::rsa::test_key::secret_3072();
    let foreign = larger.public_key().group().canonical(Integer::from(5));
    let forged = RsaNonMembershipWitness {
        cofactor: foreign,
        ..honest
    };
    let refused = verify(&forged, &value, b"absent");
    assert_eq!(refused, Err(VerifyError::WrongAccumulator));
}

/// Tests every possible sign. With odd and even remainders, the equation holds up to sign only for
/// the honest element, and `-B` is `B`.
#[test]
fn signs_change_nothing() {
    let group = public();
    let group = group.group();
    let modulus = group.modulus();
    let (set, value) = set_of(&names("present", 3));
    let (mut odd, mut even) = (0, 0);
    for name in names("absent", 12) {
        let honest = witness(&set, &name);
        if honest.remainder.is_odd() {
            odd += 1;
        } else {
            even += 1;
        }
        let minus = (modulus - honest.cofactor.as_integer()).complete();
        assert_eq!(group.canonical(minus), honest.cofactor);
        assert!(verify(&honest, &value, &name).is_ok());
    }
    assert!(odd > 0 && even > 0, "both parities occur");
}

/// Demonstrates why there is no hint: a later prime of a present element's window has a pair that
/// satisfies the equation.
#[test]
fn a_later_prime_of_a_present_element_is_not_accepted() {
    let key = public();
    let group = key.group();
    let (set, value) = set_of(&names("present", 3));
    let present = element(b"present 1");
    let (rule, base) = (key.parameters().rule(), key.parameters().base());
    let accepted = |offset| at_offset(rule, present.digest().as_bytes(), offset).ok();
    let later = (present.offset() + 1..).find_map(accepted).unwrap();
    assert!(later > *present.prime());
    let primes = set.elements().iter().map(RsaElement::prime);
    let product = product(primes, &Workers::sequential());
    let remainder = product.invert_ref(&later).map(Integer::from).unwrap();
    let exponent = ((&remainder * &product).complete() - 1_u32).div_exact(&later);
    let power = group.power(base.as_integer(), &exponent);
    let cofactor = group.canonical(group.inverse(&power));
    let power = group.multiply(
        &group.power(value.residue().as_integer(), &remainder),
        &group.power(cofactor.as_integer(), &later),
    );
    let holds = group.same(&power, base.as_integer());
    assert!(holds, "the equation holds");
    let forged = RsaNonMembershipWitness {
        remainder,
        cofactor,
        length: rule.byte_length(),
    };
    let result = verify(&forged, &value, b"present 1");
    assert_eq!(result, Err(VerifyError::WitnessMismatch));
    // An update with the pair and the later prime is refused too.
    let misled = Rsa::update_non_membership_witness(&key, &present, &forged, &[]).unwrap();
    let result = verify(&misled, &value, b"present 1");
    assert_eq!(result, Err(VerifyError::WitnessMismatch));
}

/// Change logs need no trust: a false log produces a witness that does not verify.
#[test]
fn false_changes_make_false_witnesses() {
    let (secret, workers) = (secret(), Workers::sequential());
    let key = public();
    let (mut set, value) = set_of(&names("present", 3));
    let honest = witness(&set, b"absent");
    let absent = element(b"absent");
    let removed: [&[u8]; 1] = [b"present 1"];
    let added: [&[u8]; 2] = [b"new 1", b"new 2"];
    let change = Rsa::change(&secret, &mut set, &value, &removed, &added, &workers).unwrap();
    let after = change.after.clone();
    let mut false_changes = vec![change.clone(); 4];
    false_changes[0].added.remove(0);
    false_changes[1].removed.clear();
    false_changes[2].added.clone_from(&change.removed);
    false_changes[3].before.clone_from(&change.after);
    for (index, change) in false_changes.iter().enumerate() {
        let changes = core::slice::from_ref(change);
        let updated = Rsa::update_non_membership_witness(&key, &absent, &honest, changes).unwrap();
        let refused = verify(&updated, &after, b"absent");
        assert_eq!(refused, Err(VerifyError::WitnessMismatch), "{index}");
    }
}
