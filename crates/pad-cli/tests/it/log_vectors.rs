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
    published::{self, check_proof_files, decode, encode},
    soak,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
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

    /// Returns a repository with all versions, signed again by the author, and its folder.
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
        for version in versions {
            let put = |[key, value]: &[String; 2]| {
                let (key, value) = (Key::new(decode(key)), Value::new(decode(value)));
                Operation::Put(key.unwrap(), value.unwrap())
            };
            let entries = version.entries.iter();
            author.stage(entries.map(put).collect()).unwrap();
            author.flush(&[]).unwrap();
        }
    }

    /// Computes the log again. For each of its versions, a server must refuse the listed updates.
    fn updates(&self, of: LogUpdates) -> LogUpdates {
        let (_author, made) = self.published(&of.versions);
        let folder = tempfile::tempdir().unwrap();
        let mut server = Server::of_any(self.store(&folder)).unwrap();
        // A server needs long to build the trees of the last version with frontiers.
        let has_frontiers = self.scheme.name().ends_with("frontier");
        let applied = if has_frontiers { soak::size(2, 3) } else { 3 };
        let mut size = 0;
        let versions = (1..).zip(of.versions).map(|(number, row)| {
            let version = Version::new(number);
            let latest = Version::new(number - 1);
            let is_applied = number <= applied;
            let refused = of.refused_updates.iter();
            for row in refused.filter(|row| is_applied && row.latest == latest.number()) {
                let verdict = server.apply_message(&decode(&row.update));
                assert!(verdict.is_err(), "{}", row.why);
                assert_eq!(server.latest(), latest, "{}", row.why);
            }
            let update = made.update_message(version).unwrap().unwrap();
            if is_applied {
                assert_eq!(server.apply_message(&update).unwrap(), version);
            }
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
    let logs = logs
        .map(|(place, of)| Maker::of(place).updates(of))
        .collect();
    published::check("logs/updates", &Updates { logs, ..of });
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
        check_proof_files(
            &maker.scheme.to_string(),
            &public.to_text(),
            |asked| {
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
