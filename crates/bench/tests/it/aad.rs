//! `bench aad`: every experiment, with sizes that are the same on every machine.

use serde_json::Value;

use crate::report::{lines, run};

/// What every line has.
const PROMISED: [&str; 14] = [
    "experiment",
    "scheme",
    "n",
    "batch",
    "threads",
    "append_us",
    "append_limit_us",
    "prove_us",
    "verify_us",
    "verify_limit_us",
    "proof_bytes",
    "memory_bytes_per_element",
    "cpu",
    "commit",
];

fn of<'a>(lines: &'a [Value], experiment: &str) -> Vec<&'a Value> {
    let of = |line: &&Value| line["experiment"] == experiment;
    lines.iter().filter(of).collect()
}

fn positive(line: &Value, keys: &[&str]) {
    for key in keys {
        let figure = line[key].as_f64();
        assert!(figure.is_some_and(|figure| figure > 0.0), "{key}: {line}");
    }
}

#[test]
fn logs_stand_beside_their_sums_and_points() {
    let arguments = ["aad", "--json", "--quick", "--elements", "32,64"];
    let text = run(&arguments);
    let lines = lines(&text);
    for line in &lines {
        for key in PROMISED {
            assert!(line.get(key).is_some(), "{key} is missing in {line}");
        }
    }
    let appended = of(&lines, "aad_append");
    let cut = |line: &&Value| [&line["n"], &line["batch"]].map(|it| it.as_u64().unwrap());
    let cuts: Vec<[u64; 2]> = appended.iter().map(cut).collect();
    assert_eq!(cuts, [[64, 1], [64, 32], [32, 1], [32, 32]]);
    for line in appended {
        positive(line, &["append_us", "append_limit_us"]);
    }
    assert_eq!(of(&lines, "aad_memory").len(), 1);
    assert!(!of(&lines, "aad_primitives").is_empty());
    for experiment in ["aad_lookup", "aad_append_only"] {
        for line in of(&lines, experiment) {
            positive(
                line,
                &["prove_us", "verify_us", "verify_limit_us", "proof_bytes"],
            );
        }
    }
    sizes(&lines);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.jsonl");
    std::fs::write(&file, text).unwrap();
    let out = folder.path().join("figures");
    let [file, out] = [&file, &out].map(|path| path.to_str().unwrap());
    let shown = run(&["figures", "--from", file, "--out", out]);
    for title in ["Appending", "Look-ups", "Append-only proofs", "Primitives"] {
        assert!(shown.contains(title), "{title}: {shown}");
    }
    assert!(!shown.contains(" ? |"), "a line lacks a key: {shown}");
}

/// Sizes follow from the layout of the messages.
fn sizes(lines: &[Value]) {
    let bytes = |experiment: &str, key: &str, value: Value, n: u64| {
        let same = |line: &&&Value| line[key] == value && line["n"] == n;
        let found = of(lines, experiment);
        let line = found.iter().find(same).expect("no such line");
        line["proof_bytes"].as_f64().unwrap()
    };
    let close = |actual: f64, expected: u32| {
        assert!(
            (actual - f64::from(expected)).abs() < 0.5,
            "{actual} and {expected}"
        );
    };
    let (envelope, counts) = (8, 8 + 4);
    // One tree: a stub of accumulator and hash, and the evidence, a scalar and a point.
    let tree = 4 + 80 + 80;
    let absent = bytes("aad_lookup", "values", 0.into(), 64);
    close(absent, envelope + counts + tree);
    // Two trees above the blocks, one block, and seven elements in full.
    let block = 48 + 8 * 64 + 48;
    let absent = bytes("aad_lookup", "values", 0.into(), 63);
    close(absent, envelope + counts + 2 * tree + block + 7 * 64);
    // From 32 to 64: the new root with its certificate, and both children as stubs.
    let pair = "doubled, to one tree".into();
    let grown = bytes("aad_append_only", "pair", pair, 64);
    close(grown, envelope + 16 + 128 + 2 * 80);
}

#[test]
fn numbers_of_entries_are_powers_of_two() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["aad", "--elements", "100"])
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(errors.contains("100 is not a power of two"), "{errors}");
}
