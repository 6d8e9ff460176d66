//! Tests of input and output: standard streams, values in files, compressed traces, lists, and
//! environment variables.

use std::{
    io::Write as _,
    process::{Output, Stdio},
};

use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::bench::{Bench, TRACE, text};

/// Runs the program with arguments separated by spaces, and with these bytes on standard input.
pub(crate) fn fed(bench: &Bench, line: &str, input: &[u8]) -> Output {
    let mut command = bench.command();
    command.args(line.split(' ')).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A command that refuses its arguments reads no input.
    drop(stdin.write_all(input));
    drop(stdin);
    child.wait_with_output().unwrap()
}

#[test]
fn values_are_bytes_of_files() {
    let bench = Bench::new();
    bench.ok("keygen --out k");
    let bytes: Vec<u8> = (0..=255).cycle().take(70_000).collect();
    bench.write("value", &bytes);
    bench.ok("put --store s --key k file --value-file value");
    let output = fed(&bench, "put --store s input --value-file -", b"line\n\0");
    assert!(output.status.success(), "{}", text(&output.stderr));
    bench.ok("put --store s empty --value-file /dev/null");
    bench.ok("commit --store s --key k");
    let raw = |key: &str| bench.run(&format!("get --store s --public k.pub --raw {key}"));
    for (key, value) in [
        ("file", &bytes[..]),
        ("input", &b"line\n\0"[..]),
        ("empty", &[]),
    ] {
        let output = raw(key);
        assert_eq!(
            (output.status.code(), &output.stdout[..]),
            (Some(0), value),
            "{key}"
        );
        assert_eq!(text(&output.stderr), "", "{key}");
    }
    let absent = raw("none");
    assert_eq!((absent.status.code(), absent.stdout.len()), (Some(1), 0));
    assert!(text(&absent.stderr).starts_with("pad: none is absent in version 1   [verified]"));
    // Without a trusted key, a note on standard error reports this. Standard output contains only
    // the value.
    let output = bench.run("get --store s --raw input");
    assert_eq!(output.stdout, b"line\n\0");
    assert!(text(&output.stderr).contains("which is not authenticated"));
    let both = bench.run("get --store s --raw --json input");
    assert_eq!(both.status.code(), Some(2));
    assert!(text(&both.stderr).contains("either --raw or --json"));
    bench.fails("put --store s a --value-file none", 4, "none");
    let output = bench.run("put --store s a b --value-file value");
    assert_eq!(output.status.code(), Some(2));
    bench.write("long", &vec![0; (1 << 24) + 1]);
    bench.fails(
        "put --store s a --value-file long",
        2,
        "longer than 16777216 bytes",
    );
}

#[test]
fn traces_come_in_all_forms() {
    let bench = Bench::new();
    bench.ok("keygen --out k");
    let gzip = {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(TRACE.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let import = |store: &str, input: &[u8]| {
        bench.ok(&format!("keygen --out {store}.k"));
        fed(
            &bench,
            &format!("--json import --store {store} --key {store}.k -"),
            input,
        )
    };
    for (store, input) in [("plain", TRACE.as_bytes()), ("gzip", &gzip[..])] {
        let output = import(store, input);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(
            bench.json(&format!("get --store {store} apple"))[0]["value"],
            "4"
        );
        assert_eq!(text(&output.stdout).lines().count(), 4);
    }
    bench.write("t.csv.gz", &gzip);
    bench.ok("import --store file --key k t.csv.gz");
    assert_eq!(bench.json("versions --store file").len(), 3);
    // The same trace is imported again from standard input.
    let output = fed(
        &bench,
        "--json import --store file --key k -",
        TRACE.as_bytes(),
    );
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&said["imported"], &said["skipped"]),
        (&json!(0), &json!(3))
    );
    let output = import("bad", b"snapshot,op,key,value\na,put,k\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("trace standard input: line 2"));
    assert!(!bench.path("bad").exists());
    let names = std::fs::read_dir(bench.folder.path()).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        names
            .iter()
            .all(|name| !name.to_string_lossy().contains("draft")),
        "{names:?}"
    );
}

#[test]
fn lists_are_lines_and_end() {
    let bench = Bench::with_trace();
    let (entries, end) = bench.list("range --store s --public k.pub '' ''");
    assert_eq!(
        entries[0],
        json!({ "version": 3, "key": "apple", "value": "4", "verified": true })
    );
    assert_eq!(
        end,
        json!({ "end": true, "version": 3, "entries": 3, "verified": true })
    );
    let keys = |prefix: &str| {
        bench
            .list(&format!("range --store s --prefix {prefix}"))
            .0
            .len()
    };
    assert_eq!([keys("p"), keys("pl"), keys("x"), keys("''")], [1, 1, 0, 3]);
    assert_eq!(bench.list("--hex range --store s --prefix 70").0.len(), 1);
    let refused = bench.run("range --store s --prefix p a b");
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(bench.run("range --store s a").status.code(), Some(2));
}

/// Notes about answers have one format on standard error.
#[test]
fn notes_are_objects_too() {
    let bench = Bench::with_trace();
    let output = bench.run("--json get --store s --at b apple");
    for line in text(&output.stderr).lines() {
        let said: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(said["note"].is_string(), "{said}");
    }
    let wrong = bench.run("--json get --nonsense");
    let said: serde_json::Value = serde_json::from_slice(&wrong.stderr).unwrap();
    assert_eq!(
        (&said["error"]["exit"], wrong.status.code()),
        (&json!(2), Some(2))
    );
}

#[test]
fn the_environment_stands_for_options() {
    let bench = Bench::with_trace();
    let run = |line: &str, variables: &[(&str, &str)]| {
        let mut command = bench.command();
        command.envs(variables.iter().copied());
        command.args(line.split(' ')).output().unwrap()
    };
    let usual = [
        ("PAD_STORE", "s"),
        ("PAD_PUBLIC", "k.pub"),
        ("PAD_VIEW", "v"),
        ("PAD_KEY", "k"),
    ];
    let output = run("--json get apple", &usual);
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&said["value"], &said["verified"]),
        (&json!("4"), &json!(true))
    );
    assert!(bench.path("v").exists());
    assert!(run("put fig 1", &usual).status.success());
    assert!(run("commit", &usual).status.success());
    assert_eq!(bench.json("get --store s fig")[0]["value"], "1");
    // Options take precedence over environment variables.
    let given = run("get --store none apple", &usual);
    assert_eq!(given.status.code(), Some(4));
    let nobody = run("get apple", &[]);
    assert_eq!(nobody.status.code(), Some(2));
    // An empty variable has no effect.
    let empty = [("PAD_STORE", ""), ("PAD_PUBLIC", ""), ("PAD_VIEW", "")];
    assert!(run("get --store s apple", &empty).status.success());
    let help = text(&run("get --help", &[]).stdout);
    for name in ["PAD_STORE", "PAD_PUBLIC", "PAD_VIEW"] {
        assert!(help.contains(name), "{name}: {help}");
    }
}

#[test]
fn wrong_usage_is_an_object_that_says_what_is_wrong() {
    let bench = Bench::with_trace();
    let message = |line: &str| {
        let output = bench.run(line);
        assert_eq!(output.status.code(), Some(2));
        let said: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
        said["error"]["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        message("--json get --store s"),
        "the following required arguments were not provided: <KEY>"
    );
    let unknown = message("--json get --store s --atx 1 apple");
    assert!(
        unknown.starts_with("unexpected argument '--atx' found"),
        "{unknown}"
    );
}

#[cfg(feature = "network")]
#[test]
fn a_store_or_servers_are_asked_and_never_both() {
    let bench = Bench::with_trace();
    let code = |line: &str, variables: &[(&str, &str)]| {
        let mut command = bench.command();
        command.envs(variables.iter().copied());
        let output = command.args(line.split(' ')).output().unwrap();
        (output.status.code().unwrap(), text(&output.stderr))
    };
    // No server listens at this address.
    let server = ("PAD_SERVER", "http://127.0.0.1:9");
    let store = ("PAD_STORE", "s");
    assert_eq!(code("get --store s apple", &[server]).0, 0);
    assert_eq!(
        code(
            "get --server http://127.0.0.1:9 --public k.pub apple",
            &[store]
        )
        .0,
        4
    );
    assert_eq!(code("get --public k.pub apple", &[server]).0, 4);
    let (exit, said) = code("get apple", &[server, store]);
    assert_eq!(exit, 2);
    assert!(
        said.contains("PAD_STORE and PAD_SERVER are both set"),
        "{said}"
    );
    let (exit, said) = code("get --store s --server http://127.0.0.1:9 apple", &[]);
    assert_eq!(exit, 2);
    assert!(said.contains("use one of them"), "{said}");
    // Options that would have no effect are refused.
    for option in ["--witnesses policy", "--evidence e"] {
        let (exit, said) = code(&format!("get --store s {option} apple"), &[server]);
        assert_eq!(exit, 2, "{option}");
        assert!(said.contains("is about servers"), "{said}");
    }
}

#[test]
fn shells_and_manuals_know_every_command() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = bench.ok(&format!("completions {shell}"));
        for command in ["inspect", "reset", "prove-append-only"] {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
    bench.ok("man pages/man1");
    for page in ["pad.1", "pad-get.1", "pad-directory-append.1"] {
        let page = text(&bench.read(&format!("pages/man1/{page}")));
        assert!(page.contains(".SH NAME"), "{page}");
    }
    // Each manual page contains examples. Commands with subcommands leave the examples to the pages
    // of their subcommands.
    let groups = ["pad.1", "pad-directory.1", "pad-file.1"];
    for page in std::fs::read_dir(bench.path("pages/man1")).unwrap() {
        let name = page.unwrap().file_name().into_string().unwrap();
        if groups.contains(&name.as_str()) || name.contains("help") {
            continue;
        }
        let page = text(&bench.read(&format!("pages/man1/{name}")));
        assert!(page.contains("Example"), "{name}");
    }
    bench.fails("man /dev/null/x", 4, "/dev/null/x");
}

#[test]
fn help_lists_every_command_on_one_screen() {
    let bench = Bench::new();
    let help = bench.ok("-h");
    assert!(help.lines().count() <= 55, "{help}");
    for line in help.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    bench.ok("man pages");
    for page in std::fs::read_dir(bench.path("pages")).unwrap() {
        let name = page.unwrap().file_name().into_string().unwrap();
        let name = name
            .strip_prefix("pad-")
            .and_then(|name| name.strip_suffix(".1"));
        // Subcommands are listed in the help of their own command.
        let nested = ["file-", "directory-", "witness-", "help"];
        let Some(name) = name.filter(|name| !nested.iter().any(|of| name.starts_with(of))) else {
            continue;
        };
        let row = format!("  {name} ");
        let rows = help.lines().filter(|line| line.starts_with(&row)).count();
        assert_eq!(rows, 1, "{name}: {help}");
    }
}

/// Under the default features: others have other commands and options.
#[cfg(all(
    feature = "accumulators",
    feature = "bls",
    feature = "file",
    feature = "log",
    feature = "network",
    feature = "passphrase",
    not(feature = "s3"),
))]
#[test]
fn the_published_help_is_that_of_the_program() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/help.py");
    let mut command = std::process::Command::new("python3");
    command.args([script, env!("CARGO_BIN_EXE_pad"), "--check"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[cfg(unix)]
#[test]
fn it_is_installed_whole() {
    let bench = Bench::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/install.sh");
    let prefix = bench.path("usr");
    let mut shell = std::process::Command::new("bash");
    let output = shell
        .arg(script)
        .arg(&prefix)
        .arg(env!("CARGO_BIN_EXE_pad"))
        .output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    for file in [
        "bin/pad",
        "share/man/man1/pad.1",
        "share/man/man1/pad-get.1",
        "share/bash-completion/completions/pad",
        "share/zsh/site-functions/_pad",
        "share/fish/vendor_completions.d/pad.fish",
    ] {
        assert!(prefix.join(file).metadata().unwrap().len() > 0, "{file}");
    }
    let said = std::process::Command::new(prefix.join("bin/pad"))
        .arg("--version")
        .output();
    assert!(text(&said.unwrap().stdout).starts_with("pad "));
}

/// Schemes with the trace of [`bench_of`]: trees, tuples, a log and a set.
const FAMILIES: [&str; 5] = [
    "red-black",
    "treap",
    "tuple-spec-lightweight",
    "aad-counted",
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
                (&end["end"], &end["keys"]),
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
    // Keys may be of any bytes with --hex; what is no key is refused with its line.
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
        // Bytes that are no text are refused. JSON has them, and JSON lines are a trace too.
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
fn a_change_is_noted_and_signed_at_once() {
    let bench = Bench::with_trace();
    bench.ok("put --store s pear 9");
    let printed = bench.ok("put --store s --key k --commit medlar 5");
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "noted; 2 pending");
    assert!(
        lines[1].starts_with("version 4 with 2 changes"),
        "{printed}"
    );
    bench.ok("remove --store s --key k --commit medlar");
    let printed = bench.ok("diff --store s --public k.pub 3 5");
    assert!(
        printed.starts_with(
            "+ pear = 9
1 key"
        ),
        "{printed}"
    );
    let keyless = bench.run("put --store s --commit medlar 5");
    assert_eq!(keyless.status.code(), Some(2));
    assert!(text(&keyless.stderr).contains("--key <FILE>"));
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

#[test]
fn a_limited_list_names_the_next_key() {
    let bench = Bench::with_trace();
    let keys = |limit: usize| {
        let line = format!("range --store s --public k.pub --prefix= --limit {limit}");
        let mut objects = bench.json(&line);
        let end = objects.pop().unwrap();
        assert_eq!(
            (&end["end"], &end["entries"]),
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

#[test]
fn a_change_without_effect_is_told_when_it_is_noted() {
    let bench = Bench::with_trace();
    bench.ok("put --store s --key k --commit fig 1");
    let noted = |change: &str| bench.ok(&format!("{change} --store s"));
    let [idle, effect] = ["noted without effect on version 4; ", "noted; "];
    for (words, said) in [
        ("put fig 1", idle),
        ("put fig 2", effect),
        ("remove fig", effect),
        ("remove medlar", idle),
        ("put medlar 1", effect),
    ] {
        let printed = noted(words);
        assert!(printed.starts_with(said), "{words}: {printed}");
    }
    let told = bench.json("put --store s fig 1");
    assert_eq!(told[0]["without_effect_on"], 4);
}
