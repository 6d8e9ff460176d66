//! The document on scale: what its data say, for other assumptions too, and what is refused.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::report::run;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// `bench scale` with the files of the workspace, and these arguments.
fn scale(further: &[&str]) -> Vec<String> {
    let file = |path: &str| workspace().join(path).to_str().unwrap().to_owned();
    let mut arguments = vec!["scale".to_owned()];
    for (option, path) in [
        ("--assumptions", "crates/bench/data/scale/assumptions.toml"),
        ("--run", "crates/bench/data/scale/run.jsonl"),
        ("--from", "docs/report/measurements.jsonl"),
        ("--document", "docs/scale.md"),
        ("--figures", "docs/figures"),
    ] {
        if !further.contains(&option) {
            arguments.extend([option.to_owned(), file(path)]);
        }
    }
    arguments.extend(further.iter().map(|argument| (*argument).to_owned()));
    arguments
}

fn refused(further: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(scale(further))
        .output()
        .unwrap();
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_shipped_document_is_that_of_its_data() {
    let arguments = scale(&["--check"]);
    run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn other_assumptions_write_another_document() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (assumptions, document, figures) = (path("a.toml"), path("scale.md"), path("figures"));
    let shipped =
        fs::read_to_string(workspace().join("crates/bench/data/scale/assumptions.toml")).unwrap();
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
    fs::write(&document, "<!-- measured: machines -->\n<!-- end -->\n").unwrap();
    let with = [
        "--assumptions",
        &assumptions,
        "--document",
        &document,
        "--figures",
        &figures,
    ];
    let arguments = scale(&with);
    run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let written = fs::read_to_string(&document).unwrap();
    assert!(
        written.contains("| Asia | 250 | 0.0000 % | 2 | one may fail |"),
        "{written}"
    );
    assert!(
        fs::read_to_string(Path::new(&figures).join("scale-cost.svg"))
            .unwrap()
            .contains("<svg")
    );
    // The document is now another one than the shipped assumptions make.
    let errors = refused(&["--document", &document, "--figures", &figures, "--check"]);
    assert!(
        errors.contains("is not what `bench scale` writes"),
        "{errors}"
    );

    // What makes no plan is named.
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
        let errors = refused(&["--assumptions", &assumptions, "--check"]);
        assert!(errors.contains(named), "{from}: {errors}");
    }
}
