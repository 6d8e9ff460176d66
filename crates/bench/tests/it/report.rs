//! Output of the binary: every promised key, for all twelve trees.

use std::{collections::HashSet, process::Command};

use bench::full_report::contents::{CONTENTS, Counterpart};
use serde_json::Value;

/// Keys of every line of `bench tree --json`.
const PROMISED: [&str; 36] = [
    "experiment",
    "scheme",
    "repository",
    "suite",
    "keys",
    "versions",
    "threads",
    "insert_snapshot_us",
    "author_limit_us",
    "author_ratio",
    "apply_us",
    "apply_limit_us",
    "apply_ratio",
    "prove_us_latest",
    "prove_us_random_version",
    "prove_many_us_latest",
    "prove_many_us_random_version",
    "verify_us",
    "verify_with_known_head_us",
    "verify_limit_us",
    "decode_us",
    "proof_bytes",
    "absent_proof_bytes",
    "head_bytes",
    "update_bytes",
    "node_hashes_per_update",
    "history_hashes_per_update",
    "resident_bytes_per_version",
    "counted_bytes_per_version",
    "peak_resident_bytes",
    "update_kilobytes_per_second",
    "lookup_kilobytes_per_second",
    "cpu",
    "cores",
    "rustc",
    "commit",
];

pub(crate) fn run(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(arguments)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    let is_told = |line: &str| line.starts_with("left out: ");
    assert!(errors.lines().all(is_told), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Asserts that every item in the contents of a family links to a heading or a figure of its page.
pub(crate) fn has_its_contents(family: &str, lines: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lines.jsonl");
    std::fs::write(&file, lines).unwrap();
    let paths = [&file, folder.path()].map(|path| path.to_str().unwrap().to_owned());
    run(&["page", "--from", &paths[0], "--out", &paths[1]]);
    let page = std::fs::read_to_string(folder.path().join("index.html")).unwrap();
    let mut promised = 0;
    for item in CONTENTS.iter().filter(|item| item.family == family) {
        if let Counterpart::Shown(begin) = item.counterpart {
            let leads = format!("\">{}</a>: {}<", item.name, item.shows);
            assert!(
                page.contains(&leads),
                "{family}: nothing begins with '{begin}'"
            );
            promised += 1;
        }
    }
    assert!(promised > 0, "{family}");
}

#[test]
fn tree_reports_all_twelve_in_both_experiments() {
    let text = run(&["tree", "--json", "--quick", "--keys", "200"]);
    let lines = lines(&text);
    let names: HashSet<_> = lines
        .iter()
        .map(|line| ["experiment", "scheme", "repository"].map(|key| line[key].to_string()))
        .collect();
    assert_eq!((lines.len(), names.len()), (24, 24));
    for line in &lines {
        for key in PROMISED {
            assert!(line.get(key).is_some(), "{key} is missing in {line}");
        }
        assert_eq!((&line["keys"], &line["threads"]), (&200.into(), &1.into()));
        assert_eq!(line["head_bytes"], 128);
    }
    sizes_are_plausible(&lines);
    has_its_contents("trees", &text);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.jsonl");
    std::fs::write(&file, text).unwrap();
    let (file, out) = (file.to_str().unwrap(), folder.path().join("figures"));
    let shown = run(&["figures", "--from", file, "--out", out.to_str().unwrap()]);
    assert!(shown.contains("Table 5"), "{shown}");
    assert!(!shown.contains(" ? |"), "a line lacks a key: {shown}");
    for figure in ["figure5.svg", "figure6.svg"] {
        assert!(
            std::fs::read_to_string(out.join(figure))
                .unwrap()
                .contains("</svg>")
        );
    }
}

/// Asserts sizes, which are exact on every machine, unlike times.
fn sizes_are_plausible(lines: &[Value]) {
    for line in lines {
        let number = |key: &str| line[key].as_f64().unwrap();
        assert!(
            number("node_hashes_per_update") >= number("depth") * 0.9,
            "{line}"
        );
        assert!(number("proof_bytes") > 32.0 * number("depth"), "{line}");
        assert!(
            number("absent_proof_bytes") > number("proof_bytes"),
            "{line}"
        );
        assert!(number("counted_bytes_per_version") > 150.0, "{line}");
        // Equal for all repositories of a scheme.
        let same = lines.iter().find(|other| {
            ["experiment", "scheme"]
                .iter()
                .all(|key| other[*key] == line[*key])
        });
        for key in ["proof_bytes", "absent_proof_bytes", "update_bytes", "depth"] {
            assert_eq!(same.unwrap()[key], line[key]);
        }
    }
}

#[test]
fn filters_and_suites() {
    let text = run(&[
        "tree",
        "--json",
        "--quick",
        "--keys=100",
        "--scheme=treap",
        "--repository=cache-median",
        "--suite=paper-2010,blake3-ed25519",
        "--experiment=growing",
    ]);
    let lines = lines(&text);
    let suites: Vec<_> = lines
        .iter()
        .map(|line| line["suite"].as_str().unwrap())
        .collect();
    assert_eq!(suites, ["paper-2010", "blake3-ed25519"]);
    assert_eq!(lines[0]["head_bytes"], 120);
}

#[test]
fn tables_show_every_tree() {
    let text = run(&["tree", "--quick", "--keys=100", "--scheme=red-black"]);
    for repository in [
        "path-copying",
        "cache-nowhere",
        "cache-median",
        "cache-everywhere",
    ] {
        assert!(
            text.contains(&format!("| red-black {repository}")),
            "{text}"
        );
    }
}

#[test]
fn primitives_and_batches() {
    let primitives = lines(&run(&["primitives", "--json", "--quick"]));
    assert_eq!(primitives.len(), 3);
    for line in primitives {
        for key in [
            "node_hash_ns",
            "value_hash_64k_ns",
            "sign_us",
            "verify_signature_us",
        ] {
            assert!(line[key].as_f64().unwrap() > 0.0, "{line}");
        }
    }
    let batch = [
        "batch",
        "--json",
        "--keys=3000",
        "--batch=600",
        "--snapshots=2",
        "--threads=1,2",
    ];
    let batches = lines(&run(&batch));
    assert_eq!(batches.len(), 2);
    for key in [
        "author_snapshot_ms",
        "bare_hashes_ms",
        "author_speed",
        "apply_speed_up",
    ] {
        assert!(batches[1][key].as_f64().unwrap() > 0.0, "{key}");
    }
}

#[test]
fn unknown_names_are_refused() {
    let wrong = ["tree", "--scheme", "splay"];
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(wrong)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn every_accumulator_operation_stands_beside_its_primitive() {
    let arguments = [
        "accumulators",
        "--json",
        "--quick",
        "--elements",
        "8",
        "--threads",
        "1,2",
        "--longest=600",
    ];
    let lines = lines(&run(&arguments));
    for line in &lines {
        for key in [
            "accumulator",
            "operation",
            "n",
            "threads",
            "primitive",
            "cpu",
            "commit",
        ] {
            assert!(!line[key].is_null(), "{key}: {line}");
        }
        for key in ["per_element_us", "primitive_us", "ratio"] {
            assert!(
                line[key].as_f64().is_some_and(f64::is_finite),
                "{key}: {line}"
            );
        }
    }
    for accumulator in ["bilinear-bls12-381", "rsa-3072"] {
        for operation in [
            "representatives",
            "accumulate_secret_each",
            "accumulate_public",
            "witnesses_secret",
            "witnesses_public",
            "witnesses_one_by_one",
            "verify",
            "verify_batch",
            "verify_absence",
            "update_witness",
        ] {
            let measured = |line: &&Value| {
                line["accumulator"] == accumulator && line["operation"] == operation
            };
            assert!(
                lines.iter().any(|line| measured(&line)),
                "{accumulator} {operation}"
            );
        }
    }
}

#[test]
fn tuples_stand_beside_their_signatures_and_a_tree() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace.csv");
    let rows: Vec<String> = (0..40)
        .map(|row| format!("{},put,{},{row}\n", row / 4, row % 9))
        .collect();
    std::fs::write(&trace, format!("snapshot,op,key,value\n{}", rows.concat())).unwrap();
    let text = run(&[
        "tuple",
        "--json",
        "--quick",
        "--keys=30",
        "--sizes=60",
        "--designs=base-superseding,spec-lightweight,red-black",
        "--trace",
        trace.to_str().unwrap(),
        "--last=8",
        "--cents-per-gigabyte=9",
        "--limit=600",
    ]);
    let lines = lines(&text);
    let of = |experiment: &str| -> Vec<&Value> {
        let lines = lines.iter();
        lines
            .filter(|line| line["experiment"] == experiment)
            .collect()
    };
    for (experiment, number, keys) in TUPLES {
        let lines = of(experiment);
        assert_eq!(lines.len(), number, "{experiment}: {text}");
        for line in lines {
            for key in keys {
                assert!(!line[*key].is_null(), "{experiment}: {key}: {line}");
            }
        }
    }
    // 30 keys, one per snapshot. Signed are the tuples, the first tuple of the key space, and the
    // head.
    let base = of("tuple_growing")[0];
    assert_eq!(base["signatures_per_snapshot"], 17.5);
    assert_eq!(base["signatures_per_proof"], 1.0);
    assert_eq!(base["cents_per_gigabyte"], 9.0);
    assert!(of("tuple_cheapest").len() >= 3);
    tuple_figures_are_drawn(folder.path(), &text);
    has_its_contents("tuples", &text);
}

#[test]
fn accumulated_tuples_have_shares_but_no_limits() {
    if !pad_conformance::soak::enabled() {
        return;
    }
    let text = run(&[
        "tuple",
        "--json",
        "--quick",
        "--keys=4",
        "--sizes=4",
        "--limit=1",
        "--experiment=growing,steady",
        "--designs=accumulators-rsa,chain-accumulators-bilinear",
    ]);
    let lines = lines(&text);
    let growing = lines
        .iter()
        .filter(|it| it["experiment"] == "tuple_growing");
    let growing: Vec<&Value> = growing.collect();
    assert_eq!(growing.len(), 2, "{text}");
    for line in growing {
        for key in ["author", "server", "verify"] {
            let share = line[format!("{key}_cryptography_share")].as_f64().unwrap();
            assert!(share > 0.0 && share <= 1.0, "{key}: {line}");
        }
        for key in ["author_ratio", "verify_ratio", "signatures_per_proof"] {
            assert!(line[key].is_null(), "{key}: {line}");
        }
    }
    let steady = lines.iter().filter(|it| it["experiment"] == "tuple_steady");
    assert_eq!(steady.count(), 2, "{text}");
    let made = lines
        .iter()
        .filter(|it| it["experiment"] == "tuple_author_witnesses");
    for line in made.clone() {
        let number = |key: &str| line[key].as_f64().unwrap();
        assert!(number("witnesses_per_snapshot") >= 2.0, "{line}");
        assert!(
            number("witness_us") > 0.0 && number("witness_bytes") >= 48.0,
            "{line}"
        );
        assert!(number("apply_us") > 0.0, "{line}");
    }
    assert_eq!(made.count(), 2, "{text}");
}

/// Experiments of `bench tuple --json`, the number of their lines in the test, and their keys.
const TUPLES: [(&str, usize, &[&str]); 6] = [
    (
        "tuple_growing",
        3,
        &[
            "design",
            "inserted",
            "stopped",
            "inserts_per_second",
            "author_cryptography_share",
            "author_limit_us",
            "author_ratio",
            "update_bytes",
            "update_overall_bytes",
            "proof_bytes",
            "updates_per_second",
            "server_cryptography_share",
            "lookups_per_second",
            "verifications_per_second",
            "verify_cryptography_share",
            "verify_limit_us",
            "verify_ratio",
            "chain_steps_per_proof",
            "update_kilobytes_per_second",
            "lookup_kilobytes_per_second",
            "equilibrium_kilobytes_per_second",
            "cpu_cents_per_hour",
            "sign_us",
            "verify_signature_us",
            "chain_step_ns",
            "hash_ns",
            "cpu",
            "commit",
        ],
    ),
    (
        "tuple_steady",
        5,
        &[
            "design",
            "keys",
            "snapshots",
            "cycles",
            "whole_cycles",
            "author_us",
            "times_base_superseding",
            "later_chains_us",
            "update_bytes",
            "memory_bytes_per_update",
            "proof_bytes",
            "cpu",
        ],
    ),
    ("tuple_exponent", 4, &["quantity", "exponent", "values"]),
    (
        "tuple_threads",
        2,
        &["threads", "snapshot_ms", "bare_signatures_ms", "ratio"],
    ),
    (
        "tuple_macrobenchmark",
        4,
        &[
            "trace",
            "design",
            "epochs",
            "snapshots",
            "processed",
            "author_seconds",
            "server_seconds",
            "update_bytes",
            "proof_bytes",
            "lookups_per_second",
            "signatures",
        ],
    ),
    ("tuple_lookup_costs", 10, &["figure", "design", "points"]),
];

fn tuple_figures_are_drawn(folder: &std::path::Path, text: &str) {
    let (file, out) = (folder.join("run.jsonl"), folder.join("figures"));
    std::fs::write(&file, text).unwrap();
    let (from, to) = (file.to_str().unwrap(), out.to_str().unwrap());
    let shown = run(&["figures", "--from", from, "--out", to]);
    for title in ["Table 7", "Table 8", "Table 9", "Tables 10 and 11"] {
        assert!(shown.contains(title), "{title}: {shown}");
    }
    assert!(!shown.contains(" ? |"), "a line lacks a key: {shown}");
    for figure in ["figure7.svg", "figure7-steady.svg", "figure8-trace.svg"] {
        let drawn = std::fs::read_to_string(out.join(figure)).unwrap();
        assert!(drawn.contains("</svg>"), "{figure}");
    }
}
