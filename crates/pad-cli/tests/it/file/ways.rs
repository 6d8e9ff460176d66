//! Tests of problems with an owner's files, the source and the server, and of the advice of
//! commands.

use std::fs;

use flexlist_service::internals::message::{Refusal, Request, Response};

use crate::{
    bench::{Bench, Outcome as _, text},
    file::liar::Liar,
    process::Process,
};

const CONTENTS: &[u8] = b"some text that is long enough to be changed here and there\n";

fn words(state: &str, address: &str) -> String {
    format!("--state {state} --key k --server {address}")
}

/// Runs a line that must fail, and returns its error.
fn failure(bench: &Bench, line: &str, code: i32) -> String {
    bench.run(line).fails_with(code, "")
}

/// Runs a command with these arguments. It must fail with all `parts` in its error.
fn assert_fails(bench: &Bench, (command, words): (&str, &str), code: i32, parts: &[&str]) {
    let (verb, rest) = command.split_once(' ').unwrap_or((command, ""));
    let line = format!("file {verb} {words} {rest}");
    let said = failure(bench, line.trim_end(), code);
    for part in parts {
        assert!(said.contains(part), "{said}");
    }
}

/// Commands that need the newest version.
const COMMANDS: [&str; 4] = ["read", "audit", "audit --full", "write --offset 0 --text x"];

#[cfg(unix)]
#[test]
fn a_server_from_a_copy_is_gone_back_to_and_an_old_state_catches_up() {
    let bench = Bench::new();
    fs::write(bench.path("original"), CONTENTS).unwrap();
    let server = Process::of_files(&bench, "");
    let file = words("s", &server.address);
    bench.ok(&format!("file upload {file} original"));
    bench.ok(&format!("file write {file} --offset 0 --text SOME"));
    server.stop();
    let [store, copy] = ["server/files.redb", "copy.redb"].map(|name| bench.path(name));
    fs::copy(&store, &copy).unwrap();
    fs::copy(bench.path("s"), bench.path("t")).unwrap();

    let server = Process::of_files(&bench, "");
    let file = words("s", &server.address);
    bench.ok(&format!("file write {file} --offset 5 --text TEXT"));
    bench.ok(&format!("file write {file} --offset 10 --text THAT"));
    // A command with an older copy of the state reports this. The copy can be brought up to date
    // with `adopt`.
    let copied = words("t", &server.address);
    for command in COMMANDS {
        let parts = ["an older copy", "--accept-version 4"];
        assert_fails(&bench, (command, &copied), 2, &parts);
    }
    let before = bench.read("t");
    bench.steps(&[
        &format!("file status {copied} => 0 an older copy"),
        &format!("file adopt {copied} => 0 2 versions forward"),
    ]);
    assert_eq!(bench.read("t"), before);
    bench.ok(&format!("file adopt {copied} --accept-version 4"));
    let read = bench.ok(&format!("file read {copied}"));
    assert!(read.starts_with("SOME TEXT THAT"), "{read}");
    let shown = bench.ok(&format!("file adopt {copied} --accept-version 4"));
    assert!(shown.contains("nothing to adopt"), "{shown}");
    server.stop();

    // The server's store is restored from the copy.
    fs::copy(&copy, &store).unwrap();
    let server = Process::of_files(&bench, "");
    let file = words("s", &server.address);
    let before = bench.read("s");
    for command in COMMANDS.into_iter().chain(["status"]) {
        let parts = ["2 versions back", "versions 3 to 4", "--accept-version 2"];
        assert_fails(&bench, (command, &file), 3, &parts);
    }
    bench.steps(&[
        &format!("file adopt {file} => 0 2 versions back"),
        &format!("file adopt {file} --accept-version 3 => 2 does not show version 3"),
        &format!("file read {file} --accept-version 2 --out old"),
    ]);
    assert!(bench.read("old").starts_with(b"SOME text that"));
    assert_eq!(bench.read("s"), before);
    let adopted = r#"{"adopted": true, "version": 2, "known_version": 4}"#;
    bench.steps(&[
        &format!("file adopt {file} --accept-version 2 -> {adopted}"),
        &format!("file audit {file} --full"),
        &format!(r#"file write {file} --offset 0 --text Some -> {{"version": 3}}"#),
    ]);
}

#[test]
fn an_upload_whose_source_changed_says_so_and_is_begun_again() {
    let bench = Bench::new();
    let server = Liar::start(&bench);
    let file = words("s", &server.address());
    let mut contents = CONTENTS.repeat(200_000);
    fs::write(bench.path("original"), &contents).unwrap();
    // The server's disk is full after the first part.
    server.lie(|request, server| match request {
        Request::Part(_) if server.files().len() == 1 => match server.handle(request.clone()) {
            Response::State(status) if status.next_part > 1 => {
                Some(Response::Refused(Refusal::CannotWrite))
            }
            response => Some(response),
        },
        _ => None,
    });
    bench.ok("file keygen --out k");
    failure(&bench, &format!("file upload {file} original"), 4);
    server.be_honest();
    contents[5] ^= 1;
    fs::write(bench.path("original"), &contents).unwrap();
    let parts = ["the source has changed", "--restart"];
    assert_fails(&bench, ("upload original", &file), 2, &parts);
    // The upload continues with the original source. A changed source starts again, and leaves no
    // orphan behind.
    bench.step(&format!(
        "file upload {file} original --restart => 0 is discarded"
    ));
    bench.ok(&format!("file read {file} --out back"));
    assert!(fs::read(bench.path("back")).unwrap() == contents);
    let files = std::sync::Arc::new(std::sync::Mutex::new(0));
    let counted = std::sync::Arc::clone(&files);
    server.lie(move |_, server| {
        *counted.lock().unwrap() = server.files().len();
        None
    });
    bench.ok(&format!("file status {file}"));
    assert_eq!(*files.lock().unwrap(), 1);
    bench.step(&format!(
        "file upload {file} original --restart => 2 uploaded already"
    ));
}

#[test]
fn both_files_that_must_be_kept_are_named_and_checked_at_once() {
    let bench = Bench::new();
    let server = Liar::start(&bench);
    let file = words("s", &server.address());
    fs::write(bench.path("original"), CONTENTS).unwrap();
    let uploaded = bench.ok(&format!("file upload {file} original"));
    let kept = uploaded.lines().find(|line| line.starts_with("keep both"));
    let kept = kept.unwrap();
    assert!(kept.contains(" s ") && kept.contains(" k "), "{kept}");
    assert!(kept.contains("if either is lost"), "{kept}");
    let status = bench.ok(&format!("file status {file}"));
    assert!(status.contains("s and k, which fit"), "{status}");
    let status = bench.json(&format!("file status {file}"));
    assert_eq!(status[0]["state"], "s");
    assert_eq!(status[0]["secret_key"], "k");

    bench.ok("file keygen --out other");
    let others = file.replace("--key k", "--key other");
    for command in ["status", "read", "audit"] {
        let line = format!("file {command} {others}");
        bench.fails(&line, 2, "does not match the key");
    }
    // Only the key for tags differs.
    let [key, other] = ["k", "other"].map(|name| text(&bench.read(name)));
    let lines: Vec<&str> = key.lines().take(2).chain(other.lines().skip(2)).collect();
    fs::write(bench.path("mixed"), lines.join("\n") + "\n").unwrap();
    bench.set_mode("mixed", 0o600);
    let mixed = file.replace("--key k", "--key mixed");
    bench.fails(&format!("file status {mixed}"), 2, "another key for tags");
    fs::rename(bench.path("k"), bench.path("away")).unwrap();
    bench.steps(&[
        &format!("file status {file} => 2 key file k is missing: the state file s alone"),
        // A new key must not be created for a file that already has one.
        &format!("file upload {file} original => 2 key file k is missing"),
    ]);
    assert!(!bench.path("k").exists());
    fs::rename(bench.path("s"), bench.path("s.away")).unwrap();
    bench.step(&format!(
        "file status {file} => 2 state file s and key file k are missing"
    ));
    fs::rename(bench.path("away"), bench.path("k")).unwrap();
    bench.step(&format!(
        "file status {file} => 2 state file s is missing: the key file k alone"
    ));
}

#[test]
fn an_audit_of_nothing_does_not_say_that_the_server_has_it() {
    let bench = Bench::new();
    let server = Liar::start(&bench);
    let file = words("s", &server.address());
    fs::write(bench.path("original"), b"").unwrap();
    bench.ok(&format!("file upload {file} original"));
    for extent in ["", " --full"] {
        let said = bench.ok(&format!("file audit {file}{extent}"));
        assert!(said.contains("nothing was proved"), "{said}");
        let said = bench.json(&format!("file audit {file}{extent}"));
        assert_eq!(said[0]["verified"], false);
    }
    drop(server);
    failure(&bench, &format!("file audit {file}"), 4);
}

#[test]
fn a_reader_that_is_killed_leaves_nothing_behind() {
    let bench = Bench::new();
    let server = Liar::start(&bench);
    let file = words("s", &server.address());
    fs::write(bench.path("original"), CONTENTS.repeat(200_000)).unwrap();
    bench.ok(&format!("file upload {file} original"));
    let before = bench.names();
    let (asked, question) = std::sync::mpsc::channel();
    let (release, released) = std::sync::mpsc::channel::<()>();
    server.lie(move |request, server| match request {
        // The answer for the second part is delayed, after some bytes were written.
        Request::Read { start, .. } if *start > 0 => {
            asked.send(()).unwrap();
            let _ = released.recv();
            Some(server.handle(request.clone()))
        }
        _ => None,
    });
    let line = format!("file read {file} --out copy");
    let mut reader = bench.command().args(line.split(' ')).spawn().unwrap();
    question.recv().unwrap();
    reader.kill().unwrap();
    reader.wait().unwrap();
    drop(release);
    #[cfg(target_os = "linux")]
    assert_eq!(bench.names(), before);
    #[cfg(not(target_os = "linux"))]
    let _ = before;
}

#[cfg(unix)]
#[test]
fn what_is_read_goes_where_a_link_leads() {
    let bench = Bench::new();
    let server = Liar::start(&bench);
    let file = words("s", &server.address());
    fs::write(bench.path("original"), CONTENTS).unwrap();
    bench.ok(&format!("file upload {file} original"));
    fs::write(bench.path("real"), b"before").unwrap();
    std::os::unix::fs::symlink("real", bench.path("link")).unwrap();
    bench.fails(&format!("file read {file} --out link"), 2, "exists already");
    bench.ok(&format!("file read {file} --out link --force"));
    assert!(bench.path("link").symlink_metadata().unwrap().is_symlink());
    assert_eq!(bench.read("real"), CONTENTS);
    // Changes of a state behave in the same way: its link is followed, and stays a link.
    fs::create_dir(bench.path("safe")).unwrap();
    fs::rename(bench.path("s"), bench.path("safe/s")).unwrap();
    std::os::unix::fs::symlink("safe/s", bench.path("s")).unwrap();
    bench.ok(&format!("file write {file} --offset 0 --text SOME"));
    assert!(bench.path("s").symlink_metadata().unwrap().is_symlink());
    let direct = file.replace("--state s", "--state safe/s");
    let read = bench.ok(&format!("file read {direct}"));
    assert!(read.starts_with("SOME text"), "{read}");
}
