//! Tests of `pad status`, `pad reset` and `pad info`.

use serde_json::json;

use crate::bench::{Bench, TRACE, text};

#[test]
fn status_says_what_is_in_a_store() {
    let bench = Bench::with_trace();
    let status = bench.json("status --store s --key k").remove(0);
    let public = bench.read("k.pub");
    let public = core::str::from_utf8(&public).unwrap();
    let line = |name: &str| {
        let mut lines = public.lines();
        lines
            .find_map(|line| line.strip_prefix(name))
            .unwrap()
            .trim()
            .to_owned()
    };
    for (field, expected) in [
        ("scheme", json!("red-black")),
        ("dictionary", json!(line("dictionary"))),
        ("author", json!(line("author"))),
        ("latest", json!(3)),
        ("oldest", json!(0)),
        ("name", json!("c")),
        ("entries", json!(3)),
        ("pending_changes", json!(0)),
        ("signed_version", json!(3)),
        ("says", json!("the store has what was signed last")),
    ] {
        assert_eq!(status[field], expected, "{field}: {status}");
    }
    assert!(status["bytes"].as_u64().unwrap() > 1000, "{status}");
    assert_eq!(
        status["root"],
        bench.json("versions --store s --last 1")[0]["root"]
    );
    bench.ok("put --store s fig 1");
    bench.ok("remove --store s apple");
    let said = bench.json("status --store s --changes");
    assert_eq!(
        said[..2],
        [
            json!({ "key": "apple", "removed": true, "noted_at": 3 }),
            json!({ "key": "fig", "value": "1", "noted_at": 3 }),
        ]
    );
    assert_eq!(said[2]["pending_changes"], 2);
    let text = bench.ok("status --store s --changes");
    assert!(text.starts_with("- apple\n+ fig = 1\n"), "{text}");
    // None of the commands has changed the store.
    assert_eq!(bench.json("status --store s")[0]["latest"], 3);
    bench.ok("keygen --out other");
    bench.fails(
        "status --store s --key other",
        2,
        "the key is for dictionary",
    );
    bench.fails("status --store none", 4, "there is no store");
}

/// Tests the checks that an author makes after a restore and before signing.
#[test]
fn status_tells_an_old_copy() {
    let bench = Bench::with_trace();
    for suffix in ["", ".newest", ".nodes", ".nodes.heads"] {
        let copy = bench.path(&format!("old{suffix}"));
        std::fs::copy(bench.path(&format!("s{suffix}")), copy).unwrap();
    }
    bench.ok("put --store s fig 1");
    bench.ok("commit --store s --key k");
    let status = bench.json("status --store old --key k").remove(0);
    assert_eq!(
        (&status["latest"], &status["signed_version"]),
        (&json!(3), &json!(4))
    );
    let says = status["says"].as_str().unwrap();
    assert!(says.contains("an old copy"), "{says}");
    let status = bench
        .json("status --store s --key k --record none")
        .remove(0);
    assert_eq!(status["signed_version"], json!(null));
    assert!(!bench.path("none").exists());
}

#[test]
fn status_serves_every_family() {
    for scheme in ["tuple-spec-lightweight", "treap"] {
        let bench = Bench::new();
        bench.ok(&format!("keygen --out k --scheme {scheme}"));
        bench.ok("put --store s --key k apple 3");
        let before = bench.json("status --store s --key k").remove(0);
        assert_eq!(
            (&before["latest"], &before["pending_changes"]),
            (&json!(0), &json!(1))
        );
        assert_eq!(before["says"], "nothing is signed yet");
        bench.ok("commit --store s --key k");
        let after = bench.json("status --store s --key k").remove(0);
        assert_eq!(
            (&after["latest"], &after["entries"]),
            (&json!(1), &json!(1))
        );
        assert_eq!(after["scheme"], scheme);
    }
}

#[test]
fn reset_drops_pending_changes_and_nothing_else() {
    let bench = Bench::with_trace();
    let before = bench.state("s");
    for key in ["fig", "apple", "plum"] {
        bench.ok(&format!("put --store s {key} 9"));
    }
    bench.fails(
        "reset --store s fig pear",
        2,
        "no change of pear is pending",
    );
    let one = bench.json("reset --store s fig").remove(0);
    assert_eq!(one, json!({ "dropped_changes": 1, "pending_changes": 2 }));
    bench.ok("commit --store s --key k");
    assert_eq!(bench.json("get --store s fig")[0]["present"], false);
    assert_eq!(bench.json("get --store s plum")[0]["value"], "9");

    bench.ok("put --store s fig 9");
    let all = bench.json("reset --store s").remove(0);
    assert_eq!(all, json!({ "dropped_changes": 1, "pending_changes": 0 }));
    bench.fails("commit --store s --key k", 2, "nothing is pending");
    assert_eq!(
        bench.json("reset --store s").remove(0),
        json!({ "dropped_changes": 0, "pending_changes": 0 })
    );
    assert_ne!(bench.state("s"), before);
    bench.fails("reset --store none", 4, "there is no store");
}

#[test]
fn info_says_what_files_are() {
    let bench = Bench::with_trace();
    bench.ok("get --store s --public k.pub --view v apple");
    bench.ok("prove --store s apple --at 2 --out p");
    bench.ok("export --store s --at 3 --out u");
    bench.ok("export --store s --from 1 --out all");
    for (file, is) in [
        ("k", "a secret key"),
        ("k.pub", "a public key"),
        ("v", "a client's view"),
        ("p", "proof of a look-up"),
        ("u", "update of a tree dictionary"),
        ("all", "list of messages"),
        ("s", "a store"),
        ("s.nodes", "the tree nodes of a store"),
        ("s.nodes.heads", "the heads of all versions"),
        ("s.newest", "the last acknowledged state"),
        ("k.signed", "the record of the newest version"),
        ("t.csv", "a trace of updates"),
        (".", "a folder"),
    ] {
        let info = bench.json(&format!("info {file}")).remove(0);
        assert_eq!(info["file"], file);
        assert!(info["is"].as_str().unwrap().starts_with(is), "{info}");
    }
    let of = |file: &str| bench.json(&format!("info {file}")).remove(0);
    let dictionary = of("k.pub")["dictionary"].clone();
    for file in ["k", "v", "p", "u", "s", "k.signed"] {
        assert_eq!(of(file)["dictionary"], dictionary, "{file}");
    }
    assert_eq!(of("v")["latest"], 3);
    assert_eq!(of("p")["version"], 2);
    assert_eq!(
        (&of("u")["version"], &of("u")["changes"]),
        (&json!(3), &json!(1))
    );
    assert_eq!(
        (&of("all")["from"], &of("all")["to"]),
        (&json!(1), &json!(3))
    );
    assert_eq!(of("k.signed")["version"], 3);
    assert_eq!(
        (&of("t.csv")["snapshots"], &of("t.csv")["changes"]),
        (&json!(3), &json!(6))
    );
    assert_eq!(bench.json("info k.pub p v").len(), 3);
    let lock = of("v.lock");
    assert!(lock["is"].as_str().unwrap().contains("a lock"), "{lock}");
    // A file of an unknown kind does not prevent the output about other files.
    bench.write("noise", &[0xa5; 5000]);
    let output = bench.run("--json info k.pub none noise p");
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(text(&output.stdout).lines().count(), 2);
    let said = text(&output.stderr);
    assert!(
        said.contains("none: ") && said.contains("noise: "),
        "{said}"
    );
    // Files of tuples are distinguished from stores, and files of a directory are named.
    bench.ok("keygen --scheme tuple-spec-lightweight --out tk");
    bench.ok("import --store ts --key tk t.csv");
    let tuples = of("ts.tuples");
    assert!(
        tuples["is"]
            .as_str()
            .unwrap()
            .contains("the tuples of a store"),
        "{tuples}"
    );

    // The output about a secret key contains no secret.
    let secret = bench.read("k");
    let seed = core::str::from_utf8(&secret).unwrap();
    let seed = seed
        .lines()
        .find_map(|line| line.strip_prefix("seed "))
        .unwrap();
    assert!(!bench.ok("info k").contains(seed));
}

#[test]
fn info_takes_nothing_for_what_it_is_not() {
    let bench = Bench::with_trace();
    bench.ok("prove --store s apple --at 2 --out p");
    let proof = bench.read("p");
    bench.write("cut", &proof[..proof.len().min(40)]);
    bench.fails("info cut", 2, "truncated or malformed");
    let mut kind = proof;
    kind[5] = 200;
    bench.write("kind", &kind);
    bench.fails("info kind", 2, "truncated or malformed");
    bench.write("noise", &[0xa5; 5000]);
    bench.fails("info noise", 2, "no file that pad writes or imports");
    bench.write("empty", b"");
    bench.fails("info empty", 2, "no file that pad writes or imports");
    bench.write("view", b"pad-view v1\nnothing\n");
    bench.fails("info view", 4, "not a view");
    bench.write(
        "bad.csv",
        TRACE.replace("a,put,pear,5", "a,put,pear").as_bytes(),
    );
    bench.fails("info bad.csv", 2, "line 3");
    bench.fails("info none", 4, "none");
    bench.fails("info /dev/null", 2, "is not a plain file");
}

#[cfg(feature = "network")]
#[test]
fn info_knows_policies_and_keys_of_witnesses() {
    let bench = Bench::with_trace();
    bench.ok("witness keygen --name witness.example/w --out w");
    bench.ok("witness keygen --name example.com --log-of k.pub --out log");
    let info = |file: &str| bench.json(&format!("info {file}")).remove(0)["is"].clone();
    assert!(
        info("w")
            .as_str()
            .unwrap()
            .starts_with("the secret key of a witness")
    );
    assert!(
        info("w.pub")
            .as_str()
            .unwrap()
            .starts_with("the public key of a witness")
    );
    let key = |file: &str| {
        String::from_utf8(bench.read(file))
            .unwrap()
            .trim()
            .to_owned()
    };
    let policy = format!(
        "log {}\nwitness w {}\nquorum w\n",
        key("log.pub"),
        key("w.pub")
    );
    bench.write("policy", policy.as_bytes());
    let said = bench.json("info policy").remove(0);
    assert_eq!((&said["logs"], &said["witnesses"]), (&json!(1), &json!(1)));
}
