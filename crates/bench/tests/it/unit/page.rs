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
    assert_eq!(page.matches(">10\u{202f}269 (x ").count(), 2);
}

#[test]
fn tables_and_figures_can_be_read_without_a_screen_or_a_mouse() {
    let line = line! {
        experiment: "growing", suite: "sha256-ed25519", keys: 10_000, scheme: "red-black",
        repository: "path-copying",
    };
    let run = line! { experiment: RUN, step: "tree", arguments: "--keys 100000" };
    let points = line! { experiment: "tuple_lookup_costs", figure: "figure7", design: "a" };
    let points = points.and("points", [(1.0, 2.0), (10.0, 1.0)]);
    let page = page(&[line, run, points]).unwrap();
    let count = |text: &str| page.matches(text).count();
    assert!(count("<table") > 1 && count("<svg") > 0);
    for part in [
        "<caption>",
        "role=\"region\" aria-label=\"",
        "tabindex=\"0\"",
    ] {
        assert_eq!(count(part), count("<table"), "{part}");
    }
    assert_eq!(count("<th"), count("<thead") + count("<th scope="));
    assert_eq!(count("<svg role=\"img\" aria-label=\""), count("<svg"));
    // Numbers are grouped, except in commands.
    assert!(page.contains("10\u{202f}000 keys") && page.contains("--keys 100000"));
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
