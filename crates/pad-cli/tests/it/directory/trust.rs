//! Tests of keys, views, signing records, and folders that were replaced.

use std::fs;

use serde_json::json;

use super::journeys::with_objects;
use crate::bench::{Bench, Outcome as _, assert_has, digests, text};

pub(super) fn copy(bench: &Bench, from: &str, to: &str) {
    let (from, to) = (bench.path(from), bench.path(to));
    let _ = fs::remove_dir_all(&to);
    fs::create_dir(&to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

#[test]
fn answers_say_what_the_key_is_worth() {
    let bench = with_objects();
    bench.ok("keygen --out other --scheme directory");
    let own = bench.one("directory status d");
    assert_eq!(own["verified"], false);
    assert!(own["fingerprint"].is_string());
    let verified = bench.one("directory status d --public k.pub");
    assert_eq!(verified["verified"], true);
    bench.steps(&[
        "directory status d --public other.pub => 3 made with another key",
        "directory check d --public other.pub => 3 made with another key",
        "directory prove d 1 --public other.pub --out proof => 3 made with another key",
        "directory verify --from d --public other.pub --id 1 => 3 made with another key",
        "directory prove d 1 --public k.pub --out proof",
        "directory verify proof --public other.pub --at 1 --id 1 => 3 verification failed",
        "directory verify proof --at 1 --id 1 => 2 no public key is given",
    ]);
}

/// A proof file of version 0 contains no head. It is valid only for queries of version 0.
#[test]
fn version_0_is_proved_to_those_who_ask_about_it() {
    let bench = with_objects();
    // A proof of no entries ends with four zeros: no signed head, the number of entries, the number
    // of shown entries, and the number of digests next to them.
    let of_entry = [&[0, 1, 1, 1][..], &[7; 32], &[0]].concat();
    for (name, kind, rest) in [
        ("empty", 176, &[0; 4][..]),
        ("empty-range", 177, &[0; 4]),
        ("entry", 176, &of_entry),
    ] {
        bench.write(name, &[b"PAD1\x01", &[kind, 0, 1][..], rest].concat());
    }
    bench.steps(&[
        "directory verify empty --public k.pub --at 0 --id 3 => 0 unassigned",
        "directory verify empty-range --public k.pub --at 0 --range 0..2 => 0 unassigned",
        "directory verify empty --public k.pub --view fresh --at 0 --id 3 => 0 unassigned",
        "directory verify empty --id 3 --public k.pub => usage --at <VERSION>",
        "directory verify empty --at 1 --id 3 --public k.pub => 3 no signed head",
        "directory verify entry --at 0 --id 0 --public k.pub => 3 verification failed",
        "directory verify empty-range --at 0 --id 0 --public k.pub => 3 verification failed",
        // A client that has seen a version must refuse older versions.
        "directory verify --from d --public k.pub --view view --id 1",
        "directory verify empty --view view --at 0 --id 1 => 3 verification failed",
        "directory prove d 1 --public k.pub --out proof",
        "directory verify proof --public k.pub --at 0 --id 1 => 3 verification failed",
    ]);
}

#[test]
fn a_view_refuses_an_older_directory() {
    let bench = with_objects();
    copy(&bench, "d", "old");
    bench.ok("directory prove d 1 --public k.pub --out old-proof");
    bench.ok("directory append d --key k --updates updates cat");
    bench.ok("directory verify --from d --public k.pub --view view --id 3");
    bench.steps(&[
        "directory verify --from old --view view --id 1 => 3 verification failed",
        "directory status old --view view => 3 verification failed",
        "directory verify old-proof --view view --at 1 --id 1 => 3 verification failed",
        // A proof file of the version seen, verified with the key in the view.
        "directory prove d 1 --view view --out proof",
    ]);
    let seen = bench.one("directory verify proof --view view --at 2 --id 1");
    assert_eq!(seen["verified"], true);
    // A proof file of a newer version does not prove that its head continues the head seen.
    bench.ok("directory delete d --key k 0");
    bench.ok("directory prove d 1 --public k.pub --out newer");
    let output = bench.run("directory verify newer --view view --at 3 --id 1");
    output.succeeds();
    let said = text(&output.stderr);
    assert!(said.contains("the view is unchanged"), "{said}");
    bench.ok("directory status d --view view");
}

#[test]
fn an_author_signs_for_no_old_copy_of_the_folder() {
    let bench = with_objects();
    copy(&bench, "d", "old");
    bench.ok("directory append d --key k --updates updates cat");
    copy(&bench, "d", "new");
    copy(&bench, "old", "d");
    bench.steps(&[
        "directory append d --key k dog => 3 version 2 was signed and handed out",
        "directory update d --key k 1 cat => 3 version 2 was signed and handed out",
        "directory delete d --key k 0 => 3 version 2 was signed and handed out",
        "directory import d --key k dog => 3 version 2 was signed and handed out",
        // Applying the signed update brings the directory up to date.
        "directory apply d updates/2.update",
    ]);
    assert_eq!(bench.one("directory append d --key k dog")["version"], 3);
    // The server presents another history for the same version.
    bench.steps(&[
        "directory append new --key k --record elsewhere cat => 3 the signing record elsewhere is \
         missing or empty",
        "directory append new --key k --record elsewhere --new-record cat",
        "directory append new --key k dog => 3 another head of version 3",
        // One key must not be used for a second directory.
        "directory create second --key k => 3 versions were signed with the key k before",
        "directory import second --key k dog => 3 versions were signed with the key k before",
    ]);
    assert!(!bench.path("second").exists());
}

/// If the author crashes after a version is durable, and before it is recorded, the record must
/// catch up. It must then refuse the older state.
#[test]
fn a_record_that_is_behind_catches_up() {
    let bench = with_objects();
    let record = bench.read("k.signed");
    bench.ok("directory append d --key k cat");
    bench.write("k.signed", &record);
    copy(&bench, "d", "old");
    bench.ok("directory append d --key k dog");
    assert_eq!(bench.one("directory status d")["latest"], 3);
    copy(&bench, "old", "d");
    bench.fails("directory append d --key k dog", 3, "version 3");
}

/// An author that crashes before it writes an update for servers must write it with the next one.
/// Servers could otherwise apply no later version.
#[test]
fn an_update_that_a_crash_left_unwritten_is_written_later() {
    let bench = with_objects();
    bench.ok("directory append d --key k --updates updates cat");
    let update = bench.read("updates/2.update");
    fs::remove_file(bench.path("updates/2.update")).unwrap();
    bench.ok("directory append d --key k --updates updates dog");
    assert_eq!(bench.read("updates/2.update"), update);
    bench.ok("directory create server --public k.pub");
    bench.ok("directory apply server updates/1.update updates/2.update updates/3.update");
    assert_eq!(bench.one("directory status server")["entries"], 5);
}

#[test]
fn what_cannot_be_done_changes_nothing() {
    let bench = with_objects();
    bench.ok("keygen --out tree");
    bench.ok("keygen --out other --scheme directory");
    bench.ok("directory delete d --key k 1");
    let zero = "0".repeat(64);
    bench.write("zero", format!("{}\n{zero}\n", "1".repeat(64)).as_bytes());
    bench.write("short", b"12ab\n");
    bench.write("empty", b"");
    bench.steps(&[
        "directory append d --key other cat => 2 the key is for dictionary",
        "directory append d --key k none => 4 none",
        "directory append d --key k --digests zero => 2 digests zero: line 2: the digest of zero \
         bytes is reserved",
        "directory append d --key k --digests short => 2 line 1: a digest has 64 hexadecimal \
         digits",
        "directory append d --key k --digests empty => 2 no object",
        "directory import d --key k --digests zero => 2 digests zero: line 2",
        "directory import e --key other --digests empty => 2 no object",
        "directory update d --key k 9 cat => 2 there is no entry 9",
        "directory update d --key k 1 cat => 2 entry 1 is deleted permanently",
        "directory delete d --key k 1 => 2 entry 1 is deleted permanently",
        "directory delete d --key k 0 9 => 2 there is no entry 9",
        "directory create d --key other => 2 d is not empty",
        "directory create e --key tree => 2 for scheme red-black",
        "directory prove none 1 --out proof => 4 there is no directory in none",
        "directory prove d --range 5..5 --out proof => 2 it is empty",
        "directory prove d 1 --out cat => 2 use --force to replace it",
        "put --store s --key other apple 3 => 2 create one in a folder with pad directory create",
        "verify --public other.pub --proof cat --at 1 apple => 2 not supported by scheme directory",
    ]);
    assert!(!bench.path("e").exists() && !bench.path("proof").exists());
    let error = bench.error("directory prove none 1 --out proof");
    assert_has(&error, &json!({ "exit": 4, "kind": "store" }), "none");
    let status = bench.one("directory status d --public k.pub");
    assert_has(&status, &json!({ "latest": 2, "entries": 3 }), "d");
}

#[test]
fn damage_is_found_and_named() {
    let bench = with_objects();
    bench.write("digests", digests(300).as_bytes());
    bench.ok("directory append d --key k --digests digests");
    bench.ok("directory check d --public k.pub");
    let flip = |name: &str, place: usize| {
        let mut bytes = bench.read(name);
        bytes[place] ^= 1;
        bench.write(name, &bytes);
    };
    flip("d/level-0", 200 * 32);
    bench.steps(&[
        "directory check d --public k.pub => 3 block 1 of level 0 does not match its signed digest",
        "directory verify --from d --public k.pub --id 200 => 4",
        // Other blocks are intact.
        "directory verify --from d --public k.pub --id 0 --object cat",
    ]);
    flip("d/level-0", 200 * 32);
    bench.ok("directory check d --public k.pub");
    flip("d/level-1", 40);
    bench.fails("directory check d --public k.pub", 3, "level 1");
    bench.fails("directory status d", 4, "level 1");
    flip("d/level-1", 40);
    fs::remove_file(bench.path("d/level-1")).unwrap();
    bench.fails("directory check d", 4, "level-1");
}

/// While another process has the folder open, a command waits for the lock, and then fails.
#[test]
fn two_authors_at_once_make_two_versions() {
    let bench = with_objects();
    let codes = std::thread::scope(|scope| {
        let append = |object: &str| bench.run(&format!("directory append d --key k {object}"));
        let running = ["cat", "dog"].map(|object| scope.spawn(move || append(object)));
        running.map(|thread| thread.join().unwrap().status.code())
    });
    let done = codes.iter().filter(|code| **code == Some(0)).count();
    // A command that did not get the lock in time must not have changed anything.
    let is_expected = codes.iter().all(|code| matches!(code, Some(0 | 4)));
    assert!(is_expected, "{codes:?}");
    assert!(done >= 1);
    let status = bench.one("directory status d");
    assert_eq!(status["entries"], 3 + done);
    assert_eq!(status["latest"], 1 + done);
    bench.ok("directory check d");
    assert!(bench.path("k.signed").exists());
}
