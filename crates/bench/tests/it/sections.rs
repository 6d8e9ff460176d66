//! Claims of the paper outside its tables: trees with entries in all nodes, sections 9 and 10.

use serde_json::Value;

use crate::output::{Promise, keep_promises, lines, number, of, positive, run, shown};

#[test]
fn trees_with_entries_in_all_nodes_stand_in_table_3() {
    let text = run("tree --json --quick --keys=200 --scheme=red-black,treap \
            --experiment=growing,paper_layout,what_if");
    let lines = lines(&text);
    keep_promises(&lines, &TREES);
    for line in of(&lines, "growing_paper_layout") {
        let same = |other: &&&Value| {
            other["scheme"] == line["scheme"] && other["repository"] == "path-copying"
        };
        let growing = of(&lines, "growing");
        let in_leaves = *growing.iter().find(same).unwrap();
        let both = |key: &str| [line, in_leaves].map(|line| number(line, key));
        // Half of the entries are above the lowest level. Each level adds a key and a digest.
        let [depth, depth_of_leaves] = both("depth");
        assert!(depth < depth_of_leaves + 1.0, "{line}");
        let [bytes, bytes_of_leaves] = both("proof_bytes");
        assert!(bytes > bytes_of_leaves, "{line}");
    }
    let shown = shown(&text, "");
    assert!(shown.contains(" all nodes |"), "{shown}");
}

#[rustfmt::skip]
const TREES: [Promise<'_>; 2] = [
    ("growing_paper_layout", 2, "scheme layout keys insert_snapshot_us author_limit_us \
        prove_us_latest prove_us_random_version verify_with_known_head_us verify_limit_us \
        proof_bytes absent_proof_bytes depth nodes_per_version counted_bytes_per_version \
        resident_bytes_per_version head_bytes cpu"),
    ("growing_what_if", 4 * 7, "scenario lookups_per_update median_to_everywhere"),
];

#[test]
fn machines_and_prices_have_their_gains() {
    let text = run(
        "tuple --json --quick --keys=40 --sizes=40 --limit=600 --experiment=growing,scaling \
            --designs=base-superseding,spec-lightweight,red-black",
    );
    let lines = lines(&text);
    keep_promises(&lines, &TUPLES);
    for line in of(&lines, "tuple_partitions") {
        positive(line, "gain");
    }
    for line in of(&lines, "tuple_replicas") {
        let (gain, replicas) = (number(line, "gain"), number(line, "replicas"));
        assert!((1.0..=replicas + 0.001).contains(&gain), "{line}");
    }
    let prices = of(&lines, "tuple_what_if");
    assert_eq!(prices[1]["cents_per_gigabyte"], 1.3);
    assert_eq!(prices[2]["cpu_cents_per_hour"], 0.85);
}

#[rustfmt::skip]
const TUPLES: [Promise<'_>; 4] = [
    ("tuple_partitions", 4, "design keys partitions whole_us slowest_partition_us gain \
        memory_of_a_partition model cpu"),
    ("tuple_lookup_threads", 3 * 2, "design threads lookups_per_second gain"),
    ("tuple_replicas", 3 * 3 * 4,
        "design replicas lookups_per_update lookups_per_second gain model"),
    ("tuple_what_if", 4, "scenario keys cpu_cents_per_hour cents_per_gigabyte"),
];
