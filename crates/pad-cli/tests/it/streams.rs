//! Tests of input and output: standard streams, values in files, compressed traces, lists, and
//! environment variables.

use std::{
    io::Write as _,
    process::{Output, Stdio},
};

use serde_json::json;

use crate::bench::{Bench, Outcome as _, TRACE, assert_has, names, object, objects, text};

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
    let bench = Bench::with_key("red-black");
    let bytes: Vec<u8> = (0..=255).cycle().take(70_000).collect();
    bench.write("value", &bytes);
    bench.ok("put --store s --key k file --value-file value");
    fed(&bench, "put --store s input --value-file -", b"line\n\0").succeeds();
    bench.ok("put --store s empty --value-file /dev/null");
    bench.ok("commit --store s --key k");
    let raw = |key: &str| bench.run(&format!("get --store s --public k.pub --raw {key}"));
    for (key, value) in [
        ("file", &bytes[..]),
        ("input", &b"line\n\0"[..]),
        ("empty", &[]),
    ] {
        let output = raw(key);
        assert_eq!(output.status.code(), Some(0), "{key}");
        assert!(output.stdout == value, "{key}");
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
    bench.steps(&[
        "get --store s --raw --json input => usage either --raw or --json",
        "put --store s a --value-file none => 4 none",
        "put --store s a b --value-file value => usage",
    ]);
    bench.write("long", &vec![0; (1 << 24) + 1]);
    bench.step("put --store s a --value-file long => 2 longer than 16777216 bytes");
}

#[test]
fn traces_come_in_all_forms() {
    let bench = Bench::with_key("red-black");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(TRACE.as_bytes()).unwrap();
    let gzip = encoder.finish().unwrap();
    let import = |store: &str, input: &[u8]| {
        bench.ok(&format!("keygen --out {store}.k"));
        let line = format!("--json import --store {store} --key {store}.k -");
        fed(&bench, &line, input)
    };
    for (store, input) in [("plain", TRACE.as_bytes()), ("gzip", &gzip[..])] {
        let printed = import(store, input).succeeds();
        bench.step(&format!(r#"get --store {store} apple -> {{"value": "4"}}"#));
        assert_eq!(printed.lines().count(), 4);
    }
    bench.write("t.csv.gz", &gzip);
    bench.ok("import --store file --key k t.csv.gz");
    assert_eq!(bench.list("versions --store file").0.len(), 3);
    // The same trace is imported again from standard input.
    let line = "--json import --store file --key k -";
    let said = object(&fed(&bench, line, TRACE.as_bytes()).succeeds());
    let expected = json!({ "items": 0, "skipped_snapshots": 3 });
    assert_has(&said, &expected, line);
    let output = import("bad", b"snapshot,op,key,value\na,put,k\n");
    output.fails_with(2, "trace standard input: line 2");
    assert!(!bench.path("bad").exists());
    let names = bench.names().join(" ");
    assert!(!names.contains("draft"), "{names}");
}

#[test]
fn lists_are_lines_and_end() {
    let bench = Bench::with_trace();
    let (entries, end) = bench.list("range --store s --public k.pub '' ''");
    let first = json!({ "version": 3, "key": "apple", "value": "4", "verified": true });
    assert_eq!(entries[0], first);
    let last = json!({ "end": true, "version": 3, "items": 3, "verified": true });
    assert_eq!(end, last);
    let keys = |prefix: &str| {
        let (entries, _) = bench.list(&format!("range --store s --prefix {prefix}"));
        entries.len()
    };
    assert_eq!([keys("p"), keys("pl"), keys("x"), keys("''")], [1, 1, 0, 3]);
    assert_eq!(bench.list("--hex range --store s --prefix 70").0.len(), 1);
    let refused = bench.run("range --store s --prefix p a b");
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(bench.run("range --store s a").status.code(), Some(2));
}

/// With `--json`, all notes about answers and all usage errors on standard error must be JSON
/// objects.
#[test]
fn notes_and_wrong_usage_are_objects_too() {
    let bench = Bench::with_trace();
    let output = bench.run("--json get --store s --at b apple");
    for said in objects(&text(&output.stderr)) {
        assert!(said["note"].is_string(), "{said}");
    }
    assert_eq!(bench.error("get --nonsense")["exit"], 2);
    let message = "the following required arguments were not provided: <KEY>";
    let expected = json!({ "exit": 2, "message": message });
    assert_has(&bench.error("get --store s"), &expected, "missing");
    let unknown = bench.error("get --store s --atx 1 apple");
    assert_eq!(unknown["exit"], 2);
    let unknown = unknown["message"].as_str().unwrap();
    assert!(unknown.starts_with("unexpected argument '--atx' found"));
}

#[test]
fn the_environment_stands_for_options() {
    let bench = Bench::with_trace();
    let usual = [
        ("PAD_STORE", "s"),
        ("PAD_PUBLIC", "k.pub"),
        ("PAD_VIEW", "v"),
        ("PAD_KEY", "k"),
    ];
    let run = |line: &str| bench.run_with(&usual, line);
    let said = object(&run("--json get apple").succeeds());
    let expected = json!({ "value": "4", "verified": true });
    assert_has(&said, &expected, "get apple");
    assert!(bench.path("v").exists());
    run("put fig 1").succeeds();
    run("commit").succeeds();
    bench.step(r#"get --store s fig -> {"value": "1"}"#);
    // Options take precedence over environment variables.
    run("get --store none apple").fails_with(4, "");
    bench.step("get apple => usage");
    // An empty variable has no effect.
    let empty = [("PAD_STORE", ""), ("PAD_PUBLIC", ""), ("PAD_VIEW", "")];
    bench.run_with(&empty, "get --store s apple").succeeds();
    let help = bench.ok("get --help");
    for name in ["PAD_STORE", "PAD_PUBLIC", "PAD_VIEW"] {
        assert!(help.contains(name), "{name}: {help}");
    }
}

#[test]
fn a_store_or_servers_are_asked_and_never_both() {
    let bench = Bench::with_trace();
    // No server listens at this address.
    let address = "http://127.0.0.1:9";
    let (server, store) = (("PAD_SERVER", address), ("PAD_STORE", "s"));
    let asked = |variables: &[(&str, &str)], line: &str| bench.run_with(variables, line);
    asked(&[server], "get --store s apple").succeeds();
    let named = format!("get --server {address} --public k.pub apple");
    asked(&[store], &named).fails_with(4, "");
    asked(&[server], "get --public k.pub apple").fails_with(4, "");
    let both = "PAD_STORE and PAD_SERVER are both set";
    asked(&[server, store], "get apple").fails_with(2, both);
    bench.step(&format!(
        "get --store s --server {address} apple => usage use one of them"
    ));
    // Options that would have no effect are refused.
    for option in ["--witnesses policy", "--evidence e"] {
        let line = format!("get --store s {option} apple");
        asked(&[server], &line).fails_with(2, "is about servers");
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
    let output = bench.run("completions bash --json");
    assert!(output.stdout.is_empty());
    let error = object(&output.fails_with(2, ""));
    assert_eq!(error["error"]["kind"], "input", "{error}");
    bench.ok("man pages/man1");
    for page in ["pad.1", "pad-get.1", "pad-directory-append.1"] {
        let page = text(&bench.read(&format!("pages/man1/{page}")));
        assert!(page.contains(".SH NAME"), "{page}");
    }
    // Each manual page contains examples. Commands with subcommands leave the examples to the pages
    // of their subcommands.
    let groups = ["pad.1", "pad-directory.1", "pad-file.1"];
    for name in names(&bench.path("pages/man1")) {
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
    for name in names(&bench.path("pages")) {
        let name = name.strip_prefix("pad-");
        let name = name.and_then(|name| name.strip_suffix(".1"));
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
#[cfg(not(feature = "s3"))]
#[test]
fn the_published_help_is_that_of_the_program() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/help.py");
    let mut command = std::process::Command::new("python3");
    command.args([script, env!("CARGO_BIN_EXE_pad"), "--check"]);
    command.output().unwrap().succeeds();
}

#[test]
fn it_is_installed_whole() {
    let bench = Bench::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/install.sh");
    let prefix = bench.path("usr");
    let mut shell = std::process::Command::new("bash");
    shell.arg(script).arg(&prefix);
    shell.arg(env!("CARGO_BIN_EXE_pad"));
    shell.output().unwrap().succeeds();
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
    let mut installed = std::process::Command::new(prefix.join("bin/pad"));
    let said = installed.arg("--version").output().unwrap();
    assert!(text(&said.stdout).starts_with("pad "));
}
