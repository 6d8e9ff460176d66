//! Tests of every command of the real binary on tuple PADs, and of authors that are reopened.

use std::path::Path;

use authdict::{
    Author, Key, LookupError, Operation, Question, SchemeName, SecretKey, Server, SigningRecord,
    SuiteName, Value, Version,
    internals::{Store, dynamic::create_store},
    verify,
};
use serde_json::json;

use crate::bench::{Bench, TRACE, text};

const SCHEMES: [&str; 3] = [
    "tuple-base-superseding",
    "tuple-spec-lightweight",
    "tuple-spec-lightweight-bls",
];

fn record(store: &Path) -> SigningRecord {
    SigningRecord::open_or_begin(&store.with_extension("signed")).unwrap()
}

/// Creates a key `k` of this scheme, and a store `s` with a trace of three versions.
fn published(scheme: &str) -> Bench {
    let bench = Bench::new();
    bench.ok(&format!("keygen --out k --scheme {scheme}"));
    bench.write("t.csv", TRACE.as_bytes());
    bench.ok("import --store s --key k t.csv");
    bench
}

#[test]
fn answers_are_listed_and_verified() {
    for scheme in SCHEMES {
        let bench = published(scheme);
        let get = |line: &str| {
            let line = format!("get --store s --public k.pub {line}");
            bench.json(&line).remove(0)
        };
        assert_eq!(
            get("apple"),
            json!({ "key": "apple", "present": true, "value": "4", "verified": true, "version": 3 })
        );
        assert_eq!(get("apple --at 1")["value"], "3");
        assert_eq!(get("pear --at 1")["present"], true);
        assert_eq!(get("pear")["present"], false);
        assert_eq!(bench.list("versions --store s").0.len(), 3);
        for line in [
            "history --store s pear",
            "history --store s pear --complete",
        ] {
            let (changes, _) = bench.list(line);
            let versions: Vec<_> = changes
                .iter()
                .map(|change| (&change["version"], &change["present"]))
                .collect();
            assert_eq!(
                versions,
                [(&json!(1), &json!(true)), (&json!(2), &json!(false))]
            );
        }
        let expected = json!([
            { "key": "apple", "before": "3", "after": "4", "verified": false },
            { "key": "pear", "before": "5", "verified": false },
            { "key": "quince", "after": "1", "verified": false },
        ]);
        for line in ["diff --store s 1 3", "diff --store s 1 3 --complete"] {
            assert_eq!(json!(bench.list(line).0), expected);
        }
        let keys = |line: &str| -> Vec<String> {
            let (entries, _) = bench.list(&format!("range --store s --public k.pub {line}"));
            let entries = entries.iter();
            entries
                .map(|entry| entry["key"].as_str().unwrap().into())
                .collect()
        };
        assert_eq!(keys("'' ''"), ["apple", "plum", "quince"]);
        assert_eq!(keys("apple plum --at 1"), ["apple", "pear"]);
        assert_eq!(keys("b plum"), Vec::<String>::new());
    }
}

#[test]
fn changes_are_noted_committed_and_removed() {
    for scheme in SCHEMES {
        let bench = Bench::new();
        bench.ok(&format!("keygen --out k --scheme {scheme}"));
        bench.ok("put --store s --key k a 1");
        bench.ok("put --store s b 2");
        bench.ok("commit --store s --key k");
        bench.ok("remove --store s a");
        bench.ok("commit --store s --key k");
        bench.ok("commit --store s --key k --allow-empty");
        for (line, present) in [("b", true), ("a", false), ("a --at 1", true), ("aa", false)] {
            let answer = bench.json(&format!("get --store s --public k.pub {line}"));
            assert_eq!(answer[0]["present"], present, "{scheme} {line}");
        }
        let checked = bench.json("check --store s").remove(0);
        assert_eq!(
            (&checked["proved_versions"], &checked["replayed_updates"]),
            (&json!(3), &json!(null))
        );
    }
}

#[test]
fn proofs_verify_elsewhere() {
    for scheme in SCHEMES {
        let bench = published(scheme);
        for key in ["apple", "pear"] {
            bench.ok(&format!("prove --store s {key} --at 2 --out p --force"));
            let verify = |at: u32| format!("verify --public k.pub --proof p {key} --at {at}");
            assert_eq!(bench.json(&verify(2))[0]["present"], key == "apple");
            bench.fails(&verify(3), 3, "of version 2");
            let other = "verify --public k.pub --proof p zebra --at 2";
            bench.fails(other, 3, "verification failed");
        }
        bench.ok(&format!("keygen --out other --scheme {scheme}"));
        let other = "verify --public other.pub --proof p pear --at 2";
        bench.fails(other, 3, "another dictionary");
    }
}

#[test]
fn updates_travel_to_other_servers() {
    for scheme in SCHEMES {
        let bench = published(scheme);
        for version in 1..=3 {
            bench.ok(&format!("export --store s --at {version} --out u{version}"));
        }
        bench.ok("apply --store copy --public k.pub u1");
        let state = bench.state("copy");
        bench.fails("apply --store copy u3", 2, "u3: the update follows");
        let mut forged = bench.read("u2");
        let place = forged
            .windows(6)
            .position(|window| window == b"apple\x01")
            .unwrap();
        forged[place + 6] = b'9';
        bench.write("forged", &forged);
        bench.fails(
            "apply --store copy forged",
            3,
            "do not produce its signed root",
        );
        assert_eq!(bench.state("copy"), state);
        bench.ok("apply --store copy u2 u3");
        assert_eq!(bench.signed("copy"), bench.signed("s"));
        bench.ok("check --store copy");
    }
}

#[test]
fn views_only_move_forward() {
    for scheme in SCHEMES {
        let bench = published(scheme);
        std::fs::copy(bench.path("s"), bench.path("old")).unwrap();
        bench.ok("put --store s apple 9");
        bench.ok("commit --store s --key k");
        bench.ok("get --store s --public k.pub --view v apple");
        let behind = "get --store old --public k.pub --view v apple";
        bench.fails(
            behind,
            3,
            "version 3 is older than version 4, which was seen before",
        );
    }
}

#[test]
fn pruned_stores_go_on() {
    for scheme in SCHEMES {
        let bench = published(scheme);
        bench.ok("prune --store s --before 2");
        bench.fails(
            "get --store s apple --at 1",
            2,
            "was pruned, the oldest kept is 2",
        );
        assert_eq!(bench.json("get --store s apple --at 2")[0]["value"], "4");
        bench.ok("put --store s fig 9");
        bench.ok("commit --store s --key k");
        let checked = bench.json("check --store s").remove(0);
        assert_eq!(
            (&checked["from_empty"], &checked["proved_versions"]),
            (&json!(false), &json!(3))
        );
        assert_eq!(
            bench.json("get --store s --public k.pub fig")[0]["value"],
            "9"
        );
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
        let made = bench
            .json(&format!("keygen --out {scheme} --scheme {scheme}"))
            .remove(0);
        let own = |file: &str, name: &str| {
            let lines = text(&bench.read(file));
            let line = lines
                .lines()
                .nth(5)
                .map(|line| line.strip_prefix(name).unwrap().to_owned());
            line.unwrap_or_default()
        };
        let key = own(&format!("{scheme}.pub"), "scheme-key ");
        assert_eq!(made["scheme_key"].as_str().unwrap_or_default(), key);
        assert_eq!(
            (made["scheme"].as_str(), key.len()),
            (Some(scheme), 2 * public)
        );
        assert_eq!(own(scheme, "scheme-secret ").len(), 2 * secret);
    }
}

#[test]
fn what_does_not_fit_a_tuple_scheme_is_refused() {
    let bench = published("tuple-spec-lightweight");
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
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let private = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(bench.path("wrong"), private).unwrap();
        }
        bench.fails(
            "commit --store s --key wrong",
            2,
            &format!("line {line} is not"),
        );
    }
    let other = text(&bench.read("k.pub")).replace("tuple-spec-lightweight", "tuple-spec");
    bench.write("wrong.pub", other.as_bytes());
    bench.fails(
        "get --store s --public wrong.pub apple",
        3,
        "verification failed",
    );
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
        let bench = published(scheme);
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
