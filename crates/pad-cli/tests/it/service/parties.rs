//! Tests with an author, two servers, a mirror, lying servers and three clients, in separate
//! processes.

use super::process::{Process, ROOTS, begin_store, certify, latest, pushed_server, wait_for};
use crate::{
    append_only::with_key_of,
    bench::{Bench, text},
};

#[test]
fn three_parties_on_several_machines_and_every_lie_is_caught() {
    every_lie_is_caught("red-black");
}

#[test]
fn the_same_with_tuples() {
    every_lie_is_caught("tuple-spec-lightweight");
}

/// The processes of one test.
struct Parties {
    one: Process,
    two: Process,
    /// A server that serves only the first version.
    old: Process,
    /// A server of another history that the same author key has signed.
    fork: Process,
    mirror: Process,
    bench: Bench,
}

fn every_lie_is_caught(scheme: &str) {
    let parties = Parties::begin(scheme);
    parties.honest_servers_answer_every_client();
    parties.old_copies_are_not_news();
    parties.other_histories_leave_evidence();
    parties.end();
}

impl Parties {
    fn begin(scheme: &str) -> Self {
        let bench = Bench::with_trace_of(scheme);
        certify(&bench);
        // The owner of the key signs a fork: another history from the second version on, with
        // another record.
        bench.write("fork.csv", FORK.as_bytes());
        bench.ok("import --store fork --key k --record fork.signed --new-record fork.csv");
        for store in ["one", "two", "old"] {
            begin_store(&bench, store);
        }
        let start = |line: &str| Process::start(&bench, line);
        let [one, old, fork] =
            ["one", "old", "fork"].map(|store| start(&format!("serve --store {store}")));
        let two = start("serve --store two --log json");
        let (first, second) = (one.url(), two.url());
        let push = format!("push --store s --to {first} --to {second}");
        bench.ok(&format!("{push} {ROOTS}"));
        let from = format!("--from {first} --from {second} {ROOTS}");
        let mirror = format!("mirror --store copy --public k.pub {from} --every 20");
        let mirror = start(&mirror);
        bench.publish("put apple 8");
        // As after a push that failed: nothing is pending, but the servers lack a version.
        let push = format!("--push {first} --push {second} {ROOTS}");
        let pushed = bench.ok(&format!("commit --store s --key k {push}"));
        let said = "nothing is pending, nothing was signed\n";
        assert!(pushed.starts_with(said), "{pushed}");
        wait_for(&bench, &mirror.url(), 4);
        Self {
            one,
            two,
            old,
            fork,
            mirror,
            bench,
        }
    }

    /// Returns a look-up at these servers by the client with this view.
    fn ask(servers: &[&Process], view: &str, rest: &str) -> String {
        let option = |server: &&Process| format!("--server {} ", server.url());
        let servers: String = servers.iter().map(option).collect();
        format!("get {servers}{ROOTS} --public k.pub --view {view} {rest}")
    }

    /// Tests a client of both servers, a client of the mirror only, and a client that also queries
    /// a server that is behind.
    fn honest_servers_answer_every_client(&self) {
        let (bench, one, two) = (&self.bench, &self.one, &self.two);
        for (servers, view) in [
            (&[one, two][..], "first"),
            (&[&self.mirror], "second"),
            (&[two, &self.old], "third"),
        ] {
            let answer = bench.ok(&Self::ask(servers, view, "apple"));
            assert_eq!(answer, LATEST);
            let answer = bench.ok(&Self::ask(servers, view, "pear --at 1"));
            assert_eq!(answer, "present  pear = 5   [version 1, verified]\n");
        }
        for line in ["range apple r", "history --complete apple", "versions"] {
            let [local, remote] = ["--store s --public k.pub", &one.asked()]
                .map(|asked| without_names(bench.json(&format!("{line} {asked}"))));
            assert_eq!(local, remote, "{line}");
        }
        bench.ok(&format!("prove {} --out proof apple", one.asked()));
        bench.ok("verify --public k.pub --proof proof --at 4 apple");
    }

    fn old_copies_are_not_news(&self) {
        let (bench, old) = (&self.bench, &self.old);
        let output = bench.run(&Self::ask(&[old, &self.one], "first", "apple"));
        assert_eq!(text(&output.stdout), LATEST);
        assert!(text(&output.stderr).contains("older than version 4, which was seen before"));
        // The server may be honest and late, so no record is written.
        assert!(!bench.path("first.lie").exists());
        let alone = Self::ask(&[old], "first", "apple");
        bench.fails(&alone, 3, "older than version 4, which was seen before");
    }

    /// Offers other histories: first a shorter history than the client has seen, then an equally
    /// long one, and then a longer one.
    fn other_histories_leave_evidence(&self) {
        let (bench, two, fork) = (&self.bench, &self.two, &self.fork);
        let ask = Self::ask(&[fork], "third", "apple");
        bench.fails(&ask, 3, "verification failed");
        for version in [4, 5] {
            bench.ok(&format!("put --store fork apple 7{version}"));
            bench.ok("commit --store fork --key k --record fork.signed");
            wait_for(bench, &fork.url(), version);
            let output = bench.run(&Self::ask(&[fork, two], "third", "apple"));
            assert_eq!(text(&output.stdout), LATEST);
            let said = text(&output.stderr);
            assert!(said.contains("has signed two histories"), "{said}");
        }
        let mut evidence = bench.names();
        evidence.retain(|name| name.starts_with("third.evidence"));
        assert_eq!(evidence.len(), 2);
        for file in evidence {
            let proved = "signed two different statements about version 4";
            bench.step(&format!("evidence --public k.pub {file} => 0 {proved}"));
        }
    }

    /// Checks that the servers and the mirror are unchanged.
    fn end(self) {
        for server in [self.one, self.two, self.mirror] {
            assert_eq!(latest(&self.bench, &server.url()), Some(4));
            server.stop();
        }
        for store in ["one", "two", "copy"] {
            let check = format!("check --store {store} --public k.pub");
            self.bench.ok(&check);
        }
    }
}

const LATEST: &str = "present  apple = 8   [version 4, verified]\n";

/// A trace whose second version differs from that of the usual trace.
pub(super) const FORK: &str = "snapshot,op,key,value\n\
    a,put,apple,3\na,put,pear,5\na,put,plum,7\n\
    b,put,apple,66\n\
    c,put,apple,67\n";

#[test]
fn a_mirror_passes_over_upstreams_that_lie() {
    let bench = Bench::with_trace();
    certify(&bench);
    bench.write("fork.csv", format!("{FORK}d,put,apple,68\n").as_bytes());
    bench.ok("import --store fork --key k --record fork.signed --new-record fork.csv");
    begin_store(&bench, "copy");
    bench.ok("export --store s --at 2 --out second.update");
    bench.ok("apply --store copy second.update");
    let fork = Process::start(&bench, "serve --store fork");
    let honest = Process::start(&bench, "serve --store s");
    let from = format!("--from {} --from {} {ROOTS}", fork.url(), honest.url());
    let mirror = Process::start(&bench, &format!("mirror --store copy {from} --every 20"));
    wait_for(&bench, &mirror.url(), 3);
    bench.step("evidence --public k.pub copy.evidence => 0 about version 2");
    assert!(bench.path("copy.lie").exists());
    let answer = bench.ok(&format!("get {} apple", mirror.asked()));
    assert_eq!(answer, "present  apple = 4   [version 3, verified]\n");
}

#[test]
fn logs_are_served_with_proofs_that_they_only_grow() {
    let bench = with_log();
    let one = pushed_server(&bench);
    let (url, asked) = (one.url(), one.asked());
    bench.steps(&[
        &format!("get {asked} --view v apple => 0 version 1"),
        &format!("push --store s --to {url} {ROOTS}"),
        // The view advances only if the newer version contains the older version.
        &format!("get {asked} --view v apple => 0 version 2"),
        &format!("prove-append-only {asked} --from 1 --out proof"),
        "verify --public k.pub --proof proof --from 1 --to 2",
    ]);
}

/// Creates a log with two versions, and a certificate.
pub(super) fn with_log() -> Bench {
    let bench = with_key_of("aad-counted");
    certify(&bench);
    bench.write_trace(
        "t.csv",
        ["a,put,apple,3\n", "b,put,apple,4\n"].map(String::from),
    );
    bench.ok("import --store s --key k --parameters par t.csv");
    bench
}

/// Removes the unverified fields of the store or server from lines, except `kept`. Copies do not
/// contain the other fields.
fn without_names(mut lines: Vec<serde_json::Value>) -> Vec<serde_json::Value> {
    for line in &mut lines {
        let line = line.as_object_mut().unwrap();
        if let Some(claim) = line.remove("claim") {
            line.insert("kept".into(), claim["kept"].clone());
        }
    }
    lines
}
