//! Tests for operators: allowed owners, file permissions, and a damaged store.

use std::fs;

use pad_conformance::soak;

use crate::{
    bench::{Bench, is_error, text},
    process::Process,
};

#[test]
fn only_named_owners_may_begin_files_and_only_owners_remove_them() {
    let bench = Bench::new();
    fs::write(bench.path("original"), vec![7; 100_000]).unwrap();
    for key in ["k", "stranger"] {
        bench.ok(&format!("file keygen --out {key}"));
    }
    let owner = bench.json("file owner --key k");
    let owner = owner[0]["owner"].as_str().unwrap().to_owned();
    assert_eq!(bench.ok("file owner --key k").trim_end(), owner);
    fs::write(bench.path("large"), vec![7; 600_000]).unwrap();
    let words = format!("--allow-owner {owner} --allow-owner {owner} --owner-bytes 500000");
    let server = Process::of_files(&bench, &words);
    let address = &server.address;
    let file = format!("--state s --key k --server {address}");
    let large = format!("--state u --key k --server {address}");
    let other = format!("--state t --key stranger --server {address}");
    bench.steps(&[
        &format!("file upload {file} original"),
        &format!("file upload {other} original => 2 this owner may not begin files here"),
        &format!("file upload {large} large => 2 bytes of an owner: "),
        // The interrupted upload is aborted. The other file is not changed.
        &format!("file delete {large} --whole-file"),
        &format!("file audit {file} --full"),
        &format!("file delete {file} => usage"),
        &format!(r#"file delete {file} --whole-file -> {{"removed": true}}"#),
        // A repeated deletion succeeds, because the file is already deleted.
        &format!("file delete {file} --whole-file"),
        &format!("file upload --state v --key k --server {address} original"),
        "file serve --store other --allow-owner 12 => usage 64 hexadecimal digits",
    ]);
}

#[test]
fn nobody_else_may_read_a_store() {
    let bench = Bench::new();
    drop(Process::of_files(&bench, ""));
    for (name, mode) in [
        ("/files.redb", 0o600),
        ("/files.redb.reserve", 0o600),
        ("", 0o700),
    ] {
        assert_eq!(bench.mode(&format!("server{name}")), mode, "{name}");
    }
    for wrong in [0o644, 0o602, 0o620] {
        bench.set_mode("server/files.redb", wrong);
        let mode = format!("(its mode is {wrong:03o})");
        for command in ["serve --listen 127.0.0.1:0", "check"] {
            let reason = format!("{mode}, which has the contents of all files: chmod 600");
            let line = format!("file {command} --store server");
            bench.fails(&line, 4, &reason);
            bench.fails(&line, 4, "server/files.redb, or 640 for a group");
        }
    }
    bench.set_mode("server/files.redb", 0o640);
    bench.ok("file check --store server");
}

#[test]
fn a_private_key_that_others_may_read_is_refused() {
    let bench = Bench::new();
    for name in ["certificate", "key"] {
        fs::write(bench.path(name), "no PEM").unwrap();
    }
    let serve = "file serve --store server --certificate certificate --private-key key";
    for wrong in [0o644, 0o604, 0o660] {
        bench.set_mode("key", wrong);
        let reason = format!(
            "others may read or change it (its mode is {wrong:03o})\nhelp: run chmod 600 key, or \
             640 for a group"
        );
        bench.fails(serve, 2, &reason);
    }
    assert!(!bench.path("server").exists());
    for right in [0o600, 0o640, 0o400] {
        bench.set_mode("key", right);
        bench.fails(serve, 2, "--certificate: ");
    }
}

/// The engine panics on pages of an unknown type. Even with backtraces enabled, at most one error
/// may be printed.
#[test]
fn a_damaged_page_costs_a_line() {
    let (bench, server, _) = Process::with_file(&vec![7; 300_000]);
    server.stop();
    let path = bench.path("server/files.redb");
    let whole = fs::read(&path).unwrap();
    let mut told = 0;
    let pages = 1..whole.len() / 4096;
    for (number, page) in pages.step_by(soak::size(4, 1)).enumerate() {
        let mut bytes = whole.clone();
        bytes[page * 4096] ^= 0xff;
        fs::write(&path, &bytes).unwrap();
        let traced = [("RUST_BACKTRACE", "1")];
        let check = bench.run_with(&traced, "file check --store server");
        let error = text(&check.stderr);
        assert!(error.is_empty() || is_error(&error), "{error}");
        fs::write(&path, &bytes).unwrap();
        if number % 8 == 7 {
            told += serve_damaged(&bench);
        }
    }
    println!("{told} lines of servers");
}

/// Serves and audits a damaged store. Returns the number of lines that the server wrote to standard
/// error.
fn serve_damaged(bench: &Bench) -> usize {
    let mut command = bench.command();
    command.env("RUST_BACKTRACE", "1");
    command.args(["--json", "file", "serve", "--store", "server"]);
    command.args(["--listen", "127.0.0.1:0"]);
    command.stdout(std::process::Stdio::piped());
    command.stderr(fs::File::create(bench.path("server.err")).unwrap());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    let stdout = child.stdout.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line).unwrap();
    let said: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
    // If the store cannot be opened, the printed object contains no address.
    if let Some(address) = said["address"].as_str() {
        for _ in 0..3 {
            let audit = format!("file audit --state s --key k --server {address} --full");
            drop(bench.run(&audit));
        }
        child.kill().unwrap();
    }
    child.wait().unwrap();
    let error = text(&fs::read(bench.path("server.err")).unwrap());
    for line in error.lines() {
        let is_object = serde_json::from_str::<serde_json::Value>(line).is_ok();
        assert!(line.starts_with("pad: ") || is_object, "{error}");
    }
    assert!(error.lines().count() <= 4, "{error}");
    error.lines().count()
}
