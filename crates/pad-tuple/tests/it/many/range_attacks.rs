//! A server with arbitrary answers for a range.

use pad_conformance::tuple::TestSecret;
use pad_core::{KeyRange, Untrusted, Value, VerifyError, Version};
use pad_tuple::{
    RangeProof,
    internals::{AggregateDesign, Design, RangeContent},
};

use super::{Suite, count_or_sum, fixture, key, one_version_earlier, value};

/// An attack on the answer to a query for a range.
type Attack<D> = super::Attack<RangeProof<Suite, D>>;

fn range(start: u8, end: u8) -> KeyRange {
    KeyRange {
        start: Some(key([start])),
        end: Some(key([end])),
    }
}

pub(crate) fn check<D>()
where
    D: Design<Suite, Secret: TestSecret> + AggregateDesign<Suite>,
{
    let (played, trusted) = fixture::<D>();
    let prove = |version, range: &KeyRange| played.server.prove_range(version, range).unwrap();
    let asked = range(130, 190);
    let attack = Attack::<D> {
        honest: prove(trusted.version, &asked),
        trusted: trusted.clone(),
        asked,
    };
    check_ends(&attack, &|range| prove(trusted.version, range));
    check_gaps(&attack);
    check_values(&attack);
    check_generations(&attack);
    let earlier = one_version_earlier::<D>()
        .server
        .prove_range(trusted.version.previous().unwrap(), &attack.asked)
        .unwrap();
    let refusal = Untrusted::new(earlier).verify(&attack.trusted, &attack.asked);
    let replayed = matches!(
        refusal,
        Err(VerifyError::OutsideValidity { .. } | VerifyError::SignatureInvalid)
    );
    assert!(replayed, "{refusal:?}");
    let foreign = prove(trusted.version, &range(150, 210));
    let other = attack.refusal(|proof| proof.aggregate = foreign.aggregate);
    let allowed = [VerifyError::SignatureInvalid, count_or_sum::<D>()];
    assert!(allowed.contains(&other), "{other:?}");
}

/// Offers proofs of other ranges.
fn check_ends<D: AggregateDesign<Suite>>(
    attack: &Attack<D>,
    prove: &dyn Fn(&KeyRange) -> RangeProof<Suite, D>,
) {
    let refuse = |other: &KeyRange| {
        Untrusted::new(prove(other))
            .verify(&attack.trusted, &attack.asked)
            .expect_err("the proof of another range")
    };
    let oldest = D::GENERATIONS - 1;
    let first = |refusal: VerifyError, single: VerifyError| {
        // With speculation the youngest generation's only tuple may fit, but the signatures do
        // not.
        let allowed = [single, VerifyError::KeyOutsideInterval, count_or_sum::<D>()];
        assert!(allowed.contains(&refusal), "{refusal:?}");
        if oldest == 0 {
            assert_eq!(refusal, single);
        }
    };
    first(refuse(&range(130, 150)), VerifyError::Elided);
    first(refuse(&range(130, 210)), VerifyError::Extraneous);
    // The first tuple starts before this range's start, and also ends there.
    first(refuse(&range(110, 190)), VerifyError::KeyOutsideInterval);
    // The first tuple starts above this range's start.
    first(refuse(&range(145, 190)), VerifyError::KeyOutsideInterval);
    let invalid = range(190, 130);
    let refusal = Untrusted::new(attack.honest.clone()).verify(&attack.trusted, &invalid);
    assert_eq!(refusal.err(), Some(VerifyError::InvalidQuery));
}

/// Checks that proofs with dropped, doubled or reordered tuples are refused. The tuples are in the
/// oldest generation, which contains all keys.
fn check_gaps<D: AggregateDesign<Suite>>(attack: &Attack<D>) {
    let oldest = D::GENERATIONS - 1;
    let count = attack.honest.generations[oldest].parts.len();
    assert_eq!(count, 4, "120, 140, 160, 180");
    for dropped in 0..count {
        let refusal = attack.refusal(|proof| {
            proof.generations[oldest].parts.remove(dropped);
        });
        let expected = match dropped {
            3 => VerifyError::Elided,
            // Only the signatures commit to the end of the range's first tuple.
            _ => count_or_sum::<D>(),
        };
        let shown = matches!(refusal, VerifyError::ValueSurplus) && dropped == 0;
        assert!(refusal == expected || shown, "{dropped}: {refusal:?}");
    }
    for doubled in 0..count {
        let refusal = attack.refusal(|proof| {
            let part = proof.generations[oldest].parts[doubled].clone();
            proof.generations[oldest].parts.insert(doubled, part);
        });
        let expected = match doubled {
            3 => VerifyError::Extraneous,
            0 => VerifyError::ValueMissing,
            _ => VerifyError::UnorderedLeaves,
        };
        let shown = doubled == 0 && refusal == VerifyError::UnorderedLeaves;
        assert!(refusal == expected || shown, "{doubled}: {refusal:?}");
    }
    let swapped = attack.refusal(|proof| proof.generations[oldest].parts.swap(1, 2));
    assert_eq!(swapped, VerifyError::UnorderedLeaves);
    // Closes the gap by moving an upper end, as if the entry had never existed.
    let closed = attack.refusal(|proof| {
        let parts = &mut proof.generations[oldest].parts;
        let removed = parts.remove(1);
        parts[0].upper = removed.upper;
    });
    assert_eq!(closed, count_or_sum::<D>());
    // An interval that overlaps the one before.
    let overlapping = attack.refusal(|proof| {
        proof.generations[oldest].parts[1].upper = Some(key([139]));
    });
    assert_eq!(overlapping, VerifyError::UnorderedLeaves);
    let before = attack.refusal(|proof| {
        proof.generations[oldest].parts[0].upper = Some(key([130]));
    });
    assert_eq!(before, VerifyError::KeyOutsideInterval);
    let moved = attack.refusal(|proof| {
        proof.generations[oldest].before = Some(key([125]));
    });
    assert_eq!(moved, VerifyError::SignatureInvalid);
    let above = attack.refusal(|proof| proof.generations[oldest].before = Some(key([130])));
    assert_eq!(above, VerifyError::KeyOutsideInterval);
}

/// Checks that proofs with withheld, added or changed values are refused.
fn check_values<D: AggregateDesign<Suite>>(attack: &Attack<D>) {
    let oldest = D::GENERATIONS - 1;
    let digest = |value: &Value| <Suite as pad_core::Suite>::value(value.as_bytes());
    let content = |position: usize, content: RangeContent<Suite>| {
        attack.refusal(|proof| proof.generations[oldest].parts[position].content = content)
    };
    let outside = RangeContent::Value(value([6]));
    assert_eq!(content(0, outside), VerifyError::ValueSurplus);
    let withheld = RangeContent::Digest(digest(&value([7])));
    assert_eq!(content(1, withheld), VerifyError::ValueMissing);
    let another = RangeContent::Value(value(b"another"));
    assert_eq!(content(1, another), VerifyError::SignatureInvalid);
    for hidden in [RangeContent::Removed, RangeContent::Nothing] {
        assert_eq!(content(1, hidden), VerifyError::SignatureInvalid);
    }
}

/// Drops and adds generations.
fn check_generations<D: AggregateDesign<Suite>>(attack: &Attack<D>) {
    let missing = attack.refusal(|proof| drop(proof.generations.pop()));
    assert_eq!(missing, VerifyError::GenerationMissing);
    let surplus = attack.refusal(|proof| {
        let again = proof.generations[0].clone();
        proof.generations.push(again);
    });
    assert_eq!(surplus, VerifyError::GenerationSurplus);
    let empty = attack.refusal(|proof| proof.generations[0].parts.clear());
    assert_eq!(empty, VerifyError::Elided);
    let epochs = attack.refusal(|proof| proof.epochs.push(0));
    assert_eq!(epochs, VerifyError::EpochCountMismatch);
    let unsigned = attack.refusal(|proof| proof.aggregate = None);
    let (expected, actual) = (attack.trusted.version, Version::EMPTY);
    assert_eq!(unsigned, VerifyError::WrongVersion { expected, actual });
}
