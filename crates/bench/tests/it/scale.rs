//! `docs/scale.py`: the shipped page is current, other assumptions change the page, and invalid
//! ones are refused.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Runs a Python program below `docs`, which needs Python 3.11.
fn python(program: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new("python3");
    command.arg("-B").arg(docs().join(program)).args(arguments);
    command.output().unwrap()
}

/// Asserts that a program succeeds.
fn run(program: &str, arguments: &[&str]) {
    let output = python(program, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
}

#[test]
fn the_shipped_page_is_that_of_its_files_and_of_the_recorded_run() {
    run("scale.py", &["--check"]);
}

#[test]
fn formulas_plans_and_simulations_agree_with_known_results() {
    run("scale/tests.py", &[]);
}

#[test]
fn other_assumptions_write_another_page_and_bad_ones_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (assumptions, page) = (path("a.toml"), path("scale.md"));
    let shipped = fs::read_to_string(docs().join("scale/assumptions.toml")).unwrap();
    // No caches, and a small dictionary.
    let other = shipped
        .replace("places = 20", "places = 0")
        .replace("keys = 1_000_000_000", "keys = 1_000_000")
        .replace("updates_per_second = 10_000", "updates_per_second = 100")
        .replace(
            "lookups_per_second = 1_000_000",
            "lookups_per_second = 1_000",
        );
    fs::write(&assumptions, &other).unwrap();
    let empty = "<!-- measured: machines -->\n<!-- end -->\n![](figures/scale-cost.svg)\n";
    fs::write(&page, empty).unwrap();
    let with = ["--assumptions", &assumptions, "--document", &page];
    run("scale.py", &with);
    let written = fs::read_to_string(&page).unwrap();
    assert!(
        written.contains("| Asia | 250 | 0.0000 % | 2 | one may fail |"),
        "{written}"
    );
    let picture = fs::read_to_string(folder.path().join("figures/scale-cost.svg")).unwrap();
    assert!(picture.starts_with("<svg"), "{picture}");
    let refusal = |arguments: &[&str]| {
        let output = python("scale.py", arguments);
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    // The page now differs from that of the shipped assumptions.
    let errors = refusal(&["--document", &page, "--check"]);
    assert!(
        errors.contains("is not what docs/scale.py writes"),
        "{errors}"
    );
    for (from, to, named) in [
        ("share = 0.35", "share = 0.45", "add up to 1.1"),
        ("quorum = 3", "quorum = 6", "the quorum is larger"),
        ("used = 0.5", "used = 0.0", "machine.used"),
        (
            "batch_seconds = 10",
            "batch_seconds = -1",
            "author.batch_seconds",
        ),
        ("varying = 0.2", "varying = nan", "network.varying"),
        ("tls = 1.3", "tsl = 1.3", "tsl"),
        ("\"aws-2026\"", "\"nobody\"", "nobody"),
    ] {
        assert!(shipped.contains(from), "{from}");
        fs::write(&assumptions, shipped.replace(from, to)).unwrap();
        let errors = refusal(&with);
        assert!(errors.contains(named), "{from}: {errors}");
    }
}
