//! `pad status` prints the state of a store. `pad reset` drops pending changes.

use std::path::PathBuf;

use authdict::{
    PublicKey, Server, Version, VersionNote,
    internals::{
        Store as _,
        inspect::headline,
        pending::{self, PendingChange},
        version_notes::utc,
    },
};
use clap::Args;
use pad_disk::Register;
use serde_json::{Map, Value as Json, json};

use super::{
    Failure, KEY_VARIABLE, Output, Result, StoreArgument,
    change::shown,
    secret::load_secret,
    session::{check_key, own_store, record_of},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad status --store prices.pad
  pad status --store prices.pad --key author.key --changes")]
pub(super) struct Status {
    #[command(flatten)]
    store: StoreArgument,
    /// Compare the store with this secret key and its signing record.
    ///
    /// Shows whether the key is the store's, and how the store compares with the signing record.
    #[arg(long, value_name = "FILE", env = KEY_VARIABLE)]
    key: Option<PathBuf>,
    /// The signing record [default: the key's file with .signed appended].
    #[arg(long, value_name = "FILE", requires = "key")]
    record: Option<PathBuf>,
    /// List the pending changes, and mark the ones noted at another version than the latest.
    #[arg(long)]
    changes: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad reset --store prices.pad
  pad reset --store prices.pad apple pear

The first command drops all pending changes, the second those of two keys.")]
pub(super) struct Reset {
    #[command(flatten)]
    store: StoreArgument,
    /// Drop only the changes of these keys.
    keys: Vec<String>,
}

impl Status {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        let path = &self.store.store;
        let repository = Server::of_any(path)?;
        let public = repository.public_key()?;
        let waiting = match repository.store().file() {
            Some(store) => pending::changes(store)?,
            // A store in an object store has no pending changes.
            None => Vec::new(),
        };
        let mut rows = Rows::default();
        rows.add("store", "store", path.display().to_string());
        rows.add("bytes", "bytes", repository.file_bytes()?);
        rows.add("scheme", "scheme", public.scheme.name());
        rows.add_identity(&public);
        rows.add("fingerprint", "fingerprint", public.fingerprint());
        let latest = repository.latest();
        rows.add("latest version", "latest", latest.number());
        rows.add("oldest version", "oldest", repository.oldest().number());
        if latest > Version::EMPTY {
            rows.add("root", "root", repository.head_text(latest)?.root);
            add_note(&repository, &public, latest, &mut rows)?;
        }
        rows.add("entries", "entries", repository.entries());
        rows.add("pending", "pending_changes", waiting.len());
        let older = waiting.iter();
        let older = older.filter(|change| change.after != latest).count();
        if older > 0 {
            rows.add("of an older version", "older_changes", older);
        }
        if let Some(key) = &self.key {
            let secret = load_secret(key)?;
            check_key(path, &public, secret.public())?;
            let record = record_of(key, self.record.as_deref())?;
            let (signed, says) = compare(&record, latest)?;
            rows.add("key", "secret_key", key.display().to_string());
            let signed = signed.map(Version::number);
            rows.add("signed version", "signed_version", signed);
            rows.add("store and key", "says", says);
        }
        if self.changes {
            for change in &waiting {
                let (mut text, object) = shown(change, output);
                if change.after != latest {
                    text = format!("{text}   (older: noted at version {})", change.after);
                }
                output.say(&text, &object)?;
            }
            output.end(waiting.len());
        }
        output.say(&rows.text(), &rows.object())
    }
}

/// Adds the name and the time of a version. Unless they are signed with the store's own key, they
/// are the store's word.
fn add_note(repository: &Server, public: &PublicKey, version: Version, rows: &mut Rows) -> Result {
    let Some(note) = VersionNote::of(repository.store(), version)? else {
        return Ok(());
    };
    if let Some(name) = &note.name {
        rows.both("name", "name", Output::show_text(name), name.as_str());
    }
    let (time, seconds) = (utc(note.seconds), note.seconds);
    if note.verify(public, version) == Ok(true) {
        let text = format!("{time}, signed with the store's own key");
        rows.both("signed at", "time", text, seconds);
    } else {
        rows.both("dated", "time", format!("{time} by the store"), seconds);
    }
    Ok(())
}

/// Returns the last signed version in the signing record, and a comparison with the store.
fn compare(record: &std::path::Path, latest: Version) -> Result<(Option<Version>, &'static str)> {
    let value = Register::read(record);
    let value = value.map_err(|error| Failure::Store(format!("{}: {error}", record.display())))?;
    let head = value.and_then(|value| headline(&value).ok()?.1);
    let signed = head.map(|head| head.version);
    let says = match signed {
        None if latest == Version::EMPTY => "nothing is signed yet",
        None => "nothing is remembered of what was signed with this key",
        Some(signed) if signed > latest => {
            "the store is behind what was signed and handed out: it is an old copy, and is not \
             signed for"
        }
        Some(signed) if signed < latest => {
            "the store is ahead of what is remembered; the next commit remembers it"
        }
        Some(_) => "the store has what was signed last",
    };
    Ok((signed, says))
}

impl Reset {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        output.goes_on();
        let mut store = own_store(&self.store.store)?;
        let wanted = self.keys.iter().map(|key| output.key(key));
        let wanted: Vec<_> = wanted.collect::<Result<_, _>>()?;
        let all = pending::changes(&store)?;
        let is_wanted =
            |change: &&PendingChange| wanted.is_empty() || wanted.contains(change.operation.key());
        let dropped: Vec<_> = all.iter().filter(is_wanted).collect();
        for key in &wanted {
            if !dropped.iter().any(|change| change.operation.key() == key) {
                let key = output.show(key.as_bytes());
                let text = format!("no change of {key} is pending: nothing was dropped");
                return Err(
                    Failure::Input(text).help("list the pending changes with pad status --changes")
                );
            }
        }
        // If a key was changed again in the meantime, the new change is kept.
        let records: Vec<_> = dropped.iter().map(|change| change.done()).collect();
        store.write_records(&records)?;
        let left = pending::count(&store)?;
        let text = format!("dropped {} pending changes, {left} are left", dropped.len());
        let object = json!({ "dropped_changes": dropped.len(), "pending_changes": left });
        output.say(&text, &object)
    }
}

/// Labelled values, to be printed as lines or as one JSON object.
#[derive(Default)]
pub(super) struct Rows {
    lines: Vec<(&'static str, String)>,
    object: Map<String, Json>,
}

impl Rows {
    /// Adds a value as a line with `label` and as the field `name`.
    pub(super) fn add(&mut self, label: &'static str, name: &str, value: impl Into<Json>) {
        let value = value.into();
        let text = match &value {
            Json::String(text) => text.clone(),
            Json::Null => "none".into(),
            other => other.to_string(),
        };
        self.both(label, name, text, value);
    }

    /// Adds the suite, the dictionary and the author of a public key.
    pub(super) fn add_identity(&mut self, public: &PublicKey) {
        let authority = &public.authority;
        self.add("suite", "suite", public.suite.name());
        self.add("dictionary", "dictionary", authority.dictionary.to_string());
        self.add("author", "author", authority.author.to_string());
    }

    /// Adds the kind of a file.
    pub(super) fn is(&mut self, kind: &str) {
        self.add("is", "is", kind);
    }

    /// Adds the commands that show or verify more of a file.
    pub(super) fn more(&mut self, commands: &str) {
        self.add("for more", "for_more", commands);
    }

    /// Adds a line and a field whose values are formatted differently.
    pub(super) fn both(
        &mut self,
        label: &'static str,
        name: &str,
        text: String,
        value: impl Into<Json>,
    ) {
        self.lines.push((label, text));
        self.object.insert(name.into(), value.into());
    }

    pub(super) fn text(&self) -> String {
        let widest = self.lines.iter().map(|(label, _)| label.len()).max();
        let width = widest.unwrap_or_default();
        let lines = self.lines.iter();
        let lines = lines.map(|(label, text)| format!("{label:<width$}  {text}"));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Renders all fields as an object. They are unverified.
    pub(super) fn object(&self) -> Json {
        let mut object = self.object.clone();
        object.insert("verified".into(), false.into());
        Json::Object(object)
    }
}
