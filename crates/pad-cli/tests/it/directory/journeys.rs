//! Sequences of commands from creating a key to verifying an entry, for an author, a server and a
//! client.

use serde_json::{Value as Json, json};

use crate::bench::{Bench, assert_has, digests};

/// Creates a directory `d` with the key `k`, three objects in version 1, and their hints in the
/// folder `hints`.
pub(crate) fn with_objects() -> Bench {
    Bench::shared("a directory of objects", || {
        let bench = with_three_objects();
        bench.ok("directory create d --key k");
        bench.ok("directory append d --key k --hints hints --updates updates cat dog cow");
        bench
    })
}

/// Creates a key of a directory, and three objects.
pub(super) fn with_three_objects() -> Bench {
    let bench = Bench::with_key("directory");
    for (name, contents) in [("cat", "meow"), ("dog", "woof"), ("cow", "moo")] {
        bench.write(name, contents.as_bytes());
    }
    bench
}

#[test]
fn an_entry_is_registered_proved_and_verified() {
    let bench = with_objects();
    bench.ok("directory prove d 1 --public k.pub --out proof");
    let text = bench.ok("directory verify proof --public k.pub --at 1 --id 1 --object dog");
    assert!(text.starts_with("live               1  "), "{text}");
    assert!(text.contains("version 1 of 3 entries, verified"), "{text}");
    let unversioned = "directory verify proof --public k.pub";
    let verify = &format!("{unversioned} --at 1");
    let said = bench.one(&format!("{verify} --id 1 --object dog"));
    assert_has(&said, &json!({ "matched": true, "verified": true }), verify);
    assert_eq!(said["answers"][0]["status"], "live");
    let digest = said["answers"][0]["digest"].as_str().unwrap();
    bench.ok(&format!("{verify} --id 1 --digest {digest}"));
    // Another object, another entry, and another version must be refused.
    bench.write("dog", b"WOOF");
    bench.steps(&[
        &format!("{verify} --id 1 --object dog => 3 the object dog with the digest"),
        &format!("{verify} --id 0 => 3 verification failed"),
        &format!("{verify} --id 0 --id 1 => 3 verification failed"),
        &format!("{unversioned} --id 1 --at 2 => 3 verification failed"),
        // The version must be given, as a number.
        &format!("{unversioned} --id 1 => usage --at <VERSION>"),
        &format!("{unversioned} --id 1 --at latest => usage expected a version number"),
    ]);
}

/// Asserts that an answer is about entries in these states.
pub(crate) fn assert_states(said: &Json, expected: &[&str]) {
    let answers = said["answers"].as_array().unwrap().iter();
    let states = answers.map(|entry| entry["status"].as_str().unwrap());
    assert!(states.eq(expected.iter().copied()), "{said}");
}

#[test]
fn what_is_deleted_or_not_assigned_is_proved_too() {
    let bench = with_objects();
    bench.ok("directory delete d --key k 1");
    bench.ok("directory prove d 1 2 3 7 --public k.pub --out proof");
    let ids = "--id 7 --id 2 --id 1 --id 3";
    let said = bench.one(&format!(
        "directory verify proof --public k.pub --at 2 {ids}"
    ));
    assert_states(&said, &["deleted", "live", "unassigned", "unassigned"]);
    assert_has(&said, &json!({ "version": 2, "entries": 3 }), ids);
    bench.ok("directory prove d --range 1..9 --public k.pub --out range");
    let said = bench.one("directory verify range --public k.pub --at 2 --range 1..9");
    let rest = json!({ "first_id": 3, "last_id": 8, "status": "unassigned" });
    assert_eq!(said["answers"][2], rest);
    bench.steps(&[
        "directory verify range --public k.pub --at 2 --id 1 => 3 verification failed",
        "directory prove d 1 --out one",
        "directory verify one --public k.pub --at 2 --id 1 --object dog => 3 which is deleted",
    ]);
}

#[test]
fn an_import_is_loaded_at_once_and_goes_on_in_versions() {
    let bench = Bench::with_key("directory");
    let lines = digests(1000);
    bench.write("digests", lines.as_bytes());
    let loaded = bench.one("directory import d --key k --digests digests");
    let expected = json!({ "version": 1, "imported_entries": 1000, "entries": 1000 });
    assert_has(&loaded, &expected, "d");
    let more = bench.json("directory import d --key k --group 300 --skip 400 --digests digests");
    assert_eq!(more.len(), 2);
    let expected = json!({ "first_id": 1300, "entries": 1600 });
    assert_has(&more[1], &expected, "d");
    // A line that is skipped is still parsed.
    let damaged = lines.replacen("0002\n", "000g\n", 1);
    bench.write("damaged", damaged.as_bytes());
    bench.steps(&[
        "directory import d --key k --skip 400 --digests damaged => 2 line 2",
        "directory check d --public k.pub",
    ]);
    // If the entries are appended one by one, the root is the same.
    bench.ok("keygen --out other --scheme directory");
    let import = "directory import e --key other --group 400 --updates updates";
    let versions = bench.json(&format!("{import} --digests digests"));
    assert_eq!(versions.len(), 3);
    assert_eq!(versions[2]["root"], loaded["root"]);
    // Files and folders are registered in the order of their names.
    std::fs::create_dir_all(bench.path("files/b")).unwrap();
    for name in ["files/c", "files/b/z", "files/b/a", "files/a"] {
        bench.write(name, name.as_bytes());
    }
    let files = bench.json("directory import d --key k files");
    let names = files.iter().filter_map(|said| said["object"].as_str());
    let names: Vec<_> = names.collect();
    assert_eq!(names, ["files/a", "files/b/a", "files/b/z", "files/c"]);
    assert_eq!(files[0]["id"], 1600);
    bench.ok("directory verify --from d --public k.pub --id 1601 --object files/b/a");
}

#[test]
fn a_server_that_is_not_the_author_follows_by_updates() {
    let bench = with_objects();
    bench.ok("directory update d --key k --updates updates 0 dog");
    bench.ok("directory delete d --key k --updates updates 2");
    bench.ok("directory create server --public k.pub --step 3");
    let gap = "updates/2.update: the update follows version 1, but the newest version here is 0";
    bench.fails("directory apply server updates/2.update", 2, gap);
    let applied =
        bench.json("directory apply server updates/1.update updates/2.update updates/3.update");
    let status = bench.one("directory status d --public k.pub");
    assert_eq!(applied[2]["root"], status["root"]);
    assert_eq!(status["entries"], 3);
    bench.ok("directory check server --public k.pub");
    bench.ok("directory verify --from server --public k.pub --id 0 --object dog");
    let mut update = bench.read("updates/2.update");
    let last = update.len() - 1;
    update[last] ^= 1;
    bench.write("bad", &update);
    bench.steps(&[
        "directory create second --public k.pub",
        "directory apply second updates/1.update",
        "directory apply second bad => 3 bad: the update is refused",
        "directory apply second updates/2.update",
    ]);
}
