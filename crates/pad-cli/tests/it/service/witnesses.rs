//! Tests of witnesses, of a server whose log of heads they cosign, and of clients that require
//! cosignatures, in separate processes.

use std::fmt::Write as _;

use pad_web::client::{HttpClient, HttpError, HttpOptions, Roots, Verdict};

use super::process::{Process, certify};
use crate::{
    bench::{Bench, text},
    process::free_address,
};

const ROOTS: &str = "--tls-roots tls.pem";

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
        let key = bench.ok(&format!(
            "witness keygen --name witness.example/{name} --out {name}"
        ));
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
    let line = format!(
        "serve --store {store} --publish {store}.log --log-key log-key --witnesses policy {ROOTS} \
         --follow-every 20"
    );
    Process::start(bench, &line)
}

fn get(server: &Process, policy: &str, rest: &str) -> String {
    let url = server.url();
    format!("get --server {url} {ROOTS} --public k.pub --witnesses {policy} {rest}")
}

/// Waits until the witnesses have cosigned this version.
fn wait_for(bench: &Bench, server: &Process, version: u64) {
    let wanted = format!("newest: version {version},");
    loop {
        let output = bench.run(&get(server, "policy", "apple"));
        if text(&output.stdout).contains(&wanted) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

pub(super) fn metrics(bench: &Bench, server: &Process) -> String {
    let options = HttpOptions {
        roots: Roots::Pem(bench.read("tls.pem")),
        ..HttpOptions::default()
    };
    let client = HttpClient::new(&server.url(), options).unwrap();
    let read = |reply: pad_web::client::Reply| Ok::<_, HttpError>(Verdict::Done(reply.body));
    text(&client.get("/metrics", 1 << 20, read).unwrap())
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
    let older = bench.ok(&get(&server, "policy", "--at 1 --view v apple"));
    assert!(
        older.contains("= 3   [version 1, verified; newest: version 3, "),
        "{older}"
    );
    let object = &bench.json(&get(&server, "policy", "apple"))[0];
    assert_eq!(object["witnessed"]["version"], 3);
    assert_eq!(object["witnessed"]["cosignatures"], 1);
    assert_eq!(object["witnessed"]["witnesses"], 3);
    let missing = "missing are [\"dead\", \"liar\"]";
    bench.fails(&get(&server, "strict", "apple"), 3, missing);
    bench.fails(
        &get(&server, "policy", "--at 4 apple"),
        2,
        "newer than version 3, the newest cosigned",
    );
    // Other commands that query servers require cosignatures, too.
    let rest = format!(
        "--server {} {ROOTS} --public k.pub --witnesses policy",
        server.url()
    );
    let versions = bench.ok(&format!("versions {rest}"));
    assert_eq!(versions.lines().count(), 4, "{versions}");
    for command in [
        format!("range {rest} a z"),
        format!("history --complete {rest} apple"),
        format!("history {rest} apple"),
        format!("diff --complete {rest} 1 3"),
    ] {
        assert!(
            bench.ok(&command).contains("cosigned by 1 of 3"),
            "{command}"
        );
    }
    bench.ok(&format!("prove {rest} --out proof apple"));
    bench.ok("verify --public k.pub --proof proof --at 3 apple");
    // A policy may be given as text instead of a file name.
    let mut command = bench.command();
    let words = get(&server, "policy", "apple");
    let policy = text(&bench.read("policy"));
    let words = words.split(' ').map(|word| {
        if word == "policy" {
            policy.as_str()
        } else {
            word
        }
    });
    assert!(command.args(words).output().unwrap().status.success());
    // The author pushes the next version.
    bench.ok("put --store s apple 8");
    bench.ok("commit --store s --key k");
    wait_for(&bench, &server, 4);
    assert!(
        bench
            .ok(&get(&server, "policy", "--view v apple"))
            .contains("= 8")
    );
    // Nothing is cosigned again for ten minutes, so the cosignatures become too old.
    let recent = get(&server, "policy", "--cosigned-within 1 apple");
    while bench.run(&recent).status.success() {
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    bench.fails(&recent, 3, "too old are those of \"honest\" at ");
    #[cfg(unix)]
    for process in [server, honest] {
        process.stop();
    }
}

#[test]
fn a_witness_that_is_killed_never_goes_back_and_never_cosigns_a_fork() {
    let bench = bench();
    bench.write("fork.csv", FORK.as_bytes());
    bench.ok("import --store fork --key k --record fork.signed --new-record fork.csv");
    let mut one = witness(&bench, "w", &free_address());
    let listens = one.listens();
    policy(&bench, "policy", 1, &[("w", one.url())]);
    let server = serve(&bench, "s");
    wait_for(&bench, &server, 3);
    // A server of another history has the author's key and the log's key.
    let private = serve(&bench, "fork");
    let size = |witness: &Process| -> u64 {
        let metrics = metrics(&bench, witness);
        let line = metrics
            .lines()
            .find(|line| line.starts_with("pad_witness_log_size{"));
        line.unwrap().rsplit_once(' ').unwrap().1.parse().unwrap()
    };
    let mut seen = size(&one);
    for version in 4..9 {
        bench.ok(&format!("put --store s apple 1{version}"));
        bench.ok("commit --store s --key k");
        bench.ok(&format!("put --store fork apple 2{version}"));
        bench.ok("commit --store fork --key k --record fork.signed");
        // At this moment, the witness may have cosigned the new version or not.
        one.kill();
        one = witness(&bench, "w", &listens);
        let now = size(&one);
        assert!(now >= seen, "{now} {seen}");
        seen = now;
    }
    wait_for(&bench, &server, 8);
    let refused = "pad_cosignatures_total{dictionary=\"fork\",witness=\"w\"} 0";
    assert!(metrics(&bench, &private).contains(refused));
    let published = "pad_log_published_size{dictionary=\"fork\"} 0";
    assert!(metrics(&bench, &private).contains(published));
    // A client that requires no witnesses accepts the fork.
    let alone = format!(
        "get --server {} {ROOTS} --public k.pub apple",
        private.url()
    );
    assert!(bench.ok(&alone).contains("apple = 28"));
    bench.fails(
        &get(&private, "policy", "apple"),
        3,
        "shows no log of heads",
    );
    let both = format!(
        "{} --server {}",
        get(&private, "policy", "apple"),
        server.url()
    );
    assert!(bench.ok(&both).contains("apple = 18"));
}

#[test]
fn one_witness_has_many_logs() {
    let bench = bench();
    bench.ok("keygen --out other.k");
    bench.ok("put --store other --key other.k fig 1");
    bench.ok("commit --store other --key other.k");
    bench.ok("witness keygen --name log.example/heads --log-of other.k.pub --out other.log-key");
    bench.ok("witness keygen --name witness.example/w --out w");
    let logs = ["log-key.pub", "other.log-key.pub"].map(|name| line(&bench, name));
    bench.write(
        "logs",
        format!("# both\n\n{}\n{}\n", logs[0], logs[1]).as_bytes(),
    );
    let one = Process::start(
        &bench,
        "witness --state state --key w --known-logs logs --prefix /tlog",
    );
    let witness = format!(
        "witness w {} {}/tlog\nquorum w\n",
        line(&bench, "w.pub"),
        one.url()
    );
    let policy = format!("log {}\nlog {}\n{witness}", logs[0], logs[1]);
    bench.write("policy", policy.as_bytes());
    let line = format!(
        "serve --store s --store other --publish logs.d --log-key log-key --log-key other.log-key \
         --witnesses policy {ROOTS}"
    );
    let server = Process::start(&bench, &line);
    for (name, key, of, value) in [
        ("s", "k.pub", "apple", "4"),
        ("other", "other.k.pub", "fig", "1"),
    ] {
        let url = format!("{}/v1/dictionaries/{name}", server.url());
        let get = format!("get --server {url} {ROOTS} --public {key} --witnesses policy {of}");
        loop {
            let output = bench.run(&get);
            if output.status.success() {
                let said = text(&output.stdout);
                assert!(said.contains(&format!("{of} = {value}")), "{said}");
                assert!(said.contains("cosigned by 1 of 1 witnesses"), "{said}");
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
    // One folder can be used by only one witness, and the key of a log cannot cosign.
    let again = "witness --state state --key w --known-logs logs --listen 127.0.0.1:0";
    bench.fails(again, 4, "another process uses");
    let wrong = "witness --state new --key log-key --known-logs logs --listen 127.0.0.1:0";
    bench.fails(wrong, 2, "a key of type 1 cannot be used here");
    bench.fails("witness keygen --name a --out w", 2, "exists already");
    let unknown = "serve --store s --publish x --log-key other.log-key --listen 127.0.0.1:0";
    bench.fails(unknown, 2, "no dictionary here has a log called");
}

/// Clients of such stores verify each answer with the heads of both versions, which the answer
/// contains.
#[cfg(feature = "log")]
#[test]
fn append_only_logs_are_witnessed_too() {
    let bench = Bench::new();
    certify(&bench);
    bench.ok("keygen --out k --scheme aad-counted");
    bench.write(
        "t.csv",
        b"snapshot,op,key,value\na,put,apple,3\nb,put,apple,4\n",
    );
    bench.ok("import --store s --key k t.csv");
    bench.ok("witness keygen --name log.example/heads --log-of k.pub --out log-key");
    let one = witness(&bench, "w", &free_address());
    policy(&bench, "policy", 1, &[("w", one.url())]);
    let server = serve(&bench, "s");
    wait_for(&bench, &server, 2);
    for at in ["", "--at 1 "] {
        let answer = bench.ok(&get(&server, "policy", &format!("{at}apple")));
        assert!(answer.contains("newest: version 2, "), "{answer}");
    }
    let rest = format!(
        "--server {} {ROOTS} --public k.pub --witnesses policy",
        server.url()
    );
    bench.ok(&format!("prove-append-only {rest} --from 1 --out proof"));
    bench.ok("verify --public k.pub --proof proof --from 1 --to 2");
}

const FORK: &str = "snapshot,op,key,value\n\
    a,put,apple,3\na,put,pear,5\na,put,plum,7\n\
    b,put,apple,66\n\
    c,put,apple,67\n";
