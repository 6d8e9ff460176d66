//! Tests of `bench::measure::trial`.

use std::time::Duration;

use bench::measure::{NotMeasured, Record, trial::Calibration};
use comparison::{
    Measurement, Scheme,
    advice::{Advice, Question},
    records::Records,
    scheme,
};

use crate::advice::question;

/// Runs a calibration, and returns the measured schemes and the others.
fn calibrate(calibration: &Calibration, time: Duration) -> (Vec<Measurement>, Vec<NotMeasured>) {
    let (mut measured, mut failed) = (Vec::new(), Vec::new());
    let done = calibration.run(time, |_, record| {
        match record {
            Record::Measured(one) => measured.push(one),
            Record::NotMeasured(one) => failed.push(one),
        }
        Ok(())
    });
    assert!(done.is_ok());
    (measured, failed)
}

#[test]
fn calibration_measures_what_could_win() {
    let Question { wanted, tariff } = question();
    // Three shipped measurements, of a load of this size.
    let schemes = [
        "treap-stored",
        "tuple-spec-lightweight-stored",
        "red-black-stored",
    ];
    let mut samples = Records::shipped().measured;
    samples.retain(|one| {
        schemes.contains(&&*one.scheme) && one.shape.keys == 1000 && one.shape.changes == 1
    });
    for sample in &mut samples {
        sample.shape.keys = wanted.load.keys;
    }
    assert_eq!(samples.len(), 3);
    let records = Records {
        measured: samples,
        ..Records::default()
    };
    let advice = Advice::new(&wanted, &tariff, &records);
    let calibration = Calibration::new(&advice, &wanted.load);
    // One scheme is set-unique; two sizes, two numbers of changes.
    assert_eq!(calibration.tasks.len(), 4);
    let (measured, failed) = calibrate(&calibration, Duration::from_mins(1));
    assert_eq!((measured.len(), failed.len()), (4, 0));
    assert!(
        measured
            .iter()
            .all(|measured| measured.scheme == "treap-stored")
    );
    let nothing = calibrate(&calibration, Duration::ZERO);
    assert_eq!(nothing, (Vec::new(), Vec::new()));
}

#[test]
fn a_scheme_that_fails_is_named_and_the_others_are_measured() {
    let unknown: &'static Scheme = Box::leak(Box::new(Scheme {
        name: "splay",
        ..*scheme("treap-stored").unwrap()
    }));
    let calibration = Calibration {
        tasks: vec![
            (unknown, 10, 1),
            (unknown, 20, 1),
            (scheme("treap-stored").unwrap(), 10, 1),
        ],
        load: question().wanted.load,
    };
    let (measured, failed) = calibrate(&calibration, Duration::from_mins(1));
    let measured: Vec<_> = measured.iter().map(|one| one.scheme.as_str()).collect();
    let failed: Vec<_> = failed.iter().map(|one| one.scheme.as_str()).collect();
    assert_eq!((measured, failed), (vec!["treap-stored"], vec!["splay"]));
}
