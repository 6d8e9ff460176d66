//! Tests of lists: many keys in one command, contents and changes as traces, and long values.

use sha2::{Digest as _, Sha256};

use crate::{
    bench::{Bench, text},
    streams::fed,
};

/// Schemes with the trace of [`bench_of`]: trees, tuples, a log and a set.
const FAMILIES: &[&str] = &[
    "red-black",
    "treap",
    "tuple-spec-lightweight",
    #[cfg(feature = "log")]
    "aad-counted",
    #[cfg(feature = "log")]
    "aas-counted",
];

/// Creates a folder with a key `k` of the scheme, and a store `s` with two versions of 600 keys.
fn bench_of(scheme: &str) -> Bench {
    let bench = Bench::new();
    bench.ok(&format!("keygen --out k --scheme {scheme}"));
    let value = |i: usize| {
        if scheme.starts_with("aas") {
            String::new()
        } else {
            i.to_string()
        }
    };
    let count = if scheme.starts_with("aa") { 6 } else { 600 };
    let rows = (0..count).map(|i| format!("k{i:03},{}\n", value(i)));
    bench.write(
        "one.csv",
        ("key,value\n".to_owned() + &rows.collect::<String>()).as_bytes(),
    );
    bench.ok("import --store s --key k one.csv");
    bench.write(
        "two.csv",
        format!("op,key,value\nput,k,{}\n", value(7)).as_bytes(),
    );
    bench.ok("import --store s --key k --append two.csv");
    bench
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
            assert!(
                output.status.success(),
                "{scheme}: {}",
                text(&output.stderr)
            );
            let objects = text(&output.stdout);
            let mut objects: Vec<serde_json::Value> = objects
                .lines()
                .map(|it| serde_json::from_str(it).unwrap())
                .collect();
            let end = objects.pop().unwrap();
            assert_eq!(
                (&end["end"], &end["items"]),
                (&true.into(), &5.into()),
                "{scheme}"
            );
            assert_eq!(end["verified"], true, "{scheme}");
            assert_eq!(objects.len(), asked.len(), "{scheme}");
            for (key, many) in asked.iter().zip(objects) {
                let alone = &bench.json(&format!("{}{key}", &line["--json ".len()..]))[0];
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
    let failed = bench.run("get --store s --public k.pub --hex --keys keys");
    assert_eq!(failed.status.code(), Some(2));
    assert!(
        text(&failed.stderr).contains("keys: line 2: "),
        "{}",
        text(&failed.stderr)
    );
    bench.write("keys", &[b'k'; 9000]);
    bench.fails(
        "get --store s --public k.pub --keys keys",
        2,
        "keys: line 1: the key has 8194 bytes",
    );
    bench.write("keys", b"a\n\xff\n");
    bench.fails(
        "get --store s --public k.pub --keys keys",
        2,
        "keys: line 2: the text is not UTF-8",
    );
    bench.fails("get --store s --public k.pub --keys none", 4, "none");
    let both = bench.run("get --store s --public k.pub --keys - apple");
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn contents_and_changes_are_traces_again() {
    const ODD: &str = "op,key,value\nput,\"a,\"\"b\"\"\",\"two\nlines\"\nput,,\nput,\" c \",\"\r\"\n\
        put,d,1\n";
    for scheme in ["red-black", "tuple-spec-lightweight"] {
        let bench = Bench::new();
        bench.ok(&format!("keygen --out k --scheme {scheme}"));
        bench.ok(&format!("keygen --out l --scheme {scheme}"));
        bench.write("one.csv", ODD.as_bytes());
        bench.ok("import --store s --key k one.csv");
        bench.write("two.csv", b"op,key,value\nput,d,2\ndelete,,\nput,e,3\n");
        bench.ok("import --store s --key k two.csv");
        let written = |line: &str, from: &str| {
            let key = if from == "s" { "k" } else { "l" };
            let output = bench.run(&format!("{line} --store {from} --csv --public {key}.pub"));
            assert!(output.status.success(), "{line}: {}", text(&output.stderr));
            output.stdout
        };
        let prefix = "range --prefix=";
        bench.write("contents", &written(&format!("{prefix} --at 1"), "s"));
        bench.write("changes", &written("diff 1 2 --complete", "s"));
        assert_eq!(written("diff 1 2", "s"), bench.read("changes"), "{scheme}");
        assert_eq!(
            text(&bench.read("changes")),
            "op,key,value\ndelete,,\nput,d,2\nput,e,3\n",
            "{scheme}"
        );
        bench.ok("import --store t --key l contents");
        bench.ok("import --store t --key l changes");
        for version in [1, 2] {
            let line = format!("{prefix} --at {version}");
            assert_eq!(
                written(&line, "t"),
                written(&line, "s"),
                "{scheme} {version}"
            );
        }
        // Bytes that are not text are refused. JSON has them, and JSON lines are a trace too.
        bench.ok("put --store s --hex ff 01");
        bench.ok("commit --store s --key k");
        bench.fails(
            "range --store s --public k.pub --csv --prefix=",
            2,
            "is not UTF-8",
        );
        bench.fails("diff --store s --public k.pub --csv 2 3", 2, "is not UTF-8");
        let both = bench.run("range --store s --public k.pub --csv --json --prefix=");
        assert_eq!(both.status.code(), Some(2), "{scheme}");
        assert!(
            text(&both.stderr).contains("either --csv or --json"),
            "{scheme}"
        );
    }
}

#[test]
fn a_trace_of_changes_that_may_be_incomplete_says_so() {
    let bench = Bench::with_trace();
    let note = "pad: note: completeness is the server's word (--complete proves it)\n";
    for (options, said) in [("", note), (" --complete", "")] {
        let output = bench.run(&format!("diff --store s --public k.pub --csv 1 2{options}"));
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(
            text(&output.stdout),
            "op,key,value\nput,apple,4\ndelete,pear,\n"
        );
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
    let output = fed(&bench, "import --store s --key k --name monday -", lines);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let changes = bench.ok("diff --store s --public k.pub 3 monday");
    let shown: Vec<&str> = changes.lines().take(3).collect();
    assert_eq!(
        shown,
        ["- apple = 4", "+ medlar = 8", "+ \"\\xff\" = \"\\u{0}\""]
    );
    let output = fed(
        &bench,
        "import --store s --key k --name tuesday -",
        b"{\"kee\":1}",
    );
    assert_eq!(output.status.code(), Some(2));
    let error = text(&output.stderr);
    assert!(
        error.contains("line 1: column 6: unknown field `kee`"),
        "{error}"
    );
}

#[test]
fn a_proof_about_something_else_is_told_how_to_be_read() {
    for scheme in FAMILIES {
        let bench = bench_of(scheme);
        bench.ok("prove --store s --at 2 --out proof k003");
        let verify = "verify --public k.pub --proof proof";
        bench.ok(&format!("{verify} --at 2 k003"));
        for asked in ["--at 2 k004", "--at 2 none", "--at 1 k003"] {
            let line = format!("{verify} {asked}");
            bench.fails(
                &line,
                3,
                "help: check key and version: the proof may answer another",
            );
        }
    }
}

#[test]
fn long_values_are_shown_by_their_beginning_and_digest() {
    let bench = Bench::new();
    bench.ok("keygen --out k");
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
    let digest = |bytes: &[u8]| hex::encode(Sha256::digest(bytes));
    let expected = [
        format!(
            "bytes = \"{}\"... (1025 bytes, SHA-256 {})",
            "\\xff".repeat(64),
            digest(&[0xff; 1025])
        ),
        format!(
            "long = \"a{}\"... (1201 bytes, SHA-256 {})",
            "\u{e9}".repeat(31),
            digest(long.as_bytes())
        ),
        format!("whole = {}", "w".repeat(1024)),
    ];
    let lines: Vec<&str> = shown.lines().take(3).collect();
    assert_eq!(lines, expected);
    let raw = bench.run("get --store s --public k.pub --raw long");
    assert_eq!(raw.stdout, long.as_bytes());
    assert_eq!(
        bench.json("get --store s --public k.pub long")[0]["value"],
        long
    );
}

/// The entries before and after a key, the first and the last one must be those of the list. Other
/// families must refuse the questions, and two of them at once are a usage error.
#[test]
fn neighbours_are_those_of_the_list() {
    for scheme in ["red-black", "treap", "skip-list"] {
        let bench = bench_of(scheme);
        let (entries, _) = bench.list("range --store s --public k.pub --prefix=");
        let keys: Vec<&str> = entries
            .iter()
            .map(|it| it["key"].as_str().unwrap())
            .collect();
        let found = |line: &str| {
            let object = &bench.json(&format!("get --store s --public k.pub {line}"))[0];
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
        let output = bench.run(&format!("{line} {also}"));
        assert_eq!(output.status.code(), Some(2), "{also}");
    }
}

#[test]
fn a_limited_list_names_the_next_key() {
    let bench = Bench::with_trace();
    let keys = |limit: usize| {
        let line = format!("range --store s --public k.pub --prefix= --limit {limit}");
        let mut objects = bench.json(&line);
        let end = objects.pop().unwrap();
        assert_eq!(
            (&end["end"], &end["items"]),
            (&true.into(), &objects.len().into())
        );
        let keys: Vec<String> = objects
            .iter()
            .map(|it| it["key"].as_str().unwrap().to_owned())
            .collect();
        (keys, end["next"].as_str().map(str::to_owned))
    };
    let (all, none) = keys(1000);
    assert!(all.len() > 2 && none.is_none());
    for limit in 0..=all.len() {
        assert_eq!(
            keys(limit),
            (all[..limit].to_vec(), all.get(limit).cloned()),
            "{limit}"
        );
    }
    let text = bench.ok("range --store s --public k.pub --prefix= --limit 1");
    let last = format!(
        "1 entry, the next key is {}   [version 3, verified]",
        all[1]
    );
    assert_eq!(text.lines().last(), Some(&*last));
}
