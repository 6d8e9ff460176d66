//! `bench directory`: exact block reads of traces, and every experiment at its smallest size.

use bench::directory::{
    reads::{self, BlockReads, Geometry},
    trace::{Operation, Trace, TraceParameters},
};
use pad_conformance::soak;
use pad_core::Digest;
use serde::Deserialize as _;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::output::{
    Promise, has_its_contents, have, keep_promises, lines, number, of, positive, run, shown,
};

/// Reads the traces in the vectors of `block-directory`, and in a file that an environment variable
/// names.
fn traces() -> Vec<Value> {
    let (variable, file) = ("BLOCK_DIRECTORY_VECTORS", "directories/block_directory");
    let vectors = pad_conformance::published::read_with(variable, file).into_iter();
    let traces = vectors.flat_map(|file: Value| file["trace"].as_array().unwrap().clone());
    traces.collect()
}

fn integer(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn parameters(vector: &Value) -> TraceParameters {
    TraceParameters::deserialize(vector).unwrap()
}

#[test]
fn traces_are_the_known_ones() {
    for vector in &traces() {
        let operations: Vec<Operation> = Trace::new(parameters(vector)).collect();
        let first = vector["first_operations"].as_array().unwrap();
        for (known, operation) in first.iter().zip(&operations) {
            let bytes = operation.to_bytes();
            let [kind, id] = [0, 1].map(|part| integer(&known[part]));
            assert_eq!([kind, id], [bytes[0].into(), operation.id()]);
        }
        let all: Vec<u8> = operations.iter().flat_map(|it| it.to_bytes()).collect();
        let digest: [u8; 32] = Sha256::digest(all).into();
        assert_eq!(Digest(digest).to_string(), vector["sha256"]);
        for (kind, name) in [(0, "reads"), (1, "updates"), (2, "appends")] {
            let of_kind = operations.iter().filter(|it| it.to_bytes()[0] == kind);
            assert_eq!(vector["counts"][name], of_kind.count(), "{name}");
        }
    }
}

#[test]
fn block_reads_of_traces_are_exact() {
    let mut place = 0;
    for vector in &traces() {
        for known in vector["block_reads"].as_array().unwrap() {
            place += 1;
            // Each takes seconds. Without the soak test, one runs for each geometry: one with hints
            // and updates, and one without.
            if !soak::enabled() && ![2, 11].contains(&place) {
                continue;
            }
            let geometry = Geometry {
                capacity: integer(&known["b"]),
                frames: integer(&known["frames"]).try_into().unwrap(),
                block_bytes: 1,
            };
            let with_hints = known["hints"].as_bool().unwrap();
            let counted = reads::count(parameters(vector), geometry, with_hints);
            let expected = BlockReads {
                lookups: integer(&known["lookups"]),
                touched: integer(&known["touched"]),
                reads: integer(&known["reads"]),
                write_reads: integer(&known["write_reads"]),
                ..counted
            };
            assert_eq!(counted, expected, "{known}");
        }
    }
}

/// Keys of every line.
const PROMISED: &str = "experiment strategy entries block_bytes update_us update_limit_us prove_us \
    verify_us proof_bytes reads_per_lookup written_bytes_per_update memory_bytes primitives cpu \
    commit";

#[test]
fn directories_stand_beside_their_primitives() {
    // Every experiment at its smallest size.
    let text = run(
        "directory --json --quick --inserts 400 --block-bytes 512,16384 --entries 2000 \
            --prefill 50000 --operations 1000 --update-percent 0,25",
    );
    let lines = lines(&text);
    have(&lines, PROMISED);
    insertions(&of(&lines, "directory_inserts"));
    let hints = of(&lines, "directory_hints");
    assert_eq!(hints.len(), 8);
    for line in hints {
        let is_of_paper = line["capacity"] == 68;
        assert_eq!(line["proof_bytes"].is_null(), is_of_paper, "{line}");
        assert!(line["touched"].as_u64() >= line["reads"].as_u64(), "{line}");
    }
    let bytes = of(&lines, "directory_proof_bytes").into_iter();
    let bytes = bytes.map(|line| integer(&line["proof_bytes"]));
    assert!(bytes.eq([688, 816, 912, 1008, 1140]));
    keep_promises(&lines, &MEASURED);
    for (experiment, _, keys) in MEASURED {
        for line in of(&lines, experiment) {
            positive(line, keys);
        }
    }
    let read = of(&lines, "directory_read")[0];
    assert_eq!(
        [&read["reads_per_lookup"], &read["reads_with_hint"]],
        [1.0, 0.0]
    );
    let plots = "directory-figure3-crypto directory-figure3-total directory-figure4-crypto \
        directory-figure5-68 directory-figure5-128";
    let shown = shown(&text, plots);
    for title in ["Figure 3", "Figure 4", "Figure 5", "Goals", "exactly 1008 "] {
        assert!(shown.contains(title), "{title}: {shown}");
    }
    has_its_contents("directories", &text);
}

/// Experiments, with the number of their lines and their positive figures.
#[rustfmt::skip]
const MEASURED: [Promise<'_>; 14] = [
    ("directory_append", 1, "update_us update_limit_us"),
    ("directory_update", 1, "update_us update_limit_us"),
    ("directory_update_hot", 1, "update_us update_limit_us"),
    ("directory_batch", 1, "update_us update_limit_us nodes_per_update"),
    ("directory_prove", 1, "prove_us verify_us verify_limit_us proof_bytes"),
    ("directory_light_author", 1, "memory_bytes most_bytes"),
    ("directory_change", 10, "update_us update_limit_us"),
    ("directory_opened", 5, "prove_us verify_us proof_bytes"),
    ("directory_opened_bytes", 5, "proof_bytes"),
    ("directory_load", 1, "update_us update_limit_us file_bytes level_bytes_per_entry"),
    ("directory_read", 1, "prove_us prove_limit_us reads_per_lookup"),
    ("directory_durable", 1, "update_us update_limit_us written_bytes_per_update"),
    ("directory_reopen", 1, "update_us update_limit_us logged"),
    ("directory_beside", 2, "update_us"),
];

/// Checks that the written bytes of an insertion depend only on the number of slots and their
/// widths.
fn insertions(lines: &[&Value]) {
    let written = |strategy: &str, block_bytes: u64| {
        let is_it =
            |line: &&&Value| line["strategy"] == strategy && line["block_bytes"] == block_bytes;
        let line = lines.iter().find(is_it).unwrap();
        number(line, "written_bytes_per_update")
    };
    for block_bytes in [512, 16_384] {
        let merkle = written("merkle", block_bytes);
        let others = "merkle-scanning sha-384-path sha-384-scanning flat ad-hash-1600";
        for other in others.split(' ') {
            assert_eq!(written(other, block_bytes).to_bits(), merkle.to_bits());
        }
        // States are stored in addition to slots.
        assert!(written("lt-hash", block_bytes) > merkle);
    }
    // 400 entries in blocks of 68 take 6 blocks, with one above.
    assert!((written("flat", 16_384) - 7.0 * 40.96).abs() < 1e-3);
}
