//! Tests of light authors, which store no entries.

use std::fs;

use serde_json::json;

use super::{journeys::with_three_objects, trust::copy};
use crate::bench::{Bench, Outcome as _, assert_has, names, text};

/// Creates a light author in the folder `author` with the key `k`, with three objects in version 1,
/// a copy of the directory in `copy`, and a copy of the author in `begun`.
pub(crate) fn with_light_author() -> Bench {
    Bench::shared("a light author", || {
        let bench = with_three_objects();
        bench.ok("directory create author --light --key k");
        let said = bench.one("directory append author --key k cat dog cow");
        assert_has(&said, &json!({ "version": 1, "entries": 3 }), "author");
        assert_eq!(said["new_entries"][2]["id"], 2);
        bench.ok("directory create copy --public k.pub");
        bench.ok("directory apply copy author/1.update");
        copy(&bench, "author", "begun");
        bench
    })
}

/// A light author makes the versions of an author that stores all entries.
#[test]
fn its_versions_are_those_of_an_author_with_entries() {
    let bench = with_light_author();
    bench.ok("keygen --out other --scheme directory");
    bench.ok("directory create full --key other");
    bench.ok("directory append full --key other cat dog cow");
    for (version, change) in [(2, "update"), (3, "delete"), (4, "append")] {
        let (light, full) = match change {
            "update" => ("--from copy 1 cat", "1 cat"),
            "delete" => ("--from copy 0 2", "0 2"),
            _ => ("--updates updates cow dog", "cow dog"),
        };
        let light = bench.one(&format!("directory {change} author --key k {light}"));
        let full = bench.one(&format!("directory {change} full --key other {full}"));
        for field in ["version", "entries", "root", "changes"] {
            assert_eq!(light[field], full[field], "{change}: {field}");
        }
        bench.ok(&format!("directory apply copy author/{version}.update"));
    }
    let [one, other] = ["updates", "author"].map(|folder| format!("{folder}/4.update"));
    assert_eq!(bench.read(&one), bench.read(&other));
    bench.ok("directory check copy --public k.pub");
    bench.ok("directory verify --from copy --public k.pub --id 1 --object cat");
    // The author keeps its state, the latest update in it, and the updates for servers.
    let files = names(&bench.path("author")).join(" ");
    assert_eq!(files, "1.update 2.update 3.update 4.update author.state");
}

#[test]
fn changes_without_a_right_proof_are_not_signed() {
    let bench = with_light_author();
    let state = bench.read("author/author.state");
    // A directory with another version 2, signed with the same key: only a test can sign it.
    copy(&bench, "copy", "lying");
    bench.ok("directory update begun --key k --record r --new-record --from copy 0 cow");
    bench.ok("directory apply lying begun/2.update");
    bench.ok("keygen --out other --scheme directory");
    bench.ok("directory create stranger --key other");
    for step in [
        "update author --key k 0 dog => 2 needs a proof",
        "update author --key k --from none 0 dog => 4 none",
        "update author --key k --from stranger 0 dog => 2 the key",
        "update author --key k --from copy 3 dog => 2 no entry 3",
        "update author --key k --from lying 0 dog => 3 an old copy",
        "update author --key other --from copy 0 dog => 2 the key",
        "update author --key k --hints h --from copy 0 dog => 2 no entries",
        "append author --key k none => 4 none",
        "import author --key k dog => 2 a light author, and no entries",
        "status author => 2 a light author, and no entries",
        "check author => 2 a light author, and no entries",
        "verify --from author --id 0 => 2 a light author, and no entries",
        "update stranger --key other --from copy 0 dog => 2 has all entries",
        "create author --light --key other => 2 is not empty",
    ] {
        bench.step(&format!("directory {step}"));
        assert_eq!(bench.read("author/author.state"), state, "{step}");
    }
    // The author is now at version 2, and the other directory proves an entry under another root.
    bench.steps(&[
        "directory update author --key k --from copy 0 dog",
        "directory update author --key k --from lying 0 cat => 3 the proof of the entries that \
         change",
        "directory update author --key k --from copy 0 cat => 2 the light author is at version 2",
        "directory apply copy author/2.update",
    ]);
    let said = bench.one("directory update author --key k --from copy 0 cat");
    assert_eq!(said["version"], 3);
}

/// A version that a crash has left in the state only is completed: with the same head.
#[test]
fn a_version_is_signed_once_although_a_crash_interrupts_it() {
    let bench = with_light_author();
    let record = bench.read("k.signed");
    bench.ok("directory update author --key k --from copy 0 dog");
    let update = bench.read("author/2.update");
    // The crash happened after the state was stored, and before its head was recorded.
    bench.write("k.signed", &record);
    fs::remove_file(bench.path("author/2.update")).unwrap();
    let output = bench.run("directory append author --key k --updates updates cat");
    output.succeeds();
    let warned = text(&output.stderr);
    let is_right = warned.contains("version 2 was signed by an earlier");
    assert!(is_right, "{warned}");
    for file in ["author/2.update", "updates/2.update"] {
        assert_eq!(bench.read(file), update, "{file}");
    }
    bench.steps(&[
        "directory apply copy updates/2.update updates/3.update",
        "directory check copy --public k.pub",
        // The crash happened before the state was stored: the record still forbids older copies.
        "directory append begun --key k cow => 3 the light author's state is an old copy",
    ]);
    let mut state = bench.read("author/author.state");
    state[20] ^= 1;
    bench.write("author/author.state", &state);
    bench.fails("directory append author --key k cow", 4, "is damaged");
}

/// Two states of one version with other heads: only the recorded one continues.
#[test]
fn a_state_with_another_head_signs_nothing() {
    let bench = with_light_author();
    bench.steps(&[
        "directory append begun --key k --record r --new-record cow",
        "directory append author --key k cat",
        "directory append begun --key k dog => 3 another head of version 2",
    ]);
}
