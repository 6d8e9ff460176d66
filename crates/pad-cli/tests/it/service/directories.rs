//! Tests of block directories on servers, in separate processes.

use serde_json::json;

use super::process::{Process, ROOTS, certify};
use crate::{
    bench::{Bench, Outcome as _, assert_has},
    directory::journeys::{assert_states, with_objects},
};

/// Creates a directory `d` with three objects, and a folder `e` for a server without versions.
fn with_server() -> (Bench, Process) {
    let bench = with_objects();
    certify(&bench);
    bench.ok("directory create e --public k.pub");
    let server = Process::start(&bench, "serve --directory e");
    (bench, server)
}

#[test]
fn an_author_pushes_and_clients_verify() {
    let (bench, server) = with_server();
    let url = server.url();
    let verify = format!("directory verify --server {url} {ROOTS} --public k.pub");
    let status = format!("directory status --server {url} {ROOTS} --public k.pub");
    bench.step(&format!(
        "{verify} --id 0 => 2 the server has no version yet"
    ));
    // Nothing proves that there is no version.
    let empty = bench.one(&status);
    assert_has(&empty, &json!({ "latest": 0, "verified": false }), "empty");
    bench.ok("directory delete d --key k --updates updates 1");
    let push = format!("directory push --to {url} {ROOTS}");
    bench.step(&format!(
        "{push} updates/2.update => 2 send the updates between them first"
    ));
    let pushed = bench.one(&format!("{push} updates/1.update updates/2.update"));
    let expected = json!({ "server": url, "latest": 2, "new_versions": 2 });
    assert_eq!(pushed, expected);
    let said = bench.one(&format!("{verify} --view v --id 0 --id 1 --id 9"));
    assert_states(&said, &["live", "deleted", "unassigned"]);
    assert_has(&said, &json!({ "version": 2, "entries": 3 }), "answer");
    let said = bench.one(&format!("{verify} --range 1..9 --at 2"));
    assert_eq!(said["answers"][2]["last_id"], 8);
    bench.steps(&[
        &format!("{verify} --id 0 --object cat"),
        &format!("{verify} --id 0 --object dog => 3 the object dog"),
        &format!("{verify} --id 0 --at 1 => 2 {url}"),
        &format!("{verify} --id 0 --at 0 => 2 no signed head"),
        &format!("{verify} --id 0 --at 3 => 2 version 3 is newer"),
    ]);
    // The same state, from the folder and from the server.
    let local = bench.one("directory status d --public k.pub");
    let asked = bench.one(&status);
    let fields = "latest root entries suite dictionary author verified";
    for field in fields.split(' ') {
        assert_eq!(local[field], asked[field], "{field}");
    }
    // The environment variable names the server, unless another source is given.
    let words = format!("directory verify {ROOTS} --view v --id 2");
    let named = bench.run_with(&[("PAD_SERVER", url.as_str())], &words);
    named.succeeds();
    let stranger = format!("directory verify --server {url} {ROOTS} --public other.pub");
    bench.steps(&[
        &format!("{verify} --from d --id 2 => 2 --server and --from are both given"),
        // Another process cannot use the folder while it is served.
        "directory status e => 4 another process uses",
        "keygen --out other --scheme directory",
        &format!("{stranger} --id 0 => 3 verification failed"),
        "directory verify --id 0 => 2 no proof is given",
        "directory status => 2 no folder is given",
    ]);
    // A restarted server has the same versions.
    drop(server);
    let server = Process::start(&bench, "serve --directory e");
    let server_option = format!("--server {}", server.url());
    let again = format!("directory verify {server_option} {ROOTS} --view v --id 0");
    assert_eq!(bench.one(&again)["version"], 2);
}

/// An author without entries changes the directory with proofs from the server.
#[test]
fn a_light_author_changes_a_served_directory() {
    let bench = crate::directory::light::with_light_author();
    certify(&bench);
    let server = Process::start(&bench, "serve --directory copy");
    let from = format!("--server {} {ROOTS}", server.url());
    let update = format!("directory update author --key k {from} 0 dog");
    let push = |version: u64| {
        let push = format!("directory push --to {} {ROOTS}", server.url());
        bench.ok(&format!("{push} author/{version}.update"));
    };
    let said = bench.one(&update);
    let expected = json!({ "version": 2, "changes": 1, "entries": 3 });
    assert_has(&said, &expected, "update");
    // The server lacks version 2, on which version 3 builds.
    bench.fails(&update, 2, "the light author is at version 2");
    push(2);
    bench.ok(&format!("directory delete author --key k {from} 1 2"));
    push(3);
    let ids = "--id 0 --id 1 --id 2";
    let said = bench.one(&format!("directory verify {from} --public k.pub {ids}"));
    assert_states(&said, &["live", "deleted", "deleted"]);
    let lost = "directory update begun --key k --record new --new-record";
    bench.steps(&[
        &format!("directory delete author --key k {from} 1 => 2 entry 1 is deleted permanently"),
        // The server shows that a copy of the state is old, even if the record is lost.
        &format!("{lost} {from} 0 dog => 3 the light author's state is an old copy"),
    ]);
    assert!(!bench.path("begun/2.update").exists());
}

#[test]
fn a_server_of_older_versions_and_of_several_dictionaries() {
    let (bench, server) = with_server();
    let url = server.url();
    bench.ok("directory append d --key k --updates updates cat");
    let push = format!("directory push --to {url} {ROOTS}");
    bench.ok(&format!("{push} updates/1.update updates/2.update"));
    let verify = |url: &str| format!("directory verify --server {url} {ROOTS} --view v --id 0");
    bench.ok(&format!("{} --public k.pub", verify(&url)));
    bench.ok("directory create old --public k.pub");
    bench.ok("directory apply old updates/1.update");
    bench.write("t.csv", crate::bench::TRACE.as_bytes());
    bench.ok("keygen --out keys");
    bench.ok("import --store s --key keys t.csv");
    let both = Process::start(&bench, "serve --store s --directory photos=old");
    let [old, of_keys] =
        ["photos", "s"].map(|name| format!("{}/v1/dictionaries/{name}", both.url()));
    // A client that has seen version 2 refuses version 1, and asks the next server.
    bench.fails(&verify(&old), 3, &format!("{old}: verification failed"));
    let next = format!("{} --server {url}", verify(&old));
    assert_eq!(bench.one(&next)["version"], 2);
    // Commands about keys and commands about ids refuse the other kind of dictionary.
    let of_keys = format!("--server {of_keys} {ROOTS} --public keys.pub");
    let old = format!("--server {old} {ROOTS} --public k.pub");
    bench.steps(&[
        &format!("get {of_keys} apple"),
        &format!("directory verify {of_keys} --id 0 => 2 not a directory"),
        &format!("get {old} apple => 2 look up entries by id"),
        &format!("versions {old}"),
        "serve --store s --directory s=e => 2 --directory: the name s is taken",
        "serve --directory s => 4 s: not a directory",
    ]);
}
