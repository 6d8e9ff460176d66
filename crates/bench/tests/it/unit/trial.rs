//! Tests of `bench::measure::trial`.

use std::time::Duration;

use bench::measure::{
    NotMeasured, Record,
    trial::{Calibration, trial},
};
use comparison::{
    Clients, Load, Measurement, PriceBook, Scheme,
    advice::{Advice, Limits, Requirements, Tariff},
    needs::Need,
    records::Records,
    scheme,
};

const LOAD: Load = Load {
    keys: 200,
    key_bytes: 16,
    value_bytes: 10,
    changes: 20,
    snapshots_per_day: 24.0,
    lookups_per_day: 1000.0,
    old_lookups: 0.0,
    servers: 1,
    kept_versions: 10.0,
};

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
fn calibration_measures_what_could_win_and_an_advice_follows_from_it() {
    let tariff = Tariff {
        prices: PriceBook::paper(),
        clients: Clients::PayThemselves,
        cryptography: 1.0,
    };
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
        sample.shape.keys = LOAD.keys;
    }
    assert_eq!(samples.len(), 3);
    let records = |measured| Records {
        measured,
        ..Records::default()
    };
    let wanted = Requirements {
        load: LOAD,
        needs: vec![Need::SetUnique],
        limits: Limits::default(),
    };
    let advice = Advice::new(&wanted, &tariff, &records(samples));
    let calibration = Calibration::new(&advice, &LOAD);
    // One scheme is set-unique; two sizes, two numbers of changes.
    assert_eq!(calibration.steps(), 4);
    let (measured, failed) = calibrate(&calibration, Duration::from_mins(1));
    assert_eq!((measured.len(), failed.len()), (4, 0));
    assert!(
        measured
            .iter()
            .all(|measured| measured.scheme == "treap-stored")
    );
    let measured = records(measured);
    let again = Advice::new(&wanted, &tariff, &measured);
    let winner = again.winner().unwrap();
    assert!(winner.marks.is_empty());
    let nothing = calibrate(&calibration, Duration::ZERO);
    assert_eq!(nothing, (Vec::new(), Vec::new()));
    let scheme = scheme("treap-stored").unwrap();
    let trial = trial(scheme, &LOAD, &tariff, &measured, Duration::from_mins(1))
        .unwrap()
        .unwrap();
    // Bytes of the same work do not depend on the machine.
    let [one, other] =
        [&trial.figures, &trial.estimated.figures].map(|figures| figures.update_bytes);
    assert!((one / other - 1.0).abs() < 0.1, "{one} {other}");
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
        load: LOAD,
    };
    let (measured, failed) = calibrate(&calibration, Duration::from_mins(1));
    let measured: Vec<_> = measured.iter().map(|one| one.scheme.as_str()).collect();
    let failed: Vec<_> = failed.iter().map(|one| one.scheme.as_str()).collect();
    assert_eq!((measured, failed), (vec!["treap-stored"], vec!["splay"]));
}
