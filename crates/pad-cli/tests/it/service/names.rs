//! Tests of names and dates of versions on servers, mirrors and routers, in separate processes.

use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use serde_json::json;

use super::process::{Process, ROOTS, begin_store, certify, pushed_server, wait_for};
use crate::{
    bench::{Bench, assert_has, objects, text},
    process::until,
};

#[test]
fn a_server_says_at_the_start_which_versions_it_has() {
    let bench = Bench::with_trace();
    begin_store(&bench, "older");
    let line = "serve --store s --store older --listen 127.0.0.1:0";
    let (server, printed) = Process::spawn_printing(&bench, line.split(' '));
    let expected = json!({ "dictionary_names": ["older", "s"], "latest_versions": [1, 3] });
    assert_has(&objects(&printed)[0], &expected, line);
    drop(server);
    let mut command = bench.command();
    command.args(line.split(' ')).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let mut said = String::new();
    let output = child.stdout.take().unwrap();
    BufReader::new(output).read_line(&mut said).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let expected = "serving older (version 1), s (version 3) at http://127.0.0.1:";
    assert!(said.starts_with(expected), "{said}");
}

#[test]
fn names_of_versions_are_the_word_of_the_server_that_has_the_store() {
    let bench = Bench::with_trace();
    certify(&bench);
    let author = Process::start(&bench, "serve --store s");
    let from = author.url();
    // A server without names is queried first, and the next server knows the name.
    let nameless = nameless(&bench);
    let servers = format!("--server {} --server {from} {ROOTS}", nameless.url());
    let get = |at: &str| {
        let line = format!("get --public k.pub {servers} --at {at} apple");
        bench.first(&line)
    };
    let (named, numbered) = (get("b"), get("2"));
    let word = json!([{ "name": "b", "version": 2, "word_of": "server" }]);
    let expected = json!({
        "version": 2, "verified": true, "value": numbered["value"], "names": word,
    });
    assert_has(&named, &expected, "b");
    let unknown = format!("get --public k.pub {servers} --at d apple");
    bench.fails(&unknown, 2, "no version has the name 'd'");
    let local = bench.list("versions --public k.pub --store s").0;
    let asked = bench.list(&format!("versions --public k.pub {servers}")).0;
    assert_eq!(local.len(), 3);
    for (local, asked) in local.iter().zip(&asked) {
        assert_same_claims(local, asked);
        assert!(asked["claim"]["name"].is_string());
    }
    let (last, _) = bench.list(&format!("versions --last 1 --public k.pub {servers}"));
    assert_eq!(last, asked[2..]);
    bench.steps(&[
        &format!("versions --public k.pub {servers} => 0 names are the server's word"),
        &format!("history --public k.pub {servers} apple => 0 (by the server's word: b, 2"),
    ]);
    let (history, _) = bench.list(&format!("history --public k.pub {servers} apple"));
    assert_eq!(history[1]["claim"]["name"], "b");
    assert!(history[1]["claim"]["time"].is_u64());
}

/// Starts a server of a copy of the store, which has no names and dates.
fn nameless(bench: &Bench) -> Process {
    bench.ok("export --store s --from 1 --out all");
    bench.ok("apply --store nameless --public k.pub all");
    Process::start(bench, "serve --store nameless")
}

/// Asserts that a store and a server claim the same about a version.
fn assert_same_claims(local: &serde_json::Value, asked: &serde_json::Value) {
    for field in ["kept", "name", "time", "changes", "entries"] {
        assert_eq!(local["claim"][field], asked["claim"][field], "{field}");
    }
}

/// A server that received the versions by push, a mirror of it, and a router in front of both.
fn pushed(bench: &Bench) -> [Process; 3] {
    certify(bench);
    let server = pushed_server(bench);
    let to = format!("--to {} {ROOTS}", server.url());
    // Without the key, the versions arrive, and a note tells what is missing.
    let push = bench.run(&format!("push --store s {to}"));
    assert!(push.status.success());
    let said = text(&push.stderr);
    let missing = "lacks the names and dates of 3 versions; use --key";
    assert!(said.contains(missing), "{said}");
    bench.step(&format!(
        "push --store s --key l {to} => 4 another dictionary"
    ));
    let from = server.url();
    let line = format!("mirror --store m --public k.pub --from {from} {ROOTS} --every 20");
    let mirror = Process::start(bench, &line);
    wait_for(bench, &mirror.url(), 3);
    for (notes, words) in [
        (3, "and the names and dates of 3 versions"),
        (0, "0 were brought\n"),
    ] {
        let line = format!("push --store s --key k {to}");
        let expected = json!({ "new_versions": 0, "new_notes": notes });
        assert_has(&bench.first(&line), &expected, &line);
        if notes == 0 {
            assert!(bench.ok(&line).contains(words));
        }
    }
    // A commit sends the note of its version after the version.
    bench.ok("put --store s apple 9");
    let commit = format!("commit --store s --key k --name today --push {from} {ROOTS}");
    let said = bench.ok(&commit);
    assert!(said.contains("and the names and dates of 1 version"));
    wait_for(bench, &mirror.url(), 4);
    let servers = format!("--server {from} --server {}", mirror.url());
    let router = Process::start(bench, &format!("route {servers} {ROOTS} --name s"));
    wait_for(bench, &router.url(), 4);
    [server, mirror, router]
}

#[test]
fn a_restored_store_sends_the_notes_of_its_new_versions() {
    let bench = Bench::with_trace();
    certify(&bench);
    let server = pushed_server(&bench);
    let (to, url) = (format!("--to {} {ROOTS}", server.url()), server.url());
    bench.ok(&format!("push --store s --key k {to}"));
    // Restored from updates, the author has fewer notes than the server.
    bench.ok("export --store s --from 1 --out all");
    bench.ok("apply --store restored --public k.pub all");
    let asks = server.asked();
    let selected =
        |at: &str| bench.first(&format!("get {asks} --at {at} apple"))["version"].clone();
    bench.ok("put --store restored apple 9");
    let commit = "commit --store restored --key k --name four";
    let said = bench.ok(&format!("{commit} --push {url} {ROOTS}"));
    assert!(said.contains("the names and dates of 1 version"), "{said}");
    assert_eq!(selected("four"), 4);
    // A version that arrived without its note gets it from the next push.
    bench.ok("put --store restored apple 10");
    bench.ok("commit --store restored --key k --name five");
    let push = bench.run(&format!("push --store restored {to}"));
    assert!(text(&push.stderr).contains("of 1 version; use --key"));
    let undated = bench.run(&format!("get {asks} --at 2999-12-31 apple"));
    let undated = text(&undated.stderr);
    let missing = "1 version after it without a date";
    assert!(undated.contains(missing), "{undated}");
    bench.ok(&format!("push --store restored --key k {to}"));
    assert_eq!(selected("five"), 5);
    assert_eq!(selected("2999-12-31"), 5);
}

#[test]
fn names_and_dates_travel_with_pushed_versions() {
    let bench = Bench::with_trace();
    bench.ok("keygen --out l");
    let processes = pushed(&bench);
    let local = bench.list("versions --public k.pub --store s").0;
    let time = local[3]["claim"]["time"].as_u64().unwrap();
    for process in &processes {
        let server = process.asked();
        // The mirror requests the notes after the version.
        until("the name", || {
            let last = bench.list(&format!("versions --last 1 {server}")).0;
            last[0]["claim"]["name"] == "today"
        });
        let asked = bench.list(&format!("versions {server}")).0;
        for (local, asked) in local.iter().zip(&asked) {
            assert_same_claims(local, asked);
        }
        let get = |at: &str| bench.first(&format!("get {server} --at {at} apple"));
        assert_eq!(get("b")["version"], 2);
        let word = json!({ "name": "2999-12-31", "version": 4, "time": time, "word_of": "server" });
        let dated = json!({ "version": 4, "value": "9", "names": [word], "verified": true });
        assert_has(&get("2999-12-31"), &dated, "2999-12-31");
        let shown = bench.run(&format!("get {server} --at 2999-12-31 apple"));
        let said = text(&shown.stderr);
        assert!(said.contains("selects version 4, dated 2"), "{said}");
        assert!(said.contains("by the server's word"), "{said}");
        for (at, words) in [
            ("2001-01-01", "up to 2001-01-01: the earliest date is 2"),
            ("name:2999-12-31", "no version has the name '2999-12-31'"),
            ("yesterday", "no version has the name 'yesterday'"),
        ] {
            let line = format!("get {server} --at {at} apple");
            bench.fails(&line, 2, words);
            let help = "help: list numbers, names and dates with pad versions";
            bench.fails(&line, 2, help);
        }
    }
}

#[test]
fn servers_without_dates_are_no_sources_of_dates() {
    let bench = Bench::with_trace();
    certify(&bench);
    let server = nameless(&bench);
    let asked = server.asked();
    bench.steps(&[
        &format!("get {asked} --at 2026-10-24 apple => 2 no version has a date"),
        "get --store nameless --at 2026-10-24 apple => 2 no version has a date",
    ]);
    // A copy of the files has names and dates.
    bench.copy("s", "copied", &["", ".nodes", ".nodes.heads"]);
    let dated = bench.first("get --store copied --at 2999-12-31 apple");
    assert_eq!(dated["names"][0]["word_of"], "store");
    assert_eq!(dated["version"], 3);
}
