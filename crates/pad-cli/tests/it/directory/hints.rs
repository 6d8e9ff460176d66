//! Tests of hints stored next to objects. They save reads, and are not trusted.

use serde_json::json;

use crate::bench::{Bench, assert_has, digests};

/// Creates a directory of two closed blocks. The hint of entry 5 is in `hint`, and its object is in
/// `object`.
fn with_hint() -> Bench {
    Bench::shared("a directory and a hint", || {
        let bench = Bench::with_key("directory");
        bench.write("digests", digests(256).as_bytes());
        bench.write("object", b"the object");
        bench.steps(&[
            "directory create d --key k",
            "directory append d --key k --digests digests",
            "directory update d --key k --hints hints 5 object",
        ]);
        std::fs::rename(bench.path("hints/5.hint"), bench.path("hint")).unwrap();
        bench
    })
}

const ASK: &str = "directory verify --from d --public k.pub --id 5 --object object";

/// Verifies the object, which must match, with the hint. Asserts whether the hint matched, and
/// whether it was refreshed. A hint that does not match costs one read.
fn assert_hint(bench: &Bench, [is_match, is_refreshed]: [bool; 2], case: &str) {
    let said = bench.one(&format!("{ASK} --hint hint"));
    let expected = json!({
        "matched": true, "read_blocks": u32::from(!is_match),
        "hint": { "matched": is_match, "refreshed": is_refreshed },
    });
    assert_has(&said, &expected, case);
}

#[test]
fn a_hint_saves_the_read_and_is_refreshed() {
    let bench = with_hint();
    let without = bench.one(ASK);
    assert_has(&without, &json!({ "matched": true, "read_blocks": 1 }), ASK);
    assert_hint(&bench, [true, false], "new");
    // After a change of another entry, the hint still matches. It is replaced by a hint for the new
    // version.
    bench.ok("directory delete d --key k 255");
    let old = bench.read("hint");
    assert_hint(&bench, [true, true], "after a change");
    assert_ne!(bench.read("hint"), old);
    let matched = "the object is the one that is registered; the hint matched; 0 blocks read";
    bench.step(&format!("{ASK} --hint hint => 0 {matched}"));
}

#[test]
fn a_lost_stale_or_poisoned_hint_costs_a_read_and_no_more() {
    let bench = with_hint();
    let good = bench.read("hint");
    // The hint is missing, not a hint, too long, or the hint of another entry.
    std::fs::remove_file(bench.path("hint")).unwrap();
    assert_hint(&bench, [false, true], "missing");
    assert_eq!(bench.read("hint"), good);
    for poisoned in [&b""[..], b"nothing", &[7; 5000]] {
        bench.write("hint", poisoned);
        assert_hint(&bench, [false, true], &format!("{poisoned:?}"));
        assert_eq!(bench.read("hint"), good);
    }
    // The object store may change any byte of the hint.
    for place in (0..good.len()).step_by(7) {
        let mut poisoned = good.clone();
        poisoned[place] ^= 0x10;
        bench.write("hint", &poisoned);
        let said = bench.one(&format!("{ASK} --hint hint"));
        assert_eq!(said["matched"], true, "byte {place}");
    }
    // The hint is stale, because the neighbouring entry has changed since.
    bench.write("hint", &good);
    bench.ok("directory delete d --key k 4");
    assert_hint(&bench, [false, true], "stale");
    assert_hint(&bench, [true, false], "refreshed");
}

#[test]
fn a_false_object_is_refused_whatever_its_hint() {
    let bench = with_hint();
    let ask = format!("{ASK} --hint hint");
    bench.write("object", b"a false object");
    bench.fails(&ask, 3, "the object object with the digest");
    bench.write("object", b"the object");
    assert_eq!(bench.one(&ask)["matched"], true);
    // The object store returns the object and the hint of another entry. The client names the entry
    // that it requests.
    bench.ok("directory update d --key k --hints hints 6 digests");
    bench.write("object", &bench.read("digests"));
    bench.write("hint", &bench.read("hints/6.hint"));
    bench.fails(&ask, 3, "is not what version 3 has as entry 5");
    bench.steps(&[
        "directory verify --from d --id 5 --hint hint => 2 no object is given",
        "directory verify --from d --id 5 --id 6 --object object => 2 give one --id",
    ]);
}
