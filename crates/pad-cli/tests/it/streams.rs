//! Tests of input and output: standard streams, values in files, compressed traces, lists, and
//! environment variables.

use std::{
    io::Write as _,
    process::{Output, Stdio},
};

use serde_json::json;

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
    assert_eq!(bench.list("versions --store file").0.len(), 3);
    // The same trace is imported again from standard input.
    let output = fed(
        &bench,
        "--json import --store file --key k -",
        TRACE.as_bytes(),
    );
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&said["items"], &said["skipped_snapshots"]),
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
        json!({ "end": true, "version": 3, "items": 3, "verified": true })
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

/// With `--json`, all notes about answers on standard error must be JSON objects.
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
    let output = bench.run("completions bash --json");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let error: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(error["error"]["kind"], "input", "{error}");
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
