//! A server with arbitrary answers for many keys.

use pad_conformance::tuple::TestSecret;
use pad_core::{Answer, Keys, Untrusted, VerifyError, Version, codec};
use pad_tuple::{
    ManyProof, designs,
    internals::{AggregateDesign, Design, ShownContent, ShownTuple},
};

use super::{Suite, count_or_sum, fixture, key, one_version_earlier, single, value};

/// An attack on the answer to a query for keys.
type Attack<D> = super::Attack<ManyProof<Suite, D>>;

pub(crate) fn check<D>()
where
    D: Design<Suite, Secret: TestSecret> + AggregateDesign<Suite>,
{
    let (played, trusted) = fixture::<D>();
    let prove = |version, asked: &Keys| played.server.prove_keys(version, asked).unwrap();
    let asked = single(&[0, 60, 140, 160]);
    let attack = Attack::<D> {
        honest: prove(trusted.version, &asked),
        trusted: trusted.clone(),
        asked,
    };
    // No two keys are adjacent, so that none of the tuples serves two.
    check_places(&attack);
    check_contents(&attack);
    let fewer = prove(trusted.version, &single(&[0, 60, 140]));
    let foreign = prove(trusted.version, &single(&[1, 120, 180]));
    check_aggregate(&attack, fewer, foreign);
    let then = one_version_earlier::<D>().server;
    let earlier = trusted.version.previous().unwrap();
    check_versions(&attack, &then.prove_keys(earlier, &attack.asked).unwrap());
    check_shared::<D>();
}

/// Checks that proofs with moved, dropped or doubled tuples are refused.
fn check_places<D: AggregateDesign<Suite>>(attack: &Attack<D>) {
    let count = attack.honest.parts.len();
    assert!(count >= 4);
    for dropped in 0..count {
        let refusal = attack.refusal(|proof| drop(proof.parts.remove(dropped)));
        let missing = matches!(
            refusal,
            VerifyError::GenerationMissing | VerifyError::KeyOutsideInterval
        );
        // If a tuple is missing, the next tuple takes its place and its key; `At` has no lower
        // end.
        let shifted = matches!(
            refusal,
            VerifyError::SignatureInvalid | VerifyError::CountMismatch
        );
        assert!(missing || shifted, "{dropped}: {refusal:?}");
        if dropped + 1 == count {
            assert_eq!(refusal, VerifyError::GenerationMissing);
        }
        let refusal = attack.refusal(|proof| {
            let part = proof.parts[dropped].clone();
            proof.parts.push(part);
        });
        assert_eq!(refusal, VerifyError::GenerationSurplus);
    }
    let first_two_swapped = attack.refusal(|proof| proof.parts.swap(0, 1));
    assert_eq!(first_two_swapped, VerifyError::KeyOutsideInterval);
    let reversed = attack.refusal(|proof| proof.parts.reverse());
    // With one generation, the last tuple, presented for the first key, would contain all other
    // keys too.
    let expected = if D::GENERATIONS == 1 {
        VerifyError::GenerationSurplus
    } else {
        VerifyError::KeyOutsideInterval
    };
    assert_eq!(reversed, expected);
    let none = attack.refusal(|proof| proof.parts.clear());
    assert_eq!(none, VerifyError::GenerationMissing);
    let epochs = attack.refusal(|proof| proof.epochs.push(1));
    assert_eq!(epochs, VerifyError::EpochCountMismatch);
    let unsigned = attack.refusal(|proof| proof.aggregate = None);
    let (expected, actual) = (attack.trusted.version, Version::EMPTY);
    assert_eq!(unsigned, VerifyError::WrongVersion { expected, actual });
}

/// Presents contents of other keys, and forged contents.
fn check_contents<D: AggregateDesign<Suite>>(attack: &Attack<D>) {
    let values: Vec<usize> = (0..attack.honest.parts.len())
        .filter(|position| {
            let tuple = &attack.honest.parts[*position].tuple;
            matches!(
                tuple,
                ShownTuple::At {
                    content: ShownContent::Value(_),
                    ..
                }
            )
        })
        .collect();
    assert!(values.len() >= 2);
    // Swaps two contents, without their intervals and signatures.
    let swapped = attack.refusal(|proof| {
        let first = content(&mut proof.parts[values[0]].tuple).clone();
        let second = core::mem::replace(content(&mut proof.parts[values[1]].tuple), first);
        *content(&mut proof.parts[values[0]].tuple) = second;
    });
    assert_eq!(swapped, VerifyError::SignatureInvalid);
    for position in values {
        let made_up = attack.refusal(|proof| {
            *content(&mut proof.parts[position].tuple) = ShownContent::Value(value(b"made up"));
        });
        assert_eq!(made_up, VerifyError::SignatureInvalid);
        let removed = attack.refusal(|proof| {
            *content(&mut proof.parts[position].tuple) = ShownContent::Removed;
        });
        assert_eq!(removed, VerifyError::SignatureInvalid);
    }
}

fn content(tuple: &mut ShownTuple<Suite>) -> &mut ShownContent {
    match tuple {
        ShownTuple::At { content, .. } => content,
        ShownTuple::Below { .. } => unreachable!("only tuples at their key are asked for"),
    }
}

/// Replaces the signatures by signatures of other tuples.
fn check_aggregate<D: AggregateDesign<Suite>>(
    attack: &Attack<D>,
    fewer: ManyProof<Suite, D>,
    foreign: ManyProof<Suite, D>,
) {
    let missing = attack.refusal(|proof| proof.aggregate = fewer.aggregate);
    assert_eq!(missing, count_or_sum::<D>(), "a signature is missing");
    let same_count = foreign.parts.len() == attack.honest.parts.len();
    let others = attack.refusal(|proof| proof.aggregate = foreign.aggregate);
    let expected = if same_count {
        VerifyError::SignatureInvalid
    } else {
        count_or_sum::<D>()
    };
    assert_eq!(others, expected, "the signatures of other tuples");
}

/// Replaces one tuple, or the whole proof, by its counterpart from another version.
fn check_versions<D: AggregateDesign<Suite>>(attack: &Attack<D>, earlier: &ManyProof<Suite, D>) {
    let whole = Untrusted::new(earlier.clone()).verify(&attack.trusted, &attack.asked);
    let refusal = whole.expect_err("the proof of another version");
    let replayed = matches!(
        refusal,
        VerifyError::OutsideValidity { .. }
            | VerifyError::SignatureInvalid
            | VerifyError::KeyOutsideInterval
            | VerifyError::GenerationMissing
            | VerifyError::GenerationSurplus
            | VerifyError::CountMismatch
    );
    assert!(replayed, "{refusal:?}");
    // The first part of the earlier proof, unless both parts are equal.
    for (position, part) in earlier.parts.iter().enumerate().take(1) {
        if codec::encode_body(&attack.honest.parts[position]) == codec::encode_body(part) {
            continue;
        }
        let refusal = attack.refusal(|proof| proof.parts[position] = part.clone());
        let expected = matches!(
            refusal,
            VerifyError::OutsideValidity { .. }
                | VerifyError::SignatureInvalid
                | VerifyError::KeyOutsideInterval
        );
        assert!(expected, "{refusal:?}");
    }
    let other = D::SCHEME.0 ^ 0x8000;
    let mut trusted = attack.trusted.clone();
    trusted.authority.scheme = pad_core::SchemeId(other);
    let refusal = Untrusted::new(attack.honest.clone()).verify(&trusted, &attack.asked);
    let (expected, actual) = (other, D::SCHEME.0);
    let wrong_scheme = VerifyError::WrongScheme { expected, actual };
    assert_eq!(refusal.err(), Some(wrong_scheme));
}

/// Checks that a tuple that serves several keys occurs in the proof once, and that a proof with a
/// second copy is refused.
fn check_shared<D>()
where
    D: Design<Suite, Secret: TestSecret> + AggregateDesign<Suite>,
{
    let (played, trusted) = fixture::<D>();
    let asked = single(&[141, 142, 143]);
    let attack = Attack::<D> {
        honest: played.server.prove_keys(trusted.version, &asked).unwrap(),
        trusted,
        asked,
    };
    // One tuple for each generation.
    assert_eq!(attack.honest.parts.len(), D::GENERATIONS);
    let verified = Untrusted::new(attack.honest.clone()).verify(&attack.trusted, &attack.asked);
    let mut answers = verified.unwrap().into_inner().answers.into_iter();
    assert!(answers.all(|(_, answer)| answer == Answer::Absent));
    let doubled = attack.refusal(|proof| {
        let part = proof.parts[0].clone();
        proof.parts.insert(0, part);
    });
    if D::GENERATIONS == 1 {
        assert_eq!(doubled, VerifyError::GenerationSurplus);
    }
    // In other designs the copy takes the place of the next generation's tuple. Which check
    // refuses the copy depends on the design. The form for the second key would start the interval
    // above the first key.
    let at_second = attack.refusal(|proof| {
        if let ShownTuple::Below { lower, .. } = &mut proof.parts[0].tuple {
            *lower = key([142]);
        }
    });
    assert_eq!(at_second, VerifyError::KeyOutsideInterval);
}

/// A proof with a tuple's evidence of an earlier version must be refused, even if the tuple is
/// unchanged.
#[test]
fn an_earlier_versions_evidence_says_so() {
    let (_, trusted) = fixture::<designs::BaseSuperseding>();
    let asked = single(&[140, 160]);
    let earlier = trusted.version.previous().unwrap();
    let then = one_version_earlier::<designs::BaseSuperseding>().server;
    let old = then.prove_keys(earlier, &asked).unwrap();
    let refusal = Untrusted::new(old).verify(&trusted, &asked).err();
    let outside = VerifyError::OutsideValidity {
        instant: trusted.version.number(),
        since: 1,
        until: earlier.number(),
    };
    assert_eq!(refusal, Some(outside));
    let (plain, trusted) = fixture::<designs::Base>();
    let old = plain.server.prove_keys(earlier, &asked).unwrap();
    let refusal = Untrusted::new(old).verify(&trusted, &asked).err();
    assert_eq!(refusal, Some(VerifyError::SignatureInvalid));
}
