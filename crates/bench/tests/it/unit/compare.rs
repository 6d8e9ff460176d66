//! Tests of `bench::compare`.

use bench::{
    compare::{EXPERIMENT, PART, tables},
    line,
};

#[test]
fn parts_of_cycles_are_marked() {
    let line = |whole: bool| {
        line! { experiment: EXPERIMENT, workload: "updates", scheme: "tuple-base-lightweight",
        snapshots: 126, whole_cycles: whole, author_us: 1.0 }
    };
    let marked = tables(&[line(false)]).to_string();
    assert!(
        marked.contains("| 126, part |") && marked.contains(PART),
        "{marked}"
    );
    let whole = tables(&[line(true)]).to_string();
    assert!(
        whole.contains(" 126 |") && !whole.contains("part"),
        "{whole}"
    );
}
