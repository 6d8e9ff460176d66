//! `bench compare`: a line for each scheme and load.

use std::{collections::HashSet, fs};

use crate::output::{have, lines, run};

/// Keys of every line of a measured scheme, in addition to its properties.
const PROMISED: &str = "experiment family threads scheme workload keys changes key_bytes \
    value_bytes seed snapshots whole_cycles stopped load_us_per_key author_us update_bytes \
    apply_us prove_us prove_old_us proof_bytes absent_proof_bytes verify_us memory_bytes_per_key \
    memory_bytes_per_snapshot set_unique cpu rustc commit";

#[test]
fn every_scheme_has_a_line_for_every_size() {
    // One scheme of each family that loads in one snapshot.
    let text = run("compare --json --quick --keys 30,60 --changes 1,5 \
            --schemes red-black-path-copying,tuple-spec-lightweight,directory,sign-each-entry");
    let lines = lines(&text);
    let loads: HashSet<_> = lines
        .iter()
        .map(|line| ["scheme", "keys", "changes"].map(|key| line[key].to_string()))
        .collect();
    assert_eq!((lines.len(), loads.len()), (16, 16));
    have(&lines, PROMISED);
    for line in &lines {
        assert_eq!(line["value_bytes"], 32);
        assert_eq!(line["seed"], 0);
        assert_eq!(line["has_keys"], line["scheme"] != "directory", "{line}");
    }
}

#[test]
fn a_trace_is_replayed_by_what_can_remove() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let rows = "snapshot,op,key,value\n1,put,a,1\n1,put,b,2\n2,put,c,3\n3,delete,a,\n";
    fs::write(file.path(), rows).unwrap();
    let trace = file.path().display();
    let compare =
        format!("compare --quick --trace {trace} --schemes treap-path-copying,aad-counted");
    let lines = lines(&run(&format!("{compare} --json")));
    assert_eq!(lines.len(), 2);
    let [keys, snapshots] = ["keys", "snapshots"].map(|key| &lines[0][key]);
    assert_eq!((keys, snapshots), (&2.into(), &2.into()));
    assert_eq!(lines[1]["reason"], "nothing can be removed");
    let table = run(&compare);
    assert!(table.contains("nothing can be removed"), "{table}");
}
