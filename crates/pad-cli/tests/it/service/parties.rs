//! Tests with an author, two servers, a mirror, lying servers and three clients, in separate
//! processes.

use std::fs;

use super::process::{Process, begin_store, certify, latest, wait_for};
use crate::bench::{Bench, text};

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

const ROOTS: &str = "--tls-roots tls.pem";

fn every_lie_is_caught(scheme: &str) {
    let parties = Parties::begin(scheme);
    parties.honest_servers_answer_every_client();
    parties.old_copies_are_not_news();
    parties.other_histories_leave_evidence();
    parties.end();
}

impl Parties {
    fn begin(scheme: &str) -> Self {
        let bench = Bench::new();
        certify(&bench);
        bench.ok(&format!("keygen --out k --scheme {scheme}"));
        bench.write("t.csv", crate::bench::TRACE.as_bytes());
        bench.ok("import --store s --key k t.csv");
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
        bench.ok(&format!(
            "push --store s --to {first} --to {second} {ROOTS}"
        ));
        let mirror = start(&format!(
            "mirror --store copy --public k.pub --from {first} --from {second} {ROOTS} --every 20"
        ));
        bench.ok("put --store s apple 8");
        bench.ok("commit --store s --key k");
        // As after a push that failed: nothing is pending, but the servers lack a version.
        let pushed = bench.ok(&format!(
            "commit --store s --key k --push {first} --push {second} {ROOTS}"
        ));
        assert!(
            pushed.starts_with("nothing is pending, nothing was signed\n"),
            "{pushed}"
        );
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
        let servers = servers
            .iter()
            .map(|server| format!("--server {}", server.url()));
        let servers: Vec<_> = servers.collect();
        format!(
            "get {} {ROOTS} --public k.pub --view {view} {rest}",
            servers.join(" ")
        )
    }

    /// Tests a client of both servers, a client of the mirror only, and a client that also queries
    /// a server that is behind.
    fn honest_servers_answer_every_client(&self) {
        let Self {
            one,
            two,
            old,
            mirror,
            bench,
            ..
        } = self;
        for (servers, view) in [
            (&[one, two][..], "first"),
            (&[mirror], "second"),
            (&[two, old], "third"),
        ] {
            let answer = bench.ok(&Self::ask(servers, view, "apple"));
            assert_eq!(answer, "present  apple = 8   [version 4, verified]\n");
            let answer = bench.ok(&Self::ask(servers, view, "pear --at 1"));
            assert_eq!(answer, "present  pear = 5   [version 1, verified]\n");
        }
        let first = one.url();
        for line in [
            "range --public k.pub apple r",
            "history --complete --public k.pub apple",
            "versions --public k.pub",
        ] {
            let [local, remote] = ["--store s".into(), format!("--server {first} {ROOTS}")]
                .map(|asked: String| without_names(bench.json(&format!("{line} {asked}"))));
            assert_eq!(local, remote, "{line}");
        }
        bench.ok(&format!(
            "prove --server {first} {ROOTS} --public k.pub --out proof apple"
        ));
        bench.ok("verify --public k.pub --proof proof --at 4 apple");
    }

    fn old_copies_are_not_news(&self) {
        let Self {
            one, old, bench, ..
        } = self;
        let output = bench.run(&Self::ask(&[old, one], "first", "apple"));
        assert_eq!(
            text(&output.stdout),
            "present  apple = 8   [version 4, verified]\n"
        );
        assert!(text(&output.stderr).contains("older than version 4, which was seen before"));
        // The server may be honest and late, so no record is written.
        assert!(!bench.path("first.lie").exists());
        let alone = Self::ask(&[old], "first", "apple");
        bench.fails(&alone, 3, "older than version 4, which was seen before");
    }

    /// Offers other histories: first a shorter history than the client has seen, then an equally
    /// long one, and then a longer one.
    fn other_histories_leave_evidence(&self) {
        let Self {
            two, fork, bench, ..
        } = self;
        bench.fails(
            &Self::ask(&[fork], "third", "apple"),
            3,
            "verification failed",
        );
        for version in [4, 5] {
            bench.ok(&format!("put --store fork apple 7{version}"));
            bench.ok("commit --store fork --key k --record fork.signed");
            wait_for(bench, &fork.url(), version);
            let output = bench.run(&Self::ask(&[fork, two], "third", "apple"));
            assert_eq!(
                text(&output.stdout),
                "present  apple = 8   [version 4, verified]\n"
            );
            let said = text(&output.stderr);
            assert!(said.contains("has signed two histories"), "{said}");
        }
        let files = fs::read_dir(bench.folder.path()).unwrap();
        let names = files.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let evidence: Vec<_> = names
            .filter(|name| name.starts_with("third.evidence"))
            .collect();
        assert_eq!(evidence.len(), 2);
        for file in evidence {
            let checked = bench.ok(&format!("evidence --public k.pub {file}"));
            let proved = "signed two different statements about version 4";
            assert!(checked.contains(proved), "{checked}");
        }
    }

    /// Checks that the servers and the mirror are unchanged.
    fn end(self) {
        let Self {
            one,
            two,
            mirror,
            bench,
            ..
        } = self;
        for server in [&one, &two, &mirror] {
            assert_eq!(latest(&bench, &server.url()), Some(4));
        }
        #[cfg(unix)]
        for server in [one, two, mirror] {
            server.stop();
        }
        for store in ["one", "two", "copy"] {
            bench.ok(&format!("check --store {store} --public k.pub"));
        }
    }
}

const FORK: &str = "snapshot,op,key,value\n\
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
    let line = format!(
        "mirror --store copy --from {} --from {} --tls-roots tls.pem --every 20",
        fork.url(),
        honest.url()
    );
    let mirror = Process::start(&bench, &line);
    wait_for(&bench, &mirror.url(), 3);
    let checked = bench.ok("evidence --public k.pub copy.evidence");
    assert!(checked.contains("about version 2"), "{checked}");
    assert!(bench.path("copy.lie").exists());
    let line = format!(
        "get --server {} --tls-roots tls.pem --public k.pub apple",
        mirror.url()
    );
    assert_eq!(
        bench.ok(&line),
        "present  apple = 4   [version 3, verified]\n"
    );
}

#[cfg(feature = "log")]
#[test]
fn logs_are_served_with_proofs_that_they_only_grow() {
    let bench = Bench::new();
    certify(&bench);
    bench.ok("keygen --out k --scheme aad-counted");
    bench.write(
        "t.csv",
        b"snapshot,op,key,value\na,put,apple,3\nb,put,apple,4\n",
    );
    bench.ok("import --store s --key k t.csv");
    begin_store(&bench, "one");
    let one = Process::start(&bench, "serve --store one");
    let (url, roots) = (one.url(), "--tls-roots tls.pem");
    let get = format!("get --server {url} {roots} --public k.pub --view v apple");
    assert!(bench.ok(&get).contains("version 1"));
    bench.ok(&format!("push --store s --to {url} {roots}"));
    // The view advances only if the newer version contains the older version.
    assert!(bench.ok(&get).contains("version 2"));
    bench.ok(&format!(
        "prove-append-only --server {url} {roots} --public k.pub --from 1 --out proof"
    ));
    bench.ok("verify --public k.pub --proof proof --from 1 --to 2");
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
