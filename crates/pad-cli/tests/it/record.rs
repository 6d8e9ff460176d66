//! Tests of the author's signing record, and of stores restored from an old backup.

use std::fs;

use authdict::{
    Operation,
    internals::{Store as _, pending},
};
use pad_conformance::soak;

use crate::bench::{Bench, OF_TREE, Outcome as _, TRACE};

/// Creates a store `s` with three versions. Its files at version 2 are copied to `old`.
fn with_backup() -> Bench {
    Bench::shared("three versions and a backup", || {
        let bench = Bench::with_key("red-black");
        for version in 1..=3 {
            bench.publish(&format!("put --key k apple {version}"));
            if version == 2 {
                bench.copy("s", "old", &["", ".newest"]);
            }
        }
        bench
    })
}

/// Creates a key `k`, and returns the further arguments that create a store. A log has its own
/// small parameters.
fn with_key_of(scheme: &str) -> (Bench, &'static str) {
    if scheme != "aad-counted" {
        return (Bench::with_key(scheme), "");
    }
    let bench = Bench::new();
    bench.ok("parameters --top 4 --out par");
    bench.ok("keygen --out k --scheme aad-counted --parameters par");
    (bench, " --parameters par")
}

fn restore(bench: &Bench) {
    bench.copy("old", "s", &["", ".newest"]);
}

#[test]
fn an_author_signs_no_second_head_after_a_restore() {
    let bench = with_backup();
    bench.ok("export --store s --at 3 --out third");
    let head = bench.signed("s")[2].clone();
    restore(&bench);
    bench.steps(&[
        "put --store s apple 9",
        "commit --store s --key k => 3 version 3 was signed and handed out",
        "import --store s --key k t.csv => 4 t.csv",
    ]);
    assert_eq!(bench.list("versions --store s --public k.pub").0.len(), 2);
    // The advice in the refusal solves the problem, and the pending change is not lost.
    bench.ok("apply --store s third");
    assert_eq!(bench.signed("s")[2], head);
    // The change was noted before version 3 was applied again. So the author has to decide whether
    // to sign it.
    bench.ok("put --store s fig 1");
    let text = bench.ok("status --store s --changes");
    let expected = "+ apple = 9   (older: noted at version 2)\n+ fig = 1\n";
    assert!(text.starts_with(expected), "{text}");
    bench.ok("reset --store s fig");
    bench.steps(&[
        "commit --store s --key k => 2 1 of the pending changes were noted at another version",
    ]);
    // Without another change there is nothing to sign.
    let (copy, newest) = (bench.read("s"), bench.read("s.newest"));
    bench.steps(&[
        "commit --store s --key k --older drop => 0 1 older change dropped, nothing was signed",
        r#"status --store s --key k -> {"latest": 3, "pending_changes": 0}"#,
    ]);
    bench.write("s", &copy);
    bench.write("s.newest", &newest);
    bench.steps(&[
        r#"commit --store s --key k --older sign -> {"version": 4, "changes": 1}"#,
        r#"get --store s apple -> {"value": "9"}"#,
    ]);
}

#[test]
fn a_new_store_with_an_old_key_is_not_signed_for() {
    let bench = with_backup();
    bench.steps(&[
        "put --store new --key k apple 1",
        "commit --store new --key k => 3 it is at version 0, but version 3 was signed",
        // A missing record at another path is refused, because the key may have signed elsewhere. A
        // new record has to be requested.
        "commit --store new --key k --record elsewhere => 3 the signing record elsewhere is \
         missing or empty",
        "commit --store new --key k --record elsewhere --new-record",
    ]);
    assert!(bench.path("elsewhere").exists());
    bench.write("t.csv", b"snapshot,op,key,value\na,put,apple,1\n");
    bench.step("import --store none --key k t.csv => 3 there is no store none");
    assert!(!bench.path("none").exists());
}

#[test]
fn a_store_with_another_head_is_not_signed_for() {
    let bench = with_backup();
    restore(&bench);
    bench.steps(&[
        "put --store s apple other",
        "commit --store s --key k --record elsewhere => 3 the signing record elsewhere is missing \
         or empty",
        "commit --store s --key k --record elsewhere --new-record",
        "put --store s apple 5",
        "commit --store s --key k => 3 another head of version 3 than the one signed",
    ]);
}

/// If the author crashes after the store is durable, and before the record is durable, the record
/// must catch up.
#[test]
fn a_record_that_is_behind_catches_up() {
    let bench = with_backup();
    let record = bench.read("k.signed");
    bench.publish("put apple 4");
    let ahead = bench.read("k.signed");
    bench.write("k.signed", &record);
    bench.publish("put apple 5");
    assert_ne!(bench.read("k.signed"), ahead);
    restore(&bench);
    bench.ok("put --store s apple 6");
    bench.fails("commit --store s --key k", 3, "version 5");
}

#[test]
fn a_damaged_or_foreign_record_is_an_error_and_no_permission() {
    let bench = with_backup();
    bench.ok("put --store s apple 4");
    let record = bench.read("k.signed");
    bench.write("k.signed", &vec![0; record.len()]);
    bench.fails("commit --store s --key k", 4, "k.signed is damaged");
    bench.ok("keygen --out other");
    bench.ok("put --store t --key other --commit apple 1");
    fs::copy(bench.path("other.signed"), bench.path("k.signed")).unwrap();
    bench.step("commit --store s --key k => 4 is not a signing record of this dictionary's author");
    bench.write("k.signed", &record);
    bench.ok("commit --store s --key k");
}

/// A key that was renamed, or copied without its record, must not count as a key that has never
/// signed.
#[test]
fn a_key_without_its_record_signs_only_when_told_to() {
    let bench = with_backup();
    fs::rename(bench.path("k"), bench.path("renamed")).unwrap();
    bench.steps(&[
        "put --store s apple 4",
        "commit --store s --key renamed => 3 the signing record renamed.signed is missing or empty",
        "commit --store s --key renamed --record k.signed",
        "put --store s apple 5",
        "commit --store s --key renamed --new-record",
    ]);
}

/// If one bit of the record is wrong, or its end is cut off, the record must still be used.
#[test]
fn one_accident_to_the_record_costs_nothing() {
    let bench = with_backup();
    let record = bench.read("k.signed");
    restore(&bench);
    bench.ok("put --store s apple other");
    let assert_used = |record: &[u8]| {
        bench.write("k.signed", record);
        bench.step("commit --store s --key k => 3 version 3 was signed and handed out");
    };
    for place in (0..record.len()).step_by(97) {
        let mut damaged = record.clone();
        damaged[place] ^= 1;
        assert_used(&damaged);
    }
    for length in [512, 4096, 4500] {
        assert_used(&record[..length]);
    }
    bench.write("k.signed", &record[..511]);
    bench.fails("commit --store s --key k", 4, "k.signed is damaged");
}

#[test]
fn two_imports_at_once_sign_each_snapshot_once() {
    let bench = Bench::with_trace();
    let rows: Vec<String> = (0..60)
        .map(|row| format!("s{row},put,key {row},{row}\n"))
        .collect();
    bench.write("u.csv", [TRACE, &rows.concat()].concat().as_bytes());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| bench.run("import --store s --key k u.csv"));
        }
    });
    bench.ok("import --store s --key k u.csv");
    assert_eq!(bench.list("versions --store s --public k.pub").0.len(), 63);
}

/// If two authors use one key with two copies of a store, only one of them may sign the next
/// version.
#[test]
fn two_copies_of_a_store_do_not_get_different_versions() {
    let bench = with_backup();
    bench.copy("s", "t", OF_TREE);
    bench.ok("put --store s apple here");
    bench.ok("put --store t apple there");
    let committed = std::thread::scope(|scope| {
        let commit = |store: &str| bench.run(&format!("commit --store {store} --key k"));
        let both = ["s", "t"].map(|store| scope.spawn(move || commit(store)));
        both.map(|one| one.join().unwrap().status.success())
    });
    assert_ne!(committed[0], committed[1], "one is signed");
}

/// A change that could not be signed must not be noted.
#[test]
fn nothing_is_noted_in_a_tree_without_its_nodes() {
    let bench = with_backup();
    fs::remove_file(bench.path("s.nodes")).unwrap();
    bench.steps(&[
        "put --store s apple 4 => 4 copy both files with the store",
        "remove --store s apple => 4 copy both files with the store",
    ]);
}

/// If a change of a key is noted again during a commit, the commit must not remove the new change.
#[test]
fn a_commit_takes_only_the_changes_that_it_has_signed() {
    let bench = with_backup();
    bench.ok("put --store s apple first");
    let mut store = authdict::internals::RedbStore::open(&bench.path("s")).unwrap();
    let [signed] = pending::changes(&store).unwrap().try_into().unwrap();
    let second = Operation::Put(b"apple".into(), b"second".into());
    pending::note(&mut store, &second).unwrap();
    store.write_records(&[signed.done()]).unwrap();
    drop(store);
    bench.step(r#"commit --store s --key k -> {"changes": 1}"#);
    bench.step(r#"get --store s apple -> {"value": "second"}"#);
}

/// A change that is noted during a commit waits for the next commit, which signs it.
#[test]
fn changes_that_are_noted_beside_commits_are_signed_once_each() {
    let rounds = soak::size(3, 6);
    for scheme in ["red-black", "tuple-base", "aad-counted"] {
        let (bench, with) = with_key_of(scheme);
        bench.ok(&format!("put --store s --key k{with} key 0"));
        for round in 1..=rounds {
            let start = |line: &str| bench.command().args(line.split(' ')).spawn().unwrap();
            let mut both = [
                start("commit --store s --key k"),
                start(&format!("put --store s key {round}")),
            ];
            for child in &mut both {
                assert!(child.wait().unwrap().success(), "{scheme} {round}");
            }
            bench.ok(&format!("put --store s another-{round} {round}"));
        }
        bench.ok("commit --store s --key k");
        let versions = bench.list("versions --store s").0;
        let changes = versions.iter();
        let changes = changes.map(|version| version["claim"]["changes"].as_u64().unwrap());
        // In a dictionary, a later change of a key replaces the pending change.
        let (sum, noted) = (changes.sum::<u64>(), 1 + 2 * rounds);
        let least = noted - if scheme == "aad-counted" { 0 } else { rounds };
        assert!((least..=noted).contains(&sum), "{scheme}: {sum} of {noted}");
        bench.step(r#"status --store s -> {"pending_changes": 0}"#);
    }
}

/// An import keeps the pending changes for a later commit. A version from another machine may
/// already include them.
#[test]
fn changes_are_carried_along_by_what_is_signed_here_and_by_nothing_else() {
    let bench = Bench::with_key("red-black");
    bench.write("trace.csv", TRACE.as_bytes());
    bench.ok("put --store s --key k apple 9");
    bench.ok("import --store s --key k trace.csv");
    bench.ok("put --store s fig 9");
    bench.copy("s", "t", OF_TREE);
    bench.steps(&[
        r#"commit --store s --key k -> {"version": 4, "changes": 2}"#,
        "export --store s --from 4 --out updates",
        "apply --store t --public k.pub updates",
        "commit --store t --key k => 2 2 of the pending changes were noted at another version",
    ]);
}

/// A restored key has no record, and its store may be lost. Its author must state whether the key
/// has signed.
#[test]
fn a_key_from_its_copy_signs_no_second_first_version() {
    for scheme in ["red-black", "tuple-base", "aad-counted", "directory"] {
        let (bench, with) = with_key_of(scheme);
        let put = format!("put --store s --key k{with} apple 1");
        bench.write("apple", b"1");
        let (lines, first) = match scheme {
            "directory" => {
                let append = "directory append s --key k apple";
                (["directory create s --key k", append], 0)
            }
            _ => ([&*put, "commit --store s --key k"], 1),
        };
        bench.steps(&lines);
        // The disk is lost, and the key is restored.
        let key = bench.read("k");
        for name in bench.names() {
            let path = bench.path(&name);
            if ["apple", "par"].contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                fs::remove_dir_all(path).unwrap();
            } else {
                fs::remove_file(path).unwrap();
            }
        }
        bench.write("k", &key);
        bench.set_mode("k", 0o600);
        // The first line that signs needs to be told.
        let (before, signing) = lines.split_at(first);
        let (first, later) = signing.split_first().unwrap();
        bench.steps(before);
        bench.steps(&[
            &format!("{first} => 3 the signing record k.signed is missing or empty"),
            &format!("{first} --record r => 3 the signing record r is missing or empty"),
            &format!("{first} --new-record"),
        ]);
        bench.steps(later);
    }
}

/// Restores a store as the refusals recommend: an old copy, and the later updates. The trace
/// contains the snapshots of these updates, too.
#[test]
fn snapshots_that_came_back_as_updates_are_not_signed_again() {
    for scheme in ["red-black", "tuple-base", "aad-counted"] {
        let (bench, with) = with_key_of(scheme);
        let mut trace = "snapshot,op,key,value\n".to_owned();
        let mut import = |row: &str| {
            trace += row;
            bench.write("t.csv", trace.as_bytes());
            bench.run(&format!("import --store s --key k{with} t.csv"))
        };
        import("mon,put,price,1\n").succeeds();
        let files = || {
            let mut names = bench.names();
            names.retain(|name| name == "s" || name.starts_with("s."));
            names
        };
        let copies = files().into_iter().map(|name| (bench.read(&name), name));
        let copies: Vec<_> = copies.collect();
        import("tue,put,price,2\ntue,put,stock,full\n").succeeds();
        import("wed,put,price,3\n").succeeds();
        bench.export(3);
        for name in files() {
            fs::remove_file(bench.path(&name)).unwrap();
        }
        for (bytes, name) in &copies {
            bench.write(name, bytes);
        }
        bench.ok("apply --store s u2 u3");
        import("thu,put,price,4\n").fails_with(2, "--again");
        assert_eq!(bench.signed("s").len(), 3);
        // The new snapshots are imported from a separate trace.
        bench.write("new.csv", b"snapshot,op,key,value\nthu,put,price,4\n");
        bench.ok("import --store s --key k --append --again new.csv");
        assert_eq!(bench.signed("s").len(), 4);
        // The advice is given only once.
        if scheme != "aad-counted" {
            bench.write("new.csv", b"snapshot,op,key,value\nfri,put,price,5\n");
            bench.ok("import --store s --key k --append new.csv");
            assert_eq!(bench.signed("s").len(), 5);
        }
    }
}

/// A view that cannot be read must not be replaced by a new view.
#[test]
fn a_view_that_leads_nowhere_is_no_new_one() {
    let bench = with_backup();
    std::os::unix::fs::symlink("gone", bench.path("v")).unwrap();
    bench.fails("get --store s --public k.pub --view v apple", 4, "v: ");
    assert!(!bench.path("gone").exists());
    let pipe = bench.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    bench.steps(&[
        "get --store s --public k.pub --view pipe apple => 2 is not a plain file",
        "commit --store s --key pipe => 2 is not a plain file",
        "get --store s --public k.pub --at 0 apple => 2 version 0 has no signature",
        "range --store s --at 0 a z => 2 version 0 has no signature",
    ]);
}
