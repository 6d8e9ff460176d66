//! Tests of lists: many keys in one command, contents and changes as traces, and long values.

use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::{
    append_only::with_key_of,
    bench::{Bench, Outcome as _, assert_has, objects, text},
    streams::fed,
};

/// Schemes with the trace of [`bench_of`]: trees, tuples, a log and a set.
const FAMILIES: &[&str] = &[
    "red-black",
    "treap",
    "tuple-spec-lightweight",
    "aad-counted",
    "aas-counted",
];

/// Creates a folder with a key `k` of the scheme, and a store `s` with two versions of 600 keys.
fn bench_of(scheme: &str) -> Bench {
    Bench::shared(&format!("{scheme}, two versions"), || {
        // The built-in parameters of logs take much longer to prepare than small ones.
        let is_log = scheme.starts_with("aa");
        let (bench, with) = if is_log {
            (with_key_of(scheme), " --parameters par")
        } else {
            (Bench::with_key(scheme), "")
        };
        let is_set = scheme.starts_with("aas");
        let value = |i: usize| if is_set { String::new() } else { i.to_string() };
        let count = if is_log { 6 } else { 600 };
        let rows = (0..count).map(|i| format!("k{i:03},{}\n", value(i)));
        let rows: String = rows.collect();
        bench.write("one.csv", format!("key,value\n{rows}").as_bytes());
        let change = format!("op,key,value\nput,k,{}\n", value(7));
        bench.write("two.csv", change.as_bytes());
        bench.ok(&format!("import --store s --key k{with} one.csv"));
        bench.ok("import --store s --key k --append two.csv");
        bench
    })
}

#[test]
fn many_keys_are_looked_up_as_each_alone() {
    for scheme in FAMILIES {
        let bench = bench_of(scheme);
        let asked = ["k", "k003", "none", "k000", "k003"];
        // Line ends of Windows, an empty line, and no line end after the last key.
        let lines = "k\r\nk003\n\nnone\nk000\nk003";
        for at in ["", "--at 1 "] {
            let line = format!("--json get --store s --public k.pub {at}");
            let output = fed(&bench, &format!("{line}--keys -"), lines.as_bytes());
            let mut found = objects(&output.succeeds());
            let end = json!({ "end": true, "items": 5, "verified": true });
            assert_has(&found.pop().unwrap(), &end, scheme);
            assert_eq!(found.len(), asked.len(), "{scheme}");
            for (key, many) in asked.iter().zip(found) {
                let alone = bench.get(&format!("{at}{key}"));
                for field in ["version", "key", "present", "value", "values", "verified"] {
                    assert_eq!(many[field], alone[field], "{scheme} {key} {at}{field}");
                }
            }
        }
    }
}

#[test]
fn more_keys_than_a_page_are_answered_in_their_order() {
    let bench = bench_of("red-black");
    let keys: Vec<String> = (0..600).rev().map(|i| format!("k{i:03}")).collect();
    bench.write("keys", keys.join("\n").as_bytes());
    let printed = bench.ok("get --store s --public k.pub --keys keys");
    let mut lines = printed.lines();
    for (number, key) in (0..600).rev().zip(&keys) {
        assert_eq!(lines.next(), Some(&*format!("present  {key} = {number}")));
    }
    let last = "600 keys, 600 of them present   [version 2, verified]";
    assert_eq!((lines.next(), lines.next()), (Some(last), None));
    // With --hex, keys may have any bytes. A line that is not a key is refused with its number.
    bench.write("keys", b"6b303033\nzz\n");
    let get = "get --store s --public k.pub";
    let failed = bench.run(&format!("{get} --hex --keys keys"));
    failed.fails_with(2, "keys: line 2: ");
    bench.write("long", &[b'k'; 9000]);
    bench.write("bytes", b"a\n\xff\n");
    bench.steps(&[
        &format!("{get} --keys long => 2 long: line 1: the key has 8194 bytes"),
        &format!("{get} --keys bytes => 2 bytes: line 2: the text is not UTF-8"),
        &format!("{get} --keys none => 4 none"),
        &format!("{get} --keys - apple => usage"),
    ]);
}

#[test]
fn contents_and_changes_are_traces_again() {
    const ODD: &str = "op,key,value\nput,\"a,\"\"b\"\"\",\"two\nlines\"\nput,,\nput,\" c \",\"\r\"\n\
        put,d,1\n";
    for scheme in ["red-black", "tuple-spec-lightweight"] {
        let bench = Bench::with_key(scheme);
        bench.write("one.csv", ODD.as_bytes());
        bench.write("two.csv", b"op,key,value\nput,d,2\ndelete,,\nput,e,3\n");
        bench.steps(&[
            &format!("keygen --out l --scheme {scheme}"),
            "import --store s --key k one.csv",
            "import --store s --key k two.csv",
        ]);
        let written = |line: &str, from: &str| {
            let key = if from == "s" { "k" } else { "l" };
            let output = bench.run(&format!("{line} --store {from} --csv --public {key}.pub"));
            output.succeeds().into_bytes()
        };
        let prefix = "range --prefix=";
        bench.write("contents", &written(&format!("{prefix} --at 1"), "s"));
        bench.write("changes", &written("diff 1 2 --complete", "s"));
        assert_eq!(written("diff 1 2", "s"), bench.read("changes"), "{scheme}");
        let changes = "op,key,value\ndelete,,\nput,d,2\nput,e,3\n";
        assert_eq!(text(&bench.read("changes")), changes, "{scheme}");
        bench.ok("import --store t --key l contents");
        bench.ok("import --store t --key l changes");
        for version in [1, 2] {
            let line = format!("{prefix} --at {version}");
            let [copied, own] = ["t", "s"].map(|store| written(&line, store));
            assert_eq!(copied, own, "{scheme} {version}");
        }
        // Bytes that are not text are refused.
        bench.publish("put --hex ff 01");
        let range = "range --store s --public k.pub --csv";
        bench.steps(&[
            &format!("{range} --prefix= => 2 is not UTF-8, as CSV requires\nhelp: use --hex"),
            "diff --store s --public k.pub --csv 2 3 => 2 is not UTF-8",
            &format!("{range} --json --prefix= => usage either --csv or --json"),
        ]);
    }
}

#[test]
fn bytes_that_are_not_text_are_traces_again() {
    for scheme in ["red-black", "tuple-spec-lightweight"] {
        let bench = Bench::with_key(scheme);
        let one = b"op,key_hex,value_hex\nput,ff00,80\nput,,\nput,0A,C3a9\n";
        bench.write("one.csv", one);
        bench.write("two.csv", b"op,key,value_hex\nput,d,fe\ndelete,,\n");
        bench.steps(&[
            &format!("keygen --out l --scheme {scheme}"),
            "import --store s --key k one.csv",
            "import --store s --key k two.csv",
        ]);
        let written = |line: &str, (store, key): (&str, &str)| {
            let from = format!("--store {store} --public {key}.pub");
            bench.run(&format!("--hex {line} --csv {from}")).succeeds()
        };
        let (own, copy) = (("s", "k"), ("t", "l"));
        let contents = written("range --prefix= --at 1", own);
        let expected = "key_hex,value_hex\n,\n0a,c3a9\nff00,80\n";
        assert_eq!(contents, expected, "{scheme}");
        let changes = written("diff 1 2", own);
        let expected = "op,key_hex,value_hex\ndelete,,\nput,64,fe\n";
        assert_eq!(changes, expected, "{scheme}");
        for trace in [contents, changes] {
            fed(&bench, "import --store t --key l -", trace.as_bytes()).succeeds();
        }
        for line in ["range --prefix= --at 1", "range --prefix="] {
            assert_eq!(written(line, copy), written(line, own), "{scheme} {line}");
        }
        let import = "import --store t --key l -";
        let refused = fed(&bench, import, b"key_hex,value_hex\n0,\n");
        refused.fails_with(2, "line 2: a key or value is not hexadecimal digits");
    }
}

#[test]
fn a_trace_of_changes_that_may_be_incomplete_says_so() {
    let bench = Bench::with_trace();
    let note = "pad: note: completeness is the server's word (--complete proves it)\n";
    for (options, said) in [("", note), (" --complete", "")] {
        let output = bench.run(&format!("diff --store s --public k.pub --csv 1 2{options}"));
        let changes = "op,key,value\nput,apple,4\ndelete,pear,\n";
        assert_eq!(output.succeeds(), changes);
        assert_eq!(text(&output.stderr), said, "{options}");
    }
}

#[test]
fn json_lines_are_a_trace() {
    let bench = Bench::with_trace();
    let lines = br#"{"key": "medlar", "value": "8"}
{"op": "delete", "key": "apple"}
{"key_hex": "ff", "value_hex": "00"}
"#;
    fed(&bench, "import --store s --key k --name monday -", lines).succeeds();
    let changes = bench.ok("diff --store s --public k.pub 3 monday");
    let expected = "- apple = 4\n+ medlar = 8\n+ \"\\xff\" = \"\\u{0}\"\n";
    assert!(changes.starts_with(expected), "{changes}");
    let import = "import --store s --key k --name tuesday -";
    let refused = fed(&bench, import, b"{\"kee\":1}");
    refused.fails_with(2, "line 1: column 6: unknown field `kee`");
}

#[test]
fn a_proof_about_something_else_is_told_how_to_be_read() {
    for scheme in FAMILIES {
        let bench = bench_of(scheme);
        bench.ok("prove --store s --at 2 --out proof k003");
        let verify = "verify --public k.pub --proof proof";
        bench.ok(&format!("{verify} --at 2 k003"));
        for asked in ["--at 2 k004", "--at 2 none", "--at 1 k003"] {
            let help = "help: check key and version: the proof may answer another";
            bench.step(&format!("{verify} {asked} => 3 {help}"));
        }
    }
}

#[test]
fn a_proof_about_another_key_is_named_by_its_key() {
    const SHOWN: &str = "about another key: apple";
    const OTHER: &str = "damaged, or about another key";
    const BELOW: &str = "damaged, or about another key (unverified: below ";
    let verify = "verify --public k.pub --proof proof --at 2";
    for (scheme, above, below) in [
        ("red-black", SHOWN, SHOWN),
        ("treap", SHOWN, SHOWN),
        ("tuple-spec-lightweight", BELOW, OTHER),
        ("tuple-base-superseding", BELOW, OTHER),
    ] {
        let bench = Bench::with_trace_of(scheme);
        bench.ok("prove --store s --at 2 --out proof apple");
        bench.steps(&[
            &format!("{verify} plum => 3 the proof is {above}"),
            &format!("{verify} a => 3 the proof is {below}"),
        ]);
    }
    // The key is shown like a value: escaped, and shortened.
    let bench = Bench::with_key("red-black");
    let long = format!("é{}", "k".repeat(2000));
    bench.ok(&format!("put --store s --key k --commit {long} 1"));
    bench.ok("put --store s --key k --commit apple 2");
    bench.ok(&format!("prove --store s --out proof {long}"));
    let named = format!("about another key: \"é{}\"... (2002 bytes", "k".repeat(62));
    bench.fails(&format!("{verify} apple"), 3, &named);
    // A proof of another version, or signed with another key, is not explained.
    bench.ok("keygen --out other");
    for wrong in ["--public k.pub --at 1", "--public other.pub --at 2"] {
        let refused = bench.run(&format!("verify --proof proof {wrong} apple"));
        let error = refused.fails_with(3, "verification failed");
        assert!(!error.contains("another key"), "{error}");
    }
}

#[test]
fn long_values_are_shown_by_their_beginning_and_digest() {
    let bench = Bench::with_key("red-black");
    // The 64th byte is within a letter.
    let long = "a".to_owned() + &"\u{e9}".repeat(600);
    bench.write("long", long.as_bytes());
    bench.write("whole", &[b'w'; 1024]);
    bench.write("bytes", &[0xff; 1025]);
    for key in ["long", "whole", "bytes"] {
        bench.ok(&format!("put --store s --key k {key} --value-file {key}"));
    }
    bench.ok("commit --store s --key k");
    let shown = bench.ok("range --store s --public k.pub --prefix=");
    let [bytes, whole] = ["\\xff".repeat(64), "w".repeat(1024)];
    let letters = "\u{e9}".repeat(31);
    let [of_bytes, of_long] =
        [&[0xff; 1025][..], long.as_bytes()].map(|value| hex::encode(Sha256::digest(value)));
    let expected = [
        format!("bytes = \"{bytes}\"... (1025 bytes, SHA-256 {of_bytes})"),
        format!("long = \"a{letters}\"... (1201 bytes, SHA-256 {of_long})"),
        format!("whole = {whole}"),
    ];
    let lines: Vec<&str> = shown.lines().take(3).collect();
    assert_eq!(lines, expected);
    let raw = bench.run("get --store s --public k.pub --raw long");
    assert_eq!(raw.stdout, long.as_bytes());
    assert_eq!(bench.get("long")["value"], long);
}

/// The entries before and after a key, the first and the last one must be those of the list. Other
/// families must refuse the questions, and two of them at once are a usage error.
#[test]
fn neighbours_are_those_of_the_list() {
    for scheme in ["red-black", "treap", "skip-list"] {
        let bench = bench_of(scheme);
        let (entries, _) = bench.list("range --store s --public k.pub --prefix=");
        let keys = entries.iter().map(|it| it["key"].as_str().unwrap());
        let keys: Vec<&str> = keys.collect();
        let found = |line: &str| {
            let object = bench.get(line);
            assert_eq!(object["verified"], true, "{scheme} {line}");
            let key = object["key"].as_str().map(str::to_owned);
            assert_eq!(object["present"], key.is_some(), "{scheme} {line}");
            key
        };
        assert_eq!(found("--first").as_deref(), keys.first().copied());
        assert_eq!(found("--last").as_deref(), keys.last().copied());
        for asked in ["a", "k", "k000", "k0005", "k001", "k300", "k599", "z"] {
            let before = keys.iter().rev().find(|key| **key < asked).copied();
            let after = keys.iter().find(|key| **key > asked).copied();
            assert_eq!(found(&format!("--before {asked}")).as_deref(), before);
            assert_eq!(found(&format!("--after {asked}")).as_deref(), after);
        }
    }
    let bench = bench_of("tuple-base");
    let line = "get --store s --public k.pub --first";
    bench.fails(line, 2, "not supported by scheme tuple-base");
    for also in ["--last", "--before k", "k", "--raw"] {
        bench.step(&format!("{line} {also} => usage"));
    }
}

#[test]
fn a_limited_list_names_the_next_key() {
    let bench = Bench::with_trace();
    let keys = |limit: usize| {
        let line = format!("range --store s --public k.pub --prefix= --limit {limit}");
        let (entries, end) = bench.list(&line);
        assert_eq!(end["items"], entries.len());
        let keys = entries.iter().map(|it| it["key"].as_str().unwrap());
        let keys: Vec<_> = keys.map(str::to_owned).collect();
        (keys, end["next"].as_str().map(str::to_owned))
    };
    let (all, none) = keys(1000);
    assert!(all.len() > 2 && none.is_none());
    for limit in 0..=all.len() {
        let expected = (all[..limit].to_vec(), all.get(limit).cloned());
        assert_eq!(keys(limit), expected, "{limit}");
    }
    let text = bench.ok("range --store s --public k.pub --prefix= --limit 1");
    let next = &all[1];
    let last = format!("1 entry, the next key is {next}   [version 3, verified]");
    assert_eq!(text.lines().last(), Some(&*last));
}
