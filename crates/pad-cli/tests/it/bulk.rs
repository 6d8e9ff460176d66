//! Tests of `pad import` with a snapshot larger than its memory limit. It must succeed as usual, or
//! fail without effect.

use std::fmt::Write as _;

use pad_conformance::soak;
use serde_json::Value as Json;

use crate::{bench::Bench, kill};

/// Returns a trace of three snapshots: one of `rows` rows with several rows per key, one with half
/// as many keys again, and a small one.
fn trace(rows: u32) -> String {
    let mut text = String::from("snapshot,op,key,value\n");
    for (name, keys) in [("all", rows * 3 / 4), ("more", rows * 9 / 8)] {
        for row in 0..keys * 4 / 3 {
            // The multiplier is odd, so the keys are distinct and in no order.
            let key = row.wrapping_mul(2_654_435_761) % keys;
            if row % 7 == 6 {
                writeln!(text, "{name},delete,key {key},").unwrap();
            } else {
                writeln!(text, "{name},put,key {key},value {row}").unwrap();
            }
        }
    }
    text + "less,delete,key 3,\n"
}

fn roots(bench: &Bench, store: &str) -> Vec<Json> {
    let versions = bench.list(&format!("versions --store {store}")).0;
    versions.iter().map(|line| line["root"].clone()).collect()
}

#[test]
fn whatever_the_memory_versions_and_exports_are_the_same() {
    let schemes = ["red-black", "treap", "skip-list"];
    for scheme in &schemes[..soak::size(1, 3)] {
        let bench = Bench::with_key(scheme);
        bench.write("t.csv", trace(soak::size(4_000, 40_000)).as_bytes());
        let stores = [
            ("usual", ""),
            ("large", "--memory 1GiB"),
            ("small", "--memory 64KiB"),
            ("group", "--memory 100kB --group 3"),
        ];
        for (store, memory) in stores {
            let record = format!("--record {store}.signed --new-record");
            let line = format!("import --store {store} --key k {record} {memory}");
            bench.ok(&format!("{} t.csv", line.trim_end()));
            assert_eq!(roots(&bench, store), roots(&bench, "usual"), "{store}");
            bench.ok(&format!("check --store {store}"));
        }
        for version in 1..=3 {
            let [large, small, group] = ["large", "small", "group"].map(|store| {
                let file = format!("{store}.{version}");
                bench.ok(&format!(
                    "export --store {store} --at {version} --out {file}"
                ));
                bench.read(&file)
            });
            assert_eq!([&small, &group], [&large; 2]);
        }
        // Another store accepts the updates like any other updates.
        bench.ok("apply --store copy --public k.pub small.1 small.2 small.3");
        assert_eq!(roots(&bench, "copy"), roots(&bench, "usual"));
        // A repeated import does not import a snapshot twice.
        let again = "import --store small --key k --record small.signed --memory 64KiB t.csv";
        let none = r#"{"items": 0, "skipped_snapshots": 3}"#;
        bench.step(&format!("{again} -> {none}"));
    }
}

#[test]
fn sizes_that_are_none_are_refused() {
    let bench = Bench::with_trace();
    for size in ["0", "1", "63KiB", "-5", "2PB", "much"] {
        bench.step(&format!(
            "import --store s --key k --memory {size} t.csv => usage"
        ));
    }
    bench.ok("import --store s --key k --memory 64KiB t.csv");
}

/// A load that is killed at any moment leaves only data that the next load overwrites. The next
/// load must have the usual result.
#[test]
fn a_load_that_was_killed_is_done_again() {
    let bench = Bench::with_key("red-black");
    let long = [30, 100, 200, 300, 400, 600, 900, 1300, 1700, 2000];
    let (rows, all) = soak::size((7_000, &[30, 150][..]), (50_000, &long[..]));
    bench.write("t.csv", trace(rows).as_bytes());
    let import = |store: &str| {
        let record = format!("--record {store}.signed --new-record");
        format!("import --store {store} --key k {record} --memory 64KiB t.csv")
    };
    bench.ok(&import("whole"));
    let mut unfinished = 0;
    for &milliseconds in all {
        for file in ["s", "s.newest", "s.nodes", "s.nodes.heads", "s.signed"] {
            let _ = std::fs::remove_file(bench.path(file));
        }
        let delay = std::time::Duration::from_millis(milliseconds);
        let said = kill::kill_after(&bench, &import("s"), 0, delay).said;
        unfinished += u32::from(said.is_empty());
        let left = bench.names().join(" ");
        assert!(!left.contains("draft"), "{left}");
        bench.ok(&import("s"));
        assert_eq!(roots(&bench, "s"), roots(&bench, "whole"));
        bench.ok("check --store s");
    }
    println!("{unfinished} loads were not finished");
}

#[test]
fn a_trace_goes_on_where_the_last_one_ended() {
    let bench = Bench::with_key("red-black");
    let trace = |name: &str, snapshots: &[(&str, &str)]| {
        let rows = snapshots.iter();
        let rows = rows.map(|(snapshot, value)| format!("{snapshot},put,apple,{value}\n"));
        bench.write_trace(name, rows);
    };
    let (monday, tuesday) = (("monday", "1"), ("tuesday", "2"));
    let (wednesday, thursday) = (("wednesday", "3"), ("thursday", "4"));
    trace("first.csv", &[monday, tuesday]);
    trace("next.csv", &[wednesday]);
    trace("over.csv", &[wednesday, thursday]);
    trace("whole.csv", &[monday, tuesday, wednesday, thursday]);
    trace("again.csv", &[("friday", "5"), monday]);
    let import = |line: &str| {
        let said = bench.json(&format!("import --store s --key k {line}"));
        let last = said.last().unwrap();
        [&last["items"], &last["skipped_snapshots"], &last["latest"]]
            .map(|count| count.as_u64().unwrap())
    };
    // If nothing was imported before, `--append` has no effect.
    assert_eq!(import("--append first.csv"), [2, 0, 2]);
    bench.fails("import --store s --key k next.csv", 2, "--append");
    assert_eq!(import("--append next.csv"), [1, 0, 3]);
    assert_eq!(import("--append next.csv"), [0, 1, 3]);
    assert_eq!(import("--append over.csv"), [1, 1, 4]);
    let before = bench.state("s");
    for trace in ["first.csv", "next.csv", "again.csv"] {
        let line = format!("import --store s --key k --append {trace}");
        bench.fails(&line, 2, "was imported before, and not as the last one");
    }
    assert_eq!(bench.state("s"), before);
    // The whole trace was already imported.
    assert_eq!(import("whole.csv"), [0, 4, 4]);
    let versions = bench.list("versions --store s").0;
    let names = versions.iter().map(|line| &line["claim"]["name"]);
    let names: Vec<_> = names.filter_map(Json::as_str).collect();
    assert_eq!(names, ["monday", "tuesday", "wednesday", "thursday"]);
}
