//! Tests of state files, which contain the server's address, and of `sync`, `list` and `forget`.

use std::fs;

use flexlist_service::internals::message::{Refusal, Request, Response};
use pad_conformance::Random;
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};

use crate::{
    bench::{Bench, Outcome as _, assert_has, text},
    file::liar::Liar,
    process::Process,
};

/// Returns contents without repetitions.
fn noise(length: usize) -> Vec<u8> {
    Random::new(7).bytes(length)
}

/// Returns the only state that a command lists.
fn listed(bench: &Bench, line: &str) -> Json {
    let (mut states, _) = bench.list(line);
    assert_eq!(states.len(), 1, "{line}: {states:?}");
    states.remove(0)
}

#[test]
fn the_server_is_given_once_and_changes_are_sent_by_content() {
    let bench = Bench::new();
    let mut contents = noise(600_000);
    bench.write("original", &contents);
    let server = Process::of_files(&bench, "");
    // The first `sync` uploads the file.
    let sync = "file sync --state s --key k";
    let first = bench.one(&format!("{sync} --server {} original", server.address));
    assert_eq!(first["version"], 1);
    let again = bench.one("file sync --state s --key k original");
    assert_has(&again, &json!({ "new_versions": 0, "version": 1 }), sync);
    contents.splice(1000..1000, *b"inserted");
    contents[400_000] ^= 1;
    bench.write("original", &contents);
    let synced = bench.one("file sync --state s --key k original");
    assert_has(&synced, &json!({ "new_versions": 1, "version": 2 }), sync);
    let sent = synced["sent_bytes"].as_u64().unwrap();
    assert!((1..200_000).contains(&sent), "{sent}");
    bench.ok("file read --state s --key k --out back");
    assert!(bench.read("back") == contents);
    bench.ok("file audit --state s --key k --full");
    bench.steps(&[
        "file sync --state s --key k original => 0 nothing to send",
        "file sync --state s --key k none => 4 none",
        "file sync --state s --key k server => 2 not a plain file",
    ]);

    // A command uses another address without recording it. Only a change of the file records it.
    drop(server);
    let server = Process::of_files(&bench, "");
    let there = format!("--state s --key k --server {}", server.address);
    let before = bench.read("s");
    bench.ok(&format!("file status {there}"));
    assert_eq!(bench.read("s"), before);
    bench.ok(&format!("file write {there} --offset 0 --text x"));
    bench.ok("file status --state s --key k");
    assert_eq!(
        listed(&bench, "file list")["server"],
        server.address.as_str()
    );
}

#[test]
fn an_upload_that_broke_off_is_gone_on_with_by_sync() {
    let (bench, server) = Liar::bench();
    let contents = noise(9 << 20);
    bench.write("original", &contents);
    let mut parts = 0;
    server.lie(move |request, _| {
        parts += u32::from(matches!(request, Request::Part(_)));
        (parts > 1 && matches!(request, Request::Part(_)))
            .then_some(Response::Refused(Refusal::CannotWrite))
    });
    let address = server.address();
    let line = format!("file sync --state s --key k --server {address} original");
    bench.run(&line).fails_with(4, "");
    let state = listed(&bench, "file list s");
    assert_eq!(state["progress"], "uploading");
    assert!(state["sent_bytes"].as_u64().unwrap() > 0);
    server.be_honest();
    // No option names the server, because the state contains its address.
    let done = bench.one("file sync --state s --key k original");
    assert_eq!(done["bytes"], contents.len());
    assert_eq!(listed(&bench, "file list s")["progress"], "settled");
}

#[test]
fn a_sync_that_is_lied_to_sends_nothing() {
    let (bench, server, _) = Liar::with_file(&noise(300_000));
    let before = bench.read("s");
    bench.write("original", b"short");
    server.lie(|request, server| match request {
        Request::Audit { .. } => {
            let mut response = server.handle(request.clone());
            if let Response::Audited { committed, .. } = &mut response {
                committed[0].0[0] ^= 1;
            }
            Some(response)
        }
        Request::Update(_) => panic!("an update after a lie"),
        _ => None,
    });
    bench.step("file sync --state s --key k original => 3 audit of version 1 failed");
    server.lie(|request, _| {
        matches!(request, Request::Audit { .. })
            .then_some(Response::Refused(Refusal::StoreFailed("gone".into())))
    });
    bench.fails("file sync --state s --key k original", 3, "gone");
    assert_eq!(bench.read("s"), before);
}

#[test]
fn states_are_listed_and_forgotten_when_the_file_is_gone() {
    let (bench, server) = Liar::bench();
    let address = server.address();
    bench.write("original", b"some text");
    assert_eq!(bench.ok("file list"), "");
    for state in ["a", "b"] {
        let words = format!("--state {state} --key k --server {address}");
        bench.ok(&format!("file upload {words} original"));
    }
    let (files, _) = bench.list("file list");
    let states: Vec<_> = files.iter().map(|file| &file["state"]).collect();
    assert_eq!(states, ["a", "b"]);
    let expected = json!({ "version": 1, "bytes": 9, "server": address });
    assert_has(&files[0], &expected, "file list");
    let said = bench.ok("file list a");
    let expected = format!("a  its state says: version 1, 9 bytes, at {address}\n");
    assert_eq!(said, expected);

    // A damaged state is named, and the other states are listed.
    let mut damaged = bench.read("b");
    *damaged.last_mut().unwrap() ^= 1;
    bench.write("c", &damaged);
    let output = bench.run("file list");
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(shown.lines().count(), 3, "{shown}");
    assert!(text(&output.stderr).contains("of no use: c"));
    fs::remove_file(bench.path("c")).unwrap();
    bench.fails("file list original", 2, "of no use: original");
    bench.fails("file list none", 4, "none");

    bench.fails("file forget --state a", 2, "pad file delete --whole-file");
    bench.ok("file delete --state a --key k --whole-file");
    // No server is queried, so the output does not claim that the file exists.
    assert_eq!(bench.ok("file list a"), said);
    assert_eq!(listed(&bench, "file list a")["verified"], false);
    bench.step("file list --help => 0 No server is asked");
    bench.step(r#"file forget --state a -> {"state": "a", "abandoned": false}"#);
    assert!(!bench.path("a").exists());
    bench.fails("file forget --state a", 2, "a");
    // A server that refuses or does not answer has not confirmed that the file is gone.
    server.lie(|_, _| Some(Response::Refused(Refusal::StoreFailed("gone".into()))));
    bench.fails("file forget --state b", 3, "gone");
    drop(server);
    bench.run("file forget --state b").fails_with(4, "");
    assert!(bench.path("b").exists());
    bench.ok("file forget --state b --abandon");
    assert_eq!(bench.ok("file list"), "");
}

/// An attacker can compute the checksum of a state file, but not its MAC.
#[test]
fn a_state_that_another_party_changed_is_refused() {
    let (bench, _server, _) = Liar::with_file(b"some text");
    let good = bench.read("s");
    let mut changed = good.clone();
    changed[20] ^= 1;
    bench.write("s", &changed);
    bench.fails("file status --state s --key k", 4, "is damaged");
    bench.fails("file list s", 2, "of no use: s");

    // The last byte of the MAC, which is before the checksum.
    let length = good.len() - 32;
    let mut forged = good[..length].to_vec();
    forged[length - 1] ^= 1;
    let checksum = Sha256::digest(&forged);
    forged.extend_from_slice(&checksum);
    bench.write("s", &forged);
    bench.write("out", b"kept");
    for command in [
        "status",
        "audit",
        "read --out out --force",
        "write --offset 0 --text x",
        "sync original",
        "delete --whole-file",
        "adopt --accept-version 1",
        "public --out p",
    ] {
        let (verb, rest) = command.split_once(' ').unwrap_or((command, ""));
        let line = format!("file {verb} --state s --key k {rest}");
        bench.fails(line.trim_end(), 4, "the state file is not authentic");
    }
    assert_eq!(bench.read("s"), forged);
    assert_eq!(bench.read("out"), b"kept");
    // Without the key, the checksum alone is verified.
    assert_eq!(listed(&bench, "file list s")["verified"], false);

    bench.write("s", &good);
    bench.ok("file status --state s --key k");
}
