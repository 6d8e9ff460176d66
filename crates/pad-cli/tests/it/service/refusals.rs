//! Tests of failed commands about servers, and their exit statuses.

use super::process::{Process, begin_store, certify};
use crate::bench::{Bench, text};

#[test]
fn wrong_usage_and_servers_out_of_reach_are_told_apart_from_lies() {
    let bench = Bench::with_trace();
    certify(&bench);
    begin_store(&bench, "one");
    let one = Process::start(&bench, "serve --store one");
    let (url, roots) = (one.url(), "--tls-roots tls.pem");
    bench.fails(
        "serve --store s --listen 0.0.0.0:0",
        2,
        "other machines are served with TLS only",
    );
    bench.fails("serve --store s --store x/s", 4, "there is no store");
    bench.fails("serve --store s --store s", 2, "two stores have the name s");
    bench.fails("serve --store a/b=s", 2, "cannot be part of an address");
    bench.fails(
        "mirror --store new --from http://127.0.0.1:1",
        2,
        "needs the author's --public key",
    );
    bench.fails(
        "get --server ftp://x apple",
        2,
        "begins with neither http:// nor https://",
    );
    bench.fails("get --server http://127.0.0.1:1 apple", 4, "no answer");
    // A server with an untrusted certificate counts as unreachable, not as lying.
    bench.fails(
        &format!("get --server {url} apple"),
        4,
        "no secure connection",
    );
    bench.fails(
        &format!("get --server {url} {roots} --public k.pub --at 9 apple"),
        2,
        "version 9 is newer than version 1",
    );
    bench.fails(
        &format!("diff --server {url} {roots} --public k.pub 0 1"),
        2,
        "use --complete to compare",
    );
    bench.ok(&format!(
        "diff --complete --server {url} {roots} --public k.pub 0 1"
    ));
    bench.ok("keygen --out other");
    bench.fails(
        &format!("get --server {url} {roots} --public other.pub apple"),
        3,
        "verification failed",
    );
    // Without a public key, the server's own key is used, and the output states this.
    let answer = bench.ok(&format!("get --server {url} {roots} apple"));
    assert!(answer.contains("which is not authenticated"), "{answer}");
    // A push must not send an old copy to a newer store.
    bench.ok(&format!("push --store s --key k --to {url} {roots}"));
    bench.fails(
        &format!("push --store s --key k --to http://127.0.0.1:1 --to {url} {roots}"),
        4,
        "help: send the versions later with pad push",
    );
    begin_store(&bench, "older");
    bench.fails(
        &format!("push --store older --to {url} {roots}"),
        3,
        "it is an old copy",
    );
    bench.write(
        "fork.csv",
        b"snapshot,op,key,value\na,put,apple,1\nb,put,apple,2\nc,put,apple,3\nd,put,apple,4\n",
    );
    bench.ok("import --store fork --key k --record fork.signed --new-record fork.csv");
    bench.fails(
        &format!("push --store fork --to {url} {roots}"),
        3,
        "refused",
    );
}

#[test]
fn an_address_without_the_path_of_a_dictionary_is_corrected() {
    let bench = Bench::with_trace();
    certify(&bench);
    let server = Process::start(&bench, "serve --store s");
    let (url, roots) = (server.url(), "--tls-roots tls.pem");
    let right = format!("help: use the address of a dictionary: {url}/v1/dictionaries/s\n");
    for path in ["s", "s/", "v1/s"] {
        let get = format!("get --server {url}/{path} {roots} apple");
        bench.fails(&get, 4, &right);
        bench.fails(&format!("{get} --public k.pub"), 2, &right);
    }
    let push = format!("push --store s --to {url}/s {roots}");
    let right = format!("{url}/s: use the address of a dictionary: {url}/v1/dictionaries/s;");
    bench.fails(&push, 4, &right);
    let unnamed = format!("get --server {url}/v1/dictionaries {roots} --public k.pub apple");
    bench.fails(&unnamed, 2, &format!("{url}/v1/dictionaries/NAME\n"));
    // The address is right, and the name is not.
    let other = format!("get --server {url}/v1/dictionaries/t {roots} --public k.pub apple");
    bench.fails(&other, 2, "there is no such dictionary");
    let output = bench.run(&other);
    assert!(!text(&output.stderr).contains("help:"));
}
