//! Tests of hints stored next to objects. They save reads, and are not trusted.

use serde_json::json;

use super::journeys::one;
use crate::bench::Bench;

/// Creates a directory of two closed blocks. The hint of entry 5 is in `hint`, and its object is in
/// `object`.
fn with_hint() -> Bench {
    let bench = Bench::new();
    bench.ok("keygen --out k --scheme directory");
    bench.ok("directory create d --key k");
    let lines: Vec<String> = (1..=256).map(|number| format!("{number:064x}\n")).collect();
    bench.write("digests", lines.concat().as_bytes());
    bench.ok("directory append d --key k --digests digests");
    bench.write("object", b"the object");
    bench.ok("directory update d --key k --hints hints 5 object");
    std::fs::rename(bench.path("hints/5.hint"), bench.path("hint")).unwrap();
    bench
}

const ASK: &str = "directory verify --from d --public k.pub --id 5 --object object";

#[test]
fn a_hint_saves_the_read_and_is_refreshed() {
    let bench = with_hint();
    let without = one(&bench, ASK);
    assert_eq!(
        (&without["matched"], &without["read_blocks"]),
        (&json!(true), &json!(1))
    );
    let with = one(&bench, &format!("{ASK} --hint hint"));
    assert_eq!(
        (&with["matched"], &with["read_blocks"]),
        (&json!(true), &json!(0))
    );
    assert_eq!(with["hint"], json!({ "matched": true, "refreshed": false }));
    // After a change of another entry, the hint still matches. It is replaced by a hint for the new
    // version.
    bench.ok("directory delete d --key k 255");
    let old = bench.read("hint");
    let with = one(&bench, &format!("{ASK} --hint hint"));
    assert_eq!(with["hint"], json!({ "matched": true, "refreshed": true }));
    assert_eq!(with["read_blocks"], 0);
    assert_ne!(bench.read("hint"), old);
    let text = bench.ok(&format!("{ASK} --hint hint"));
    assert!(
        text.contains("the object is the one that is registered; the hint matched; 0 blocks read"),
        "{text}"
    );
}

#[test]
fn a_lost_stale_or_poisoned_hint_costs_a_read_and_no_more() {
    let bench = with_hint();
    let ask = format!("{ASK} --hint hint");
    let good = bench.read("hint");
    // The hint is missing, not a hint, too long, or the hint of another entry.
    std::fs::remove_file(bench.path("hint")).unwrap();
    for poisoned in [
        None,
        Some(vec![]),
        Some(b"nothing".to_vec()),
        Some(vec![7; 5000]),
    ] {
        if let Some(bytes) = &poisoned {
            bench.write("hint", bytes);
        }
        let said = one(&bench, &ask);
        assert_eq!(
            said["hint"],
            json!({ "matched": false, "refreshed": true }),
            "{poisoned:?}"
        );
        assert_eq!(
            (&said["matched"], &said["read_blocks"]),
            (&json!(true), &json!(1))
        );
        assert_eq!(bench.read("hint"), good);
    }
    // The object store may change any byte of the hint.
    for place in 0..good.len() {
        let mut poisoned = good.clone();
        poisoned[place] ^= 0x10;
        if place % 7 != 0 {
            continue;
        }
        bench.write("hint", &poisoned);
        let said = one(&bench, &ask);
        assert_eq!(said["matched"], true, "byte {place}");
    }
    // The hint is stale, because the neighbouring entry has changed since.
    bench.write("hint", &good);
    bench.ok("directory delete d --key k 4");
    let said = one(&bench, &ask);
    assert_eq!(said["hint"], json!({ "matched": false, "refreshed": true }));
    let said = one(&bench, &ask);
    assert_eq!(said["hint"], json!({ "matched": true, "refreshed": false }));
}

#[test]
fn a_false_object_is_refused_whatever_its_hint() {
    let bench = with_hint();
    let ask = format!("{ASK} --hint hint");
    bench.write("object", b"a false object");
    bench.fails(&ask, 3, "the object object with the digest");
    bench.write("object", b"the object");
    assert_eq!(one(&bench, &ask)["matched"], true);
    // The object store returns the object and the hint of another entry. The client names the entry
    // that it requests.
    bench.ok("directory update d --key k --hints hints 6 digests");
    bench.write("object", &bench.read("digests"));
    bench.write("hint", &bench.read("hints/6.hint"));
    bench.fails(&ask, 3, "is not what version 3 has as entry 5");
    for (line, reason) in [
        (
            "directory verify --from d --id 5 --hint hint",
            "no object is given",
        ),
        (
            "directory verify --from d --id 5 --id 6 --object object",
            "give one --id",
        ),
    ] {
        bench.fails(line, 2, reason);
    }
}
