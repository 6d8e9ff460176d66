//! Compares the JSON output of every command with the tables in docs/json.md.

use std::collections::BTreeSet;

use self::page::{Comparison, Reference};
use crate::{
    bench::{Bench, TRACE, names, text},
    process::{Process, free_address, until},
};

mod page;

/// Commands that print no JSON: groups of commands, and a script for a shell.
const WITHOUT_JSON: &[&str] = &["pad", "pad file", "pad directory", "pad completions"];

/// A running server, and the line that started it.
struct Running(Process, String);

impl Running {
    /// Starts a server at `address`, and compares what it prints until it is ready.
    fn start(bench: &Bench, line: &str, address: &str, comparison: &mut Comparison) -> Self {
        let words = line.split(' ').chain(["--listen", address]);
        let (process, printed) = Process::spawn_printing(bench, words);
        comparison.output(line, &printed);
        Self(process, line.to_owned())
    }

    /// Stops the server, and compares what it then prints.
    fn stop(self, comparison: &mut Comparison) {
        let Self(process, line) = self;
        let printed = process.stop();
        comparison.output(&line, &printed);
        assert!(printed.contains("stopped"), "{line}: {printed}");
    }
}

const CHANGES: &[&str] = &[
    "keygen --out k",
    "import --store s --key k t.csv",
    "put --store s fig 1",
    "put --store s apple 4",
    "remove --store s plum",
    "status --store s --key k --changes",
    "reset --store s plum",
    "commit --store s --key k --name d --sign-note",
    "info s",
    "put --store s --key k --commit fig 2",
    "public --key k --out again.pub",
    "export --store s --at 4 --out u4",
    "export --store s --from 1 --to 4 --out all",
    "apply --store t --public k.pub all",
    "apply --store t u4",
    "put --store t late 1",
    "export --store s --at 5 --out u5",
    "apply --store t u5",
    "status --store t",
];

const QUESTIONS: &[&str] = &[
    "versions --store s --public k.pub",
    "get --store s apple",
    "get --store s --public k.pub --at b apple",
    "get --store s --public k.pub --at d apple",
    "get --store s --public k.pub --at 2999-12-31 apple",
    "get --store s --public k.pub --after zzz",
    "get --store s --public k.pub --keys keys",
    "--hex get --store s --public k.pub 6170706c65",
    "range --store s --limit 1 '' ''",
    "history --store s apple",
    "history --store s --public k.pub fig",
    "history --store s --complete apple",
    "diff --store s 1 4",
    "prove --store s apple --out p",
    "verify --public k.pub --proof p --at 5 apple",
    "inspect p",
    "inspect --public k.pub p apple",
    "! get --store none apple",
    "! get --unknown",
    "man pages",
    "advise --keys 100 --updates 1/day",
    "advise --keys 1M --updates 1/s --lookups 10k/s",
    "advise --keys 100k --snapshots 1/day --changes 1000 --lookups 1k/s",
    "advise --keys 10k --updates 1/s --max-memory 1MB --max-proof 50 --max-snapshot 0.001ms \
     --max-lookup 0.001ms",
];

const STORES: &[&str] = &[
    "compact --store s",
    "prune --store s --before 2",
    "history --store s --complete apple",
    "check --store s",
    // Another history of the same author is evidence.
    "get --store t --public k.pub --at 2 --view v apple",
    "put --store fork --key k apple 9",
    "commit --store fork --key k --record other --new-record",
    "commit --store fork --key k --record other --allow-empty",
    "commit --store fork --key k --record other --allow-empty",
    "commit --store fork --key k --record other --allow-empty",
    "commit --store fork --key k --record other --allow-empty",
    "! get --store fork --view v apple",
    "evidence --public k.pub v.evidence",
    "passphrase k",
    "info k k.pub s v p u4 all t.csv .",
];

#[test]
fn the_output_of_every_command_is_documented() {
    let mut comparison = Comparison::new();
    let bench = Bench::new();
    bench.write("t.csv", TRACE.as_bytes());
    bench.write("keys", b"apple\npear\n");
    write_passphrase(&bench);
    for lines in [CHANGES, QUESTIONS] {
        comparison.run(&bench, lines);
    }
    serve(&bench, &mut comparison);
    comparison.run(&bench, STORES);
    let (logs, objects, files) = (Bench::new(), Bench::new(), Bench::new());
    let rows = ["a,put,x,1\n", "a,put,x,2\n", "b,put,y,3\n"];
    logs.write_trace("t.csv", rows.map(String::from));
    logs.write("keys", b"x\n");
    comparison.run(&logs, LOGS);
    for name in ["a", "b"] {
        objects.write(name, name.as_bytes());
    }
    comparison.run(&objects, DIRECTORIES);
    serve_directory(&objects, &mut comparison);
    store_files(&files, &mut comparison);
    comparison.finish();
}

fn write_passphrase(bench: &Bench) {
    bench.write("pass", b"passphrase\n");
    bench.set_mode("pass", 0o600);
}

/// Runs servers of the store `s`, a witness, and commands that use them.
fn serve(bench: &Bench, comparison: &mut Comparison) {
    let keys = [
        "witness keygen --name w.example/w --out w",
        "witness keygen --name l.example/l --log-of k.pub --out l",
    ];
    comparison.run(bench, &keys);
    let key = |name: &str| text(&bench.read(name)).trim().to_owned();
    let (log, witness) = (key("l.pub"), key("w.pub"));
    let [server, mirror, route, cosigner] = [(); 4].map(|()| free_address());
    let policy = format!("log {log}\nwitness w {witness} http://{cosigner}\nquorum w\n");
    bench.write("policy", policy.as_bytes());
    let mut start = |line: &str, address| Running::start(bench, line, address, comparison);
    let line = format!("witness --key w --state witnessed --known-log {log}");
    let witness = start(&line, &cosigner);
    let line = "serve --store s --cache all --publish public --log-key l --witnesses policy \
                --follow-every 20";
    let served = start(line, &server);
    let from = format!("http://{server}");
    let line = format!("mirror --from {from} --store m --public k.pub --every 20");
    let mirrored = start(&line, &mirror);
    let routed = start(&format!("route --server {from}"), &route);
    let asked = format!("--server {from} --public k.pub");
    let cosigned = format!("get {asked} --witnesses policy apple");
    until(&cosigned, || bench.run(&cosigned).status.success());
    let push = format!("http://{mirror}");
    comparison.run(
        bench,
        &[
            &cosigned,
            &format!("versions {asked} --last 1"),
            &format!("history {asked} apple"),
            &format!("push --store s --to {push}"),
            &format!("commit --store s --key k --push {push}"),
            &format!("import --store s --key k t.csv --push {push}"),
            "info public/checkpoint policy w.pub",
        ],
    );
    for server in [witness, served, mirrored, routed] {
        server.stop(comparison);
    }
}

const LOGS: &[&str] = &[
    "parameters --scheme aad-counted --top 4 --out par",
    "keygen --out k --scheme aad-counted --parameters par",
    "import --store s --key k --parameters par t.csv",
    "get --store s --public k.pub x",
    "get --store s --public k.pub --keys keys",
    "history --store s --public k.pub x",
    "check --store s",
    "prove --store s --public k.pub --value 2 x --out p",
    "verify --public k.pub --proof p --at 2 --value 2 x",
    "prove-append-only --store s --public k.pub --from 1 --out g",
    "verify --public k.pub --proof g --from 1 --to 2",
    "keygen --out set --scheme aas-counted --parameters par",
    "put --store members --key set --parameters par --commit x",
    "get --store members --public set.pub x",
    "get --store members --public set.pub y",
];

const DIRECTORIES: &[&str] = &[
    "keygen --out k --scheme directory",
    "directory create d --key k",
    "directory status d",
    "directory append d --key k --hints h --updates u a b",
    "directory update d --key k 0 b",
    "directory delete d --key k 1",
    "directory import d --key k a",
    "directory create copy --public k.pub",
    "directory apply copy u/1.update",
    "keygen --out light --scheme directory",
    "directory create author --light --key light",
    "directory append author --key light a",
    "directory prove d --public k.pub --out p --range 0..9",
    "directory verify p --public k.pub --at 4 --range 0..9",
    "directory verify --from d --id 0 --object b --hint h/0.hint",
    "! directory verify --from d --id 0 --object a",
    "directory check d",
    "directory status d",
];

/// Runs a server of the directory `copy`, and commands that use it.
fn serve_directory(bench: &Bench, comparison: &mut Comparison) {
    let address = free_address();
    let served = Running::start(bench, "serve --directory copy", &address, comparison);
    let push = format!("directory push --to http://{address} u/1.update");
    let asked = format!("--server http://{address} --public k.pub");
    comparison.run(
        bench,
        &[
            &push,
            &format!("directory status {asked}"),
            &format!("directory verify {asked} --id 0 --object a"),
        ],
    );
    served.stop(comparison);
}

/// Runs a file server, and commands about files on it.
fn store_files(bench: &Bench, comparison: &mut Comparison) {
    bench.write("text", b"some text");
    bench.write("other", b"another text");
    let address = free_address();
    let line = "file serve --store files --owner-files 1";
    let server = Running::start(bench, line, &address, comparison);
    comparison.run(
        bench,
        &[
            "file keygen --out k",
            "file owner --key k",
            &format!("file upload --state s --key k --server {address} text"),
            &format!("! file upload --state refused --key k --server {address} text"),
            "file sync --state s --key k other",
            "file write --state s --key k --offset 0 --text A",
            "file insert --state s --key k --offset 0 --text A",
            "file delete --state s --key k --offset 0 --length 2",
            "file read --state s --key k --out copy",
            "file audit --state s --key k",
            "file status --state s --key k",
            "file adopt --state s --key k",
            "file public --state s --key k --out public",
            "file list",
            "! file list text",
            "info public k s",
            "keygen --out author",
            "file publish --state s --key k --path text --store heads --author author",
            "file delete --state s --key k --whole-file",
            "file forget --state s",
        ],
    );
    server.stop(comparison);
    comparison.run(bench, &["file check --store files"]);
}

#[test]
fn a_name_has_one_meaning() {
    Reference::read().check_vocabulary();
}

/// A manual page exists for every command of the program.
#[test]
fn every_command_is_in_the_reference() {
    let bench = Bench::new();
    bench.ok("man pages");
    let pages = names(&bench.path("pages")).into_iter();
    let pages = pages.map(|page| page.trim_end_matches(".1").to_owned());
    let pages: BTreeSet<_> = pages.collect();
    let reference = Reference::read();
    let documented = reference.commands().into_keys();
    let documented = documented.chain(WITHOUT_JSON.iter().copied());
    let documented: BTreeSet<_> = documented.map(|name| name.replace(' ', "-")).collect();
    assert_eq!(pages, documented);
}
