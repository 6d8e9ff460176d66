//! Tests of witnesses, of a server whose log of heads they cosign, and of clients that require
//! cosignatures, in separate processes.

use std::fmt::Write as _;

use pad_web::client::{HttpOptions, Roots};
use serde_json::json;

use super::{
    parties::FORK,
    process::{Process, ROOTS, certify},
};
use crate::{
    bench::{Bench, Outcome as _, assert_has, text},
    process::{self, free_address, until},
};

/// Returns the first line of a file.
pub(super) fn line(bench: &Bench, name: &str) -> String {
    text(&bench.read(name)).trim_end().to_owned()
}

/// Creates a bench with a trace, a certificate, and a key of the dictionary's log in `log-key`.
fn bench() -> Bench {
    let bench = Bench::with_trace();
    certify(&bench);
    bench.ok("witness keygen --name log.example/heads --log-of k.pub --out log-key");
    bench
}

/// Starts a witness of the log. Its key and its folder have the name `name`.
fn witness(bench: &Bench, name: &str, listen: &str) -> Process {
    if !bench.path(name).exists() {
        let keygen = format!("witness keygen --name witness.example/{name}");
        let key = bench.ok(&format!("{keygen} --out {name}"));
        assert_eq!(key.trim_end(), line(bench, &format!("{name}.pub")));
    }
    let log = line(bench, "log-key.pub");
    let command = format!("witness --state {name}.state --key {name} --known-log {log}");
    Process::start_at(bench, &command, listen)
}

/// Writes a policy with these witnesses and this `quorum`.
pub(super) fn policy(bench: &Bench, file: &str, quorum: usize, witnesses: &[(&str, String)]) {
    let mut policy = format!("log {}\n", line(bench, "log-key.pub"));
    for (name, url) in witnesses {
        let key = line(bench, &format!("{name}.pub"));
        writeln!(policy, "witness {name} {key} {url}").unwrap();
    }
    let names: Vec<_> = witnesses.iter().map(|(name, _)| *name).collect();
    let names = names.join(" ");
    write!(policy, "group q {quorum} {names}\nquorum q\n").unwrap();
    bench.write(file, policy.as_bytes());
}

fn serve(bench: &Bench, store: &str) -> Process {
    let log = format!("--publish {store}.log --log-key log-key --witnesses policy {ROOTS}");
    Process::start(
        bench,
        &format!("serve --store {store} {log} --follow-every 20"),
    )
}

fn get(server: &Process, policy: &str, rest: &str) -> String {
    format!("get {} --witnesses {policy} {rest}", server.asked())
}

/// Returns the size of the log at the last checkpoint that the witness has cosigned.
pub(super) fn witnessed_size(bench: &Bench, witness: &Process) -> u64 {
    let metrics = metrics(bench, witness);
    let mut lines = metrics.lines();
    let line = lines.find(|line| line.starts_with("pad_witness_log_size{"));
    line.unwrap().rsplit_once(' ').unwrap().1.parse().unwrap()
}

/// Waits until the witnesses have cosigned this version.
fn wait_for(bench: &Bench, server: &Process, version: u64) {
    let wanted = format!("newest: version {version},");
    let get = get(server, "policy", "apple");
    until(&wanted, || text(&bench.run(&get).stdout).contains(&wanted));
}

pub(super) fn metrics(bench: &Bench, server: &Process) -> String {
    let options = HttpOptions {
        roots: Roots::Pem(bench.read("tls.pem")),
        ..HttpOptions::default()
    };
    process::metrics(&server.url(), options)
}

#[test]
#[allow(clippy::too_many_lines, reason = "one step after the other")]
fn clients_ask_for_the_word_of_enough_witnesses_and_of_recent_ones() {
    let bench = bench();
    let honest = witness(&bench, "honest", &free_address());
    let mut dead = witness(&bench, "dead", &free_address());
    // The witness does not have the key that the policy contains for it.
    let liar = witness(&bench, "liar", &free_address());
    bench.ok("witness keygen --name witness.example/liar --out true");
    bench.write("liar.pub", line(&bench, "true.pub").as_bytes());
    let witnesses = [
        ("honest", honest.url()),
        ("dead", dead.url()),
        ("liar", liar.url()),
    ];
    policy(&bench, "policy", 1, &witnesses);
    policy(&bench, "strict", 2, &witnesses);
    dead.kill();
    let server = serve(&bench, "s");
    wait_for(&bench, &server, 3);
    let answer = bench.ok(&get(&server, "policy", "apple"));
    let said = "present  apple = 4   [version 3, verified; newest: version 3, cosigned by 1 of 3 \
                witnesses at 20";
    assert!(answer.starts_with(said), "{answer}");
    let object = bench.first(&get(&server, "policy", "apple"));
    let expected = json!({ "version": 3, "cosignatures": 1, "witnesses": 3 });
    assert_has(&object["witnessed"], &expected, "apple");
    let [plain, strict] = ["policy", "strict"].map(|policy| get(&server, policy, ""));
    let older = "= 3   [version 1, verified; newest: version 3, ";
    let rest = format!("{} --witnesses policy", server.asked());
    bench.steps(&[
        &format!("{plain}--at 1 --view v apple => 0 {older}"),
        &format!("{strict}apple => 3 missing are [\"dead\", \"liar\"]"),
        &format!("{plain}--at 4 apple => 2 newer than version 3, the newest cosigned"),
        // Other commands that query servers require cosignatures, too.
        &format!("range {rest} a z => 0 cosigned by 1 of 3"),
        &format!("history --complete {rest} apple => 0 cosigned by 1 of 3"),
        &format!("history {rest} apple => 0 cosigned by 1 of 3"),
        &format!("diff --complete {rest} 1 3 => 0 cosigned by 1 of 3"),
        &format!("prove {rest} --out proof apple"),
        "verify --public k.pub --proof proof --at 3 apple",
    ]);
    let versions = bench.ok(&format!("versions {rest}"));
    assert_eq!(versions.lines().count(), 4, "{versions}");
    // A policy may be given as text instead of a file name.
    let policy = text(&bench.read("policy"));
    let words = plain.trim_end().split(' ').filter(|word| *word != "policy");
    let mut command = bench.command();
    command.args(words).args([policy.as_str(), "apple"]);
    command.output().unwrap().succeeds();
    // The author pushes the next version.
    bench.publish("put apple 8");
    wait_for(&bench, &server, 4);
    bench.step(&format!("{plain}--view v apple => 0 = 8"));
    // Nothing is cosigned again for ten minutes, so the cosignatures become too old.
    let recent = get(&server, "policy", "--cosigned-within 1 apple");
    until("too old", || !bench.run(&recent).status.success());
    bench.fails(&recent, 3, "too old are those of \"honest\" at ");
    for server in [server, honest] {
        server.stop();
    }
}

#[test]
fn a_witness_that_is_killed_never_goes_back_and_never_cosigns_a_fork() {
    let bench = bench();
    bench.write("fork.csv", FORK.as_bytes());
    bench.ok("import --store fork --key k --record fork.signed --new-record fork.csv");
    let mut one = witness(&bench, "w", &free_address());
    policy(&bench, "policy", 1, &[("w", one.url())]);
    let server = serve(&bench, "s");
    wait_for(&bench, &server, 3);
    // A server of another history has the author's key and the log's key.
    let private = serve(&bench, "fork");
    let size = |witness: &Process| witnessed_size(&bench, witness);
    let mut seen = size(&one);
    for version in 4..9 {
        bench.publish(&format!("put apple 1{version}"));
        bench.ok(&format!("put --store fork apple 2{version}"));
        bench.ok("commit --store fork --key k --record fork.signed");
        // At this moment, the witness may have cosigned the new version or not.
        one.kill();
        one = witness(&bench, "w", &one.address);
        let now = size(&one);
        assert!(now >= seen, "{now} {seen}");
        seen = now;
    }
    wait_for(&bench, &server, 8);
    for metric in [
        r#"pad_cosignatures_total{dictionary="fork",witness="w"} 0"#,
        r#"pad_log_published_size{dictionary="fork"} 0"#,
    ] {
        assert!(metrics(&bench, &private).contains(metric), "{metric}");
    }
    let (alone, other) = (get(&private, "policy", "apple"), server.url());
    bench.steps(&[
        // A client that requires no witnesses accepts the fork.
        &format!("get {} apple => 0 apple = 28", private.asked()),
        &format!("{alone} => 3 shows no log of heads"),
        &format!("{alone} --server {other} => 0 apple = 18"),
    ]);
}

#[test]
fn one_witness_has_many_logs() {
    let bench = bench();
    bench.steps(&[
        "keygen --out other.k",
        "put --store other --key other.k fig 1",
        "commit --store other --key other.k",
        "witness keygen --name log.example/heads --log-of other.k.pub --out other.log-key",
        "witness keygen --name witness.example/w --out w",
    ]);
    let [log, other] = ["log-key.pub", "other.log-key.pub"].map(|name| line(&bench, name));
    bench.write("logs", format!("# both\n\n{log}\n{other}\n").as_bytes());
    let words = "witness --state state --key w --known-logs logs --prefix /tlog";
    let one = Process::start(&bench, words);
    let (key, url) = (line(&bench, "w.pub"), one.url());
    let policy = format!("log {log}\nlog {other}\nwitness w {key} {url}/tlog\nquorum w\n");
    bench.write("policy", policy.as_bytes());
    let keys = "--log-key log-key --log-key other.log-key";
    let log = format!("--publish logs.d {keys} --witnesses policy {ROOTS}");
    let server = Process::start(&bench, &format!("serve --store s --store other {log}"));
    for (name, key, of, value) in [
        ("s", "k.pub", "apple", "4"),
        ("other", "other.k.pub", "fig", "1"),
    ] {
        let url = format!("{}/v1/dictionaries/{name}", server.url());
        let get = format!("get --server {url} {ROOTS} --public {key} --witnesses policy {of}");
        until(name, || bench.run(&get).status.success());
        bench.steps(&[
            &format!("{get} => 0 {of} = {value}"),
            &format!("{get} => 0 cosigned by 1 of 1 witnesses"),
        ]);
    }
    let options = "--known-logs logs --listen 127.0.0.1:0";
    let of_log = "a key of type 1 cannot be used here";
    let unknown = "serve --store s --publish x --log-key other.log-key --listen 127.0.0.1:0";
    bench.steps(&[
        // One folder can be used by only one witness, and the key of a log cannot cosign.
        &format!("witness --state state --key w {options} => 4 another process uses"),
        &format!("witness --state new --key log-key {options} => 2 {of_log}"),
        "witness keygen --name a --out w => 2 exists already",
        &format!("{unknown} => 2 no dictionary here has a log called"),
    ]);
}

/// Clients of such stores verify each answer with the heads of both versions, which the answer
/// contains.
#[test]
fn append_only_logs_are_witnessed_too() {
    let bench = super::parties::with_log();
    bench.ok("witness keygen --name log.example/heads --log-of k.pub --out log-key");
    let one = witness(&bench, "w", &free_address());
    policy(&bench, "policy", 1, &[("w", one.url())]);
    let server = serve(&bench, "s");
    wait_for(&bench, &server, 2);
    let rest = format!("{} --witnesses policy", server.asked());
    bench.steps(&[
        &format!("get {rest} apple => 0 newest: version 2, "),
        &format!("get {rest} --at 1 apple => 0 newest: version 2, "),
        &format!("prove-append-only {rest} --from 1 --out proof"),
        "verify --public k.pub --proof proof --from 1 --to 2",
    ]);
}
