//! Tests of `-` for standard input and output, and of messages about missing arguments.

use crate::{
    bench::{Bench, Outcome as _, text},
    process::Process,
    streams::fed,
};

/// Uploads a file of this many bytes to a server. Its state is `s`, and the owner's key is `k`.
fn uploaded(length: usize) -> (Bench, Process) {
    let line = b"a line of a large file\n";
    let contents: Vec<u8> = line.iter().copied().cycle().take(length).collect();
    let (bench, server, _) = Process::with_file(&contents);
    (bench, server)
}

/// A reader of the output may close the pipe, as with other commands. An error of a failed write
/// names the file. The output is no JSON object.
#[test]
fn what_is_read_goes_to_standard_output_like_any_answer() {
    let (bench, _server) = uploaded(2_000_000);
    let read = "file read --state s --key k";
    let status = "exit ${PIPESTATUS[0]}";
    let output = bench.shell(&format!("pad {read} | head -1 >head; {status}"));
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "");
    assert_eq!(bench.read("head"), b"a line of a large file\n");
    let output = bench.shell(&format!("pad {read} >/dev/full"));
    let said = output.fails_with(4, "");
    assert!(said.starts_with("pad: standard output: "), "{said}");
    for line in [read.to_owned(), format!("{read} --out -")] {
        let output = bench.run(&line);
        assert!(output.stdout == bench.read("original"), "{line}");
        assert!(!bench.path("-").exists());
        let output = bench.run(&format!("--json {line}"));
        output.fails_with(2, "use --out FILE");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn standard_input_is_a_dash_and_keys_are_files() {
    let (bench, _server) = uploaded(20);
    for (command, beginning) in [("insert --offset 0", "<a"), ("write --offset 1", "<<")] {
        let line = format!("file {command} --state s --key k --from -");
        fed(&bench, &line, b"<").succeeds();
        let read = bench.ok("file read --state s --key k");
        assert!(read.starts_with(beginning), "{read}");
    }
    bench.steps(&[
        "file keygen --out - => 2 a key needs a file of its own",
        "file upload --state t --key - original => 2 a key needs a file of its own",
        "keygen --out - => 2 a key needs a file of its own",
        "witness keygen --name witness.example/w1 --out - => 2 a key needs a file of its own",
        "file upload --state t --key k - => 2 give a file",
        "file sync --state s --key k - => 2 give a file",
        "info - => 2 give a file",
    ]);
    for name in ["-", "t"] {
        assert!(!bench.path(name).exists(), "{name}");
    }
}

/// A usage error must name every alternative, not only the dangerous one.
#[test]
fn every_way_is_named_where_one_is_needed() {
    let bench = Bench::new();
    let of_edits = ["--offset", "--length", "--whole-file"];
    for (line, options) in [
        ("file delete --state s", &of_edits[..]),
        ("export --store s --out f", &["--at", "--from"]),
    ] {
        let said = bench.run(line).fails_with(2, "");
        let (missing, _) = said.split_once("Usage").unwrap();
        for option in options {
            assert!(missing.contains(option), "{line}: {said}");
        }
    }
    bench.steps(&[
        "file delete --state s --offset 1 => usage",
        "file delete --state s --offset 1 --length 1 --whole-file => usage",
        "export --store s --out f --at 1 --from 1 => usage",
    ]);
}

/// A message about an unreachable server must name the server and a remedy.
#[test]
fn a_server_that_is_down_is_named() {
    let (bench, server) = uploaded(100);
    bench.ok("file public --state s --key k --out public");
    let address = server.address.clone();
    drop(server);
    for line in [
        "file read --state s --key k",
        "file status --state s --key k",
        "file forget --state s",
        "file read --public public",
    ] {
        let said = bench.run(line).fails_with(4, "");
        for words in [address.as_str(), "pad file serve", "--server"] {
            assert!(said.contains(words), "{line}: {said}");
        }
    }
}
