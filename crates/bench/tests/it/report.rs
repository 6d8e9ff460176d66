//! Output of `bench tree`, `primitives`, `batch`, `accumulators` and `tuple`: every promised key,
//! for all twelve trees.

use std::{collections::HashSet, fs};

use serde_json::Value;

use crate::output::{
    Promise, has_its_contents, have, keep_promises, lines, number, of, positive, refusal, run,
    shown,
};

/// Keys of every line of `bench tree --json`.
const PROMISED: &str = "experiment scheme repository suite keys versions threads \
    insert_snapshot_us author_limit_us author_ratio apply_us apply_limit_us apply_ratio \
    prove_us_latest prove_us_random_version prove_many_us_latest prove_many_us_random_version \
    verify_us verify_with_known_head_us verify_limit_us decode_us proof_bytes absent_proof_bytes \
    head_bytes update_bytes node_hashes_per_update history_hashes_per_update \
    resident_bytes_per_version counted_bytes_per_version peak_resident_bytes \
    update_kilobytes_per_second lookup_kilobytes_per_second cpu cores rustc commit";

#[test]
fn tree_reports_all_twelve_in_both_experiments() {
    let text = run("tree --json --quick --keys 200");
    let lines = lines(&text);
    let names: HashSet<_> = lines
        .iter()
        .map(|line| ["experiment", "scheme", "repository"].map(|key| line[key].to_string()))
        .collect();
    assert_eq!((lines.len(), names.len()), (24, 24));
    have(&lines, PROMISED);
    for line in &lines {
        assert_eq!((&line["keys"], &line["threads"]), (&200.into(), &1.into()));
        assert_eq!(line["head_bytes"], 128);
    }
    sizes_are_plausible(&lines);
    has_its_contents("trees", &text);
    let shown = shown(&text, "figure5 figure6");
    assert!(shown.contains("Table 5"), "{shown}");
}

/// Asserts sizes, which are exact on every machine, unlike times.
fn sizes_are_plausible(lines: &[Value]) {
    for line in lines {
        let number = |key: &str| number(line, key);
        let (depth, proof_bytes) = (number("depth"), number("proof_bytes"));
        assert!(number("node_hashes_per_update") >= depth * 0.9, "{line}");
        assert!(proof_bytes > 32.0 * depth, "{line}");
        assert!(number("absent_proof_bytes") > proof_bytes, "{line}");
        assert!(number("counted_bytes_per_version") > 150.0, "{line}");
        // Equal for all repositories of a scheme.
        let names = ["experiment", "scheme"];
        let mut same = lines.iter();
        let same = same.find(|other| names.iter().all(|key| other[*key] == line[*key]));
        for key in ["proof_bytes", "absent_proof_bytes", "update_bytes", "depth"] {
            assert_eq!(same.unwrap()[key], line[key]);
        }
    }
}

#[test]
fn filters_and_suites() {
    let text = run(
        "tree --json --quick --keys=100 --scheme=treap --repository=cache-median \
            --suite=paper-2010,blake3-ed25519 --experiment=growing",
    );
    let lines = lines(&text);
    let suites = lines.iter().map(|line| line["suite"].as_str().unwrap());
    assert_eq!(suites.collect::<Vec<_>>(), ["paper-2010", "blake3-ed25519"]);
    assert_eq!(lines[0]["head_bytes"], 120);
}

#[test]
fn tables_show_every_tree() {
    let text = run("tree --quick --keys=100 --scheme=red-black");
    for repository in "path-copying cache-nowhere cache-median cache-everywhere".split(' ') {
        let row = format!("| red-black {repository}");
        assert!(text.contains(&row), "{text}");
    }
}

#[test]
fn primitives_and_batches() {
    let primitives = lines(&run("primitives --json --quick"));
    assert_eq!(primitives.len(), 3);
    for line in primitives {
        positive(
            &line,
            "node_hash_ns value_hash_64k_ns sign_us verify_signature_us",
        );
    }
    let batches = lines(&run(
        "batch --json --keys=3000 --batch=600 --snapshots=2 --threads=1,2",
    ));
    assert_eq!(batches.len(), 2);
    let figures = "author_snapshot_ms bare_hashes_ms author_speed apply_speed_up";
    positive(&batches[1], figures);
}

#[test]
fn unknown_names_are_refused() {
    assert_eq!(refusal("tree --scheme splay").0, Some(2));
}

#[test]
fn every_accumulator_operation_stands_beside_its_primitive() {
    let lines = lines(&run(
        "accumulators --json --quick --elements 8 --threads 1,2 --longest=600",
    ));
    let keys = "accumulator operation n threads primitive cpu commit";
    keep_promises(&lines, &[("accumulators", lines.len(), keys)]);
    for line in &lines {
        for key in ["per_element_us", "primitive_us", "ratio"] {
            assert!(number(line, key).is_finite(), "{key}: {line}");
        }
    }
    let operations = "representatives accumulate_secret_each accumulate_public witnesses_secret \
        witnesses_public witnesses_one_by_one verify verify_batch verify_absence update_witness";
    for accumulator in ["bilinear-bls12-381", "rsa-3072"] {
        for operation in operations.split(' ') {
            let is_measured =
                |line: &Value| line["accumulator"] == accumulator && line["operation"] == operation;
            assert!(lines.iter().any(is_measured), "{accumulator} {operation}");
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
    fs::write(&trace, format!("snapshot,op,key,value\n{}", rows.concat())).unwrap();
    let text = run(&format!(
        "tuple --json --quick --keys=30 --sizes=60 --trace {} --last=8 \
            --designs=base-superseding,spec-lightweight,red-black --limit=600",
        trace.display()
    ));
    let lines = lines(&text);
    keep_promises(&lines, &TUPLES);
    // 30 keys, one per snapshot. Signed are the tuples, the first tuple of the key space, and the
    // head.
    let base = of(&lines, "tuple_growing")[0];
    assert_eq!(base["signatures_per_snapshot"], 17.5);
    assert_eq!(base["signatures_per_proof"], 1.0);
    assert_eq!(base["cents_per_gigabyte"], 13.0);
    assert!(of(&lines, "tuple_cheapest").len() >= 3);
    let shown = shown(&text, "figure7 figure7-steady figure8-trace");
    for title in ["Table 7", "Table 8", "Table 9", "Tables 10 and 11"] {
        assert!(shown.contains(title), "{title}: {shown}");
    }
    has_its_contents("tuples", &text);
}

#[test]
fn accumulated_tuples_have_shares_but_no_limits() {
    if !pad_conformance::soak::enabled() {
        return;
    }
    let text = run(
        "tuple --json --quick --keys=4 --sizes=4 --limit=1 --experiment=growing,steady \
            --designs=accumulators-rsa,chain-accumulators-bilinear",
    );
    let lines = lines(&text);
    let growing = of(&lines, "tuple_growing");
    assert_eq!(growing.len(), 2, "{text}");
    for line in growing {
        for key in ["author", "server", "verify"] {
            let share = number(line, &format!("{key}_cryptography_share"));
            assert!(share > 0.0 && share <= 1.0, "{key}: {line}");
        }
        for key in ["author_ratio", "verify_ratio", "signatures_per_proof"] {
            assert!(line[key].is_null(), "{key}: {line}");
        }
    }
    assert_eq!(of(&lines, "tuple_steady").len(), 2, "{text}");
    let made = of(&lines, "tuple_author_witnesses");
    assert_eq!(made.len(), 2, "{text}");
    for line in made {
        positive(line, "witness_us apply_us");
        assert!(number(line, "witnesses_per_snapshot") >= 2.0, "{line}");
        assert!(number(line, "witness_bytes") >= 48.0, "{line}");
    }
    let lazy = of(&lines, "tuple_lazy_witnesses");
    assert_eq!(lazy.len(), 2, "{text}");
    for line in lazy {
        positive(line, "witness_us apply_us");
        assert!(
            number(line, "prove_us") > number(line, "witness_us"),
            "{line}"
        );
        assert!(number(line, "value_bytes") >= 48.0, "{line}");
    }
    let hinted = of(&lines, "tuple_prime_offsets");
    assert_eq!(
        hinted.len(),
        1,
        "only RSA represents tuples by primes: {text}"
    );
    positive(
        hinted[0],
        "new_tuples_per_snapshot search_us check_us apply_us",
    );
}

/// Promises of `bench tuple --json`.
#[rustfmt::skip]
const TUPLES: [Promise<'_>; 6] = [
    ("tuple_growing", 3, "design inserted stopped inserts_per_second author_cryptography_share \
        author_limit_us author_ratio update_bytes update_overall_bytes proof_bytes \
        updates_per_second server_cryptography_share lookups_per_second verifications_per_second \
        verify_cryptography_share verify_limit_us verify_ratio chain_steps_per_proof \
        update_kilobytes_per_second lookup_kilobytes_per_second equilibrium_kilobytes_per_second \
        cpu_cents_per_hour cpu commit"),
    ("tuple_steady", 5, "design keys snapshots cycles whole_cycles author_us \
        times_base_superseding later_chains_us update_bytes memory_bytes_per_update proof_bytes \
        cpu"),
    ("tuple_exponent", 4, "quantity exponent values"),
    ("tuple_threads", 2, "threads snapshot_ms bare_signatures_ms ratio"),
    ("tuple_macrobenchmark", 4, "trace design epochs snapshots processed author_seconds \
        server_seconds update_bytes proof_bytes lookups_per_second signatures"),
    ("tuple_lookup_costs", 10, "figure design points"),
];
