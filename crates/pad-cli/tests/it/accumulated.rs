//! Tests of every command of the real binary with the designs that use accumulators.

use authdict::{DictionaryId, SchemeName, SecretKey, SuiteName};
use pad_conformance::soak;
use serde_json::json;

use crate::bench::{Bench, TRACE};

fn schemes() -> impl Iterator<Item = SchemeName> {
    let all = SchemeName::ALL.iter().copied();
    all.filter(|scheme| scheme.name().contains("accumulators"))
}

/// Creates the store `s` of the dictionary `d` with three versions of a trace. Its key `k` is a
/// published key of this scheme, because generating a new key takes minutes.
fn published(scheme: SchemeName) -> Bench {
    Bench::shared(scheme.name(), || {
        let bench = with_key(scheme, "d");
        bench.write("t.csv", TRACE.as_bytes());
        bench.ok("import --store s --key k --new-record t.csv");
        bench
    })
}

/// Creates the key `k` of a dictionary.
fn with_key(scheme: SchemeName, dictionary: &str) -> Bench {
    let text = if scheme.name().ends_with("rsa") {
        include_str!("../../../../data/keys-for-tests/rsa-2048.txt")
    } else {
        include_str!("../../../../data/keys-for-tests/bilinear-16.txt")
    };
    let digits = text.lines().find(|line| !line.starts_with('#')).unwrap();
    let secret = hex::decode(digits).unwrap().into();
    let (suite, id) = (
        SuiteName::Sha256Ed25519,
        DictionaryId::from_name(dictionary),
    );
    let key = SecretKey::from_parts(suite, scheme, id, &[7; 32], Some(secret)).unwrap();
    let bench = Bench::new();
    key.save_pair(&bench.path("k"), &bench.path("k.pub"))
        .unwrap();
    bench
}

#[test]
fn there_are_six() {
    assert_eq!(schemes().count(), 6);
}

#[test]
fn answers_are_verified_and_what_is_not_offered_is_said() {
    for scheme in schemes() {
        let bench = published(scheme);
        let get = |line: &str| bench.get(line);
        assert_eq!(
            get("apple"),
            json!({ "key": "apple", "present": true, "value": "4", "verified": true, "version": 3 })
        );
        assert_eq!(get("apple --at 1")["value"], "3");
        assert_eq!(get("pear")["present"], false);
        let refused = format!("range questions are not supported by scheme {scheme}");
        bench.fails("range --store s a z", 2, &refused);
        let (changes, _) = bench.list("history --store s pear --complete");
        assert_eq!(changes.len(), 2);
    }
}

#[test]
fn proofs_and_updates_travel() {
    for scheme in schemes() {
        let bench = published(scheme);
        bench.ok("prove --store s apple --at 2 --out p");
        let verify = |at: u32| format!("verify --public k.pub --proof p apple --at {at}");
        assert_eq!(bench.json(&verify(2))[0]["present"], true);
        bench.fails(&verify(3), 3, "of version 2");
        let stranger = with_key(scheme, "other");
        std::fs::copy(stranger.path("k.pub"), bench.path("other.pub")).unwrap();
        let other = "verify --public other.pub --proof p apple --at 2";
        bench.fails(other, 3, "another dictionary");
        for version in 1..=3 {
            bench.ok(&format!("export --store s --at {version} --out u{version}"));
        }
        bench.ok("apply --store copy --public k.pub u1 u2 u3");
        assert_eq!(bench.signed("copy"), bench.signed("s"));
        bench.ok("check --store copy");
    }
}

#[test]
fn stores_are_checked_pruned_and_go_on() {
    for scheme in schemes() {
        let bench = published(scheme);
        let checked = bench.first("check --store s");
        assert_eq!(
            (&checked["proved_versions"], &checked["replayed_updates"]),
            (&json!(3), &json!(3))
        );
        assert_eq!(checked["complete"], true);
        bench.ok("prune --store s --before 2");
        assert_eq!(bench.json("check --store s")[0]["complete"], false);
        bench.ok("put --store s fig 9");
        bench.ok("commit --store s --key k");
        bench.ok("check --store s");
        let get = bench.json("get --store s --public k.pub --view v fig");
        assert_eq!(get[0]["value"], "9");
    }
}

/// A new key of bilinear accumulators, which are generated quickly, must sign.
#[test]
fn a_new_key_of_bilinear_accumulators_signs() {
    let bench = Bench::new();
    // The time is proportional to the number of entries.
    let entries = soak::size(" --entries 63", "");
    let keygen = "keygen --out k --scheme tuple-accumulators-superseding-bilinear";
    bench.ok(&format!("{keygen}{entries}"));
    bench.ok("put --store s --key k a 1");
    bench.ok("commit --store s --key k");
    assert_eq!(
        bench.json("get --store s --public k.pub a")[0]["value"],
        "1"
    );
    bench.ok("public --key k --out again.pub");
    assert_eq!(bench.read("again.pub"), bench.read("k.pub"));
}

#[test]
fn a_bilinear_key_is_for_so_many_entries() {
    let bench = Bench::new();
    let small = "keygen --out k --scheme tuple-accumulators-bilinear --entries 3";
    bench.ok(small);
    for key in ["a", "b", "c"] {
        bench.ok(&format!("put --store s --key k {key} 1"));
    }
    bench.ok("commit --store s --key k");
    bench.ok("put --store s --key k d 1");
    bench.fails("commit --store s --key k", 4, "at most 4 elements");
    let kept = bench.get("c");
    assert_eq!(kept["value"], "1");
    let unbounded = "keygen --out other --scheme red-black --entries 3";
    bench.fails(unbounded, 2, "red-black have no maximum number of entries");
}
