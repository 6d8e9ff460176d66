//! Sequences of commands from creating a key to verifying an entry, for an author, a server and a
//! client.

use serde_json::{Value as Json, json};

use crate::bench::Bench;

/// Creates a directory `d` with the key `k`, three objects in version 1, and their hints in the
/// folder `hints`.
pub(crate) fn with_objects() -> Bench {
    let bench = Bench::new();
    bench.ok("keygen --out k --scheme directory");
    bench.ok("directory create d --key k");
    for (name, contents) in [("cat", "meow"), ("dog", "woof"), ("cow", "moo")] {
        bench.write(name, contents.as_bytes());
    }
    bench.ok("directory append d --key k --hints hints --updates updates cat dog cow");
    bench
}

/// Returns the only object that a command prints.
pub(crate) fn one(bench: &Bench, line: &str) -> Json {
    let mut printed = bench.json(line);
    assert_eq!(printed.len(), 1, "{line}: {printed:?}");
    printed.remove(0)
}

#[test]
fn an_entry_is_registered_proved_and_verified() {
    let bench = with_objects();
    bench.ok("directory prove d 1 --public k.pub --out proof");
    let text = bench.ok("directory verify proof --public k.pub --id 1 --object dog");
    assert!(text.starts_with("live               1  "), "{text}");
    assert!(text.contains("version 1 of 3 entries, verified"), "{text}");
    let said = one(
        &bench,
        "directory verify proof --public k.pub --id 1 --object dog",
    );
    assert_eq!(said["matched"], true);
    assert_eq!(said["verified"], true);
    assert_eq!(said["answers"][0]["status"], "live");
    let digest = said["answers"][0]["digest"].as_str().unwrap().to_owned();
    bench.ok(&format!(
        "directory verify proof --public k.pub --id 1 --digest {digest} --at 1"
    ));
    // Another object, another entry, and another version must be refused.
    bench.write("dog", b"WOOF");
    bench.fails(
        "directory verify proof --public k.pub --id 1 --object dog",
        3,
        "the object dog with the digest",
    );
    for line in [
        "directory verify proof --public k.pub --id 0",
        "directory verify proof --public k.pub --id 0 --id 1",
        "directory verify proof --public k.pub --id 1 --at 2",
    ] {
        bench.fails(line, 3, "verification failed");
    }
}

#[test]
fn what_is_deleted_or_not_assigned_is_proved_too() {
    let bench = with_objects();
    bench.ok("directory delete d --key k 1");
    bench.ok("directory prove d 1 2 3 7 --public k.pub --out proof");
    let said = one(
        &bench,
        "directory verify proof --public k.pub --id 7 --id 2 --id 1 --id 3",
    );
    let states: Vec<_> = said["answers"].as_array().unwrap().iter().collect();
    let states: Vec<_> = states.iter().map(|entry| &entry["status"]).collect();
    assert_eq!(states, ["deleted", "live", "unassigned", "unassigned"]);
    assert_eq!((&said["version"], &said["entries"]), (&json!(2), &json!(3)));
    bench.ok("directory prove d --range 1..9 --public k.pub --out range");
    let said = one(&bench, "directory verify range --public k.pub --range 1..9");
    assert_eq!(
        said["answers"][2],
        json!({ "first_id": 3, "last_id": 8, "status": "unassigned" })
    );
    bench.fails(
        "directory verify range --public k.pub --id 1",
        3,
        "verification failed",
    );
    bench.ok("directory prove d 1 --out one");
    bench.fails(
        "directory verify one --public k.pub --id 1 --object dog",
        3,
        "which is deleted",
    );
}

#[test]
fn an_import_is_loaded_at_once_and_goes_on_in_versions() {
    let bench = Bench::new();
    bench.ok("keygen --out k --scheme directory");
    let lines: Vec<String> = (1..=1000)
        .map(|number| format!("{number:064x}\n"))
        .collect();
    bench.write("digests", lines.concat().as_bytes());
    let loaded = one(&bench, "directory import d --key k --digests digests");
    assert_eq!(loaded["version"], 1);
    assert_eq!(
        (&loaded["imported_entries"], &loaded["entries"]),
        (&json!(1000), &json!(1000))
    );
    let more = bench.json("directory import d --key k --group 300 --skip 400 --digests digests");
    assert_eq!(more.len(), 2);
    assert_eq!(
        (&more[1]["first_id"], &more[1]["entries"]),
        (&json!(1300), &json!(1600))
    );
    // A line that is skipped is still parsed.
    let damaged = lines.concat().replacen("0002\n", "000g\n", 1);
    bench.write("damaged", damaged.as_bytes());
    bench.fails(
        "directory import d --key k --skip 400 --digests damaged",
        2,
        "line 2",
    );
    bench.ok("directory check d --public k.pub");
    // If the entries are appended one by one, the root is the same.
    bench.ok("keygen --out other --scheme directory");
    let versions = bench
        .json("directory import e --key other --group 400 --updates updates --digests digests");
    assert_eq!(versions.len(), 3);
    assert_eq!(versions[2]["root"], loaded["root"]);
    // Files and folders are registered in the order of their names.
    std::fs::create_dir_all(bench.path("files/b")).unwrap();
    for name in ["files/c", "files/b/z", "files/b/a", "files/a"] {
        bench.write(name, name.as_bytes());
    }
    let files = bench.json("directory import d --key k files");
    let names: Vec<_> = files
        .iter()
        .filter_map(|said| said["object"].as_str())
        .collect();
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
    bench.fails(
        "directory apply server updates/2.update",
        2,
        "updates/2.update: the update follows version 1, but the newest version here is 0",
    );
    let applied =
        bench.json("directory apply server updates/1.update updates/2.update updates/3.update");
    let status = one(&bench, "directory status d --public k.pub");
    assert_eq!(applied[2]["root"], status["root"]);
    assert_eq!(status["entries"], 3);
    bench.ok("directory check server --public k.pub");
    bench.ok("directory verify --from server --public k.pub --id 0 --object dog");
    let mut update = bench.read("updates/2.update");
    let last = update.len() - 1;
    update[last] ^= 1;
    bench.write("bad", &update);
    bench.ok("directory create second --public k.pub");
    bench.ok("directory apply second updates/1.update");
    bench.fails(
        "directory apply second bad",
        3,
        "bad: the update is refused",
    );
    bench.ok("directory apply second updates/2.update");
}
