//! `bench directory`: the traces' block reads, exactly, and every experiment with little of everything.

use std::{env, fs, path::Path};

use bench::directory::{
    reads::{self, BlockReads, Geometry},
    trace::{Operation, Trace, TraceParameters},
};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// The vectors of the crate `block-directory`, and of the file that the environment variable names.
fn vectors() -> Vec<Value> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = vec![crates.join("block-directory/tests/vectors/block_directory.json")];
    files.extend(env::var_os("BLOCK_DIRECTORY_VECTORS").map(Into::into));
    let read = |file| serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    files.into_iter().map(read).collect()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn parameters(vector: &Value) -> TraceParameters {
    let [seed, prefill, operations] =
        ["seed", "prefill", "operations"].map(|key| number(&vector[key]));
    let percents = ["first_percent", "update_percent", "spread_percent"];
    let [first_percent, update_percent, spread_percent] = percents.map(|key| number(&vector[key]));
    TraceParameters {
        seed,
        prefill,
        operations,
        first_percent,
        update_percent,
        spread_percent,
    }
}

#[test]
fn traces_are_the_known_ones() {
    for vector in vectors()
        .iter()
        .flat_map(|file| file["trace"].as_array().unwrap())
    {
        let operations: Vec<Operation> = Trace::new(parameters(vector)).collect();
        let first = vector["first_operations"].as_array().unwrap();
        for (known, operation) in first.iter().zip(&operations) {
            let bytes = operation.to_bytes();
            assert_eq!(
                [number(&known[0]), number(&known[1])],
                [bytes[0].into(), operation.id()]
            );
        }
        let all: Vec<u8> = operations.iter().flat_map(|it| it.to_bytes()).collect();
        assert_eq!(hex(&Sha256::digest(all)), vector["sha256"]);
        let of_kind = |kind| {
            operations
                .iter()
                .filter(|it| it.to_bytes()[0] == kind)
                .count()
        };
        for (kind, name) in [(0, "reads"), (1, "updates"), (2, "appends")] {
            assert_eq!(vector["counts"][name], of_kind(kind), "{name}");
        }
    }
}

#[test]
fn block_reads_of_traces_are_exact() {
    for vector in vectors()
        .iter()
        .flat_map(|file| file["trace"].as_array().unwrap())
    {
        for known in vector["block_reads"].as_array().unwrap() {
            let geometry = Geometry {
                capacity: number(&known["b"]),
                frames: number(&known["frames"]) as usize,
                block_bytes: 1,
            };
            let with_hints = known["hints"].as_bool().unwrap();
            let counted = reads::count(parameters(vector), geometry, with_hints);
            let BlockReads {
                lookups,
                touched,
                reads,
                write_reads,
                ..
            } = counted;
            let expected =
                ["lookups", "touched", "reads", "write_reads"].map(|key| number(&known[key]));
            assert_eq!([lookups, touched, reads, write_reads], expected, "{known}");
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
