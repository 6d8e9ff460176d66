//! Claims of the paper outside its tables: trees with entries in all nodes, sections 9 and 10.

use serde_json::Value;

use crate::report::{lines, run};

fn of<'a>(lines: &'a [Value], experiment: &str) -> Vec<&'a Value> {
    let lines = lines.iter();
    lines
        .filter(|line| line["experiment"] == experiment)
        .collect()
}

fn have(lines: &[&Value], keys: &[&str]) {
    for line in lines {
        for key in keys {
            assert!(!line[*key].is_null(), "{key}: {line}");
        }
    }
}

fn number(line: &Value, key: &str) -> f64 {
    line[key].as_f64().unwrap()
}

#[test]
fn trees_with_entries_in_all_nodes_stand_in_table_3() {
    let arguments = [
        "tree",
        "--json",
        "--quick",
        "--keys=200",
        "--scheme=red-black,treap",
        "--experiment=growing,paper_layout,what_if",
    ];
    let text = run(&arguments);
    let lines = lines(&text);
    let layouts = of(&lines, "growing_paper_layout");
    assert_eq!(layouts.len(), 2, "{text}");
    have(
        &layouts,
        &[
            "scheme",
            "layout",
            "keys",
            "insert_snapshot_us",
            "author_limit_us",
            "prove_us_latest",
            "prove_us_random_version",
            "verify_with_known_head_us",
            "verify_limit_us",
            "proof_bytes",
            "absent_proof_bytes",
            "depth",
            "nodes_per_version",
            "counted_bytes_per_version",
            "resident_bytes_per_version",
            "head_bytes",
            "cpu",
        ],
    );
    for line in layouts {
        let same = |other: &&&Value| {
            other["scheme"] == line["scheme"] && other["repository"] == "path-copying"
        };
        let growing = of(&lines, "growing");
        let in_leaves = *growing.iter().find(same).unwrap();
        // Half of the entries are above the lowest level. Each level adds a key and a digest.
        assert!(
            number(line, "depth") < number(in_leaves, "depth") + 1.0,
            "{line}"
        );
        assert!(
            number(line, "proof_bytes") > number(in_leaves, "proof_bytes"),
            "{line}"
        );
    }
    let what_ifs = of(&lines, "growing_what_if");
    assert_eq!(what_ifs.len(), 4 * 7, "{text}");
    have(
        &what_ifs,
        &["scenario", "lookups_per_update", "median_to_everywhere"],
    );

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.jsonl");
    std::fs::write(&file, text).unwrap();
    let (file, out) = (file.to_str().unwrap(), folder.path().join("figures"));
    let shown = run(&["figures", "--from", file, "--out", out.to_str().unwrap()]);
    assert!(shown.contains(" all nodes |"), "{shown}");
    assert!(!shown.contains(" ? |"), "a line lacks a key: {shown}");
}

#[test]
fn machines_and_prices_have_their_gains() {
    let arguments = [
        "tuple",
        "--json",
        "--quick",
        "--keys=40",
        "--sizes=40",
        "--limit=600",
        "--experiment=growing,scaling",
        "--designs=base-superseding,spec-lightweight,red-black",
    ];
    let text = run(&arguments);
    let lines = lines(&text);
    for (experiment, number, keys) in PROMISED {
        let lines = of(&lines, experiment);
        assert_eq!(lines.len(), number, "{experiment}: {text}");
        have(&lines, keys);
    }
    for line in of(&lines, "tuple_partitions") {
        assert!(number(line, "gain") > 0.0, "{line}");
    }
    for line in of(&lines, "tuple_replicas") {
        let (gain, replicas) = (number(line, "gain"), number(line, "replicas"));
        assert!((1.0..=replicas + 0.001).contains(&gain), "{line}");
    }
    let prices = of(&lines, "tuple_what_if");
    assert_eq!(prices[1]["cents_per_gigabyte"], 1.3);
    assert_eq!(prices[2]["cpu_cents_per_hour"], 0.85);
}

/// Experiments, the number of their lines in the test, and their keys.
const PROMISED: [(&str, usize, &[&str]); 4] = [
    (
        "tuple_partitions",
        4,
        &[
            "design",
            "keys",
            "partitions",
            "whole_us",
            "slowest_partition_us",
            "gain",
            "memory_of_a_partition",
            "model",
            "cpu",
        ],
    ),
    (
        "tuple_lookup_threads",
        3 * 2,
        &["design", "threads", "lookups_per_second", "gain"],
    ),
    (
        "tuple_replicas",
        3 * 3 * 4,
        &[
            "design",
            "replicas",
            "lookups_per_update",
            "lookups_per_second",
            "gain",
            "model",
        ],
    ),
    (
        "tuple_what_if",
        4,
        &[
            "scenario",
            "keys",
            "cpu_cents_per_hour",
            "cents_per_gigabyte",
        ],
    ),
];
