//! The simulation of the shipped run is as near to it as it is said to be.

use std::{fs, path::Path};

use super::*;
use crate::full_report::run::read_lines;

fn lines(path: &str) -> Vec<Line> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    read_lines(&fs::read_to_string(file).unwrap())
}

#[test]
fn the_run_is_reproduced_within_what_is_said() {
    let recorded = Recorded::new("run", &lines("data/scale/run.jsonl")).unwrap();
    let report = lines("../../docs/report/measurements.jsonl");
    let coefficients = Coefficients::new(&report, &recorded, 1e9).unwrap();
    let compared = recorded.compared(&coefficients);
    let found = compared.iter().filter(|one| one.kind == Kind::Found);
    assert!(found.clone().count() >= 14, "{compared:?}");
    for one in found {
        assert!(one.off().abs() <= WITHIN, "{one:?}");
    }
    // Nothing in it depends on anything but the seed.
    let again = recorded.compared(&coefficients);
    for (one, other) in compared.iter().zip(&again) {
        assert_eq!(one.simulated.to_bits(), other.simulated.to_bits());
    }
}

#[test]
fn a_run_that_lacks_something_is_refused() {
    let all = lines("data/scale/run.jsonl");
    for missing in [
        "scale_run",
        "scale_batch",
        "scale_staleness",
        "scale_look_ups",
    ] {
        let rest = all.iter().filter(|line| line.text("experiment") != missing);
        let rest: Vec<Line> = rest.cloned().collect();
        assert!(Recorded::new("run", &rest).is_err(), "{missing}");
    }
}
