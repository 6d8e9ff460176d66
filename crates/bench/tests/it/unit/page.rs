//! Tests of `bench::full_report::page`.

use bench::{
    full_report::{
        page::{UNKNOWN, page, warnings},
        run::RUN,
    },
    line, paper,
};

#[test]
fn a_process_is_no_multiple_of_a_repository() {
    let line = line! {
        experiment: "growing", suite: "sha256-ed25519", keys: paper::KEYS, scheme: "red-black",
        repository: "path-copying", versions: paper::KEYS, prove_us_random_version: 2.0,
        resident_bytes_per_version: 1000.0, proof_bytes: 600.0,
    };
    let page = page(&[line]).unwrap();
    // Tables 3 and 4 have the memory; of the lookups there is a multiple.
    assert_eq!(page.matches("2010, process MB</th>").count(), 2);
    assert_eq!(page.matches(">841.0</td>").count(), 2);
    assert_eq!(page.matches(">10269 (x ").count(), 2);
}

#[test]
fn what_must_not_be_published_has_a_warning() {
    let run = |commit: &str, cpu: &str, others: f64, arguments: &str| {
        line! { experiment: RUN, step: "tree", arguments: arguments, cpu: cpu, cores: 2,
        rustc: "1", commit: commit, seconds: 1.0, cores_used_by_others: others }
    };
    let good = run("a", "x", 0.0, "tree");
    assert!(warnings(core::slice::from_ref(&good)).is_empty());
    for bad in [
        run("b", "x", 0.0, "tree"),
        run("a", "y", 0.0, "tree"),
        run("a", "x", 0.5, "tree"),
        run("a", "x", 0.0, "tree --quick"),
    ] {
        assert_eq!(warnings(&[good.clone(), bad]).len(), 1);
    }
    for commit in ["a-dirty", "a-stale", "unknown"] {
        assert_eq!(warnings(&[run(commit, "x", 0.0, "tree")]), [UNKNOWN]);
    }
}
