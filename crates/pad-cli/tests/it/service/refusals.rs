//! Tests of failed commands about servers, and their exit statuses.

use super::process::{Process, ROOTS, begin_store, certify};
use crate::bench::{Bench, text};

#[test]
fn wrong_usage_and_servers_out_of_reach_are_told_apart_from_lies() {
    let bench = Bench::with_trace();
    certify(&bench);
    begin_store(&bench, "one");
    let one = Process::start(&bench, "serve --store one");
    let (url, asked) = (one.url(), one.asked());
    let to = format!("--to {url} {ROOTS}");
    bench.steps(&[
        "serve --store s --listen 0.0.0.0:0 => 2 other machines are served with TLS only",
        "serve --store s --store x/s => 4 there is no store",
        "serve --store s --store s => 2 two stores have the name s",
        "serve --store a/b=s => 2 cannot be part of an address",
        "mirror --store new --from http://127.0.0.1:1 => 2 needs the author's --public key",
        "get --server ftp://x apple => 2 begins with neither http:// nor https://",
        "get --server http://127.0.0.1:1 apple => 4 no answer",
        // A server with an untrusted certificate counts as unreachable, not as lying.
        &format!("get --server {url} apple => 4 no secure connection"),
        &format!("get {asked} --at 9 apple => 2 version 9 is newer than version 1"),
        &format!("diff {asked} 0 1 => 2 use --complete to compare"),
        &format!("diff --complete {asked} 0 1"),
        "keygen --out other",
        &format!("get --server {url} {ROOTS} --public other.pub apple => 3 verification failed"),
        // Without a public key, the server's own key is used, and the output states this.
        &format!("get --server {url} {ROOTS} apple => 0 which is not authenticated"),
        // A push must not send an old copy to a newer store.
        &format!("push --store s --key k {to}"),
        &format!("push --store s --key k --to http://127.0.0.1:1 {to} => 4 {LATER}"),
    ]);
    begin_store(&bench, "older");
    bench.step(&format!("push --store older {to} => 3 it is an old copy"));
    let rows = ["a", "b", "c", "d"].into_iter().zip(1..);
    let rows = rows.map(|(name, price)| format!("{name},put,apple,{price}\n"));
    bench.write_trace("fork.csv", rows);
    bench.ok("import --store fork --key k --record fork.signed --new-record fork.csv");
    bench.step(&format!("push --store fork {to} => 3 refused"));
}

const LATER: &str = "help: send the versions later with pad push";

#[test]
fn an_address_without_the_path_of_a_dictionary_is_corrected() {
    let bench = Bench::with_trace();
    certify(&bench);
    let server = Process::start(&bench, "serve --store s");
    let url = server.url();
    let right = format!("help: use the address of a dictionary: {url}/v1/dictionaries/s\n");
    for path in ["s", "s/", "v1/s"] {
        let get = format!("get --server {url}/{path} {ROOTS} apple");
        bench.fails(&get, 4, &right);
        bench.fails(&format!("{get} --public k.pub"), 2, &right);
    }
    let push = format!("push --store s --to {url}/s {ROOTS}");
    let right = format!("{url}/s: use the address of a dictionary: {url}/v1/dictionaries/s;");
    bench.fails(&push, 4, &right);
    let unnamed = format!("get --server {url}/v1/dictionaries {ROOTS} --public k.pub apple");
    bench.fails(&unnamed, 2, &format!("{url}/v1/dictionaries/NAME\n"));
    // The address is right, and the name is not.
    let other = format!("get --server {url}/v1/dictionaries/t {ROOTS} --public k.pub apple");
    bench.fails(&other, 2, "there is no such dictionary");
    let output = bench.run(&other);
    assert!(!text(&output.stderr).contains("help:"));
}
