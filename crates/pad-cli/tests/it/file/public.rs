//! Tests of readers and auditors that have only the owner's public data.

use std::fs;

use flexlist_service::internals::message::{Request, Response};
use pad_conformance::soak;

use crate::{
    bench::{Bench, Outcome as _, text},
    file::liar::Liar,
};

const CONTENTS: &[u8] = b"some text that everybody may read and that anybody audits\n";

/// Returns the contents of the file. Tags with pairings take most of the time.
fn contents() -> Vec<u8> {
    CONTENTS.repeat(soak::size(200, 2_000))
}

/// Creates a file with tags of this kind. The public data is in a separate folder without other
/// files.
fn published(kind: &str) -> (Bench, Liar, Bench) {
    let (bench, server) = Liar::bench();
    let address = server.address();
    bench.write("original", &contents());
    bench.steps(&[
        &format!("file keygen --out k --tags {kind}"),
        &format!("file upload --state s --key k --server {address} original"),
        "file public --state s --key k --out published",
    ]);
    let elsewhere = Bench::new();
    fs::copy(bench.path("published"), elsewhere.path("public")).unwrap();
    (bench, server, elsewhere)
}

/// Publishes the file's root in a dictionary, and returns the root.
fn publish_root(bench: &Bench) -> String {
    bench.steps(&[
        "file publish --state s --key k --path notes --store d --author author",
        "commit --store d --key author",
    ]);
    let entry = bench.first("get --store d notes");
    entry["value_hex"].as_str().unwrap().to_owned()
}

#[test]
fn whoever_has_what_is_published_reads_and_audits() {
    for kind in ["public-bls", "hash-only"] {
        let (bench, _server, elsewhere) = published(kind);
        for extent in ["", " --full", " --count 5"] {
            let audit = elsewhere.json(&format!("file audit --public public{extent}"));
            assert_eq!(audit[0]["verified"], true, "{kind}{extent}");
            assert_eq!(audit[0]["version"], 1);
        }
        elsewhere.ok("file read --public public --out copy");
        assert!(elsewhere.read("copy") == contents());
        // The owner changes the file. Readers accept the new version because of the owner's
        // signature.
        bench.ok("file write --state s --key k --offset 0 --text SOME");
        let read = elsewhere.ok("file read --public public --length 9");
        assert_eq!(read, "SOME text");
        elsewhere.step(r#"file audit --public public -> {"version": 2}"#);
    }
}

#[test]
fn tags_with_a_secret_are_not_audited_by_others() {
    let (_bench, _server, elsewhere) = published("private-mac");
    elsewhere.fails("file audit --public public", 2, "the owner's secret key");
    let read = elsewhere.ok("file read --public public --length 9");
    assert_eq!(read, "some text");
    let public = text(&elsewhere.read("public"));
    assert!(public.contains("\ntags private-mac\n"), "{public}");
}

#[test]
fn a_root_that_a_dictionary_has_is_read_and_no_other() {
    let (bench, _server, elsewhere) = published("public-bls");
    bench.ok("keygen --out author");
    let root = publish_root(&bench);
    let line = format!("file read --public public --root {root} --length 9");
    assert_eq!(elsewhere.ok(&line), "some text");
    let audit = elsewhere.json(&format!("file audit --public public --root {root} --full"));
    assert_eq!(audit[0]["sealed_root"], root.as_str());
    // The owner changes the file, and the server deletes the earlier version.
    bench.ok("file write --state s --key k --offset 0 --text SOME");
    elsewhere.fails(&line, 2, "version 1 is gone, and version 2 is the newest");
    let newer = publish_root(&bench);
    let line = format!("file read --public public --root {newer} --length 9");
    assert_eq!(elsewhere.ok(&line), "SOME text");
    let other = newer.replace(&newer[..1], if newer.starts_with('0') { "1" } else { "0" });
    let read = "file read --public public --root";
    elsewhere.steps(&[
        &format!("{read} {other} => 3 does not have the published root"),
        &format!("{read} 00 => usage 64 hexadecimal digits"),
    ]);
}

#[test]
fn lies_to_readers_and_auditors_are_refused() {
    let (bench, server, elsewhere) = published("public-bls");
    let file = bench.json("file status --state s --key k")[0]["file_id"].clone();
    assert!(file.is_string());
    server.lie(|request, server| {
        let mut response = server.handle(request.clone());
        match &mut response {
            Response::Read { blocks, .. } => blocks[0].data.0[0] ^= 1,
            Response::Audited { tag_proof, .. } => tag_proof.0[5] ^= 1,
            _ => {}
        }
        Some(response)
    });
    elsewhere.fails("file read --public public --out copy", 3, "does not verify");
    assert!(!elsewhere.path("copy").exists());
    elsewhere.steps(&[
        "file audit --public public => 3 audit of version 1 failed",
        "file audit --public public --full => 3 audit of version 1 failed",
    ]);
    // The server presents a version older than the published one, with the owner's signature.
    let old = std::sync::Mutex::new(None);
    server.lie(move |request, server| match request {
        Request::Confirmed { .. } => {
            let mut old = old.lock().unwrap();
            let response = server.handle(request.clone());
            Some(old.get_or_insert(response).clone())
        }
        _ => None,
    });
    elsewhere.ok("file read --public public --out copy");
    bench.ok("file write --state s --key k --offset 0 --text SOME");
    bench.ok("file public --state s --key k --out public2");
    fs::copy(bench.path("public2"), elsewhere.path("public")).unwrap();
    elsewhere
        .step("file read --public public => 3 rolled back to version 1, but version 2 is known");
    // The server presents the key of another owner.
    server.be_honest();
    bench.ok("file keygen --out other --tags public-bls");
    let owner = bench.ok("file owner --key other");
    let public = text(&elsewhere.read("public"));
    let mine = public.lines().nth(1).unwrap();
    let strange = public.replace(mine, &format!("owner {}", owner.trim_end()));
    elsewhere.write("strange", strange.as_bytes());
    let malformed = public.replace("version 2", "version x");
    elsewhere.write("malformed", malformed.as_bytes());
    let digits = "0".repeat(64);
    elsewhere.steps(&[
        "file read --public strange => 3 the signature is not the owner's",
        "file read --public malformed => 2 line 5",
        "file read --public none => 2 none",
        "file read --public public --state s => usage cannot be used with",
        "file read => usage --state",
        &format!("file read --state s --root {digits} => usage '--state <FILE>'"),
        &format!("file read --root {digits} => usage --public"),
    ]);
    drop(server);
    let unanswered = elsewhere.run("file audit --public public");
    unanswered.fails_with(4, "");
}
