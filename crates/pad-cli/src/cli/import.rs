//! `pad import`: imports a trace in CSV or JSON lines, one signed version per snapshot. A trace
//! without the column `snapshot` is one version.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use authdict::{
    Author, AuthorError, Operation, RepositoryError, SchemeName, SigningKeys, StoreError, Version,
    VersionNote, VersionNotes,
    internals::{RecordChange, Store, version_notes::missing_names},
    trace::TraceStart,
};
use clap::Args;
use serde_json::json;

use self::survey::{Replay, Stamp, Survey, TraceSource};
use super::{
    Failure, NewStoreArguments, Output, Result, StoreArgument,
    change::{entries_of, new_name},
    output::{counted, now},
    progress, quantity,
    session::{AuthorArguments, create_or_match, own_store, require_own},
};

mod survey;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad import --store prices.pad --key author.key data/prices.csv.zst
  zcat prices.csv.gz | pad import --store prices.pad --key author.key -
  pad import --store prices.pad --key author.key --append wednesday.csv
  pad import --store prices.pad --key author.key --name friday changes.csv
  pad import --store prices.pad --key author.key changes.jsonl

Import a growing trace repeatedly: imported snapshots are skipped and must be
unchanged. For a trace that contains only new snapshots, use --append. A trace
with the columns key,value or op,key,value is one new version. JSON lines:
  {\"key\": \"apple\", \"value\": \"1.20\"}
  {\"op\": \"delete\", \"key_hex\": \"00ff\"}")]
pub(super) struct Import {
    #[command(flatten)]
    store: StoreArgument,
    #[command(flatten)]
    author: AuthorArguments,
    /// Require this scheme; the key must have it.
    #[arg(long, value_name = "NAME")]
    scheme: Option<SchemeName>,
    #[command(flatten)]
    new: NewStoreArguments,
    #[cfg(feature = "network")]
    #[command(flatten)]
    push: super::push::PushArguments,
    /// Flush to disk after this many SNAPSHOTS.
    ///
    /// Default: after 50 ms or 16 MiB. --json reports a snapshot only after it is durable. A crash
    /// loses only snapshots that were not reported.
    #[arg(long, value_name = "SNAPSHOTS", value_parser = clap::value_parser!(u32).range(1..))]
    group: Option<u32>,
    /// Memory for a snapshot's changes, such as 512MiB or 2GB.
    ///
    /// For stores with their nodes in a file. What does not fit is sorted in an unnamed file next
    /// to the store, about as large as the snapshot. Other stores hold the changes in memory.
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = quantity::memory)]
    memory: usize,
    /// Import a trace that contains only new snapshots.
    ///
    /// If the trace repeats imported snapshots, they must be the last imported snapshots, as after
    /// an interrupted import. Repeat an interrupted import before the next trace.
    ///
    /// A snapshot is recognized by its name and changes. Give snapshots of different traces
    /// different names.
    #[arg(long)]
    append: bool,
    /// Name the version of a trace without the column snapshot.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Sign the names and dates of the new versions too, so that clients can verify them.
    ///
    /// This is a second signature for each version. The dates are those of the author's clock.
    #[arg(long)]
    sign_note: bool,
    /// Import into a store with versions of unknown origin.
    ///
    /// Such versions were neither imported nor committed here, as after a restore from a copy. If
    /// some of them are snapshots of this trace, these snapshots are signed once more.
    #[arg(long)]
    again: bool,
    /// The trace, plain, .gz or .zst; - for standard input.
    ///
    /// A trace is CSV or JSON lines. Its columns are snapshot,op,key,value; op is put or delete.
    /// `key_hex` and `value_hex`, instead of key and value, contain hexadecimal digits. Without
    /// the column snapshot, all rows are one new version, as with --append; without op, each row is
    /// a put. Standard input is kept in an unnamed file next to the store, because it is read
    /// twice.
    trace: PathBuf,
}

impl Import {
    pub(super) fn run(&self, output: &mut Output) -> Result {
        output.goes_on();
        require_own(&self.store.store)?;
        let key = self.author.keys()?;
        self.check_scheme(&key)?;
        // The whole trace is checked before the store is changed.
        let imported = if self.store.store.exists() {
            imported(&own_store(&self.store.store)?)?
        } else {
            Vec::new()
        };
        let source = TraceSource::new(&self.trace, &self.store.store, self.name.as_deref())?;
        let has_names = source.open()?.has_names();
        if has_names && self.name.is_some() {
            return Err(Failure::Input(format!(
                "--name: the trace {} names its snapshots itself",
                source.path().display()
            )));
        }
        let append = self.append || !has_names;
        let survey = Survey::of(&source, key.public().scheme)?;
        let total = survey.snapshots();
        let overlap = if append && !imported.is_empty() {
            Replay::new(&source, survey.clone())?.overlap(&imported)?
        } else {
            imported.len()
        };
        let place = ImportPosition {
            total,
            skipped: overlap,
            imported: imported.len(),
        };
        let mut trace = Replay::new(&source, survey)?;
        trace.skip(&imported[imported.len() - overlap..])?;
        self.author.check_new(&self.store.store)?;
        create_or_match(&self.store.store, key.public(), &self.new, output)?;
        if self.again {
            self.vouch()?;
        }
        let mut author = self.author.open(&self.store.store, &key)?;
        if self::imported(author.server().store())? != imported {
            let text = "another import changed the store in the meantime";
            return Err(Failure::input(text).help("run this one again"));
        }
        Self::check_signed_here(&author)?;
        if total > place.skipped {
            new_name(self.name.as_deref(), author.server().store())?;
        }
        #[cfg(feature = "log")]
        self.check_appended(&source, &author, place, append)?;
        let keys = self.sign_note.then_some(&key);
        let changes = self.import(&mut trace, (&mut author, keys), place, output)?;
        if total > place.skipped {
            match author.checkpoint() {
                // Another process has pruned in the meantime, so the next opening replays more
                // updates.
                Err(AuthorError::Repository(RepositoryError::Store(StoreError::Superseded))) => {}
                done => done?,
            }
        }
        self.report(&author, (total, place.skipped, changes), output)?;
        drop(author);
        #[cfg(feature = "network")]
        self.push.run(&self.store.store, &key, output)?;
        Ok(())
    }

    /// Imports all snapshots after the skipped snapshots, and signs their notes with `keys`, if
    /// any. Returns the number of imported changes.
    fn import(
        &self,
        trace: &mut Replay<'_>,
        (author, keys): (&mut Author, Option<&SigningKeys>),
        place: ImportPosition,
        output: &mut Output,
    ) -> Result<u64> {
        let template = "{bar:40} {pos}/{len} snapshots, {elapsed}, {eta} left";
        let total = u64::try_from(place.total).unwrap_or(u64::MAX);
        let bar = progress::bar(output, total, template);
        let (mut changes, mut staged) = (0_u64, Staged::default());
        let mut group = Group::new(self.group);
        for number in u64::try_from(place.imported).unwrap_or(u64::MAX).. {
            let mut gathered = author.gather(&self.store.store, self.memory);
            let before = changes;
            let snapshot = trace.snapshot(|change| {
                changes = changes.saturating_add(1);
                group.add(&change);
                Ok(gathered.push(change)?)
            })?;
            let Some((TraceStart { name, .. }, stamp)) = snapshot else {
                break;
            };
            let version = author.stage_gathered(gathered)?;
            let note = VersionNote {
                name: (!name.is_empty()).then(|| name.clone()),
                seconds: now(),
                changes: changes.saturating_sub(before),
                entries: entries_of(author),
                signature: None,
            };
            let note = match keys {
                Some(keys) => note.sign(keys, version)?,
                None => note,
            };
            // The big-endian number keeps the import records in the order of snapshots.
            let record = RecordChange::put(RECORD_GROUP, number.to_be_bytes(), stamp);
            staged.records.push(record);
            staged.records.extend(note.records(version));
            staged.snapshots.push((name, version));
            if group.is_full(staged.snapshots.len()) {
                acknowledge(author, &mut staged, output)?;
                group.begin();
            }
            bar.set_position(place.in_trace(number));
        }
        acknowledge(author, &mut staged, output)?;
        bar.finish_and_clear();
        Ok(changes)
    }

    /// Records for `--again` that no existing version is a snapshot to import.
    fn vouch(&self) -> Result {
        let mut store = own_store(&self.store.store)?;
        let latest = store.latest()?.number().to_be_bytes();
        Ok(store.write_records(&[RecordChange::put(VOUCHED_GROUP, "", latest)])?)
    }

    /// Refuses to sign snapshots that may already have been signed.
    ///
    /// After a restore, versions can be applied to an old copy of a store. These versions come back
    /// without their import records. Logs are not checked here, because an import into a log
    /// compares the appended entries.
    fn check_signed_here(author: &Author) -> Result {
        let repository = author.server();
        if repository.public_key()?.scheme.family().is_append_only() {
            return Ok(());
        }
        let (first, last) = (vouched(repository.store())?.number(), repository.latest());
        let first = first.saturating_add(1);
        let notes = VersionNotes::read(repository.store(), Version::new(first), last)?;
        let after = first..=last.number();
        let mut versions = after.map(Version::new);
        match versions.find(|version| notes.get(*version).is_none()) {
            None => Ok(()),
            Some(version) => Err(Failure::Input(format!(
                "version {version} of the store was neither imported nor committed here, as after \
                 a restore: it may be a snapshot of this trace"
            ))
            .help("use --again if the snapshots are new")),
        }
    }

    /// Refuses to append a snapshot that the log already contains.
    ///
    /// Import records are not part of the versions. They are therefore missing after versions were
    /// applied to a copy of the store.
    #[cfg(feature = "log")]
    fn check_appended(
        &self,
        source: &TraceSource,
        author: &Author,
        place: ImportPosition,
        append: bool,
    ) -> Result {
        use authdict::{Sha256Ed25519, pad_core::codec, pad_log::Appended};
        use pad_core::Update;
        let repository = author.server();
        let scheme = repository.public_key()?.scheme;
        // A set contains each member once, even if the member is imported several times.
        if self.again || !scheme.family().is_append_only() || scheme.is_set() {
            return Ok(());
        }
        let imported = u64::try_from(place.imported).unwrap_or(u64::MAX);
        if append && imported != repository.latest().number() {
            return Err(Failure::input(
                "the log has versions that are not recorded as imported, and --append does not \
                 compare all snapshots with all of them",
            )
            .help(
                "import a trace that begins with everything imported so far, or use --again if \
                 these snapshots are new",
            ));
        }
        let Some(next) = source.open()?.nth(place.skipped) else {
            return Ok(());
        };
        let next = next.map_err(Failure::trace(&self.trace))?;
        for version in imported.saturating_add(1)..=repository.latest().number() {
            let Some(message) = repository.update_message(Version::new(version))? else {
                continue;
            };
            let update = codec::decode::<Update<Sha256Ed25519, Appended>>(&message, message.len());
            let update = update.map_err(|_| StoreError::Damaged("unreadable update"))?;
            let entries = update.attachment.entries.into_iter();
            let appended = entries.map(|entry| Operation::Put(entry.key, entry.value));
            if appended.eq(next.operations.iter().cloned()) {
                return Err(Failure::Input(format!(
                    "trace {}: snapshot '{}' equals version {version} of the log, which is not \
                     recorded as imported",
                    self.trace.display(),
                    next.name,
                ))
                .help("use --again to append it once more"));
            }
        }
        Ok(())
    }

    fn check_scheme(&self, key: &SigningKeys) -> Result {
        let scheme = key.public().scheme;
        match self.scheme {
            Some(wanted) if wanted != scheme => Err(Failure::Input(format!(
                "the key {} is for scheme {scheme}, not for {wanted}",
                self.author.key_file().display(),
            ))
            .help(format!("create one with pad keygen --scheme {wanted}"))),
            _ => Ok(()),
        }
    }

    fn report(
        &self,
        author: &Author,
        (total, skipped, changes): (usize, usize, u64),
        output: &mut Output,
    ) -> Result {
        let repository = author.server();
        let latest = repository.latest();
        let root = repository.head_text(latest)?.root;
        let text = format!(
            "imported {} ({}; {skipped} were there already) into {}\n\
             latest version {latest} with {}, root {root}",
            counted(total - skipped, "snapshot"),
            counted(changes, "change"),
            self.store.store.display(),
            counted(repository.entries(), "entry"),
        );
        let object = json!({
            "skipped_snapshots": skipped,
            "changes": changes,
            "latest": latest.number(),
            "entries": repository.entries(),
            "root": root,
        });
        output.end(total - skipped);
        output.say(&text, &object)
    }
}

/// Returns the version up to which the author has declared that no version is a snapshot to import
/// ([`Import::vouch`]). Returns version 0 without such a declaration.
fn vouched(store: &dyn Store) -> Result<Version> {
    let found = store.records(VOUCHED_GROUP)?.pop();
    let number = found.and_then(|(_, value)| Some(u64::from_be_bytes(value.try_into().ok()?)));
    Ok(Version::new(number.unwrap_or_default()))
}

const VOUCHED_GROUP: &str = "vouched";

/// The position at which the import of a trace continues.
#[derive(Clone, Copy)]
struct ImportPosition {
    /// Number of snapshots in the trace.
    total: usize,
    /// Number of snapshots of this trace that were imported before.
    skipped: usize,
    /// Number of snapshots of any trace that were imported before.
    imported: usize,
}

impl ImportPosition {
    /// Converts `number`, a snapshot's index among all imported snapshots from 0, into the number
    /// of snapshots of this trace up to and including this snapshot.
    fn in_trace(self, number: u64) -> u64 {
        let before = self.imported.saturating_sub(self.skipped);
        (number + 1).saturating_sub(u64::try_from(before).unwrap_or(u64::MAX))
    }
}

/// Snapshots that are staged as versions but not durable yet: their names and versions, their
/// import records and their notes.
#[derive(Default)]
struct Staged {
    snapshots: Vec<(String, Version)>,
    records: Vec<RecordChange>,
}

/// A group commit: snapshots that become durable together.
struct Group {
    most: usize,
    /// Maximum duration of the group; `None` if the maximum number of snapshots is given.
    longest: Option<Duration>,
    begun: Instant,
    /// Bytes of keys and values in the group, which wait in memory.
    bytes: usize,
}

impl Group {
    /// Creates a group of `most` snapshots. Without `most`, the group is limited to
    /// [`LONGEST_WAIT`] and [`MOST_BYTES`].
    fn new(most: Option<u32>) -> Self {
        let count = most.and_then(|most| usize::try_from(most).ok());
        Self {
            most: count.unwrap_or(usize::MAX),
            longest: most.is_none().then_some(LONGEST_WAIT),
            begun: Instant::now(),
            bytes: 0,
        }
    }

    fn begin(&mut self) {
        (self.begun, self.bytes) = (Instant::now(), 0);
    }

    fn add(&mut self, change: &Operation) {
        let value = match change {
            Operation::Put(_, value) => value.as_bytes().len(),
            Operation::Remove(_) => 0,
        };
        let bytes = change.key().as_bytes().len().saturating_add(value);
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Returns whether the group, which has `snapshots` snapshots, must be flushed before further
    /// snapshots are added.
    fn is_full(&self, snapshots: usize) -> bool {
        let waits_long = |longest| self.bytes >= MOST_BYTES || self.begun.elapsed() >= longest;
        snapshots >= self.most || self.longest.is_some_and(waits_long)
    }
}

/// Maximum duration of a group without a given size. It is longer than a flush, but short for a
/// waiting user.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
const MOST_BYTES: usize = 16 << 20;

/// Makes the staged snapshots durable, and then reports them.
fn acknowledge(author: &mut Author, staged: &mut Staged, output: &mut Output) -> Result {
    let mut records = missing_names(author.server().store())?;
    records.append(&mut staged.records);
    author.flush_and_go_on(&records)?;
    for (name, version) in staged.snapshots.drain(..) {
        if output.is_json() {
            let root = author.server().head_text(version)?.root;
            let name = Some(name).filter(|name| !name.is_empty());
            let object = json!({ "name": name, "version": version.number(), "root": root });
            output.say("", &object)?;
        }
    }
    Ok(())
}

fn imported(store: &dyn Store) -> Result<Vec<Stamp>> {
    let records = store.records(RECORD_GROUP)?.into_iter();
    Ok(records.map(|(_, stamp)| stamp).collect())
}

const RECORD_GROUP: &str = "trace";
