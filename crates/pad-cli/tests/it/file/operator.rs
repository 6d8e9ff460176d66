//! Tests for operators: allowed owners, file permissions, and a damaged store.

use std::{fs, path::Path};

use pad_conformance::soak;

use crate::{
    bench::{Bench, is_error, text},
    process::Process,
};

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

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
    let words = format!("--allow-owner {owner} --allow-owner {owner} --owner-bytes 500000");
    let server = Process::of_files(&bench, &words);
    let file = format!("--state s --key k --server {}", server.address);
    bench.ok(&format!("file upload {file} original"));
    let other = format!("--state t --key stranger --server {}", server.address);
    bench.fails(
        &format!("file upload {other} original"),
        2,
        "this owner may not begin files here",
    );
    fs::write(bench.path("large"), vec![7; 600_000]).unwrap();
    let large = format!("--state u --key k --server {}", server.address);
    bench.fails(
        &format!("file upload {large} large"),
        2,
        "bytes of an owner: ",
    );
    // The interrupted upload is aborted. The other file is not changed.
    bench.ok(&format!("file delete {large} --whole-file"));
    bench.ok(&format!("file audit {file} --full"));
    let forgotten = bench.run(&format!("file delete {file}"));
    assert_eq!(forgotten.status.code(), Some(2));
    let removed = bench.json(&format!("file delete {file} --whole-file"));
    assert_eq!(removed[0]["removed"], true);
    // A repeated deletion succeeds, because the file is already deleted.
    bench.ok(&format!("file delete {file} --whole-file"));
    bench.ok(&format!(
        "file upload --state v --key k --server {} original",
        server.address
    ));
    let wrong = bench.run("file serve --store other --allow-owner 12");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("64 hexadecimal digits"));
}

#[test]
#[cfg(unix)]
fn nobody_else_may_read_a_store() {
    let bench = Bench::new();
    drop(Process::of_files(&bench, ""));
    let store = bench.path("server/files.redb");
    assert_eq!(mode(&store), 0o600);
    assert_eq!(mode(&bench.path("server/files.redb.reserve")), 0o600);
    assert_eq!(mode(&bench.path("server")), 0o700);
    for wrong in [0o644, 0o602, 0o620] {
        set_mode(&store, wrong);
        for command in ["serve --listen 127.0.0.1:0", "check"] {
            bench.fails(
                &format!("file {command} --store server"),
                4,
                &format!(
                    "(its mode is {wrong:03o}), which has the contents of all files: chmod 600"
                ),
            );
        }
    }
    set_mode(&store, 0o640);
    bench.ok("file check --store server");
}

#[test]
#[cfg(unix)]
fn a_private_key_that_others_may_read_is_refused() {
    let bench = Bench::new();
    for name in ["certificate", "key"] {
        fs::write(bench.path(name), "no PEM").unwrap();
    }
    let serve = "file serve --store server --certificate certificate --private-key key";
    for wrong in [0o644, 0o604, 0o660] {
        set_mode(&bench.path("key"), wrong);
        let reason = format!(
            "others may read or change it (its mode is {wrong:03o})\nhelp: run chmod 600 key"
        );
        bench.fails(serve, 2, &reason);
    }
    assert!(!bench.path("server").exists());
    for right in [0o600, 0o640, 0o400] {
        set_mode(&bench.path("key"), right);
        bench.fails(serve, 2, "--certificate: ");
    }
}

/// The engine panics on pages of an unknown type. Even with backtraces enabled, at most one error
/// may be printed.
#[test]
fn a_damaged_page_costs_a_line() {
    let bench = Bench::new();
    fs::write(bench.path("original"), vec![7; 300_000]).unwrap();
    let server = Process::of_files(&bench, "");
    let upload = format!(
        "file upload --state s --key k --server {} original",
        server.address
    );
    bench.ok(&upload);
    #[cfg(unix)]
    server.stop();
    #[cfg(not(unix))]
    drop(server);
    let path = bench.path("server/files.redb");
    let whole = fs::read(&path).unwrap();
    let mut told = 0;
    let pages = 1..whole.len() / 4096;
    for (number, page) in pages.step_by(soak::size(4, 1)).enumerate() {
        let mut bytes = whole.clone();
        bytes[page * 4096] ^= 0xff;
        fs::write(&path, &bytes).unwrap();
        let mut command = bench.command();
        command.env("RUST_BACKTRACE", "1");
        let check = command.args(["file", "check", "--store", "server"]);
        let error = text(&check.output().unwrap().stderr);
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
            drop(bench.run(&format!(
                "file audit --state s --key k --server {address} --full"
            )));
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
