//! Every scheme runs every load that it supports, and its answers agree with a plain copy.

use std::time::Duration;

use bench::{
    measure::{Record, measure},
    secret,
    timing::Effort,
};
use comparison::{Measurement, Scheme, Work, Workload, schemes, workload::Replay};

/// Frontier logs have hundreds of powers for each entry.
const KEYS: u64 = 12;

fn record(scheme: &Scheme, work: &dyn Work) -> Record {
    secret::reserve(200);
    let limit = Duration::from_mins(10);
    let effort = Effort {
        operations: 4,
        ..Effort::QUICK
    };
    let record = measure(scheme, work, &effort, limit);
    record.unwrap_or_else(|error| panic!("{}: {error}", scheme.name))
}

fn check(scheme: &Scheme, measured: &Measurement) {
    let (name, properties) = (scheme.name, scheme.properties);
    assert_eq!(measured.scheme, name);
    assert_eq!(measured.stopped, "finished", "{name}");
    assert!(
        measured.author_us > 0.0 && measured.apply_us > 0.0,
        "{name}"
    );
    assert!(measured.update_bytes > 64.0, "{name}");
    let figures = [measured.prove_us, measured.proof_bytes, measured.verify_us];
    assert!(
        figures
            .iter()
            .all(|figure| figure.is_some_and(|it| it > 0.0)),
        "{name}"
    );
    let of_old = measured.prove_old_us.is_some();
    assert_eq!(of_old, properties.proves_any_old_version, "{name}");
    let of_absent = measured.absent_proof_bytes.is_some();
    assert_eq!(of_absent, properties.proves_absence, "{name}");
}

#[test]
fn every_scheme_takes_every_load_that_it_can_take() {
    if !pad_conformance::soak::enabled() {
        return;
    }
    let recorded = Workload::steady_state(KEYS, 3);
    let snapshots = (1..=recorded.versions()).map(|version| recorded.operations(version));
    let replay = Replay::new("recorded", snapshots);
    let (updates, growing) = (Workload::updates(KEYS, 2, 2), Workload::growing(5));
    for scheme in schemes() {
        let loads: [&dyn Work; 4] = [&updates, &growing, &recorded, &replay];
        for work in loads {
            match record(scheme, work) {
                Record::Measured(measured) => {
                    check(scheme, &measured);
                    assert_eq!(measured.load_us_per_key.is_some(), work.loads());
                }
                Record::NotMeasured(not) => {
                    assert!(
                        work.removes() && !scheme.properties.removes,
                        "{}",
                        scheme.name
                    );
                    assert_eq!(not.reason, "nothing can be removed");
                }
            }
        }
    }
}

#[test]
fn proofs_of_several_generations_are_measured_between_two_merges() {
    let work = Workload::updates(100, 1, 1);
    let proof_bytes = |name| {
        let scheme = comparison::scheme(name).expect("it is listed");
        let Record::Measured(measured) = record(scheme, &work) else {
            panic!("{name} takes updates");
        };
        measured.proof_bytes.expect("it proves")
    };
    // An answer has a statement of each of two generations. After a merge the younger one has none.
    assert!(proof_bytes("tuple-spec-superseding") > 1.8 * proof_bytes("tuple-base-superseding"));
}

#[test]
fn a_store_sends_the_proofs_and_updates_of_the_dictionary_in_memory() {
    let work = Workload::updates(100, 3, 2);
    for (stored, in_memory) in [
        ("red-black-stored", "red-black-path-copying"),
        ("tuple-spec-lightweight-stored", "tuple-spec-lightweight"),
    ] {
        let [stored, in_memory] = [stored, in_memory].map(|name| {
            let record = record(comparison::scheme(name).expect("it is listed"), &work);
            let Record::Measured(measured) = record else {
                panic!("{name} takes updates");
            };
            measured
        });
        let messages = |of: &Measurement| (of.update_bytes, of.proof_bytes, of.absent_proof_bytes);
        assert_eq!(messages(&stored), messages(&in_memory));
        assert!(stored.file_bytes_per_key.is_some_and(|bytes| bytes > 40.0));
        assert!(stored.author_wait_us.is_some() && in_memory.author_wait_us.is_none());
    }
}

#[test]
fn a_recorded_load_has_the_numbers_of_the_one_that_was_recorded() {
    let workload = Workload::steady_state(KEYS, 3);
    let snapshots = (1..=workload.versions()).map(|version| workload.operations(version));
    let mut shape = Replay::new("steady_state", snapshots).shape();
    // One key is added, and one removed.
    assert_eq!(shape.changes, 2);
    shape.changes = 1;
    assert_eq!(shape, workload.shape());
}

#[test]
fn loads_that_take_too_long_are_left_out() {
    let scheme = comparison::scheme("tuple-accumulators-bilinear").expect("it is listed");
    let work = Workload::updates(1_000, 1, 1);
    secret::reserve(200);
    let record = measure(scheme, &work, &Effort::QUICK, Duration::ZERO).expect("it is tried");
    assert!(matches!(&record, Record::NotMeasured(not) if not.reason.starts_with("time: ")));
}
