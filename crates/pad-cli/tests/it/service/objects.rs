//! Tests of a server on an object store that receives updates, and of readers of the objects
//! without a server.

use super::process::{Process, certify, wait_for};
use crate::bench::Bench;

#[test]
fn updates_are_brought_to_objects_and_read_by_all() {
    let bench = Bench::with_trace();
    certify(&bench);
    let address = format!("file://{}", bench.path("objects/prices").display());
    bench.ok("export --store s --at 1 --out first");
    bench.ok(&format!("apply --store {address} --public k.pub first"));
    let served = Process::start(&bench, &format!("serve --store {address}"));
    let (url, roots) = (served.url(), "--tls-roots tls.pem");
    bench.ok(&format!("push --store s --to {url} {roots}"));
    wait_for(&bench, &url, 3);
    let expected = bench.ok("get --store s --public k.pub apple");
    for reader in [
        format!("--server {url} {roots}"),
        format!("--store {address}"),
    ] {
        let answer = bench.ok(&format!("get {reader} --public k.pub apple"));
        assert_eq!(answer, expected);
        bench.ok(&format!("range {reader} --public k.pub a z"));
        bench.ok(&format!("history {reader} --public k.pub apple"));
    }
    bench.ok(&format!("check --store {address} --public k.pub"));
    // Another server uses the same objects. An update is applied to the objects directly.
    let other = Process::start(&bench, &format!("serve --store {address}"));
    bench.ok("put --store s apple 9");
    bench.ok("commit --store s --key k");
    bench.ok("export --store s --at 4 --out fourth");
    bench.ok(&format!("apply --store {address} --public k.pub fourth"));
    for server in [&served, &other] {
        wait_for(&bench, &server.url(), 4);
    }
    #[cfg(unix)]
    for server in [served, other] {
        server.stop();
    }
    let log = String::from_utf8(bench.read("log")).unwrap();
    assert!(!log.contains("panicked"), "{log}");
}

#[test]
fn authors_have_their_stores_in_files() {
    let bench = Bench::with_trace();
    let address = format!("file://{}", bench.path("objects/prices").display());
    bench.ok("export --store s --at 1 --out first");
    bench.ok(&format!("apply --store {address} --public k.pub first"));
    let refused = "accepts only signed updates";
    for line in [
        "put apple 9",
        "put --key k apple 9",
        "commit --key k",
        "import --key k t.csv",
    ] {
        bench.fails(&format!("{line} --store {address}"), 2, refused);
    }
    bench.fails(
        &format!("prune --store {address} --before 1"),
        2,
        "keeps all versions",
    );
    bench.fails("get --store file://x/y apple", 4, "begins with file:///");
    let none = format!("file://{}", bench.path("objects/none").display());
    bench.fails(
        &format!("get --store {none} apple"),
        4,
        "pad apply --public",
    );
    // If the description is missing, the remaining objects are not treated as a new store.
    std::fs::remove_file(bench.path("objects/prices/description")).unwrap();
    bench.fails(
        &format!("apply --store {address} --public k.pub first"),
        4,
        "object 'description' is missing",
    );
}
