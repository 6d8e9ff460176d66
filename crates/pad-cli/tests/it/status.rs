//! Tests of `pad status`, `pad reset` and `pad info`.

use serde_json::json;

use crate::bench::{Bench, OF_TREE, TRACE, assert_has, text};

#[test]
fn status_says_what_is_in_a_store() {
    let bench = Bench::with_trace();
    let status = bench.first("status --store s --key k");
    let public = text(&bench.read("k.pub"));
    let line = |name: &str| {
        let mut lines = public.lines();
        let line = lines.find_map(|line| line.strip_prefix(name));
        line.unwrap().trim()
    };
    let expected = json!({
        "scheme": "red-black", "dictionary": line("dictionary"), "author": line("author"),
        "latest": 3, "oldest": 0, "name": "c", "entries": 3, "pending_changes": 0,
        "signed_version": 3, "says": "the store has what was signed last",
    });
    assert_has(&status, &expected, "status");
    assert!(status["bytes"].as_u64().unwrap() > 1000, "{status}");
    let last = bench.first("versions --store s --last 1");
    assert_eq!(status["root"], last["root"]);
    bench.ok("put --store s fig 1");
    bench.ok("remove --store s apple");
    let said = bench.json("status --store s --changes");
    let removed = json!({ "key": "apple", "removed": true, "noted_at": 3 });
    let put = json!({ "key": "fig", "value": "1", "noted_at": 3 });
    assert_eq!(said[..2], [removed, put]);
    assert_eq!(said[2]["pending_changes"], 2);
    let text = bench.ok("status --store s --changes");
    assert!(text.starts_with("- apple\n+ fig = 1\n"), "{text}");
    // None of the commands has changed the store.
    bench.steps(&[
        r#"status --store s -> {"latest": 3}"#,
        "keygen --out other",
        "status --store s --key other => 2 the key is for dictionary",
        "status --store none => 4 there is no store",
    ]);
}

/// Tests the checks that an author makes after a restore and before signing.
#[test]
fn status_tells_an_old_copy() {
    let bench = Bench::with_trace();
    bench.copy("s", "old", OF_TREE);
    bench.publish("put fig 1");
    let status = bench.first("status --store old --key k");
    assert_has(&status, &json!({ "latest": 3, "signed_version": 4 }), "old");
    let says = status["says"].as_str().unwrap();
    assert!(says.contains("an old copy"), "{says}");
    bench.step(r#"status --store s --key k --record none -> {"signed_version": null}"#);
    assert!(!bench.path("none").exists());
}

#[test]
fn status_serves_every_family() {
    for scheme in ["tuple-spec-lightweight", "treap"] {
        let bench = Bench::with_key(scheme);
        let assert_status = |expected| {
            let status = bench.first("status --store s --key k");
            assert_has(&status, &expected, scheme);
        };
        bench.ok("put --store s --key k apple 3");
        assert_status(json!({
            "latest": 0, "pending_changes": 1, "says": "nothing is signed yet",
        }));
        bench.ok("commit --store s --key k");
        assert_status(json!({ "latest": 1, "entries": 1, "scheme": scheme }));
    }
}

#[test]
fn reset_drops_pending_changes_and_nothing_else() {
    let bench = Bench::with_trace();
    let before = bench.state("s");
    for key in ["fig", "apple", "plum"] {
        bench.ok(&format!("put --store s {key} 9"));
    }
    bench.step("reset --store s fig pear => 2 no change of pear is pending");
    let reset = |changes: &str, dropped: u32, pending: u32| {
        let said = bench.first(&format!("reset --store s{changes}"));
        let expected = json!({ "dropped_changes": dropped, "pending_changes": pending });
        assert_eq!(said, expected);
    };
    reset(" fig", 1, 2);
    bench.ok("commit --store s --key k");
    bench.step(r#"get --store s fig -> {"present": false}"#);
    bench.step(r#"get --store s plum -> {"value": "9"}"#);

    bench.ok("put --store s fig 9");
    reset("", 1, 0);
    bench.step(r#"commit --store s --key k -> {"changes": 0}"#);
    bench.fails(
        "commit --store s --key k --sign-note",
        2,
        "nothing is pending",
    );
    reset("", 0, 0);
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
        let info = bench.first(&format!("info {file}"));
        assert_eq!(info["file"], file);
        assert!(info["is"].as_str().unwrap().starts_with(is), "{info}");
    }
    let of = |file: &str| bench.first(&format!("info {file}"));
    let dictionary = of("k.pub")["dictionary"].clone();
    for file in ["k", "v", "p", "u", "s", "k.signed"] {
        assert_eq!(of(file)["dictionary"], dictionary, "{file}");
    }
    bench.steps(&[
        r#"info v -> {"latest": 3}"#,
        r#"info p -> {"version": 2}"#,
        r#"info u -> {"version": 3, "changes": 1}"#,
        r#"info all -> {"from": 1, "to": 3}"#,
        r#"info k.signed -> {"version": 3}"#,
        r#"info t.csv -> {"snapshots": 3, "changes": 6}"#,
    ]);
    assert_eq!(bench.json("info k.pub p v").len(), 3);
    let lock = of("v.lock");
    assert!(lock["is"].as_str().unwrap().contains("a lock"), "{lock}");
    // A file of an unknown kind does not prevent the output about other files.
    bench.write("noise", &[0xa5; 5000]);
    let output = bench.run("--json info k.pub none noise p");
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(text(&output.stdout).lines().count(), 2);
    let said = text(&output.stderr);
    for file in ["none: ", "noise: "] {
        assert!(said.contains(file), "{said}");
    }
    // Files of tuples are distinguished from stores, and files of a directory are named.
    bench.ok("keygen --scheme tuple-spec-lightweight --out tk");
    bench.ok("import --store ts --key tk t.csv");
    let tuples = of("ts.tuples");
    let is = tuples["is"].as_str().unwrap();
    assert!(is.contains("the tuples of a store"), "{tuples}");

    // The output about a secret key contains no secret.
    let secret = text(&bench.read("k"));
    let mut lines = secret.lines();
    let seed = lines.find_map(|line| line.strip_prefix("seed ")).unwrap();
    assert!(!bench.ok("info k").contains(seed));
}

#[test]
fn info_takes_nothing_for_what_it_is_not() {
    let bench = Bench::with_trace();
    bench.ok("prove --store s apple --at 2 --out p");
    let proof = bench.read("p");
    let mut kind = proof.clone();
    kind[5] = 200;
    let bad = TRACE.replace("a,put,pear,5", "a,put,pear");
    let unknown = "2 no file that pad writes or imports";
    for (name, bytes, refusal) in [
        (
            "cut",
            &proof[..proof.len().min(40)],
            "2 truncated or malformed",
        ),
        ("kind", &kind, "2 truncated or malformed"),
        ("noise", &[0xa5; 5000], unknown),
        ("empty", b"", unknown),
        ("view", b"pad-view v1\nnothing\n", "4 not a view"),
        ("bad.csv", bad.as_bytes(), "2 line 3"),
    ] {
        bench.write(name, bytes);
        bench.step(&format!("info {name} => {refusal}"));
    }
    bench.fails("info none", 4, "none");
    bench.fails("info /dev/null", 2, "is not a plain file");
}

#[test]
fn info_knows_policies_and_keys_of_witnesses() {
    let bench = Bench::with_trace();
    bench.ok("witness keygen --name witness.example/w --out w");
    bench.ok("witness keygen --name example.com --log-of k.pub --out log");
    for (file, is) in [
        ("w", "the secret key of a witness"),
        ("w.pub", "the public key of a witness"),
    ] {
        let info = bench.first(&format!("info {file}"));
        assert!(info["is"].as_str().unwrap().starts_with(is), "{info}");
    }
    let key = |file: &str| text(&bench.read(file)).trim().to_owned();
    let (log, witness) = (key("log.pub"), key("w.pub"));
    let policy = format!("log {log}\nwitness w {witness}\nquorum w\n");
    bench.write("policy", policy.as_bytes());
    bench.step(r#"info policy -> {"logs": 1, "witnesses": 1}"#);
}
