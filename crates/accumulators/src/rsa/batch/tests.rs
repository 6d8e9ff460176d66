use pad_core::{DecodeError, Proof, Untrusted, Verified, VerifyError};

use super::*;
use crate::{
    rsa::{
        RsaWitnessBatch,
        proof_of_exponentiation::fixture::{
            LIMIT, check_layout, names, public, replaced, root_of_one, set_of, times, verified,
        },
    },
    scheme::{PublicKey as _, Scheme as _},
    statement::SubsetMembership,
    wire,
};

fn verify<P>(
    proof: &P,
    value: &RsaValue,
    elements: &[Vec<u8>],
) -> Result<SubsetMembership, VerifyError>
where
    P: Proof<
            Commitment = Verified<crate::Snapshot<Rsa>>,
            Query = [Vec<u8>],
            Statement = SubsetMembership,
            Error = VerifyError,
        > + Clone,
{
    let snapshot = verified(&public(), 4, value);
    let verified = Untrusted::new(proof.clone()).verify(&snapshot, elements);
    verified.map(Verified::into_inner)
}

/// Returns the elements of a set with their witnesses, computed without the secret key.
fn members(set: &ElementSet<Rsa>) -> Vec<(RsaElement, RsaWitness)> {
    let witnesses = Rsa::witnesses(&public(), set, &Workers::sequential()).unwrap();
    set.elements().iter().cloned().zip(witnesses).collect()
}

fn batch_of(members: &[(RsaElement, RsaWitness)]) -> RsaWitnessBatch {
    let witnesses = members.iter().map(|(_, witness)| witness.clone());
    witnesses.collect::<Vec<_>>().into()
}

mod subsets {
    use super::*;

    fn witness(set: &ElementSet<Rsa>, subset: &[Vec<u8>]) -> RsaSubsetWitness {
        Rsa::subset_witness(&public(), set, subset, &Workers::sequential()).unwrap()
    }

    #[test]
    fn false_witnesses_do_not_aggregate() {
        let (set, value) = set_of(&names("member", 4));
        let everyone = members(&set);
        let aggregate =
            |members: &[(RsaElement, RsaWitness)]| Rsa::aggregate(&public(), &value, members);
        let (element, honest) = &everyone[2];
        let with_error = |error: &Integer| {
            let mut forged = everyone.clone();
            let residue = times(honest.residue(), error);
            forged[2].1 = RsaWitness::new(residue, honest.offset());
            forged
        };
        let forged = with_error(&Integer::from(3));
        assert_eq!(aggregate(&forged), Err(AccumulateError::WitnessMismatch));
        let outcome = aggregate(&forged[2..3]);
        assert_eq!(outcome, Err(AccumulateError::WitnessMismatch));
        // An error of order two may cancel under an even exponent. Only the result matters.
        let forged = with_error(&root_of_one());
        let outcome = aggregate(&forged[2..3]);
        assert_eq!(outcome, Err(AccumulateError::WitnessMismatch));
        let result = aggregate(&forged);
        let right = aggregate(&everyone);
        assert!(result == right || result == Err(AccumulateError::WitnessMismatch));
        let swapped = [
            (element.clone(), everyone[1].1.clone()),
            everyone[0].clone(),
        ];
        assert_eq!(aggregate(&swapped), Err(AccumulateError::WitnessMismatch));
        let (_, other) = set_of(&names("member", 5));
        let refused = Rsa::aggregate(&public(), &other, &everyone);
        assert_eq!(refused, Err(AccumulateError::WitnessMismatch));
        // An error that cancels. For members 0 and 1, the powers of w_0 * x^(r_1) and
        // w_1 * x^(r_0) agree with each other, but not with the value.
        let x = Integer::from(3);
        let group = public();
        let group = group.group();
        let mut cancelling = everyone[..2].to_vec();
        for (index, other) in [(0, 1), (1, 0)] {
            let factor = group.power(&x, everyone[other].0.prime());
            let witness = &everyone[index].1;
            let residue = times(witness.residue(), &factor);
            cancelling[index].1 = RsaWitness::new(residue, witness.offset());
        }
        let outcome = aggregate(&cancelling);
        assert_eq!(outcome, Err(AccumulateError::WitnessMismatch));
    }

    #[test]
    fn a_witness_is_for_one_list_one_value_and_one_accumulator() {
        let all = names("member", 6);
        let (set, value) = set_of(&all);
        let honest = witness(&set, &all[1..4]);
        let refusal = |elements: &[Vec<u8>]| verify(&honest, &value, elements).unwrap_err();
        assert_eq!(refusal(&[]), VerifyError::InvalidQuery);
        let descending = [all[2].clone(), all[1].clone(), all[3].clone()];
        assert_eq!(refusal(&descending), VerifyError::InvalidQuery);
        let twice = [all[1].clone(), all[1].clone(), all[3].clone()];
        assert_eq!(refusal(&twice), VerifyError::InvalidQuery);
        assert_eq!(refusal(&all[1..3]), VerifyError::CountMismatch);
        assert_eq!(refusal(&all[1..5]), VerifyError::CountMismatch);
        // The offsets are not the offsets of other elements.
        assert_eq!(refusal(&all[2..5]), VerifyError::NotAPrimeRepresentative);
        let (_, next) = set_of(&names("member", 7));
        let refused = verify(&honest, &next, &all[1..4]).unwrap_err();
        assert_eq!(refused, VerifyError::ExponentiationProofMismatch);
        let other = public().with_label(b"another");
        let snapshot = verified(&other, 4, &value);
        let refused = Untrusted::new(honest.clone()).verify(&snapshot, &all[1..4]);
        let refused = refused.unwrap_err();
        assert_eq!(refused, VerifyError::NotAPrimeRepresentative);
    }

    #[test]
    fn an_absent_element_has_no_subset_witness() {
        // The honest residue and the honest proof of exponentiation, for a list with a stranger.
        let mut all = names("member", 4);
        let (set, value) = set_of(&all);
        let stranger = set_of(&names("stranger", 1)).0;
        let residue = Rsa::empty_value(&public());
        let mut elements: Vec<&RsaElement> = set.elements().iter().collect();
        elements.push(&stranger.elements()[0]);
        elements.sort_by_key(|element| *element.digest());
        let group = public();
        let group = group.group();
        let forged = RsaSubsetWitness::assemble(
            &public(),
            &value,
            residue.residue().clone(),
            &elements,
            |exponent| Ok(group.canonical(group.power(residue.residue().as_integer(), exponent))),
        )
        .unwrap();
        all.extend(names("stranger", 1));
        let refused = verify(&forged, &value, &all).unwrap_err();
        assert_eq!(refused, VerifyError::ExponentiationProofMismatch);
    }

    #[test]
    fn every_field_is_bound() {
        let all = names("member", 6);
        let (set, value) = set_of(&all);
        for subset in [&all[..3], &all[..1]] {
            let honest = witness(&set, subset);
            let bytes = wire::encode(&honest);
            let residues = [&honest.residue].into_iter().chain(&honest.quotient);
            let residues: Vec<_> = residues.collect();
            check_layout(&honest, &residues);
            let expected = if subset.len() == 1 {
                VerifyError::WitnessMismatch
            } else {
                VerifyError::ExponentiationProofMismatch
            };
            for residue in residues {
                for factor in [Integer::from(2), root_of_one()] {
                    let changed = times(residue, &factor);
                    let bytes = replaced(&bytes, residue, changed.as_integer());
                    let forged = wire::decode::<RsaSubsetWitness>(&public(), &bytes, LIMIT);
                    let forged = forged.unwrap().into_unverified();
                    assert_eq!(verify(&forged, &value, subset), Err(expected));
                }
            }
            for position in 0..subset.len() {
                let mut forged = honest.clone();
                forged.offsets[position] ^= 1;
                let refused = verify(&forged, &value, subset);
                assert_eq!(refused, Err(VerifyError::NotAPrimeRepresentative));
            }
        }
    }

    #[test]
    fn the_number_of_elements_says_whether_there_is_a_proof_of_exponentiation() {
        let all = names("member", 3);
        let (set, value) = set_of(&all);
        let (one, two) = (witness(&set, &all[..1]), witness(&set, &all[..2]));
        let with_quotient_of =
            |witness: &RsaSubsetWitness, other: &RsaSubsetWitness| RsaSubsetWitness {
                quotient: other.quotient.clone(),
                ..witness.clone()
            };
        let with_proof = with_quotient_of(&one, &two);
        let refused = verify(&with_proof, &value, &all[..1]);
        assert_eq!(refused, Err(VerifyError::CountMismatch));
        let without_proof = with_quotient_of(&two, &one);
        let refused = verify(&without_proof, &value, &all[..2]);
        assert_eq!(refused, Err(VerifyError::CountMismatch));

        let mut bytes = wire::encode_body(&one);
        bytes.splice(..6, [0; 4]);
        let refused = wire::decode_body::<RsaSubsetWitness>(&public(), &bytes);
        assert_eq!(refused.unwrap_err(), DecodeError::Malformed, "no elements");
        let hostile = [&u32::MAX.to_be_bytes()[..], &[0; 600]].concat();
        let refused = wire::decode_body::<RsaSubsetWitness>(&public(), &hostile);
        let result = refused.unwrap_err();
        assert_eq!(result, DecodeError::Malformed, "more than there are bytes");
    }
}

mod batches {
    use super::*;

    #[test]
    fn every_witness_must_be_right() {
        let all = names("member", 5);
        let (set, value) = set_of(&all);
        let everyone = members(&set);
        let refusal = |members: &[(RsaElement, RsaWitness)], value: &RsaValue, all: &[Vec<u8>]| {
            verify(&batch_of(members), value, all).unwrap_err()
        };
        for position in 0..5 {
            let mut forged = everyone.clone();
            let honest = &everyone[position].1;
            let doubled = times(honest.residue(), &Integer::from(2));
            forged[position].1 = RsaWitness::new(doubled, honest.offset());
            assert_eq!(refusal(&forged, &value, &all), VerifyError::WitnessMismatch);
            forged[position].1 = RsaWitness::new(honest.residue().clone(), honest.offset() ^ 1);
            let result = refusal(&forged, &value, &all);
            assert_eq!(result, VerifyError::NotAPrimeRepresentative);
        }
        // Exchanged residues: the product of all witnesses is as before.
        let mut swapped = everyone.clone();
        let exchange = |to: usize, from: usize| {
            RsaWitness::new(everyone[from].1.residue().clone(), everyone[to].1.offset())
        };
        (swapped[0].1, swapped[3].1) = (exchange(0, 3), exchange(3, 0));
        let result = refusal(&swapped, &value, &all);
        assert_eq!(result, VerifyError::WitnessMismatch);
        // Exchanged whole witnesses.
        let mut swapped = everyone.clone();
        swapped.swap(0, 3);
        let result = refusal(&swapped, &value, &all);
        assert_eq!(result, VerifyError::NotAPrimeRepresentative);
        let (_, next) = set_of(&names("member", 6));
        let result = refusal(&everyone, &next, &all);
        assert_eq!(result, VerifyError::WitnessMismatch);
        let mut absent = all.clone();
        absent[4] = b"absent".to_vec();
        let result = refusal(&everyone, &value, &absent);
        assert_eq!(result, VerifyError::NotAPrimeRepresentative);
        let other = verified(&public().with_label(b"another"), 4, &value);
        let refused = Untrusted::new(batch_of(&everyone)).verify(&other, &all);
        let refused = refused.unwrap_err();
        assert_eq!(refused, VerifyError::NotAPrimeRepresentative);
    }

    /// Errors that cancel where coefficients are equal: `x^(r_1)` and `x^(-r_0)` for members 0 and
    /// 1, and the same with the other member's prime left out.
    #[test]
    fn errors_do_not_cancel() {
        let all = names("member", 4);
        let (set, value) = set_of(&all);
        let everyone = members(&set);
        let group = public();
        let group = group.group();
        let x = Integer::from(3);
        let inverse = group.inverse(&x);
        let primes = [everyone[0].0.prime(), everyone[1].0.prime()];
        let pairs = [
            [x.clone(), inverse.clone()],
            [group.power(&x, primes[1]), group.power(&inverse, primes[0])],
        ];
        for errors in pairs {
            let mut forged = everyone.clone();
            for (member, error) in forged.iter_mut().zip(errors) {
                let residue = times(member.1.residue(), &error);
                member.1 = RsaWitness::new(residue, member.1.offset());
            }
            // Without coefficients the second pair would pass.
            let refused = verify(&batch_of(&forged), &value, &all);
            assert_eq!(refused, Err(VerifyError::WitnessMismatch));
        }
    }

    /// The documented limit: a prover that knows a square root of 1, and so the factors, can hide
    /// it in a witness. Half of the batches with it pass, but the elements are members.
    #[test]
    fn an_error_of_order_two_passes_half_the_time_and_proves_membership_still() {
        let all = names("member", 2);
        let (set, value) = set_of(&all);
        let root = root_of_one();
        let honest = members(&set);
        let mut forged = honest.clone();
        let residue = times(forged[0].1.residue(), &root);
        forged[0].1 = RsaWitness::new(residue, forged[0].1.offset());
        let passed = (0..40).filter(|version| {
            // The version is part of the transcript: another version, other coefficients.
            let snapshot = verified(&public(), *version, &value);
            let result = Untrusted::new(batch_of(&forged)).verify(&snapshot, &all);
            result.is_ok()
        });
        let passed = passed.count();
        assert!((5..=35).contains(&passed), "{passed} of 40");
        // The right witness follows from the wrong one: w^(2 r) = value^2, with s r + 2 t = 1.
        let group = public();
        let group = group.group();
        let prime = honest[0].0.prime();
        let (one, s, t) = prime.extended_gcd_ref(&Integer::from(2)).complete();
        assert_eq!(one, 1);
        let doubled = group.square(forged[0].1.residue().as_integer());
        let right =
            product_of_signed_powers(group, [(value.residue().as_integer(), s), (&doubled, t)]);
        assert_eq!(group.canonical(right), *honest[0].1.residue());
        // For an absent element no such witness exists, however small the order.
        let mut query = all;
        query[0] = b"absent".to_vec();
        let absent = RsaElement::search(&public(), &public().id().digest_of(b"absent")).unwrap();
        forged[0].1 = RsaWitness::new(forged[0].1.residue().clone(), absent.offset());
        let refused = (0..20).all(|version| {
            let snapshot = verified(&public(), version, &value);
            let result = Untrusted::new(batch_of(&forged)).verify(&snapshot, &query);
            result.unwrap_err() == VerifyError::WitnessMismatch
        });
        assert!(refused);
    }
}
