//! Tests of log proofs other than all values of a key: members of sets, one value, and append-only
//! proofs. Both schedules of merges are tested.

use authdict::{
    Sha256Ed25519,
    internals::{RedbStore, Store as _},
};
use pad_conformance::soak;
use pad_core::{Suite as _, internals::Domain};
use serde_json::json;

use crate::{
    append_only::{apply_all, grown, published, values, with_key_of},
    bench::{Bench, text},
};

/// Creates a set `s` of seven versions, each with `added` new members. One member is added twice.
fn set(scheme: &str, added: u32) -> Bench {
    Bench::shared(&format!("{scheme}, {added} members"), || {
        let bench = with_key_of(scheme);
        let rows = (0..7 * added).map(|number| format!("{},put,m{number},\n", number / added));
        bench.write_trace("t.csv", rows.chain(["6,put,m3,\n".into()]));
        bench.ok("import --store s --key k --parameters par t.csv");
        bench
    })
}

fn check_set(scheme: &str, added: u32) {
    let bench = set(scheme, added);
    let get = |line: &str| bench.get(line);
    let present = json!({
        "version": 7, "key": "m3", "present": true, "position": 3, "verified": true,
        "parameters": "of unknown origin",
    });
    assert_eq!(get("m3"), present);
    let last = format!("m{}", 7 * added - 1);
    let absent = json!({
        "version": 6, "key": last, "present": false, "verified": true,
        "parameters": "of unknown origin",
    });
    assert_eq!(get(&format!("{last} --at 6")), absent);
    for (member, said) in [
        ("m3", "present  m3   in the set   [version 7, verified]\n"),
        ("x", "absent   x   not in the set   [version 7, verified]\n"),
    ] {
        let printed = bench.ok(&format!("get --store s --public k.pub {member}"));
        assert_eq!(printed, said);
    }

    for (member, other) in [("m3", "m4"), ("x", "m4")] {
        bench.ok(&format!("prove --store s {member} --out p --force"));
        let verify = |member: &str| format!("verify --public k.pub --proof p {member} --at 7");
        let answer = bench.first(&verify(member));
        assert_eq!(answer["present"], member == "m3");
        bench.fails(&verify(other), 3, "verification failed");
    }
    bench.step(r#"check --store s --public k.pub -> {"replayed_updates": 7}"#);
}

#[test]
fn sets_say_what_is_in_them() {
    check_set("aas-counted", 5);
}

#[test]
fn sets_with_frontiers_say_what_is_in_them() {
    check_set("aas-frontier", soak::size(2, 5));
}

#[test]
fn members_have_no_values_and_are_there_once() {
    let bench = set("aas-counted", 5);
    bench.steps(&[
        "put --store s m40 one => 2 a member of a set has no value",
        "put --store new --key k --parameters par m40 one => 2 a member of a set has no value",
    ]);
    assert!(!bench.path("new").exists());
    bench.write("v.csv", b"snapshot,op,key,value\na,put,m,\nb,put,n,1\n");
    let import = "import --store other --key k --record r --new-record --parameters par v.csv";
    bench.step(&format!(
        "{import} => 2 snapshot 'b' at line 3: a member of a set has no value"
    ));
    assert!(!bench.path("other").exists());
    // One member already exists, one is new, and the new one is added twice.
    for member in ["m3", "m40", "m40"] {
        bench.ok(&format!("put --store s {member}"));
    }
    let grown = r#"{"from_entries": 35, "to_entries": 36}"#;
    bench.steps(&[
        r#"commit --store s --key k -> {"version": 8}"#,
        "prove-append-only --store s --from 7 --out p",
        &format!("verify --public k.pub --proof p --from 7 --to 8 -> {grown}"),
        "range --store s a z => 2 not supported by scheme aas-counted",
        "remove --store s m3 => 2 not supported by scheme aas-counted",
    ]);

    // In a dictionary, keys have values.
    let bench = published();
    bench.fails("put --store s key", 2, "no value given");
}

#[test]
fn one_value_is_proved_alone() {
    let bench = grown();
    bench.ok("prove --store s example.org --value two --at 12 --out p");
    let verify = "verify --public k.pub --proof p example.org";
    let two = json!({
        "version": 12, "key": "example.org", "value": "two", "present": true,
        "position": 2, "occurrence": 1, "verified": true, "parameters": "of unknown origin",
    });
    let of_two = format!("{verify} --value two --at 12");
    assert_eq!(bench.first(&of_two), two);
    bench.steps(&[
        &format!("{of_two} => 0 other values are not shown"),
        &format!("{verify} --value one --at 12 => 3 verification failed"),
        &format!("{verify} --value two --at 11 => 3 of version 12"),
        &format!("{verify} --at 12 => 3 kind"),
        "prove --store s example.org --value three --out q => 2 no such",
        // A proof of all values is another kind of proof.
        "prove --store s example.org --at 12 --out p --force",
        &format!("{of_two} => 3 kind"),
    ]);

    let trees = Bench::with_trace();
    let refused = "questions about one value are not supported by scheme red-black";
    trees.fails("prove --store s apple --value 3 --out p", 2, refused);
    let refused = "append-only proofs are not supported by scheme red-black";
    trees.fails("prove-append-only --store s --from 1 --out p", 2, refused);
}

#[test]
fn growth_is_proved_to_whoever_has_the_public_key() {
    let bench = grown();
    let latest = bench.list("versions --store s").0.len();
    bench.ok("prove-append-only --store s --from 3 --to 12 --out p");
    let verify = "verify --public k.pub --proof p";
    let grown = json!({
        "from": 3, "to": 12, "from_entries": 5, "to_entries": 32, "grown": true, "verified": true,
        "parameters": "of unknown origin",
    });
    assert_eq!(bench.first(&format!("{verify} --from 3 --to 12")), grown);
    bench.steps(&[
        &format!("{verify} --from 3 --to 12 => 0 version 12 contains version 3"),
        &format!("{verify} --from 12 --to 3 => 2 the older version comes first"),
        &format!("{verify} --from 2 --to 12 => 3 verification failed"),
        &format!("{verify} --from 3 --to 11 => 3 verification failed"),
        &format!("{verify} example.org --at 12 => 3 verification failed"),
        &format!("{verify} --at 12 => usage"),
    ]);
    let prove = "prove-append-only --store s";
    for from in [0, latest] {
        bench.steps(&[
            &format!("{prove} --from {from} --out p --force"),
            &format!("{verify} --from {from} --to {latest}"),
        ]);
    }
    bench.steps(&[
        &format!("{prove} --from 4 --to 3 --out q => 2 out of order"),
        &format!("{prove} --from 4 --to 99 --out q => 2 version 99"),
        // The log belongs to another key.
        "keygen --out other --scheme aad-counted --parameters par",
        "import --store o --key other --parameters par t.csv",
        "prove-append-only --store o --from 3 --to 12 --out p --force",
        &format!("{verify} --from 3 --to 12 => 3 verification failed"),
    ]);
}

#[test]
fn a_deferred_log_answers_everything() {
    let bench = Bench::new();
    bench.ok("parameters --top 5 --out par");
    let keygen = "keygen --scheme aad-counted --parameters par --schedule deferred --out k";
    bench.ok(keygen);
    let public = text(&bench.read("k.pub"));
    let own = public.lines().last().unwrap();
    assert!(own.starts_with("scheme-key 030501"), "{own}");
    let rows = (0..90).map(|number| {
        let (snapshot, key) = (number / 7, number % 20);
        format!("{snapshot},put,k{key},{number}\n")
    });
    bench.write_trace("t.csv", rows);
    bench.ok("import --store s --key k --parameters par t.csv");
    let get = |line: &str| bench.first(&format!("get --store s --view v {line}"));
    bench.ok("get --store s --public k.pub --view v k5 --at 3");
    assert_eq!(values(&get("k5")), ["5", "25", "45", "65", "85"]);
    assert_eq!(get("x")["present"], false);
    bench.publish("put k5 last");
    assert_eq!(values(&get("k5 --at 14")).len(), 6);
    bench.steps(&[
        "prove --store s k5 --value last --out p",
        "verify --public k.pub --proof p k5 --value last --at 14",
        "prove-append-only --store s --from 9 --out p --force",
        "verify --public k.pub --proof p --from 9 --to 14",
        r#"check --store s --public k.pub -> {"replayed_updates": 14}"#,
    ]);
}

/// A stored certificate does not match the entries. Proofs that need it are refused, and the check
/// finds it.
#[test]
fn a_check_finds_a_certificate_that_somebody_else_wrote() {
    let bench = grown();
    let mut store = RedbStore::open(&bench.path("s")).unwrap();
    let mut checkpoint = store.checkpoint().unwrap().unwrap();
    // The changed byte is in the quotient of the last node. No frontiers follow this node.
    let end = checkpoint.bytes.len() - 1;
    assert_eq!(checkpoint.bytes[end], 0);
    checkpoint.bytes[end - 1] ^= 1;
    let numbers =
        [checkpoint.version, checkpoint.oldest].map(|version| version.number().to_be_bytes());
    let parts: [&[u8]; 3] = [&numbers[0], &numbers[1], &checkpoint.bytes];
    let digest = Sha256Ed25519::hash(Domain::Checkpoint, &parts);
    checkpoint.digest = digest.as_ref().to_vec();
    store.put_checkpoint(&checkpoint).unwrap();
    drop(store);
    bench.ok("versions --store s");
    bench.fails("check --store s", 3, "does not verify");
}

/// A store that received its versions by `apply` has no import records. An import must not append
/// them twice, unless `--again` is given.
#[test]
fn a_trace_is_not_appended_twice_after_a_restore() {
    let bench = published();
    let versions = bench.list("versions --store s").0.len();
    apply_all(&bench, versions);
    let import = |store: &str| format!("import --store {store} --key k t.csv");
    bench.fails(&import("copy"), 2, "equals version 1 of the log");
    assert_eq!(bench.list("versions --store copy").0.len(), versions);
    // If all snapshots are known to be imported, none is appended.
    bench.ok(&import("s"));
    bench.ok(&format!("{} --again", import("copy")));
    assert_eq!(bench.list("versions --store copy").0.len(), 2 * versions);
}
