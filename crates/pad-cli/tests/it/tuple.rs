//! Tests of every command of the real binary on tuple PADs, and of authors that are reopened.

use std::path::Path;

use authdict::{
    Author, Key, LookupError, Operation, Question, SchemeName, SecretKey, Server, SigningRecord,
    SuiteName, Value, Version, internals::dynamic::create_store, verify,
};

use crate::bench::{Bench, text};

const SCHEMES: [&str; 3] = [
    "tuple-base-superseding",
    "tuple-spec-lightweight",
    "tuple-spec-lightweight-bls",
];

fn record(store: &Path) -> SigningRecord {
    SigningRecord::open_or_begin(&store.with_extension("signed")).unwrap()
}

#[test]
fn changes_are_noted_committed_and_removed() {
    for scheme in SCHEMES {
        let bench = Bench::with_key(scheme);
        bench.ok("put --store s --key k a 1");
        bench.publish("put b 2");
        bench.publish("remove a");
        bench.ok("commit --store s --key k --allow-empty");
        for (line, present) in [("b", true), ("a", false), ("a --at 1", true), ("aa", false)] {
            assert_eq!(bench.get(line)["present"], present, "{scheme} {line}");
        }
        bench.step(r#"check --store s -> {"proved_versions": 3, "replayed_updates": null}"#);
    }
}

#[test]
fn key_files_have_the_lines_of_their_scheme() {
    let bench = Bench::new();
    let cases = [
        ("tuple-base-superseding", 0, 0),
        ("tuple-spec-lightweight", 0, 32),
        ("tuple-base-superseding-bls", 96, 32),
        ("tuple-spec-lightweight-bls", 96, 64),
    ];
    for (scheme, public, secret) in cases {
        let made = bench.first(&format!("keygen --out {scheme} --scheme {scheme}"));
        let own = |file: &str, name: &str| {
            let lines = text(&bench.read(file));
            let line = lines.lines().nth(5).unwrap_or(name);
            line.strip_prefix(name).unwrap().to_owned()
        };
        let key = own(&format!("{scheme}.pub"), "scheme-key ");
        assert_eq!(made["scheme_key"].as_str().unwrap_or_default(), key);
        let expected = (Some(scheme), 2 * public);
        assert_eq!((made["scheme"].as_str(), key.len()), expected);
        assert_eq!(own(scheme, "scheme-secret ").len(), 2 * secret);
    }
}

#[test]
fn what_does_not_fit_a_tuple_scheme_is_refused() {
    let bench = Bench::with_trace_of("tuple-spec-lightweight");
    let state = bench.state("s");
    let wanted = "import --store s --key k --scheme tuple-base t.csv";
    bench.fails(wanted, 2, "keygen --scheme tuple-base");
    let unknown = bench.run("keygen --out q --scheme splay");
    let unknown = text(&unknown.stderr);
    for name in [
        "red-black",
        "tuple-base,",
        "tuple-spec3-lightweight",
        "tuple-spec-lightweight-bls",
    ] {
        assert!(unknown.contains(name), "{unknown}");
    }
    // If a scheme has its own secret, its key is not accepted as a key of another scheme.
    for (scheme, line) in [("tuple-spec", 6), ("tuple-spec-lightweight-bls", 6)] {
        let wrong = text(&bench.read("k")).replace("tuple-spec-lightweight", scheme);
        bench.write("wrong", wrong.as_bytes());
        bench.set_mode("wrong", 0o600);
        bench.step(&format!(
            "commit --store s --key wrong => 2 line {line} is not"
        ));
    }
    let other = text(&bench.read("k.pub")).replace("tuple-spec-lightweight", "tuple-spec");
    bench.write("wrong.pub", other.as_bytes());
    bench.step("get --store s --public wrong.pub apple => 3 verification failed");
    assert_eq!(bench.state("s"), state);
}

/// An author opened by a replay and an author opened from stored tuples must sign the same next
/// update, byte by byte. Both must continue the same hash chains.
#[test]
fn authors_go_on_alike_after_a_replay_and_from_stored_tuples() {
    for scheme in SCHEMES {
        let folder = tempfile::tempdir().unwrap();
        let [replayed, stored] = ["replayed", "stored"].map(|name| folder.path().join(name));
        let scheme: SchemeName = scheme.parse().unwrap();
        let key = SecretKey::generate(SuiteName::Sha256Ed25519, scheme, None).unwrap();
        create_store(&replayed, key.public()).unwrap();
        // Without its tuple file, a store is opened by a replay.
        let forget = || std::fs::remove_file(replayed.with_extension("tuples")).unwrap();
        for batch in 0..4 {
            publish(&replayed, &key, batch);
            forget();
        }
        std::fs::copy(&replayed, &stored).unwrap();
        drop(Server::of_any(&stored).unwrap());
        for batch in 4..8 {
            if batch > 4 {
                forget();
            }
            let updates = [&replayed, &stored].map(|path| publish(path, &key, batch));
            assert_eq!(updates[0], updates[1], "{scheme} {batch}");
        }
        let [one, other] = [&replayed, &stored].map(|path| Server::of_any(path).unwrap());
        for version in 0..=8 {
            let version = Version::new(version);
            for number in 0..12 {
                let question = Question::Key(key_of(number));
                let answers = [&one, &other].map(|store| store.answer(version, &question).unwrap());
                assert_eq!(answers[0], answers[1]);
                verify(key.public(), version, &question, &answers[0]).unwrap();
            }
        }
        for mut store in [one, other] {
            assert_eq!(store.check().unwrap().proved, 8);
        }
    }
}

/// Signs a small change, and returns the encoded update.
fn publish(path: &Path, key: &SecretKey, batch: u32) -> Vec<u8> {
    let mut author = Author::of_any(path, key, record(path)).unwrap();
    let value = Value::try_from(batch.to_string().as_str()).unwrap();
    let mut operations = vec![Operation::Put(key_of(batch), value)];
    if batch == 0 {
        let value = Value::try_from("first").unwrap();
        operations.extend((1..10).map(|number| Operation::Put(key_of(number), value.clone())));
    }
    if batch == 6 {
        operations.push(Operation::Remove(key_of(2)));
    }
    let version = author.stage(operations).unwrap();
    author.flush(&[]).unwrap();
    author.server().store().update(version).unwrap().unwrap()
}

fn key_of(number: u32) -> Key {
    Key::new(number.to_be_bytes().to_vec()).unwrap()
}

/// A superseding signature for a staged version would also prove statements about another version
/// that replaces it after a crash. So nothing is proved until the staged version is durable.
#[test]
fn nothing_is_proved_while_a_version_is_staged() {
    for (scheme, refuses) in [
        ("tuple-spec-superseding", true),
        ("tuple-spec-lightweight", true),
        ("red-black", false),
    ] {
        let bench = Bench::with_trace_of(scheme);
        let key = SecretKey::load(&bench.path("k")).unwrap();
        let mut author = Author::of_any(bench.path("s"), &key, record(&bench.path("s"))).unwrap();
        let (version, question) = (Version::new(3), Question::Key("apple".try_into().unwrap()));
        let answer = author.server().answer(version, &question).unwrap();
        let staged = author
            .stage(vec![Operation::Put(key_of(1), Value::default())])
            .unwrap();
        let refused = LookupError::NotDurable { version: staged };
        let while_staged = author.server().answer(version, &question);
        if refuses {
            assert_eq!(while_staged, Err(refused.into()));
        } else {
            assert_eq!(while_staged.as_ref(), Ok(&answer));
        }
        author.flush(&[]).unwrap();
        assert!(author.server().answer(version, &question).is_ok());
    }
}
