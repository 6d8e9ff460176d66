//! Updates of append-only logs (kind 128), `docs/vectors/logs/updates.json`, and proof files of logs (kinds 145 to 147),
//! `docs/vectors/proof-files/aa*.json`: accepted and refused. `PAD_WRITE_VECTORS=1` writes them anew.

use std::{collections::BTreeSet, path::PathBuf};

use conformance::{
    aad::parameters,
    published::{self, Asked, ProofFile, ProofFiles, Refusal, refusals},
};
use pad::{
    DictionaryId, Key, LogParameters, Operation, PublicKey, SecretKey, Sha256Ed25519,
    SigningRecord, SnapshotHead, Update, Value, Version,
    aad::{Appended, Entry, Schedule, Shape},
    dynamic::{AnyRepository, create_store_with, open_author, open_repository, verify},
    pad_core::codec,
    selection::{SchemeName, SuiteName},
};
use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::python::{answer, question};

/// The level of the largest trees.
const TOP_LEVEL: u8 = 4;
/// How far apart the bytes are of which a bit is changed: the files are long.
const EVERY: usize = 67;
/// What is appended in each version: elements alone, a block, a tree with elements after it.
const VERSIONS: [core::ops::Range<u32>; 3] = [0..3, 3..13, 13..21];

#[derive(Serialize)]
struct Updates {
    comment: &'static str,
    logs: Vec<LogUpdates>,
}

/// One log, and all that a server of it needs.
#[derive(Serialize)]
struct LogUpdates {
    public: String,
    secret: String,
    versions: Vec<VersionVector>,
    refused_updates: Vec<RefusedUpdate>,
}

#[derive(Serialize)]
struct VersionVector {
    version: u64,
    /// Each entry: the key and the value; an empty one of members of sets.
    entries: Vec<[String; 2]>,
    /// How many entries there are in all.
    size: u64,
    root: String,
    history: String,
    signed_head: String,
    update: String,
}

/// An update that a server which has the version before it refuses.
#[derive(Serialize)]
struct RefusedUpdate {
    why: &'static str,
    latest: u64,
    update: String,
}

const COMMENT: &str = "All byte strings in hexadecimal. Updates of logs, kind 128. The seed is for tests only, and so are the parameters, \
    those of logs.json. What the fields mean: docs/vectors/README.md.";

type LogUpdate = Update<Sha256Ed25519, Appended>;

/// A log of the vectors.
struct Maker {
    scheme: SchemeName,
    parameters: LogParameters,
    key: SecretKey,
    /// Stores, which are not used again.
    folder: tempfile::TempDir,
}

impl Maker {
    fn new(scheme: SchemeName, schedule: Schedule) -> Self {
        let message = parameters::message(scheme.powers_of_entry() << TOP_LEVEL);
        let parameters = LogParameters::decode(&message).unwrap();
        let setup = parameters.setup(scheme, Shape::new(TOP_LEVEL, schedule).unwrap());
        let id = DictionaryId::from_name("vectors");
        let suite = SuiteName::Sha256Ed25519;
        let key = SecretKey::from_parts(suite, scheme, id, &[42; 32], setup).unwrap();
        let folder = tempfile::tempdir().unwrap();
        Self {
            scheme,
            parameters,
            key,
            folder,
        }
    }

    /// An empty store.
    fn store(&self, name: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        let record = self.parameters.record();
        create_store_with(&path, self.key.public(), Some(record)).unwrap();
        path
    }

    /// The entry with this number: keys come again and so do pairs, but no members.
    fn entry(&self, number: u32) -> [String; 2] {
        if self.scheme.is_set() {
            return [format!("key {number}"), String::new()];
        }
        [format!("key {}", number % 9), format!("v{}", number % 2)]
    }

    /// A repository with all versions, as the author signs them.
    fn publish(&self) -> AnyRepository {
        let path = self.store("author");
        let record = SigningRecord::open(&self.folder.path().join("signed")).unwrap();
        let mut author = open_author(&path, &self.key, record).unwrap();
        for numbers in VERSIONS {
            let put = |number| {
                let [key, value] = self.entry(number);
                Operation::Put(
                    Key::try_from(&*key).unwrap(),
                    Value::try_from(&*value).unwrap(),
                )
            };
            author.stage(numbers.map(put).collect()).unwrap();
            author.flush(&[]).unwrap();
        }
        drop(author);
        open_repository(&path).unwrap()
    }

    fn updates(&self) -> LogUpdates {
        let made = self.publish();
        let mut server = open_repository(&self.store("server")).unwrap();
        let mut refused_updates = Vec::new();
        let versions = (1..).zip(VERSIONS).map(|(number, entries)| {
            let version = Version::new(number);
            let update = made.update_message(version).unwrap().unwrap();
            if number == 2 {
                refused_updates = self.refused(&update, &mut server);
            }
            assert_eq!(server.apply_message(&update).unwrap(), version);
            let head = made.head_text(version).unwrap();
            VersionVector {
                version: number,
                size: entries.end.into(),
                entries: entries
                    .map(|number| self.entry(number).map(hex::encode))
                    .collect(),
                root: head.root,
                history: head.history,
                signed_head: hex::encode(made.head_message(version).unwrap()),
                update: hex::encode(update),
            }
        });
        let versions = versions.collect();
        LogUpdates {
            public: self.key.public().to_text(),
            secret: self.key.to_file().unwrap().text().unwrap().to_owned(),
            versions,
            refused_updates,
        }
    }

    /// What a server that has version 1 refuses in the place of the update to version 2.
    fn refused(&self, honest: &[u8], server: &mut AnyRepository) -> Vec<RefusedUpdate> {
        let first = server.update_message(Version::new(1)).unwrap().unwrap();
        let mut cases = self.changed(honest, &first);
        cases.push(("the version that the server has", first));
        cases.extend(changed_bytes(honest));
        let latest = server.latest();
        let refused = cases.into_iter().map(|(why, update)| {
            assert!(server.apply_message(&update).is_err(), "{why}");
            assert_eq!(server.latest(), latest, "{why}");
            RefusedUpdate {
                why,
                latest: latest.number(),
                update: hex::encode(update),
            }
        });
        refused.collect()
    }

    /// Other contents, under the honest head or under one that is signed anew.
    fn changed(&self, honest: &[u8], first: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
        let [honest, first] = [honest, first].map(decode);
        let changed = |change: &dyn Fn(&mut LogUpdate)| {
            let mut update = honest.clone();
            change(&mut update);
            codec::encode(&update)
        };
        let signed = |change: &dyn Fn(&mut SnapshotHead<Sha256Ed25519>)| {
            let mut head = honest.head.head;
            change(&mut head);
            let head = head.sign(&self.key.signer()).unwrap();
            changed(&|update| update.head = head)
        };
        let entries = |change: &dyn Fn(&mut Vec<Entry>)| {
            changed(&|update| change(&mut update.attachment.entries))
        };
        let put = || Operation::Put(Key::default(), Value::default());
        let version = |number: u64| signed(&|head| head.version = Version::new(number));
        let mut cases = vec![
            (
                "another base",
                changed(&|update| update.base = Version::new(0)),
            ),
            (
                "an operation beside the entries",
                changed(&|update| update.operations.push(put())),
            ),
            (
                "an entry less than the root is of",
                entries(&|entries| drop(entries.pop())),
            ),
            (
                "an entry more than the root is of",
                entries(&|entries| entries.push(Entry::member(Key::default()))),
            ),
            (
                "entries in another order than the root is of",
                entries(&|entries| entries.swap(0, 1)),
            ),
            ("no entries", entries(&Vec::clear)),
            (
                "the signature of another head",
                changed(&|update| update.head.signature = first.head.signature),
            ),
            (
                "signed for another dictionary",
                signed(&|head| head.dictionary = DictionaryId::from_name("another")),
            ),
            (
                "signed for another scheme",
                signed(&|head| head.scheme.0 ^= 1),
            ),
            (
                "signed with another history",
                signed(&|head| head.history.0[0] ^= 1),
            ),
            (
                "signed with another root",
                signed(&|head| head.root.0[0] ^= 1),
            ),
            ("signed for the version that the server has", version(1)),
            ("signed for the version after the next", version(3)),
        ];
        if self.scheme.is_set() {
            // The element is that of the member alone, so the root is the same.
            let value = || Value::try_from("v").unwrap();
            let with_value = entries(&|entries| entries[0].value = value());
            cases.push(("signed: a member with a value", with_value));
        }
        cases
    }
}

fn decode(update: &[u8]) -> LogUpdate {
    codec::decode(update, update.len()).unwrap()
}

/// Changes of an update of version 2 as bytes.
fn changed_bytes(honest: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let with = |place: usize, byte: u8| {
        let mut bytes = honest.to_vec();
        bytes[place] = byte;
        bytes
    };
    // The base version, then the number of operations.
    let (base, operations) = (8, 9);
    let long = |place: usize| {
        let number = [0xfb, honest[place], 0];
        [&honest[..place], &number, &honest[place + 1..]].concat()
    };
    vec![
        ("another kind", with(5, 4)),
        ("another version of the format", with(4, 2)),
        ("another context", with(7, 2)),
        ("a base that is longer than it need be", long(base)),
        (
            "a number of operations that is longer than it need be",
            long(operations),
        ),
        ("without its last byte", honest[..honest.len() - 1].to_vec()),
        ("one byte more", [honest, &[0]].concat()),
    ]
}

/// Names of the schemes, with whether nodes are built later.
const LOGS: [(SchemeName, Schedule); 5] = [
    (SchemeName::AadCounted, Schedule::Eager),
    (SchemeName::AadCounted, Schedule::Deferred),
    (SchemeName::AadFrontier, Schedule::Eager),
    (SchemeName::AasCounted, Schedule::Eager),
    (SchemeName::AasFrontier, Schedule::Eager),
];

#[test]
fn updates_of_logs_are_the_published_ones() {
    let logs = LOGS.map(|(scheme, schedule)| Maker::new(scheme, schedule).updates());
    let updates = Updates {
        comment: COMMENT,
        logs: logs.into(),
    };
    published::check("logs/updates", &updates);
}

/// What is asked: the question's name, the keys in it and the version.
type Case<'a> = (&'a str, &'a [&'a [u8]], u64);

/// All values of a key, one value, and that versions contain older ones; from elements alone, blocks and a tree. The first of each kind is short:
/// what is refused is made of it.
const OF_DICTIONARIES: [Case<'_>; 13] = [
    ("look-up", &[b"key 0"], 1),
    ("look-up", &[b"key 0"], 0),
    ("look-up", &[b"key 0"], 2),
    ("look-up", &[b"key 0"], 3),
    ("look-up", &[b"key 7"], 2),
    ("look-up", &[b"absent"], 3),
    ("inclusion", &[b"key 0", b"v0"], 1),
    ("inclusion", &[b"key 0", b"v1"], 3),
    ("append-only", &[&version_key(3)], 3),
    ("append-only", &[&version_key(0)], 0),
    ("append-only", &[&version_key(0)], 3),
    ("append-only", &[&version_key(1)], 2),
    ("append-only", &[&version_key(2)], 3),
];

/// The same of members: that they are there, and that they are not.
const OF_SETS: [Case<'_>; 10] = [
    ("look-up", &[b"absent"], 1),
    ("look-up", &[b"absent"], 0),
    ("look-up", &[b"absent"], 3),
    ("look-up", &[b"key 2"], 1),
    ("look-up", &[b"key 7"], 2),
    ("inclusion", &[b"key 2", b""], 1),
    ("inclusion", &[b"key 7", b""], 3),
    ("append-only", &[&version_key(3)], 3),
    ("append-only", &[&version_key(0)], 3),
    ("append-only", &[&version_key(2)], 3),
];

/// An older version, as it stands among the keys of a question.
const fn version_key(version: u64) -> [u8; 8] {
    version.to_be_bytes()
}

/// What a client makes of a file that answers a question.
fn established(public: &PublicKey, asked: &Asked, version: u64, file: &[u8]) -> Option<Json> {
    let question = question(&json!(asked)).unwrap();
    let verdict = verify(public, Version::new(version), &question, file);
    verdict.ok().map(answer)
}

/// The keys of a question that has another answer: about a key with other values, a member that is there, another value, or another
/// older version. The message does not name the key, so keys with the same values may have the same answer.
fn other_keys(name: &str, keys: &[Option<String>]) -> Vec<Option<String>> {
    let last = match name {
        "look-up" => hex::encode("key 1"),
        "inclusion" => hex::encode("another"),
        _ => hex::encode(version_key(2)),
    };
    let mut others = keys.to_vec();
    *others.last_mut().unwrap() = Some(last);
    others
}

/// Adds what a log answers, and of the first answer to each question, what is refused in its place.
fn proof_files(scheme: SchemeName) -> ProofFiles {
    let maker = Maker::new(scheme, Schedule::Eager);
    let (made, public) = (maker.publish(), maker.key.public());
    let mut files = ProofFiles::new(public.to_text());
    let cases = if scheme.is_set() {
        &OF_SETS[..]
    } else {
        &OF_DICTIONARIES
    };
    let mut asked_before = BTreeSet::new();
    for &(name, keys, version) in cases {
        let asked = Asked {
            question: name.to_owned(),
            keys: keys.iter().map(|key| Some(hex::encode(key))).collect(),
            version,
        };
        let question = question(&json!(asked)).unwrap();
        let file = made.answer(Version::new(version), &question).unwrap();
        let answer = established(public, &asked, version, &file).unwrap();
        let proof_file = ProofFile {
            asked: asked.clone(),
            answer: serde_json::from_value(answer).unwrap(),
            file: hex::encode(&file),
        };
        let accepts = |version, bytes: &[u8]| established(public, &asked, version, bytes).is_some();
        files.accept(proof_file, &file, accepts);
        if !asked_before.insert(name) {
            continue;
        }
        files.refuse_changes(&asked, refusals(&file, 32, EVERY), accepts);
        let other = Asked {
            keys: other_keys(name, &asked.keys),
            ..asked.clone()
        };
        let refusal = Refusal::new("asked about another key, value or older version", file);
        files.refuse_changes(&other, vec![refusal], |version, bytes| {
            established(public, &other, version, bytes).is_some()
        });
    }
    files
}

#[test]
fn proof_files_of_logs_are_the_published_ones() {
    for (scheme, schedule) in LOGS {
        if schedule == Schedule::Eager {
            let name = format!("proof-files/{scheme}");
            published::check(&name, &proof_files(scheme));
        }
    }
}
