//! Tests of every command of the real binary with the designs that use accumulators.

use authdict::{DictionaryId, SchemeName, SecretKey, SuiteName};
use pad_conformance::soak;
use serde_json::json;

use crate::bench::{Bench, TRACE};

fn schemes() -> impl Iterator<Item = SchemeName> {
    let all = SchemeName::ALL.iter().copied();
    all.filter(|scheme| scheme.name().contains("accumulators"))
}

/// Returns the schemes of a test, with both kinds of accumulators. The short forms of the tests,
/// each with another `place`, together have all schemes.
#[track_caller]
fn tested(place: usize) -> impl Iterator<Item = SchemeName> {
    let (skipped, step) = soak::size((place, 3), (0, 1));
    let of_kind = move |kind: &'static str| {
        let of_kind = schemes().filter(move |scheme| scheme.name().ends_with(kind));
        of_kind.skip(skipped).step_by(step)
    };
    of_kind("rsa").chain(of_kind("bilinear"))
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
    let suite = SuiteName::Sha256Ed25519;
    let id = DictionaryId::from_name(dictionary);
    let key = SecretKey::from_parts(suite, scheme, id, &[7; 32], Some(secret)).unwrap();
    let bench = Bench::new();
    let [secret, public] = ["k", "k.pub"].map(|name| bench.path(name));
    key.save_pair_as(&key.to_file().unwrap(), &secret, &public)
        .unwrap();
    bench
}

#[test]
fn there_are_six() {
    assert_eq!(schemes().count(), 6);
}

#[test]
fn answers_are_verified_and_what_is_not_offered_is_said() {
    for scheme in tested(0) {
        let bench = published(scheme);
        let apple = json!({
            "key": "apple", "present": true, "value": "4", "verified": true, "version": 3,
        });
        assert_eq!(bench.get("apple"), apple);
        assert_eq!(bench.get("apple --at 1")["value"], "3");
        assert_eq!(bench.get("pear")["present"], false);
        let refused = format!("range questions are not supported by scheme {scheme}");
        bench.fails("range --store s a z", 2, &refused);
        let (changes, _) = bench.list("history --store s pear --complete");
        assert_eq!(changes.len(), 2);
    }
}

#[test]
fn proofs_and_updates_travel() {
    for scheme in tested(1) {
        let bench = published(scheme);
        bench.ok("prove --store s apple --at 2 --out p");
        let verify = |at: u32| format!("verify --public k.pub --proof p apple --at {at}");
        assert_eq!(bench.json(&verify(2))[0]["present"], true);
        bench.fails(&verify(3), 3, "of version 2");
        let stranger = with_key(scheme, "other");
        std::fs::copy(stranger.path("k.pub"), bench.path("other.pub")).unwrap();
        let other = "verify --public other.pub --proof p apple --at 2";
        bench.fails(other, 3, "another dictionary");
        bench.export(3);
        bench.ok("apply --store copy --public k.pub u1 u2 u3");
        assert_eq!(bench.signed("copy"), bench.signed("s"));
        bench.ok("check --store copy");
    }
}

#[test]
fn stores_are_checked_pruned_and_go_on() {
    for scheme in tested(2) {
        let bench = published(scheme);
        let checked = r#"{"proved_versions": 3, "replayed_updates": 3, "complete": true}"#;
        bench.steps(&[
            &format!("check --store s -> {checked}"),
            "prune --store s --before 2",
            r#"check --store s -> {"complete": false}"#,
            "put --store s fig 9",
            "commit --store s --key k",
            "check --store s",
            r#"get --store s --public k.pub --view v fig -> {"value": "9"}"#,
        ]);
    }
}

/// A new key of bilinear accumulators, which are generated quickly, must sign.
#[test]
fn a_new_key_of_bilinear_accumulators_signs() {
    let bench = Bench::new();
    // The time is proportional to the number of entries.
    let entries = soak::size(" --entries 63", "");
    let keygen = "keygen --out k --scheme tuple-accumulators-superseding-bilinear";
    bench.steps(&[
        &format!("{keygen}{entries}"),
        "put --store s --key k a 1",
        "commit --store s --key k",
        r#"get --store s --public k.pub a -> {"value": "1"}"#,
        "public --key k --out again.pub",
    ]);
    assert_eq!(bench.read("again.pub"), bench.read("k.pub"));
}

#[test]
fn a_bilinear_key_is_for_so_many_entries() {
    let bench = Bench::new();
    let small = "keygen --out k --scheme tuple-accumulators-bilinear --entries 3";
    bench.ok(small);
    let unbounded = "keygen --out other --scheme red-black --entries 3";
    bench.steps(&[
        "put --store s --key k a 1",
        "put --store s --key k b 1",
        "put --store s --key k c 1",
        "commit --store s --key k",
        "put --store s --key k d 1",
        "commit --store s --key k => 4 at most 4 elements",
        r#"get --store s --public k.pub c -> {"value": "1"}"#,
        &format!("{unbounded} => 2 red-black have no maximum number of entries"),
    ]);
}
