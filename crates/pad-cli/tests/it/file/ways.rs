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

/// Runs a command with these arguments. It must fail with all `parts` in its error.
fn assert_fails(bench: &Bench, (command, words): (&str, &str), code: i32, parts: &[&str]) {
    let (verb, rest) = command.split_once(' ').unwrap_or((command, ""));
    let line = format!("file {verb} {words} {rest}");
    let said = bench.run(line.trim_end()).fails_with(code, "");
    for part in parts {
        assert!(said.contains(part), "{said}");
    }
}

/// Commands that need the newest version.
const COMMANDS: [&str; 4] = ["read", "audit", "audit --full", "write --offset 0 --text x"];

#[test]
fn a_server_from_a_copy_is_gone_back_to_and_an_old_state_catches_up() {
    let (bench, server, file) = Process::with_file(CONTENTS);
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
    bench.step(&format!(
        "file adopt {copied} --accept-version 4 => 0 nothing to adopt"
    ));
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
    let (bench, server) = Liar::bench();
    let file = words("s", &server.address());
    let mut contents = CONTENTS.repeat(200_000);
    bench.write("original", &contents);
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
    let full = bench.run(&format!("file upload {file} original"));
    full.fails_with(4, "");
    server.be_honest();
    contents[5] ^= 1;
    bench.write("original", &contents);
    let parts = ["the source has changed", "--restart"];
    assert_fails(&bench, ("upload original", &file), 2, &parts);
    // The upload continues with the original source. A changed source starts again, and leaves no
    // orphan behind.
    let restart = format!("file upload {file} original --restart");
    bench.step(&format!("{restart} => 0 is discarded"));
    bench.ok(&format!("file read {file} --out back"));
    assert!(bench.read("back") == contents);
    let (count, counts) = std::sync::mpsc::channel();
    server.lie(move |_, server| {
        count.send(server.files().len()).unwrap();
        None
    });
    bench.ok(&format!("file status {file}"));
    assert_eq!(counts.try_iter().last(), Some(1));
    bench.step(&format!("{restart} => 2 uploaded already"));
}

#[test]
fn both_files_that_must_be_kept_are_named_and_checked_at_once() {
    let (bench, server) = Liar::bench();
    let file = words("s", &server.address());
    bench.write("original", CONTENTS);
    let uploaded = bench.ok(&format!("file upload {file} original"));
    let kept = uploaded.lines().find(|line| line.starts_with("keep both"));
    let kept = kept.unwrap();
    assert!(kept.contains(" s ") && kept.contains(" k "), "{kept}");
    assert!(kept.contains("if either is lost"), "{kept}");
    bench.step(&format!("file status {file} => 0 s and k, which fit"));
    bench.steps(&[
        &format!(r#"file status {file} -> {{"state": "s", "secret_key": "k"}}"#),
        "file keygen --out other",
    ]);
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
    let status = format!("file status {file} => 2 state file s");
    fs::rename(bench.path("s"), bench.path("s.away")).unwrap();
    bench.step(&format!("{status} and key file k are missing"));
    fs::rename(bench.path("away"), bench.path("k")).unwrap();
    bench.step(&format!("{status} is missing: the key file k alone"));
}

#[test]
fn an_audit_of_nothing_does_not_say_that_the_server_has_it() {
    let (bench, server, file) = Liar::with_file(b"");
    for extent in ["", " --full"] {
        let audit = format!("file audit {file}{extent}");
        bench.step(&format!("{audit} => 0 nothing was proved"));
        assert_eq!(bench.first(&audit)["verified"], false);
    }
    drop(server);
    bench.run(&format!("file audit {file}")).fails_with(4, "");
}

#[test]
fn a_reader_that_is_killed_leaves_nothing_behind() {
    let (bench, server, file) = Liar::with_file(&CONTENTS.repeat(200_000));
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

#[test]
fn what_is_read_goes_where_a_link_leads() {
    let (bench, _server, file) = Liar::with_file(CONTENTS);
    bench.write("real", b"before");
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
