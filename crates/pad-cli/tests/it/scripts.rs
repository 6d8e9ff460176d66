//! Runs the scripts that walk through a day of work.

use std::{path::Path, process::Command};

use pad_conformance::soak;

fn runs(script: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts");
    let mut command = Command::new(folder.join(script));
    let output = command.arg(env!("CARGO_BIN_EXE_pad")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn three_parties_catch_every_lie() {
    if soak::enabled() {
        runs("three-parties.sh");
    }
}

#[test]
fn a_day_of_work_goes_as_described() {
    if soak::enabled() {
        runs("day.sh");
    }
}
