//! Tests of every command of the real binary: its output, its exit status, and its errors for bad
//! input.

use authdict::{SuiteName, internals::Store as _};
use pad_conformance::soak;
use serde_json::json;

use crate::bench::{Bench, OF_TREE, TRACE, assert_has, is_error, prices, text};

/// Schemes of trees and tuples with the same answers.
const SCHEMES: [&str; 4] = [
    "red-black",
    "tuple-base-superseding",
    "tuple-spec-lightweight",
    "tuple-spec-lightweight-bls",
];

#[test]
fn keygen_makes_a_secret_and_a_public_file() {
    let bench = Bench::new();
    let line = "keygen --out k --scheme treap --suite sha256-ed25519 --dictionary d";
    assert_eq!(bench.first(line)["scheme"], "treap");
    let public = text(&bench.read("k.pub"));
    assert!(public.starts_with("pad-public-key v1\nsuite sha256-ed25519\nscheme treap\n"));
    assert!(text(&bench.read("k")).starts_with("pad-secret-key v1\n"));
    bench.fails("keygen --out k", 2, "exists already");
    std::fs::remove_file(bench.path("k.pub")).unwrap();
    let before = bench.read("k");
    bench.fails("keygen --out k", 2, "exists already");
    assert_eq!(bench.read("k"), before);
}

#[test]
fn secret_keys_are_private() {
    let bench = Bench::with_key("red-black");
    bench.write("t.csv", TRACE.as_bytes());
    assert_eq!(bench.mode("k"), 0o600);
    for open in [0o644, 0o640, 0o604, 0o620] {
        bench.set_mode("k", open);
        bench.fails("import --store s --key k t.csv", 2, "run chmod 600 on it\n");
        assert!(!bench.path("s").exists());
    }
    bench.set_mode("k", 0o400);
    bench.ok("import --store s --key k t.csv");
}

#[test]
fn imports_answers_and_lists() {
    for scheme in SCHEMES {
        let bench = Bench::with_trace_of(scheme);
        let get = |line: &str| bench.get(line);
        let apple = json!({
            "key": "apple", "present": true, "value": "4", "verified": true, "version": 3,
        });
        assert_eq!(get("apple"), apple, "{scheme}");
        assert_eq!(get("apple --at 1")["value"], "3");
        assert_eq!(get("pear --at 1")["present"], true);
        assert_eq!(get("pear")["present"], false);
        assert_eq!(get("--hex 6170706c65")["value_hex"], "34");
        for (key, beginning) in [("pear", "absent   pear"), ("apple", "present  apple = 4")] {
            let printed = bench.ok(&format!("get --store s {key}"));
            assert!(printed.starts_with(beginning), "{scheme}: {printed}");
        }

        let (versions, end) = bench.list("versions --store s");
        assert_eq!(versions.len(), 3);
        assert_eq!(versions[2]["version"], 3);
        assert_eq!((&end["items"], &end["latest"]), (&json!(3), &json!(3)));
        assert_eq!(bench.list("versions --store s --last 1").0.len(), 1);

        for public in ["", "--public k.pub "] {
            let keys = |line: &str| -> Vec<String> {
                let (entries, end) = bench.list(&format!("range --store s {public}{line}"));
                assert_eq!(end["items"], entries.len());
                let keys = entries.iter().map(|entry| entry["key"].as_str().unwrap());
                keys.map(str::to_owned).collect()
            };
            assert_eq!(keys("'' ''"), ["apple", "plum", "quince"]);
            assert_eq!(keys("apple plum --at 1"), ["apple", "pear"]);
            assert_eq!(keys("b plum"), Vec::<String>::new());
        }
        bench.fails("range --store s b a", 2, "the range is empty");
    }
}

#[test]
fn history_and_diff_are_verified() {
    for scheme in SCHEMES {
        let bench = Bench::with_trace_of(scheme);
        for (option, is_complete) in [("", false), (" --complete", true)] {
            let (changes, history) = bench.list(&format!("history --store s pear{option}"));
            assert_eq!(changes.len(), 2, "{history}");
            assert_eq!(history["items"], 2);
            let noted = json!({ "version": 1, "value": "5", "present": true });
            assert_has(&changes[0], &noted, scheme);
            let removed = json!({ "version": 2, "present": false });
            assert_has(&changes[1], &removed, scheme);
            assert_eq!(history["complete"], is_complete, "{scheme}");

            let (changes, diff) = bench.list(&format!("diff --store s 1 3{option}"));
            let expected = json!([
                { "key": "apple", "before": "3", "after": "4", "verified": false },
                { "key": "pear", "before": "5", "verified": false },
                { "key": "quince", "after": "1", "verified": false },
            ]);
            assert_eq!(json!(changes), expected, "{scheme}");
            assert_eq!(diff["items"], 3);
        }
        bench.step("diff --store s 1 2 => 0 ~ apple = 4 (was 3)\n- pear = 5\n");
    }
}

/// There are more changes than one batch, and contents of more than one page.
#[test]
fn long_differences_are_shown_as_they_are_proved() {
    const KEYS: usize = 1_800;
    let value = |snapshot: &str| snapshot.repeat(750);
    // Every fifth key has the same value in both versions. A tenth of the other keys are in only
    // one version.
    let rows = ["a", "b"].into_iter().flat_map(|snapshot| {
        let keys = (0..KEYS).filter(move |key| snapshot == "a" || key % 5 != 0);
        keys.map(move |key| match (snapshot, key % 10) {
            ("a", 1) => String::new(),
            ("b", 2) => format!("b,delete,{key:05},\n"),
            _ => format!("{snapshot},put,{key:05},{}\n", value(snapshot)),
        })
    });
    let bench = Bench::with_rows(rows);
    let changed = (0..KEYS).filter(|key| key % 5 != 0).map(|key| {
        let mut change = json!({ "key": format!("{key:05}"), "verified": false });
        if key % 10 != 1 {
            change["before"] = value("a").into();
        }
        if key % 10 != 2 {
            change["after"] = value("b").into();
        }
        change
    });
    let expected: Vec<_> = changed.collect();
    for line in ["diff --store s 1 2", "diff --store s 1 2 --complete"] {
        let (changes, end) = bench.list(line);
        assert!(changes == expected, "{line}: {end}");
        assert_eq!(end["items"], expected.len());
    }
}

#[test]
fn changes_wait_in_the_store_until_committed() {
    let bench = Bench::with_key("red-black");
    bench.steps(&[
        "put --store s a 1 => 4 there is no store",
        "put --store s --key k a 1",
        "put --store s b 2",
        "put --store s b 3",
        "get --store s a --at 1 => 2 does not exist",
        r#"commit --store s --key k -> {"version": 1, "changes": 2, "changed_keys": 2}"#,
        r#"get --store s b -> {"value": "3"}"#,
        "commit --store s --key k => 0 nothing is pending, nothing was signed",
        "remove --store s a",
        "remove --store s none",
        "put --store s b 3",
    ]);
    let committed = bench.ok("commit --store s --key k");
    let idle = "version 2 with 3 changes (2 of them without effect)";
    assert!(committed.starts_with(idle), "{committed}");
    bench.steps(&[
        r#"get --store s a -> {"present": false}"#,
        r#"commit --store s --key k --allow-empty -> {"version": 3}"#,
        "check --store s",
    ]);
}

#[test]
fn import_goes_on_where_it_stopped_and_compares() {
    let bench = Bench::with_key("red-black");
    let lines: Vec<&str> = TRACE.split_inclusive('\n').collect();
    bench.write("start.csv", lines[..4].concat().as_bytes());
    bench.write("t.csv", TRACE.as_bytes());
    let first = bench.json("import --store s --key k start.csv");
    assert_eq!((first.len(), &first[0]["version"]), (2, &json!(1)));
    let rest = bench.json("import --store s --key k --group 2 t.csv");
    assert_eq!(rest[2]["skipped_snapshots"], 1);
    assert_eq!(rest[2]["latest"], 3);
    let again = bench.first("import --store s --key k t.csv");
    let expected = (&json!(0), &rest[2]["root"]);
    assert_eq!((&again["items"], &again["root"]), expected);
    let state = bench.state("s");
    bench.write("other.csv", TRACE.replace("pear,5", "pear,6").as_bytes());
    bench.steps(&[
        "import --store s --key k other.csv => 2 snapshot 'a' at line 2 differs from what",
        "import --store s --key k start.csv => 2 it has 1 snapshots, but 3",
    ]);
    assert_eq!(bench.state("s"), state);
}

#[test]
fn bad_traces_and_arguments_change_nothing() {
    let bench = Bench::with_trace();
    let state = bench.state("s");
    let again = "d,put,x,1\na,put,y,1\n";
    let long = format!("d,put,{},1\n", "x".repeat(4097));
    let bad = [
        ("d,put,x\n", "line 8: 3 fields instead of 4"),
        ("d,swap,x,1\n", "line 8: op 'swap'"),
        (again, "line 9: snapshot 'a' is not contiguous"),
        ("d,delete,x,1\n", "line 8: a delete has a value"),
        (long.as_str(), "line 8: the key has 4097 bytes"),
    ];
    for (row, reason) in bad {
        bench.write("bad.csv", format!("{TRACE}{row}").as_bytes());
        bench.fails("import --store s --key k bad.csv", 2, reason);
        bench.fails("import --store new --key k bad.csv", 2, reason);
        assert!(!bench.path("new").exists());
    }
    for header in ["snapshot,op,key,value\n", "op,key,value\r\n", "key,value"] {
        bench.write("bad.csv", header.as_bytes());
        for options in ["s", "new", "s --append"] {
            let import = format!("import --key k bad.csv --store {options}");
            bench.fails(&import, 2, "bad.csv: there is no row after the header");
        }
        assert!(!bench.path("new").exists());
    }
    bench.write("bad.csv", b"");
    bench.fails("import --store s --key k bad.csv", 2, "line 1: the header");
    bench.write("bad.csv", b"when,what\n");
    bench.steps(&[
        "import --store s --key k bad.csv => 2 line 1: the header",
        "import --store s --key k missing.csv => 4 cannot be read",
    ]);
    let long = "x".repeat(4097);
    let unknown = "unknown scheme 'splay', choose one of treap";
    bench.steps(&[
        &format!("keygen --out q --scheme splay => usage {unknown}"),
        "import --store s --key k --scheme splay t.csv => usage unknown scheme",
        "import --store s --key k --repository stored t.csv => usage unexpected argument \
         '--repository'",
        "frobnicate => usage unrecognized subcommand",
        "import --store s --key k --scheme treap t.csv => 2 keygen --scheme treap",
        &format!("put --store s {long} 1 => 2 the key has 4097 bytes"),
        "put --store s --hex xyz 1 => 2 not hexadecimal",
        "get --store s apple --at 4 => 2 version 4 does not exist, the latest is 3",
        "diff --store s 1 9 => 2 version 9 does not exist",
        "prune --store s --before 9 => 2 version 9 does not exist",
        "export --store s --at 9 --out u => 2 no update to version 9",
        "keygen --out other",
        "import --store s --key other t.csv => 2 the key is for dictionary",
        "commit --store s --key other => 2 the key is for dictionary",
        "commit --store s --key k.pub => 2 k.pub",
        "get --store s --public k apple => 2 this is a secret key, but a public key is needed",
        "get --store s --public other.pub apple => 3 made with another key",
    ]);
    assert_eq!(bench.state("s"), state);
}

/// The range has more entries than one page, so pages must be joined.
#[test]
fn long_ranges_come_in_pages() {
    let long = "x".repeat(70_000);
    let rows = (0..60).map(|number| format!("one,put,key {number:02},{number}{long}\n"));
    let bench = Bench::with_rows(rows);
    let printed = bench.ok("range --store s --public k.pub k l");
    let (last, entries) = (printed.lines().last().unwrap(), printed.lines().count() - 1);
    assert_eq!(entries, 60);
    assert!(last.starts_with("60 entries, no more in between"), "{last}");
    let (all, _) = bench.list("range --store s ! ~");
    assert_eq!(all.len(), 60);
}

#[test]
fn proofs_verify_elsewhere() {
    for scheme in SCHEMES {
        let bench = Bench::with_trace_of(scheme);
        let other = ["plum", "zebra"][usize::from(scheme != "red-black")];
        for (key, is_present) in [("apple", true), ("pear", false)] {
            let verify = format!("verify --public k.pub --proof p {key} --at");
            bench.steps(&[
                &format!("prove --store s {key} --at 2 --out p --force"),
                &format!(r#"{verify} 2 -> {{"present": {is_present}}}"#),
                &format!("{verify} 3 => 3 of version 2"),
                &format!("verify --public k.pub --proof p {other} --at 2 => 3 verification failed"),
            ]);
        }
        bench.steps(&[
            &format!("keygen --out other --scheme {scheme}"),
            "verify --public other.pub --proof p pear --at 2 => 3 another dictionary",
            "verify --public k.pub --proof t.csv pear --at 2 => 3 not a message",
            "verify --public k.pub --proof none pear --at 2 => 4 none",
        ]);
    }
}

#[test]
fn updates_travel_to_other_servers() {
    for scheme in SCHEMES {
        let bench = Bench::with_trace_of(scheme);
        bench.export(3);
        bench.steps(&[
            "apply --store copy u1 => 4 there is no store",
            "apply --store copy --public k.pub u1",
        ]);
        let state = bench.state("copy");
        let mut forged = bench.read("u2");
        let mut windows = forged.windows(6);
        let place = windows.position(|window| window == b"apple\x01").unwrap();
        forged[place + 6] = b'9';
        bench.write("forged", &forged);
        bench.write("cut", &forged[..40]);
        bench.steps(&[
            // An update that is not the next update is an input error, not a failed verification.
            // Nothing is changed, and the message states the necessary step.
            "apply --store copy u3 => 2 u3: the update follows version 2, but the newest version \
             here is 1\nhelp: apply the updates between",
            r#"apply --store copy u1 -> {"version": 1, "known": true}"#,
            "apply --store copy forged => 3 do not produce its signed root",
            "apply --store copy cut => 3 truncated or malformed",
        ]);
        assert_eq!(bench.state("copy"), state);
        bench.ok("apply --store copy u2 u3");
        assert_eq!(bench.signed("copy"), bench.signed("s"));
        bench.ok("check --store copy");
    }
}

#[test]
fn views_only_move_forward() {
    for scheme in SCHEMES {
        let bench = Bench::with_trace_of(scheme);
        let nodes: &[&str] = if scheme == "red-black" {
            &OF_TREE[2..]
        } else {
            &[]
        };
        bench.copy("s", "old", &[nodes, &[""]].concat());
        bench.ok("get --store s --public k.pub --view v apple");
        bench.publish("put apple 9");
        let behind = "get --store old --public k.pub --view v apple";
        bench.steps(&[
            "get --store s --public k.pub --view v apple",
            "get --store s --public k.pub --view v apple",
            &format!("{behind} => 3 version 3 is older than version 4, which was seen before"),
            // An author whose key has signed a second version 4 is detected, too.
            "put --store old apple 8",
            "commit --store old --key k --record elsewhere --new-record",
            &format!("{behind} => 3 the author signed two different histories at version 4"),
            "put --store old apple 7",
            "commit --store old --key k --record elsewhere",
            &format!("{behind} => 3 the author signed two different histories at version 4"),
            "get --store s --public k.pub --view v apple",
        ]);
    }
}

#[test]
fn pruned_stores_keep_heads_and_newer_contents() {
    for scheme in SCHEMES.into_iter().chain(["tuple-base"]) {
        let bench = Bench::with_trace_of(scheme);
        let versions = bench.list("versions --store s").0;
        let prune = "prune --store s --before 2";
        let nodes = ["s.nodes", "s.nodes.heads"];
        let before = (scheme == "red-black").then(|| nodes.map(|name| bench.read(name)));
        bench.ok(prune);
        if let Some(before) = before {
            // A prune that is killed may leave the old files behind. They are written back here to
            // simulate this, and a second prune must remove them.
            for (name, bytes) in nodes.iter().zip(before) {
                assert!(!bench.path(name).exists(), "{name}");
                bench.write(name, &bytes);
            }
            bench.ok(prune);
            assert!(nodes.iter().all(|name| !bench.path(name).exists()));
            // A file of another store is kept, and the command reports this.
            bench.write(nodes[0], &[1; 4096]);
            bench.fails(prune, 4, "cannot be removed");
            std::fs::remove_file(bench.path(nodes[0])).unwrap();
        }
        let pruned = bench.list("versions --store s").0;
        assert_eq!(pruned[0]["root"], versions[0]["root"]);
        assert_eq!(pruned[0]["claim"]["kept"], false);
        assert_eq!(pruned[1]["claim"]["kept"], true);
        bench.steps(&[
            "get --store s apple --at 1 => 2 was pruned, the oldest kept is 2",
            r#"get --store s apple --at 2 -> {"value": "4"}"#,
            r#"check --store s -> {"from_empty": false, "proved_versions": 2}"#,
            "put --store s fig 9",
            "commit --store s --key k",
            r#"check --store s -> {"from_empty": false, "proved_versions": 3}"#,
            r#"get --store s --public k.pub fig -> {"value": "9"}"#,
        ]);
    }
}

#[test]
fn every_tree_and_suite_works() {
    let bench = Bench::new();
    bench.write("t.csv", TRACE.as_bytes());
    for suite in SuiteName::ALL {
        for scheme in ["treap", "red-black", "skip-list"] {
            let key = format!("{suite}-{scheme}");
            let get = format!("get --store {key}.pad --public {key}.pub pear --at 1");
            bench.steps(&[
                &format!("keygen --out {key} --suite {suite} --scheme {scheme}"),
                &format!("import --store {key}.pad --key {key} t.csv"),
                &format!("check --store {key}.pad"),
                &format!(r#"{get} -> {{"value": "5"}}"#),
            ]);
        }
    }
}

#[test]
fn damaged_and_foreign_stores_are_refused() {
    let bench = Bench::with_trace();
    let whole = bench.read("s");
    let length = whole.len();
    let ends = [length / 4, length / 2, length - 4096, length - 1];
    for cut in [0, 1, 64, 4096].into_iter().chain(ends) {
        bench.write("cut", &whole[..cut]);
        let output = bench.run("get --store cut apple");
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "cut at {cut}: {error}");
        assert!(is_error(&error), "cut at {cut}: {error}");
        assert_eq!(bench.read("cut"), &whole[..cut], "cut at {cut}: changed");
    }
    bench.fails("get --store t.csv apple", 4, "not a pad store");
    bench.fails("import --store t.csv --key k t.csv", 4, "not a pad store");
    bench.fails("get --store . apple", 4, "not a pad store");
    bench.fails("get --store none apple", 4, "there is no store");
    assert_eq!(text(&bench.read("t.csv")), TRACE);
}

#[test]
fn many_read_while_one_writes_and_a_second_writer_is_refused() {
    let bench = Bench::with_trace();
    let mut held = authdict::internals::RedbStore::open(&bench.path("s")).unwrap();
    let record = authdict::internals::RecordChange::put("group", "name", "value");
    held.write_records(&[record]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| bench.ok("get --store s apple"));
        }
    });
    bench.fails("put --store s apple 9", 4, "another process is writing");
    drop(held);
    bench.ok("put --store s apple 9");
}

/// Each reader sees one version or the next, never a mixture. Readers do not block the writer.
#[test]
fn readers_and_a_writer_do_not_stop_each_other() {
    let bench = Bench::with_trace();
    let (readers, written) = soak::size((2, 6), (3, 20));
    let last = 3 + written;
    let reading = |bench: &Bench| {
        let mut latest = 3;
        while latest < last {
            let found = bench.list("versions --store s --last 1").0;
            let version = found[0]["version"].as_u64().unwrap();
            assert!(version >= latest, "{version} after {latest}");
            latest = version;
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..readers {
            scope.spawn(|| reading(&bench));
        }
        for number in 0..written {
            bench.publish(&format!("put apple {number}"));
        }
    });
    assert_eq!(bench.json("check --store s")[0]["latest"], last);
}

#[test]
fn the_bundled_trace_has_the_documented_size() {
    let bench = Bench::with_key("red-black");
    let import = format!("import --store s --key k {}", prices().display());
    let done = bench.json(&import).pop().unwrap();
    let expected = json!({ "latest": 27, "entries": 18960, "changes": 27451 });
    assert_has(&done, &expected, "import");
}
