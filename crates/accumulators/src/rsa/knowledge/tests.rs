use pad_core::Untrusted;
use rug::Complete;

use super::*;
use crate::rsa::{
    RsaValue,
    proof_of_exponentiation::fixture::{
        check_layout, names, public, residue, root_of_one, set_of, times, verified,
    },
};

/// Version 3 holds two elements, version 5 three more.
fn pair() -> (SnapshotPair, Vec<RsaElement>) {
    let mut all = names("old", 2);
    let (_, earlier) = set_of(&all);
    let added = names("new", 3);
    let (added_set, _) = set_of(&added);
    all.extend(added);
    let (_, later) = set_of(&all);
    let pair = SnapshotPair {
        earlier: verified(&public(), 3, &earlier),
        later: verified(&public(), 5, &later),
    };
    (pair, added_set.elements().to_vec())
}

fn prove(pair: &SnapshotPair, added: &[RsaElement]) -> ExtensionProof {
    ExtensionProof::new(pair.earlier.get(), pair.later.get(), added).unwrap()
}

fn refusal(proof: &ExtensionProof, pair: &SnapshotPair) -> VerifyError {
    Untrusted::new(proof.clone()).verify(pair, &()).unwrap_err()
}

#[test]
fn a_grown_set_is_proved_to_have_grown() {
    let (pair, added) = pair();
    let proof = prove(&pair, &added);
    let statement = Untrusted::new(proof.clone())
        .verify(&pair, &())
        .unwrap()
        .into_inner();
    let expected = Extension {
        accumulator: public().id(),
        earlier: Version::new(3),
        later: Version::new(5),
    };
    assert_eq!(statement, expected);
    let mut reversed = added;
    reversed.reverse();
    assert_eq!(
        prove(&pair, &reversed),
        proof,
        "the order of additions does not matter"
    );
    check_layout(&proof, &[&proof.commitment, &proof.quotient]);
}

#[test]
fn a_set_extends_itself() {
    let (pair, _) = pair();
    let same = SnapshotPair {
        later: pair.earlier.clone(),
        ..pair
    };
    let proof = prove(&same, &[]);
    assert!(Untrusted::new(proof.clone()).verify(&same, &()).is_ok());
    let same_later = SnapshotPair {
        later: verified(&public(), 4, &same.earlier.get().value),
        ..same
    };
    let proof_later = prove(&same_later, &[]);
    assert!(Untrusted::new(proof_later).verify(&same_later, &()).is_ok());
    assert_eq!(
        refusal(&proof, &same_later),
        VerifyError::ExponentiationProofMismatch
    );
}

#[test]
fn what_does_not_lead_from_one_to_the_other_is_not_proved() {
    let (pair, added) = pair();
    let attempt = |added: &[RsaElement]| {
        ExtensionProof::new(pair.earlier.get(), pair.later.get(), added).unwrap_err()
    };
    assert_eq!(attempt(&added[1..]), AccumulateError::WitnessMismatch);
    assert_eq!(attempt(&[]), AccumulateError::WitnessMismatch);
    let shrunk = ExtensionProof::new(pair.later.get(), pair.earlier.get(), &added).unwrap_err();
    assert_eq!(shrunk, AccumulateError::WitnessMismatch);
    let mut foreign = pair.later.get().clone();
    foreign.key = foreign.key.with_label(b"another");
    let refused = ExtensionProof::new(pair.earlier.get(), &foreign, &added).unwrap_err();
    assert_eq!(refused, AccumulateError::WrongAccumulator);
}

#[test]
fn a_proof_is_for_two_versions_in_their_order_and_no_others() {
    let (pair, added) = pair();
    let proof = prove(&pair, &added);
    let key = public();
    let (earlier, later) = (
        pair.earlier.get().value.clone(),
        pair.later.get().value.clone(),
    );
    let swapped = SnapshotPair {
        earlier: pair.later.clone(),
        later: pair.earlier.clone(),
    };
    let rollback = VerifyError::Rollback {
        seen: Version::new(5),
        offered: Version::new(3),
    };
    assert_eq!(refusal(&proof, &swapped), rollback);
    let one_version = SnapshotPair {
        earlier: verified(&key, 5, &earlier),
        later: pair.later.clone(),
    };
    assert_eq!(
        refusal(&proof, &one_version),
        VerifyError::Fork(Version::new(5))
    );
    let mismatch = VerifyError::ExponentiationProofMismatch;
    let other_version = SnapshotPair {
        earlier: verified(&key, 2, &earlier),
        ..pair.clone()
    };
    assert_eq!(refusal(&proof, &other_version), mismatch);
    let other_version = SnapshotPair {
        later: verified(&key, 6, &later),
        ..pair.clone()
    };
    assert_eq!(refusal(&proof, &other_version), mismatch);
    // Values exchanged, versions in order: the later set has not got what the earlier one had.
    let exchanged = SnapshotPair {
        earlier: verified(&key, 3, &later),
        later: verified(&key, 5, &earlier),
    };
    assert_eq!(refusal(&proof, &exchanged), mismatch);
    let other = RsaValue::new(times(later.residue(), &Integer::from(3)));
    let other_value = SnapshotPair {
        later: verified(&key, 5, &other),
        ..pair.clone()
    };
    assert_eq!(refusal(&proof, &other_value), mismatch);
    let label = key.with_label(b"another");
    let both = SnapshotPair {
        earlier: verified(&label, 3, &earlier),
        later: verified(&label, 5, &later),
    };
    assert_eq!(refusal(&proof, &both), mismatch);
    let mixed = SnapshotPair {
        later: both.later,
        ..pair
    };
    assert_eq!(refusal(&proof, &mixed), VerifyError::WrongAccumulator);
}

#[test]
fn every_field_is_bound() {
    let (pair, added) = pair();
    let proof = prove(&pair, &added);
    let mismatch = VerifyError::ExponentiationProofMismatch;
    for factor in [Integer::from(2), root_of_one()] {
        let commitment = times(&proof.commitment, &factor);
        assert_eq!(
            refusal(
                &ExtensionProof {
                    commitment,
                    ..proof.clone()
                },
                &pair
            ),
            mismatch
        );
        let quotient = times(&proof.quotient, &factor);
        assert_eq!(
            refusal(
                &ExtensionProof {
                    quotient,
                    ..proof.clone()
                },
                &pair
            ),
            mismatch
        );
    }
    let remainder = (&proof.remainder + 1_u32).complete();
    assert_eq!(
        refusal(&ExtensionProof { remainder, ..proof }, &pair),
        mismatch
    );
}

/// `Q / base^l` with the remainder `x mod l + l`: the same equation, another proof.
#[test]
fn a_remainder_that_is_not_reduced_is_refused() {
    let (pair, added) = pair();
    let proof = prove(&pair, &added);
    let (earlier, later) = (pair.earlier.get(), pair.later.get());
    let group = earlier.key.group();
    let (mut transcript, second) = second_base(earlier, later);
    let challenge = Challenge::draw(&mut transcript, &proof.commitment).unwrap();
    let base = challenge.combined_base(group, earlier, &second);
    let remainder = (&proof.remainder + &challenge.prime).complete();
    let quotient = times(&proof.quotient, &group.inverse(&base));
    let shifted = ExtensionProof {
        quotient,
        remainder,
        ..proof.clone()
    };
    assert_eq!(refusal(&shifted, &pair), VerifyError::RemainderOutOfRange);
    let reduced = ExtensionProof {
        remainder: proof.remainder,
        ..shifted
    };
    assert_eq!(
        refusal(&reduced, &pair),
        VerifyError::ExponentiationProofMismatch
    );
}

/// The attack on the protocol without a second base: `earlier = g^3`, `later = g^2`, and with
/// the fraction 2/3 modulo `l` as remainder the quotient is a whole power of `g`.
#[test]
fn fractions_are_refused() {
    let key = public();
    let group = key.group();
    let base = residue(4);
    let power = |exponent: u32| {
        let number = group.power(base.as_integer(), &Integer::from(exponent));
        verified(
            &key,
            u64::from(7 - exponent),
            &RsaValue::new(group.canonical(number)),
        )
    };
    let pair = SnapshotPair {
        earlier: power(3),
        later: power(2),
    };
    let (earlier, later) = (pair.earlier.get(), pair.later.get());
    let (mut transcript, _) = second_base(earlier, later);
    let commitment = residue(1);
    let challenge = Challenge::draw(&mut transcript, &commitment).unwrap();
    let third = Integer::from(3).invert(&challenge.prime).unwrap();
    let remainder = third * 2_u32 % &challenge.prime;
    let exponent = (2_u32 - Integer::from(&remainder * 3_u32)).div_exact(&challenge.prime);
    let quotient = group.inverse(&group.power(base.as_integer(), &-exponent));
    // The plain equation holds for the fraction ...
    let left = group.multiply(
        &group.power(&quotient, &challenge.prime),
        &group.power(earlier.value.residue().as_integer(), &remainder),
    );
    assert!(group.same(&left, later.value.residue().as_integer()));
    // ... and that is why it is not the one that is checked.
    let quotient = group.canonical(quotient);
    let forged = ExtensionProof {
        commitment,
        quotient,
        remainder,
    };
    assert_eq!(
        refusal(&forged, &pair),
        VerifyError::ExponentiationProofMismatch
    );
}

#[test]
fn the_second_base_is_a_square_of_its_own_for_each_statement() {
    let (pair, _) = pair();
    let (earlier, later) = (pair.earlier.get(), pair.later.get());
    let base = second_base(earlier, later).1;
    let secret = crate::rsa::proof_of_exponentiation::fixture::secret();
    assert!(
        secret
            .factors()
            .primes()
            .iter()
            .all(|prime| base.legendre(prime) == 1)
    );
    assert_ne!(base, second_base(later, earlier).1);
    let mut other = later.clone();
    other.version = Version::new(6);
    assert_ne!(base, second_base(earlier, &other).1);
    other = later.clone();
    other.value = earlier.value.clone();
    assert_ne!(base, second_base(earlier, &other).1);
}
