use super::*;
use crate::sample;

/// Returns measurements at the given numbers of keys `n` and changes `k`. Every time and size is
/// `figure(n, k)`.
fn measured(points: &[(u64, u64)], figure: impl Fn(f64, f64) -> f64) -> Records {
    let point = |(keys, changes): &(u64, u64)| {
        let value = figure(count(*keys), count(*changes));
        let mut point = sample("made up");
        (point.shape.keys, point.shape.changes) = (*keys, *changes);
        (point.author_us, point.apply_us, point.update_bytes) = (value, value, value);
        (point.prove_us, point.memory_bytes_per_snapshot) = (Some(value), None);
        point
    };
    of(points.iter().map(point).collect())
}

fn of(measured: Vec<Measurement>) -> Records {
    Records {
        measured,
        ..Records::default()
    }
}

const GRID: [(u64, u64); 4] = [(1000, 1), (1000, 100), (100_000, 1), (100_000, 100)];

fn estimate(records: &Records, keys: u64, changes: u64) -> Estimate {
    Coefficients::of("made up", records)
        .unwrap()
        .estimate(keys, changes, 8, 32)
}

fn near(figure: f64, expected: f64) {
    assert!(
        (figure - expected).abs() < 1e-9 * expected.abs(),
        "{figure} instead of {expected}"
    );
}

#[test]
fn measured_points_come_back() {
    let points = measured(&GRID, |n, k| n.sqrt() + 3.0 * k);
    for point in &points.measured {
        let estimate = estimate(&points, point.shape.keys, point.shape.changes);
        near(estimate.figures.author_us, point.author_us);
        near(estimate.figures.update_bytes, point.update_bytes);
        assert_eq!(estimate.marks, []);
    }
}

#[test]
fn linear_in_changes_and_a_power_of_keys() {
    let points = measured(&GRID, |n, k| (5.0 + 2.0 * k) * n.sqrt());
    for (keys, changes) in [(1000, 37), (10_000, 1), (31_623, 50), (50_000, 100)] {
        let estimate = estimate(&points, keys, changes);
        let expected = (5.0 + 2.0 * count(changes)) * count(keys).sqrt();
        near(estimate.figures.author_us, expected);
        near(estimate.figures.prove_us.unwrap(), expected);
        assert_eq!(estimate.figures.memory_bytes_per_snapshot, None);
        assert_eq!(estimate.marks, []);
    }
}

/// With one power of keys, eight changes would take less than one with a million keys.
#[test]
fn what_changes_add_grows_with_keys_on_its_own() {
    let points = measured(&GRID, |n, k| 2.0 * n.sqrt() + 20.0 * (k - 1.0));
    for (keys, changes) in [
        (10_000, 50),
        (709_634, 1),
        (709_634, 8),
        (10, 100),
        (20_000_000, 1000),
    ] {
        let estimate = estimate(&points, keys, changes);
        let expected = 2.0 * count(keys).sqrt() + 20.0 * (count(changes) - 1.0);
        near(estimate.figures.author_us, expected);
        near(estimate.figures.update_bytes, expected);
    }
    // A figure that falls with the changes is not a sum of two figures that grow with them.
    let falling = measured(&GRID, |n, k| n.sqrt() / k);
    near(estimate(&falling, 10_000, 100).figures.author_us, 1.0);
}

#[test]
fn beyond_the_points_the_last_slope_goes_on_and_is_called_so() {
    let points = measured(&GRID, |n, k| (5.0 + 2.0 * k) * n);
    let far = estimate(&points, 10_000_000, 1000);
    near(far.figures.author_us, 2005.0 * 1e7);
    let shown: Vec<_> = far.marks.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "extrapolated: measured with 1000 to 100000 keys",
            "extrapolated: measured with 1 to 100 changes in a snapshot"
        ]
    );
    assert_eq!(estimate(&points, 10, 1).marks.len(), 1);
    near(estimate(&points, 10, 1).figures.author_us, 70.0);
}

#[test]
fn a_size_with_one_point_grows_as_the_nearest_with_several() {
    let points = measured(&[(1000, 1), (1000, 100), (100_000, 1)], |n, k| {
        (5.0 + 2.0 * k) * n.sqrt()
    });
    near(
        estimate(&points, 100_000, 41).figures.author_us,
        87.0 * 1e5_f64.sqrt(),
    );
    // Without any other: no more than proportional, and no less than for fewer changes.
    let alone = measured(&[(1000, 10)], |_, k| k);
    near(estimate(&alone, 1000, 40).figures.author_us, 40.0);
    near(estimate(&alone, 5, 1).figures.author_us, 10.0);
    assert_eq!(
        estimate(&alone, 5, 10).marks[0].to_string(),
        "extrapolated: measured with 1000 keys only"
    );
}

#[test]
fn bytes_of_keys_and_values_add_up() {
    let points = of(vec![sample("made up")]);
    let coefficients = Coefficients::of("made up", &points).unwrap();
    let same = coefficients.estimate(1000, 1, 8, 32).figures;
    assert_eq!(same, points.measured[0]);
    let longer = coefficients.estimate(1000, 1, 16, 132).figures;
    near(longer.update_bytes, same.update_bytes + 108.0);
    near(
        longer.proof_bytes.unwrap(),
        same.proof_bytes.unwrap() + 108.0,
    );
    near(longer.memory_bytes_per_key.unwrap(), 208.0);
    near(longer.memory_bytes_per_snapshot.unwrap(), 408.0);
    near(longer.author_us, same.author_us);
    let shorter = coefficients.estimate(1000, 1, 1, 0).figures;
    near(shorter.proof_bytes.unwrap(), 161.0);
}

#[test]
fn points_that_do_not_belong_together_are_not_mixed() {
    let mut points = measured(&GRID, |n, _| n);
    let mut other = sample("made up");
    other.shape.value_bytes = 1024;
    other.author_us = 1e9;
    points.measured.insert(0, other);
    let mut unmeasured = sample("made up");
    unmeasured.snapshots = 0;
    unmeasured.author_us = 1e9;
    points.measured.push(unmeasured);
    near(estimate(&points, 1000, 1).figures.author_us, 1000.0);
    assert!(Coefficients::of("another", &points).is_none());
}

#[test]
fn a_size_without_the_fewest_changes_grows_as_the_nearest_that_has_them() {
    let mut points = measured(&GRID, |n, k| n.sqrt() * (1.0 + k));
    let more = measured(&[(10_000, 100), (10_000, 1000)], |n, k| {
        n.sqrt() * (k - 99.0)
    });
    points.measured.extend(more.measured);
    // Its own line is below 0 there.
    let between = estimate(&points, 10_000, 1).figures.author_us;
    assert!(between > 0.0, "{between}");
    near(between, 100.0 * 2.0 / 101.0);
}

#[test]
fn cryptography_never_takes_longer_than_everything() {
    let mut points = measured(&GRID, |n, k| n.sqrt() * k);
    for (index, point) in points.measured.iter_mut().enumerate() {
        // Falling with keys at few changes, growing at many: estimated apart they would cross.
        let share = [1.0, 0.1, 0.2, 1.0][index];
        point.author_cryptography_us = Some(point.author_us * share);
        point.apply_cryptography_us = Some(point.apply_us * share);
        point.verify_us = Some(point.author_us);
        point.verify_cryptography_us = Some(point.author_us * share);
    }
    for keys in [10, 1000, 5000, 100_000, 10_000_000] {
        for changes in [1, 3, 50, 100, 10_000] {
            let figures = estimate(&points, keys, changes).figures;
            let share = figures.author_cryptography_us.unwrap() / figures.author_us;
            assert!(
                (0.0..=1.0 + 1e-12).contains(&share),
                "{keys} {changes}: {share}"
            );
            for (all, cryptography) in [
                (Some(figures.author_us), figures.author_cryptography_us),
                (Some(figures.apply_us), figures.apply_cryptography_us),
                (figures.verify_us, figures.verify_cryptography_us),
            ] {
                let (all, cryptography) = (all.unwrap(), cryptography.unwrap());
                assert!(cryptography <= all * (1.0 + 1e-12), "{keys} {changes}");
            }
        }
    }
}

/// Returns keys and changes of the measurements that an estimate marks as parts of a cycle.
fn parts(records: &Records, keys: u64, changes: u64) -> Vec<(u64, u64)> {
    let marks = estimate(records, keys, changes).marks.into_iter();
    let parts = marks.filter_map(|mark| match mark {
        Mark::PartOfACycle { keys, changes, .. } => Some((keys, changes)),
        _ => None,
    });
    parts.collect()
}

#[test]
fn what_rests_on_a_part_of_a_cycle_is_marked() {
    let mut points = measured(&GRID, |n, k| n.sqrt() * k);
    points.measured[3].whole_cycles = false;
    assert_eq!(parts(&points, 100_000, 100), [(100_000, 100)]);
    assert_eq!(parts(&points, 100_000, 50), [(100_000, 100)]);
    assert_eq!(parts(&points, 10_000, 50), [(100_000, 100)]);
    assert_eq!(parts(&points, 1_000_000, 1000), [(100_000, 100)]);
    // It is not used.
    for (keys, changes) in [(1000, 100), (1000, 7), (100_000, 1), (1000, 1000)] {
        assert_eq!(parts(&points, keys, changes), [], "{keys} {changes}");
    }
    let shown = estimate(&points, 100_000, 100).marks[0].to_string();
    assert!(
        shown.starts_with("measured in part: 10 snapshots of 100 changes to 100000 keys"),
        "{shown}"
    );
    // A size grows as the nearest one that was measured with several numbers of changes.
    points.measured.remove(1);
    assert_eq!(parts(&points, 1000, 50), [(100_000, 100)]);
    // Measured again, and to the end.
    let again = Measurement {
        whole_cycles: true,
        ..points.measured[2].clone()
    };
    points.measured.push(again);
    assert_eq!(parts(&points, 100_000, 100), []);
}

#[test]
fn longer_values_are_hashed_once_more_by_each() {
    let mut points = measured(&GRID, |n, k| n.sqrt() * k);
    points.hash_ns_per_byte = Some(0.5);
    let of = |records: &Records, value_bytes| {
        let coefficients = Coefficients::of("made up", records).unwrap();
        coefficients.estimate(1000, 100, 8, value_bytes)
    };
    let (same, longer) = (of(&points, 32), of(&points, 1_000_032));
    assert_eq!(same.marks, []);
    assert_eq!(longer.marks, []);
    let (same, longer) = (same.figures, longer.figures);
    // A million bytes at half a nanosecond each.
    near(longer.author_us, same.author_us + 100.0 * 500.0);
    near(longer.apply_us, same.apply_us + 100.0 * 500.0);
    near(longer.verify_us.unwrap(), same.verify_us.unwrap() + 500.0);
    near(longer.prove_us.unwrap(), same.prove_us.unwrap());
    near(
        longer.author_cryptography_us.unwrap(),
        same.author_cryptography_us.unwrap(),
    );
    near(of(&points, 0).figures.author_us, same.author_us);
    // If that is unknown, a mark reports it, except for less than a block of the hash function.
    points.hash_ns_per_byte = None;
    assert_eq!(of(&points, 95).marks, []);
    let marked = of(&points, 96);
    assert_eq!(
        marked.marks,
        [Mark::Longer {
            key_bytes: 8,
            value_bytes: 32
        }]
    );
    near(marked.figures.author_us, same.author_us);
}

#[test]
fn fewer_changes_than_were_measured_take_at_least_their_share() {
    // A line through these is below 0 at one change.
    let points = measured(&[(1000, 100), (1000, 1000)], |_, k| k * k);
    near(estimate(&points, 1000, 1).figures.author_us, 100.0);
    let points = measured(&[(1000, 100), (1000, 1000)], |_, k| 7.0 + k);
    near(estimate(&points, 1000, 1).figures.author_us, 8.0);
}

#[test]
fn memory_that_shrinks_costs_nothing() {
    let mut shrinking = sample("made up");
    shrinking.memory_bytes_per_snapshot = Some(-100.0);
    let figures = estimate(&of(vec![shrinking]), 1000, 10).figures;
    assert!(figures.memory_bytes_per_snapshot.unwrap() >= 0.0);
}
