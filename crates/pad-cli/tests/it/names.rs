//! Tests of version names, which are unverified, and of verified answers for the versions' numbers.

use serde_json::json;

use crate::bench::{Bench, TRACE, assert_has, text};

#[test]
fn imported_snapshots_keep_their_names() {
    let bench = Bench::with_trace();
    let (versions, _) = bench.list("versions --store s");
    let claims = [("a", 3, 3), ("b", 2, 2), ("c", 1, 3)];
    assert_eq!(versions.len(), claims.len());
    for (version, (name, changes, entries)) in versions.iter().zip(claims) {
        let claim = json!({ "name": name, "changes": changes, "entries": entries });
        assert_has(&version["claim"], &claim, name);
    }
    assert!(versions[0]["claim"]["time"].as_u64().unwrap() > 1_700_000_000);
    bench.step("versions --store s => 0 names are the store's word");

    let get = |line: &str| bench.get(line);
    let (named, numbered) = (get("--at b apple"), get("--at 2 apple"));
    let word = json!([{ "name": "b", "version": 2, "word_of": "store" }]);
    let expected = json!({
        "version": 2, "value": numbered["value"], "verified": true, "names": word,
    });
    assert_has(&named, &expected, "b");
    assert_eq!(numbered["names"], json!(null));
    // In text output, the name is shown next to the answer, too.
    let output = bench.run("get --store s --public k.pub --at b apple");
    assert!(text(&output.stderr).contains("b is version 2 by the store's word"));

    bench.step("get --store s --at d apple => 2 no version has the name 'd'");
    bench.step("get --store s --at '' apple => usage the number, name or date of a version");
    let (diff, end) = bench.list("diff --store s --public k.pub a c");
    assert_eq!(diff.len(), 3);
    assert_has(&end, &json!({ "from": 1, "to": 3 }), "diff");
    let (history, _) = bench.list("history --store s --public k.pub pear");
    assert_eq!(history[1]["claim"]["name"], "b");
    bench.ok("prove --store s --public k.pub --at b --out p apple");
    bench.ok("verify --public k.pub --proof p --at 2 apple");
    assert_eq!(bench.list("range --store s --at a --prefix p").0.len(), 2);
    bench.ok("export --store s --at b --out u");
    assert_eq!(bench.json("info u")[0]["version"], 2);
}

#[test]
fn names_have_rules() {
    let bench = Bench::with_key("red-black");
    // Digits are version numbers, even if a snapshot has this name.
    let trace = TRACE.replace("\nc,", "\n1,");
    bench.write("t.csv", trace.as_bytes());
    bench.ok("import --store s --key k t.csv");
    let version =
        |at: &str| bench.json(&format!("get --store s --at {at} quince"))[0]["version"].clone();
    assert_eq!(version("1"), 1);
    assert_eq!(version("name:1"), 3);
    assert_eq!(version("name:a"), 1);

    bench.steps(&[
        "put --store s fig 1",
        "commit --store s --key k --name a => 2 version 1 has the name 'a' already",
        "commit --store s --key k --name '' => 2 a name has 1 to",
        r#"commit --store s --key k --name 2024-12-11 -> {"version": 4, "name": "2024-12-11"}"#,
    ]);
    assert_eq!(version("2024-12-11"), 4);
    bench.steps(&[
        "prove --store s --at 2024-12-11 --out proof quince",
        "verify --public k.pub --proof proof --at 2024-12-11 quince => usage pad versions shows \
         the number of a name",
        "put --store s fig 2",
        "commit --store s --key k --name 2024",
        "get --store s --at 2024 quince => 2 name:2024",
        "export --store s --at 2024 --out u => 2 name:2024",
        "get --store s --at 2023 quince => 2 version 2023 does not exist",
        // Two traces may use the same snapshot name. Then the name identifies no version.
        "keygen --out l",
    ]);
    bench.write("one.csv", b"snapshot,op,key,value\nx,put,a,1\n");
    bench.ok("import --store two --key l one.csv");
    bench.ok("put --store two b 1");
    bench.ok("commit --store two --key l");
    let shown = bench.ok("versions --store two");
    let has_both = shown.contains("1 change ") && shown.contains("  x\n");
    assert!(has_both, "{shown}");
    let help = "help: list numbers, names and dates with pad versions";
    bench.fails("get --store two --at y a", 2, help);
    bench.ok("keygen --out m");
    bench.ok("put --store three --key m b 1");
    bench.ok("commit --store three --key m --name x");
    bench.ok("import --store three --key m one.csv");
    let ambiguous = "the name 'x' is ambiguous: it is the name of versions 1, 2";
    bench.steps(&[
        &format!("get --store three --at x a => 2 {ambiguous}"),
        &format!("commit --store three --key m --allow-empty --name x => 2 {ambiguous}"),
    ]);
}

#[test]
fn signed_names_and_dates_are_those_of_the_author() {
    let bench = Bench::with_key("red-black");
    bench.write("three.csv", b"key,value\nfig,3\n");
    bench.steps(&[
        "put --store s --key k fig 1",
        "commit --store s --key k --name one --sign-note",
        "status --store s => 0 Z, signed with the store's own key",
        "put --store s fig 2",
        "commit --store s --key k --name two",
        "status --store s => 0 Z by the store",
        "import --store s --key k --name three --sign-note three.csv",
        "versions --store s --public k.pub => 0 names are the store's word unless signed",
        "history --store s --public k.pub fig => 0 (by the author's signature: three, 2",
    ]);
    for (at, origin) in [
        ("one", "one is version 1 by the author's signature;"),
        ("two", "two is version 2 by the store's word;"),
        (
            "2999-12-31",
            "Z by the author's signature; that it is the newest up to then is the store's word;",
        ),
    ] {
        let output = bench.run(&format!("get --store s --public k.pub --at {at} fig"));
        assert!(text(&output.stderr).contains(origin), "{at}");
    }
    let shown = bench.ok("versions --store s --public k.pub");
    let signed = ["signed  one\n", "  two\n", "signed  three\n"];
    assert!(signed.iter().all(|end| shown.contains(end)), "{shown}");
    assert_eq!(
        shown.matches("signed").count(),
        3,
        "two of them, and the last line"
    );

    let marks = |list: &str| -> Vec<_> {
        let (versions, _) = bench.list(list);
        let claims = versions.iter().map(|version| &version["claim"]["signed"]);
        claims.cloned().collect()
    };
    let expected = [json!(true), json!(null), json!(true)];
    assert_eq!(marks("versions --store s --public k.pub"), expected);
    // The store's own key proves nothing about the author.
    assert_eq!(
        marks("versions --store s"),
        [json!(null), json!(null), json!(null)]
    );
    let output = bench.run("get --store s --at one fig");
    assert!(text(&output.stderr).contains("one is version 1 by the store's word;"));
    assert_eq!(marks("history --store s --public k.pub fig"), expected);
    let named = |at: &str| bench.get(&format!("--at {at} fig"))["names"][0]["signed"].clone();
    assert_eq!(["one", "two", "2999-12-31"].map(named), expected);
}

/// A copy made from exported updates must contain the signed data, but no names.
#[test]
fn copies_have_no_names() {
    let bench = Bench::with_trace();
    bench.ok("export --store s --from a --to c --out all");
    for (public, is_known) in [(" --public k.pub", false), ("", true)] {
        let applied = bench.json(&format!("apply --store t{public} all"));
        assert_eq!(applied.len(), 3);
        for (version, said) in (1..).zip(applied) {
            let expected = json!({ "version": version, "known": is_known });
            assert_has(&said, &expected, "apply");
        }
    }
    let claim = &bench.first("versions --store t")["claim"];
    assert_eq!(*claim, json!({ "kept": true, "word_of": "store" }));
    bench.fails("get --store t --at b apple", 2, "no version has the name");
    let roots = |store: &str| -> Vec<_> {
        let (versions, _) = bench.list(&format!("versions --store {store} --public k.pub"));
        let roots = versions.iter().map(|version| version["root"].clone());
        roots.collect()
    };
    assert_eq!(roots("s"), roots("t"));
    // One file contains updates that the store already has, and a new update.
    bench.publish("put fig 1");
    bench.ok("export --store s --from 3 --out rest");
    let applied = bench.json("apply --store t rest");
    assert_eq!(applied[0]["known"], true);
    assert_eq!(applied[1]["known"], false);
    bench.steps(&[
        "export --store s --from 3 --to 2 --out none => 2 no versions from 3 to 2",
        "export --store s --from 0 --out none => 2 no update to version 0",
        "export --store s --from 3 --to 9 --out none => 2 no update to version 5",
    ]);
    assert!(!bench.path("none").exists());
}

/// A different update for an existing version is not treated as a known update.
#[test]
fn forged_updates_are_not_known() {
    let bench = Bench::with_trace();
    bench.ok("keygen --out other");
    bench.write("forged.csv", TRACE.replace("apple,4", "apple,0").as_bytes());
    bench.ok("import --store swapped --key other forged.csv");
    bench.ok("export --store swapped --from 1 --out forged");
    let before = bench.state("s");
    bench.fails("apply --store s forged", 3, "the update is refused");
    bench.ok("export --store s --from 1 --out good");
    let list = bench.read("good");
    for end in [8, 9, 20, list.len() - 1] {
        bench.write("cut", &list[..end]);
        let code = bench.run("apply --store s cut").status.code();
        assert!(matches!(code, Some(2 | 3)), "{end}: {code:?}");
    }
    assert_eq!(bench.state("s"), before);
}

#[test]
fn stores_are_pruned_and_compacted_by_names() {
    let bench = Bench::with_trace();
    bench.steps(&[
        "prune --store s --before d => 2 no version has the name 'd'",
        "compact --store s --since d => 2 no version has the name 'd'",
        r#"compact --store s --since a -> {"from": 1}"#,
        // A date of an upstream server must not delete anything.
        "prune --store s --before 2999-12-31 => 2 a date does not select here",
    ]);
    let pruned = bench.run("prune --store s --before b");
    assert!(pruned.status.success());
    assert!(text(&pruned.stderr).contains("b is version 2 by the store's word"));
    bench.ok("get --store s --public k.pub --at b apple");
    // The error reports that the contents of the named version were pruned.
    let gone = bench.run("get --store s --public k.pub --at a apple");
    assert_eq!(gone.status.code(), Some(2));
    assert!(text(&gone.stderr).contains("version 1 was pruned"));
}

#[test]
fn a_trace_without_names_is_one_new_version() {
    let bench = Bench::with_trace();
    bench.write("d.csv", b"key,value\r\nfig,1\r\nplum,2\r\n");
    let import = "import --store s --key k --name thursday d.csv";
    bench.ok(import);
    let get = |line: &str| bench.get(line);
    let answer = get("--at thursday fig");
    assert_has(&answer, &json!({ "version": 4, "value": "1" }), "fig");
    bench.step(&format!(
        r#"{import} -> {{"items": 0, "skipped_snapshots": 1}}"#
    ));

    bench.write("e.csv", b"op,key,value\ndelete,fig,\nput,plum,3\n");
    let named = "version 4 has the name 'thursday' already";
    bench.fails("import --store s --key k --name thursday e.csv", 2, named);
    bench.ok("import --store s --key k e.csv");
    let answer = get("fig");
    assert_has(&answer, &json!({ "version": 5, "value": null }), "fig");

    bench.steps(&[
        "import --store s --key k d.csv --name '' => 2 a name has 1 to",
        // The same changes again, after others, are new only under a name.
        "import --store s --key k d.csv",
    ]);
    let before = "the same changes were imported before, and not as the last ones";
    bench.fails("import --store s --key k e.csv", 2, before);
    bench.ok("import --store s --key k --name saturday e.csv");
    assert_eq!(get("--at saturday fig")["value"], json!(null));
    let itself = "the trace t.csv names its snapshots itself";
    bench.fails("import --store s --key k --name friday t.csv", 2, itself);
    for utf16 in [&b"\xff\xfek\0e\0y\0"[..], b"k\0e\0y\0", b"\0k\0e\0y"] {
        bench.write("f.csv", utf16);
        bench.step("import --store s --key k f.csv => 2 the text is UTF-16, not UTF-8");
    }
    bench.write("g.csv", b"key,value\rfig,1\rplum,2\r");
    bench.step("import --store s --key k g.csv => 2 line 1: the line does not end in LF or CRLF");
    assert_eq!(get("plum")["version"], 7);
}
