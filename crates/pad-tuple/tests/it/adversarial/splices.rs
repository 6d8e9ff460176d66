//! Genuine parts in wrong places: of other versions, epochs and generations.

use super::*;

/// Returns the client's refusal of a genuine signature for `since` to `until` at a different
/// instant. A plain signature names no range of instants, so it is just invalid.
fn outside<D: Design<S>>(instant: u64, since: u64, until: u64) -> Option<VerifyError> {
    if matches!(D::NAME, "base" | "spec") {
        INVALID
    } else {
        super::outside(instant, since, until)
    }
}

fn other_keys<D: Design<S, Secret: TestSecret>>() {
    let target = Target::<D>::new();
    // In version 6, "d" is in [d, e).
    let present = target.prove(6, "d");
    for name in ["e", "f", "z"] {
        assert_eq!(target.refusal(&present, 6, name), BEYOND, "{name}");
    }
    // Presents the tuple as starting at the requested key.
    for name in ["", "b", "c", "dd"] {
        assert_eq!(target.refusal(&present, 6, name), INVALID, "{name}");
    }
    let absent = target.prove(6, "dd");
    for name in ["", "b", "d", "e", "z"] {
        assert_eq!(target.refusal(&absent, 6, name), BEYOND, "{name}");
    }
    // The proof for a key without entry is the same for every key in the gap.
    assert_eq!(target.refusal(&absent, 6, "de"), None);
    // Above the last key, and below the first.
    let above = target.prove(6, "z");
    assert_eq!(target.refusal(&above, 6, "e"), BEYOND);
    let below = target.prove(6, "a");
    assert_eq!(target.refusal(&below, 6, ""), BEYOND);
}

fn other_versions<D: Design<S, Secret: TestSecret>>() {
    let target = Target::<D>::new();
    // "d" was 2, then 4 in [d, ..) and, from version 3 or 4 on, in another interval, then 6.
    let was = |version| target.prove_at(version, version, "d");
    assert_eq!(target.refusal(&was(5), 4, "d"), outside::<D>(4, 5, 5));
    for version in 6..=9 {
        let refusal = target.refusal(&was(5), version, "d");
        assert_eq!(refusal, outside::<D>(version, 5, 5));
    }
    assert_eq!(target.refusal(&was(5), 0, "d"), outside::<D>(0, 5, 5));
    let far = target.refusal(&was(5), u64::MAX, "d");
    assert_eq!(far, outside::<D>(u64::MAX, 5, 5));
    // Version 0 has its own proof, which other versions refuse.
    let empty = target.prove(0, "d");
    for version in [1, 8, u64::MAX] {
        let (expected, actual) = (Version::new(version), Version::EMPTY);
        let wrong = VerifyError::WrongVersion { expected, actual };
        assert_eq!(target.refusal(&empty, version, "d"), Some(wrong));
    }
    let padded = TupleProof {
        epochs: vec![0],
        ..empty.clone()
    };
    let refusal = target.refusal(&padded, 0, "d");
    assert_eq!(refusal, Some(VerifyError::EpochCountMismatch));
    let padded = TupleProof {
        parts: was(5).parts,
        ..empty.clone()
    };
    let refusal = target.refusal(&padded, 0, "d");
    assert_eq!(refusal, Some(VerifyError::GenerationSurplus));
    let sealed = TupleProof {
        epochs: vec![0; D::GENERATIONS - 1],
        seal: was(5).seal,
        ..empty
    };
    let refusal = target.refusal(&sealed, 0, "d");
    assert_eq!(refusal, Some(VerifyError::GenerationMissing));
}

/// Looks up "b" in both generations: it does not change before version 7.
fn parts_moved_repeated_dropped_and_added<D: Design<S, Secret: TestSecret>>() {
    let target = Target::<D>::new();
    let honest = target.prove(3, "b");
    let refusal = |proof: &TupleProof<S, D>| target.refusal(proof, 3, "b");
    let with_parts = |parts: Vec<Part<S, D>>| TupleProof {
        parts,
        ..honest.clone()
    };
    let [young, old] = &honest.parts[..] else {
        panic!("two generations are asked");
    };
    let (young, old) = (|| young.clone(), || old.clone());
    let missing = Some(VerifyError::GenerationMissing);
    assert_eq!(refusal(&with_parts(vec![])), missing);
    assert_eq!(refusal(&with_parts(vec![young()])), missing);
    let surplus = Some(VerifyError::GenerationSurplus);
    for third in [young(), old()] {
        let refusal = refusal(&with_parts(vec![young(), old(), third]));
        assert_eq!(refusal, surplus);
    }
    // The older tuple decides and would suffice, but only the youngest tuple names its epoch.
    assert_eq!(refusal(&with_parts(vec![old()])), outside::<D>(3, 1, 1));
    assert_eq!(refusal(&with_parts(vec![old(), young()])), surplus);
    assert_eq!(refusal(&with_parts(vec![old(), old()])), surplus);
    // The youngest tuple twice, as a claim that the key is in neither generation.
    let twice = refusal(&with_parts(vec![young(), young()]));
    assert_eq!(twice, outside::<D>(1, 2, 3));

    // Swaps the evidence of both tuples.
    let mut moved = honest.clone();
    let [young, old] = &mut moved.parts[..] else {
        panic!("two generations are asked");
    };
    core::mem::swap(&mut young.evidence, &mut old.evidence);
    assert_eq!(refusal(&moved), outside::<D>(3, 1, 1));

    // Additional tuples after the youngest has decided.
    let mut decided = target.prove(3, "d");
    assert_eq!(decided.parts.len(), 1);
    decided.parts.extend(target.prove(1, "d").parts.pop());
    assert_eq!(target.refusal(&decided, 3, "d"), surplus);
}

fn other_epochs<D: Design<S, Secret: TestSecret>>() {
    let target = Target::<D>::new();
    let honest = target.prove(3, "b");
    assert_eq!(honest.epochs, [1]);
    let with_epochs = |epochs: &[u64]| TupleProof {
        epochs: epochs.to_vec(),
        ..honest.clone()
    };
    for epochs in [&[][..], &[1, 1], &[1, 2, 3], &[0; 15], &[1; 300]] {
        let refusal = target.refusal(&with_epochs(epochs), 3, "b");
        assert_eq!(refusal, Some(VerifyError::EpochCountMismatch));
    }
    for epoch in [0, 2, 3, u64::MAX] {
        let refusal = target.refusal(&with_epochs(&[epoch]), 3, "b");
        assert_eq!(refusal, outside::<D>(epoch, 1, 1));
    }
    // "a" is in the same older tuple in epochs 1 and 2, so only the youngest tuple distinguishes
    // the epochs.
    let honest = target.prove(3, "a");
    let moved = TupleProof {
        epochs: vec![2],
        ..honest
    };
    assert_eq!(target.refusal(&moved, 3, "a"), INVALID);
}

/// Offers the older generation's tuple of a key that has changed since.
fn values_of_older_generations<D: Design<S, Secret: TestSecret>>() {
    let target = Target::<D>::new();
    let asked = "d";
    // The true value is 6 from version 5 on; in epoch 2 the older generation has 4.
    let stale = target.prove(4, asked);
    assert_eq!(stale.parts.len(), 2);
    for version in 5..=8 {
        let refusal = target.refusal(&stale, version, asked);
        assert_eq!(refusal, outside::<D>(version, 4, 4));
    }
    // A youngest tuple that is valid at version 8 names another epoch.
    let current = target.prove(8, asked);
    let mut mixed = current.clone();
    mixed.parts[1] = stale.parts[1].clone();
    assert_eq!(target.refusal(&mixed, 8, asked), outside::<D>(3, 2, 2));
    mixed.epochs = vec![2];
    assert_eq!(target.refusal(&mixed, 8, asked), INVALID);
    // Only the older tuple: it decides, but no part proves its epoch.
    mixed.parts.remove(0);
    assert_eq!(target.refusal(&mixed, 8, asked), outside::<D>(8, 2, 2));
    // The tuple of epoch 1, with value 2.
    let mut older = current;
    older.parts[1] = target.prove(1, asked).parts[1].clone();
    older.epochs = vec![1];
    assert_eq!(target.refusal(&older, 8, asked), INVALID);
}

/// Hides a removal that only the youngest generation has.
fn hidden_tombstones<D: Design<S, Secret: TestSecret>>() {
    let target = Target::<D>::new();
    // In version 3, "f" is removed. The older generation still contains it with value 3.
    let (asked, version) = ("f", 3);
    let honest = target.prove(version, asked);
    assert_eq!(honest.parts.len(), 1);
    let before = target.prove_at(2, 2, asked);
    let old = before.parts[1].clone();
    // The youngest tuple below the tombstone, and the first tuples of other keys' lookups.
    for name in ["dd", "d", "b"] {
        let mut hidden = target.prove(version, name);
        hidden.parts.truncate(1);
        hidden.parts.push(old.clone());
        let refusal = target.refusal(&hidden, version, asked);
        assert_eq!(refusal, BEYOND, "{name}");
    }
    // The youngest tuple of the version before the removal.
    let refusal = target.refusal(&before, version, asked);
    assert_eq!(refusal, outside::<D>(3, 2, 2));
    // Only the older tuple, with the epoch that the honest proof names.
    let alone = TupleProof {
        parts: vec![old.clone()],
        ..honest.clone()
    };
    let refusal = target.refusal(&alone, version, asked);
    assert_eq!(refusal, outside::<D>(3, 1, 1));
    // The tombstone with the value behind it.
    let mut both = honest;
    both.parts.push(old);
    let surplus = Some(VerifyError::GenerationSurplus);
    assert_eq!(target.refusal(&both, version, asked), surplus);
    // The tombstone presented as an empty content, or with the value.
    for (content, parts) in [
        (ShownContent::Nothing, 2),
        (ShownContent::Value(value("3")), 1),
    ] {
        let mut changed = both.clone();
        changed.parts.truncate(parts);
        let ShownTuple::At { content: shown, .. } = &mut changed.parts[0].tuple else {
            panic!("the tombstone is at the key");
        };
        *shown = content;
        assert_eq!(target.refusal(&changed, version, asked), INVALID);
    }
}

macro_rules! splices {
    ($name:ident, $design:ty) => {
        mod $name {
            use super::*;

            tests_of! {
                other_keys: $design;
                other_versions: $design;
                parts_moved_repeated_dropped_and_added: $design;
                other_epochs: $design;
                values_of_older_generations: $design;
                hidden_tombstones: $design;
            }
        }
    };
}

splices!(spec, Spec);
splices!(spec_superseding, SpecSuperseding);
splices!(spec_lightweight, SpecLightweight);
splices!(spec_lightweight_bls, SpecLightweightBls);

#[test]
fn one_generation_names_no_epochs_and_shows_one_tuple() {
    fn check<D: Design<S, Secret: TestSecret>>() {
        let target = Target::<D>::new();
        let honest = target.prove(3, "b");
        let mut changed = honest.clone();
        changed.epochs = vec![1];
        let count = Some(VerifyError::EpochCountMismatch);
        assert_eq!(target.refusal(&changed, 3, "b"), count);
        let mut changed = honest.clone();
        changed.parts.clear();
        let missing = Some(VerifyError::GenerationMissing);
        assert_eq!(target.refusal(&changed, 3, "b"), missing);
        let mut changed = honest.clone();
        changed.parts.extend(honest.parts);
        let surplus = Some(VerifyError::GenerationSurplus);
        assert_eq!(target.refusal(&changed, 3, "b"), surplus);
        let mut absent = target.prove(3, "a");
        absent.parts.extend(target.prove(3, "b").parts);
        assert_eq!(target.refusal(&absent, 3, "a"), surplus);
    }
    with_each!(check: Base, BaseSuperseding, BaseLightweight);
}
