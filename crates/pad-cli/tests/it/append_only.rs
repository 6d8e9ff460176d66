//! Tests of every command of the real binary on append-only logs, and of servers that lie.

use authdict::{
    Sha256Ed25519, Version,
    internals::{
        RecordChange, RedbStore, Store as _,
        dynamic::{create_store_with, key_of_store},
    },
    pad_core::codec,
    pad_log::Appended,
};
use pad_conformance::soak;
use pad_core::Update;
use serde_json::{Value as Json, json};

use crate::bench::{Bench, Outcome as _, object, text};

const LOG: &str = "snapshot,op,key,value\n\
    a,put,example.org,one\na,put,example.net,other\na,put,example.org,two\n\
    b,put,example.org,one\n\
    c,put,example.com,three\n";

/// Creates parameters `par` for trees of 16 entries, and a key `k` of this scheme.
pub(crate) fn with_key_of(scheme: &str) -> Bench {
    Bench::shared(scheme, || {
        let bench = Bench::new();
        bench.steps(&[
            &format!("parameters --scheme {scheme} --top 4 --out par"),
            &format!("keygen --out k --scheme {scheme} --parameters par"),
        ]);
        bench
    })
}

/// Applies the updates to versions 1 to `last` of the store `s` to the new store `copy`.
pub(crate) fn apply_all(bench: &Bench, last: usize) {
    let files = bench.export(last);
    let apply = "apply --store copy --public k.pub --parameters par";
    bench.ok(&format!("{apply}{files}"));
}

/// Publishes three versions of a log in the store `s`.
pub(crate) fn published() -> Bench {
    Bench::shared("aad-counted, published", || {
        publish(with_key_of("aad-counted"))
    })
}

fn publish(bench: Bench) -> Bench {
    bench.write("t.csv", LOG.as_bytes());
    bench.ok("import --store s --key k --parameters par t.csv");
    bench
}

/// Appends forty entries in versions of three. The log then has trees, a tail, and several trees of
/// the top level.
pub(crate) fn grown() -> Bench {
    Bench::shared("aad-counted, grown", || {
        let bench = published();
        append(&bench, 40, 20, 3, "");
        bench
    })
}

/// Appends values, `group` in each version, of `keys` different keys. `with` are further options of
/// the import.
fn append(bench: &Bench, values: u32, keys: u32, group: u32, with: &str) {
    let rows = (0..values).map(|number| {
        let (snapshot, key) = (number / group, number % keys);
        format!("more {snapshot},put,key {key},value {number}\n")
    });
    let trace = rows.fold(LOG.to_owned(), |trace, row| trace + &row);
    bench.write("t.csv", trace.as_bytes());
    bench.ok(&format!("import --store s --key k{with} t.csv"));
}

pub(crate) fn values(object: &Json) -> Vec<&str> {
    let values = object["values"].as_array().unwrap().iter();
    let values = values.map(|value| value["value"].as_str().unwrap());
    values.collect()
}

#[test]
fn parameters_made_here_are_called_insecure() {
    let bench = Bench::new();
    let made = bench.run("parameters --top 5 --out par");
    assert!(text(&made.stderr).contains("INSECURE"), "{made:?}");
    assert!(text(&made.stdout).contains("INSECURE"), "{made:?}");
    let key = bench.run("keygen --out k --scheme aad-counted --parameters par --top 4");
    assert!(key.status.success() && text(&key.stderr).contains("INSECURE"));
    let [secret, public] = ["k", "k.pub"].map(|file| text(&bench.read(file)));
    let own = public.lines().last().unwrap();
    assert!(own.starts_with("scheme-key 030400"), "{own}");
    assert_eq!(secret.lines().last(), Some(own));
    bench.ok("public --key k --out again.pub");
    assert_eq!(bench.read("again.pub"), bench.read("k.pub"));

    let keygen = "keygen --out other --scheme aad-counted";
    bench.steps(&[
        &format!("{keygen} --top 12 => 2 serve trees of up to 2^11 entries"),
        &format!("{keygen} --parameters par --top 6 => 2 serve trees of up to 2^5 entries"),
        "keygen --out other --parameters par => 2 have none",
    ]);
    let mut damaged = bench.read("par");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    bench.write("par", &damaged);
    bench.fails(&format!("{keygen} --parameters par"), 2, "parameters par: ");
    bench.ok("parameters --top 4 --out strange");
    let import = "put --store s --key k a 1 --parameters strange";
    bench.fails(import, 2, "made with other parameters");
    bench.fails("put --store s --key k a 1", 2, "needs the --parameters");
    assert!(!bench.path("s").exists());
}

/// The built-in parameters come from a ceremony, so no command prints a warning about them.
#[test]
fn a_log_needs_no_parameters_of_its_own() {
    let bench = Bench::new();
    let quiet = |line: &str| {
        let output = bench.run(line);
        assert!(output.stderr.is_empty(), "{line}: {output:?}");
        output.succeeds()
    };
    quiet("keygen --out k --scheme aad-counted");
    let public = text(&bench.read("k.pub"));
    let own = public.lines().last().unwrap();
    assert!(own.starts_with("scheme-key 030b00b5bfd7dd"), "{own}");
    bench.write("t.csv", LOG.as_bytes());
    bench.ok("import --store s --key k t.csv");
    let answer = object(&quiet("--json get --store s --public k.pub example.org"));
    assert_eq!(values(&answer), ["one", "two", "one"]);

    // With other parameters, every answer comes with a warning.
    let insecure = published();
    insecure.ok("prove --store s example.org --out p");
    for line in [
        "get --store s --public k.pub example.org",
        "--json get --store s --public k.pub example.org",
        "verify --public k.pub --proof p example.org --at 3",
    ] {
        let warning = text(&insecure.run(line).stderr);
        assert!(warning.contains("INSECURE unless the parameters come from a ceremony"));
    }
}

#[test]
fn files_of_ceremonies_are_checked() {
    let bench = Bench::new();
    // The powers of a ceremony whose secret everybody knows: the secret is 1.
    let powers = "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aef\
        fb3af00adb22c6bb";
    let powers_g2 = "\
        93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57\
        e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d177\
        0bac0326a805bbefd48056c8c121bdb8";
    let setup = json!({ "g1_monomial": vec![powers; 17], "g2_monomial": vec![powers_g2; 2] });
    for file in ["{}", "1\n1\n", "", &setup.to_string()] {
        bench.write("c", file.as_bytes());
        bench.fails("parameters --ceremony c --out par", 2, "ceremony c: ");
        assert!(!bench.path("par").exists());
    }
}

#[test]
fn a_key_has_all_its_values_and_no_other_question_an_answer() {
    let bench = published();
    let get = |line: &str| bench.get(line);
    let one = json!({
        "key": "example.net", "present": true, "values": [{ "value": "other" }],
        "verified": true, "version": 3, "parameters": "of unknown origin",
    });
    assert_eq!(get("example.net"), one);
    assert_eq!(values(&get("example.org")), ["one", "two", "one"]);
    assert_eq!(values(&get("example.org --at 1")), ["one", "two"]);
    for absent in ["example.com --at 2", "example"] {
        let answer = get(absent);
        assert_eq!(answer["present"], false, "{absent}");
        assert!(values(&answer).is_empty());
    }
    let printed = bench.ok("get --store s --public k.pub example.org");
    assert!(printed.ends_with("3 values, no other   [version 3, verified]\n"));
    let history = bench.json("history --store s --public k.pub example.org");
    assert_eq!(values(&history[0]), ["one", "two", "one"]);

    // Queries and changes that a log does not support are refused with their names.
    let refused = "are not supported by scheme aad-counted";
    bench.steps(&[
        &format!("range --store s a z => 2 range questions {refused}"),
        &format!("diff --store s 1 2 => 2 differences {refused}"),
        &format!("remove --store s example.org => 2 removals {refused}"),
        &format!("prune --store s --before 2 => 2 prunings {refused}"),
    ]);
    bench.write("r.csv", format!("{LOG}d,put,a,1\nd,delete,a,\n").as_bytes());
    let refused = "trace r.csv: line 8: removals are not supported by scheme aad-counted";
    bench.fails("import --store s --key k r.csv", 2, refused);
    assert_eq!(bench.list("versions --store s").0.len(), 3);
}

#[test]
fn pending_values_of_one_key_are_all_appended() {
    let bench = with_key_of("aad-counted");
    bench.steps(&[
        "put --store s --key k --parameters par a 1",
        "put --store s b 2",
        "put --store s a 3",
        r#"put --store s a 1 -> {"pending_changes": 4}"#,
        r#"commit --store s --key k -> {"version": 1, "changes": 4}"#,
        "put --store s a 4",
        "commit --store s --key k",
        "commit --store s --key k => 0 nothing is pending, nothing was signed",
        "commit --store s --key k --allow-empty",
    ]);
    let answer = bench.get("a");
    assert_eq!(values(&answer), ["1", "3", "1", "4"]);
    assert_eq!(answer["version"], 3);
    // This trace lacks the earlier snapshots. Its entries may have been appended by hand before.
    bench.write("more.csv", b"snapshot,op,key,value\nx,put,a,5\n");
    let import = "import --store s --key k --append more.csv";
    bench.fails(import, 2, "not recorded as imported");
    bench.ok(&format!("{import} --again"));
    let answer = bench.get("a");
    assert_eq!(values(&answer), ["1", "3", "1", "4", "5"]);
}

#[test]
fn proofs_and_updates_travel() {
    let bench = grown();
    for key in ["example.org", "nobody"] {
        bench.ok(&format!("prove --store s {key} --at 12 --out p --force"));
        let verify =
            |at: u32, key: &str| format!("verify --public k.pub --proof p {key} --at {at}");
        let answer = bench.first(&verify(12, key));
        assert_eq!(answer["present"], key == "example.org");
        bench.fails(&verify(13, key), 3, "of version 12");
        bench.fails(&verify(12, "another"), 3, "verification failed");
    }
    let latest = bench.list("versions --store s").0.len();
    apply_all(&bench, latest);
    assert_eq!(bench.signed("copy"), bench.signed("s"));
    let checked = format!(r#"{{"replayed_updates": {latest}, "complete": true}}"#);
    for store in ["s", "copy"] {
        bench.step(&format!(
            "check --store {store} --public k.pub -> {checked}"
        ));
    }
    bench.steps(&[
        "put --store copy example.org four",
        "commit --store copy --key k --older sign --record r => 3 the signing record r is missing \
         or empty",
    ]);
}

/// Answers from which a server has removed one value, or all values of the key, must be refused.
#[test]
fn a_server_that_drops_values_is_refused() {
    let bench = grown();
    bench.ok("prove --store s example.org --out p");
    let honest = bench.read("p");
    let latest = bench.list("versions --store s").0.len();
    let verify = format!("verify --public k.pub --proof p example.org --at {latest}");
    bench.ok(&verify);
    // The proof ends with `be32(3), be32(3), one, be32(3), two, be32(3), one`. The false answers
    // omit the last value, the middle value, or all values.
    let values = honest.len() - 25;
    let (before, listed) = honest.split_at(values);
    assert_eq!(listed[..8], [0, 0, 0, 3, 0, 0, 0, 3]);
    let two = [&[0, 0, 0, 2], &listed[4..18]].concat();
    let others = [&[0, 0, 0, 2], &listed[4..11], &listed[18..]].concat();
    for lie in [two, others, vec![0; 4], Vec::new()] {
        bench.write("p", &[before, &lie].concat());
        bench.fails(&verify, 3, "verification failed");
    }
    // The proof of absence of another key does not prove the absence of this key.
    bench.ok("prove --store s nobody --out p --force");
    bench.fails(&verify, 3, "verification failed");
}

/// Creates a store of the same key whose updates were changed by `change`.
fn forged(
    bench: &Bench,
    name: &str,
    change: impl Fn(Version, &mut Update<Sha256Ed25519, Appended>),
) {
    let honest = RedbStore::open(&bench.path("s")).unwrap();
    let parameters = honest.records("parameters").unwrap().pop().unwrap().1;
    let parameters = RecordChange::put("parameters", "", parameters);
    let path = bench.path(name);
    let public = key_of_store(&honest).unwrap();
    create_store_with(&path, &public, Some(parameters)).unwrap();
    let latest = honest.latest().unwrap();
    let updates = (1..=latest.number()).map(|number| {
        let version = Version::new(number);
        let message = honest.update(version).unwrap().unwrap();
        let mut update = codec::decode(&message, message.len()).unwrap();
        change(version, &mut update);
        codec::encode(&update)
    });
    let updates: Vec<_> = updates.collect();
    let mut store = RedbStore::open(&path).unwrap();
    store.publish(Version::new(1), &updates, &[]).unwrap();
}

#[test]
fn a_store_without_a_value_is_not_opened() {
    let bench = published();
    forged(&bench, "same", |_, _| {});
    bench.ok("get --store same --public k.pub example.org");
    forged(&bench, "lying", |version, update| {
        if version == Version::new(2) {
            update.attachment.entries.clear();
        }
    });
    bench.step("get --store lying --public k.pub example.org => 4 version 2");
}

/// A checkpoint that lacks a value is refused, and all updates are replayed instead.
#[test]
fn a_checkpoint_without_a_value_is_not_believed() {
    let bench = grown();
    let mut store = RedbStore::open(&bench.path("s")).unwrap();
    let mut checkpoint = store.checkpoint().unwrap().unwrap();
    let mut windows = checkpoint.bytes.windows(3);
    let place = windows.position(|bytes| bytes == b"two");
    checkpoint.bytes[place.unwrap()..][..3].copy_from_slice(b"owt");
    store.put_checkpoint(&checkpoint).unwrap();
    drop(store);
    let answer = bench.get("example.org");
    assert_eq!(values(&answer), ["one", "two", "one"]);
    bench.fails("check --store s", 4, "integrity");
}

#[test]
fn a_view_follows_a_log_along_append_only_proofs() {
    let bench = published();
    bench.ok("get --store s --public k.pub --view v example.org");
    bench.copy("s", "old", &[""]);
    bench.publish("put example.org four");
    let answer = bench.first("get --store s --view v example.org");
    assert_eq!(values(&answer), ["one", "two", "one", "four"]);
    assert_eq!(answer["verified"], true);
    bench.step("get --store old --view v example.org => 3 verification failed");

    // The same key signs another log, which lacks the value of the second version.
    let fork = LOG.replace("b,put,example.org,one", "b,put,a,b");
    bench.write("u.csv", fork.as_bytes());
    bench.steps(&[
        "import --store fork --key k --record r --new-record --parameters par u.csv",
        "put --store fork example.org four",
        "commit --store fork --key k --record r",
        "get --store fork --view v example.org => 3 the author signed",
        "evidence --public k.pub v.evidence",
    ]);
}

/// Tests logs of frontier schemes: all messages, and a store that each command opens again.
#[test]
fn logs_with_frontiers_are_stored_and_asked_alike() {
    let bench = with_key_of("aad-frontier");
    // Each command that needs the parameters takes about a second. The short case has only one.
    let is_long = soak::enabled();
    let bench = if is_long { publish(bench) } else { bench };
    bench.step("parameters --scheme aad-frontier --top 14 --out large => 2 is 13");
    // Both cases have four more versions. Frontiers of trees above blocks take most of the time.
    let (values_added, keys, group) = if is_long { (30, 11, 8) } else { (8, 4, 2) };
    if is_long {
        bench.ok("get --store s --public k.pub --view v example.org");
        append(&bench, values_added, keys, group, "");
    } else {
        append(&bench, values_added, keys, group, " --parameters par");
        bench.ok("get --store s --public k.pub --view v example.org");
    }
    let get = |line: &str| bench.first(&format!("get --store s --view v {line}"));
    assert_eq!(values(&get("example.org")), ["one", "two", "one"]);
    assert_eq!(values(&get("example.org --at 1")), ["one", "two"]);
    assert_eq!(get("example.com --at 2")["present"], false);
    let shown = get("--hex 6b65792033");
    let of_key_3 = (0..values_added).filter(|number| number % keys == 3);
    assert_eq!(shown["values"].as_array().unwrap().len(), of_key_3.count());
    let history = bench.json("history --store s --public k.pub example.org");
    assert_eq!(values(&history[0]), ["one", "two", "one"]);

    for key in ["example.org", "nobody"] {
        bench.ok(&format!("prove --store s {key} --out p --force"));
        let verify = |key: &str| format!("verify --public k.pub --proof p {key} --at 7");
        let answer = bench.first(&verify(key));
        assert_eq!(answer["present"], key == "example.org");
        // A proof that one key is absent may be valid for another absent key, but not for a present
        // key.
        bench.fails(&verify("example.com"), 3, "verification failed");
    }
    if is_long {
        apply_all(&bench, 7);
        assert_eq!(bench.signed("copy"), bench.signed("s"));
    }
    bench.step(
        r#"check --store s --public k.pub -> {"replayed_updates": 7, "checkpoint_intact": true}"#,
    );
    if is_long {
        bench.step(
            "keygen --out other --scheme aad-frontier --parameters par --top 5 => 2 serve trees of \
             up to 2^4 entries",
        );
        bench.publish("put example.org four");
        assert_eq!(values(&get("example.org")), ["one", "two", "one", "four"]);
    }
}
