//! Tests of verdicts on answers, unauthenticated keys, views, and evidence.

use std::fs;

use serde_json::json;

use crate::bench::{Bench, Outcome as _, TRACE, assert_has, text};

/// Creates a store `s` of an author, and an attacker's store `swapped` that replaces it.
fn with_swapped_store() -> Bench {
    let bench = Bench::with_trace();
    bench.ok("keygen --out attacker");
    bench.write("forged.csv", TRACE.replace("apple,4", "apple,0").as_bytes());
    bench.ok("import --store swapped --key attacker forged.csv");
    bench
}

#[test]
fn a_key_from_the_store_verifies_nothing() {
    let bench = with_swapped_store();
    let own = "consistent with the store's own key";
    for line in [
        "get --store swapped apple",
        "range --store swapped '' ''",
        "history --store swapped apple",
        "history --store swapped apple --complete",
        "diff --store swapped 1 3",
        "diff --store swapped 1 3 --complete",
        "versions --store swapped",
        "check --store swapped",
        "prove --store swapped apple --out p --force",
    ] {
        let printed = bench.ok(line);
        let is_marked = printed.contains(own) && !printed.contains("verified");
        assert!(is_marked, "{line}: {printed}");
        let objects = bench.json(line);
        for object in &objects {
            assert_eq!(object["verified"], false, "{line}");
        }
        // In a list, the last object contains the verdict.
        let key = &objects.last().unwrap()["fingerprint"];
        assert_eq!(key.as_str().unwrap().len(), 16, "{line}");
        let with_key = line.replace("swapped", "s --public k.pub");
        let is_verified = bench.ok(&with_key).contains("verified");
        assert!(is_verified || line.contains("swapped '' "), "{line}");
        for object in bench.json(&with_key) {
            assert_eq!(object["verified"], true, "{line}");
        }
        let lied = line.replace("swapped", "swapped --public k.pub");
        let refused = bench.run(&lied);
        refused.fails_with(3, "");
        assert_eq!(text(&refused.stdout), "", "{lied}");
    }
}

#[test]
fn a_view_pins_the_key_that_it_was_begun_with() {
    let bench = with_swapped_store();
    bench.ok("get --store s --public k.pub --view v apple");
    let printed = bench.ok("get --store s --view v apple");
    assert!(printed.contains("verified"), "{printed}");
    let before = bench.read("v");
    let refused = "get --store swapped --view v apple";
    bench.steps(&[
        &format!("{refused} => 3 verification failed"),
        "get --store swapped --public attacker.pub --view v apple => 2 was begun with the key",
    ]);
    assert_eq!(bench.read("v"), before);

    // Answers with a view that was created without a key carry a note, until a key is given. The
    // view then accepts only this key.
    for _ in 0..3 {
        let said = bench.ok("get --store swapped --view w apple");
        let is_marked = said.contains("store's own key") && !said.contains("verified");
        assert!(is_marked, "{said}");
        bench.step(r#"get --store swapped --view w apple -> {"verified": false}"#);
    }
    bench.fails("get --store s --view w apple", 3, "verification failed");
    bench.ok("get --store swapped --public attacker.pub --view w apple");
    let said = bench.ok("get --store swapped --view w apple");
    assert!(said.contains("verified"), "{said}");
}

/// With a trusted key, a store without versions or a store of another key yields no answer.
#[test]
fn nothing_is_verified_of_a_store_that_was_made_with_another_key() {
    let bench = with_swapped_store();
    bench.ok("put --store empty --key attacker apple 1");
    for store in ["empty", "swapped"] {
        for line in [
            "get --store S --public k.pub apple",
            "get --store S --public k.pub apple --at 0",
            "history --store S --public k.pub zzz",
            "history --store S --public k.pub zzz --complete",
            "diff --store S --public k.pub 0 0",
            "range --store S --public k.pub a b --at 0",
            "versions --store S --public k.pub",
        ] {
            bench.fails(&line.replace('S', store), 3, "made with another key");
        }
    }
    for line in [
        "get --store empty apple",
        "history --store empty apple",
        "range --store empty a b",
    ] {
        let refused = bench.run(line);
        refused.fails_with(2, "the store has no version yet");
    }
}

#[test]
fn a_damaged_view_is_an_error() {
    let bench = Bench::with_trace();
    bench.ok("get --store s --public k.pub --view v apple");
    let whole = bench.read("v");
    for place in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[place] ^= 2;
        let text = String::from_utf8(damaged).unwrap_or_default();
        assert!(authdict::StoredView::parse(&text).is_err(), "byte {place}");
    }
    bench.write("v", &whole[1..]);
    bench.fails("get --store s --view v apple", 4, "not a view");
    bench.write("v", &whole);
    bench.ok("get --store s --view v apple");
}

/// Two processes of `pad` run at the same time. The view must never move back.
#[test]
fn views_only_move_forward_whoever_writes_them() {
    let bench = Bench::with_trace();
    bench.ok("get --store s --public k.pub --view v apple");
    std::thread::scope(|scope| {
        for _ in 0..3 {
            let bench = &bench;
            scope.spawn(move || {
                for _ in 0..12 {
                    bench.ok("get --store s --view v apple");
                }
            });
        }
        for number in 0..10 {
            bench.publish(&format!("put apple {number}"));
            bench.ok("get --store s --view v apple");
            let view = authdict::StoredView::parse(&text(&bench.read("v"))).unwrap();
            assert_eq!(view.version().number(), 4 + number);
        }
    });
}

/// A view that sees nothing new is not written. A link to it is followed, and stays a link.
#[test]
fn a_view_is_one_file_that_changes_with_its_version() {
    let bench = Bench::with_trace();
    bench.ok("get --store s --public k.pub --view v apple");
    let modified = || fs::metadata(bench.path("v")).unwrap().modified().unwrap();
    let before = modified();
    bench.ok("get --store s --view v apple");
    assert_eq!(modified(), before);
    std::os::unix::fs::symlink("v", bench.path("link")).unwrap();
    bench.publish("put apple 9");
    bench.ok("get --store s --view link apple");
    assert!(bench.path("link").is_symlink());
    let view = authdict::StoredView::parse(&text(&bench.read("v"))).unwrap();
    assert_eq!(view.version().number(), 4);
}

/// Creates three versions of an author, and a fork of them from version `from` on with two more
/// versions.
fn forked(from: u64) -> Bench {
    let bench = Bench::with_key("red-black");
    for version in 1..=3 {
        bench.publish(&format!("put --key k apple {version}"));
    }
    bench.ok("get --store s --public k.pub --view v apple");
    for version in 1..=5 {
        let value = version + if version >= from { 100 } else { 0 };
        bench.ok(&format!("put --store fork --key k apple {value}"));
        bench.ok("commit --store fork --key k --record fork.signed --new-record");
    }
    bench
}

#[test]
fn every_fork_leaves_evidence_that_anybody_can_check() {
    for from in 1..=3 {
        let bench = forked(from);
        bench.step("get --store fork --view v apple => 3 the evidence is in v.evidence");
        let checked = bench.first("evidence --public k.pub v.evidence");
        assert_eq!(checked["verified"], true);
        let version = checked["version"].as_u64().unwrap();
        assert!((1..=3).contains(&version), "{from}: {version}");
        // Evidence of the same fork is not written a second time.
        bench.fails("get --store fork --view v apple", 3, "v.evidence");
        assert!(!bench.path("v.evidence-2").exists());

        bench.steps(&[
            "keygen --out other",
            "evidence --public other.pub v.evidence => 3 another dictionary",
        ]);
        let mut changed = bench.read("v.evidence");
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        bench.write("changed", &changed);
        bench.fails("evidence --public k.pub changed", 3, "verification failed");
    }
}

#[test]
fn two_heads_for_one_version_are_evidence() {
    let bench = forked(3);
    // A server presents the fork up to the version that the client has seen.
    for version in 1..=3 {
        bench.steps(&[
            &format!("export --store fork --at {version} --out u{version}"),
            &format!("apply --store t --public k.pub u{version}"),
        ]);
    }
    bench.steps(&[
        "get --store t --view v apple => 3 the evidence is in v.evidence",
        r#"evidence --public k.pub v.evidence -> {"version": 3}"#,
    ]);
}

#[test]
fn honest_heads_are_no_evidence() {
    let bench = Bench::with_trace();
    bench.ok("get --store s --public k.pub --view v apple");
    bench.ok("prove --store s --public k.pub apple --out p");
    bench.fails("evidence --public k.pub p", 3, "verification failed");
    bench.fails("evidence --public k.pub v", 3, "verification failed");
}

#[test]
fn history_is_complete_from_the_oldest_version_that_is_kept() {
    for scheme in ["red-black", "tuple-spec-lightweight"] {
        let bench = Bench::with_trace_of(scheme);
        let (changes, whole) = bench.list("history --store s --public k.pub apple --complete");
        assert_has(&whole, &json!({ "complete": true, "from": 0 }), scheme);
        assert_eq!(changes.len(), 2);
        bench.ok("prune --store s --before 2");
        for (option, is_complete) in [(" --complete", true), ("", false)] {
            let line = format!("history --store s --public k.pub apple{option}");
            let (changes, history) = bench.list(&line);
            assert!(changes.is_empty(), "{scheme}: {line}: {history}");
            let expected = json!({ "from": 2, "complete": is_complete });
            assert_has(&history, &expected, &line);
        }
        let complete = "history --store s --public k.pub apple --complete";
        let pruned = bench.first(complete);
        assert_eq!(pruned["from"], 2);
        assert_eq!(pruned["at_start"]["value"], "4");
        let printed = bench.ok(complete);
        assert!(printed.contains("complete from version 2 on"), "{printed}");
        assert!(!printed.contains("none is missing"), "{printed}");
        bench.step("history --store s --public k.pub quince => 0 1 change after version 2");
    }
}
