//! `pad put`, `pad remove` and `pad commit`. Pending changes are stored durably until they are
//! committed.

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use authdict::{
    Author, NotOffered, Operation, Question, Server, SigningKeys, Statement, Value, Version,
    VersionNote,
    internals::{
        SchemeFamily, Store,
        dynamic::key_of_store,
        pending::{self, PendingChange},
        version_notes::{LONGEST_NAME, NameError, missing_names, only_version, versions_of},
    },
    verify,
};
use clap::{ArgGroup, Args, ValueEnum};
use serde_json::{Value as Json, json};

use super::{
    Failure, KEY_VARIABLE, NewStoreArguments, Output, Result, StoreArgument,
    files::read_file,
    output::{counted, now, things},
    session::{AuthorArguments, create_or_match, own_store, require_own},
    signer::SignerArguments,
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad put --store prices.pad apple 3
  pad put --store prices.pad --key author.key --commit apple 3
  pad put --store images.pad logo --value-file logo.png
  curl -s https://example.com/terms | pad put --store pages.pad terms --value-file -")]
pub(super) struct Put {
    #[command(flatten)]
    target: Target,
    /// The key to set.
    #[arg(value_name = "KEY")]
    key_text: String,
    /// The new value; omit it if the dictionary is a set of keys.
    value: Option<String>,
    /// Read the value from FILE, unchanged; - for standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "value")]
    value_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad remove --store prices.pad apple
  pad remove --store prices.pad --hex 6170706c65")]
pub(super) struct Remove {
    #[command(flatten)]
    target: Target,
    /// The key to remove.
    #[arg(value_name = "KEY")]
    key_text: String,
}

#[derive(Debug, Default, Args)]
#[command(group = ArgGroup::new("author").args(["key", "signer"]).multiple(true))]
pub(super) struct Target {
    #[command(flatten)]
    store: StoreArgument,
    /// The author's secret key; needed only for a new store.
    #[arg(long, value_name = "FILE", env = KEY_VARIABLE)]
    key: Option<PathBuf>,
    #[command(flatten)]
    signer: SignerArguments,
    #[command(flatten)]
    new: NewStoreArguments,
    /// Then sign all pending changes, as pad commit does.
    #[arg(long, requires = "author")]
    commit: bool,
}

#[derive(Debug, Default, Args)]
#[command(after_help = "\
Examples:
  pad commit --store prices.pad --key author.key
  pad commit --store prices.pad --key author.key --name 2026-11-23")]
pub(super) struct Commit {
    #[command(flatten)]
    store: StoreArgument,
    #[command(flatten)]
    author: AuthorArguments,
    #[cfg(feature = "network")]
    #[command(flatten)]
    push: super::push::PushArguments,
    /// Sign a new version even if nothing changed.
    ///
    /// Without it, commit signs nothing if nothing is pending. With --push it then sends the
    /// servers the versions that they lack. Without --push it then fails if --name or --sign-note
    /// is given.
    #[arg(long)]
    allow_empty: bool,
    /// Name the new version NAME, for --at and other options.
    ///
    /// Without --sign-note, only the store, and servers that it is pushed to, vouch for the name.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Sign the name and date of the new version too, so that clients can verify them.
    ///
    /// This is a second signature. The date is that of the author's clock.
    #[arg(long)]
    sign_note: bool,
    /// Sign or drop pending changes recorded while another version was the latest.
    ///
    /// Required if there are such changes, for example after a restore.
    #[arg(long, value_name = "WHAT")]
    older: Option<Older>,
}

/// Treatment of pending changes that were recorded while another version was the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Older {
    /// Sign them together with the other pending changes.
    Sign,
    /// Drop them without signing them.
    Drop,
}

impl Put {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        let key = output.key(&self.key_text)?;
        let author = self.target.signer.keys(self.target.key.as_deref())?;
        let scheme = match &author {
            Some(author) => author.public().scheme,
            None => key_of_store(&own_store(&self.target.store.store)?)?.scheme,
        };
        let value = match (&self.value, &self.value_file) {
            (None, None) if !scheme.is_set() => {
                let text = format!("no value given: keys of scheme {scheme} have a value");
                return Err(Failure::Input(text));
            }
            (Some(value), _) => output.value(value)?,
            (None, Some(file)) => Value::new(read_file(file, LONGEST_VALUE)?)?,
            (None, None) => Value::default(),
        };
        if scheme.is_set() && !value.as_bytes().is_empty() {
            return Err(Failure::input("a member of a set has no value"));
        }
        let operation = Operation::Put(key, value);
        self.target.note_as(author.as_ref(), output, &operation)
    }
}

impl Remove {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        let key = output.key(&self.key_text)?;
        self.target.note(output, &Operation::Remove(key))
    }
}

impl Target {
    /// Creates the target of changes: the store at `store`, and the author's key file `key`. A
    /// missing store is created if `key` is given.
    #[cfg(feature = "file")]
    pub(super) fn new(store: &Path, key: Option<&Path>) -> Self {
        let store = store.to_owned();
        Self {
            store: StoreArgument { store },
            key: key.map(Path::to_owned),
            ..Self::default()
        }
    }

    pub(super) fn note(&self, output: &mut Output, operation: &Operation) -> Result {
        require_own(&self.store.store)?;
        let author = self.signer.keys(self.key.as_deref())?;
        self.note_as(author.as_ref(), output, operation)
    }

    fn note_as(
        &self,
        author: Option<&SigningKeys>,
        output: &mut Output,
        operation: &Operation,
    ) -> Result {
        output.goes_on();
        let path = &self.store.store;
        require_own(path)?;
        if let Some(key) = author {
            create_or_match(path, key.public(), &self.new, output)?;
        }
        let mut store = own_store(path)?;
        let scheme = key_of_store(&store)?.scheme;
        if scheme.family().is_append_only() && matches!(operation, Operation::Remove(_)) {
            let what = "removals";
            let scheme = scheme.id();
            return Err(Failure::Input(NotOffered { what, scheme }.to_string()));
        }
        let mut idle = None;
        if scheme.family() == SchemeFamily::Tree {
            // Opening the repository fails if changes could not be signed, for example because node
            // files are missing. In this case, the change is not recorded.
            let server = Server::of_any(path)?;
            let latest = server.latest();
            idle = contains(&server, latest, operation).then_some(latest);
        }
        let before = store.latest()?;
        let pending = pending::note(&mut store, operation)?;
        let next = if self.commit {
            ""
        } else {
            ", pad commit publishes them"
        };
        let on = idle.map_or_else(String::new, |version| {
            format!(" without effect on version {version}")
        });
        let text = format!("noted{on}; {pending} pending{next}");
        let mut object = json!({
            "pending_changes": pending,
            "without_effect_on": idle.map(Version::number),
        });
        output.add(&mut object, "key", operation.key().as_bytes());
        output.say(&text, &object)?;
        match author {
            Some(keys) if self.commit => {
                drop(store);
                let noted = NotedChanges {
                    operations: vec![operation.clone()],
                    count: 1,
                    before,
                };
                let commit = Commit {
                    store: self.store.clone(),
                    author: AuthorArguments {
                        key: self.key.clone(),
                        signer: self.signer.clone(),
                        ..AuthorArguments::default()
                    },
                    ..Commit::default()
                };
                commit.sign_noted(keys, output, Some(&noted))
            }
            _ => Ok(()),
        }
    }
}

/// Pending changes that a process has noted or read.
struct NotedChanges {
    /// Empty if there are more than [`MOST_COMPARED`], too many to keep in memory.
    operations: Vec<Operation>,
    count: u64,
    /// The version that was latest then.
    before: Version,
}

impl NotedChanges {
    /// Reads the pending changes of a store; `None` if there are none.
    fn read(store: &Path) -> Result<Option<Self>> {
        let store = own_store(store)?;
        let before = store.latest()?;
        let mut count = pending::count(&store)?;
        let mut operations = Vec::new();
        if count <= MOST_COMPARED {
            let changes = pending::changes(&store)?.into_iter();
            operations.extend(changes.map(|change| change.operation));
            // Another process may have signed the changes since they were counted.
            count = u64::try_from(operations.len()).unwrap_or(u64::MAX);
        }
        if count == 0 {
            return Ok(None);
        }
        Ok(Some(Self {
            operations,
            count,
            before,
        }))
    }
}

/// Maximum number of pending changes that are searched for in a version of another process.
const MOST_COMPARED: u64 = 1000;

impl Commit {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        output.goes_on();
        // Another process may sign the changes while the keys are loaded. An unreadable store is
        // reported when it is opened for signing.
        let noted = NotedChanges::read(&self.store.store).ok().flatten();
        self.sign_noted(&self.author.keys()?, output, noted.as_ref())
    }

    /// Signs all pending changes. `own` are changes that this process has noted or read. Another
    /// process may have signed them since.
    fn sign_noted(
        &self,
        keys: &SigningKeys,
        output: &mut Output,
        own: Option<&NotedChanges>,
    ) -> Result {
        let mut author = self.author.open(&self.store.store, keys)?;
        let store = author.server().store();
        let noted = pending::changes(store)?;
        if noted.is_empty() && !self.allow_empty {
            self.sign_nothing(author.server(), own, output)?;
            drop(author);
            return self.push(keys, output);
        }
        let name = new_name(self.name.as_deref(), store)?;
        let latest = author.server().latest();
        let older = noted.iter().filter(|change| change.after != latest).count();
        if older > 0 && self.older.is_none() {
            return Err(Failure::Input(format!(
                "{older} of the pending changes were noted at another version than {latest}, the \
                 latest, as after a restore"
            ))
            .help("sign them with --older sign, or drop them with --older drop"));
        }
        let mut done = missing_names(store)?;
        done.extend(noted.iter().map(PendingChange::done));
        let operations: Vec<_> = noted
            .into_iter()
            .filter(|change| change.after == latest || self.older == Some(Older::Sign))
            .map(|change| change.operation)
            .collect();
        let signed = operations.len();
        if signed == 0 && !self.allow_empty {
            drop(author);
            own_store(&self.store.store)?.write_records(&done)?;
            let text = format!(
                "{} dropped, nothing was signed",
                counted(older, "older change")
            );
            output.say(&text, &json!({ "changes": 0 }))?;
            return self.push(keys, output);
        }
        let staged = author.stage(operations)?;
        let note = VersionNote {
            name,
            seconds: now(),
            changes: u64::try_from(signed).unwrap_or(u64::MAX),
            entries: entries_of(&author),
            signature: None,
        };
        let note = if self.sign_note {
            note.sign(keys, staged)?
        } else {
            note
        };
        done.extend(note.records(staged));
        let version = author.flush(&done)?;
        let root = author.server().head_text(version)?.root;
        let named = note.name.as_deref().map(Output::show_text);
        let named = named.map_or_else(String::new, |name| format!(" named {name}"));
        let changed = changed_keys(&author, latest, version);
        let idle = changed.map_or(0, |changed| signed.saturating_sub(changed));
        let idle = match idle {
            0 => String::new(),
            idle => format!(" ({idle} of them without effect)"),
        };
        let changes = counted(signed, "change");
        let text = format!("version {version}{named} with {changes}{idle}, root {root}");
        let object = json!({
            "version": version.number(),
            "changes": signed,
            "root": root,
            "name": note.name,
            "changed_keys": changed,
            "signed_note": note.signature.map(|_| true),
        });
        output.say(&text, &object)?;
        drop(author);
        self.push(keys, output)
    }

    /// Reports that nothing is pending. `own` are changes that were pending before. Another process
    /// may have signed or dropped them.
    fn sign_nothing(
        &self,
        server: &Server,
        own: Option<&NotedChanges>,
        output: &mut Output,
    ) -> Result {
        #[cfg(feature = "network")]
        let pushes = self.push.is_given();
        #[cfg(not(feature = "network"))]
        let pushes = false;
        let is_for_a_note = self.name.is_some() || self.sign_note;
        match own {
            // A version that another process has signed does not have the name or the signed note.
            Some(own) if !is_for_a_note => signed_by_another(server, own, output),
            None if !is_for_a_note || pushes => {
                let text = "nothing is pending, nothing was signed";
                output.say(text, &json!({ "changes": 0 }))
            }
            _ => Err(Failure::input("nothing is pending")
                .help("note changes with pad put and pad remove")),
        }
    }

    /// Sends servers the versions that they lack, if `--push` is given. An earlier push may have
    /// failed.
    #[cfg(feature = "network")]
    fn push(&self, keys: &SigningKeys, output: &mut Output) -> Result {
        self.push.run(&self.store.store, keys, output)
    }

    #[cfg(not(feature = "network"))]
    #[allow(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "as with the feature"
    )]
    const fn push(&self, _: &SigningKeys, _: &mut Output) -> Result {
        Ok(())
    }
}

/// Returns whether a version has the key and value that the operation puts, or lacks the key that
/// it removes.
///
/// Returns `false` also if the store cannot answer, because the result is only advice.
fn contains(server: &Server, version: Version, operation: &Operation) -> bool {
    let found = || {
        let public = server.public_key().ok()?;
        let is_log = public.scheme.family().is_append_only() && !public.scheme.is_set();
        let question = match operation {
            Operation::Put(key, value) if is_log => Question::Value(key.clone(), value.clone()),
            operation => Question::Key(operation.key().clone()),
        };
        let answer = server.answer(version, &question).ok()?;
        verify(&public, version, &question, &answer).ok()
    };
    match (found(), operation) {
        (Some(Statement::Lookup(lookup)), Operation::Put(_, value)) => {
            lookup.answer.value() == Some(value)
        }
        (Some(Statement::Lookup(lookup)), Operation::Remove(_)) => lookup.answer.value().is_none(),
        #[cfg(feature = "log")]
        (Some(Statement::Included(_)), _) => true,
        _ => false,
    }
}

/// Reports the version that contains the changes, which another process has probably signed.
fn signed_by_another(server: &Server, own: &NotedChanges, output: &mut Output) -> Result {
    let changes = things(&own.count.to_string(), "change");
    if own.operations.is_empty() {
        return Err(Failure::Input(format!(
            "nothing is pending any more: another process signed or dropped {} {changes}",
            own.count
        ))
        .help("list the versions with pad versions"));
    }
    let later = own.before.number() + 1..=server.latest().number();
    let mut later = later.map(Version::new);
    let has_all = |version: &Version| {
        let mut operations = own.operations.iter();
        operations.all(|operation| contains(server, *version, operation))
    };
    let Some(version) = later.find(has_all) else {
        return Err(Failure::Input(format!(
            "nothing is pending any more, and no later version contains the {changes}"
        ))
        .help("note again what another process may have dropped"));
    };
    let text = format!("version {version} contains the {changes} already, nothing was signed");
    output.say(&text, &json!({ "version": version.number(), "changes": 0 }))
}

/// Counts the keys whose values differ between two versions of a tree. `None` for other families,
/// whose versions would have to be read whole, and if a version cannot be read.
///
/// An unreadable version is not an error, because `after` is signed already, and another process
/// may have pruned `before`.
fn changed_keys(author: &Author, before: Version, after: Version) -> Option<usize> {
    let server = author.server();
    if server.public_key().ok()?.scheme.family() != SchemeFamily::Tree {
        return None;
    }
    if before == Version::EMPTY {
        return Some(server.entries());
    }
    let mut changed = 0;
    let counted = server.differences(before, after, &mut |_| {
        changed += 1;
        ControlFlow::Continue(())
    });
    counted.ok().map(|()| changed)
}

/// Returns the name given for a new version with `--name`, after checking that it is valid and
/// unused; `None` without the option.
pub(super) fn new_name(name: Option<&str>, store: &dyn Store) -> Result<Option<String>> {
    let Some(name) = name else {
        return Ok(None);
    };
    if name.is_empty() || name.len() > LONGEST_NAME {
        let text = format!("--name: a name has 1 to {LONGEST_NAME} bytes");
        return Err(Failure::Input(text));
    }
    match only_version(name, versions_of(store, name)?) {
        Err(NameError::Unknown(_)) => Ok(Some(name.to_owned())),
        Ok(version) => Err(Failure::Input(format!(
            "--name: version {version} has the name '{name}' already"
        ))),
        Err(error) => Err(Failure::Input(format!("--name: {error}"))),
    }
}

pub(super) fn entries_of(author: &Author) -> u64 {
    u64::try_from(author.server().entries()).unwrap_or(u64::MAX)
}

pub(super) fn shown(pending: &PendingChange, output: &Output) -> (String, Json) {
    let key = output.show(pending.operation.key().as_bytes());
    let mut object = json!({ "noted_at": pending.after.number() });
    output.add(&mut object, "key", pending.operation.key().as_bytes());
    let text = match &pending.operation {
        Operation::Put(_, value) => {
            output.add(&mut object, "value", value.as_bytes());
            format!("+ {key} = {}", output.show_value(value))
        }
        Operation::Remove(_) => {
            object["removed"] = true.into();
            format!("- {key}")
        }
    };
    (text, object)
}

const LONGEST_VALUE: usize = 1 << 24;
