//! Checks updates of append-only logs (kind 128), `docs/vectors/logs/updates.json`, and proof files
//! of logs (kinds 145 to 147), `docs/vectors/proof-files/aa*.json`.
//!
//! The vectors contain accepted and refused messages. The updates are published again from the
//! entries of the vectors.

use std::{path::PathBuf, sync::OnceLock};

use authdict::{
    Author, DictionaryId, Key, LogParameters, Operation, SchemeName, SecretKey, Server,
    SigningRecord, SuiteName, Value, Version,
    internals::dynamic::create_store_with,
    pad_log::{Schedule, Shape},
    verify,
};
use pad_conformance::{
    aad::parameters,
    published::{self, VectorQuery, check_proof_files, decode, encode},
    soak,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::{
    bench::SavedFiles,
    python::{answer, question},
};

/// The level of the largest trees.
const TOP_LEVEL: u8 = 4;

#[derive(Serialize, Deserialize)]
struct Updates {
    comment: String,
    logs: Vec<LogUpdates>,
}

/// A log, and all data that a server of it needs.
#[derive(Serialize, Deserialize)]
struct LogUpdates {
    public: String,
    secret: String,
    versions: Vec<VersionVector>,
    refused_updates: Vec<RefusedUpdate>,
}

#[derive(Serialize, Deserialize)]
struct VersionVector {
    version: u64,
    /// The key and the value of each entry. Members of sets have an empty value.
    entries: Vec<[String; 2]>,
    /// The total number of entries.
    size: usize,
    root: String,
    history: String,
    signed_head: String,
    update: String,
}

/// An update that a server with the previous version must refuse.
#[derive(Serialize, Deserialize)]
struct RefusedUpdate {
    why: String,
    latest: u64,
    update: String,
}

/// The key and parameters of a log in the vectors.
struct Maker {
    scheme: SchemeName,
    schedule: Schedule,
    parameters: LogParameters,
    key: SecretKey,
    /// The author's store with all versions. Both tests read it, and only the first makes it.
    published: OnceLock<SavedFiles>,
}

impl Maker {
    fn new((scheme, schedule): (SchemeName, Schedule)) -> Self {
        let message = parameters::message(scheme.powers_of_entry() << TOP_LEVEL);
        let parameters = LogParameters::decode(&message).unwrap();
        let setup = parameters.setup(scheme, Shape::new(TOP_LEVEL, schedule).unwrap());
        let id = DictionaryId::from_name("vectors");
        let suite = SuiteName::Sha256Ed25519;
        let key = SecretKey::from_parts(suite, scheme, id, &[42; 32], setup).unwrap();
        Self {
            scheme,
            schedule,
            parameters,
            key,
            published: OnceLock::new(),
        }
    }

    /// Returns the maker of the log at this place in [`LOGS`].
    fn of(place: usize) -> &'static Self {
        static MAKERS: [OnceLock<Maker>; LOGS.len()] = [const { OnceLock::new() }; LOGS.len()];
        MAKERS[place].get_or_init(|| Self::new(LOGS[place]))
    }

    /// Creates an empty store.
    fn store(&self, folder: &TempDir) -> PathBuf {
        let path = folder.path().join("store");
        let record = self.parameters.record();
        create_store_with(&path, self.key.public(), Some(record)).unwrap();
        path
    }

    /// Returns the number of the last version that is made again. With frontiers, the trees of the
    /// last version take most of the time.
    fn last(&self) -> u64 {
        let has_frontiers = self.scheme.name().ends_with("frontier");
        if has_frontiers { soak::size(2, 3) } else { 3 }
    }

    /// Returns a repository with the versions up to [`Self::last`], signed again by the author, and
    /// its folder.
    fn published(&self, versions: &[VersionVector]) -> (TempDir, Server) {
        let folder = tempfile::tempdir().unwrap();
        let files = self.published.get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            self.publish(&folder, versions);
            SavedFiles::of(folder.path())
        });
        files.write_to(folder.path());
        let server = Server::of_any(folder.path().join("store")).unwrap();
        (folder, server)
    }

    fn publish(&self, folder: &TempDir, versions: &[VersionVector]) {
        let path = self.store(folder);
        let record = SigningRecord::open_or_begin(&folder.path().join("signed")).unwrap();
        let mut author = Author::of_any(&path, &self.key, record).unwrap();
        for version in versions.iter().filter(|row| row.version <= self.last()) {
            let put = |[key, value]: &[String; 2]| {
                let (key, value) = (Key::new(decode(key)), Value::new(decode(value)));
                Operation::Put(key.unwrap(), value.unwrap())
            };
            let entries = version.entries.iter();
            author.stage(entries.map(put).collect()).unwrap();
            author.flush(&[]).unwrap();
        }
    }

    /// Returns whether updates of the log are tested. The short test has one scheme with frontiers.
    fn is_updated(&self) -> bool {
        self.scheme != SchemeName::AasFrontier || soak::enabled()
    }

    /// Computes the log again. For each of its versions, a server must refuse the listed updates.
    fn updates(&self, of: LogUpdates) -> LogUpdates {
        let (_author, made) = self.published(&of.versions);
        let folder = tempfile::tempdir().unwrap();
        let mut server = Server::of_any(self.store(&folder)).unwrap();
        let mut size = 0;
        let versions = (1..).zip(of.versions).map(|(number, row)| {
            let version = Version::new(number);
            let latest = Version::new(number - 1);
            if number > self.last() {
                return row;
            }
            let refused = of.refused_updates.iter();
            for row in refused.filter(|row| row.latest == latest.number()) {
                let verdict = server.apply_message(&decode(&row.update));
                assert!(verdict.is_err(), "{}", row.why);
                assert_eq!(server.latest(), latest, "{}", row.why);
            }
            let update = made.update_message(version).unwrap().unwrap();
            assert_eq!(server.apply_message(&update).unwrap(), version);
            let head = made.head_text(version).unwrap();
            size += row.entries.len();
            VersionVector {
                version: number,
                size,
                root: head.root,
                history: head.history,
                signed_head: encode(made.head_message(version).unwrap()),
                update: encode(update),
                ..row
            }
        });
        let versions = versions.collect();
        assert!(of.refused_updates.len() >= 21);
        LogUpdates {
            public: self.key.public().to_text(),
            secret: self.key.to_file().unwrap().text().unwrap().to_owned(),
            versions,
            refused_updates: of.refused_updates,
        }
    }
}

/// The schemes, each with a schedule of merges.
const LOGS: [(SchemeName, Schedule); 5] = [
    (SchemeName::AadCounted, Schedule::Eager),
    (SchemeName::AadCounted, Schedule::Deferred),
    (SchemeName::AadFrontier, Schedule::Eager),
    (SchemeName::AasCounted, Schedule::Eager),
    (SchemeName::AasFrontier, Schedule::Eager),
];

#[test]
fn updates_of_logs_are_the_published_ones() {
    let of: Updates = published::read("logs/updates");
    assert_eq!(of.logs.len(), LOGS.len());
    let logs = of.logs.into_iter().enumerate();
    let updated = |(place, of)| {
        let maker = Maker::of(place);
        if maker.is_updated() {
            maker.updates(of)
        } else {
            of
        }
    };
    let logs = logs.map(updated).collect();
    published::check("logs/updates", &Updates { logs, ..of });
}

/// Returns the proof file that is published for a question.
fn published_file(files: &Json, asked: &VectorQuery) -> Vec<u8> {
    let asked = json!(asked);
    let is_asked = |case: &&Json| {
        let mut fields = ["question", "keys", "version"].into_iter();
        fields.all(|field| case[field] == asked[field])
    };
    let mut cases = files["accepted"].as_array().unwrap().iter();
    decode(cases.find(is_asked).unwrap()["file"].as_str().unwrap())
}

#[test]
fn proof_files_of_logs_are_the_published_ones() {
    let of: Updates = published::read("logs/updates");
    for (place, of) in of.logs.into_iter().enumerate() {
        let maker = Maker::of(place);
        if maker.schedule == Schedule::Deferred {
            continue;
        }
        let (_author, made) = maker.published(&of.versions);
        let public = maker.key.public();
        let name = maker.scheme.to_string();
        let files: Json = published::read(&format!("proof-files/{name}"));
        check_proof_files(
            &name,
            &public.to_text(),
            |asked| {
                if asked.version > maker.last() {
                    return published_file(&files, asked);
                }
                let question = question(&json!(asked)).unwrap();
                made.answer(Version::new(asked.version), &question).unwrap()
            },
            |asked, file| {
                let question = question(&json!(asked)).unwrap();
                let verdict = verify(public, Version::new(asked.version), &question, file);
                Some(serde_json::from_value(answer(verdict.ok()?)).unwrap())
            },
        );
    }
}
