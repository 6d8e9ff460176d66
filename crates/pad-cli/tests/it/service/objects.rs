//! Tests of a server on an object store that receives updates, and of readers of the objects
//! without a server.

use super::process::{Process, ROOTS, begin_store, certify, wait_for};
use crate::bench::Bench;

#[test]
fn updates_are_brought_to_objects_and_read_by_all() {
    let bench = Bench::with_trace();
    certify(&bench);
    let address = format!("file://{}", bench.path("objects/prices").display());
    begin_store(&bench, &address);
    let served = Process::start(&bench, &format!("serve --store {address}"));
    let url = served.url();
    bench.ok(&format!("push --store s --to {url} {ROOTS}"));
    wait_for(&bench, &url, 3);
    let expected = bench.ok("get --store s --public k.pub apple");
    for reader in [served.asked(), format!("--store {address} --public k.pub")] {
        assert_eq!(bench.ok(&format!("get {reader} apple")), expected);
        bench.ok(&format!("range {reader} a z"));
        bench.ok(&format!("history {reader} apple"));
    }
    bench.ok(&format!("check --store {address} --public k.pub"));
    // Another server uses the same objects. An update is applied to the objects directly.
    let other = Process::start(&bench, &format!("serve --store {address}"));
    bench.publish("put apple 9");
    bench.ok("export --store s --at 4 --out fourth");
    bench.ok(&format!("apply --store {address} --public k.pub fourth"));
    for server in [&served, &other] {
        wait_for(&bench, &server.url(), 4);
    }
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
    begin_store(&bench, &address);
    let refused = "=> 2 accepts only signed updates";
    let none = format!("file://{}", bench.path("objects/none").display());
    bench.steps(&[
        &format!("put apple 9 --store {address} {refused}"),
        &format!("put --key k apple 9 --store {address} {refused}"),
        &format!("commit --key k --store {address} {refused}"),
        &format!("import --key k t.csv --store {address} {refused}"),
        &format!("prune --store {address} --before 1 => 2 keeps all versions"),
        "get --store file://x/y apple => 4 begins with file:///",
        &format!("get --store {none} apple => 4 pad apply --public"),
    ]);
    // If the description is missing, the remaining objects are not treated as a new store.
    std::fs::remove_file(bench.path("objects/prices/description")).unwrap();
    let apply = format!("apply --store {address} --public k.pub first.update");
    bench.fails(&apply, 4, "object 'description' is missing");
}
