//! Output of `bench accumulators` beyond its operations: every promised key, and sizes that do not
//! depend on the machine.

use pad_conformance::soak;
use serde_json::Value;

use crate::output::{has_its_contents, keep_promises, lines, number, of, run};

#[test]
fn every_experiment_has_its_lines() {
    let sizes = soak::size("4,16", "4,8,16");
    let number_of_sizes = sizes.split(',').count();
    let text = run(&format!(
        "accumulators --json --quick --elements={sizes} --threads=1,2 --longest=600 \
            --experiment=operations,slopes,sets,hints,keys"
    ));
    let lines = lines(&text);
    for (experiment, [number, of_each_size], keys) in PROMISED {
        let number = number + of_each_size * number_of_sizes;
        keep_promises(&lines, &[(experiment, number, keys)]);
    }
    has_its_contents("accumulators", &text);
    sets_weigh_what_they_should(&of(&lines, "accumulators_sets"));
    trips_take_what_their_parts_take(&of(&lines, "accumulators_round_trips"));
    let of_kind = |kind: &str| of(&lines, &format!("accumulators_{kind}"));
    conclusions_follow_from_the_ranges(&of_kind("conclusion"), &of_kind("cheapest"));
    let mut keys = of_kind("keys").into_iter();
    let rsa = keys.find(|line| line["kind"] == "rsa-3072").unwrap();
    assert!(rsa["public_bytes"].as_u64().unwrap() > 384);
}

fn sets_weigh_what_they_should(lines: &[&Value]) {
    let find = |design: &str, generations: u64| {
        let is_it = |line: &&Value| {
            line["design"] == design && line["generations"] == generations && line["n"] == 16
        };
        lines.iter().copied().find(is_it).unwrap()
    };
    let bytes = |line: &Value, key: &str| line[key].as_u64().unwrap();
    // Two elements, a version, 16 signatures, and one on all of it.
    let signed = find("signed-each", 1);
    assert_eq!(bytes(signed, "update_bytes"), 64 + 8 + (16 + 1) * 64);
    // A version, a signature, a place, four digests.
    let tree = find("merkle-tree", 1);
    assert_eq!(bytes(tree, "proof_bytes"), 8 + 64 + 4 + 4 * 32);
    for (accumulator, value, witness) in [("rsa-3072", 384, 386), ("bilinear-bls12-381", 48, 48)] {
        let server = find(&format!("{accumulator}, server"), 1);
        let author = find(&format!("{accumulator}, author"), 1);
        assert_eq!(bytes(server, "proof_bytes"), 8 + 64 + value + witness);
        let sent = bytes(author, "update_bytes") - bytes(server, "update_bytes");
        assert_eq!(sent, 16 * witness);
        let young = find(&format!("{accumulator}, author"), 2);
        let sent = bytes(young, "update_bytes") - bytes(server, "update_bytes");
        assert_eq!(sent, 6 * witness);
        let both = 2 * bytes(author, "proof_bytes");
        assert_eq!(bytes(young, "proof_bytes"), both);
    }
}

fn trips_take_what_their_parts_take(lines: &[&Value]) {
    for line in lines {
        let total = number(line, "computing_ms") + number(line, "latency_ms");
        assert!((number(line, "total_ms") - total).abs() < 0.01, "{line}");
    }
}

/// Checks that the report's conclusion about accumulators agrees with the ranges in which designs
/// are the cheapest.
fn conclusions_follow_from_the_ranges(conclusions: &[&Value], cheapest: &[&Value]) {
    for conclusion in conclusions {
        let wins = cheapest.iter().any(|range| {
            let design = range["design"].as_str().unwrap();
            range["figure"] == conclusion["figure"] && design.contains(", ")
        });
        assert_eq!(conclusion["holds"], !wins, "{conclusion}");
    }
}

/// Experiments of `bench accumulators --json`, with the numbers of their lines, in total and for
/// each number of elements, and their keys.
#[rustfmt::skip]
const PROMISED: [(&str, [usize; 2], &str); 7] = [
    ("accumulators_sets", [0, 19], "design contender witnesses n generations author_us \
        author_limit_us author_ratio update_bytes apply_us prove_us proof_bytes verify_us \
        verify_limit_us verify_ratio stored_bytes cpu commit"),
    ("accumulators_claims", [0, 2 * 7], "claim accumulator n ours"),
    ("accumulators_conclusion", [0, 2], "claim holds sentence nearest \
        nearest_times_cheapest_other at_lookups_per_update"),
    ("accumulators_hints", [2, 0], "rule search_us check_us saved_us primitive_us ratio cpu"),
    ("accumulators_keys", [3 + 3 + 2, 2], "kind secret_bytes public_bytes verifier_bytes cpu"),
    ("accumulators_round_trips", [3 * 2 * 2 * 4, 0], "accumulator keys threads computing_ms \
        total_ms paper_ms_on_8_threads"),
    ("accumulators_lookup_costs", [0, 10 + 10], "figure design points lookup_microdollars"),
];
