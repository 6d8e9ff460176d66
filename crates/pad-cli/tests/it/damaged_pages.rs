//! Tests of damaged pages of the storage engine, in every kind of store.
//!
//! The engine panics on some damaged pages. Every command must then report in one line that the
//! store is damaged. The module `file::operator` tests stores of outsourced files.

use pad_conformance::soak;

use crate::bench::{Bench, digests, text};

/// A kind of store: the contents of its folder, its databases, and the commands that read them.
struct Kind {
    bench: Bench,
    databases: &'static [&'static str],
    commands: &'static [&'static str],
}

const COMMANDS: &[&str] = &[
    "check --store s",
    "versions --store s",
    "get --store s --public k.pub apple",
    "commit --store s --key k",
];

fn kinds() -> Vec<Kind> {
    let tuples = Bench::with_trace_of("tuple-spec-lightweight");
    let directory = Bench::with_key("directory");
    directory.write("digests", digests(600).as_bytes());
    directory.ok("directory import d --key k --digests digests");
    let kind = |bench, databases| Kind {
        bench,
        databases,
        commands: COMMANDS,
    };
    vec![
        kind(Bench::with_trace(), &["s"]),
        kind(tuples, &["s", "s.tuples"]),
        kind(crate::append_only::published(), &["s"]),
        Kind {
            bench: directory,
            databases: &["d/log.redb"],
            commands: &[
                "directory check d",
                "directory status d --public k.pub",
                "directory verify --from d --id 7 --digest \
                 0000000000000000000000000000000000000000000000000000000000000008",
            ],
        },
    ]
}

#[test]
fn every_command_says_that_the_store_is_damaged() {
    let (step, kinds_of_damage) = soak::size((17, 1), (1, 2));
    for kind in kinds() {
        let (bench, mut refused) = (&kind.bench, 0);
        for database in kind.databases {
            let whole = bench.read(database);
            let pages = (1..whole.len() / 4096).map(|page| page * 4096);
            let written = pages.filter(|start| whole[*start..start + 4096].iter().any(|b| *b > 0));
            for (number, start) in written.step_by(step).enumerate() {
                // In the short case, each tested page has one of the two kinds of damage.
                let noises = [[0xff, 0x03], [0x03, 0xff]][number % 2];
                for noise in noises.into_iter().take(kinds_of_damage) {
                    for command in kind.commands {
                        let mut bytes = whole.clone();
                        bytes[start] ^= noise;
                        bench.write(database, &bytes);
                        let output = bench.run(command);
                        let error = text(&output.stderr);
                        let place = format!("{database}, byte {start}: {command}: {error}");
                        assert!(matches!(output.status.code(), Some(..=4)), "{place}");
                        assert!(!error.contains("pad has a bug"), "{place}");
                        let is_reader = !command.starts_with("commit");
                        // Commands that read a directory open its engine for writing, too.
                        let is_shared = !command.starts_with("directory");
                        if is_shared && (is_reader || !output.status.success()) {
                            // A command that only reads, or that fails, must leave the file
                            // unchanged.
                            assert!(bench.read(database) == bytes, "{place}");
                        }
                        refused += u32::from(!output.status.success());
                    }
                }
            }
            bench.write(database, &whole);
        }
        assert!(refused > 0, "{:?}: every page is spare", kind.databases);
    }
}

/// If a file next to the store is damaged, a commit must fail with the remedy. After the repair the
/// author must continue with the same versions.
#[test]
fn an_author_goes_on_after_any_file_beside_its_store_was_damaged() {
    for (scheme, file, error) in [
        ("red-black", "s.nodes", "mirror a server"),
        ("red-black", "s.nodes.heads", "nodes"),
        ("tuple-base", "s.tuples", "move it away"),
        ("red-black", "s.newest", "move that file away"),
    ] {
        let bench = Bench::with_trace_of(scheme);
        bench.ok("export --store s --from 1 --out updates");
        bench.ok("apply --store server --public k.pub updates");
        let before = bench.signed("server");
        bench.write(file, b"");
        bench.fails("commit --store s --key k --allow-empty", 4, error);
        if error.contains("away") {
            std::fs::remove_file(bench.path(file)).unwrap();
            bench.ok("commit --store s --key k --allow-empty");
            assert_eq!(bench.signed("s")[..3], before, "{file}");
        } else {
            bench.steps(&[
                "export --store server --from 1 --out again",
                "apply --store fresh --public k.pub again",
                "commit --store fresh --key k --allow-empty",
            ]);
            assert_eq!(bench.signed("fresh")[..3], before, "{file}");
        }
    }
}
