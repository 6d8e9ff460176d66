//! Tests of servers with the whole latest version in memory.

use super::process::{Process, certify, wait_for};
use crate::bench::{Bench, objects};

#[test]
fn what_is_in_memory_is_followed_while_versions_come_and_nodes_are_put_together() {
    let bench = Bench::with_trace();
    certify(&bench);
    let line = "serve --store s --cache all:1GiB --follow-every 20 --listen 127.0.0.1:0 \
                --tls-cert tls.pem --tls-key tls.key";
    let (server, printed) = Process::spawn_printing(&bench, line.split(' '));
    let said = &objects(&printed)[0];
    assert!(said["memory_bytes"].as_u64().unwrap() > 0);
    assert_eq!(said["dictionary_name"], "s");
    let url = server.url();
    let get = format!("get --server {url} --tls-roots tls.pem --public k.pub apple");
    for number in 0..5 {
        bench.publish(&format!("put apple {number}"));
        if number == 2 {
            let compacted = bench.json("compact --store s").pop().unwrap();
            let bytes = |name: &str| compacted[name].as_u64().unwrap();
            assert!(bytes("after_bytes") >= bytes("before_bytes") + bytes("written_bytes"));
            bench.ok("compact --store s --since 1");
        }
        wait_for(&bench, &url, 4 + number);
        bench.step(&format!("{get} => 0 apple = {number} "));
    }
    bench.ok("check --store s --public k.pub");
}

#[test]
fn what_cannot_be_in_memory_or_be_put_together_is_refused() {
    let bench = Bench::with_trace();
    let large = "x".repeat(15_000);
    for number in 0..8 {
        bench.ok(&format!("put --store s large{number} {large}"));
    }
    bench.ok("commit --store s --key k");
    bench.fails("serve --store s --cache all:64KiB", 2, "bytes of memory");
    bench.fails("compact --store s --since 9", 2, "version 9");
    bench.ok("keygen --out l --scheme tuple-base");
    bench.ok("import --store m --key l t.csv");
    bench.fails("compact --store m", 2, "can be compacted");
}
