//! `bench aad`: every experiment, at sizes that do not depend on the machine.

use serde_json::{Value, json};

use crate::output::{has_its_contents, have, lines, number, of, positive, refusal, run, shown};

/// Keys of every line.
const PROMISED: &str = "experiment scheme n batch threads append_us append_limit_us prove_us \
    verify_us verify_limit_us proof_bytes memory_bytes_per_element cpu commit";

#[test]
fn logs_stand_beside_their_sums_and_points() {
    if !pad_conformance::soak::enabled() {
        return;
    }
    // Every experiment at its smallest size, without a time limit.
    let text = run(
        "aad --json --quick --elements 32,64 --frontier-elements 16 --appends 64 \
            --frontier-appends 16 --bandwidth-elements 64 --batches 1,32 --longest 600",
    );
    let lines = lines(&text);
    have(&lines, PROMISED);
    let appended = of(&lines, "aad_append");
    let cut = |line: &&Value| [&line["n"], &line["batch"]].map(|it| it.as_u64().unwrap());
    let cuts: Vec<[u64; 2]> = appended.iter().map(cut).collect();
    assert_eq!(cuts, [[32, 1], [32, 32], [64, 1], [64, 32], [16, 1]]);
    for line in appended {
        positive(line, "append_us append_limit_us");
    }
    assert!(!of(&lines, "aad_primitives").is_empty());
    for experiment in ["aad_lookup", "aad_append_only", "aad_inclusion"] {
        let measured = of(&lines, experiment).into_iter();
        for line in measured.filter(|line| line["is_computed"] != true) {
            positive(line, "prove_us verify_us verify_limit_us proof_bytes");
        }
    }
    sizes(&lines);
    computed_sizes(&lines);
    single_appends(&lines);
    visits(&lines);
    let shown = shown(&text, "aad-append aad-bytes aad-verify aad-visit-1");
    let titles = "Appending in versions of a batch,Appending one by one,Look-ups,Inclusion,\
        Append-only proofs,Memory,Bytes of a visit,Primitives,Goals";
    for title in titles.split(',') {
        assert!(shown.contains(title), "{title}: {shown}");
    }
    has_its_contents("logs", &text);
}

/// Returns a figure of the only line with these values.
fn figure(lines: &[Value], key: &str, values: &Value) -> f64 {
    let values = values.as_object().unwrap();
    let is_same = |line: &&Value| values.iter().all(|(key, value)| line[key] == *value);
    let mut same = lines.iter().filter(is_same);
    let line = same.next().expect("no such line");
    assert!(same.next().is_none(), "several such lines");
    number(line, key)
}

/// Checks that proof sizes computed for large logs continue the measured ones. A tree has the same
/// layout at every level.
fn computed_sizes(lines: &[Value]) {
    let bytes = |scheme: &str, n: u64, values: u64| {
        let of = json!({
            "experiment": "aad_lookup", "schedule": "eager", "scheme": scheme, "n": n,
            "values": values,
        });
        figure(lines, "proof_bytes", &of)
    };
    for n in [64, 128, 1 << 20] {
        let (counted, envelope) = (bytes("aad-counted", n, 0), 20.0);
        assert!((counted - envelope - 164.0).abs() < 0.5, "{n}: {counted}");
    }
    let more = bytes("aad-counted", 128, 1) - bytes("aad-counted", 64, 1);
    assert!((more - 208.0).abs() < 0.5, "one level more: {more}");
    let (small, large) = (bytes("aad-frontier", 16, 0), bytes("aad-frontier", 32, 0));
    assert!(small < large && large < small + 500.0, "{small}, {large}");
}

/// Asserts the times of single appends, and that a deferred log has more trees.
fn single_appends(lines: &[Value]) {
    for scheme in ["aad-counted", "aad-frontier"] {
        for schedule in ["eager", "deferred"] {
            let of = json!({
                "experiment": "aad_worst_case", "scheme": scheme, "schedule": schedule,
            });
            let times = ["append_median_us", "append_longest_us"];
            let [median, longest] = times.map(|key| figure(lines, key, &of));
            assert!(0.0 < median && median <= longest, "{median}, {longest}");
        }
    }
    let of = |schedule: &str| {
        let of = json!({
            "experiment": "aad_lookup", "scheme": "aad-counted", "schedule": schedule, "n": 64,
            "values": 0,
        });
        figure(lines, "trees", &of)
    };
    // The first 32 of 64 entries are a tree, and the next 16. The tree of 64 appears at size 128.
    assert!(of("eager") < of("deferred"));
}

/// Checks that the bytes of a client's visit grow with the entries in plain logs, and with the
/// versions in trees.
fn visits(lines: &[Value]) {
    let bytes = |key: &str, each: u64, versions: u64| {
        let of = json!({
            "experiment": "aad_bandwidth", "entries_per_version": each, "versions": versions,
        });
        figure(lines, key, &of)
    };
    assert!(bytes("ct_like_bytes", 1, 16) > 16.0 * 64.0);
    assert!(bytes("ct_like_bytes", 1, 1) < 1000.0);
    let per_version = bytes("head_bytes", 1, 16) + bytes("tree_look_up_bytes", 1, 16);
    assert!(bytes("coniks_like_bytes", 1, 16) > 16.0 * per_version);
    assert!(bytes("aad_bytes", 1, 16) > bytes("look_up_bytes", 1, 16));
    assert_eq!(of(lines, "aad_bandwidth_crossing").len(), 4);
}

#[test]
fn memory_is_that_of_a_process_of_its_own() {
    let lines = lines(&run(
        "aad --json --scheme aad-counted --experiment memory --elements 1024",
    ));
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0]["experiment"], "aad_memory");
    assert_eq!(lines[0]["n"], 1024);
}

/// Sizes follow from the layout of the messages.
fn sizes(lines: &[Value]) {
    let bytes = |experiment: &str, key: &str, value: Value, n: u64| {
        let of = json!({
            "experiment": experiment, "scheme": "aad-counted", "schedule": "eager", key: value,
            "n": n,
        });
        figure(lines, "proof_bytes", &of)
    };
    let close = |actual: f64, expected: u32| {
        let distance = (actual - f64::from(expected)).abs();
        assert!(distance < 0.5, "{actual} and {expected}");
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
    let (_, errors) = refusal("aad --elements 100");
    assert!(errors.contains("100 is not a power of two"), "{errors}");
}
